"""The RTL of an exponentiator against plain integers, and the model of its engine against both."""

import random
from collections.abc import Sequence
from functools import lru_cache
from itertools import count
from math import gcd
from pathlib import Path

from residua.algorithms.fields.loaded_field import SMALLEST
from residua.cores.exponentiation.core import ExponentiationCore, Exponentiations, largest_modulus
from residua.cores.simulation.result import VerificationResult
from residua.cores.simulation.runs import Runs
from residua.cores.simulation.words import verify_word_core, with_model
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
    core: ExponentiationCore, sources: Sequence[Path], runs: Runs
) -> VerificationResult:
    """Compute powers, over all moduli if they are loaded; see `verify_word_core`.

    Of some operands the power by the model, residue by residue, is compared, too.
    """
    designs = [core.exponentiations(n) for n in moduli_of(core, random.Random(runs.seed))]
    checks = max(model_checks(core) // len(designs), 1)
    designs = designs[: runs.vectors]
    found = verify_word_core(designs, core.name, sources, runs)
    return with_model(found, designs, _model, checks, runs.seed)


@lru_cache(4096)
def _model(powers: Exponentiations, x: int, y: int) -> int:
    """The power by the model, which both forms of a core, with and without stalls, ask for."""
    return powers.model(x, y)


def model_checks(core: ExponentiationCore) -> int:
    """Powers that the model computes in one verification, over all moduli, at least one."""
    work = core.utilisation * core.design.options.rowers * core.design.interval
    return max(int(MODEL_PRODUCTS / work), 1)
