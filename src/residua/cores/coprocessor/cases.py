"""Operations that a verification of a coprocessor runs: random, exceptional and invalid ones."""

import random
from collections.abc import Iterator
from dataclasses import dataclass

from residua.cores.coprocessor.outcomes import (
    Outcome,
    given_operands,
    given_outcome,
    operand_point,
    signature,
)
from residua.curves import affine
from residua.curves.operations.codes import Operation, Status, point_operation
from residua.curves.parameters import MontgomeryCurve, WeierstrassCurve
from residua.hardware.coprocessor.design import CurveDesign

_FIELD_RUNS = 4
"""Field operations with random operands for each multiplication of a point."""


@dataclass(frozen=True)
class Case:
    """An operation and what it must give."""

    curve: int
    operation: int
    operands: tuple[int, ...]
    expected: Outcome


def all_cases(design: CurveDesign, vectors: int, seed: int) -> Iterator[Case]:
    """The operations to run on each curve, and codes that no operation or curve has."""
    for number in range(len(design.curves)):
        cases = _Cases(design, number, random.Random(f"{seed} {number}"))
        yield from cases.points(vectors)
        yield from cases.exceptional_scalars()
        yield from cases.shares()
        yield from cases.sums()
        yield from cases.signatures(vectors)
        yield from cases.numbers(vectors * _FIELD_RUNS)
        yield from cases.quotients(vectors)
        yield from cases.invalid()
    known = [int(operation) for operation in design.operation_codes]
    for code in (0, max(known) + 1, 255):
        yield Case(0, code, (), (Status.BAD_OPERATION, ()))
    yield Case(len(design.curves), min(known), (), (Status.BAD_CURVE, ()))
    yield Case(255, min(known), (), (Status.BAD_CURVE, ()))


class _Cases:
    """The operations of one curve."""

    def __init__(self, design: CurveDesign, number: int, draw: random.Random) -> None:
        self.design, self.draw = design, draw
        self.number, self.curve = number, design.curves[number]
        self.codes, self.split = set(design.operations[number]), design.scalars.splits[number]
        self.scalar_bits, self.words = design.scalars.bits[number], design.words

    def case(self, operation: Operation, *operands: int) -> Iterator[Case]:
        """The operation, if the curve has it, and its outcome by plain integers."""
        if operation in self.codes:
            design, number = self.design, self.number
            yield from self.given(
                operation, *given_operands(design, number, operation, operands, self.draw)
            )

    def given(self, operation: Operation, *operands: int) -> Iterator[Case]:
        """The same of operands as the core takes them."""
        if operation in self.codes:
            expected = given_outcome(self.design, self.number, operation, operands)
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
        """Scalars around 0, the order and the largest one, with every multiplication.

        Where scalars are halved, there are those that have extreme halves, too.
        """
        n, largest = self.curve.order, (1 << self.scalar_bits) - 1
        base = operand_point(self.curve, self.curve.base_point)
        scalars = [0, 1, 2, 3, n - 2, n - 1, n, n + 1, n + 2, largest - 1, largest]
        for k in dict.fromkeys((*scalars, *(self.split.edges if self.split else ()))):
            if k <= largest:
                yield from self.case(point_operation(self.curve), k, *self.point())
                yield from self.case(point_operation(self.curve), k, *base)
                yield from self.case(Operation.BASE_MULTIPLY, k)

    def shares(self) -> Iterator[Case]:
        """Shares that are 0, that carry through all words, of neutral sums, and out of range."""
        if not self.design.shares_scalars:
            return
        n, k, largest = self.curve.order, self.scalar() % self.curve.order, self.largest_scalar
        pairs = [(0, 0), (0, k), (k, 0), (0, n), (1, n - 1), (n - 1, n - 1), (k, n - k), (n, n)]
        pairs += [(largest, largest), (largest, 1), (1, largest)]
        pairs += [(own, other) for share in self.long for own, other in ((share, 0), (0, share))]
        multiply, point = point_operation(self.curve), self.point()
        for pair in dict.fromkeys(pairs):
            yield from self.given(multiply, *pair, *point)
            yield from self.given(Operation.BASE_MULTIPLY, *pair)
        d, r, z = (self.draw.randrange(n) for _ in range(3))
        whole = [(0, d, k, 0), (k, 0, 0, d), (n - 1, n - 1, n - 1, 1), (1, d, n - 1, d)]
        wrong = [[n if i == own else 1 for i in range(4)] for own in range(4)]
        for shares in (*whole, *wrong):
            yield from self.given(Operation.ORDER_SIGN, *shares, r, z)

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
            for operands in ((modulus, 1), (1, modulus), (self.largest, 0), (self.highest, 1)):
                yield from self.case(multiply, *operands)
            yield from self.case(add, 1, 1, modulus)
            yield from self.case(invert, modulus)

    def quotients(self, runs: int) -> Iterator[Case]:
        """(z + r d) / k modulo the order, with extreme numbers and such as are refused."""
        if Operation.ORDER_SIGN not in self.codes:
            return
        n = self.curve.order
        some = [tuple(self.draw.randrange(n) for _ in range(4)) for _ in range(runs)]
        some += [(1, 0, 0, 0), (1, 1, 1, n - 1), (n - 1,) * 4, (2, n - 1, 1, 0), (0, 1, 1, 1)]
        # Whatever is refused, all four are taken.
        some += [tuple(n if i == own else 0 for i in range(4)) for own in range(4)]
        for operands in (*some, (self.largest,) * 4):
            yield from self.case(Operation.ORDER_SIGN, *operands)

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
        for scalar in self.long:
            yield from self.case(multiply, scalar, *point)
            yield from self.case(Operation.BASE_MULTIPLY, scalar)

    @property
    def long(self) -> list[int]:
        """Numbers that are too long for a scalar, if the words hold any."""
        fills = self.scalar_bits == 32 * self.words
        return [] if fills else [self.largest_scalar + 1, self.largest]

    @property
    def largest_scalar(self) -> int:
        """The largest number that a scalar may be."""
        return (1 << self.scalar_bits) - 1

    @property
    def largest(self) -> int:
        """The largest number that the words hold."""
        return (1 << 32 * self.words) - 1

    @property
    def highest(self) -> int:
        """The highest bit alone, which may lie above all words that a number has within."""
        return 1 << 32 * self.words - 1

    def scalar(self) -> int:
        """Any scalar of the curve's bits."""
        return self.draw.getrandbits(self.scalar_bits)

    def point(self) -> tuple[int, ...]:
        """Operands of a random point of the base point's group, not the neutral one."""
        k = self.draw.randrange(1, self.curve.order)
        point = affine.multiply(self.curve, k, self.curve.base_point)
        assert point is not None
        return operand_point(self.curve, point)
