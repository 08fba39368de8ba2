"""The channel reducer's formula over the integers, proved by running the model's code on unknowns.

`Folding.reduce` and `Folding.stages` are executed on symbols instead of integers. A symbol is split
into its high part and its low w bits by value = high * 2^w + low, a linear equation, so that z3's
linear integer arithmetic decides every claim at any width. The code's decisions (``min``, ``max``,
``if``) are explored on both sides.

`prove_step` is about one fold, for every offset and every range of the sum. A fold is the body of
the loops in ``reduce`` and in ``stages``, so by induction its claims hold for any number of folds.
`prove_chain` takes one modulus, one range and all of its folds at once.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any, cast

import z3  # type: ignore[import-untyped]

from residua.numbers.cox import Range
from residua.numbers.folding import Folding, fits_word
from residua.numbers.moduli import Modulus


class NotProvedError(Exception):
    """A claim is false, with values that show it, or the solver gave up."""


def prove_step(width: int) -> int:
    """Prove one fold modulo 2^width - h for every integer h, every range and every value in it.

    For low <= value <= high, with r = ``Folding.reduce(value)`` of one fold:

    * r = value - k * (2^width - h) for an integer k, so that the class is kept;
    * ``Folding.result((low, high))`` is a range and has r in it;
    * ``Folding.stages`` begins with the range of value + 2^(width-1).

    Returns:
        The number of paths through the code that were feasible and proved.

    Raises:
        NotProvedError: a claim does not hold.
    """

    def claims(world: "World") -> Iterator[tuple[str, Any]]:
        offset = world.unknown("h")
        folding = Folding(cast(Modulus, _Channel(width, offset)), 1)
        low, value, high = (world.unknown(name) for name in ("low", "value", "high"))
        world.assume(low.term <= value.term, value.term <= high.term)
        first, _ = folding.stages(cast(Range, (low, high)))
        result = folding.result(cast(Range, (low, high)))
        reduced = cast(Symbol, folding.reduce(cast(int, value)))
        centred = value + folding.centring
        yield "range before the fold", _within(centred, first)
        yield "range of the result", _within(reduced, result)
        # The class: no abstraction of the product here, the identity is one of polynomials.
        quotient = centred >> width
        product = quotient.term * offset.term
        change = quotient.term * (1 << width) - product
        yield (
            "class",
            z3.Implies(
                world.product(quotient, offset).term == product, value.term - reduced.term == change
            ),
        )

    return _prove(claims)


def prove_chain(modulus: Modulus, value: Range, folds: int) -> int:
    """Prove all of the folds of one reducer for every sum within ``value``.

    After each of 1 .. ``folds`` folds the class is kept and the residue lies in `Folding.result`;
    after the last one it fits w + 1 signed bits if `fits_word` says so of the range, which is the
    condition under which `residua.machines.bounds.analyse` accepts.

    Returns:
        The number of paths, as in `prove_step`.

    Raises:
        NotProvedError: a claim does not hold.
    """

    def claims(world: "World") -> Iterator[tuple[str, Any]]:
        unknown = world.unknown("value")
        world.assume(value[0] <= unknown.term, unknown.term <= value[1])
        for count in range(1, folds + 1):
            folding = Folding(modulus, count)
            reduced = cast(Symbol, folding.reduce(cast(int, unknown)))
            yield f"range after {count}", _within(reduced, folding.result(value))
            yield (
                f"class after {count}",
                unknown.term - reduced.term == world.quotients(count) * modulus.value,
            )
        if fits_word(Folding(modulus, folds).result(value), modulus.width + 1):
            word = 1 << modulus.width
            yield "word", z3.And(-word <= reduced.term, reduced.term < word)

    return _prove(claims)


@dataclass(frozen=True)
class _Channel:
    """Modulus with an unknown offset, as far as `Folding` reads it."""

    width: int
    offset: "Symbol"


@dataclass
class World:
    """The facts along one path through the code, and the decisions that lead there."""

    decisions: list[list[bool]]
    taken: int = 0
    solver: Any = field(default_factory=lambda: z3.SolverFor("QF_LIA"))
    names: int = 0
    splits: "dict[tuple[Any, int], tuple[Symbol, Symbol]]" = field(default_factory=dict)
    products: "dict[tuple[Any, Any], Symbol]" = field(default_factory=dict)

    def assume(self, *facts: Any) -> None:  # noqa: ANN401 - z3 has no types
        """Add facts."""
        self.solver.add(*facts)

    def unknown(self, stem: str) -> "Symbol":
        """A new integer."""
        self.names += 1
        return Symbol(self, z3.Int(f"{stem}_{self.names}"))

    def split(self, value: "Symbol", width: int) -> "tuple[Symbol, Symbol]":
        """High part and low ``width`` bits."""
        key = (z3.simplify(value.term), width)
        if key not in self.splits:
            high, low = self.unknown("high"), self.unknown("low")
            self.assume(value.term == high.term * (1 << width) + low.term)
            self.assume(low.term >= 0, low.term < 1 << width)
            self.splits[key] = high, low
        return self.splits[key]

    def product(self, left: "Symbol", right: "Symbol") -> "Symbol":
        """left * right as a new integer of which only its order among such products is known.

        a <= b gives a * h <= b * h for h >= 0 and the reverse for h <= 0: enough, and linear.
        """
        key = (left.term, right.term)
        if key not in self.products:
            new = self.unknown("product")
            for (other, factor), old in self.products.items():
                if factor.eq(right.term):
                    self._order(left.term, new.term, other, old.term, right.term)
            self.products[key] = new
        return self.products[key]

    def _order(self, a: Any, a_h: Any, b: Any, b_h: Any, h: Any) -> None:  # noqa: ANN401
        for x, x_h, y, y_h in ((a, a_h, b, b_h), (b, b_h, a, a_h)):
            self.assume(z3.Implies(z3.And(x <= y, h >= 0), x_h <= y_h))
            self.assume(z3.Implies(z3.And(x <= y, h <= 0), x_h >= y_h))

    def quotients(self, count: int) -> Any:  # noqa: ANN401
        """Sum of the high parts of the first ``count`` splits."""
        return z3.Sum([high.term for high, _ in list(self.splits.values())[:count]])

    def decide(self, condition: Any) -> bool:  # noqa: ANN401
        """The truth of a condition on this path: the first one left to explore."""
        sides = {True: condition, False: z3.Not(condition)}
        if self.taken == len(self.decisions):
            self.decisions.append([side for side in sides if _possible(self.solver, sides[side])])
        choice = self.decisions[self.taken][0]
        self.taken += 1
        self.assume(sides[choice])
        return choice


@dataclass(frozen=True, eq=False)
class Symbol:
    """An integer that is not known, with the operations that `Folding` uses."""

    world: World
    term: Any

    def __add__(self, other: "Symbol | int") -> "Symbol":
        return Symbol(self.world, self.term + _term(other))

    __radd__ = __add__

    def __sub__(self, other: "Symbol | int") -> "Symbol":
        return Symbol(self.world, self.term - _term(other))

    def __mul__(self, other: "Symbol | int") -> "Symbol":
        if isinstance(other, Symbol):
            return self.world.product(self, other)
        return Symbol(self.world, self.term * other)

    def __rshift__(self, width: int) -> "Symbol":
        return self.world.split(self, width)[0]

    def __and__(self, mask: int) -> "Symbol":
        assert mask & (mask + 1) == 0
        return self.world.split(self, mask.bit_length())[1]

    def __lt__(self, other: "Symbol | int") -> bool:
        return self.world.decide(self.term < _term(other))

    def __gt__(self, other: "Symbol | int") -> bool:
        return self.world.decide(self.term > _term(other))

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Symbol | int) and self.world.decide(self.term == _term(other))

    __hash__ = None  # type: ignore[assignment]


def _term(value: Symbol | int) -> Any:  # noqa: ANN401
    return value.term if isinstance(value, Symbol) else value


def _within(value: Symbol, bounds: Range) -> Any:  # noqa: ANN401
    low, high = (_term(bound) for bound in bounds)
    return z3.And(low <= value.term, value.term <= high)


def _prove(claims: Callable[[World], Iterator[tuple[str, Any]]]) -> int:
    """Prove the claims on every feasible path; contradictory assumptions are refused."""
    decisions: list[list[bool]] = []
    proved = 0
    while True:
        world = World(decisions)
        found = list(claims(world))
        if not _possible(world.solver, z3.BoolVal(True)):
            raise NotProvedError("the assumptions contradict each other")
        proved += 1
        for name, claim in found:
            if _possible(world.solver, z3.Not(claim)):
                raise NotProvedError(f"{name} does not hold: {world.solver.model()}")
        while decisions and len(decisions[-1]) == 1:
            decisions.pop()
        if not decisions:
            return proved
        decisions[-1].pop(0)


def _possible(solver: Any, condition: Any) -> bool:  # noqa: ANN401
    """Whether a condition can hold beside the solver's facts; the solver then has its model."""
    answer = solver.check(condition)
    if answer == z3.unknown:
        raise NotProvedError(f"no answer: {solver.reason_unknown()}")
    return bool(answer == z3.sat)
