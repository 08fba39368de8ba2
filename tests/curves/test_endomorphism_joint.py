"""Sums of two multiples by halves of both scalars: odd halves, entries, programs, exceptions."""

import random
from functools import cache
from itertools import product

import pytest

from curves.plain import Ladder, PlainCurve, Point, costs, inverse
from curves.test_endomorphism import ALL, NAMED, SERVED, adversarial, names, split_of
from residua.curves import affine, fixed_window
from residua.curves.endomorphism import joint, window
from residua.curves.endomorphism.lattice import endomorphism
from residua.curves.endomorphism.split import Split
from residua.curves.parameters import WeierstrassCurve
from residua.curves.signatures.sliding_windows import BASE_WIDTH
from residua.errors import SpecificationError


@cache
def odd_split(curve, spare=16) -> Split:
    split = split_of(curve, spare=spare)
    return Split(split.endomorphism, split.bits, 0, split.shift, odd=True)


@pytest.mark.parametrize("spare", [0, 16])
@pytest.mark.parametrize("curve", ALL, ids=names)
def test_odd_halves(curve, spare) -> None:
    split, root = odd_split(curve, spare), endomorphism(curve).eigenvalue
    scalars = range(1 << split.bits) if curve in SERVED else adversarial(split)
    for k in scalars:
        halves = first, second = split.halves(k)
        assert (first + second * root - k) % curve.order == 0
        assert all(half & 1 and 0 < half <= most < 1 << split.length
                   for half, most in zip(halves, split.largest, strict=True))  # fmt: skip


@pytest.mark.parametrize("curve", NAMED, ids=names)
def test_odd_halves_are_hardly_longer(curve) -> None:
    """A bit, and no digit: a multiplication of one point takes as many steps with either."""
    odd, plain = odd_split(curve), split_of(curve)
    assert odd.length == plain.length + 1
    assert odd.rounds == plain.rounds


def test_halves_that_are_blinded_are_not_odd() -> None:
    mapping = endomorphism(NAMED[0])
    for counts in ((5, 0), (0, 5)):
        with pytest.raises(SpecificationError, match="blinded cannot all be made odd"):
            Split(mapping, 161, counts[0], 300, counts[1], odd=True)


def test_every_sum_of_signs_has_an_entry() -> None:
    """The entries and their negatives, each once."""
    found = {joint.entry(bits) for bits in product((0, 1), repeat=joint.HALVES)}
    assert found == {sign * number for number in range(1, 9) for sign in (1, -1)}
    for bits in product((0, 1), repeat=joint.HALVES):
        assert joint.entry([1 - bit for bit in bits]) == -joint.entry(bits)
    assert joint.entry((1, 1, 1, 1)) == 1


class Sums(Ladder):
    """Runs the programs as the coprocessor does."""

    def __init__(self, curve: WeierstrassCurve, b: int | None, first: Point, second: Point):
        assert first is not None
        assert second is not None
        named = fixed_window.constants(curve.prime, curve.a, curve.b) | window.constants(curve)
        entries = {name: 1 for j in range(1, 9) for name in fixed_window.entry_names(j)}
        given = dict(zip(("nx", "ny", "x", "y"), (*first, *second), strict=True))
        super().__init__(curve.prime, named, **given, **entries)
        self.b = b
        self.run(joint.initial_state(b=b))
        for _ in range(joint.TABLE_ROUNDS):
            self.run(joint.table_step(b=b))
        for target, source in zip(fixed_window.SUM, joint.FIRST_ENTRY, strict=True):
            self.state[target] = self.state[source]
        self.step, self.started = joint.step(b=b), self.state

    def multiply(self, halves, bits: int) -> Point:
        self.state = dict(self.started)
        for place in range(bits - 1, 0, -1):
            chosen = joint.entry([half >> place & 1 for half in halves])
            self.run(self.step, **joint.FIRST.of(chosen))
        return self.affine(fixed_window.SUM)

    def affine(self, elements) -> Point:
        x, y, z = map(self.state.get, elements)
        if z == 0:
            assert x == 0
            return None
        return x * inverse(z, self.prime) % self.prime, y * inverse(z, self.prime) % self.prime


