"""Base extensions: from the residues of X in one base to its residues in another.

All but the mixed-radix one start from xi_i = |X * M_i^-1|_{m_i} and the CRT sum
X = sum(xi_i * M_i) - q * M; they differ in how they come by q.
"""

from collections.abc import Sequence
from fractions import Fraction
from math import gcd

from residua.algorithms.program import Program
from residua.algorithms.terms import Interval, Residues, Summand
from residua.errors import SpecificationError
from residua.numbers.bases import Base
from residua.numbers.cox import Cox


def cofactor_form(program: Program, value: Residues) -> Residues:
    """xi_i = |X * M_i^-1|_{m_i} (SBMM Algorithm 1 line 1, HBE Algorithm 1 line 3)."""
    inverses = value.base.cofactor_inverses
    return program.reduce(f"xi({value.name})", program.scaled(value, 1, inverses))


def kawamura(
    program: Program, value: Residues, base: Base, cox: Cox, *, exact: bool = True
) -> Residues:
    """Extension with the Cox's quotient (SBMM Algorithm 1, HBE Algorithm 1; n n' + n EMM).

    With ``exact`` the value must lie where the Cox cannot err; else X or a neighbouring X +- M
    comes out.
    """
    xi = cofactor_form(program, value)
    return program.reduce(f"{value.name}'", program.extension(xi, base, cox, exact=exact))


def hierarchical(
    program: Program,
    value: Residues,
    base: Base,
    cox: Cox | None,
    columns: int,
    *,
    exact: bool = True,
) -> Residues:
    """Extension through the super-residues of rows of c = ``columns`` moduli (HBE Algorithm 2).

    Without ``cox`` X + k M comes out, 0 <= k < n (the remark after Algorithm 2); else as
    `kawamura`, with the condition on exactness that super-residues really have (ERRATA E3).

    Raises:
        ProgramError: the value lies where the Cox may err.
        SpecificationError: c does not divide the number of moduli.
    """
    xi = cofactor_form(program, value)
    wanted = exact and cox is not None
    extension = program.extension(xi, base, cox, columns=columns, exact=wanted)
    return program.reduce(f"{value.name}'", extension)


def bajard_imbert(program: Program, value: Residues, base: Base) -> Residues:
    """Extension without the quotient: X + k M with 0 <= k < n (HBE section III-B, its [12])."""
    xi = cofactor_form(program, value)
    return program.reduce(f"{value.name}'", program.extension(xi, base, None))


def shenoy_kumaresan(
    program: Program, value: Residues, redundant: Residues, base: Base
) -> Residues:
    """Exact extension by a redundant modulus p_r >= n + 1 (ECPM eq. (1) to (4), ERRATA E20).

    ``redundant`` is X over the one-channel base p_r. The result is X for X in [-(M - 1), M - 1];
    residues must be canonical.
    """
    source, redundant_modulus = value.base, redundant.base.moduli[0].value
    if redundant_modulus <= len(source):
        raise SpecificationError(
            f"the redundant modulus must be at least n + 1 = {len(source) + 1}, "
            f"not {redundant_modulus}"
        )
    if gcd(redundant_modulus, source.product) > 1:
        raise SpecificationError(
            f"the redundant modulus {redundant_modulus} shares a factor with the base it extends"
        )
    program.demand_canonical(redundant.base)
    largest = source.product - 1
    program.demand(value, Interval.of(-largest, largest), "the base cannot hold it")
    xi = cofactor_form(program, value)
    total = program.extension(xi, redundant.base, None, multiple=Fraction(1, source.product))
    quotient = program.reduce(
        f"q({value.name})",
        total,
        program.scaled(redundant, Fraction(-1, source.product), [1]),
        range=Interval.of(0, len(source)),
    )
    ones = [1] * len(base)
    return program.reduce(
        f"{value.name}'",
        program.extension(xi, base, None),
        program.spread(quotient, base, [-source.product], ones, Interval.of(-source.product, 0)),
        range=value.range,
    )


def mixed_radix(program: Program, value: Residues, base: Base) -> Residues:
    """Exact extension through mixed-radix digits, for X in [0, M) and canonical residues.

    X = d_1 + m_1 (d_2 + m_2 (d_3 + ...)): the digits are found one after the other in the source
    base, then evaluated by Horner's rule in every target channel (Szabo and Tanaka 1967; HBE
    section III-B).
    """
    program.demand_canonical(value.base)
    program.demand(value, Interval.of(0, value.base.product - 1), "the base cannot hold it")
    digits = mixed_radix_digits(program, value)
    moduli = [modulus.value for modulus in value.base]
    ones = [1] * len(base)
    result = program.reduce("d", _digit(program, digits[-1], base, ones))
    for digit, modulus in zip(reversed(digits[:-1]), reversed(moduli[:-1]), strict=True):
        result = program.reduce(
            f"{value.name}'", program.scaled(result, modulus), _digit(program, digit, base, ones)
        )
    return result


def mixed_radix_digits(program: Program, value: Residues) -> list[Residues]:
    """The digits d_1 ... d_n of X, each a one-channel vector in [0, m_i)."""
    rest, digits = value, []
    for modulus in value.base.moduli[:-1]:
        digit = program.channels(rest, 0, 1)
        digits.append(digit)
        tail = program.channels(rest, 1, len(rest.base))
        ones: Sequence[int] = [1] * len(tail.base)
        low = Interval.of(0, modulus.value - 1)
        negative = program.spread(digit, tail.base, [-1], ones, low.scaled(Fraction(-1)))
        difference = program.reduce("x - d", program.scaled(tail, 1), negative)
        high = Interval(Fraction(0), rest.range.high / modulus.value)
        shifted = program.scaled(difference, Fraction(1, modulus.value))
        rest = program.reduce("(x - d) / m", shifted, range=high)
    digits.append(rest)
    return digits


def _digit(program: Program, digit: Residues, base: Base, ones: Sequence[int]) -> Summand:
    largest = digit.base.moduli[0].value - 1
    return program.spread(digit, base, [1], ones, Interval.of(0, largest))
