"""The RTL of an exponentiator against plain integers, and the model of its engine against both."""

import random
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from residua.cores.digit_verification import LONG_CYCLES
from residua.cores.exponentiation import ExponentiationCore
from residua.cores.verification import Progress, VerificationResult
from residua.cores.word_verification import build_word_simulator, edge_pairs, verify_words

MODEL_PRODUCTS = 4_000_000
"""Products of residues that the model computes in one verification."""


def verify_exponentiation(
    core: ExponentiationCore,
    rtl_sources: Sequence[Path],
    *,
    build_dir: Path,
    vectors: int,
    seed: int,
    stalls: bool,
    progress: Progress | None = None,
) -> VerificationResult:
    """Compute ``vectors`` powers; see `verify_words`.

    Of some operands the power by the model, residue by residue, is compared, too.

    Raises:
        SpecificationError: ``vectors`` is not positive.
        ToolError: the simulator cannot be built or does not run.
    """
    design = core.design
    simulator = build_word_simulator(
        design,
        rtl_sources,
        build_dir=build_dir,
        top=core.name,
        optimise=vectors * design.interval >= LONG_CYCLES,
    )
    found = verify_words(simulator, vectors=vectors, seed=seed, stalls=stalls, progress=progress)
    failures = list(found.failures)
    pairs = edge_pairs(design, random.Random(seed))[: model_checks(core)]
    for x, y in pairs:
        if design.model(x, y) != design.expected(x, y):
            failures.append(f"the model is wrong for x = {x} and y = {y}")
    return replace(found, model_checks=len(pairs), failures=tuple(failures))


def model_checks(core: ExponentiationCore) -> int:
    """Powers that the model computes in one verification, at least one."""
    work = core.utilisation * core.design.options.rowers * core.design.interval
    return max(int(MODEL_PRODUCTS / work), 1)
