"""A coprocessor's Verilog against plain integers: every operation, on every curve."""

import random
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain
from pathlib import Path

from residua.cores.coprocessor.cases import Case, all_cases
from residua.cores.coprocessor.outcomes import given_operands, operand_point
from residua.cores.coprocessor.simulator import (
    Answer,
    CoprocessorSimulator,
    Request,
    batches,
    build_coprocessor_simulator,
)
from residua.cores.simulation.runs import (
    EVERY,
    STALLED,
    Resets,
    Runs,
    Stalls,
    Steps,
)
from residua.curves.operations.codes import (
    PUBLIC_OPERATIONS,
    Operation,
    Status,
    point_operation,
)
from residua.hardware.coprocessor.design import CurveDesign
from residua.hardware.coprocessor.durations import operation_cycles
from residua.toolchain.executors import side_by_side_in_order

STALLS = 64
"""Cycles of 256 in which a stream pauses when stalls are asked for."""

MOST_FAILURES = 10
"""Failures that are told one by one."""

FEWEST_RESETS, MOST_RESETS = 2, 24
"""Resets in mid-operation, for each operation of each curve, by default."""

RESET_CYCLES = 400_000
"""Cycles that the resets of an operation may take beyond `FEWEST_RESETS`."""

_RESET_BATCH = 4
"""Resets of one simulation."""


@dataclass
class EccResult:
    """Outcome of the verification of a coprocessor.

    ``resets`` of the core came in the middle of operations. ``cycles`` has, for each curve, the
    cycles of each operation that ended well. ``mismatches`` are results and cycles that are others
    than they should be. ``failures`` names the first of them, and operations whose cycles depend on
    more than their status.
    """

    operations: int = 0
    resets: int = 0
    mismatches: int = 0
    failures: list[str] = field(default_factory=list)
    cycles: list[dict[str, int]] = field(default_factory=list)
    constant_time: bool | None = None
    seconds: float = 0.0
    build_seconds: float = 0.0

    @property
    def passed(self) -> bool:
        """Whether everything is as it must be."""
        return self.mismatches == 0 and self.constant_time is not False


def verify_coprocessor(
    design: CurveDesign,
    sources: Sequence[Path],
    top: str,
    *,
    vectors: int,
    seed: int,
    stalls: Stalls,
    resets: Resets = None,
    progress: Steps = lambda done, total: None,
) -> EccResult:
    """Run random, exceptional and invalid operations, and judge each by plain integers.

    Registers begin with random values, and one cycle of reset comes before the first operation.
    Afterwards each operation is reset in the middle, for 1, 2 and 3 cycles, at instants spread over
    it, and the operations that follow are judged, too. Stops after the first few mismatches.

    Args:
        design: the coprocessor.
        sources: its Verilog, without a bus.
        top: name of its top module.
        vectors: multiplications of random points for each curve, at least 1.
        seed: chooses operands and random words.
        stalls: in which operations every stream pauses now and then, see `Stalls`; the cycles of
            the others are compared.
        resets: those of each operation; None for fewer the longer it is, `EVERY` for three in each
            of its cycles.
        progress: called now and then.

    Raises:
        SpecificationError: no vectors.
        ToolError: the simulator cannot be built, or the core hangs.
    """
    runs = Runs(vectors, seed, stalls, resets, progress)
    cases = list(all_cases(design, runs.vectors, runs.seed))
    started = time.perf_counter()
    simulator = build_coprocessor_simulator(sources, top, design)
    built = time.perf_counter()
    pauses = list(_pauses(cases, runs.stalls))
    answers = _answers(simulator, cases, pauses, runs)
    ended_early = len(answers) < len(cases)
    del cases[len(answers) :], pauses[len(answers) :]
    resets = 0 if ended_early else runs.resets
    interrupted = list(_interruptions(cases, answers, resets))
    for case, answer in _around_resets(simulator, interrupted):
        cases.append(case)
        answers.append(answer)
    timed = [not paused for paused in pauses]
    timed += [runs.stalls is not True] * (len(cases) - len(timed))
    result = _judged(design, cases, answers, timed)
    result.resets = len(interrupted)
    result.build_seconds = built - started
    result.seconds = time.perf_counter() - built
    return result


def _answers(
    simulator: CoprocessorSimulator, cases: Sequence[Case], pauses: Sequence[bool], runs: Runs
) -> list[Answer]:
    """The answers to the cases, of the first ones if there are many mismatches."""
    requests = [
        Request(
            case.operation,
            case.operands,
            curve=case.curve,
            stalls=STALLS if paused else 0,
            seed=(runs.seed << 32) + index,
        )
        for index, (case, paused) in enumerate(zip(cases, pauses, strict=True))
    ]
    answers: list[Answer] = []
    wrong = 0
    with side_by_side_in_order(simulator.run, batches(requests)) as simulations:
        for _, found in simulations:
            wrong += sum(map(_differs, cases[len(answers) :], found))
            answers += found
            runs.progress(len(answers), len(cases))
            if wrong >= MOST_FAILURES:
                break
    return answers


def _pauses(cases: Sequence[Case], stalls: Stalls) -> Iterator[bool]:
    """Whether each case has pauses; where only some have, the first one of its kind has none."""
    seen = set()
    for index, case in enumerate(cases):
        kind = case.curve, case.operation, case.expected[0]
        yield kind in seen and index % STALLED == 0 if stalls is None else stalls
        seen.add(kind)


