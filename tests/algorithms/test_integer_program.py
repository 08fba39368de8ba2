"""Formulas over the integers: what is read, what is refused."""

import pytest

from residua.algorithms.integer_program import parse, placed, run
from residua.errors import SpecificationError
from residua.machines.integers import Integers, Parities


def test_a_formula_is_read_as_printed():
    text = "# of a triangle\nS = X^5 - 4*X*Y^2 + 2 * (X - Y)\nH = (S + S) / 2\nreturn S, H"
    program = parse("example", text)
    assert program.inputs == ("X", "Y")
    assert program.products == 3 + 2
    for x in range(-4, 5):
        for y in range(-4, 5):
            values = run(program, Integers(97), {"X": x, "Y": y})
            assert values["S"] == x**5 - 4 * x * y**2 + 2 * (x - y)
            assert values["H"] == values["S"]


def test_equal_subexpressions_are_computed_once():
    assert parse("example", "A = X*Y\nB = Y*X + X*X + X^2\nreturn A, B").products == 2


def test_placed_reductions():
    program = placed(parse("example", "A = X*Y\nB = A*A - Y\nreturn B"), ["A"])
    assert program.reductions == 2
    values = run(program, Integers(7), {"X": 5, "Y": 6})
    assert values["A mod p"] == 30 % 7
    assert values[program.outputs["B"]] == (900 - 6) % 7
    with pytest.raises(SpecificationError, match="no value 'C' to reduce: its values are A, B"):
        placed(parse("example", "A = X*Y\nB = A - Y\nreturn B"), ["C"])


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("A = X*Y", "no results"),
        ("A = \nreturn A", "line 1: no assignment or return"),
        ("A = X/3\nreturn A", "line 1: 'X / 3' is no sum"),
        ("A = X^Y\nreturn A", "'X\\^Y' is no sum"),
        ("A = X*Y\nA = X\nreturn A", "line 2: A has a value already"),
        ("A = X*Y\nreturn X", "line 2: only names that were assigned"),
        ("A = X*Y\nreturn A\nB = A*A", "line 3: nothing can follow return"),
        ("A = f(X)\nreturn A", "is no sum"),
        ("import os", "line 1: no assignment"),
        ("A = X^1\nreturn A", "at least 2"),
        ("A = X\nreturn A", "only names that were assigned results"),
    ],
)
def test_what_is_no_formula_is_refused(text, message):
    with pytest.raises(SpecificationError, match=message):
        parse("example", text)


@pytest.mark.parametrize(
    ("text", "odd"),
    [
        ("H = (X + X) / 2\nreturn H", False),
        ("H = (X*Y - X) / 2\nreturn H", True),
        ("H = (X^2 + X) / 2\nreturn H", False),
        ("D = X - Y\nS = X + Y\nH = (D*S^3 + D^2) / 2\nreturn H", False),
        ("G = (X + X) / 2\nH = G / 2\nreturn H", True),
    ],
)
def test_parities(text, odd):
    program, parities = parse("example", text), Parities()
    run(program, parities, {name: parities.unknown() for name in program.inputs})
    assert parities.odd == odd
