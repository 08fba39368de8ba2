"""Operations of an elliptic-curve coprocessor, as lists of instructions for its controller.

Instructions run routines (field programs, by name), take numbers in and give them out. What a
routine is made of, and on which kind of field unit it runs, is not their concern.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from enum import IntEnum
from typing import ClassVar, Literal

from residua.algorithms.fields.field import Constant, FieldProgram
from residua.curves import comb, difference_ladder, fixed_window, joint, ladder, montgomery_ladder
from residua.curves.comb import Comb
from residua.curves.endomorphism import joint as joint_halves
from residua.curves.endomorphism import window
from residua.curves.formulas import Formula, has_odd_order
from residua.curves.parameters import Curve, MontgomeryCurve, WeierstrassCurve
from residua.curves.protections.exit_check import (
    DEFECT,
    ladder_relation,
    quotient_defect,
    scaled_point_defect,
)


class Operation(IntEnum):
    """Operations that a host can ask for; see the register description."""

    POINT_MULTIPLY = 1
    BASE_MULTIPLY = 2
    X_MULTIPLY = 3
    DOUBLE_MULTIPLY = 4
    VALIDATE = 5
    FIELD_MULTIPLY = 6
    FIELD_INVERT = 7
    FIELD_MULTIPLY_ADD = 8
    ORDER_MULTIPLY = 9
    ORDER_INVERT = 10
    ORDER_MULTIPLY_ADD = 11
    ECDSA_VERIFY = 12
    ORDER_SIGN = 13


class Status(IntEnum):
    """Outcomes of an operation; see the register description."""

    OK = 0
    NEUTRAL = 1
    OPERAND_RANGE = 2
    SCALAR_RANGE = 3
    NOT_ON_CURVE = 4
    SMALL_ORDER = 5
    BAD_OPERATION = 6
    BAD_CURVE = 7
    NO_INVERSE = 8
    ZEROISED = 9
    INVALID = 10
    FAULT = 11
    RANDOM_FAULT = 12
    RANDOM_STARVED = 13
    RANDOM_ZERO = 14


Source = Literal[
    "operand",
    "random",
    "scalar",
    "base scalar",
    "split scalar",
    "comb scalar",
    "first scalar",
    "second scalar",
    "first split scalar",
    "second split scalar",
]

PLAIN: tuple[Source, ...] = (
    "first scalar",
    "second scalar",
    "first split scalar",
    "second split scalar",
)
"""Scalars that are not blinded: those of sums of two multiples."""


@dataclass(frozen=True)
class Read:
    """Take a number: a scalar, or an operand or random words for the next "load" routine.

    A "scalar" is blinded, a "base scalar", for the base point, by multiples of its order; so is a
    "comb scalar", whose columns choose entries of tables. A "split scalar" is taken as two halves,
    blinded by multiples of the vectors of a lattice. A "first scalar" and a "second scalar" are not
    blinded, nor are a "first split scalar" and a "second split scalar" as two halves. An operand
    must be below the modulus, a scalar must have no more bits than the curve allows; the next
    `Check` ends an operation that broke this.
    """

    source: Source


@dataclass(frozen=True)
class Run:
    """Run a routine; ``rounds`` None: once for each digit of the blinded scalar.

    What `Follow` found is for its own instructions: a ``counted`` routine runs once for each of
    the doublings, an ``indexed`` one is the first of several, by the index of the entry.
    """

    routine: str
    rounds: int | None = 1
    counted: bool = False
    indexed: bool = False


@dataclass(frozen=True)
class Receive:
    """Wait for the number that "unload" gives out, and keep it as a result.

    With ``stop`` it is only tested: the operation ends with ``status`` if it is zero, or if not.
    Unless it is to be ``kept``, it is dropped.
    """

    stop: Literal["zero", "nonzero"] | None = None
    status: Status = Status.OK
    kept: bool = True


@dataclass(frozen=True)
class Check:
    """End the operation if a number that was read is out of range."""


@dataclass(frozen=True)
class Invert:
    """Set "inverse" to 1 / "d", or to 0 if "d" is 0."""


@dataclass(frozen=True)
class Reciprocate:
    """Wait for the unit that inverts.

    It takes the number that "unload" gives out, and its inverse is that of the next "load"; or,
    after an `Admit`, the residues that a routine gives out, and puts those of a fraction in place.
    """


@dataclass(frozen=True)
class Admit:
    """The residues that are given out next are for the unit that inverts."""


@dataclass(frozen=True)
class Modulus:
    """From here on routines and numbers are modulo the ``order``, or else modulo the prime."""

    order: bool


@dataclass(frozen=True)
class When:
    """Wait for the number that "unload" gives out; it says whether ``instructions`` are followed.

    They are if ``number`` tells what it is.
    """

    number: Literal["zero", "nonzero"]
    instructions: tuple["Instruction", ...]


@dataclass(frozen=True)
class Deliver:
    """The number that "unload" gives out next is a scalar, or the operand of the next "load".

    A scalar is not blinded.
    """

    target: Literal[
        "first scalar", "second scalar", "first split scalar", "second split scalar", "operand"
    ]


@dataclass(frozen=True)
class Follow:
    """Do what the windows of two scalars, or of their four halves, say, from the highest digits on.

    ``events`` has the instructions of each of `Events` but the last one. The order and the number
    of what is done depends on the scalars: they have to be public.
    """

    events: tuple[tuple["Instruction", ...], ...]


@dataclass(frozen=True)
class Events:
    """Codes of what so many windows ask for; see `residua.curves.signatures.sliding_windows`.

    After the doublings, 0, come the beginnings with an entry of each window, then its additions.
    """

    windows: int

    DOUBLE: ClassVar[int] = 0

    def begin(self, window: int) -> int:
        """The sum begins with an entry of a window."""
        return 1 + window

    def add(self, window: int) -> int:
        """An entry of a window is added."""
        return 1 + self.windows + window

    @property
    def end(self) -> int:
        """All has been done."""
        return 1 + 2 * self.windows


Instruction = (
    Read | Run | Receive | Check | Invert | Reciprocate | Admit | Modulus | When | Deliver | Follow
)

PUBLIC_OPERATIONS = {Operation.ECDSA_VERIFY}
"""Operations whose operands all are public: control may depend on them, and in `Follow` does."""

MULTIPLICATIONS = (
    Operation.POINT_MULTIPLY,
    Operation.BASE_MULTIPLY,
    Operation.X_MULTIPLY,
    Operation.DOUBLE_MULTIPLY,
    Operation.ECDSA_VERIFY,
)
"""The operations that multiply points, which takes nearly all of their cycles."""

ORDER_OPERATIONS = {
    Operation.ORDER_MULTIPLY,
    Operation.ORDER_INVERT,
    Operation.ORDER_MULTIPLY_ADD,
    Operation.ORDER_SIGN,
}
"""Operations modulo the order of the group; the others are modulo the field's prime."""

