"""The operation set: what an RNS algorithm may do, and the program that it leaves behind.

An algorithm is a plain function that calls a `Program`. Each call appends a step; machines read the
steps (values, counts, bounds, schedule). Everything that a Cox-Rower engine does is one shape of
step: a sum of terms, accumulated without reduction and reduced once in each channel
(`Program.reduce`). The terms are

* a product of two residue vectors, channel by channel,
* a residue vector times a stored constant vector,
* a broadcast: every channel of a source times a stored matrix (the inner loop of a base extension);
  of a hierarchical one every row's super-residue, reduced in each channel, times a stored matrix,
* the Cox's quotient times a stored constant vector,
* a stored constant vector,
* a residue vector where a bit is set, or where it is not (`Program.select`).

Every value knows its base, the factor it carries in each channel (residue = value * factor mod m_i)
and the exact interval of the integer that it stands for. A sum of terms with unequal factors, an
extension of a value that its base cannot hold, and a source that is not in the form an extension
needs are refused with the name of the step and the line of the algorithm.
"""

import inspect
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import lru_cache
from math import ceil
from pathlib import Path

from residua.algorithms.terms import (
    Bit,
    Broadcast,
    Correction,
    Gated,
    Interval,
    Product,
    Quotient,
    Reduction,
    Residues,
    Rows,
    Scaled,
    Stored,
    Summand,
    Vector,
    Words,
    power_of_two,
)
from residua.errors import SpecificationError
from residua.numbers.bases import Base
from residua.numbers.cox import Cox, Deviation, Range, deviation, row_multipliers
from residua.numbers.residues import Canonical, Representation


class ProgramError(SpecificationError):
    """A step that would compute something else than the algorithm claims."""


class NarrowBaseError(ProgramError):
    """A value for whose base extension the base is too narrow."""


