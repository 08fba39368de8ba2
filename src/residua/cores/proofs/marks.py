"""Marks on the bits of a netlist, which follow the bits through its gates.

A mark says that a bit may depend on something: what, the reading says that begins with marks and
passes them on through registers and memories. A bit that steers, one that depends on no secret
input and on no memory that is written, lets through what it chooses and nothing else; every bit of
data is taken for any value. So a mark speaks for all data at once.
"""

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from typing import Any

from residua.cores.proofs.netlist import MEMORY, Bit, Netlist, is_register

_GATES = {"$_AND_", "$_OR_", "$_XOR_", "$_NOT_", "$_MUX_"}


class Marks(ABC):
    """A netlist, and its marks as further nets and cells.

    Attributes:
        netlist: with its boundary.
        cells: those of the netlist, and those of the marks.
        names: likewise of the nets.
        marks: the mark of each net.
    """

    def __init__(self, netlist: Netlist) -> None:
        self.netlist = netlist
        self.cells: dict[str, Any] = dict(netlist.cells)
        self.names: dict[str, Any] = dict(netlist.names)
        self.highest = max(
            bit for net in netlist.names.values() for bit in net["bits"] if isinstance(bit, int)
        )
        (self.clock,) = netlist.ports["clk"]["bits"]
        self.marks: dict[Bit, Bit] = {self.clock: "0"}
        for cell in netlist.cells.values():
            for pin, bits in cell["connections"].items():
                if cell["port_directions"][pin] == "output":
                    self.marks.update({bit: self.new() for bit in bits})

    @property
    def outputs(self) -> dict[str, list[Bit]]:
        """The nets of each output."""
        ports = self.netlist.ports.items()
        return {name: port["bits"] for name, port in ports if port["direction"] == "output"}

    @abstractmethod
    def mark_register(self, cell: Mapping[str, Any]) -> None:
        """Drive the marks of what a register holds."""

    @abstractmethod
    def mark_memory(self, name: str, cell: Mapping[str, Any]) -> None:
        """Drive the marks of what a memory reads."""

    def mark_cells(self) -> None:
        """Drive the marks of all nets but inputs, whose marks are there."""
        for name, cell in self.netlist.cells.items():
            self.mark_cell(name, cell)

    def mark_cell(self, name: str, cell: dict[str, Any]) -> None:
        """Drive the marks of what a cell drives."""
        if cell["type"] == MEMORY:
            self.mark_memory(name, cell)
        elif is_register(cell):
            self.mark_register(cell)
        elif cell["type"] in _GATES:
            self._mark_gate(cell)
        else:
            self._mark_function(cell)

    def _mark_gate(self, cell: dict[str, Any]) -> None:
        pins = {pin: bits[0] for pin, bits in cell["connections"].items()}
        kind, a, y = cell["type"], pins["A"], pins["Y"]
        if kind == "$_NOT_":
            mark = self.mark(a)
        elif kind == "$_XOR_":
            mark = self.either(self.mark(a), self.mark(pins["B"]))
        elif kind == "$_MUX_":
            mark = self._chosen(a, pins["B"], pins["S"])
        else:
            b, passing = pins["B"], kind == "$_AND_"
            mark = self.either(
                self.both(self.mark(a), self._passes(b, passing)),
                self.both(self.mark(b), self._passes(a, passing)),
            )
        self.drive(y, mark)

    def _chosen(self, a: Bit, b: Bit, select: Bit) -> Bit:
        """The mark of ``b`` if ``select`` else ``a``."""
        own, others = self.mark(select), (self.mark(a), self.mark(b))
        if not self.steers(select):
            return self.either(own, *others)
        chosen = self.choose(*others, select)
        if own == "0":
            return chosen
        known = self.steers(a) and self.steers(b)
        differ = self.differ([a], [b]) if known else "1"
        return self.either(chosen, self.both(own, self.either(differ, *others)))

    def _passes(self, bit: Bit, passing: bool) -> Bit:
        """Whether an AND, or an OR, lets its other input through, for all that is known."""
        if not self.steers(bit):
            return "1"
        return self.either(bit if passing else self.inverse(bit), self.mark(bit))

    def _mark_function(self, cell: dict[str, Any]) -> None:
        """All that a cell computes is marked if anything is that it reads."""
        pins, ways = cell["connections"], cell["port_directions"]
        read = [bit for pin, bits in pins.items() if ways[pin] == "input" for bit in bits]
        if cell["type"] == "$mul":
            a, b = pins["A"], pins["B"]
            mark = self.either(
                self.both(self.any_of(a), self._is_factor(b)),
                self.both(self.any_of(b), self._is_factor(a)),
            )
        else:
            mark = self.any_of(read)
        for pin, bits in pins.items():
            if ways[pin] == "output":
                for bit in bits:
                    self.drive(bit, mark)

    def _is_factor(self, bits: Sequence[Bit]) -> Bit:
        """Whether a word may be another one than 0."""
        return self.either(*(self._passes(bit, passing=True) for bit in dict.fromkeys(bits)))

    def steers(self, bit: Bit) -> bool:
        """Whether a bit depends on public inputs alone."""
        return isinstance(bit, str) or bit not in self.netlist.secrets

    def mark(self, bit: Bit) -> Bit:
        """The mark of a bit; a constant has none."""
        return "0" if isinstance(bit, str) else self.marks[bit]

    def any_of(self, bits: Sequence[Bit]) -> Bit:
        """Whether any of some bits is marked."""
        return self.either(*(self.mark(bit) for bit in dict.fromkeys(bits)))

    def either(self, *bits: Bit) -> Bit:
        """The OR of nets."""
        if "1" in bits:
            return "1"
        return self._reduce("$reduce_or", [bit for bit in dict.fromkeys(bits) if bit != "0"], "0")

    def both(self, *bits: Bit) -> Bit:
        """The AND of nets."""
        if "0" in bits:
            return "0"
        return self._reduce("$reduce_and", [bit for bit in dict.fromkeys(bits) if bit != "1"], "1")

    def _reduce(self, kind: str, bits: Sequence[Bit], none: Bit) -> Bit:
        if len(bits) < 2:
            return bits[0] if bits else none
        result = self.new()
        sizes = {"A_SIGNED": 0, "A_WIDTH": len(bits), "Y_WIDTH": 1}
        self.cell(kind, {"A": bits}, {"Y": [result]}, sizes)
        return result

    def inverse(self, bit: Bit) -> Bit:
        """The NOT of a net."""
        if isinstance(bit, str):
            return {"0": "1", "1": "0"}[bit]
        result = self.new()
        self.cell("$_NOT_", {"A": [bit]}, {"Y": [result]})
        return result

    def differ(self, a: Sequence[Bit], b: Sequence[Bit]) -> Bit:
        """Whether words differ."""
        result = self.new()
        sizes = {"A_WIDTH": len(a), "B_WIDTH": len(b), "Y_WIDTH": 1, "A_SIGNED": 0, "B_SIGNED": 0}
        self.cell("$ne", {"A": a, "B": b}, {"Y": [result]}, sizes)
        return result

    def equals(self, word: Sequence[Bit], value: int) -> Bit:
        """Whether a word has a value."""
        return self.inverse(self.differ(word, [str(value >> i & 1) for i in range(len(word))]))

    def choose(self, a: Bit, b: Bit, select: Bit) -> Bit:
        """The net that is ``b`` if ``select`` else ``a``."""
        chosen = self.new()
        self.cell("$_MUX_", {"A": [a], "B": [b], "S": [select]}, {"Y": [chosen]})
        return chosen

    def register(self, following: Bit, bit: Bit | None = None) -> Bit:
        """A register of one bit, ``bit`` or a new one."""
        held = self.new() if bit is None else bit
        pins = {"D": [following], "CLK": [self.clock]}
        self.cell("$dff", pins, {"Q": [held]}, {"WIDTH": 1, "CLK_POLARITY": 1})
        return held

    def begin(self, bit: Bit, value: str) -> None:
        """Give a register its initial value."""
        self.names[f"begin_{bit}"] = {"hide_name": 1, "bits": [bit], "attributes": {"init": value}}

    def drive(self, bit: Bit, mark: Bit) -> None:
        """Drive the mark of a bit."""
        sizes = {"A_SIGNED": 0, "A_WIDTH": 1, "Y_WIDTH": 1}
        self.cell("$pos", {"A": [mark]}, {"Y": [self.marks[bit]]}, sizes)

    def new(self) -> int:
        """A net."""
        self.highest += 1
        return self.highest

    def cell(
        self,
        kind: str,
        inputs: Mapping[str, Sequence[Bit]],
        outputs: Mapping[str, Sequence[Bit]],
        sizes: Mapping[str, int] | None = None,
    ) -> None:
        """Add a cell."""
        pins = {**inputs, **outputs}
        self.cells[f"mark_{len(self.cells)}"] = {
            "hide_name": 1,
            "type": kind,
            "parameters": {key: f"{value:032b}" for key, value in (sizes or {}).items()},
            "attributes": {},
            "port_directions": {pin: "output" if pin in outputs else "input" for pin in pins},
            "connections": {pin: list(bits) for pin, bits in pins.items()},
        }
