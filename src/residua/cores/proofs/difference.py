"""Whether a fault in a netlist is ever seen at its outputs, shown beside the netlist itself.

Of what steers, bits that depend on no secret input, there is a second copy with the fault: it may
run through other states, as long as nothing else notices. Of data there are marks
(`residua.cores.proofs.marks`): a mark says here that a bit may differ from that of the core without
the fault. So a fault in a slot of a program that does nothing, or in a word that nothing uses, is
proved to be none, whatever the numbers are.

What passes from data to what steers, a verdict, is any bit in the copy once it is marked.
"""

import json
import os
from collections.abc import Container, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from residua.cores.proofs.boundary import Boundary
from residua.cores.proofs.facts import add_facts, premises
from residua.cores.proofs.marks import Marks
from residua.cores.proofs.netlist import (
    MEMORY,
    RESET,
    Bit,
    Netlist,
    clocked_reads,
    is_constant,
    is_register,
)
from residua.cores.proofs.operands import RESTRICTED, restrict
from residua.cores.proofs.traffic import HANDSHAKES, simulate
from residua.toolchain.aiger import Network
from residua.toolchain.exploration.explorer import Question, explore
from residua.toolchain.gates import Outcome, gates_script, reduced, watch
from residua.toolchain.planted.mutation import SWITCH, Mutants, names_of, write_switched
from residua.toolchain.yosys import run_script

_ANY, _VERDICTS = "any", "verdicts"
"""Inputs of a network that an attempt watches: of the copy, and in place of verdicts."""

_EXPLORING = 6
"""How many times as long as one attempt the states of the control may take."""

_ABSORBING = 2
"""How many registers, one behind the other, may differ because of a fault that is absorbed."""

_ATTEMPTS = 6
"""How many times as long as one attempt may take all of them take."""


def unseen(
    mutants: Mutants,
    number: int,
    boundary: Boundary,
    *,
    valid: Mapping[str, str],
    exact: bool = False,
    operands: Sequence[int] = (),
    cpu_seconds: int = 10,
) -> bool:
    """Whether a mutant is proved to have the outputs of the design from its initial values on.

    At first those registers may differ that do in a simulation in which all may; then more, until
    no others do, or an output.

    Args:
        mutants: of a core.
        number: of one of them, from 1 on.
        boundary: of the core.
        valid: outputs that hold something only while another output is 1, and that output.
        exact: data have the values that they have; otherwise any, which is faster.
        operands: the bits that each word of the operands may have, see `word_bits`; any if empty.
        cpu_seconds: for each attempt, see `watch`; all of them take not much
            more than 6 times as long.

    Raises:
        ToolError: Yosys failed.
    """
    netlist = _netlist(mutants, number, boundary)
    proof = _Proof(netlist, mutants.directory, f"unseen{number}{'x' if exact else ''}", valid)
    apart = proof.met(exact, operands)
    end = _spent() + _ATTEMPTS * cpu_seconds
    while apart is not None and _spent() < end:
        different = _Different(netlist, apart, exact=exact, cut=not exact)
        outcome = proof.with_facts(different, operands, cpu_seconds) if exact else Outcome()
        if not (outcome.proved or outcome.raised):
            outcome = watch(proof.gates(different, operands), cpu_seconds=cpu_seconds)
        if not (exact or outcome.proved or outcome.raised):
            outcome = Outcome(proved=proof.in_all_states(cpu_seconds))
        found = {name for i, name in enumerate(different.claims) if i in outcome.raised}
        if not found:
            return outcome.proved
        apart |= found
    return False


def absorbed(
    mutants: Mutants,
    number: int,
    boundary: Boundary,
    *,
    valid: Mapping[str, str],
    operands: Sequence[int] = (),
    cpu_seconds: int = 10,
) -> bool:
    """Whether a mutant is proved to differ from the design in no more than what takes its fault.

    At first that is the registers and memories that take it in, then also those that take in these.
    Data have the values that they have, as far as these are always the same in a state of the
    control: so a number that is begun with again before it is used may be another one until then,
    and a bit that is always 0 while it is used may be lost. Arguments and errors are those of
    `unseen`.
    """
    netlist = _netlist(mutants, number, boundary)
    proof = _Proof(netlist, mutants.directory, f"absorbed{number}", valid)
    (switch,) = netlist.ports[SWITCH]["bits"]
    taken = set[str]()
    for _ in range(_ABSORBING):
        reached = netlist.dependent(switch, taken)
        cells = netlist.cells.items()
        taken = {name for name, cell in cells if not reached.isdisjoint(_taken(cell))}
        gates = proof.gates(_Different(netlist, taken, exact=True, cut=True), operands)
        if proof.explored(gates, Network.read(gates), cpu_seconds):
            return True
    return False


def _taken(cell: Mapping[str, Any]) -> Iterator[Bit]:
    """The nets that a register or a memory takes in."""
    for pin, bits in cell["connections"].items():
        if (is_register(cell) and pin == "D") or pin.startswith("WR_"):
            yield from bits


def _spent() -> float:
    """CPU seconds of this process and of the programs that it has waited for."""
    return sum(os.times()[:4])


def _netlist(mutants: Mutants, number: int, boundary: Boundary) -> Netlist:
    """A core whose input `SWITCH` switches a mutant on."""
    switched = write_switched(mutants, number)
    module = json.loads(switched.read_text(encoding="utf-8"))["modules"][mutants.top]
    # A verdict whose wire is gone is taken for any data: then more is marked, never less. When it
    # is tested does not matter here.
    named = names_of(mutants, tuple(boundary.verdicts))
    verdicts = {
        name: () for names in named.values() for name in names if name in module["netnames"]
    }
    return Netlist(module, replace(boundary, verdicts=verdicts, addresses=()))