NUMBER = "number"
"""The element that "load" sets from a number, and that "unload" gives out."""


def point_operation(curve: Curve) -> Operation:
    """The operation that multiplies a point of the curve."""
    montgomery = isinstance(curve, MontgomeryCurve)
    return Operation.X_MULTIPLY if montgomery else Operation.POINT_MULTIPLY


def every(instructions: Iterable[Instruction]) -> Iterator[Instruction]:
    """Instructions, each followed by those that are part of it."""
    for instruction in instructions:
        yield instruction
        match instruction:
            case When(_, own):
                yield from every(own)
            case Follow(events):
                for event in events:
                    yield from every(event)


def taken_numbers(instructions: Iterable[Instruction]) -> int:
    """The numbers that an operation takes of its host."""
    return sum(isinstance(one, Read) and one.source != "random" for one in every(instructions))


def given_numbers(instructions: Iterable[Instruction]) -> int:
    """The numbers that an operation gives out if it ends well."""
    kept = (isinstance(one, Receive) and one.kept and not one.stop for one in every(instructions))
    return sum(kept)


def operations(
    curve: Curve,
    formula: Formula,
    joint_bits: int,
    base_comb: Comb | None = None,
    *,
    checked: bool = False,
) -> dict[Operation, list[Instruction]]:
    """The operations of a curve, with a formula that it admits.

    A sum of two multiples goes through ``joint_bits`` of both scalars, or of their halves. With a
    ``base_comb``, for short Weierstrass curves of odd order, it multiplies the base point. What is
    ``checked`` gives out no multiple of a point before it is held against the curve, see
    `residua.curves.protections.exit_check`.
    """
    if isinstance(curve, MontgomeryCurve):
        group = _montgomery(curve, checked)
    else:
        group = _weierstrass(curve, formula, joint_bits, checked)
        if base_comb:
            group[Operation.BASE_MULTIPLY] = _comb_multiply(base_comb, checked)
    common = {
        Operation.FIELD_MULTIPLY: _multiply(),
        Operation.FIELD_INVERT: _invert(),
        Operation.FIELD_MULTIPLY_ADD: _multiply_add(),
    }
    modulo_order = {
        Operation.ORDER_MULTIPLY: _multiply(),
        Operation.ORDER_INVERT: _invert(),
        Operation.ORDER_MULTIPLY_ADD: _multiply_add(),
    }
    return group | common | modulo_order


