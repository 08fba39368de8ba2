"""Plus-minus modular inversion in an RNS (CHES 2013 slides, algorithm (2/4)), complete.

A binary extended Euclidean algorithm without comparisons. Throughout, for odd P and U3,

    x V1 = V3,  x U1 = U3  modulo P,     |V1|, |U1| < P,     |V3|, |U3| <= P.

An even V3 is divided by 2 or 4; of an odd one and U3 the sum or the difference is divisible by 4. u
and v count how many bits U3 and V3 have lost: a division adds 1 or 2 to v; a sum or a difference
takes v to min(u, v) + 1, with the number that has lost more in U3. V3 = 1 or -1 ends it: the
inverse is V1 or -V1.

In the slides u and v begin with 0, and U3 keeps its number if they are equal. Here v begins with
-1/2, so that they never are, and about a twelfth fewer steps are enough.

The slides leave out starting values, tags and the multiples of P that are added to V1; here they
are as ERRATA E12 to E14 have them. The end is tested after every step, so that it needs no test of
U3, whose every value was one of V3.

What the loop decides depends on V3 and U3 alone (`reduction`); V1 and U1 follow its steps, a
straight line of operations (`cofactor`).
"""

from collections.abc import Iterator, Sequence
from enum import IntEnum
from typing import NamedTuple, Protocol, TypeVar

from residua.errors import SpecificationError

V = TypeVar("V")

FIRST_LEAD = -1
"""The lead v - u in the beginning, in halves."""

SLIDES_LEAD = 0
"""That of the slides."""

PERIOD, STEPS_OF_PERIOD = 36, 59
"""By so many bits longer a modulus may need so many steps more."""


class Kind(IntEnum):
    """Operation of a step on (V, U)."""

    HALVE = 0
    QUARTER = 1
    ADD = 2
    SUBTRACT = 3


class Step(NamedTuple):
    """V / 2, V / 4, (V + U) / 4 or (V - U) / 4; with ``exchange`` U takes the V of before."""

    kind: Kind
    exchange: bool = False


class Reduction(NamedTuple):
    """Steps that take (x, P) to V3 = ``sign``, 1 or -1."""

    steps: tuple[Step, ...]
    sign: int


class Operations(Protocol[V]):
    """Operations on numbers of either sign, up to P; P is odd."""

    @property
    def modulus(self) -> int:
        """P."""

    def constant(self, number: int) -> V:
        """A number in [-P, P]."""

    def mod4(self, value: V) -> int:
        """A number modulo 4 (slides: mod4)."""

    def equals(self, value: V, number: int) -> bool:
        """Whether a value is this number."""

    def step(self, kind: Kind, x: V, y: V, multiple: int) -> V:
        """(x + k P) / 2, or (x, x + y or x - y, and k P) / 4 (slides: div2r); exact."""


def reduction(ops: Operations[V], x: V, lead: int = FIRST_LEAD) -> Reduction:
    """The steps for V3 = x, 0 < x < P, from this lead on.

    Raises:
        SpecificationError: x has no inverse.
    """
    steps: list[Step] = []
    sign = 0
    for step, end in _loop(ops, x, lead):
        if step is not None:
            steps.append(step)
        sign = end
    return Reduction(tuple(steps), sign)


def _loop(ops: Operations[V], x: V, lead: int) -> Iterator[tuple[Step | None, int]]:
    """Every step with 0, and at last no step with 1 or -1."""
    v3, u3 = x, ops.constant(ops.modulus)
    b_v, b_u = ops.mod4(v3), ops.modulus % 4
    while not (end := _unit(ops, v3)):
        step, lead = next_step(b_v, b_u, lead)
        yield step, 0
        new = ops.step(step.kind, v3, u3, 0)
        if step.exchange:
            u3, b_u = v3, b_v
        v3, b_v = new, ops.mod4(new)
    yield None, end


def next_step(b_v: int, b_u: int, lead: int) -> tuple[Step, int]:
    """Choose the step for V3 and U3 with these tags, and return the lead after it, too."""
    if b_v % 2 == 0:
        return Step(Kind.QUARTER if b_v == 0 else Kind.HALVE), lead + (4 if b_v == 0 else 2)
    kind = Kind.ADD if (b_v + b_u) % 4 == 0 else Kind.SUBTRACT
    step = Step(kind, lead > 0)
    return step, 2 + (-lead if step.exchange else lead)


def settled(ops: Operations[V], x: V, first: V, steps: int) -> tuple[V, V]:
    """(U1, U3) after ``steps`` steps from V3 = x and V1 = ``first``, without any test.

    After `sufficient_steps` V3 is 0, which nothing changes any more. U3 is then 1 or -1, and
    U1 U3 = first / x modulo P; unless P divides x: then U3 is P or -P, and U1 U3 = 0 modulo P. x
    may be any number in [-P, P] that P divides or that has an inverse.
    """
    v3, u3, v1, u1 = x, ops.constant(ops.modulus), first, ops.constant(0)
    lead = FIRST_LEAD
    for _ in range(steps):
        step, lead = next_step(ops.mod4(v3), ops.mod4(u3), lead)
        new1 = _followed(ops, step.kind, v1, u1)
        new3 = ops.step(step.kind, v3, u3, 0)
        if step.exchange:
            u3, u1 = v3, v1
        v3, v1 = new3, new1
    return u1, u3


def sufficient_steps(bits: int) -> int:
    """Steps after which V3 is 0 if |x| <= P < 2^bits.

    `residua.algorithms.step_bounds.plus_minus` proves it.
    """
    return (STEPS_OF_PERIOD * bits + 38) // PERIOD


def _unit(ops: Operations[V], value: V) -> int:
    """The number if it is 1 or -1, else 0."""
    if ops.equals(value, 1):
        return 1
    if ops.equals(value, -1):
        return -1
    if ops.equals(value, 0):
        raise SpecificationError("the operand has no inverse: it shares a factor with P")
    return 0


def cofactor(ops: Operations[V], steps: Sequence[Step]) -> V:
    """V1 after these steps, in (-P, P)."""
    v1, u1 = ops.constant(1), ops.constant(0)
    for kind, exchange in steps:
        new = _followed(ops, kind, v1, u1)
        u1, v1 = (v1 if exchange else u1), new
    return v1


def _followed(ops: Operations[V], kind: Kind, v1: V, u1: V) -> V:
    """V1 after a step of this kind."""
    tag = ops.mod4(v1)
    if kind is Kind.ADD:
        tag += ops.mod4(u1)
    elif kind is Kind.SUBTRACT:
        tag -= ops.mod4(u1)
    return ops.step(kind, v1, u1, multiple(kind, tag % 4, ops.modulus))


def multiple(kind: Kind, tag: int, modulus: int) -> int:
    """k for which a number with this tag plus k P is divisible by 2 or 4 (ERRATA E14)."""
    if kind is Kind.HALVE:
        return tag % 2
    if tag % 2 == 0:
        return tag
    return 1 if (tag + modulus) % 4 == 0 else -1


def corrected(value: int, sign: int, modulus: int) -> int:
    """The inverse in [0, P) of V1 in (-P, P) and V3 = sign (ERRATA E13, and P taken off)."""
    return sign * value % modulus


def check_operand(x: int, modulus: int) -> None:
    """Refuse what has no inverse by its size: 0, and P and above.

    Raises:
        SpecificationError: x is not in [1, P).
    """
    if not 0 < x < modulus:
        raise SpecificationError(f"{x} is not in [1, P): 0 has no inverse, and P or more no place")
