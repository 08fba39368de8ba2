"""The tables and figures of the IDDMM report with measured columns beside the published ones."""

from residua.evidence.candidates import designs_campaign
from residua.evidence.pages import Page, clock
from residua.evidence.rows import Row
from residua.papers.cells import both, number, shown
from residua.papers.iddmm import competitors, costs, published
from residua.papers.iddmm import synthesis as iddmm_synthesis
from residua.papers.iddmm.figures import figures
from residua.papers.iddmm.published import (
    DEVICES,
    IMPLEMENTATIONS,
    TABLE_4,
    TABLE_4_CYCLES,
    Implementation,
)
from residua.papers.iddmm.synthesis import candidates, lanes_name, point_name, tiles_name
from residua.report.documents import Document, Figure, Table

NAME = "iddmm"

_PASSES = ((256, 16), (1024, 16), (1024, 64))
"""N and w = k of Table 2."""

_TARGETS = (
    ("N=1024 k=64 arch2 tiles", {"cycles": 304, "dsp": 33, "lut": 704}),
    ("N=512 k=16 arch2 ver4", {"dsp": 4, "lut": 200}),
)
"""Targets of the project on the xc5v."""

_TARGET_MHZ = 150.0
"""And of N = 256 on the ECP5."""

INTRODUCTION = (
    f"“{published.TITLE}” (2015): published numbers beside measured ones. Cells are "
    "published / measured where both are there. Measured cores load their modulus and have "
    "streams, control and final subtraction in their figures, which the report's leave out in "
    "part. Resources for xc3se (Spartan-3E) and xc5v (Virtex-5) are Yosys's, the report's ISE's. "
    "Clocks are nextpnr's for an ECP5, the median of the placements; those of other devices do not "
    "compare."
)


def document(measurements: list[Row]) -> Document:
    """Make the page: all tables and figures."""
    rows = {row.name: row for row in measurements}
    parts: tuple[Table | Figure, ...] = (
        passes(),
        complexity(),
        gates(),
        implementations(rows),
        others(),
        tiles(rows),
        lanes(rows),
        space(rows),
        *figures(rows),
    )
    title = "Tables and figures of digit-digit Montgomery multiplication"
    counts = [row for bits, width in _PASSES for row in costs.passes(bits, width)]
    return Document(NAME, title, INTRODUCTION, parts, {"passes": counts})


CAMPAIGN = designs_campaign(Page(NAME, document), candidates())


def passes() -> Table:
    """Table 2: passes through the innermost loops."""
    columns = ("algorithm", "N", "w = k", "passes", "products of digits", "additions")
    lines = tuple(
        (
            row["algorithm"],
            str(bits),
            str(width),
            both(row["published"], row["steps"]),
            str(row["products"]),
            str(row["additions"]),
        )
        for bits, width in _PASSES
        for row in costs.passes(bits, width)
    )
    note = (
        "Counted by the algorithms that the hardware has, with the final subtraction; MWR2^kMM is "
        "a model only. MWR2MM and MWR2^kMM have no pass of their own for carries here, and a word "
        "for the bits of S above p (ERRATA E25, E26)."
    )
    return Table("Table 2: algorithms", columns, lines, (note,))


