"""Placement: start slots for sequences, so that successive runs can interleave."""

from collections.abc import Iterator

from residua.machines.slots import Machine, Placed, Sequence, Word

SEARCH_EFFORT = 12_000
"""Placements that the search for one interval tries, divided by the square of the number of
sequences: programs with few are searched thoroughly, those with many have little to gain."""

START_DELAY = 5
"""Slots, at most, from the one after which an engine takes binary words again to the start of a
run, beside one for each word."""


class Placer:
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
        """The placement that finishes first, within the limit; None if there is none."""
        self._extend([], 0, {})
        return self.found

    def accepts(self, placed: list[Placed]) -> bool:
        """Whether runs of a complete placement can follow each other at this interval."""
        taken, ready = 0, {p.sequence.result: p.finish(self.machine) for p in placed}
        for candidate in placed:
            if not self._fits(candidate, taken, {w: t for w, t in ready.items() if w}):
                return False
            taken |= self._phases(candidate)
        return True

    def _extend(self, placed: list[Placed], taken: int, ready: dict[Word, int]) -> None:
        if len(placed) == len(self.choices):
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
        return _operands(candidate, ready, self.interval, self.machine)

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


def _operands(candidate: Placed, ready: dict[Word, int], interval: int, machine: Machine) -> bool:
    """Whether every word is there and not yet overwritten by the next run.

    A result can be forwarded to a left operand in the slot in which it is ready, and read from
    where it is stored some slots after that.
    """
    for offset, word, is_left in candidate.sequence.reads:
        delay = machine.storage_delay(word)
        distance = candidate.start + offset - ready.get(word, -delay)
        early = distance < delay and not (is_left and distance == 0)
        if distance > interval or early:
            return False
    return True


def last_slot(placed: list[Placed]) -> int:
    """Slot number of the last slot of a run."""
    return max(p.last for p in placed)
