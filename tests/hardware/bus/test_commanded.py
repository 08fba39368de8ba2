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
from residua.cores.specification.reading import check_any
from residua.hardware.bus import commanded
from residua.hardware.bus.commanded import Commanded
from residua.hardware.random_monitor import RandomMonitor

MODEXP = {"algorithm": "modexp", "bits": 17, "digit": 5, "window": 2, "exponent_bits": 4}
ENGINE = ENGINE_EXPONENTIATION | {"window": 2, "exponent_bits": 4}
LOADED = {"algorithm": "modexp", "unit": "rns-montgomery", "bits": 24, "width": 12, "exponent": 3}

CRT = RSA | {"bits": 31, "exponent": 3}
KEYS = PUBLIC_KEYS | {"exponent_bits": 5}

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
FERMAT = PRIME | {"inversion": "fermat", "modulus": 0x10003}
"""Two bits of p - 2 are set: it takes few products."""
INVERSIONS = {"division-steps": 8, "plus-minus": 0, "plus-minus-ct": 0}
"""Other methods, and words of memories that operations change: plus-minus has registers alone."""

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


SAME = 0xC0FFEE
"""A random word."""


class RandomWords:
    """Random words for a core, of which ``same`` takes the place while it is not None."""

    def __init__(self, dut):
        self._stream, self._draw, self.same = dut.random, random.Random(3), None

    def change(self, ctx, same):
        """From now on, also in place of the word that waits."""
        self.same = same
        ctx.set(self._stream.payload, self._next())

    def give(self, ctx, there):
        ctx.set(self._stream.valid, there)

    async def testbench(self, ctx):
        self.give(ctx, 1)
        taken = aiter(ctx.tick().sample(self._stream.valid & self._stream.ready))
        while True:
            ctx.set(self._stream.payload, self._next())
            while not (await anext(taken))[2]:
                pass

    def _next(self):
        return self._draw.getrandbits(32) if self.same is None else self.same


class Bench:
    """A core on a bus in Amaranth's simulator, and what it holds at some instants.

    ``changes`` are of its design; ``seeds`` are those of operands. The first modulus or key of all
    those of a core is right, the last one may be wrong.
    """

    def __init__(self, values, monkeypatch, seeds=(1,), chosen=-1, **changes):
        core = core_of(check_any(values | {"bus": "axi"}))
        settings = [core.settings(random.Random(1))[chosen]]
        self.cases = [replace(core.surroundings.cases(seed), settings=settings) for seed in seeds]
        self.dut = Commanded(
            replace(core.commanded, **changes),
            "",
            lambda _, members, reset: Inside(core, members, reset),
        )
        self.simulator, self._memories = simulated(self.dut, monkeypatch)
        self.words = RandomWords(self.dut) if core.commanded.random_words else None

    def run(self, script):
        """Run ``script``; results are taken at once, and random words are there."""

        async def testbench(ctx):
            ctx.set(self.dut.result.ready, 1)
            await script(ctx)

        self.simulator.add_testbench(testbench)
        if self.words:
            self.simulator.add_testbench(self.words.testbench, background=True)
        self.simulator.run()

    def look(self, ctx):
        """Words of all memories, and all signals."""
        words = [ctx.get(data[i]) for data in self._memories for i in range(data.depth)]
        return words, [(one.name, ctx.get(one)) for one in signals(self.simulator)]

    async def load(self, ctx, cases, *statuses):
        await operate(ctx, self.dut, cases.load(cases.settings[0]), *statuses)

    async def left_behind(self, ctx, operations):
        """What is there after a reset; after a load and operations and after a zeroisation,
        with the operands of each seed."""
        await ticks_until(ctx, self.dut.command.ready)
        found = [self.look(ctx)]
        for cases in self.cases:
            if self.dut.design.load:
                await self.load(ctx, cases)
            for _ in range(operations):
                await operate(ctx, self.dut, cases.sample())
                # The result leaves.
                await ticks(ctx, 100)
            ctx.set(self.dut.operands.payload, 0)
            found.append(self.look(ctx))
            await zeroise(ctx, self.dut)
            found.append(self.look(ctx))
        return found


