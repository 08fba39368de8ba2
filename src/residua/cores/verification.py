"""What verification adds to a core's directory."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, TypeVar

from residua.cores.base_extension.core import BaseExtensionCore
from residua.cores.base_extension.verification import extension_workload
from residua.cores.coprocessor.bus_simulator import directory_model
from residua.cores.coprocessor.verification import check_vectors, verify_coprocessor
from residua.cores.digit.specification import EXPONENTIATORS
from residua.cores.digit.verification import verify_digits
from residua.cores.directory import Directory
from residua.cores.engine_directory import AnyEngineCore
from residua.cores.exponentiation.verification import verify_exponentiation
from residua.cores.extended_rns.verification import verify_extended
from residua.cores.inversion.verification import build_inverter_simulator, verify_inversions
from residua.cores.shipped.bench import verify_bench
from residua.cores.shipped.bus import verify_bus
from residua.cores.shipped.driver import verify_driver
from residua.cores.shipped.texts import verify_texts
from residua.cores.simulation.engine import (
    VerificationResult,
    build_simulator,
    is_long,
    verify,
)
from residua.cores.simulation.runs import (
    EVERY,
    INVERSIONS,
    POINTS,
    POWERS,
    PRODUCTS,
    Resets,
    Stalls,
)
from residua.cores.simulation.words import build_word_simulator, verify_words
from residua.cores.simulation.workload import Workload, montgomery_workload
from residua.cores.single_base.core import SingleBaseCore
from residua.cores.single_base.verification import single_base_workload
from residua.hardware.rtl import TARGET_FORMS
from residua.toolchain import yosys

C = TypeVar("C")

Steps = Callable[[int, int], None]
"""Called with the runs that are done and their total."""


@dataclass(frozen=True)
class _Runs:
    """How many runs of a directory's core, with which of its Verilog, seed, stalls and resets."""

    directory: Directory
    sources: Sequence[Path]
    vectors: int
    seed: int
    stalls: Stalls
    resets: Resets
    progress: Steps

    @property
    def choices(self) -> dict[str, Any]:
        """What every verification takes besides the core and its Verilog."""
        names = ("vectors", "seed", "stalls", "resets", "progress")
        return {name: getattr(self, name) for name in names}


_Run = Callable[[_Runs], VerificationResult]
"""Verifies the Verilog of a directory."""

_ENGINES = ("multiplier", "extension", "sbmm")
"""Kinds of directories whose core is one engine with one program."""

_ECP5_SHARE = 50
"""The form of the primitives for the ECP5 takes one run for so many of the other form."""


def verify_directory(
    directory: Directory,
    *,
    vectors: int | None = None,
    seed: int = 1,
    stalls: Stalls = None,
    resets: Resets = None,
    progress: Steps = lambda done, total: None,
) -> dict[str, Any]:
    """Compare all that a directory ships with its model, and keep the outcome in its results.

    First every file is held against what the specification gives, byte for byte. Then the files
    are run as they lie there, so that a fault that the specification gives again is found, too:
    the Verilog with the primitives for any target and, for a part of the runs, with those for the
    ECP5; the files that take it into a design are read back. Of a coprocessor, operations also run
    through the registers and streams of its bus, in its test bench, and by its C driver.

    A core with binary words, a digit multiplier and a coprocessor are compared with plain integers,
    which judge every result then.

    Args:
        directory: what ``residua build`` wrote.
        vectors: runs, at least 1; of a coprocessor, multiplications of random points on each curve,
            beside which all other operations run. None for a default.
        seed: chooses the operands; the same seed, the same operands.
        stalls: in which runs there are random gaps between operands, and with streams results that
            have to wait; see `Stalls`.
        resets: how many come in mid-run, of a coprocessor for each operation; see `Resets`.
        progress: called now and then.

    Raises:
        SpecificationError: a file is not what this version of Residua makes of the specification.
        ToolError: the simulator cannot be built or run.
    """
    directory.check()
    return run_directory(
        directory, vectors=vectors, seed=seed, stalls=stalls, resets=resets, progress=progress
    )


