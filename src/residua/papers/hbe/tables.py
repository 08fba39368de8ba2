"""The tables and figures of HBE (ARITH 2019) with measured columns beside the published ones."""

from collections.abc import Callable

from residua.evidence.campaign import Figures
from residua.evidence.candidates import designs_campaign
from residua.evidence.pages import Page, clock
from residua.evidence.rows import Row
from residua.papers.cells import both, number, shown
from residua.papers.hbe import architecture
from residua.papers.hbe import published as hbe_published
from residua.papers.hbe import synthesis as hbe_synthesis
from residua.papers.hbe.costs import COLUMNS, OPERATIONS, Operation, published_cost
from residua.papers.hbe.figures import figures
from residua.papers.hbe.position_residue_costs import weighted
from residua.papers.hbe.published import CMM, CMR, HBE, KBE, SIZES, TARGETS, WIDTHS
from residua.papers.hbe.synthesis import KINDS, candidates, extension_name, product_name, unit_name
from residua.report.documents import Document, Figure, Table

NAME = "hbe"

_SIZES = (16, 32, 48)
"""n of Table II; 48 moduli make rows of 2, 3 and 4 also of their quarters."""

_RATIOS = (2, 4)

INTRODUCTION = (
    f"“{hbe_published.TITLE}” (ARITH 2019): published numbers ({hbe_published.DEVICE}) beside "
    "measured ones. Cells are published / measured where both are there. Resources are Yosys's for "
    "7-series (xc7); clocks are nextpnr's for an ECP5, the median of the placements. Slices and "
    "LUTs, and clocks of different devices, do not compare; cycles and DSP blocks do."
)


def document(measurements: list[Row]) -> Document:
    """Make the page: all tables and figures."""
    rows = {row.name: row for row in measurements}
    parts: tuple[Table | Figure, ...] = (
        units(rows),
        costs(),
        extensions(rows),
        products(rows),
        architecture.figure(),
        *figures(),
    )
    title = "Tables and figures of the hierarchical base extension"
    return Document(NAME, title, INTRODUCTION, parts, {"costs": cost_data()})


CAMPAIGN = designs_campaign(Page(NAME, document), candidates())


def units(rows: dict[str, Row]) -> Table:
    """Table I: the elementary operations."""
    columns = ("operation", "DSP", "slices", "LUT, FF", "cycles", "ns", "ns each")
    lines = []
    for width in WIDTHS:
        for operation, published in (("CMR", CMR[width]), ("CMM", CMM[width])):
            row = rows.get(unit_name(operation, width))
            lines.append(
                (
                    unit_name(operation, width),
                    both(published.dsp, number(row, "xc7", "dsp")),
                    str(published.slices),
                    _logic(row),
                    both(published.cycles, number(row, "cycles")),
                    both(published.nanoseconds, _time(row, "cycles")),
                    _period(row),
                )
            )
    note = (
        "CMR(2w + 1, w) and CMM(w, w). Measured units take new operands in every cycle: the last "
        "column is their clock period, the others are of one operation. Their h is the one with "
        "the most signed digits in the bases for 256 bits."
    )
    return Table("Table I: elementary operations", columns, tuple(lines), (note,))


def costs() -> Table:
    """Table II, and section IV-C: counted operations, weighed as in the paper."""
    columns = ("operation", "n", "c", "CMM", "CMUL", "CMR", "cost r=2", "cost r=4", "to KBE")
    lines = tuple(_cost_line(each) for each in cost_data())
    formulas = "; ".join(
        f"{operation.name} {operation.published.kawamura_text}"
        for operation in OPERATIONS
        if operation.published
    )
    counted = (
        "BE: base extension. MM: RNS Montgomery product in the reordered form, quadr. in the "
        "quadratic one. r = CMM / CMR; CMUL counts as a CMM, and there is a CADD for every CMUL. "
        f"c = 1 is KBE, published as: {formulas}. The last column is the counted cost relative to "
        "KBE for r = 2 and 4."
    )
    products = (
        "Lean HPR products take the products of coefficients by Karatsuba's method and merge "
        "constants. No number has what brings the coefficients of a result back to the range of "
        "operands. For c = 3 and 4, of which the paper prints no cost, a CMR reduces c w bits and "
        "not 2w."
    )
    notes = (counted, products)
    return Table("Table II: costs in CMM", columns, lines, notes)


def cost_data() -> list[Figures]:
    """Every count of Table II."""
    return [
        _cost_entry(operation, channels, columns)
        for operation in OPERATIONS
        for channels in _SIZES
        for columns in COLUMNS
        if operation.fits(channels, columns)
    ]


def _cost_entry(operation: Operation, channels: int, columns: int) -> Figures:
    own, other = (operation.counts(channels, c) for c in (columns, 1))
    published = {ratio: published_cost(operation, channels, columns, ratio) for ratio in _RATIOS}
    return {
        "operation": operation.name,
        "n": channels,
        "c": columns,
        "cmm": own.emm,
        "cmul": own.cmul,
        "cadd": own.cadd,
        "cmr": own.cmr,
        "published": {str(r): None if v is None else float(v) for r, v in published.items()},
        "counted": {str(r): float(weighted(own, r)) for r in _RATIOS},
        "to_kawamura": {str(r): float(weighted(own, r) / weighted(other, r)) for r in _RATIOS},
    }


