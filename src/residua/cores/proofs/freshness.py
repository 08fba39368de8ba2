"""No word from before a reset reaches a result after it, shown by marks on every bit.

A mark (`residua.cores.proofs.marks`) says here that a bit may depend on what was in the core before
the last reset: in registers and memories, and at the inputs until the reset has passed. With a
reset everything is marked; then marks follow the bits. So a run of the marked netlist speaks for
all words that a core may be given or may have held, with the handshakes of that run. A result that
is marked when it is valid ends the simulation.
"""

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from residua.cores.proofs.boundary import valid_outputs
from residua.cores.proofs.marks import Marks
from residua.cores.proofs.netlist import (
    RESET,
    Bit,
    Netlist,
    clocked_reads,
    is_constant,
)
from residua.toolchain.yosys import run_script

STALE = "a word from before the reset"
"""Message of the simulation when it ends."""

_EPOCH_BITS = 32
"""Bits of the number that a memory keeps with a word: that of the last reset before its write."""


def write_marked(netlist: Netlist, top: str, out_dir: Path) -> Path:
    """The netlist with its marks as Verilog, with the ports of the core.

    Args:
        netlist: of the core, with its boundary.
        top: name of the module.
        out_dir: takes the file.

    Raises:
        ToolError: Yosys failed.
    """
    module = _Fresh(netlist).module()
    source, path = "marked.json", out_dir / "marked.v"
    (out_dir / source).write_text(json.dumps({"modules": {top: module}}), encoding="utf-8")
    script = ["opt_expr", "opt_merge", "opt_clean", f"write_verilog -noattr {path.name}"]
    script = [f"read_json {source}", *script]
    run_script(script, reads=[source], writes=[path.name], out_dir=out_dir, name="write_marked")
    text = path.read_text(encoding="utf-8").rstrip().removesuffix("endmodule")
    text = text.replace(f"module {top}(", f"module {top} (", 1)  # as in the core's own file
    check = f'  always @(posedge clk) if (stale) $fatal(1, "{STALE}");\nendmodule\n'
    path.write_text(text + check, encoding="utf-8")
    return path


