"""The RTL of exponentiators and RSA against plain integers, and the engine's model against both."""

import random
from collections.abc import Sequence
from functools import lru_cache
from itertools import count
from math import gcd
from pathlib import Path

from residua.algorithms.fields.loaded_field import SMALLEST
from residua.cores.exponentiation.core import ExponentiationCore, Exponentiations, largest_modulus
from residua.cores.exponentiation.public_key import PublicKeyCore, PublicOperations
from residua.cores.exponentiation.rsa_crt import RsaEngineCore, RsaEngineOperations
from residua.cores.simulation.result import VerificationResult
from residua.cores.simulation.runs import Runs
from residua.cores.simulation.words import verify_word_core, with_model
from residua.hardware.exponentiation.loaded_exponentiator import LoadedExponentiatorDesign
from residua.hardware.exponentiation.rsa_engine_design import RsaEngineDesign
from residua.hardware.exponentiation.rsa_engine_model import Drawn, private_operation

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


def verify_rsa(core: RsaEngineCore, sources: Sequence[Path], runs: Runs) -> VerificationResult:
    """Find roots, with several keys, some of them wrong; see `verify_word_core`.

    Of some messages the root by the model, residue by residue, is compared, too.
    """
    designs = core.keys(random.Random(runs.seed))
    checks = max(model_checks(core) // len(designs), 1)
    designs = designs[: runs.vectors]

    def first(operations: RsaEngineOperations) -> list[tuple[int, int]]:
        return [(x, 0) for x in operations.edges]

    blinded = core.design.blinding > 0
    found = verify_word_core(designs, core.name, sources, runs, first, takes_random=blinded)
    return with_model(found, designs, _modelled, checks, runs.seed)


def verify_public(core: PublicKeyCore, sources: Sequence[Path], runs: Runs) -> VerificationResult:
    """Compute powers with several public keys; see `verify_word_core`.

    Some x are not below N. Of others the power by the model, residue by residue, is compared, too.
    """
    designs = core.keys(random.Random(runs.seed))
    checks = max(model_checks(core) // len(designs), 1)
    designs = designs[: runs.vectors]

    def first(operations: PublicOperations) -> list[tuple[int, int]]:
        return [(x, 0) for x in operations.edges]

    found = verify_word_core(designs, core.name, sources, runs, first)
    return with_model(found, designs, _public_model, checks, runs.seed)


@lru_cache(4096)
def _public_model(operations: PublicOperations, x: int, _y: int) -> int:
    """The power by the model, which both forms of a core, with and without stalls, ask for."""
    return operations.model(x, 0)


@lru_cache(4096)
def _modelled_root(design: RsaEngineDesign, words: tuple[tuple[str, int], ...], x: int) -> int:
    drawn = Drawn.by(design, random.Random(x)) if design.blinding else None
    root, right = private_operation(design, dict(words), x, drawn)
    return root if right else 0


def _modelled(operations: RsaEngineOperations, x: int, _y: int) -> int:
    """The root by the model, which both forms of a core, with and without stalls, ask for."""
    return _modelled_root(operations.design, tuple(operations.numbers.items()), x)


@lru_cache(4096)
def _model(powers: Exponentiations, x: int, y: int) -> int:
    """The power by the model, which both forms of a core, with and without stalls, ask for."""
    return powers.model(x, y)


def model_checks(core: ExponentiationCore | RsaEngineCore | PublicKeyCore) -> int:
    """Powers that the model computes in one verification, over all moduli, at least one."""
    work = core.utilisation * core.design.options.rowers * core.cycles["interval"]
    return max(int(MODEL_PRODUCTS / work), 1)
