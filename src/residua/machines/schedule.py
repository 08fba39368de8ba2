"""The schedule interpreter: a cycle-exact program for a Cox-Rower engine.

Every rower executes the same slot in the same cycle: one product, accumulated. A step of the
program becomes one sequence of consecutive slots for each group of channels (one channel a rower),
which ends in a reduction; its word is in the result registers `rower_latency` slots after the last
slot. There it can be used at once as a left operand, and some slots later from the register memory.
Sequences of successive runs of the program interleave: a new run starts every `interval` slots, and
no two slots of the steady state coincide.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from enum import IntEnum
from functools import cached_property
from typing import Literal

from residua.algorithms.program import (
    Broadcast,
    Correction,
    Product,
    Program,
    Quotient,
    Reduction,
    Residues,
    Scaled,
    Words,
)
from residua.errors import SpecificationError
from residua.numbers.moduli import Modulus

Goal = Literal["latency", "interval"]

SEARCH_EFFORT = 12_000
"""Placements that the search for one interval tries, divided by the square of the number of sequences:
programs with few sequences are searched thoroughly, those with many have no good interval to
miss."""

START_DELAY = 5
"""Slots, at most, from the one after which an engine takes binary words again to the start of a
run, beside one for each word."""


class Left(IntEnum):
    """Where the left operand of a slot comes from; the bus carries quotients and binary words."""

    REGISTER = 0
    NEIGHBOUR = 1
    RESULT = 2
    BUS = 3


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
    ``binary_word`` the position of the binary word on the bus, None if the bus carries the
    quotient. ``tap_weights`` are the Cox's weights of the words at its taps, empty if it does not
    listen; ``cox_first`` clears it before. ``first`` and ``last`` delimit a sequence, ``subtract``
    takes the sum so far (in the first slot: the start value) from the product instead of adding it.
    """

    left: Left
    left_word: Word | None = None
    right_word: Word | None = None
    constants: tuple[int, ...] | None = None
    binary_word: int | None = None
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
        rights = [(i, slot.right_word, False) for i, slot in enumerate(self.slots) if slot.right_word]
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


@dataclass(frozen=True)
class Schedule:
    """A program placed on an engine.

    ``interval`` is the number of slots between runs in the steady state, ``latency`` the distance
    between the first slot of a run and the first slot of another that can use all its results.
    ``binary_words`` is the number of binary words that a run takes; ``serial`` tells that outputs
    are passed around the ring.
    """

    program: Program
    machine: Machine
    placed: tuple[Placed, ...]
    interval: int
    values: tuple[str, ...]
    inputs: tuple[Word, ...]
    outputs: tuple[Word, ...]
    binary_words: int
    serial: bool
    registers: dict[Word, int] = field(hash=False)

    @property
    def latency(self) -> int:
        """Slots from the first slot of a run to the first one that can use its last result."""
        return max(p.finish(self.machine) for p in self.placed)

    @property
    def stages(self) -> int:
        """Runs that are in flight at once in the steady state."""
        return max(p.last for p in self.placed) // self.interval + 1

    def slots(self) -> Iterator[tuple[int, Placed, Slot]]:
        """Every slot of one run with its number."""
        for placed in self.placed:
            for offset, slot in enumerate(placed.sequence.slots):
                yield placed.start + offset, placed, slot

    def operand(self, time: int, word: Word) -> Left:
        """How a left operand is read at slot ``time``: forwarded, or from the register memory."""
        return Left.RESULT if time == self.ready(word) else Left.REGISTER

    def ready(self, word: Word) -> int:
        """First slot at which a word can be forwarded; inputs are in the memory from the start."""
        for placed in self.placed:
            if placed.sequence.result == word:
                return placed.last + self.machine.rower_latency
        return -self.machine.memory_delay


def schedule(
    program: Program,
    machine: Machine,
    goal: Goal = "latency",
    *,
    serial: bool = False,
    shortest_interval: int = 0,
) -> Schedule:
    """Place ``program`` on ``machine``.

    Goal ``latency`` takes the shortest latency and then the shortest interval that allows it; goal
    ``interval`` the shortest interval and then the shortest latency; neither takes an interval
    below ``shortest_interval``. With ``serial`` the outputs are passed around the ring, one residue
    a slot.
    """
    builder = _Builder(program, machine, serial)
    choices = builder.choices()
    total = sum(len(orders[0].slots) for orders in choices)
    longest = total + (machine.rower_latency + machine.memory_delay + 1) * len(choices)
    if builder.binary_words:
        longest += builder.binary_words + START_DELAY
    longest = max(longest, shortest_interval + 1)
    prompt = _Placer(choices, machine, longest).best()
    assert prompt is not None
    limit = _finish(prompt) if goal == "latency" else None
    for interval in range(max(total, shortest_interval), longest):
        placed = _Placer(choices, machine, interval, limit).best()
        if placed is not None:
            return builder.finish(placed, interval)
    return builder.finish(prompt, longest)


