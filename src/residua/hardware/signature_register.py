"""A register that sums up what happens: two histories that differ leave different values in it.

It is shifted with feedback by a primitive polynomial, and each event's word is added, so that a
wrong, a missing and an additional event all change it, and every later value; several of them
cancel with a chance of 2^-16.
"""

from collections.abc import Sequence

from amaranth.hdl import Cat, Module, Signal, Value
from amaranth.lib.wiring import In, Out

WIDTH = 16
"""Bits of the register."""

TRACE_PORTS = {"trace": Out(WIDTH), "trace_clear": In(1)}
"""Ports of what sums up the addresses that it runs through, from a clearing on."""

_FEEDBACK = 0x100B
"""x^16 = x^12 + x^3 + x + 1, a primitive polynomial."""

_MASK = (1 << WIDTH) - 1


def step(value: int, word: int) -> int:
    """The register after an event whose word has at most `WIDTH` bits."""
    return (value << 1 & _MASK) ^ (_FEEDBACK if value >> WIDTH - 1 else 0) ^ word


def repeated(value: int, words: Sequence[int], rounds: int) -> int:
    """The register after so many rounds of the same events."""
    # A round multiplies what it finds by a power of x and adds the same to it, as two of them do.
    factor, added = 1, 0
    for word in words:
        factor, added = step(factor, 0), step(added, word)
    while rounds:
        if rounds & 1:
            value = _product(value, factor) ^ added
        factor, added = _product(factor, factor), _product(added, factor) ^ added
        rounds >>= 1
    return value


def _product(left: int, right: int) -> int:
    """The product of two values of the register as polynomials."""
    result = 0
    for place in reversed(range(WIDTH)):
        result = step(result, left if right >> place & 1 else 0)
    return result


def folded(word: int) -> int:
    """A long word as one of `WIDTH` bits, which each of its bits changes."""
    result = 0
    while word:
        result ^= word & _MASK
        word >>= WIDTH
    return result


def record(m: Module, register: Signal, word: Value, event: Value, clear: Value) -> None:
    """Add the `folded` word to the register when there is an event; ``clear`` sets it to 0."""
    parts = [word[start : start + WIDTH] for start in range(0, len(word), WIDTH)]
    total: Value = Cat(0, register[:-1]) ^ register[-1].replicate(WIDTH) & _FEEDBACK
    for part in parts:
        total ^= part
    with m.If(clear):
        m.d.sync += register.eq(0)
    with m.Elif(event):
        m.d.sync += register.eq(total)
