"""The verification campaign of digit multipliers: a million products, and a random sample of cores.

Half of the products back to back, half with stalls. Writes docs/results/digits.md and .json with
the commit. Rows that are in the .json for the same commit are kept, so that an interrupted campaign
goes on where it stopped; ``--rows`` limits it to rows with a part of their names, ``--points`` the
sample.
"""

import argparse
import json
import random
import shutil
import subprocess
import sys
from concurrent.futures import ProcessPoolExecutor, as_completed
from pathlib import Path
from typing import Any

from rich.console import Console

from residua.cores.directory import build
from residua.cores.evidence import verify_directory
from residua.cores.specification import check_any
from residua.errors import SpecificationError

ROOT = Path(__file__).parent.parent
RESULTS = ROOT / "docs" / "results"
WORK = ROOT / "build" / "digit_campaign"
SEED = 22
POINTS = 200
POINT_VECTORS = 500

LONG: dict[str, tuple[int, dict[str, Any]]] = {
    "IDDMM 256, 16": (1_000_000, {"bits": 256, "digit": 16}),
    "IDDMM 1024, 64": (1_000_000, {"bits": 1024, "digit": 64}),
    "IDDMM 256, 17, 2 lanes": (1_000_000, {"bits": 256, "digit": 17, "lanes": 2}),
}
"""Vectors and keys by the name of the row."""

INTRODUCTION = """\
The Verilog of each core, simulated with Verilator, against plain integers: every word of every
product. Half of the products are back to back, half with random gaps between operand words and
waiting results. Moduli are loaded, several for each row, those of full length and adversarial ones
among them, or built in (mod). For some operands the algorithm's own values are compared, too.
Rows: N, k, and the choices; “1 p2 schoolbook” is architecture 1, two pipeline levels, multipliers
of logic. Latency and interval are measured, in cycles, and the same for all operands."""


def sample(count: int) -> dict[str, tuple[int, dict[str, Any]]]:
    """Random points of the design space, the same for the same count."""
    chooser, found = random.Random(SEED), dict[str, tuple[int, dict[str, Any]]]()
    while len(found) < count:
        keys = _point(chooser)
        try:
            check_any({"algorithm": "iddmm", **keys})
        except SpecificationError:
            continue
        choice = (
            f"{keys['lanes']} lanes"
            if "lanes" in keys
            else f"{keys['architecture']} p{keys['pipeline']} {keys['multiplier']}"
        )
        modulus = "mod" if "modulus" in keys else keys["inverse"]
        bits = keys.get("bits") or int(keys["modulus"], 16).bit_length()
        found[f"{bits}, {keys['digit']}, {choice}, {keys['variant']}, {modulus}"] = (
            POINT_VECTORS,
            keys,
        )
    return found


