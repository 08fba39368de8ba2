"""RSA cores and exponentiators: a root or a power, and what it has to be."""

import random
from collections.abc import Sequence
from dataclasses import dataclass
from math import gcd

from residua.cores.core import Core
from residua.cores.digit.exponentiation import DigitPowersCore
from residua.cores.digit.rsa_crt import RsaOperations
from residua.cores.exponentiation.core import ExponentiationCore
from residua.cores.exponentiation.public_key import PublicKeyCore, PublicOperations
from residua.cores.exponentiation.rsa_crt import RsaEngineCore, RsaEngineOperations
from residua.cores.simulation.word_bench import (
    FRESH,
    ResultWord,
    WordOperation,
    result_words,
    word_bench_source,
)
from residua.cores.simulation.words import WordDesign
from residua.errors import SpecificationError
from residua.evidence.attacks.victims.victim import Answer, Bench, Effect, Victim
from residua.numbers.digits import join_digits, split_digits

PowerCore = RsaEngineCore | PublicKeyCore | ExponentiationCore | DigitPowersCore
"""A core that raises to powers, on streams of words."""

Private = RsaEngineOperations | RsaOperations
"""Promises of RSA with a private key."""

_MARGIN = 4
"""An operation with all that is loaded takes no more than so many intervals."""

WITHHELD, UNFIT = "withheld", "modulus_error"
"""Names of statuses: an error beside the words of a result, and one of what was loaded."""


def powers_of(core: Core) -> PowerCore | None:
    """The core, if it is one that raises to powers."""
    return core if isinstance(core, PowerCore) else None


def power_operation(core: PowerCore) -> str:
    """Name of the operation of a core, which it has no other of."""
    if isinstance(core, PublicKeyCore):
        return "PUBLIC"
    return "PRIVATE" if core.request.algorithm == "rsa-crt" else "POWER"


def takes_random(core: PowerCore) -> bool:
    """Whether a core takes random words."""
    return isinstance(core, RsaEngineCore) and core.design.blinding > 0


def promises(core: PowerCore, chooser: random.Random) -> Sequence[WordDesign]:
    """What a core promises with several keys or moduli; of these the first is one for attacks."""
    found: Sequence[WordDesign] = core.settings(chooser)
    # The first modulus of a plain exponentiator is the longest, which is none like others.
    return found[::-1] if power_operation(core) == "POWER" else found


@dataclass(frozen=True)
class Asked:
    """Numbers of an operation.

    Attributes:
        design: promises with what is loaded.
        x: the base, or the message.
        y: the exponent, 0 if it is none of the operands.
    """

    design: WordDesign
    x: int
    y: int = 0

    @property
    def operands(self) -> tuple[int, ...]:
        """The numbers that are operands."""
        return (self.x, self.y) if self.design.largest else (self.x,)

    @property
    def right(self) -> int:
        """The result by plain integers, 0 if it has to be withheld."""
        return self.design.expected(self.x, self.y)

    def operation(self, seed: int, supply: int = FRESH) -> WordOperation:
        """The operation as the bench takes it."""
        design = self.design
        number = self.x | self.y << design.words * design.width
        operands = split_digits(number, design.operand_words, design.width)
        return WordOperation(design.modulus_words, operands, seed, supply)

    def gives_factor(self, number: int) -> bool:
        """Whether a number that is given out for a root leads to a factor of N."""
        if not isinstance(self.design, Private):
            return False
        key = self.design.key
        return 1 < gcd(pow(number, key.e, key.modulus) - self.x, key.modulus) < key.modulus