def left_behind(values, operations, *arguments, **changes):
    """See `Bench`."""
    bench, found = Bench(values, *arguments, **changes), []

    async def script(ctx):
        found.extend(await bench.left_behind(ctx, operations))

    bench.run(script)
    return found


SMALL = (
    PRODUCTS
    | {way: PRIME | {"inversion": way} for way in INVERSIONS}
    | {"fermat": FERMAT, "points": DOUBLE}
)
"""Cores that are quick to simulate."""


@pytest.mark.parametrize(
    ("values", "operations", "words"),
    [
        (MODEXP, 1, 20),
        (CRT, 1, 20),
        (KEYS, 2, 20),
        (ENGINE, 3, 20),
        (LOADED, 3, 20),
    ],
    ids=["modexp", "RSA", "public keys", "engine", "engine, loaded"],
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
    reset, one, left_of_one, other, left_of_other = left_behind(
        SMALL[name], operations, monkeypatch, (1, 2)
    )
    check_memories([reset, one, left_of_one], INVERSIONS.get(name, 15))
    assert one[1] != other[1]
    assert left_of_one == left_of_other


def test_a_place_that_is_not_wiped_is_found(monkeypatch):
    _, _, one, _, other = left_behind(PRODUCTS["IDDMM"], 2, monkeypatch, (1, 2), turns=1)
    assert one != other


def test_a_core_that_takes_random_words(monkeypatch):
    """A word that does not come, and the same one again and again; both leave nothing."""
    monkeypatch.setattr(commanded, "RandomMonitor", functools.partial(RandomMonitor, 8))
    monkeypatch.setattr("residua.hardware.random_monitor.repetition_cutoff", lambda: 3)
    bench = Bench(BLINDED, monkeypatch, chosen=0)
    dut, (cases,) = bench.dut, bench.cases

    async def script(ctx):
        # Those that come from a wipe on are of the next operation.
        bench.words.change(ctx, SAME)
        await ticks_until(ctx, dut.command.ready)
        reset = bench.look(ctx)
        bench.words.change(ctx, None)
        await bench.load(ctx, cases)
        states = [await a_word_that_does_not_come(ctx, bench)]
        states.append(await words_that_fail_let_nothing_out(ctx, bench))
        for before, after in states:
            check_memories([reset, before, after], 20)
        bench.words.change(ctx, None)
        await bench.load(ctx, cases)
        await operate(ctx, dut, cases.sample())

    bench.run(script)


async def a_word_that_does_not_come(ctx, bench):
    """It ends with a status of its own, and nothing is left; one that comes late does no harm."""
    dut, (cases,) = bench.dut, bench.cases
    bench.words.give(ctx, 0)
    # Some may have been taken already; nothing is told of one that is not waited for.
    await ticks(ctx, 1 << 9)
    before = bench.look(ctx)
    await starved(ctx, dut, cases.sample())
    bench.words.change(ctx, SAME)
    bench.words.give(ctx, 1)
    await operate(ctx, dut, cases.sample(), "not_loaded")
    after = bench.look(ctx)
    bench.words.change(ctx, None)
    return before, after


async def words_that_fail_let_nothing_out(ctx, bench):
    """The same word again and again: no result and no key until a zeroisation."""
    dut, (cases,) = bench.dut, bench.cases
    await bench.load(ctx, cases)
    bench.words.change(ctx, 77)
    # So many equal words take two operations, if the first one has some already.
    await operate(ctx, dut, cases.sample(), "ok", "random_fault")
    await operate(ctx, dut, cases.sample(), "random_fault")
    assert not ctx.get(dut.result.valid)
    await bench.load(ctx, cases, "random_fault")
    await operate(ctx, dut, cases.sample(), "not_loaded")
    before = bench.look(ctx)
    bench.words.change(ctx, SAME)
    await zeroise(ctx, dut)
    return before, bench.look(ctx)


async def starved(ctx, dut, case):
    """An operation that ends as no random word comes."""
    await command(ctx, dut, case)
    ctx.set(dut.operands.valid, 1)
    await ticks_until(ctx, dut.done)
    ctx.set(dut.operands.valid, 0)
    assert ctx.get(dut.status) == status(dut, "random_starved")
    await ctx.tick()