@dataclass(frozen=True)
class _Proof:
    """What the attempts at one mutant share: netlist, directory, names of files, valid outputs."""

    netlist: Netlist
    directory: Path
    name: str
    valid: Mapping[str, str]

    def held(self) -> set[str]:
        """All registers and memories."""
        cells = self.netlist.cells.items()
        return {name for name, cell in cells if is_register(cell) or cell["type"] == MEMORY}

    def in_all_states(self, cpu_seconds: int) -> bool:
        """Whether no output of the last network is ever 1, in each state of its control.

        They are looked at one by one, under every handshake, command and reset, and with every
        verdict: one that is made of what a core computes in every cycle, one that inputs decide
        when they do; data are any. That gets to the end of long programs, of which no invariant is
        found.
        """
        gates = self._gates
        less = reduced(gates, cpu_seconds=3 * cpu_seconds)
        return less is not None and self.explored(gates, Network.read(less), cpu_seconds)

    def explored(self, gates: Path, network: Network, cpu_seconds: int) -> bool:
        """The same of a network that was made of some gates.

        Verdicts are unknown, as are data, where that is enough: then they only choose numbers.
        """
        # A network that is reduced has no names.
        bits = Network.read(gates).inputs
        names = [name.split("[")[0] for name in bits]
        unknown = {RESET, "clk", _ANY, RESTRICTED, *self.netlist.boundary.inputs}
        deciding = self._deciding()
        choices = [i for i, name in enumerate(names) if name not in unknown or bits[i] in deciding]
        # Those come first that settle most.
        choices.sort(key=lambda i: (names[i] == _VERDICTS, not names[i].endswith(HANDSHAKES)))
        others = [i for i in choices if names[i] != _VERDICTS]
        return any(
            not explore(
                network,
                Question(names.index(RESET), chosen, network.outputs),
                out_dir=self.directory,
                name=f"{self.name}-states",
                cpu_seconds=_EXPLORING * cpu_seconds,
            )
            for chosen in ([others, choices] if others != choices else [choices])
        )

    def _deciding(self) -> set[str]:
        """The bits of secret inputs that decide verdicts, as a network names them."""
        wanted = {bit for bits in self.netlist.decided.values() for bit in bits}
        found = set()
        for name in self.netlist.boundary.inputs:
            bits = self.netlist.ports[name]["bits"]
            places = [place for place, bit in enumerate(bits) if bit in wanted]
            found |= {f"{name}[{place}]" if len(bits) > 1 else name for place in places}
        return found

    def met(self, exact: bool, operands: Sequence[int]) -> set[str] | None:
        """The registers and memories that differ in a simulation; None if an output does."""
        different = _Different(
            self.netlist, self.held(), exact=exact, all_watched=True, cut=not exact
        )
        network = Network.read(self.gates(different, operands))
        raised = np.zeros(len(network.outputs), bool)
        for outputs in simulate(network):
            raised |= outputs.any(axis=1)
            if raised[-1]:
                return None
        return {name for name, met in zip(different.claims, raised, strict=False) if met}

    def with_facts(
        self, different: "_Different", operands: Sequence[int], cpu_seconds: int
    ) -> Outcome:
        """Watch what differs beside facts that are proved with it."""
        gates = self.gates(different, operands, facts=True)
        network = Network.read(gates)
        outputs = add_facts(network)
        gates.write_bytes(network.content())
        return watch(gates, cpu_seconds=cpu_seconds, outputs=outputs)

    @property
    def _gates(self) -> Path:
        return self.directory / f"{self.name}.aig"

    def gates(
        self, different: "_Different", operands: Sequence[int], *, facts: bool = False
    ) -> Path:
        """Write what an attempt watches as a network of gates."""
        module = different.module(self.valid, operands)
        if facts:
            module["ports"] |= premises(different)
        text = json.dumps({"modules": {"marked": module}})
        (self.directory / f"{self.name}.json").write_text(text, encoding="utf-8")
        gates = self._gates
        reads = [f"{self.name}.json"]
        script = [f"read_json {reads[0]}", "opt_clean", "opt", "memory_map"]
        script += gates_script(gates.name)
        run_script(script, reads=reads, writes=[gates.name], out_dir=self.directory, name=self.name)
        return gates


class _Different(Marks):
    """A netlist with a mutant that is off, beside it what steers if it is on, and marks on data.

    Attributes:
        apart: names of registers and memories that may differ.
        exact: data have the values that they have.
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
        all_watched: bool = False,
        cut: bool = False,
    ) -> None:
        super().__init__(netlist)
        self.apart, self.exact, self.all_watched = apart, exact, all_watched
        made = netlist.verdict_bits - netlist.decided.keys()
        self.cut = {bit: self.new() for bit in made} if cut else {}
        (self.switch,) = netlist.ports[SWITCH]["bits"]
        self._begin_as_registers_do()
        self.initial = _initial(self.names)
        affected = netlist.dependent(self.switch, apart)
        self.marks = {bit: mark for bit, mark in self.marks.items() if bit in affected}
        copied = sorted(affected - netlist.secrets.keys() - self.cut.keys())
        self.others: dict[Bit, Bit] = {bit: self.new() for bit in copied}
        self.others[self.switch] = self.marks[self.switch] = "1"
        self.loose: dict[Bit, Bit] = {}
        self.any: list[Bit] = []
        self.claims: list[str] = []
        self.seen: list[Bit] = []

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
        for port, bits in ((_ANY, self.any), (_VERDICTS, list(self.cut))):
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
