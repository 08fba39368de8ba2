"""The carry of SBMM with one Split after the other: short results, one Compress, fewer products.

For U + V M_a with M_a^2 = 2 modulo P, V = K_v M_a + R_v is split first, and 2 K_v joins U before
that is split, U + 2 K_v = K_u M_a + R_u. The result is (R_u, R_v + K_u): its low coefficient is a
remainder whatever the operands were, so that Compress has only to divide the high one.

In base b the sum that is -R_u goes on with U + 2 K_v and becomes K_u M_a, as xi of the second
extension. In the biquadratic form (`algorithms.split`) the products of U take part in it at once,
and U + 2 K_v in base a is xi of the first extension as it is. With m moduli in each base that is
4 m + 12 products a channel for a carry, beside those of U and V; two Splits at a time have
4 m + 16.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction

from residua.algorithms.base_extension import cofactor_form
from residua.algorithms.montgomery import Element
from residua.algorithms.position_residue import Coefficients, PositionResidueDomain
from residua.algorithms.program import Program
from residua.algorithms.single_base import demand_quotient
from residua.algorithms.split import SplitDomain, cofactors
from residua.algorithms.terms import Interval, Residues, Summand


@dataclass(frozen=True)
class Sums:
    """A coefficient of a sum of products, as summands in both bases."""

    a: Sequence[Summand]
    b: Sequence[Summand]


@dataclass(frozen=True)
class _Parts:
    """X = K M_a + R: X in base a, -R in base b, K in base b as xi, the range of R."""

    value_a: Residues
    minus_b: Residues
    quotient: Residues
    remainder: Interval


def carry_in_turn(
    program: Program,
    domain: PositionResidueDomain,
    name: str,
    low: Sums,
    high: Sums,
    multiple: int = 1,
    *,
    exact: bool = True,
    short: bool = False,
) -> Coefficients:
    """``multiple`` times U + V M_a mod P as a pair (R, K), in a signed domain without rows.

    Without ``exact`` the first extensions do without the Cox's quotient: a slot less each, and
    remainders of up to half as many M_a as there are moduli. ``short`` compresses the result,
    which then has to be exact.

    Raises:
        ProgramError: base b is too narrow for a quotient, m_gamma for that of Compress.
    """
    split, offset = domain.split, domain.offset
    value = program.reduce(f"{name}:u1_a", *high.a)
    v = _divide(program, split, f"{name}:u1", value, high.b, exact=exact)
    carried = program.extension(
        v.quotient,
        split.base_a,
        split.second,
        multiple=offset,
        factor=low.a[0].factor,
        weights=split.weights_b,
        exact=True,
    )
    value = program.reduce(f"{name}:u0_a", *low.a, carried)
    more = program.scaled(v.quotient, offset, low.b[0].factor)
    u = _divide(program, split, f"{name}:u0", value, [*low.b, more], exact=exact)
    finish = _compressed if short else _carried
    return finish(program, domain, name, u, v, multiple)


def _divide(
    program: Program,
    split: SplitDomain,
    name: str,
    value: Residues,
    summands: Sequence[Summand],
    *,
    exact: bool,
) -> _Parts:
    """One Split: -R in base b, and in the same sum, which goes on, X - R = K M_a."""
    xi, weights = cofactors(program, split, value)
    share = Fraction(1, split.base_a.product)
    factor = _dividend_factor(split)
    if summands[0].factor != factor:
        own = program.reduce(f"{name}_b", *summands)
        summands = [program.scaled(own, 1, factor)]
    minus = program.extension(
        xi,
        split.base_b,
        split.first if exact else None,
        multiple=-1,
        factor=factor,
        weights=weights,
    )
    minus_b = program.reduce(f"r({name})_b", minus)
    total = program.resume(f"k({name})", *summands)
    quotient = program.restate(total, share)
    quotient = replace(quotient, range=quotient.range.integers())
    return _Parts(value, minus_b, quotient, minus.range.scaled(Fraction(-1)))


def _dividend_factor(split: SplitDomain) -> tuple[int, ...]:
    """The factor in base b of what is K M_a, so that K is xi of the second extension."""
    return tuple(
        factor * pow(split.base_a.product, -1, channel.value) % channel.value
        for channel, factor in zip(split.base_b, split.quotient_factor, strict=True)
    )


def _carried(
    program: Program,
    domain: PositionResidueDomain,
    name: str,
    u: _Parts,
    v: _Parts,
    multiple: int,
) -> Coefficients:
    """(R_u, R_v + K_u), times ``multiple``."""
    split = domain.split
    low = Element(
        program.reduce(f"{name}:0_a", _remainder_a(program, split, u, multiple)),
        program.reduce(f"{name}:0_b", _remainder_b(program, split, u, multiple)),
    )
    high = Element(
        program.reduce(
            f"{name}:1_a",
            _remainder_a(program, split, v, multiple),
            _quotient_a(program, split, u, multiple, split.factor_a),
        ),
        program.reduce(
            f"{name}:1_b",
            _remainder_b(program, split, v, multiple),
            program.scaled(u.quotient, multiple, split.factor_b),
        ),
    )
    return low, high


def _compressed(
    program: Program,
    domain: PositionResidueDomain,
    name: str,
    u: _Parts,
    v: _Parts,
    multiple: int,
) -> Coefficients:
    """(R_u + 2 k, R) for R_v + K_u = k M_a + R, with k known modulo m_gamma (SBMM Algorithm 5)."""
    split, name = domain.split, f"{name}:c"
    xi = program.reduce(
        f"xi({name})_a",
        _remainder_a(program, split, v, multiple, split.base_a.cofactor_inverses),
        _quotient_a(program, split, u, multiple, split.base_a.cofactor_inverses),
    )
    rest, k = _rest(
        program,
        split,
        name,
        xi,
        program.scaled(v.minus_b, multiple, split.factor_b),
        program.scaled(u.quotient, -multiple, split.factor_b),
    )
    own = replace(program.scaled(xi, 1, split.factor_a), range=rest.range)
    low = _remainder_a(program, split, u, multiple), _remainder_b(program, split, u, multiple)
    high = Element(program.reduce(f"{name}1_a", own), rest)
    return _lengthened(program, domain, name, low, k), high


def _rest(
    program: Program, split: SplitDomain, name: str, xi: Residues, *minus: Summand
) -> tuple[Residues, Residues]:
    """X = k M_a + R in base b, X being ``xi`` in base a and -``minus`` in base b: R, and k.

    The sum that is R goes on with -X and becomes -k M_a, of which only the residue modulo m_gamma
    is wanted.
    """
    rest = program.reduce(
        f"{name}1_b", program.extension(xi, split.base_b, split.first, factor=split.factor_b)
    )
    missing = program.resume(f"m({name})_b", *minus)
    last = len(split.base_b) - 1
    share = Fraction(-1, split.base_a.product)
    k = program.reduce(
        f"k({name})",
        program.scaled(program.channels(missing, last, last + 1), share, [1]),
        range=missing.range.scaled(share).integers(),
    )
    demand_quotient(program, k)
    return rest, k


def _lengthened(
    program: Program,
    domain: PositionResidueDomain,
    name: str,
    low: tuple[Summand, Summand],
    k: Residues,
) -> Element:
    """The low coefficient and 2 k: the word of m_gamma goes to every channel."""
    split, twice = domain.split, [domain.offset]
    reached = k.range.scaled(Fraction(domain.offset))
    own_a, own_b = low
    return Element(
        program.reduce(
            f"{name}0_a", own_a, program.spread(k, split.base_a, twice, split.factor_a, reached)
        ),
        program.reduce(
            f"{name}0_b", own_b, program.spread(k, split.base_b, twice, split.factor_b, reached)
        ),
    )


def _remainder_a(
    program: Program,
    split: SplitDomain,
    part: _Parts,
    multiple: int,
    factor: Sequence[int] | None = None,
) -> Summand:
    """multiple * R in base a: the residues of X."""
    own = program.scaled(part.value_a, multiple, factor or split.factor_a)
    return replace(own, range=part.remainder.scaled(Fraction(multiple)))


def _remainder_b(program: Program, split: SplitDomain, part: _Parts, multiple: int) -> Summand:
    return program.scaled(part.minus_b, -multiple, split.factor_b)


def _quotient_a(
    program: Program, split: SplitDomain, part: _Parts, multiple: int, factor: Sequence[int]
) -> Summand:
    """multiple * K in base a: the second extension, which has to be exact."""
    return program.extension(
        part.quotient,
        split.base_a,
        split.second,
        multiple=multiple,
        factor=factor,
        weights=split.weights_b,
        exact=True,
    )


def shorten(
    program: Program, domain: PositionResidueDomain, name: str, x: Coefficients
) -> Coefficients:
    """Compress of a pair whose low coefficient is short already: only the high one is divided.

    The residues of the high one in base a stay as they are.
    """
    split, (low, high) = domain.split, x
    xi = cofactor_form(program, high.a)
    rest, k = _rest(program, split, name, xi, program.scaled(high.b, -1))
    own = program.scaled(low.a, 1), program.scaled(low.b, 1)
    shorter = _lengthened(program, domain, name, own, k)
    return shorter, Element(replace(program.restate(high.a, 1), range=rest.range), rest)
