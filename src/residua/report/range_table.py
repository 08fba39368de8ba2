"""Tables of `residua range` for a terminal."""

from typing import Any

from rich.box import SIMPLE
from rich.table import Table

from residua.report.tables import Text


def placements(found: dict[str, Any]) -> Text:
    """A row for each placement; the cheapest is marked."""
    table = Table(box=SIMPLE)
    for column in ("", "reductions", "range, bits", "cost", "reduced beside the results", "widest"):
        table.add_column(column)
    for place, row in enumerate(found["placements"]):
        table.add_row(
            "*" if place == found["cheapest"] else "",
            str(row["reductions"]),
            str(row["bits"]),
            str(row["cost"]),
            ", ".join(row["reduced"]) or "–",
            row["widest"],
        )
    available = f"; {found['available']} bits are there" if found["available"] else ""
    fixed = "".join(f", {name} = {value}" for name, value in found["fixed"].items())
    fits = " that fits: the fewest reductions" if found["available"] else ""
    about = (
        f"{found['formula']}: {found['products']} products modulo a number of "
        f"{found['modulus_bits']} bits{fixed}{available}"
    )
    note = (
        "Numbers have either sign and magnitudes of as many bits as the range; the product of the "
        f"moduli needs one more. Cost: bits x (products + {found['reduction_cost']} x reductions). "
        f"* is the cheapest{fits}."
    )
    return [about, table, note]
