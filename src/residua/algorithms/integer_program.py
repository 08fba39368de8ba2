"""Integer programs: formulas over the integers, with reductions modulo p placed where one wants.

A formula is text as papers print it, one assignment a line; `parse` makes an `IntegerProgram` of
it and `placed` adds reductions. Who reads the program (`residua.machines.integers`) decides what
comes out: numbers, residues of an extended RNS, intervals, parities.
"""

import ast
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Literal, Protocol, TypeVar

from residua.errors import SpecificationError

V = TypeVar("V")

Kind = Literal["add", "subtract", "multiply", "square", "scale", "halve", "reduce"]


@dataclass(frozen=True)
class Step:
    """result = left kind right. ``scale`` is ``multiple`` * left, ``halve`` left / 2 exactly."""

    result: str
    kind: Kind
    arguments: tuple[str, ...]
    multiple: int = 1


@dataclass(frozen=True)
class IntegerProgram:
    """A straight-line program on integers; every value has a name."""

    name: str
    inputs: tuple[str, ...]
    steps: tuple[Step, ...]
    outputs: Mapping[str, str]
    """The values that the program gives out, by their names outside."""

    @property
    def products(self) -> int:
        """Multiplications of two values."""
        return sum(step.kind in ("multiply", "square") for step in self.steps)

    @property
    def reductions(self) -> int:
        """Reductions modulo p."""
        return sum(step.kind == "reduce" for step in self.steps)


class Arithmetic(Protocol[V]):
    """Operations of an interpreter on values."""

    def add(self, x: V, y: V) -> V:
        """x + y."""

    def subtract(self, x: V, y: V) -> V:
        """x - y."""

    def multiply(self, x: V, y: V) -> V:
        """x y."""

    def square(self, x: V) -> V:
        """x^2."""

    def scale(self, x: V, multiple: int) -> V:
        """x times a small integer."""

    def halve(self, x: V) -> V:
        """x / 2, of an even x."""

    def reduce(self, x: V) -> V:
        """x modulo p."""


def run(
    program: IntegerProgram, arithmetic: Arithmetic[V], inputs: Mapping[str, V]
) -> dict[str, V]:
    """Every value of a program by its name."""
    values = {name: inputs[name] for name in program.inputs}
    for step in program.steps:
        operation = getattr(arithmetic, step.kind)
        extra = (step.multiple,) if step.kind == "scale" else ()
        values[step.result] = operation(*(values[name] for name in step.arguments), *extra)
    return values


def placed(program: IntegerProgram, names: Iterable[str]) -> IntegerProgram:
    """The program with the values of these names, and all outputs, reduced where they are made.

    Raises:
        SpecificationError: there is no such value; with the names that there are.
    """
    wanted, known = set(names), [step.result for step in program.steps]
    for name in sorted(wanted):
        if name not in known:
            raise SpecificationError(
                f"{program.name} has no value '{name}' to reduce: its values are {', '.join(known)}"
            )
    wanted |= set(program.outputs.values())
    renamed = {name: f"{name} mod p" if name in wanted else name for name in known}
    steps: list[Step] = []
    for step in program.steps:
        arguments = tuple(renamed.get(name, name) for name in step.arguments)
        steps.append(replace(step, arguments=arguments))
        if step.result in wanted:
            steps.append(Step(renamed[step.result], "reduce", (step.result,)))
    outputs = {name: renamed.get(value, value) for name, value in program.outputs.items()}
    return replace(program, steps=tuple(steps), outputs=outputs)


def parse(name: str, text: str) -> IntegerProgram:
    """The program of a formula.

    Lines are assignments such as ``X2 = R^2 - T*W^2``, of sums, differences, products, powers with
    whole exponents, small integer factors and exact halves (``/ 2``); the last line is ``return``
    and the names of results. Names that are used without an assignment are inputs. Equal
    subexpressions are computed once.

    Raises:
        SpecificationError: the line, and what it has that is no such thing.
    """
    try:
        body = ast.parse(text.replace("^", "**")).body
    except (SyntaxError, ValueError) as error:
        line = f", line {error.lineno}" if isinstance(error, SyntaxError) else ""
        raise SpecificationError(f"formula {name}{line}: no assignment or return") from error
    parser = _Parser(name)
    for statement in body:
        parser.statement(statement)
    return parser.program()


