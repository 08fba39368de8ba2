"""Proofs of whole cores: constant time, one cycle of reset, nothing from before a reset."""

import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any

from residua.cores.coprocessor.core import CurveBuild
from residua.cores.directory import build
from residua.cores.kinds import core_of
from residua.cores.proofs.constant_time import prove_netlist
from residua.cores.proofs.integers import NotProvedError
from residua.cores.proofs.netlist import Netlist, read_netlist, write_verilog
from residua.cores.proofs.reset import prove_first_cycles, prove_reset
from residua.cores.specification.reading import check_any
from residua.evidence.freshness import run_marked
from residua.evidence.proofs.arithmetic import TIMEOUT, Proof

_MARKED_RUNS = 20


def constant_time(**keys: object) -> Proof:
    """Constant time of a core, and with its induction that one cycle of reset is enough."""
    return partial(_proved_constant, keys)


def _proved_constant(keys: dict[str, Any]) -> bool:
    with _netlist(keys) as (netlist, folder):
        result = prove_netlist(netlist, out_dir=folder, timeout=TIMEOUT)
        after_reset = prove_first_cycles(netlist, out_dir=folder, timeout=TIMEOUT)
    if result.leaks:
        raise NotProvedError("; ".join(map(str, result.leaks)))
    return result.passed and after_reset.passed


def reset(**keys: object) -> Proof:
    """That one cycle of reset is enough for a core of which constant time is not claimed."""
    return partial(_proved_reset, keys)


def _proved_reset(keys: dict[str, Any]) -> bool:
    with _netlist(keys) as (netlist, folder):
        return prove_reset(netlist, out_dir=folder, timeout=TIMEOUT).passed


def fresh(**keys: object) -> Proof:
    """That no word from before a reset is in a result of a small core."""
    return partial(_proved_fresh, keys)


def _proved_fresh(keys: dict[str, Any]) -> bool:
    with tempfile.TemporaryDirectory() as work:
        directory = build(check_any(keys), Path(work) / "core")
        vectors = 1 if isinstance(directory.made, CurveBuild) else _MARKED_RUNS
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
