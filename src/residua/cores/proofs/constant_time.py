"""Constant time, proved on the netlist of a core, at full size and for all time.

Two copies of a core get the same commands, handshakes and resets, but any operands, random words
and contents of memories, each its own. If the verdicts that `Boundary` names are the same in both,
so is, in every cycle, all that can be seen from outside or that steers a memory.

Two methods look at the Verilog of the core, made flat by Yosys:

* a dependency analysis: no wire that is seen is reached, through gates, registers or memories, from
  a secret;
* SymbiYosys: the two copies side by side, by induction. Which registers are equal in both, which
  the induction needs to know, comes from the analysis; that they are is proved.
"""

import json
from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from amaranth.lib.wiring import Component

from residua.cores.proofs.boundaries import Boundary
from residua.errors import SpecificationError
from residua.hardware.rtl import PRIMITIVE_FILE, emit
from residua.toolchain.formal import ProofResult, prove
from residua.toolchain.yosys import run_script

Bit = int | str
"""A net of a netlist, or a constant."""

_DEPTH = 2
_TOP = "core"
_PAIR = "pair"
_MEMORY, _ADDRESS = "$mem_v2", ".RD_ADDR"


@dataclass(frozen=True)
class ConstantTimeResult:
    """What was found of one core.

    Attributes:
        observed: bits that have to be equal: outputs, addresses and enables of memories.
        registers: bits of registers that are equal.
        leaks: what depends on a secret, as the wires from the secret to it, one line each.
        proof: the verdict of SymbiYosys.
    """

    observed: int
    registers: int
    leaks: tuple[str, ...]
    proof: ProofResult

    @property
    def passed(self) -> bool:
        """Whether nothing that is seen depends on a secret, by both methods."""
        return not self.leaks and self.proof.passed


def prove_constant_time(
    component: Component,
    boundary: Boundary,
    *,
    out_dir: Path,
    engine: str = "smtbmc z3",
    timeout: float | None = None,
) -> ConstantTimeResult:
    """Write a core's Verilog and prove that what is seen of it depends on no secret.

    Args:
        component: the core.
        boundary: what is secret in it.
        out_dir: takes Verilog, netlists and logs; made if absent.
        engine: one of `residua.toolchain.formal.ENGINES`.
        timeout: seconds for SymbiYosys.

    Raises:
        SpecificationError: the core has not all that the boundary names.
        ToolError: Yosys or SymbiYosys failed, or took too long.
    """
    verilog = write_verilog(component, out_dir)
    return prove_netlist(
        read_netlist(*verilog, out_dir, boundary), out_dir=out_dir, engine=engine, timeout=timeout
    )


def prove_netlist(
    netlist: "Netlist",
    *,
    out_dir: Path,
    engine: str = "smtbmc z3",
    timeout: float | None = None,
) -> ConstantTimeResult:
    """The same for a netlist; see `prove_constant_time`."""
    pair = {"modules": {_PAIR: _Pair(netlist).module()}}
    (out_dir / f"{_PAIR}.json").write_text(json.dumps(pair), encoding="utf-8")
    script = [f"read_json {_PAIR}.json", f"write_rtlil {_PAIR}.il"]
    run_script(script, out_dir=out_dir, name="write_pair")
    proof = prove(
        out_dir / f"{_PAIR}.il",
        _PAIR,
        out_dir=out_dir,
        depth=_DEPTH,
        engine=engine,
        timeout=timeout,
    )
    return ConstantTimeResult(
        observed=len({bit for bits in netlist.observed.values() for bit in bits}),
        registers=len(netlist.public_registers),
        leaks=netlist.leaks,
        proof=proof,
    )


def write_verilog(component: Component, out_dir: Path) -> tuple[list[Path], str]:
    """The Verilog files of a core as they are delivered, and the name of its top module."""
    out_dir.mkdir(parents=True, exist_ok=True)
    files, sources = emit(component, _TOP), []
    for name in (f"rtl/{_TOP}.v", PRIMITIVE_FILE):
        sources.append(out_dir / Path(name).name)
        sources[-1].write_text(files[name], encoding="utf-8")
    return sources, _TOP


