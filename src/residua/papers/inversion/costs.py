"""Counted operations of inversion: plus-minus on random operands, Fermat's chain of products."""

import random
from functools import cache
from statistics import fmean
from typing import Any

from residua.algorithms.addition_chains import fermat_chain
from residua.algorithms.plus_minus import SLIDES_LEAD
from residua.machines.counts import count
from residua.machines.plus_minus import PlainNumbers, slide_counts
from residua.numbers.catalogue import parse_modulus
from residua.papers.inversion.published import OPERATIONS, SIZES
from residua.papers.sbmm import costs as sbmm_costs

SAMPLE = 1000
"""Random operands over which plus-minus counts are averaged."""

GENERAL = {192: "brainpoolP192r1", 384: "brainpoolP384r1"}
NIST = {192: "P-192", 384: "P-384"}
"""Primes of FLT-RNS, whose exponents decide, by l."""

_KINDS = ("emm", "ema", "cox", "mod4")


def costs() -> list[dict[str, Any]]:
    """Every row of the slides' table of operations, published and counted."""
    rows = []
    for (algorithm, bits, channels), published in OPERATIONS.items():
        counted = (
            plus_minus(bits, channels)
            if algorithm == "PM"
            else fermat((NIST if algorithm == "NIST" else GENERAL)[bits], channels)
        )
        rows.append(
            {
                "algorithm": algorithm,
                "bits": bits,
                "n": channels,
                "w": dict(SIZES[bits])[channels],
                "published": {kind: getattr(published, kind) for kind in _KINDS},
                "counted": counted,
            }
        )
    return rows


def fermat(name: str, channels: int) -> dict[str, float]:
    """Count all products of the chain for the prime of this name."""
    products = fermat_products(name)
    counted = count(sbmm_costs.montgomery_program(channels))
    return {
        "products": products,
        "emm": products * counted.emm,
        "ema": products * counted.ema,
        "cox": products * counted.cox,
        "mod4": 0,
    }


@cache
def fermat_products(name: str) -> int:
    """Squarings and multiplications of x^(P - 2)."""
    chain = fermat_chain(parse_modulus(name))
    return chain.squarings + chain.multiplications


def plus_minus(bits: int, channels: int) -> dict[str, float]:
    """Average the counts of random operands modulo the NIST prime of so many bits."""
    runs = [slide_counts(steps, channels) for steps in _samples(bits)]
    means = {kind: round(fmean(getattr(run, kind) for run in runs)) for kind in _KINDS}
    return {"steps": round(fmean(run.steps for run in runs), 2), **means}


@cache
def _samples(bits: int) -> list[Any]:
    chooser, numbers = random.Random(1), PlainNumbers(parse_modulus(NIST[bits]))
    operands = [chooser.randrange(1, numbers.modulus) for _ in range(SAMPLE)]
    return [numbers.reduction(x, SLIDES_LEAD).steps for x in operands]
