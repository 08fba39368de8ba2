"""Blocks: sequences of a straight-line program or of a loop body, placed on an engine's slots.

A rower has one accumulator, so that a sequence keeps its slots together and the engine is a single
machine that works on one sequence at a time. A result can be forwarded to a left operand exactly
`Machine.latency` slots after the last slot, and read from memory `Machine.storage_delay` slots
later. The body of a loop carries elements from one round to the next in fixed places: a round may
begin while results of the one before are still on their way, but overwrites a place only after its
last read.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import pairwise

from residua.errors import SpecificationError
from residua.machines.slots import Machine, Word
from residua.machines.slots import Sequence as Slots
from residua.numbers.solver import solve


@dataclass(frozen=True)
class Read:
    """Job ``reader`` reads, in its slot ``offset``, what job ``producer`` computes."""

    reader: int
    offset: int
    producer: int
    forwards: bool


@dataclass(frozen=True)
class Problem:
    """Sequences to place.

    ``carried`` maps the word of an element as a round finds it to the word that takes its place.
    ``loop`` tells that rounds follow each other without a break.
    """

    sequences: tuple[Slots, ...]
    machine: Machine
    carried: Mapping[Word, Word]
    loop: bool

    @cached_property
    def durations(self) -> list[int]:
        """Slots of each job."""
        return [len(sequence.slots) for sequence in self.sequences]

    @cached_property
    def reach(self) -> list[int]:
        """Slots from the start of each job to the first one that can be forwarded its result."""
        latencies = [self.machine.latency(s.result) if s.result else 1 for s in self.sequences]
        return [d - 1 + latency for d, latency in zip(self.durations, latencies, strict=True)]

    @cached_property
    def delays(self) -> list[int]:
        """Slots from forwarding of each job's result to the first read of it from memory."""
        return [self.machine.storage_delay(s.result) if s.result else 0 for s in self.sequences]

    @cached_property
    def lasting(self) -> list[int]:
        """Slots from forwarding of each job's result to the first that cannot read the old one."""
        blind = [self.machine.blind(s.result) if s.result else 0 for s in self.sequences]
        return [delay - slots for delay, slots in zip(self.delays, blind, strict=True)]

    @cached_property
    def total(self) -> int:
        """Slots of all jobs, which no schedule can undercut."""
        return sum(self.durations)

    @cached_property
    def producers(self) -> dict[Word, int]:
        """The job that computes a word."""
        return {s.result: j for j, s in enumerate(self.sequences) if s.result}

    @cached_property
    def followers(self) -> dict[int, int]:
        """The job that goes on with the sum of a job, in the slot after its last one."""
        return {self.producers[s.resumes]: j for j, s in enumerate(self.sequences) if s.resumes}

    @cached_property
    def chains(self) -> dict[int, list[tuple[int, int]]]:
        """Each job that goes on with no sum, and those that go on with its own, one by one.

        Each has its distance from the first start.
        """
        found = {j: [(j, 0)] for j, sequence in enumerate(self.sequences) if not sequence.resumes}
        for chain in found.values():
            while chain[-1][0] in self.followers:
                last, shift = chain[-1]
                chain.append((self.followers[last], shift + self.durations[last]))
        return found

    @cached_property
    def reads(self) -> list[Read]:
        """Reads of words computed in the same round."""
        return [
            Read(reader, offset, self.producers[word], is_left)
            for reader, sequence in enumerate(self.sequences)
            for offset, word, is_left in sequence.reads
            if word in self.producers
        ]

    @cached_property
    def chain_reads(self) -> dict[int, list[Read]]:
        """`reads` of each chain, with offsets from its first start."""
        return self._by_chain(self.reads)

    @cached_property
    def chain_old_reads(self) -> dict[int, list[Read]]:
        """`old_reads` of each chain, with offsets from its first start."""
        return self._by_chain(self.old_reads)

    def _by_chain(self, reads: Sequence[Read]) -> dict[int, list[Read]]:
        place = {job: (head, s) for head, chain in self.chains.items() for job, s in chain}
        found: dict[int, list[Read]] = {head: [] for head in self.chains}
        for read in reads:
            head, shift = place[read.reader]
            found[head].append(replace(read, offset=read.offset + shift))
        return found

    @cached_property
    def old_reads(self) -> list[Read]:
        """Reads of words that the given producer will replace."""
        return [
            Read(reader, offset, self.producers[self.carried[word]], False)
            for reader, sequence in enumerate(self.sequences)
            for offset, word, _ in sequence.reads
            if word in self.carried
        ]

    @cached_property
    def old_reads_of(self) -> dict[int, list[Read]]:
        """`old_reads` by the job that replaces what they read."""
        found: dict[int, list[Read]] = {}
        for read in self.old_reads:
            found.setdefault(read.producer, []).append(read)
        return found

    @cached_property
    def slots(self) -> dict[int, int]:
        """The slots of each chain, a bit for each."""
        return {
            head: (1 << chain[-1][1] + self.durations[chain[-1][0]]) - 1
            for head, chain in self.chains.items()
        }

    @cached_property
    def predecessors(self) -> tuple[dict[int, set[int]], dict[int, set[int]]]:
        """The jobs that compute a job's operands, and those that read what its result replaces.

        Those of jobs that go on with its sum are its own.
        """
        first = {job: head for head, chain in self.chains.items() for job, _ in chain}
        operands: dict[int, set[int]] = {j: set() for j in first.values()}
        readers: dict[int, set[int]] = {j: set() for j in first.values()}
        for read in self.reads:
            if first[read.reader] != first[read.producer]:
                operands[first[read.reader]].add(read.producer)
        for read in self.old_reads:
            if first[read.reader] != first[read.producer]:
                readers[first[read.producer]].add(read.reader)
        return operands, readers

    @cached_property
    def heights(self) -> list[int]:
        """Slots from the start of each job to the end of what depends on it, at least."""
        heights = [0] * len(self.sequences)
        followers: dict[int, list[Read]] = {}
        for read in self.reads:
            followers.setdefault(read.producer, []).append(read)
        for job in reversed(range(len(self.sequences))):
            own = self.reach[job]
            later = [own + heights[r.reader] - r.offset for r in followers.get(job, [])]
            if job in self.followers:
                later.append(self.durations[job] + heights[self.followers[job]])
            heights[job] = max([own, *later])
        return heights

    @cached_property
    def simple(self) -> list[int]:
        """Start slots by one `list_schedule`."""
        return list_schedule(self)

    def ready(self, starts: Sequence[int], job: int) -> int:
        """First slot to which the result of a job can be forwarded."""
        return starts[job] + self.reach[job]

    def visible(self, starts: Sequence[int], job: int) -> int:
        """First slot that can read the result of a job from memory."""
        return self.ready(starts, job) + self.delays[job]

    def replaced(self, starts: Sequence[int], job: int) -> int:
        """First slot that cannot read what the result of a job takes the place of."""
        return self.ready(starts, job) + self.lasting[job]

    def length(self, starts: Sequence[int]) -> int:
        """Slots from the begin of a round to the next one, in a loop, or to the last slot."""
        last = max(s + d for s, d in zip(starts, self.durations, strict=True))
        if not self.loop:
            return last
        wraps = [
            self.visible(starts, r.producer) - starts[r.reader] - r.offset for r in self.old_reads
        ]
        return max([last, *wraps])

    def settled(self, starts: Sequence[int]) -> int:
        """First slot that can read every result from memory."""
        visible = [self.visible(starts, job) for job, s in enumerate(self.sequences) if s.result]
        return max([self.length(starts), *visible])

    def check(self, starts: Sequence[int]) -> None:
        """Assert that a placement computes what the program says.

        Raises:
            SpecificationError: an element is overwritten before its last read.
        """
        spans = sorted(zip(starts, self.durations, strict=True))
        assert spans[0][0] >= 0
        assert all(s + d <= t for (s, d), (t, _) in pairwise(spans))
        for job, follower in self.followers.items():
            assert starts[follower] == starts[job] + self.durations[job]
        for read in self.reads:
            distance = starts[read.reader] + read.offset - self.ready(starts, read.producer)
            forwarded = read.forwards and distance == 0
            assert forwarded or distance >= self.delays[read.producer]
        for read in self.old_reads:
            if starts[read.reader] + read.offset >= self.replaced(starts, read.producer):
                raise SpecificationError(
                    f"{self.sequences[read.reader].name} needs an element after its place has been "
                    f"given to {self.sequences[read.producer].name}"
                )


