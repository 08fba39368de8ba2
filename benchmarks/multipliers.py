"""Measure the cores of the results table: cycles, xc7 resources, ECP5 clock frequency.

Writes docs/results/measured.md and .json. Rows that are in the .json for the same commit are kept,
so that an interrupted run goes on where it stopped; ``--rows`` limits it to some of them.
"""

import argparse
import shutil
from functools import partial
from pathlib import Path
from typing import Any

from kept_rows import measured
from rich.console import Console

from residua.cores.directory import Directory, build
from residua.cores.rns_montgomery.specification import Specification
from residua.cores.specification.reading import check
from residua.cores.synthesis import synthesise_directory

ROOT = Path(__file__).parent.parent
RESULTS = ROOT / "docs" / "results"
WORK = ROOT / "build" / "bench"
SEEDS = 5

ROWS: dict[str, tuple[dict[str, Any], tuple[str, ...]]] = {
    "192 (12, 17)": ({"modulus": "P-192", "width": 17, "channels": 12}, ("xc7", "ecp5")),
    "192 (12, 17), shortest latency": (
        {"modulus": "P-192", "width": 17, "channels": 12, "levels_per_register": 2},
        ("xc7", "ecp5"),
    ),
    "192 (12, 17), shortest interval": (
        {"modulus": "P-192", "width": 17, "channels": 12, "schedule": "interval"},
        ("xc7",),
    ),
    "192 (12, 17), any h": (
        {"modulus": "P-192", "width": 17, "channels": 12, "bases": "any", "reduction": "multiply"},
        ("xc7",),
    ),
    "192 (12, 17), 3 rowers": (
        {"modulus": "P-192", "width": 17, "channels": 12, "rowers": 3},
        ("xc7",),
    ),
    "256 (16, 17)": ({"modulus": "P-256", "width": 17, "channels": 16}, ("xc7", "ecp5")),
    "256 (8, 33)": ({"modulus": "P-256", "width": 33, "channels": 8}, ("xc7", "ecp5")),
    "384 (12, 33)": ({"modulus": "P-384", "width": 33, "channels": 12}, ("xc7", "ecp5")),
    "512 (16, 33)": (
        {"modulus": "brainpoolP512r1", "width": 33, "channels": 16},
        ("xc7", "ecp5"),
    ),
}
"""Specification and targets by the name of the row."""


_HEADINGS = (
    "| core | latency | interval | utilisation | xc7 LUT / FF / DSP | ECP5 LUT4 / FF / MULT18 "
    "| ECP5 MHz | ns | ns at 225 MHz |"
)


def measure(name: str, console: Console) -> dict[str, Any]:
    """Build the core of one row and take it through its targets."""
    flags, targets = ROWS[name]
    path = WORK / "".join(c if c.isalnum() else "_" for c in name)
    shutil.rmtree(path, ignore_errors=True)
    directory: Directory = build(check(Specification, flags), path)
    row: dict[str, Any] = {
        "name": name,
        "cycles": directory.manifest["cycles"],
        "utilisation": directory.manifest["utilisation"],
    }
    for target in targets:
        with console.status(f"{name}: {target}") as status:
            found = synthesise_directory(
                directory,
                target,
                seeds=SEEDS,
                progress=lambda step: status.update(f"{name}: {target}: {step}"),  # noqa: B023
            )
        keys = ("resources", "fmax_mhz", "fmax_timed_mhz", "fmax_best_mhz", "latency_ns", "device")
        row[target] = {key: found[key] for key in keys if key in found}
    return row


def table(rows: list[dict[str, Any]], commit: str) -> str:
    """The rows as a Markdown page."""
    lines = [
        "# Measured cores",
        "",
        f"Made by `make bench` at commit `{commit}`. Cycles: residues to residues. Utilisation:",
        "EMM / (rowers × interval). xc7: Yosys, RAM32M counted as 4 LUT. ECP5: Yosys, nextpnr,",
        f"LFE5U-85F speed 8, shift-register harness, median (best) of {SEEDS} seeds. MHz is what",
        "nextpnr times; it does not time the inside of a multiplier, so the latency is given at",
        "that clock and at no more than 225 MHz, the limit of a registered 18 x 18 multiplier.",
        "",
        _HEADINGS,
        "|---|---|---|---|---|---|---|---|---|",
    ]
    for row in rows:
        cycles = row["cycles"]
        cells = [row["name"], cycles["latency"], cycles["interval"], f"{row['utilisation']:.1%}"]
        cells += [_resources(row.get("xc7")), _resources(row.get("ecp5"))]
        placed = row.get("ecp5")
        cells.append(f"{placed['fmax_timed_mhz']} ({placed['fmax_best_mhz']})" if placed else "–")
        cells.append(
            f"{1000 * cycles['latency'] / placed['fmax_timed_mhz']:.0f}" if placed else "–"
        )
        cells.append(f"{placed['latency_ns']:.0f}" if placed else "–")
        lines.append("| " + " | ".join(map(str, cells)) + " |")
    return "\n".join([*lines, ""])


def _resources(found: dict[str, Any] | None) -> str:
    if found is None:
        return "–"
    used = found["resources"]
    return f"{used['lut']} / {used['ff']} / {used['dsp']}"


def main() -> None:
    """Measure what is missing, write the table after each row."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", nargs="*", default=list(ROWS), choices=list(ROWS))
    wanted = parser.parse_args().rows
    console = Console()
    store = RESULTS / "measured.json"
    for rows, commit in measured(store, wanted, partial(measure, console=console), console):
        ordered = [rows[key] for key in ROWS if key in rows]
        (RESULTS / "measured.md").write_text(table(ordered, commit))


if __name__ == "__main__":
    main()
