"""No word from before a reset reaches a result after it, shown by marks on every bit.

Each bit of a core's netlist gets a mark, which says that the bit may depend on what was in the core
before the last reset: in registers and memories, and at the inputs until the reset has passed. With
a reset everything is marked; then marks follow the bits through gates, registers and memories. A
bit that steers, one that depends on no secret input and on no memory that is written, lets through
what it chooses and nothing else; every bit of data is taken for any value. So a run of the marked
netlist speaks for all words that a core may be given or may have held, with the handshakes of that
run. A result that is marked when it is valid ends the simulation.
"""

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from residua.cores.proofs.netlist import (
    MEMORY,
    RESET,
    Bit,
    Netlist,
    clocked_reads,
    is_constant,
    is_register,
)
from residua.toolchain.yosys import run_script

STALE = "a word from before the reset"
"""What the simulation says when it ends."""

_EPOCH_BITS = 32
"""Of the number that a memory keeps with a word: that of the last reset before it was written."""

_GATES = {"$_AND_", "$_OR_", "$_XOR_", "$_NOT_", "$_MUX_"}


def write_marked(netlist: Netlist, top: str, out_dir: Path) -> Path:
    """The netlist with its marks as Verilog, with the ports of the core.

    Args:
        netlist: of the core, with its boundary.
        top: name of the module.
        out_dir: takes the file.

    Raises:
        ToolError: Yosys failed.
    """
    module = _Marked(netlist).module()
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


