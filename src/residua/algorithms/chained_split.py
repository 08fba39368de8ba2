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
from residua.algorithms.program import Interval, Program, Residues, Summand
from residua.algorithms.single_base import demand_quotient
from residua.algorithms.split import SplitDomain, cofactors


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
    split, radix = domain.split, domain.split.base_a.product
    xi = program.reduce(
        f"xi({name}:1)_a",
        _remainder_a(program, split, v, multiple, split.base_a.cofactor_inverses),
        _quotient_a(program, split, u, multiple, split.base_a.cofactor_inverses),
    )
    rest = program.extension(xi, split.base_b, split.first, factor=split.factor_b)
    rest_b = program.reduce(f"{name}:c1_b", rest)
    # R - (R_v + K_u) = -k M_a, of which only the residue modulo m_gamma is wanted.
    missing = program.resume(
        f"k({name}:1)_b",
        program.scaled(v.minus_b, multiple, split.factor_b),
        program.scaled(u.quotient, -multiple, split.factor_b),
    )
    last = len(split.base_b) - 1
    share = Fraction(-1, radix)
    small = missing.range.scaled(share).integers()
    word = program.channels(missing, last, last + 1)
    k = program.reduce(f"k({name}:1)", program.scaled(word, share, [1]), range=small)
    demand_quotient(program, k)

    def doubled(base_a: bool) -> Summand:
        base, factor = (split.base_a, split.factor_a) if base_a else (split.base_b, split.factor_b)
        return program.spread(
            k, base, [domain.offset], factor, small.scaled(Fraction(domain.offset))
        )

    low = Element(
        program.reduce(
            f"{name}:c0_a", _remainder_a(program, split, u, multiple), doubled(base_a=True)
        ),
        program.reduce(
            f"{name}:c0_b", _remainder_b(program, split, u, multiple), doubled(base_a=False)
        ),
    )
    own = replace(program.scaled(xi, 1, split.factor_a), range=rest.range)
    return low, Element(program.reduce(f"{name}:c1_a", own), rest_b)


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
    rest = program.extension(xi, split.base_b, split.first, factor=split.factor_b)
    rest_b = program.reduce(f"{name}1_b", rest)
    missing = program.resume(f"k({name}1)_b", program.scaled(high.b, -1))
    last = len(split.base_b) - 1
    share = Fraction(-1, split.base_a.product)
    small = missing.range.scaled(share).integers()
    word = program.channels(missing, last, last + 1)
    k = program.reduce(f"k({name}1)", program.scaled(word, share, [1]), range=small)
    demand_quotient(program, k)
    doubled = small.scaled(Fraction(domain.offset))
    twice = [domain.offset]
    shorter = Element(
        program.reduce(
            f"{name}0_a",
            program.scaled(low.a, 1),
            program.spread(k, split.base_a, twice, split.factor_a, doubled),
        ),
        program.reduce(
            f"{name}0_b",
            program.scaled(low.b, 1),
            program.spread(k, split.base_b, twice, split.factor_b, doubled),
        ),
    )
    return shorter, Element(replace(program.restate(high.a, 1), range=rest.range), rest_b)
