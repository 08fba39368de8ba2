"""Open libraries of standard cells, as packages of Debian and Ubuntu have them."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from residua.errors import SpecificationError

_AREA = r"cell\s*\(\s*{cell}\s*\)\s*\{{\s*area\s*:\s*([0-9.]+)"


@dataclass(frozen=True)
class Library:
    """A library of standard cells.

    Attributes:
        target: what it is called in Residua.
        title: process and corner.
        package: of Debian that has it.
        path: its timing and areas, in the Liberty format.
        gate: the cell whose area is one gate equivalent: a NAND of two inputs.
        register: what names of its flip-flops begin with.
    """

    target: str
    title: str
    package: str
    path: Path
    gate: str = "NAND2X1"
    register: str = "DFF"

    def check(self) -> None:
        """Check that it is there.

        Raises:
            SpecificationError: it is not installed.
        """
        if not self.path.is_file():
            raise SpecificationError(
                f"--target {self.target} needs {self.path}: apt-get install {self.package}"
            )

    @cached_property
    def text(self) -> str:
        """The library."""
        return self.path.read_text(encoding="utf-8")

    @property
    def gate_area(self) -> float:
        """Area of a gate equivalent, in the library's unit.

        Raises:
            SpecificationError: the library has no such cell.
        """
        found = re.search(_AREA.format(cell=self.gate), self.text)
        if found is None:
            raise SpecificationError(f"{self.path} has no cell {self.gate} with an area")
        return float(found[1])


def _osu(nanometres: str, volts: str, file: str) -> Library:
    target = f"osu{nanometres}"
    return Library(
        target=target,
        title=f"OSU {int(nanometres) * 10} nm, typical, {volts} V, 25 °C",
        package=f"qflow-tech-{target}",
        path=Path("/usr/share/qflow/tech") / target / file,
    )


LIBRARIES: Mapping[str, Library] = {
    library.target: library
    for library in (
        _osu("018", "1.8", "osu018_stdcells.lib"),
        _osu("035", "3.3", "osu035_stdcells.lib"),
        _osu("050", "5", "osu05_stdcells.lib"),
    )
}
"""By target."""
