"""Clocks and sizes of multipliers on the engine, and of coprocessors."""

from typing import Any

from residua.cores.synthesis import synthesise_directory
from residua.evidence.benchmarks import coprocessors
from residua.evidence.campaign import Campaign, Figures, Request
from residua.evidence.pages import RowTable, clock, commit, resources, table_page
from residua.evidence.rows import PUBLISHED_SEEDS, Row
from residua.evidence.subjects import Cores, core

TARGETS = ("xc7", "ecp5")
"""Of multipliers; coprocessors are mapped and placed on the second alone."""

_P192 = {"modulus": "P-192", "width": 17, "channels": 12}

CORES: dict[str, dict[str, Any]] = {
    "192 (12, 17)": _P192,
    "192 (12, 17), shortest latency": _P192 | {"levels_per_register": 2},
    "192 (12, 17), shortest interval": _P192 | {"schedule": "interval"},
    "192 (12, 17), any h": _P192 | {"bases": "any", "reduction": "multiply"},
    "192 (12, 17), 3 rowers": _P192 | {"rowers": 3},
    "256 (16, 17)": {"modulus": "P-256", "width": 17, "channels": 16},
    "256 (8, 33)": {"modulus": "P-256", "width": 33, "channels": 8},
    "384 (12, 33)": {"modulus": "P-384", "width": 33, "channels": 12},
    "512 (16, 33)": {"modulus": "brainpoolP512r1", "width": 33, "channels": 16},
}
"""Specifications by the names of the rows."""

INTRODUCTION = f"""\
Made by `make bench`. Cycles: residues to residues. Utilisation: EMM / (rowers × interval). xc7:
Yosys, RAM32M counted as 4 LUT. ECP5: Yosys, nextpnr, LFE5U-85F speed 8, shift-register harness,
the median of {PUBLISHED_SEEDS} seeds (the lowest and the highest). MHz is what nextpnr times; it
does not time the inside of a multiplier, so the latency is given at that clock and at no more than
225 MHz, the limit of a registered 18 x 18 multiplier."""

COPROCESSORS = """\
Placed in the same way, on plain streams, as they are built by default and bare; [their
cycles](coprocessors.md) are measured in simulation."""

_KEYS = ("resources", "fmax_mhz", "fmax_timed_mhz", "latency_ns", "device", "seeds")


def subject(name: str) -> Cores:
    """Find the core of a row."""
    if name in CORES:
        return core(CORES[name])
    return core(coprocessors.PLACED_ROWS[name].keys)


def measure(request: Request) -> Figures:
    """Map the core of a row to its targets, and place it."""
    directory = request.directory()
    multiplier = request.name in CORES
    targets = TARGETS if multiplier else TARGETS[1:]
    found = {
        target: synthesise_directory(directory, target, seeds=request.amount) for target in targets
    }
    schedule = ("cycles", "utilisation") if multiplier else ()
    return {
        **{key: directory.manifest[key] for key in schedule},
        **{
            target: {key: figures[key] for key in _KEYS if key in figures}
            for target, figures in found.items()
        },
    }


def _latency(row: Row) -> str:
    placed = row.get("ecp5")
    return f"{1000 * row['cycles']['latency'] / placed['fmax_timed_mhz']:.0f}" if placed else "–"


def _limited_latency(row: Row) -> str:
    placed = row.get("ecp5")
    return f"{placed['latency_ns']:.0f}" if placed else "–"


TABLE = RowTable(
    {
        "Core": lambda row: row.name,
        "Latency": lambda row: row["cycles"]["latency"],
        "Interval": lambda row: row["cycles"]["interval"],
        "Utilisation": lambda row: f"{row['utilisation']:.1%}",
        "xc7 LUT / FF / DSP": lambda row: resources(row, "xc7"),
        "ECP5 LUT4 / FF / MULT18": resources,
        "ECP5 MHz": lambda row: clock(row, limited=False),
        "ns": _latency,
        "ns at 225 MHz": _limited_latency,
        "Commit": commit,
    },
    lines=lambda row: (row,) if "cycles" in row.figures else (),
)

PLACED = RowTable(
    {
        "Core": lambda row: coprocessors.PLACED_ROWS[row.name].title,
        "LUT4 / FF / MULT18": resources,
        "Block memories": lambda row: row["ecp5"]["resources"]["bram"],
        "MHz": clock,
        "Commit": commit,
    },
    title="Coprocessors on an ECP5",
    introduction=COPROCESSORS,
    lines=lambda row: () if "cycles" in row.figures else (row,),
)

CAMPAIGN = Campaign(
    table_page("measured", "Measured cores", INTRODUCTION, (TABLE, PLACED)),
    dict.fromkeys((*CORES, *coprocessors.PLACED_ROWS), PUBLISHED_SEEDS),
    subject,
    measure,
    is_complete=lambda row: "ecp5" in row.figures,
)
