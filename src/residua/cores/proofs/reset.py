"""One cycle of reset is enough, proved on the netlist of a core, at full size and for all time.

Two copies of a core, one with its initial values, the other in any state at all, get one cycle of
reset, then the same handshakes and commands. From the next cycle on all that can be seen from
outside is equal in both, and what steers a memory as soon as the reset has come to its part of the
core (`Boundary.reset_delay`): nothing that was under way acts any more. Words may differ in both
copies, those that come in and those that memories hold, so the claim holds whatever was in the
core; the verdicts that a `Boundary` names are the same in both.

The proof has two parts. The first `SETTLES` cycles after the reset are looked at one by one; then
all registers of state are equal (`Netlist.state`), and that they stay so is the induction of
`residua.cores.proofs.constant_time`.
"""

from dataclasses import dataclass
from pathlib import Path

from residua.cores.proofs.netlist import Netlist
from residua.cores.proofs.pair import prove_pair
from residua.toolchain.formal import ProofResult

SETTLES = 12
"""Cycles after a reset from which on all registers that do not hold words are equal: those behind a
memory, which has no reset, and two registers, wait for its next word, and the modulus of a rower's
sum goes through the folds of its reducer with the data, without a reset, too."""


@dataclass(frozen=True)
class ResetResult:
    """Outcome of the proof for one core.

    Attributes:
        observed: bits that are equal from the reset on.
        registers: bits of registers of state, which are equal soon after it.
        begin: the verdict of ABC on the first cycles.
        steady: its verdict on all others.
    """

    observed: int
    registers: int
    begin: ProofResult
    steady: ProofResult

    @property
    def passed(self) -> bool:
        """Whether one cycle of reset is enough."""
        return self.begin.passed and self.steady.passed


def prove_reset(
    netlist: Netlist,
    *,
    out_dir: Path,
    timeout: float | None = None,
) -> ResetResult:
    """Prove that one cycle of reset ends all that is under way in a core.

    Args:
        netlist: of the core, with its boundary.
        out_dir: takes netlists and logs.
        timeout: seconds for each run of a tool.

    Raises:
        ToolError: Yosys or ABC failed, or took too long.
    """
    begin, steady = (
        prove_pair(
            netlist,
            netlist.state,
            settles=cycles,
            out_dir=out_dir,
            timeout=timeout,
        )
        for cycles in (SETTLES, 0)
    )
    return ResetResult(
        observed=len({bit for bits in netlist.observed.values() for bit in bits}),
        registers=len(netlist.state),
        begin=begin,
        steady=steady,
    )


def prove_first_cycles(
    netlist: Netlist,
    *,
    out_dir: Path,
    timeout: float | None = None,
) -> ProofResult:
    """The first part of the proof alone, of all public registers.

    Where they are equal and constant time is proved of the netlist, nothing is left to prove.

    Raises:
        ToolError: Yosys or ABC failed, or took too long.
    """
    return prove_pair(
        netlist,
        netlist.public_registers,
        settles=SETTLES,
        out_dir=out_dir,
        timeout=timeout,
    )