def pairs_of(curve):
    """Equal, opposite, images, negative images, and any other points."""
    draw, p, root = random.Random(curve.name), curve.prime, endomorphism(curve).beta
    x, y = affine.multiply(curve, draw.randrange(1, curve.order), curve.base_point)
    others = [(x * pow(root, i, p) % p, sign * y % p) for i in range(3) for sign in (1, -1)]
    others.append(affine.multiply(curve, draw.randrange(1, curve.order), curve.base_point))
    return [((x, y), other) for other in others]


@pytest.mark.parametrize("curve", SERVED[:4], ids=names)
def test_the_table(curve) -> None:
    plain, beta = PlainCurve(curve.prime, 0, curve.b), endomorphism(curve).beta
    for points in pairs_of(curve):
        made = Sums(curve, None, *points)
        parts = [own for x, y in points for own in ((x, y), (beta * x % curve.prime, y))]
        for bits in product((0, 1), repeat=joint.HALVES):
            total = None
            for (x, y), bit in zip(parts, bits, strict=True):
                total = plain.add(total, (x, y if bit else -y % curve.prime))
            number = joint.entry(bits)
            if number > 0:
                assert made.affine(fixed_window.entry_names(number)) == total


@pytest.mark.parametrize("curve", SERVED[:3], ids=names)
def test_sums(curve) -> None:
    """Every k and many l, on all kinds of pairs of points."""
    plain, split = PlainCurve(curve.prime, 0, curve.b), odd_split(curve)
    draw, count = random.Random(curve.name), joint.half_bits(split)
    for b, (first, second) in product((None, curve.b), pairs_of(curve)):
        made = Sums(curve, b, first, second)
        for k in range(0, 1 << split.bits, 1 if b is None else 7):
            other = draw.choice((0, 1, curve.order - 1, draw.getrandbits(split.bits)))
            halves = *split.halves(k), *split.halves(other)
            expected = plain.add(plain.multiply(k, first), plain.multiply(other, second))
            assert made.multiply(halves, count) == expected


def test_a_full_size_curve() -> None:
    curve, draw = NAMED[-1], random.Random(8)
    split, n, base = odd_split(curve), curve.order, curve.base_point
    assert (curve.name, joint.half_bits(split)) == ("secp256k1", 131)
    key = draw.randrange(n)
    made = Sums(curve, 7, base, affine.multiply(curve, key, base))
    for k, other in ((0, 0), (n - key, 1), (n, n), (draw.randrange(n), draw.randrange(n))):
        expected = affine.multiply(curve, (k + other * key) % n, base)
        halves = *split.halves(k), *split.halves(other)
        assert made.multiply(halves, joint.half_bits(split)) == expected


def test_short_halves_have_the_bits_of_a_window() -> None:
    lengths = [(odd_split(curve).length, joint.half_bits(odd_split(curve))) for curve in ALL]
    assert all(bits == max(length, BASE_WIDTH) for length, bits in lengths)
    assert {length < BASE_WIDTH for length, _ in lengths} == {True, False}


@pytest.mark.parametrize("small", [False, True])
def test_costs(small) -> None:
    """(reductions, products, combinations, selections, choices) as the table has them."""
    b = 7 if small else None
    program = joint.step(b=b)
    label = "`step`, a = 0, small b  " if small else "`step`, a = 0  "
    (row,) = (line for line in joint.__doc__.splitlines() if line.startswith(label))
    assert tuple(map(int, row.split()[-5:-1])) == costs(program)
    choices = sum(hasattr(own, "choices") for own in program.operations)
    assert int(row.split()[-1]) == choices
    assert {flag.name for flag in program.flags} == {f.name for f in window.FIRST.listed}
