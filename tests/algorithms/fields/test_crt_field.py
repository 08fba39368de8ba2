"""RSA's programs modulo two loaded primes, through residues, against plain integers."""

import random
from dataclasses import replace

import pytest
from tests.algorithms.crt_programs import KIND, Machine, all_programs, domain

from residua.algorithms.fields import crt_field, loaded_field
from residua.algorithms.fields.field import FieldProgram, Flag
from residua.algorithms.program import ProgramError

P, Q = 4294967291, 4294967279
SHORT = 32771
"""A prime just above the smallest one."""

SIZES = [(32, 17, 3, 1), (32, 12, 4, 2), (34, 17, 4, 2)]
KEYS = [(P, Q), (Q, P), (P, SHORT), (SHORT, P), (32771, 32779)]


def messages(p, q, seed):
    n = p * q
    return [0, 1, n - 1, p, q, n - p, random.Random(seed).randrange(n)]


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize(("p", "q"), KEYS)
def test_messages_come_down_to_both_primes(size, p, q):
    machine = Machine(domain(*size), size[0], p, q)
    for message in messages(p, q, p):
        machine.take(message)
        assert machine.number("p.x") == message % p
        assert machine.number("q.x") == message % q


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize(("p", "q"), KEYS)
def test_halves_are_joined(size, p, q):
    """To the integer itself, or to one that N makes it, next to [0, N]."""
    machine = Machine(domain(*size), size[0], p, q)
    assert machine.run("whole") == p * q
    for root in messages(p, q, q):
        machine.put("p.r", root % p)
        machine.put("q.r", root % q)
        found = machine.run("join")
        assert -p * q <= found <= p * q
        assert found % (p * q) == root


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize(("p", "q"), KEYS)
def test_verdicts(size, p, q):
    """The message itself, and of nothing that differs from it modulo p or modulo q."""
    machine = Machine(domain(*size), size[0], p, q)
    for message in messages(p, q, p + q):
        machine.put("p.r", message % p)
        machine.put("q.r", message % q)
        assert machine.verdict(message) == message
        for other in {(message + 1) % (p * q), (message + p) % (p * q), (message + q) % (p * q)}:
            found = machine.verdict(other)
            assert -2 * p * q < found < 3 * p * q
            assert (found - other) % (p * q) != 0


@pytest.mark.parametrize(
    ("name", "number"),
    [
        # Without the test of R^2 both sides would be 0 modulo p, and s^e = x.
        ("p.square", 0),
        ("q.square", 0),
        ("p.square", 5),
        # -R^2: the sides are equal, if an exponent is odd.
        ("p.square", None),
        ("coefficient", 0),
        ("coefficient", 77),
        ("p.n_inverse", 0),
        ("q.n_inverse", 12345),
    ],
)
def test_wrong_numbers_of_a_key_are_found(name, number):
    """Even if the powers are made to be what the message comes down to with these numbers."""
    made = domain(32, 17, 3)
    if number is None:
        number = -(made[0].montgomery_factor ** 2) % P
    machine = Machine(made, 32, P, Q, {name: number})
    for message in (5, 123456789, P - 1, P * Q // 3):
        machine.take(message)
        for half in ("p", "q"):
            for part in ("a", "b"):
                machine.state[f"{half}.r_{part}"] = machine.state[f"{half}.x_{part}"]
        assert (machine.verdict(message) - message) % (P * Q) != 0


def test_equal_primes_are_found():
    machine = Machine(domain(32, 17, 3), 32, P, P)
    for number in (0, 1, 12345):
        machine.put("p.r", number)
        machine.put("q.r", number)
        assert (machine.verdict(number) - number) % (P * P) != 0


def test_cleared_registers_are_found():
    """With p = q = 0 all that D_p and D_q are multiplied by is 0."""
    machine = Machine(domain(32, 17, 3), 32, P, Q)
    machine.state = {name: (0,) * len(words) for name, words in machine.state.items()}
    for name in ("p.r", "q.r"):
        machine.put(name, 0)
    for message in (1, 12345, P * Q - 1):
        assert (machine.verdict(message) - message) % (P * Q) != 0


def test_field_programs_run_modulo_both_primes():
    """With elements and flags of their own; nothing of one half reaches the other."""
    source = FieldProgram("both")
    x, y = source.input("x"), source.input("y")
    source.output("x", source.product("u", x, source.choose("v", (Flag("f"), y))))
    made, _ = domain(32, 17, 3)
    lowered = crt_field.lower(source, made, KIND)
    assert [bit.name for bit in lowered.program.bits] == ["p.f", "q.f"]
    assert set(lowered.outputs) == {"p.x", "q.x"}
    numbers = {"n", "n_inverse", "x", "y"}
    assert set(lowered.inputs) == {half + name for half in ("p.", "q.") for name in numbers}
    alone = loaded_field.lower(source, made, KIND)
    assert len(lowered.program.steps) == 2 * len(alone.program.steps)


def test_a_bound_that_does_not_hold_is_refused():
    made, parts = domain(32, 17, 3)
    with pytest.raises(ProgramError, match="elements outside keep within B"):
        all_programs(replace(made, bound=made.modulus // 4), 32, parts)
