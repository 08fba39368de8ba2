"""Control store: routines as control words, one a slot, and the constants of every page.

A control word holds everything that its slot causes, also what acts many cycles later (the write of
a result, say): the processor delays it. A routine is then a block that can follow any other.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import IntEnum

from residua.machines.controls import controls_of, weight_controls
from residua.machines.microcode import binary_address
from residua.machines.routine import Routine
from residua.machines.slots import Launch, Left, Machine, Slot
from residua.machines.slots import Sequence as Slots
from residua.numbers.moduli import Modulus

SMALLEST_HALF = 8
"""Words of the constants of moduli that are not exchanged, where others may be."""


class Bus(IntEnum):
    """Uses of the bus; gates follow, each with its inverse, then the small rower's word."""

    QUOTIENT = 0
    WORD = 1
    GATE = 2


@dataclass(frozen=True)
class Block:
    """Address range of a routine in the control store, and the slots that it takes."""

    start: int
    length: int
    settled: int


@dataclass(frozen=True)
class ControlStore:
    """Control words and constants.

    ``fields`` maps each control to its value in each word; word 0 only forgets. ``constants[r]``
    are the constants of rower r, page after page, ``page_size`` each, the last ones those of a
    small rower; those of exchanged moduli begin at a power of two, ``exchanged``. ``moduli[r]`` are
    the moduli that its select chooses from. ``gates`` are the names of the bits, ``weights`` the
    Cox's weights by code - 1.
    """

    fields: dict[str, tuple[int, ...]]
    constants: tuple[tuple[int, ...], ...]
    page_size: int
    exchanged: int
    moduli: tuple[tuple[Modulus, ...], ...]
    gates: tuple[str, ...]
    weights: tuple[int, ...]
    blocks: dict[str, Block]
    registers: int
    row_registers: int
    kept_registers: int

    @property
    def words(self) -> int:
        """Number of control words."""
        return len(self.fields["left"])

    def gate_code(self, name: str, inverted: bool) -> int:
        """The code by which the bus carries a bit, or its inverse."""
        return _gate_code(self.gates, name, inverted)

    @property
    def narrow_code(self) -> int:
        """The code by which it carries the small rower's word."""
        return _narrow_code(self.gates)


def _gate_code(gates: Sequence[str], name: str, inverted: bool) -> int:
    return Bus.GATE + 2 * gates.index(name) + inverted


def _narrow_code(gates: Sequence[str]) -> int:
    return Bus.GATE + 2 * len(gates)


def assemble(routines: Sequence[Routine], machine: Machine, binary_words: int) -> ControlStore:
    """Lay routines one after another; ``binary_words`` is the depth of the binary memory."""
    return _Assembler(routines, machine, binary_words).assemble()


