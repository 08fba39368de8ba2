"""What the cells of a mapped netlist take of a device, in all and instance by instance."""

import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import asdict, dataclass, fields
from typing import Any

_LUTS: Mapping[str, int] = {
    **{f"LUT{inputs}": 1 for inputs in range(1, 7)},
    "LUT6_2": 1, "INV": 1,
    "SRL16": 1, "SRL16E": 1, "SRLC16": 1, "SRLC16E": 1, "SRLC32E": 1,
    "RAM16X1S": 1, "RAM32X1S": 1, "RAM64X1S": 1, "RAM128X1S": 2, "RAM256X1S": 4, "RAM512X1S": 8,
    "RAM16X1D": 2, "RAM32X1D": 2, "RAM64X1D": 2, "RAM128X1D": 4, "RAM256X1D": 8,
    "RAM32M": 4, "RAM64M": 4, "RAM32M16": 8, "RAM64M8": 8,
    "CCU2": 2, "CCU2C": 2, "CCU2D": 2, "WIDEFN9": 2, "DPR16X4": 4, "TRELLIS_DPR16X4": 6,
    "SB_LUT4": 1,
    "ALU": 1, "RAM16SDP4": 4,
    "CC_LUT1": 1, "CC_LUT2": 1, "CC_L2T4": 1, "CC_L2T5": 2, "CC_MX2": 1, "CC_MX4": 2, "CC_ADDF": 1,
}  # fmt: skip
"""Look-up tables that a cell takes.

Xilinx: a distributed RAM takes what its data sheet says, a MUXF or a carry cell none (the tables in
front of a carry chain are cells of their own); an inverter that Yosys leaves alone counts as one.
ECP5, MachXO3: a CCU2C or CCU2D is the two LUT4 of a slice; a TRELLIS_DPR16X4 is four LUT4 that
store and the two of the slice that writes them, as nextpnr counts it in TRELLIS_COMB. nextpnr adds
two for each carry chain that starts from, or ends in, the fabric. Nexus: a WIDEFN9 joins two LUT4;
those that write a distributed memory are no part of OXIDE_COMB.
iCE40: carry cells and flip-flops without a table take logic cells, too, which nextpnr counts.
Gowin: an ALU takes the place of a table.
GateMate: halves of its elements; a multiplier is made of them, and not counted here.
"""

_CARRIES = ("CCU2", "CARRY4", "CARRY8", "MUXCY", "SB_CARRY", "ALU", "CC_ADDF")
_DSP_PREFIXES = ("DSP48", "MULT", "SB_MAC16", "CC_MULT")
_BRAM_PREFIXES = (
    *("RAMB", "URAM"),
    *("DP16K", "PDP", "DP8KC"),
    "SB_RAM",
    *("SPX9", "DPX9", "SDPX9", "pROM"),
    "CC_BRAM",
)
_FF_PREFIXES = ("FD", "TRELLIS_FF", "SB_DFF", "DFF", "CC_DFF")

_NUMBERS = re.compile(r"(_\d+)+(?=\.|$)")


@dataclass(frozen=True)
class Utilisation:
    """Resources of a device.

    Attributes:
        lut: look-up tables; on ECP5 and its like those in carry cells and distributed memory are
            included.
        ff: flip-flops outside DSP blocks and memories.
        carry: carry cells.
        dsp: multiplier or DSP cells; on GateMate multipliers, which are made of its elements.
        bram: block RAM cells of any size.
    """

    lut: int
    ff: int
    carry: int
    dsp: int
    bram: int

    def __add__(self, other: "Utilisation") -> "Utilisation":
        names = [field.name for field in fields(self)]
        return Utilisation(*(getattr(self, name) + getattr(other, name) for name in names))

    @classmethod
    def of_cells(cls, kinds: Mapping[str, int]) -> "Utilisation":
        """What cells take, given how many there are of each kind."""
        return cls(
            lut=sum(_LUTS.get(kind, 0) * number for kind, number in kinds.items()),
            ff=_total(kinds, _FF_PREFIXES),
            carry=_total(kinds, _CARRIES),
            dsp=_total(kinds, _DSP_PREFIXES),
            bram=_total(kinds, _BRAM_PREFIXES),
        )


def family(path: str) -> str:
    """The path of an instance with a star for its number, and for those of the ones around it."""
    return _NUMBERS.sub("_*", path)


@dataclass(frozen=True)
class Family:
    """Instances that differ in numbers only: ``name`` has stars in place of them."""

    name: str
    instances: int
    used: Utilisation

    @property
    def figures(self) -> dict[str, Any]:
        """Its ``name``, ``instances`` and counts, as results keep them."""
        return {"name": self.name, "instances": self.instances, **asdict(self.used)}


def families(
    by_instance: Mapping[str, Utilisation], name: Callable[[str], str] = family
) -> list[Family]:
    """What the instances of each family take together, in the order of the hierarchy.

    Args:
        by_instance: what each takes, by its path.
        name: the family of a path.
    """
    used: dict[str, Utilisation] = {}
    for path, own in by_instance.items():
        found = name(path)
        used[found] = used[found] + own if found in used else own
    count = Counter(map(name, by_instance))
    return [Family(one, count[one], used[one]) for one in sorted(used)]


class Instances:
    """The instances of a design that was flattened, by their paths: `a.b` is instance b of a's."""

    def __init__(self, paths: Iterable[str]) -> None:
        self.paths = tuple(sorted(paths))
        self._known = frozenset(self.paths)

    def holding(self, cell: str) -> str:
        """The path of the innermost instance with a cell of this name; empty for the top module."""
        # A signal may have dots in its name, and cells are called by signals.
        path = cell.rpartition(".")[0]
        while path and path not in self._known:
            path = path.rpartition(".")[0]
        return path

    def utilisation(self, kinds: Mapping[str, str]) -> dict[str, Utilisation]:
        """What each instance takes, with all that is in it; those without cells are left out.

        Args:
            kinds: of the cells, by name.
        """
        counts: dict[str, Counter[str]] = {}
        for cell, kind in kinds.items():
            path = self.holding(cell)
            while path:
                counts.setdefault(path, Counter())[kind] += 1
                path = self.holding(path)
        return {path: Utilisation.of_cells(counts[path]) for path in sorted(counts)}


def _total(kinds: Mapping[str, int], prefixes: tuple[str, ...]) -> int:
    return sum(number for kind, number in kinds.items() if kind.startswith(prefixes))
