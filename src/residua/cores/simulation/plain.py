"""The directory of a core without a bus, run as it lies there."""

from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

from residua.cores.simulation.result import VerificationResult
from residua.cores.simulation.runs import Runs
from residua.cores.texts import verify_texts
from residua.hardware.rtl import TARGET_FORMS
from residua.toolchain import yosys

if TYPE_CHECKING:
    from residua.cores.core import PlainCore
    from residua.cores.directory import Directory

_ECP5_SHARE = 50
"""The form of the primitives for the ECP5 takes one run for so many of the other form."""


def verify_plain(
    core: "PlainCore", directory: "Directory", runs: Runs
) -> tuple[dict[str, Any], dict[str, Any]]:
    """Run the Verilog with both forms of the primitives, and read what goes with it.

    Arguments, results and errors are those of `residua.cores.core.Core.verify`.
    """
    failures = verify_texts(directory.path, directory.manifest)
    found = core.simulate(directory.sources(top=core.name), runs)
    ecp5 = _in_ecp5_cells(core, directory, runs)
    failures += found.failures
    failures += _other_interval(directory, found)
    if ecp5:
        failures += [f"with the primitives for the ECP5: {one}" for one in ecp5.failures]
    through_bus: dict[str, Any] = {}
    if core.surroundings:
        through_bus["bus_operations"], faults = core.surroundings.verify(directory, runs.seed)
        failures += faults
    result: dict[str, Any] = {
        "vectors": found.vectors,
        "ecp5_vectors": ecp5.vectors if ecp5 else None,
        "mismatches": found.mismatches + (ecp5.mismatches if ecp5 else 0),
        "passed": not failures,
        "failures": failures,
        "seed": runs.seed,
        "stalls": runs.stalls,
        "cycles": {"latency": found.latency, "interval": found.interval},
        "oracle_checks": found.oracle_checks,
        "model_checks": found.model_checks,
        "resets": found.resets,
        "cox_edges": [edges._asdict() for edges in found.cox_edges],
        **through_bus,
    }
    times = {
        "seconds": round(found.seconds, 3),
        "build_seconds": round(found.build_seconds, 3),
        "vectors_per_minute": round(60 * found.vectors / max(found.seconds, 1e-3)),
        "parameters": directory.manifest["parameters"],
    }
    return result, times


def _other_interval(directory: "Directory", found: VerificationResult) -> list[str]:
    """The interval that was measured back to back, against that of the manifest."""
    computed = directory.manifest["cycles"].get("interval")
    if found.interval in (None, computed):
        return []
    return [f"interval: {found.interval} cycles measured, {computed} computed"]


def _in_ecp5_cells(
    core: "PlainCore", directory: "Directory", runs: Runs
) -> VerificationResult | None:
    """A part of the runs with the primitives for the ECP5, if they differ, in models of cells."""
    if len({(directory.path / form).read_bytes() for form in TARGET_FORMS}) == 1:
        return None
    with TemporaryDirectory() as work:
        cells = Path(work) / "cells.v"
        cells.write_text(yosys.cell_model_text("ecp5"), encoding="utf-8")
        sources = [*directory.sources("ecp5", top=core.name), cells]
        share = Runs(-(-runs.vectors // _ECP5_SHARE), runs.seed, runs.stalls, runs.resets)
        return core.simulate(sources, share)
