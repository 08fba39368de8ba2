"""Whether a word from before a reset reaches a result: the verification of a marked core."""

from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from residua.cores.directory import Directory
from residua.cores.proofs.freshness import STALE, write_marked
from residua.cores.proofs.netlist import read_netlist
from residua.cores.simulation.runs import Resets, Runs
from residua.evidence.changed import with_core
from residua.toolchain.process import ToolError


def run_marked(
    directory: Directory, *, vectors: int | None = None, seed: int = 1, resets: Resets = None
) -> dict[str, Any]:
    """Verify a core whose bits have marks (`residua.cores.proofs.freshness`), with stalls.

    Args:
        directory: of the core; it stays as it is.
        vectors: runs, see `run_directory`.
        seed: chooses operands, stalls and resets.
        resets: how many come in mid-run.

    Returns:
        Whether it ``passed``, ``failures`` and ``resets``; not passed if a marked result came out.

    Raises:
        ToolError: a tool failed for another reason.
    """
    with TemporaryDirectory(prefix="marked-") as name:
        work = Path(name)
        sources, top = directory.sources(top=directory.name), directory.name
        netlist = read_netlist(sources, top, work, directory.made.boundary)
        text = write_marked(netlist, top, work).read_text(encoding="utf-8")
        changed = with_core(directory, text, work / "core")
        core = changed.made
        count = core.default_runs if vectors is None else vectors
        try:
            # Its Verilog alone: in a test bench no reset comes.
            found = core.simulate(changed.sources(top=top), Runs(count, seed, True, resets))
        except ToolError as error:
            if STALE not in error.output:
                raise
            return {"passed": False, "failures": [STALE]}
    return {"passed": found.passed, "failures": list(found.failures), "resets": found.resets}
