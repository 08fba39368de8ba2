"""Table I and the area of the ECPM paper with measured columns beside the published ones."""

import tempfile
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

from residua.cores.coprocessor.core import CoprocessorBuild
from residua.cores.coprocessor.simulator import build_coprocessor_simulator
from residua.cores.coprocessor.specification import CoprocessorSpecification
from residua.cores.coprocessor.verification import point_cycles
from residua.cores.extended_rns.core import ExtendedCore
from residua.cores.extended_rns.specification import ExtendedSpecification
from residua.cores.manifest import digest
from residua.cores.specification.reading import check
from residua.curves.parameters import parameters_of
from residua.explore.half_base_curve import half_base_curve
from residua.hardware.rtl import emit
from residua.output import Progress
from residua.papers import measured
from residua.papers.ecpm import published as ecpm_published
from residua.papers.measured import Row
from residua.papers.sbmm.published import PARAMETERS as SBMM_PARAMETERS
from residua.report.documents import Document, Table
from residua.toolchain.targets import PRIMITIVE_FILE

NAME = "ecpm"

TARGET = "xc2vp"
"""The published device's family."""

MAIN = "ECPM 160, 20 x 33"

LUT_TARGET, TIME_TARGET = 40_000, 2.0
"""Targets of the project: LUT4 on the published family, ms on the ECP5."""

INTRODUCTION = (
    f"“{ecpm_published.TITLE}” (2006): published numbers beside measured ones. Resources for xc2vp "
    "(Virtex-2 Pro) are Yosys's, without distributed memories where block memories serve. Clocks "
    "are nextpnr's for an ECP5, the median of the placements, as there is no open placement for a "
    "Virtex-2 Pro; times are cycles by that clock and do not compare as technology. "
    + ecpm_published.REMARKS
)


class Point(Protocol):
    """A core that is measured."""

    @property
    def name(self) -> str:
        """What its row is called."""

    def prepared(self) -> tuple[str, dict[str, str], Row]:
        """Its top module, its Verilog, and what is known of it without tools."""

    def complete(self, row: Row, files: Mapping[str, str], progress: Progress) -> None:
        """Adds what only a simulation tells."""


@dataclass(frozen=True)
class Ecpm:
    """An extended-RNS point multiplier."""

    name: str
    values: Mapping[str, Any]

    def prepared(self) -> tuple[str, dict[str, str], Row]:
        """See `Point`."""
        core = ExtendedCore(check(ExtendedSpecification, {"algorithm": "ecpm-2006", **self.values}))
        parts = {
            "add": ExtendedCore(core.specification.model_copy(update=_part("add"))),
            "double": ExtendedCore(core.specification.model_copy(update=_part("double"))),
        }
        cycles = core.cycles | {name: part.cycles["compute"] for name, part in parts.items()}
        keys = ("curve", "modulus_bits", "scalar_bits", "n", "w", "product_digit")
        row = {"cycles": cycles, **{key: core.parameters[key] for key in keys}}
        return core.name, emit(core.component(), core.name), row

    def complete(self, row: Row, files: Mapping[str, str], progress: Progress) -> None:
        """Nothing: verification has measured that the computed cycles are right."""


@dataclass(frozen=True)
class Coprocessor:
    """A coprocessor without a bus and without blinding; ``keys`` say what for."""

    name: str
    keys: Callable[[], Mapping[str, Any]]

    def _build(self) -> CoprocessorBuild:
        keys = {"bus": "stream", "blinding": 0, **self.keys()}
        return CoprocessorBuild(check(CoprocessorSpecification, keys))

    def prepared(self) -> tuple[str, dict[str, str], Row]:
        """See `Point`."""
        made = self._build()
        (curve,) = made.core.curves
        row: Row = {"curve": curve.name, "modulus_bits": curve.field_bits}
        return made.name, emit(made.component(), made.name), row

    def complete(self, row: Row, files: Mapping[str, str], progress: Progress) -> None:
        """The cycles of a multiplication, simulated."""
        if "cycles" in row:
            return
        progress("simulation")
        made = self._build()
        with tempfile.TemporaryDirectory() as name:
            sources = []
            for path in (f"rtl/{made.name}.v", PRIMITIVE_FILE):
                sources.append(Path(name) / Path(path).name)
                sources[-1].write_text(files[path], encoding="utf-8")
            design = made.core.design
            simulator = build_coprocessor_simulator(sources, made.name, design.words)
            ((operation, cycles),) = point_cycles(simulator, design)
        row["cycles"] = {"latency": cycles, "operation": operation}


def _part(operation: str) -> dict[str, Any]:
    return {"operation": operation, "scalar_bits": None, "name": None}


def _single_base() -> dict[str, Any]:
    curve = half_base_curve(*SBMM_PARAMETERS["SBMM", 192])
    return {"algorithm": "sbmm", "curve": [parameters_of(curve)], "formula": "xz-ladder"}


POINTS: tuple[Point, ...] = (
    Ecpm(MAIN, {"curve": "brainpoolP160r1"}),
    Ecpm("ECPM 192, 20 x 39", {"curve": "P-192"}),
    Ecpm(
        "ECPM 160, radix 2", {"curve": "brainpoolP160r1", "product_digit": 1, "conversion_digit": 1}
    ),
    Coprocessor("RNS Montgomery coprocessor, 160 bits", lambda: {"curve": "brainpoolP160r1"}),
    Coprocessor("RNS Montgomery coprocessor, 192 bits", lambda: {"curve": "P-192"}),
    Coprocessor("SBMM coprocessor, 192 bits", _single_base),
)


