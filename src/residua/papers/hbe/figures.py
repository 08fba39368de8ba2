"""Figures 2, 4, 5 and 6 of HBE: the cost of hierarchical extensions relative to Kawamura's."""

from matplotlib.figure import Figure as Plot

from residua.papers.hbe.costs import (
    EXTENSION,
    POSITION_RESIDUE,
    PRODUCT,
    Operation,
    gain,
    published_cost,
)
from residua.papers.hbe.published import RATIOS
from residua.report.documents import Figure
from residua.report.drawings import svg

_COLOURS = {2: "#0072b2", 3: "#009e73", 4: "#d55e00"}
"""Colours by CMM / CMR."""

_MARKERS = {2: "o", 3: "^", 4: "s"}
"""Markers by c."""

_OTHER_RATIO = 2
"""CMM / CMR of the points for c = 3 and 4, the least favourable one."""


def figures() -> list[Figure]:
    """The four figures."""
    plots = [
        (2, EXTENSION, range(6, 33)),
        (4, PRODUCT, range(6, 33)),
        (5, POSITION_RESIDUE[2], range(6, 33)),
        (6, POSITION_RESIDUE[4], range(16, 33)),
    ]
    return [_figure(number, operation, sizes) for number, operation, sizes in plots]


def _figure(number: int, operation: Operation, sizes: range) -> Figure:
    note = (
        "Lines: the paper's formulas for c = 2, by CMM / CMR. Points: counted, filled for c = 2, "
        f"hollow for c = 3 and 4 at CMM / CMR = {_OTHER_RATIO}."
    )
    title = f"Figure {number}: cost(HBE) / cost(KBE), {operation.name}"
    return Figure(title, f"hbe_figure_{number}.svg", _draw(operation, sizes), (note,))


def _draw(operation: Operation, sizes: range) -> str:
    plot = Plot(figsize=(6.4, 4.2), layout="constrained")
    axes = plot.subplots()
    for ratio in RATIOS:
        colour = _COLOURS[ratio]
        line = [_published(operation, n, ratio) for n in sizes]
        axes.plot(list(sizes), line, color=colour, label=f"CMM / CMR = {ratio}")
        points = [n for n in sizes if operation.fits(n, 2)]
        counted = [float(gain(operation, n, 2, ratio)) for n in points]
        axes.scatter(points, counted, color=colour, marker=_MARKERS[2], s=22, zorder=3)
    for columns in (3, 4):
        points = [n for n in sizes if operation.fits(n, columns)]
        if points:
            counted = [float(gain(operation, n, columns, _OTHER_RATIO)) for n in points]
            axes.scatter(
                points,
                counted,
                marker=_MARKERS[columns],
                s=26,
                facecolors="none",
                edgecolors=_COLOURS[_OTHER_RATIO],
                label=f"c = {columns}",
            )
    axes.set(xlabel="moduli n of a base", ylabel="cost(HBE) / cost(KBE)")
    axes.axhline(1, color="#5b6675", linewidth=0.8)
    axes.grid(color="#d9dfe7", linewidth=0.6)
    axes.legend()
    return svg(plot)


def _published(operation: Operation, channels: int, ratio: int) -> float:
    own, other = (published_cost(operation, channels, c, ratio) for c in (2, 1))
    assert own is not None
    assert other is not None
    return float(own / other)