def _weierstrass(
    curve: WeierstrassCurve, formula: Formula, joint_bits: int, checked: bool
) -> dict[Operation, list[Instruction]]:
    affine: list[Instruction] = [Invert(), Run("recovery_result")]
    again = _point_fault() if checked else []  # for the operand
    match formula:
        case Formula.FIXED_WINDOW | Formula.ENDOMORPHISM:
            multiplied = [*_fixed_window(), *(_scaled_point_fault() if checked else [])]
            affine, x_alone = _affine(), _affine_x()
        case Formula.DIFFERENCE_LADDER:
            multiplied, x_alone = _difference_ladder(again), [*affine, *give_results("x")]
        case _:
            multiplied, x_alone = [*_ladder(), *again], _affine_x()
            affine.insert(0, Run("recovery_fractions"))
    if checked:
        affine += _point_fault()
        x_alone = [*affine, *give_results("x")]
    splits = formula is Formula.ENDOMORPHISM
    scalar: list[Instruction] = [Read("split scalar" if splits else "scalar")]
    base_scalar: list[Instruction] = [Read("split scalar" if splits else "base scalar")]
    point = [*scalar, *read_point(), *validate_point(), *multiplied]
    group: dict[Operation, list[Instruction]] = {
        Operation.POINT_MULTIPLY: [*point, *affine, *give_results("x", "y")],
        Operation.BASE_MULTIPLY: [
            *base_scalar,
            Check(),
            Run("base_point"),
            *multiplied,
            *affine,
            *give_results("x", "y"),
        ],
        Operation.X_MULTIPLY: [*point, *x_alone],
        Operation.VALIDATE: [*read_point(), *validate_point()],
    }
    if has_odd_order(curve):
        double = _double_multiply(joint_bits, checked, splits=splits)
        group[Operation.DOUBLE_MULTIPLY] = double
    return group


def _comb_multiply(shape: Comb, checked: bool) -> list[Instruction]:
    """(x0 : y0 : z0) = k G, in a random scaling, and its affine coordinates."""
    additions = Run("comb_addition", shape.tables)
    return [
        Read("comb scalar"),
        Check(),
        *load_number("random", "m"),
        Run("comb_start"),
        additions,
        *[Run("comb_doubling"), additions] * (shape.spacing - 1),
        *stop_if("z0", "zero", Status.NEUTRAL),
        *_affine(),
        *(_point_fault() if checked else []),
        *give_results("x", "y"),
    ]


def _double_multiply(bits: int, checked: bool, *, splits: bool) -> list[Instruction]:
    """All operands are read before any is refused, so that none is left in the stream."""
    second_point = [*load_number("operand", "nx"), *load_number("operand", "ny")]
    points = [*read_point()[:-1], *second_point, Check()]
    exchange: list[Instruction] = [
        Run(f"copy_{target}_{source}")
        for target, source in (("c0", "x"), ("c1", "y"), ("x", "nx"), ("y", "ny"))
    ]
    exchange += [Run("copy_nx_c0"), Run("copy_ny_c1")]
    multiplied = [*joint_sum(bits, splits=splits), *stop_if("z0", "zero", Status.NEUTRAL)]
    scalars: list[Instruction] = [Read("first scalar"), Read("second scalar")]
    halves: list[Instruction] = [Read("first split scalar"), Read("second split scalar")]
    return [
        *(halves if splits else scalars),
        *points,
        *validate_point(),
        *exchange,
        *validate_point(),
        *multiplied,
        *_affine(),
        *(_point_fault() if checked else []),
        *give_results("x", "y"),
    ]


