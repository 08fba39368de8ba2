"""Proofs on gates by ABC: of a netlist in its first cycles, or of one output for all time.

Fast where words are only passed on, not where numbers are multiplied; without a trace.
"""

import re
from pathlib import Path

from residua.toolchain.formal import ProofResult
from residua.toolchain.kept_runs import keep_run
from residua.toolchain.process import ToolError, run
from residua.toolchain.yosys import ABC, run_script

_PASS = re.compile(r"^No output asserted in \d+ frames\.", re.MULTILINE)
_PROVED = "Property proved"
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


def gates_script(result: str) -> list[str]:
    """The end of a Yosys script: the current module as AND gates, registers begin with 0.

    Args:
        result: file in the AIGER format.
    """
    return [
        "opt -full",
        "techmap",
        "opt -fast",
        "dffunmap",
        "simplemap",
        "zinit -all",
        "setundef -zero",
        "aigmap",
        "opt_clean",
        f"write_aiger -zinit {result}",
    ]


def prove_never(gates: Path, *, copies: bool, seconds: float) -> bool:
    """Whether the one output of a network is proved to be 0 in every cycle from its first on.

    By property-directed reachability (``pdr``), after signals that are equal in every state that is
    reached were made one (``scorr``). The output may be 0 without a proof.

    Args:
        gates: the network, a file in the AIGER format; what ABC writes goes beside it.
        copies: it compares two copies of a design, in which mostly all signals are equal; in others
            that may take longer than the rest, and is done where it has to be.
        seconds: for each ``pdr``; a proof ends after three times as many.
    """
    for merge in ("scorr; ",) if copies else ("", "scorr; "):
        verdict = _verdict(gates, merge, seconds)
        if verdict is not None:
            return verdict
    return False


def _verdict(gates: Path, merge: str, seconds: float) -> bool | None:
    """Whether it was proved, or refuted; None if neither."""
    out_dir = gates.parent
    reduced, log = f"{gates.stem}-reduced.aig", f"{gates.stem}.txt"
    steps = f"read_aiger {gates.name}; {merge}write_aiger {reduced}; pdr -T {seconds:g}"

    def prove() -> None:
        limit = 3 * seconds
        run([ABC, "-c", steps], tool="abc", cwd=out_dir, log=out_dir / log, timeout=limit)

    try:
        keep_run("abc", [steps, gates.read_bytes()], [log, reduced], out_dir, prove)
    except ToolError:
        return None
    text = (out_dir / log).read_text()
    if _FAIL.search(text):
        return False
    return True if _PROVED in text or _is_zero((out_dir / reduced).read_bytes()) else None


def _is_zero(aiger: bytes) -> bool:
    """Whether the one output of a network is constantly 0, and nothing else is left in it."""
    header, output = aiger.splitlines()[:2]
    _, _, _, latches, outputs, gates = header.split()
    return (latches, outputs, gates, output) == (b"0", b"1", b"0", b"0")
