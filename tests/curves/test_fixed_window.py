"""The fixed window: every scalar and point of small curves of odd order, and OpenSSL."""

import random

import pytest
from cryptography.hazmat.primitives.asymmetric import ec

from curves.plain import (
    P256,
    P256_ORDER,
    SECP256K1,
    SECP256K1_ORDER,
    Ladder,
    PlainCurve,
    Point,
    costs,
    inverse,
    openssl_point,
)
from curves.test_complete import CURVES
from residua.curves import fixed_window, joint


def variants(curve: PlainCurve) -> list[dict[str, int | None]]:
    found: list[dict[str, int | None]] = [{}]
    if curve.a == curve.prime - 3:
        found.append({"a": -3})
    if curve.a == 0:
        small = fixed_window.small_b(curve.prime, curve.a, curve.b)
        found += [{"a": 0}, {"a": 0, "b": small}, {"a": 0, "b": curve.b}]
    return found


class Window(Ladder):
    """Runs the programs as the coprocessor does."""

    def __init__(self, curve: PlainCurve, variant: dict[str, int | None], point: Point, m: int):
        constants = fixed_window.constants(curve.prime, curve.a, curve.b)
        x, y = point or (0, 0)
        # The table holds anything at the start.
        entries = {f"t{c}{entry}": m * entry + 1 for c in "xyz" for entry in range(1, 9)}
        super().__init__(curve.prime, constants, x=x, y=y, m=m, **entries)
        self.step, self.table_step = (
            program(**variant) for program in (fixed_window.step, fixed_window.table_step)
        )
        start = dict(self.state)
        self.started: dict[tuple[int, ...], dict[str, int]] = {}
        for first in (0, 1):
            self.state = dict(start)
            self.run(fixed_window.initial_state(), **fixed_window.digit_flags(first))
            for _ in range(fixed_window.ENTRIES - 1):
                self.run(self.table_step)
            self.started[(first,)] = self.state

    def multiply(self, scalar: int, bits: int) -> Point:
        digits = fixed_window.digits(scalar, bits)
        self.state = dict(self.after(tuple(digits)))
        return self.affine("x0", "y0", "z0")

    def after(self, digits: tuple[int, ...]) -> dict[str, int]:
        """The state after these digits: scalars that begin alike share their steps."""
        if digits not in self.started:
            self.state = dict(self.after(digits[:-1]))
            self.run(self.step, **fixed_window.digit_flags(digits[-1]))
            self.started[digits] = self.state
        return self.started[digits]

    def affine(self, x: str, y: str, z: str) -> Point:
        if self.state[z] == 0:
            assert self.state[x] == 0
            assert self.state[y] != 0
            return None
        state = {"nx": self.state[x], "ny": self.state[y]}
        result = Ladder(self.prime, {}, **state, inverse=inverse(self.state[z], self.prime))
        result.run(joint.result())
        return result.state["x"], result.state["y"]


@pytest.mark.parametrize("bits", [1, 3, 4, 5, 8, 9])
def test_digits(bits: int) -> None:
    for scalar in range(1 << bits):
        first, *others = fixed_window.digits(scalar, bits)
        assert first in (0, 1)
        assert len(others) == -(-bits // fixed_window.WINDOW)
        assert all(abs(digit) <= fixed_window.ENTRIES for digit in others)
        value = first
        for digit in others:
            value = 16 * value + digit
        assert value == scalar


def test_flags_of_every_digit() -> None:
    for digit in range(-8, 9):
        flags = fixed_window.digit_flags(digit)
        sizes = [size for size in range(1, 9) if flags[f"digit_{size}"]]
        assert sizes == ([abs(digit)] if digit else [])
        assert flags["digit_none_or_one"] == (digit in (-1, 0, 1))
        assert flags["digit_positive"] == (digit >= 0)


@pytest.mark.parametrize("curve", CURVES, ids=str)
def test_every_scalar_and_point(curve: PlainCurve) -> None:
    """Scalars beyond the order too; points of order 3 are among them."""
    chooser = random.Random(curve.prime)
    bits = fixed_window.WINDOW + 1
    assert 1 << bits > len(curve.points) + 1
    for variant in variants(curve):
        for point in curve.points:
            window = Window(curve, variant, point, chooser.randrange(1, curve.prime))
            for scalar in range(1 << bits):
                assert window.multiply(scalar, bits) == curve.multiply(scalar, point)


def test_the_curves_have_points_of_order_3() -> None:
    orders = {curve.order_of(point) for curve in CURVES for point in curve.points}
    assert {3, 5, 7} <= orders


@pytest.mark.parametrize("curve", CURVES[-4:], ids=str)
def test_the_table_holds_the_multiples(curve: PlainCurve) -> None:
    for point in curve.points:
        window = Window(curve, variants(curve)[-1], point, 2)
        window.multiply(0, 4)
        for entry in range(1, fixed_window.ENTRIES + 1):
            names = (f"t{coordinate}{entry}" for coordinate in "xyz")
            assert window.affine(*names) == curve.multiply(entry, point)


@pytest.mark.parametrize(
    ("curve", "order", "variant", "openssl"),
    [
        (P256, P256_ORDER, {"a": -3}, ec.SECP256R1()),
        (SECP256K1, SECP256K1_ORDER, {"a": 0, "b": 7}, ec.SECP256K1()),
    ],
)
def test_against_openssl(curve, order, variant, openssl) -> None:
    chooser = random.Random(9)
    base = openssl_point(openssl, 1)
    for scalar in (1, 2, 3, order // 2, order - 2, order - 1, chooser.randrange(order)):
        window = Window(curve, variant, base, chooser.randrange(1, curve.prime))
        assert window.multiply(scalar, 256) == openssl_point(openssl, scalar)
    for scalar, expected in (
        (0, None),
        (order, None),
        (order + 1, base),
        ((1 << 256) - 1, openssl_point(openssl, ((1 << 256) - 1) % order)),
    ):
        assert Window(curve, variant, base, 5).multiply(scalar, 256) == expected
    negated = Window(curve, variant, curve.negate(base), 7)
    assert negated.multiply(order - 1, 256) == base


def test_small_coefficients() -> None:
    p = SECP256K1.prime
    assert fixed_window.small_b(p, 0, 7) == 7
    assert fixed_window.small_b(p, 0, p - 4) == -4
    assert fixed_window.small_b(p, 0, 65) is None
    assert fixed_window.small_b(p, p - 3, 7) is None


def test_costs() -> None:
    """(reductions, products, combinations, selections)."""
    assert costs(fixed_window.step()) == (55, 108, 0, 1)
    assert costs(fixed_window.step(a=-3)) == (51, 80, 20, 1)
    assert costs(fixed_window.step(a=0)) == (43, 55, 12, 1)
    assert costs(fixed_window.step(a=0, b=7)) == (37, 62, 4, 1)
    program = fixed_window.step(a=0, b=7)
    assert program.reductions == 37
    assert program.terms == 62 + 4 + 2 + 3 * fixed_window.ENTRIES
    assert [flag.name for flag in program.flags] == [
        "digit_none_or_one",
        *(f"digit_{size}" for size in range(2, 9)),
        "digit_1",
        "digit_positive",
    ]