def joint_sum(bits: int, *, splits: bool) -> list[Instruction]:
    """(x0 : y0 : z0) = k ("nx", "ny") + l ("x", "y"), by ``bits`` of both scalars or of halves."""
    if not splits:
        return [Run("joint_initial_state"), Run("joint_step", bits)]
    begins = zip(fixed_window.SUM, joint_halves.FIRST_ENTRY, strict=True)
    return [
        Run("joint_initial_state"),
        Run("joint_table_step", joint_halves.TABLE_ROUNDS),
        *(Run(f"copy_{target}_{source}") for target, source in begins),
        # The highest digit is 1 whatever the halves are.
        Run("joint_step", bits - 1),
    ]


def _affine() -> list[Instruction]:
    """The coordinates of (x0 : y0 : z0); the inversion needs the places of all three."""
    return [
        Run("copy_nx_x0"),
        Run("copy_ny_y0"),
        Run("copy_d_z0"),
        Invert(),
        Run("joint_result"),
    ]


def _montgomery(curve: MontgomeryCurve, checked: bool) -> dict[Operation, list[Instruction]]:
    scalar: list[Instruction] = [Read("scalar")]
    operand: list[Instruction] = [*load_number("operand", "x"), Check()]
    order = [Run("small_order"), *stop_if("d", "zero", Status.SMALL_ORDER)]
    multiplied = [*_ladder(), *_affine_x(checked=checked)]
    return {
        Operation.BASE_MULTIPLY: [
            Read("base scalar"),
            Check(),
            Run("base_point"),
            *multiplied,
        ],
        Operation.X_MULTIPLY: [*scalar, *operand, *multiplied],
        Operation.VALIDATE: [*operand, *(order if curve.cofactor > 1 else [])],
    }


def read_point() -> list[Instruction]:
    """("x", "y"), both in range."""
    return [*load_number("operand", "x"), *load_number("operand", "y"), Check()]


def validate_point() -> list[Instruction]:
    """End the operation unless ("x", "y") is a point of the curve."""
    return [Run("on_curve"), *stop_if("d", "nonzero", Status.NOT_ON_CURVE)]


def _point_fault() -> list[Instruction]:
    """End the operation if ("x", "y"), which has to be a point of the curve, is none."""
    return [Run("on_curve"), *stop_if("d", "nonzero", Status.FAULT)]


def _scaled_point_fault() -> list[Instruction]:
    """End the operation if (x : y : m), which has to be a point of the curve, is none."""
    return [Run("scaled_point_defect"), *stop_if(DEFECT, "nonzero", Status.FAULT)]


def _ladder() -> list[Instruction]:
    """(x0 : z0) = k P and (x1 : z1) = (k + 1) P, in random scalings."""
    return [
        *load_number("random", "l"),
        *load_number("random", "m"),
        Run("initial_state"),
        Run("ladder_step", None),
        Run("final_select"),
        *stop_if("z0", "zero", Status.NEUTRAL),
    ]


def _difference_ladder(again: Sequence[Instruction]) -> list[Instruction]:
    """The fractions of k P, in a random scaling, after what is done ``again`` with P."""
    return [
        *load_number("random", "m"),
        Run("initial_state"),
        Run("ladder_step", None),
        *again,
        Run("recovery_fractions"),
        *stop_if("d", "zero", Status.NEUTRAL),
    ]


def _fixed_window() -> list[Instruction]:
    """(x0 : y0 : z0) = k P, in a random scaling, by one number or by two halves."""
    return [
        *load_number("random", "m"),
        Run("window_start"),
        Run("table_step", fixed_window.ENTRIES - 1),
        Run("ladder_step", None),
        *stop_if("z0", "zero", Status.NEUTRAL),
    ]


