"""The instructions of each operation of a curve."""

from collections.abc import Sequence

from residua.curves import fixed_window
from residua.curves.comb import Comb
from residua.curves.endomorphism import joint as joint_halves
from residua.curves.formulas import Formula, has_complete_formulas
from residua.curves.operations.codes import Operation, Status
from residua.curves.operations.instructions import (
    Check,
    Instruction,
    Invert,
    Read,
    Run,
    give_results,
    load_number,
    stop_if,
)
from residua.curves.parameters import Curve, MontgomeryCurve, WeierstrassCurve
from residua.curves.protections.exit_check import DEFECT


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
    if has_complete_formulas(curve):
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
