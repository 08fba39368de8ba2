"""Placement: start slots for sequences, so that successive runs can interleave."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

from residua.machines.slots import Machine, Placed, Sequence, Word

SEARCH_EFFORT = 12_000
"""Placements that the search for one interval tries, divided by the square of the number of
sequences: programs with few are searched thoroughly, those with many have little to gain."""

START_DELAY = 5
"""Slots, at most, from the one after which an engine takes operands again to the start of a run,
beside one for each word."""


@dataclass(frozen=True)
class Task:
    """Sequences to place.

    ``choices`` has, for each sequence in program order, the orders of slots to choose from;
    ``inputs`` are the words of a run's operands.
    """

    choices: list[list[Sequence]]
    machine: Machine
    inputs: tuple[Word, ...]

    @cached_property
    def binary_words(self) -> int:
        """Binary words that a run takes."""
        return 1 + max(
            (word for orders in self.choices for _, word in orders[0].binary_reads), default=-1
        )

    @cached_property
    def total(self) -> int:
        """Slots of all sequences, which no interval can undercut."""
        return sum(min(len(order.slots) for order in orders) for orders in self.choices)

    @cached_property
    def longest(self) -> int:
        """An interval that is long enough."""
        slowest = max(
            self.machine.rower_latency + self.machine.memory_delay, self.machine.row_latency
        )
        loads = max(len(self.inputs) + len(self.choices), self.binary_words)
        return self.total + (slowest + 1) * len(self.choices) + loads + START_DELAY

    def reloads(self, placed: list[Placed], interval: int) -> bool:
        """Whether the next run has all its words in the register memory when it is to start.

        They come one a slot, after the last read of any, and not in slots in which a result is
        stored.
        """
        if not self.inputs:
            return True
        reads = [
            p.start + offset
            for p in placed
            for offset, word, _ in p.sequence.reads
            if word in self.inputs
        ]
        stored = stores(placed, self.machine)
        writes = {time % interval for word, time in stored.items() if not word.row}
        slot, left = max(reads, default=0), len(self.inputs)
        while left and slot <= interval:
            left -= slot % interval not in writes
            slot += 1
        return slot + START_DELAY <= interval


class Placer:
    """Depth-first search for start slots that no two runs of the steady state contend for."""

    def __init__(self, task: Task, interval: int, limit: int | None = None) -> None:
        self.task, self.choices, self.machine = task, task.choices, task.machine
        self.interval, self.limit = interval, limit
        self.found: list[Placed] | None = None
        # Enough to place every sequence of a long program once.
        self.nodes = max(SEARCH_EFFORT // len(self.choices) ** 2, 50, 2 * len(self.choices))

    def best(self) -> list[Placed] | None:
        """The placement that finishes first, within the limit; None if there is none."""
        self._extend([], 0, {})
        return self.found

    def accepts(self, placed: list[Placed]) -> bool:
        """Whether a placement made for another interval does for this one too."""
        taken, ready = 0, dict[Word, int]()
        for candidate in placed:
            sequence, start = candidate.sequence, candidate.start
            if not (
                self._window(sequence, ready).has(start) and self._is_free(sequence, start, taken)
            ):
                return False
            taken |= self._phases(candidate)
            if candidate.sequence.result:
                ready[candidate.sequence.result] = candidate.finish(self.machine)
        return self.task.reloads(placed, self.interval)

    def _extend(self, placed: list[Placed], taken: int, ready: dict[Word, int]) -> None:
        if len(placed) == len(self.choices):
            if self.task.reloads(placed, self.interval):
                self.found, self.limit = list(placed), last_slot(placed) - 1
            return
        for candidate in self._candidates(len(placed), taken, ready):
            self.nodes -= 1
            if self.nodes < 0:
                return
            after = dict(ready)
            if candidate.sequence.result:
                after[candidate.sequence.result] = candidate.finish(self.machine)
            self._extend([*placed, candidate], taken | self._phases(candidate), after)

    def _candidates(self, position: int, taken: int, ready: dict[Word, int]) -> Iterator[Placed]:
        """Starts of the next sequence, the earliest first, while the limit can still be met."""
        orders = self.choices[position]
        windows = [(sequence, self._window(sequence, ready)) for sequence in orders]
        earliest = min(window.first for _, window in windows)
        last = max(window.last for _, window in windows)
        for start in range(earliest, min(earliest + 2 * self.interval, last + 1)):
            for sequence, window in windows:
                if self.limit is not None and start + len(sequence.slots) - 1 > self.limit:
                    return
                if window.has(start) and self._is_free(sequence, start, taken):
                    yield Placed(sequence, start)

    def _window(self, sequence: Sequence, ready: dict[Word, int]) -> "_Window":
        """When a sequence finds all its words there and not yet overwritten by the next run.

        A result can be forwarded to a left operand in the slot in which it is ready, and read from
        where it is stored some slots after that.
        """
        waits, lasts = [], []
        for offset, word, is_left in sequence.reads:
            if word in ready:
                waits.append((ready[word] - offset, self.machine.storage_delay(word), is_left))
            else:
                lasts.append(self.interval - len(self.task.inputs) - START_DELAY - offset)
        lasts += [first + self.interval for first, _, _ in waits]
        # The next run's binary words come one a cycle, without overtaking.
        binary = self.interval - self.task.binary_words - START_DELAY
        lasts += [binary - offset + word for offset, word in sequence.binary_reads]
        unlimited = 2 * self.interval + max((first for first, _, _ in waits), default=0)
        return _Window(tuple(waits), min([unlimited, *lasts]))

    def _is_free(self, sequence: Sequence, start: int, taken: int) -> bool:
        """Whether no other sequence occupies the slots of the steady state that this one would."""
        if len(sequence.slots) > self.interval:
            return False
        run = ((1 << len(sequence.slots)) - 1) << start % self.interval
        return not run & (taken | taken << self.interval)

    def _phases(self, candidate: Placed) -> int:
        """Bit mask of the slots of the steady state that a sequence occupies."""
        run = ((1 << len(candidate.sequence.slots)) - 1) << (candidate.start % self.interval)
        return (run | run >> self.interval) & ((1 << self.interval) - 1)


@dataclass(frozen=True)
class _Window:
    """Starts of a sequence with which it finds its words.

    Attributes:
        waits: for each read of a result the start with which that is forwarded, the slots after
            which it is stored, and whether it can be forwarded.
        last: the last start, before words are overwritten.
    """

    waits: tuple[tuple[int, int, bool], ...]
    last: int

    @cached_property
    def first(self) -> int:
        """The first start, if everything could be forwarded."""
        return max([0, *(first for first, _, _ in self.waits)])

    @cached_property
    def stored(self) -> int:
        """The first start with which everything is stored."""
        return max([0, *(first + delay for first, delay, _ in self.waits)])

    def has(self, start: int) -> bool:
        """Whether the sequence finds all its words if it starts here."""
        if start > self.last:
            return False
        return start >= self.stored or all(
            start - first >= delay or (is_left and start == first)
            for first, delay, is_left in self.waits
        )


def last_slot(placed: list[Placed]) -> int:
    """Slot number of the last slot of a run."""
    return max(p.last for p in placed)


def stores(placed: list[Placed], machine: Machine) -> dict[Word, int]:
    """Slots at which results that are read from memory are ready, in the order of reads."""
    ready = {p.sequence.result: p.finish(machine) for p in placed if p.sequence.result}
    return {
        word: ready[word]
        for p in placed
        for offset, word, _ in p.sequence.reads
        if word in ready and p.start + offset != ready[word]
    }
