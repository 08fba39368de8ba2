"""The tables and figures of SBMM (CHES 2015) with measured columns beside the published ones."""

from collections.abc import Callable, Mapping
from dataclasses import asdict
from fractions import Fraction

from residua.algorithms.program import Program
from residua.evidence.campaign import Campaign, Figures, Request
from residua.evidence.candidates import (
    SAME_NETLIST,
    WITHOUT_DSP,
    amounts,
    has_all_targets,
    measured,
)
from residua.evidence.pages import Page, clock
from residua.evidence.rows import Row
from residua.evidence.subjects import Sources, Subject
from residua.machines.counts import Counts, count
from residua.papers.cells import both, shown
from residua.papers.sbmm import architecture, flow
from residua.papers.sbmm import costs as sbmm_costs
from residua.papers.sbmm import ladder as sbmm_ladder
from residua.papers.sbmm import published as sbmm_published
from residua.papers.sbmm.figures import figures
from residua.papers.sbmm.ladder_comparison import SCHEDULED
from residua.papers.sbmm.published import (
    DEVICES,
    GAINS,
    PARAMETERS,
    POINTS,
    SIZES,
    TABLE_4,
    TABLE_5,
    Cost,
)
from residua.papers.sbmm.synthesis import FAMILIES, FULL, KINDS, candidates, row_name
from residua.report.documents import Document, Figure, Table

NAME = "sbmm"

CHANNELS = tuple(GAINS)
"""n of the counted tables."""

INTRODUCTION = (
    f"“{sbmm_published.TITLE}” (CHES 2015): published numbers ({sbmm_published.DEVICE}) beside "
    "measured ones. Cells are published / measured where both are there. Counts are those of the "
    "programs that the engine runs. Resources are Yosys's, clocks nextpnr's for an ECP5, the "
    "median of the placements: slices and LUTs, and clocks of different devices, do not compare; "
    "cycles and DSP blocks do. A dash stands for what was not published or not measured."
)


def document(measurements: list[Row]) -> Document:
    """Make the page: all tables and figures."""
    rows = {row.name: row for row in measurements}
    parts: tuple[Table | Figure, ...] = (
        precomputations(),
        costs(),
        parameters(rows),
        with_dsp(rows),
        without_dsp(rows),
        on_ecp5(rows),
        points(),
        sbmm_ladder.cycles(rows),
        architecture.figure(),
        *figures(_luts(rows), _times(rows)),
        flow.figure(),
    )
    title = "Tables and figures of single-base modular multiplication"
    data = {"costs": cost_data(), "points": point_data()}
    return Document(NAME, title, INTRODUCTION, parts, data)


def measure(request: Request) -> Figures:
    """Measure the design of a row, or count the cycles of a step."""
    if request.name in sbmm_ladder.STEPS:
        return sbmm_ladder.measure(request)
    return measured(request, candidates()[request.name])


def _subject(name: str) -> Subject:
    if name in sbmm_ladder.STEPS:
        return Sources(SCHEDULED)
    return candidates()[name].subject


CAMPAIGN = Campaign(
    Page(NAME, document),
    amounts(candidates()) | dict.fromkeys(sbmm_ladder.STEPS, 0),
    _subject,
    measure,
    is_complete=lambda row: has_all_targets(row, candidates()),
)


def precomputations() -> Table:
    """Tables 1 and 2: precomputed words."""
    lines = []
    for cost, program in (
        (sbmm_published.MM_WORDS, sbmm_costs.montgomery_program),
        (sbmm_published.SBMM_WORDS, sbmm_costs.product_program),
        (sbmm_published.SBMM_COMPRESS_WORDS, _compressed),
    ):
        words = [sbmm_costs.stored_words(program(n)) for n in CHANNELS]
        cells = [both(cost(n), each.full) for n, each in zip(CHANNELS, words, strict=True)]
        narrow = ", ".join(str(each.narrow) for each in words)
        lines.append((cost.name, cost.text, *cells, narrow))
    notes = (
        _fewer_words(),
        (
            "Distinct constants of each channel but 0, 1 and -1; the last column counts those "
            "modulo m_gamma, for each n."
        ),
        (
            "Measured products hold the multiples of the Cox's quotient and 2 K of SBMM line 5 as "
            "constants of their own, which spend no step; the paper doubles by additions."
        ),
    )
    return Table(
        "Tables 1 and 2: precomputed words", ("algorithm", "published", *_heads(), "m_gamma"),
        tuple(lines), notes,
    )  # fmt: skip


def _fewer_words() -> str:
    """Note on how many times fewer words SBMM precomputes."""
    n = 12
    found = [
        sbmm_costs.stored_words(program(n)).full
        for program in (sbmm_costs.montgomery_program, sbmm_costs.product_program)
    ]
    printed = [cost(n) for cost in (sbmm_published.MM_WORDS, sbmm_published.SBMM_WORDS)]
    own, other = (float(more / fewer) for more, fewer in (found, printed))
    return (
        f"The paper concludes that SBMM needs four times less precomputation: its formulas give "
        f"{printed[0]} / {printed[1]} = {other:.1f} for n = {n}. Measured are {found[0]} / "
        f"{found[1]} = {own:.1f}."
    )