class PowerVictim(Victim):
    """A power of a random number, or a root of one, with several exponents or keys.

    Attributes:
        asked: the numbers of the operation, for each key.

    Raises:
        SpecificationError: there is no such curve, or the core refuses nothing.
    """

    def __init__(
        self, core: PowerCore, index: int, seed: int, *, keys: int, invalid: bool = False
    ) -> None:
        if index:
            raise SpecificationError(f"curve = {index}: {core.name} has no curves")
        self.core, self.seed, self.keys = core, seed, keys
        self.operation = power_operation(core)
        self.asked = [
            (_refused if invalid else _served)(core, random.Random(f"{seed} {key}"))
            for key in range(keys)
        ]
        self.cycles = max(map(longest, self.asked))

    @property
    def about(self) -> dict[str, str]:
        """The length of the modulus."""
        return {"size": f"{self.core.request.length} bits"}

    @property
    def bench(self) -> Bench:
        """C++ that runs the operation, with any key: lines of `WordOperation`."""
        design, own = self.asked[0].design, takes_random(self.core)
        return Bench(self.core.name, word_bench_source(design, self.core.name, takes_random=own))

    def line(self, key: int) -> str:
        """The operation with one of the keys as a line for the bench."""
        return self.asked[key].operation(self.seed).line()

    def judged(self, key: int, answer: Answer) -> tuple[Effect, str]:
        """What an answer is, with that key, and the name of its status."""
        told, given = status_of(self.asked[key], answer)
        return _effect(self.asked[key], answer, given, told), told


def status_of(asked: Asked, answer: Answer) -> tuple[str, list[ResultWord]]:
    """The name of the status of an answer, and the words that were given out."""
    given = list(result_words(answer.words, asked.design.width))
    return WITHHELD if any(one.error for one in given) else UNFIT if answer.status else "OK", given


def longest(asked: Asked) -> int:
    """Cycles that an operation does not surpass, with all that is loaded."""
    design = asked.design
    return _MARGIN * (design.interval + len(design.modulus_words) + design.wake)


def _effect(asked: Asked, answer: Answer, given: Sequence[ResultWord], told: str) -> Effect:
    design, right = asked.design, asked.right
    wanted = split_digits(right, design.words, design.width)
    words = [one.word for one in given]
    is_right = tuple(words) == wanted and not answer.hangs
    if is_right and (told == WITHHELD) == (right == 0):
        return Effect.HARMLESS
    # A part of the right result tells nothing wrong, and zeros nothing at all.
    places = (*wanted, *[0] * len(words))
    is_wrong = any(word not in (0, own) for word, own in zip(words, places, strict=False))
    if is_wrong and asked.gives_factor(join_digits(words, design.width)):
        return Effect.FACTOR
    if told == WITHHELD or (answer.hangs and told == UNFIT and not words):
        return Effect.WORDS if is_wrong else Effect.DETECTED
    if answer.hangs and not is_wrong:
        return Effect.HANG
    return Effect.ADMITTED if right == 0 else Effect.SILENT


def refuses(core: PowerCore) -> bool:
    """Whether there are numbers that a core has to refuse."""
    return power_operation(core) != "POWER"


def _served(core: PowerCore, chooser: random.Random) -> Asked:
    """Random numbers that have a result."""
    design = promises(core, chooser)[0]
    while True:
        y = chooser.randint(1, design.largest) if design.largest else 0
        found = Asked(design, chooser.randint(2, design.largest_x), y)
        if found.right:
            return found


def _refused(core: PowerCore, chooser: random.Random) -> Asked:
    """A key with a wrong exponent, which gives a factor away; or a public one and too large an x.

    Raises:
        SpecificationError: the core refuses nothing.
    """
    if not refuses(core):
        raise SpecificationError(f"{core.name} takes all numbers: none has to be refused")
    for design in promises(core, chooser):
        if isinstance(design, PublicOperations):
            most = (1 << design.words * design.width) - 1
            return Asked(design, chooser.randint(design.key.modulus, most))
        if isinstance(design, Private) and design.wrong:
            break
    found = Asked(design, 1)
    while found.right:
        # The root is right all the same where it is one of a multiple of a prime.
        found = Asked(design, chooser.randint(2, design.largest_x))
    return found
