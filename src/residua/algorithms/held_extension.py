"""Base extensions whose constants are no constants: residues hold them.

Where the moduli of a base are chosen at run time, a broadcast multiplies by numbers that were
computed before. Each of them is the number 1, which carries the wanted constant as its factor; that
it is the right one is checked here, as it is for all other factors.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction

from residua.algorithms.program import NarrowBaseError, Program, ProgramError
from residua.algorithms.terms import (
    Broadcast,
    Correction,
    Held,
    HeldBroadcast,
    HeldCorrection,
    Interval,
    Residues,
    Rotated,
    Scaled,
    Stored,
    Summand,
    Vector,
    power_of_two,
)
from residua.numbers.bases import Base
from residua.numbers.cox import Cox

ONE = Interval.of(1, 1)


@dataclass(frozen=True)
class HeldMatrix:
    """The constants of an extension of n channels to n others.

    Attributes:
        turns: turn t has for each channel what it multiplies the word by that is t positions ahead.
        quotient: what the Cox's quotient is multiplied by.
    """

    turns: tuple[Residues, ...]
    quotient: Residues


@dataclass(frozen=True)
class Reach:
    """What holds of an extension whatever moduli are chosen, and of the product M of each base.

    Attributes:
        smallest: M, at least.
        largest: M, at most.
        exact: X / M at the ends of where X itself comes out.
        result: X / M at the ends of what comes out.
        unreduced: the same without the Cox's quotient.
    """

    smallest: int
    largest: int
    exact: Interval
    result: Interval
    unreduced: Interval

    @property
    def inverse(self) -> Interval:
        """1 / M."""
        return Interval.of(Fraction(1, self.largest), Fraction(1, self.smallest))


def held_extension(
    program: Program,
    source: Residues,
    base: Base,
    cox: Cox | None,
    matrix: HeldMatrix,
    reach: Reach,
    *,
    multiple: Fraction | int = 1,
    factor: Sequence[int] | None = None,
    exact: bool = False,
) -> Summand:
    """The summand of `Program.extension` with constants that are held.

    Its range is that of all choices, if that of the source is, and ``multiple`` times M the same.

    Raises:
        ProgramError: it is not exact for every choice, or other constants are held.
    """
    summand = program.extension(source, base, cox, multiple=multiple, factor=factor, exact=exact)
    terms: list[Held] = []
    for term in summand.terms:
        if isinstance(term, Broadcast):
            _check_same(program, matrix.turns, _turned(term.matrix))
            terms.append(HeldBroadcast(source, matrix.turns))
        elif isinstance(term, Correction):
            _check_same(program, [matrix.quotient], [term.constant])
            terms.append(HeldCorrection(term.quotient, matrix.quotient))
    if exact:
        _check_exact(program, source, reach)
        value = source.range.scaled(Fraction(multiple))
    else:
        result = reach.result if cox else reach.unreduced
        value = result.scaled(Fraction(multiple) * source.base.product)
    return replace(summand, range=value, terms=tuple(terms))


def _check_same(program: Program, held: Sequence[Residues], wanted: Sequence[Vector]) -> None:
    """Refuse numbers that are not these constants."""
    for own, constants in zip(held, wanted, strict=True):
        if own.range != ONE or own.factor != constants:
            raise ProgramError(f"{program.name}: {own.name} is no constant of this extension")


def _check_exact(program: Program, source: Residues, reach: Reach) -> None:
    """Refuse a source that some base cannot hold."""
    within = reach.exact.scaled(Fraction(reach.smallest))
    if not (within.low <= 0 <= within.high and source.range.within(within)):
        raise NarrowBaseError(
            f"{program.name}: {source.name} reaches {power_of_two(source.range.magnitude)}, but "
            f"not every base holds more than {power_of_two(min(-within.low, within.high))}"
        )


def _turned(matrix: Sequence[Vector]) -> list[Vector]:
    """What each channel multiplies the word by that is some positions ahead."""
    count = len(matrix)
    return [
        tuple(matrix[(channel + turn) % count][channel] for channel in range(count))
        for turn in range(count)
    ]


def rotated(program: Program, flags: Residues) -> Residues:
    """The number 1 that carries in each channel the factor of the next one, which is 0 or 1."""
    assert set(flags.factor) <= {0, 1}
    factor = (*flags.factor[1:], flags.factor[0])
    return program.reduce("rotated", Summand(flags.base, (Rotated(flags),), factor, ONE))


def chosen(program: Program, name: str, flags: Residues, clear: Vector, set_: Vector) -> Residues:
    """The number 1 that carries ``set_`` in channels whose flag is 1, and ``clear`` in others."""
    moduli = [modulus.value for modulus in flags.base]
    difference = tuple((s - c) % m for s, c, m in zip(set_, clear, moduli, strict=True))
    factor = tuple(
        (s if flag else c) % m
        for flag, s, c, m in zip(flags.factor, set_, clear, moduli, strict=True)
    )
    own = tuple(c % m for c, m in zip(clear, moduli, strict=True))
    return program.reduce(
        name, Summand(flags.base, (Stored(own), Scaled(flags, difference)), factor, ONE)
    )


def restated(summand: Summand, multiple: Fraction) -> Summand:
    """The summand read as ``multiple`` times its number; its factor takes the inverse."""
    inverse = [
        multiple.denominator * pow(multiple.numerator, -1, modulus.value)
        for modulus in summand.base
    ]
    factor = tuple(
        f * own % modulus.value
        for f, own, modulus in zip(summand.factor, inverse, summand.base, strict=True)
    )
    return replace(summand, factor=factor, range=summand.range.scaled(multiple))
