"""Field programs: straight-line algorithms on elements of a prime field, for any field unit.

A point formula, a conversion or an exponentiation step calls a `FieldProgram`; each call records an
operation. The set is what a unit with lazy reduction does well:

* a sum of products, reduced once (`FieldProgram.product_sum`),
* a combination with small integers, not reduced (`FieldProgram.combine`),
* a choice between two elements by a secret bit (`FieldProgram.select`), or among several by as many
  bits (`FieldProgram.choose`),
* a constant as an element (`FieldProgram.load`).

Who reads the operations decides what comes out: `evaluate` computes with plain integers modulo p, a
lowering (`residua.algorithms.fields.rns_field`) turns them into steps of an RNS program.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from residua.errors import SpecificationError


@dataclass(frozen=True, eq=False)
class Variable:
    """An element that a program computes or is given."""

    name: str


@dataclass(frozen=True)
class Constant:
    """An element that is known when the hardware is built: an integer, or a name to look up."""

    value: int | str


@dataclass(frozen=True)
class Flag:
    """A bit that is known only at run time, and may be secret."""

    name: str


Factor = Variable | Constant


@dataclass(frozen=True)
class ProductSum:
    """result = multiple * sum(sign * x * y) mod p."""

    result: Variable
    products: tuple[tuple[Variable, Factor, int], ...]
    multiple: int = 1


@dataclass(frozen=True)
class Combination:
    """result = sum(coefficient * x), without a reduction."""

    result: Variable
    terms: tuple[tuple[Variable, int], ...]


@dataclass(frozen=True)
class Selection:
    """result = x if flag else sign * y."""

    result: Variable
    flag: Flag
    x: Variable
    y: Variable
    sign: int = 1


@dataclass(frozen=True)
class Choice:
    """result = the x whose flag is set, 0 if none is; never more than one is."""

    result: Variable
    choices: tuple[tuple[Flag, Variable], ...]


@dataclass(frozen=True)
class Load:
    """result = constant."""

    result: Variable
    constant: Constant


Operation = ProductSum | Combination | Selection | Choice | Load


@dataclass
class FieldProgram:
    """A recorded straight-line program.

    ``inputs`` and ``outputs`` map the names of elements that live outside the program (the state of
    a loop, say) to its variables. A name in both is updated.
    """

    name: str
    inputs: dict[str, Variable] = field(default_factory=dict)
    outputs: dict[str, Variable] = field(default_factory=dict)
    operations: list[Operation] = field(default_factory=list)

    def input(self, name: str) -> Variable:
        """The element called ``name`` outside."""
        if name not in self.inputs:
            self.inputs[name] = Variable(name)
        return self.inputs[name]

    def output(self, name: str, value: Variable) -> None:
        """Make ``value`` the element called ``name`` outside."""
        self.outputs[name] = value

    def product_sum(
        self, name: str, *products: tuple[Variable, Factor, int], multiple: int = 1
    ) -> Variable:
        """multiple * sum(sign * x * y), with one reduction; ``products`` holds (x, y, sign)."""
        result = Variable(name)
        self.operations.append(ProductSum(result, tuple(products), multiple))
        return result

    def product(self, name: str, x: Variable, y: Factor, multiple: int = 1) -> Variable:
        """multiple * x * y, reduced."""
        return self.product_sum(name, (x, y, 1), multiple=multiple)

    def combine(self, name: str, *terms: tuple[Variable, int]) -> Variable:
        """sum(coefficient * x) for (x, coefficient); its range grows by the coefficients."""
        result = Variable(name)
        self.operations.append(Combination(result, tuple(terms)))
        return result

    def select(self, name: str, flag: Flag, x: Variable, y: Variable, sign: int = 1) -> Variable:
        """x where ``flag`` is set, else sign * y; nothing but values depends on the flag."""
        result = Variable(name)
        self.operations.append(Selection(result, flag, x, y, sign))
        return result

    def choose(self, name: str, *choices: tuple[Flag, Variable]) -> Variable:
        """The x of that (flag, x) whose flag is set, or 0; at most one flag may be set.

        As with `select` nothing but values depends on the flags: all elements are read.
        """
        result = Variable(name)
        self.operations.append(Choice(result, tuple(choices)))
        return result

    def load(self, name: str, constant: Constant) -> Variable:
        """A constant as a variable."""
        result = Variable(name)
        self.operations.append(Load(result, constant))
        return result

    @property
    def flags(self) -> list[Flag]:
        """The flags in the order of their first use."""
        flags: dict[Flag, None] = {}
        for operation in self.operations:
            match operation:
                case Selection(_, flag):
                    flags[flag] = None
                case Choice(_, choices):
                    flags |= dict.fromkeys(flag for flag, _ in choices)
        return list(flags)

    @property
    def reductions(self) -> int:
        """Modular reductions, the cost that dominates."""
        return sum(isinstance(op, ProductSum) for op in self.operations)

    @property
    def terms(self) -> int:
        """Number of summands: products, elements combined or chosen from, constants loaded."""
        return sum(map(_terms, self.operations))


def _terms(operation: Operation) -> int:
    match operation:
        case ProductSum(_, terms) | Combination(_, terms) | Choice(_, terms):
            return len(terms)
        case Selection():
            return 2
        case Load():
            return 1


def constant_value(constant: Constant, constants: Mapping[str, int]) -> int:
    """The integer that a constant stands for, among the named ones of a curve.

    Raises:
        SpecificationError: there is no constant of that name.
    """
    if isinstance(constant.value, int):
        return constant.value
    if constant.value not in constants:
        raise SpecificationError(f"no constant '{constant.value}'; there are {sorted(constants)}")
    return constants[constant.value]


def evaluate(
    program: FieldProgram,
    modulus: int,
    inputs: Mapping[str, int],
    *,
    constants: Mapping[str, int] | None = None,
    flags: Mapping[str, bool] | None = None,
) -> dict[str, int]:
    """The outputs modulo ``modulus``, by plain integers."""
    state = {variable: inputs[name] for name, variable in program.inputs.items()}
    named, bits = constants or {}, flags or {}

    def value(factor: Factor) -> int:
        return constant_value(factor, named) if isinstance(factor, Constant) else state[factor]

    for operation in program.operations:
        match operation:
            case ProductSum(result, products, multiple):
                total = sum(sign * state[x] * value(y) for x, y, sign in products)
                state[result] = multiple * total % modulus
            case Combination(result, terms):
                state[result] = sum(coefficient * state[x] for x, coefficient in terms) % modulus
            case Load(result, constant):
                state[result] = value(constant) % modulus
            case Selection(result, flag, x, y, sign):
                state[result] = (state[x] if bits[flag.name] else sign * state[y]) % modulus
            case Choice(result, choices):
                chosen = [state[x] for flag, x in choices if bits[flag.name]]
                assert len(chosen) <= 1
                state[result] = sum(chosen) % modulus
    return {name: state[variable] % modulus for name, variable in program.outputs.items()}


def used_constants(programs: Sequence[FieldProgram]) -> list[Constant]:
    """All constants that some programs use, in the order of their first use."""
    operations = [operation for program in programs for operation in program.operations]
    return list(dict.fromkeys(one for each in operations for one in _constants(each)))


def _constants(operation: Operation) -> list[Constant]:
    match operation:
        case ProductSum(_, products):
            return [factor for _, factor, _ in products if isinstance(factor, Constant)]
        case Load(_, constant):
            return [constant]
    return []