def costs() -> Table:
    """Table 2: products."""
    lines = []
    for entry in cost_data():
        cells = [
            both(published, counted)
            for published, counted in zip(entry["published"], entry["counted"], strict=True)
        ]
        lines.append((entry["operation"], entry["formula"], *cells))
    notes = (
        sbmm_published.COUNT_REMARK,
        (
            "Products of m_gamma's word with w bits count as EMM in Compress, as in the paper; "
            "those in Splits, n for each SBMM, which the paper leaves out, do not."
        ),
        _small_note(),
    )
    return Table("Table 2: EMM of the operations", ("operation", "published", *_heads()),
                 tuple(lines), notes)  # fmt: skip


def cost_data() -> list[Figures]:
    """Every count of Table 2."""
    operations: list[tuple[Cost, Callable[[int], int]]] = [
        (sbmm_published.MM, lambda n: count(sbmm_costs.montgomery_program(n)).emm),
        (sbmm_published.SPLIT, lambda n: count(sbmm_costs.split_program(n)).emm),
        (sbmm_published.SBMM, lambda n: count(sbmm_costs.product_program(n)).emm),
        (sbmm_published.COMPRESS, lambda n: _compress(n)[0]),
        (
            sbmm_published.SBMM_COMPRESS,
            lambda n: count(sbmm_costs.product_program(n)).emm + _compress(n)[0],
        ),
    ]
    return [
        {
            "operation": cost.name,
            "formula": cost.text,
            "n": list(CHANNELS),
            "published": [float(cost(n)) for n in CHANNELS],
            "counted": [counted(n) for n in CHANNELS],
        }
        for cost, counted in operations
    ]


def _compressed(channels: int) -> Program:
    return sbmm_costs.product_program(channels, compressed=True)


def _compress(channels: int) -> tuple[int, int]:
    """EMM of Compress as the paper counts them, and products modulo m_gamma."""
    with_it, without = (
        count(sbmm_costs.product_program(channels, compressed=each)) for each in (True, False)
    )
    emm = with_it.emm - without.emm + with_it.narrow - without.narrow
    return emm, with_it.gmm - without.gmm


def _small_note() -> str:
    pairs = ", ".join(f"{n + 2} / {_compress(n)[1]} for n = {n}" for n in CHANNELS[:3])
    return (
        f"Products modulo m_gamma of Compress, published n + 2 / counted: {pairs}. Two more are "
        "those of line 3 in the channel of m_gamma itself."
    )


def parameters(rows: Mapping[str, Row]) -> Table:
    """Table 3: (n, w), and what was built."""
    lines = []
    for bits in SIZES:
        for kind in KINDS:
            n, w = PARAMETERS[kind.split()[0], bits]
            row = rows.get(row_name(kind, bits))
            built = f"n = {row['n']}, w = {row['w']}, {row['rowers']} rowers" if row else "–"
            lines.append((row_name(kind, bits), f"({n}, {w})", built))
    return Table("Table 3: parameters", ("design", "published", "built"), tuple(lines))


def with_dsp(rows: Mapping[str, Row]) -> Table:
    """Table 4."""
    notes = (
        (
            "Without Compress, from residues to residues; SBMM with n / 2 rowers (half), as in the "
            "paper, and with n (full), as its section 6.1 announces."
        ),
        sbmm_published.TIME_REMARK,
    )
    lines = _results(rows, TABLE_4, "")
    return Table("Table 4: designs with DSP blocks", _RESULTS, lines, notes)


def without_dsp(rows: Mapping[str, Row]) -> Table:
    """Table 5."""
    lines = _results(rows, TABLE_5, WITHOUT_DSP)
    notes = (SAME_NETLIST,)
    return Table("Table 5: designs without DSP blocks", _RESULTS, lines, notes)


_RESULTS = ("design", "cycles", "DSP", "LUT", "FF", "slices", "MHz", "ns")
_MEASURED = ("cycles", "dsp", "lut", "ff")
_PUBLISHED = ("slices", "mhz", "nanoseconds")


def _results(
    rows: Mapping[str, Row],
    table: Mapping[tuple[str, str, int], sbmm_published.Row],
    ending: str,
) -> tuple[tuple[str, ...], ...]:
    """The lines of Table 4 or 5; measured targets have this ``ending``."""
    lines = []
    for bits in SIZES:
        for device in DEVICES:
            for kind in KINDS:
                published = {} if kind == FULL else asdict(table[kind.split()[0], device, bits])
                row = rows.get(row_name(kind, bits))
                own = {}
                if row:
                    found = row.get(FAMILIES[device] + ending, {})
                    own = {"cycles": row["cycles"]["latency"], **found}
                lines.append(
                    (
                        f"{kind} {device} {bits}",
                        *(both(published.get(name), own.get(name)) for name in _MEASURED),
                        *(str(published.get(name, "–")) for name in _PUBLISHED),
                    )
                )
    return tuple(lines)


