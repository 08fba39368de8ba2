"""Chains of operations on elements modulo P = d M_a^2 - c, which half-bases are made for."""

from dataclasses import dataclass
from typing import Literal

from residua.errors import SpecificationError

Closing = Literal["none", "normalise", "compress"]
"""Way back from K and R of a result to the range of operands: none, |X 1|_P or Compress."""

MOST_PRODUCTS = 8
MOST_TERMS = 64
MOST_BELOW = 1 << 16


@dataclass(frozen=True)
class Chain:
    """A chain of operations, repeated for ever.

    Attributes:
        products: successive products, each of two results of the one before.
        terms: products that each of them sums before its Splits; if ranges are unsigned, a
            subtraction counts as two.
        closing: what follows the products. With ``none`` the chain is not repeated.
        below: operands are at least what is below so many M_a, or half of that in size if ranges
            are signed; what the chain leaves may be more.
        unsigned: K and R are kept non-negative by adding multiples of P, and sigma0 of the first
            extension is 0, as published.

    Raises:
        SpecificationError: something is out of range.
    """

    products: int = 1
    terms: int = 1
    closing: Closing = "compress"
    below: int = 1
    unsigned: bool = False

    def __post_init__(self) -> None:
        for name, value, most in (
            ("products", self.products, MOST_PRODUCTS),
            ("terms", self.terms, MOST_TERMS),
            ("M_a below which operands are", self.below, MOST_BELOW),
        ):
            if not 1 <= value <= most:
                raise SpecificationError(f"a chain has 1 to {most} {name}, not {value}")

    def __str__(self) -> str:
        sums = f"sums of {self.terms} products" if self.terms > 1 else "products"
        rows = f"{self.products} successive {sums}" if self.products > 1 else sums
        ends = {"none": "", "normalise": ", then |X 1|_P", "compress": ", then Compress"}
        return f"{rows}{ends[self.closing]}"
