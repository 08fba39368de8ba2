"""Commands in front of a core: what a zeroisation and a reset leave behind."""

import functools
import random
from dataclasses import replace
from operator import ne

import pytest
from amaranth.hdl import Module, ResetInserter, Signal
from amaranth.lib.memory import Memory
from amaranth.lib.wiring import Component, connect, flipped
from amaranth.sim import Simulator
from tests.cores.generated import (
    BLINDED_RSA,
    ENGINE_EXPONENTIATION,
    POINT,
    PUBLIC_KEYS,
    RSA,
    SINGLE,
)
from tests.hardware.traffic import ticks, ticks_until

from residua.cores.kinds import core_of
from residua.cores.modular_bus.cases import NumberCases
from residua.cores.specification.reading import check_any
from residua.hardware.bus import commanded
from residua.hardware.bus.commanded import Commanded
from residua.hardware.random_monitor import RandomMonitor, repetition_cutoff

MODEXP = {"algorithm": "modexp", "bits": 17, "digit": 5, "window": 2}
ENGINE = ENGINE_EXPONENTIATION | {"window": 2, "exponent_bits": 4}
LOADED = {"algorithm": "modexp", "unit": "rns-montgomery", "bits": 24, "width": 12, "exponent": 3}

CRT = RSA | {"bits": 40, "exponent": 3}

PRODUCTS = {
    "product": {"modulus": 0x1000B, "width": 12, "interface": "words"},
    "SBMM": SINGLE | {"interface": "words"},
    "IDDMM": {"algorithm": "iddmm", "modulus": 0x1000B, "digit": 5},
    "IDDMM, loaded": {"algorithm": "iddmm", "bits": 17, "digit": 5, "operand_check": "flag"},
    "IDDMM, lanes": {"algorithm": "iddmm", "modulus": 0x1000B, "digit": 5, "lanes": 2},
    "MWR2MM": {"algorithm": "mwr2mm", "modulus": 0x1000B, "digit": 5},
}
"""Multipliers; R2MM has no memory."""

DOUBLE = POINT | {"operation": "double"}

PRIME = {"algorithm": "inversion", "modulus": 0x10001, "width": 12}
INVERSIONS = {"division-steps": 8, "fermat": 8, "plus-minus": 0, "plus-minus-ct": 0}
"""Methods, and words of memories that operations change: plus-minus has registers alone."""

BLINDED = BLINDED_RSA | {"bits": 31, "exponent": 3, "blinding": 2}
"""Fewer random bits than hide anything: they are many cycles."""


@pytest.fixture(autouse=True)
def _few_random_bits(monkeypatch):
    monkeypatch.setattr("residua.cores.exponentiation.specification.MARGIN", 1)


class Inside(Component):
    """The core in place of an instance of its Verilog."""

    def __init__(self, core, members, reset):
        self._core, self._reset = core, reset
        super().__init__(members)

    def elaborate(self, platform):  # noqa: ARG002
        m = Module()
        inner = self._core.component()
        m.submodules.inner = ResetInserter(self._reset)(inner)
        for name in self.signature.members:
            ours, theirs = getattr(self, name), getattr(inner, name)
            if isinstance(ours, Signal):
                m.d.comb += ours.eq(theirs)
            elif name == "result":
                m.d.comb += [
                    ours.payload.as_value().eq(theirs.payload.as_value()),
                    ours.valid.eq(theirs.valid),
                    theirs.ready.eq(ours.ready),
                ]
            else:
                connect(m, flipped(ours), theirs)
        return m


async def command(ctx, dut, case):
    await ticks_until(ctx, dut.command.ready)
    ctx.set(dut.command.payload.operation, case.operation)
    ctx.set(dut.command.valid, 1)
    await ctx.tick()
    ctx.set(dut.command.valid, 0)


def status(dut, name):
    return dut.design.registers(data_registers=True).statuses[name]


