"""Whether a fault in a netlist is ever seen at its outputs, shown beside the netlist itself.

Of what steers, bits that depend on no secret input, there is a second copy with the fault: it may
run through other states, as long as nothing else notices. Of data there are marks
(`residua.cores.proofs.marks`): a mark says here that a bit may differ from that of the core without
the fault. So a fault in a slot of a program that does nothing, or in a word that nothing uses, is
proved to be none, whatever the numbers are.

What passes from data to what steers, a verdict, is any bit in the copy once it is marked.

A number that comes out right after all, as one of which a bit is inverted twice, has no proof by
marks. Then data have a copy as well, and ABC is told how each of its bits goes with that of the
core (`residua.cores.proofs.facts`).
"""

import json
import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from residua.cores.proofs.boundary import Boundary
from residua.cores.proofs.facts import add_facts, premises
from residua.cores.proofs.faulty_copy import ANY, VERDICTS, FaultyCopy
from residua.cores.proofs.netlist import MEMORY, RESET, Bit, Netlist, is_register
from residua.cores.proofs.operands import RESTRICTED
from residua.cores.proofs.traffic import HANDSHAKES, simulate
from residua.toolchain.aiger import Network
from residua.toolchain.exploration.explorer import Question, explore
from residua.toolchain.gates import Outcome, excluded, gates_script, reduced, watch
from residua.toolchain.planted.mutation import SWITCH, Mutants, names_of, write_switched
from residua.toolchain.yosys import run_script

_EXPLORING = 6
"""How many times as long as one attempt the states of the control may take."""

_ABSORBING = 2
"""How many registers, one behind the other, may differ because of a fault that is absorbed."""

_BEFORE = 10
"""Cycles up to which a fault is looked for behind any state."""

_ATTEMPTS = 6
"""How many times as long as one attempt may take all of them take."""


def unseen(
    mutants: Mutants,
    number: int,
    boundary: Boundary,
    *,
    valid: Mapping[str, str],
    exact: bool = False,
    copied: bool = False,
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
        copied: data that the fault reaches have a copy, in place of marks; only with ``exact``.
        operands: the bits that each word of the operands may have, see `word_bits`; any if empty.
        cpu_seconds: for each attempt, see `watch`; all of them take not much
            more than 6 times as long.

    Raises:
        ToolError: Yosys failed.
    """
    netlist = _netlist(mutants, number, boundary)
    proof = _Proof(netlist, mutants.directory, f"unseen{number}{'x' if exact else ''}", valid)
    apart = proof.met(operands, exact=exact, copied=copied)
    end = _spent() + _ATTEMPTS * cpu_seconds
    while apart is not None and _spent() < end:
        different = FaultyCopy(netlist, apart, exact=exact, copied=copied, cut=not exact)
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

    At first that is the registers and memories that take it in, then also those that take in these;
    in the end those that differ in a simulation, which are of use where a fault gets far.
    Data have the values that they have, as far as these are always the same in a state of the
    control: so a number that is begun with again before it is used may be another one until then,
    and a bit that is always 0 while it is used may be lost. Arguments and errors are those of
    `unseen`.
    """
    netlist = _netlist(mutants, number, boundary)
    proof = _Proof(netlist, mutants.directory, f"absorbed{number}", valid)
    for taken in proof.taken(operands):
        gates = proof.gates(FaultyCopy(netlist, taken, exact=True, cut=True), operands)
        if proof.explored(gates, Network.read(gates), cpu_seconds):
            return True
    return False


def dormant(
    mutants: Mutants,
    number: int,
    boundary: Boundary,
    *,
    valid: Mapping[str, str],
    operands: Sequence[int] = (),
    cpu_seconds: int = 5,
) -> bool:
    """Whether a mutant is proved to change nothing, neither what is held next nor an output.

    It does so for whatever the core held some cycles before, which suffices for sums that get no
    longer, whatever their terms, and for numbers that control has begun with. In as many cycles
    from the initial values on it does so as well. Arguments and errors are those of `unseen`.
    """
    netlist = _netlist(mutants, number, boundary)
    proof = _Proof(netlist, mutants.directory, f"dormant{number}", valid)
    network = Network.read(proof.gates(FaultyCopy(netlist, (), exact=True, copied=True), operands))
    for cycles in range(_BEFORE + 1):
        if proof.excluded(network.unrolled(cycles, any_state=True), cpu_seconds):
            return proof.excluded(network.unrolled(cycles, any_state=False), cpu_seconds)
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

    def taken(self, operands: Sequence[int]) -> Iterator[set[str]]:
        """Sets of registers and memories that may hold what a fault makes."""
        (switch,) = self.netlist.ports[SWITCH]["bits"]
        cells = self.netlist.cells.items()
        taken = set[str]()
        for _ in range(_ABSORBING):
            reached = self.netlist.dependent(switch, taken)
            taken = {name for name, cell in cells if not reached.isdisjoint(_taken(cell))}
            yield taken
        if met := self.met(operands, exact=True):
            yield met

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
        unknown = {RESET, "clk", ANY, RESTRICTED, *self.netlist.boundary.inputs}
        deciding = self._deciding()
        choices = [i for i, name in enumerate(names) if name not in unknown or bits[i] in deciding]
        # Those come first that settle most.
        choices.sort(key=lambda i: (names[i] == VERDICTS, not names[i].endswith(HANDSHAKES)))
        others = [i for i in choices if names[i] != VERDICTS]
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

    def met(self, operands: Sequence[int], *, exact: bool, copied: bool = False) -> set[str] | None:
        """The registers and memories that differ in a simulation; None if an output does."""
        different = FaultyCopy(
            self.netlist, self.held(), exact=exact, copied=copied, all_watched=True, cut=not exact
        )
        network = Network.read(self.gates(different, operands))
        raised = np.zeros(len(network.outputs), bool)
        for outputs in simulate(network):
            raised |= outputs.any(axis=1)
            if raised[-1]:
                return None
        return {name for name, met in zip(different.claims, raised, strict=False) if met}

    def with_facts(
        self, different: FaultyCopy, operands: Sequence[int], cpu_seconds: int
    ) -> Outcome:
        """Watch what differs beside facts that are proved with it."""
        gates = self.gates(different, operands, facts=True)
        network = Network.read(gates)
        outputs = add_facts(network)
        gates.write_bytes(network.content())
        return watch(gates, cpu_seconds=cpu_seconds, outputs=outputs)

    def excluded(self, unrolled: Network, cpu_seconds: int) -> bool:
        """Whether the outputs of a network without registers are 0 for all inputs."""
        path = self.directory / f"{self.name}-unrolled.aig"
        path.write_bytes(unrolled.content())
        return not unrolled.outputs or excluded(path, cpu_seconds=cpu_seconds)

    @property
    def _gates(self) -> Path:
        return self.directory / f"{self.name}.aig"

    def gates(self, different: FaultyCopy, operands: Sequence[int], *, facts: bool = False) -> Path:
        """Write what an attempt watches as a network of gates."""
        module = different.module(self.valid, operands)
        if facts:
            module["ports"] |= premises(different, different.copied_data)
        text = json.dumps({"modules": {"marked": module}})
        (self.directory / f"{self.name}.json").write_text(text, encoding="utf-8")
        gates = self._gates
        reads = [f"{self.name}.json"]
        script = [f"read_json {reads[0]}", "opt_clean", "opt", "memory_map"]
        script += gates_script(gates.name)
        run_script(script, reads=reads, writes=[gates.name], out_dir=self.directory, name=self.name)
        return gates
