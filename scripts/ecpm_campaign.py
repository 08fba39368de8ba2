"""The verification campaign of the extended-RNS point multiplier of 2006.

Additions, doublings and whole multiplications of points in simulated Verilog, half of them back to
back, half with stalls. Writes docs/results/ecpm.md and .json with the commit. Rows that are in the
.json for the same commit are kept; ``--rows`` limits it to rows with a part of their names,
``--most`` the runs of each.
"""

import argparse
import json
import random
import shutil
import subprocess
import sys
from itertools import islice
from pathlib import Path
from typing import Any

from rich.console import Console

from residua.cores.directory import build
from residua.cores.evidence import verify_directory
from residua.cores.extended_verification import negatives, operands
from residua.cores.specification import check_any

ROOT = Path(__file__).parent.parent
RESULTS = ROOT / "docs" / "results"
WORK = ROOT / "build" / "ecpm_campaign"
SEED = 8

ROWS: dict[str, tuple[int, dict[str, Any]]] = {
    "multiples, 160 bits": (200, {"curve": "brainpoolP160r1"}),
    "additions, 160 bits": (100_000, {"curve": "brainpoolP160r1", "operation": "add"}),
    "doublings, 160 bits": (100_000, {"curve": "brainpoolP160r1", "operation": "double"}),
    "multiples, 192 bits": (50, {"curve": "P-192"}),
    "multiples, radix 2": (
        50,
        {"curve": "secp160r1", "product_digit": 1, "conversion_digit": 1},
    ),
    "multiples, radix 64": (
        50,
        {"curve": "secp160k1", "product_digit": 6, "conversion_digit": 3},
    ),
}
"""Vectors and keys by the name of the row."""

INTRODUCTION = """\
The Verilog of each core, simulated with Verilator: every word of every result against the formulas
(10), (9) and Algorithm 1 on integers, and every result against affine arithmetic, the textbook
chord and tangent. Some runs are back to back, others with random gaps between operand words and
waiting results. Additions and doublings begin with all combinations of coordinates 0, 1 and
p - 1, and go on with others near 0, p / 2 and p, points of the curve (equal and opposite ones among
them) and any coordinates. Scalars begin with 0, 1, 2, 3 and those around the order, its halves and
its double, for which the loop adds P to O, to P and to -P; the neutral element is multiplied, too.
Radices are those of products and of the conversion to binary. Negative: runs in which a value
before a reduction is negative. Latency and interval are measured, in cycles, and the same for all
operands."""


def measure(name: str, vectors: int, keys: dict[str, Any], commit: str) -> dict[str, Any]:
    """Build the core of one row and verify it back to back and with stalls."""
    path = WORK / "".join(c if c.isalnum() else "_" for c in name)
    shutil.rmtree(path, ignore_errors=True)
    directory = build(check_any({"algorithm": "ecpm-2006", **keys}), path)
    half = max(vectors // 2, 1)
    prompt, stalled = (
        verify_directory(directory, vectors=half, seed=SEED + int(stalls), stalls=stalls)
        for stalls in (False, True)
    )
    runs = (prompt, stalled)
    negative = None
    if "operation" in keys:
        core = directory.extended
        given = (islice(operands(core, random.Random(SEED + k)), half) for k in (0, 1))
        negative = sum(negatives(core, numbers) > 0 for part in given for numbers in part)
    shutil.rmtree(path)
    parameters = directory.manifest["parameters"]
    return {
        "configuration": name,
        "curve": parameters["curve"],
        "moduli": f"{parameters['n']} x {parameters['w']}",
        "radix": f"{1 << parameters['product_digit']}, {1 << parameters['conversion_digit']}",
        "vectors": sum(run["vectors"] for run in runs),
        "mismatches": sum(run["mismatches"] for run in runs),
        "judged": sum(run["oracle_checks"] for run in runs),
        "negative": negative,
        "failures": [failure for run in runs for failure in run["failures"]],
        "cycles": {key: count or stalled["cycles"][key] for key, count in prompt["cycles"].items()},
        "seconds": round(sum(run["seconds"] for run in runs), 1),
        "commit": commit,
    }


def current_commit() -> str:
    """The commit that the sources are at, with a + if they differ from it."""
    commit, changes = (
        subprocess.run(["git", *words], cwd=ROOT, check=True, capture_output=True, text=True).stdout
        for words in (
            ["rev-parse", "--short=12", "HEAD"],
            ["status", "--porcelain", "--", "src/residua/hardware", "src/residua/cores"],
        )
    )
    return commit.strip() + ("+" if changes else "")


def load_rows(commit: str) -> dict[str, dict[str, Any]]:
    """Rows that were made at exactly this commit."""
    path = RESULTS / "ecpm.json"
    rows = json.loads(path.read_text(encoding="utf-8")) if path.exists() else []
    fresh = not commit.endswith("+")
    return {row["configuration"]: row for row in rows if fresh and row["commit"] == commit}


def write(rows: dict[str, dict[str, Any]]) -> None:
    """Write the table in both formats."""
    ordered = [rows[name] for name in ROWS if name in rows]
    RESULTS.mkdir(parents=True, exist_ok=True)
    text = json.dumps(ordered, indent=2) + "\n"
    (RESULTS / "ecpm.json").write_text(text, encoding="utf-8")
    (RESULTS / "ecpm.md").write_text(markdown(ordered), encoding="utf-8")


def markdown(rows: list[dict[str, Any]]) -> str:
    """The table for the documentation."""
    head = [
        "Configuration", "Curve", "Moduli", "Radices", "Runs", "Mismatches", "Judged", "Negative",
        "Latency", "Interval", "Commit",
    ]  # fmt: skip
    lines = [
        "# Extended-RNS point multiplier",
        "",
        INTRODUCTION,
        "",
        "| " + " | ".join(head) + " |",
        "|---|---|---" + "|--:" * (len(head) - 4) + "|---|",
    ]
    for row in rows:
        cells = [
            row["configuration"],
            row["curve"],
            row["moduli"],
            row["radix"],
            f"{row['vectors']:,}",
            row["mismatches"] if not row["failures"] else f"{row['mismatches']}, FAILED",
            f"{row['judged']:,}",
            "–" if row["negative"] is None else f"{row['negative']:,}",
            row["cycles"]["latency"],
            row["cycles"]["interval"] or "–",
            f"`{row['commit']}`",
        ]
        lines.append("| " + " | ".join(str(cell) for cell in cells) + " |")
    return "\n".join(lines) + "\n"


def main() -> int:
    """Run the rows that are missing; 0 if every row is without fault."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rows", nargs="*", default=[""], metavar="PART")
    parser.add_argument("--most", type=int, default=100_000, metavar="N", help="runs of a row")
    options = parser.parse_args()
    console, commit = Console(), current_commit()
    rows = load_rows(commit)
    for name, (vectors, keys) in ROWS.items():
        if name in rows or not any(part in name for part in options.rows):
            continue
        row = measure(name, min(vectors, options.most), keys, commit)
        rows[name] = row
        write(rows)
        console.print(f"{name}: {row['mismatches']} mismatches, {row['seconds']} s")
        for failure in row["failures"]:
            console.print(f"  {failure}", style="red", markup=False)
    return int(any(row["failures"] for row in rows.values()))


if __name__ == "__main__":
    sys.exit(main())
