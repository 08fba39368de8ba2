"""Curves as drivers see them."""

import re
from dataclasses import dataclass
from typing import Literal

from residua.curves.parameters import Curve, MontgomeryCurve
from residua.errors import SpecificationError


@dataclass(frozen=True)
class DriverCurve:
    """A curve of a coprocessor, by the numbers that a driver needs.

    Args:
        name: how people call it; printable ASCII without quotes and backslashes.
        form: its equation.
        prime: modulus of the field.
        order: order of the generator.
        cofactor: order of the group, divided by ``order``; a power of two on a Montgomery curve.
        x: of the generator (u on a Montgomery curve).
        y: of the generator; not used on a Montgomery curve.

    Raises:
        SpecificationError: such a name, or a cofactor of a Montgomery curve that is no power of
            two.
    """

    name: str
    form: Literal["weierstrass", "montgomery"]
    prime: int
    order: int
    cofactor: int
    x: int
    y: int = 0

    def __post_init__(self) -> None:
        if not re.fullmatch(r"[ -~]*\w[ -~]*", self.name, re.ASCII) or set(self.name) & {'"', "\\"}:
            raise SpecificationError(
                f"curve name {self.name!r}: give letters, digits and what is in ASCII besides, "
                "without quotes and backslashes"
            )
        if self.montgomery and self.cofactor.bit_count() != 1:
            raise SpecificationError(
                f"curve '{self.name}': cofactor = {self.cofactor}, and scalars of Montgomery "
                "curves are multiples of a power of two: give 1, 2, 4, 8 ..."
            )

    @classmethod
    def of(cls, curve: Curve) -> "DriverCurve":
        """Collect the facts about a curve that a driver needs."""
        return cls(
            name=curve.name,
            form="montgomery" if isinstance(curve, MontgomeryCurve) else "weierstrass",
            prime=curve.prime,
            order=curve.order,
            cofactor=curve.cofactor,
            x=curve.x,
            y=curve.y,
        )

    @property
    def montgomery(self) -> bool:
        """Whether points are given by u alone, in the manner of RFC 7748."""
        return self.form == "montgomery"

    @property
    def identifier(self) -> str:
        """The name in capital letters, digits and underscores."""
        return re.sub(r"[^A-Za-z0-9]+", "_", self.name).upper()

    @property
    def field_bits(self) -> int:
        """Bits of a coordinate."""
        return self.prime.bit_length()

    @property
    def order_bits(self) -> int:
        """Bits of a number modulo the order."""
        return self.order.bit_length()

    @property
    def field_size(self) -> int:
        """Bytes of a coordinate."""
        return -(-self.field_bits // 8)

    @property
    def order_size(self) -> int:
        """Bytes of a number modulo the order."""
        return -(-self.order_bits // 8)

    @property
    def point_size(self) -> int:
        """Bytes of a point: 04 || x || y, or u."""
        return self.field_size if self.montgomery else 1 + 2 * self.field_size

    @property
    def cofactor_bits(self) -> int:
        """Low bits of a Montgomery curve's scalars that are zero."""
        return self.cofactor.bit_length() - 1

    @property
    def byte_order(self) -> Literal["big", "little"]:
        """Byte order of strings: big-endian by SEC 1, little-endian by RFC 7748."""
        return "little" if self.montgomery else "big"

    def clamped(self, scalar: int) -> int:
        """The multiple of the cofactor that a Montgomery curve takes for a scalar.

        Source: RFC 7748, section 5, with the curve's own cofactor and bits.
        """
        top = 1 << (self.field_bits - 1)
        return (scalar % top | top) >> self.cofactor_bits << self.cofactor_bits
