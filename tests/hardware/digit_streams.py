"""Drives a digit multiplier in Amaranth's simulator and measures its cycles."""

import random
from itertools import pairwise

from tests.hardware.streams import pass_through
from tests.hardware.traffic import sender

from residua.numbers.digits import split_digits


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

    With ``plain`` they are plain products of an exponentiator. ``taken`` of what comes back has the
    cycles in which the last words of operands were transferred.
    """
    width, words = streams.width, streams.words
    split = [[w for number in pair for w in split_digits(number, words, width)] for pair in pairs]

    async def prepare(ctx):
        if plain:
            ctx.set(component.plain, 1)
        if moduli:
            await sender(component.modulus, moduli)(ctx)

    found = pass_through(
        component,
        component.operands,
        component.result,
        [word for own in split for word in own],
        width,
        len(pairs),
        pace,
        prepare,
    )
    assert set(found.lengths) == {words}
    found.taken = found.taken[len(split[0]) - 1 :: len(split[0])]
    return found


def check_products(component, design, domain, pairs, moduli=()):
    """All products are right, and take the cycles that the design says."""
    found = multiply(component, design.streams, pairs, moduli)
    assert found.results == [domain.product(x, y) for x, y in pairs]
    if not moduli:
        assert found.finished[0] - found.taken[0] == design.latency
        gaps = {b - a for a, b in pairwise(found.finished[1:])}
        assert gaps == {design.interval}
