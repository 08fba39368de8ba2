"""The flat netlist of a core, and what in it depends on secrets."""

import json
from collections import deque
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import Any

from amaranth.lib.wiring import Component

from residua.cores.proofs.boundary import Boundary
from residua.errors import SpecificationError
from residua.hardware.rtl import emit
from residua.toolchain.targets import PRIMITIVE_FILE
from residua.toolchain.yosys import gather, run_script

Bit = int | str
"""A net of a netlist, or a constant."""

MEMORY = "$mem_v2"
"""The cell of a memory."""

RESET = "rst"
"""The input that resets a core."""

_TOP = "core"
_ADDRESS = ".RD_ADDR"


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
    files, netlist = gather(sources, out_dir), "netlist.json"
    script = [
        *(f"read_verilog {file}" for file in files),
        f"hierarchy -check -top {top}",
        "proc -norom",
        # The address of a write that is off stays what it would be if it were on.
        "opt_expr -mux_undef",
        "flatten",
        "memory_dff",
        "memory_collect",
        "opt_clean",
        # Registers stay words, as which `freshness` simulates them faster.
        "simplemap t:$dff %n",
        "opt_clean",
        f"write_json {netlist}",
    ]
    run_script(script, reads=files, writes=[netlist], out_dir=out_dir, name="read_netlist")
    text = (out_dir / netlist).read_text(encoding="utf-8")
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
        missing += [n for n in boundary.chosen if n not in self.memories or n + _ADDRESS in written]
        if missing:
            raise SpecificationError(f"a {boundary.core} has the wires {', '.join(missing)}")

    def wire(self, name: str) -> Bit:
        """The net of a wire of one bit."""
        bit: Bit = self.names[name]["bits"][0]
        return bit

    @cached_property
    def verdicts(self) -> dict[str, list[Bit]]:
        """The nets of each verdict."""
        return {name: self.names[name]["bits"] for name in self.boundary.verdicts}

    @cached_property
    def verdict_bits(self) -> set[Bit]:
        """The nets of all verdicts."""
        return {bit for bits in self.verdicts.values() for bit in bits}

    @cached_property
    def decided(self) -> dict[Bit, set[Bit]]:
        """The verdicts that inputs alone decide and registers keep, each with bits of those inputs.

        Others are made of what the core has computed or keeps in memories.
        """
        inputs = {bit for name in self.boundary.inputs for bit in self.ports[name]["bits"]}
        found: dict[Bit, set[Bit]] = {}
        for bit in sorted(self.verdict_bits & self.registers, key=str):
            sources = (self._sources(bit) & self.secrets.keys()) - {bit}
            if sources <= inputs:
                found[bit] = sources
        return found

    @cached_property
    def memories(self) -> dict[str, Any]:
        """All memories."""
        return {n: cell for n, cell in self.cells.items() if cell["type"] == MEMORY}

    @cached_property
    def observed(self) -> dict[str, list[int]]:
        """Bits that have to be equal, by name: outputs, addresses and enables of memories."""
        found: dict[str, list[Bit]] = {}
        for name, port in self.ports.items():
            if port["direction"] == "output":
                found[name] = port["bits"][self.boundary.outputs.get(name, 0) :]
        for name, cell in self.memories.items():
            for pin in ("RD_ADDR", "RD_EN", "WR_ADDR", "WR_EN"):
                found[f"{name}.{pin}"] = cell["connections"][pin]
        for name in (*self.boundary.addresses, *(n + _ADDRESS for n in self.boundary.chosen)):
            del found[name]
        nets = {name: [bit for bit in bits if isinstance(bit, int)] for name, bits in found.items()}
        return {name: bits for name, bits in nets.items() if bits}

    @cached_property
    def words(self) -> list[Bit]:
        """The nets of what is read from memories that hold secrets, or choose by them."""
        found = [cell for name, cell in self.memories.items() if self.differs(name)]
        return [bit for cell in found for bit in cell["connections"]["RD_DATA"]]

    def differs(self, memory: str) -> bool:
        """Whether a memory may read different words: it is written, or chooses by a secret."""
        return not is_constant(self.cells[memory]) or memory in self.boundary.chosen

    @cached_property
    def secrets(self) -> dict[int, int | None]:
        """All nets that depend on a secret, each with the net from which it does."""
        sources = [bit for name in self.boundary.inputs for bit in self.ports[name]["bits"]]
        sources += self.words
        return _reached(sources, self._followers, self.verdict_bits)

    @cached_property
    def _followers(self) -> dict[int, set[int]]:
        """The nets that a gate, a register or a constant memory makes of a net."""
        followers: dict[int, set[int]] = {}
        for name, cell in self.cells.items():
            if cell["type"] == MEMORY and self.differs(name):
                continue
            for source, driven in _dependencies(cell):
                followers.setdefault(source, set()).update(driven)
        return followers

    def dependent(self, bit: int, through: Container[str]) -> set[int]:
        """A net and all that depend on it: through gates, and from an address to what is read.

        Args:
            bit: the net.
            through: names of registers and of memories that pass on what they take, too.
        """
        followers: dict[int, set[int]] = {}
        for name, cell in self.cells.items():
            for pin, source, driven in _ways(cell):
                taken = is_register(cell) or pin.startswith("WR_")
                if name in through or not taken:
                    followers.setdefault(source, set()).update(driven)
        return set(_reached([bit], followers))

    @cached_property
    def registers(self) -> set[Bit]:
        """The nets of all registers."""
        return {bit for c in self.cells.values() if is_register(c) for bit in _driven(c)}

    @cached_property
    def public_registers(self) -> list[int]:
        """The nets of registers that do not depend on a secret."""
        excluded = {*self.secrets, *self.verdict_bits}
        return sorted(b for b in self.registers if isinstance(b, int) and b not in excluded)

    @cached_property
    def state(self) -> list[int]:
        """The public registers without those of data, which nothing clears.

        They are registers that a reset clears, and those that only follow from such ones, from
        inputs and from memories: a few cycles after a reset they are what they always would be.
        """
        public = set(self.public_registers)
        sources = {bit: self._sources(bit) & public for bit in public if not self._resets(bit)}
        data = {bit for bit, own in sources.items() if bit in own}
        while more := {
            b for b, own in sources.items() if b not in data and not own.isdisjoint(data)
        }:
            data |= more
        return sorted(public - data)

    def _resets(self, register: int) -> bool:
        """Whether what a register holds next depends on the reset."""
        return self._next[register] in self._cleared

    @cached_property
    def _next(self) -> dict[Bit, Bit]:
        """Next value of each register, by its own net."""
        pairs = [c["connections"] for c in self.cells.values() if is_register(c)]
        return {q: d for pins in pairs for q, d in zip(pins["Q"], pins["D"], strict=True)}

    @cached_property
    def _cleared(self) -> set[int]:
        """The nets that gates make of the reset."""
        gates: dict[int, set[int]] = {}
        for cell in self.cells.values():
            if cell["type"] != MEMORY and not is_register(cell):
                for source, driven in _dependencies(cell):
                    gates.setdefault(source, set()).update(driven)
        return set(_reached(self.ports[RESET]["bits"], gates))

    def _sources(self, register: Bit) -> set[Bit]:
        """The registers, inputs and words of memories from which gates make what one takes."""
        found: set[Bit] = set()
        waiting, seen = [self._next[register]], set[Bit]()
        while waiting:
            bit = waiting.pop()
            if bit in seen or isinstance(bit, str):
                continue
            seen.add(bit)
            cell = self._drivers.get(bit)
            if cell is None or cell["type"] == MEMORY or is_register(cell):
                found.add(bit)
                continue
            for pin, bits in cell["connections"].items():
                if cell["port_directions"][pin] == "input":
                    waiting += bits
        return found

    @cached_property
    def _drivers(self) -> dict[Bit, Any]:
        """The cell that drives each net."""
        return {bit: cell for cell in self.cells.values() for bit in _driven(cell)}

    @cached_property
    def leaks(self) -> tuple[str, ...]:
        """Visible bits that depend on a secret, each with the path from there."""
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


