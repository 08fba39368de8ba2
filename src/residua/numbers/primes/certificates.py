"""Certificates of primality and their check, by plain integers and the textbook group law.

Nothing here knows how a certificate was found.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from math import gcd, isqrt
from typing import Any

from residua.errors import SpecificationError

SETTLED = 1 << 32
"""Bound below which trial division settles a prime."""

_KEYS = ("n", "a", "b", "x", "y", "m", "q")

Point = tuple[int, int] | None


@dataclass(frozen=True)
class Step:
    """n is prime if q is: (x, y) on y^2 = x^3 + a x + b has the order q, times a divisor of m/q.

    q is above (n^(1/4) + 1)^2 and divides m.
    """

    n: int
    a: int
    b: int
    x: int
    y: int
    m: int
    q: int


@dataclass(frozen=True)
class Certificate:
    """``number`` is prime, by ``steps`` from n = ``number`` down to a q below 2^32."""

    number: int
    steps: tuple[Step, ...]

    def table(self) -> dict[str, Any]:
        """The certificate as JSON has it, numbers in hexadecimal."""
        steps = [{key: f"{getattr(step, key):#x}" for key in _KEYS} for step in self.steps]
        return {"number": f"{self.number:#x}", "steps": steps}

    @classmethod
    def of_table(cls, table: Mapping[str, Any]) -> "Certificate":
        """Read a certificate that `table` gave.

        Raises:
            SpecificationError: it is no such table.
        """
        try:
            steps = [Step(**{key: int(step[key], 16) for key in _KEYS}) for step in table["steps"]]
            return cls(int(table["number"], 16), tuple(steps))
        except (KeyError, TypeError, ValueError) as error:
            raise SpecificationError(
                "no certificate: it needs a number, and steps of n, a, b, x, y, m and q, "
                "all in hexadecimal"
            ) from error


def check(certificate: Certificate) -> None:
    """Accept a certificate that proves its number.

    Raises:
        SpecificationError: which step proves nothing, and why.
    """
    expected = certificate.number
    for index, step in enumerate(certificate.steps):
        where = f"step {index + 1} of the certificate"
        if step.n != expected:
            raise SpecificationError(f"{where} is about {step.n:#x}, not {expected:#x}")
        fault = _fault(step)
        if fault:
            raise SpecificationError(f"{where} proves nothing: {fault}")
        expected = step.q
    if expected >= SETTLED:
        raise SpecificationError(f"the certificate leaves {expected:#x} open, 2^32 or more")
    if not _is_small_prime(expected):
        raise SpecificationError(f"the certificate ends with {expected}, which is composite")


def _is_small_prime(number: int) -> bool:
    return number > 1 and all(number % factor for factor in range(2, isqrt(number) + 1))


def _fault(step: Step) -> str | None:
    """Why a step proves nothing, None if it does."""
    n = step.n
    if n < 5:
        return "n is below 5"
    # q > (n^(1/4) + 1)^2 in integers: a little more than that is demanded.
    least = (isqrt(isqrt(n)) + 2) ** 2 + 1
    equation = step.y**2 - step.x**3 - step.a * step.x - step.b
    faults = {
        "n has the factor 2 or 3": gcd(n, 6) > 1,
        "the curve is singular modulo n or a factor of it": gcd(4 * step.a**3 + 27 * step.b**2, n)
        > 1,
        "the point is not on the curve": equation % n != 0,
        "q is too small, or no divisor of m": step.q < least or step.m % step.q != 0,
    }
    return next((text for text, true in faults.items() if true), None) or _order_fault(step)


def _order_fault(step: Step) -> str | None:
    """Why q is not what makes the order of the point."""
    try:
        once = _multiple(step, step.m // step.q, (step.x % step.n, step.y % step.n))
        if once is None:
            return "the point times m / q is not finite"
        finite = _multiple(step, step.q, once) is not None
    except ValueError:
        return "n has a factor: a slope's denominator is not invertible"
    return "the point times m is finite" if finite else None


def _multiple(step: Step, factor: int, point: Point) -> Point:
    """factor times a point; ValueError if a denominator is neither 0 nor invertible modulo n."""
    total: Point = None
    for bit in f"{factor:b}":
        total = _sum(step, total, total)
        if bit == "1":
            total = _sum(step, total, point)
    return total


def _sum(step: Step, left: Point, right: Point) -> Point:
    if left is None or right is None:
        return right if left is None else left
    n, (x0, y0), (x1, y1) = step.n, left, right
    if (x0 - x1) % n == 0:
        if (y0 + y1) % n == 0:
            return None
        # On the same x, y differs by its sign, unless n has factors that disagree.
        if (y0 - y1) % n:
            raise ValueError("n has a factor")
        slope = (3 * x0 * x0 + step.a) * pow(2 * y0, -1, n)
    else:
        slope = (y1 - y0) * pow(x1 - x0, -1, n)
    x = (slope * slope - x0 - x1) % n
    return x, (slope * (x0 - x) - y0) % n
