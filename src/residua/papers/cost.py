"""Counted operations of the algorithms beside the formulas."""

from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, replace
from fractions import Fraction
from functools import partial
from typing import Any

from gmpy2 import prev_prime

from residua.algorithms.base_extension import bajard_imbert, kawamura, mixed_radix, shenoy_kumaresan
from residua.algorithms.montgomery import Form, MontgomeryDomain, multiply, operand, reduce
from residua.algorithms.program import Program
from residua.algorithms.terms import Interval
from residua.cores.rns_montgomery.core import RnsMontgomeryCore
from residua.cores.rns_montgomery.specification import RnsMontgomerySpecification
from residua.cores.specification.reading import check, load
from residua.errors import SpecificationError
from residua.machines.counts import Counts, count
from residua.numbers.bases import Base
from residua.numbers.moduli import Modulus
from residua.numbers.residues import Canonical, Redundant
from residua.papers.cost_rows import CountedRow, digit_rows, engine_rows, inversion_rows

DEFAULT_CHANNELS = 12
"""n where nothing is asked for: the size of the published tables for 192 bits."""


@dataclass(frozen=True)
class _Row:
    """An algorithm, the formula for its EMM."""

    name: str
    formula: str
    emm: Callable[[int], int]
    program: Callable[[MontgomeryDomain], Program]


def cost_table(flags: Mapping[str, str | None]) -> dict[str, Any]:
    """The counts of every algorithm for n channels; they do not depend on modulus and width.

    Those of digit multipliers are for numbers of n digits, those of inversions for primes that n
    channels hold.

    Args:
        flags: ``channels`` (n, `DEFAULT_CHANNELS` if None) and ``width`` (of the bases that the
            algorithms are counted on), as text.

    Raises:
        SpecificationError: there are no such bases.
    """
    # Any modulus will do to have the flags checked.
    asked = load(RnsMontgomerySpecification, None, {"modulus": "P-256", **flags})
    number = asked.channels or DEFAULT_CHANNELS
    domain = RnsMontgomeryCore(_stand_in(number, asked.width)).domain
    rows = [
        *(
            CountedRow(
                row.name, row.formula, row.emm(number), partial(_counts, row.program, domain)
            )
            for row in _ROWS
        ),
        *engine_rows(number),
    ]
    return {
        "n": number,
        "w": asked.width,
        "algorithms": [_entry(row) for row in rows],
        "digits": digit_rows(number, asked.width),
        "inversions": inversion_rows(number, asked.width),
    }


def _counts(program: Callable[[MontgomeryDomain], Program], domain: MontgomeryDomain) -> Counts:
    return count(program(domain))


def _stand_in(channels: int, width: int) -> RnsMontgomerySpecification:
    """A specification for a prime that leaves the bases half a channel of room."""
    bits = (2 * channels - 1) * width // 2
    if channels < 1 or bits < 17:
        raise SpecificationError(
            f"n = {channels} channels of w = {width} hold no modulus of 16 bits: "
            "counts need a few more channels"
        )
    return check(
        RnsMontgomerySpecification,
        {"modulus": int(prev_prime(1 << bits)), "width": width, "channels": channels},
    )


def _entry(row: CountedRow) -> dict[str, Any]:
    found = row.counts()
    return {
        "name": row.name,
        "formula": row.formula,
        "formula_emm": row.emm,
        **asdict(found),
        "agrees": found.emm == row.emm,
    }


def _form(domain: MontgomeryDomain, form: Form) -> MontgomeryDomain:
    return replace(domain, form=form)


def _product(form: Form) -> Callable[[MontgomeryDomain], Program]:
    def program(domain: MontgomeryDomain) -> Program:
        own, made = _form(domain, form), Program("product", Redundant(1))
        multiply(made, own, operand(made, own, "x"), operand(made, own, "y"))
        return made

    return program


