"""Simulates the synthesised netlists of the 192-bit core and writes docs/results/netlists.md.

usage: python scripts/netlists.py [PRODUCTS]
PRODUCTS, 10000 by default, are made back to back, and as many again with stalls.
"""

import subprocess
import sys
from pathlib import Path

from residua.cores.rns_montgomery.core import RnsMontgomeryCore
from residua.cores.rns_montgomery.specification import Specification
from residua.cores.simulation.engine import verify
from residua.cores.simulation.netlists import netlist_simulator
from residua.cores.specification.keys import ReductionChoice
from residua.toolchain.process import versions

ROOT = Path(__file__).resolve().parent.parent
RESULT = ROOT / "docs/results/netlists.md"
SEED = 1
KINDS: list[tuple[str, ReductionChoice]] = [
    ("ecp5", "shift"),
    ("ecp5", "multiply"),
    ("xc7", "shift"),
    ("xc7", "multiply"),
]
CELLS = {
    "ecp5": ("MULT18X18D", "CCU2C", "LUT4", "PFUMX", "TRELLIS_FF", "TRELLIS_DPR16X4"),
    "xc7": ("DSP48E1", "CARRY4", "LUT6", "RAM32M", "FDRE"),
}

HEADER = """# Netlists

What synthesis makes of a core, simulated with models of the device's cells and compared with the
model of the core: every residue of every result. `make netlists` makes this page.

The core: RNS Montgomery multiplication modulo P-192, n = 12, w = 17, residues to residues, with
reducers that shift and add, and with reducers whose first fold multiplies. Operands: first the
adversarial cases of the core's workload (0, 1, P - 1, bounds, Cox sums at the limits of their
truncation), then random ones, and results as operands again. Each netlist runs back to back and
once more with random stalls, with seed {seed}.

Models: those of Yosys for all cells but MULT18X18D, whose model is Residua's own
(`src/residua/toolchain/cells`). Netlists are flat; timing is not simulated.

| target | reduction | products | with stalls | differences | latency, interval | cells |
|---|---|---|---|---|---|---|
"""


def measure(target: str, reduction: ReductionChoice, products: int) -> tuple[str, bool]:
    request = Specification(modulus=2**192 - 2**64 - 1, width=17, channels=12, reduction=reduction)
    core = RnsMontgomeryCore(request)
    work = ROOT / "build/netlists" / f"{target}-{reduction}"
    # Compiling with optimisation would take longer than it saves.
    netlist = netlist_simulator(core, target, out_dir=work, seed=SEED, optimise=False)
    steady, stalled = (
        verify(netlist.simulator, vectors=products, seed=SEED, stalls=stalls)
        for stalls in (False, True)
    )
    for failure in (*steady.failures, *stalled.failures):
        print(f"{target} {reduction}: {failure}", file=sys.stderr)
    cells = netlist.synthesis.cells
    row = (
        f"| {target} | {reduction} | {steady.vectors} | {stalled.vectors} "
        f"| {steady.mismatches + stalled.mismatches} | {steady.latency}, {steady.interval} "
        f"| {', '.join(f'{cells.get(kind, 0)} {kind}' for kind in CELLS[target])} |"
    )
    seconds = steady.seconds + stalled.seconds
    times = (netlist.synthesis_seconds, netlist.simulator.build_seconds, seconds)
    print(
        row, "synthesis, compilation, simulation:", *(f"{time:.0f} s" for time in times), flush=True
    )
    return row, steady.passed and stalled.passed


def commit() -> str:
    command = ["git", "describe", "--always", "--dirty", "--abbrev=12"]
    return subprocess.run(
        command, cwd=ROOT, check=True, capture_output=True, text=True
    ).stdout.strip()


def main() -> None:
    products = int(sys.argv[1]) if len(sys.argv) > 1 else 10_000
    results = [measure(target, reduction, products) for target, reduction in KINDS]
    tools = ", ".join(f"{name} {found}" for name, found in versions().items())
    text = HEADER.format(seed=SEED) + "\n".join(row for row, _ in results)
    RESULT.parent.mkdir(parents=True, exist_ok=True)
    RESULT.write_text(f"{text}\n\nMade at commit {commit()} with {tools}.\n", encoding="utf-8")
    sys.exit(not all(passed for _, passed in results))


if __name__ == "__main__":
    main()
