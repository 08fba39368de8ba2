"""What is attacked, whatever the core: an operation, its secrets, and what may come of a fault."""

from abc import ABC, abstractmethod
from dataclasses import dataclass
from enum import StrEnum


class Effect(StrEnum):
    """What comes of a fault."""

    HARMLESS = "harmless"
    """Status and words are right."""
    DETECTED = "detected"
    """The status tells of an error, and nothing wrong is given out."""
    HANG = "hang"
    """There is no end."""
    OFF_CURVE = "silent, off the curve"
    """All seems well, and the result is no point of the curve."""
    ON_CURVE = "silent, on the curve"
    """All seems well, and the result is another point of the curve."""
    SILENT = "silent"
    """All seems well, and the result, which is no whole point, is wrong."""
    FACTOR = "silent, gives a factor"
    """What is given out, with or without an error, is no root, and leads to a factor of N."""
    ADMITTED = "admitted"
    """All seems well, although what was given had to be refused."""
    WORDS = "words beside an error"
    """The status tells of an error, and words are given out."""


HARMFUL = (
    Effect.OFF_CURVE,
    Effect.ON_CURVE,
    Effect.SILENT,
    Effect.FACTOR,
    Effect.ADMITTED,
    Effect.WORDS,
)
"""What no fault should come to."""


@dataclass(frozen=True)
class Bench:
    """C++ that runs single operations of a core.

    Attributes:
        top: module of the core.
        source: has ``Operation``, ``operation_of`` and ``Bench``; what calls them follows.
    """

    top: str
    source: str


@dataclass(frozen=True)
class Answer:
    """What a simulation of an operation ends with.

    Attributes:
        hangs: there was no end.
        status: what the core said in the end; of another meaning for each bench.
        cycles: of the operation.
        words: of the result, parts of 32 bits in hexadecimal.
    """

    hangs: bool
    status: int
    cycles: int
    words: tuple[str, ...]

    @classmethod
    def of(cls, text: str) -> "Answer":
        """The answer in a line: hang or done, and what ``print`` of the bench says."""
        end, status, cycles, _, *words = text.split()
        return cls(end == "hang", int(status), int(cycles), tuple(words))


class Victim(ABC):
    """An operation of a core with some secrets, and what it has to give.

    Attributes:
        operation: its name.
        keys: how many secrets there are.
        cycles: of the operation if it ends well; before it has run, at least as many.
    """

    operation: str
    keys: int
    cycles: int

    @property
    @abstractmethod
    def about(self) -> dict[str, str]:
        """What a result of an attack tells of the numbers: a curve, or a size."""

    @property
    @abstractmethod
    def bench(self) -> Bench:
        """C++ that runs the operation."""

    @abstractmethod
    def line(self, key: int) -> str:
        """The operation with one of the secrets as a line for the bench."""

    @abstractmethod
    def judged(self, key: int, answer: Answer) -> tuple[Effect, str]:
        """What an answer is, with that secret, and the name of its status."""
