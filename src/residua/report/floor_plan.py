"""Where the parts of a core lie on a device, as nextpnr placed it."""

from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import dropwhile, groupby

from residua.cores.drawing import svg

PARTS = 7
"""Parts with a colour of their own, the largest ones; classes ``part0`` ... of the style sheet."""

_TILE = 7
_ROW = 18
_LEGEND = 320


def floor_plan(families: Mapping[str, str], rows: Sequence[str], label: str) -> str:
    """Draw a tile of the device as a square in the colour of what has most of it.

    Args:
        families: letters and the parts that they stand for, the largest first.
        rows: of tiles, a letter for each, a dot for an empty one.
        label: says what it shows.
    """
    rows = _cropped(rows)
    classes = {letter: f"part{i}" for i, letter in enumerate(list(families)[:PARTS])}
    width = _TILE * max(map(len, rows), default=0)
    elements = []
    for y, row in enumerate(rows):
        x = 0
        for letter, run in groupby(row):
            length = len(list(run))
            if letter != ".":
                kind = classes.get(letter, "others")
                hint = families[letter]
                size = (_TILE * length - 1, _TILE - 1)
                elements.append(svg.rect(_TILE * x, _TILE * y, *size, kind, title=hint, radius=0))
            x += length
    legend = _legend(families, classes, Counter("".join(rows)), width + 20)
    size = (width + _LEGEND, max(_TILE * len(rows), _ROW * (PARTS + 1)))
    return svg.drawing(*size, elements + legend, label)


def _cropped(rows: Sequence[str]) -> list[str]:
    """The rows without what is empty above and to the left."""
    used = list(dropwhile(lambda row: not row.strip("."), rows))
    left = min((len(row) - len(row.lstrip(".")) for row in used if row.strip(".")), default=0)
    return [row[left:].rstrip(".") for row in used]


def _legend(
    families: Mapping[str, str], classes: Mapping[str, str], tiles: Counter[str], x: float
) -> list[str]:
    """A line for each colour, with the number of its tiles."""
    counts = [(families[letter], kind, tiles[letter]) for letter, kind in classes.items()]
    others = sum(tiles[letter] for letter in families if letter not in classes)
    if others:
        counts.append(("others", "others", others))
    lines = []
    for i, (name, kind, count) in enumerate(counts):
        y = _ROW * i
        lines.append(svg.rect(x, y, 12, 12, kind))
        lines.append(svg.text(x + 18, y + 10, f"{name or 'top module'}, {count} tiles"))
    return lines
