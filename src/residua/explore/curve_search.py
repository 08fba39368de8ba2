"""Curves over a prime of one's own, as a specification that `residua build` takes.

Random curves are what the papers mean; counting their points takes PARI, which is optional. Without
it, curves of complex multiplication have an order that is known: as good for hardware and its
tests, but of a special class that some standards exclude.
"""

import json
import random
from collections.abc import Callable
from dataclasses import asdict
from importlib import import_module
from math import isqrt
from pathlib import Path
from typing import Any, Literal

import gmpy2

from residua.curves.affine import multiply
from residua.curves.complex_multiplication import (
    LARGEST_CLASS_NUMBER,
    LARGEST_DISCRIMINANT,
    ShortCurve,
    curve_of,
    discriminants,
    invariant,
    random_point,
    traces,
)
from residua.curves.parameters import NAME, WeierstrassCurve, check_curve, parameters_of
from residua.errors import SpecificationError
from residua.output import check_new_file, write_whole

Method = Literal["count", "multiplication", "none"]
"""Source of the order: points counted by PARI, complex multiplication, or unknown."""

SMALLEST_BITS = 32
"""Fewest bits of the prime; smaller groups are of no use, and may have no order above 4 sqrt(p)."""

_STACK = 1 << 30
"""Bytes that PARI may use."""

_LIMITS = ((LARGEST_DISCRIMINANT, LARGEST_CLASS_NUMBER), (20_000, 80))
"""Discriminants and class numbers that are tried, the second ones if the first do not do."""

_ATTEMPTS = 100_000
"""Random curves before the search is given up."""

Progress = Callable[[int, int | None], None]


def make(
    prime: int,
    path: Path,
    *,
    name: str = "generated",
    method: Method = "count",
    cofactor: int = 1,
    seed: int = 0,
    progress: Progress = lambda tried, _: None,
) -> dict[str, Any]:
    """Write a curve over the field of ``prime`` to a TOML file; what is in it.

    Args:
        prime: of the field, at least 2^31.
        path: the file, which must not exist.
        name: of the curve.
        method: ``count``: random a and b, until the cofactor is small enough, by PARI.
            ``multiplication``: the curve of complex multiplication with the smallest cofactor.
            ``none``: random a, b and base point, without an order; `residua build` refuses it until
            somebody fills in order and cofactor.
        cofactor: the largest number of points divided by the base point's order; at least 1.
        seed: which curve.
        progress: called with the curves that were tried.

    Raises:
        SpecificationError: the prime is composite or too small, PARI is missing, or no curve has
            so small a cofactor.
    """
    _check(prime, path, name, cofactor)
    generator = random.Random(f"{seed}/{prime}")
    if method == "none":
        curve = _random_curve(prime, generator)
        x, y = random_point(curve, generator)
        table: dict[str, Any] = {
            "form": "weierstrass", "name": name,
            **{key: f"{value:#x}" for key, value in (asdict(curve) | {"x": x, "y": y}).items()},
        }  # fmt: skip
    else:
        search = _counted if method == "count" else _multiplication
        curve, points, order = search(prime, cofactor, generator, progress)
        found = _with_base_point(curve, name, points, order, generator)
        check_curve(found)
        table = dict(parameters_of(found))
    write_whole(path, _toml(table, method, seed))
    return {"file": str(path), "method": method, "seed": seed, "curve": table}


def prime_of(text: str) -> int:
    """A prime as a number, or the one in the pick of `residua primes`.

    Raises:
        SpecificationError: it is neither.
    """
    path = Path(text)
    if path.is_file():
        try:
            return int(json.loads(path.read_text(encoding="utf-8"))["p"], 16)
        except (OSError, ValueError, KeyError, TypeError):
            raise SpecificationError(f"{text} is no pick of `residua primes`") from None
    try:
        return int(text, 0)
    except ValueError:
        raise SpecificationError(
            f"prime = {text!r}: give a decimal or 0x number, or the pick.json of `residua primes`"
        ) from None


