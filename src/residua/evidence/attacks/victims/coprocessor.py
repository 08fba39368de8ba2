"""Multiplications of a point by a coprocessor, and what they have to give."""

import random
from functools import cached_property

from residua.cores.coprocessor.core import CoprocessorCore
from residua.cores.coprocessor.outcomes import Outcome, given_operands, given_outcome, operand_point
from residua.cores.coprocessor.simulator import (
    FRESH_WORDS,
    Request,
    bench_source,
    numbers_of,
)
from residua.cores.directory import Directory
from residua.curves import affine
from residua.curves.operations.codes import Operation, Status, point_operation
from residua.curves.operations.instructions import DRAWN, PLAIN, Read, every
from residua.curves.parameters import Curve, MontgomeryCurve, WeierstrassCurve
from residua.errors import SpecificationError
from residua.evidence.attacks.victims.victim import Answer, Bench, Effect, Victim
from residua.hardware.coprocessor.design import CurveDesign
from residua.hardware.coprocessor.durations import operation_cycles


def coprocessor_of(directory: Directory) -> CoprocessorCore:
    """The coprocessor of a directory.

    Raises:
        SpecificationError: it has another core.
    """
    core = directory.made
    if not isinstance(core, CoprocessorCore):
        raise SpecificationError(
            f"{directory.path} is the directory of {directory.noun}: this attack is one on "
            "coprocessors"
        )
    return core


def operation_named(design: CurveDesign, curve: int, name: str | None) -> Operation:
    """The operation of a curve that is called so; None: the multiplication of a point.

    Raises:
        SpecificationError: the curve has no such operation.
    """
    if name is None:
        return point_operation(design.curves[curve])
    found = {one.name: one for one in sorted(design.operations[curve])}
    if name.upper() not in found:
        raise SpecificationError(
            f"{design.curves[curve].name} has no operation '{name}': one of {', '.join(found)}"
        )
    return found[name.upper()]


def operand_names(core: CoprocessorCore, curve: int, operation: Operation) -> list[str]:
    """The operands of an operation of a curve, by the names that its directory has for them."""
    own = next(one for one in core.interface["operations"] if one["code"] == operation)
    form = core.core.design.curves[curve].form
    found: dict[str, str] = {each["form"]: each["operands"] for each in own["forms"]}
    return found.get(form, next(iter(found.values()))).split(", ")


def operands_read(design: CurveDesign, curve: int, operation: Operation) -> int:
    """Numbers that an operation reads from its operands."""
    own = every(design.operations[curve][operation])
    sources = [one.source for one in own if isinstance(one, Read) and one.source not in DRAWN]
    pairs = [one for one in sources if one != "operand" and one not in PLAIN]
    return len(sources) + (len(pairs) if design.shares_scalars else 0)


def supply_of(design: CurveDesign, word: int | None) -> int:
    """What an operation gets for random words: that one each time, or fresh ones if it is None.

    Raises:
        SpecificationError: there is a word that all are, and the core tests them.
    """
    if word is None:
        return FRESH_WORDS
    if design.watches_random:
        raise SpecificationError(
            f"random words that are all {word:#x}: random-health ends every operation then; attack "
            "a core without it, or with fresh words"
        )
    return word


class PointVictim(Victim):
    """A point of a curve, or none, and scalars that it is multiplied by.

    Attributes:
        operands: of the operation, for each scalar.
        given: the operands as the core takes them, secrets as shares if it takes such.

    Raises:
        SpecificationError: the core has no such curve, or every point of it is valid.
    """

    def __init__(
        self, core: CoprocessorCore, index: int, seed: int, *, keys: int, invalid: bool = False
    ) -> None:
        self.core, self.design = core, core.core.design
        curves = self.design.curves
        if not 0 <= index < len(curves):
            names = ", ".join(f"{i} ({one.name})" for i, one in enumerate(curves))
            raise SpecificationError(f"curve = {index}: the core has {names}")
        self.curve, self.index, self.seed, self.keys = curves[index], index, seed, keys
        self.code = point_operation(self.curve)
        self.operation = self.code.name
        self.cycles = operation_cycles(self.design, self.code, index)
        draw = random.Random(seed)
        point = _invalid(self.curve, draw) if invalid else valid_point(self.curve, draw)
        self.operands = [(draw.randrange(1, self.curve.order), *point) for _ in range(keys)]
        shares = random.Random(f"shares {seed}")
        self.given = [
            given_operands(self.design, index, self.code, own, shares) for own in self.operands
        ]

    @property
    def about(self) -> dict[str, str]:
        """The curve."""
        return {"curve": self.curve.name}

    @property
    def bench(self) -> Bench:
        """C++ that runs any operation of the core: lines of `Request`."""
        return Bench(self.core.name, bench_source(self.core.name, self.design.status_codes))

    def line(self, key: int) -> str:
        """The operation with one of the scalars as a line for the bench."""
        request = Request(self.code, self.given[key], curve=self.index, seed=self.seed)
        return request.line(self.design.words)

    def expected(self, key: int) -> Outcome:
        """What it has to give, by plain integers."""
        return self._outcomes[key]

    @cached_property
    def _outcomes(self) -> list[Outcome]:
        return [given_outcome(self.design, self.index, self.code, own) for own in self.given]

    def judged(self, key: int, answer: Answer) -> tuple[Effect, str]:
        """What an answer is, with that scalar, and the name of its status."""
        ended = self.design.status_codes.statuses.get(answer.status)
        name = f"code {answer.status}" if ended is None else ended.name
        return self._effect(answer, ended, *self.expected(key)), name

    def _effect(
        self, answer: Answer, ended: Status | None, status: Status, results: tuple[int, ...]
    ) -> Effect:
        if answer.hangs:
            return Effect.HANG
        numbers = numbers_of(answer.words, self.design.words)
        if (ended, numbers) == (status, results):
            return Effect.HARMLESS
        if ended is not Status.OK:
            return Effect.WORDS if answer.words else Effect.DETECTED
        if status is not Status.OK:
            return Effect.ADMITTED
        if not isinstance(self.curve, WeierstrassCurve) or len(results) < 2:
            return Effect.SILENT
        whole = len(numbers) == 2 and affine.is_on_curve(self.curve, (numbers[0], numbers[1]))
        return Effect.ON_CURVE if whole else Effect.OFF_CURVE


def valid_point(curve: Curve, draw: random.Random) -> tuple[int, ...]:
    """A random point of a curve as operands."""
    point = affine.multiply(curve, draw.randrange(1, curve.order), curve.base_point)
    assert point is not None
    return operand_point(curve, point)


def _invalid(curve: Curve, draw: random.Random) -> tuple[int, ...]:
    if isinstance(curve, MontgomeryCurve):
        raise SpecificationError(
            f"{curve.name}: every x is that of a point of the curve or of its twist, so that no "
            "point is invalid"
        )
    x, y = valid_point(curve, draw)
    return x, (y + 1 + draw.randrange(curve.prime - 2)) % curve.prime
