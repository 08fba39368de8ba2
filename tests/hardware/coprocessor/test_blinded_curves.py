"""The scalars of every curve of the catalogue, as a scalar unit serves them: no bit shows k.

400 random r blind one random scalar. The mean of a fair bit has a standard deviation of 0.025, so
that 0.1 is four of them. Of the 40 000 bits that are looked at some go beyond that by chance, so a
bit is taken for biased if it does so in two sets of 400, as in the usual assessment of leakage. The
seeds are fixed. Counted are the bits from the first that blinding
changes to the eighth below the highest. The others are harmless:

- The lowest bits that stay as they are, 2 or 3 on curves with a cofactor, are k modulo a power of
  two in the number of points. A point of that order shows them to everybody who may choose the
  point; where it is the base point they are counted, too.
- The highest bits have a bias of the order's, not of k's: another k with the same r leaves all but
  the bits of k and 16 above them as they are. That is shown for every curve. On a Montgomery curve
  it includes a run of ones above the scalar's bits, which are not counted for that reason.
"""

import random
from functools import cache

import numpy as np
import pytest
from tests.hardware.coprocessor.test_scalar_unit import Task, run

from residua.curves.catalogue import find_curve
from residua.curves.endomorphism.lattice import refusal
from residua.curves.endomorphism.split import Split
from residua.curves.formulas import Formula, admitted
from residua.curves.parameters import MontgomeryCurve
from residua.curves.standard import CATALOGUE
from residua.hardware.coprocessor.digit_design import DigitCoprocessorDesign
from residua.hardware.coprocessor.scalars.unit import ScalarUnit
from residua.machines.blinded_scalar import ScalarForm

RUNS = 400
LARGEST_BIAS = 0.1
WINDOW = 8
"""Leading bits that are not counted."""

CASES = [
    pytest.param(entry.curve, formula, id=f"{entry.name} {formula}")
    for entry in CATALOGUE
    for formula in admitted(entry.curve, 1)
    if formula is not Formula.ENDOMORPHISM
]

HALVED = [entry.curve for entry in CATALOGUE if not refusal(entry.curve)]
"""Curves whose scalars can be taken as halves."""


@cache
def form_of(curve, formula):
    """How a coprocessor for a curve blinds scalars by default."""
    design = DigitCoprocessorDesign([curve], [formula], digit=17, blinding="auto")
    return design.scalars.forms[0]


def draws(form, name):
    """The random numbers of both sets."""
    draw = random.Random(name)
    return [draw.getrandbits(form.length) for _ in range(2 * RUNS)]


def scalar(curve, name):
    return random.Random(f"{name} k").randrange(curve.order)