class _Assembler:
    def __init__(self, routines: Sequence[Routine], machine: Machine, binary_words: int) -> None:
        self.routines, self.machine, self.binary_words = routines, machine, binary_words
        pages = len(routines[0].source.pages)
        self.zeros = (0,) * machine.units
        self.exchanged = routines[0].source.exchanged
        self.constants: dict[tuple[tuple[int, ...], ...], int] = {(self.zeros,) * pages: 0}
        self.moduli: dict[tuple[Modulus, ...], int] = {}
        gates = [slot.gate[0] for r in routines for _, _, _, slot in r.slots() if slot.gate]
        self.gates = tuple(dict.fromkeys(gates))
        names = controls_of("processor", "", "binary", "cox", "emit")
        names += weight_controls(machine.taps)
        names += controls_of("processor", "rows") if machine.columns > 1 else []
        if machine.narrow:
            names += controls_of("processor", "narrow", "check" if machine.checks else "told")
        weights = {w for r in routines for _, _, _, slot in r.slots() for w in slot.tap_weights}
        self.weights = tuple(sorted(weights - {0})) or (1,)
        # Word 0 starts new sums of nothing, so that no sum stays where it was when nothing runs.
        started = ("first", "cox_first", "row_first", "row_launch")
        self.fields: dict[str, list[int]] = {name: [int(name in started)] for name in names}

    def assemble(self) -> ControlStore:
        blocks = {}
        for routine in self.routines:
            start = len(self.fields["left"])
            blocks[routine.name] = Block(start, routine.length, routine.settled)
            for column in self.fields.values():
                column.extend([0] * routine.length)
            for time, job, offset, slot in routine.slots():
                self._slot(start, time, routine, job, offset, slot)
            if routine.source.loop and (last := routine.last_gate) is not None:
                self.fields["advance"][start + last] = 1
        registers = 1 + max(max(r.registers.values(), default=0) for r in self.routines)
        return ControlStore(
            {name: tuple(values) for name, values in self.fields.items()},
            self._memories(),
            len(self.constants),
            self._half if self.exchanged else 0,
            tuple(zip(*self.moduli, strict=True)),
            self.gates,
            self.weights,
            blocks,
            max(registers, self.routines[0].places.count),
            max(
                (1 + register for r in self.routines for register in r.row_registers.values()),
                default=0,
            ),
            max((1 + place for r in self.routines for place in r.kept.values()), default=0),
        )

    def _slot(
        self, base: int, time: int, routine: Routine, job: int, offset: int, slot: Slot
    ) -> None:
        values = self._operands(routine, time, slot)
        key = routine.constants.get((job, offset))
        if key is not None:
            filled = tuple(vector or self.zeros for vector in key)
            values["constant"] = self.constants.setdefault(filled, len(self.constants))
        values |= self._result(routine, routine.placed[job].sequence, slot)
        for name, value in values.items():
            self.fields[name][base + time] = value
        lead = self.machine.row_lead if slot.left == Left.ROW else 0
        for name, value in self._passed(routine, time, job, slot).items():
            self.fields[name][base + time - lead] |= value

    def _result(self, routine: Routine, sequence: Slots, slot: Slot) -> dict[str, int]:
        """The controls that act when a slot's product, or the sum it ends, is there."""
        result = sequence.result
        if result is None:
            return {"emit": 1}
        if result.row:
            return self._row_product(routine, sequence, slot)
        if not slot.last:
            return {}
        values = {}
        if sequence.moduli:
            values["modulus"] = self.moduli.setdefault(sequence.moduli, len(self.moduli))
        if result in routine.registers:
            values |= {"write": 1, "write_register": routine.registers[result]}
        for name, registers in (("keeps", routine.kept), ("compares", routine.compared)):
            if result in registers:
                values |= {name: 1, "kept_register": registers[result]}
        return values

    def _passed(self, routine: Routine, time: int, job: int, slot: Slot) -> dict[str, int]:
        """The controls of what goes around a ring; on the ring of rows ahead of their slot."""
        values = {"cox_first": int(slot.cox_first)}
        weights = slot.tap_weights
        for name, weight in zip(weight_controls(len(weights)), weights, strict=True):
            values[name] = self.weights.index(weight) + 1 if weight else 0
        if slot.narrow_tap:
            values["narrow_tap"] = 1
        if slot.left == Left.ROW:
            moduli = routine.placed[job].sequence.moduli
            if moduli:
                values["row_modulus"] = self.moduli.setdefault(moduli, len(self.moduli))
            values |= self._ring(routine, time, slot)
        return values

    def _ring(self, routine: Routine, time: int, slot: Slot) -> dict[str, int]:
        """The controls of the ring of rows, which are ahead of their slot."""
        word = slot.left_word
        if word is None:
            return {"row_launch": Launch.TURN}
        launch, register = routine.launch(time, word), routine.row_registers.get(word, 0)
        return {"row_launch": launch, "row_register": register}

    def _row_product(self, routine: Routine, sequence: Slots, slot: Slot) -> dict[str, int]:
        """The controls of a product that a super-residue is made of."""
        values = {
            "row": 1,
            "row_higher": int(slot.row_digit != 0),
            "row_first": int(slot is sequence.slots[0]),
        }
        if slot.last and sequence.result in routine.row_registers:
            values["row_write"] = 1
            values["row_write_register"] = routine.row_registers[sequence.result]
        return values

    def _operands(self, routine: Routine, time: int, slot: Slot) -> dict[str, int]:
        left = routine.left(time, slot)
        values = {
            "left": int(left),
            "first": int(slot.first),
            "subtract": int(slot.subtract),
        }
        if slot.left_word and (left == Left.REGISTER or slot.narrow):
            values["left_register"] = routine.registers[slot.left_word]
        if slot.right_word:
            values["right_register"] = routine.registers[slot.right_word]
        if slot.binary_word is not None:
            values["bus"] = int(Bus.WORD)
            values["binary_word"] = binary_address(slot.binary_word, self.binary_words)
        if slot.gate:
            name, inverted = slot.gate
            values["bus"] = _gate_code(self.gates, name, inverted)
        if slot.narrow:
            values["bus"] = _narrow_code(self.gates)
        if slot.listens:
            values["listens"] = 1
        return values

    @property
    def _half(self) -> int:
        """Words from the first constant to the first one of exchanged moduli."""
        words = len(self.constants) * len(self.routines[0].source.pages) // 2
        return max(1 << (words - 1).bit_length(), SMALLEST_HALF)

    def _memories(self) -> tuple[tuple[int, ...], ...]:
        """Each rower's constants, page after page."""
        pages = range(len(self.routines[0].source.pages))
        found = []
        for rower in range(self.machine.units):
            words = [key[page][rower] for page in pages for key in self.constants]
            if self.exchanged:
                used = len(words) // 2
                words[used:used] = [0] * (self._half - used)
            found.append(tuple(words))
        return tuple(found)


def control_widths(fields: Mapping[str, Sequence[int]]) -> dict[str, int]:
    """Bits of each control."""
    return {name: max(max(values).bit_length(), 1) for name, values in fields.items()}
