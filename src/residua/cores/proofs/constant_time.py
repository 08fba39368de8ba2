"""Constant time, proved on the netlist of a core, at full size and for all time.

Two copies of a core get the same commands, handshakes and resets, but any operands, random words
and contents of memories, each its own. If the verdicts that `Boundary` names are the same in both,
so is, in every cycle, all that can be seen from outside or that steers a memory.

Two methods look at the Verilog of the core, made flat by Yosys:

* a dependency analysis: no wire that is seen is reached, through gates, registers or memories, from
  a secret;
* ABC: the two copies side by side, by induction. Which registers are equal in both, which
  the induction needs to know, comes from the analysis; that they stay so is proved.
"""

from dataclasses import dataclass
from pathlib import Path

from amaranth.lib.wiring import Component

from residua.cores.proofs.boundary import Boundary
from residua.cores.proofs.netlist import Netlist, read_netlist, write_verilog
from residua.cores.proofs.pair import prove_pair
from residua.toolchain.formal import ProofResult


@dataclass(frozen=True)
class ConstantTimeResult:
    """Outcome of the proof for one core.

    Attributes:
        observed: bits that have to be equal: outputs, addresses and enables of memories.
        registers: bits of registers that are equal.
        leaks: what depends on a secret, as the wires from the secret to it, one line each.
        proof: the verdict of ABC.
    """

    observed: int
    registers: int
    leaks: tuple[str, ...]
    proof: ProofResult

    @property
    def passed(self) -> bool:
        """Whether nothing that is seen depends on a secret, by both methods."""
        return not self.leaks and self.proof.passed


def prove_constant_time(
    component: Component,
    boundary: Boundary,
    *,
    out_dir: Path,
    timeout: float | None = None,
) -> ConstantTimeResult:
    """Write a core's Verilog and prove that what is seen of it depends on no secret.

    Args:
        component: the core.
        boundary: what is secret in it.
        out_dir: takes Verilog, netlists and logs; made if absent.
        timeout: seconds for each run of a tool.

    Raises:
        SpecificationError: the core has not all that the boundary names.
        ToolError: Yosys or ABC failed, or took too long.
    """
    verilog = write_verilog(component, out_dir)
    return prove_netlist(
        read_netlist(*verilog, out_dir, boundary), out_dir=out_dir, timeout=timeout
    )


def prove_netlist(
    netlist: Netlist,
    *,
    out_dir: Path,
    timeout: float | None = None,
) -> ConstantTimeResult:
    """Prove constant time of a netlist; see `prove_constant_time`."""
    registers = netlist.public_registers
    proof = prove_pair(netlist, registers, out_dir=out_dir, timeout=timeout)
    return ConstantTimeResult(
        observed=len({bit for bits in netlist.observed.values() for bit in bits}),
        registers=len(netlist.public_registers),
        leaks=netlist.leaks,
        proof=proof,
    )
