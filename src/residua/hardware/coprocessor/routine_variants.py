"""Routines of several curves in one store: those that are alike are there once."""

from collections.abc import Mapping, Sequence
from typing import Any

from residua.algorithms.fields.field import Choice, Constant, FieldProgram, Load, ProductSum
from residua.curves.signatures import verification

GROUP_ROUTINES = (
    "base_point",
    "initial_state",
    "window_start",
    "table_step",
    "ladder_step",
    "final_select",
    "recovery_fractions",
    "recovery_result",
    "on_curve",
    "small_order",
    "ladder_relation",
    "quotient_defect",
    "scaled_point_defect",
    "joint_initial_state",
    "joint_table_step",
    "joint_step",
    "joint_result",
    "comb_start",
    "comb_addition",
    "comb_doubling",
    *verification.OWN_ROUTINES,
    *verification.HALVES_ROUTINES,
)
"""Names under which each curve has a routine of its own."""


class RoutineVariants:
    """The routines of curves, ``groups`` those of each by the names under which it uses them."""

    def __init__(self, groups: Sequence[Mapping[str, FieldProgram]]) -> None:
        self.groups = groups

    def variant(self, name: str, curve: int) -> str:
        """The routine that a curve uses under a name; curves of one kind share theirs."""
        if name not in GROUP_ROUTINES:
            return name
        own = self.groups[curve].get(name)
        if own is None:
            return name
        for number in range(curve):
            other = self.groups[number].get(name)
            if other is not None and _shape(other) == _shape(own):
                return self.variant(name, number)
        return f"{name}_{curve}" if curve else name


def _shape(program: FieldProgram) -> object:
    """Equal for programs that differ in nothing a routine would show."""
    order = {v: i for i, v in enumerate(program.inputs.values())}
    shape: list[object] = [tuple(program.inputs), tuple(program.outputs)]
    for operation in program.operations:
        order[operation.result] = len(order)
        shape.append(_operation_shape(operation, order))
    return tuple(shape)


def _operation_shape(operation: Any, order: dict[Any, int]) -> object:
    match operation:
        case ProductSum(_, products, multiple):
            terms = [
                (order[x], repr(y) if isinstance(y, Constant) else order[y], sign)
                for x, y, sign in products
            ]
            return ("products", tuple(terms), multiple)
        case Load(_, constant):
            return ("load", repr(constant))
        case Choice(_, choices):
            return ("choice", tuple((flag, order[x]) for flag, x in choices))
        case _ if hasattr(operation, "terms"):
            return ("combination", tuple((order[x], c) for x, c in operation.terms))
        case _:
            return (
                "selection",
                operation.flag,
                order[operation.x],
                order[operation.y],
                operation.sign,
            )
