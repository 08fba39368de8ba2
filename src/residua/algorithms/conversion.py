"""Conversions: binary words to residues and back, into and out of Montgomery form.

Towards residues everything is a step of a program: the words of a binary operand are broadcast as
the residues of a base extension are. Towards binary the result is one integer; it is read from the
cofactor form xi_i = |X * M_i^-1|_{m_i}, in which the reordered and the quadratic form leave base b
anyway: X = sum(xi_i * M_i) - q * M with the Cox's q (HBE section III-B; SBMM equation (3)).
"""

from collections.abc import Sequence

from residua.algorithms.montgomery import Element, MontgomeryDomain, reduce
from residua.algorithms.program import Program
from residua.algorithms.terms import Interval, Residues, Vector, Words
from residua.errors import SpecificationError
from residua.numbers.bases import Base
from residua.numbers.cox import Cox
from residua.numbers.residues import Representation


def split_words(number: int, count: int, width: int) -> Vector:
    """A non-negative integer as ``count`` words of ``width`` bits, the lowest first.

    Raises:
        SpecificationError: the integer is negative or longer than count * width bits.
    """
    if not 0 <= number < 1 << (count * width):
        raise SpecificationError(
            f"a {'negative ' * (number < 0)}number of {number.bit_length()} bits does not fit "
            f"{count} words of {width} bits"
        )
    return tuple((number >> (width * index)) & ((1 << width) - 1) for index in range(count))


def to_residues(
    program: Program, words: Words, base: Base, factor: Sequence[int] | None = None
) -> Residues:
    """The residues of a binary operand, carrying ``factor`` (by default 1).

    Costs n' n EMM for n' words and n moduli. The result is the integer itself, in the range of
    ``words``.

    Raises:
        SpecificationError: a word is wider than a modulus of the base.
    """
    _check_width(words, base)
    weights = [1 << (words.width * index) for index in range(words.count)]
    ones = [1] * len(base)
    summand = program.spread(words, base, weights, factor or ones, words.range)
    return program.reduce(f"{words.name}'", summand)


def to_montgomery(program: Program, domain: MontgomeryDomain, words: Words) -> Element:
    """X R mod P for a binary operand X, with one reduction (R = M_a).

    U = sum of word_j * (2^(w j) R^2 mod P) is congruent to X R^2 and hardly larger than P: X may be
    any number that the words hold, not only one below P. Costs n' n EMM for each base and one
    reduction.

    Raises:
        SpecificationError: a word is wider than a modulus.
        ProgramError: the words are so many that the result leaves the domain's bound.
    """
    _check_width(words, domain.base_a)
    square = domain.montgomery_factor**2
    weights = [(square << (words.width * j)) % domain.modulus for j in range(words.count)]
    largest = int(words.range.high)
    word_limits = [
        min((1 << words.width) - 1, largest >> (words.width * j)) for j in range(words.count)
    ]
    total = sum(limit * weight for limit, weight in zip(word_limits, weights, strict=True))
    u_a, u_b = (
        program.reduce(
            name, program.spread(words, base, weights, _squared(factor), Interval.of(0, total))
        )
        for name, base, factor in (
            ("u_a", domain.base_a, domain.factor_a),
            ("u_b", domain.base_b, domain.factor_b),
        )
    )
    return reduce(program, domain, u_a, u_b)


def from_montgomery(program: Program, domain: MontgomeryDomain, value: Element) -> Element:
    """X R^-1 mod P: one reduction of X itself, in place of a product with 1."""
    u_a, u_b = (
        program.reduce(name, program.scaled(part, 1, _squared(factor)))
        for name, part, factor in (
            ("u_a", value.a, domain.factor_a),
            ("u_b", value.b, domain.factor_b),
        )
    )
    return reduce(program, domain, u_a, u_b)


def from_cofactors(
    base: Base, cofactors: Sequence[int], cox: Cox, weights: Sequence[int] | None = None
) -> int:
    """sum(xi_i * M_i) - q * M with the Cox's q and xi_i = weights_i * cofactors_i.

    That is X itself, of either sign, where the Cox cannot err (`Program.extension` with ``exact``),
    and X + M or X - M elsewhere. The residues may be any representatives; weights are 1 by default.
    """
    weights = [1] * len(base) if weights is None else weights
    total = sum(
        weight * residue * cofactor
        for weight, residue, cofactor in zip(weights, cofactors, base.cofactors, strict=True)
    )
    widths = [modulus.width for modulus in base]
    return total - cox.quotient(cofactors, weights, widths) * base.product


def to_binary(domain: MontgomeryDomain, residues: Sequence[int]) -> int:
    """The canonical value in [0, P) of an element, from its residues in base b.

    In the plain form the residues are brought to the cofactor form first.
    """
    if domain.form == "plain":
        residues = [
            residue * inverse % modulus.value
            for residue, inverse, modulus in zip(
                residues, domain.base_b.cofactor_inverses, domain.base_b, strict=True
            )
        ]
    return from_cofactors(domain.base_b, residues, domain.second) % domain.modulus


def encode(value: Residues, number: int, representation: Representation) -> Vector:
    """The residues of ``number`` as an input of a program wants them: factor and representation."""
    return tuple(
        representation.constant(modulus, number * factor)
        for modulus, factor in zip(value.base, value.factor, strict=True)
    )


def decode(value: Residues, residues: Sequence[int]) -> int:
    """The integer that residues of ``value`` stand for; its range must be narrower than its base.

    Raises:
        SpecificationError: the range of ``value`` is wider than its base.
    """
    reached = value.range.integers()
    if reached.high - reached.low >= value.base.product:
        raise SpecificationError(f"{value.name} has a range wider than its base")
    plain = [
        residue * pow(factor, -1, modulus.value)
        for residue, factor, modulus in zip(residues, value.factor, value.base, strict=True)
    ]
    low = int(reached.low)
    return (value.base.integer(plain) - low) % value.base.product + low


def _squared(factor: Vector) -> Vector:
    """The factor of a product of two values that carry ``factor``."""
    return tuple(each * each for each in factor)


def _check_width(words: Words, base: Base) -> None:
    if words.width > base.width:
        raise SpecificationError(
            f"{words.name} has words of {words.width} bits; "
            f"a channel takes at most w = {base.width}"
        )
