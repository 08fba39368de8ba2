"""Proofs of primality and their check, which share no code; SymPy is a third opinion."""

import json
from dataclasses import replace

import pytest
import sympy

from residua.curves.complex_multiplication import class_polynomial
from residua.curves.primality_proof import prove
from residua.errors import SpecificationError
from residua.numbers.primes import certificates
from residua.numbers.primes.certificates import Certificate, Step, check

PRIMES = [
    2, 3, 5, 4294967291, 4294967311, 2**61 - 1, 2**89 - 1, 2**107 - 1, 10**40 + 121, 2**192 - 237
]  # fmt: skip


@pytest.mark.parametrize("prime", PRIMES)
def test_proof(prime):
    assert sympy.isprime(prime)
    certificate = prove(prime)
    assert certificate.number == prime
    check(certificate)
    assert prove(prime) == certificate
    assert Certificate.of_table(json.loads(json.dumps(certificate.table()))) == certificate


def test_every_step_descends():
    steps = prove(2**107 - 1).steps
    assert [step.q for step in steps[:-1]] == [step.n for step in steps[1:]]
    assert all(step.q < step.n for step in steps)
    assert steps[-1].q < 2**32
    for step in steps:
        assert abs(step.m - step.n - 1) <= 2 * sympy.integer_nthroot(step.n, 2)[0]


@pytest.mark.parametrize(
    "number", [0, 1, 4294967297, (2**61 - 1) * (2**31 - 1), 3825123056546413051]
)
def test_composites_have_no_proof(number):
    with pytest.raises(SpecificationError, match="composite"):
        prove(number)


@pytest.mark.parametrize(
    ("discriminant", "polynomial"),
    [
        (3, (1, 0)),
        (4, (1, -1728)),
        (7, (1, 3375)),
        (8, (1, -8000)),
        (15, (1, 191025, -121287375)),
        (23, (1, 3491750, -5151296875, 12771880859375)),
        (163, (1, 262537412640768000)),
    ],
)
def test_class_polynomials(discriminant, polynomial):
    """As in the tables of Cohen, A Course in Computational Algebraic Number Theory."""
    assert class_polynomial(discriminant) == polynomial


@pytest.mark.parametrize("discriminant", [71, 95, 260, 1007, 2479, 5947])
def test_class_polynomials_split_where_they_have_to(discriminant):
    """Modulo a prime x^2 + D the polynomial has distinct roots, as many as its degree."""
    polynomial = class_polynomial(discriminant)
    t = sympy.Symbol("t")
    found = 0
    for x in range(1, 40_000):
        prime = x * x + discriminant
        if x < discriminant or not sympy.isprime(prime):
            continue
        # t^p - t modulo the polynomial is zero if and only if it has only distinct linear factors.
        modulus = sympy.Poly(polynomial, t, modulus=prime)
        power, base, bits = sympy.Poly(1, t, modulus=prime), sympy.Poly(t, t, modulus=prime), prime
        while bits:
            if bits & 1:
                power = (power * base).rem(modulus)
            base, bits = (base * base).rem(modulus), bits >> 1
        if modulus.discriminant() % prime:
            assert power == sympy.Poly(t, t, modulus=prime).rem(modulus)
            found += 1
        if found == 2:
            return
    pytest.fail("no such prime")


STEP = prove(2**61 - 1).steps[0]


@pytest.mark.parametrize(
    ("changes", "text"),
    [
        ({"x": STEP.x + 1}, "not on the curve"),
        ({"b": STEP.b + 1}, "not on the curve"),
        ({"q": STEP.q + 1}, "q is too small, or no divisor"),
        ({"m": STEP.m + STEP.q}, "times m is finite|times m / q"),
        ({"m": 2 * STEP.m, "q": 2 * STEP.q}, "is about"),
        ({"a": 0, "b": 0, "x": 1, "y": 1}, "singular"),
        ({"n": STEP.n + 2}, "is about"),
        ({"q": 3, "m": 3}, "q is too small"),
    ],
)
def test_changed_steps_are_refused(changes, text):
    certificate = prove(2**61 - 1)
    steps = (replace(certificate.steps[0], **changes), *certificate.steps[1:])
    with pytest.raises(SpecificationError, match=text):
        check(Certificate(2**61 - 1, steps))


def test_missing_end_is_refused():
    certificate = prove(2**107 - 1)
    with pytest.raises(SpecificationError, match=r"leaves .* open"):
        check(replace(certificate, steps=certificate.steps[:-1]))
    with pytest.raises(SpecificationError, match="is about"):
        check(replace(certificate, number=certificate.number + 2))


@pytest.mark.parametrize("number", [1, 9, 4294967295, 561])
def test_small_composites_are_refused(number):
    with pytest.raises(SpecificationError, match="composite"):
        check(Certificate(number, ()))


def test_composite_with_points_of_the_right_order_is_refused():
    """n = 65537 * 65539: no curve and q above the bound pass, whatever the point.

    Every multiple of every point meets a denominator that shares a factor, or is finite.
    """
    n = 65537 * 65539
    q = sympy.nextprime((certificates.isqrt(certificates.isqrt(n)) + 2) ** 2)
    for a in range(1, 40):
        x, y = 2, 3
        b = (y * y - x**3 - a * x) % n
        with pytest.raises(SpecificationError, match="step 1 of the certificate proves nothing"):
            check(Certificate(n, (Step(n, a, b, x, y, q, q),)))


@pytest.mark.parametrize("factor", [5, 11, 101, 251])
def test_order_that_only_one_factor_has_is_refused(factor):
    """Modulo the large factor everything is as it should be, the point's order q included."""
    prime = STEP.n
    excess = STEP.y**2 - STEP.x**3 - STEP.a * STEP.x - STEP.b
    b = STEP.b + prime * (excess * pow(prime, -1, factor) % factor)
    step = replace(STEP, n=prime * factor, b=b)
    assert (step.y**2 - step.x**3 - step.a * step.x - b) % step.n == 0
    with pytest.raises(SpecificationError, match=r"n has a factor|times m is finite|singular"):
        check(Certificate(step.n, (step,)))


@pytest.mark.parametrize(
    "table",
    [{}, {"number": "0x5"}, {"number": 5, "steps": []}, {"number": "0x5", "steps": [{"n": "0x5"}]}],
)
def test_bad_tables(table):
    with pytest.raises(SpecificationError, match="no certificate"):
        Certificate.of_table(table)