def _cost_line(entry: Figures) -> tuple[str, ...]:
    published, counted, shares = (entry[name] for name in ("published", "counted", "to_kawamura"))
    numbers = [str(entry[name]) for name in ("n", "c", "cmm", "cmul", "cmr")]
    pairs = [both(published[str(ratio)], counted[str(ratio)]) for ratio in _RATIOS]
    relative = ", ".join(f"{shares[str(ratio)]:.2f}" for ratio in _RATIOS)
    return (entry["operation"], *numbers, *pairs, relative)


def extensions(rows: dict[str, Row]) -> Table:
    """Table III: base extensions alone."""
    columns = ("extension", "n", "cycles", "interval", "DSP", "slices / LUT, FF", "MHz", "ns")
    lines = []
    for bits in SIZES:
        for width in WIDTHS:
            for kind, table in (("KBE", KBE), ("HBE", HBE)):
                name, published = extension_name(bits, width, kind), table[bits, width]
                row = rows.get(name)
                lines.append(
                    (
                        name,
                        str(hbe_synthesis.CHANNELS[bits, width]),
                        both(published.cycles, number(row, "cycles", "latency")),
                        _intervals(row),
                        both(published.dsp, number(row, "xc7", "dsp")),
                        f"{published.slices} / {_logic(row)}",
                        _clock(published.period_ns, row),
                        both(published.time_ns, _time(row, "cycles", "latency")),
                    )
                )
    how = (
        f"Cycles and time are of one extension, measured with {hbe_synthesis.LEVELS_PER_REGISTER} "
        "adders between the registers of reducers; HBE has c = 2. Interval: between extensions "
        "back to back in the same core, and in one made for the shortest interval. Names have the "
        "bits of the field and w."
    )
    notes = (
        how,
        _targets_note(rows),
        hbe_published.SIZE_REMARK,
        hbe_published.TEXT_REMARK,
    )
    return Table("Table III: base extensions alone", columns, tuple(lines), notes)


def _targets_note(rows: dict[str, Row]) -> str:
    """Note on the targets that are reached."""
    parts = []
    for (bits, width), (cycles, dsp) in TARGETS.items():
        name = extension_name(bits, width, "HBE")
        found = [number(rows.get(name), *keys) for keys in (("cycles", "latency"), ("xc7", "dsp"))]
        verdict = "not measured"
        if None not in found:
            reached = all(own is not None and own <= t for own, t in zip(found, (cycles, dsp)))  # noqa: B905
            verdict = "reached" if reached else "not reached"
        parts.append(f"{name}: at most {cycles} cycles and {dsp} DSP blocks, {verdict}")
    return f"Targets of the project: {'; '.join(parts)}."


def products(rows: dict[str, Row]) -> Table:
    """Whole RNS Montgomery multipliers with either extension."""
    columns = ("multiplier", "cycles", "interval", "DSP", "xc7 LUT, FF", "ecp5 LUT", "MHz", "ns")
    lines, found = [], [rows.get(product_name(kind)) for kind in KINDS]
    for kind, row in zip(KINDS, found, strict=True):
        lines.append(
            (
                product_name(kind),
                shown(number(row, "cycles", "latency")),
                shown(number(row, "cycles", "interval")),
                shown(number(row, "xc7", "dsp")),
                _logic(row),
                shown(number(row, "ecp5", "lut")),
                clock(row),
                shown(_time(row, "cycles", "interval")),
            )
        )
    note = (
        f"P-256, n = {hbe_synthesis.CHANNELS[256, 17]}, w = 17, made for the shortest interval, "
        f"which the last column is. {_change(*found)}"
    )
    return Table("RNS Montgomery multipliers", columns, tuple(lines), (note,))


def _change(kawamura: Row | None, hierarchical: Row | None) -> str:
    """Change of interval and of area times time by HBE."""
    interval = ("cycles", "interval")
    kinds: dict[str, Callable[[Row | None], float | None]] = {
        "interval": lambda row: number(row, *interval),
        "LUT × interval on xc7": lambda row: _times(
            number(row, "xc7", "lut"), number(row, *interval)
        ),
        "LUT × time on ecp5": lambda row: _times(number(row, "ecp5", "lut"), _time(row, *interval)),
    }
    parts = []
    for kind, size in kinds.items():
        before, after = size(kawamura), size(hierarchical)
        if before is None or after is None:
            parts.append(f"{kind} –")
        else:
            parts.append(f"{kind} {100 * (after / before - 1):+.1f} %")
    return f"HBE changes {', '.join(parts)}."


def _times(left: float | None, right: float | None) -> float | None:
    return None if left is None or right is None else left * right


def _logic(row: Row | None) -> str:
    return f"{row['xc7']['lut']}, {row['xc7']['ff']}" if row else "–"


def _intervals(row: Row | None) -> str:
    return f"{row['cycles']['interval']}, {row['shortest_interval']}" if row else "–"


def _clock(published_period: float, row: Row | None) -> str:
    return f"{round(1000 / published_period)} / {clock(row)}"


def _period(row: Row | None) -> str:
    mhz = number(row, "ecp5", "fmax_mhz")
    return "–" if mhz is None else f"{1000 / mhz:.1f}"


def _time(row: Row | None, *cycles: str) -> float | None:
    """Nanoseconds that so many cycles take on the ECP5."""
    mhz, count = number(row, "ecp5", "fmax_mhz"), number(row, *cycles)
    return None if mhz is None or count is None else round(1000 * count / mhz, 1)
