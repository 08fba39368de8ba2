"""Block diagrams of small engines, drawn from their designs, beside the papers' own."""

from matplotlib.axes import Axes
from matplotlib.figure import Figure as Plot
from matplotlib.patches import FancyBboxPatch

from residua.hardware.engine.engine_design import EngineDesign
from residua.report.drawings import svg

_COLOURS = {
    "rower": "#d9e8f5",
    "narrow": "#fbe3d6",
    "row": "#d8efe6",
    "Cox": "#f1e4ee",
    "sequencer": "#e6e9ee",
}
_WIDTH, _STEP = 1.6, 2.0
_SEQUENCER, _ROWER, _ROW, _RING, _COX = 4.5, 3.1, 1.9, 1.2, 0.4
"""Heights of the middles of what is drawn."""


def drawn(design: EngineDesign) -> str:
    """Draw sequencer, rowers, rows and Cox; a narrow rower stands at the left."""
    narrow = int(design.narrow > 0)
    places = [_STEP * (narrow + number) for number in range(design.rowers)]
    left, right = 0.0, places[-1]
    plot = Plot(figsize=(7.2, 4.0), layout="constrained")
    axes = plot.subplots()
    middle, wide = (left + right) / 2, right - left + _WIDTH
    _box(axes, middle, _SEQUENCER, wide, "sequencer", "sequencer", "the same control word for all")
    if narrow:
        _narrow_rower(axes, design)
    for number, place in enumerate(places):
        _rower(axes, design, number, place)
    if design.row_shape is not None:
        _rows(axes, design, places)
    _ring(axes, design, places)
    _box(axes, middle, _COX, wide, "Cox", "Cox", _cox_text(design))
    axes.set(xlim=(left - 1.3, right + 1.3), ylim=(-0.1, 5.0), aspect="equal")
    axes.axis("off")
    return svg(plot)


def _rower(axes: Axes, design: EngineDesign, number: int, place: float) -> None:
    note = f"w = {design.width}\nadd products\n{len(design.folds)} folds"
    _box(axes, place, _ROWER, _WIDTH, "rower", f"rower {number}", note, height=1.3)
    _arrow(axes, (place, _SEQUENCER - 0.35), (place, _ROWER + 0.65))


def _narrow_rower(axes: Axes, design: EngineDesign) -> None:
    note = f"{design.narrow} bits\nno folds"
    _box(axes, 0, _ROWER, _WIDTH, "narrow", "narrow rower", note, height=1.3)
    _arrow(axes, (0, _SEQUENCER - 0.35), (0, _ROWER + 0.65))
    # It hears the ring at rower 0, and hands the Cox its own word.
    _arrow(axes, (_STEP - _WIDTH / 2, _ROWER), (_WIDTH / 2, _ROWER))
    _arrow(axes, (0, _ROWER - 0.65), (0, _COX + 0.35))


def _rows(axes: Axes, design: EngineDesign, places: list[float]) -> None:
    shape = design.row_shape
    assert shape is not None
    for first in range(0, len(places), shape.columns):
        own = places[first : first + shape.columns]
        middle, wide = (own[0] + own[-1]) / 2, own[-1] - own[0] + _WIDTH
        number = first // shape.columns
        _box(axes, middle, _ROW, wide, "row", f"row {number}", "sum of its rowers: super-residue")
        for place in own:
            _arrow(axes, (place, _ROWER - 0.65), (place, _ROW + 0.35), both=True)


def _ring(axes: Axes, design: EngineDesign, places: list[float]) -> None:
    """Draw the ring, and the taps at which the Cox listens."""
    shape = design.row_shape
    columns = 1 if shape is None else shape.columns
    start = _ROWER - 0.65 if shape is None else _ROW - 0.35
    ends = [
        (places[first] + places[first + columns - 1]) / 2
        for first in range(0, len(places), columns)
    ]
    axes.plot([ends[0], ends[-1]], [_RING, _RING], color="#111111", linewidth=1.2)
    for end in ends:
        axes.plot([end, end], [start, _RING], color="#111111", linewidth=1.2)
    axes.text(ends[-1] + 0.1, _RING + 0.08, "ring" if shape is None else "ring of rows", size=8)
    taps = design.machine.taps
    for tap in range(taps):
        _arrow(axes, (ends[tap * len(ends) // taps], _RING), (ends[tap * len(ends) // taps], 0.75))


def _cox_text(design: EngineDesign) -> str:
    cox = design.estimate
    if cox is None:
        return "not used"
    return f"upper {cox.truncation + 1} bits of each word; the quotient goes to all rowers"


def _box(
    axes: Axes,
    x: float,
    y: float,
    width: float,
    kind: str,
    name: str,
    note: str,
    *,
    height: float = 0.7,
) -> None:
    corner = x - width / 2, y - height / 2
    style = "round,pad=0,rounding_size=0.08"
    axes.add_patch(
        FancyBboxPatch(
            corner, width, height, boxstyle=style, facecolor=_COLOURS[kind], edgecolor="#5b6675"
        )
    )
    axes.text(x, y + height / 2 - 0.2, name, ha="center", va="center", size=9, weight="bold")
    axes.text(x, y - 0.15, note, ha="center", va="center", size=7.5)


def _arrow(
    axes: Axes, start: tuple[float, float], end: tuple[float, float], *, both: bool = False
) -> None:
    style = {"arrowstyle": "<->" if both else "->", "color": "#111111", "shrinkA": 0, "shrinkB": 0}
    axes.annotate("", xy=end, xytext=start, arrowprops=style)
