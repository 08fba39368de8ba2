"""Vectors of the test bench of a coprocessor: operations, and their results by plain integers."""

import random
from collections.abc import Iterator

from residua.cores.bus.vectors import Vector
from residua.cores.coprocessor.outcomes import given_operands, given_outcome, signature
from residua.curves import affine
from residua.curves.operations.codes import Operation, Status, point_operation
from residua.curves.parameters import Curve, MontgomeryCurve
from residua.hardware.coprocessor.design import CurveDesign
from residua.hardware.coprocessor.durations import operation_cycles

_ABORT_SHARE = 3
"""An operation that is zeroised is zeroised after this part of its ladder."""


def vectors(design: CurveDesign) -> list[Vector]:
    """Multiplications, refusals, arithmetic and a zeroisation in mid-operation, for each curve."""
    found: list[Vector] = []
    for number, curve in enumerate(design.curves):
        cycles = operation_cycles(design, point_operation(curve), number)
        found += _Vectors(design, number).all(cycles // _ABORT_SHARE)
    status = design.status_codes.of(Status.BAD_OPERATION)
    return [*found, Vector("an operation that no core has", 0, 255, (), status)]


class _Vectors:
    """The vectors of one curve."""

    def __init__(self, design: CurveDesign, number: int) -> None:
        self.design = design
        self.number, self.curve, self.words = number, design.curves[number], design.words
        self.codes, self.status = set(design.operations[number]), design.status_codes.of
        self.scalar_bits = design.scalars.bits[number]
        self.draw = random.Random(f"bench {self.curve.name}")

    def all(self, abort: int) -> Iterator[Vector]:
        """All vectors, cheap ones first."""
        yield from self.refusals()
        yield from self.arithmetic()
        yield from self.multiplications()
        yield from self.zeroisation(abort)

    def case(self, note: str, operation: Operation, *operands: int) -> Iterator[Vector]:
        """The operation, if the curve has it."""
        if operation in self.codes:
            given = given_operands(self.design, self.number, operation, operands, self.draw)
            status, results = given_outcome(self.design, self.number, operation, given)
            text = f"{operation.name} on {self.curve.name}: {note}"
            code = self.status(status)
            yield Vector(text, self.number, operation, given, code, results)

    def refusals(self) -> Iterator[Vector]:
        """Points and numbers that the core must refuse."""
        p, point, multiply = self.curve.prime, self.point(), point_operation(self.curve)
        yield from self.case("a valid point", Operation.VALIDATE, *point)
        if isinstance(self.curve, MontgomeryCurve):
            if self.curve.cofactor > 1:
                yield from self.case("a point of small order", Operation.VALIDATE, 0)
        else:
            x, y = point
            yield from self.case("a point off the curve", Operation.VALIDATE, x, y ^ 1)
            yield from self.case("a point off the curve", multiply, self.scalar(), x, y ^ 1)
        yield from self.case("a coordinate equal to p", multiply, self.scalar(), p, *point[1:])
        if self.scalar_bits < 32 * self.words:
            long = 1 << self.scalar_bits
            yield from self.case("a scalar too long", multiply, long, *point)

    def arithmetic(self) -> Iterator[Vector]:
        """Arithmetic modulo the prime and modulo the order."""
        p, n = self.curve.prime, self.curve.order
        a, b = self.draw.randrange(p), self.draw.randrange(p)
        yield from self.case("random numbers", Operation.FIELD_MULTIPLY, a, b)
        yield from self.case("an operand equal to p", Operation.FIELD_MULTIPLY, p, 1)
        yield from self.case("a random number", Operation.ORDER_INVERT, self.draw.randrange(1, n))
        yield from self.case("zero", Operation.ORDER_INVERT, 0)
        if Operation.ORDER_SIGN in self.codes:
            numbers = [self.draw.randrange(1, n) for _ in range(4)]
            yield from self.case("random numbers", Operation.ORDER_SIGN, *numbers)
            yield from self.case("k = 0", Operation.ORDER_SIGN, 0, *numbers[1:])

    def multiplications(self) -> Iterator[Vector]:
        """Multiples of points, by random and by exceptional scalars."""
        n, multiply, point = self.curve.order, point_operation(self.curve), self.point()
        yield from self.case("a random scalar", multiply, self.scalar(), *point)
        for name, k in (("0", 0), ("1", 1), ("n - 1", n - 1), ("n", n)):
            yield from self.case(f"the scalar {name}", multiply, k, *point)
        yield from self.case("a random scalar", Operation.BASE_MULTIPLY, self.scalar())
        pair = (self.scalar(), self.scalar())
        both = (*pair, *point, *self.point())
        yield from self.case("random scalars", Operation.DOUBLE_MULTIPLY, *both)
        yield from self.signatures()

    def signatures(self) -> Iterator[Vector]:
        """A valid signature and others."""
        if Operation.ECDSA_VERIFY not in self.codes:
            return
        n = self.curve.order
        secret, digest = self.draw.randrange(1, n), self.draw.randrange(n)
        key, e, r, s = signature(self.curve, self.draw, secret, digest)
        for note, numbers in (
            ("a signature", (e, r, s)),
            ("another digest", ((e + 1) % n, r, s)),
            ("s = 0", (e, r, 0)),
            ("r = n", (e, n, s)),
        ):
            yield from self.case(note, Operation.ECDSA_VERIFY, *numbers, *key)

    def zeroisation(self, abort: int) -> Iterator[Vector]:
        """An operation that is aborted, and the same one again."""
        multiply, operands = point_operation(self.curve), (self.scalar(), *self.point())
        note = f"{multiply.name} on {self.curve.name}: zeroised in cycle {abort}"
        given = given_operands(self.design, self.number, multiply, operands, self.draw)
        yield Vector(note, self.number, multiply, given, self.status(Status.ZEROISED), (), abort)
        yield from self.case("after a zeroisation", multiply, *operands)

    def scalar(self) -> int:
        """Any scalar of the curve's bits."""
        return self.draw.getrandbits(self.scalar_bits)

    def point(self) -> tuple[int, ...]:
        """Operands of a random point of the base point's group, not the neutral one."""
        return _operands(self.curve, self.draw.randrange(1, self.curve.order))


def _operands(curve: Curve, k: int) -> tuple[int, ...]:
    if isinstance(curve, MontgomeryCurve):
        return (affine.multiply_x(curve, k, curve.x),)
    point = affine.multiply(curve, k, curve.base_point)
    assert point is not None
    return point