def _reduction(form: Form) -> Callable[[MontgomeryDomain], Program]:
    """A product without the 2n EMM of the multiplication itself."""

    def program(domain: MontgomeryDomain) -> Program:
        own, made = _form(domain, form), Program("reduction", Redundant(1))
        bound = own.bound**2
        squares = [
            tuple(f * f % m.value for f, m in zip(factor, base, strict=True))
            for factor, base in ((own.factor_a, own.base_a), (own.factor_b, own.base_b))
        ]
        u_a = made.input("u_a", own.base_a, squares[0], Interval.of(-bound, bound))
        u_b = made.input("u_b", own.base_b, squares[1], Interval.of(-bound, bound))
        reduce(made, own, u_a, u_b)
        return made

    return program


def _kawamura(domain: MontgomeryDomain) -> Program:
    made = Program("extension", Redundant(1))
    value = made.input("x", domain.base_b, _ones(domain.base_b), Interval.of(0, domain.modulus))
    kawamura(made, value, domain.base_a, domain.second)
    return made


def _bajard_imbert(domain: MontgomeryDomain) -> Program:
    made = Program("extension", Canonical())
    value = made.input("x", domain.base_b, _ones(domain.base_b), Interval.of(0, domain.modulus))
    bajard_imbert(made, value, domain.base_a)
    return made


def _shenoy_kumaresan(domain: MontgomeryDomain) -> Program:
    made, base = Program("extension", Canonical()), domain.base_b
    limit = Interval.of(0, domain.modulus)
    value = made.input("x", base, _ones(base), limit)
    extra = Base((_redundant_modulus(domain),))
    shenoy_kumaresan(made, value, made.input("x_r", extra, (1,), limit), domain.base_a)
    return made


def _redundant_modulus(domain: MontgomeryDomain) -> Modulus:
    """Any modulus coprime to base b will do for counting."""
    product = domain.base_b.product
    for offset in range(1, 1 << domain.base_b.width // 2, 2):
        modulus = Modulus(domain.base_b.width, offset)
        if Fraction(product, modulus.value).denominator == modulus.value:
            return modulus
    raise SpecificationError(f"w = {domain.base_b.width} has no redundant modulus left")


def _mixed_radix(domain: MontgomeryDomain) -> Program:
    made = Program("extension", Canonical())
    value = made.input("x", domain.base_b, _ones(domain.base_b), Interval.of(0, domain.modulus))
    mixed_radix(made, value, domain.base_a)
    return made


def _ones(base: Base) -> tuple[int, ...]:
    return (1,) * len(base)


_ROWS = (
    _Row("product, plain", "2n^2 + 7n", lambda n: 2 * n * n + 7 * n, _product("plain")),
    _Row("product, reordered", "2n^2 + 4n", lambda n: 2 * n * n + 4 * n, _product("reordered")),
    _Row("product, quadratic", "2n^2 + 3n", lambda n: 2 * n * n + 3 * n, _product("quadratic")),
    _Row("reduction, plain", "2n^2 + 5n", lambda n: 2 * n * n + 5 * n, _reduction("plain")),
    _Row("reduction, reordered", "2n^2 + 2n", lambda n: 2 * n * n + 2 * n, _reduction("reordered")),
    _Row("reduction, quadratic", "2n^2 + n", lambda n: 2 * n * n + n, _reduction("quadratic")),
    _Row("extension, Kawamura", "n^2 + n", lambda n: n * n + n, _kawamura),
    _Row("extension, Bajard-Imbert", "n^2 + n", lambda n: n * n + n, _bajard_imbert),
    _Row(
        "extension, Shenoy-Kumaresan",
        "n^2 + 3n + 1",
        lambda n: n * n + 3 * n + 1,
        _shenoy_kumaresan,
    ),
    _Row("extension, mixed radix", "3n(n - 1)/2", lambda n: 3 * n * (n - 1) // 2, _mixed_radix),
)
