"""Figure 4 of SBMM: a step of the ladder on one multiplier and one unit for Compress.

Table 6 is written once, in `residua.papers.sbmm.costs`; here its operations are recorded in place
of being computed, and take their turns.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from matplotlib.figure import Figure as Plot

from residua.papers.sbmm.costs import Field, Products, addition, doubling
from residua.report.documents import Figure
from residua.report.drawings import svg

_COLOURS = {"ADD": "#0072b2", "DBL": "#d55e00"}
_UNITS = ("SBMM", "Compress")


@dataclass(frozen=True)
class Call:
    """A call of SBMM or of Compress.

    Attributes:
        point: ADD or DBL.
        unit: "SBMM" or "Compress".
        number: of the call among those of its unit and point, from 1 on.
        needs: the calls whose results it takes.
    """

    point: str
    unit: str
    number: int
    needs: tuple["Call", ...]


Value = tuple[Call, ...]
"""The calls that a value comes from; none for operands."""


def calls(point: str) -> list[Call]:
    """List the calls of ADD or DBL in the order of its formulas."""
    made: list[Call] = []

    def call(unit: str, needs: Sequence[Value]) -> Value:
        number = 1 + sum(one.unit == unit for one in made)
        sources = tuple(dict.fromkeys(one for value in needs for one in value))
        made.append(Call(point, unit, number, sources))
        return (made[-1],)

    def product(products: Products[Value]) -> Value:
        return call("SBMM", [value for x, y, _ in products for value in (x, y)])

    def combine(terms: Sequence[tuple[Value, int]]) -> Value:
        return tuple(dict.fromkeys(one for value, _ in terms for one in value))

    field = Field[Value](
        lambda _name: (), product, combine, lambda value: call("Compress", [value])
    )
    (addition if point == "ADD" else doubling)(field)
    return made


def flow() -> dict[Call, int]:
    """Find the turn of each call, from 0 on: a unit has one call at a time, each takes one.

    The multiplier takes the first call, of both points in turn, that has its operands.
    """
    both = [calls(point) for point in _COLOURS]
    left = [one for pair in zip(*both, strict=False) for one in pair]
    left += [one for made in both for one in made if one not in left]
    turns: dict[Call, int] = {}
    turn = 0
    while left:
        for unit in _UNITS:
            ready = (
                one
                for one in left
                if one.unit == unit and all(turns.get(need, turn) < turn for need in one.needs)
            )
            if (found := next(ready, None)) is not None:
                turns[found] = turn
                left.remove(found)
        turn += 1
    return turns


def figure() -> Figure:
    """Figure 4: the turns of both units."""
    turns = flow()
    length = 1 + max(turns.values())
    products = sum(one.unit == "SBMM" for one in turns)
    notes = (
        (
            f"One SBMM and one Compress at a time: {products} products in {length} turns, with "
            f"{len(turns) - products} compressions beside them, by the formulas of Table 6; the "
            "paper's figure has such a flow. Numbers are those of the calls in ADD and in DBL. The "
            "hardware here does not run it: its rowers compress themselves, in the same slots as "
            "products, and Table 7 in cycles counts those."
        ),
    )
    return Figure(
        "Figure 4: SBMM and Compress in a step of the ladder",
        "sbmm_figure_4.svg",
        _drawn(turns, length),
        notes,
    )


def _drawn(turns: dict[Call, int], length: int) -> str:
    plot = Plot(figsize=(7.2, 2.2), layout="constrained")
    axes = plot.subplots()
    for point, colour in _COLOURS.items():
        own = {call: turn for call, turn in turns.items() if call.point == point}
        lanes = [len(_UNITS) - 1 - _UNITS.index(call.unit) for call in own]
        axes.barh(lanes, [0.94] * len(own), left=list(own.values()), color=colour, label=point)
        for call, turn in own.items():
            lane = len(_UNITS) - 1 - _UNITS.index(call.unit)
            at = turn + 0.47, lane
            axes.text(*at, str(call.number), ha="center", va="center", color="white")
    axes.set_yticks(range(len(_UNITS)), reversed(_UNITS))
    axes.set(xlabel="turn", xlim=(0, length), xticks=range(length + 1))
    axes.legend(ncols=2, loc="upper left", bbox_to_anchor=(0, 1.25), frameon=False)
    return svg(plot)