def make(run: measured.Run) -> Document:
    """All tables.

    Raises:
        SpecificationError: no row has a name with such a part.
        ToolError: a tool is missing or failed.
    """
    rows = measured.kept(run.directory, NAME)
    if run.synthesis:
        for point in measured.chosen(POINTS, run.only):
            _measure(point, rows, run.directory, run.seeds, run.commit, run.progress)
    parts = (published(rows), area(rows))
    title = "Tables of the extended-RNS point multiplier of 2006"
    return Document(NAME, title, INTRODUCTION, parts, _data(rows))


def _measure(
    point: Point,
    rows: dict[str, Row],
    directory: Path,
    seeds: int,
    commit: str,
    progress: Callable[[str], None],
) -> None:
    """The row of a point; what an earlier run found of the same Verilog is taken over."""

    def step(text: str) -> None:
        progress(f"{point.name}: {text}")

    step("Verilog")
    top, files, known = point.prepared()
    own = digest("".join(files[name] for name in sorted(files)))
    old = rows.get(point.name, {})
    old = old if old.get("verilog") == own else {}
    row: Row = {"name": point.name, **old, **known, "verilog": own}
    row.setdefault("commit", commit)
    rows[point.name] = row
    if TARGET not in row:
        row[TARGET] = measured.mapped(files, top, TARGET, step)
        measured.keep(directory, NAME, _data(rows))
    point.complete(row, files, step)
    if seeds and len(row.get("ecp5", {}).get("seeds", [])) < seeds:
        row["ecp5"] = measured.placed(files, top, seeds, step)
        row["commit"] = commit
    measured.keep(directory, NAME, _data(rows))


def published(rows: Mapping[str, Row]) -> Table:
    """Table I, with times of the same operations by the measured clock."""
    columns = ("operation", "F_p of 2003, ms", "published, ms", "cycles", "ECP5, ms")
    parts = ("product", "add", "double", "latency")
    lines = []
    for (operation, (other, own)), part in zip(ecpm_published.TABLE_I.items(), parts, strict=True):
        cycles = _number(rows, MAIN, "cycles", part)
        time = _milliseconds(rows, MAIN, part)
        lines.append((operation, f"{other:g}", f"{own:g}", _shown(cycles), _shown(time)))
    reached = _milliseconds(rows, MAIN, "latency")
    mhz = _number(rows, MAIN, "ecp5", "fmax_mhz")
    clock = "has not been placed" if mhz is None else f"runs at {mhz:g} MHz (median)"
    note = (
        f"{MAIN} moduli {clock}. The multiplication has 160 doublings and 160 additions, operands "
        f"and results included. Target of the project: {TIME_TARGET:g} ms, "
        f"{_verdict(reached, TIME_TARGET)}."
    )
    return Table("Table I: delays of the main operations", columns, tuple(lines), (note,))


def area(rows: Mapping[str, Row]) -> Table:
    """The area sentence, and the same operation on other cores."""
    columns = (
        "core", "xc2vp LUT4", "FF", "MULT18", "BRAM", "ECP5 LUT4", "FF", "MULT18", "BRAM", "MHz",
        "k P, cycles", "k P, ms",
    )  # fmt: skip
    kinds = ("lut", "ff", "dsp", "bram")
    dashes = ("–",) * 8
    device = f"published, {ecpm_published.DEVICE}"
    printed = str(ecpm_published.LUTS)
    total = f"{ecpm_published.TABLE_I['General point multiplication'][1]:g}"
    lines: list[tuple[str, ...]] = [
        (device, printed, *dashes[:7], str(ecpm_published.MEGAHERTZ), "–", total)
    ]
    lines += [
        (name, str(luts), *dashes, "–", "–") for name, luts in ecpm_published.OTHER_LUTS.items()
    ]
    for point in POINTS:
        name = point.name
        figures = [_number(rows, name, TARGET, kind) for kind in kinds]
        figures += [_number(rows, name, "ecp5", kind) for kind in (*kinds, "fmax_mhz")]
        figures += [_number(rows, name, "cycles", "latency"), _milliseconds(rows, name, "latency")]
        lines.append((name, *map(_shown, figures)))
    luts = _number(rows, MAIN, TARGET, "lut")
    note = (
        f"Target of the project for {MAIN} moduli: {LUT_TARGET} LUT4 on xc2vp, "
        f"{_verdict(luts, LUT_TARGET)}. The coprocessors give affine coordinates, with inversion "
        "and conversions in their cycles, and randomise coordinates; ECPM gives Jacobian ones. A "
        "dash is not measured. The SBMM coprocessor's curve is over a prime M_a^2 - 2."
    )
    return Table("Area, and the same operation on other cores", columns, tuple(lines), (note,))


def _data(rows: Mapping[str, Row]) -> dict[str, Any]:
    return {"rows": [rows[point.name] for point in POINTS if point.name in rows]}


def _number(rows: Mapping[str, Row], name: str, *keys: str) -> float | None:
    """A number of a row, None if it was not measured."""
    found: Any = rows.get(name)
    for key in keys:
        found = found.get(key) if found else None
    return None if found is None else float(found)


def _milliseconds(rows: Mapping[str, Row], name: str, part: str) -> float | None:
    cycles, mhz = _number(rows, name, "cycles", part), _number(rows, name, "ecp5", "fmax_mhz")
    return None if cycles is None or mhz is None else cycles / mhz / 1000


def _shown(number: float | None) -> str:
    if number is None:
        return "–"
    return f"{number:.0f}" if number >= 1000 else f"{number:.4g}"


def _verdict(found: float | None, limit: float) -> str:
    if found is None:
        return "not measured"
    return f"{'reached' if found <= limit else 'not reached'} with {_shown(found)}"
