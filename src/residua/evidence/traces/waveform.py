"""Waveforms (VCD) of recorded registers, with the names of what happens in each cycle."""

from collections.abc import Callable, Iterator, Sequence
from typing import Any, TextIO

import numpy as np
from numpy.typing import NDArray
from vcd import VCDWriter
from vcd.writer import Variable

from residua.evidence.traces.names import CycleNames
from residua.evidence.traces.recorder import States
from residua.toolchain.planted.registers import Register

_CHUNK = 2000
"""Cycles whose changes are in memory at once."""

_WORD = 32


def write_waveform(
    file: TextIO, registers: Sequence[Register], states: States, first: int, names: CycleNames
) -> None:
    """Write a VCD file in which a cycle takes 1 ns.

    Registers are in the scopes of their modules. The scope ``names`` has the number of the cycle,
    and for each the names of `CycleNames`.

    Args:
        file: takes the text.
        registers: that are written.
        states: of the cycles from the first one on.
        first: the number of the first cycle.
        names: of all cycles of the operation.
    """
    with VCDWriter(file, timescale="1 ns", date="", init_timestamp=first) as writer:
        named = list(_named(writer, names))
        shown = [(_variable(writer, one), one) for one in _distinct(registers)]
        before = [_Values(one, states[:0]).unknown for _, one in shown]
        for start in range(0, len(states), _CHUNK):
            chunk = states[start : start + _CHUNK]
            changes: dict[int, list[tuple[Variable[Any], int]]] = {}
            for index, (variable, register) in enumerate(shown):
                values = _Values(register, chunk)
                for cycle, value in values.changes(before[index]):
                    changes.setdefault(first + start + cycle, []).append((variable, value))
                before[index] = values.last
            for cycle in range(first + start, first + start + len(chunk)):
                for own, value_of in named:
                    writer.change(own, cycle, value_of(cycle))
                for variable, value in changes.get(cycle, ()):
                    writer.change(variable, cycle, value)
        writer.close(first + len(states))


def _named(
    writer: VCDWriter, names: CycleNames
) -> Iterator[tuple[Variable[Any], Callable[[int], int | str]]]:
    """The variables of names, each with what it is in a cycle."""
    for name, text_of in (("program", _program(names)), ("step", _step(names))):
        yield writer.register_var("names", name, "string", init=""), text_of
    numbers = {"cycle": lambda cycle: cycle, "round": _of(names.round), "slot": _of(names.slot)}
    for name, number_of in numbers.items():
        yield writer.register_var("names", name, "integer", size=32, init="x"), number_of


def _program(names: CycleNames) -> Callable[[int], str]:
    return lambda cycle: _text(names.programs[names.program[cycle]])


def _step(names: CycleNames) -> Callable[[int], str]:
    return lambda cycle: _text(names.steps[names.step[cycle]])


def _text(name: str) -> str:
    """A name as a VCD has it, in which it ends with a space."""
    return name.replace(" ", "_") or "-"


def _of(numbers: NDArray[np.int32]) -> Callable[[int], int | str]:
    return lambda cycle: int(numbers[cycle]) if numbers[cycle] >= 0 else "x"


def _variable(writer: VCDWriter, register: Register) -> Variable[Any]:
    scope, _, name = register.name.rpartition(".")
    return writer.register_var(scope or "top", name, "wire", size=register.width, init="x")


def _distinct(registers: Sequence[Register]) -> Iterator[Register]:
    """Registers with names that differ and are without spaces."""
    seen: set[str] = set()
    for one in registers:
        name = own = one.name.replace(" ", "")
        number = 1
        while name in seen:
            number += 1
            name = f"{own}_{number}"
        seen.add(name)
        yield Register(name, one.first, one.width)


class _Values:
    """What a register holds in each cycle, in parts of at most 32 bits, the lowest first."""

    def __init__(self, register: Register, states: States) -> None:
        self._parts = []
        for low in range(0, register.width, _WORD):
            count = min(_WORD, register.width - low)
            word, bit = divmod(register.first + low, _WORD)
            part = states[:, word].astype(np.uint64) >> np.uint64(bit)
            if bit + count > _WORD:
                part |= states[:, word + 1].astype(np.uint64) << np.uint64(_WORD - bit)
            self._parts.append(part & np.uint64((1 << count) - 1))

    @property
    def unknown(self) -> list[int]:
        """What no register holds."""
        return [-1] * len(self._parts)

    @property
    def last(self) -> list[int]:
        """What it holds in the last cycle."""
        return [int(part[-1]) for part in self._parts]

    def changes(self, before: Sequence[int]) -> Iterator[tuple[int, int]]:
        """The cycles in which it holds something else than in the one before, and what."""
        changed = np.zeros(len(self._parts[0]), bool)
        for part, old in zip(self._parts, before, strict=True):
            changed[1:] |= part[1:] != part[:-1]
            changed[:1] |= part[:1] != old if old >= 0 else True
        for cycle in np.flatnonzero(changed):
            yield (
                int(cycle),
                sum(int(part[cycle]) << _WORD * i for i, part in enumerate(self._parts)),
            )