def _affine_x(*, checked: bool = False) -> list[Instruction]:
    """The x-coordinate of (x0 : z0); the numerator outlives the inversion as "y".

    With what is ``checked`` it is that of a Montgomery ladder.
    """
    relation = [Run("ladder_relation"), *stop_if(DEFECT, "nonzero", Status.FAULT)]
    quotient = [Run("quotient_defect"), *stop_if(DEFECT, "nonzero", Status.FAULT)]
    return [
        Run("copy_d_z0"),
        Run("copy_y_x0"),
        *(relation if checked else []),
        Invert(),
        Run("multiply_x"),
        *(quotient if checked else []),
        *give_results("x"),
    ]


def _multiply() -> list[Instruction]:
    return [*read_point(), Run("multiply_xy"), *give_results("x")]


def _multiply_add() -> list[Instruction]:
    addend: list[Instruction] = [*load_number("operand", "d"), Check()]
    return [*read_point()[:-1], *addend, Run("multiply_add"), *give_results("x")]


def _invert() -> list[Instruction]:
    return [
        *load_number("operand", "d"),
        Check(),
        *stop_if("d", "zero", Status.NO_INVERSE),
        Invert(),
        Run("copy_x_inverse"),
        *give_results("x"),
    ]


def stop_if(element: str, stop: Literal["zero", "nonzero"], status: Status) -> list[Instruction]:
    """End the operation with ``status`` if an element is zero, or if it is not."""
    return [*unload_number(element), Receive(stop, status)]


def give_results(*elements: str) -> list[Instruction]:
    """Keep elements as results."""
    return [i for element in elements for i in (*unload_number(element), Receive())]


def load_number(source: Literal["operand", "random"], element: str) -> list[Instruction]:
    """Take a number as an element."""
    return [Read(source), Run("load"), Run(f"copy_{element}_{NUMBER}")]


def unload_number(element: str) -> list[Instruction]:
    """Give an element out as a number."""
    return [Run(f"copy_{NUMBER}_{element}"), Run("unload")]


def routines(
    curve: Curve, formula: Formula, base_comb: Comb | None = None, *, checked: bool = False
) -> dict[str, FieldProgram]:
    """The field programs of a curve's `operations` beside `common_routines`."""
    if isinstance(curve, MontgomeryCurve):
        programs = _montgomery_routines(curve)
        if checked:
            programs |= {
                "final_select": ladder.final_select(),
                "ladder_relation": ladder_relation(),
                "quotient_defect": quotient_defect(),
            }
    else:
        programs = _weierstrass_routines(curve, formula)
        if checked and formula in (Formula.FIXED_WINDOW, Formula.ENDOMORPHISM):
            programs["scaled_point_defect"] = scaled_point_defect()
        if base_comb:
            return programs | _comb_routines(curve)
    base = FieldProgram("base_point")
    base.output("x", base.load("x", Constant("base_x")))
    if isinstance(curve, WeierstrassCurve):
        base.output("y", base.load("y", Constant("base_y")))
    return programs | {"base_point": base}


def _montgomery_routines(curve: MontgomeryCurve) -> dict[str, FieldProgram]:
    return {
        "initial_state": _renamed(montgomery_ladder.initial_state(), {"u": "x"}),
        "ladder_step": _renamed(montgomery_ladder.step(), {"u": "x"}),
        "final_select": montgomery_ladder.final_select(),
        "small_order": montgomery_ladder.small_order(curve.cofactor),
    }


def _weierstrass_routines(curve: WeierstrassCurve, formula: Formula) -> dict[str, FieldProgram]:
    a = -3 if curve.has_a_minus_3 else 0 if curve.a == 0 else None
    b = fixed_window.small_b(curve.prime, curve.a, curve.b)
    match formula:
        case Formula.FIXED_WINDOW:
            programs = {
                "window_start": fixed_window.initial_state(),
                "table_step": fixed_window.table_step(a=a, b=b),
                "ladder_step": fixed_window.step(a=a, b=b),
            }
        case Formula.ENDOMORPHISM:
            programs = {
                "window_start": window.initial_state(),
                "table_step": fixed_window.table_step(a=a, b=b),
                "ladder_step": window.step(b=b),
            }
        case Formula.DIFFERENCE_LADDER:
            programs = _difference_routines()
        case _:
            programs = {
                "initial_state": ladder.initial_state(),
                "ladder_step": ladder.step(a=a),
                "final_select": ladder.final_select(),
                "recovery_fractions": ladder.recovery_fractions(),
                "recovery_result": ladder.recovery_result(),
            }
    programs["on_curve"] = _on_curve()
    if formula is Formula.ENDOMORPHISM:
        programs["joint_initial_state"] = joint_halves.initial_state(b=b)
        programs["joint_table_step"] = joint_halves.table_step(b=b)
        programs["joint_step"] = joint_halves.step(b=b)
        programs["joint_result"] = joint.result()
    elif has_odd_order(curve):
        programs["joint_initial_state"] = joint.initial_state(a=a)
        programs["joint_step"] = joint.step(a=a)
        programs["joint_result"] = joint.result()
    return programs