def biases(numbers, count):
    """How far from 1/2 the mean of each bit is, the lowest bit first."""
    size = -(-count // 8)
    rows = [np.frombuffer(number.to_bytes(size, "little"), np.uint8) for number in numbers]
    bits = np.unpackbits(np.array(rows), axis=1, bitorder="little")[:, :count]
    return np.abs(bits.mean(axis=0) - 0.5)


def biased(form, numbers, first, end):
    """The places of the bits that are not fair; ``form`` is one of a scalar or of halves."""
    sets = biases(numbers[:RUNS], form.served), biases(numbers[RUNS:], form.served)
    found = np.minimum(*sets)[first:end]
    return [first + int(place) for place in np.flatnonzero(found > LARGEST_BIAS)]


def counted(curve, form):
    """The end of the bits that have to be fair."""
    if isinstance(curve, MontgomeryCurve):
        return form.bits
    return form.bits + form.length - WINDOW


@pytest.mark.parametrize(("curve", "formula"), CASES)
def test_no_bit_of_a_blinded_scalar_is_biased(curve, formula):
    form = form_of(curve, formula)
    k = scalar(curve, f"{curve.name} {formula}")
    # Points differ from the base point only in the lowest bits that are kept.
    for base in {True, not form.kept}:
        numbers = [form.number(k, r, base=base) for r in draws(form, curve.name)]
        assert len({*numbers}) == 2 * RUNS
        assert all((number - k) % curve.order == 0 for number in numbers if not form.lengthened)
        assert not biased(form, numbers, 0 if base else form.kept, counted(curve, form))


@pytest.mark.parametrize(("curve", "formula"), CASES)
def test_leading_bits_are_the_same_for_every_scalar(curve, formula):
    form = form_of(curve, formula)
    one, other = (scalar(curve, f"{curve.name} {seed}") for seed in range(2))
    for r in draws(form, f"{curve.name} {formula}")[:RUNS]:
        changed = form.number(one, r) ^ form.number(other, r)
        assert changed.bit_length() <= form.bits + 16


@pytest.mark.parametrize(
    ("name", "bare"), [("P-521", 198), ("P-384", 130), ("secp256k1", 62), ("P-224", 47)]
)
def test_what_64_random_bits_leave_bare_is_seen(name, bare):
    """The measurement fails for such a unit, at the bits that are as they are in k."""
    curve = find_curve(name)
    form = ScalarForm(curve.order_bits, curve.order, 64)
    k = scalar(curve, name)
    numbers = [form.number(k, r) for r in draws(form, name)]
    found = biased(form, numbers, 0, counted(curve, form))
    assert bare <= len(found) <= bare + 6
    assert {*range(curve.order_bits - bare, curve.order_bits - 4)} <= {*found}


def test_fixed_low_bits_of_r_are_seen():
    """r = 2 modulo 4 would leave the lowest bits of k bare."""
    curve = find_curve("brainpoolP256r1")
    form = ScalarForm(256, curve.order, 71)
    numbers = [form.number(scalar(curve, "r"), r & ~3 | 2) for r in draws(form, "fixed")]
    assert biased(form, numbers, 0, counted(curve, form)) == [0, 1]


@cache
def split_of(curve, blinding="auto"):
    """How a coprocessor for a curve blinds the halves of scalars."""
    formula = Formula.ENDOMORPHISM
    design = DigitCoprocessorDesign([curve], [formula], digit=17, blinding=blinding)
    return design.scalars.splits[0]


def plain_bits(curve):
    """Bits of halves that are not blinded."""
    return max(split_of(curve, 0).largest).bit_length()


def triples(split, name):
    """The three random numbers of each run."""
    draw = random.Random(name)
    lengths = (split.random_bits, split.random_bits, split.whole_bits)
    return [tuple(map(draw.getrandbits, lengths)) for _ in range(2 * RUNS)]


@pytest.mark.parametrize("curve", HALVED, ids=lambda curve: curve.name)
def test_no_bit_of_blinded_halves_is_biased(curve):
    """For scalars with short halves, too, of which the highest bits would be seen first."""
    split = split_of(curve)
    root, end = split.endomorphism.eigenvalue, plain_bits(curve) + split.random_bits - WINDOW
    for k in (scalar(curve, curve.name), 0, 1, root, curve.order - 1):
        halves = [split.halves(k, own) for own in triples(split, curve.name)]
        assert len({*halves}) == 2 * RUNS
        assert all((u + v * root - k) % curve.order == 0 for u, v in halves)
        for numbers in zip(*halves, strict=True):
            assert not biased(split, numbers, 0, end)


@pytest.mark.parametrize("curve", HALVED, ids=lambda curve: curve.name)
def test_leading_bits_of_halves_are_the_same_for_every_scalar(curve):
    """But where a carry goes far, which is as rare as 16 equal bits."""
    split, end = split_of(curve), plain_bits(curve) + 16
    one, other = (scalar(curve, f"{curve.name} {seed}") for seed in range(2))
    for own in triples(split, curve.name)[:RUNS]:
        for x, y in zip(split.halves(one, own), split.halves(other, own), strict=True):
            assert (x ^ y).bit_length() <= end


@pytest.mark.parametrize("curve", HALVED, ids=lambda curve: curve.name)
def test_no_bit_of_what_is_multiplied_is_biased(curve):
    """Neither k + r n nor the quotients, as far as halves depend on them."""
    split, k = split_of(curve), scalar(curve, curve.name)
    form = ScalarForm(split.bits, curve.order, split.whole_bits)
    numbers = [split.masked(k, own) for own in triples(split, curve.name)]
    assert numbers == [form.number(k, r) for _, _, r in triples(split, curve.name)]
    assert not biased(form, numbers, 0, counted(curve, form))
    quotients = [split.quotients(k, own) for own in triples(split, curve.name)]
    for numbers in zip(*quotients, strict=True):
        kept = [number % (1 << split.served) for number in numbers]
        assert not biased(split, kept, 0, split.served)


@pytest.mark.parametrize("used", [0, 1])
def test_either_random_number_hides_the_halves(used):
    """Where its coordinate of the vector is odd; low bits stay bare where it is even."""
    curve = find_curve("secp256k1")
    split = split_of(curve)
    k, end = scalar(curve, "either"), plain_bits(curve) + split.random_bits - WINDOW
    numbers = [
        split.halves(k, (r if used == 0 else 0, r if used == 1 else 0, 0))
        for r, *_ in triples(split, "either")
    ]
    vector = split.endomorphism.basis[used]
    for coordinate, own in zip(vector, zip(*numbers, strict=True), strict=True):
        zeros = (coordinate & -coordinate).bit_length() - 1
        assert biased(split, own, 0, end - 4) == [*range(zeros)]


@pytest.mark.parametrize("random_bits", [0, 1, 2])
def test_what_few_random_bits_leave_bare_in_halves_is_seen(random_bits):
    """The measurement fails for such a unit."""
    curve = find_curve("secp256k1")
    auto = split_of(curve)
    split = Split(auto.endomorphism, auto.bits, random_bits, auto.shift)
    k = scalar(curve, "few")
    halves = [split.halves(k, own) for own in triples(split, "few")]
    for numbers in zip(*halves, strict=True):
        assert len(biased(split, numbers, 0, plain_bits(curve))) > plain_bits(curve) // 8


@pytest.mark.parametrize("name", ["secp112r1", "secp112r2", "Curve25519"])
def test_units_serve_what_the_model_says(name):
    """With a ladder on differences, with a cofactor, with a multiple longer than the scalar."""
    curve = find_curve(name)
    form = form_of(curve, admitted(curve, 1)[0])
    unit = ScalarUnit([form], -(-form.bits // 32))
    k, words = scalar(curve, name), 32 * unit.random_words[0]
    draw = random.Random(name)
    tasks = [Task(0, k, draw.getrandbits(words), base) for base in (False, True)]
    for task, (in_range, number, cycles) in zip(tasks, run(unit, tasks), strict=True):
        assert in_range
        assert number == form.number(k, task.r, base=task.base)
        assert cycles == unit.latencies[0]
