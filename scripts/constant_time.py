"""Cycles of point multiplications over a thousand secrets on each of some coprocessors.

Extreme and random scalars, several points, on the simulated Verilog. Writes
docs/results/constant-time.md with the commit; ``--rows`` limits it to some of the cores, whose
rows alone are then printed and not written.
"""

import argparse
import sys
import tempfile
import time
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from pathlib import Path

from campaign_rows import RESULTS, current_commit

from residua.cores.coprocessor.rns_montgomery import EccCore
from residua.cores.coprocessor.simulator import build_coprocessor_simulator
from residua.cores.coprocessor.timing import TimingResult, measure_timing
from residua.cores.proofs.netlist import write_verilog
from residua.curves.blinding import BlindingChoice
from residua.curves.catalogue import find_curve
from residua.hardware.coprocessor.coprocessor import Coprocessor

RESULT = RESULTS / "constant-time.md"
RUNS = 1000
SEED = 1

ROWS: dict[str, tuple[str, BlindingChoice]] = {
    "P-256": ("P-256", 0),
    "P-256, blinded": ("P-256", "auto"),
    "secp256k1": ("secp256k1", 0),
    "Curve25519": ("Curve25519", 0),
    "Curve25519, blinded": ("Curve25519", "auto"),
}
"""Curve and bits of blinding by the name of the row."""

HEADER = """# Constant time, as measured

Multiplications of points on the simulated Verilog of each core, whose streams never wait: scalars
from 1 to n - 1, extremes first (both ends, single bits and gaps, long runs, alternating bits), then
random ones; the base point, its negative, its double and random points in turn; other random words
each time. Every result is compared with plain integers. Cycles and random words are all values that
occurred: with one value, the time does not depend on the secret. That it cannot is proved on the
netlist, see [Proofs](../proofs.md). `make constant-time` makes this page.

| core | operation | multiplications | points | mismatches | cycles | random words | seconds |
|---|---|---|---|---|---|---|---|
"""


@dataclass(frozen=True)
class Row:
    """A core and what was measured of it."""

    name: str
    found: TimingResult
    seconds: float

    def __str__(self) -> str:
        found = self.found
        cells = [
            self.name,
            found.operation.name,
            f"{found.runs:,}",
            found.points,
            found.mismatches,
            ", ".join(f"{cycles:,}" for cycles in found.cycles),
            ", ".join(map(str, found.random_words)),
            f"{self.seconds:.0f}",
        ]
        return f"| {' | '.join(map(str, cells))} |"


def measure(name: str, runs: int) -> Row:
    """Build and simulate the core of one row."""
    curve, blinding = ROWS[name]
    core = EccCore([find_curve(curve)], blinding=blinding)
    with tempfile.TemporaryDirectory() as work:
        sources, top = write_verilog(Coprocessor(core.design), Path(work))
        simulator = build_coprocessor_simulator(sources, top, core.design.words)
        start = time.monotonic()
        found = measure_timing(simulator, core.design, runs=runs, seed=SEED)
        return Row(name, found, time.monotonic() - start)


def main() -> int:
    """Measure; 0 if every result is right and no core's time depends on a secret."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rows", nargs="*", choices=ROWS, default=list(ROWS), metavar="NAME")
    parser.add_argument("--runs", type=int, default=RUNS, help="multiplications on each core")
    parser.add_argument("--jobs", type=int, default=2, help="cores at once")
    options = parser.parse_args()
    commit = current_commit()
    with ProcessPoolExecutor(options.jobs) as pool:
        rows = []
        for row in pool.map(measure, options.rows, [options.runs] * len(options.rows)):
            rows.append(row)
            print(row, flush=True)
    if options.rows == list(ROWS):
        lines = "\n".join(map(str, rows))
        RESULT.parent.mkdir(parents=True, exist_ok=True)
        RESULT.write_text(f"{HEADER}{lines}\n\nMade at commit {commit}.\n", encoding="utf-8")
    return int(not all(row.found.passed for row in rows))


if __name__ == "__main__":
    sys.exit(main())
