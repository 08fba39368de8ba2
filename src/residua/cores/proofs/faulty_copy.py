"""A netlist beside a copy of itself with a fault."""

from collections.abc import Container, Mapping, Sequence
from typing import Any

from residua.cores.proofs.marks import Marks
from residua.cores.proofs.netlist import (
    MEMORY,
    Bit,
    Netlist,
    clocked_reads,
    is_constant,
    is_register,
)
from residua.cores.proofs.operands import restrict
from residua.toolchain.planted.mutation import SWITCH

ANY, VERDICTS = "any", "verdicts"
"""Inputs of `FaultyCopy.module`: of the copy, and in place of verdicts."""


class FaultyCopy(Marks):
    """A netlist with a mutant that is off, beside it what steers if it is on, and marks on data.

    Attributes:
        apart: names of registers and memories that may differ.
        exact: data have the values that they have. With ``copied`` they have a copy as well, all
            but words that are read from memories.
        switch: the net that switches the mutant on.
        others: the nets of the copy with the mutant.
        loose: data in the copy: any while they are marked.
        any: nets that have any value.
        all_watched: registers and memories that may differ are watched, too.
        cut: the nets of verdicts, if they have any value in the core, and in the copy the same
            until they are marked.
        claims: names of registers and memories that are watched, whether they differ.
    """

    def __init__(
        self,
        netlist: Netlist,
        apart: Container[str],
        *,
        exact: bool,
        copied: bool = False,
        all_watched: bool = False,
        cut: bool = False,
    ) -> None:
        super().__init__(netlist)
        self.apart, self.exact, self.copied = apart, exact, copied
        self.all_watched = all_watched
        made = netlist.verdict_bits - netlist.decided.keys()
        self.cut = {bit: self.new() for bit in made} if cut else {}
        (self.switch,) = netlist.ports[SWITCH]["bits"]
        self._begin_as_registers_do()
        self.initial = _initial(self.names)
        affected = netlist.dependent(self.switch, apart)
        self.marks = {bit: mark for bit, mark in self.marks.items() if bit in affected}
        data = netlist.words if copied else netlist.secrets
        copies = sorted(affected.difference(data, self.cut))
        self.others: dict[Bit, Bit] = {bit: self.new() for bit in copies}
        self.others[self.switch] = self.marks[self.switch] = "1"
        self.loose: dict[Bit, Bit] = {}
        self.any: list[Bit] = []
        self.claims: list[str] = []
        self.seen: list[Bit] = []

    @property
    def copied_data(self) -> dict[Bit, Bit]:
        """The registers that have a copy beside them, of data too, and the nets of that."""
        registers = self.netlist.registers & self.others.keys() if self.copied else set[Bit]()
        return {bit: self.others[bit] for bit in sorted(registers, key=str)}

    def module(self, valid: Mapping[str, str], operands: Sequence[int]) -> dict[str, Any]:
        """For Yosys to read: outputs say whether what is watched differs, the last one the rest."""
        self.mark_cells()
        for bit, other in self.others.items():
            if bit != self.switch:
                super().drive(bit, self.differ([bit], [other]))
        inputs = restrict(self, operands) if operands else self._inputs()
        seen = [*self.seen, self.either(*self._outputs(valid))]
        for name, cell in self.cells.items():
            pins = cell["connections"].items()
            off = {pin: ["0" if bit == self.switch else bit for bit in bits] for pin, bits in pins}
            if name in self.netlist.cells:
                off |= {pin: [self.cut.get(bit, bit) for bit in off[pin]] for pin in _driving(cell)}
            self.cells[name] = {**cell, "connections": off}
        inputs.pop(SWITCH)
        for port, bits in ((ANY, self.any), (VERDICTS, list(self.cut))):
            inputs |= {port: {"direction": "input", "bits": bits}} if bits else {}
        ports = {**inputs, "seen": {"direction": "output", "bits": seen}}
        return {"ports": ports, "cells": self.cells, "netnames": self.names}

    def _inputs(self) -> dict[str, Any]:
        ports = self.netlist.ports.items()
        return {name: port for name, port in ports if port["direction"] == "input"}

    def _watch(self, name: str, differs: Bit) -> None:
        """Watch a register or a memory."""
        if differs != "0":
            self.claims.append(name)
            self.seen.append(differs)

    def steers(self, bit: Bit) -> bool:
        """Whether the value of a bit is looked at."""
        return self.exact or super().steers(bit)

    def mark(self, bit: Bit) -> Bit:
        """The mark of a bit; none where the mutant does not reach."""
        return self.marks.get(bit, "0")

    def mark_cell(self, name: str, cell: dict[str, Any]) -> None:
        """Copy what steers, mark data."""
        if is_register(cell) and name not in self.apart:
            self._watch(name, self.any_of(cell["connections"]["D"]))
            return
        pins, ways = cell["connections"], cell["port_directions"]
        driven: set[Bit] = {b for pin, bits in pins.items() if ways[pin] == "output" for b in bits}
        held = is_register(cell) or (cell["type"] == MEMORY and not is_constant(cell))
        if held or not driven.isdisjoint(self.marks.keys() - self.others.keys()):
            super().mark_cell(name, cell)
        if is_register(cell) and self.all_watched:
            self._watch(name, self.any_of(cell["connections"]["Q"]))
        if not held and not driven.isdisjoint(self.others):
            self._copy(name, cell)

    def _copy(self, name: str, cell: Mapping[str, Any]) -> None:
        ways, parameters = cell["port_directions"], cell["parameters"]
        copies = {
            # What else the cell drives has no copy.
            pin: [self.others.get(bit) or self.new() for bit in bits]
            if ways[pin] == "output"
            else [self._other(bit) for bit in bits]
            for pin, bits in cell["connections"].items()
        }
        if cell["type"] == MEMORY:
            parameters = {**parameters, "MEMID": f"\\other.{name}"}
        self.cells[f"other.{name}"] = {**cell, "connections": copies, "parameters": parameters}

    def drive(self, bit: Bit, mark: Bit) -> None:
        """Drive the mark of a bit that has one of its own."""
        if bit in self.marks and bit not in self.others:
            super().drive(bit, mark)

    def mark_register(self, cell: Mapping[str, Any]) -> None:
        """A register has the mark of what it takes, one cycle later."""
        pins = cell["connections"]
        for q, d in zip(pins["Q"], pins["D"], strict=True):
            if q in self.others:
                super().register(self._other(d), self.others[q])
                self.begin(self.others[q], self.initial.get(q, "0"))
            elif q in self.marks:
                self.drive(q, self.register(self.mark(d)))

    def mark_memory(self, name: str, cell: Mapping[str, Any]) -> None:
        """A word has the mark of what was written; reads are not clocked."""
        pins = cell["connections"]
        bits = int(cell["parameters"]["ABITS"], 2)
        marks = [] if is_constant(cell) else self._words(name, cell)
        for port, (_, words) in enumerate(clocked_reads(cell)):
            address = pins["RD_ADDR"][bits * port : bits * (port + 1)]
            read = [self.both(mark, self.equals(address, word)) for word, mark in enumerate(marks)]
            mark = self.either(self.any_of([*address, pins["RD_EN"][port]]), *read)
            for bit in words:
                self.drive(bit, mark)

    def _words(self, name: str, cell: Mapping[str, Any]) -> list[Bit]:
        """The mark of each word; none of a memory that may not differ."""
        pins, parameters = cell["connections"], cell["parameters"]
        bits, width, size = (int(parameters[key], 2) for key in ("ABITS", "WIDTH", "SIZE"))
        marks: list[Bit] = [self.new() for _ in range(size)] if name in self.apart else []
        following = list(marks)
        differs: Bit = "0"
        for port in range(int(parameters["WR_PORTS"], 2)):
            address = pins["WR_ADDR"][bits * port : bits * (port + 1)]
            enable = list(dict.fromkeys(pins["WR_EN"][width * port : width * (port + 1)]))
            written = self.any_of(pins["WR_DATA"][width * port : width * (port + 1)])
            following = self._written(following, address, enable, written)
            wrong = self.both(self.either(*enable), self.either(self.any_of(address), written))
            differs = self.either(differs, self.any_of(enable), wrong)
        if name not in self.apart:
            self._watch(name, differs)
        elif self.all_watched:
            self._watch(name, self.either(*marks))
        for mark, taken in zip(marks, following, strict=True):
            self.register(taken, mark)
        return marks

    def _written(
        self, marks: Sequence[Bit], address: Sequence[Bit], enable: Sequence[Bit], written: Bit
    ) -> list[Bit]:
        """The marks of words after a write, of which both copies may do their own."""
        others = [self._other(bit) for bit in address], [self._other(bit) for bit in enable]
        some, whole = self.either(*enable), self.both(*enable)
        other = self.either(*others[1])
        alike = self.inverse(self.any_of(enable))
        following = []
        for word, held in enumerate(marks):
            here = self.both(some, self.equals(address, word))
            there = self.both(other, self.equals(others[0], word))
            same = self.both(here, there, alike)
            apart = self.both(self.either(here, there), self.inverse(same))
            kept = self.both(held, self.inverse(self.both(same, whole)))
            following.append(self.either(kept, apart, self.both(same, written)))
        return following

    def _other(self, bit: Bit) -> Bit:
        """A bit in the copy."""
        if bit in self.others or self.mark(bit) == "0":
            return self.others.get(bit, bit)
        if bit not in self.loose:
            self.any.append(self.new())
            self.loose[bit] = self.choose(bit, self.any[-1], self.mark(bit))
        return self.loose[bit]

    def _outputs(self, valid: Mapping[str, str]) -> list[Bit]:
        """Whether each output may differ while it is valid."""
        outputs = self.outputs
        return [
            self.both(self.any_of(bits), outputs[valid[name]][0] if name in valid else "1")
            for name, bits in outputs.items()
        ]

    def register(self, following: Bit, bit: Bit | None = None) -> Bit:
        """A register of one mark; none is there in the beginning."""
        held = super().register(following, bit)
        self.begin(held, "0")
        return held

    def _begin_as_registers_do(self) -> None:
        """Where the mutant is behind a register, the initial value goes back to the register."""
        behind = {
            cell["connections"]["Y"][0]: cell["connections"]["A"][0]
            for cell in self.netlist.cells.values()
            if cell["type"] == "$_MUX_" and cell["connections"]["S"] == [self.switch]
        }
        for net in list(self.names.values()):
            values = reversed(net["attributes"].get("init", ""))
            for bit, value in zip(net["bits"], values, strict=False):
                if behind.get(bit) in self.netlist.registers and value in "01":
                    self.begin(behind[bit], value)


def _driving(cell: Mapping[str, Any]) -> list[str]:
    return [pin for pin, way in cell["port_directions"].items() if way == "output"]


def _initial(names: Mapping[str, Any]) -> dict[Bit, str]:
    """The initial value of each net that has one."""
    return {
        bit: value
        for net in names.values()
        for bit, value in zip(
            net["bits"], reversed(net["attributes"].get("init", "")), strict=False
        )
        if value in "01"
    }
