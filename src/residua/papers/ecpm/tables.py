"""Table I and the area of the ECPM paper with measured columns beside the published ones."""

import tempfile
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

from amaranth.lib.wiring import Component

from residua.cores.coprocessor.engine.core import EngineCoprocessorCore
from residua.cores.coprocessor.simulator import build_coprocessor_simulator
from residua.cores.coprocessor.specification import CoprocessorSpecification
from residua.cores.coprocessor.verification import point_cycles
from residua.cores.ecpm.core import EcpmCore
from residua.cores.ecpm.specification import EcpmSpecification
from residua.cores.specification.reading import check
from residua.curves.parameters import parameters_of
from residua.evidence.campaign import Figures
from residua.evidence.candidates import Candidate, designs_campaign
from residua.evidence.pages import Page, clock
from residua.evidence.rows import Row
from residua.explore.half_base_curve import half_base_curve
from residua.papers.cells import number
from residua.papers.ecpm import published as ecpm_published
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


def _ecpm(name: str, **values: object) -> Candidate:
    """A point multiplier of 2006."""

    @cache
    def core() -> EcpmCore:
        return EcpmCore(check(EcpmSpecification, {"algorithm": "ecpm-2006", **values}))

    def facts(_component: Component) -> Figures:
        made = core()
        parts = {
            operation: EcpmCore(
                made.specification.model_copy(
                    update={"operation": operation, "scalar_bits": None, "name": None}
                )
            )
            for operation in ("add", "double")
        }
        cycles = made.cycles | {name: part.cycles["compute"] for name, part in parts.items()}
        keys = ("curve", "modulus_bits", "scalar_bits", "n", "w", "product_digit")
        return {"cycles": cycles, **{key: made.parameters[key] for key in keys}}

    return Candidate(name, core().name, lambda: core().component(), facts, (TARGET,))


def _coprocessor(name: str, keys: Mapping[str, Any]) -> Candidate:
    """A coprocessor without a bus and without blinding."""

    @cache
    def build() -> EngineCoprocessorCore:
        return EngineCoprocessorCore(
            check(CoprocessorSpecification, {"bus": "stream", "blinding": 0, **keys})
        )

    def facts(_component: Component) -> Figures:
        (curve,) = build().core.curves
        return {"curve": curve.name, "modulus_bits": curve.field_bits}

    def simulated(files: Mapping[str, str]) -> Figures:
        """The cycles of a multiplication."""
        made = build()
        with tempfile.TemporaryDirectory() as work:
            sources = []
            for path in (f"rtl/{made.name}.v", PRIMITIVE_FILE):
                sources.append(Path(work) / Path(path).name)
                sources[-1].write_text(files[path], encoding="utf-8")
            design = made.core.design
            simulator = build_coprocessor_simulator(sources, made.name, design)
            ((operation, cycles),) = point_cycles(simulator, design)
        return {"cycles": {"latency": cycles, "operation": operation}}

    top, component = build().name, build().component
    return Candidate(name, top, component, facts, (TARGET,), simulated=simulated)


@cache
def candidates() -> dict[str, Candidate]:
    """All rows by their names."""
    single_base = half_base_curve(*SBMM_PARAMETERS["SBMM", 192])
    found = (
        _ecpm(MAIN, curve="brainpoolP160r1"),
        _ecpm("ECPM 192, 20 x 39", curve="P-192"),
        _ecpm("ECPM 160, radix 2", curve="brainpoolP160r1", product_digit=1, conversion_digit=1),
        _coprocessor("RNS Montgomery coprocessor, 160 bits", {"curve": "brainpoolP160r1"}),
        _coprocessor("RNS Montgomery coprocessor, 192 bits", {"curve": "P-192"}),
        _coprocessor(
            "SBMM coprocessor, 192 bits",
            {"algorithm": "sbmm", "curve": [parameters_of(single_base)], "formula": "xz-ladder"},
        ),
    )
    return {one.name: one for one in found}


def document(measurements: list[Row]) -> Document:
    """Make the page: all tables."""
    rows = {row.name: row for row in measurements}
    title = "Tables of the extended-RNS point multiplier of 2006"
    return Document(NAME, title, INTRODUCTION, (published(rows), area(rows)))


CAMPAIGN = designs_campaign(Page(NAME, document), candidates())


def published(rows: Mapping[str, Row]) -> Table:
    """Table I, with times of the same operations by the measured clock."""
    columns = ("operation", "F_p of 2003, ms", "published, ms", "cycles", "ECP5, ms")
    parts = ("product", "add", "double", "latency")
    lines = []
    for (operation, (other, own)), part in zip(ecpm_published.TABLE_I.items(), parts, strict=True):
        cycles = number(rows.get(MAIN), "cycles", part)
        time = _milliseconds(rows, MAIN, part)
        lines.append((operation, f"{other:g}", f"{own:g}", _shown(cycles), _shown(time)))
    reached = _milliseconds(rows, MAIN, "latency")
    main = rows.get(MAIN)
    placed = main is not None and "ecp5" in main.figures
    runs = f"{clock(main)} MHz" if placed else "not placed"
    note = (
        f"Clock of {MAIN} moduli: {runs}. The multiplication has 160 doublings and 160 additions, "
        f"operands and results included. Target of the project: {TIME_TARGET:g} ms, "
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
    for name in candidates():
        figures = [number(rows.get(name), TARGET, kind) for kind in kinds]
        figures += [number(rows.get(name), "ecp5", kind) for kind in kinds]
        row = rows.get(name)
        cycles, time = number(row, "cycles", "latency"), _milliseconds(rows, name, "latency")
        lines.append((name, *map(_shown, figures), clock(row), _shown(cycles), _shown(time)))
    luts = number(rows.get(MAIN), TARGET, "lut")
    note = (
        f"Target of the project for {MAIN} moduli: {LUT_TARGET} LUT4 on xc2vp, "
        f"{_verdict(luts, LUT_TARGET)}. The coprocessors give affine coordinates, with inversion "
        "and conversions in their cycles, and randomise coordinates; ECPM gives Jacobian ones. A "
        "dash is not measured. The SBMM coprocessor's curve is over a prime M_a^2 - 2."
    )
    return Table("Area, and the same operation on other cores", columns, tuple(lines), (note,))


def _milliseconds(rows: Mapping[str, Row], name: str, part: str) -> float | None:
    cycles, mhz = number(rows.get(name), "cycles", part), number(rows.get(name), "ecp5", "fmax_mhz")
    return None if cycles is None or mhz is None else cycles / mhz / 1000


def _shown(figure: float | None) -> str:
    if figure is None:
        return "–"
    return f"{figure:.0f}" if figure >= 1000 else f"{figure:.4g}"


def _verdict(found: float | None, limit: float) -> str:
    if found is None:
        return "not measured"
    return f"{'reached' if found <= limit else 'not reached'} with {_shown(found)}"
