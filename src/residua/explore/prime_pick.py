"""The prime that is used of those found: proved, with a base b."""

from dataclasses import asdict
from typing import Any

from residua.curves.primality_proof import prove
from residua.explore.chain import Chain
from residua.explore.chain_bounds import half_bases
from residua.numbers.bases import Base
from residua.numbers.primes.square_primes import SquarePrime
from residua.numbers.selection.coprime import Style


def pick(
    prime: SquarePrime,
    chain: Chain,
    *,
    style: Style = "any",
    weight: int = 3,
    width: int | None = None,
    gamma: int | None = None,
) -> dict[str, Any]:
    """Prove a prime, and give it a base b for a chain of operations: what its file says.

    Arguments and errors are those of `half_bases` and `prove`.
    """
    bases = half_bases(prime, chain, style=style, weight=weight, width=width, gamma=gamma)
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
