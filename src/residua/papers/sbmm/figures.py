"""Figures 2 and 3 of SBMM: area saved and time of one product, as published and as measured."""

from collections.abc import Mapping, Sequence

from matplotlib.axes import Axes
from matplotlib.figure import Figure as Plot

from residua.papers.sbmm.published import DEVICES, SIZES, TABLE_4, TABLE_5, Row
from residua.papers.sbmm.synthesis import FULL
from residua.report.documents import Figure
from residua.report.drawings import svg

_COLOURS = {
    "MM": "#0072b2",
    "SBMM": "#d55e00",
    FULL: "#cc79a7",
    "DSP": "#0072b2",
    "LUT": "#009e73",
}
_BARS = 0.38

Measured = Mapping[tuple[str, int], float]
"""A measured number by algorithm and l."""


def figures(luts: Measured, times: Measured) -> list[Figure]:
    """Figures of area, from ``luts`` on xc7, and of time, from ns of one product on an ECP5."""
    return [
        Figure(
            "Figure 2: area saved by SBMM",
            "sbmm_figure_2.svg",
            _saved(luts),
            (
                (
                    "Bars: slices, from Tables 4 and 5. Dots: LUTs measured here on xc7, "
                    "with DSP blocks."
                ),
            ),
        ),
        Figure(
            "Figure 3: time of one product",
            "sbmm_figure_3.svg",
            _times(times),
            (
                (
                    "Bars: Table 4, with DSP blocks, and Table 5, without. Dots: measured "
                    "here on an ECP5, with its multipliers."
                ),
            ),
        ),
    ]


def saved(table: Mapping[tuple[str, str, int], Row], device: str, size: int) -> float:
    """The share of slices that SBMM saves, as published."""
    return 1 - table["SBMM", device, size].slices / table["MM", device, size].slices


def _places() -> list[tuple[str, int]]:
    return [(device, size) for device in DEVICES for size in SIZES]


def _saved(luts: Measured) -> str:
    plot = Plot(figsize=(7.2, 3.8), layout="constrained")
    axes = plot.subplots()
    for shift, (table, label, kind) in enumerate(
        ((TABLE_4, "with DSP blocks", "DSP"), (TABLE_5, "without", "LUT"))
    ):
        heights = [100 * saved(table, *place) for place in _places()]
        at = [i + (shift - 0.5) * _BARS for i in range(len(heights))]
        axes.bar(at, heights, _BARS, color=_COLOURS[kind], label=label)
    points = [
        (i, 100 * (1 - luts["SBMM", size] / luts["MM", size]))
        for i, (device, size) in enumerate(_places())
        if device == "K7" and ("SBMM", size) in luts and ("MM", size) in luts
    ]
    if points:
        axes.scatter(*zip(*points, strict=True), color="#111111", zorder=3, label="LUTs, measured")
    # Room for the legend.
    axes.set(ylabel="saved, per cent", ylim=(0, 65))
    return _finished(plot, [axes], [f"{device}\n{size}" for device, size in _places()])


def _times(times: Measured) -> str:
    plot = Plot(figsize=(8.2, 6), layout="constrained")
    rows = plot.subplots(2, 1, sharex=True)
    for axes, table, label in zip(
        rows, (TABLE_5, TABLE_4), ("without DSP blocks", "with DSP blocks"), strict=True
    ):
        for shift, algorithm in enumerate(("MM", "SBMM")):
            heights = [table[algorithm, *place].nanoseconds for place in _places()]
            at = [i + (shift - 0.5) * _BARS for i in range(len(heights))]
            axes.bar(at, heights, _BARS, color=_COLOURS[algorithm], label=algorithm)
        if table is TABLE_4:
            _dots(axes, times)
        axes.set(ylabel=f"ns, {label}")
    labels = [f"{device}\n{size}" for device, size in _places()]
    labels += [f"ECP5\n{size}" for size in SIZES] if times else []
    return _finished(plot, rows, labels)


def _dots(axes: Axes, times: Measured) -> None:
    for algorithm in ("MM", "SBMM", FULL):
        own = [
            (len(_places()) + k, times[algorithm, size])
            for k, size in enumerate(SIZES)
            if (algorithm, size) in times
        ]
        if own:
            # The bars have named the others.
            label = "SBMM, n rowers" if algorithm == FULL else None
            axes.scatter(*zip(*own, strict=True), color=_COLOURS[algorithm], zorder=3, label=label)


def _finished(plot: Plot, rows: Sequence[Axes], labels: Sequence[str]) -> str:
    for axes in rows:
        axes.set_xticks(range(len(labels)), labels)
        axes.grid(axis="y", color="#d9dfe7", linewidth=0.6)
        axes.set_axisbelow(True)
        axes.legend()
    return svg(plot)
