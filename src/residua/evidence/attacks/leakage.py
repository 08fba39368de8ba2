"""Leakage of a core: do simulated traces tell a fixed operand from random ones?

Traces of a fixed scalar, or of another secret operand, and of random ones, with fresh random words
each, are compared cycle by cycle by Welch's t, of their means and of their variances (Goodwill,
Jun, Jaffe and Rohatgi, 2011; Schneider and Moradi, CHES 2015).
"""

import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from residua.cores.coprocessor.core import CoprocessorCore
from residua.cores.directory import Directory
from residua.cores.simulation.runs import Steps
from residua.errors import SpecificationError
from residua.evidence.attacks.groups import Compared, Groups
from residua.evidence.attacks.point_groups import point_groups
from residua.evidence.attacks.power_groups import power_groups
from residua.evidence.attacks.tracing import Tracer
from residua.evidence.attacks.victims.choice import attacked_core
from residua.evidence.attacks.welch import USUAL, Moments, Traces, threshold


def leakage(
    directory: Directory,
    asked: Compared,
    *,
    keep: Path | None = None,
    progress: Steps = lambda done, total: None,
) -> dict[str, Any]:
    """Compare traces of operations with a fixed operand and with random ones.

    Args:
        directory: of a coprocessor, an exponentiator or an RSA core.
        asked: see `Compared`.
        keep: a file that takes the traces as NumPy arrays: ``traces``, ``fixed`` (whether a trace
            has the fixed operand), ``scalars`` (the operand of each), ``t1``, ``t2``, and
            ``starts`` and ``phases``, the first cycles and the names of the phases.
        progress: called now and then.

    Returns:
        ``cycles`` and ``bits`` of a trace; for ``first`` and ``second`` order the largest ``t``,
        its ``cycle``, how many cycles are ``above`` the threshold and ``phases`` with the largest t
        of each; ``threshold`` for the whole trace, and the ``usual`` one for a single cycle.

    Raises:
        SpecificationError: the directory is of another core, it has no such curve, operation,
            operand or registers, or there are too few traces.
        ToolError: a tool failed.
    """
    if asked.traces < 4:
        raise SpecificationError(f"traces = {asked.traces}: two of each group are the fewest")
    if keep is not None and not keep.absolute().parent.is_dir():
        raise SpecificationError(f"cannot write {keep}: there is no such directory")
    core = attacked_core(directory)
    if isinstance(core, CoprocessorCore):
        runs = point_groups(core, asked)
    else:
        runs = power_groups(directory, core, asked)
    with tempfile.TemporaryDirectory(prefix="leakage-") as name:
        tracer = Tracer(
            directory, runs.bench, runs.cycles, asked.traces, Path(name), where=asked.where
        )
        groups = Moments(runs.cycles), Moments(runs.cycles)
        kept = []
        for part, traces, _ in tracer.take(runs.lines, progress):
            fixed = np.array(runs.fixed[part])
            for group, own in zip(groups, (fixed, ~fixed), strict=True):
                group.add(traces[own])
            if keep is not None:
                kept.append(traces)
    t = groups[0].first(groups[1]), groups[0].second(groups[1])
    if keep is not None:
        _keep(keep, np.concatenate(kept), runs, t)
    result = {
        "operation": runs.operation,
        "operand": runs.operand,
        **runs.about,
        "seed": asked.seed,
        "where": asked.where,
        "control": asked.control,
        "traces": asked.traces,
        "cycles": runs.cycles,
        "bits": tracer.bits,
        "threshold": round(threshold(runs.cycles), 2),
        "usual": USUAL,
        "first": _told(t[0], runs.phases),
        "second": _told(t[1], runs.phases),
    }
    directory.store("leakage", result)
    return {"name": directory.name, **result}


def _spans(phases: Sequence[tuple[int, str]], cycles: int) -> Iterator[tuple[str, slice]]:
    ends = [start for start, _ in phases[1:]] + [cycles]
    for (start, name), end in zip(phases, ends, strict=True):
        yield name, slice(start, end)


def _told(t: NDArray[np.float64], phases: Sequence[tuple[int, str]]) -> dict[str, Any]:
    sizes = np.abs(t)
    largest: dict[str, float] = {}
    for name, span in _spans(phases, len(t)):
        if (own := sizes[span]).size:
            largest[name] = max(largest.get(name, 0.0), float(own.max()))
    return {
        "t": _rounded(float(sizes.max())),
        "cycle": int(sizes.argmax()),
        "above": int((sizes > threshold(len(t))).sum()),
        "phases": {name: _rounded(value) for name, value in largest.items()},
    }


def _rounded(t: float) -> float | str:
    """A t as JSON has it; constants that differ have no finite one."""
    return round(t, 2) if np.isfinite(t) else "infinite"


def _keep(
    file: Path,
    traces: Traces,
    runs: Groups,
    t: tuple[NDArray[np.float64], NDArray[np.float64]],
) -> None:
    """Write traces with what is known of them."""
    try:
        np.savez_compressed(
            file,
            traces=traces,
            fixed=np.array(runs.fixed),
            scalars=np.array([hex(value) for value in runs.values]),
            t1=t[0],
            t2=t[1],
            starts=np.array([start for start, _ in runs.phases]),
            phases=np.array([name for _, name in runs.phases]),
        )
    except OSError as error:
        raise SpecificationError(f"cannot write {file}: {error.strerror}") from error
