"""Products of two digits: for DSP blocks, or made of logic by dividing them in two."""

from typing import Any, Literal, get_args

from amaranth.hdl import Cat, Module, Mux, Value
from amaranth.lib.wiring import Component, In, Out

from residua.errors import SpecificationError
from residua.hardware.digit.tiles import TiledSum

ProductKind = Literal["inferred", "tiles", "schoolbook", "karatsuba"]
PRODUCT_KINDS: tuple[ProductKind, ...] = get_args(ProductKind)

_SMALLEST_KARATSUBA = 8
"""Fewest bits for Karatsuba; below, three products and additions are more logic than four."""


class Product(Component):
    """``product`` = ``left`` ``right``, unsigned numbers of ``width`` bits, combinational.

    ``kind`` says what it is made of: ``inferred`` leaves it to synthesis, which takes DSP blocks
    where there are any; ``tiles`` has their parts and sums laid out for DSP48 blocks (`TiledSum`).
    ``schoolbook`` is the report's multiplier (section 4.1, Figures 8 and 9):
    four products of half the width down to 2 bits, whose sums take only the adders that they need.
    ``karatsuba`` has three of half the width.

    Raises:
        SpecificationError: there is no such kind, or logic is to divide a width that is not a power
            of two.
    """

    def __init__(self, width: int, kind: ProductKind = "inferred") -> None:
        check_product(width, kind)
        self.width, self.kind = width, kind
        super().__init__({"left": In(width), "right": In(width), "product": Out(2 * width)})

    def elaborate(self, platform: Any) -> Module:
        """One operator, a table of gates, or parts."""
        m = Module()
        if self.kind == "inferred":
            m.d.comb += self.product.eq(self.left * self.right)
        elif self.kind == "tiles":
            m.submodules.tiles = tiles = TiledSum(self.width)
            m.d.comb += [
                tiles.left_0.eq(self.left),
                tiles.right_0.eq(self.right),
                self.product.eq(tiles.sum),
            ]
        elif self.width == 1:
            m.d.comb += self.product.eq(self.left & self.right)
        elif self.width == 2:
            self._two_bits(m)
        elif self.kind == "karatsuba" and self.width >= _SMALLEST_KARATSUBA:
            self._three_products(m)
        else:
            self._four_products(m)
        return m

    def _two_bits(self, m: Module) -> None:
        """Four gates and two half adders (Figure 9)."""
        (a0, a1), (b0, b1) = self.left, self.right
        first, second, high = a0 & b1, a1 & b0, a1 & b1
        carry = first & second
        m.d.comb += self.product.eq(Cat(a0 & b0, first ^ second, high ^ carry, high & carry))

    def _halves(self) -> tuple[Value, Value, Value, Value]:
        half = self.width // 2
        return self.left[:half], self.left[half:], self.right[:half], self.right[half:]

    def _part(self, m: Module, name: str, left: Value, right: Value) -> Value:
        """A product of half the width."""
        part = Product(self.width // 2, self.kind)
        m.submodules[name] = part
        m.d.comb += [part.left.eq(left), part.right.eq(right)]
        return part.product

    def _four_products(self, m: Module) -> None:
        """Equation 17; the low half of the lowest product is done."""
        half = self.width // 2
        a0, a1, b0, b1 = self._halves()
        low, high = self._part(m, "low", a0, b0), self._part(m, "high", a1, b1)
        middle = self._part(m, "first", a0, b1) + self._part(m, "second", a1, b0)
        upper = (Cat(low[half:], high) + middle)[: 3 * half]
        m.d.comb += self.product.eq(Cat(low[:half], upper))

    def _three_products(self, m: Module) -> None:
        """The middle is (a0 + a1) (b0 + b1) less both others; carries of the sums are apart."""
        half = self.width // 2
        a0, a1, b0, b1 = self._halves()
        low, high = self._part(m, "low", a0, b0), self._part(m, "high", a1, b1)
        left, right = a0 + a1, b0 + b1
        both = self._part(m, "both", left[:half], right[:half])
        carries = Mux(left[half], right[:half], 0) + Mux(right[half], left[:half], 0)
        whole = both + (carries << half) + ((left[half] & right[half]) << 2 * half)
        middle = (whole - (low + high))[: 2 * half + 1]
        upper = (Cat(low[half:], high) + middle)[: 3 * half]
        m.d.comb += self.product.eq(Cat(low[:half], upper))


def check_product(width: int, kind: str) -> None:
    """Refuse what `Product` cannot be.

    Raises:
        SpecificationError: what is wrong, and what would be right.
    """
    if kind not in PRODUCT_KINDS:
        raise SpecificationError(f"multiplier = '{kind}': one of {', '.join(PRODUCT_KINDS)}")
    if width < 1:
        raise SpecificationError(f"a product of {width} bits: at least 1")
    if kind in ("schoolbook", "karatsuba") and width & (width - 1):
        lower = 1 << width.bit_length() - 1
        raise SpecificationError(
            f"multiplier = '{kind}' divides digits in two down to 2 bits, and digit = {width} is "
            f"no power of two: {lower} and {2 * lower} are, or give multiplier = 'inferred'"
        )
