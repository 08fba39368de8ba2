"""The routines of a curve's operations, as field programs, and their constants."""

from residua.algorithms.fields.field import Constant, FieldProgram
from residua.curves import comb, difference_ladder, fixed_window, joint, ladder, montgomery_ladder
from residua.curves.comb import Comb
from residua.curves.endomorphism import joint as joint_halves
from residua.curves.endomorphism import window
from residua.curves.formulas import Formula, has_complete_formulas
from residua.curves.parameters import Curve, MontgomeryCurve, WeierstrassCurve
from residua.curves.protections.exit_check import (
    ladder_relation,
    quotient_defect,
    scaled_point_defect,
)


def routines(
    curve: Curve, formula: Formula, base_comb: Comb | None = None, *, checked: bool = False
) -> dict[str, FieldProgram]:
    """The field programs of a curve's operations beside `common_routines`."""
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
    elif has_complete_formulas(curve):
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
