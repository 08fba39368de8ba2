"""The directory of a core without a bus, run as it lies there."""

from typing import TYPE_CHECKING, Any

from residua.cores.simulation.forms import compare_forms
from residua.cores.simulation.result import VerificationResult
from residua.cores.simulation.runs import Runs
from residua.cores.texts import verify_texts
from residua.toolchain.executors import submitted
from residua.toolchain.process import side_by_side

if TYPE_CHECKING:
    from residua.cores.core import PlainCore
    from residua.cores.directory import Directory


def verify_plain(
    core: "PlainCore", directory: "Directory", runs: Runs
) -> tuple[dict[str, Any], dict[str, Any]]:
    """Run the Verilog, compare both forms of the primitives, and read what goes with it.

    Arguments, results and errors are those of `residua.cores.core.Core.verify`.
    """
    failures = verify_texts(directory.path, directory.manifest)
    with side_by_side(1) as pool:
        primitives = submitted(pool, compare_forms, directory)
        found = core.simulate(directory.sources(top=core.name), runs)
        forms, faults = primitives.result()
    failures += [*found.failures, *_other_interval(directory, found), *faults]
    through_bus: dict[str, Any] = {}
    if core.surroundings:
        through_bus["bus_operations"], faults = core.surroundings.verify(directory, runs.seed)
        failures += faults
    result: dict[str, Any] = {
        "vectors": found.vectors,
        "device_primitives": forms,
        "mismatches": found.mismatches,
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
