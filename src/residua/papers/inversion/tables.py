"""The tables of plus-minus inversion (CHES 2013), measured columns beside the published ones."""

from collections.abc import Iterable, Mapping
from typing import Any

from residua.evidence.candidates import SAME_NETLIST, designs_campaign
from residua.evidence.candidates import WITHOUT_DSP as NO_BLOCKS
from residua.evidence.pages import Page, clock
from residua.evidence.rows import Row
from residua.papers.cells import number
from residua.papers.inversion.costs import GENERAL, NIST, SAMPLE, costs
from residua.papers.inversion.published import (
    DEVICE,
    REMARKS,
    SIZES,
    TITLE,
    WITH_DSP,
    WITHOUT_DSP,
    Implementation,
)
from residua.papers.inversion.synthesis import (
    MULTIPLIER,
    OTHERS,
    PUBLISHED,
    TARGETS,
    candidates,
    row_name,
    unit_name,
    unit_rowers,
)
from residua.report.documents import Document, Table

NAME = "inversion"

INTRODUCTION = (
    f"“{TITLE}” (CHES 2013): published numbers ({DEVICE}) beside measured ones. Cells are "
    "published / measured where both are there. The published operators share their rowers with a "
    "multiplier, and have residues for operands; the measured plus-minus inverter is a core of its "
    "own without multipliers. All measured cores have binary words in and out; conversions are in "
    "their cycles. The unit that a coprocessor has beside its engine takes and gives residues. "
    "Resources are Yosys's, clocks nextpnr's for an ECP5, the median of the placements."
)

_NAMES = tuple(target.replace(NO_BLOCKS, " (no DSP)") for target in TARGETS)

_TARGETS = {
    ("plus-minus", 192): 1000,
    ("plus-minus", 384): 2000,
    ("fermat", 192): 11800,
    ("fermat", 384): 29000,
}
"""Average cycles that the project wants."""


def document(measurements: list[Row]) -> Document:
    """Make the page: all tables."""
    rows, counted = {row.name: row for row in measurements}, costs()
    parts = (
        operations(counted),
        implementations(rows),
        durations(rows),
        units(rows),
        constant_time(rows),
        clocks(rows),
    )
    return Document(NAME, "Tables of modular inversion", INTRODUCTION, parts, {"costs": counted})


CAMPAIGN = designs_campaign(Page(NAME, document), candidates())


def operations(counted: Iterable[Mapping[str, Any]]) -> Table:
    """The table of operations."""
    columns = ("algorithm", "products or steps", "EMM", "EMA", "Cox additions", "modulo 4")
    titles = {"FLT": "FLT-RNS", "NIST": "FLT-RNS NIST", "PM": "PM-RNS"}
    lines = []
    for row in counted:
        published, own = row["published"], row["counted"]
        number = own["steps"] if row["algorithm"] == "PM" else own["products"]
        cells = [f"{published[kind]} / {own[kind]:g}" for kind in ("emm", "ema", "cox", "mod4")]
        name = f"{titles[row['algorithm']]} {row['bits']}, {row['n']} × {row['w']}"
        lines.append((name, f"{number:g}", *cells))
    primes = "; ".join(f"{bits}: {GENERAL[bits]} and {NIST[bits]}" for bits in SIZES)
    notes = (
        REMARKS,
        (
            f"Counted FLT-RNS: the shortest chain found for the prime ({primes}), products in "
            "reordered form of 2 n^2 + 4 n EMM, without the conversions into and out of Montgomery "
            f"form. Counted PM-RNS: averages of {SAMPLE} random operands by the slides' measure, "
            "in which a division by 2 or 4 takes n EMM; the core has none."
        ),
    )
    return Table("Operations", columns, tuple(lines), notes)


def implementations(rows: Mapping[str, Row]) -> Table:
    """Table of implementations, of both papers' tables."""
    columns = ("method", "average cycles", "DSP", "LUT", "FF", "LUT of xc7", "LUT of MM alone")
    lines = []
    for ending, table in (("", WITH_DSP), (NO_BLOCKS, WITHOUT_DSP)):
        for (algorithm, bits, channels), published in table.items():
            name = f"{algorithm}-RNS {bits}, {channels} × {dict(SIZES[bits])[channels]}{ending}"
            lines.append((name, *_cells(rows, published, ending, algorithm, bits, channels)))
    notes = (
        "Resources for the xc5v. The plus-minus core stands beside a multiplier, whose LUTs on the "
        "xc5v the last column has: on one engine, as published, most of the rowers would be "
        "common. " + _targets_note(rows),
        (
            "Average cycles are those of a thousand random operands, from the last operand word to "
            "the last result word, both conversions included."
        ),
        SAME_NETLIST,
    )
    return Table("Implementations", columns, tuple(lines), notes)


