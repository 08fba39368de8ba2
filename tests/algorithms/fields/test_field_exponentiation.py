"""Powers as field programs, on plain integers."""

import pytest

from residua.algorithms.fields import field_exponentiation
from residua.algorithms.fields.field import evaluate
from residua.algorithms.fields.field_exponentiation import digit_flags, digits, step_products

P = 65521


def power(x, exponent, bits, window):
    """x^exponent by the programs, and their reductions."""
    names = [f"t{digit}" for digit in range(1 << window)]
    # What is in the table before does not matter.
    state = dict.fromkeys([*names, "r"], 7) | {"x": x}
    highest, *others = digits(exponent, bits, window)
    runs = [(field_exponentiation.start(window), {})]
    runs += [(field_exponentiation.table_step(window), {})] * ((1 << window) - 2)
    runs += [(field_exponentiation.first(window), digit_flags(highest, window))]
    runs += [(field_exponentiation.step(window), digit_flags(digit, window)) for digit in others]
    for program, flags in runs:
        inputs = {name: state[name] for name in program.inputs}
        state |= evaluate(program, P, inputs, flags=flags)
    assert [state[name] for name in names] == [pow(x, j, P) for j in range(1 << window)]
    return state["r"], sum(program.reductions for program, _ in runs)


@pytest.mark.parametrize(("bits", "window"), [(1, 1), (7, 1), (7, 2), (9, 4), (10, 5)])
def test_powers(bits, window):
    made = set()
    for exponent in (0, 1, (1 << bits) - 1, 1 << bits - 1, (1 << bits - 1) - 1):
        for x in (0, 1, P - 1, 12345):
            found, reductions = power(x, exponent, bits, window)
            assert found == pow(x, exponent, P)
            made.add(reductions)
    # Conversions at both ends are not among them.
    assert made == {step_products(bits, window) - 2}


def test_digits_are_those_of_the_exponent():
    assert digits(0b1_011_110, 7, 3) == [1, 3, 6]
    assert digits(0, 4, 4) == [0]
    assert digit_flags(2, 2) == {"digit_0": 0, "digit_1": 0, "digit_2": 1, "digit_3": 0}