def _point(chooser: random.Random) -> dict[str, Any]:
    bits = chooser.choice((16, 31, 64, 127, 128, 160, 192, 255, 256, 384, 512, 521, 1024))
    digit = chooser.choice((*range(2, 33), 40, 48, 63, 64, 65, 96, 127, 128))
    # No more cycles than a simulator has time for.
    digit = max(digit, bits // 64, 2)
    keys: dict[str, Any] = {"digit": digit, "variant": chooser.choice(("subtract", "closed"))}
    if chooser.random() < 0.5:
        keys["modulus"] = hex((1 << bits) - 1 - 2 * chooser.randrange(1 << bits - 2))
    else:
        keys |= {"bits": bits, "inverse": chooser.choice(("computed", "supplied"))}
    digits = -(-bits // digit)
    if chooser.random() < 0.3:
        return keys | {"lanes": chooser.randint(1, min(digits, 8))}
    logic = digit & (digit - 1) == 0 and digit <= 64
    kinds = ("inferred", "schoolbook", "karatsuba") if logic else ("inferred",)
    return keys | {
        "architecture": chooser.randint(1, 2),
        "pipeline": chooser.randint(0, 2),
        "multiplier": chooser.choice(kinds),
    }


def measure(name: str, vectors: int, keys: dict[str, Any], commit: str) -> dict[str, Any]:
    """Build the core of one row and verify it back to back and with stalls."""
    path = WORK / "".join(c if c.isalnum() else "_" for c in name)
    shutil.rmtree(path, ignore_errors=True)
    directory = build(check_any({"algorithm": "iddmm", **keys}), path)
    half = -(-vectors // 2)
    prompt, stalled = (
        verify_directory(directory, vectors=half, seed=SEED + int(stalls), stalls=stalls)
        for stalls in (False, True)
    )
    runs = (prompt, stalled)
    shutil.rmtree(path)
    return {
        "configuration": name,
        "vectors": sum(run["vectors"] for run in runs),
        "mismatches": sum(run["mismatches"] for run in runs),
        "model_checks": sum(run["model_checks"] for run in runs),
        "failures": [failure for run in runs for failure in run["failures"]],
        "cycles": prompt["cycles"],
        "seconds": round(sum(run["seconds"] for run in runs), 1),
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


def load_rows(commit: str) -> dict[str, dict[str, Any]]:
    """Rows that were made at exactly this commit."""
    path = RESULTS / "digits.json"
    rows = json.loads(path.read_text(encoding="utf-8")) if path.exists() else []
    fresh = not commit.endswith("+")
    return {row["configuration"]: row for row in rows if fresh and row["commit"] == commit}


def write(rows: dict[str, dict[str, Any]], order: list[str]) -> None:
    """Write the table in both formats."""
    ordered = [rows[name] for name in order if name in rows]
    RESULTS.mkdir(parents=True, exist_ok=True)
    text = json.dumps(ordered, indent=2) + "\n"
    (RESULTS / "digits.json").write_text(text, encoding="utf-8")
    (RESULTS / "digits.md").write_text(markdown(ordered), encoding="utf-8")


def markdown(rows: list[dict[str, Any]]) -> str:
    """The table for the documentation."""
    head = ["Configuration", "Products", "Mismatches", "Model", "Latency", "Interval", "Commit"]
    lines = [
        "# Digit multipliers",
        "",
        INTRODUCTION,
        "",
        "| " + " | ".join(head) + " |",
        "|---" + "|--:" * (len(head) - 2) + "|---|",
    ]
    for row in rows:
        cells = [
            row["configuration"],
            f"{row['vectors']:,}",
            row["mismatches"] if not row["failures"] else f"{row['mismatches']}, FAILED",
            row["model_checks"],
            row["cycles"]["latency"],
            row["cycles"]["interval"],
            f"`{row['commit']}`",
        ]
        lines.append("| " + " | ".join(str(cell) for cell in cells) + " |")
    total = sum(row["vectors"] for row in rows)
    return "\n".join(lines) + f"\n\n{len(rows)} cores, {total:,} products.\n"


def main() -> int:
    """Run the rows that are missing; 0 if every row is without fault."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rows", nargs="*", default=[""], metavar="PART")
    parser.add_argument("--points", type=int, default=POINTS, help="cores of the sample")
    parser.add_argument("--jobs", type=int, default=2, help="rows at once")
    options = parser.parse_args()
    console, commit = Console(), current_commit()
    every = LONG | sample(options.points)
    rows = load_rows(commit)
    missing = {
        name: row
        for name, row in every.items()
        if name not in rows and any(part in name for part in options.rows)
    }
    with ProcessPoolExecutor(options.jobs) as pool:
        tasks = [pool.submit(measure, name, *row, commit) for name, row in missing.items()]
        for task in as_completed(tasks):
            row = task.result()
            rows[row["configuration"]] = row
            write(rows, list(every))
            console.print(f"{row['configuration']}: {row['mismatches']} mismatches")
            for failure in row["failures"]:
                console.print(f"  {failure}", style="red", markup=False)
    return int(any(row["failures"] for row in rows.values()))


if __name__ == "__main__":
    sys.exit(main())
