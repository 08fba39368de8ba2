"""Bars of what a core takes of a device."""

from collections.abc import Sequence

from residua.cores.drawing import svg


def bars(rows: Sequence[tuple[str, float]], unit: str, label: str) -> str:
    """Horizontal bars, the longest as wide as the drawing allows."""
    largest = max((value for _, value in rows), default=0) or 1
    elements = []
    for index, (name, value) in enumerate(rows):
        y = 6 + 26 * index
        width = 420 * value / largest
        elements += [
            svg.text(112, y + 13, name, "label", anchor="end"),
            svg.rect(120, y, max(width, 0.6), 18, "bar"),
            svg.text(126 + width, y + 13, f"{value:g} {unit}".strip(), "axis"),
        ]
    return svg.drawing(640, 8 + 26 * len(rows), elements, label)
