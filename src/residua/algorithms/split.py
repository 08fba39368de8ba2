"""Split: X as K M_a + R, for X over base a and base b (SBMM section 4.1, Algorithm 3).

The residues of X in base a are those of R already; the first extension brings R to base b, where
K = (X - R) / M_a, and the second brings K back to base a. Only the second has to be exact: the
Cox's error in the first moves a multiple of M_a between R and K, which changes neither K M_a + R
nor anything that is computed from both.

Lines 3 to 5 of Algorithm 3, the correction of K = -1, are no branch here. -1 is what K becomes for
X in [0, err M_a) if the first sigma0 is 0. Whether it needs a correction is up to the readings:

* signed: the second extension is exact from (under - sigma0) M_b up, `under` being the Cox's error,
  so that -1 comes out as -1 in base a whenever sigma0 >= under + 1 / M_b. Nothing is corrected; the
  range of K says that it can be -1. With a centred sigma0 in the first extension too, |R| is about
  M_a / 2, and values near zero are their own remainder.
* unsigned, as published: K and R have to be non-negative. `split` refuses a value for which
  K = -1 is possible; the algorithm adds a multiple of P to it before (ERRATA E6).
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from typing import Literal

from residua.algorithms.base_extension import cofactor_form
from residua.algorithms.montgomery import Element
from residua.algorithms.program import Program
from residua.algorithms.terms import Interval, Residues, Summand, Vector
from residua.errors import SpecificationError
from residua.numbers.bases import Base
from residua.numbers.cox import Cox
from residua.numbers.roots import weighted_root

Form = Literal["lean", "short", "quadratic", "biquadratic"]
"""Which constant products a Split has, beside its extensions, and how many dependent steps.

With n_a and n_b moduli, per Split with the sum K' + R that follows it:

========= ================ ====== =================================================
form      constant EMM     steps  factor of values in base a
========= ================ ====== =================================================
lean      n_a + 2 n_b      5      1
short     n_a + 3 n_b      4      1; K is made as xi of the second extension at once
quadratic n_a + 3 n_b      3      d with d^2 g = M_{a,i}^-1: products are xi already
========= ================ ====== =================================================