def read_netlist(sources: Sequence[Path], top: str, out_dir: Path, boundary: Boundary) -> "Netlist":
    """The Verilog as one flat netlist of gates, registers, adders and whole memories."""
    script = [
        *(f'read_verilog "{source.resolve()}"' for source in sources),
        f"hierarchy -check -top {top}",
        "proc",
        # The address of a write that is off stays what it would be if it were on.
        "opt_expr -mux_undef",
        "flatten",
        "memory_dff",
        "memory_collect",
        "opt_clean",
        # Registers stay words: SymbiYosys cannot write the trace of single ones.
        "simplemap t:$dff %n",
        "opt_clean",
        "write_json netlist.json",
    ]
    run_script(script, out_dir=out_dir, name="read_netlist")
    text = (out_dir / "netlist.json").read_text(encoding="utf-8")
    return Netlist(json.loads(text)["modules"][top], boundary)


class Netlist:
    """A flat netlist, and what in it depends on secrets.

    Raises:
        SpecificationError: a wire that the boundary names is missing.
    """

    def __init__(self, module: dict[str, Any], boundary: Boundary) -> None:
        self.module, self.boundary = module, boundary
        self.ports: dict[str, Any] = module["ports"]
        self.cells: dict[str, Any] = {
            name: cell for name, cell in module["cells"].items() if cell["type"] != "$scopeinfo"
        }
        self.names: dict[str, Any] = module["netnames"]
        verdicts = boundary.verdicts
        wanted = {*verdicts, *(wire for uses in verdicts.values() for wire, _ in uses)}
        missing = sorted(wanted - self.names.keys())
        secret = (*boundary.inputs, *boundary.outputs)
        missing += [name for name in secret if name not in self.ports]
        # Of a memory that is written, for what a constant one reads is equal as its address is.
        written = {n + _ADDRESS for n, cell in self.memories.items() if not is_constant(cell)}
        missing += [name for name in boundary.addresses if name not in written]
        if missing:
            raise SpecificationError(f"a {boundary.core} has the wires {', '.join(missing)}")

    def wire(self, name: str) -> Bit:
        """The net of a wire of one bit."""
        bit: Bit = self.names[name]["bits"][0]
        return bit

    @cached_property
    def verdicts(self) -> dict[str, Bit]:
        """The nets of the verdicts."""
        return {name: self.wire(name) for name in self.boundary.verdicts}

    @cached_property
    def memories(self) -> dict[str, Any]:
        """All memories."""
        return {n: cell for n, cell in self.cells.items() if cell["type"] == _MEMORY}

    @cached_property
    def observed(self) -> dict[str, list[int]]:
        """What has to be equal, by name: outputs, addresses and enables of memories."""
        found: dict[str, list[Bit]] = {}
        for name, port in self.ports.items():
            if port["direction"] == "output":
                found[name] = port["bits"][self.boundary.outputs.get(name, 0) :]
        for name, cell in self.memories.items():
            for pin in ("RD_ADDR", "RD_EN", "WR_ADDR", "WR_EN"):
                found[f"{name}.{pin}"] = cell["connections"][pin]
        for name in self.boundary.addresses:
            del found[name]
        nets = {name: [bit for bit in bits if isinstance(bit, int)] for name, bits in found.items()}
        return {name: bits for name, bits in nets.items() if bits}

    @cached_property
    def secrets(self) -> dict[int, int | None]:
        """All nets that depend on a secret, each with the net from which it does."""
        sources = [bit for name in self.boundary.inputs for bit in self.ports[name]["bits"]]
        for cell in self.memories.values():
            if not is_constant(cell):
                sources += cell["connections"]["RD_DATA"]
        public = set(self.verdicts.values())
        found: dict[int, int | None] = {bit: None for bit in sources if bit not in public}
        waiting = deque(found)
        while waiting:
            bit = waiting.popleft()
            for follower in self._followers.get(bit, ()):
                if follower not in found and follower not in public:
                    found[follower] = bit
                    waiting.append(follower)
        return found

    @cached_property
    def _followers(self) -> dict[int, set[int]]:
        """The nets that a gate, a register or a constant memory makes of a net."""
        followers: dict[int, set[int]] = {}
        for cell in self.cells.values():
            if cell["type"] == _MEMORY and not is_constant(cell):
                continue
            for source, driven in _dependencies(cell):
                followers.setdefault(source, set()).update(driven)
        return followers

    @cached_property
    def registers(self) -> set[Bit]:
        """The nets of all registers."""
        return {bit for c in self.cells.values() if is_register(c) for bit in _driven(c)}

    @cached_property
    def public_registers(self) -> list[int]:
        """The nets of registers that do not depend on a secret."""
        excluded = {*self.secrets, *self.verdicts.values()}
        return sorted(b for b in self.registers if isinstance(b, int) and b not in excluded)

    @cached_property
    def leaks(self) -> tuple[str, ...]:
        """What is seen and depends on a secret, with the way from there."""
        found = []
        for name, bits in self.observed.items():
            reached = [bit for bit in bits if bit in self.secrets]
            if reached:
                found.append(" -> ".join([*self._way(reached[0]), name]))
        return tuple(found)

    def _way(self, bit: int) -> list[str]:
        """The names of nets from a secret to a net that depends on it."""
        way: list[str] = []
        current: int | None = bit
        while current is not None:
            name = self._net_names.get(current)
            if name is not None and name not in way[-1:]:
                way.append(name)
            current = self.secrets[current]
        return way[::-1]

    @cached_property
    def _net_names(self) -> dict[int, str]:
        """A name for each net that has one: the shortest, as it stands highest."""
        named: dict[int, str] = {}
        order = sorted(self.names.items(), key=lambda item: (item[0].count("."), item[0]))
        for name, net in order:
            if not net["hide_name"]:
                for bit in net["bits"]:
                    named.setdefault(bit, name)
        return named


