"""What tables of papers measure with tools, and where they keep it between runs."""

import json
import tempfile
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Any, Protocol, TypeVar

from residua.cores.synthesis import place_in_harness
from residua.errors import SpecificationError
from residua.output import Progress, write_whole
from residua.toolchain import yosys
from residua.toolchain.targets import primitive_file

Row = dict[str, Any]

WITHOUT_DSP = " without DSP"
"""What the name of a target ends with if DSP blocks are not to be used."""

_ALIKE = ("xc7", "xc6s", "xc5v")
SAME_NETLIST = (
    "Without blocks, Yosys maps to the families of six-input tables (xc5v, xc6s, xc7) by the same "
    "commands, and what was mapped to all three took the same of each; larger designs were mapped "
    "once."
)

_WHOLE = 1e6
"""Numbers from here on are shown with all their digits."""

_RESOURCES = ("lut", "ff", "dsp", "bram", "carry")


@dataclass(frozen=True)
class Run:
    """How the tables of a paper are made.

    Attributes:
        directory: where an earlier run left its <paper>.json, whose rows are taken over as far as
            the Verilog of their designs is the same; what is measured is kept there as it comes.
        seeds: placements of each design on an ECP5; 0 for none.
        synthesis: whether to measure with tools at all, or only to take over.
        only: parts of the names of the rows to measure; none for all.
        commit: what new rows are said to be measured at.
        progress: called at each step.
    """

    directory: Path
    seeds: int
    synthesis: bool
    only: tuple[str, ...]
    commit: str
    progress: Progress = lambda step: None


class Named(Protocol):
    """Something that a row is measured of."""

    @property
    def name(self) -> str:
        """What the row is called."""


N = TypeVar("N", bound=Named)


def chosen(candidates: Iterable[N], only: Iterable[str]) -> list[N]:
    """The candidates with one of these parts in their names, all of them if there are none.

    Raises:
        SpecificationError: no candidate has a name with such a part.
    """
    found, parts = list(candidates), list(only)
    for part in parts:
        if not any(part in one.name for one in found):
            names = "; ".join(one.name for one in found)
            raise SpecificationError(f"no row has '{part}' in its name: {names}")
    return [one for one in found if not parts or any(part in one.name for part in parts)]


def kept(directory: Path, name: str) -> dict[str, Row]:
    """The rows that an earlier run left in ``directory``, by their names.

    Raises:
        SpecificationError: the file is not of an earlier run.
    """
    path = directory / f"{name}.json"
    if not path.exists():
        return {}
    try:
        rows = json.loads(path.read_text(encoding="utf-8"))["rows"]
        return {row["name"]: row for row in rows}
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise SpecificationError(
            f"{path} is no data of an earlier run: remove it or name another directory"
        ) from error


def kept_rows(directory: Path, name: str, part: str) -> list[Row]:
    """The list ``part`` of the data that an earlier run left, empty if there is none."""
    path = directory / f"{name}.json"
    if not path.exists():
        return []
    data = json.loads(path.read_text(encoding="utf-8"))
    found: list[Row] = data.get(part, []) if isinstance(data, dict) else []
    return found


def keep(directory: Path, name: str, data: Mapping[str, Any]) -> None:
    """Write the data of a page, its rows among them."""
    write_whole(directory / f"{name}.json", json.dumps(data, indent=2, ensure_ascii=False) + "\n")


def number(row: Row | None, *keys: str) -> float | None:
    """A number of a row, None if it was not measured."""
    found: Any = row
    for key in keys:
        found = found.get(key) if found else None
    return None if found is None else float(found)


def shown(figure: float | Fraction | None) -> str:
    """A number in a table, a dash for one that is not there."""
    if figure is None:
        return "–"
    return f"{float(figure):g}" if figure < _WHOLE else f"{float(figure):.0f}"


def both(published: float | Fraction | None, own: float | Fraction | None) -> str:
    """Both numbers."""
    return f"{shown(published)} / {shown(own)}"


def alike(row: Row, target: str) -> Row | None:
    """What a row has of ``target``, or of a family with the same netlist; see `SAME_NETLIST`."""
    found: Row | None = row.get(target)
    family = target.removesuffix(WITHOUT_DSP)
    if found or family == target or family not in _ALIKE:
        return found
    others = (row.get(other + WITHOUT_DSP) for other in _ALIKE)
    return next((other for other in others if other and not other["bram"]), None)


def mapped(files: Mapping[str, str], top: str, target: str, progress: Progress) -> Row:
    """Resources after synthesis of some Verilog, see `residua.hardware.rtl.emit`.

    ``target`` is one of Yosys, `WITHOUT_DSP` after it if multipliers have to be made of look-up
    tables.
    """
    progress(f"synthesis for {target}")
    with tempfile.TemporaryDirectory() as work:
        sources = _write(files, top, Path(work), ecp5=target == "ecp5")
        family, dsp = target.removesuffix(WITHOUT_DSP), not target.endswith(WITHOUT_DSP)
        found = yosys.synthesise(sources, top, family, out_dir=Path(work), dsp=dsp)
        return {kind: getattr(found, kind) for kind in _RESOURCES}


def placed(files: Mapping[str, str], top: str, seeds: int, progress: Progress) -> Row:
    """Resources and clock on an ECP5."""
    resources = mapped(files, top, "ecp5", progress)
    with tempfile.TemporaryDirectory() as work:
        sources = _write(files, top, Path(work), ecp5=True)
        found = place_in_harness(sources, top, Path(work), range(1, seeds + 1), progress)
    return {**resources, **found}


def _write(files: Mapping[str, str], top: str, work: Path, *, ecp5: bool) -> list[Path]:
    """The Verilog of one complete design."""
    paths = []
    for name in (f"rtl/{top}.v", primitive_file("ecp5" if ecp5 else "")):
        paths.append(work / Path(name).name)
        paths[-1].write_text(files[name], encoding="utf-8")
    return paths