async def operate(ctx, dut, case, *others):
    """One operation to its end, with the status that it has to have, or one of others."""
    await command(ctx, dut, case)
    ctx.set(dut.operands.valid, 1)
    for number in case.operands:
        for place in range(dut.design.words):
            ctx.set(dut.operands.payload, number >> 32 * place & 0xFFFFFFFF)
            await ticks_until(ctx, dut.operands.ready)
            await ctx.tick()
    ctx.set(dut.operands.valid, 0)
    await ticks_until(ctx, dut.done)
    wanted = [status(dut, name) for name in others] or [case.expected[0]]
    assert ctx.get(dut.status) in wanted
    await ctx.tick()


async def zeroise(ctx, dut):
    ctx.set(dut.zeroise, 1)
    await ctx.tick()
    ctx.set(dut.zeroise, 0)
    await ticks_until(ctx, dut.done)
    assert ctx.get(dut.status) == status(dut, "zeroised")
    await ctx.tick()


def simulated(dut, monkeypatch):
    """A simulator, and all memories in it."""
    memories, elaborate = [], Memory.elaborate

    def noted(self, platform):
        memories.append(self.data)
        return elaborate(self, platform)

    with monkeypatch.context() as patch:
        patch.setattr(Memory, "elaborate", noted)
        simulator = Simulator(dut)
    simulator.add_clock(1e-6)
    return simulator, memories


def signals(simulator):
    """All signals of a simulated design but its clock."""
    return [signal for signal in simulator._engine._state.signals if signal.name != "clk"]


def left_behind(values, operations, monkeypatch, seed=1, **changes):
    """Memories and signals after a reset, after a load and operations, after a zeroisation."""
    core = core_of(check_any(values | {"bus": "axi"}))
    settings = [core.settings(random.Random(1))[-1]]
    cases = replace(core.surroundings.cases(seed), settings=settings)
    design = replace(core.commanded, **changes)
    dut = Commanded(design, "", lambda _, members, reset: Inside(core, members, reset))
    simulator, memories = simulated(dut, monkeypatch)
    found, draw, operates = [], random.Random(1), [False]
    # What comes from a wipe on is of the next operation.
    give_random = random_words(dut, lambda: (1, draw.getrandbits(32) if operates[0] else 0xC0FFEE))

    def look(ctx):
        words = [ctx.get(data[i]) for data in memories for i in range(data.depth)]
        found.append((words, [(one.name, ctx.get(one)) for one in signals(simulator)]))

    async def bench(ctx):
        ctx.set(dut.result.ready, 1)
        await ticks_until(ctx, dut.command.ready)
        look(ctx)
        operates[0] = True
        if dut.design.load:
            await operate(ctx, dut, cases.load(settings[0]))
        for _ in range(operations):
            await operate(ctx, dut, cases.sample())
            # The result leaves.
            await ticks(ctx, 100)
        ctx.set(dut.operands.payload, 0)
        look(ctx)
        operates[0] = False
        await zeroise(ctx, dut)
        look(ctx)

    simulator.add_testbench(bench)
    if core.commanded.random_words:
        simulator.add_testbench(give_random, background=True)
    simulator.run()
    return found


SMALL = PRODUCTS | {way: PRIME | {"inversion": way} for way in INVERSIONS} | {"points": DOUBLE}
"""Cores that are quick to simulate."""


@pytest.mark.parametrize(
    ("values", "operations", "words"),
    [
        (MODEXP, 1, 20),
        (CRT, 1, 20),
        (BLINDED, 1, 20),
        (PUBLIC_KEYS, 2, 20),
        (ENGINE, 3, 20),
        (LOADED, 3, 20),
    ],
    ids=["modexp", "RSA", "RSA, blinded", "public keys", "engine", "engine, loaded"],
)
def test_a_zeroisation_leaves_nothing(values, operations, words, monkeypatch):
    """All memories are as a reset leaves them; before it many words are not."""
    check_memories(left_behind(values, operations, monkeypatch), words)


def check_memories(states, words):
    (reset, _), (before, _), (after, _) = states
    assert after == reset
    assert sum(map(ne, before, after)) >= words


