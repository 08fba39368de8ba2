"""A public exponent as runs of squarings, each of which ends with a product.

Nothing here is constant in time: a run is as long as the zeros of the exponent are many.
"""

from typing import Any

from amaranth.hdl import Cat, Module, Signal
from amaranth.lib.wiring import Component, In, Out

SKIP = 8
"""Bits 0 that are passed in one cycle."""


def exponent_runs(exponent: int) -> list[int]:
    """Squarings before each product, the last one included, for an odd exponent above 1."""
    return [len(zeros) + 1 for zeros in f"{exponent:b}"[1:].split("1")[:-1]]


class PublicExponent(Component):
    """The runs of an odd exponent above 1, from its highest bit down.

    ``word`` is the next word, of ``words`` words, the lowest first, in a cycle in which ``write``
    is set; the words stay until they are written again. ``sound`` tells whether they are such an
    exponent.

    After ``start`` the first run is there, and after ``advance`` the next one, ``longest_wait``
    cycles later at the latest: ``squarings``, less 1, and whether it is the ``last`` one. Both stay
    until the next ``advance``.
    """

    def __init__(self, width: int, words: int) -> None:
        self.width, self.words = width, words
        super().__init__(
            {
                "word": In(width),
                "write": In(1),
                "start": In(1),
                "advance": In(1),
                "sound": Out(1),
                "squarings": Out(range(width * words)),
                "last": Out(1),
            }
        )

    @property
    def longest_wait(self) -> int:
        """Cycles from ``start`` or ``advance`` until a run is there, at most.

        In front of the first run are the bits above the exponent, and its highest one.
        """
        bits = self.width * self.words
        return bits // SKIP + 2 * (SKIP - 1) + 4

    def elaborate(self, platform: Any) -> Module:
        """The exponent, and what is left of it."""
        m = Module()
        bits = self.width * self.words
        exponent, rest = Signal(bits, name="exponent"), Signal(bits, name="rest")
        leads, counts = Signal(name="leads"), Signal(name="counts")
        m.d.comb += [
            self.sound.eq(exponent[0] & exponent[1:].any()),
            self.last.eq(rest == 0),
        ]
        with m.If(self.write):
            m.d.sync += exponent.eq(Cat(exponent, self.word)[self.width :])
        skips = ~rest[-SKIP:].any()
        with m.If(leads | counts):
            with m.If(skips):
                m.d.sync += [rest.eq(rest << SKIP), self.squarings.eq(self.squarings + SKIP)]
            with m.Else():
                m.d.sync += [rest.eq(rest << 1), self.squarings.eq(self.squarings + 1)]
                with m.If(rest[-1]):
                    m.d.sync += [
                        leads.eq(0),
                        counts.eq(leads),
                        self.squarings.eq(self.squarings),
                    ]
                    # The highest bit begins the first run.
                    with m.If(leads):
                        m.d.sync += self.squarings.eq(0)
        with m.If(self.advance):
            m.d.sync += [counts.eq(1), self.squarings.eq(0)]
        with m.If(self.start):
            m.d.sync += [rest.eq(exponent), leads.eq(self.sound), counts.eq(0)]
            m.d.sync += self.squarings.eq(0)
        return m