class _Parser:
    """Turns statements into steps; knows what was computed before."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.inputs: dict[str, None] = {}
        self.steps: list[Step] = []
        self.made: dict[tuple[object, ...], str] = {}
        self.bound: dict[str, str] = {}
        self.outputs: dict[str, str] | None = None

    def program(self) -> IntegerProgram:
        if not self.outputs:
            raise SpecificationError(
                f"formula {self.name} has no results: the last line must be return and their names"
            )
        return IntegerProgram(self.name, tuple(self.inputs), tuple(self.steps), self.outputs)

    def statement(self, node: ast.stmt) -> None:
        match node:
            case _ if self.outputs is not None:
                raise self._fault(node, "nothing can follow return")
            case ast.Assign(targets=[ast.Name(id=target)], value=value):
                if target in self.bound or target in self.inputs:
                    raise self._fault(node, f"{target} has a value already")
                self.bound[target] = self._expression(value, target)
            case ast.Return(value=ast.Tuple(elts=elements)):
                self._return(node, elements)
            case ast.Return(value=ast.Name() as element):
                self._return(node, [element])
            case _:
                raise self._fault(node, "no assignment to a name and no return of names")

    def _return(self, node: ast.stmt, elements: list[ast.expr]) -> None:
        names = [one.id for one in elements if isinstance(one, ast.Name)]
        made = {step.result for step in self.steps}
        if len(names) < len(elements) or not all(self.bound.get(name) in made for name in names):
            raise self._fault(node, "only names that were assigned results can be returned")
        self.outputs = {name: self.bound[name] for name in names}

    def _expression(self, node: ast.expr, target: str = "") -> str:
        """The name of an expression's value; ``target`` names a new one."""
        match node:
            case ast.Name(id=name):
                if name not in self.bound:
                    self.inputs[name] = None
                return self.bound.get(name, name)
            case ast.BinOp(left=left, op=ast.Add() | ast.Sub() as operation, right=right):
                kind: Kind = "add" if isinstance(operation, ast.Add) else "subtract"
                return self._step(kind, left, right, node, target)
            case ast.BinOp(op=ast.Mult()):
                return self._product(node, target)
            case ast.BinOp(left=left, op=ast.Pow(), right=ast.Constant(value=int(exponent))):
                if exponent < 2:
                    raise self._fault(node, "an exponent is at least 2")
                return self._power(self._expression(left), exponent, target)
            case ast.BinOp(left=left, op=ast.Div(), right=ast.Constant(value=2)):
                return self._named("halve", (self._expression(left),), 1, target or _text(node))
        raise self._fault(node, f"'{_text(node)}' is no sum, product, power or half")

    def _product(self, node: ast.BinOp, target: str) -> str:
        """A product; 4*X*Y^2 is 4*(X*Y^2), so that the factor comes last."""
        factor, plain = _leading_factor(node)
        if factor is None or plain is None:
            return self._step("multiply", node.left, node.right, node, target)
        ast.copy_location(plain, node)
        return self._named("scale", (self._expression(plain),), factor, target or _text(node))

    def _step(
        self, kind: Kind, left: ast.expr, right: ast.expr, node: ast.expr, target: str
    ) -> str:
        x, y = self._expression(left), self._expression(right)
        name = target or _text(node)
        if kind == "multiply" and x == y:
            return self._named("square", (x,), 1, name)
        return self._named(kind, (x, y), 1, name)

    def _power(self, x: str, exponent: int, target: str) -> str:
        """Square and multiply, so that Z^2, Z^3 and Z^4 share the square."""
        name = target or f"{x}^{exponent}"
        if exponent == 2:
            return self._named("square", (x,), 1, name)
        if exponent % 2:
            return self._named("multiply", (self._power(x, exponent - 1, ""), x), 1, name)
        return self._named("square", (self._power(x, exponent // 2, ""),), 1, name)

    def _named(self, kind: Kind, arguments: tuple[str, ...], multiple: int, name: str) -> str:
        ordered = tuple(sorted(arguments)) if kind in ("add", "multiply") else arguments
        key = (kind, ordered, multiple)
        if key not in self.made:
            self.made[key] = name
            self.steps.append(Step(name, kind, arguments, multiple))
        return self.made[key]

    def _fault(self, node: ast.stmt | ast.expr, reason: str) -> SpecificationError:
        return SpecificationError(f"formula {self.name}, line {node.lineno}: {reason}")


def _leading_factor(node: ast.expr) -> tuple[int | None, ast.expr | None]:
    """The integer that a product begins with, and the product without it."""
    match node:
        case ast.BinOp(left=ast.Constant(value=int(factor)), op=ast.Mult(), right=right):
            return factor, right
        case ast.BinOp(left=left, op=ast.Mult(), right=right):
            found, plain = _leading_factor(left)
            if plain is not None:
                return found, ast.BinOp(left=plain, op=ast.Mult(), right=right)
    return None, None


def _text(node: ast.expr) -> str:
    return ast.unparse(node).replace(" ** ", "^").replace("**", "^").replace(" * ", "*")
