"""The steps of RSA with a private key on an engine: words that move, and routines that run.

They are one list, the same for all keys and messages, which a core goes through from beginning to
end for a key, and again from the first step of an operation for each message.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from enum import IntEnum
from functools import cached_property

from residua.algorithms.fields.crt_field import COEFFICIENT, HALVES, LOW
from residua.algorithms.fields.loaded_field import INVERSE, NUMBER, SQUARE

KEY_NUMBERS = (NUMBER, INVERSE, SQUARE)
"""Numbers of a key that each half has."""


class Source(IntEnum):
    """Where the words of a step come from.

    The exponents have a memory of their own, from which no way leads to the result. Random words
    and blinded exponents are there if exponents are blinded.
    """

    KEY = 0
    OPERANDS = 1
    MEMORY = 2
    EXPONENTS = 3
    CONVERTER = 4
    REDUCTION = 5
    RANDOM = 6
    BLINDED = 7


class Target(IntEnum):
    """Where the words of a step go to; the memory may keep them as well.

    Those of a prime go to the engine, and stay beside the exponents. Random words become a multiple
    k, of which a pass takes a bit (`residua.hardware.exponentiation.exponent_blinding`).
    """

    ENGINE = 0
    EXPONENT_P = 1
    EXPONENT_Q = 2
    MODULUS = 3
    VERDICT = 4
    RESULT = 5
    EXPONENTS = 6
    PRIME = 7
    MULTIPLE = 8
    PASS = 9


@dataclass(frozen=True)
class Step:
    """Words that move, ``count`` of them, and then a routine that runs; either may be missing.

    Attributes:
        routine: its name, or "".
        rounds: of the routine; of the words, if there is none.
        count: words.
        source: where they come from.
        target: where they go to.
        read: place in a memory of the first one of the words that are read meanwhile.
        kept: place in a memory that the first one goes to, None if they are not kept.
        tests: p or q, the lowest word of which has to be odd.
        negates: the exponent that is blinded.
        highest: the last word is the highest one of a message.
    """

    routine: str = ""
    rounds: int = 1
    count: int = 0
    source: Source = Source.KEY
    target: Target = Target.ENGINE
    read: int = 0
    kept: int | None = None
    tests: bool = False
    negates: bool = False
    highest: bool = False


@dataclass(frozen=True)
class RsaSequence:
    """The steps of a core, and the places where they keep numbers.

    Attributes:
        parts: words of the low part of a message and of the high one.
        half_words: of a prime and of what is below it.
        inverse_words: of a number below M_a.
        exponent_words: of an exponent that the engine goes through.
        random_words: of a multiple that blinds an exponent.
        blinding: random bits of such a multiple; 0 if nothing is blinded.
        window: bits of a digit of the exponents.
        digits: of an exponent.
        exponent: the public one.
    """

    parts: tuple[int, int]
    half_words: int
    inverse_words: int
    exponent_words: int
    random_words: int
    blinding: int
    window: int
    digits: int
    exponent: int

    @property
    def words(self) -> int:
        """Words of a message and of a root."""
        return sum(self.parts)

    @cached_property
    def places(self) -> dict[str, int]:
        """Places of numbers in the memory, and its depth."""
        words = self.words
        return {"message": 0, "root": words, "depth": 2 * words}

    @property
    def _secret_places(self) -> dict[str, tuple[int, int]]:
        """Places of the exponents and of the primes, if they are kept, in the memory of secrets."""
        half = self.half_words
        return {"exponents": (0, half), "primes": (2 * half, 3 * half)}

    @property
    def secret_words(self) -> int:
        """Words of the memory of secrets."""
        return (4 if self.blinding else 2) * self.half_words

    @cached_property
    def of_key(self) -> list[Step]:
        """The steps that take a key."""
        half = self.half_words
        counts = dict(zip(KEY_NUMBERS, (half, self.inverse_words, half), strict=True))
        found = [
            Step(f"load_{own}{name}", count=count, tests=name == NUMBER)
            for own in HALVES
            for name, count in counts.items()
        ]
        if self.blinding:
            primes = iter(self._secret_places["primes"])
            found = [
                replace(step, target=Target.PRIME, kept=next(primes)) if step.tests else step
                for step in found
            ]
        found.append(Step(f"load_{COEFFICIENT}", count=half))
        found += [
            Step(count=half, target=Target.EXPONENTS, kept=place)
            for place in self._secret_places["exponents"]
        ]
        count = self.words + 1
        loads = Step("", 1, count, Source.CONVERTER, Target.MODULUS)
        return [
            *found,
            Step("prepare", source=Source.MEMORY),
            Step("whole", source=Source.MEMORY),
            loads,
            *(self._pair if self.blinding else ()),
        ]

    @property
    def _pair(self) -> Iterator[Step]:
        """The steps that make a fresh pair, v and v^-d."""
        yield from self._exponents(negates=True)
        yield from self._taking("take", Source.RANDOM, 0, None)
        yield from self._runs(*self._power, ("pair", 1))

    @property
    def _power(self) -> tuple[tuple[str, int], ...]:
        """The routines that raise to the power of both exponents."""
        return (
            ("start", 1),
            ("table_step", (1 << self.window) - 2),
            ("first", 1),
            ("step", self.digits - 1),
        )

    @cached_property
    def of_operation(self) -> list[Step]:
        """The steps of an operation, from the digits of both exponents to the root."""
        words, places = self.words, self.places
        return [
            *self._exponents(),
            *self._taking("take", Source.OPERANDS, 0, places["message"]),
            *self._runs(
                ("hide", int(self.blinding > 0)),
                *self._power,
                ("reveal", int(self.blinding > 0)),
                ("join", 1),
            ),
            *self._taking("take", Source.REDUCTION, 0, places["root"]),
            *self._runs(*self._check),
            *self._taking("verdict", Source.MEMORY, places["message"], None),
            Step("", 1, words, Source.REDUCTION, Target.VERDICT),
            Step("", 1, words, Source.MEMORY, Target.RESULT, places["root"]),
        ]

    def _exponents(self, *, negates: bool = False) -> Iterator[Step]:
        """The steps that make the digits of both exponents, blinded or as they are."""
        targets = Target.EXPONENT_P, Target.EXPONENT_Q
        places = self._secret_places
        count, random_words = self.exponent_words, self.random_words
        for target, place, prime in zip(
            targets, places["exponents"], places["primes"], strict=True
        ):
            if not self.blinding:
                yield Step("", 1, count, Source.EXPONENTS, target, place)
                continue
            yield Step("", 1, random_words, Source.RANDOM, Target.MULTIPLE)
            yield Step(
                "", self.blinding, count, Source.BLINDED, Target.PASS, prime, negates=negates
            )
            yield Step("", 1, count, Source.BLINDED, target, place, negates=negates)

    def _taking(
        self, routine: str, source: Source, read: int, kept: int | None
    ) -> tuple[Step, Step]:
        """The steps that take both parts of a message or a root."""
        low, high = self.parts
        above = None if kept is None else kept + low
        return (
            Step(f"load_{LOW}", 1, low, source, Target.ENGINE, read, kept),
            Step(routine, 1, high, source, Target.ENGINE, read + low, above, highest=True),
        )

    def _runs(self, *runs: tuple[str, int]) -> list[Step]:
        return [Step(name, rounds, source=Source.MEMORY) for name, rounds in runs if rounds]

    @property
    def _check(self) -> Iterator[tuple[str, int]]:
        """The routines that raise a root to the public exponent, from left to right."""
        yield "copy", 1
        for zeros in f"{self.exponent:b}"[1:].split("1")[:-1]:
            yield "square", len(zeros) + 1
            yield "multiply", 1
