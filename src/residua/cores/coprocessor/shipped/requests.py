"""Requests of several coprocessors by the C driver of a directory, against the simulated bus."""

from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from residua.algorithms.conversion import split_words
from residua.cores.bus.driver.check import PAUSE
from residua.cores.bus.driver.program import (
    Simulation,
    build_simulated_program,
    run_driver_program,
)
from residua.cores.bus.simulator import BusModel
from residua.cores.coprocessor.cases import Case
from residua.cores.coprocessor.driver.files import LIBRARY
from residua.cores.coprocessor.shipped.bus import full, sample
from residua.cores.directory import Directory
from residua.cores.templating import environment
from residua.curves.operations.codes import MULTIPLICATIONS, point_operation
from residua.hardware.coprocessor.design import CurveDesign
from residua.hardware.coprocessor.durations import patience
from residua.hardware.coprocessor.traffic import coprocessor_traffic
from residua.toolchain.process import ToolError

_SEED = 5
"""Of the operations."""

_ROUNDS = 2
"""Requests of each operation."""


def verify_requests(directory: Directory, design: CurveDesign, model: BusModel) -> list[str]:
    """Check requests of a directory's driver; return what goes wrong: it does not compile, or errs.

    Args:
        directory: of several coprocessors.
        design: of each of them.
        model: of their bus.
    """
    with TemporaryDirectory() as work:
        check = Path(work) / "requests_check.c"
        check.write_text(_program(directory, design), encoding="utf-8")
        try:
            simulation = Simulation(directory, model, LIBRARY)
            program = build_simulated_program([simulation], check, Path(work))
            output = run_driver_program(program)
        except ToolError as error:
            return [f"driver: {error}"]
    if "PASS requests" in output.splitlines():
        return []
    return [f"driver: {line}" for line in output.splitlines()[-1:] or ["no output"]]


def _program(directory: Directory, design: CurveDesign) -> str:
    """The program that makes the requests."""
    known = {(int(one), n) for n, group in enumerate(design.operations) for one in group}
    cases = [case for case in sample(design, _SEED) if (case.operation, case.curve) in known]
    long = next(
        place
        for place, case in enumerate(cases)
        if case.operation == point_operation(design.curves[case.curve]) and full(case)
    )
    short = [case for case in cases if case.operation not in MULTIPLICATIONS]
    numbers = coprocessor_traffic(design).most_results // design.words
    requests = [_request(case, design, numbers) for case in [*cases, *short * (_ROUNDS - 1)]]
    template = environment("residua.cores.coprocessor.shipped").get_template("requests_check.c")
    return template.render(
        name=directory.name,
        instances=directory.manifest["parameters"]["instances"],
        requests=requests,
        numbers=numbers,
        words=design.words,
        long=long,
        most_operands=max(len(one["operands"]) for one in requests),
        pause=PAUSE,
        polls=patience(design),
    )


def _request(case: Case, design: CurveDesign, numbers: int) -> dict[str, Any]:
    """A request, and what has to come of it, in C."""
    status, results = case.expected
    padded = [*results, *[0] * (numbers - len(results))]
    return {
        "operation": int(case.operation),
        "curve": case.curve,
        "operands": _words(case.operands, design.words),
        "status": int(status),
        "results": _words(padded, design.words),
    }


def _words(numbers: Sequence[int], words: int) -> list[str]:
    """Words in C."""
    return [f"0x{w:08X}u" for number in numbers for w in split_words(number, words, 32)]
