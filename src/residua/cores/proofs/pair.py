"""Two copies of a netlist side by side, and the claim that what is seen of them is equal."""

import json
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from residua.cores.proofs.netlist import (
    MEMORY,
    RESET,
    Bit,
    Netlist,
    clocked_reads,
)
from residua.toolchain.formal import ProofResult
from residua.toolchain.gates import prove_gates

_PAIR = "pair"


def prove_pair(
    netlist: Netlist,
    registers: Sequence[int],
    *,
    settles: int = 0,
    out_dir: Path,
    timeout: float | None,
) -> ProofResult:
    """Prove that two copies of a netlist look the same, and have equal ``registers``; see `Pair`.

    For all time: in any states with equal ``registers`` and, as these are equal again, in the next
    cycle; or with ``settles`` for so many cycles that this induction takes over.

    Raises:
        ToolError: Yosys or ABC failed, or took too long.
    """
    pair = {"modules": {_PAIR: Pair(netlist, registers, settles=settles).module()}}
    source = out_dir / f"{_PAIR}.json"
    source.write_text(json.dumps(pair), encoding="utf-8")
    cycles = settles + 3 if settles else 2
    return prove_gates(source, out_dir=out_dir, cycles=cycles, timeout=timeout)


class Pair:
    """Two copies of a netlist, and the claim that they look the same.

    Nets of the first copy keep their numbers. Memories are cut: what a constant one reads is any
    word, the same in both copies (the addresses are equal, which is asserted, unless a secret has
    part in them); what another one reads is any word, each copy's own. So are the secret inputs. A
    verdict is any bit, the same in both copies where the controller tests it.

    Both copies begin in any state, each its own but for the ``registers``, which are equal. Not so
    with ``settles``: then the first one begins with its initial values, the second one in any
    state, both are reset in the first cycle, what is seen of them is equal from the next cycle on
    (addresses and enables of memories when the reset has come to all parts), and their
    ``registers`` are ``settles`` cycles after the reset (those behind a memory, which has no reset,
    take one or two).
    """

    def __init__(self, netlist: Netlist, registers: Sequence[int], *, settles: int = 0) -> None:
        self.netlist, self.registers, self.settles = netlist, registers, settles
        highest = max(
            bit for net in netlist.names.values() for bit in net["bits"] if isinstance(bit, int)
        )
        self.offset = highest + 1
        self._delay = netlist.boundary.reset_delay
        self.fresh = 2 * self.offset
        self.cells: dict[str, Any] = {}
        self.names: dict[str, Any] = {}
        inputs = {n: p for n, p in netlist.ports.items() if p["direction"] == "input"}
        secret = netlist.boundary.inputs
        self.ports = {n: p for n, p in inputs.items() if n not in secret}
        self.shared = {bit for port in self.ports.values() for bit in port["bits"]}
        self.free: list[int] = [bit for name in secret for bit in inputs[name]["bits"]]
        self.ages: list[Bit] = []
        for name, memory in netlist.memories.items():
            read = [b for b in memory["connections"]["RD_DATA"] if isinstance(b, int)]
            self.free += read
            if not netlist.differs(name) and not settles:
                self.shared.update(read)

    def module(self) -> dict[str, Any]:
        """The pair as a module for Yosys to read."""
        verdicts = self.netlist.verdict_bits
        self._any([*self.free, *(b for b in verdicts if isinstance(b, int))])
        self._copy("first", lambda bit: bit, initial=self.settles > 0)
        self._copy("second", self._other, initial=False)
        self._assume()
        first = self._new()
        self._cell("first_cycle", "$initstate", {"Y": [first]}, {})
        if self.settles:
            self._begin_with_reset(first)
        else:
            equal = self._equal(self.registers)
            self._cell("begin_equal", "$assume", {"A": [equal], "EN": [first]}, {})
        self._claim("registers", self.registers, self.settles)
        for name, bits in self.netlist.observed.items():
            inside = name not in self.netlist.ports
            self._claim(name, bits, min(self.settles, 1 + inside * self._delay))
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

    def _copy(self, copy: str, rename: Callable[[Bit], Bit], *, initial: bool) -> None:
        """All cells but memories, and the ``initial`` values of the registers, if wanted."""
        verdicts = self.netlist.verdict_bits
        for name, cell in self.netlist.cells.items():
            if cell["type"] == MEMORY:
                continue
            pins = {}
            for pin, bits in cell["connections"].items():
                cut = cell["port_directions"][pin] == "output"
                pins[pin] = [self._new() if cut and b in verdicts else rename(b) for b in bits]
            self.cells[f"{copy}.{name}"] = {**cell, "connections": pins}
        for name, net in self.netlist.names.items() if initial else ():
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
        registers = self.netlist.registers - self.netlist.verdict_bits
        return "".join(v if bit in registers else "x" for bit, v in zip(bits, stated, strict=True))

    def _assume(self) -> None:
        """Verdicts are equal where they are tested."""
        for name, uses in self.netlist.boundary.verdicts.items():
            bits = self.netlist.verdicts[name]
            wires = [(self.netlist.wire(wire), value) for wire, value in uses]
            wires += [(self._other(wire), value) for wire, value in wires]
            tested: Bit = "1"
            if wires:
                tested = self._gate("$eq", [w for w, _ in wires], [str(int(v)) for _, v in wires])
            equal = self._equal(bits)
            self._cell(f"{name}.is_equal", "$assume", {"A": [equal], "EN": [tested]}, {})

    def _begin_with_reset(self, first: Bit) -> None:
        """The first cycle is one of reset; what constant memories read is equal soon after it."""
        (reset,) = self.netlist.ports[RESET]["bits"]
        self._cell("is_reset", "$assume", {"A": [reset], "EN": [first]}, {})
        (clock,) = self.netlist.ports["clk"]["bits"]
        age: Bit = "1"
        for cycle in range(1, self.settles + 1):
            before, age = age, self._new()
            pins = {"D": [before], "CLK": [clock], "Q": [age]}
            self._cell(f"grow_{cycle}", "$dff", pins, {"WIDTH": 1, "CLK_POLARITY": 1})
            attributes = {"init": "0"}
            self.names[f"age_{cycle}"] = {"hide_name": 0, "bits": [age], "attributes": attributes}
            self.ages.append(age)
        for name, memory in self.netlist.memories.items():
            if not self.netlist.differs(name):
                self._assume_same_words(name, memory)

    def _assume_same_words(self, name: str, memory: Mapping[str, Any]) -> None:
        """A constant memory reads the same where its address was the same: after the reset."""
        for clocked, bits in clocked_reads(memory):
            nets = [bit for bit in bits if isinstance(bit, int)]
            equal = self._equal(nets)
            since = self.ages[self._delay + clocked]
            self._cell(f"{name}.read_{nets[0]}", "$assume", {"A": [equal], "EN": [since]}, {})

    def _claim(self, name: str, bits: Sequence[Bit], after: int) -> None:
        """Nets are equal in both copies from so many cycles after the first one on."""
        equal = self._equal(bits)
        since = self.ages[after - 1] if after else "1"
        self._cell(f"{name}.equal", "$assert", {"A": [equal], "EN": [since]}, {})

    def _equal(self, bits: Sequence[Bit]) -> int:
        """Whether nets are equal in both copies."""
        return self._gate("$eq", bits, [self._other(bit) for bit in bits])

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
            "port_directions": {pin: "output" if pin in ("Y", "Q") else "input" for pin in pins},
            "connections": {pin: list(bits) for pin, bits in pins.items()},
        }
