"""The parameters of a curve: short Weierstrass or Montgomery form, their checks, their table.

A curve is its equation over a prime field, a base point and what generates: the prime order of the
base point and the cofactor, the number of points divided by that order.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, Any, ClassVar, Literal

import gmpy2
from pydantic import BaseModel, BeforeValidator, ConfigDict, ValidationError

from residua.curves.affine import is_on_curve, multiply, right_side
from residua.errors import SpecificationError
from residua.numbers.primes.square_root import square_root

SMALLEST_PRIME = 5
"""Neither form exists in this shape for characteristic 2 or 3."""

NAME = re.compile(r"[A-Za-z][A-Za-z0-9_.-]{0,31}")
"""Names of curves: what can be shown, and stand in a file's name."""


@dataclass(frozen=True)
class _Parameters:
    """Parameters of a curve of either form.

    Attributes:
        name: for messages and documents.
        prime: of the field, above 3.
        a: coefficient, in [0, prime).
        b: coefficient, in [0, prime).
        x: of the base point, in [0, prime); called u on Montgomery curves.
        y: of the base point, in [0, prime); called v on Montgomery curves.
        order: of the base point, a prime.
        cofactor: the number of points of the curve divided by `order`.
    """

    name: str
    prime: int
    a: int
    b: int
    x: int
    y: int
    order: int
    cofactor: int

    @property
    def field_bits(self) -> int:
        """Bits of the prime."""
        return self.prime.bit_length()

    @property
    def order_bits(self) -> int:
        """Bits of the base point's order."""
        return self.order.bit_length()

    @property
    def base_point(self) -> tuple[int, int]:
        """The affine coordinates of the base point."""
        return self.x, self.y


@dataclass(frozen=True)
class WeierstrassCurve(_Parameters):
    """y^2 = x^3 + a x + b."""

    form: ClassVar[str] = "weierstrass"

    @property
    def coefficients(self) -> tuple[int, int, int, int]:
        """Coefficients in the order of `residua.curves.affine.Cubic`."""
        return 1, 0, self.a, self.b

    @property
    def has_a_minus_3(self) -> bool:
        """Whether a = -3 modulo the prime, for which doubling is cheaper."""
        return (self.a + 3) % self.prime == 0


@dataclass(frozen=True)
class MontgomeryCurve(_Parameters):
    """b y^2 = x^3 + a x^2 + x."""

    form: ClassVar[str] = "montgomery"

    @property
    def coefficients(self) -> tuple[int, int, int, int]:
        """Coefficients in the order of `residua.curves.affine.Cubic`."""
        return self.b, self.a, 1, 0


Curve = WeierstrassCurve | MontgomeryCurve


def check_curve(curve: Curve) -> None:
    """Refuse parameters that are not those of a curve with a base point of prime order.

    The cofactor is proved, not believed: `order` must exceed 4 sqrt(prime), so that only one
    multiple of it lies in the Hasse interval of possible numbers of points.

    Raises:
        SpecificationError: the first fault: which key it is in, and what would be right.
    """
    _check_field(curve)
    _check_equation(curve)
    _check_base_point(curve)
    _check_order(curve)
    _check_cofactor(curve)


def _fault(curve: Curve, key: str, reason: str) -> SpecificationError:
    where = f"{key} = {_shown(getattr(curve, key))}"
    return SpecificationError(f"curve {curve.name!r}: {where}: {reason}")


def _check_field(curve: Curve) -> None:
    p = curve.prime
    if p < SMALLEST_PRIME:
        raise _fault(curve, "prime", f"too small: the prime must be at least {SMALLEST_PRIME}")
    if p % 2 == 0:
        raise _fault(curve, "prime", "even: the field needs an odd prime")
    if not gmpy2.is_prime(p):
        raise _fault(curve, "prime", "composite: the field needs a prime")


def _check_range(curve: Curve, *keys: str) -> None:
    highest = curve.prime - 1
    for key in keys:
        if not 0 <= getattr(curve, key) <= highest:
            raise _fault(curve, key, f"out of range: it must be 0 to prime - 1 = {_shown(highest)}")


def _check_equation(curve: Curve) -> None:
    p, a, b = curve.prime, curve.a, curve.b
    _check_range(curve, "a", "b")
    if isinstance(curve, WeierstrassCurve):
        if (4 * a**3 + 27 * b**2) % p == 0:
            raise _fault(
                curve,
                "b",
                "with this a the curve is singular: 4 a^3 + 27 b^2 must not be 0 modulo the prime",
            )
    elif b == 0:
        raise _fault(curve, "b", "the curve is singular: b must not be 0")
    elif (a * a - 4) % p == 0:
        raise _fault(curve, "a", "the curve is singular: a must be neither 2 nor -2")


def _check_base_point(curve: Curve) -> None:
    _check_range(curve, "x", "y")
    if is_on_curve(curve, curve.base_point):
        return
    p = curve.prime
    scale = curve.coefficients[0]
    root = square_root(right_side(curve, curve.x) * int(gmpy2.invert(scale, p)) % p, p)
    if root is None:
        raise _fault(
            curve, "x", "the base point is not on the curve: with this a and b no point has this x"
        )
    roots = sorted({root, -root % p})
    raise _fault(
        curve,
        "y",
        "the base point is not on the curve: with this x, y must be "
        + " or ".join(map(_shown, roots)),
    )


