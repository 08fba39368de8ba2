"""A coprocessor's Verilog against plain integers: every operation, on every curve."""

import random
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain
from pathlib import Path

from residua.cores.coprocessor.simulator import (
    Answer,
    CoprocessorSimulator,
    Request,
    build_coprocessor_simulator,
)
from residua.cores.simulation.runs import (
    EVERY,
    LONG_CYCLES,
    STALLED,
    Resets,
    Runs,
    Stalls,
    Steps,
)
from residua.curves import affine
from residua.curves.operations import (
    ORDER_OPERATIONS,
    PUBLIC_OPERATIONS,
    Operation,
    Status,
)
from residua.curves.parameters import Curve, MontgomeryCurve, WeierstrassCurve
from residua.hardware.coprocessor.design import CurveDesign
from residua.hardware.coprocessor.durations import operation_cycles

STALLS = 64
"""Cycles of 256 in which a stream pauses when stalls are asked for."""

MOST_FAILURES = 10
"""Failures that are told one by one."""

FEWEST_RESETS, MOST_RESETS = 2, 24
"""Resets in mid-operation, for each operation of each curve, by default."""

RESET_CYCLES = 400_000
"""Cycles that the resets of an operation may take beyond `FEWEST_RESETS`."""

_MULTIPLICATIONS = (
    Operation.POINT_MULTIPLY,
    Operation.BASE_MULTIPLY,
    Operation.X_MULTIPLY,
    Operation.DOUBLE_MULTIPLY,
    Operation.ECDSA_VERIFY,
)
"""The operations that take nearly all cycles."""

_BATCH = 16
_FIELD_RUNS = 4
"""Field operations with random operands for each multiplication of a point."""

Outcome = tuple[Status, tuple[int, ...]]
"""A status and the results."""


@dataclass(frozen=True)
class Case:
    """An operation and what it must give."""

    curve: int
    operation: int
    operands: tuple[int, ...]
    expected: Outcome


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
    it, and the operations that follow are judged, too.

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
    optimise = _is_long(design, cases, runs.resets)
    simulator = build_coprocessor_simulator(sources, top, design, optimise=optimise)
    built = time.perf_counter()
    pauses = list(_pauses(cases, runs.stalls))
    answers: list[Answer] = []
    for first in range(0, len(cases), _BATCH):
        requests = [
            Request(
                case.operation,
                case.operands,
                curve=case.curve,
                stalls=STALLS if pauses[index] else 0,
                seed=(runs.seed << 32) + index,
            )
            for index, case in enumerate(cases[first : first + _BATCH], first)
        ]
        answers += simulator.run(requests)
        runs.progress(len(answers), len(cases))
    interrupted = list(_interruptions(cases, answers, runs.resets))
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


def _is_long(design: CurveDesign, cases: Sequence[Case], resets: Resets) -> bool:
    """Whether the cases, and others after resets, are worth an optimised simulator."""
    cycles = 0
    for number, rounds in enumerate(design.rounds):
        on_curve = [case.operation for case in cases if case.curve == number]
        runs = sum(operation in _MULTIPLICATIONS for operation in on_curve)
        loop = rounds * design.step_cycles(number)
        cycles += (runs + len(_MULTIPLICATIONS) * _reset_count(resets, loop)) * loop
    return cycles >= LONG_CYCLES


def _around_resets(
    simulator: CoprocessorSimulator, interruptions: Sequence[_Interruption]
) -> Iterator[tuple[Case, Answer]]:
    """The operations that follow resets, and those that should not have ended before theirs."""
    if not interruptions:
        return
    outcomes = simulator.outcomes(chain.from_iterable(each.requests() for each in interruptions))
    cases = chain.from_iterable((each.case, each.follower) for each in interruptions)
    for case, answer in zip(cases, outcomes, strict=True):
        if answer is not None:
            yield case, answer


