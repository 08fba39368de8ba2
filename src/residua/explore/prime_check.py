"""A second look at files of primes d M_a^2 - c, without anything that has made them.

Only plain integers, SymPy's test of primality and the check of certificates are used.
"""

import json
from collections.abc import Callable, Mapping, Sequence
from math import gcd, prod
from pathlib import Path
from typing import Any

import sympy

from residua.errors import SpecificationError
from residua.numbers.primes.certificates import Certificate, check

Progress = Callable[[int, int], None]


def check_file(path: Path, progress: Progress = lambda done, total: None) -> dict[str, Any]:
    """Check a file of candidates, or that of the proved pick.

    Of every prime: base a has n / 2 coprime odd moduli of w bits, P = d M_a^2 - c, and P passes the
    test. Of candidates too: no M_a comes twice. Of a pick too: base b is coprime to base a, M_b is
    not below the bound that stands there, and the certificate proves P.

    Raises:
        SpecificationError: the first fault and where it is, or the file has neither form.
    """
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise SpecificationError(f"{path} cannot be read: {error}") from None
    try:
        if path.suffix == ".jsonl":
            return _candidates(path, text, progress)
        return _pick(path, json.loads(text))
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        if isinstance(error, SpecificationError):
            raise
        raise SpecificationError(
            f"{path} is neither candidates (.jsonl) nor a pick of `residua primes`: {error!r}"
        ) from None


def _candidates(path: Path, text: str, progress: Progress) -> dict[str, Any]:
    first, *lines = text.splitlines()
    search = json.loads(first)["search"]
    form, width, half = search["form"], search["width"], search["channels"] // 2
    seen: set[int] = set()
    for index, line in enumerate(lines):
        where = f"{path} line {index + 2}"
        table = json.loads(line)
        moduli = _moduli(width, table["h"])
        _check_base(where, moduli, half)
        product = prod(moduli)
        if product in seen:
            raise SpecificationError(f"{where}: this M_a was there before")
        seen.add(product)
        _check_prime(where, int(table["p"], 16), form["multiplier"], form["offset"], product)
        if index % 64 == 0:
            progress(index, len(lines))
    progress(len(lines), len(lines))
    return {"file": str(path), "kind": "candidates", "primes": len(lines), "proved": 0}


def _pick(path: Path, table: Mapping[str, Any]) -> dict[str, Any]:
    where, value = str(path), int(table["p"], 16)
    base_a, base_b = (_moduli(table[name]["w"], table[name]["h"]) for name in ("base_a", "base_b"))
    _check_base(f"{where}: base a", base_a, len(base_a))
    _check_base(f"{where}: base b", base_b, len(base_a))
    radix, other = prod(base_a), prod(base_b) << table["gamma"]
    if gcd(radix, other) > 1:
        raise SpecificationError(f"{where}: bases a and b share the factor {gcd(radix, other)}")
    if other < int(table["m_b_at_least"], 16):
        raise SpecificationError(f"{where}: M_b is below {table['m_b_at_least']}")
    _check_prime(where, value, table["form"]["d"], table["form"]["c"], radix)
    certificate = Certificate.of_table(table["certificate"])
    if certificate.number != value:
        raise SpecificationError(f"{where}: the certificate is about {certificate.number:#x}")
    check(certificate)
    steps = len(certificate.steps)
    return {"file": where, "kind": "pick", "primes": 1, "proved": 1, "steps": steps}


def _moduli(width: int, offsets: Sequence[int]) -> list[int]:
    if any(abs(h) >= 1 << width // 2 for h in offsets):
        raise SpecificationError(f"an h is as large as 2^(w / 2), w = {width}")
    return [(1 << width) - h for h in offsets]


def _check_base(where: str, moduli: Sequence[int], count: int) -> None:
    if len(moduli) != count:
        raise SpecificationError(f"{where}: {len(moduli)} moduli instead of {count}")
    for index, modulus in enumerate(moduli):
        if modulus % 2 == 0:
            raise SpecificationError(f"{where}: modulus {modulus} is even")
        for other in moduli[:index]:
            if gcd(modulus, other) > 1:
                raise SpecificationError(f"{where}: {modulus} and {other} share a factor")


def _check_prime(where: str, value: int, multiplier: int, offset: int, product: int) -> None:
    if value != multiplier * product * product - offset:
        raise SpecificationError(f"{where}: P is not {multiplier} M_a^2 - {offset}")
    if not sympy.isprime(value):
        raise SpecificationError(f"{where}: P = {value:#x} is composite")
