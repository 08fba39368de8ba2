"""Proofs on gates: ABC looks for a wrong output of a netlist in its first cycles.

Fast where words are only passed on, not where numbers are multiplied; without a trace.
"""

import re
from pathlib import Path

from residua.toolchain.formal import ProofResult
from residua.toolchain.kept_runs import keep_run
from residua.toolchain.process import ToolError, run
from residua.toolchain.yosys import ABC, run_script

_PASS = re.compile(r"^No output asserted in \d+ frames\.", re.MULTILINE)
_FAIL = re.compile(r"^Output \d+ of miter .* was asserted in frame \d+\.", re.MULTILINE)


def prove_gates(
    netlist: Path, *, out_dir: Path, cycles: int, timeout: float | None = None
) -> ProofResult:
    """Proves the assertions of a netlist for its first cycles.

    Registers without an initial value begin with any, and wires that nothing drives have any in
    each cycle; what is assumed holds from the first cycle on.

    Args:
        netlist: a file of ``out_dir`` that Yosys reads as JSON: one module of its internal cells,
            without memories, with ``$assert``, ``$assume``, ``$anyseq`` and ``$initstate``.
        out_dir: takes scripts, gates and logs.
        cycles: how many are looked at.
        timeout: seconds for each of the tools.

    Raises:
        ToolError: Yosys or ABC failed, or took too long.
    """
    gates, log = out_dir / f"{netlist.stem}.aig", out_dir / f"{netlist.stem}.log"
    script = [
        f"read_json {netlist.name}",
        # Of words only those bits stay that what is claimed depends on: no multiplier does.
        "simplemap t:$dff",
        "opt_clean",
        "formalff -setundef -clk2ff -ff2anyinit",
        "setundef -undriven -anyseq",
        "opt_merge",
        "techmap",
        "simplemap",
        "aigmap",
        "clean",
        f"write_aiger -I -B -zinit {gates.name}",
    ]
    run_script(
        script,
        reads=[netlist.name],
        writes=[gates.name],
        out_dir=out_dir,
        name=f"{netlist.stem}_gates",
        timeout=timeout,
    )
    steps = f"read_aiger {gates.name}; fold; strash; bmc3 -F {cycles}"

    def look() -> None:
        text = run([ABC, "-c", steps], tool="abc", cwd=out_dir, log=log, timeout=timeout)
        if not (_PASS.search(text) or _FAIL.search(text)):
            raise ToolError("abc gave no verdict", [str(ABC), "-c", steps], log, text[-500:])

    keep_run("abc", [steps, gates.read_bytes()], [log.name], out_dir, look)
    passed = _FAIL.search(log.read_text()) is None
    return ProofResult(passed=passed, verdict="PASS" if passed else "FAIL", trace=None, log=log)
