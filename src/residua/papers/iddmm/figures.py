"""Figures 11 to 14 of the IDDMM report: LUT, FF, cycles and throughput over k, by version."""

from matplotlib.figure import Figure as Plot

from residua.evidence.rows import Row
from residua.papers.iddmm.published import DEVICES, DIGITS, VERSIONS
from residua.papers.iddmm.synthesis import point_name
from residua.report.documents import Figure
from residua.report.drawings import svg

_BITS = 1024
_COLOURS = {1: "#0072b2", 2: "#009e73", 3: "#d55e00", 4: "#cc79a7"}
_MARKERS = {1: "o", 2: "^", 3: "s", 4: "D"}
_PANELS = ("LUT", "FF", "cycles of a product", "bits per cycle and 1000 LUT")
_FIGURES = {11: (1, "xc3se"), 12: (2, "xc3se"), 13: (1, "xc5v"), 14: (2, "xc5v")}
"""Architecture and family by number."""


def figures(rows: dict[str, Row]) -> list[Figure]:
    """Figures with measured points."""
    return [
        _figure(number, rows, architecture, family)
        for number, (architecture, family) in _FIGURES.items()
        if any(
            point_name(_BITS, k, architecture, version) in rows
            for k in DIGITS
            for version in VERSIONS
        )
    ]


def _figure(number: int, rows: dict[str, Row], architecture: int, family: str) -> Figure:
    title = f"Figure {number}: architecture {architecture} on the {DEVICES[family]}, N = {_BITS}"
    note = (
        "Measured points by version: 1 logic, 2 DSP blocks, 3 and 4 the same with one pipeline "
        "level. Without a clock for this device the last panels have cycles and bits per cycle, "
        "where the report has time and Mbps per slice."
    )
    return Figure(title, f"iddmm_figure_{number}.svg", _draw(rows, architecture, family), (note,))


def _draw(rows: dict[str, Row], architecture: int, family: str) -> str:
    plot = Plot(figsize=(8.0, 6.0), layout="constrained")
    panels = plot.subplots(2, 2).flat
    for axes, label, index in zip(panels, _PANELS, range(4), strict=True):
        for version in VERSIONS:
            named = {k: rows.get(point_name(_BITS, k, architecture, version)) for k in DIGITS}
            points = [(k, _values(row, family)[index]) for k, row in named.items() if row]
            axes.plot(
                [k for k, _ in points],
                [value for _, value in points],
                color=_COLOURS[version],
                marker=_MARKERS[version],
                markersize=4,
                label=f"version {version}",
            )
        axes.set(xscale="log", yscale="log", xlabel="k", title=label)
        axes.set_xticks(DIGITS, [str(k) for k in DIGITS])
        axes.minorticks_off()
        axes.grid(visible=True, linewidth=0.3)
    plot.axes[0].legend(fontsize="small")
    return svg(plot)


def _values(row: Row, family: str) -> tuple[float, float, float, float]:
    used, cycles = row[family], row["cycles"]["compute"]
    return used["lut"], used["ff"], cycles, 1000 * _BITS / cycles / used["lut"]