class _Fresh(Marks):
    """A netlist with marks on what was there before the last reset."""

    def __init__(self, netlist: Netlist) -> None:
        super().__init__(netlist)
        (self.reset,) = netlist.ports[RESET]["bits"]
        self.marks[self.reset] = "0"
        for port in netlist.ports.values():
            if port["direction"] == "input":
                self.marks.update({b: self.reset for b in port["bits"] if b not in self.marks})

    def module(self) -> dict[str, Any]:
        """Module for Yosys."""
        self.epoch = [self.new() for _ in range(_EPOCH_BITS)]
        self._count_resets()
        self.mark_cells()
        stale = {"hide_name": 0, "bits": [self._stale()], "attributes": {"keep": "1"}}
        names = {**self.names, "stale": stale}
        return {"ports": self.netlist.ports, "cells": self.cells, "netnames": names}

    def _stale(self) -> Bit:
        """Whether a result is marked that is valid."""
        outputs = self.outputs
        found = [
            self.both(self.any_of(outputs[name]), outputs[valid][0])
            for name, valid in valid_outputs(outputs).items()
        ]
        return self.both(self.either(*found), self.inverse(self.reset))

    def mark_register(self, cell: Mapping[str, Any]) -> None:
        """A register keeps the mark of what it takes; in a reset what it holds is marked."""
        pins = cell["connections"]
        for q, d in zip(pins["Q"], pins["D"], strict=True):
            self._hold(q, self.mark(d))

    def _hold(self, bit: Bit, mark: Bit) -> None:
        """Mark a bit a cycle after a mark, and in every cycle with a reset."""
        held = self.register(mark)
        self.cell("$_OR_", {"A": [held], "B": [self.reset]}, {"Y": [self.marks[bit]]})

    def mark_memory(self, name: str, cell: Mapping[str, Any]) -> None:
        """A word is marked that was not written since the reset, or with a marked one.

        But not one that no write can reach, which is constant.
        """
        pins, parameters = cell["connections"], cell["parameters"]
        bits = int(parameters["ABITS"], 2)
        ages = [] if is_constant(cell) else self._ages(name, cell)
        unreached = [place for place in range(bits) if {*pins["WR_ADDR"][place::bits]} == {"0"}]
        for port, (clocked, words) in enumerate(clocked_reads(cell)):
            address = pins["RD_ADDR"][bits * port : bits * (port + 1)]
            mark = self.any_of([*address, pins["RD_EN"][port]])
            if clocked:
                mark = self._kept(mark, pins["RD_EN"][port])
            if ages:
                own = ages[_EPOCH_BITS * port : _EPOCH_BITS * (port + 1)]
                written = self.inverse(self.either(*(address[place] for place in unreached)))
                if clocked:
                    written = self._held(written, pins["RD_EN"][port])
                mark = self.either(mark, self.both(self.differ(own, self.epoch), written))
            for bit in words:
                self.drive(bit, self.either(mark, self.reset) if clocked else mark)

    def _ages(self, name: str, cell: Mapping[str, Any]) -> list[Bit]:
        """Words of a memory beside another one: the number of the last reset before each word."""
        pins, parameters = cell["connections"], cell["parameters"]
        width, count = int(parameters["WIDTH"], 2), int(parameters["WR_PORTS"], 2)
        address_bits = int(parameters["ABITS"], 2)
        data: list[Bit] = []
        enables: list[Bit] = []
        for port in range(count):
            enable = pins["WR_EN"][width * port : width * (port + 1)]
            address = pins["WR_ADDR"][address_bits * port : address_bits * (port + 1)]
            word = pins["WR_DATA"][width * port : width * (port + 1)]
            # What is written in a reset is marked; so is a word of which only a part is written.
            fresh = self.inverse(self.either(self.any_of([*word, *address, *enable]), self.reset))
            whole = self.both(fresh, *dict.fromkeys(enable))
            data += [self.both(whole, bit) for bit in self.epoch]
            enables += [self.either(*dict.fromkeys(enable))] * _EPOCH_BITS
        reads = int(parameters["RD_PORTS"], 2)
        read: list[Bit] = [self.new() for _ in range(reads * _EPOCH_BITS)]
        unknown = "x" * (reads * _EPOCH_BITS)
        changed = {
            "WIDTH": f"{_EPOCH_BITS:032b}",
            "INIT": "x",
            "MEMID": f"\\{name}.ages",
            "RD_INIT_VALUE": unknown,
            "RD_ARST_VALUE": unknown,
            "RD_SRST_VALUE": unknown,
        }
        self.cells[f"{name}.ages"] = {
            **cell,
            "parameters": {**parameters, **changed},
            "connections": {**pins, "WR_DATA": data, "WR_EN": enables, "RD_DATA": read},
        }
        return read

    def _count_resets(self) -> None:
        """The number of the last reset."""
        one = ["1", *["0"] * (_EPOCH_BITS - 1)]
        more = [self.new() for _ in self.epoch]
        sizes = {"A_WIDTH": _EPOCH_BITS, "B_WIDTH": _EPOCH_BITS, "Y_WIDTH": _EPOCH_BITS}
        signs = {"A_SIGNED": 0, "B_SIGNED": 0}
        terms: dict[str, Sequence[Bit]] = {"A": self.epoch, "B": one}
        self.cell("$add", terms, {"Y": more}, sizes | signs)
        for bit, following in zip(self.epoch, more, strict=True):
            chosen = self.new()
            pins = {"A": [bit], "B": [following], "S": [self.reset]}
            self.cell("$_MUX_", pins, {"Y": [chosen]})
            self.register(chosen, bit)

    def _kept(self, mark: Bit, enable: Bit) -> Bit:
        """A mark that a register takes when it is enabled; a reset marks it."""
        held = self.new()
        return self.register(self.either(self.choose(held, mark, enable), self.reset), held)

    def _held(self, bit: Bit, enable: Bit) -> Bit:
        """A bit that a register takes when it is enabled."""
        held = self.new()
        return self.register(self.choose(held, bit, enable), held)
