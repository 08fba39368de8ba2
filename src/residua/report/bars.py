"""Bars of what a core takes of a device."""

from collections.abc import Mapping, Sequence

from residua.cores.drawing import svg
from residua.cores.templating import grouped


def bars(rows: Sequence[tuple[str, float]], unit: str, label: str) -> str:
    """Horizontal bars, the longest as wide as the drawing allows."""
    largest = max((value for _, value in rows), default=0) or 1
    elements = []
    for index, (name, value) in enumerate(rows):
        y = 6 + 26 * index
        width = 420 * value / largest
        elements += [
            svg.text(112, y + 13, name, anchor="end"),
            svg.rect(120, y, max(width, 0.6), 18, "bar"),
            svg.text(126 + width, y + 13, f"{value:g} {unit}".strip(), "axis"),
        ]
    return svg.drawing(640, 8 + 26 * len(rows), elements, label)


def shares(used: Mapping[str, int], totals: Mapping[str, int], label: str) -> str:
    """A horizontal bar for each resource of what the device has, a number where that is open."""
    elements = []
    for index, (name, value) in enumerate(used.items()):
        y, total = 6 + 26 * index, totals.get(name)
        told = grouped(value)
        elements.append(svg.text(112, y + 13, name.upper(), anchor="end"))
        if not total:
            elements.append(svg.text(126, y + 13, told, "axis"))
            continue
        share = value / total
        told += f" of {grouped(total)}, {100 * share:.1f} %"
        elements += [
            svg.rect(120, y, 300, 18, "rower"),
            svg.rect(
                120, y, min(max(300 * share, 0.6), 300), 18, "bar" if share <= 1 else "quotient"
            ),
            svg.text(428, y + 13, told, "axis"),
        ]
    return svg.drawing(640, 8 + 26 * len(used), elements, label)
