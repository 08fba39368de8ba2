"""Simplification of RTLIL modules before they are written: nothing dead, nothing twice.

Only structure changes, never behaviour: logic and ports that reach no output are taken away, unread
high bits of anonymous results are cut, and modules that are equal apart from names become one.
"""

import re
from collections import Counter
from collections.abc import Iterable, Iterator

from residua.verilog.rtlil import (
    Assign,
    Bits,
    Case,
    Cell,
    Chunk,
    Module,
    Slice,
    Spec,
    Statement,
    Switch,
    Wire,
    cut,
    is_constant,
    joined,
    resize,
    spec_bits,
    spec_width,
    whole,
)

OUTPUT_PORTS = {"$dff": "Q", "$adff": "Q", "$memrd_v2": "DATA"}
"""The output of each cell kind that has another one than Y."""

_WITHOUT_HARDWARE = ("$check", "$print")
_NUMBERED = re.compile(r"\\port\$\d+\$\d+")
_MODULAR = ("$add", "$sub", "$and", "$or", "$xor", "$not", "$neg", "$shl")


def simplify(modules: list[Module]) -> list[Module]:
    """Modules, the top one first, without dead logic and without duplicates."""
    known: dict[str, Module] = {}
    originals: dict[object, Module] = {}
    find_outputs(modules)
    for module in modules:
        _wish_names(module)
        _normalise(module)
        _join_outputs(module)
    aliases: dict[str, tuple[str, dict[str, str]]] = {}
    for module in reversed(modules):
        _follow_aliases(module, aliases)
        _drop_removed_ports(module, known)
        prune(module, keep_inputs=module is modules[0])
        _cut_unread_bits(module)
        known[module.name] = module
        key, order = _canonical(module)
        original = originals.get(key)
        if original is None or module is modules[0]:
            originals[key] = module
            continue
        names = dict(zip(order, _canonical(original)[1], strict=True))
        for port in module.ports("output"):
            original.wires[names[port]].direction = "output"
        aliases[module.name] = (original.name, names)
    return [module for module in modules if module.name not in aliases]


def _wish_names(module: Module) -> None:
    """Calls a numbered port after the signal that it is a part of."""
    for connection in module.connections:
        (target,) = connection.target if len(connection.target) == 1 else (None,)
        if not isinstance(target, Slice) or target.wire.startswith("$"):
            continue
        high = target.high
        for chunk in connection.value:
            low = high - chunk.width + 1
            if isinstance(chunk, Slice) and _NUMBERED.fullmatch(chunk.wire):
                part = f"_{high}_{low}" if chunk.width > 1 else f"_{high}"
                name = target.wire + part * (chunk.width < target.width)
                if chunk.width == module.wires[chunk.wire].width:
                    module.wishes.setdefault(chunk.wire, name)
            high = low - 1


def _normalise(module: Module) -> None:
    """Cuts wide operands, turns shifts by constants into wiring, drops overwritten assignments."""
    cells = []
    for cell in module.cells:
        if cell.kind in ("$shl", "$shr", "$sshr", "$shift") and is_constant(cell.ports["B"]):
            module.connections.append(Assign(cell.ports["Y"], _shifted(cell)))
            continue
        if cell.kind in _MODULAR:
            _cut_operands(cell, cell.integer("Y_WIDTH"))
        cells.append(cell)
    module.cells = cells
    module.processes = [_without_overwritten(process, set()) for process in module.processes]


def _shifted(cell: Cell) -> Spec:
    distance = int("".join(c.text for c in cell.ports["B"] if isinstance(c, Bits)) or "0", 2)
    width = cell.integer("Y_WIDTH")
    signed = bool(cell.integer("A_SIGNED"))
    if cell.kind == "$shl":
        value = resize(cell.ports["A"], width, signed=signed)
        return cut((*value, Bits("0" * min(distance, width))), 0, width)
    # Zeros follow the top bit of every shift but the arithmetic one.
    widest = max(width, spec_width(cell.ports["A"]))
    value = resize(cell.ports["A"], widest, signed=signed)
    arithmetic = signed and cell.kind == "$sshr"
    return cut(resize(value, widest + distance, signed=arithmetic), distance, width)


def _without_overwritten(statements: list[Statement], later: set[Chunk]) -> list[Statement]:
    """Statements less assignments to bits that are all assigned again afterwards."""
    later = set(later)
    kept: list[Statement] = []
    for statement in reversed(statements):
        if isinstance(statement, Assign):
            bits = set(spec_bits(statement.target))
            if bits <= later:
                continue
            later |= bits
        else:
            for case in statement.cases:
                case.body = _without_overwritten(case.body, later)
            later |= _certain(statement)
        kept.append(statement)
    return kept[::-1]


def _certain(switch: Switch) -> set[Chunk]:
    """Bits that every branch of a switch assigns."""
    if not any(not case.patterns for case in switch.cases):
        return set()
    return set.intersection(
        *(
            {
                bit
                for statement in case.body
                for bit in (
                    spec_bits(statement.target)
                    if isinstance(statement, Assign)
                    else _certain(statement)
                )
            }
            for case in switch.cases
        )
    )


