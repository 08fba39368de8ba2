"""Instructions for the controller of a coprocessor: they run routines, and take and give numbers.

A routine is a field program, by its name; see `residua.curves.operations.routines`.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import ClassVar, Literal

from residua.curves.operations.codes import Status

Source = Literal[
    "operand",
    "random",
    "choice",
    "scalar",
    "base scalar",
    "split scalar",
    "comb scalar",
    "first scalar",
    "second scalar",
    "first split scalar",
    "second split scalar",
]

PLAIN: tuple[Source, ...] = (
    "first scalar",
    "second scalar",
    "first split scalar",
    "second split scalar",
)
"""Scalars that are not blinded: those of sums of two multiples."""


DRAWN: tuple[Source, ...] = ("random", "choice")
"""Numbers that are random words."""


@dataclass(frozen=True)
class Read:
    """Take a number: a scalar, or an operand or random words for the next "load" routine.

    A "scalar" is blinded, a "base scalar", for the base point, by multiples of its order; so is a
    "comb scalar", whose columns choose entries of tables. A "split scalar" is taken as two halves,
    blinded by multiples of the vectors of a lattice. A "first scalar" and a "second scalar" are not
    blinded, nor are a "first split scalar" and a "second split scalar" as two halves. A "choice"
    is random words that choose bases. An operand
    must be below the modulus, a scalar must have no more bits than the curve allows; the next
    `Check` ends an operation that broke this.
    """

    source: Source


@dataclass(frozen=True)
class Run:
    """Run a routine; ``rounds`` None: once for each digit of the blinded scalar.

    What `Follow` found is for its own instructions: a ``counted`` routine runs once for each of
    the doublings, an ``indexed`` one is the first of several, by the index of the entry.
    """

    routine: str
    rounds: int | None = 1
    counted: bool = False
    indexed: bool = False


@dataclass(frozen=True)
class Receive:
    """Wait for the number that "unload" gives out, and keep it as a result.

    With ``stop`` it is only tested: the operation ends with ``status`` if it is zero, or if not.
    Unless it is to be ``kept``, it is dropped.
    """

    stop: Literal["zero", "nonzero"] | None = None
    status: Status = Status.OK
    kept: bool = True


@dataclass(frozen=True)
class Check:
    """End the operation if a number that was read is out of range."""


@dataclass(frozen=True)
class Invert:
    """Set "inverse" to 1 / "d", or to 0 if "d" is 0."""


@dataclass(frozen=True)
class Reciprocate:
    """Wait for the unit that inverts.

    It takes the number that "unload" gives out, and its inverse is that of the next "load"; or,
    after an `Admit`, the residues that a routine gives out, and puts those of a fraction in place.
    """


@dataclass(frozen=True)
class Admit:
    """The residues that are given out next are for the unit that inverts."""


@dataclass(frozen=True)
class Modulus:
    """From here on routines and numbers are modulo the ``order``, or else modulo the prime."""

    order: bool


@dataclass(frozen=True)
class When:
    """Wait for the number that "unload" gives out; it says whether ``instructions`` are followed.

    They are if ``number`` tells what it is.
    """

    number: Literal["zero", "nonzero"]
    instructions: tuple["Instruction", ...]


@dataclass(frozen=True)
class Deliver:
    """The number that "unload" gives out next is a scalar, or the operand of the next "load".

    A scalar is not blinded.
    """

    target: Literal[
        "first scalar", "second scalar", "first split scalar", "second split scalar", "operand"
    ]


@dataclass(frozen=True)
class Follow:
    """Do what the windows of two scalars, or of their four halves, say, from the highest digits on.

    ``events`` has the instructions of each of `Events` but the last one. The order and the number
    of what is done depends on the scalars: they have to be public.
    """

    events: tuple[tuple["Instruction", ...], ...]


@dataclass(frozen=True)
class Events:
    """Codes of what so many windows ask for; see `residua.curves.signatures.sliding_windows`.

    After the doublings, 0, come the beginnings with an entry of each window, then its additions.
    """

    windows: int

    DOUBLE: ClassVar[int] = 0

    def begin(self, window: int) -> int:
        """The sum begins with an entry of a window."""
        return 1 + window

    def add(self, window: int) -> int:
        """An entry of a window is added."""
        return 1 + self.windows + window

    @property
    def end(self) -> int:
        """All has been done."""
        return 1 + 2 * self.windows


Instruction = (
    Read | Run | Receive | Check | Invert | Reciprocate | Admit | Modulus | When | Deliver | Follow
)

NUMBER = "number"
"""The element that "load" sets from a number, and that "unload" gives out."""


def every(instructions: Iterable[Instruction]) -> Iterator[Instruction]:
    """Instructions, each followed by those that are part of it."""
    for instruction in instructions:
        yield instruction
        match instruction:
            case When(_, own):
                yield from every(own)
            case Follow(events):
                for event in events:
                    yield from every(event)


def taken_numbers(instructions: Iterable[Instruction]) -> int:
    """The numbers that an operation takes of its host."""
    reads = (one.source for one in every(instructions) if isinstance(one, Read))
    return sum(source not in DRAWN for source in reads)


def given_numbers(instructions: Iterable[Instruction]) -> int:
    """The numbers that an operation gives out if it ends well."""
    kept = (isinstance(one, Receive) and one.kept and not one.stop for one in every(instructions))
    return sum(kept)


def stop_if(element: str, stop: Literal["zero", "nonzero"], status: Status) -> list[Instruction]:
    """End the operation with ``status`` if an element is zero, or if it is not."""
    return [*unload_number(element), Receive(stop, status)]


def give_results(*elements: str) -> list[Instruction]:
    """Keep elements as results."""
    return [i for element in elements for i in (*unload_number(element), Receive())]


def load_number(source: Literal["operand", "random"], element: str) -> list[Instruction]:
    """Take a number as an element."""
    return [Read(source), Run("load"), Run(f"copy_{element}_{NUMBER}")]


def unload_number(element: str) -> list[Instruction]:
    """Give an element out as a number."""
    return [Run(f"copy_{NUMBER}_{element}"), Run("unload")]
