"""An independent check of schedules: replays interleaved runs cycle by cycle on integers.

Models what an engine is, not how the scheduler thinks: rowers in a ring, an accumulator each,
result registers, register memories that every write reaches late, one Cox; for hierarchical
extensions rows in a ring of their own, and a memory of super-residues. Every word that is read
must belong to the run that reads it, and every result must be the word that the values interpreter
finds.
"""

from dataclasses import dataclass, field

from residua.algorithms.terms import Broadcast, Residues, Rows, Words
from residua.machines.schedule import Schedule
from residua.machines.slots import ROW_STORAGE_DELAY, Left, Word
from residua.machines.values import _read, _reduce, super_residues

Tag = tuple[int, Word]
"""A word of a run."""


@dataclass
class Replay:
    schedule: Schedule
    runs: list[dict[str, tuple[int, ...]]]
    expected: list[dict[int, tuple[int, ...]]] = field(init=False)
    checked: int = 0

    def __post_init__(self) -> None:
        self.rowers = self.schedule.machine.rowers
        self.expected = [self._values(inputs) for inputs in self.runs]
        self.memory: dict[int, tuple[Tag, list[int]]] = {}
        self.results: dict[int, tuple[Tag, list[int]]] = {}
        self.row_memory: dict[int, tuple[Tag, list[int]]] = {}
        self.row_results: dict[int, tuple[Tag, list[int]]] = {}
        self.ring: list[int] = []
        self.supers: list[int] = []
        self.cox: dict[int, int] = {}
        self.accumulators = [0] * self.rowers
        self.operands = [0] * self.rowers

    def _values(self, inputs):
        """Every vector of the program by its index in the schedule."""
        program, state = self.schedule.program, {}
        for source in program.inputs:
            state[id(source)] = tuple(inputs[source.name])
        for step in program.steps:
            state[id(step.result)] = _reduce(program, step, state)
        stored = [v for v in program.inputs if isinstance(v, Residues)]
        stored += [step.result for step in program.steps]
        words = {index: state[id(value)] for index, value in enumerate(stored)}
        for step in program.steps:
            for term in step.terms:
                if isinstance(term, Broadcast) and isinstance(term.source, Rows):
                    residues = _read(term.source.source, state)
                    words[len(words)] = super_residues(term.source, residues)
        return words

    def word(self, run: int, word: Word) -> list[int]:
        count = self.schedule.machine.turns if word.row else self.rowers
        start = word.group * count
        return list(self.expected[run][word.value][start : start + count])

    def binary(self, run: int) -> list[int]:
        inputs = [v for v in self.schedule.program.inputs if isinstance(v, Words)]
        return [word for value in inputs for word in self.runs[run][value.name]]

    def replay(self) -> None:
        timeline: dict[int, tuple] = {}
        for run in range(len(self.runs)):
            for time, placed, slot in self.schedule.slots():
                when = run * self.schedule.interval + time
                assert when not in timeline, f"two slots in cycle {when}"
                timeline[when] = (run, time, placed, slot)
        self._load_inputs(timeline)
        end = max(timeline) + self.schedule.machine.rower_latency + 1
        for now in range(end):
            self._arrive(now)
            if now in timeline:
                self._slot(now, *timeline[now])
            else:
                self.operands = [0] * self.rowers
                self.cox[now] = self.cox.get(now - 1, 0)
        assert self.checked == len(self.runs) * len(self.schedule.placed)

    def _load_inputs(self, timeline) -> None:
        """A run's operands may come right after the run before has read its own."""
        inputs = set(self.schedule.inputs)
        reads = [
            when - run * self.schedule.interval
            for when, (run, _, _, slot) in timeline.items()
            if {slot.left_word, slot.right_word} & inputs
        ]
        self.input_release = max(reads, default=0) + 1
        assert self.input_release <= self.schedule.interval
        for word in self.schedule.inputs:
            assert word in self.schedule.registers

    def _arrive(self, now: int) -> None:
        """Writes that reach the memory in this cycle."""
        machine, interval = self.schedule.machine, self.schedule.interval
        for run in range(len(self.runs)):
            loaded = 0 if run == 0 else (run - 1) * interval + self.input_release
            if now == loaded:
                for word in self.schedule.inputs:
                    tag = (run, word)
                    self.memory[self.schedule.registers[word]] = tag, self.word(run, word)
        arrived = self.results.get(now - machine.memory_delay)
        if arrived is not None:
            (run, word), values = arrived
            if word in self.schedule.registers:
                self.memory[self.schedule.registers[word]] = (run, word), values
        arrived = self.row_results.get(now - ROW_STORAGE_DELAY)
        if arrived is not None:
            (run, word), values = arrived
            if word in self.schedule.row_registers:
                self.row_memory[self.schedule.row_registers[word]] = (run, word), values

    def _read(self, run: int, word: Word) -> list[int]:
        tag, values = self.memory[self.schedule.registers[word]]
        assert tag == (run, word), f"register of {(run, word)} holds {tag}"
        return values

    def _launch(self, now: int, run: int, time: int, word: Word) -> None:
        """A pass around the ring of rows begins."""
        if time == self.schedule.ready(word):
            tag, self.ring = self.row_results[now]
        else:
            tag, self.ring = self.row_memory[self.schedule.row_registers[word]]
        assert tag == (run, word), f"a pass of {tag} for {(run, word)}"

    def _row(self, now: int, run: int, time: int, placed, slot) -> list[int]:
        """What the ring of rows brings, reduced by every rower."""
        if slot.left_word is None:
            self.ring = self.ring[1:] + self.ring[:1]
        else:
            self._launch(now, run, time, slot.left_word)
        reduce = self.schedule.program.representation.reduce_row
        columns = self.schedule.machine.columns
        return [
            reduce(modulus, self.ring[rower // columns])
            for rower, modulus in enumerate(placed.sequence.moduli)
        ]

    def _super_residues(self, now: int, run: int, placed, slot) -> None:
        """The sums over rows, the next lower digit added to those before."""
        columns = self.schedule.machine.columns
        digits = [
            sum(self.accumulators[first : first + columns])
            for first in range(0, self.rowers, columns)
        ]
        width = self.schedule.program.outputs[0].base.width
        if slot is placed.sequence.slots[0]:
            self.supers = [0] * len(digits)
        self.supers = [
            (super_residue << width) + digit
            for super_residue, digit in zip(self.supers, digits, strict=True)
        ]
        if slot.last:
            word = placed.sequence.result
            assert self.supers == self.word(run, word), f"{placed.sequence.name} of run {run}"
            self.row_results[now + self.schedule.machine.row_latency] = (run, word), self.supers
            self.checked += 1

    def _left(self, now: int, run: int, time: int, slot) -> list[int]:
        if slot.left is Left.NEIGHBOUR:
            return self.operands[1:] + self.operands[:1]
        if slot.left is Left.BUS and slot.binary_word is not None:
            return [self.binary(run)[slot.binary_word]] * self.rowers
        if slot.left is Left.BUS:
            return [self.cox[now - self.schedule.machine.cox_latency]] * self.rowers
        if slot.left_word is None:
            return [0] * self.rowers
        if self.schedule.operand(time, slot.left_word) is Left.RESULT:
            tag, values = self.results[now]
            assert tag == (run, slot.left_word), f"forwarding {tag} for {(run, slot.left_word)}"
            return values
        return self._read(run, slot.left_word)

    def _slot(self, now: int, run: int, time: int, placed, slot) -> None:
        if slot.left is Left.ROW:
            left = self._row(now, run, time, placed, slot)
        else:
            left = self._left(now, run, time, slot)
        right = [0] * self.rowers
        assert slot.right_word is None or slot.constants is None
        if slot.right_word is not None:
            right = self._read(run, slot.right_word)
        if slot.constants is not None:
            right = list(slot.constants)
        self.operands = left
        for rower, (x, y) in enumerate(zip(left, right, strict=True)):
            kept = 0 if slot.first else self.accumulators[rower]
            self.accumulators[rower] = x * y + (-kept if slot.subtract else kept)
        self._estimate(now, left, slot)
        sequence = placed.sequence
        if slot.row_digit is not None:
            self._super_residues(now, run, placed, slot)
        elif sequence.result is None:
            self._serial(run, time - placed.start, sequence, left)
        elif slot.last:
            reduce = self.schedule.program.representation.reduce
            pairs = zip(sequence.moduli, self.accumulators, strict=True)
            values = [reduce(modulus, total) for modulus, total in pairs]
            assert values == self.word(run, sequence.result), f"{sequence.name} of run {run}"
            self.results[now + self.schedule.machine.rower_latency] = (run, sequence.result), values
            self.checked += 1

    def _serial(self, run: int, offset: int, sequence, left: list[int]) -> None:
        """Rower 0 has channel i of the outputs, one after the other, in slot i."""
        names = [output.root()[0].name for output in self.schedule.program.outputs]
        vectors = [self.expected[run][self.schedule.values.index(name)] for name in names]
        assert left[0] == [word for vector in vectors for word in vector][offset]
        self.checked += offset == len(sequence.slots) - 1

    def _estimate(self, now: int, left: list[int], slot) -> None:
        """Quotients by the cycle of the slot that completes them; they stay otherwise."""
        if not slot.tap_weights:
            self.cox[now] = self.cox.get(now - 1, 0)
            return
        estimates = {
            term.quotient.cox: term.quotient.width
            for step in self.schedule.program.steps
            for term in step.terms
            if hasattr(term, "quotient")
        }
        ((cox, width),) = estimates.items()
        self.total = cox.start if slot.cox_first else self.total
        words = left
        if slot.left is Left.ROW:
            base = self.schedule.program.outputs[0].base
            offset = self.schedule.program.representation.row_offset(base.width)
            words = [word + offset for word in self.ring]
        for tap, weight in enumerate(slot.tap_weights):
            position = tap * self.schedule.machine.tap_slots
            if weight:
                self.total += weight * cox.leading(words[position], width)
        self.cox[now] = self.total >> cox.truncation
