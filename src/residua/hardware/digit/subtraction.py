"""Subtraction digit by digit, in one carry chain."""

from amaranth.hdl import C, Cat, Value


def less(number: Value, other: Value, borrow: Value) -> Value:
    """number - other - borrow, for equally long numbers; the highest bit is the borrow left over.

    The borrow enters below the lowest bit, so that there is one adder.
    """
    width = len(number)
    total = Cat(C(1, 1), number) + Cat(~borrow, ~other)
    return Cat(total[1 : width + 1], ~total[width + 1])
