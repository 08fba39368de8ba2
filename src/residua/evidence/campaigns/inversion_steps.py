"""Steps of plus-minus inversion in a campaign: how many operands take how many."""

from collections import Counter
from typing import Any

from matplotlib.figure import Figure as Drawing

from residua.evidence.pages import RowTable
from residua.evidence.rows import Row
from residua.hardware.inverters.plus_minus_inverter import PlusMinusDesign
from residua.report.documents import Figure
from residua.report.drawings import svg

TEXT = """\
A step is a division of V3 and V1 by 2 or 4, or a sum or difference of pairs divided by 4. Where the
loop ends depends on the operand; the bound is proved (`algorithms/plus_minus.py`). The rows of
constant time take the same cycles for all operands, refused ones included."""


def steps(design: PlusMinusDesign, cycles: tuple[int, ...]) -> dict[str, Any]:
    """Count how many operands took how many steps, if that shows in cycles."""
    found: dict[str, Any] = {
        "bound": design.most_steps,
        "period": design.period,
        "conversions": design.frame,
    }
    if not design.padded:
        counts = Counter((each - design.frame) // design.period for each in cycles)
        found["distribution"] = {str(number): counts[number] for number in sorted(counts)}
    return found


def steps_table() -> RowTable:
    """Make the table of the rows whose steps depend on the operand."""
    return RowTable(
        {
            "Configuration": lambda row: row.name,
            "Steps": _spread,
            "Average": _average,
            "Bound": lambda row: row["steps"]["bound"],
            "Cycles of a step": lambda row: row["steps"]["period"],
            "of conversions": lambda row: row["steps"]["conversions"],
        },
        title="Steps",
        introduction=TEXT,
        closing_texts=0,
        lines=lambda row: _drawn([row]),
    )


def figures(rows: list[Row]) -> tuple[Figure, ...]:
    """Draw the share of operands by number of steps."""
    drawn = _drawn(rows)
    if not drawn:
        return ()
    return (Figure("How many operands take how many steps", "inversions.svg", _plot(drawn)),)


def _drawn(rows: list[Row]) -> list[Row]:
    return [row for row in rows if "distribution" in row.get("steps", {})]


def _spread(row: Row) -> str:
    """The cell of the fewest and the most steps."""
    counted = [int(each) for each in row["steps"]["distribution"]]
    return f"{min(counted)} to {max(counted)}"


def _average(row: Row) -> str:
    """The cell of the average number of steps."""
    counts = row["steps"]["distribution"]
    total = sum(int(number) * count for number, count in counts.items())
    return f"{total / sum(counts.values()):.2f}"


def _plot(rows: list[Row]) -> str:
    drawing = Drawing(figsize=(8.0, 3.5), layout="constrained")
    axes = drawing.subplots()
    for row in rows:
        found = row["steps"]["distribution"]
        total = sum(found.values())
        numbers = [int(number) for number in found]
        axes.plot(numbers, [count / total for count in found.values()], label=row.name)
    axes.set(xlabel="steps", ylabel="share of operands", ylim=(0, None))
    axes.legend(frameon=False)
    return svg(drawing)
