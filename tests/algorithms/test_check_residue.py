"""Check residues: equal for every reduction, unless a residue is wrong."""

import random
from dataclasses import replace
from fractions import Fraction

import pytest

from algorithms.domains import P64, P192, check_result, operands, product_program, words_of
from residua.algorithms.montgomery import MontgomeryDomain
from residua.algorithms.program import Program, ProgramError
from residua.algorithms.terms import Interval
from residua.cores.coprocessor.engine.rns_montgomery import montgomery_domains
from residua.errors import SpecificationError
from residua.machines.bounds import analyse
from residua.machines.values import outputs
from residua.numbers.bases import Base
from residua.numbers.cox import Cox
from residua.numbers.moduli import Modulus
from residua.numbers.residues import Canonical, Redundant
from residua.numbers.search import search_bases

FORMS = ["plain", "reordered", "quadratic"]
SIGNS = (1, -1)
"""Two products in a sum."""


def domain_of(modulus: int, width: int, form: str = "quadratic") -> MontgomeryDomain:
    """A domain with check residues, as a coprocessor has it, with room for sums."""
    pair = search_bases(modulus, width, products=64, powers_of_two=False)
    (domain,) = montgomery_domains(pair, [modulus])
    cox = domain.first
    if form == "quadratic":
        cox = Cox(min(cox.truncation + 3, width), Fraction(1, 2))
    own = {"form": form, "first": cox, "second": cox, "skips_quotient": False}
    return replace(domain, bound=4 * modulus, **own).with_check()


def made(domain, representation):
    """A sum of products, which also gives out what is checked."""
    program = product_program(domain, representation, SIGNS)
    program.outputs += [value for pair in program.checks for value in pair]
    return program


def program_of(domain):
    """The same with the words of an engine."""
    return made(domain, Redundant(analyse(made(domain, Redundant(1))).folds))


def differs(program, words):
    """Whether anything that is checked is another residue; the outputs, too."""
    found = outputs(program, words)
    pairs = zip(found[2::2], found[3::2], strict=True)
    return any(one[-1] != two[-1] for one, two in pairs), found[:2]


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize(("modulus", "width"), [(P64, 17), (P192, 17), (P64, 22)])
@pytest.mark.parametrize("representation", [None, Canonical()], ids=["redundant", "canonical"])
def test_they_are_equal_and_results_are_right(modulus, width, form, representation):
    domain = domain_of(modulus, width, form)
    program = made(domain, representation) if representation else program_of(domain)
    assert len(program.checks) == 1
    plain = product_program(domain, program.representation, SIGNS)
    chooser = random.Random(1)
    values = list(operands(domain, chooser, 40))
    for x0, y0, x1, y1 in zip(
        *(chooser.sample(values, len(values)) for _ in range(4)), strict=True
    ):
        words = words_of(program, {"x0": x0, "y0": y0, "x1": x1, "y1": y1})
        assert not differs(program, words)[0]
        check_result(plain, domain, words, x0 * y0 - x1 * y1)


@pytest.mark.parametrize("form", FORMS)
def test_a_wrong_residue_makes_them_differ(form):
    """Of any operand, in any channel but where nothing depends on it."""
    domain = domain_of(P64, 17, form)
    program = program_of(domain)
    chooser = random.Random(2)
    values = dict.fromkeys(("x0", "y0", "x1", "y1"))
    tried = found = 0
    for _ in range(20):
        given = {name: chooser.randrange(domain.modulus) for name in values}
        words = words_of(program, given)
        _, right = differs(program, words)
        for name, own in words.items():
            channel = chooser.randrange(len(own))
            wrong = list(own)
            wrong[channel] += chooser.choice((-1, 1)) << chooser.randrange(16)
            told, left = differs(program, words | {name: tuple(wrong)})
            # The check residue of base a is nobody's operand.
            idle = left == right
            assert told or idle, (name, channel)
            tried, found = tried + 1, found + told
    assert found > tried / 2


def test_numbers_are_made_of_the_others():
    base = Base(tuple(Modulus(17, offset) for offset in (1, -1, 9)))
    checked = base.with_check(17)
    assert checked.product == base.product
    assert checked.cofactors == (*base.cofactors, 0)
    assert checked.cofactor_inverses == (*base.cofactor_inverses, 1)
    assert checked.without_check == base
    assert base.without_check is base
    for number in (0, 1, base.product // 3, base.product - 1):
        residues = checked.residues(number)
        assert residues[-1] == number % 2**17
        assert checked.integer(residues) == checked.integer((*residues[:-1], 5)) == number


@pytest.mark.parametrize(
    ("make", "reason"),
    [
        (lambda base: base.with_check(18), "of no more bits than the others"),
        (lambda base: base.with_check(17).with_check(17), "one extra modulus at most"),
        (lambda base: Base((*base.moduli, Modulus(17, 0))).with_check(17), "is even, and so is"),
        (lambda base: Base(base.moduli, checks=True), "the check modulus of a base is its extra"),
    ],
)
def test_bases_that_cannot_have_one_are_refused(make, reason):
    with pytest.raises(SpecificationError, match=reason):
        make(Base((Modulus(17, 1), Modulus(17, -1))))


def test_only_residues_that_have_to_be_equal_are_compared():
    base = Base((Modulus(17, 1), Modulus(17, -1)))
    checked = base.with_check(17)
    program = Program("p", Canonical())
    one, two, bare = (
        program.input(name, own, factor, Interval.of(0, 9))
        for name, own, factor in (
            ("one", checked, (1, 1, 1)), ("two", checked, (1, 1, 3)), ("bare", base, (1, 1)),
        )
    )  # fmt: skip
    with pytest.raises(ProgramError, match="two differ"):
        program.check(one, two)
    with pytest.raises(ProgramError, match="bare has no check residue"):
        program.check(one, bare)


def test_rows_have_none():
    pair = search_bases(P64, 17, 4, columns=2)
    (domain,) = montgomery_domains(pair, [P64], 2)
    with pytest.raises(SpecificationError, match="extensions that have no rows"):
        domain.with_check()
