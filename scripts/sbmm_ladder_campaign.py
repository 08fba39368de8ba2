"""Scalar multiplications on simulated coprocessors whose field unit is SBMM, against affine ones.

A hundred on a prime of 192 bits and twenty on one of 512, through the bus, and a step of the ladder
beside RNS Montgomery. Writes docs/results/sbmm_ladder.md and .json with the commit. Rows that are
in the .json for the same commit are kept; ``--rows`` limits it to some of them.
"""

import argparse
import json
import random
import shutil
import sys
import time
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor, as_completed
from dataclasses import asdict
from pathlib import Path
from typing import Any

from campaign_rows import RESULTS, ROOT, current_commit
from rich.console import Console

from residua.cores.coprocessor.driver.client import CoreError
from residua.cores.coprocessor.shipped.bus_simulator import (
    BusSimulator,
    client,
    curves,
    directory_model,
)
from residua.cores.coprocessor.specification import CoprocessorSpecification
from residua.cores.directory import build
from residua.cores.specification.reading import check
from residua.curves import affine
from residua.curves.parameters import WeierstrassCurve, parameters_of
from residua.explore.half_base_curve import half_base_curve
from residua.papers.sbmm.ladder_comparison import ladder_step

WORK = ROOT / "build" / "sbmm_ladder"
SEED = 1
STALLS = 96
MOST_FAILURES = 5

ROWS: dict[str, dict[str, int]] = {
    "192 (12, 16)": {"channels": 12, "width": 16, "count": 100},
    "512 (16, 32)": {"channels": 16, "width": 32, "count": 20},
}
"""Sizes by the name of the row, and how many multiplications."""

STEPS = tuple((n, w, c) for c in (1, 2) for n, w in ((12, 16), (16, 32), (24, 16), (32, 16)))
"""n, w and c of the ladder steps that are compared."""

INTRODUCTION = """\
The Verilog of coprocessors with `algorithm = "sbmm"` and their AXI buses, simulated with Verilator
and operated by the Python driver: complete multiplications k P of random points by random, blinded
scalars, compared with affine arithmetic on Python integers. The first scalars are 1, 2 and those
next to the order; the order itself has to give the neutral element. Every second multiplication
runs with random stalls. The curves are over primes P = M_a^2 - 2 that Residua generates, by complex
multiplication, with the (X, Z) ladder. Cycles are those without stalls, host included. A + after
the commit says that the sources differed from it. `make campaign-sbmm-ladders` writes this
page."""

STEP_TEXT = """\
Cycles of one bit of the (X, Z) ladder (SBMM Table 6), any a and b, on both field units with n/2
rowers each: SBMM with moduli of w bits and the narrow rower, RNS Montgomery with w + 1 bits.
Compress is how many elements a step compresses, with the fewest bits of m_gamma (g) for which that
is least. c = 2 has hierarchical extensions over rows of two moduli on both. In brackets: slots of
all sequences, the least that a schedule could have, where it has more."""


def cases(curve: WeierstrassCurve, count: int) -> Iterator[tuple[int, tuple[int, int]]]:
    """Scalars and points, the exceptional ones first."""
    draw = random.Random(f"{SEED} {curve.name}")
    special = [1, 2, curve.order - 1, curve.order, curve.order + 1]
    for index in range(count):
        point = affine.multiply(curve, draw.randrange(1, curve.order), curve.base_point)
        assert point is not None
        bits = max(curve.order_bits, curve.field_bits)
        yield special[index] if index < len(special) else draw.getrandbits(bits), point


def measure(name: str, commit: str) -> dict[str, Any]:
    """Build the core of one row and put it to the test."""
    size = ROWS[name]
    folder = WORK / "".join(c if c.isalnum() else "_" for c in name)
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    curve = half_base_curve(size["channels"], size["width"])
    directory = build(check(CoprocessorSpecification, specified(curve)), folder / "core")
    model = directory_model(directory)
    drivers = []
    for seed, stalls in ((SEED, 0), (SEED + 1, STALLS)):
        simulator = BusSimulator(model, seed=seed, stalls=stalls)
        drivers.append((simulator, client(simulator, curves(directory))))
    start, failures, cycles = time.monotonic(), [], set()
    for index, (k, point) in enumerate(cases(curve, size["count"])):
        simulator, driver = drivers[index % 2]
        before = simulator.cycles
        try:
            found: tuple[object, ...] = tuple(driver.execute("point_multiply", 0, (k, *point), 2))
        except CoreError as error:
            found = () if error.status == "neutral" else (error.status,)
        if index % 2 == 0 and found:
            cycles.add(simulator.cycles - before)
        if found != (affine.multiply(curve, k, point) or ()):
            failures.append(f"k = {k:#x}, P = {point}")
    parameters = directory.manifest["parameters"]
    return {
        "row": name,
        "core": directory.top,
        "prime_bits": curve.field_bits,
        "extra_bits": parameters["extra_bits"],
        "blinding": parameters["blinding"][0],
        "step": directory.manifest["cycles"]["ladder_step"],
        "count": size["count"],
        "mismatches": len(failures),
        "failures": failures[:MOST_FAILURES],
        "cycles": [min(cycles), max(cycles)],
        "seconds": round(time.monotonic() - start, 1),
        "commit": commit,
    }


