"""The prime that is used of those found: proved, with a base b, in a file of its own."""

import json
from dataclasses import asdict
from pathlib import Path
from typing import Any

from residua.curves.primality_proof import prove
from residua.explore.chain import Chain
from residua.explore.chain_bounds import HalfBases, half_bases
from residua.explore.prime_search import PICK
from residua.numbers.bases import Base
from residua.numbers.search import Style
from residua.numbers.square_primes import SquarePrime


def pick(
    prime: SquarePrime,
    chain: Chain,
    directory: Path,
    *,
    style: Style = "any",
    weight: int = 3,
    width: int | None = None,
    gamma: int | None = None,
) -> dict[str, Any]:
    """Prove a prime, give it a base b for a chain of operations, and write both down.

    Arguments and errors are those of `half_bases` and `prove`.
    """
    bases = half_bases(prime, chain, style=style, weight=weight, width=width, gamma=gamma)
    table = _pick_table(bases)
    directory.mkdir(parents=True, exist_ok=True)
    text = json.dumps(table, indent=2) + "\n"
    (directory / PICK).write_text(text, encoding="utf-8", newline="\n")
    return table


def _pick_table(bases: HalfBases) -> dict[str, Any]:
    prime = bases.prime
    radix = prime.base.product
    return {
        "form": {"d": prime.form.multiplier, "c": prime.form.offset},
        "p": f"{prime.value:#x}",
        "bits": prime.value.bit_length(),
        "base_a": _base_table(prime.base),
        "base_b": _base_table(bases.base_b),
        "gamma": bases.gamma,
        "chain": {"text": str(bases.chain), **asdict(bases.chain)},
        "cox": {
            name: {"t": cox.truncation, "sigma0": str(cox.sigma0)}
            for name, cox in (("first", bases.first), ("second", bases.second))
        },
        "largest_quotient": f"{int(bases.reach.quotient.magnitude):#x}",
        "m_b_at_least": f"{bases.bound:#x}",
        "m_b_at_least_in_m_a": round(bases.bound / radix, 4),
        "certificate": prove(prime.value).table(),
    }


def _base_table(base: Base) -> dict[str, Any]:
    return {"w": base.width, "h": [modulus.offset for modulus in base]}
