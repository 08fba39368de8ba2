"""Values of RTLIL, put together from chunks, against lists of their bits."""

import random
from itertools import pairwise

from residua.verilog.rtlil import (
    Bits,
    Chunk,
    Slice,
    Spec,
    cut,
    from_bits,
    joined,
    resize,
    spec_bits,
    spec_width,
)


def random_value(chooser: random.Random) -> Spec:
    """Chunks, some of them neighbours of two wires, some empty constants."""
    chunks: list[Chunk] = []
    for _ in range(chooser.randrange(6)):
        if chooser.random() < 0.4:
            chunks.append(Bits("".join(chooser.choices("01x", k=chooser.randrange(4)))))
            continue
        last = chunks[-1] if chunks else None
        if isinstance(last, Slice) and last.low and chooser.random() < 0.6:
            wire, high = last.wire, last.low - 1
        else:
            wire, high = chooser.choice("ab"), chooser.randrange(9)
        chunks.append(Slice(wire, high, chooser.randint(max(0, high - 3), high)))
    return tuple(chunks)


VALUES = [random_value(random.Random(seed)) for seed in range(200)]


def test_joined_has_the_same_bits_in_the_fewest_chunks() -> None:
    for value in VALUES:
        bits, shortest = spec_bits(value), joined(value)
        assert spec_bits(shortest) == bits
        assert from_bits(bits) == shortest
        borders = sum(not _neighbours(low, high) for low, high in pairwise(bits))
        assert len(shortest) == (borders + 1 if bits else 0)


def _neighbours(low: Chunk, high: Chunk) -> bool:
    if isinstance(low, Slice) and isinstance(high, Slice):
        return low.wire == high.wire and low.high + 1 == high.low
    return isinstance(low, Bits) and isinstance(high, Bits)


def test_cut_has_the_bits_of_its_range() -> None:
    for value in VALUES:
        bits = spec_bits(value)
        for low in range(len(bits) + 2):
            for width in range(len(bits) + 2):
                assert cut(value, low, width) == from_bits(bits[low : low + width])


def test_resize_extends_by_the_top_bit_or_zeros() -> None:
    for value in VALUES:
        bits = spec_bits(value)
        for width in range(len(bits) + 4):
            for signed in (False, True):
                fill = bits[-1] if signed and bits else Bits("0")
                found = resize(value, width, signed=signed)
                assert spec_width(found) == width
                assert found == from_bits((bits + [fill] * width)[:width])