def on_ecp5(rows: Mapping[str, Row]) -> Table:
    """The designs of Tables 4 and 5 on an ECP5."""
    lines = []
    for bits in SIZES:
        for kind in KINDS:
            row = rows.get(row_name(kind, bits))
            placed, plain = (
                row.get(target, {}) if row else {} for target in ("ecp5", f"ecp5{WITHOUT_DSP}")
            )
            resources = [shown(placed.get(name)) for name in ("dsp", "lut", "ff")]
            time = f"{_nanoseconds(row):.0f}" if row and placed else "–"
            lines.append(
                (
                    row_name(kind, bits),
                    str(row["cycles"]["latency"]) if row else "–",
                    *resources,
                    clock(row),
                    time,
                    *(shown(plain.get(name)) for name in ("lut", "ff")),
                    row.commit if row else "–",
                )
            )
    notes = (
        (
            "Resources by Yosys; clocks by nextpnr, the median of the placements with pins on "
            "registers. The last columns, but the commit, are without multiplier blocks, which "
            "was not placed."
        ),
    )
    heads = (
        "design", "cycles", "multipliers", "LUT", "FF", "MHz", "ns",
        "LUT without", "FF without", "commit",
    )  # fmt: skip
    return Table("Tables 4 and 5 on an ECP5", heads, tuple(lines), notes)


def points() -> Table:
    """Table 7, with the percentages of section 7."""
    lines = []
    for entry in point_data():
        cells = [
            both(published, counted)
            for published, counted in zip(entry["published"], entry["counted"], strict=True)
        ]
        lines.append((f"{entry['algorithm']} {entry['operation']}", *cells))
    shares = [f"{GAINS[n]} / {100 * _gain(n):.1f} %" for n in CHANNELS]
    lines.append(("saved by SBMM", *shares))
    notes = (
        (
            "Formulas of Table 6, the addition with -x_G Z3 (ERRATA E10), and Compress as in "
            "section 7: of D, Z3 and X3 in ADD, of H, I, X3 and Z3 in DBL. Subtractions need no "
            "multiple of P, as values are signed."
        ),
        sbmm_published.COUNT_REMARK,
    )
    return Table("Table 7: EMM of point operations", ("operation", *_heads()), tuple(lines), notes)


def point_data() -> list[Figures]:
    """Every count of Table 7."""
    return [
        {
            "algorithm": algorithm,
            "operation": operation,
            "n": list(CHANNELS),
            "published": [float(_published(algorithm, operation, n)) for n in CHANNELS],
            "counted": [_counted(algorithm, operation, n) for n in CHANNELS],
        }
        for algorithm in sbmm_published.ALGORITHMS
        for operation in ("ADD", "DBL", "ADD + DBL")
    ]


def _published(algorithm: str, operation: str, channels: int) -> Fraction:
    parts = operation.split(" + ")
    return sum((POINTS[algorithm, part](channels) for part in parts), Fraction(0))


def _counted(algorithm: str, operation: str, channels: int) -> int:
    """EMM, with the products that Compress has for each of its quotients and channels of base b.

    A Split has products by m_gamma's word in base a alone, which the paper does not count.
    """
    total = 0
    for part in operation.split(" + "):
        counts: Counts = sbmm_costs.point_counts(algorithm, part, channels)
        compressions = sbmm_costs.COMPRESSIONS[part] if algorithm == "SBMM" else 0
        total += counts.emm + compressions * channels
    return total


def _gain(channels: int) -> float:
    own, other = (_counted(each, "ADD + DBL", channels) for each in ("SBMM", "MM"))
    return 1 - own / other


def _luts(rows: Mapping[str, Row]) -> dict[tuple[str, int], float]:
    return _by_algorithm(rows, lambda row: row.get("xc7") and float(row["xc7"]["lut"]))


def _times(rows: Mapping[str, Row]) -> dict[tuple[str, int], float]:
    return _by_algorithm(rows, lambda row: _nanoseconds(row) if row.get("ecp5") else None)


def _nanoseconds(row: Row) -> float:
    return float(1000 * row["cycles"]["latency"] / row["ecp5"]["fmax_mhz"])


def _by_algorithm(
    rows: Mapping[str, Row], number: Callable[[Row], float | None]
) -> dict[tuple[str, int], float]:
    found = {}
    for bits in SIZES:
        for algorithm, kind in (("MM", "MM"), ("SBMM", "SBMM half"), (FULL, FULL)):
            row = rows.get(row_name(kind, bits))
            value = number(row) if row else None
            if value is not None:
                found[algorithm, bits] = value
    return found


def _heads() -> tuple[str, ...]:
    return tuple(f"n = {n}" for n in CHANNELS)
