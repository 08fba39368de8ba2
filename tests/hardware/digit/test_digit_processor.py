"""The field processor on digits in simulation: every register against the model, every cycle."""

import random

import pytest
from amaranth.hdl import ResetInserter, Signal
from amaranth.sim import Simulator
from tests.small_curves import TINY

from residua.curves.formulas import Formula
from residua.curves.operations.routines import constants
from residua.curves.parameters import curve_from_parameters
from residua.hardware import block_memory
from residua.hardware.coprocessor.digit_design import DigitCoprocessorDesign
from residua.machines.digit_passes import RAW, DigitModel
from residua.numbers.digits import join_digits

CURVE = curve_from_parameters(TINY)
OPTIONS = [(8, 1, None), (17, 1, 2), (8, 2, None), (20, 1, 0)]


def design(digit, lanes, pipeline):
    return DigitCoprocessorDesign([CURVE], [Formula.XZ_LADDER], digit, lanes, pipeline)


class Bench:
    """A processor under test, beside the model."""

    def __init__(self, made):
        self.made, self.unit = made, made.field_unit(8)
        self.store, self.field = made.processor.store, made.field
        self.model = DigitModel(self.store, [constants(CURVE), {}])

    def run(self, process):
        simulator = Simulator(self.unit)
        simulator.add_clock(1e-6)
        simulator.add_testbench(process)
        simulator.run()

    async def cleared(self, ctx):
        edges = aiter(ctx.tick())
        for count in range(5000):
            if not ctx.get(self.unit.clearing):
                return count
            await anext(edges)
        raise AssertionError("it never is clear")

    async def routine(self, ctx, name, *, rounds=1, page=0, gates=None, slow=False):
        """Run a routine; the cycles that it takes and the number that leaves."""
        unit, block = self.unit, self.store.blocks[name]
        assert ctx.get(unit.ready)
        bits = [(gates or {}).get(gate, False) for gate in self.store.gates]
        ctx.set(unit.gates, sum(bit << i for i, bit in enumerate(bits)))
        ctx.set(unit.page, page)
        ctx.set(unit.origin, block.start)
        ctx.set(unit.length, block.length - 1)
        ctx.set(unit.rounds, rounds - 1)
        ctx.set(unit.run, 1)
        await ctx.tick()
        ctx.set(unit.run, 0)
        words, cycles, advanced = [], 1, 0
        emits = any(p.emits for p in self.store.passes[block.start : block.start + block.length])
        edges = aiter(ctx.tick())
        while not ctx.get(unit.ready) or (emits and len(words) < self.field.digits):
            ready = not slow or cycles % 5 == 0
            ctx.set(unit.number.ready, ready)
            if ctx.get(unit.number.valid) and ready:
                words.append(ctx.get(unit.number.payload.word))
                last = ctx.get(unit.number.payload.last)
                assert last == (len(words) == self.field.digits)
            advanced += ctx.get(unit.advance)
            await anext(edges)
            cycles += 1
            assert cycles < 20_000
        ctx.set(unit.number.ready, 0)
        for _ in range(4):
            await ctx.tick()
        return cycles, sum(w << self.field.digit * i for i, w in enumerate(words)), advanced

    async def load(self, ctx, number):
        unit = self.unit
        ctx.set(unit.binary_start, 1)
        await ctx.tick()
        ctx.set(unit.binary_start, 0)
        for index in range(self.made.binary_words):
            word = number >> self.field.digit * index & (1 << self.field.digit) - 1
            ctx.set(unit.binary.payload, word)
            ctx.set(unit.binary.valid, 1)
            await ctx.tick()
            ctx.set(unit.binary.valid, 0)
            await ctx.tick()
        self.model.write(RAW, number)

    async def both(self, ctx, name, **options):
        """The routine in hardware and in the model."""
        found = await self.routine(ctx, name, **options)
        for _ in range(options.get("rounds", 1)):
            self.model.run(name, options.get("page", 0), options.get("gates"))
        return found


@pytest.mark.parametrize("options", OPTIONS, ids=lambda options: f"{options}")
def test_registers_equal_the_model(options):
    """Numbers come in, go through routines, and every element that leaves is the model's."""
    bench = Bench(design(*options))
    draw = random.Random(repr(options))
    steps = set()

    async def process(ctx):
        await bench.cleared(ctx)
        for element in ("x", "m", "l"):
            await bench.load(ctx, draw.getrandbits(17) % CURVE.prime)
            await bench.both(ctx, "load")
            await bench.both(ctx, f"copy_{element}_number")
        await bench.both(ctx, "initial_state")
        for bit in (True, False):
            flags = {"swap": bit, "last": bit, "first_bit": bit, "second_bit": not bit}
            before, _, advanced = await bench.both(ctx, "ladder_step", gates=flags)
            assert advanced == 1
            after, _, advanced = await bench.both(ctx, "ladder_step", gates=flags, rounds=3)
            assert advanced == 3
            steps.add((before, after))
        await bench.both(ctx, "final_select", gates={"last": True})
        for page, element in ((0, "x"), (0, "z0"), (1, "d"), (0, "x")):
            await bench.both(ctx, f"copy_number_{element}", page=page)
            _, number, _ = await bench.both(ctx, "unload", page=page, slow=element == "x")
            assert number == bench.model.emitted.pop()
            assert number < bench.field.moduli[page]

    bench.run(process)
    # Cycles depend on nothing, and each round takes what the schedule says.
    assert len(steps) == 1
    ((one, three),) = steps
    assert three - one == 2 * bench.made.step_cycles(0)


def test_a_reset_wipes_registers_and_multiplier(monkeypatch):
    """All memories hold zeros when it is clear, the multiplier's included, but for p."""
    memories = []

    class Recorded(block_memory.Memory):
        def __init__(self, **options):
            super().__init__(**options)
            memories.append(self.data)

    monkeypatch.setattr(block_memory, "Memory", Recorded)
    bench, wipe = Bench(design(8, 1, None)), Signal()
    unit, digit = bench.unit, bench.field.digit

    def held(ctx):
        found = [[ctx.get(data[row]) for row in range(data.depth)] for data in memories]
        numbers = [join_digits(rows, digit) for rows in found]
        return [number for number in numbers if number not in (0, CURVE.prime)]

    async def process(ctx):
        await bench.cleared(ctx)
        assert not held(ctx)
        await bench.load(ctx, 54321)
        await bench.both(ctx, "load")
        for element in ("x", "m", "l"):
            await bench.both(ctx, f"copy_{element}_number")
        block = bench.store.blocks["initial_state"]
        ctx.set(unit.origin, block.start)
        ctx.set(unit.length, block.length - 1)
        ctx.set(unit.run, 1)
        await ctx.tick()
        ctx.set(unit.run, 0)
        for _ in range(90):
            await ctx.tick()
        # Elements, X, Y, a sum of products and a sum of passes, at least.
        assert len(held(ctx)) >= 4
        ctx.set(wipe, 1)
        await ctx.tick()
        ctx.set(wipe, 0)
        assert await bench.cleared(ctx) > bench.store.registers * bench.field.digits
        assert not held(ctx)
        _, number, _ = await bench.routine(ctx, "unload")
        assert number == 0

    simulator = Simulator(ResetInserter(wipe)(unit))
    simulator.add_clock(1e-6)
    simulator.add_testbench(process)
    simulator.run()
