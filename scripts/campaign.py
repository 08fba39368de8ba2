"""The full verification campaign: a million runs for most configurations.

Half of them back to back, half with stalls. Writes docs/results/campaign.md and .json with the
commit. Rows that are in the .json for the same commit are kept, so that an interrupted campaign
goes on where it stopped; ``--rows`` limits it to some of them.
"""

import argparse
import json
import shutil
import subprocess
import sys
from concurrent.futures import ProcessPoolExecutor, as_completed
from math import isqrt
from pathlib import Path
from typing import Any

from gmpy2 import next_prime
from rich.console import Console
from rich.table import Table

from residua.cores.directory import build
from residua.cores.evidence import verify_directory
from residua.cores.specification import check_any
from residua.report.hbe_synthesis import CHANNELS, specification

ROOT = Path(__file__).parent.parent
RESULTS = ROOT / "docs" / "results"
WORK = ROOT / "build" / "campaign"
VECTORS = 1_000_000
SEED = 20

RSA_1024 = int(next_prime(isqrt(2 << 1022)) * next_prime(isqrt(3 << 1022)))
"""A modulus of 1024 bits: the primes after sqrt(2) 2^511 and sqrt(3) 2^511."""

ROWS: dict[str, dict[str, Any]] = {
    "192 (12, 17)": {"modulus": "P-192", "channels": 12, "width": 17},
    "256 (16, 17)": {"modulus": "P-256", "channels": 16, "width": 17},
    "256 (8, 33)": {"modulus": "P-256", "channels": 8, "width": 33},
    "384 (12, 33)": {"modulus": "P-384", "channels": 12, "width": 33},
    "512 (16, 33)": {"modulus": "brainpoolP512r1", "channels": 16, "width": 33},
    "521 (smallest n, 18)": {"modulus": "P-521", "width": 18},
    "1024 RSA (32, 33)": {"modulus": RSA_1024, "channels": 32, "width": 33},
    "192 (12, 17), shortest interval": {
        "modulus": "P-192",
        "channels": 12,
        "width": 17,
        "schedule": "interval",
    },
    "192 (12, 17), any h": {
        "modulus": "P-192",
        "channels": 12,
        "width": 17,
        "bases": "any",
        "reduction": "multiply",
    },
    "192 (12, 17), 3 rowers": {"modulus": "P-192", "channels": 12, "width": 17, "rowers": 3},
}
"""Specification by the name of the row."""