def _check(prime: int, path: Path, name: str, cofactor: int) -> None:
    if not NAME.fullmatch(name):
        raise SpecificationError(
            f"name = {name!r}: a letter, then up to 31 letters, digits and _ . -"
        )
    if prime.bit_length() < SMALLEST_BITS:
        raise SpecificationError(f"prime = {prime}: too small, at least {SMALLEST_BITS} bits")
    if not gmpy2.is_prime(prime):
        raise SpecificationError(f"prime = {prime:#x} is composite: the field needs a prime")
    if cofactor < 1 or cofactor**2 * 32 > isqrt(prime):
        raise SpecificationError(f"cofactor = {cofactor}: at least 1, and small beside the prime")
    check_new_file(path)


def _random_curve(prime: int, generator: random.Random) -> ShortCurve:
    """Random a and b but 0, such that the curve is not singular."""
    while True:
        a, b = (generator.randrange(1, prime) for _ in range(2))
        if (4 * a**3 + 27 * b**2) % prime:
            return ShortCurve(prime, a, b)


def _counted(
    prime: int, cofactor: int, generator: random.Random, progress: Progress
) -> tuple[ShortCurve, int, int]:
    """A random curve with the number of its points and the large prime factor of that."""
    try:
        pari = import_module("cypari").pari
    except ImportError:
        raise SpecificationError(
            "counting the points of a random curve needs PARI: pip install 'residua[points]'; "
            "`multiplication` gives a curve of known order without it, `none` one without an order"
        ) from None
    pari.allocatemem(_STACK, _STACK, silent=True)
    # PARI gives up on a curve, with 0, when it meets a small factor that does not divide this.
    allowed = int(gmpy2.primorial(cofactor))
    for attempt in range(_ATTEMPTS):
        progress(attempt, None)
        curve = _random_curve(prime, generator)
        pari("setrand(1)")
        points = int(pari(f"ellsea(ellinit([{curve.a},{curve.b}],{prime}),{allowed})"))
        order = points and _large_factor(points, cofactor)
        if order:
            return curve, points, order
    raise SpecificationError(f"none of {_ATTEMPTS} curves has a cofactor up to {cofactor}")


def _multiplication(
    prime: int,
    cofactor: int,
    generator: random.Random,
    progress: Progress,
) -> tuple[ShortCurve, int, int]:
    """The curve of the smallest cofactor, and of these the largest discriminant."""
    found: list[tuple[int, int, int]] = []
    tried = 0
    for limits in _LIMITS:
        for _, discriminant in discriminants(*limits):
            tried += 1
            progress(tried, None)
            for trace in traces(prime, discriminant):
                points = prime + 1 - trace
                order = _large_factor(points, cofactor)
                # An order equal to the prime makes logarithms easy.
                if order and points != prime:
                    found.append((points // order, -discriminant, points))
        if found:
            break
    else:
        raise SpecificationError(
            f"no curve of complex multiplication with a discriminant up to {_LIMITS[-1][0]} has a "
            f"cofactor up to {cofactor} over this prime; a larger cofactor, another prime, or a "
            "random curve works"
        )
    _, negative, points = min(found)
    j = invariant(prime, -negative)
    while True:
        curve = curve_of(prime, -negative, j, generator)
        if all(multiply(curve, points, random_point(curve, generator)) is None for _ in range(4)):
            return curve, points, _large_factor(points, cofactor)


def _large_factor(points: int, cofactor: int) -> int:
    """The prime points / h for the smallest h up to ``cofactor``; 0 if there is none."""
    for h in range(1, cofactor + 1):
        if points % h == 0 and gmpy2.is_prime(points // h):
            return points // h
    return 0


def _with_base_point(
    curve: ShortCurve, name: str, points: int, order: int, generator: random.Random
) -> WeierstrassCurve:
    cofactor = points // order
    while True:
        point = multiply(curve, cofactor, random_point(curve, generator))
        if point is not None:
            return WeierstrassCurve(name, curve.prime, curve.a, curve.b, *point, order, cofactor)


_COMMENTS = {
    "count": "A random curve; its points were counted by PARI (seed {seed}).",
    "multiplication": "A curve of complex multiplication, which is not random (seed {seed}).",
    "none": "A random curve (seed {seed}). Its order is not known: add order and cofactor.",
}


def _toml(table: dict[str, Any], method: Method, seed: int) -> str:
    lines = [f"# {_COMMENTS[method].format(seed=seed)}", "[[curve]]"]
    lines += [f"{key} = {json.dumps(value)}" for key, value in table.items()]
    return "\n".join(lines) + "\n"