def complexity() -> Table:
    """Table 3: cycles by architecture and pipeline, for N = 1024."""
    columns = ("architecture, pipeline levels", "cycles", *(f"k = {k}" for k in TABLE_4_CYCLES))
    lines = tuple(
        (
            f"{architecture}, {pipeline}",
            costs.table_3_formula(pipeline),
            *(
                both(n * (n + 2 + pipeline), costs.cycles(1024, k, pipeline))
                for k, n in ((k, 1024 // k) for k in TABLE_4_CYCLES)
            ),
        )
        for architecture in (1, 2)
        for pipeline in (0, 1, 2)
    )
    note = "Cycles of the iterations for N = 1024: the formula / the core, whose interval they are."
    return Table("Table 3: cycles", columns, lines, (note,))


def gates() -> Table:
    """Table 4: gates by the formulas of Table 3, printed and worked out."""
    columns = ("k, architecture", "AND", "XOR", "FF", "cycles, N = 1024")
    lines = []
    for (width, architecture), printed in TABLE_4.items():
        found = costs.datapath_gates(width, architecture)
        lines.append(
            (
                f"{width}, {architecture}",
                both(printed.gates_and, found.gates_and),
                both(printed.gates_xor, found.gates_xor),
                str(printed.ff),
                both(TABLE_4_CYCLES[width], costs.cycles(1024, width, 0)),
            )
        )
    note = (
        "Printed / by the formulas of Table 3. Those of architecture 2 were printed with the sums "
        "left out (ERRATA E27): it is smaller by 0.1 to 1.6 %, not by up to a third."
    )
    return Table("Table 4: gates of the datapaths", columns, tuple(lines), (note,))


def implementations(rows: dict[str, Row]) -> Table:
    """Tables 5, 6 and 7: what the report says of its own multipliers."""
    columns = ("table: point", "device", "cycles", "DSP", "LUT", "FF", "BRAM", "µs", "MHz", "Mbps")
    lines = tuple(_implementation(one, rows) for one in IMPLEMENTATIONS)
    how = (
        "Architecture 2. Cycles: those that the printed clock and time make, where there is a "
        "clock / of our iterations. µs and MHz are the report's. Mbps: "
    )
    notes = (how + competitors.REMARK, published.REMARKS, _targets_note(rows))
    return Table("Tables 5 to 7: implementations", columns, lines, notes)


def _implementation(one: Implementation, rows: dict[str, Row]) -> tuple[str, ...]:
    name = point_name(one.bits, one.digit, 2, one.version)
    row = rows.get(name)
    printed = round(one.mhz * one.microseconds) if one.mhz else None
    own = number(row, "cycles", "compute")
    used = [number(row, one.family, kind) for kind in ("dsp", "lut", "ff", "bram")]
    return (
        f"{one.table}: {name}",
        DEVICES[one.family],
        both(printed, own),
        both(one.dsp, used[0]),
        both(one.lut, used[1]),
        both(one.ff, used[2]),
        both(None, used[3]),
        f"{one.microseconds:g}",
        "–" if one.mhz is None else f"{one.mhz:g}",
        _throughput(competitors.printed(one), one.bits, one.microseconds),
    )


def _throughput(printed: float | None, bits: int, microseconds: float) -> str:
    return both(printed, round(competitors.throughput(bits, microseconds), 2))


def others() -> Table:
    """Tables 5, 6 and 7: what the report says of other work."""
    columns = ("table: work", "algorithm", "platform", "N", "area", "MHz", "µs", "Mbps")
    lines = tuple(
        (
            f"{one.table}: {one.work}",
            one.kind,
            one.platform,
            str(one.bits),
            one.area or "–",
            shown(one.mhz),
            f"{one.microseconds:g}",
            _throughput(one.mbps, one.bits, one.microseconds),
        )
        for one in competitors.COMPETITORS
    )
    note = (
        "As the report has them, with the numbers of its references; Mbps as in the table above. "
        "Nothing of it was measured here."
    )
    return Table("Tables 5 to 7: other work", columns, lines, (note,), texts=3)


def tiles(rows: dict[str, Row]) -> Table:
    """Products that synthesis puts together beside products of tiles."""
    columns = ("point", "cycles", "DSP", "LUT", "FF")
    names = [
        name
        for bits, digit in iddmm_synthesis.TILED
        for name in (point_name(bits, digit, 2, 4), tiles_name(bits, digit))
    ]
    lines = tuple(
        (
            name,
            shown(number(rows.get(name), "cycles", "compute")),
            *(shown(number(rows.get(name), "xc5v", kind)) for kind in ("dsp", "lut", "ff")),
        )
        for name in names
    )
    note = (
        "On the xc5v. Tiles leave fewer sums to logic: those of a chain are made by DSP48 blocks."
    )
    return Table("Products of tiles", columns, lines, (note,))


def lanes(rows: dict[str, Row]) -> Table:
    """IDDMM in lanes and version 4, placed on an ECP5."""
    columns = (
        "point",
        "cycles",
        "MULT18",
        "LUT4",
        "FF",
        "BRAM",
        "MHz",
        "product, µs",
        "Mbps",
        "LUT × µs",
    )
    names = [
        *(point_name(n, k, a, 4) for n in iddmm_synthesis.PLACED_BITS
          for k in iddmm_synthesis.PLACED_DIGITS for a in (1, 2)),
        *(lanes_name(*sizes) for sizes in iddmm_synthesis.LANES),
    ]  # fmt: skip
    lines = tuple(_lane(name, rows.get(name)) for name in names)
    note = (
        "Cycles and time are of the iterations, which is the interval between products; lanes are "
        f"closed below 2 p, without a final subtraction. Target of the project for N = 256: "
        f"{_TARGET_MHZ:g} MHz, {_mhz_verdict(rows)}."
    )
    return Table("Placed on an ECP5", columns, lines, (note,))


def _lane(name: str, row: Row | None) -> tuple[str, ...]:
    cycles, mhz = number(row, "cycles", "compute"), number(row, "ecp5", "fmax_mhz")
    lut = number(row, "ecp5", "lut")
    time = None if cycles is None or mhz is None else cycles / mhz
    figures = [cycles, *(number(row, "ecp5", kind) for kind in ("dsp", "lut", "ff", "bram"))]
    area = None if time is None or lut is None else round(lut * time)
    mbps = None if row is None or time is None else competitors.throughput(row["bits"], time)
    times = (shown(time and round(time, 3)), shown(mbps and round(mbps, 1)), shown(area))
    return (name, *map(shown, figures), clock(row), *times)


def space(rows: dict[str, Row]) -> Table:
    """All measured points."""
    kinds = [f"{family} {kind}" for family in DEVICES for kind in ("LUT", "FF", "DSP")]
    columns = ("point", "cycles", *kinds)
    lines = tuple(
        (
            row.name,
            str(row["cycles"]["compute"]),
            *(shown(number(row, f, kind)) for f in DEVICES for kind in ("lut", "ff", "dsp")),
        )
        for row in rows.values()
        if row["version"]
    )
    total = sum("version" in one.values for one in iddmm_synthesis.points())
    rest = "" if len(lines) == total else "; another run goes on with the others"
    note = f"{len(lines)} of {total} points are measured{rest}."
    return Table("The design space", columns, lines, (note,))


def _targets_note(rows: dict[str, Row]) -> str:
    """Note on the targets that are reached."""
    parts = []
    for name, limits in _TARGETS:
        row = rows.get(name)
        for kind, limit in limits.items():
            keys = ("cycles", "compute") if kind == "cycles" else ("xc5v", kind)
            own = number(row, *keys)
            verdict = "not measured" if own is None else f"{own:g}"
            parts.append(f"{name}: {kind} at most {limit}, {verdict}")
    return f"Targets of the project on the Virtex-5: {'; '.join(parts)}."


def _mhz_verdict(rows: dict[str, Row]) -> str:
    found = [
        mhz
        for row in rows.values()
        if row["bits"] == 256 and (mhz := number(row, "ecp5", "fmax_mhz")) is not None
    ]
    if not found:
        return "not measured"
    return f"{'reached' if max(found) >= _TARGET_MHZ else 'not reached'}, {max(found):g} at most"
