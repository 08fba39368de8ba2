"""Steps of plus-minus inversion in a campaign: how many operands take how many."""

from collections import Counter
from io import StringIO
from typing import Any

import matplotlib as mpl
from campaign_rows import Columns, Row
from matplotlib.figure import Figure

from residua.hardware.inverters.plus_minus_inverter import PlusMinusDesign

STEPS_TEXT = """\
A step is a division of V3 and V1 by 2 or 4, or a sum or difference of pairs divided by 4. Where the
loop ends depends on the operand; the bound is proved (`algorithms/plus_minus.py`). The rows of
constant time take the same cycles for all operands, refused ones included."""


def steps(design: PlusMinusDesign, cycles: tuple[int, ...]) -> dict[str, Any]:
    """How many operands took how many steps, if that shows in cycles."""
    found: dict[str, Any] = {
        "bound": design.most_steps,
        "period": design.period,
        "conversions": design.frame,
    }
    if not design.padded:
        counts = Counter((each - design.frame) // design.period for each in cycles)
        found["distribution"] = {str(number): counts[number] for number in sorted(counts)}
    return found


def drawn(rows: list[Row]) -> list[Row]:
    """The rows whose steps depend on the operand."""
    return [row for row in rows if "distribution" in row.get("steps", {})]


def steps_spread(row: Row) -> str:
    """The fewest and the most steps."""
    counted = [int(each) for each in row["steps"]["distribution"]]
    return f"{min(counted)} to {max(counted)}"


def average_steps(row: Row) -> str:
    """The average number of steps."""
    counts = row["steps"]["distribution"]
    total = sum(int(number) * count for number, count in counts.items())
    return f"{total / sum(counts.values()):.2f}"


STEP_COLUMNS: Columns = {
    "Configuration": lambda row: row["configuration"],
    "Steps": steps_spread,
    "Average": average_steps,
    "Bound": lambda row: row["steps"]["bound"],
    "Cycles of a step": lambda row: row["steps"]["period"],
    "of conversions": lambda row: row["steps"]["conversions"],
}
"""Cells of the rows that are `drawn`."""


def plot(rows: list[Row]) -> str:
    """The share of operands by number of steps."""
    figure = Figure(figsize=(8.0, 3.5), layout="constrained")
    axes = figure.subplots()
    for row in rows:
        found = row["steps"]["distribution"]
        total = sum(found.values())
        numbers = [int(number) for number in found]
        axes.plot(numbers, [count / total for count in found.values()], label=row["configuration"])
    axes.set(xlabel="steps", ylabel="share of operands", ylim=(0, None))
    axes.legend(frameon=False)
    target = StringIO()
    with mpl.rc_context({"svg.hashsalt": "residua", "svg.fonttype": "none"}):
        figure.savefig(target, format="svg", metadata={"Date": None})
    return target.getvalue()
