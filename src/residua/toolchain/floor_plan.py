"""Where the instances of a design lie on a device, tile by tile, as nextpnr placed them."""

import json
import re
import string
from collections import Counter, defaultdict
from dataclasses import dataclass
from pathlib import Path

from residua.toolchain.utilisation import Instances, family

_SITE = re.compile(r"X(\d+)/Y(\d+)/")
_INSIDE = re.compile(r"(?<=\*)\..*")
_LETTERS = string.ascii_letters


@dataclass(frozen=True)
class FloorPlan:
    """The family of instances with the most cells in each tile; what is in one belongs to it.

    Attributes:
        families: letters and the names of the families that they stand for, see `family`.
        rows: of tiles from the top of the device to its last one in use: the letter of each tile
            from the left, a dot where nothing is.
    """

    families: dict[str, str]
    rows: tuple[str, ...]


def floor_plan(placed: Path, instances: Instances, within: str) -> FloorPlan:
    """Draw up the floor plan of a placement.

    Families beyond the largest 52 are left out.

    Args:
        placed: the netlist of one module that nextpnr writes.
        instances: of the module.
        within: the instance that is shown, with what is in it; the names begin inside it. What is
            of no instance inside has the name of ``within``.
    """
    tiles: dict[tuple[int, int], Counter[str]] = defaultdict(Counter)
    (module,) = json.loads(placed.read_text(encoding="utf-8"))["modules"].values()
    for name, cell in module["cells"].items():
        site = _SITE.match(cell["attributes"].get("NEXTPNR_BEL", ""))
        path = instances.holding(name)
        if site and (path + ".").startswith(within + "."):
            own = _INSIDE.sub("", family(path[len(within) + 1 :]))
            tiles[int(site[1]), int(site[2])][own] += 1
    sizes: Counter[str] = Counter()
    for found in tiles.values():
        sizes.update(found)
    largest = [name for name, _ in sizes.most_common(len(_LETTERS))]
    letters = dict(zip(largest, _LETTERS, strict=False))
    width, height = (1 + max((place[axis] for place in tiles), default=-1) for axis in (0, 1))
    rows = [
        "".join(_letter(tiles.get((x, y)), letters) for x in range(width)) for y in range(height)
    ]
    return FloorPlan({letter: name for name, letter in letters.items()}, tuple(rows))


def _letter(found: Counter[str] | None, letters: dict[str, str]) -> str:
    """The letter of a tile with these cells."""
    return letters.get(found.most_common(1)[0][0], ".") if found else "."