def _check_order(curve: Curve) -> None:
    order = curve.order
    if order < 2 or not gmpy2.is_prime(order):
        raise _fault(
            curve,
            "order",
            "not a prime: it must be the order of the base point, a prime; "
            "the other factors of the number of points are the cofactor",
        )
    least = int(gmpy2.isqrt(16 * curve.prime)) + 1
    if order < least:
        raise _fault(
            curve, "order", f"too small: it must exceed 4 sqrt(prime), be at least {_shown(least)}"
        )
    if multiply(curve, order, curve.base_point) is not None:
        raise _fault(
            curve,
            "order",
            "not the order of the base point: order times the point (x, y) must be neutral",
        )


def _check_cofactor(curve: Curve) -> None:
    if curve.cofactor < 1:
        raise _fault(curve, "cofactor", "too small: the cofactor must be at least 1")
    # The base point has this order, so a multiple of it is the number of points; just one fits.
    right = (curve.prime + 1 + int(gmpy2.isqrt(4 * curve.prime))) // curve.order
    if curve.cofactor != right:
        raise _fault(
            curve,
            "cofactor",
            f"cofactor times order must be the number of points, within 2 sqrt(prime) of prime + 1:"
            f" the cofactor must be {_shown(right)}",
        )


def _number(value: object) -> int:
    if isinstance(value, int) and not isinstance(value, bool):
        return value
    if isinstance(value, str):
        text = value.strip()
        if re.fullmatch(r"[+-]?0[xX](_?[0-9a-fA-F])+", text, re.ASCII):
            return int(text, 16)
        if re.fullmatch(r"[+-]?[0-9](_?[0-9])*", text, re.ASCII):
            # Python's own conversion refuses more than 4300 digits.
            return int(gmpy2.mpz(text.lstrip("+").replace("_", "")))
    raise ValueError("expected an integer, or a text with a decimal or 0x hexadecimal number")


def _name(value: object) -> str:
    if isinstance(value, str) and NAME.fullmatch(value):
        return value
    raise ValueError("expected a letter, then up to 31 letters, digits and _ . -")


_Number = Annotated[int, BeforeValidator(_number)]


class _Table(BaseModel):
    """The keys of a curve in a specification, before they are checked against each other."""

    model_config = ConfigDict(extra="forbid", frozen=True, defer_build=True)

    form: Literal["weierstrass", "montgomery"]
    name: Annotated[str, BeforeValidator(_name)]
    prime: _Number
    a: _Number
    b: _Number
    x: _Number
    y: _Number
    order: _Number
    cofactor: _Number


def curve_from_parameters(parameters: Mapping[str, Any], source: str = "") -> Curve:
    """The checked curve of a table with the keys form, name, prime, a, b, x, y, order, cofactor.

    Numbers are integers, or texts in decimal or, after 0x, hexadecimal. Negative a and b stand for
    their values modulo the prime: a = -3.

    Args:
        parameters: the table. ``form`` is "weierstrass" or "montgomery".
        source: what messages begin with, such as the file's name and a colon.

    Raises:
        SpecificationError: everything that is wrong with the keys or, if they are right, what
            `check_curve` says.
    """
    try:
        table = _Table.model_validate(dict(parameters))
    except ValidationError as error:
        faults = "; ".join(_table_fault(dict(item)) for item in error.errors())
        raise SpecificationError(f"{source}curve parameters: {faults}") from None
    numbers = table.model_dump(exclude={"form"})
    for key in ("a", "b"):
        if -table.prime < numbers[key] < 0:
            numbers[key] += table.prime
    kind = WeierstrassCurve if table.form == "weierstrass" else MontgomeryCurve
    curve = kind(**numbers)
    try:
        check_curve(curve)
    except SpecificationError as error:
        raise SpecificationError(f"{source}{error}") from None
    return curve


def parameters_of(curve: Curve) -> dict[str, str | int]:
    """The table of a curve, from which `curve_from_parameters` makes it again."""
    numbers = {key: f"{getattr(curve, key):#x}" for key in ("prime", "a", "b", "x", "y", "order")}
    return {"form": curve.form, "name": curve.name, **numbers, "cofactor": curve.cofactor}


_MEANINGS = {
    "form": '"weierstrass" (y^2 = x^3 + a x + b) or "montgomery" (b y^2 = x^3 + a x^2 + x)',
    "name": "what to call the curve",
    "prime": "the prime of the field",
    "a": "a coefficient of the equation",
    "b": "a coefficient of the equation",
    "x": "the first coordinate of the base point",
    "y": "the second coordinate of the base point",
    "order": "the prime order of the base point",
    "cofactor": "the number of points of the curve divided by the order",
}


def _table_fault(error: Mapping[str, Any]) -> str:
    key = str(error["loc"][0])
    if error["type"] == "extra_forbidden":
        return f"unknown key '{key}': the keys are {', '.join(_MEANINGS)}"
    if error["type"] == "missing":
        return f"{key} is missing: {_MEANINGS[key]}"
    if key == "form":
        return f"form = {_shown(error['input'])}: expected {_MEANINGS['form']}"
    return f"{key} = {_shown(error['input'])}: {error['ctx']['error']} ({_MEANINGS[key]})"


def _shown(value: object) -> str:
    long = isinstance(value, int) and abs(value) >= 1 << 16
    text = f"{value:#x}" if long else repr(value)
    return text if len(text) <= 40 else f"{text[:18]}...{text[-16:]}"
