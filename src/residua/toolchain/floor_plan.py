"""Where the instances of a design lie on a device, tile by tile, as nextpnr placed them."""

import json
import re
import string
from collections import Counter, defaultdict
from collections.abc import Callable
from dataclasses import asdict, dataclass
from pathlib import Path

from residua.toolchain.utilisation import Instances, family

_SITE = re.compile(r"X(\d+)/?Y(\d+)/")
_INSIDE = re.compile(r"(?<=\*)\..*")
_LETTERS = string.ascii_letters


@dataclass(frozen=True)
class FloorPlan:
    """The part of a design with the most cells in each tile.

    Attributes:
        families: letters and the names of the parts that they stand for, the largest first.
        rows: of tiles from the top of the device to its last one in use: the letter of each tile
            from the left, a dot where nothing is.
    """

    families: dict[str, str]
    rows: tuple[str, ...]


def family_within(instance: str) -> Callable[[str], str | None]:
    """Name what lies inside an instance by its families, see `family`; all in one belongs to it.

    What is of no instance inside has no name.
    """

    def name(path: str) -> str | None:
        if not (path + ".").startswith(instance + "."):
            return None
        return _INSIDE.sub("", family(path[len(instance) + 1 :]))

    return name


def floor_plan(placed: Path, instances: Instances, owner: Callable[[str], str | None]) -> FloorPlan:
    """Draw up the floor plan of a placement.

    Parts beyond the largest 52 are left out.

    Args:
        placed: the netlist of one module that nextpnr writes.
        instances: of the module.
        owner: the part that an instance belongs to, by its path; None if it is not shown.
    """
    tiles: dict[tuple[int, int], Counter[str]] = defaultdict(Counter)
    (module,) = json.loads(placed.read_text(encoding="utf-8"))["modules"].values()
    for name, cell in module["cells"].items():
        site = _SITE.match(cell["attributes"].get("NEXTPNR_BEL", ""))
        own = owner(instances.holding(name)) if site else None
        if site and own is not None:
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


def write_plan(plan: FloorPlan, path: Path) -> None:
    """Keep a floor plan in a file."""
    path.write_text(json.dumps(asdict(plan)), encoding="utf-8")


def read_plan(path: Path) -> FloorPlan:
    """The floor plan that `write_plan` kept."""
    found = json.loads(path.read_text(encoding="utf-8"))
    return FloorPlan(found["families"], tuple(found["rows"]))


def _letter(found: Counter[str] | None, letters: dict[str, str]) -> str:
    """The letter of a tile with these cells."""
    return letters.get(found.most_common(1)[0][0], ".") if found else "."
