"""Verilog-2001 out of Amaranth components, readable and free of lint warnings.

Yosys' own writer keeps Amaranth's escaped names, repeats equal modules and leaves operand widths to
Verilog's rules, which linters reject. Here every operand is extended to the width of its operation,
so that a reader, too, need not know those rules; equal modules are written once; registers and
their next-state logic share one clocked block.
"""

import re
from collections.abc import Callable
from itertools import pairwise

from amaranth.lib.wiring import Component

from residua.verilog.body import Body
from residua.verilog.conversion import to_rtlil
from residua.verilog.names import Scope, legal_name, module_names
from residua.verilog.operators import OPERATORS, OperatorWriter, bracket
from residua.verilog.rtlil import (
    Assign,
    Bits,
    Cell,
    Module,
    Parameter,
    Slice,
    Spec,
    Statement,
    Switch,
    cut,
    from_bits,
    joined,
    read,
    spec_bits,
    spec_width,
)
from residua.verilog.simplify import assignments, inputs_of, reads, simplify, wires_of
from residua.verilog.statements import (
    INDENT,
    StatementWriter,
    assigns_after_branch,
    literal,
)

SEVERAL_MODULES = "/* verilator lint_off DECLFILENAME */"
"""A line for the top of a file with modules other than the one that it is called after."""

_REFERENCE = re.compile(r"\b([A-Za-z]\w*)(?:\[(\d+)(?::(\d+))?\])?")
_REGISTER_TARGET = re.compile(r"^(\s*(?:if \(.*?\) )?)[a-zA-Z]\w*(?:\[\d+(?::\d+)?\])? <= ")


def to_verilog(
    component: Component, *, name: str, platform: object | None = None, header: str = ""
) -> str:
    """The component as Verilog-2001.

    Args:
        component: its signature gives the ports; a clock ``clk`` and a synchronous, active-high
            reset ``rst`` are added if there is a clocked statement. A member ``a.b`` becomes
            ``a_b``, a reserved word gets the suffix ``_signal``.
        name: name of the top module, and prefix of the names of the others, which are called
            after their place in the hierarchy.
        platform: handed to every ``elaborate``.
        header: text for the top of the file, put into comments.

    Returns:
        The same bytes for the same input. Assertions and prints are left out.

    Raises:
        ValueError: ``name`` is not an identifier, or the design holds something that this writer
            does not know, such as a division or an asynchronous reset.
    """
    if legal_name(name) != name:
        raise ValueError(f"'{name}' cannot name a Verilog module; '{legal_name(name)}' can")
    modules = simplify(read(to_rtlil(component, name, platform)))
    names = module_names(modules, name)
    lines = [f"// {line}".rstrip() for line in header.splitlines()]
    if len(modules) > 1:
        lines.append(SEVERAL_MODULES)
    parts = ["\n".join(lines) + "\n"] if lines else []
    writers: dict[str, _Writer] = {}
    for module in modules:
        writers[module.name] = _Writer(module, names[module.name], writers)
    parts += [writer.write() for writer in writers.values()]
    return "\n".join(parts)