_PASSES = 8
"""List schedules that `place_by_lists` tries."""


def place(problem: Problem, effort: float) -> list[int]:
    """Start slots with the smallest length that list scheduling and then a solver find.

    ``effort`` limits the solver, in its deterministic seconds; 0 leaves it out.
    """
    starts = problem.simple
    problem.check(starts)
    goal = problem.length if problem.loop else problem.settled
    if effort and goal(starts) > problem.total:
        better = _solve(problem, starts, effort)
        if better is not None and goal(better) < goal(starts):
            starts = better
            problem.check(starts)
    return starts


def place_by_lists(problem: Problem) -> list[int]:
    """Start slots of a loop that would keep a solver busy for long.

    The best of several list schedules, each for a round that follows the one before: a job that
    reads what a round has computed late starts late in the next one, and others fill the slots
    before it.
    """
    best = starts = problem.simple
    for _ in range(_PASSES):
        if problem.length(best) == problem.total:
            break
        late = {r.producer: problem.visible(starts, r.producer) for r in problem.old_reads}
        starts = list_schedule(problem, {job: t - problem.total for job, t in late.items()})
        best = min(best, starts, key=problem.length)
    problem.check(best)
    return best


def list_schedule(problem: Problem, releases: Mapping[int, int] | None = None) -> list[int]:
    """Start slots, the job with the longest way to go first among those that can start earliest.

    ``releases`` tells for jobs whose results are carried in which slot, at the earliest, the old
    ones may be read; 0 for others.
    """
    operands, readers = problem.predecessors
    starts: dict[int, int] = {}
    candidates: dict[int, _Candidate] = {}
    waiting, able = set(operands), set[int]()
    taken = 0
    while waiting or able:
        able |= {job for job in waiting if operands[job] <= starts.keys()}
        waiting -= able
        # A place is overwritten after its last read; elements that change places start together.
        free = {job for job in able if readers[job] <= starts.keys()} or able
        for job in free - candidates.keys():
            candidates[job] = _Candidate(problem, job, starts, releases)
        first = min(free, key=lambda job: candidates[job].order(taken))
        start = candidates.pop(first).start
        placed = {job: start + shift for job, shift in problem.chains[first]}
        starts |= placed
        taken |= problem.slots[first] << start
        able.remove(first)
        # One that gives a place up without its last reads would start later after these.
        candidates = {j: c for j, c in candidates.items() if readers[j].isdisjoint(placed)}
    return [starts[j] for j in range(len(problem.sequences))]


