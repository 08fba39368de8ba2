"""Slots and sequences: what a Cox-Rower engine executes, and what a scheduler has to know of it."""

from dataclasses import dataclass
from enum import IntEnum
from functools import cached_property

from residua.numbers.moduli import Modulus


class Left(IntEnum):
    """Where the left operand of a slot comes from; the bus carries quotients and binary words."""

    REGISTER = 0
    NEIGHBOUR = 1
    RESULT = 2
    BUS = 3


ALWAYS = "one"
"""The name of a bit that is always set."""


@dataclass(frozen=True)
class Machine:
    """What the scheduler has to know of an engine.

    ``rower_latency`` L is the distance in slots between a sequence's last slot and the first slot
    that can take its result. ``cox_latency`` is the distance between the slot in which the Cox taps
    the last word and the first slot that can use the quotient; ``taps`` is the number of ring
    positions that it taps. ``memory_delay`` is how many slots later than by forwarding a result can
    be read from the memory.
    """

    rowers: int
    rower_latency: int
    memory_delay: int
    cox_latency: int
    taps: int

    @property
    def tap_slots(self) -> int:
        """Slots of a ring pass until the taps have seen every rower's word."""
        return -(-self.rowers // self.taps)


@dataclass(frozen=True)
class Word:
    """A residue of every rower: group ``group`` of a vector (channels group * rowers + i)."""

    value: int
    """Identity of the stored vector, an index into `Schedule.values`."""
    group: int


@dataclass(frozen=True)
class Slot:
    """One cycle of all rowers: accumulate left * right.

    ``left_word`` and ``right_word`` are the words read, ``constants`` the constant of each rower,
    ``binary_word`` the position of the binary word on the bus, ``gate`` the name of a bit that the
    bus carries, and whether it is inverted; without either the bus carries the quotient.
    ``tap_weights`` are the Cox's weights of the words at its taps, empty if it does not listen;
    ``cox_first`` clears it before. ``first`` and ``last`` delimit a sequence, ``subtract`` takes
    the sum so far (in the first slot: the start value) from the product instead of adding it.
    """

    left: Left
    left_word: Word | None = None
    right_word: Word | None = None
    constants: tuple[int, ...] | None = None
    binary_word: int | None = None
    gate: tuple[str, bool] | None = None
    tap_weights: tuple[int, ...] = ()
    cox_first: bool = False
    first: bool = False
    last: bool = False
    subtract: bool = False


@dataclass(frozen=True)
class Sequence:
    """The slots that compute one group of one step's result, and the moduli that reduce it.

    A sequence without result passes the words of an output around the ring, for who listens at
    rower 0.
    """

    name: str
    result: Word | None
    moduli: tuple[Modulus, ...]
    slots: tuple[Slot, ...]

    @cached_property
    def reads(self) -> tuple[tuple[int, Word, bool], ...]:
        """Offsets of the slots that read a word, the word, and whether it is the left operand."""
        lefts = [(i, slot.left_word, True) for i, slot in enumerate(self.slots) if slot.left_word]
        rights = [
            (i, slot.right_word, False) for i, slot in enumerate(self.slots) if slot.right_word
        ]
        return (*lefts, *rights)

    @cached_property
    def binary_reads(self) -> tuple[tuple[int, int], ...]:
        """Offsets of the slots that read a binary word, and its position."""
        words = [(i, slot.binary_word) for i, slot in enumerate(self.slots)]
        return tuple((i, word) for i, word in words if word is not None)


@dataclass(frozen=True)
class Placed:
    """A sequence and the slot number at which it starts, counted from the start of the run."""

    sequence: Sequence
    start: int

    @property
    def last(self) -> int:
        """Slot number of the last slot."""
        return self.start + len(self.sequence.slots) - 1

    def finish(self, machine: Machine) -> int:
        """First slot of another run that can use what the sequence is for."""
        return self.last + (machine.rower_latency if self.sequence.result else 1)