def _reached(
    sources: Iterable[int], followers: Mapping[int, set[int]], barred: Container[Bit] = ()
) -> dict[int, int | None]:
    """All nets that follow from some, each with the net from which it does; none that is barred."""
    found: dict[int, int | None] = {bit: None for bit in sources if bit not in barred}
    waiting = deque(found)
    while waiting:
        bit = waiting.popleft()
        for follower in followers.get(bit, ()):
            if follower not in found and follower not in barred:
                found[follower] = bit
                waiting.append(follower)
    return found


def is_constant(memory: Mapping[str, Any]) -> bool:
    """Whether a memory has no write port."""
    return not memory["connections"]["WR_ADDR"] and not memory["connections"]["WR_DATA"]


def clocked_reads(memory: Mapping[str, Any]) -> Iterator[tuple[bool, list[Bit]]]:
    """Read ports of a memory: whether each has a register, and the nets of its word."""
    clocked = memory["parameters"]["RD_CLK_ENABLE"][::-1]
    words = memory["connections"]["RD_DATA"]
    width = int(memory["parameters"]["WIDTH"], 2)
    for port in range(len(words) // width):
        yield clocked[port] == "1", words[port * width : (port + 1) * width]


def is_register(cell: Mapping[str, Any]) -> bool:
    """Whether a cell is a flip-flop."""
    return "Q" in cell["connections"]


def _dependencies(cell: Mapping[str, Any]) -> Iterator[tuple[int, set[int]]]:
    """Nets that a cell reads, each with the nets that it drives and that depend on it."""
    for _, source, driven in _ways(cell):
        yield source, driven


def _ways(cell: Mapping[str, Any]) -> Iterator[tuple[str, int, set[int]]]:
    """The same, with the pin that reads."""
    driven = {bit for bit in _driven(cell) if isinstance(bit, int)}
    for pin, bits in cell["connections"].items():
        if cell["port_directions"][pin] != "input":
            continue
        own = pin == "D" and is_register(cell)
        for position, bit in enumerate(bits):
            if isinstance(bit, int):
                yield pin, bit, {cell["connections"]["Q"][position]} if own else driven


def _driven(cell: Mapping[str, Any]) -> Iterator[Bit]:
    for pin, bits in cell["connections"].items():
        if cell["port_directions"][pin] == "output":
            yield from bits
