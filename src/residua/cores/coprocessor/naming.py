"""Names of curves in the names of cores."""

from collections.abc import Sequence

from residua.cores.coprocessor.specification import MOST_NAMES
from residua.cores.naming import plain
from residua.curves.parameters import Curve


def curves_part(curves: Sequence[Curve]) -> str:
    """The names of curves in small letters and digits, or how many they are."""
    if len(curves) > MOST_NAMES:
        return f"{len(curves)}_curves"
    return "_".join(plain(curve.name) for curve in curves)