The biquadratic form is the quadratic one with factors in base b, too: d^2 g = (M_a M_{b,j})^-1, so
that (X - R) / M_a of a product X is xi of the second extension without a constant product.
"""


_QUADRATIC = ("quadratic", "biquadratic")


@dataclass(frozen=True)
class SplitDomain:
    """Common constants of Splits by M_a.

    ``first`` and ``second`` are the Cox of the extensions from base a and from base b, which are
    hierarchical, over rows of c moduli, if ``columns`` c > 1. ``unsigned`` refuses values for which
    K or R may be negative, the papers' setting.

    With ``skips_quotient`` the first extension does without its Cox (Bajard-Imbert): R keeps the
    multiples of M_a that come with it, up to one a modulus, and K is less by as many.

    Base b may have an extra modulus (SBMM section 6.1): 2^g there multiplies what K may reach.

    Raises:
        SpecificationError: the bases share a factor, the quadratic form is unsigned, or an extra
            modulus is where none can be.
    """

    base_a: Base
    base_b: Base
    first: Cox
    second: Cox
    columns: int = 1
    form: Form = "lean"
    unsigned: bool = False
    skips_quotient: bool = False

    def __post_init__(self) -> None:
        if not self.base_a.coprime_to(self.base_b):
            raise SpecificationError("the bases of a Split share a factor; they must be coprime")
        if self.base_a.narrow:
            raise SpecificationError("an extra narrow modulus belongs to base b of a Split")
        if self.unsigned and self.form in _QUADRATIC:
            raise SpecificationError(
                "weights of the quadratic form may be negative, and so R, which an unsigned Split "
                "does not allow; use the lean or the short form"
            )

    @cached_property
    def factor_a(self) -> Vector:
        """The factor of operands and results in base a; products have its square."""
        return tuple(root for root, _ in self._roots)

    @cached_property
    def factor_b(self) -> Vector:
        """The factor of all values in base b, 1 but in the biquadratic form."""
        return tuple(root for root, _ in self._roots_b)

    @cached_property
    def weights_b(self) -> Vector:
        """Weights of the second extension: 1 but in the biquadratic form."""
        return tuple(weight for _, weight in self._roots_b)

    @cached_property
    def quotient_factor(self) -> Vector:
        """The factor of xi of the second extension."""
        return tuple(
            inverse * pow(weight, -1, channel.value) % channel.value
            for channel, inverse, weight in zip(
                self.base_b, self.base_b.cofactor_inverses, self.weights_b, strict=True
            )
        )

    @cached_property
    def weights(self) -> Vector:
        """Weights of the first extension of a product: 1 but in the quadratic forms."""
        return tuple(weight for _, weight in self._roots)

    @cached_property
    def _roots(self) -> list[tuple[int, int]]:
        if self.form not in _QUADRATIC:
            return [(1, 1)] * len(self.base_a)
        return _weighted_roots(self.base_a, self.base_a.cofactor_inverses, "1 / M_i")

    @cached_property
    def _roots_b(self) -> list[tuple[int, int]]:
        if self.form != "biquadratic":
            return [(1, 1)] * len(self.base_b)
        radix = self.base_a.product
        squares = [
            inverse * pow(radix, -1, channel.value) % channel.value
            for channel, inverse in zip(self.base_b, self.base_b.cofactor_inverses, strict=True)
        ]
        roots = _weighted_roots(self.base_b, squares, "1 / (M_a M_j)")
        if self.base_b.narrow and roots[-1][1] != 1:
            raise SpecificationError(
                "the biquadratic form needs 1 / (M_a M_b) to be a square modulo the extra modulus, "
                "as the Cox weighs its word with 1; use another base b, or the quadratic form"
            )
        return roots


def _weighted_roots(base: Base, squares: Sequence[int], what: str) -> list[tuple[int, int]]:
    roots = []
    for channel, square in zip(base, squares, strict=True):
        root = weighted_root(square, channel.value)
        if root is None:
            raise SpecificationError(
                f"a quadratic form needs {what} to be a small multiple of a square modulo "
                f"{channel}, which it is not; use the short form"
            )
        roots.append(root)
    return roots


@dataclass(frozen=True)
class Division:
    """X = K M_a + R before K and R are separate vectors.

    ``quotient`` is K in base b as xi of the second extension; ``multiple`` is K M_a in base b (lean
    form). ``remainder`` is the range of R, ``factor_a`` the factor that results get in base a.
    """

    domain: SplitDomain
    value: Element
    quotient: Residues
    multiple: Residues | None
    remainder: Interval

    def quotient_a(
        self, program: Program, multiple: int = 1, factor: Vector | None = None
    ) -> Summand:
        """multiple * K in base a: the second extension, which has to be exact.

        ``factor`` is by default that of results.
        """
        domain = self.domain
        return program.extension(
            self.quotient,
            domain.base_a,
            domain.second,
            multiple=multiple,
            factor=domain.factor_a if factor is None else factor,
            weights=domain.weights_b,
            columns=domain.columns,
            exact=True,
        )

    def quotient_b(self, program: Program, multiple: int = 1) -> Summand:
        """multiple * K in base b; one constant product a channel."""
        if self.multiple is None:
            return program.scaled(self.quotient, multiple, self.domain.factor_b)
        share = program.scaled(self.multiple, Fraction(multiple, self.domain.base_a.product))
        return replace(share, range=self.quotient.range.scaled(Fraction(multiple)))

    def remainder_a(self, program: Program) -> Summand:
        """R in base a: the residues of X."""
        own = program.scaled(self.value.a, 1, self.domain.factor_a)
        return replace(own, range=self.remainder)

    def remainder_b(self, program: Program) -> list[Summand]:
        """R = X - K M_a in base b; only their sum lies in the range of R."""
        if self.multiple is None:
            taken = program.scaled(self.quotient, -self.domain.base_a.product, self.domain.factor_b)
        else:
            taken = program.scaled(self.multiple, -1)
        own = program.scaled(self.value.b, 1, self.domain.factor_b)
        own = replace(own, range=self.remainder)
        return [own, replace(taken, range=Interval.of(0, 0))]


def split(program: Program, domain: SplitDomain, value: Element) -> tuple[Element, Element]:
    """(K, R) with X = K M_a + R, each in both bases (SBMM Algorithm 3, ERRATA E5, E6).

    Two extensions and, in the lean form, n_a + 2 n_b EMM: with n/2 moduli in each base
    n^2/2 + 3n/2 in all. Values carry the factors of the domain, in base a also their squares.

    Raises:
        ProgramError: base b is too narrow for K (by how many bits); K or R may be negative in an
            unsigned domain.
    """
    parts = divide(program, domain, value)
    name = _stem(value.b.name)
    quotient = Element(
        program.reduce(f"k({name})_a", parts.quotient_a(program)),
        program.reduce(f"k({name})_b", parts.quotient_b(program)),
    )
    remainder_b = program.reduce(f"r({name})_b", *parts.remainder_b(program))
    if value.a.factor == domain.factor_a:
        remainder_a = replace(program.restate(value.a, 1), range=parts.remainder)
    else:
        remainder_a = program.reduce(f"r({name})_a", parts.remainder_a(program))
    return quotient, Element(remainder_a, remainder_b)


def divide(program: Program, domain: SplitDomain, value: Element) -> Division:
    """Lines 1 and 2 of Algorithm 3, and the first line of the extension that line 6 is.

    Raises:
        ProgramError: K or R may be negative in an unsigned domain.
    """
    name = _stem(value.b.name)
    xi_a, weights = cofactors(program, domain, value.a)
    remainder = remainder_range(program, domain, weights)
    reached = value.b.range + remainder.scaled(Fraction(-1))
    quotient = reached.scaled(Fraction(1, domain.base_a.product)).integers()
    inverses = domain.quotient_factor

    def minus_remainder(multiple: Fraction | int, factor: Vector) -> Summand:
        return program.extension(
            xi_a,
            domain.base_b,
            None if domain.skips_quotient else domain.first,
            multiple=-multiple,
            factor=factor,
            weights=weights,
            columns=domain.columns,
        )

    share = Fraction(1, domain.base_a.product)
    multiple: Residues | None = None
    if domain.form == "lean":
        own = program.scaled(value.b, 1)
        multiple = program.reduce(f"d({name})_b", own, minus_remainder(1, domain.factor_b))
        summands = [program.scaled(multiple, share, inverses)]
    else:
        own = program.scaled(value.b, share, inverses)
        summands = [own, minus_remainder(share, inverses)]
    xi_b = program.reduce(f"k({name})", *summands, range=quotient)
    if domain.unsigned:
        _demand_unsigned(program, xi_b, remainder)
    return Division(domain, value, xi_b, multiple, remainder)


def remainder_range(
    program: Program, domain: SplitDomain, weights: Vector | None = None
) -> Interval:
    """Range of R, whatever X is: [-sigma0 - over, 1 - sigma0 + under) M_a of the first Cox.

    ``weights`` are those of the extension, by default the domain's. Without a quotient R lies where
    the sums of the extension do.
    """
    # One target channel is enough to ask an extension for its range; nothing is recorded.
    nothing = Interval.of(0, 0)
    weights = domain.weights if weights is None else weights
    factor = tuple(
        inverse * pow(weight, -1, channel.value) % channel.value
        for channel, inverse, weight in zip(
            domain.base_a, domain.base_a.cofactor_inverses, weights, strict=True
        )
    )
    source = Residues("r", domain.base_a, factor, nothing)
    target = Base(domain.base_b.moduli[:1])
    return program.extension(
        source,
        target,
        None if domain.skips_quotient else domain.first,
        weights=weights,
        columns=domain.columns,
    ).range


def cofactors(program: Program, domain: SplitDomain, value: Residues) -> tuple[Residues, Vector]:
    """xi of R in base a, with its weights: a product of operands itself in the quadratic form."""
    holds = (
        (factor * weight - inverse) % channel.value == 0
        for channel, factor, weight, inverse in zip(
            domain.base_a,
            value.factor,
            domain.weights,
            domain.base_a.cofactor_inverses,
            strict=True,
        )
    )
    if domain.form in _QUADRATIC and all(holds):
        return value, domain.weights
    return cofactor_form(program, value), (1,) * len(domain.base_a)


def _demand_unsigned(program: Program, quotient: Residues, remainder: Interval) -> None:
    program.demand(
        quotient,
        Interval(Fraction(0), max(quotient.range.high, Fraction(0))),
        "a value below err * M_a has the quotient -1 (SBMM Algorithm 3 line 3): "
        "add a multiple of P before, or read values as signed",
    )
    if remainder.low < 0:
        program.demand(
            replace(quotient, name="the remainder", range=remainder),
            Interval(Fraction(0), remainder.high),
            "an unsigned Split needs sigma0 = 0 in the first extension, and moduli up to 2^w "
            "in base a",
        )


def _stem(name: str) -> str:
    """x of x_b."""
    return name.removesuffix("_b")
