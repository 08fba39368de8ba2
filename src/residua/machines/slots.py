"""Slots and sequences: what a Cox-Rower engine executes, and what a scheduler has to know of it."""

from collections.abc import Sequence as Listed
from dataclasses import dataclass
from enum import IntEnum
from functools import cached_property

from residua.numbers.moduli import Modulus


class Left(IntEnum):
    """Sources of the left operand of a slot.

    The bus carries quotients and binary words; a row its super-residue, reduced. A partner is the
    rower of the same channel in the other lane: what it had one slot before. The code of a row is
    that of a neighbour and one bit more, so that either comes through one input.
    """

    REGISTER = 0
    NEIGHBOUR = 1
    RESULT = 2
    BUS = 3
    PARTNER = 4
    ROW = 5


def left_codes(lefts: Listed[Left]) -> dict[Left, int]:
    """Numbers of sources of left operands: those of an engine by position, if four do."""
    if Left.ROW in lefts and Left.NEIGHBOUR in lefts:
        return {left: int(left) for left in lefts}
    return {left: code for code, left in enumerate(lefts)}


EVERY_LEFT = (Left.REGISTER, Left.NEIGHBOUR, Left.RESULT, Left.BUS)
"""The sources of an engine without rows, in the order of their codes."""


TWO_LANES = (*EVERY_LEFT, Left.PARTNER)
"""Sources of left operands of an engine with two lanes."""


class Launch(IntEnum):
    """Sources of words of the ring of rows: it turns, or a pass begins."""

    TURN = 0
    RESULT = 1
    STORED = 2


ALWAYS = "one"
"""The name of a bit that is always set."""

ROW_STORAGE_DELAY = 1
"""Slots after which a stored super-residue can be read: it is written, and read at once."""


@dataclass(frozen=True)
class Machine:
    """Timing and memories of an engine, for the scheduler.

    ``rower_latency`` L is the distance in slots between a sequence's last slot and the first slot
    that can take its result. ``cox_latency`` is the distance between the slot in which the Cox taps
    the last word and the first slot that can use the quotient; ``taps`` is the number of ring
    positions that it taps. ``memory_delay`` is how many slots later than by forwarding a result can
    be read from the memory. In the last ``memory_blind`` slots before, what was there cannot be
    read any more either: a block memory that is read and written at once gives neither.

    With ``columns`` c > 1, c rowers make a row, and the rows a ring of their own, on which
    super-residues go around. ``row_latency`` is for these what L is for residues, to the first slot
    of their pass; their ring is ``row_lead`` slots ahead of the slots that multiply what it brings.
    The Cox waits ``cox_delay`` slots with what it taps there, lest the next pass changes a quotient
    before its use.

    ``narrow`` g > 0 adds a small rower for an extra modulus 2^g, which sees what rower 0 takes from
    the ring and can put its own words on the bus. ``narrow_cox_latency`` is for such a word what
    ``cox_latency`` is for one of the ring. If that modulus ``checks``, its words stay where
    they are, and are compared with each other.

    With two ``lanes`` there are two such engines, of ``rowers`` rowers each, which execute the same
    slots on words and constants of their own.
    """

    rowers: int
    rower_latency: int
    memory_delay: int
    cox_latency: int
    taps: int
    columns: int = 1
    row_latency: int = 0
    row_lead: int = 0
    cox_delay: int = 0
    narrow: int = 0
    narrow_cox_latency: int = 0
    lanes: int = 1
    memory_blind: int = 0
    checks: bool = False

    @property
    def units(self) -> int:
        """Rowers of a lane, the small one included: constants of a slot."""
        return self.rowers + bool(self.narrow)

    @property
    def turns(self) -> int:
        """Slots of a pass around the ring: rowers, or rows."""
        return self.rowers // self.columns

    @property
    def tap_slots(self) -> int:
        """Slots of a pass until the taps have seen every word."""
        return -(-self.turns // self.taps)

    def latency(self, word: "Word") -> int:
        """Slots from the last one of a sequence to the first that can be forwarded its result."""
        return self.row_latency if word.row else self.rower_latency

    def storage_delay(self, word: "Word") -> int:
        """Slots from forwarding of a result to the first read of it from where it is stored."""
        return ROW_STORAGE_DELAY if word.row else self.memory_delay

    def blind(self, word: "Word") -> int:
        """Slots before that read in which what was there before cannot be read any more."""
        return 0 if word.row else self.memory_blind


@dataclass(frozen=True)
class Word:
    """A residue of every rower: group ``group`` of a vector (channels group * rowers + i).

    With ``row`` a super-residue of every row of those channels.
    """

    value: int
    """Identity of the stored vector, an index into `Schedule.values`."""
    group: int
    row: bool = False


@dataclass(frozen=True)
class Slot:
    """One cycle of all rowers: accumulate left * right.

    ``left_word`` and ``right_word`` are the words read, ``constants`` the constant of each rower,
    ``binary_word`` the position of the binary word on the bus, ``gate`` the name of a bit that the
    bus carries, and whether it is inverted; without either the bus carries the quotient.
    ``tap_weights`` are the Cox's weights of the words at its taps, empty if it does not listen;
    ``cox_first`` clears it before. ``first`` and ``last`` delimit a sequence, ``subtract`` takes
    the sum so far (in the first slot: the start value) from the product instead of adding it.
    ``row_digit`` marks the product that a super-residue is made of, and says which digit of its
    multiplier, 0 the lowest, the constant is. With ``narrow`` the bus carries ``left_word`` of the
    small rower, or with ``crosses`` of the other lane's; ``listens`` has that one take rower 0's
    left operand for its own, and ``narrow_tap`` the Cox its left operand. ``other`` is what lane 1
    does at the same time: the same with other words and constants.
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
    row_digit: int | None = None
    narrow: bool = False
    crosses: bool = False
    listens: bool = False
    narrow_tap: bool = False
    other: "Slot | None" = None

    def lanes(self) -> "tuple[Slot, ...]":
        """The slots of all lanes."""
        return (self, self.other) if self.other else (self,)


@dataclass(frozen=True)
class Sequence:
    """The slots that compute one group of one step's result, and the moduli that reduce it.

    A sequence without result passes the words of an output around the ring, for who listens at
    rower 0. One that ``resumes`` a word goes on with the sum that made it, in the slot after that.
    """

    name: str
    result: Word | None
    moduli: tuple[Modulus, ...]
    slots: tuple[Slot, ...]
    resumes: Word | None = None

    @cached_property
    def reads(self) -> tuple[tuple[int, Word, bool], ...]:
        """Offsets of the slots that read a word, the word, and whether it can be forwarded."""
        slots = [(i, own) for i, slot in enumerate(self.slots) for own in slot.lanes()]
        lefts = [(i, slot.left_word, not slot.narrow) for i, slot in slots if slot.left_word]
        rights = [(i, slot.right_word, False) for i, slot in slots if slot.right_word]
        return tuple(dict.fromkeys((*lefts, *rights)))

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
        result = self.sequence.result
        return self.last + (machine.latency(result) if result else 1)
