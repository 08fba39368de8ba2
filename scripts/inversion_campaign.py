"""The verification campaign of modular inverters: every inverse, and the cycles of every operand.

Writes docs/results/inversions.md, .json and .svg with the commit. Rows that are in the .json for
the same commit, or for the same Verilog, are kept, so that an interrupted campaign goes on where it
stopped; ``--rows`` limits it to rows with a part of their names.
"""

import argparse
import json
import statistics
import sys
from collections import Counter
from io import StringIO
from typing import Any

import matplotlib as mpl
from campaign_rows import RESULTS, ROOT, Row, current_commit, holds, made, prepare, verilog
from matplotlib.figure import Figure
from rich.console import Console

from residua.cores.inversion_verification import build_inverter_simulator, verify_inversions
from residua.hardware.plus_minus_inverter import PlusMinusDesign

WORK = ROOT / "build" / "inversion_campaign"
SEED = 23
STALLED = 1000
"""Inversions of every row besides, with random gaps between words and results that wait."""

ROWS: dict[str, tuple[int, dict[str, Any]]] = {
    "P-192, plus-minus": (
        100_000,
        {"modulus": "P-192", "inversion": "plus-minus", "width": 17, "channels": 12},
    ),
    "P-256, plus-minus": (
        100_000,
        {"modulus": "P-256", "inversion": "plus-minus", "width": 17, "channels": 16},
    ),
    "P-384, plus-minus": (
        10_000,
        {"modulus": "P-384", "inversion": "plus-minus", "width": 22, "channels": 18},
    ),
    "P-256, plus-minus-ct": (
        10_000,
        {"modulus": "P-256", "inversion": "plus-minus-ct", "width": 17, "channels": 16},
    ),
    "P-256, division-steps": (
        10_000,
        {"modulus": "P-256", "inversion": "division-steps", "width": 17},
    ),
}
"""Inversions and keys by the name of the row."""

INTRODUCTION = """\
The Verilog of each core, simulated with Verilator, back to back: every word of every result is
compared with gmpy2's inverse, so that results times operands are 1; the cycles of every operand,
from the last operand word to the last result word, with the bound, and those of constant time and
of 2000 others with the model's. Operands: 1, 2, other small ones, P − 1, P − 2, halves, thirds and
quarters of P, those next to every power of two and to P less every power of two, the inverses of
all these, and random ones, one in 16 of them short. 0, P and more are among them and must raise the
error flag; they do not count into cycles. A thousand inversions of each row, besides, have random
gaps between words and results that wait. A + after the commit says that the sources differed from
it. `make campaign-inversions` writes this page."""

STEPS_TEXT = """\
A step is a division of V3 and V1 by 2 or 4, or a sum or difference of pairs divided by 4. Where the
loop ends depends on the operand; the bound is proved (`algorithms/plus_minus.py`). The rows of
constant time take the same cycles for all operands, refused ones included."""


def measure(name: str, vectors: int, keys: dict[str, Any], commit: str, known: Row | None) -> Row:
    """Build the core of one row and verify it, unless what is known holds."""
    directory = prepare(name, {"algorithm": "inversion", **keys}, WORK)
    if known and holds(known, directory, "vectors", vectors):
        return known
    core, work = directory.inverter, directory.path / "simulation"
    simulator = build_inverter_simulator(core, directory.sources(), build_dir=work)
    prompt = verify_inversions(simulator, vectors=vectors, seed=SEED, stalls=False)
    stalled = verify_inversions(simulator, vectors=STALLED, seed=SEED + 1, stalls=True)
    verdicts = (prompt.verdict, stalled.verdict)
    row = {
        "configuration": name,
        "timing": core.parameters["timing"],
        "vectors": prompt.verdict.vectors,
        "stalled": stalled.verdict.vectors,
        "inverses": len(prompt.cycles),
        "mismatches": sum(verdict.mismatches for verdict in verdicts),
        "model_checks": sum(verdict.model_checks for verdict in verdicts),
        "failures": [failure for verdict in verdicts for failure in verdict.failures],
        "cycles": {
            "fewest": min(prompt.cycles),
            "average": round(statistics.fmean(prompt.cycles), 2),
            "most": max(prompt.cycles),
            "bound": core.design.longest,
        },
        "seconds": round(sum(verdict.seconds for verdict in verdicts), 1),
        "commit": commit,
        "verilog": verilog(directory),
    }
    if isinstance(core.design, PlusMinusDesign):
        row |= {"steps": _steps(core.design, prompt.cycles)}
    return row


