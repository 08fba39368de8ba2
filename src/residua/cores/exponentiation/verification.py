"""The RTL of an exponentiator against plain integers, and the model of its engine against both."""

import random
from collections.abc import Sequence
from dataclasses import replace
from functools import lru_cache
from itertools import count
from math import gcd
from pathlib import Path

from residua.algorithms.fields.loaded_field import SMALLEST
from residua.cores.digit.verification import merged, shifted
from residua.cores.exponentiation.core import ExponentiationCore, Powers, largest_modulus
from residua.cores.simulation.engine import Progress, is_long
from residua.cores.simulation.result import VerificationResult
from residua.cores.simulation.runs import Resets, Stalls
from residua.cores.simulation.words import build_word_simulator, edge_pairs, verify_words
from residua.hardware.exponentiation.loaded_exponentiator import LoadedExponentiatorDesign

MODEL_PRODUCTS = 1_000_000
"""Products of residues that the model computes in one verification."""

_RANDOM_MODULI = 3


def moduli_of(core: ExponentiationCore, chooser: random.Random) -> list[int]:
    """The modulus that is built in, or moduli to load: the longest, the shortest, random ones."""
    design = core.design
    if not isinstance(design, LoadedExponentiatorDesign):
        return [design.modulus]
    top, factor = 1 << design.bits - 1, design.domain.montgomery_factor
    starts = [SMALLEST, top]
    starts += [chooser.getrandbits(design.bits - 1) | top for _ in range(_RANDOM_MODULI)]
    able = [next(n for n in count(start | 1, 2) if gcd(n, factor) == 1) for start in starts]
    largest = largest_modulus(design)
    return list(dict.fromkeys([largest, *(n for n in able if n < largest)]))


def verify_exponentiation(
    core: ExponentiationCore,
    rtl_sources: Sequence[Path],
    *,
    vectors: int,
    seed: int,
    stalls: Stalls,
    resets: Resets = None,
    progress: Progress | None = None,
) -> VerificationResult:
    """Compute ``vectors`` powers, over all moduli if they are loaded; see `verify_words`.

    Of some operands the power by the model, residue by residue, is compared, too.

    Raises:
        SpecificationError: ``vectors`` is not positive.
        ToolError: the simulator cannot be built or does not run.
    """
    every = [core.powers(n) for n in moduli_of(core, random.Random(seed))]
    checks = max(model_checks(core) // len(every), 1)
    every = every[: max(vectors, 1)]
    share = -(-vectors // len(every))
    simulator = build_word_simulator(
        every[0],
        rtl_sources,
        top=core.name,
        modulus=every[0].modulus_words,
        optimise=is_long(vectors, core.design.interval, resets),
    )
    total: VerificationResult | None = None
    for index, powers in enumerate(every):
        done = index * share
        if done and done >= vectors:
            break
        one = replace(simulator, design=powers, modulus=powers.modulus_words)
        found = verify_words(
            one,
            vectors=min(share, vectors - done),
            seed=seed,
            stalls=stalls,
            resets=0 if done else resets,
            progress=shifted(progress, done, vectors),
        )
        found = _with_model(powers, found, checks, seed)
        total = found if total is None else merged(total, found)
        if not found.passed:
            break
    assert total is not None
    return total


def _with_model(
    powers: Powers, found: VerificationResult, checks: int, seed: int
) -> VerificationResult:
    """The powers of the model for adversarial operands, against plain integers."""
    made, wrong = _of_the_model(powers, checks, seed)
    return replace(found, model_checks=made, failures=(*found.failures, *wrong))


@lru_cache(16)
def _of_the_model(powers: Powers, checks: int, seed: int) -> tuple[int, tuple[str, ...]]:
    """How many powers the model was asked for, and the wrong ones.

    Both forms of a core, with and without stalls, have the same model: it is asked once.
    """
    pairs = edge_pairs(powers, random.Random(seed))[:checks]
    wrong = [
        f"the model is wrong for x = {x} and y = {y}"
        for x, y in pairs
        if powers.model(x, y) != powers.expected(x, y)
    ]
    return len(pairs), tuple(wrong)


def model_checks(core: ExponentiationCore) -> int:
    """Powers that the model computes in one verification, over all moduli, at least one."""
    work = core.utilisation * core.design.options.rowers * core.design.interval
    return max(int(MODEL_PRODUCTS / work), 1)
