"""Proofs of whole cores: constant time, one cycle of reset, nothing from before a reset."""

import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from residua.cores.directory import build
from residua.cores.kinds import core_of
from residua.cores.proofs.constant_time import prove_netlist
from residua.cores.proofs.integers import NotProvedError
from residua.cores.proofs.netlist import Netlist, read_netlist, write_verilog
from residua.cores.proofs.reset import prove_first_cycles, prove_reset
from residua.cores.specification.reading import check_any
from residua.evidence.freshness import run_marked
from residua.evidence.proofs.arithmetic import TIMEOUT

_MARKED_RUNS = 20


@dataclass(frozen=True)
class CoreProof:
    """A proof of the core that these keys ask for."""

    keys: dict[str, Any]
    prove: Callable[[dict[str, Any]], bool]

    def __call__(self) -> bool:
        """Prove it, see `residua.evidence.proofs.arithmetic.Proof`."""
        return self.prove(self.keys)


def constant_time(**keys: object) -> CoreProof:
    """Claim constant time of a core, and by its induction that one cycle of reset is enough."""
    return CoreProof(keys, _proved_constant)


def _proved_constant(keys: dict[str, Any]) -> bool:
    with _netlist(keys) as (netlist, folder):
        result = prove_netlist(netlist, out_dir=folder, timeout=TIMEOUT)
        after_reset = prove_first_cycles(netlist, out_dir=folder, timeout=TIMEOUT)
    if result.leaks:
        raise NotProvedError("; ".join(map(str, result.leaks)))
    return result.passed and after_reset.passed


def reset(**keys: object) -> CoreProof:
    """Claim one cycle of reset to be enough for a core of which constant time is not claimed."""
    return CoreProof(keys, _proved_reset)


def _proved_reset(keys: dict[str, Any]) -> bool:
    with _netlist(keys) as (netlist, folder):
        return prove_reset(netlist, out_dir=folder, timeout=TIMEOUT).passed


def fresh(**keys: object) -> CoreProof:
    """Claim that no word from before a reset is in a result of a small core."""
    return CoreProof(keys, _proved_fresh)


def _proved_fresh(keys: dict[str, Any]) -> bool:
    with tempfile.TemporaryDirectory() as work:
        directory = build(check_any(keys), Path(work) / "core")
        vectors = 1 if directory.made.complete_run else _MARKED_RUNS
        found = run_marked(directory, vectors=vectors)
    if found["failures"]:
        raise NotProvedError("; ".join(found["failures"]))
    return bool(found["passed"])


@contextmanager
def _netlist(keys: dict[str, Any]) -> Iterator[tuple[Netlist, Path]]:
    """The netlist of a core, and a folder for its proof."""
    core = core_of(check_any(keys))
    with tempfile.TemporaryDirectory() as work:
        folder = Path(work)
        verilog = write_verilog(core.component(), folder)
        yield read_netlist(*verilog, folder, core.boundary), folder