def _steps(design: PlusMinusDesign, cycles: tuple[int, ...]) -> dict[str, Any]:
    """How many operands took how many steps, if that shows in cycles."""
    found: dict[str, Any] = {
        "bound": design.most_steps,
        "period": design.period,
        "conversions": design.frame,
    }
    if not design.padded:
        counts = Counter((each - design.frame) // design.period for each in cycles)
        found["distribution"] = {str(steps): counts[steps] for steps in sorted(counts)}
    return found


def load_rows() -> dict[str, Row]:
    """All rows by name, those of other commits among them."""
    path = RESULTS / "inversions.json"
    rows = json.loads(path.read_text(encoding="utf-8")) if path.exists() else []
    return {row["configuration"]: row for row in rows}


def write(rows: dict[str, dict[str, Any]]) -> None:
    """Write the table in both formats, and the distribution of steps."""
    ordered = [rows[name] for name in ROWS if name in rows]
    RESULTS.mkdir(parents=True, exist_ok=True)
    text = json.dumps(ordered, indent=2) + "\n"
    (RESULTS / "inversions.json").write_text(text, encoding="utf-8")
    drawn = [row for row in ordered if "distribution" in row.get("steps", {})]
    (RESULTS / "inversions.md").write_text(markdown(ordered, bool(drawn)), encoding="utf-8")
    if drawn:
        (RESULTS / "inversions.svg").write_text(plot(drawn), encoding="utf-8")


def markdown(rows: list[dict[str, Any]], drawn: bool) -> str:
    """The page."""
    lines = ["# Modular inversion", "", INTRODUCTION, ""]
    head = ["Configuration", "Timing", "Inversions", "Mismatches", "Cycles", "Average", "Bound"]
    lines += _table([*head, "Model", "Commit"], [_cells(row) for row in rows])
    lines += ["", STEPS_TEXT, ""]
    head = ["Configuration", "Steps", "Average", "Bound", "Cycles of a step", "of conversions"]
    variable = [row for row in rows if "distribution" in row.get("steps", {})]
    lines += _table(head, [_step_cells(row) for row in variable])
    if drawn:
        lines += ["", "![How many operands take how many steps](inversions.svg)"]
    return "\n".join([*lines, ""])


def _table(head: list[str], rows: list[list[object]]) -> list[str]:
    cells = [head, ["---"] * len(head), *rows]
    return ["| " + " | ".join(map(str, row)) + " |" for row in cells]


def _cells(row: dict[str, Any]) -> list[object]:
    cycles = row["cycles"]
    spread = {cycles["fewest"], cycles["most"]}
    return [
        row["configuration"],
        row["timing"],
        f"{row['vectors'] + row['stalled']:,}",
        row["mismatches"] if not row["failures"] else f"{row['mismatches']}, FAILED",
        " to ".join(map(str, sorted(spread))),
        cycles["average"],
        cycles["bound"],
        row["model_checks"],
        f"`{row['commit']}`",
    ]


def _step_cells(row: dict[str, Any]) -> list[object]:
    steps = row["steps"]
    numbers = [int(n) for n in steps["distribution"]]
    weights = list(steps["distribution"].values())
    average = sum(n * w for n, w in zip(numbers, weights, strict=True)) / sum(weights)
    return [
        row["configuration"],
        f"{min(numbers)} to {max(numbers)}",
        f"{average:.2f}",
        steps["bound"],
        steps["period"],
        steps["conversions"],
    ]


def plot(rows: list[dict[str, Any]]) -> str:
    """The share of operands by number of steps."""
    figure = Figure(figsize=(8.0, 3.5), layout="constrained")
    axes = figure.subplots()
    for row in rows:
        found = row["steps"]["distribution"]
        total = sum(found.values())
        numbers = [int(steps) for steps in found]
        axes.plot(numbers, [count / total for count in found.values()], label=row["configuration"])
    axes.set(xlabel="steps", ylabel="share of operands", ylim=(0, None))
    axes.legend(frameon=False)
    target = StringIO()
    with mpl.rc_context({"svg.hashsalt": "residua", "svg.fonttype": "none"}):
        figure.savefig(target, format="svg", metadata={"Date": None})
    return target.getvalue()


def main() -> int:
    """Run the rows that are missing; 0 if every row is without fault."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rows", nargs="*", default=[""], metavar="PART")
    parser.add_argument("--vectors", type=int, default=100_000, help="inversions, at most")
    options = parser.parse_args()
    console, commit = Console(), current_commit()
    rows = load_rows()
    for name, (vectors, keys) in ROWS.items():
        known, count = rows.get(name), min(vectors, options.vectors)
        if made(known, commit, "vectors", count) or not any(part in name for part in options.rows):
            continue
        row = rows[name] = measure(name, count, keys, commit, known)
        write(rows)
        console.print(f"{name}: {row['mismatches']} mismatches, cycles {row['cycles']}")
        for failure in row["failures"]:
            console.print(f"  {failure}", style="red", markup=False)
    return int(any(row["failures"] for row in rows.values()))


if __name__ == "__main__":
    sys.exit(main())
