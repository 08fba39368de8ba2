"""Modular exponentiation on any Montgomery multiplier: for secret and for public exponents.

Both go from left to right. Fixed windows have a product for each window whatever its digit, so that
the products and their order do not depend on the exponent: a digit 0 multiplies by 1. A public
exponent is known before, and its bits 0 have no product.
"""

from collections.abc import Callable
from typing import TypeVar

T = TypeVar("T")

Product = Callable[[T, T], T]
"""X, Y -> X Y / R modulo p."""


def fixed_window(
    product: Product[T], base: T, square: T, one: T, exponent: int, bits: int, window: int
) -> T:
    """base^exponent modulo p.

    Args:
        product: the Montgomery product.
        base: not in Montgomery form.
        square: R^2 modulo p.
        one: the number 1.
        exponent: of at most ``bits`` bits; it selects entries of the table, nothing else.
        bits: of all exponents.
        window: bits of a digit; the highest digit has what is left.
    """
    unit, first = product(square, one), product(base, square)
    table = [unit, first]
    while len(table) < 1 << window:
        table.append(product(table[-1], first))
    result = product(square, one)
    for place in reversed(range(bits)):
        result = product(result, result)
        if place % window == 0:
            result = product(result, table[exponent >> place & (1 << window) - 1])
    return product(result, one)


def window_products(bits: int, window: int) -> int:
    """Products of `fixed_window`: its table, a square for each bit, one product for each digit."""
    return (1 << window) + 1 + bits + -(-bits // window) + 1


def binary(product: Product[T], base: T, square: T, one: T, exponent: int) -> T:
    """base^exponent modulo p for a public exponent, at least 1; arguments as of `fixed_window`."""
    first = result = product(base, square)
    for bit in f"{exponent:b}"[1:]:
        result = product(result, result)
        if bit == "1":
            result = product(result, first)
    return product(result, one)


def binary_products(exponent: int) -> int:
    """Products of `binary`: both conversions, a square for each bit, one product for each 1."""
    return exponent.bit_length() + exponent.bit_count()