def point_cycles(simulator: CoprocessorSimulator, design: CurveDesign) -> list[tuple[str, int]]:
    """The operation that multiplies a point on each curve, and its cycles."""
    requests = []
    for number, curve in enumerate(design.curves):
        operands = (curve.order // 3, *_operand_point(curve, curve.base_point))
        requests.append(Request(point_operation(curve), operands, curve=number))
    return [
        (Operation(request.operation).name, answer.cycles)
        for request, answer in zip(requests, simulator.run(requests), strict=True)
    ]


def point_operation(curve: Curve) -> Operation:
    """The operation that multiplies a point of the curve."""
    montgomery = isinstance(curve, MontgomeryCurve)
    return Operation.X_MULTIPLY if montgomery else Operation.POINT_MULTIPLY


def _operand_point(curve: Curve, point: tuple[int, int]) -> tuple[int, ...]:
    return point[:1] if isinstance(curve, MontgomeryCurve) else point


def _judged(
    design: CurveDesign, cases: Sequence[Case], answers: Sequence[Answer], timed: Sequence[bool]
) -> EccResult:
    result = EccResult(operations=len(cases), cycles=[{} for _ in design.curves])
    times: dict[tuple[int, int, Status], set[int]] = {}
    for case, answer, is_timed in zip(cases, answers, timed, strict=True):
        if (answer.status, answer.results) != case.expected:
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


def all_cases(design: CurveDesign, vectors: int, seed: int) -> Iterator[Case]:
    """The operations to run on each curve, and codes that no operation or curve has."""
    for number in range(len(design.curves)):
        cases = _Cases(design, number, random.Random(f"{seed} {number}"))
        yield from cases.points(vectors)
        yield from cases.exceptional_scalars()
        yield from cases.sums()
        yield from cases.signatures(vectors)
        yield from cases.numbers(vectors * _FIELD_RUNS)
        yield from cases.invalid()
    known = [int(operation) for operation in design.operation_codes]
    for code in (0, max(known) + 1, 255):
        yield Case(0, code, (), (Status.BAD_OPERATION, ()))
    yield Case(len(design.curves), min(known), (), (Status.BAD_CURVE, ()))
    yield Case(255, min(known), (), (Status.BAD_CURVE, ()))


class _Cases:
    """The operations of one curve."""

    def __init__(self, design: CurveDesign, number: int, draw: random.Random) -> None:
        self.number, self.curve, self.draw = number, design.curves[number], draw
        self.codes = set(design.operations[number])
        self.scalar_bits, self.words = design.scalar_bits[number], design.words

    def case(self, operation: Operation, *operands: int) -> Iterator[Case]:
        """The operation, if the curve has it, and its outcome by plain integers."""
        if operation in self.codes:
            expected = outcome(self.curve, self.scalar_bits, operation, operands)
            yield Case(self.number, operation, operands, expected)

    def points(self, vectors: int) -> Iterator[Case]:
        """Random multiples of random points, of the base point, and points to validate."""
        point_by_point = point_operation(self.curve)
        for index in range(vectors):
            point = self.point()
            yield from self.case(point_by_point, self.scalar(), *point)
            if index % 4 == 0:
                yield from self.case(Operation.BASE_MULTIPLY, self.scalar())
                yield from self.case(Operation.VALIDATE, *point)
                pair = (self.scalar(), self.scalar())
                yield from self.case(Operation.DOUBLE_MULTIPLY, *pair, *point, *self.point())
                if point_by_point is not Operation.X_MULTIPLY:
                    yield from self.case(Operation.X_MULTIPLY, self.scalar(), *point)

    def exceptional_scalars(self) -> Iterator[Case]:
        """Scalars around 0, the order and the largest one, with every multiplication."""
        n, largest = self.curve.order, (1 << self.scalar_bits) - 1
        base = _operand_point(self.curve, self.curve.base_point)
        for k in dict.fromkeys((0, 1, 2, 3, n - 2, n - 1, n, n + 1, n + 2, largest - 1, largest)):
            if k <= largest:
                yield from self.case(point_operation(self.curve), k, *self.point())
                yield from self.case(point_operation(self.curve), k, *base)
                yield from self.case(Operation.BASE_MULTIPLY, k)

    def sums(self) -> Iterator[Case]:
        """k P + l Q with equal and opposite points, with k P = +-l Q and with either being O."""
        if Operation.DOUBLE_MULTIPLY not in self.codes:
            return
        n, largest, k = self.curve.order, (1 << self.scalar_bits) - 1, self.scalar()
        x, y = point = self.point()
        opposite, other = (x, -y % self.curve.prime), self.point()
        pairs = [(1, 1), (k, k), (k % n, n - k % n), (0, 0), (0, k), (k, 0), (n, 1), (2, 1)]
        for scalars in (*pairs, (largest, largest)):
            for second in (point, opposite, other):
                yield from self.case(Operation.DOUBLE_MULTIPLY, *scalars, *point, *second)
        wrong = (x, y ^ 1)
        yield from self.case(Operation.DOUBLE_MULTIPLY, 1, 1, *wrong, *other)
        yield from self.case(Operation.DOUBLE_MULTIPLY, 1, 1, *other, *wrong)
        yield from self.case(Operation.DOUBLE_MULTIPLY, 1, 1, *other, x, self.curve.prime)
        if self.scalar_bits < 32 * self.words:
            for scalars in ((largest + 1, 1), (1, largest + 1)):
                yield from self.case(Operation.DOUBLE_MULTIPLY, *scalars, *point, *other)

    def signatures(self, runs: int) -> Iterator[Case]:
        """Signatures by random and by exceptional keys, valid ones and others."""
        if Operation.ECDSA_VERIFY not in self.codes:
            return
        n = self.curve.order
        for _ in range(-(-runs // 2)):
            key, e, r, s = self.signature(self.draw.randrange(1, n), self.draw.randrange(n))
            for operands in ((e, r, s), ((e + 1) % n, r, s), (e, s, r), (e, r, n - s)):
                yield from self.case(Operation.ECDSA_VERIFY, *operands, *key)
        yield from self.exceptional_signatures()
        yield from self.refused_signatures(*self.signature(5, 7))

    def exceptional_signatures(self) -> Iterator[Case]:
        """Sums of equal and opposite multiples, of one alone, neutral ones, and with a large x."""
        n, p = self.curve.order, self.curve.prime
        for secret in (1, n - 1, 2, pow(2, -1, n)):
            for digest in (0, self.draw.randrange(n)):
                key, e, r, s = self.signature(secret, digest)
                yield from self.case(Operation.ECDSA_VERIFY, e, r, s, *key)
            # u G = +-v Q: the sum is twice one of them, or neutral.
            for e in (secret * r % n, -secret * r % n):
                yield from self.case(Operation.ECDSA_VERIFY, e, r, s, *key)
        for large in self.large_abscissas():
            yield from self.made_for(large, large[0] - n)
        x, y = self.point()
        # r + n is x modulo p, but it is not x.
        if 0 < x + p - n < n:
            yield from self.made_for((x, y), x + p - n)

    def made_for(self, point: tuple[int, int], r: int) -> Iterator[Case]:
        """A signature with this r whose sum is a point, by a key of an unknown secret."""
        n = self.curve.order
        assert isinstance(self.curve, WeierstrassCurve)
        e, s = self.draw.randrange(n), self.draw.randrange(1, n)
        inverse = pow(r, -1, n)
        parts = ((s, point), (-e, self.curve.base_point))
        multiples = (affine.multiply(self.curve, k * inverse % n, own) for k, own in parts)
        key = affine.add(self.curve, *multiples)
        if key is not None:
            yield from self.case(Operation.ECDSA_VERIFY, e, r, s, *key)

    def large_abscissas(self) -> list[tuple[int, int]]:
        """A point whose x is above the order, if there is one and its y is found at once."""
        p, n = self.curve.prime, self.curve.order
        for x in range(n + 1, min(p, n + 200) if p % 4 == 3 else 0):
            square = affine.right_side(self.curve, x)
            y = pow(square, (p + 1) // 4, p)
            if y * y % p == square:
                return [(x, y)]
        return []

    def refused_signatures(self, key: tuple[int, int], e: int, r: int, s: int) -> Iterator[Case]:
        """Numbers out of range, r or s = 0, and a key that is no point."""
        n, p, (x, y) = self.curve.order, self.curve.prime, key
        for operands in ((n, r, s), (e, n, s), (e, r, n), (e, 0, s), (e, r, 0), (e, 0, 0)):
            yield from self.case(Operation.ECDSA_VERIFY, *operands, x, y)
        for wrong in ((p, y), (x, p), (self.largest, y), (x, y ^ 1), (0, 0)):
            yield from self.case(Operation.ECDSA_VERIFY, e, r, s, *wrong)

    def signature(self, secret: int, e: int) -> tuple[tuple[int, int], int, int, int]:
        """The key of a secret, the number of a digest, and r and s of a signature."""
        return signature(self.curve, self.draw, secret, e)

    def numbers(self, runs: int) -> Iterator[Case]:
        """Arithmetic modulo the prime and the order."""
        for modulus, multiply, add, invert in (
            (
                self.curve.prime,
                Operation.FIELD_MULTIPLY,
                Operation.FIELD_MULTIPLY_ADD,
                Operation.FIELD_INVERT,
            ),
            (
                self.curve.order,
                Operation.ORDER_MULTIPLY,
                Operation.ORDER_MULTIPLY_ADD,
                Operation.ORDER_INVERT,
            ),
        ):
            edges = (0, 1, 2, modulus - 2, modulus - 1, modulus // 2)
            some = (0, 1, modulus - 1)
            pairs = [(a, b) for a in some for b in some]
            pairs += [
                (self.draw.randrange(modulus), self.draw.randrange(modulus)) for _ in range(runs)
            ]
            for a, b in pairs:
                yield from self.case(multiply, a, b)
            for a, b in pairs[: len(pairs) // 2]:
                yield from self.case(add, a, b, self.draw.choice((*edges, b)))
            for a in (*edges, *(a for a, _ in pairs[-runs // 4 :])):
                yield from self.case(invert, a)
            for operands in ((modulus, 1), (1, modulus), (self.largest, 0)):
                yield from self.case(multiply, *operands)
            yield from self.case(add, 1, 1, modulus)
            yield from self.case(invert, modulus)

    def invalid(self) -> Iterator[Case]:
        """Coordinates and scalars out of range, points that are on no curve or of small order."""
        p, k = self.curve.prime, self.scalar()
        multiply = point_operation(self.curve)
        point = self.point()
        wrong: list[tuple[int, ...]] = [(p, *point[1:]), (self.largest, *point[1:])]
        if isinstance(self.curve, MontgomeryCurve):
            small: list[tuple[int, ...]] = [(0,), (1,), (p - 1,)] if self.curve.cofactor > 1 else []
            for operands in small:
                yield from self.case(Operation.VALIDATE, *operands)
        else:
            x, y = point
            wrong += [(x, p), (x, self.largest), (x, y ^ 1), ((x + 1) % p, y), (0, 0)]
        for operands in wrong:
            yield from self.case(multiply, k, *operands)
            yield from self.case(Operation.VALIDATE, *operands)
        for scalar in (1 << self.scalar_bits, self.largest):
            if self.scalar_bits < 32 * self.words:
                yield from self.case(multiply, scalar, *point)
                yield from self.case(Operation.BASE_MULTIPLY, scalar)

    @property
    def largest(self) -> int:
        """The largest number that the words hold."""
        return (1 << 32 * self.words) - 1

    def scalar(self) -> int:
        """Any scalar of the curve's bits."""
        return self.draw.getrandbits(self.scalar_bits)

    def point(self) -> tuple[int, ...]:
        """Operands of a random point of the base point's group, not the neutral one."""
        k = self.draw.randrange(1, self.curve.order)
        point = affine.multiply(self.curve, k, self.curve.base_point)
        assert point is not None
        return _operand_point(self.curve, point)


def signature(
    curve: Curve, draw: random.Random, secret: int, e: int
) -> tuple[tuple[int, int], int, int, int]:
    """The key of a secret, the number of a digest, and r and s of a signature by plain integers."""
    assert isinstance(curve, WeierstrassCurve)
    n, base = curve.order, curve.base_point
    key = affine.multiply(curve, secret, base)
    assert key is not None
    r = s = 0
    while not (r and s):
        k = draw.randrange(1, n)
        point = affine.multiply(curve, k, base)
        assert point is not None
        r = point[0] % n
        s = (e + r * secret) * pow(k, -1, n) % n
    return key, e, r, s


def outcome(
    curve: Curve, scalar_bits: int, operation: Operation, operands: tuple[int, ...]
) -> Outcome:
    """Compute the right outcome of an operation by plain integers.

    On Montgomery curves points must be in the group of the base point.
    """
    if operation is Operation.ECDSA_VERIFY:
        assert isinstance(curve, WeierstrassCurve)
        return _verified(curve, operands)
    if operation >= Operation.FIELD_MULTIPLY:
        modulus = curve.order if operation in ORDER_OPERATIONS else curve.prime
        return _arithmetic(modulus, operation, operands)
    scalars = 2 if operation is Operation.DOUBLE_MULTIPLY else 1
    scalar, point = operands[:scalars], operands[scalars:]
    if operation is Operation.VALIDATE:
        scalar, point = (), operands
    if any(k >> scalar_bits for k in scalar):
        return Status.SCALAR_RANGE, ()
    if any(number >= curve.prime for number in point):
        return Status.OPERAND_RANGE, ()
    if isinstance(curve, MontgomeryCurve):
        return _montgomery(curve, operation, scalar, point)
    if operation is Operation.BASE_MULTIPLY:
        point = curve.base_point
    points = list(zip(point[::2], point[1::2], strict=True))
    return _weierstrass(curve, operation, scalar, points)


def _weierstrass(
    curve: WeierstrassCurve,
    operation: Operation,
    scalars: tuple[int, ...],
    points: list[tuple[int, int]],
) -> Outcome:
    if not all(affine.is_on_curve(curve, point) for point in points):
        return Status.NOT_ON_CURVE, ()
    if operation is Operation.VALIDATE:
        return Status.OK, ()
    result: affine.Point = None
    for scalar, point in zip(scalars, points, strict=True):
        result = affine.add(curve, result, affine.multiply(curve, scalar, point))
    if result is None:
        return Status.NEUTRAL, ()
    return Status.OK, result[:1] if operation is Operation.X_MULTIPLY else result


def _verified(curve: WeierstrassCurve, operands: tuple[int, ...]) -> Outcome:
    (e, r, s), key = operands[:3], (operands[3], operands[4])
    n = curve.order
    if max(e, r, s) >= n or max(key) >= curve.prime:
        return Status.OPERAND_RANGE, ()
    if r == 0 or s == 0:
        return Status.INVALID, ()
    if not affine.is_on_curve(curve, key):
        return Status.NOT_ON_CURVE, ()
    inverse = pow(s, -1, n)
    parts = ((e, curve.base_point), (r, key))
    multiples = (affine.multiply(curve, k * inverse % n, point) for k, point in parts)
    total = affine.add(curve, *multiples)
    valid = total is not None and total[0] % n == r
    return (Status.OK, (r,)) if valid else (Status.INVALID, ())


def _montgomery(
    curve: MontgomeryCurve, operation: Operation, scalar: tuple[int, ...], point: tuple[int, ...]
) -> Outcome:
    u = curve.x if operation is Operation.BASE_MULTIPLY else point[0]
    if operation is Operation.VALIDATE:
        small = curve.cofactor > 1 and affine.multiply_x(curve, curve.cofactor, u) == 0
        return (Status.SMALL_ORDER if small else Status.OK), ()
    if scalar[0] % curve.order == 0:
        return Status.NEUTRAL, ()
    return Status.OK, (affine.multiply_x(curve, scalar[0], u),)


def _arithmetic(modulus: int, operation: Operation, operands: tuple[int, ...]) -> Outcome:
    if any(number >= modulus for number in operands):
        return Status.OPERAND_RANGE, ()
    match operation:
        case Operation.FIELD_INVERT | Operation.ORDER_INVERT:
            if operands[0] == 0:
                return Status.NO_INVERSE, ()
            return Status.OK, (pow(operands[0], -1, modulus),)
        case Operation.FIELD_MULTIPLY_ADD | Operation.ORDER_MULTIPLY_ADD:
            a, b, addend = operands
            return Status.OK, ((a * b + addend) % modulus,)
        case _:
            return Status.OK, (operands[0] * operands[1] % modulus,)
