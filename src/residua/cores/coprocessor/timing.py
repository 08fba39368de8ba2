"""Cycles of point multiplications over many secrets: the evidence beside the proof."""

import random
from dataclasses import dataclass

from residua.cores.coprocessor.outcomes import given_operands, given_outcome
from residua.cores.coprocessor.simulator import Answer, CoprocessorSimulator, Request, batches
from residua.cores.simulation.runs import Steps
from residua.curves import affine
from residua.curves.operations.codes import Operation, Status, point_operation
from residua.curves.parameters import Curve, MontgomeryCurve
from residua.errors import SpecificationError
from residua.hardware.coprocessor.design import CurveDesign
from residua.toolchain.executors import side_by_side_in_order

MOST_POINTS = 8
"""Points that the scalars take turns with."""


@dataclass(frozen=True)
class TimingResult:
    """Outcome of multiplications with different secrets.

    Attributes:
        operation: what ran.
        runs: multiplications, each with a scalar and random words of its own.
        points: different points.
        cycles: all numbers of cycles seen of those that ended with `Status.OK`; one if the time is
            constant.
        random_words: all numbers of random words that these took.
        mismatches: runs with another status or result than plain integers give.
        refused: runs that ended, as they should, with another status than `Status.OK`.
    """

    operation: Operation
    runs: int
    points: int
    cycles: tuple[int, ...]
    random_words: tuple[int, ...]
    mismatches: int
    refused: int

    @property
    def passed(self) -> bool:
        """Whether every result is right, and all took the same time and as many random words."""
        return self.mismatches == 0 and len(self.cycles) == len(self.random_words) == 1


def measure_timing(
    simulator: CoprocessorSimulator,
    design: CurveDesign,
    *,
    runs: int,
    seed: int,
    curve: int = 0,
    progress: Steps = lambda done, total: None,
) -> TimingResult:
    """Multiply points by extreme and random secrets, and compare the cycles.

    Args:
        simulator: the coprocessor, whose streams never wait.
        design: what it was made of.
        runs: multiplications, at least 2.
        seed: chooses random scalars, points and random words.
        curve: index of the curve.
        progress: called now and then.

    Raises:
        SpecificationError: fewer than 2 runs.
        ToolError: the core hangs.
    """
    if runs < 2:
        raise SpecificationError(f"runs = {runs}: at least 2 are needed to compare")
    chosen, draw = design.curves[curve], random.Random(seed)
    scalars = secret_scalars(chosen, runs, draw)
    points = _points(chosen, min(MOST_POINTS, runs), draw)
    operation = point_operation(chosen)
    requests = [
        Request(
            operation,
            given_operands(design, curve, operation, (scalar, *points[index % len(points)]), draw),
            curve=curve,
            seed=seed + index,
        )
        for index, scalar in enumerate(scalars)
    ]
    answers: list[Answer] = []
    with side_by_side_in_order(simulator.run, batches(requests)) as simulations:
        for _, found in simulations:
            answers += found
            progress(len(answers), runs)
    expected = [given_outcome(design, curve, operation, own.operands) for own in requests]
    wrong = sum((a.status, a.results) != e for a, e in zip(answers, expected, strict=True))
    timed = [answer for answer in answers if answer.status is Status.OK]
    return TimingResult(
        operation=operation,
        runs=runs,
        points=len(points),
        cycles=tuple(sorted({answer.cycles for answer in timed})),
        random_words=tuple(sorted({answer.random_words for answer in timed})),
        mismatches=wrong,
        refused=runs - len(timed),
    )


def secret_scalars(curve: Curve, count: int, draw: random.Random) -> list[int]:
    """Scalars in 1 to n - 1: first the extremes, as many as there is room for, then random ones.

    Extremes are both ends of the range, single bits and single gaps, long runs of ones and of
    zeros, and patterns that change the ladder's swap in every step or never.
    """
    n, bits = curve.order, curve.order_bits
    full = (1 << bits) - 1
    half = bits // 2
    extremes = [1, n - 1, 1 << (bits - 1), 2, n - 2, full // 3, 2 * full // 3, 3, n // 2]
    extremes += [(1 << (bits - 1)) - 1, (1 << half) - 1, full ^ ((1 << half) - 1), n - (1 << half)]
    extremes += [1 << (bits - 2), (1 << (bits - 1)) + 1, 0x33 * (full // 0xFF), n // 2 + 1]
    extremes += [1 << place for place in range(0, bits - 1, 31)]
    extremes += [(full >> 1) ^ 1 << place for place in range(0, bits - 1, 31)]
    scalars = [k for k in dict.fromkeys(extremes) if 0 < k < n][:count]
    return scalars + [draw.randrange(1, n) for _ in range(count - len(scalars))]


def _points(curve: Curve, count: int, draw: random.Random) -> list[tuple[int, ...]]:
    """Operands of the base point, of its neighbours and of random points."""
    multiples = [1, curve.order - 1, 2, *(draw.randrange(1, curve.order) for _ in range(count))]
    points: list[tuple[int, ...]] = []
    for multiple in multiples[:count]:
        point = affine.multiply(curve, multiple, curve.base_point)
        assert point is not None
        points.append(point[:1] if isinstance(curve, MontgomeryCurve) else point)
    return points
