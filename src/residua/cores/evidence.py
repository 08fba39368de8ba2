"""What verification adds to a core's directory."""

from collections.abc import Callable
from typing import Any, TypeVar

from residua.cores.base_extension import BaseExtensionCore
from residua.cores.base_extension_workload import extension_workload
from residua.cores.digit_specification import EXPONENTIATORS
from residua.cores.digit_verification import verify_digits
from residua.cores.directory import AnyEngineCore, Directory
from residua.cores.ecc_verification import verify_coprocessor
from residua.cores.exponentiation_verification import verify_exponentiation
from residua.cores.extended_verification import verify_extended
from residua.cores.inversion_verification import build_inverter_simulator, verify_inversions
from residua.cores.single_base import SingleBaseCore
from residua.cores.single_base_workload import single_base_workload
from residua.cores.verification import VerificationResult, build_simulator, verify
from residua.cores.word_verification import build_word_simulator, verify_words
from residua.cores.workload import Workload, montgomery_workload

C = TypeVar("C")

Steps = Callable[[int, int], None]
"""Called with the runs that are done and their total."""

_Run = Callable[[Directory, int, int, bool, Steps], VerificationResult]
"""Verifies a directory: with how many runs, which seed, stalls or none."""

PRODUCTS, POINTS = 100_000, 50
"""Runs by default: products or base extensions, multiplications of points on each curve."""

POWERS = 100
"""Exponentiations by default."""

INVERSIONS = 1000
"""Inversions by default."""


def verify_directory(
    directory: Directory,
    *,
    vectors: int | None = None,
    seed: int = 1,
    stalls: bool = False,
    progress: Steps = lambda done, total: None,
) -> dict[str, Any]:
    """Compare the Verilog of a directory with its model, and keep the outcome in its results.

    A core with binary words, a digit multiplier and a coprocessor are compared with plain integers,
    which judge every result then.

    Args:
        directory: what ``residua build`` wrote.
        vectors: runs, at least 1; of a coprocessor, multiplications of random points on each curve,
            beside which all other operations run. None for a default.
        seed: chooses the operands; the same seed, the same operands.
        stalls: random gaps between operands, and with binary words results that have to wait,
            instead of runs back to back.
        progress: called now and then.

    Raises:
        SpecificationError: the core is not the one that this version of Residua makes.
        ToolError: the simulator cannot be built or run.
    """
    if directory.kind == "coprocessor":
        return _verify_coprocessor(
            directory, POINTS if vectors is None else vectors, seed, stalls, progress
        )
    count = _default_runs(directory) if vectors is None else vectors
    engine = _verify_words if directory.interface == "words" else _verify_residues
    found = _RUNS.get(directory.kind, engine)(directory, count, seed, stalls, progress)
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


def _verify_coprocessor(
    directory: Directory, vectors: int, seed: int, stalls: bool, progress: Steps
) -> dict[str, Any]:
    made = directory.coprocessor
    found = verify_coprocessor(
        made.core.design,
        directory.sources(top=made.name),
        made.name,
        vectors=vectors,
        seed=seed,
        stalls=stalls,
        progress=progress,
    )
    names = [curve.name for curve in made.core.curves]
    result: dict[str, Any] = {
        "kind": directory.kind,
        "vectors": vectors,
        "operations": found.operations,
        "mismatches": found.mismatches,
        "passed": found.passed,
        "failures": found.failures,
        "seed": seed,
        "stalls": stalls,
        "constant_time": found.constant_time,
        "cycles": dict(zip(names, found.cycles, strict=True)),
    }
    directory.store("verify-stalls" if stalls else "verify", result)
    times = {"seconds": round(found.seconds, 3), "build_seconds": round(found.build_seconds, 3)}
    return {"name": directory.name, **result, **times}


def _verify_residues(
    directory: Directory, vectors: int, seed: int, stalls: bool, progress: Steps
) -> VerificationResult:
    core = directory.core
    workload = _workload(core, seed)
    simulator = build_simulator(
        core.design,
        workload,
        directory.sources(),
        build_dir=directory.path / "simulation",
        top=directory.name,
    )
    return verify(simulator, vectors=vectors, seed=seed, stalls=stalls, progress=progress)


def _workload(core: AnyEngineCore, seed: int) -> Workload:
    if isinstance(core, BaseExtensionCore):
        return extension_workload(core.program, core.domain, seed)
    if isinstance(core, SingleBaseCore):
        return single_base_workload(core.program, core.domain, seed)
    return montgomery_workload(core.program, core.domain, seed)


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


def _verify_inversions(
    directory: Directory, vectors: int, seed: int, stalls: bool, progress: Steps
) -> VerificationResult:
    core = directory.inverter
    simulator = build_inverter_simulator(
        core,
        directory.sources(),
        build_dir=directory.path / "simulation",
        optimise=vectors > INVERSIONS,
    )
    return verify_inversions(
        simulator, vectors=vectors, seed=seed, stalls=stalls, progress=progress
    ).verdict


def _default_runs(directory: Directory) -> int:
    """Fewer of what takes long."""
    parameters = directory.manifest["parameters"]
    if directory.kind == "inversion":
        return INVERSIONS
    if parameters.get("operation") == "multiply":
        return POINTS
    return POWERS if parameters["algorithm"] in EXPONENTIATORS else PRODUCTS


def _of_core(core: Callable[[Directory], C], verified: Callable[..., VerificationResult]) -> _Run:
    """How directories with such a core are verified, the harness made by ``verified``."""

    def run(
        directory: Directory, vectors: int, seed: int, stalls: bool, progress: Steps
    ) -> VerificationResult:
        return verified(
            core(directory),
            directory.sources(),
            build_dir=directory.path / "simulation",
            vectors=vectors,
            seed=seed,
            stalls=stalls,
            progress=progress,
        )

    return run


_RUNS: dict[str, _Run] = {
    "digit": _of_core(lambda directory: directory.digits, verify_digits),
    "exponentiation": _of_core(lambda directory: directory.exponentiator, verify_exponentiation),
    "ecpm": _of_core(lambda directory: directory.extended, verify_extended),
    "inversion": _verify_inversions,
}
"""By the kind of a directory; the others have an engine."""
