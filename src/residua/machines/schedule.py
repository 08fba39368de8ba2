"""The schedule interpreter: a cycle-exact program for a Cox-Rower engine.

Every rower executes the same slot in the same cycle: one product, accumulated. A step of the
program becomes one sequence of consecutive slots for each group of channels (one channel a rower),
which ends in a reduction; its word is in the result registers `rower_latency` slots after the last
slot. There it can be used at once as a left operand, and some slots later from the register memory.
Sequences of successive runs of the program interleave: a new run starts every `interval` slots, and
no two slots of the steady state coincide.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Literal

from residua.algorithms.program import Program
from residua.algorithms.terms import Residues
from residua.machines.scheduling.modulo_solver import Effort, solve
from residua.machines.scheduling.placement import Placer, Task, last_slot, stores
from residua.machines.scheduling.sequences import SequenceBuilder
from residua.machines.slots import Left, Machine, Placed, Slot, Word

Goal = Literal["latency", "interval"]

SOLVER_EFFORT = 0.25
"""Deterministic seconds that the solver may take for one schedule."""

_SHARE = 4
"""Failed attempts on an interval after which the solver's effort counts as spent."""


@dataclass(frozen=True)
class Schedule:
    """A program placed on an engine.

    ``interval`` is the number of slots between runs in the steady state, ``latency`` the distance
    between the first slot of a run and the first slot of another that can use all its results.
    ``binary_words`` is the number of binary words that a run takes; ``serial`` tells that outputs
    are passed around the ring. ``registers`` has the places of words that are read from memory,
    ``row_registers`` those of super-residues that are not forwarded. ``held_outputs`` tells for
    each of ``outputs`` the vector that each lane holds there.
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
    row_registers: dict[Word, int] = field(hash=False)
    held_outputs: tuple[tuple[Residues, ...], ...] = ()

    @property
    def latency(self) -> int:
        """Slots from the first slot of a run to the first one that can use its last result."""
        return max(p.finish(self.machine) for p in self.placed)

    @property
    def stages(self) -> int:
        """Runs that are in flight at once in the steady state."""
        return max(p.last for p in self.placed) // self.interval + 1

    def held(self, output: Word) -> tuple[Residues, ...]:
        """The vectors, one for each lane, that a word of ``outputs`` belongs to."""
        return self.held_outputs[self.outputs.index(output)]

    def slots(self) -> Iterator[tuple[int, Placed, Slot]]:
        """Every slot of one run with its number."""
        for placed in self.placed:
            for offset, slot in enumerate(placed.sequence.slots):
                yield placed.start + offset, placed, slot

    def operand(self, time: int, word: Word) -> Left:
        """Source of a left operand at slot ``time``: forwarded, or the register memory."""
        return Left.RESULT if time == self.ready(word) else Left.REGISTER

    def ready(self, word: Word) -> int:
        """First slot at which a word can be forwarded; inputs are in the memory from the start."""
        for placed in self.placed:
            if placed.sequence.result == word:
                return placed.finish(self.machine)
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
    builder = SequenceBuilder(program, machine, serial)
    task = Task(builder.choices(), machine, tuple(_inputs(builder)))
    search = _Search(task)
    longest = max(task.longest, shortest_interval + 1)
    placed = search.place(longest)
    assert placed is not None
    if goal == "latency":
        placed = search.shorten(longest, placed)
    limit = last_slot(placed) if goal == "latency" else None
    for interval in range(max(task.total, shortest_interval), longest):
        found = search.place(interval, limit)
        if found is None and Placer(task, interval).accepts(placed):
            found = placed
        if found is not None:
            if goal == "interval":
                found = search.shorten(interval, found)
            return _schedule(builder, found, interval)
    return _schedule(builder, placed, longest)


class _Search:
    """Looks for placements, depth first and then with a solver, whose effort is limited."""

    def __init__(self, task: Task) -> None:
        self.task = task
        self.effort = Effort(SOLVER_EFFORT, SOLVER_EFFORT / _SHARE)

    def place(self, interval: int, limit: int | None = None) -> list[Placed] | None:
        """A placement with its last slot within ``limit``, None if neither finds one."""
        found = Placer(self.task, interval, limit).best()
        if found is None:
            if limit is None:
                # A sequence comes at most an interval after the last of those that it reads.
                machine = self.task.machine
                limit = sum(
                    max(Placed(order, interval).finish(machine) for order in orders)
                    for orders in self.task.choices
                )
            found = solve(self.task, interval, limit, self.effort)
        return found

    def shorten(self, interval: int, placed: list[Placed]) -> list[Placed]:
        """A placement with an earlier last slot, if the rest of the solver's effort finds one."""
        everything = Effort(self.effort.left, self.effort.left)
        found = solve(self.task, interval, last_slot(placed) - 1, everything)
        self.effort.left = everything.left
        return found or placed


def _inputs(builder: SequenceBuilder) -> Iterator[Word]:
    """The words of the operands that are residues."""
    for value in builder.program.inputs:
        if isinstance(value, Residues):
            yield from builder.words(value)


def _schedule(builder: SequenceBuilder, placed: list[Placed], interval: int) -> Schedule:
    """Collect inputs, outputs and registers."""
    program = builder.program
    words = tuple(_inputs(builder))
    read = stores(placed, builder.machine)
    stored = [word for word in read if not word.row]
    rows = [word for word in read if word.row]
    outputs = tuple(
        dict.fromkeys(word for value in program.outputs for word in builder.words(value))
    )
    return Schedule(
        program=program,
        machine=builder.machine,
        placed=tuple(placed),
        interval=interval,
        values=tuple(builder.values),
        inputs=words,
        outputs=outputs,
        binary_words=builder.binary_words,
        serial=builder.serial,
        registers={word: position for position, word in enumerate((*words, *stored), start=1)},
        row_registers={word: position for position, word in enumerate(rows)},
        held_outputs=tuple(builder.held(word) for word in outputs),
    )
