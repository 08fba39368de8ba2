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

from residua.algorithms.program import Program, Residues
from residua.machines.placement import START_DELAY, Placer, last_slot
from residua.machines.sequences import SequenceBuilder
from residua.machines.shortest import shortest
from residua.machines.slots import Left, Machine, Placed, Slot, Word

Goal = Literal["latency", "interval"]


@dataclass(frozen=True)
class Schedule:
    """A program placed on an engine.

    ``interval`` is the number of slots between runs in the steady state, ``latency`` the distance
    between the first slot of a run and the first slot of another that can use all its results.
    ``binary_words`` is the number of binary words that a run takes; ``serial`` tells that outputs
    are passed around the ring. ``registers`` has the places of words that are read from memory,
    ``row_registers`` those of super-residues that are not forwarded.
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
                return placed.finish(self.machine)
        return -self.machine.memory_delay


def schedule(
    program: Program,
    machine: Machine,
    goal: Goal = "latency",
    *,
    serial: bool = False,
    shortest_interval: int = 0,
    exact: bool = False,
) -> Schedule:
    """Place ``program`` on ``machine``.

    Goal ``latency`` takes the shortest latency and then the shortest interval that allows it; goal
    ``interval`` the shortest interval and then the shortest latency; neither takes an interval
    below ``shortest_interval``. With ``serial`` the outputs are passed around the ring, one residue
    a slot. With ``exact`` a solver looks for a shorter latency than the search finds.
    """
    builder = SequenceBuilder(program, machine, serial)
    choices = builder.choices()
    total = sum(len(orders[0].slots) for orders in choices)
    slowest = max(machine.rower_latency + machine.memory_delay, machine.row_latency)
    longest = total + (slowest + 1) * len(choices)
    if builder.binary_words:
        longest += builder.binary_words + START_DELAY
    longest = max(longest, shortest_interval + 1)
    prompt = Placer(choices, machine, longest).best()
    assert prompt is not None
    if exact and goal == "latency":
        better = shortest(choices, machine, prompt)
        for interval in range(max(total, shortest_interval), longest):
            if Placer(choices, machine, interval).accepts(better):
                return _schedule(builder, better, interval)
    limit = last_slot(prompt) if goal == "latency" else None
    for interval in range(max(total, shortest_interval), longest):
        placed = Placer(choices, machine, interval, limit).best()
        if placed is not None:
            return _schedule(builder, placed, interval)
    return _schedule(builder, prompt, longest)


def _schedule(builder: SequenceBuilder, placed: list[Placed], interval: int) -> Schedule:
    """Collect inputs, outputs and registers."""
    program = builder.program
    inputs = [v for v in program.inputs if isinstance(v, Residues)]
    words = tuple(word for value in inputs for word in builder.words(value))
    read = _stored(placed, builder.machine)
    stored = [word for word in read if not word.row and word not in words]
    rows = [word for word in read if word.row]
    return Schedule(
        program=program,
        machine=builder.machine,
        placed=tuple(placed),
        interval=interval,
        values=tuple(builder.values),
        inputs=words,
        outputs=tuple(word for value in program.outputs for word in builder.words(value)),
        binary_words=builder.binary_words,
        serial=builder.serial,
        registers={word: position for position, word in enumerate((*words, *stored), start=1)},
        row_registers={word: position for position, word in enumerate(rows)},
    )


def _stored(placed: list[Placed], machine: Machine) -> dict[Word, None]:
    """The words that are read from where they are stored, in the order of their reads."""
    ready = {p.sequence.result: p.finish(machine) for p in placed}
    reads = [
        word
        for p in placed
        for offset, word, _ in p.sequence.reads
        if p.start + offset != ready.get(word)
    ]
    return dict.fromkeys(reads)