@dataclass
class Program:
    """A recorded straight-line algorithm.

    ``representation`` says how residues are stored, which decides the Cox's worst error.
    """

    name: str
    representation: Representation = field(default_factory=Canonical)
    inputs: list[Residues | Words] = field(default_factory=list)
    steps: list[Reduction] = field(default_factory=list)
    outputs: list[Residues] = field(default_factory=list)
    bits: list[Bit] = field(default_factory=list)
    pairs: list[tuple[Residues, Residues]] = field(default_factory=list)
    """Results of steps that the two lanes of an engine make at the same time."""
    checks: list[tuple[Residues, Residues]] = field(default_factory=list)
    """Results of steps whose check residues are equal unless a residue is wrong."""

    def input(self, name: str, base: Base, factor: Sequence[int], range: Interval) -> Residues:
        """A vector that the caller supplies."""
        value = Residues(name, base, _canonical(base, factor), range)
        self.inputs.append(value)
        return value

    def words(self, name: str, count: int, width: int, largest: int) -> Words:
        """A binary operand in [0, largest] that the caller supplies."""
        value = Words(name, count, width, Interval.of(0, largest))
        self.inputs.append(value)
        return value

    def bit(self, name: str) -> Bit:
        """A bit that the caller supplies."""
        bit = Bit(name)
        if bit not in self.bits:
            self.bits.append(bit)
        return bit

    def output(self, *values: Residues) -> None:
        """Mark values as results."""
        self.outputs.extend(values)

    def product(self, left: Residues, right: Residues, sign: int = 1) -> Summand:
        """The summand left * right (sign 1) or -left * right (sign -1)."""
        self._same_base(left.base, right.base)
        moduli = [modulus.value for modulus in left.base]
        factor = [f * g % m for f, g, m in zip(left.factor, right.factor, moduli, strict=True)]
        value = (left.range * right.range).scaled(Fraction(sign))
        return Summand(left.base, (Product(left, right, sign),), tuple(factor), value)

    def scaled(
        self, value: Residues, multiple: Fraction | int, factor: Sequence[int] | None = None
    ) -> Summand:
        """The summand value * multiple, carrying ``factor`` (by default the one it has).

        ``multiple`` is rational; its denominator must divide the value, which the algorithm knows.
        """
        multiple = Fraction(multiple)
        target = value.factor if factor is None else _canonical(value.base, factor)
        constant = tuple(
            rational_residue(multiple, m) * new * pow(old, -1, m) % m
            for new, old, m in zip(target, value.factor, _moduli(value.base), strict=True)
        )
        unit = abs(multiple) == 1 and target == value.factor
        term = Scaled(value, constant, unit)
        return Summand(value.base, (term,), target, value.range.scaled(multiple))

    def stored(self, value: int, base: Base, factor: Sequence[int]) -> Summand:
        """The summand ``value``, known in advance, carrying ``factor``."""
        target = _canonical(base, factor)
        constant = tuple(value * f % m for f, m in zip(target, _moduli(base), strict=True))
        return Summand(base, (Stored(constant),), target, Interval.of(value, value))

    def select(self, bit: Bit, x: Residues, y: Residues, sign: int = 1) -> Summand:
        """The summand x where ``bit`` is set, else sign * y; both carry the same factor."""
        self._same_base(x.base, y.base)
        if x.factor != y.factor:
            raise ProgramError(f"{self._here()}: {x.name} and {y.name} carry different factors")
        other = y.range.scaled(Fraction(sign))
        hull = Interval(min(x.range.low, other.low), max(x.range.high, other.high))
        terms = (Gated(x, bit, inverted=False), Gated(y, bit, inverted=True, sign=sign))
        return Summand(x.base, terms, x.factor, hull)

    def choose(self, *choices: tuple[Bit, Residues]) -> Summand:
        """The summand x of that (bit, x) whose bit is set; not more than one is. 0 if none is."""
        first = choices[0][1]
        for _, value in choices:
            self._same_base(first.base, value.base)
            if value.factor != first.factor:
                raise ProgramError(
                    f"{self._here()}: {first.name} and {value.name} carry different factors"
                )
        zero, ranges = Fraction(0), [value.range for _, value in choices]
        hull = Interval(
            min([zero, *(r.low for r in ranges)]), max([zero, *(r.high for r in ranges)])
        )
        terms = tuple(Gated(value, bit, inverted=False) for bit, value in choices)
        return Summand(first.base, terms, first.factor, hull)

    def spread(
        self,
        source: Residues | Words | Rows,
        base: Base,
        weights: Sequence[int | Fraction],
        factor: Sequence[int],
        range: Interval,
    ) -> Summand:
        """The summand sum(source_j * weights_j), where each source word is read as an integer.

        ``range`` is what the caller knows of that integer.
        """
        target = _canonical(base, factor)
        matrix = _weight_matrix(tuple(weights), target, tuple(_moduli(base)))
        unit = set(target) == {1} and all(abs(weight) == 1 for weight in weights)
        return Summand(base, (Broadcast(source, matrix, unit),), target, range)

    def extension(
        self,
        source: Residues,
        base: Base,
        cox: Cox | None,
        *,
        multiple: Fraction | int = 1,
        factor: Sequence[int] | None = None,
        weights: Sequence[int] | None = None,
        columns: int = 1,
        exact: bool = False,
    ) -> Summand:
        """The summand multiple * X in ``base``, for a source that holds xi_i = |X * M_i^-1|.

        With ``weights``, xi_i = weights_i * residue_i. ``columns`` c > 1 is the hierarchical
        extension, through the super-residues of rows of c moduli. ``cox`` None skips the quotient:
        X comes out with up to n multiples of M too many (Bajard-Imbert). ``exact`` demands that X
        itself comes out and refuses a source whose range allows anything else.
        """
        multiple = Fraction(multiple)
        weights = tuple(weights or [1] * len(source.base))
        source = self.significant(source)
        weights = weights[: len(source.base)]
        self._holds_cofactors(source, weights)
        factor = [1] * len(base) if factor is None else factor
        exact_range, result = self._extension_ranges(source.base, cox, weights, columns)
        if exact and not source.range.within(exact_range):
            raise NarrowBaseError(
                f"{self._here()}: {source.name} reaches {_powers(source.range)}, but its base "
                f"extension is exact only within {_powers(exact_range)}; "
                f"{_shortage(source, exact_range, cox)}"
            )
        value = source.range if exact else result
        words: Residues | Rows = source
        cofactors = [
            weight * cofactor
            for weight, cofactor in zip(weights, source.base.cofactors, strict=True)
        ]
        if columns > 1:
            multipliers = row_multipliers(source.base, weights, columns)
            words = Rows(f"rows({source.name})", source, columns, multipliers)
            cofactors = [source.base.product // a for a in source.base.row_products(columns)]
            weights = (1,) * words.count
        amounts = [cofactor * multiple for cofactor in cofactors]
        summand = self.spread(words, base, amounts, factor, value.scaled(multiple))
        if cox is None:
            return summand
        constant = tuple(
            -source.base.product * rational_residue(multiple, m) * f % m
            for f, m in zip(summand.factor, _moduli(base), strict=True)
        )
        quotient = Quotient(f"q({source.name})", words, weights, cox)
        terms = (*summand.terms, Correction(quotient, constant))
        return Summand(base, terms, summand.factor, summand.range)

    def reduce(self, name: str, *summands: Summand, range: Interval | None = None) -> Residues:
        """Accumulate the summands and reduce once in each channel.

        ``range`` states what a theorem says of the result where interval arithmetic cannot.
        """
        base, factor = summands[0].base, summands[0].factor
        total = Interval.of(0, 0)
        for summand in summands:
            self._same_base(base, summand.base)
            if summand.factor != factor:
                raise ProgramError(f"{self._here()}: the terms of {name} carry different factors")
            total += summand.range
        result = Residues(name, base, factor, total if range is None else range)
        terms = tuple(term for summand in summands for term in summand.terms)
        self.steps.append(Reduction(result, terms))
        return result

    @property
    def length(self) -> int:
        """Products of a channel in all steps, with every word of a broadcast and every quotient."""
        return sum(
            len(term.matrix) if isinstance(term, Broadcast) else 1
            for step in self.steps
            for term in step.terms[step.resumed :]
        )

    def resume(self, name: str, *summands: Summand) -> Residues:
        """Go on with the sum of the last step: its terms and the summands, reduced once more.

        An accumulator keeps a sum that has left, so that the terms before cost nothing again.
        """
        earlier = self.steps[-1]
        own = Summand(
            earlier.result.base, earlier.terms, earlier.result.factor, earlier.result.range
        )
        result = self.reduce(name, own, *summands)
        self.steps[-1] = replace(self.steps[-1], resumed=len(earlier.terms))
        return result

    def together(self, first: int, second: int) -> None:
        """Pair the steps from ``first`` to ``second`` - 1 with those from there to the last.

        An engine with two lanes executes each pair at once, the first steps in lane 0. Nothing else
        changes: it is the same program.
        """
        one, two = self.steps[first:second], self.steps[second:]
        if len(one) != len(two):
            raise ProgramError(
                f"{self._here()}: {len(one)} steps cannot run beside {len(two)} others"
            )
        for a, b in zip(one, two, strict=True):
            self._same_base(a.result.base, b.result.base)
            self.pairs.append((a.result, b.result))

    def check(self, value: Residues, again: Residues) -> None:
        """Hold the check residue of a value against the one that its other residues give.

        Both have to carry the same factor in that channel: they are equal there, or one of the
        residues that ``again`` was made of is wrong.
        """
        for one in (value, again):
            if not one.base.checks:
                raise ProgramError(f"{self._here()}: {one.name} has no check residue")
        if value.base.extra != again.base.extra or value.factor[-1] != again.factor[-1]:
            raise ProgramError(
                f"{self._here()}: the check residues of {value.name} and {again.name} differ "
                "in more than the residues that they are made of"
            )
        self.checks.append((value, again))

    def demand(self, value: Residues, range: Interval, reason: str) -> None:
        """Refuse a program in which a value may leave ``range``; ``reason`` says what for."""
        reached = value.range.integers()
        if not reached.within(range):
            raise ProgramError(
                f"{self._here()}: {value.name} reaches {_powers(reached)}, "
                f"outside {_powers(range)}; "
                f"{reason}"
            )

    def demand_canonical(self, base: Base) -> None:
        """Refuse a program whose residues over ``base`` are not all in [0, m)."""
        ranges = zip(base, self.representation.ranges(base), strict=True)
        if any(low < 0 or high >= modulus.value for modulus, (low, high) in ranges):
            raise ProgramError(
                f"{self._here()}: residues must be canonical, in [0, m), to be digits"
            )

    def restate(self, value: Residues, multiple: Fraction | int) -> Residues:
        """Read the residues as value * multiple; the factor takes the inverse multiple."""
        multiple = Fraction(multiple)
        factor = tuple(
            f * pow(rational_residue(multiple, m), -1, m) % m
            for f, m in zip(value.factor, _moduli(value.base), strict=True)
        )
        return Residues(value.name, value.base, factor, value.range.scaled(multiple), value, 0)

    def channels(self, value: Residues, first: int, last: int) -> Residues:
        """Channels ``first`` to ``last`` - 1 of a vector, as a vector over those moduli."""
        narrow = value.base.narrow and last == len(value.base)
        base = Base(value.base.moduli[first:last], narrow, narrow and value.base.checks)
        name = f"{value.name}[{first}:{last}]"
        return Residues(name, base, value.factor[first:last], value.range, value, first)

    def significant(self, value: Residues) -> Residues:
        """The residues that the number is made of: all but a check residue."""
        if not value.base.checks:
            return value
        return self.channels(value, 0, len(value.base.significant))

    def _extension_ranges(
        self, base: Base, cox: Cox | None, weights: Vector, columns: int
    ) -> tuple[Interval, Interval]:
        """Values that an extension returns unchanged, and all values that it can return."""
        ranges = self.representation.ranges(base)
        if cox is None:
            unreduced = _weighted_sum(base, ranges, weights)
            return Interval.of(0, 0), unreduced
        offset = self.representation.row_offset(base.width) if columns > 1 else 0
        error: Deviation = deviation(base, cox, ranges, weights, columns=columns, offset=offset)
        low, high = (bound * base.product for bound in error.exact(cox.sigma0))
        # Both intervals are open at the top, and a step of 1/M is finer than any of their ends.
        step = Fraction(1, base.product)
        exact = Interval(low, high - step)
        low, high = (bound * base.product for bound in error.result(cox.sigma0))
        return exact.integers(), Interval(low, high - step).integers()

    def _holds_cofactors(self, source: Residues, weights: Vector) -> None:
        for modulus, factor, weight, inverse in zip(
            source.base, source.factor, weights, source.base.cofactor_inverses, strict=True
        ):
            if (factor * weight - inverse) % modulus.value:
                raise ProgramError(
                    f"{self._here()}: {source.name} does not carry the factor M_i^-1 "
                    f"modulo {modulus}, which a base extension needs"
                )

    def _same_base(self, left: Base, right: Base) -> None:
        if left != right:
            raise ProgramError(
                f"{self._here()}: operands over different bases, of {len(left)} and "
                f"{len(right)} moduli"
            )

    def _here(self) -> str:
        """The line of the algorithm that made the call."""
        frame = inspect.currentframe()
        assert frame is not None
        while frame.f_back and frame.f_code.co_filename == __file__:
            frame = frame.f_back
        return f"{self.name}, {Path(frame.f_code.co_filename).name} line {frame.f_lineno}"


def rational_residue(number: int | Fraction, modulus: int) -> int:
    """numerator / denominator modulo ``modulus``, which must be coprime to the denominator."""
    denominator = number.denominator
    if denominator == 1:
        return number.numerator % modulus
    return number.numerator * pow(denominator, -1, modulus) % modulus


def _canonical(base: Base, factor: Sequence[int]) -> Vector:
    return tuple(f % m for f, m in zip(factor, _moduli(base), strict=True))


def _moduli(base: Base) -> list[int]:
    return [modulus.value for modulus in base]


@lru_cache(maxsize=256)  # extensions over the same bases have the same ones
def _weight_matrix(
    weights: tuple[int | Fraction, ...], factor: Vector, moduli: Vector
) -> tuple[Vector, ...]:
    """Each weight times a factor in every channel."""
    return tuple(
        tuple(rational_residue(weight, m) * f % m for f, m in zip(factor, moduli, strict=True))
        for weight in weights
    )


def _weighted_sum(base: Base, ranges: Iterable[Range], weights: Vector) -> Interval:
    total = Interval.of(0, 0)
    for (low, high), cofactor, weight in zip(ranges, base.cofactors, weights, strict=True):
        total += Interval.of(low, high).scaled(Fraction(weight * cofactor))
    return total


def _powers(interval: Interval) -> str:
    """An interval for the eye: its ends as powers of two."""
    return f"[{power_of_two(interval.low)}, {power_of_two(interval.high)}]"


def _shortage(source: Residues, exact: Interval, cox: Cox | None) -> str:
    """The lack of an exact extension: quotient, start value, accuracy, or bits of the base."""
    if cox is None:
        return "without the Cox's quotient it never is"
    if exact.low > exact.high:
        return f"the Cox needs more than t = {cox.truncation} bits"
    if source.range.low < exact.low and exact.low > 0:
        least = cox.sigma0 + exact.low / source.base.product
        return (
            f"sigma0 = {cox.sigma0} is below the Cox's error {float(least):.3g}, so that values "
            "near zero come out as X + M"
        )
    reached = Fraction(0)
    for wanted, held in ((-source.range.low, -exact.low), (source.range.high, exact.high)):
        if wanted > held:
            reached = max(reached, wanted / max(held, Fraction(1)))
    bits = max(1, (ceil(reached) - 1).bit_length())
    return (
        f"the base of {len(source.base)} moduli of {source.base.width} bits is "
        f"{bits} bit{'s' * (bits > 1)} too narrow"
    )