@pytest.mark.parametrize("name", SMALL)
def test_nothing_tells_of_operands_after_a_zeroisation(name, monkeypatch):
    """Memories are as a reset leaves them, and signals do not depend on what the operands were."""
    # Operands and results stand in several places by turns.
    operations = 1 if name == "points" else 3
    one, other = (left_behind(SMALL[name], operations, monkeypatch, seed) for seed in (1, 2))
    check_memories(one, INVERSIONS.get(name, 15))
    assert one[1] != other[1]
    assert one[2] == other[2]


def test_a_place_that_is_not_wiped_is_found(monkeypatch):
    wiped = [left_behind(PRODUCTS["IDDMM"], 2, monkeypatch, seed, turns=1)[-1] for seed in (1, 2)]
    assert wiped[0] != wiped[1]


def random_core(monkeypatch):
    """A core on a bus that takes random words, and cases of it; it is soon starved."""
    monkeypatch.setattr(commanded, "RandomMonitor", functools.partial(RandomMonitor, 8))
    core = core_of(check_any(BLINDED))
    cases = NumberCases(core.commanded, core.settings(random.Random(1))[:1], 1)
    dut = Commanded(core.commanded, "", lambda _, members, reset: Inside(core, members, reset))
    simulator = Simulator(dut)
    simulator.add_clock(1e-6)
    return cases, dut, simulator


def random_words(dut, word):
    """Gives, in each cycle, whether there is a word and which."""

    async def give(ctx):
        taken = aiter(ctx.tick())
        while True:
            valid, payload = word()
            ctx.set(dut.random.valid, valid)
            ctx.set(dut.random.payload, payload)
            await anext(taken)

    return give


def test_random_words_that_fail_let_nothing_out(monkeypatch):
    """The same word again and again: no result and no key until a zeroisation."""
    cases, dut, simulator = random_core(monkeypatch)
    broken, draw = [False], random.Random(3)
    of_message = core_of(check_any(BLINDED)).design.random_words[1]
    give_random = random_words(dut, lambda: (1, 77 if broken[0] else draw.getrandbits(32)))

    async def bench(ctx):
        ctx.set(dut.result.ready, 1)
        load, sample = cases.load(cases.settings[0]), cases.sample()
        await operate(ctx, dut, load)
        broken[0] = True
        # So many equal words take a few operations.
        for _ in range(repetition_cutoff() // of_message):
            await operate(ctx, dut, sample, "ok", "random_fault")
        await operate(ctx, dut, sample, "random_fault")
        assert not ctx.get(dut.result.valid)
        await operate(ctx, dut, load, "random_fault")
        await operate(ctx, dut, sample, "not_loaded")
        broken[0] = False
        await zeroise(ctx, dut)
        await operate(ctx, dut, load)
        await operate(ctx, dut, sample)

    simulator.add_testbench(bench)
    simulator.add_testbench(give_random, background=True)
    simulator.run()


def test_a_random_word_that_does_not_come(monkeypatch):
    """It ends with a status of its own, and nothing is left; one that comes late does no harm."""
    cases, dut, simulator = random_core(monkeypatch)
    given, draw = [True], random.Random(3)
    give_random = random_words(dut, lambda: (given[0], draw.getrandbits(32)))

    async def bench(ctx):
        ctx.set(dut.result.ready, 1)
        load, sample = cases.load(cases.settings[0]), cases.sample()
        await operate(ctx, dut, load)
        await operate(ctx, dut, sample)
        given[0] = False
        # Some may have been taken already; nothing is told of one that is not waited for.
        await ctx.tick().repeat(1000)
        await starved(ctx, dut, sample)
        given[0] = True
        await operate(ctx, dut, sample, "not_loaded")
        await operate(ctx, dut, load)
        await operate(ctx, dut, sample)

    simulator.add_testbench(bench)
    simulator.add_testbench(give_random, background=True)
    simulator.run()


async def starved(ctx, dut, case):
    """An operation that ends as no random word comes."""
    await command(ctx, dut, case)
    ctx.set(dut.operands.valid, 1)
    await ticks_until(ctx, dut.done)
    ctx.set(dut.operands.valid, 0)
    assert ctx.get(dut.status) == status(dut, "random_starved")
    await ctx.tick()