class _Marked:
    """A netlist and its marks."""

    def __init__(self, netlist: Netlist) -> None:
        self.netlist = netlist
        self.cells: dict[str, Any] = dict(netlist.cells)
        self.highest = max(
            bit for net in netlist.names.values() for bit in net["bits"] if isinstance(bit, int)
        )
        (self.reset,) = netlist.ports[RESET]["bits"]
        (self.clock,) = netlist.ports["clk"]["bits"]
        self.marks: dict[Bit, Bit] = {self.clock: "0", self.reset: "0"}
        for port in netlist.ports.values():
            if port["direction"] == "input":
                self.marks.update({b: self.reset for b in port["bits"] if b not in self.marks})
        for cell in netlist.cells.values():
            for pin, bits in cell["connections"].items():
                if cell["port_directions"][pin] == "output":
                    self.marks.update({bit: self._new() for bit in bits})

    def module(self) -> dict[str, Any]:
        """For Yosys to read."""
        self.epoch = [self._new() for _ in range(_EPOCH_BITS)]
        self._count_resets()
        for name, cell in self.netlist.cells.items():
            if cell["type"] == MEMORY:
                self._mark_memory(name, cell)
            elif is_register(cell):
                self._mark_register(cell)
            elif cell["type"] in _GATES:
                self._mark_gate(cell)
            else:
                self._mark_function(cell)
        stale = {"hide_name": 0, "bits": [self._stale()], "attributes": {"keep": "1"}}
        names = {**self.netlist.names, "stale": stale}
        return {"ports": self.netlist.ports, "cells": self.cells, "netnames": names}

    def _stale(self) -> Bit:
        """Whether a result is marked that is valid."""
        found: list[Bit] = []
        for name, port in self.netlist.ports.items():
            valid = self.netlist.ports.get(_valid(name))
            if port["direction"] == "output" and valid:
                marked = self._any(port["bits"])
                found.append(self._and(marked, valid["bits"][0]))
        return self._and(self._or(*found), self._not(self.reset))

    def _mark_register(self, cell: dict[str, Any]) -> None:
        """A register keeps the mark of what it takes; in a reset what it holds is marked."""
        pins = cell["connections"]
        for q, d in zip(pins["Q"], pins["D"], strict=True):
            self._hold(q, self._mark(d))

    def _hold(self, bit: Bit, mark: Bit) -> None:
        """A bit that has a mark one cycle later, unless there is a reset then."""
        held = self._register(mark)
        self._cell("$_OR_", {"A": [held], "B": [self.reset]}, {"Y": [self.marks[bit]]})

    def _mark_gate(self, cell: dict[str, Any]) -> None:
        pins = {pin: bits[0] for pin, bits in cell["connections"].items()}
        kind, a, y = cell["type"], pins["A"], pins["Y"]
        if kind == "$_NOT_":
            mark = self._mark(a)
        elif kind == "$_XOR_":
            mark = self._or(self._mark(a), self._mark(pins["B"]))
        elif kind == "$_MUX_":
            mark = self._chosen(a, pins["B"], pins["S"])
        else:
            b, passing = pins["B"], kind == "$_AND_"
            mark = self._or(
                self._and(self._mark(a), self._passes(b, passing)),
                self._and(self._mark(b), self._passes(a, passing)),
            )
        self._same(y, mark)

    def _chosen(self, a: Bit, b: Bit, select: Bit) -> Bit:
        """The mark of ``b`` if ``select`` else ``a``."""
        own, others = self._mark(select), (self._mark(a), self._mark(b))
        if not self._steers(select):
            return self._or(own, *others)
        chosen = self._new()
        pins = {"A": [others[0]], "B": [others[1]], "S": [select]}
        self._cell("$_MUX_", pins, {"Y": [chosen]})
        return self._or(own, chosen)

    def _passes(self, bit: Bit, passing: bool) -> Bit:
        """Whether an AND, or an OR, lets its other input through, for all that is known."""
        if not self._steers(bit):
            return "1"
        return self._or(bit if passing else self._not(bit), self._mark(bit))

    def _mark_function(self, cell: dict[str, Any]) -> None:
        """All that a cell computes is marked if anything is that it reads."""
        pins, ways = cell["connections"], cell["port_directions"]
        read = [bit for pin, bits in pins.items() if ways[pin] == "input" for bit in bits]
        mark = self._any(read)
        for pin, bits in pins.items():
            if ways[pin] == "output":
                for bit in bits:
                    self._same(bit, mark)

    def _mark_memory(self, name: str, cell: dict[str, Any]) -> None:
        """A word is marked that was not written since the reset, or with a marked one."""
        pins, parameters = cell["connections"], cell["parameters"]
        bits = int(parameters["ABITS"], 2)
        ages = [] if is_constant(cell) else self._ages(name, cell)
        for port, (clocked, words) in enumerate(clocked_reads(cell)):
            address = pins["RD_ADDR"][bits * port : bits * (port + 1)]
            mark = self._any([*address, pins["RD_EN"][port]])
            if clocked:
                mark = self._kept(mark, pins["RD_EN"][port])
            if ages:
                own = ages[_EPOCH_BITS * port : _EPOCH_BITS * (port + 1)]
                mark = self._or(mark, self._differ(own, self.epoch))
            for bit in words:
                self._same(bit, self._or(mark, self.reset) if clocked else mark)

    def _ages(self, name: str, cell: dict[str, Any]) -> list[Bit]:
        """What a memory beside another one reads: the number of the last reset before a word."""
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
            fresh = self._not(self._or(self._any([*word, *address, *enable]), self.reset))
            whole = self._and(fresh, *dict.fromkeys(enable))
            data += [self._and(whole, bit) for bit in self.epoch]
            enables += [self._or(*dict.fromkeys(enable))] * _EPOCH_BITS
        reads = int(parameters["RD_PORTS"], 2)
        read: list[Bit] = [self._new() for _ in range(reads * _EPOCH_BITS)]
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
        more = [self._new() for _ in self.epoch]
        sizes = {"A_WIDTH": _EPOCH_BITS, "B_WIDTH": _EPOCH_BITS, "Y_WIDTH": _EPOCH_BITS}
        signs = {"A_SIGNED": 0, "B_SIGNED": 0}
        terms: dict[str, Sequence[Bit]] = {"A": self.epoch, "B": one}
        self._cell("$add", terms, {"Y": more}, sizes | signs)
        for bit, following in zip(self.epoch, more, strict=True):
            chosen = self._new()
            pins = {"A": [bit], "B": [following], "S": [self.reset]}
            self._cell("$_MUX_", pins, {"Y": [chosen]})
            self._register(chosen, bit)

    def _kept(self, mark: Bit, enable: Bit) -> Bit:
        """A mark that a register takes when it is enabled."""
        held, chosen = self._new(), self._new()
        pins: dict[str, Sequence[Bit]] = {"A": [held], "B": [mark], "S": [enable]}
        self._cell("$_MUX_", pins, {"Y": [chosen]})
        return self._register(self._or(chosen, self.reset), held)

    def _steers(self, bit: Bit) -> bool:
        """Whether a bit depends on public inputs alone."""
        return isinstance(bit, str) or bit not in self.netlist.secrets

    def _mark(self, bit: Bit) -> Bit:
        """The mark of a bit; a constant has none."""
        return "0" if isinstance(bit, str) else self.marks[bit]

    def _any(self, bits: Sequence[Bit]) -> Bit:
        return self._or(*(self._mark(bit) for bit in dict.fromkeys(bits)))

    def _or(self, *bits: Bit) -> Bit:
        if "1" in bits:
            return "1"
        return self._reduce("$reduce_or", [bit for bit in dict.fromkeys(bits) if bit != "0"], "0")

    def _and(self, *bits: Bit) -> Bit:
        if "0" in bits:
            return "0"
        return self._reduce("$reduce_and", [bit for bit in dict.fromkeys(bits) if bit != "1"], "1")

    def _reduce(self, kind: str, bits: Sequence[Bit], none: Bit) -> Bit:
        if len(bits) < 2:
            return bits[0] if bits else none
        result = self._new()
        sizes = {"A_SIGNED": 0, "A_WIDTH": len(bits), "Y_WIDTH": 1}
        self._cell(kind, {"A": bits}, {"Y": [result]}, sizes)
        return result

    def _not(self, bit: Bit) -> Bit:
        if isinstance(bit, str):
            return {"0": "1", "1": "0"}[bit]
        result = self._new()
        self._cell("$_NOT_", {"A": [bit]}, {"Y": [result]})
        return result

    def _differ(self, a: Sequence[Bit], b: Sequence[Bit]) -> Bit:
        result = self._new()
        sizes = {"A_WIDTH": len(a), "B_WIDTH": len(b), "Y_WIDTH": 1, "A_SIGNED": 0, "B_SIGNED": 0}
        self._cell("$ne", {"A": a, "B": b}, {"Y": [result]}, sizes)
        return result

    def _register(self, following: Bit, bit: Bit | None = None) -> Bit:
        """A register of one bit, ``bit`` or a new one."""
        held = self._new() if bit is None else bit
        pins = {"D": [following], "CLK": [self.clock]}
        self._cell("$dff", pins, {"Q": [held]}, {"WIDTH": 1, "CLK_POLARITY": 1})
        return held

    def _same(self, bit: Bit, mark: Bit) -> None:
        """Drive the mark of a bit."""
        sizes = {"A_SIGNED": 0, "A_WIDTH": 1, "Y_WIDTH": 1}
        self._cell("$pos", {"A": [mark]}, {"Y": [self.marks[bit]]}, sizes)

    def _new(self) -> int:
        self.highest += 1
        return self.highest

    def _cell(
        self,
        kind: str,
        inputs: Mapping[str, Sequence[Bit]],
        outputs: Mapping[str, Sequence[Bit]],
        sizes: Mapping[str, int] | None = None,
    ) -> None:
        pins = {**inputs, **outputs}
        self.cells[f"mark_{len(self.cells)}"] = {
            "hide_name": 1,
            "type": kind,
            "parameters": {key: f"{value:032b}" for key, value in (sizes or {}).items()},
            "attributes": {},
            "port_directions": {pin: "output" if pin in outputs else "input" for pin in pins},
            "connections": {pin: list(bits) for pin, bits in pins.items()},
        }


def _valid(output: str) -> str:
    """The name of the output that says when another one holds a result."""
    return "done" if output == "status" else f"{output.removesuffix('_payload')}_valid"
