"""Digit recoder: the signed digits of `residua.curves.fixed_window`, from a scalar's bits."""

from collections.abc import Sequence
from typing import Any

from amaranth.hdl import Array, Cat, Module, Mux, Signal
from amaranth.lib.wiring import Component, In, Out

from residua.curves.fixed_window import DIGITS, ENTRIES, NONE_OR_ONE, POSITIVE, WINDOW
from residua.errors import SpecificationError
from residua.hardware.constant_table import selector
from residua.hardware.coprocessor.scalars.unit import BIT_LATENCY

DIGIT_LATENCY = 3 + (WINDOW - 1) * BIT_LATENCY
"""Cycles from a request for the next digit to its flags."""

DIGITS_AHEAD = 1
"""Digits that are asked for after the last one: each step asks for the next."""

FLAGS = (*DIGITS, NONE_OR_ONE, POSITIVE)
"""The flags of a digit, in the order of `DigitRecoder.flags`."""


class DigitRecoder(Component):
    """Takes the bits of a scalar, the highest first, and tells its digits, one after another.

    ``counts`` are the bits of a scalar on each curve, multiples of `WINDOW`; 0 for a curve whose
    formula takes bits, not digits.

    ``start``, when the highest bit is valid, takes the index of the curve from ``select`` (a port
    that is only there if there are several). If that curve takes digits and ``plain`` is not set,
    ``active`` is set from then on, until a reset or another start. The first digit is the highest
    bit alone, 0 or 1; ``take`` asks for the next, which is valid `DIGIT_LATENCY` cycles later and
    has `WINDOW` bits more. Nothing may be asked for sooner. ``advance`` asks for the next bit,
    which has to be valid `BIT_LATENCY` cycles later at ``bit``. Below the lowest bit there are
    zeros.

    Raises:
        SpecificationError: the bits do not make whole digits.
    """

    def __init__(self, counts: Sequence[int]) -> None:
        for count in counts:
            if count < 0 or count % WINDOW:
                raise SpecificationError(
                    f"{count} bits do not make digits of {WINDOW} bits; take a multiple"
                )
        self.counts = tuple(counts)
        super().__init__(
            {
                "start": In(1),
                **selector(len(self.counts)),
                "plain": In(1),
                "take": In(1),
                "active": Out(1),
                "bit": In(1),
                "advance": Out(1),
                "flags": Out(len(FLAGS)),
            }
        )

    def elaborate(self, platform: Any) -> Module:
        """A shift register of the digit's bits and the one below, and what counts them."""
        m = Module()
        bits = Signal(WINDOW + 1)
        remaining = Signal(range(max(self.counts) + 1))
        pending = Signal(range(WINDOW + 1))
        delay = Signal(range(BIT_LATENCY))
        count = Array(self.counts)[self.select if len(self.counts) > 1 else 0]
        m.d.comb += self.advance.eq((pending != 0) & (delay == 0))
        with m.If(self.advance):
            m.d.sync += [
                bits.eq(Cat(self.bit & (remaining != 0), bits)),
                remaining.eq(remaining - (remaining != 0)),
                pending.eq(pending - 1),
                delay.eq(BIT_LATENCY - 1),
            ]
        with m.Elif(delay != 0):
            m.d.sync += delay.eq(delay - 1)
        with m.If(self.start):
            chosen = Mux(self.plain, 0, count)
            m.d.sync += [
                self.active.eq(chosen != 0),
                remaining.eq(chosen),
                pending.eq(chosen != 0),
                delay.eq(0),
                bits.eq(0),
            ]
        with m.Elif(self.take & self.active):
            m.d.sync += pending.eq(WINDOW)
        # The digit is -2^(WINDOW - 1) negative + the bits below + the last one.
        negative = bits[-1]
        size = (bits[1:-1] ^ negative.replicate(WINDOW - 1)) + (bits[0] ^ negative)
        named = {flag: size == entry for entry, flag in enumerate(DIGITS, start=1)}
        named |= {NONE_OR_ONE: size <= 1, POSITIVE: ~negative}
        assert len(DIGITS) == ENTRIES
        m.d.sync += self.flags.eq(Cat(named[flag] for flag in FLAGS))
        return m