def run_directory(
    directory: Directory,
    *,
    vectors: int | None = None,
    seed: int = 1,
    stalls: Stalls = None,
    resets: Resets = None,
    progress: Steps = lambda done, total: None,
) -> dict[str, Any]:
    """The part of `verify_directory` that runs the files, whatever they are."""
    if directory.kind == "coprocessor":
        return _verify_coprocessor(
            directory, POINTS if vectors is None else vectors, seed, stalls, resets, progress
        )
    count = _default_runs(directory) if vectors is None else vectors
    engine = _verify_words if directory.interface == "words" else _verify_residues
    run = _RUNS.get(directory.kind, engine)
    failures = verify_texts(directory.path, directory.manifest)
    found = run(_Runs(directory, directory.sources(), count, seed, stalls, resets, progress))
    ecp5 = _verify_ecp5(directory, run, -(-count // _ECP5_SHARE), seed, resets, stalls)
    failures += found.failures
    failures += _other_interval(directory, found)
    if ecp5:
        failures += [f"with the primitives for the ECP5: {one}" for one in ecp5.failures]
    result: dict[str, Any] = {
        "vectors": found.vectors,
        "ecp5_vectors": ecp5.vectors if ecp5 else None,
        "mismatches": found.mismatches + (ecp5.mismatches if ecp5 else 0),
        "passed": not failures,
        "failures": failures,
        "seed": seed,
        "stalls": stalls,
        "cycles": {"latency": found.latency, "interval": found.interval},
        "oracle_checks": found.oracle_checks,
        "model_checks": found.model_checks,
        "resets": found.resets,
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
    directory: Directory, vectors: int, seed: int, stalls: Stalls, resets: Resets, progress: Steps
) -> dict[str, Any]:
    made = directory.coprocessor
    design = made.core.design
    check_vectors(vectors)
    failures = verify_texts(directory.path, directory.manifest)
    through_bus = None
    if directory.top != directory.name:
        model = directory_model(directory, optimise=False)
        through_bus, faults = verify_bus(model, design, seed)
        failures += faults + verify_driver(directory, design, optimise=False)
    failures += verify_bench(directory.path, directory.sources(ecp5=True))
    found = verify_coprocessor(
        design,
        directory.sources(top=made.name),
        made.name,
        vectors=vectors,
        seed=seed,
        stalls=stalls,
        resets=resets,
        progress=progress,
    )
    names = [curve.name for curve in made.core.curves]
    result: dict[str, Any] = {
        "kind": directory.kind,
        "vectors": vectors,
        "operations": found.operations,
        "resets": found.resets,
        "bus_operations": through_bus,
        "mismatches": found.mismatches,
        "passed": found.passed and not failures,
        "failures": found.failures + failures,
        "seed": seed,
        "stalls": stalls,
        "constant_time": found.constant_time,
        "cycles": dict(zip(names, found.cycles, strict=True)),
    }
    directory.store("verify-stalls" if stalls else "verify", result)
    times = {"seconds": round(found.seconds, 3), "build_seconds": round(found.build_seconds, 3)}
    return {"name": directory.name, **result, **times}


def _other_interval(directory: Directory, found: VerificationResult) -> list[str]:
    """The interval of an engine, measured back to back, against that of the manifest."""
    computed = directory.manifest["cycles"].get("interval")
    if directory.kind not in _ENGINES or found.interval in (None, computed):
        return []
    return [f"interval: {found.interval} cycles measured, {computed} computed"]


def _verify_ecp5(
    directory: Directory, run: _Run, vectors: int, seed: int, resets: Resets, stalls: Stalls
) -> VerificationResult | None:
    """The Verilog with the ECP5 form of the primitives, if it has any, and models of the cells."""
    if len({(directory.path / form).read_bytes() for form in TARGET_FORMS}) == 1:
        return None
    with TemporaryDirectory() as work:
        cells = Path(work) / "cells.v"
        cells.write_text(yosys.cell_model_text("ecp5"), encoding="utf-8")
        sources = [*directory.sources(ecp5=True), cells]
        runs = _Runs(directory, sources, vectors, seed, stalls, resets, lambda done, total: None)
        return run(runs)


def _verify_residues(runs: _Runs) -> VerificationResult:
    core = runs.directory.core
    simulator = build_simulator(
        core.design,
        _workload(core, runs.seed),
        runs.sources,
        top=runs.directory.name,
        optimise=is_long(runs.vectors, core.design.schedule.interval, runs.resets),
    )
    return verify(simulator, **runs.choices)


def _workload(core: AnyEngineCore, seed: int) -> Workload:
    if isinstance(core, BaseExtensionCore):
        return extension_workload(core.program, core.domain, seed)
    if isinstance(core, SingleBaseCore):
        return single_base_workload(core.program, core.domain, seed)
    return montgomery_workload(core.program, core.domain, seed)


def _verify_words(runs: _Runs) -> VerificationResult:
    design = runs.directory.core.words
    assert design is not None
    simulator = build_word_simulator(
        design,
        runs.sources,
        top=runs.directory.name,
        optimise=is_long(runs.vectors, design.interval, runs.resets),
    )
    return verify_words(simulator, **runs.choices)


def _verify_inversions(runs: _Runs) -> VerificationResult:
    simulator = build_inverter_simulator(
        runs.directory.inverter,
        runs.sources,
        optimise=runs.vectors > INVERSIONS or runs.resets == EVERY,
    )
    return verify_inversions(simulator, **runs.choices).verdict


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

    def run(runs: _Runs) -> VerificationResult:
        return verified(core(runs.directory), runs.sources, **runs.choices)

    return run


_RUNS: dict[str, _Run] = {
    "digit": _of_core(lambda directory: directory.digits, verify_digits),
    "exponentiation": _of_core(lambda directory: directory.exponentiator, verify_exponentiation),
    "ecpm": _of_core(lambda directory: directory.extended, verify_extended),
    "inversion": _verify_inversions,
}
"""By the kind of a directory; the others have an engine."""