def hierarchical(bits: int, width: int, columns: int) -> tuple[str, dict[str, Any]]:
    """Products over hierarchical extensions in one of the configurations of HBE's Table III."""
    # The next number of channels that makes rows of c.
    channels = -(-CHANNELS[bits, width] // columns) * columns
    keys = {"modulus": f"P-{bits}", "width": width, "channels": channels}
    name = f"{bits} ({channels}, {width}), HBE c = {columns}"
    return name, {**keys, "extension": "hierarchical", "columns": columns}


def extension(bits: int, width: int) -> tuple[str, dict[str, Any]]:
    """The hierarchical base extension of Table III alone."""
    keys = specification(bits, width, "HBE").items()
    return f"{bits} ({CHANNELS[bits, width]}, {width}), HBE alone", keys


PRODUCTS = dict(hierarchical(*size, columns) for columns in (2, 3, 4) for size in CHANNELS)
ROWS |= PRODUCTS
ROWS |= dict(extension(*size) for size in CHANNELS)


def single_base(bits: int, width: int, rowers: str) -> tuple[str, dict[str, Any]]:
    """SBMM with Compress in one of the sizes of the SBMM paper's Table 3, m_gamma = 2^12."""
    keys = {"algorithm": "sbmm", "bits": bits, "width": width, "extra_bits": 12}
    name = f"{bits} ({bits // width}, {width}), SBMM, {rowers} rowers"
    return name, {**keys, "rowers": rowers, "compress": True}


ROWS |= dict(
    single_base(*size, rowers)
    for size in ((192, 16), (384, 32), (512, 32))
    for rowers in ("half", "full")
)

FEWER = {name: VECTORS // 10 for name, keys in PRODUCTS.items() if keys["columns"] > 2}
"""Rows of which so many vectors are enough."""

INTRODUCTION = """\
The Verilog of each core, simulated with Verilator, against the bit-exact model: every residue of
every output word of every product, or base extension where a row says “alone”. HBE stands for
hierarchical extensions over rows of c moduli, SBMM for single-base products, each followed by
Compress, whose results are operands of others. Half of the runs are back to back, half with random
gaps between operands and random values of `enable`. The oracle checks a sample, every pair of the
most adversarial operands among it, with plain integers. Latency and interval are measured, in
cycles; seconds are those of one processor core, without building the simulator. A + after the
commit says that the sources differed from it. `make campaign` writes this page."""


def measure(name: str, vectors: int, commit: str) -> dict[str, Any]:
    """Build the core of one row and verify it back to back and with stalls."""
    path = WORK / "".join(c if c.isalnum() else "_" for c in name)
    shutil.rmtree(path, ignore_errors=True)
    directory = build(check_any(ROWS[name]), path)
    half = -(-vectors // 2)
    prompt, stalled = (
        verify_directory(directory, vectors=half, seed=SEED + int(stalls), stalls=stalls)
        for stalls in (False, True)
    )
    runs = (prompt, stalled)
    return {
        "configuration": name,
        "parameters": {key: prompt["parameters"][key] for key in ("n", "w", "rowers", "t")},
        "vectors": sum(run["vectors"] for run in runs),
        "mismatches": sum(run["mismatches"] for run in runs),
        "oracle_checks": sum(run["oracle_checks"] for run in runs),
        "model_checks": sum(run["model_checks"] for run in runs),
        "failures": [failure for run in runs for failure in run["failures"]],
        "cycles": prompt["cycles"],
        "seconds": round(sum(run["seconds"] for run in runs), 1),
        "build_seconds": round(prompt["build_seconds"], 1),
        "commit": commit,
    }


def current_commit() -> str:
    """The commit that the sources are at, with a + if they differ from it."""
    commit, changes = (
        subprocess.run(["git", *words], cwd=ROOT, check=True, capture_output=True, text=True).stdout
        for words in (
            ["rev-parse", "--short=12", "HEAD"],
            ["status", "--porcelain", "--", "src", "scripts"],
        )
    )
    return commit.strip() + ("+" if changes else "")


def load_rows(commit: str, vectors: int) -> dict[str, dict[str, Any]]:
    """Rows that were made at exactly this commit with at least as many runs."""
    path = RESULTS / "campaign.json"
    rows = json.loads(path.read_text(encoding="utf-8")) if path.exists() else []
    return {
        row["configuration"]: row
        for row in rows
        if row["commit"] == commit
        and row["vectors"] >= wanted(row["configuration"], vectors)
        and not commit.endswith("+")
    }


def wanted(name: str, vectors: int) -> int:
    """How many vectors a row gets if most get so many."""
    return min(vectors, FEWER.get(name, vectors))


def write(rows: dict[str, dict[str, Any]]) -> None:
    """Write the table in both formats, in the order of ROWS."""
    ordered = [rows[name] for name in ROWS if name in rows]
    RESULTS.mkdir(parents=True, exist_ok=True)
    text = json.dumps(ordered, indent=2) + "\n"
    (RESULTS / "campaign.json").write_text(text, encoding="utf-8")
    (RESULTS / "campaign.md").write_text(markdown(ordered), encoding="utf-8")


def markdown(rows: list[dict[str, Any]]) -> str:
    """The table for the documentation."""
    head = [
        *("Configuration (n, w)", "Rowers", "Runs", "Mismatches", "Oracle checks"),
        *("Latency", "Interval", "Seconds", "Commit"),
    ]
    lines = [
        "# Verification campaign",
        "",
        INTRODUCTION,
        "",
        "| " + " | ".join(head) + " |",
        "|---" * 2 + "|--:" * (len(head) - 3) + "|---|",
    ]
    for row in rows:
        cells = [
            row["configuration"],
            row["parameters"]["rowers"],
            f"{row['vectors']:,}",
            row["mismatches"] if not row["failures"] else f"{row['mismatches']}, FAILED",
            f"{row['oracle_checks']:,}",
            row["cycles"]["latency"],
            row["cycles"]["interval"],
            f"{row['seconds']:.0f}",
            f"`{row['commit']}`",
        ]
        lines.append("| " + " | ".join(str(cell) for cell in cells) + " |")
    return "\n".join(lines) + "\n"


def main() -> int:
    """Run the rows that are missing; 0 if every row is without fault."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rows", nargs="*", choices=ROWS, default=list(ROWS), metavar="NAME")
    parser.add_argument("--vectors", type=int, default=VECTORS, help="runs of each row")
    parser.add_argument("--jobs", type=int, default=2, help="rows at once")
    options = parser.parse_args()
    console = Console()
    commit = current_commit()
    rows = load_rows(commit, options.vectors)
    missing = [name for name in options.rows if name not in rows]
    with ProcessPoolExecutor(options.jobs) as pool:
        tasks = [
            pool.submit(measure, name, wanted(name, options.vectors), commit) for name in missing
        ]
        for task in as_completed(tasks):
            row = task.result()
            rows[row["configuration"]] = row
            write(rows)
            console.print(f"{row['configuration']}: {row['mismatches']} mismatches")
            for failure in row["failures"]:
                console.print(f"  {failure}", style="red", markup=False)
    table = Table("configuration", "runs", "mismatches", "latency", "interval", "seconds")
    for row in rows.values():
        cells = [row["vectors"], row["mismatches"], *row["cycles"].values(), row["seconds"]]
        table.add_row(row["configuration"], *(str(cell) for cell in cells))
    console.print(table)
    return int(any(row["failures"] for row in rows.values()))


if __name__ == "__main__":
    sys.exit(main())
