"""The RTL of a digit multiplier against plain integers, and the algorithm against both.

A loaded modulus is loaded several times: the longest and the shortest odd numbers, and random ones.
"""

import random
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from residua.cores.digit.core import DigitMontgomeryCore, DigitProducts
from residua.cores.digit.rsa_crt import RsaCrtCore
from residua.cores.simulation.engine import Progress, is_long
from residua.cores.simulation.result import VerificationResult
from residua.cores.simulation.runs import Resets, Stalls
from residua.cores.simulation.words import (
    WordSimulator,
    build_word_simulator,
    edge_pairs,
    verify_words,
)
from residua.errors import SpecificationError

MODEL_DIGITS = 400_000
"""Products of digits that the algorithm's own values are computed for, over all samples."""

_RANDOM_MODULI = 3


def moduli_of(core: DigitMontgomeryCore, chooser: random.Random) -> list[int]:
    """The modulus that is built in, or moduli to load, full length and adversarial first."""
    if core.domain is not None:
        return [core.domain.modulus]
    bits, digit = core.shape.bits, core.request.digit
    top = 1 << (bits - 1)
    found = [2 * top - 1, top + 1]
    found += [chooser.getrandbits(bits) | top | 1 for _ in range(_RANDOM_MODULI)]
    # p' = 1, and a modulus of a single digit.
    found += [top - 1, (1 << min(digit, bits)) - 1]
    return [modulus for modulus in dict.fromkeys(found) if modulus >= 3]


def settings(core: DigitMontgomeryCore, chooser: random.Random) -> list[DigitProducts]:
    """What the core is verified with: moduli, or keys of RSA, the longest and the shortest."""
    if isinstance(core, RsaCrtCore):
        return core.keys(chooser)
    return [core.products(modulus) for modulus in moduli_of(core, chooser)]


def verify_digits(
    core: DigitMontgomeryCore,
    rtl_sources: Sequence[Path],
    *,
    vectors: int,
    seed: int,
    stalls: Stalls,
    resets: Resets = None,
    progress: Progress | None = None,
) -> VerificationResult:
    """Make ``vectors`` products, over all moduli if they are loaded; see `verify_words`.

    Of some operands the algorithm's own result, by the values interpreter, is compared, too.

    Raises:
        SpecificationError: ``vectors`` is not positive.
        ToolError: the simulator cannot be built or does not run.
    """
    if vectors < 1:
        raise SpecificationError(f"a verification makes at least 1 run, not {vectors}")
    every = settings(core, random.Random(seed))[:vectors]
    simulator: WordSimulator | None = None
    total: VerificationResult | None = None
    share, done = -(-vectors // len(every)), 0
    optimise = is_long(vectors, core.design.interval, resets)
    for products in every:
        simulator = _simulator(core, products, rtl_sources, simulator, optimise)
        count = min(share, vectors - done)
        if count < 1:
            break
        found = verify_words(
            simulator,
            vectors=count,
            seed=seed,
            stalls=stalls,
            resets=0 if done else resets,
            progress=shifted(progress, done, vectors),
        )
        found = _with_model(core, products, found, seed)
        total = found if total is None else merged(total, found)
        done += found.vectors
        if not found.passed:
            break
    assert total is not None
    return total


def _simulator(
    core: DigitMontgomeryCore,
    products: DigitProducts,
    sources: Sequence[Path],
    earlier: WordSimulator | None,
    optimise: bool,
) -> WordSimulator:
    """The simulator for one modulus; it is compiled once."""
    if earlier is not None:
        return replace(earlier, design=products, modulus=products.modulus_words)
    return build_word_simulator(
        products,
        sources,
        top=core.name,
        modulus=products.modulus_words,
        optimise=optimise,
    )


def shifted(progress: Progress | None, done: int, total: int) -> Progress | None:
    """The progress of a part of a verification, of which ``done`` runs came before."""
    return progress and (lambda now, _: progress(done + now, total))


def _with_model(
    core: DigitMontgomeryCore, products: DigitProducts, found: VerificationResult, seed: int
) -> VerificationResult:
    """The values of the algorithm for adversarial operands, against plain integers."""
    work = max(core.counts.products, core.counts.steps)
    count = max(MODEL_DIGITS // work // 4, 2)
    failures = list(found.failures)
    pairs = edge_pairs(products, random.Random(seed))[:count]
    for x, y in pairs:
        if core.model(products, x, y) != products.expected(x, y):
            failures.append(f"the algorithm is wrong for x = {x} and y = {y}")
    return replace(found, model_checks=len(pairs), failures=tuple(failures))


def merged(one: VerificationResult, other: VerificationResult) -> VerificationResult:
    """Both, of which the first passed."""
    return replace(
        other,
        vectors=one.vectors + other.vectors,
        mismatches=one.mismatches + other.mismatches,
        latency=other.latency if one.latency is None else one.latency,
        interval=other.interval if one.interval is None else one.interval,
        seconds=one.seconds + other.seconds,
        build_seconds=one.build_seconds,
        oracle_checks=one.oracle_checks + other.oracle_checks,
        model_checks=one.model_checks + other.model_checks,
        resets=one.resets + other.resets,
    )
