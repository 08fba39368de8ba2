"""Testbenches for the ends of streams, with random stalls, and a clock that stops runaways."""

import gc
import random
import warnings

import pytest
from amaranth.hdl import Fragment, UnusedElaboratable
from amaranth.sim import Simulator

from residua.errors import SpecificationError

LIMIT = 40_000
"""Cycles after which a simulation has gone wrong."""

PERIOD = 1e-6
"""Seconds in a cycle."""


def sender(stream, payloads, pace=1.0, seed=1, taken=None):
    """Sends ``payloads``; notes in ``taken`` in which cycles they were taken."""

    async def bench(ctx):
        generator, cycle, offered = random.Random(seed), 0, None
        valid, word = stream.valid, stream.payload
        cycles = aiter(ctx.tick().sample(valid & stream.ready))
        for payload in payloads:
            moved = False
            ctx.set(word, payload)
            while not moved:
                if (offers := generator.random() < pace) is not offered:
                    ctx.set(valid, offered := offers)
                _, _, moved = await anext(cycles)
                cycle += 1
            if taken is not None:
                taken.append(cycle - 1)
        ctx.set(valid, 0)

    return bench


def receiver(stream, found, pace=1.0, seed=2, cycles=None):
    """Appends to ``found`` all that comes, to ``cycles`` when it comes."""

    async def bench(ctx):
        generator, cycle, ready = random.Random(seed), 0, stream.ready
        ctx.set(ready, takes := generator.random() < pace)
        sampled = ctx.tick().sample(stream.valid & ready, stream.payload)
        async for _, _, moved, payload in sampled:
            before, takes = takes, generator.random() < pace
            if takes is not before:
                ctx.set(ready, takes)
            if moved:
                found.append(payload)
                if cycles is not None:
                    cycles.append(cycle)
            cycle += 1

    return bench


def simulate(component, main, *others):
    """Run ``main`` to its end, with ``others`` beside it."""

    async def watchdog(ctx):
        await ctx.delay(LIMIT * PERIOD)
        raise TimeoutError(f"not finished after {LIMIT} cycles")

    simulator = Simulator(component)
    simulator.add_clock(PERIOD)
    simulator.add_testbench(main)
    for other in (*others, watchdog):
        simulator.add_testbench(other, background=True)
    simulator.run()


async def ticks_until(ctx, signal, most=LIMIT):
    """Clock edges until ``signal`` is set; it is set in the cycle in which this returns."""
    count, cycles = 0, aiter(ctx.tick())
    while not ctx.get(signal):
        await anext(cycles)
        count += 1
        assert count < most, f"{signal.name} does not come"
    return count


async def ticks(ctx, count):
    """Let ``count`` cycles pass, and all testbenches see the last one."""
    cycles = aiter(ctx.tick())
    for _ in range(count):
        await anext(cycles)
    await ctx.delay(1e-9)


async def pulse(ctx, signal):
    """Set ``signal`` for one cycle."""
    ctx.set(signal, 1)
    await ctx.tick()
    ctx.set(signal, 0)


def choose(ctx, component, select):
    """Set ``select``, a port that is not there without a choice."""
    if hasattr(component, "select"):
        ctx.set(component.select, select)
    else:
        assert select == 0


def assert_refused(make, message):
    """``make`` raises; the component that it did not complete goes without a warning."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UnusedElaboratable)
        with pytest.raises(SpecificationError, match=message):
            make()
        gc.collect()


class Opened:
    """A component as a fragment to simulate, the memory ``words`` and registers of which show."""

    def __init__(self, component, registers=()):
        self.fragment = Fragment.get(component, None)
        (memory,) = (part for part, name, _ in self.fragment.subfragments if name == "words")
        self.rows = [memory._data[row] for row in range(memory._data.depth)]
        statements = self.fragment.statements["sync"]
        driven = {id(signal): signal for s in statements for signal in s._lhs_signals()}
        self.registers = [signal for signal in driven.values() if signal.name in registers]
        assert len(self.registers) == len(registers)
