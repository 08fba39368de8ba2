"""Common part of the designs of inverters."""

from typing import Protocol

from amaranth.lib.wiring import Component


class InverterDesign(Protocol):
    """Design of an inverter on streams of words."""

    @property
    def modulus(self) -> int:
        """P."""

    @property
    def width(self) -> int:
        """Bits of a word."""

    @property
    def words(self) -> int:
        """Words of an operand and of a result."""

    @property
    def fewest(self) -> int:
        """The latency of the fastest inversion."""

    @property
    def longest(self) -> int:
        """The latency that no operand exceeds."""

    @property
    def wake(self) -> int:
        """Cycles from the end of a reset to the first in which a word of an operand is taken."""

    @property
    def pause(self) -> int:
        """Cycles from the last word of a result to the last one of an operand right behind it."""

    @property
    def turns(self) -> int:
        """Places that results stand in by turns."""

    def cycles(self, x: int) -> int | None:
        """The latency of an operand; None if that is not promised."""

    def component(self) -> Component:
        """A new component of the design."""
