"""Faults, drawn at random from the registers and memories of a design and from a span of cycles."""

import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from fnmatch import fnmatchcase
from itertools import accumulate
from typing import TypeVar

from residua.errors import SpecificationError
from residua.toolchain.planted.injection import Memory, OpenDesign
from residua.toolchain.planted.registers import Register

Part = TypeVar("Part", Register, Memory, Register | Memory)


class FaultKind(StrEnum):
    """What a fault does; all but `MEMORY` do it to registers."""

    FLIP = "flip"
    """A bit is inverted as it is stored."""
    DOUBLE = "double"
    """Two bits, of any registers in any cycles."""
    SKIP = "skip"
    """A register keeps what it holds for one cycle, as if it had no clock."""
    STUCK = "stuck"
    """A bit keeps a value, 0 or 1, to the end of the operation."""
    MEMORY = "memory"
    """A bit of a word of a memory is inverted."""


@dataclass(frozen=True)
class Fault:
    """A fault.

    Attributes:
        places: the registers or memories that it changes.
        effects: what it does, as the harness reads it, in the order of the cycles.
    """

    places: tuple[str, ...]
    effects: tuple[tuple[int, str], ...]

    @property
    def cycle(self) -> int:
        """The first cycle in which something changes."""
        return self.effects[0][0]

    def line(self, number: int) -> str:
        """The fault with a number as a line for the harness."""
        return " ".join([str(number), *(text for _, text in self.effects)])


@dataclass(frozen=True)
class Target:
    """What faults are drawn from.

    Attributes:
        design: with all its registers and memories.
        cycles: from the first to before the last.
        where: pattern of the names of registers or memories, as of files.

    Raises:
        SpecificationError: there are no such cycles, or no such registers or memories.
    """

    design: OpenDesign
    cycles: range
    where: str = "*"

    def __post_init__(self) -> None:
        if not self.cycles:
            raise SpecificationError(
                f"no cycle from {self.cycles.start} to before {self.cycles.stop}: name more"
            )

    def faults(self, kind: FaultKind, count: int, seed: int) -> list[Fault]:
        """Draw faults: every bit (`FaultKind.SKIP`: every register) and cycle is as likely.

        Raises:
            SpecificationError: none has such a name.
        """
        draw = random.Random(f"{kind} {seed}")
        parts = self._parts(kind)
        weights = list(accumulate(1 if kind is FaultKind.SKIP else _bits(part) for part in parts))
        return [self._fault(kind, draw, parts, weights) for _ in range(count)]

    def bits(self, kind: FaultKind) -> int:
        """The bits that a fault may change."""
        return sum(_bits(part) for part in self._parts(kind))

    def _parts(self, kind: FaultKind) -> list[Register | Memory]:
        whole: Sequence[Register | Memory] = (
            self.design.memories if kind is FaultKind.MEMORY else self.design.registers
        )
        what = "memory" if kind is FaultKind.MEMORY else "register"
        return named(whole, self.where, what)

    def _fault(
        self,
        kind: FaultKind,
        draw: random.Random,
        parts: Sequence[Register | Memory],
        weights: list[int],
    ) -> Fault:
        count = 2 if kind is FaultKind.DOUBLE else 1
        chosen = draw.choices(parts, cum_weights=weights, k=count)
        effects = [
            (cycle := draw.choice(self.cycles), _effect(kind, draw, part, cycle)) for part in chosen
        ]
        return Fault(tuple(part.name for part in chosen), tuple(sorted(effects)))


def named(parts: Sequence[Part], where: str, what: str) -> list[Part]:
    """The parts whose names are like a pattern.

    Args:
        parts: registers or memories.
        where: the pattern, as of files.
        what: one of them is called.

    Raises:
        SpecificationError: none is.
    """
    found = [part for part in parts if fnmatchcase(part.name, where)]
    if not found:
        names = sorted({part.name.partition(".")[0] for part in parts if "." in part.name})
        raise SpecificationError(
            f"no {what} has a name like '{where}'; names begin with "
            f"{', '.join(names)}, as in '{names[0]}.*'"
            if names
            else f"the core has no {what}"
        )
    return found


def _bits(part: Register | Memory) -> int:
    return part.width * (part.depth if isinstance(part, Memory) else 1)


def _effect(kind: FaultKind, draw: random.Random, part: Register | Memory, cycle: int) -> str:
    bit = draw.randrange(part.width)
    if isinstance(part, Memory):
        return f"word {cycle} {part.index} {draw.randrange(part.depth)} {bit}"
    if kind is FaultKind.SKIP:
        return f"skip {cycle} {part.first} {part.width} 0"
    if kind is FaultKind.STUCK:
        return f"hold {cycle} {part.first + bit} 1 {draw.randrange(2)}"
    return f"flip {cycle} {part.first + bit} 1 0"


def in_order(faults: Sequence[Fault]) -> Iterator[tuple[int, Fault]]:
    """Faults with their numbers from 1 on, those with earlier first cycles first."""
    yield from sorted(enumerate(faults, 1), key=lambda pair: (pair[1].cycle, pair[0]))


def kind_of(name: str) -> FaultKind:
    """The kind of faults of a name.

    Raises:
        SpecificationError: there is none.
    """
    try:
        return FaultKind(name)
    except ValueError:
        names = ", ".join(FaultKind)
        raise SpecificationError(f"no faults of the kind '{name}': one of {names}") from None


def span_of(text: str | None) -> tuple[int, int] | None:
    """The first cycle and the one after the last, as in "100:200"; None stays None.

    Raises:
        SpecificationError: it is something else.
    """
    if text is None:
        return None
    first, colon, end = text.partition(":")
    if not (colon and first.isdecimal() and end.isdecimal()):
        raise SpecificationError(f"cycles '{text}': give them as FROM:TO, as in 100:200")
    return int(first), int(end)
