"""Drives a digit multiplier in Amaranth's simulator and measures its cycles."""

import random
from dataclasses import dataclass, field
from itertools import pairwise

from amaranth.sim import Simulator

from residua.numbers.digits import join_digits, split_digits

PATIENCE = 50_000
"""Cycles for all products of a test."""


@dataclass
class Products:
    """Results, and the cycles in which the last words of operands and results were transferred."""

    results: list[int] = field(default_factory=list)
    given: list[int] = field(default_factory=list)
    finished: list[int] = field(default_factory=list)


def edge_pairs(domain, count=3, seed=1):
    """The ends of the operands' ranges, 0, 1, p and its neighbours, and random operands."""
    chooser, p = random.Random(seed), domain.modulus
    ends = [(domain.largest_x, domain.largest_y), (domain.largest_y, domain.largest_y), (0, 0)]
    ends += [(1, p - 1), (p - 1, p - 1), (min(p, domain.largest_x), domain.largest_y)]
    drawn = [
        (chooser.randint(0, domain.largest_x), chooser.randint(0, domain.largest_y))
        for _ in range(count)
    ]
    return ends + drawn


def multiply(component, streams, pairs, moduli=(), pace=(1.0, 1.0), plain=False):
    """The products of these pairs; ``moduli`` are words to load before them.

    With ``plain`` they are plain products of an exponentiator.
    """
    width, words = streams.width, streams.words
    found, chooser = Products(), random.Random(7)
    result = component.result

    async def send(ctx):
        cycle = 0
        await _prepare(ctx, component, moduli, plain)
        for pair in pairs:
            for word in [word for number in pair for word in split_digits(number, words, width)]:
                cycle += await _offer(ctx, component.operands, [word], pace[0], chooser)
            found.given.append(cycle - 1)

    async def receive(ctx):
        taken = []
        cycles = aiter(
            ctx.tick().sample(result.valid & result.ready, result.payload.word, result.payload.last)
        )
        for cycle in range(PATIENCE):
            ctx.set(component.result.ready, chooser.random() < pace[1])
            _, _, there, word, last = await anext(cycles)
            if not there:
                continue
            taken.append(word)
            assert last == (len(taken) == words)
            if last:
                found.results.append(join_digits(taken, width))
                found.finished.append(cycle)
                taken = []
            if len(found.results) == len(pairs):
                return

    simulator = Simulator(component)
    simulator.add_clock(1e-6)
    simulator.add_testbench(send)
    simulator.add_testbench(receive)
    simulator.run()
    assert len(found.results) == len(pairs)
    return found


async def _prepare(ctx, component, moduli, plain):
    """Load a modulus, if there is one, and ask for what there is to be asked for."""
    if plain:
        ctx.set(component.plain, 1)
    if moduli:
        await _offer(ctx, component.modulus, moduli)


async def _offer(ctx, stream, words, pace=1.0, chooser=None):
    """Give some words; the cycles that it took."""
    passed, cycles = 0, aiter(ctx.tick().sample(stream.ready))
    for word in words:
        while chooser and chooser.random() >= pace:
            await anext(cycles)
            passed += 1
        ctx.set(stream.valid, 1)
        ctx.set(stream.payload, word)
        ready = False
        while not ready:
            _, _, ready = await anext(cycles)
            passed += 1
            assert passed < PATIENCE
    ctx.set(stream.valid, 0)
    return passed


def check_products(component, design, domain, pairs, moduli=()):
    """All products are right, and take the cycles that the design says."""
    found = multiply(component, design.streams, pairs, moduli)
    assert found.results == [domain.product(x, y) for x, y in pairs]
    if not moduli:
        assert found.finished[0] - found.given[0] == design.latency
        gaps = {b - a for a, b in pairwise(found.finished[1:])}
        assert gaps == {design.interval}
