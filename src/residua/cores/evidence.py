"""What verification adds to a core's directory."""

from collections.abc import Callable
from typing import Any

from residua.cores.directory import Directory
from residua.cores.verification import VerificationResult, build_simulator, verify
from residua.cores.word_verification import build_word_simulator, verify_words
from residua.cores.workload import montgomery_workload

Steps = Callable[[int, int], None]
"""Called with the runs that are done and their total."""


def verify_directory(
    directory: Directory,
    *,
    vectors: int,
    seed: int,
    stalls: bool,
    progress: Steps = lambda done, total: None,
) -> dict[str, Any]:
    """Compare the Verilog of a directory with its model, and keep the outcome in its results.

    A core with binary words is compared with plain integers, which judge every product then.

    Args:
        directory: what ``residua build`` wrote.
        vectors: runs, at least 1.
        seed: chooses the operands; the same seed, the same operands.
        stalls: random gaps between operands, and with binary words results that have to wait,
            instead of runs back to back.
        progress: called now and then.

    Raises:
        SpecificationError: the core is not the one that this version of Residua makes.
        ToolError: the simulator cannot be built or run.
    """
    run = _verify_words if directory.interface == "words" else _verify_residues
    found = run(directory, vectors, seed, stalls, progress)
    result: dict[str, Any] = {
        "vectors": found.vectors,
        "mismatches": found.mismatches,
        "passed": found.passed,
        "failures": list(found.failures),
        "seed": seed,
        "stalls": stalls,
        "cycles": {"latency": found.latency, "interval": found.interval},
        "oracle_checks": found.oracle_checks,
        "model_checks": found.model_checks,
        "cox_edges": [edges._asdict() for edges in found.cox_edges],
    }
    directory.store("verify-stalls" if stalls else "verify", result)
    times = {
        "seconds": round(found.seconds, 3),
        "build_seconds": round(found.build_seconds, 3),
        "vectors_per_minute": round(60 * found.vectors / max(found.seconds, 1e-3)),
    }
    return {
        "name": directory.name,
        **result,
        **times,
        "parameters": directory.manifest["parameters"],
    }


def _verify_residues(
    directory: Directory, vectors: int, seed: int, stalls: bool, progress: Steps
) -> VerificationResult:
    core = directory.core
    workload = montgomery_workload(core.program, core.domain, seed)
    simulator = build_simulator(
        core.design,
        workload,
        directory.sources(),
        build_dir=directory.path / "simulation",
        top=directory.name,
    )
    return verify(simulator, vectors=vectors, seed=seed, stalls=stalls, progress=progress)


def _verify_words(
    directory: Directory, vectors: int, seed: int, stalls: bool, progress: Steps
) -> VerificationResult:
    design = directory.core.words
    assert design is not None
    simulator = build_word_simulator(
        design,
        directory.sources(),
        build_dir=directory.path / "simulation",
        top=directory.name,
    )
    return verify_words(simulator, vectors=vectors, seed=seed, stalls=stalls, progress=progress)
