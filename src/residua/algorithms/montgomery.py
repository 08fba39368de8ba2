"""RNS Montgomery multiplication with one reduction for a sum of products.

S = (U + Q P) / M_a with U = sum(+- X Y) and Q = -U / P mod M_a (SBMM Algorithm 2, HBE Algorithm 3),
in three forms that differ in the factors that operands carry, and so in how many constant products
are left:

========== ===================== ============================ ============ ============
form       factor in base a      factor in base b             reduction    product, EMM
========== ===================== ============================ ============ ============
plain      1                     1                            2n^2 + 5n    2n^2 + 7n
reordered  1                     M_{b,i}^-1                   2n^2 + 2n    2n^2 + 4n
quadratic  d, d^2 g = -1/(P M_i) M_{b,i}^-1                   2n^2 + n     2n^2 + 3n
========== ===================== ============================ ============ ============

Reordered is the form of SBMM's [12] (HBE's [11]). Quadratic scales base a so that a product of
operands is already xi of the first extension, up to a small weight g_i that the extension's
constants and the Cox absorb; HBE's [24] is the case g = 1, which needs a base made for the prime.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from typing import Literal

from residua.algorithms.base_extension import cofactor_form
from residua.algorithms.program import Program
from residua.algorithms.terms import Interval, Residues, Vector, power_of_two
from residua.errors import SpecificationError
from residua.numbers.bases import Base
from residua.numbers.cox import Cox
from residua.numbers.roots import LARGEST_WEIGHT, weighted_root

LARGEST_FREE_WEIGHT = 256
"""The largest weight where the Cox does not see it: it only widens the range of results."""

Form = Literal["plain", "reordered", "quadratic"]


@dataclass(frozen=True)
class MontgomeryDomain:
    """Constants of RNS Montgomery multiplication modulo ``modulus``.

    ``bound`` is B: operands and results lie in [-B, B] (in [0, B] for ``unsigned`` domains, the
    papers' setting with canonical residues). ``first`` and ``second`` are the Cox of the extensions
    from base a and from base b.

    ``columns`` c > 1 makes both extensions hierarchical, over rows of c moduli (HBE section V).

    With ``skips_quotient`` the first extension of a product does without the Cox (Bajard-Imbert):
    results have up to sum(weights) multiples of P more, for which the bases must have room.

    If both bases have a check modulus, every reduction is checked (RRNS): its result has a check
    residue in base b from the operands', and in base a from its own residues.
    """

    modulus: int
    base_a: Base
    base_b: Base
    first: Cox
    second: Cox
    bound: int
    form: Form = "reordered"
    unsigned: bool = False
    skips_quotient: bool = False
    columns: int = 1

    @cached_property
    def factor_a(self) -> Vector:
        """The factor of every operand in base a."""
        if self.form == "quadratic":
            return tuple(root for root, _ in self._roots)
        return (1,) * len(self.base_a)

    @cached_property
    def factor_b(self) -> Vector:
        """The factor of every operand in base b."""
        return (1,) * len(self.base_b) if self.form == "plain" else self.base_b.cofactor_inverses

    def with_check(self) -> "MontgomeryDomain":
        """The domain with a check modulus 2^w in both bases.

        Raises:
            SpecificationError: a modulus is even, or extensions are hierarchical.
        """
        if self.columns > 1:
            raise SpecificationError("a check residue goes with extensions that have no rows")
        return replace(
            self,
            base_a=self.base_a.with_check(self.base_a.width),
            base_b=self.base_b.with_check(self.base_b.width),
        )

    @cached_property
    def joint_base(self) -> Base:
        """Both bases as one, which has twice the range, and the same one if moduli change sides."""
        return Base((*self.base_a.moduli, *self.base_b.moduli))

    @cached_property
    def weights(self) -> Vector:
        """Weights of the first extension: 1 but in the quadratic form."""
        if self.form == "quadratic":
            return tuple(weight for _, weight in self._roots)
        return (1,) * len(self.base_a)

    @property
    def range(self) -> Interval:
        """Interval of operands and results."""
        return Interval.of(0 if self.unsigned else -self.bound, self.bound)

    @property
    def montgomery_factor(self) -> int:
        """R = M_a: a product returns X Y R^-1 mod P."""
        return self.base_a.product

    @cached_property
    def _roots(self) -> list[tuple[int, int]]:
        roots = []
        channels = zip(self.base_a.significant, self.base_a.cofactor_inverses, strict=False)
        for channel, inverse in channels:
            value = channel.value
            largest = LARGEST_FREE_WEIGHT if self.skips_quotient else LARGEST_WEIGHT
            root = weighted_root(-inverse * pow(self.modulus, -1, value) % value, value, largest)
            if root is None:
                raise SpecificationError(
                    "the quadratic form needs -1 / (P M_i) to be a small multiple of a square "
                    f"modulo {channel}, which it is not; use the reordered form"
                )
            roots.append(root)
        return [*roots, (1, 1)] if self.base_a.checks else roots


@dataclass(frozen=True)
class Element:
    """An operand or result: its residues in base a and in base b."""

    a: Residues
    b: Residues


def operand(program: Program, domain: MontgomeryDomain, name: str) -> Element:
    """An element within the domain's bound that the caller supplies."""
    return Element(
        program.input(f"{name}_a", domain.base_a, domain.factor_a, domain.range),
        program.input(f"{name}_b", domain.base_b, domain.factor_b, domain.range),
    )


def multiply(program: Program, domain: MontgomeryDomain, x: Element, y: Element) -> Element:
    """X Y M_a^-1 mod P, within the domain's bound."""
    return sum_of_products(program, domain, [(x, y, 1)])


def sum_of_products(
    program: Program, domain: MontgomeryDomain, products: Sequence[tuple[Element, Element, int]]
) -> Element:
    """sum(sign * X * Y) M_a^-1 mod P with a single reduction; ``products`` holds (X, Y, sign)."""
    u_a = program.reduce("u_a", *(program.product(x.a, y.a, s) for x, y, s in products))
    u_b = program.reduce("u_b", *(program.product(x.b, y.b, s) for x, y, s in products))
    return reduce(program, domain, u_a, u_b)


def reduce(program: Program, domain: MontgomeryDomain, u_a: Residues, u_b: Residues) -> Element:
    """U M_a^-1 mod P for a product or a sum of products in both bases."""
    if domain.form == "plain":
        return _reduce_plain(program, domain, u_a, u_b)
    xi_a = _quotient_cofactors(program, domain, u_a)
    return divide(program, domain, xi_a, u_b, domain.weights, within=domain.range)


def reduce_open(
    program: Program,
    domain: MontgomeryDomain,
    u_a: Residues,
    u_b: Residues,
    *,
    multiple: int = 1,
) -> Element:
    """multiple * U M_a^-1 mod P, wherever it lies; reordered and quadratic form.

    The multiple costs constants of its own, but no operation.
    """
    xi_a = _quotient_cofactors(program, domain, u_a)
    return divide(program, domain, xi_a, u_b, domain.weights, multiple=multiple)


def divide(
    program: Program,
    domain: MontgomeryDomain,
    xi_a: Residues,
    u_b: Residues,
    weights: Vector,
    *,
    multiple: int = 1,
    quotient: bool | None = None,
    within: Interval | None = None,
) -> Element:
    """multiple * (U + Q P) / M_a for xi of Q in base a (up to ``weights``) and U in base b.

    ``quotient`` overrides what the domain says of the first extension; ``within`` is where the
    result has to lie.
    """
    takes = not domain.skips_quotient if quotient is None else quotient
    s_b = program.reduce(
        "s_b",
        program.extension(
            xi_a,
            domain.base_b,
            domain.first if takes else None,
            multiple=Fraction(multiple * domain.modulus, domain.base_a.product),
            factor=domain.factor_b,
            weights=weights,
            columns=domain.columns,
        ),
        program.scaled(u_b, Fraction(multiple, domain.base_a.product), domain.factor_b),
    )
    if within is not None:
        program.demand(s_b, within, _out_of_range(domain, s_b))
    s_a = program.reduce(
        "s_a",
        program.extension(
            s_b,
            domain.base_a,
            domain.second,
            factor=domain.factor_a,
            columns=domain.columns,
            exact=True,
        ),
    )
    return _checked(program, domain, Element(s_a, s_b))


def _checked(program: Program, domain: MontgomeryDomain, result: Element) -> Element:
    """The result of a reduction, checked if the domain has what it takes."""
    if domain.base_a.checks and domain.base_b.checks:
        program.check(result.b, result.a)
    return result


def _out_of_range(domain: MontgomeryDomain, result: Residues) -> str:
    """Why a result is no operand of the domain, whatever the second extension makes of it."""
    if result.range.integers().low < domain.range.low == 0:
        return (
            "an unsigned domain needs sigma0 = 0 in the first extension, moduli up to 2^w "
            "in base a, "
            "and a multiple of P added to a sum with subtractions"
        )
    return f"base a is too narrow for operands up to {power_of_two(domain.bound)}"


def _quotient_cofactors(program: Program, domain: MontgomeryDomain, u_a: Residues) -> Residues:
    """xi of Q = -U / P mod M_a (SBMM Algorithm 2 line 2 and Algorithm 1 line 1 in one)."""
    negative_inverse = Fraction(-1, domain.modulus)
    if domain.form == "quadratic":
        return program.restate(u_a, negative_inverse)
    return program.reduce(
        "xi_a", program.scaled(u_a, negative_inverse, domain.base_a.cofactor_inverses)
    )


def _reduce_plain(
    program: Program, domain: MontgomeryDomain, u_a: Residues, u_b: Residues
) -> Element:
    """SBMM Algorithm 2 lines 2 to 6 as printed."""
    q_a = program.reduce("q_a", program.scaled(u_a, Fraction(-1, domain.modulus)))
    xi_a = cofactor_form(program, q_a)
    columns = domain.columns
    q_b = program.reduce(
        "q_b", program.extension(xi_a, domain.base_b, domain.first, columns=columns)
    )
    r_b = program.reduce("r_b", program.scaled(u_b, 1), program.scaled(q_b, domain.modulus))
    s_b = program.reduce("s_b", program.scaled(r_b, Fraction(1, domain.base_a.product)))
    program.demand(s_b, domain.range, _out_of_range(domain, s_b))
    xi_b = cofactor_form(program, s_b)
    extension = program.extension(xi_b, domain.base_a, domain.second, columns=columns, exact=True)
    s_a = program.reduce("s_a", extension)
    return _checked(program, domain, Element(s_a, s_b))
