"""Random requests for cores: any keys that a kind has, with any values that they might take.

What a kind's keys are, and among which values some of them choose, its specification says; numbers,
moduli and curves are those below. Most requests are refused: then the message has to be one that
helps, and the request is changed in what it names, until it is met or nothing is left to change.
"""

import enum
import random
import re
import typing
from collections.abc import Iterator, Sequence
from fractions import Fraction
from typing import Any

from residua.cores.core import Core
from residua.cores.kind import Kind
from residua.cores.kinds import core_of
from residua.cores.specification.reading import check_any
from residua.errors import SpecificationError
from residua.evidence.small_curves import MONTGOMERY_TINY, SBMM_TINY, SMALL, TINY

NUMBERS = (
    *range(11), 12, 16, 17, 18, 20, 24, 32, 33, 34, 48, 64, 65, 96, 128,
)  # fmt: skip
"""What stands for numbers: most limits are among them, with the numbers beside."""

FRACTIONS = ("0", "1/4", "3/8", "1/2", "1/1024", "1")

MODULI = (
    0x1000B, 0x10001, 0x5FFFF9, 65551 * 65513, 1099511627689, 2**61 - 1, 2**64 - 59, 2**89 - 1,
    2**64 - 2, 3 * 0x10001,
)  # fmt: skip
"""Small ones: primes and others, some of which a kind refuses."""

CURVES = ([TINY], [SMALL], [SBMM_TINY], [MONTGOMERY_TINY], [TINY, MONTGOMERY_TINY])
"""Curves of a core."""

_MOST_KEYS = 5
"""Keys that are drawn beside those without which there is no request."""

_MOST_CHANGES = 12
"""Changes of a request after which it is given up."""

_KEPT = ("algorithm", "curve")
"""Keys without which a request is one for another kind."""

_UNSAID = re.compile(r"\bNone\b|\bnan\b|<class|object at 0x|Traceback")
"""What no message may have in it, as no user has written it."""


class RandomRequest:
    """A request for a core of a kind, and what becomes of it.

    Attributes:
        values: keys and values, as they are asked for now.
        refusals: messages so far.
    """

    def __init__(self, kind: Kind, seed: str, largest: int) -> None:
        """Draw a request.

        Args:
            kind: of the core.
            seed: makes the choices; the same one, the same ones.
            largest: numbers are no larger, and so are most cores.
        """
        self._kind, self._largest = kind, largest
        self._generator = random.Random(seed)
        self.values = self._drawn()
        self.refusals: list[str] = []

    def core(self) -> Core | None:
        """Ask, and change the request until there is a core; None if nothing helps.

        Any exception but a refusal is raised as it is.
        """
        for _ in range(_MOST_CHANGES):
            try:
                return core_of(check_any(dict(self.values)))
            except SpecificationError as error:
                self.refusals.append(str(error))
            if not self._change(self.refusals[-1]):
                break
        return None

    @property
    def faults(self) -> list[str]:
        """The refusals that do not help."""
        return [text for text in self.refusals if "\n" in text or _UNSAID.search(text)]

    def _drawn(self) -> dict[str, Any]:
        """A request as it comes."""
        fields, choice = self._kind.specification.model_fields, self._generator.choice
        values: dict[str, Any] = {"algorithm": choice(self._kind.specification.algorithms)}
        if "curve" in fields:
            values["curve"] = choice(CURVES)
        elif fields["modulus"].is_required() or self._generator.randrange(3):
            values["modulus"] = choice(MODULI)
        others = [name for name in fields if name not in values and self._choices(name)]
        for name in self._generator.sample(others, self._generator.randrange(_MOST_KEYS + 1)):
            values[name] = choice(self._choices(name))
        return values

    def _change(self, message: str) -> bool:
        """Leave out a key that a message names, or give one that is missing; whether any is."""
        fields = self._kind.specification.model_fields
        named = [name for name in fields if re.search(rf"\b{name}\b", message)]
        given = [name for name in named if name in self.values and name not in _KEPT]
        absent = [name for name in named if name not in self.values and self._choices(name)]
        if given:
            del self.values[self._generator.choice(given)]
        elif absent:
            name = self._generator.choice(absent)
            self.values[name] = self._generator.choice(self._choices(name))
        return bool(given or absent)

    def _choices(self, name: str) -> Sequence[Any]:
        """The values that are drawn of a key."""
        if name == "modulus":
            return MODULI
        return list(choices(self._kind.specification.model_fields[name].annotation, self._largest))


def choices(annotation: object, largest: int) -> Iterator[Any]:
    """The values among which the annotation of a key lets one choose, numbers up to a largest.

    There are none of what only a core would tell, as the moduli of its bases.
    """
    if typing.get_origin(annotation) is typing.Literal:
        yield from typing.get_args(annotation)
    elif annotation is bool:
        yield from (False, True)
    elif annotation is int:
        yield from (number for number in NUMBERS if number <= largest)
    elif annotation is Fraction:
        yield from FRACTIONS
    elif isinstance(annotation, type) and issubclass(annotation, enum.Enum):
        yield from (member.value for member in annotation)
    elif typing.get_args(annotation) != (int, ...):
        for part in typing.get_args(annotation):
            yield from choices(part, largest)
