"""Microcode: a schedule as the control words and constants that an engine's memories hold.

The control word of phase p drives the cycle p of every interval. Controls of later pipeline stages
are stored in the phase in which they act, so that the engine delays none of them.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial

from residua.machines.controls import Timing, controls_of, delay, weight_controls
from residua.machines.schedule import Schedule
from residua.machines.slots import (
    EVERY_LEFT,
    TWO_LANES,
    Launch,
    Left,
    Placed,
    Slot,
    Word,
    left_codes,
)
from residua.numbers.moduli import Modulus

IDLE = 0
"""Value of every control that a phase does not use."""


@dataclass(frozen=True)
class Microcode:
    """Control words by phase, constants by rower.

    ``fields`` maps the name of each control to its value in each phase. ``constants[r]`` is the
    constant memory of rower r, ``moduli[r]`` the moduli that its select chooses from, ``weights``
    the Cox's weights by code - 1, ``lefts`` the sources of left operands. ``emit_stage`` and
    ``release_stage`` are the age, in intervals, of the run whose result a phase emits or whose
    operands it gives up.
    """

    fields: dict[str, tuple[int, ...]]
    constants: tuple[tuple[int, ...], ...]
    moduli: tuple[tuple[Modulus, ...], ...]
    weights: tuple[int, ...]
    taps: int
    lefts: tuple[Left, ...] = EVERY_LEFT

    @property
    def phases(self) -> int:
        """Length of the interval in cycles."""
        return len(self.fields["left"])


def assemble(schedule: Schedule, timing: Timing) -> Microcode:
    """Assemble the control words of a schedule."""
    return _Assembler(schedule, timing).assemble()


class _Assembler:
    def __init__(self, schedule: Schedule, timing: Timing) -> None:
        self.schedule, self.timing = schedule, timing
        self.interval = schedule.interval
        zeros = (0,) * schedule.machine.units * schedule.machine.lanes
        self.constants: dict[tuple[int, ...], int] = {zeros: 0}
        self.moduli: dict[tuple[Modulus, ...], int] = {}
        self.lefts = _lefts(schedule)
        self.weights = sorted(
            {w for _, _, slot in schedule.slots() for w in slot.tap_weights if w}
        ) or [1]
        names = _fields(schedule)
        self.fields: dict[str, list[int | None]] = {n: [None] * self.interval for n in names}

    def assemble(self) -> Microcode:
        for time, placed, slot in self.schedule.slots():
            self._slot(time, slot)
            if placed.sequence.result is None:
                self._emit(time + self.timing.emit_serial, self._position(placed))
            elif placed.sequence.result.row:
                self._super_residue(time, placed, slot)
            elif slot.last:
                self._result(time, placed, placed.sequence.result)
            if slot.left == Left.ROW and placed.sequence.moduli:
                ring = time - self.schedule.machine.row_lead
                select = self.moduli.setdefault(placed.sequence.moduli, len(self.moduli))
                self._act("row_modulus", ring, select)
        released = self._last_input_read() + self.timing.address + 1
        self._set("release", released, 1)
        self._set("release_stage", released, released // self.interval)
        fields = {n: tuple(v or IDLE for v in values) for n, values in self.fields.items()}
        return Microcode(
            fields,
            tuple(zip(*self.constants, strict=True)),
            tuple(zip(*self.moduli, strict=True)),
            tuple(self.weights),
            self.schedule.machine.taps,
            self.lefts,
        )

    def _slot(self, time: int, slot: Slot) -> None:
        left, registers = self._left(time, slot)
        self._act("left", time, left_codes(self.lefts)[left])
        for lane, own in enumerate(slot.lanes()):
            right = self.schedule.registers[own.right_word] if own.right_word else 0
            end = f"_{lane}" if lane else ""
            self._act(f"left_register{end}", time, registers[lane])
            self._act(f"right_register{end}", time, right)
        if slot.other:
            self._act("crosses", time, int(slot.crosses))
        self._act("constant", time, self._constant(slot))
        if slot.binary_word is not None:
            self._act("binary", time, 1)
            address = binary_address(slot.binary_word, self.schedule.binary_words)
            self._act("binary_word", time, address)
        self._act("first", time, int(slot.first))
        self._act("subtract", time, int(slot.subtract))
        if slot.row_digit is not None:
            self._row_product(time, slot)
        if slot.left == Left.ROW:
            ring = time - self.schedule.machine.row_lead
            self._ring(ring, time, slot.left_word)
            self._cox(ring, slot)
        elif self.schedule.machine.columns == 1:
            self._cox(time, slot)
        if self.schedule.machine.narrow:
            self._act("listens", time, int(slot.listens))
            self._act("narrow_bus", time, int(slot.narrow))
            self._act("narrow_tap", time, int(slot.narrow_tap))

    def _left(self, time: int, slot: Slot) -> tuple[Left, list[int]]:
        """Source of the left operand, one for all lanes, and the registers to read."""
        lefts, registers = {slot.left}, []
        for own in slot.lanes():
            register = 0
            if own.narrow and own.left_word:
                register = self.schedule.registers[own.left_word]
            elif own.left_word and not own.left_word.row:
                left = self.schedule.operand(time, own.left_word)
                register = self.schedule.registers[own.left_word] if left == Left.REGISTER else 0
                lefts.add(left)
            registers.append(register)
        # A word of one lane may be forwarded beside nothing, or beside a word for a zero product.
        if Left.RESULT in lefts:
            lefts.discard(Left.REGISTER)
            assert not any(registers), "lanes differ in where they read"
        return lefts.pop(), registers

    def _cox(self, time: int, slot: Slot) -> None:
        """The controls of the Cox."""
        self._act("cox_first", time, int(slot.cox_first))
        weights = slot.tap_weights
        for name, weight in zip(weight_controls(len(weights)), weights, strict=True):
            self._act(name, time, self.weights.index(weight) + 1 if weight else 0)

    def _row_product(self, time: int, slot: Slot) -> None:
        """The controls of a product that a super-residue is made of."""
        self._act("row", time, 1)
        self._act("row_higher", time, int(slot.row_digit != 0))

    def _ring(self, ring: int, time: int, word: Word | None) -> None:
        """The controls of the ring of rows, and of the reducers behind it."""
        launch = Launch.TURN
        if word:
            forwarded = time == self.schedule.ready(word)
            launch = Launch.RESULT if forwarded else Launch.STORED
            register = self.schedule.row_registers.get(word, 0)
            self._act("row_register", ring, register)
        self._act("row_launch", ring, launch)

    def _constant(self, slot: Slot) -> int:
        if all(own.constants is None for own in slot.lanes()):
            return 0
        zeros = (0,) * self.schedule.machine.units
        key = tuple(c for own in slot.lanes() for c in own.constants or zeros)
        return self.constants.setdefault(key, len(self.constants))

    def _position(self, placed: Placed) -> int:
        """Position of the output that a sequence passes around the ring."""
        names = [output.name for output in self.schedule.program.outputs]
        return names.index(placed.sequence.name)

    def _super_residue(self, time: int, placed: Placed, slot: Slot) -> None:
        """The controls that follow a product that a super-residue is made of."""
        first = slot is placed.sequence.slots[0]
        self._act("row_first", time, int(first))
        word = placed.sequence.result
        if slot.last and word in self.schedule.row_registers:
            self._act("row_write", time, 1)
            register = self.schedule.row_registers[word]
            self._act("row_write_register", time, register)

    def _result(self, time: int, placed: Placed, word: Word) -> None:
        """The controls that follow the last slot of a sequence."""
        if placed.sequence.moduli:
            select = self.moduli.setdefault(placed.sequence.moduli, len(self.moduli))
            self._act("modulus", time, select)
        if word in self.schedule.registers:
            self._act("write", time, 1)
            self._act("write_register", time, self.schedule.registers[word])
        if word in self.schedule.outputs and not self.schedule.serial:
            self._emit(time + self.timing.emit, self.schedule.outputs.index(word))

    def _act(self, name: str, slot: int, value: int) -> None:
        """Set a control of the slot in this cycle when it acts."""
        self._set(name, slot + delay(name, self.timing), value)

    def _emit(self, done: int, position: int) -> None:
        self._set("emit", done, 1)
        self._set("emit_word", done, position)
        self._set("emit_stage", done, done // self.interval)

    def _last_input_read(self) -> int:
        """Slot after which the operands of the next run can come, one word a cycle."""
        inputs = set(self.schedule.inputs)
        residues = [t for t, _, slot in self.schedule.slots() if inputs & set(_words(slot))]
        binary = [
            time - slot.binary_word
            for time, _, slot in self.schedule.slots()
            if slot.binary_word is not None
        ]
        return max(residues + binary)

    def _set(self, name: str, time: int, value: int) -> None:
        values, phase = self.fields[name], time % self.interval
        assert values[phase] is None, f"two runs drive {name} in phase {phase}"
        values[phase] = value


def _fields(schedule: Schedule) -> list[str]:
    """The names of the fields of a control word, in their order."""
    own, machine = partial(controls_of, "engine"), schedule.machine
    names = [*own(""), *own("emit"), "emit_word", "emit_stage", "release", "release_stage"]
    names += own("cox")
    parts = {
        "binary": schedule.binary_words > 0,
        "rows": machine.columns > 1,
        "narrow": machine.narrow > 0,
        "told": machine.narrow > 0,
        "lanes": machine.lanes > 1,
    }
    for part, there in parts.items():
        names += own(part) if there else []
    return names + weight_controls(machine.taps)


def _lefts(schedule: Schedule) -> tuple[Left, ...]:
    """The sources that a rower chooses from: with rows only those that are used."""
    if schedule.machine.lanes > 1:
        return TWO_LANES
    if schedule.machine.columns == 1:
        return EVERY_LEFT
    used = {Left.REGISTER} | {slot.left for _, _, slot in schedule.slots()}
    used |= {
        schedule.operand(time, slot.left_word)
        for time, _, slot in schedule.slots()
        if slot.left_word and not slot.left_word.row
    }
    return tuple(sorted(used))


def _words(slot: Slot) -> Iterator[Word]:
    for own in slot.lanes():
        yield from (word for word in (own.left_word, own.right_word) if word)


def binary_address(position: int, count: int) -> int:
    """Address at which a loader, which counts from 1, puts word ``position`` of ``count``."""
    return (position + 1) % binary_depth(count)


def binary_depth(count: int) -> int:
    """Depth of the memory for the binary words of a run."""
    return max(1 << (count - 1).bit_length(), 2)