class _Writer:
    """Writes one module; ``writers`` are those of all modules, by RTLIL name."""

    def __init__(self, module: Module, name: str, writers: "dict[str, _Writer]") -> None:
        self._module = module
        self.name = name
        self._writers = writers
        self._body = Body(Scope())
        self._clocked = self._merge_processes()
        self._registers = self._find_registers()
        self._names = self._name_wires()
        self._memories = {name: self._body.scope.take(name) for name in module.memories}
        self._statements = StatementWriter(self._text)
        signed = frozenset(self._names[name] for name in module.wires if self._is_signed(name))
        self._operators = OperatorWriter(self._text, signed, self._body)

    def write(self) -> str:
        module = self._module
        self._declare_wires()
        for memory in module.memories:
            self._declare_memory(memory)
        for connection in module.connections:
            self._body.assign(self._text(connection.target), self._text(connection.value))
        for process in module.processes:
            self._write_process(process)
        for cell in module.cells:
            self._write_cell(cell)
        self._consume_unread()
        if self._body.initials:
            self._body.lines += [
                "initial begin",
                *(INDENT + line for line in self._body.initials),
                "end",
            ]
        ports = [self._declaration(name) for name in self.ports()]
        lines = [f"module {self.name} ("]
        lines += [f"{INDENT}{port}," for port in ports[:-1]] + [INDENT + p for p in ports[-1:]]
        lines += [
            ");",
            *(INDENT + line for line in [*self._body.declarations, *self._body.lines]),
            "endmodule",
        ]
        return "\n".join(lines) + "\n"

    def ports(self) -> list[str]:
        """RTLIL names of the ports: clocks and resets, inputs, outputs."""
        names = {name: wire for name, wire in self._module.wires.items() if wire.direction}
        return sorted(
            names, key=lambda n: (n not in ("\\clk", "\\rst"), names[n].direction == "output")
        )

    def port_name(self, port: str) -> str:
        """Verilog name of a port."""
        return self._names[port]

    # Names

    def _merge_processes(self) -> dict[str, list[Statement]]:
        """Next-state processes by the name of the wire that one register alone reads."""
        readers: dict[str, int] = {}
        for spec in reads(self._module):
            for wire in wires_of(spec):
                readers[wire] = readers.get(wire, 0) + 1
        next_states = {
            chunk.wire
            for cell in self._module.cells
            if cell.kind == "$dff" and len(cell.ports["D"]) == 1
            for chunk in cell.ports["D"]
            if isinstance(chunk, Slice)
            and chunk.wire.startswith("$")
            and readers[chunk.wire] == 1
            and chunk.width == self._module.wires[chunk.wire].width
        }
        merged = {}
        for process in self._module.processes:
            (target,) = {w for assign in assignments(process) for w in wires_of(assign.target)}
            if target in next_states and not assigns_after_branch(process):
                merged[target] = process
        kept = [p for p in self._module.processes if not any(p is m for m in merged.values())]
        self._module.processes = kept
        for name in merged:
            del self._module.wires[name]
        return merged

    def _name_wires(self) -> dict[str, str]:
        """Ports first, then signals, then results, called after the register that they feed."""
        wires = self._module.wires
        feeds = {
            cell.ports["D"][0].wire: cell.ports["Q"][0].wire
            for cell in self._module.cells
            if cell.kind == "$dff"
            and len(cell.ports["D"]) == 1
            and isinstance(cell.ports["D"][0], Slice)
            and isinstance(cell.ports["Q"][0], Slice)
        }
        order = sorted(wires, key=lambda name: (not wires[name].direction, name.startswith("$")))
        names: dict[str, str] = {}
        for name in order:
            wish = self._module.wishes.get(name, name)
            if name.startswith("$"):
                register = names.get(feeds.get(name, ""))
                suffix = "early" if name in self._registers else "next"
                wish = f"{register}_{suffix}" if register else f"n{name[1:]}"
            names[name] = self._body.scope.take(wish)
        return names

    def _find_registers(self) -> set[str]:
        registers = set()
        for cell in self._module.cells:
            if cell.kind == "$dff" or (cell.kind == "$memrd_v2" and cell.integer("CLK_ENABLE")):
                registers |= wires_of(cell.ports["Q" if cell.kind == "$dff" else "DATA"])
        return registers

    # Declarations

    def _declaration(self, name: str) -> str:
        wire = self._module.wires[name]
        words = [
            wire.direction,
            "reg" if name in self._registers else "wire",
            "signed" if self._is_signed(name) else "",
            f"[{wire.width - 1}:0]" if wire.width > 1 else "",
            self._names[name],
        ]
        return " ".join(word for word in words if word)

    def _is_signed(self, name: str) -> bool:
        """Only ports are declared signed, for the reader; expressions say it where it counts."""
        wire = self._module.wires[name]
        return wire.signed and bool(wire.direction) and wire.width > 1

    def _declare_wires(self) -> None:
        for name, wire in self._module.wires.items():
            if not wire.direction:
                self._body.declarations.append(f"{self._declaration(name)};")
            if name in self._registers and wire.initial is not None:
                self._body.initials.append(f"{self._names[name]} = {literal(wire.initial.text)};")

    def _declare_memory(self, memory: str) -> None:
        width, depth = self._module.memories[memory]
        span = f"[{width - 1}:0] " if width > 1 else ""
        attributes = ", ".join(self._module.memory_attributes.get(memory, ()))
        asked = f"(* {attributes} *) " if attributes else ""
        name = self._memories[memory]
        self._body.declarations.append(f"{asked}reg {span}{name} [0:{depth - 1}];")

    # Values

    def _text(self, spec: Spec) -> str:
        """A value as an expression of exactly its width."""
        parts: list[str] = []
        chunks = joined(spec)
        at = 0
        while at < len(chunks):
            run = at
            while run < len(chunks) and chunks[run] == chunks[at]:
                run += 1
            chunk = chunks[at]
            text = literal(chunk.text) if isinstance(chunk, Bits) else self._slice(chunk)
            parts.append(text if run - at == 1 else f"{{{run - at}{{{text}}}}}")
            at = run
        if not parts:
            return "1'b0"
        return parts[0] if len(parts) == 1 else "{" + ", ".join(parts) + "}"

    def _slice(self, chunk: Slice) -> str:
        name = self._names[chunk.wire]
        if chunk.width == self._module.wires[chunk.wire].width:
            return name
        at = f"{chunk.high}" if chunk.width == 1 else f"{chunk.high}:{chunk.low}"
        return f"{name}[{at}]"

    # Cells

    def _write_cell(self, cell: Cell) -> None:
        writers: dict[str, Callable[[Cell], None]] = {
            "$dff": self._write_register,
            "$meminit_v2": self._write_contents,
            "$memrd_v2": self._write_read_port,
            "$memwr_v2": self._write_write_port,
        }
        if cell.kind in writers:
            writers[cell.kind](cell)
        elif cell.kind == "$mux":
            select, yes, no = (self._text(cell.ports[port]) for port in "SBA")
            self._body.assign(self._text(cell.ports["Y"]), f"{select} ? {yes} : {no}")
        elif cell.kind in OPERATORS:
            self._operators.write(cell)
        elif cell.kind.startswith("$"):
            raise ValueError(
                f"no Verilog is written for a {cell.kind[1:]} cell; rephrase the design"
            )
        else:
            self._write_instance(cell)

    def _write_register(self, cell: Cell) -> None:
        target, data = cell.ports["Q"], cell.ports["D"]
        first = data[0]
        lines: list[str]
        if isinstance(first, Slice) and first.wire in self._clocked:
            (register,) = target
            assert isinstance(register, Slice)
            lines = self._statements.clocked(
                self._clocked[first.wire], first.wire, register.wire, depth=1
            )
        else:
            lines = [f"{INDENT}{self._text(target)} <= {self._text(data)};"]
        if lines:
            self._clocked_block(cell, lines)

    def _clocked_block(self, cell: Cell, lines: list[str]) -> None:
        edge = "posedge" if cell.integer("CLK_POLARITY") else "negedge"
        head = f"always @({edge} {self._text(cell.ports['CLK'])})"
        single = len(lines) == 1
        self._body.lines += [head, *lines] if single else [f"{head} begin", *lines, "end"]
        self._body.read_texts += [head, *(_REGISTER_TARGET.sub(r"\1", line) for line in lines)]

    def _write_contents(self, cell: Cell) -> None:
        memory, width = str(cell.parameters["MEMID"]), cell.integer("WIDTH")
        contents = joined(cell.ports["DATA"])
        for row in range(cell.integer("WORDS")):
            word = self._text(cut(contents, row * width, width))
            self._body.initials.append(f"{self._memories[memory]}[{row}] = {word};")

    def _write_read_port(self, cell: Cell) -> None:
        memory = self._memories[str(cell.parameters["MEMID"])]
        target, address = self._text(cell.ports["DATA"]), self._text(cell.ports["ADDR"])
        if not cell.integer("CLK_ENABLE"):
            self._body.assign(target, f"{memory}[{address}]")
            return
        if cell.integer("TRANSPARENCY_MASK"):
            raise ValueError("no Verilog is written for a transparent memory port; forward outside")
        enable = cell.ports["EN"]
        condition = "" if enable == (Bits("1"),) else f"if ({self._text(enable)}) "
        self._clocked_block(cell, [f"{INDENT}{condition}{target} <= {memory}[{address}];"])

    def _write_write_port(self, cell: Cell) -> None:
        memory = self._memories[str(cell.parameters["MEMID"])]
        element = f"{memory}[{self._text(cell.ports['ADDR'])}]"
        data, enables = cell.ports["DATA"], spec_bits(cell.ports["EN"])
        start = 0
        while start < len(enables):
            stop = start
            while stop < len(enables) and enables[stop] == enables[start]:
                stop += 1
            part = "" if stop - start == len(enables) else f"[{stop - 1}:{start}]"
            condition = (
                "" if enables[start] == Bits("1") else f"if ({self._text((enables[start],))}) "
            )
            value = self._text(cut(data, start, stop - start))
            self._clocked_block(cell, [f"{INDENT}{condition}{element}{part} <= {value};"])
            start = stop

    def _write_instance(self, cell: Cell) -> None:
        name = self._body.scope.take(cell.name)
        values = ", ".join(f".{key}({_value(value)})" for key, value in cell.parameters.items())
        child = self._writers.get(cell.kind)
        texts = {port: self._text(spec) for port, spec in cell.ports.items()}
        head = cell.kind.removeprefix("\\")
        if child is not None:
            head = child.name
            texts = {
                child.port_name(port): texts.get(port[1:]) or self._unread(child, name, port)
                for port in child.ports()
            }
        connections = [f".{port}({text})" for port, text in texts.items()]
        self._body.read_texts += [self._text(spec) for spec in inputs_of(cell)]
        self._body.lines.append(f"{head} {f'#({values}) ' if values else ''}{name} (")
        self._body.lines += [f"{INDENT}{line}," for line in connections[:-1]]
        self._body.lines += [f"{INDENT}{line}" for line in connections[-1:]] + [");"]

    def _unread(self, child: "_Writer", instance: str, port: str) -> str:
        """A wire for an output that only other instances of the same module use."""
        width = child._module.wires[port].width  # noqa: SLF001
        return self._body.helper(f"{instance}_{child.port_name(port)}_unused", width)

    # Statements

    def _write_process(self, process: list[Statement]) -> None:
        """Combinational assignments as one conditional expression for each part of the target."""
        targets = [
            chunk for a in assignments(process) for chunk in a.target if isinstance(chunk, Slice)
        ]
        wire = targets[0].wire
        edges = sorted({c.low for c in targets} | {c.high + 1 for c in targets})
        for low, stop in pairwise(edges):
            part = Slice(wire, stop - 1, low)
            value = self._conditional(process, part, "1'bx")
            self._body.assign(self._text((part,)), value)

    def _conditional(self, statements: list[Statement], part: Slice, current: str) -> str:
        for statement in statements:
            if isinstance(statement, Assign):
                covered = self._covered(statement, part)
                current = current if covered is None else covered
            elif any(self._covered(a, part) is not None for a in assignments([statement])):
                current = self._after_switch(statement, part, current)
        return current

    def _after_switch(self, switch: Switch, part: Slice, current: str) -> str:
        """The value after a switch, with a name for what was before if that is long."""
        if "?" not in current:
            return self._choice(switch, part, current)
        declared, written = len(self._body.declarations), len(self._body.lines)
        name = self._body.helper(f"{self._names[part.wire]}_before", part.width)
        text = self._choice(switch, part, name)
        used = any(re.search(rf"\b{name}\b", line) for line in (text, *self._body.lines[written:]))
        if used:
            self._body.assign(name, current)
        else:
            del self._body.declarations[declared]
            self._body.helpers.remove(name)
        return text

    def _choice(self, switch: Switch, part: Slice, current: str) -> str:
        """The value after a switch: a chain of conditions, the first match in front."""
        chain: list[tuple[str, str]] = []
        last = current
        for case in switch.cases:
            value = self._conditional(case.body, part, current)
            condition = self._statements.condition(switch.selector, case) if switch.selector else ""
            if not (condition and case.patterns):
                last = value
                break
            chain.append((condition, value))
        while chain and chain[-1][1] == last:
            chain.pop()
        text = last
        for condition, value in reversed(chain):
            text = f"{bracket(condition)} ? {bracket(value)} : {bracket(text, chain=True)}"
        return text

    def _covered(self, assign: Assign, part: Slice) -> str | None:
        """What an assignment gives to ``part``, if it does."""
        at = spec_width(assign.target)
        for chunk in assign.target:
            at -= chunk.width
            assert isinstance(chunk, Slice)
            if chunk.low <= part.low and part.high <= chunk.high:
                start = at + part.low - chunk.low
                return self._text(cut(assign.value, start, part.width))
        return None

    # Lint

    def _consume_unread(self) -> None:
        """Says on purpose which bits nothing reads, in the form that linters know."""
        seen: dict[str, set[int]] = {}
        widths = {self._names[name]: wire.width for name, wire in self._module.wires.items()}
        found = _REFERENCE.findall("\n".join(self._body.read_texts))
        mentioned = {name for name, _high, _low in found}
        for name, high, low in found:
            if name in widths:
                top = int(high) if high else widths[name] - 1
                seen.setdefault(name, set()).update(range(int(low or high or 0), top + 1))
        unread: list[str] = []
        for name, wire in self._module.wires.items():
            if wire.direction not in ("output", "inout"):
                bits = [b for b in range(wire.width) if b not in seen.get(self._names[name], ())]
                chunks = from_bits([Slice(name, bit, bit) for bit in bits])
                unread += [self._text((chunk,)) for chunk in chunks]
        unread += [
            name for name in self._body.helpers if name not in mentioned and "unused" not in name
        ]
        if unread:
            self._body.consume(*unread)


def _value(value: Parameter) -> str:
    if isinstance(value, Bits):
        return literal(value.text)
    return f'"{value}"' if isinstance(value, str) else str(value)