def is_constant(memory: Mapping[str, Any]) -> bool:
    """Whether a memory has no write port."""
    return not memory["connections"]["WR_ADDR"] and not memory["connections"]["WR_DATA"]


def is_register(cell: Mapping[str, Any]) -> bool:
    """Whether a cell is a flip-flop."""
    return "Q" in cell["connections"]


def _dependencies(cell: Mapping[str, Any]) -> Iterator[tuple[int, set[int]]]:
    """Nets that a cell reads, each with the nets that it drives and that depend on it."""
    driven = {bit for bit in _driven(cell) if isinstance(bit, int)}
    for pin, bits in cell["connections"].items():
        if cell["port_directions"][pin] != "input":
            continue
        own = pin == "D" and is_register(cell)
        for position, bit in enumerate(bits):
            if isinstance(bit, int):
                yield bit, {cell["connections"]["Q"][position]} if own else driven


def _driven(cell: Mapping[str, Any]) -> Iterator[Bit]:
    for pin, bits in cell["connections"].items():
        if cell["port_directions"][pin] == "output":
            yield from bits


class _Pair:
    """Two copies of a netlist, and the claim that they look the same.

    Nets of the first copy keep their numbers. Memories are cut: what a constant one reads is any
    word, the same in both copies (the addresses are equal, which is asserted); what another one
    reads is any word, each copy's own. So are the secret inputs. A verdict is any bit, the same in
    both copies where the controller tests it.
    """

    def __init__(self, netlist: Netlist) -> None:
        self.netlist = netlist
        highest = max(
            bit for net in netlist.names.values() for bit in net["bits"] if isinstance(bit, int)
        )
        self.offset = highest + 1
        self.fresh = 2 * self.offset
        self.cells: dict[str, Any] = {}
        self.names: dict[str, Any] = {}
        inputs = {n: p for n, p in netlist.ports.items() if p["direction"] == "input"}
        secret = netlist.boundary.inputs
        self.ports = {n: p for n, p in inputs.items() if n not in secret}
        self.shared = {bit for port in self.ports.values() for bit in port["bits"]}
        self.free: list[int] = [bit for name in secret for bit in inputs[name]["bits"]]
        for memory in netlist.memories.values():
            read = [b for b in memory["connections"]["RD_DATA"] if isinstance(b, int)]
            self.free += read
            if is_constant(memory):
                self.shared.update(read)

    def module(self) -> dict[str, Any]:
        """The pair as a module for Yosys to read."""
        verdicts = set(self.netlist.verdicts.values())
        self._any([*self.free, *(b for b in verdicts if isinstance(b, int))])
        self._copy("first", lambda bit: bit)
        self._copy("second", self._other)
        self._assume()
        self._claim("registers", self.netlist.public_registers)
        for name, bits in self.netlist.observed.items():
            self._claim(name, bits)
        return {"ports": self.ports, "cells": self.cells, "netnames": self.names}

    def _other(self, bit: Bit) -> Bit:
        """A net of the first copy in the second one."""
        return bit if isinstance(bit, str) or bit in self.shared else bit + self.offset

    def _new(self) -> int:
        self.fresh += 1
        return self.fresh

    def _any(self, bits: Sequence[int]) -> None:
        """Drive nets of both copies with any values."""
        driven = list(dict.fromkeys(b for bit in bits for b in (bit, self._other(bit))))
        self._cell("any_value", "$anyseq", {"Y": driven}, {"WIDTH": len(driven)})

    def _copy(self, copy: str, rename: Callable[[Bit], Bit]) -> None:
        """All cells but memories, and the initial values of the registers."""
        verdicts = set(self.netlist.verdicts.values())
        for name, cell in self.netlist.cells.items():
            if cell["type"] == _MEMORY:
                continue
            pins = {}
            for pin, bits in cell["connections"].items():
                cut = cell["port_directions"][pin] == "output"
                pins[pin] = [self._new() if cut and b in verdicts else rename(b) for b in bits]
            self.cells[f"{copy}.{name}"] = {**cell, "connections": pins}
        for name, net in self.netlist.names.items():
            init = self._init(net)
            if init.strip("x"):
                bits = [rename(bit) for bit in net["bits"]]
                attributes = {"init": init}
                self.names[f"{copy}.{name}"] = {
                    "hide_name": 0,
                    "bits": bits,
                    "attributes": attributes,
                }

    def _init(self, net: Mapping[str, Any]) -> str:
        """Initial values, the highest bit first, of those bits of a net that are registers."""
        stated = net["attributes"].get("init", "").rjust(len(net["bits"]), "x")
        bits = reversed(net["bits"])
        registers = self.netlist.registers - set(self.netlist.verdicts.values())
        return "".join(v if bit in registers else "x" for bit, v in zip(bits, stated, strict=True))

    def _assume(self) -> None:
        """Verdicts are equal where they are tested."""
        for name, uses in self.netlist.boundary.verdicts.items():
            bit = self.netlist.verdicts[name]
            wires = [(self.netlist.wire(wire), value) for wire, value in uses]
            wires += [(self._other(wire), value) for wire, value in wires]
            tested: Bit = "1"
            if wires:
                tested = self._gate("$eq", [w for w, _ in wires], [str(int(v)) for _, v in wires])
            equal = self._gate("$eq", [bit], [self._other(bit)])
            self._cell(f"{name}.is_equal", "$assume", {"A": [equal], "EN": [tested]}, {})

    def _claim(self, name: str, bits: Sequence[Bit]) -> None:
        equal = self._gate("$eq", bits, [self._other(bit) for bit in bits])
        self._cell(f"{name}.equal", "$assert", {"A": [equal], "EN": ["1"]}, {})

    def _gate(self, kind: str, left: Sequence[Bit], right: Sequence[Bit]) -> int:
        """A comparison; returns its net."""
        result = self._new()
        sizes = {"A_WIDTH": len(left), "B_WIDTH": len(right), "Y_WIDTH": 1}
        parameters = {**sizes, "A_SIGNED": 0, "B_SIGNED": 0}
        pins: dict[str, Sequence[Bit]] = {"A": left, "B": right, "Y": [result]}
        self._cell(f"gate_{result}", kind, pins, parameters)
        return result

    def _cell(
        self, name: str, kind: str, pins: Mapping[str, Sequence[Bit]], sizes: Mapping[str, int]
    ) -> None:
        self.cells[name] = {
            "hide_name": 0,
            "type": kind,
            "parameters": {key: f"{value:032b}" for key, value in sizes.items()},
            "attributes": {},
            "port_directions": {pin: "output" if pin == "Y" else "input" for pin in pins},
            "connections": {pin: list(bits) for pin, bits in pins.items()},
        }