def _comb_routines(curve: WeierstrassCurve) -> dict[str, FieldProgram]:
    a = -3 if curve.has_a_minus_3 else 0 if curve.a == 0 else None
    b = fixed_window.small_b(curve.prime, curve.a, curve.b)
    return {
        "comb_start": comb.initial_state(),
        "comb_addition": comb.addition(a=a, b=b),
        "comb_doubling": comb.doubling(a=a, b=b),
    }


def _difference_routines() -> dict[str, FieldProgram]:
    """The inversion leaves "nx" and the state's "y0" alone, where two of the fractions wait."""
    places = {"xq": "nx", "nz": "y0", "g": "z0"}
    return {
        "initial_state": _renamed(difference_ladder.initial_state(), places),
        "ladder_step": _renamed(difference_ladder.step(), places),
        "recovery_fractions": _renamed(difference_ladder.recovery_fractions(), places),
        "recovery_result": _renamed(difference_ladder.recovery_result(), places),
    }


def _renamed(program: FieldProgram, names: dict[str, str]) -> FieldProgram:
    """The program with other names for its inputs and outputs."""
    program.inputs = {names.get(name, name): v for name, v in program.inputs.items()}
    program.outputs = {names.get(name, name): v for name, v in program.outputs.items()}
    return program


def _on_curve() -> FieldProgram:
    """y^2 - x^3 - a x - b in "d"."""
    program = FieldProgram("on_curve")
    x, y = program.input("x"), program.input("y")
    one = program.load("one", Constant(1))
    slope = program.product_sum("x^2 + a", (x, x, 1), (one, Constant("a"), 1))
    defect = program.product_sum("d", (y, y, 1), (x, slope, -1), (one, Constant("b"), -1))
    program.output("d", defect)
    return program


def constants(curve: Curve, base_comb: Comb | None = None) -> dict[str, int]:
    """The named constants of a curve's field programs."""
    if base_comb and isinstance(curve, WeierstrassCurve):
        return constants(curve) | comb.constants(curve, base_comb)
    if isinstance(curve, MontgomeryCurve):
        named = montgomery_ladder.constants(curve.prime, curve.a)
    else:
        named = ladder.constants(curve.prime, curve.a, curve.b)
        named |= joint.constants(curve.prime, curve.a, curve.b)
        named |= difference_ladder.constants(curve.prime, curve.a)
    return named | {"base_x": curve.x, "base_y": curve.y}


def common_routines(copies: set[tuple[str, str]]) -> dict[str, FieldProgram]:
    """Field programs that serve every modulus; ``copies`` are pairs (target, source)."""
    programs = {
        "square": _product("inverse", "inverse", "inverse"),
        "multiply": _product("inverse", "inverse", "factor"),
        "multiply_xy": _product("x", "x", "y"),
        "multiply_x": _product("x", "y", "inverse"),
        "multiply_add": _multiply_add_program(),
    }
    for target, source in sorted(copies):
        program = FieldProgram(f"copy_{target}_{source}")
        program.output(target, program.combine(target, (program.input(source), 1)))
        programs[program.name] = program
    return programs


def _product(target: str, x: str, y: str) -> FieldProgram:
    program = FieldProgram(f"{target} = {x} {y}")
    program.output(target, program.product(target, program.input(x), program.input(y)))
    return program


def _multiply_add_program() -> FieldProgram:
    program = FieldProgram("multiply_add")
    x, y, addend = (program.input(name) for name in ("x", "y", "d"))
    result = program.product_sum("x", (x, y, 1), (addend, Constant(1), 1))
    program.output("x", result)
    return program