def _finish(placed: list[Placed]) -> int:
    return max(p.last for p in placed)


class _Builder:
    """Turns the steps of a program into sequences of slots."""

    def __init__(self, program: Program, machine: Machine, serial: bool) -> None:
        self.program, self.machine, self.serial = program, machine, serial
        self.index: dict[int, int] = {}
        self.values: list[str] = []
        # Position of the first word of each binary operand.
        self.binary: dict[int, int] = {}
        self.binary_words = 0
        for source in program.inputs:
            if isinstance(source, Words):
                self.binary[id(source)] = self.binary_words
                self.binary_words += source.count
            else:
                self._number(source)
        for step in program.steps:
            self._number(step.result)

    def _number(self, value: Residues) -> None:
        if len(value.base) % self.machine.rowers:
            raise SpecificationError(
                f"{self.machine.rowers} rowers cannot share {len(value.base)} moduli evenly; "
                f"the number of rowers must divide {len(value.base)}"
            )
        self.index[id(value)] = len(self.values)
        self.values.append(value.name)

    def _word(self, value: Residues, group: int) -> Word:
        stored, first = value.root()
        if first % self.machine.rowers:
            raise SpecificationError(f"{value.name} does not start at the first rower")
        return Word(self.index[id(stored)], first // self.machine.rowers + group)

    def _groups(self, value: Residues) -> int:
        return len(value.base) // self.machine.rowers

    def choices(self) -> list[list[Sequence]]:
        """For each sequence in program order, the orders of slots to choose from."""
        choices = [
            [self._sequence(step, group, late) for late in orders]
            for step in self.program.steps
            for orders in [_orders(step)]
            for group in range(self._groups(step.result))
        ]
        if self.serial:
            choices += [[self._serial(output)] for output in self.program.outputs]
        return choices

    def _serial(self, output: Residues) -> Sequence:
        """Passes the words of an output around the ring; rower 0 has channel i in slot i."""
        slots = []
        for group in range(self._groups(output)):
            slots.append(Slot(Left.REGISTER, left_word=self._word(output, group)))
            slots += [Slot(Left.NEIGHBOUR)] * (self.machine.rowers - 1)
        slots[0] = replace(slots[0], first=True)
        slots[-1] = replace(slots[-1], last=True)
        return Sequence(output.name, None, (), tuple(slots))

    def _sequence(self, step: Reduction, group: int, scaled_late: bool) -> Sequence:
        """The slots of one group: products, then broadcasts, scaled terms before or after, quotients."""
        if len({term.quotient for term in step.terms if isinstance(term, Correction)}) > 1:
            raise SpecificationError(f"{step.result.name} sums two base extensions; a Cox has one")
        rowers = self.machine.rowers
        moduli = step.result.base.moduli[group * rowers : (group + 1) * rowers]
        slots = self._signed_products(step, group)
        quotients: list[Slot] = []
        tapped = 0
        for term in sorted(step.terms, key=lambda t: isinstance(t, Scaled) == scaled_late):
            match term:
                case Scaled(value, constants, _):
                    slots.append(self._scaled(value, group, constants, moduli))
                case Broadcast(Words() as words, matrix, _):
                    slots += self._binary(words, matrix, group, moduli)
                case Broadcast(Residues() as source, matrix, _):
                    quotient = _quotient_of(step, source)
                    slots += self._passes(source, matrix, group, moduli, quotient)
                    tapped = len(slots) - rowers + self.machine.tap_slots - 1
                case Correction(_, constants):
                    constant = self._constants(constants, group, moduli)
                    quotients.append(Slot(Left.BUS, constants=constant))
                case Product():
                    pass
        # Until the Cox has its quotient, idle slots: the sequence keeps the accumulator.
        while quotients and len(slots) < tapped + self.machine.cox_latency:
            slots.append(Slot(Left.REGISTER))
        slots += quotients
        slots[0] = replace(slots[0], first=True)
        slots[-1] = replace(slots[-1], last=True)
        result = self._word(step.result, group)
        return Sequence(step.result.name, result, moduli, tuple(slots))

    def _signed_products(self, step: Reduction, group: int) -> list[Slot]:
        """Products to be subtracted first; the next slot then takes their sum from its own product.

        So that the start value of the accumulator comes out with its own sign, it is subtracted
        too.
        """
        products = [term for term in step.terms if isinstance(term, Product)]
        negative = [self._product(term, group) for term in products if term.sign < 0]
        positive = [self._product(term, group) for term in products if term.sign > 0]
        if negative:
            positive = positive or [Slot(Left.REGISTER)]
            positive[0] = replace(positive[0], subtract=True)
            negative[0] = replace(negative[0], subtract=True)
        return negative + positive

    def _product(self, term: Product, group: int) -> Slot:
        left, right = self._word(term.left, group), self._word(term.right, group)
        return Slot(Left.REGISTER, left_word=left, right_word=right)

    def _scaled(
        self, value: Residues, group: int, constants: tuple[int, ...], moduli: tuple[Modulus, ...]
    ) -> Slot:
        constant = self._constants(constants, group, moduli)
        return Slot(Left.REGISTER, left_word=self._word(value, group), constants=constant)

    def _constants(
        self, row: tuple[int, ...], group: int, moduli: tuple[Modulus, ...]
    ) -> tuple[int, ...]:
        first = group * self.machine.rowers
        own = row[first : first + self.machine.rowers]
        return tuple(m.centre(c) for m, c in zip(moduli, own, strict=True))

    def _binary(
        self,
        words: Words,
        matrix: tuple[tuple[int, ...], ...],
        group: int,
        moduli: tuple[Modulus, ...],
    ) -> list[Slot]:
        """One slot for each binary word, which all rowers take from the bus."""
        first = self.binary[id(words)]
        return [
            Slot(Left.BUS, constants=self._constants(row, group, moduli), binary_word=first + j)
            for j, row in enumerate(matrix)
        ]

    def _passes(
        self,
        source: Residues,
        matrix: tuple[tuple[int, ...], ...],
        group: int,
        moduli: tuple[Modulus, ...],
        quotient: Quotient | None,
    ) -> list[Slot]:
        """One pass around the ring for each group of source channels.

        In slot i of a pass, rower r holds the word of rower r + i.
        """
        rowers, slots = self.machine.rowers, []
        for chunk in range(self._groups(source)):
            for turn in range(rowers):
                row = [chunk * rowers + (rower + turn) % rowers for rower in range(rowers)]
                constants = tuple(
                    m.centre(matrix[j][group * rowers + rower])
                    for rower, (m, j) in enumerate(zip(moduli, row, strict=True))
                )
                slot = Slot(Left.NEIGHBOUR, constants=constants)
                if turn == 0:
                    slot = replace(slot, left=Left.REGISTER, left_word=self._word(source, chunk))
                if quotient is not None and turn < self.machine.tap_slots:
                    weights = self._tap_weights(quotient, chunk, turn)
                    slot = replace(
                        slot, tap_weights=weights, cox_first=chunk == 0 and turn == 0
                    )
                slots.append(slot)
        return slots

    def _tap_weights(self, quotient: Quotient, chunk: int, turn: int) -> tuple[int, ...]:
        """Weights of the words that the taps see in one slot; 0 for one that another tap takes."""
        rowers, share = self.machine.rowers, self.machine.tap_slots
        weights = []
        for tap in range(self.machine.taps):
            position = tap * share + turn
            seen = position < rowers
            weights.append(quotient.weights[chunk * rowers + position] if seen else 0)
        return tuple(weights)

    def finish(self, placed: list[Placed], interval: int) -> Schedule:
        """Collect inputs, outputs and registers."""
        groups = {id(v): range(self._groups(v)) for v in self._vectors()}
        inputs = [
            self._word(v, g) for v in self.program.inputs if isinstance(v, Residues)
            for g in groups[id(v)]
        ]
        outputs = [self._word(v, g) for v in self.program.outputs for g in range(self._groups(v))]
        result = Schedule(
            self.program,
            self.machine,
            tuple(placed),
            interval,
            tuple(self.values),
            tuple(inputs),
            tuple(outputs),
            self.binary_words,
            self.serial,
            {},
        )
        return replace(result, registers=_allocate(result))

    def _vectors(self) -> list[Residues]:
        sources = [v for v in self.program.inputs if isinstance(v, Residues)]
        return sources + [step.result for step in self.program.steps]


def _quotient_of(step: Reduction, source: Residues) -> Quotient | None:
    for term in step.terms:
        if isinstance(term, Correction) and term.quotient.source is source:
            return term.quotient
    return None


def _orders(step: Reduction) -> list[bool]:
    """Whether scaled terms come after the broadcasts: both ways if the step has both."""
    kinds = {type(term) for term in step.terms}
    return [True, False] if {Scaled, Broadcast} <= kinds else [True]


class _Placer:
    """Depth-first search for start slots that no two runs of the steady state contend for."""

    def __init__(
        self,
        choices: list[list[Sequence]],
        machine: Machine,
        interval: int,
        limit: int | None = None,
    ) -> None:
        self.choices, self.machine, self.interval = choices, machine, interval
        self.binary_words = 1 + max(
            (word for orders in choices for _, word in orders[0].binary_reads), default=-1
        )
        self.limit = limit
        self.found: list[Placed] | None = None
        self.nodes = max(SEARCH_EFFORT // len(choices) ** 2, 50)

    def best(self) -> list[Placed] | None:
        """The placement that finishes first, within the limit on the last slot; None if there is none."""
        self._extend([], 0, {})
        return self.found

    def _extend(self, placed: list[Placed], taken: int, ready: dict[Word, int]) -> None:
        if len(placed) == len(self.choices):
            self.found, self.limit = list(placed), _finish(placed) - 1
            return
        for candidate in self._candidates(len(placed), taken, ready):
            self.nodes -= 1
            if self.nodes < 0:
                return
            after = dict(ready)
            if candidate.sequence.result:
                after[candidate.sequence.result] = candidate.finish(self.machine)
            self._extend([*placed, candidate], taken | self._phases(candidate), after)

    def _candidates(
        self, position: int, taken: int, ready: dict[Word, int]
    ) -> Iterator[Placed]:
        """Starts of the next sequence, the earliest first, while the limit can still be met."""
        orders = self.choices[position]
        earliest = min(_earliest(sequence, ready) for sequence in orders)
        for start in range(earliest, earliest + 2 * self.interval):
            for sequence in orders:
                candidate = Placed(sequence, start)
                if self.limit is not None and candidate.last > self.limit:
                    return
                if self._fits(candidate, taken, ready):
                    yield candidate

    def _fits(self, candidate: Placed, taken: int, ready: dict[Word, int]) -> bool:
        if len(candidate.sequence.slots) > self.interval or self._phases(candidate) & taken:
            return False
        reload = _reload(candidate)
        if reload is not None and reload + self.binary_words + START_DELAY > self.interval:
            return False
        delay = self.machine.memory_delay
        return _operands(candidate.sequence, candidate.start, ready, self.interval, delay)

    def _phases(self, candidate: Placed) -> int:
        """Bit mask of the slots of the steady state that a sequence occupies."""
        run = ((1 << len(candidate.sequence.slots)) - 1) << (candidate.start % self.interval)
        return (run | run >> self.interval) & ((1 << self.interval) - 1)




def _reload(candidate: Placed) -> int | None:
    """First slot after which the next run's binary words can come, one a cycle, without overtaking.

    None for a sequence that reads none.
    """
    reads = candidate.sequence.binary_reads
    return max((candidate.start + offset - word for offset, word in reads), default=None)


def _earliest(sequence: Sequence, ready: dict[Word, int]) -> int:
    return max([0, *(ready[w] - o for o, w, _ in sequence.reads if w in ready)])


def _operands(
    sequence: Sequence, start: int, ready: dict[Word, int], interval: int, memory_delay: int
) -> bool:
    """Whether every word is there and not yet overwritten by the next run.

    A result can be forwarded to a left operand in the slot in which it is ready, and read from the
    memory ``memory_delay`` slots after that.
    """
    for offset, word, is_left in sequence.reads:
        distance = start + offset - ready.get(word, -memory_delay)
        if distance > interval or distance < memory_delay and not (is_left and distance == 0):
            return False
    return True


def _allocate(schedule: Schedule) -> dict[Word, int]:
    """One register for each word that is read from the memory; register 0 always holds zero."""
    registers: dict[Word, int] = {}
    for word in schedule.inputs:
        registers[word] = len(registers) + 1
    for placed in schedule.placed:
        for offset, word, _ in placed.sequence.reads:
            forwarded = placed.start + offset == schedule.ready(word)
            if not forwarded and word not in registers:
                registers[word] = len(registers) + 1
    return registers