@dataclass(frozen=True)
class _Interruption:
    """A case whose operation is reset in a cycle of it, and the one that follows."""

    case: Case
    instant: int
    reset: int
    seed: int
    follower: Case

    def requests(self) -> tuple[Request, Request]:
        """The operation that is reset, and the one after it."""
        first, second = (
            Request(case.operation, case.operands, curve=case.curve, seed=self.seed)
            for case in (self.case, self.follower)
        )
        return replace(first, abort=self.instant, reset=self.reset), second


def _interruptions(
    cases: Sequence[Case], answers: Sequence[Answer], resets: Resets
) -> Iterator[_Interruption]:
    """Operations to reset in the middle, each with one that follows."""
    longest: dict[tuple[int, int], tuple[Case, int]] = {}
    for case, answer in zip(cases, answers, strict=True):
        key = case.curve, case.operation
        if answer.status is Status.OK and answer.cycles > longest.get(key, (case, 0))[1]:
            longest[key] = case, answer.cycles
    for (curve, _), (case, cycles) in longest.items():
        # The shortest one of the curve follows, and this one after one reset.
        others = (found for (own, _), found in longest.items() if own == curve)
        shortest = min(others, key=lambda found: found[1])[0]
        # With ``cycles`` it would be over: those before it count from 1.
        instants = cycles - 1
        count = _reset_count(resets, cycles)
        for index in range(count):
            yield _Interruption(
                case,
                instant=1 + index * instants // count,
                reset=1 + index % 3,
                seed=index,
                follower=case if index == 0 else shortest,
            )


def _reset_count(resets: Resets, cycles: int) -> int:
    """The resets of an operation: what was asked for, or what is worth its time."""
    if resets == EVERY:
        return 3 * (cycles - 1)
    if resets is None:
        return min(max(RESET_CYCLES // cycles, FEWEST_RESETS), MOST_RESETS)
    return resets


def _around_resets(
    simulator: CoprocessorSimulator, interruptions: Sequence[_Interruption]
) -> Iterator[tuple[Case, Answer]]:
    """The operations that follow resets, and those that should not have ended before theirs."""

    def outcomes(part: Sequence[_Interruption]) -> list[Answer | None]:
        return simulator.outcomes(chain.from_iterable(each.requests() for each in part))

    parts = batches(interruptions, _RESET_BATCH)
    with side_by_side_in_order(outcomes, parts) as simulations:
        for part, answers in simulations:
            cases = chain.from_iterable((each.case, each.follower) for each in part)
            for case, answer in zip(cases, answers, strict=True):
                if answer is not None:
                    yield case, answer


def point_cycles(simulator: CoprocessorSimulator, design: CurveDesign) -> list[tuple[str, int]]:
    """The operation that multiplies a point on each curve, and its cycles."""
    requests = []
    for number, curve in enumerate(design.curves):
        operation = point_operation(curve)
        operands = (curve.order // 3, *operand_point(curve, curve.base_point))
        given = given_operands(design, number, operation, operands, random.Random(number))
        requests.append(Request(operation, given, curve=number))
    return [
        (Operation(request.operation).name, answer.cycles)
        for request, answer in zip(requests, simulator.run(requests), strict=True)
    ]


def _judged(
    design: CurveDesign, cases: Sequence[Case], answers: Sequence[Answer], timed: Sequence[bool]
) -> EccResult:
    result = EccResult(operations=len(cases), cycles=[{} for _ in design.curves])
    times: dict[tuple[int, int, Status], set[int]] = {}
    for case, answer, is_timed in zip(cases, answers, timed, strict=True):
        if _differs(case, answer):
            result.mismatches += 1
            result.failures.append(_mismatch(design, case, answer))
        if case.operation == Operation.DOUBLE_MULTIPLY and answer.status is not Status.OK:
            continue  # It ends as soon as one of its public points is refused.
        if not is_timed or case.operation in PUBLIC_OPERATIONS:
            continue
        times.setdefault((case.curve, case.operation, answer.status), set()).add(answer.cycles)
    if times:
        result.constant_time = True
    for (number, code, status), counts in sorted(times.items()):
        if len(counts) > 1:
            result.constant_time = False
            result.failures.append(
                f"{_name(code)} on {_curve_name(design, number)} with status {status.name} "
                f"takes {min(counts)} to {max(counts)} cycles"
            )
        if status is Status.OK:
            result.cycles[number][_name(code)] = max(counts)
            if len(counts) == 1:
                _compare(result, design, number, Operation(code), *counts)
    result.failures = result.failures[:MOST_FAILURES]
    return result


def _differs(case: Case, answer: Answer) -> bool:
    return (answer.status, answer.results) != case.expected


def _compare(
    result: EccResult, design: CurveDesign, number: int, operation: Operation, cycles: int
) -> None:
    """An operation's cycles with those that its directory tells."""
    told = operation_cycles(design, operation, number)
    if cycles != told:
        result.mismatches += 1
        name = _curve_name(design, number)
        result.failures.append(
            f"{operation.name} on {name} takes {cycles} cycles instead of {told}"
        )


def _mismatch(design: CurveDesign, case: Case, answer: Answer) -> str:
    status, results = case.expected
    return (
        f"{_name(case.operation)} on {_curve_name(design, case.curve)} of {_hexes(case.operands)}: "
        f"{answer.status.name} {_hexes(answer.results)} instead of {status.name} {_hexes(results)}"
    )


def _name(code: int) -> str:
    return Operation(code).name if code in set(Operation) else f"operation {code}"


def _curve_name(design: CurveDesign, number: int) -> str:
    return design.curves[number].name if number < len(design.curves) else f"curve {number}"


def _hexes(numbers: tuple[int, ...]) -> str:
    return f"({', '.join(map(hex, numbers))})"