def _join_outputs(module: Module) -> None:
    """Connects outputs of instances to the signals that they are only copied to."""
    uses = Counter(wire for spec in reads(module) for wire in wires_of(spec))
    loose = {
        chunk.wire: (cell, port)
        for cell in module.cells
        if not cell.kind.startswith("$")
        for port in sorted(cell.outputs)
        for chunk in cell.ports[port]
        if isinstance(chunk, Slice)
        and chunk.wire.startswith("$")
        and uses[chunk.wire] == 1
        and cell.ports[port] == whole(module, chunk.wire)
    }
    connections = []
    for connection in module.connections:
        kept: list[Assign] = []
        at = 0
        for chunk in reversed(connection.value):
            part = cut(connection.target, at, chunk.width)
            at += chunk.width
            if isinstance(chunk, Slice) and chunk.wire in loose and len(part) == 1:
                wire = module.wires[chunk.wire]
                if chunk.width == wire.width:
                    cell, port = loose[chunk.wire]
                    cell.ports[port] = part
                    continue
            kept.append(Assign(part, (chunk,)))
        merged = Assign(
            joined(chunk for assign in reversed(kept) for chunk in assign.target),
            joined(chunk for assign in reversed(kept) for chunk in assign.value),
        )
        if len(kept) == len(connection.value):
            connections.append(connection)
        elif len(merged.target) == 1:
            connections.append(merged)
        else:
            connections += kept
    module.connections = connections


def find_outputs(modules: list[Module]) -> None:
    """Notes the driving ports of every cell.

    A black box drives what is a whole wire that nothing else in the module drives.
    """
    known = {module.name: module for module in modules}
    for module in modules:
        driven = set(module.ports("input"))
        for assign in (*module.connections, *(a for p in module.processes for a in assignments(p))):
            driven |= wires_of(assign.target)
        boxes = []
        for cell in module.cells:
            if cell.kind.startswith("$"):
                names = {OUTPUT_PORTS.get(cell.kind, "Y")} & cell.ports.keys()
            elif cell.kind in known:
                wires = known[cell.kind].wires
                names = {port for port in cell.ports if wires["\\" + port].direction == "output"}
            else:
                boxes.append(cell)
                continue
            cell.outputs = frozenset(names)
            for port in names:
                driven |= wires_of(cell.ports[port])
        for cell in boxes:
            cell.outputs = frozenset(
                port
                for port, spec in cell.ports.items()
                if spec and not is_constant(spec) and not wires_of(spec) & driven
            )


def inputs_of(cell: Cell) -> Iterator[Spec]:
    """Values that a cell reads."""
    return (spec for port, spec in cell.ports.items() if port not in cell.outputs)


def outputs_of(cell: Cell) -> Iterator[Spec]:
    """Values that a cell drives."""
    return (spec for port, spec in cell.ports.items() if port in cell.outputs)


def wires_of(spec: Spec) -> set[str]:
    """Names of the wires in a value."""
    return {chunk.wire for chunk in spec if isinstance(chunk, Slice)}


def assignments(statements: Iterable[Statement]) -> Iterator[Assign]:
    """All assignments below ``statements``."""
    for statement in statements:
        if isinstance(statement, Assign):
            yield statement
        else:
            for case in statement.cases:
                yield from assignments(case.body)


def selectors(statements: Iterable[Statement]) -> Iterator[Spec]:
    """All switch selectors below ``statements``."""
    for statement in statements:
        if isinstance(statement, Switch):
            yield statement.selector
            for case in statement.cases:
                yield from selectors(case.body)


def reads(module: Module) -> Iterator[Spec]:
    """Every value that something in the module reads."""
    for connection in module.connections:
        yield connection.value
    for cell in module.cells:
        yield from inputs_of(cell)
    for process in module.processes:
        yield from selectors(process)
        for assign in assignments(process):
            yield assign.value


def prune(module: Module, *, keep_inputs: bool) -> None:
    """Takes away what reaches no output, no memory that is read, and no instance."""
    module.cells = [cell for cell in module.cells if cell.kind not in _WITHOUT_HARDWARE]
    live = set(module.ports("output")) | set(module.ports("inout"))
    size = -1
    while size != len(live):
        size = len(live)
        for cell in module.cells:
            if _is_live(cell, live):
                for spec in cell.ports.values():
                    live |= wires_of(spec)
                live.add(str(cell.parameters.get("MEMID", "")))
        for connection in module.connections:
            if wires_of(connection.target) & live:
                live |= wires_of(connection.value)
        for process in module.processes:
            if _targets(process) & live:
                for spec in [*selectors(process), *(a.value for a in assignments(process))]:
                    live |= wires_of(spec)
    module.cells = [cell for cell in module.cells if _is_live(cell, live)]
    module.connections = [c for c in module.connections if wires_of(c.target) & live]
    module.processes = [p for p in module.processes if _targets(p) & live]
    module.memories = {name: size for name, size in module.memories.items() if name in live}
    module.wires = {
        name: wire
        for name, wire in module.wires.items()
        if name in live or (keep_inputs and wire.direction == "input")
    }


