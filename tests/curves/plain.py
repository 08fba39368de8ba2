"""Affine points in plain integers, and the costs of field programs: what the tests compare with."""

from collections import Counter
from dataclasses import dataclass
from functools import cached_property

from cryptography.hazmat.primitives.asymmetric import ec

from residua.algorithms.fields.field import FieldProgram, ProductSum, evaluate

Point = tuple[int, int] | None
"""None is the neutral element."""


@dataclass(frozen=True)
class PlainCurve:
    """y^2 = x^3 + a2 x^2 + a x + b modulo a prime."""

    prime: int
    a: int
    b: int
    a2: int = 0

    def right_side(self, x: int) -> int:
        return (x**3 + self.a2 * x * x + self.a * x + self.b) % self.prime

    @property
    def is_singular(self) -> bool:
        p = self.prime
        return any(
            self.right_side(x) == 0 and (3 * x * x + 2 * self.a2 * x + self.a) % p == 0
            for x in range(p)
        )

    @cached_property
    def points(self) -> list[tuple[int, int]]:
        """The affine points (small primes only)."""
        p = self.prime
        roots: dict[int, list[int]] = {}
        for y in range(p):
            roots.setdefault(y * y % p, []).append(y)
        return [(x, y) for x in range(p) for y in roots.get(self.right_side(x), [])]

    def add(self, first: Point, second: Point) -> Point:
        if first is None or second is None:
            return second if first is None else first
        (x0, y0), (x1, y1) = first, second
        p = self.prime
        if x0 != x1:
            slope = (y1 - y0) * pow(x1 - x0, -1, p)
        elif (y0 + y1) % p == 0:
            return None
        else:
            slope = (3 * x0 * x0 + 2 * self.a2 * x0 + self.a) * pow(2 * y0, -1, p)
        x = (slope * slope - self.a2 - x0 - x1) % p
        return x, (slope * (x0 - x) - y0) % p

    def negate(self, point: Point) -> Point:
        return None if point is None else (point[0], -point[1] % self.prime)

    def multiply(self, k: int, point: Point) -> Point:
        if k < 0:
            return self.multiply(-k, self.negate(point))
        total: Point = None
        for bit in f"{k:b}":
            total = self.add(total, total)
            if bit == "1":
                total = self.add(total, point)
        return total

    def order_of(self, point: tuple[int, int]) -> int:
        order, multiple = 1, self.add(None, point)
        while multiple is not None:
            order, multiple = order + 1, self.add(multiple, point)
        return order


def costs(program: FieldProgram) -> tuple[int, int, int, int]:
    """(reductions, products, combinations, selections)."""
    kinds = Counter(type(operation).__name__ for operation in program.operations)
    products = sum(len(op.products) for op in program.operations if isinstance(op, ProductSum))
    return kinds["ProductSum"], products, kinds["Combination"], kinds["Selection"]


def inverse(x: int, prime: int) -> int:
    """What Fermat inversion gives: 0 for 0."""
    return pow(x, prime - 2, prime)


class Ladder:
    """Runs ladder programs as the coprocessor does: a state by name, one bit at a time."""

    def __init__(self, prime: int, constants: dict[str, int], **state: int) -> None:
        self.prime = prime
        self.constants = constants
        self.state = state

    def run(self, program: FieldProgram, **flags: bool) -> None:
        flags = {"swap": False, "last": False} | flags
        self.state |= evaluate(
            program, self.prime, self.state, constants=self.constants, flags=flags
        )

    def steps(self, program: FieldProgram, bits: str) -> None:
        previous = "0"
        for bit in bits:
            self.run(program, swap=bit != previous)
            previous = bit


class Prefixes:
    """The ladder after the bits of many scalars: those that begin alike share its steps."""

    def __init__(self, begun: Ladder, step: FieldProgram) -> None:
        self.begun, self.step = begun, step
        self.states = {"": begun.state}

    def after(self, bits: str) -> Ladder:
        """A ladder of its own after these bits."""
        if bits not in self.states:
            before = self.after(bits[:-1])
            before.run(self.step, swap=bits[-1] != (bits[-2:-1] or "0"))
            self.states[bits] = before.state
        return Ladder(self.begun.prime, self.begun.constants, **self.states[bits])


P256 = PlainCurve(
    2**256 - 2**224 + 2**192 + 2**96 - 1,
    -3,
    0x5AC635D8AA3A93E7B3EBBD55769886BC651D06B0CC53B0F63BCE3C3E27D2604B,
)
P256_ORDER = 0xFFFFFFFF00000000FFFFFFFFFFFFFFFFBCE6FAADA7179E84F3B9CAC2FC632551
SECP256K1 = PlainCurve(2**256 - 2**32 - 977, 0, 7)
SECP256K1_ORDER = 0xFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFEBAAEDCE6AF48A03BBFD25E8CD0364141


def openssl_point(curve: ec.EllipticCurve, scalar: int) -> tuple[int, int]:
    numbers = ec.derive_private_key(scalar, curve).public_key().public_numbers()
    return numbers.x, numbers.y
