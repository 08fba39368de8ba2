"""What the operations of a coprocessor take and give, in words."""

from residua.curves.operations.codes import Operation
from residua.curves.parameters import Curve
from residua.curves.protections import masked_scalar

_NUMBERS: dict[Operation, tuple[str, str, str]] = {
    Operation.POINT_MULTIPLY: ("k, x, y", "x, y", "k P, P = (x, y)"),
    Operation.BASE_MULTIPLY: ("k", "x, y", "k G, G the base point"),
    Operation.X_MULTIPLY: ("k, x, y", "x", "the abscissa of k P"),
    Operation.DOUBLE_MULTIPLY: ("k, l, x1, y1, x2, y2", "x, y", "k P + l Q, for public data"),
    Operation.VALIDATE: ("x, y", "", "only a status: is the point valid?"),
    Operation.FIELD_MULTIPLY: ("a, b", "c", "c = a b mod p"),
    Operation.FIELD_INVERT: ("a", "c", "c = 1/a mod p"),
    Operation.FIELD_MULTIPLY_ADD: ("a, b, d", "c", "c = a b + d mod p"),
    Operation.ORDER_MULTIPLY: ("a, b", "c", "c = a b mod n"),
    Operation.ORDER_INVERT: ("a", "c", "c = 1/a mod n"),
    Operation.ORDER_MULTIPLY_ADD: ("a, b, d", "c", "c = a b + d mod n"),
    Operation.ECDSA_VERIFY: (
        "e, r, s, x, y",
        "r",
        "r if (r, s) is a signature of the digest e by (x, y); for public data, in variable time",
    ),
    Operation.ORDER_SIGN: ("k, d, r, z", "s", "s = (z + r d) / k mod n, under a random factor"),
}
"""Operands, results and meaning, on curves in Weierstrass form."""

_MONTGOMERY: dict[Operation, tuple[str, str, str]] = {
    Operation.BASE_MULTIPLY: ("k", "u", "the u of k G, G the base point"),
    Operation.X_MULTIPLY: ("k, u", "u", "the u of k times a point with this u"),
    Operation.VALIDATE: ("u", "", "only a status: has the point a small order?"),
}


def operation_forms(
    operation: Operation, curves: tuple[Curve, ...], *, shared: bool
) -> list[dict[str, str]]:
    """Operands and results of an operation, for each form of curve that is there.

    With ``shared`` secrets there are the names of their shares.
    """
    found: dict[str, dict[str, str]] = {}
    for form in dict.fromkeys(curve.form for curve in curves):
        own = _NUMBERS | (_MONTGOMERY if form == "montgomery" else {})
        operands, results, meaning = own[operation]
        if shared:
            operands = ", ".join(masked_scalar.shared_names(operation, operands.split(", ")))
        entry = {"form": form, "operands": operands, "results": results, "meaning": meaning}
        if entry | {"form": ""} not in [other | {"form": ""} for other in found.values()]:
            found[form] = entry
    return list(found.values())
