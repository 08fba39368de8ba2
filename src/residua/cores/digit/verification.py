"""The RTL of a digit multiplier against plain integers, and the algorithm against both.

A loaded modulus is loaded several times: the longest and the shortest odd numbers, and random ones.
"""

import random
from collections.abc import Sequence
from pathlib import Path

from residua.cores.digit.core import DigitCore
from residua.cores.digit.products import DigitProducts
from residua.cores.digit.rsa_crt import RsaCrtCore
from residua.cores.simulation.result import VerificationResult
from residua.cores.simulation.runs import Runs
from residua.cores.simulation.words import outside, verify_word_core, with_model

MODEL_DIGITS = 400_000
"""Products of digits that the algorithm's own values are computed for, over all samples."""

_RANDOM_MODULI = 3


def moduli_of(core: DigitCore, chooser: random.Random) -> list[int]:
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


def settings(core: DigitCore, chooser: random.Random) -> Sequence[DigitProducts]:
    """Moduli, or RSA keys, of a verification, the longest and the shortest among them."""
    if isinstance(core, RsaCrtCore):
        return core.keys(chooser)
    return [core.products(modulus) for modulus in moduli_of(core, chooser)]


def verify_digits(core: DigitCore, sources: Sequence[Path], runs: Runs) -> VerificationResult:
    """Make products, over all moduli if they are loaded; see `verify_word_core`.

    Of some operands the algorithm's own result, by the values interpreter, is compared, too.
    """
    designs = settings(core, random.Random(runs.seed))[: runs.vectors]
    work = max(core.counts.products, core.counts.steps)
    checks = max(MODEL_DIGITS // work // 4, 2)

    def first(products: DigitProducts) -> list[tuple[int, int]]:
        wrong = products.error_flag == "operands"
        outer = outside(products, random.Random(runs.seed)) if wrong else []
        return [*((x, 0) for x in products.edges), *outer]

    found = verify_word_core(designs, core.name, sources, runs, first)
    return with_model(found, designs, core.model, checks, runs.seed)