def specified(curve: WeierstrassCurve) -> dict[str, Any]:
    """The specification of a row's core."""
    return {
        "algorithm": "sbmm",
        "curve": [parameters_of(curve)],
        "formula": "xz-ladder",
        "bus": "axi",
    }


def step_rows(commit: str) -> list[dict[str, Any]]:
    """Ladder steps of all sizes on both field units."""
    found = []
    for channels, width, columns in STEPS:
        step = ladder_step(channels, width, columns)
        found.append({**asdict(step), "saved": round(step.saved, 6), "commit": commit})
    return found


def load_rows(results: Path, commit: str) -> tuple[dict[str, dict[str, Any]], list[dict[str, Any]]]:
    """Multiplications and steps that were measured at exactly this commit."""
    path = results / "sbmm_ladder.json"
    data = json.loads(path.read_text(encoding="utf-8")) if path.exists() else {}
    fresh = None if commit.endswith("+") else commit
    rows = {r["row"]: r for r in data.get("multiplications", ()) if r["commit"] == fresh}
    return rows, [r for r in data.get("steps", ()) if r["commit"] == fresh]


def write(results: Path, rows: dict[str, dict[str, Any]], steps: list[dict[str, Any]]) -> None:
    """Write the page in both formats, in the order of ROWS."""
    data = {"multiplications": [rows[name] for name in ROWS if name in rows], "steps": steps}
    results.mkdir(parents=True, exist_ok=True)
    text = json.dumps(data, indent=2) + "\n"
    (results / "sbmm_ladder.json").write_text(text, encoding="utf-8")
    (results / "sbmm_ladder.md").write_text(markdown(data), encoding="utf-8")


def markdown(data: dict[str, Any]) -> str:
    """The page for the documentation."""
    head = ["Prime bits (n, w)", "Core", "g", "Blinding bits", "Multiplications", "Mismatches"]
    head += ["Cycles a bit", "Cycles of k P", "Seconds", "Commit"]
    lines = ["# Point multiplication on SBMM", "", INTRODUCTION, "", *_table_head(head)]
    for row in data["multiplications"]:
        least, most = row["cycles"]
        cells = [row["row"], f"`{row['core']}`", row["extra_bits"], row["blinding"], row["count"]]
        cells += [row["mismatches"], row["step"]]
        cells += [f"{least:,}" if least == most else f"{least:,} to {most:,}"]
        cells += [f"{row['seconds']:.0f}", f"`{row['commit']}`"]
        lines.append("| " + " | ".join(map(str, cells)) + " |")
    head = ["n", "w", "c", "Rowers", "g", "Compress", "SBMM", "RNS Montgomery", "Saved"]
    head += ["Commit"]
    lines += ["", "## A step of the ladder", "", STEP_TEXT, "", *_table_head(head)]
    for row in data["steps"]:
        cells = [row["channels"], row["width"], row["columns"], row["rowers"], row["extra_bits"]]
        cells += [row["compressions"], _cycles(row["sbmm"], row["sbmm_full"])]
        cells += [_cycles(row["montgomery"], row["montgomery_full"])]
        cells += [f"{100 * row['saved']:.1f} %", f"`{row['commit']}`"]
        lines.append("| " + " | ".join(map(str, cells)) + " |")
    return "\n".join(lines) + "\n"


def _table_head(names: list[str]) -> list[str]:
    return ["| " + " | ".join(names) + " |", "|---" * len(names) + "|"]


def _cycles(taken: int, full: int) -> str:
    return str(taken) if taken == full else f"{taken} ({full})"


def main() -> int:
    """Run the rows that are missing; 0 if every row is without fault."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rows", nargs="*", choices=ROWS, default=list(ROWS), metavar="NAME")
    parser.add_argument("--jobs", type=int, default=2, help="rows at once")
    parser.add_argument("--results", type=Path, default=RESULTS, help="where the tables go")
    options = parser.parse_args()
    console, commit = Console(), current_commit()
    rows, steps = load_rows(options.results, commit)
    steps = steps or step_rows(commit)
    with ProcessPoolExecutor(options.jobs) as pool:
        tasks = [pool.submit(measure, n, commit) for n in options.rows if n not in rows]
        for task in as_completed(tasks):
            row = task.result()
            rows[row["row"]] = row
            write(options.results, rows, steps)
            console.print(f"{row['row']}: {row['count']} run, {row['mismatches']} mismatches")
            for failure in row["failures"]:
                console.print(f"  {failure}", style="red", markup=False)
    write(options.results, rows, steps)
    return int(any(row["mismatches"] for row in rows.values()))


if __name__ == "__main__":
    sys.exit(main())
