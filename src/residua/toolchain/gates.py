"""Proofs on gates by ABC: of a netlist in its first cycles, or of one output for all time.

Fast where words are only passed on, not where numbers are multiplied; without a trace.
"""

import re
from dataclasses import dataclass
from pathlib import Path

from residua.toolchain.aiger import Network
from residua.toolchain.formal import ProofResult
from residua.toolchain.kept.runs import keep_run
from residua.toolchain.process import ToolError, run
from residua.toolchain.yosys import ABC, run_script

_PASS = re.compile(r"^No output asserted in \d+ frames\.", re.MULTILINE)
_PROVED = "Property proved"
_EXCLUDED = "\nUNSATISFIABLE"
_COUNTED_ALL = "The miter is proved unreachable"
_FAIL = re.compile(r"^Output (\d+) of miter .* was asserted in frame (\d+)\.", re.MULTILINE)
_RAISED = re.compile(r"^Output +(\d+) was asserted in frame", re.MULTILINE)

_COUNTED = 150
"""Registers up to which states are counted."""

_ROUNDS, _NODES = 10_000_000, 2_000_000
"""Limits for that: cycles, and nodes of a decision diagram."""

_BEYOND, _LOOK = 16, 2
"""Cycles after a first output is 1, and CPU seconds, in which others are looked for."""


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
        f"write_aiger -zinit -symbols {result}",
    ]


@dataclass(frozen=True)
class Outcome:
    """What is known of the outputs of a network: that all are 0 for ever, or some that are not.

    Attributes:
        proved: they are.
        raised: the numbers of some that are 1 at some time.
    """

    proved: bool = False
    raised: frozenset[int] = frozenset()


def watch(gates: Path, *, cpu_seconds: int, outputs: int | None = None) -> Outcome:
    """Whether outputs of a network are proved to be 0 in every cycle from its first on.

    Signals that are equal in every state that is reached are made one (``scorr``). A network of
    few registers has its states counted then (``reach``, by decision diagrams), which gets to
    the end of long counters; the rest is left to property-directed reachability (``pdr``).

    Args:
        gates: the network, a file in the AIGER format; what ABC writes goes beside it.
        cpu_seconds: for each of the ways; a proof ends after three times as many. They are of the
            processor's time, so that the outcome does not depend on what else runs.
        outputs: how many are asked for, the first ones; the others only help. All if None.
    """
    network = reduced(gates, cpu_seconds=3 * cpu_seconds)
    if network is None:
        return Outcome()
    left = Network.read(network)
    if not any(left.outputs[:outputs]):
        return Outcome(proved=True)
    if outputs is not None:
        left.outputs = left.outputs[:outputs]
        network.write_bytes(left.content())
    ways = [f"pdr -T {cpu_seconds}"]
    if len(left.following) <= _COUNTED:
        ways.insert(0, f"reach -T {cpu_seconds} -F {_ROUNDS} -B {_NODES}")
    for way in ways:
        said = _said(network, f"read_aiger {network.name}; {way}", [], 2 * cpu_seconds) or ""
        if _PROVED in said or _COUNTED_ALL in said:
            return Outcome(proved=True)
        if failed := _FAIL.search(said):
            return Outcome(raised=_raised(network, int(failed[2])) | {int(failed[1])})
    return Outcome()


def excluded(gates: Path, *, cpu_seconds: int) -> bool:
    """Whether no input makes any output of a network 1, which has no registers.

    Args:
        gates: the network, a file in the AIGER format; what ABC writes goes beside it.
        cpu_seconds: of the processor's time.
    """
    said = _said(gates, f"read_aiger {gates.name}; orpos; iprove", [], cpu_seconds) or ""
    return _EXCLUDED in said


def reduced(gates: Path, *, cpu_seconds: int, way: str = "scorr") -> Path | None:
    """A network in which signals are one that are equal in every state that is reached.

    Args:
        gates: the network, a file in the AIGER format; what ABC writes goes beside it.
        cpu_seconds: of the processor's time.
        way: ABC's command: ``scorr``, or ``lcorr`` for registers alone, which is faster.

    Returns:
        Its file, whose inputs and outputs are in the same order, without names; None if it takes
        longer.
    """
    result = gates.with_name(f"{gates.stem}-reduced.aig")
    steps = f"read_aiger {gates.name}; {way}; write_aiger {result.name}"
    return None if _said(gates, steps, [result.name], cpu_seconds) is None else result


def _raised(network: Path, frame: int) -> frozenset[int]:
    """The outputs that are found to be 1 up to a few cycles after one."""
    steps = f"read_aiger {network.name}; bmc3 -a -F {frame + _BEYOND} -T {_LOOK}"
    said = _said(network, steps, [], 4 * _LOOK) or ""
    return frozenset(int(number) for number in _RAISED.findall(said))


def _said(gates: Path, steps: str, written: list[str], limit: int) -> str | None:
    """What ABC says to some steps; None if it fails or takes more than ``limit`` CPU seconds."""
    log = gates.with_suffix(".txt")
    log.unlink(missing_ok=True)

    def work() -> None:
        run([ABC, "-c", steps], tool="abc", cwd=gates.parent, log=log, cpu_seconds=limit)

    try:
        keep_run("abc", [steps, gates.read_bytes()], [log.name, *written], gates.parent, work)
    except ToolError:
        return None
    return log.read_text()
