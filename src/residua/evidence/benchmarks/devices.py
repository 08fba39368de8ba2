"""Clocks and sizes of a few cores on a device of every family that nextpnr knows."""

import re
from typing import Any

from residua.cores.synthesis import DoesNotFitError, synthesise_directory
from residua.evidence.benchmarks.coprocessors import BARE
from residua.evidence.campaign import Campaign, Figures, Request
from residua.evidence.pages import RowTable, clock, commit, resources, table_page
from residua.evidence.rows import PUBLISHED_SEEDS, Row
from residua.evidence.subjects import core
from residua.toolchain.placement.devices import DEVICES
from residua.toolchain.process import ToolError

_P256 = {"curve": "P-256", "bus": "stream"}
_X25519 = {"curve": "Curve25519", "bus": "stream"}
_DIGITS = {"algorithm": "iddmm"}

CORES: dict[str, dict[str, Any]] = {
    "256-bit products": {"modulus": "P-256"},
    "256-bit products on digits": {"modulus": "P-256", "algorithm": "iddmm"},
    "P-256": _P256,
    "P-256 on digits": _P256 | _DIGITS,
    "P-256 on digits, bare": _P256 | _DIGITS | BARE,
    "X25519": _X25519,
    "X25519 on digits": _X25519 | _DIGITS,
    "X25519 on digits of 16 bits": _X25519 | _DIGITS | {"digit": 16},
    "RSA-2048 on digits": {"algorithm": "rsa-crt", "bits": 2048},
}
"""Specifications by the names that rows begin with."""

ROWS = {f"{name}, {target}": (name, target) for name in CORES for target in DEVICES}
"""Core and target by the names of the rows."""

INTRODUCTION = f"""\
Made by `make campaign-devices`: a few cores as they are built by default, on plain streams, each
placed on [one device of each family](../devices.md) in a harness of registers; the median of
{PUBLISHED_SEEDS} seeds (the lowest and the highest). Look-up tables, flip-flops, multipliers and
memories are those of the core alone. A core without a clock does not fit, or nextpnr fails with one
of the seeds, as its message says. Time: of one operation, the multiplication of a point, a
private RSA operation or a product, at that clock. nextpnr does not time the inside of a registered
multiplier; the limit of it is known here for ECP5 alone."""

_FULL = re.compile(r"no BELs remaining|unable to (place|find)|utilisation limit", re.IGNORECASE)
"""What nextpnr says of a design that the device has no room for."""

_SAID = re.compile(r"^ERROR: (.*)", re.MULTILINE)


def measure(request: Request) -> Figures:
    """Place the core of a row on the device of its target, or find out why it does not fit."""
    _, target = ROWS[request.name]
    directory = request.directory()
    figures: Figures = {
        "target": target,
        "device": DEVICES[target].title,
        "cycles": directory.made.pace.latency,
    }
    try:
        found = synthesise_directory(directory, target, seeds=request.amount)
    except DoesNotFitError as error:
        return {**figures, "unplaced": f"does not fit: {str(error).partition('it takes ')[2]}"}
    except ToolError as error:
        return {**figures, "unplaced": _reason(error)}
    kept = ("resources", "fmax_mhz", "fmax_timed_mhz", "device", "seeds", "sites")
    placed = {key: found[key] for key in kept}
    return {**figures, "program": " ".join(DEVICES[target].version), target: placed}


def _reason(error: ToolError) -> str:
    """Why there is no placement with one of the seeds, which nobody chooses."""
    said = _SAID.search(error.output)
    text = said[1] if said else str(error.args[0])
    return f"does not fit: {text}" if _FULL.search(text) else f"nextpnr fails: {text}"


def _time(row: Row) -> str:
    placed = row.get(row["target"])
    if not placed:
        return "–"
    microseconds = row["cycles"] / placed["fmax_mhz"]
    return f"{microseconds / 1000:.2f} ms" if microseconds > 100 else f"{microseconds:.3g} µs"


def _clock(row: Row) -> str:
    return clock(row, row["target"]) if row.get(row["target"]) else str(row["unplaced"])


def _memories(row: Row) -> str:
    placed = row.get(row["target"])
    return str(placed["resources"]["bram"]) if placed else "–"


TABLE = RowTable(
    {
        "Core": lambda row: ROWS[row.name][0],
        "Device": lambda row: row["device"],
        "LUT / FF / DSP": lambda row: resources(row, row["target"]),
        "Memories": _memories,
        "MHz": _clock,
        "Cycles": lambda row: f"{row['cycles']:,}",
        "Time": _time,
        "Commit": commit,
    },
    texts=2,
)

CAMPAIGN = Campaign(
    table_page("devices", "Cores on other devices", INTRODUCTION, (TABLE,)),
    dict.fromkeys(ROWS, PUBLISHED_SEEDS),
    lambda name: core(CORES[ROWS[name][0]]),
    measure,
)
