"""Reader of the RTLIL text that Amaranth writes: modules of wires, memories, cells and processes.

Only the subset of the format that `amaranth.back.rtlil` produces is understood; attributes other
than initial values and some of memories are dropped.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

_MEMORY_ATTRIBUTES = ("\\ram_style", "\\no_rw_check")
"""Attributes of memories that are kept: for block RAM; for no care about what is read while it is
written."""

_SPEC_TOKEN = re.compile(r"[{}]|\[\d+(?::\d+)?\]|\d+'[01xz-]*|[\\$]\S+|\d+")


class Slice(NamedTuple):
    """Bits ``high`` down to ``low`` of a wire."""

    wire: str
    high: int
    low: int

    @property
    def width(self) -> int:
        """Number of bits."""
        return self.high - self.low + 1


class Bits(NamedTuple):
    """Constant bits, the most significant first; ``x`` is undefined."""

    text: str

    @property
    def width(self) -> int:
        """Number of bits."""
        return len(self.text)


Chunk = Slice | Bits
Spec = tuple[Chunk, ...]
"""A value put together from chunks, the most significant first."""

Parameter = int | str | Bits


@dataclass
class Wire:
    """A vector of nets; ``direction`` is ``input``, ``output``, ``inout`` or empty."""

    width: int
    signed: bool = False
    direction: str = ""
    initial: Bits | None = None


@dataclass
class Cell:
    """An operator, a register, a memory port, or an instance of a module.

    ``kind`` starts with ``$`` for the former, with a backslash for an instance. ``outputs`` names
    the ports that drive; RTLIL does not say it, `residua.verilog.simplify` finds out.
    """

    kind: str
    name: str
    parameters: dict[str, Parameter] = field(default_factory=dict)
    ports: dict[str, Spec] = field(default_factory=dict)
    outputs: frozenset[str] = frozenset()

    def integer(self, name: str) -> int:
        """An integer parameter."""
        value = self.parameters[name]
        if isinstance(value, Bits):
            return int(value.text or "0", 2)
        return int(value)


@dataclass
class Assign:
    """``target`` takes ``value``."""

    target: Spec
    value: Spec


@dataclass
class Case:
    """Statements for any of the ``patterns``; none means default."""

    patterns: tuple[str, ...]
    body: "list[Statement]"


@dataclass
class Switch:
    """The first case that matches ``selector`` is taken."""

    selector: Spec
    cases: list[Case]


Statement = Assign | Switch


@dataclass
class Module:
    """One module; a process is a list of statements of which the last one wins."""

    name: str
    wires: dict[str, Wire] = field(default_factory=dict)
    memories: dict[str, tuple[int, int]] = field(default_factory=dict)
    memory_attributes: dict[str, tuple[str, ...]] = field(default_factory=dict)
    """Requests to synthesis, as Verilog attributes."""
    cells: list[Cell] = field(default_factory=list)
    connections: list[Assign] = field(default_factory=list)
    processes: list[list[Statement]] = field(default_factory=list)
    wishes: dict[str, str] = field(default_factory=dict)
    """Better names for wires that Amaranth only numbered."""

    def ports(self, direction: str) -> list[str]:
        """Names of the ports of one direction, in order."""
        return [name for name, wire in self.wires.items() if wire.direction == direction]


def spec_width(spec: Spec) -> int:
    """Number of bits of a value."""
    return sum(chunk.width for chunk in spec)


def spec_bits(spec: Spec) -> list[Chunk]:
    """The bits of a value, the least significant first."""
    bits: list[Chunk] = []
    for chunk in reversed(spec):
        if isinstance(chunk, Bits):
            bits += [Bits(digit) for digit in reversed(chunk.text)]
        else:
            bits += [Slice(chunk.wire, at, at) for at in range(chunk.low, chunk.high + 1)]
    return bits


def from_bits(bits: Sequence[Chunk]) -> Spec:
    """The inverse of `spec_bits`; neighbours are joined."""
    return joined(reversed(bits))


def joined(chunks: Iterable[Chunk]) -> Spec:
    """A value in as few chunks as it can be put together from."""
    spec: list[Chunk] = []
    digits: list[str] = []
    for chunk in chunks:
        if isinstance(chunk, Bits):
            digits.append(chunk.text)
            continue
        if not chunk.width:
            continue
        if digits:
            _add_constant(spec, digits)
        last = spec[-1] if spec else None
        if isinstance(last, Slice) and last.low == chunk.high + 1 and last.wire == chunk.wire:
            spec[-1] = Slice(last.wire, last.high, chunk.low)
        else:
            spec.append(chunk)
    _add_constant(spec, digits)
    return tuple(spec)


def _add_constant(spec: list[Chunk], digits: list[str]) -> None:
    """Moves ``digits`` to the end of a value as one chunk."""
    text = "".join(digits)
    digits.clear()
    if text:
        spec.append(Bits(text))


def cut(spec: Spec, low: int, width: int) -> Spec:
    """Bits ``low`` to ``low + width - 1`` of a value, those that it has."""
    found: list[Chunk] = []
    at = 0
    for chunk in reversed(spec):
        first, end = max(low - at, 0), min(low + width - at, chunk.width)
        at += chunk.width
        if first >= end:
            continue
        if isinstance(chunk, Bits):
            found.append(Bits(chunk.text[chunk.width - end : chunk.width - first]))
        else:
            found.append(Slice(chunk.wire, chunk.low + end - 1, chunk.low + first))
    return joined(reversed(found))


def resize(spec: Spec, width: int, *, signed: bool = False) -> Spec:
    """A value cut or extended to ``width`` bits."""
    own = spec_width(spec)
    if width <= own:
        return cut(spec, 0, width)
    fill = cut(spec, own - 1, 1) if signed and own else (Bits("0"),)
    return joined((*fill * (width - own), *spec))


def whole(module: Module, wire: str) -> Spec:
    """All bits of a wire."""
    return (Slice(wire, module.wires[wire].width - 1, 0),)


def is_constant(spec: Spec) -> bool:
    """Whether a value has no wires in it."""
    return all(isinstance(chunk, Bits) for chunk in spec)


def read(text: str) -> list[Module]:
    """Modules in the order of the text, the top one first."""
    return _Reader(text).modules()


class _Reader:
    def __init__(self, text: str) -> None:
        self._lines = [line.strip() for line in text.splitlines() if line.strip()]
        self._at = 0
        self._module = Module("")

    def modules(self) -> list[Module]:
        found = []
        while self._at < len(self._lines):
            line = self._next()
            if line.startswith("module "):
                found.append(self._read_module(line.split()[1]))
        return found

    def _next(self) -> str:
        self._at += 1
        return self._lines[self._at - 1]

    def _until_end(self) -> Iterator[str]:
        while (line := self._next()) != "end":
            yield line

    def _read_module(self, name: str) -> Module:
        module = self._module = Module(name)
        initial: Bits | None = None
        attributes: list[str] = []
        for line in self._until_end():
            word, _, rest = line.partition(" ")
            if word == "attribute":
                key, _, value = rest.partition(" ")
                initial = _constant(value) if key == "\\init" else initial
                if key in _MEMORY_ATTRIBUTES:
                    attributes.append(f"{key[1:]} = {value}")
            elif word == "wire":
                self._read_wire(rest.split(), initial)
                initial = None
            elif word == "memory":
                _, width, _, size, memory = rest.split()
                module.memories[memory] = (int(width), int(size))
                if attributes:
                    module.memory_attributes[memory] = tuple(attributes)
                attributes = []
            elif word == "cell":
                kind, cell = rest.split()
                module.cells.append(self._read_cell(Cell(kind, cell)))
            elif word == "connect":
                module.connections.append(Assign(*self._specs(rest)))
            elif word == "process":
                module.processes.append(self._read_statements())
                self._next()  # the end of the process
            else:
                raise ValueError(f"unexpected line in RTLIL: {line}")
        return module

    def _read_wire(self, words: list[str], initial: Bits | None) -> None:
        directions = [word for word in words if word in ("input", "output", "inout")]
        self._module.wires[words[-1]] = Wire(
            width=int(words[1]),
            signed="signed" in words,
            direction=directions[0] if directions else "",
            initial=initial,
        )

    def _read_cell(self, cell: Cell) -> Cell:
        for line in self._until_end():
            word, _, rest = line.partition(" ")
            if word == "connect":
                port, _, value = rest.partition(" ")
                (cell.ports[port.removeprefix("\\")],) = self._specs(value)
            elif word == "parameter":
                rest = rest.removeprefix("signed ").removeprefix("real ")
                name, _, value = rest.partition(" ")
                cell.parameters[name.removeprefix("\\")] = _parameter(value)
        return cell

    def _read_statements(self) -> list[Statement]:
        statements: list[Statement] = []
        for line in self._until_end():
            word, _, rest = line.partition(" ")
            if word == "assign":
                statements.append(Assign(*self._specs(rest)))
            elif word == "switch":
                (selector,) = self._specs(rest)
                statements.append(Switch(selector, self._read_cases()))
            elif word == "case":
                break
        self._at -= 1  # the caller reads the line that ended these statements
        return statements

    def _read_cases(self) -> list[Case]:
        cases = []
        for line in self._until_end():
            patterns = tuple(item.strip().partition("'")[2] for item in line[4:].split(","))
            body = self._read_statements()
            cases.append(Case(tuple(pattern for pattern in patterns if pattern), body))
        return cases

    def _specs(self, text: str) -> list[Spec]:
        """The values of a line, one after another."""
        specs: list[Spec] = []
        group: list[Chunk] | None = None
        for word in _SPEC_TOKEN.findall(text):
            if word == "{":
                group = []
            elif word == "}":
                specs.append(tuple(group or ()))
                group = None
            elif word[0] == "[":
                chunks = group if group is not None else list(specs.pop())
                last = chunks.pop()
                assert isinstance(last, Slice)
                high, _, low = word[1:-1].partition(":")
                chunks.append(Slice(last.wire, int(high), int(low or high)))
                if group is None:
                    specs.append(tuple(chunks))
            else:
                chunk = self._chunk(word)
                if group is None:
                    specs.append((chunk,) if chunk.width else ())
                elif chunk.width:
                    group.append(chunk)
        return specs

    def _chunk(self, token: str) -> Chunk:
        if token[0] in "\\$":
            return Slice(token, self._module.wires[token].width - 1, 0)
        return _constant(token)


def _constant(token: str) -> Bits:
    if "'" not in token:
        return Bits(f"{int(token):032b}")
    width, _, digits = token.partition("'")
    return Bits(digits[: int(width)])


def _parameter(text: str) -> Parameter:
    if text.startswith('"'):
        return text[1:-1].replace('\\"', '"').replace("\\\\", "\\")
    return _constant(text) if "'" in text else int(text)
