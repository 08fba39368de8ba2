"""Sliding windows: digits against integers, programs against plain affine arithmetic."""

import random
from itertools import product

import pytest
from tests.small_curves import MIDDLE, TINY, WITHOUT_A

from curves.plain import costs
from residua.algorithms.fields.field import evaluate
from residua.curves import affine, complete
from residua.curves.catalogue import find_curve
from residua.curves.endomorphism import window
from residua.curves.endomorphism.joint import half_bits
from residua.curves.endomorphism.lattice import endomorphism
from residua.curves.endomorphism.split import Split
from residua.curves.parameters import curve_from_parameters
from residua.curves.signatures import sliding_windows
from residua.curves.signatures.sliding_windows import (
    BASE_ENTRIES,
    BASE_WIDTH,
    DENOMINATORS,
    ENTRY,
    LEAST_ORDER,
    POINT_WIDTH,
    POSITIVE,
    STATE,
    TABLE,
    windows,
)

SMALL = [curve_from_parameters(curve) for curve in (TINY, WITHOUT_A, MIDDLE)]
NAMED = [find_curve(name) for name in ("P-256", "secp256k1", "brainpoolP256r1")]


def names_of(curve):
    return curve.name


class Windows:
    """Runs the programs as the coprocessor does."""

    def __init__(self, curve):
        self.curve = curve
        a = -3 if curve.has_a_minus_3 else 0 if curve.a == 0 else None
        self.doubling = sliding_windows.doubling(a=a)
        self.named = complete.constants(curve.prime, curve.a, curve.b)
        self.named |= sliding_windows.constants(curve)
        self.state = {}

    def run(self, program, positive=True):
        inputs = {name: self.state[name] for name in program.inputs}
        flags = {POSITIVE.name: positive}
        self.state |= evaluate(program, self.curve.prime, inputs, constants=self.named, flags=flags)

    def make_table(self, point):
        self.state = dict(zip(TABLE[0], point, strict=True))
        self.run(sliding_windows.point_entry(0))
        for index, doublings in ((2, 2), (1, 1), (3, 1)):
            if index != 3:
                self.run(sliding_windows.begin())
            for _ in range(doublings):
                self.run(self.doubling)
            self.run(sliding_windows.addition())
            if index != 3:
                names = (*TABLE[index], DENOMINATORS[index - 1])
                self.state |= dict(zip(names, map(self.state.get, STATE[:3]), strict=True))
        self.run(sliding_windows.table_product())
        self.state["inverse"] = pow(self.state["d"], -1, self.curve.prime)
        self.run(sliding_windows.table())

    def multiply(self, first, second, point, bits):
        """first G + second point, as a point and whether Z is 0."""
        self.make_table(point)
        due = [{}, {}]
        for number, (scalar, width) in enumerate(((first, BASE_WIDTH), (second, POINT_WIDTH))):
            due[number] = dict(windows(scalar, bits, width))
        self.state["z0"] = self.state["zz"] = 0
        started = False
        for place in range(bits, -1, -1):
            if started:
                self.run(self.doubling)
            for digits, entry in zip(
                due, (sliding_windows.base_entry, sliding_windows.point_entry), strict=True
            ):
                if digit := digits.get(place):
                    self.run(entry(abs(digit) // 2))
                    program = sliding_windows.addition if started else sliding_windows.begin
                    self.run(program(), positive=digit > 0)
                    started = True
        return self.affine()

    def affine(self):
        x, y, z, zz = map(self.state.get, STATE)
        p = self.curve.prime
        assert zz == z * z % p
        if z == 0:
            return None
        inverse = pow(z, -1, p)
        return x * inverse**2 % p, y * inverse**3 % p


@pytest.mark.parametrize("width", [2, 3, POINT_WIDTH, BASE_WIDTH])
def test_digits_make_the_scalar(width):
    for bits in (1, 5, 8):
        for scalar in range(1 << bits):
            found = list(windows(scalar, bits, width))
            assert sum(digit << place for place, digit in found) == scalar
            assert all(digit % 2 and abs(digit) < 1 << (width - 1) for _, digit in found)
            places = [place for place, _ in found]
            assert places == sorted(places, reverse=True)
            assert all(0 <= place <= bits for place in places)


def test_few_digits_are_not_zero():
    draw, bits = random.Random(1), 20_000
    for width in (POINT_WIDTH, BASE_WIDTH):
        count = len(list(windows(draw.getrandbits(bits), bits, width)))
        assert abs(count * (width + 1) / bits - 1) < 0.03
    for scalar in (0xAAAA, 0x5555, 0xFFFF, 0x8888):
        assert len(list(windows(scalar, 16, POINT_WIDTH))) <= 16 // POINT_WIDTH + 1


@pytest.mark.parametrize("curve", [*SMALL, *NAMED], ids=names_of)
def test_the_table_is_affine(curve):
    run = Windows(curve)
    for multiple in (1, 2, curve.order - 1, curve.order // 3):
        point = affine.multiply(curve, multiple, curve.base_point)
        run.make_table(point)
        for index, names in enumerate(TABLE):
            expected = affine.multiply(curve, 2 * index + 1, point)
            assert tuple(run.state[name] for name in names) == expected
        for index in range(BASE_ENTRIES):
            run.run(sliding_windows.base_entry(index))
            expected = affine.multiply(curve, 2 * index + 1, curve.base_point)
            assert tuple(run.state[name] for name in ENTRY) == expected


@pytest.mark.parametrize("curve", NAMED, ids=names_of)
def test_sums_of_multiples(curve):
    n, draw, run = curve.order, random.Random(2), Windows(curve)
    bits = n.bit_length()
    edges = [(0, 1), (1, 0), (n - 1, n - 2), (1 << (bits - 1), 1), ((1 << bits) - 1, 5)]
    for first, second in (*edges, *((draw.randrange(n), draw.randrange(n)) for _ in range(2))):
        key = draw.randrange(2, n)
        point = affine.multiply(curve, key, curve.base_point)
        expected = affine.multiply(curve, (first + second * key) % n, curve.base_point)
        assert run.multiply(first, second, point, bits) == expected


class HalfWindows(Windows):
    """Four halves in the place of two scalars, two of them for images."""

    def __init__(self, curve):
        super().__init__(curve)
        bits = max(curve.order_bits, curve.field_bits)
        self.named |= window.constants(curve)
        self.split = Split(endomorphism(curve), bits, 0, bits + 16, odd=True)

    def entry(self, number, index):
        """The entry of a window; with its image if it is one over second halves."""
        if number == 3:
            self.run(sliding_windows.point_image(index))
            return
        self.run((sliding_windows.base_entry, sliding_windows.point_entry)[number % 2](index))
        if number == 2:
            self.run(sliding_windows.base_image())

    def multiply_by_halves(self, first, second, point):
        self.make_table(point)
        self.run(sliding_windows.table_images())
        (k1, k2), (l1, l2) = map(self.split.halves, (first, second))
        widths = (BASE_WIDTH, POINT_WIDTH) * 2
        halves = zip((k1, l1, k2, l2), widths, strict=True)
        due = [dict(windows(half, half_bits(self.split), width)) for half, width in halves]
        started = False
        for place in range(half_bits(self.split), -1, -1):
            if started:
                self.run(self.doubling)
            for number, digits in enumerate(due):
                if digit := digits.get(place):
                    self.entry(number, abs(digit) // 2)
                    program = sliding_windows.addition if started else sliding_windows.begin
                    self.run(program(), positive=digit > 0)
                    started = True
        return self.affine()


@pytest.mark.parametrize("curve", [SMALL[1], NAMED[1]], ids=names_of)
def test_sums_of_multiples_by_halves(curve):
    n, draw, run = curve.order, random.Random(7), HalfWindows(curve)
    pairs = [(0, 1), (1, 0), (n - 1, n - 2), (run.split.endomorphism.eigenvalue, 5)]
    pairs += [(draw.randrange(n), draw.randrange(n)) for _ in range(4)]
    failed = 0
    for first, second in pairs:
        key = draw.randrange(2, n)
        point = affine.multiply(curve, key, curve.base_point)
        expected = affine.multiply(curve, (first + second * key) % n, curve.base_point)
        found = run.multiply_by_halves(first, second, point)
        assert found in (None, expected)
        failed += found != expected
    assert failed < len(pairs) - 2


@pytest.mark.parametrize("curve", SMALL, ids=names_of)
def test_a_sum_is_right_or_has_no_z(curve):
    """Keys next to the base point make additions fail; whatever is not told is right."""
    n, draw, run = curve.order, random.Random(3), Windows(curve)
    bits, failed = n.bit_length(), 0
    keys = [1, n - 1, 2, 3, pow(2, -1, n), *(draw.randrange(1, n) for _ in range(3))]
    for key in keys:
        point = affine.multiply(curve, key, curve.base_point)
        chosen = list(product((0, 1, 2, 7, n - 1, n), (0, 1, 3, n - 1)))
        chosen += [(k, -k * pow(key, -1, n) % n) for k in (1, 5, n // 2)]
        chosen += [(k, k * pow(key, -1, n) % n) for k in (1, 5, n // 2)]
        chosen += [(draw.randrange(n), draw.randrange(n)) for _ in range(5)]
        for first, second in chosen:
            expected = affine.multiply(curve, (first + second * key) % n, curve.base_point)
            found = run.multiply(first, second, point, bits)
            assert found in (None, expected)
            failed += found != expected
    assert failed


@pytest.mark.parametrize("curve", SMALL, ids=names_of)
def test_failures_stay(curve):
    """Z = 0 stays 0 through doublings and additions, from equal and opposite points on."""
    run = Windows(curve)
    x, y = affine.multiply(curve, 5, curve.base_point)
    for sign in (1, -1):
        run.state = dict(zip((*STATE, *ENTRY), (x, y, 1, 1, x, y), strict=True))
        run.run(sliding_windows.addition(), positive=sign > 0)
        for program in (run.doubling, sliding_windows.addition(), run.doubling):
            assert run.state["z0"] == run.state["zz"] == 0
            run.run(program)
            run.run(sliding_windows.base_entry(0))


def test_the_least_order_has_all_entries():
    assert LEAST_ORDER > 2 * BASE_ENTRIES
    assert 2 * len(TABLE) < LEAST_ORDER
    assert len(TABLE) == 1 << (POINT_WIDTH - 2)


@pytest.mark.parametrize(
    ("name", "program", "counts"),
    [
        ("`doubling` for any curve", sliding_windows.doubling(), (8, 13, 2, 0)),
        ("`doubling`, a = -3", sliding_windows.doubling(a=-3), (7, 12, 2, 0)),
        ("`doubling`, a = 0", sliding_windows.doubling(a=0), (7, 11, 2, 0)),
        ("`addition`", sliding_windows.addition(), (10, 15, 2, 1)),
    ],
)
def test_the_table_of_costs(name, program, counts):
    assert costs(program) == counts
    row = next(x for x in sliding_windows.__doc__.splitlines() if x.startswith(f"{name}  "))
    assert tuple(map(int, row.split()[-4:])) == counts