def durations(rows: Mapping[str, Row]) -> Table:
    """Frequency and duration, of both papers' tables, beside those on an ECP5."""
    columns = ("method", "slices", "BRAM", "MHz", "µs", "ECP5 MHz", "average, µs")
    lines = []
    for ending, table in (("", WITH_DSP), (NO_BLOCKS, WITHOUT_DSP)):
        for (algorithm, bits, channels), published in table.items():
            size = f"{algorithm}-RNS {bits}, {channels} × {dict(SIZES[bits])[channels]}"
            # Without multiplier blocks nothing was placed.
            row = None if ending else rows.get(row_name(PUBLISHED[algorithm], bits, channels))
            placed = (
                published.slices, published.bram, published.mhz, f"{published.microseconds:.1f}"
            )  # fmt: skip
            lines.append((f"{size}{ending}", *map(str, placed), clock(row), _average(row)))
    notes = (
        (
            "The slides' columns, then the measured core's clock and the time of its average "
            f"cycles. Devices ({DEVICE} and ECP5) and cores differ, so that clocks and times do "
            "not compare. Designs without DSP blocks were not placed."
        ),
    )
    return Table("Frequency and duration", columns, tuple(lines), notes)


def _average(row: Row | None) -> str:
    mhz = number(row, "ecp5", "fmax_mhz")
    return "–" if row is None or mhz is None else f"{row['cycles']['average'] / mhz:.1f}"


def _cells(
    rows: Mapping[str, Row],
    published: Implementation,
    ending: str,
    algorithm: str,
    bits: int,
    channels: int,
) -> tuple[str, ...]:
    row = rows.get(row_name(PUBLISHED[algorithm], bits, channels))
    other = rows.get(row_name(MULTIPLIER, bits, channels))
    return (
        f"{published.cycles} / {_shown(row['cycles']['average'] if row else None)}",
        *(
            f"{getattr(published, kind)} / {_shown(number(row, f'xc5v{ending}', kind))}"
            for kind in ("dsp", "lut", "ff")
        ),
        _shown(number(row, f"xc7{ending}", "lut")),
        _shown(number(other, f"xc5v{ending}", "lut")),
    )


def _targets_note(rows: Mapping[str, Row]) -> str:
    parts = []
    for (method, bits), limit in _TARGETS.items():
        row = rows.get(row_name(method, bits, SIZES[bits][0][0]))
        found = "not measured" if row is None else _shown(row["cycles"]["average"])
        parts.append(f"{method}, {bits} bits, at most {limit}: {found}")
    return f"Targets of the project for average cycles: {'; '.join(parts)}."


def units(rows: Mapping[str, Row]) -> Table:
    """Cost of inversion beside a multiplier: the unit on residues, in constant time."""
    columns = (
        "unit",
        "cycles",
        *(f"{kind} of {name}" for name in _NAMES for kind in ("LUT", "FF")),
    )
    lines = []
    for bits, sizes in SIZES.items():
        for channels, rowers in ((n, each) for n, _ in sizes for each in unit_rowers(n)):
            name = unit_name(bits, channels, rowers)
            unit, other = rows.get(name), rows.get(row_name(MULTIPLIER, bits, channels))
            cells = (
                _added(unit, other, target, kind) for target in TARGETS for kind in ("lut", "ff")
            )
            lines.append((name, _shown(unit["cycles"]["latency"] if unit else None), *cells))
    note = (
        "Cells are the unit's, on so many rowers that share its channels, those of the multiplier "
        "alone, and the one over the other. The project wants 15% at most. The unit shares the "
        "engine's routines, conversions into and out of cofactor form and the last product; it has "
        "adders and memories of its own. Cycles are from the last residue that it takes until it "
        "has given its own and forgotten them."
    )
    return Table("Over the multiplier alone", columns, tuple(lines), (note,))


def _added(unit: Row | None, other: Row | None, target: str, kind: str) -> str:
    own, alone = number(unit, target, kind), number(other, target, kind)
    share = f"{own / alone:.0%}" if own is not None and alone else "–"
    return f"{_shown(own)} / {_shown(alone)} / {share}"


def constant_time(rows: Mapping[str, Row]) -> Table:
    """Inverters whose cycles do not depend on the operand."""
    columns = ("method", "cycles", "xc7 LUT", "FF", "DSP", "BRAM")
    lines = []
    for bits, sizes in SIZES.items():
        for method in ("fermat", *OTHERS):
            name = row_name(method, bits, sizes[0][0])
            row = rows.get(name)
            cells = (_shown(number(row, "xc7", kind)) for kind in ("lut", "ff", "dsp", "bram"))
            lines.append((name, _shown(row["cycles"]["latency"] if row else None), *cells))
    return Table("In constant time", columns, tuple(lines))


def clocks(rows: Mapping[str, Row]) -> Table:
    """Clocks of the inverters that were placed on an ECP5."""
    columns = ("core", "cycles at most", "LUT4", "FF", "MULT18", "MHz", "longest, µs")
    lines = []
    for row in rows.values():
        if not row.get("ecp5"):
            continue
        used, cycles = row["ecp5"], row["cycles"]["latency"]
        cells = (_shown(used[kind]) for kind in ("lut", "ff", "dsp"))
        mhz = used["fmax_mhz"]
        lines.append((row.name, f"{cycles}", *cells, clock(row), f"{cycles / mhz:.2f}"))
    return Table("Placed on an ECP5", columns, tuple(lines))


def _shown(number: float | None) -> str:
    return "–" if number is None else f"{number:g}"
