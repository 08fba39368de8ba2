"""Whether a fault in a netlist is ever seen at its outputs, shown by marks on every bit.

A mark (`residua.cores.proofs.marks`) says here that a bit may differ from that of the core without
the fault. So a fault in a slot of a program that does nothing, or in a word that nothing uses, is
proved to be none, whatever the numbers are; not one that only numbers hide.
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from residua.cores.proofs.boundary import Boundary
from residua.cores.proofs.marks import Marks
from residua.cores.proofs.netlist import Bit, Netlist, clocked_reads, is_constant
from residua.toolchain.gates import gates_script, prove_never
from residua.toolchain.mutation import SWITCH, Mutants, write_switched
from residua.toolchain.yosys import run_script


def unseen(
    mutants: Mutants,
    number: int,
    boundary: Boundary,
    *,
    valid: Mapping[str, str],
    seconds: float = 20,
) -> bool:
    """Whether a mutant is proved to have the outputs of the design from its initial values on.

    Args:
        mutants: of a core.
        number: of one of them, from 1 on.
        boundary: of the core.
        valid: outputs that hold something only while another output is 1, and that output.
        seconds: for the proof, see `prove_never`.

    Raises:
        ToolError: Yosys failed.
    """
    switched = write_switched(mutants, number)
    module = json.loads(switched.read_text(encoding="utf-8"))["modules"][mutants.top]
    # A verdict whose wire is gone is taken for any data: then more is marked, never less. When it
    # is tested does not matter here.
    verdicts = {name: () for name in boundary.verdicts if name in module["netnames"]}
    netlist = Netlist(module, replace(boundary, verdicts=verdicts, addresses=()))
    marked = {"modules": {"marked": _Different(netlist).module(valid)}}
    name, out_dir = f"unseen{number}", mutants.directory
    (out_dir / f"{name}.json").write_text(json.dumps(marked), encoding="utf-8")
    gates = out_dir / f"{name}.aig"
    script = [f"read_json {name}.json", "opt_clean", "opt", "memory_map", *gates_script(gates.name)]
    run_script(script, reads=[f"{name}.json"], writes=[gates.name], out_dir=out_dir, name=name)
    return prove_never(gates, copies=False, seconds=seconds)


class _Different(Marks):
    """A netlist with a mutant that is off, and marks on what would differ if it were on."""

    def __init__(self, netlist: Netlist) -> None:
        super().__init__(netlist)
        (self.switch,) = netlist.ports[SWITCH]["bits"]
        for port in netlist.ports.values():
            if port["direction"] == "input":
                self.marks.update(dict.fromkeys(port["bits"], "0"))
        self.marks[self.switch] = "1"
        self.lost: list[Bit] = []

    def module(self, valid: Mapping[str, str]) -> dict[str, Any]:
        """For Yosys to read: with one output, whether anything that is seen may differ."""
        self._begin_as_registers_do()
        self.mark_cells()
        seen = self.either(*self._outputs(valid), *self.lost)
        for cell in self.cells.values():
            cell["connections"] = {
                pin: ["0" if bit == self.switch else bit for bit in bits]
                for pin, bits in cell["connections"].items()
            }
        inputs = {
            name: port
            for name, port in self.netlist.ports.items()
            if port["direction"] == "input" and name != SWITCH
        }
        ports = {**inputs, "seen": {"direction": "output", "bits": [seen]}}
        return {"ports": ports, "cells": self.cells, "netnames": self.names}

    def mark_register(self, cell: Mapping[str, Any]) -> None:
        """A register has the mark of what it takes, one cycle later."""
        pins = cell["connections"]
        for q, d in zip(pins["Q"], pins["D"], strict=True):
            self.drive(q, self.register(self.mark(d)))

    def mark_memory(self, _name: str, cell: Mapping[str, Any]) -> None:
        """A word has the mark of what was written; reads are not clocked."""
        pins = cell["connections"]
        bits = int(cell["parameters"]["ABITS"], 2)
        marks = [] if is_constant(cell) else self._words(cell)
        for port, (_, words) in enumerate(clocked_reads(cell)):
            address = pins["RD_ADDR"][bits * port : bits * (port + 1)]
            read = [self.both(mark, self._is(address, word)) for word, mark in enumerate(marks)]
            mark = self.either(self.any_of([*address, pins["RD_EN"][port]]), *read)
            for bit in words:
                self.drive(bit, mark)

    def _words(self, cell: Mapping[str, Any]) -> list[Bit]:
        """The mark of each word. Where a word may be written elsewhere, all is lost."""
        pins, parameters = cell["connections"], cell["parameters"]
        bits, width, size = (int(parameters[key], 2) for key in ("ABITS", "WIDTH", "SIZE"))
        marks: list[Bit] = [self.new() for _ in range(size)]
        following = list(marks)
        for port in range(int(parameters["WR_PORTS"], 2)):
            address = pins["WR_ADDR"][bits * port : bits * (port + 1)]
            enable = list(dict.fromkeys(pins["WR_EN"][width * port : width * (port + 1)]))
            written = self.any_of(pins["WR_DATA"][width * port : width * (port + 1)])
            some, whole = self.either(*enable), self.both(*enable)
            self.lost += [self.any_of(enable), self.both(some, self.any_of(address))]
            for word, held in enumerate(following):
                here = self.both(some, self._is(address, word))
                kept = self.both(held, self.inverse(self.both(here, whole)))
                following[word] = self.either(kept, self.both(here, written))
        for mark, taken in zip(marks, following, strict=True):
            self.register(taken, mark)
        return marks

    def _outputs(self, valid: Mapping[str, str]) -> list[Bit]:
        """Whether each output may differ while it is valid."""
        outputs = self.outputs
        return [
            self.both(self.any_of(bits), outputs[valid[name]][0] if name in valid else "1")
            for name, bits in outputs.items()
        ]

    def _is(self, address: Sequence[Bit], word: int) -> Bit:
        return self.inverse(self.differ(address, [str(word >> i & 1) for i in range(len(address))]))

    def register(self, following: Bit, bit: Bit | None = None) -> Bit:
        """A register of one mark; none is there in the beginning."""
        held = super().register(following, bit)
        self._begin(held, "0")
        return held

    def _begin(self, bit: Bit, value: str) -> None:
        self.names[f"begin_{bit}"] = {"hide_name": 1, "bits": [bit], "attributes": {"init": value}}

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
                    self._begin(behind[bit], value)