def _targets(process: list[Statement]) -> set[str]:
    return {name for assign in assignments(process) for name in wires_of(assign.target)}


def _is_live(cell: Cell, live: set[str]) -> bool:
    if not cell.kind.startswith("$"):
        return True
    if cell.kind in ("$memwr_v2", "$meminit_v2"):
        return str(cell.parameters["MEMID"]) in live
    return any(wires_of(spec) & live for spec in outputs_of(cell))


def _follow_aliases(module: Module, aliases: dict[str, tuple[str, dict[str, str]]]) -> None:
    for cell in module.cells:
        if cell.kind in aliases:
            cell.kind, names = aliases[cell.kind]
            cell.ports = {
                names["\\" + port].removeprefix("\\"): spec
                for port, spec in cell.ports.items()
                if "\\" + port in names
            }
            cell.outputs = frozenset(
                names["\\" + port].removeprefix("\\")
                for port in cell.outputs
                if "\\" + port in names
            )


def _drop_removed_ports(module: Module, modules: dict[str, Module]) -> None:
    for cell in module.cells:
        if cell.kind in modules:
            wires = modules[cell.kind].wires
            cell.ports = {port: s for port, s in cell.ports.items() if "\\" + port in wires}
            cell.outputs &= cell.ports.keys()


def _cut_unread_bits(module: Module) -> None:
    """Cuts high bits of anonymous results that neither a reader nor the low bits need."""
    drivers = {
        chunk.wire: cell
        for cell in module.cells
        if cell.kind in (*_MODULAR, "$mux")
        for chunk in cell.ports["Y"]
        if isinstance(chunk, Slice)
    }
    highest = _highest_reads(module)
    # Results come after operands more often than not: walking back cuts whole chains.
    for name, cell in reversed(drivers.items()):
        wire = module.wires[name]
        needed = 1 + highest.get(name, wire.width - 1)
        if not name.startswith("$") or needed >= wire.width:
            continue
        wire.width = needed
        cell.ports["Y"] = (Slice(name, needed - 1, 0),)
        if cell.kind == "$mux":
            cell.parameters["WIDTH"] = needed
            cell.ports |= {port: resize(cell.ports[port], needed) for port in "AB"}
        else:
            cell.parameters["Y_WIDTH"] = needed
            _cut_operands(cell, needed)
        highest = _highest_reads(module)


def _highest_reads(module: Module) -> dict[str, int]:
    highest: dict[str, int] = {}
    for spec in reads(module):
        for chunk in spec:
            if isinstance(chunk, Slice):
                highest[chunk.wire] = max(chunk.high, highest.get(chunk.wire, 0))
    return highest


def _cut_operands(cell: Cell, width: int) -> None:
    for port in "AB":
        if cell.kind == "$shl" and port == "B":
            continue
        if port in cell.ports and cell.integer(f"{port}_WIDTH") > width:
            cell.ports[port] = resize(cell.ports[port], width)
            cell.parameters[f"{port}_WIDTH"] = width


def _canonical(module: Module) -> tuple[object, list[str]]:
    """A key that equal modules share, and the wires in the order that the key numbers them."""
    numbers: dict[str, int] = {}
    memories: dict[str, int] = {}

    def number(spec: Spec) -> tuple[object, ...]:
        return tuple(
            chunk
            if isinstance(chunk, Bits)
            else (numbers.setdefault(chunk.wire, len(numbers)), chunk.high, chunk.low)
            for chunk in joined(spec)
        )

    def statement(item: Statement) -> object:
        if isinstance(item, Assign):
            return number(item.target), number(item.value)
        return number(item.selector), tuple(map(branch, item.cases))

    def branch(case: Case) -> object:
        return case.patterns, tuple(map(statement, case.body))

    def parameter(name: str, value: object) -> object:
        return memories.setdefault(str(value), len(memories)) if name == "MEMID" else value

    cells = tuple(
        (
            cell.kind,
            tuple((name, parameter(name, value)) for name, value in cell.parameters.items()),
            tuple((port, number(spec)) for port, spec in sorted(cell.ports.items())),
        )
        for cell in module.cells
    )
    processes = tuple(tuple(map(statement, process)) for process in module.processes)
    connections = tuple(map(statement, module.connections))
    wires = tuple(_shape(module.wires[name]) for name in numbers)
    unread = tuple(sorted(str(_shape(w)) for n, w in module.wires.items() if n not in numbers))
    sizes = tuple((module.memories[n], module.memory_attributes.get(n)) for n in memories)
    return (cells, processes, connections, wires, unread, sizes), list(numbers)


def _shape(wire: Wire) -> tuple[object, ...]:
    return wire.width, wire.signed, wire.direction == "input", wire.initial
