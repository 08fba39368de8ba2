"""Domains, programs and operands that the tests of algorithms, machines and hardware share."""

import random
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from functools import cache
from math import gcd

from residua.algorithms.conversion import decode, encode
from residua.algorithms.montgomery import Form, MontgomeryDomain, operand, reduce, sum_of_products
from residua.algorithms.program import Program
from residua.algorithms.terms import Interval, Residues, Vector
from residua.machines.values import run
from residua.numbers.bases import Base
from residua.numbers.cox import Cox
from residua.numbers.moduli import Modulus
from residua.numbers.ranges import kawamura_range, montgomery_range
from residua.numbers.residues import Canonical, Redundant, Representation
from residua.numbers.roots import orient_pairs
from residua.numbers.search import search_bases

P17 = 2**16 + 1
P64 = 2**64 - 59
P192 = 2**192 - 2**64 - 1
P256 = 2**256 - 2**224 + 2**192 + 2**96 - 1
# Two primes: what an RSA modulus looks like.
RSA1024 = (2**512 - 569) * (2**512 - 629)

SIZES = [(P17, 8, 3), (P64, 10, 7), (P64, 17, 4), (P192, 17, 12), (P256, 33, 8), (RSA1024, 33, 32)]
"""Modulus, width, channels."""


@cache
def signed_domain(
    modulus: int,
    width: int,
    channels: int,
    form: Form = "quadratic",
    products: int = 1,
    columns: int = 1,
) -> MontgomeryDomain:
    """A domain as an engine uses it: redundant residues, one Cox, values of both signs."""
    pair = search_bases(modulus, width, channels, products=products, columns=columns)
    base_a, base_b, cox = pair.base_a, pair.base_b, pair.cox
    if form == "quadratic":
        pairs = tuple(zip(base_a, base_b, strict=True))
        sides = orient_pairs(pairs, modulus, below=columns > 1)
        base_a, base_b = (Base(side) for side in sides)
        cox = Cox(min(cox.truncation + 3, width), Fraction(1, 2))
    domain = MontgomeryDomain(modulus, base_a, base_b, cox, cox, 1, form, columns=columns)
    return _bounded(domain, products)


def _bounded(domain: MontgomeryDomain, products: int) -> MontgomeryDomain:
    words = [(-(1 << domain.base_a.width), 1 << domain.base_a.width)] * len(domain.base_a)
    condition = montgomery_range(
        domain.modulus,
        domain.base_a,
        domain.base_b,
        domain.first,
        domain.second,
        words,
        words,
        weights_a=domain.weights,
        products=products,
        columns=domain.columns,
    )
    # Chains of products need no more than the condition says, callers want all of [0, P].
    return replace(domain, bound=max(condition.bound, domain.modulus))


@cache
def papers_domain(
    modulus: int,
    width: int,
    channels: int,
    form: Form = "reordered",
    truncation: int = 8,
    columns: int = 1,
) -> MontgomeryDomain:
    """A domain as the papers use it: canonical residues, moduli below 2^w, values in [0, B]."""
    base_a, base_b = papers_bases(modulus, width, channels)
    bound = kawamura_range(modulus, base_a, base_b, truncation, columns=columns).bound
    first, second = Cox(truncation, Fraction(0)), Cox(truncation, Fraction(1, 2))
    return MontgomeryDomain(
        modulus, base_a, base_b, first, second, bound, form, unsigned=True, columns=columns
    )


def papers_bases(modulus: int, width: int, channels: int) -> tuple[Base, Base]:
    """Two bases of the largest coprime moduli up to 2^w."""
    found: list[Modulus] = []
    for value in range(1 << width, 1, -1):
        if all(gcd(value, other) == 1 for other in [modulus, *(m.value for m in found)]):
            found.append(Modulus.of_value(value, width))
        if len(found) == 2 * channels:
            break
    return Base(tuple(found[0::2])), Base(tuple(found[1::2]))


def product_program(
    domain: MontgomeryDomain, representation: Representation, signs: Sequence[int] = (1,)
) -> Program:
    """sum(sign * x_k * y_k) / M_a with inputs x0, y0, x1, y1, ..."""
    program = Program("product", representation)
    factors = [
        (operand(program, domain, f"x{k}"), operand(program, domain, f"y{k}"), sign)
        for k, sign in enumerate(signs)
    ]
    result = sum_of_products(program, domain, factors)
    program.output(result.a, result.b)
    return program


def reduction_program(
    domain: MontgomeryDomain, representation: Representation, products: int = 1
) -> Program:
    """U / M_a for an input u of either sign within the range of a sum of products."""
    program = Program("reduction", representation)
    limit = products * domain.bound**2
    interval = Interval.of(0 if domain.unsigned else -limit, limit)
    u_a, u_b = (
        program.input(f"u_{name}", base, [f * f for f in factor], interval)
        for name, base, factor in (
            ("a", domain.base_a, domain.factor_a),
            ("b", domain.base_b, domain.factor_b),
        )
    )
    result = reduce(program, domain, u_a, u_b)
    program.output(result.a, result.b)
    return program


def words_of(
    program: Program, values: Mapping[str, int], generator: random.Random | None = None
) -> dict[str, Vector]:
    """The inputs of a program from integers by the stem of their name, x for x_a and x_b.

    With a generator redundant words become extreme or random representatives.
    """
    inputs = {}
    for source in program.inputs:
        assert isinstance(source, Residues)
        number = values.get(source.name, values.get(source.name.rsplit("_", 1)[0], 0))
        words = encode(source, number, program.representation)
        if generator is not None and isinstance(program.representation, Redundant):
            words = extreme_words(source.base, words, generator)
        inputs[source.name] = words
    return inputs


def extreme_words(base: Base, words: Sequence[int], generator: random.Random) -> Vector:
    """The lowest, the highest or any representatives of the same residues in w + 1 signed bits."""
    choose = generator.choice([min, max, generator.choice])
    return tuple(
        choose(
            [
                word % modulus.value + turn * modulus.value
                for turn in (-2, -1, 0, 1)
                if -(1 << base.width)
                <= word % modulus.value + turn * modulus.value
                < 1 << base.width
            ]
        )
        for modulus, word in zip(base, words, strict=True)
    )


def operands(domain: MontgomeryDomain, generator: random.Random, count: int) -> Iterator[int]:
    """The edges of the domain, then random values."""
    edges = [0, 1, domain.modulus - 1, domain.bound, domain.bound - 1, domain.bound // 2]
    if not domain.unsigned:
        edges += [-edge for edge in edges]
    yield from edges
    for _ in range(count):
        yield generator.randint(0 if domain.unsigned else -domain.bound, domain.bound)


def check_result(program: Program, domain: MontgomeryDomain, words: Mapping[str, Vector], u: int):
    """Both halves of the result stand for one integer S = U / M_a mod P within the bound."""
    outputs = run(program, words)
    part_a, part_b = program.outputs
    result = decode(_of_domain(part_b, domain), outputs[part_b.name])
    assert result == decode(_of_domain(part_a, domain), outputs[part_a.name])
    assert (result * domain.montgomery_factor - u) % domain.modulus == 0
    assert domain.range.low <= result <= domain.range.high
    return result


def _of_domain(value: Residues, domain: MontgomeryDomain) -> Residues:
    """The value with the domain's range: the program's own must not decide how it is read."""
    return Residues(value.name, value.base, value.factor, domain.range)


def representations() -> list[Representation]:
    """Canonical residues and redundant ones."""
    return [Canonical(), Redundant(2)]