class _Candidate:
    """A job whose operands are placed.

    Attributes:
        start: the first one, as far as is known, at which its operands are there, its slots free
            and its place given up; it only grows while others are placed.
    """

    def __init__(
        self,
        problem: Problem,
        job: int,
        starts: Mapping[int, int],
        releases: Mapping[int, int] | None,
    ) -> None:
        self._job, self._height, self._slots = job, problem.heights[job], problem.slots[job]
        reads = problem.chain_reads[job]
        # The starts with which each of them is a forwarded one.
        forwarded = [starts[r.producer] + problem.reach[r.producer] - r.offset for r in reads]
        self._needs = [
            (start, start + problem.delays[read.producer], read.forwards)
            for start, read in zip(forwarded, reads, strict=True)
        ]
        self.start = max([0, *forwarded, *_given_up(problem, job, starts)])
        if releases:
            for read in problem.chain_old_reads[job]:
                self.start = max(self.start, releases.get(read.producer, 0) - read.offset)

    def order(self, taken: int) -> tuple[int, int, int]:
        """Brings `start` up to date and ranks the job; ``taken`` has a bit for each busy slot."""
        while (blocked := taken >> self.start & self._slots) or not self._is_fed:
            self.start += blocked.bit_length() or 1
        return self.start, -self._height, self._job

    @property
    def _is_fed(self) -> bool:
        """Whether every operand is there, forwarded or from memory."""
        return all(
            self.start >= stored or (forwards and self.start == forwarded)
            for forwarded, stored, forwards in self._needs
        )


def _given_up(problem: Problem, job: int, starts: Mapping[int, int]) -> Iterator[int]:
    """The first starts at which a job's chain replaces words after reads that are placed."""
    for each, shift in problem.chains[job]:
        delay = problem.reach[each] + problem.lasting[each] + shift
        for read in problem.old_reads_of.get(each, ()):
            if read.reader in starts:
                yield starts[read.reader] + read.offset + 1 - delay


def _solve(problem: Problem, hint: Sequence[int], effort: float) -> list[int] | None:
    """Improve a placement by constraint programming."""
    # See `residua.numbers.solver`: loaded where it is needed.
    from ortools.sat.python import cp_model  # noqa: PLC0415

    model = cp_model.CpModel()
    durations = problem.durations
    goal = problem.length if problem.loop else problem.settled
    horizon = goal(hint)
    starts = [
        model.new_int_var(0, horizon - duration, f"start_{job}")
        for job, duration in enumerate(durations)
    ]
    for start, value in zip(starts, hint, strict=True):
        model.add_hint(start, value)
    model.add_no_overlap(
        [
            model.new_fixed_size_interval_var(start, duration, f"job_{job}")
            for job, (start, duration) in enumerate(zip(starts, durations, strict=True))
        ]
    )
    for job, follower in problem.followers.items():
        model.add(starts[follower] == starts[job] + durations[job])
    length = model.new_int_var(problem.total, horizon, "length")
    for job, (start, duration) in enumerate(zip(starts, durations, strict=True)):
        model.add(start + duration <= length)
        if not problem.loop and problem.sequences[job].result:
            model.add(start + problem.reach[job] + problem.delays[job] <= length)
    for number, read in enumerate(problem.reads):
        reach, delay = problem.reach[read.producer], problem.delays[read.producer]
        distance = starts[read.reader] + read.offset - starts[read.producer] - reach
        if read.forwards:
            forwarded = model.new_bool_var(f"forwarded_{number}")
            model.add(distance == 0).only_enforce_if(forwarded)
            model.add(distance >= delay).only_enforce_if(~forwarded)
        else:
            model.add(distance >= delay)
    for read in problem.old_reads:
        reach, start = problem.reach[read.producer], starts[read.producer]
        replaced, visible = (
            reach + own[read.producer] for own in (problem.lasting, problem.delays)
        )
        model.add(starts[read.reader] + read.offset < start + replaced)
        if problem.loop:
            model.add(starts[read.reader] + read.offset + length >= start + visible)
    model.minimize(length)
    answer = solve(model, effort, schedule=True)
    return [answer.value(start) for start in starts] if answer.solution else None
