"""The operations of algorithms on digits, without saying what a digit is.

An algorithm of this family is a function of `DigitOperations` and sizes. Who carries the operations
out decides what comes out (`residua.machines.digits`): integers, numbers of operations, or ranges.
Nothing an algorithm does depends on a digit's value: what is conditional is a selection.
"""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Generic, TypeVar

V = TypeVar("V")
"""Stand-in for an integer: the integer itself, its range, or nothing."""


class DigitOperations(ABC, Generic[V]):
    """Operations on integers for an algorithm; k is the size of its digits in bits."""

    @abstractmethod
    def digits(self, name: str, count: int, bits: int) -> list[V]:
        """An input in ``count`` digits of ``bits`` bits, the lowest first."""

    @abstractmethod
    def constant(self, value: int) -> V:
        """An integer that is known when hardware is built."""

    @abstractmethod
    def product(self, x: V, y: V, *, digits: int = 1) -> V:
        """X Y, as ``digits`` products of k by k bits."""

    @abstractmethod
    def add(self, *terms: V) -> V:
        """The sum of two or more."""

    @abstractmethod
    def subtract(self, x: V, y: V) -> V:
        """X - Y."""

    @abstractmethod
    def low(self, value: V, bits: int) -> V:
        """The value modulo 2^bits; wiring."""

    @abstractmethod
    def high(self, value: V, bits: int) -> V:
        """The value without its lowest bits, floor(value / 2^bits); wiring."""

    @abstractmethod
    def join(self, high: V, low: V, bits: int) -> V:
        """high 2^bits + low, for a low part of so many bits; wiring."""

    @abstractmethod
    def choose(self, bit: V, yes: V, no: V) -> V:
        """``yes`` where the bit is 1, else ``no``."""

    @abstractmethod
    def keep(self, name: str, value: V, bits: int, *, signed: bool = False) -> V:
        """The value, as it is kept in a register called ``name``.

        Raises:
            SpecificationError: it does not fit into so many bits.
        """

    @abstractmethod
    def step(self) -> None:
        """A pass through the innermost loop begins."""


def subtract_once(ops: DigitOperations[V], a: Sequence[V], p: Sequence[V], bits: int) -> list[V]:
    """A - p if A is not below p, else A, digit by digit; A < 2 p.

    Args:
        ops: who carries it out.
        a: the digits of A, at least as many as p has; the last one may be longer than ``bits``.
        p: the digits of p.
        bits: of a digit.
    """
    borrow = ops.constant(0)
    differences: list[V] = []
    for index, own in enumerate(a):
        taken = ops.add(p[index], borrow) if index < len(p) else borrow
        difference = ops.subtract(own, taken)
        differences.append(ops.low(difference, bits))
        borrow = ops.keep("borrow", ops.low(ops.high(difference, bits), 1), 1)
    pairs = zip(a[: len(p)], differences, strict=False)
    return [ops.choose(borrow, own, difference) for own, difference in pairs]
