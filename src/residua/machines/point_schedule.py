"""Schedules of integer programs on the units of an ECPM.

There is one adder, one subtracter, one multiplier, one selector and one converter, two read ports
and one write port of a register file: list scheduling, the longest way to the end first. Registers
are given to values afterwards.
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Literal

from residua.algorithms.integer_program import IntegerProgram

Unit = Literal["add", "subtract", "multiply", "select", "reduce"]

CONSTANTS = ("xi", "xi_half", "half", "a", "one")
"""Operands that are constants of each channel and not in a register; `#name` in nodes."""


CONDITIONS: Mapping[str, tuple[str, ...]] = {"equal": ("W", "R"), "infinite": ("Z2",), "bit": ()}
"""Conditions on which a selector takes its left operand, and the tests for zero that have to hold.

Both of W and R make points equal, Z2 the neutral element; the bit is that of the scalar.
"""


@dataclass(frozen=True)
class Node:
    """result = left unit right; ``right`` may be a constant, of a reduction it always is.

    ``condition`` is what a selector asks, one of `CONDITIONS`. ``test`` has the result looked at
    for zero, under the name that a condition has for it.
    """

    result: str
    unit: Unit
    left: str
    right: str
    condition: str = ""
    test: str = ""

    @property
    def operands(self) -> tuple[str, ...]:
        """Operands that are values."""
        return tuple(dict.fromkeys(n for n in (self.left, self.right) if not n.startswith("#")))


@dataclass(frozen=True)
class Timing:
    """Cycles of the units, from the cycle in which operands are addressed.

    Attributes:
        sum: to that in which a sum, difference or selection is written.
        product: to that in which a product is written.
        products: between products.
        reduction: to that in which a reduced value is written.
        reductions: between reductions.
    """

    sum: int
    product: int
    products: int
    reduction: int
    reductions: int

    def write(self, unit: Unit) -> int:
        """Cycles to the write.

        In the cycle after it an operation on the result may begin, or one that asks its test.
        """
        return {"multiply": self.product, "reduce": self.reduction}.get(unit, self.sum)


@dataclass(frozen=True)
class Segment:
    """A scheduled straight line: when each node begins, and where values are.

    Attributes:
        nodes: what is computed.
        issue: the cycle in which each node's operands are addressed.
        registers: the register of every value, inputs among them.
        cycles: all cycles, the last write included.
        used: registers that the segment needs, fixed ones included.
    """

    nodes: tuple[Node, ...]
    issue: tuple[int, ...]
    registers: Mapping[str, int]
    cycles: int
    used: int


@dataclass
class Line:
    """Nodes under construction; ``renamed`` values of programs keep apart by a prefix."""

    nodes: list[Node] = field(default_factory=list)

    def node(
        self, result: str, unit: Unit, left: str, right: str, condition: str = "", test: str = ""
    ) -> str:
        """Adds a node; the name of its result."""
        self.nodes.append(Node(result, unit, left, right, condition, test))
        return result

    def program(
        self,
        program: IntegerProgram,
        prefix: str,
        inputs: Mapping[str, str],
        tests: Mapping[str, str] = MappingProxyType({}),
    ) -> dict[str, str]:
        """Adds the nodes of a program; the names of its outputs' values.

        Args:
            program: with its reductions.
            prefix: of the names of its values.
            inputs: the value, or constant, of each input.
            tests: names of tests for zero, by the names of the values in the program.
        """
        halved = {s.result: s.arguments[0] for s in program.steps if s.kind == "halve"}
        reduced = {s.arguments[0] for s in program.steps if s.kind == "reduce"}
        names = dict(inputs)
        for step in program.steps:
            result, test = prefix + step.result, tests.get(step.result, "")
            arguments = [names.get(name, prefix + name) for name in step.arguments]
            names[step.result] = result
            match step.kind:
                case "add" | "subtract" | "multiply":
                    ordered = sorted(arguments, key=lambda name: name.startswith("#"))
                    if step.kind != "subtract":
                        arguments = ordered
                    left, right = arguments
                    self.node(result, step.kind, left, right, test=test)
                case "square":
                    self.node(result, "multiply", arguments[0], arguments[0], test=test)
                case "scale":
                    self._scaled(result, arguments[0], step.multiple)
                case "halve" if step.result in reduced:
                    pass
                case "halve":
                    self.node(result, "multiply", arguments[0], "#half", test=test)
                case "reduce":
                    half = halved.get(step.arguments[0])
                    source = arguments[0] if half is None else names.get(half, prefix + half)
                    constant = "#xi" if half is None else "#xi_half"
                    self.node(result, "reduce", source, constant, test=test)
        return {name: names[value] for name, value in program.outputs.items()}

    def _scaled(self, result: str, value: str, multiple: int) -> None:
        """Doublings and additions, the highest bit first."""
        bits, current = f"{multiple:b}"[1:], value
        for place, bit in enumerate(bits):
            last = place == len(bits) - 1
            doubled = result if last and bit == "0" else f"{result} [{place}]"
            current = self.node(doubled, "add", current, current)
            if bit == "1":
                sum_name = result if last else f"{result} [{place}+]"
                current = self.node(sum_name, "add", current, value)


def schedule(
    nodes: Iterable[Node], timing: Timing, fixed: Mapping[str, int], outputs: Mapping[str, str]
) -> Segment:
    """The schedule of nodes, which are in an order in which they can be computed.

    Args:
        nodes: see `Node`.
        timing: of the units.
        fixed: registers with names; a value of such a name is read from there.
        outputs: values for registers with names, by those names.
    """
    chosen = tuple(nodes)
    targets = {value: name for name, value in outputs.items()}
    waits = _dependences(chosen, timing, targets)
    issue = _placed(chosen, timing, waits)
    writes = [t + timing.write(node.unit) for node, t in zip(chosen, issue, strict=True)]
    registers = _registers(chosen, issue, writes, fixed, targets)
    return Segment(
        chosen, tuple(issue), registers, max(writes) + 1, max(registers.values(), default=0) + 1
    )


def _dependences(
    nodes: Sequence[Node], timing: Timing, targets: Mapping[str, str]
) -> list[list[tuple[int, int]]]:
    """Nodes that each node waits for, and the cycles after their beginnings."""
    made: dict[str, int] = {}
    tested: dict[str, int] = {}
    readers: dict[str, list[int]] = defaultdict(list)
    waits: list[list[tuple[int, int]]] = []
    for index, node in enumerate(nodes):
        for name in node.operands:
            readers[name].append(index)
        needed = [made[name] for name in node.operands if name in made]
        needed += [tested[name] for name in CONDITIONS.get(node.condition, ())]
        waits.append([(before, timing.write(nodes[before].unit) + 1) for before in needed])
        made[node.result] = index
        if node.test:
            tested[node.test] = index
    for index, node in enumerate(nodes):
        # The old content of a register with a name is read before the new one is written.
        for reader in readers.get(targets.get(node.result, ""), []):
            if reader != index:
                waits[index].append((reader, 1 - timing.write(node.unit)))
    return waits


def _placed(
    nodes: Sequence[Node], timing: Timing, waits: Sequence[Sequence[tuple[int, int]]]
) -> list[int]:
    """List scheduling."""
    urgency = [timing.write(node.unit) for node in nodes]
    for index in reversed(range(len(nodes))):
        for before, delay in waits[index]:
            urgency[before] = max(urgency[before], urgency[index] + delay)
    order = sorted(range(len(nodes)), key=lambda index: (-urgency[index], index))
    issue: dict[int, int] = {}
    writes: set[int] = set()
    product = reduction = -timing.reductions
    now = 0
    while len(issue) < len(nodes):
        for index in order:
            if index in issue or any(
                before not in issue or issue[before] + delay > now for before, delay in waits[index]
            ):
                continue
            unit = nodes[index].unit
            write = now + timing.write(unit)
            multiplies = unit in ("multiply", "reduce")
            if write in writes or (multiplies and now < product + timing.products):
                continue
            if unit == "reduce" and now < reduction + timing.reductions:
                continue
            issue[index] = now
            writes.add(write)
            product = now if multiplies else product
            reduction = now if unit == "reduce" else reduction
            break
        now += 1
    return [issue[index] for index in range(len(nodes))]


def _registers(
    nodes: Sequence[Node],
    issue: Sequence[int],
    writes: Sequence[int],
    fixed: Mapping[str, int],
    targets: Mapping[str, str],
) -> dict[str, int]:
    """A register for every value; one whose last reader has begun is given away again."""
    last = dict.fromkeys((node.result for node in nodes), -1)
    for node, t in zip(nodes, issue, strict=True):
        for name in node.operands:
            last[name] = max(last.get(name, -1), t)
    registers = dict(fixed)
    free_from: dict[int, int] = {}
    first = max(fixed.values(), default=-1) + 1
    for index in sorted(range(len(nodes)), key=lambda index: writes[index]):
        name = nodes[index].result
        if name in targets:
            registers[name] = fixed[targets[name]]
            continue
        free = [r for r, when in sorted(free_from.items()) if when < writes[index]]
        chosen = free[0] if free else first + len(free_from)
        registers[name] = chosen
        free_from[chosen] = max(last[name], writes[index])
    return registers
