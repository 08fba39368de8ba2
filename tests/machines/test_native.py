"""The native interpreter against the values interpreter, word for word."""

import random
import subprocess
from fractions import Fraction

import pytest

from residua.algorithms.montgomery import MontgomeryDomain, multiply, operand, sum_of_products
from residua.algorithms.program import Program
from residua.algorithms.terms import Interval
from residua.cores.rns_montgomery.core import RnsMontgomeryCore
from residua.cores.rns_montgomery.specification import RnsMontgomerySpecification
from residua.errors import SpecificationError
from residua.machines import native, values
from residua.machines.bounds import analyse
from residua.numbers.bases import Base
from residua.numbers.cox import Cox
from residua.numbers.moduli import Modulus
from residua.numbers.residues import Canonical, Redundant

FLAGS = ["-std=c++17", "-O1", "-Wall", "-Wextra", "-Wpedantic", "-Werror"]
FLAGS += ["-fsanitize=undefined", "-fno-sanitize-recover=all"]

MAIN = """
#include <iostream>
#include <vector>
int main() {
  std::vector<std::int64_t> in(model::input_words), out(model::output_words);
  std::int64_t fractions[model::quotients + 1];
  for (;;) {
    for (auto& word : in) if (!(std::cin >> word)) return 0;
    model::evaluate(in.data(), out.data(), fractions);
    for (int i = 0; i < model::output_words; ++i) std::cout << out[i] << ' ';
    for (int i = 0; i < model::quotients; ++i) std::cout << fractions[i] << ' ';
    std::cout << '\\n';
  }
}
"""


def product_of(modulus, width, **request):
    return RnsMontgomeryCore(
        RnsMontgomerySpecification(modulus=modulus, width=width, **request)
    ).program


def difference_of_products():
    """A B - C D in the domain of a product, with a view of channels as a further output."""
    core = RnsMontgomeryCore(RnsMontgomerySpecification(modulus=2**61 - 1, width=17, channels=5))
    program = Program("difference", Redundant(1))
    a, b, c, d = (operand(program, core.domain, name) for name in "abcd")
    result = sum_of_products(program, core.domain, [(a, b, 1), (c, d, -1)])
    program.output(result.a, program.channels(result.b, 1, 3))
    program.representation = Redundant(analyse(program).folds)
    return program


def words_to_residues():
    """A binary operand spread over a base, weights of two signs, and no Cox."""
    base = Base(tuple(Modulus(12, h) for h in (0, 1, 3)))
    program = Program("words", Redundant(2))
    number = program.words("number", 3, 11, 2**33 - 1)
    weights = [1, -(2**11), 2**22]
    spread = program.spread(number, base, weights, [5, 7, 9], Interval.of(-(2**34), 2**34))
    program.output(program.reduce("residues", spread))
    return program


def stored_values():
    """Constants alone, and beside products of both signs."""
    base = Base(tuple(Modulus(12, h) for h in (0, 1, 3)))
    program = Program("constants", Redundant(2))
    x, y = (program.input(name, base, [1] * 3, Interval.of(-1, 1)) for name in "xy")
    alone = program.reduce("alone", program.stored(-(10**9), base, [2, 3, 4095]))
    added = program.reduce(
        "added", program.stored(77, base, [1] * 3), program.product(x, y, -1), program.scaled(x, 9)
    )
    program.output(alone, added)
    return program


def long_truncation():
    """A Cox that keeps more bits than a word has."""
    base_a = Base(tuple(Modulus(8, h) for h in (0, 1, 3)))
    base_b = Base(tuple(Modulus(8, h) for h in (5, -1, 15)))
    cox = Cox(11, Fraction(1, 2))
    domain = MontgomeryDomain(65537, base_a, base_b, cox, cox, 2 * 65537)
    program = Program("product", Redundant(1))
    x, y = operand(program, domain, "x"), operand(program, domain, "y")
    result = multiply(program, domain, x, y)
    program.output(result.a, result.b)
    program.representation = Redundant(analyse(program).folds)
    return program


PROGRAMS = {
    "64-bit sums": lambda: product_of(2**61 - 1, 17, channels=4),
    "128-bit sums": lambda: product_of(2**89 - 1, 33),
    "widest words": lambda: product_of(2**127 - 1, 58),
    "reordered": lambda: product_of(2**61 - 1, 17, form="reordered", bases="any"),
    "difference": difference_of_products,
    "words": words_to_residues,
    "stored values": stored_values,
    "long truncation": long_truncation,
}


def random_inputs(program, chooser):
    """Any words that fit, among them the extremes."""
    inputs = {}
    for source in program.inputs:
        if hasattr(source, "base"):
            limit, count = 1 << source.base.width, len(source.base)
            low, high = -limit, limit - 1
        else:
            low, high, count = 0, (1 << source.width) - 1, source.count
        choices = (low, high, 0, chooser.randint(low, high), chooser.randint(low, high))
        inputs[source.name] = tuple(chooser.choice(choices) for _ in range(count))
    return inputs


@pytest.mark.parametrize("name", PROGRAMS)
def test_agrees_with_values(name, tmp_path):
    program = PROGRAMS[name]()
    source, executable = tmp_path / "model.cpp", tmp_path / "model"
    source.write_text(native.emit(program) + MAIN)
    subprocess.run(["g++", *FLAGS, source, "-o", executable], check=True)
    chooser = random.Random(name)
    runs = [random_inputs(program, chooser) for _ in range(300)]
    text = "\n".join(" ".join(str(w) for words in run.values() for w in words) for run in runs)
    output = subprocess.run([executable], input=text, capture_output=True, text=True, check=True)
    lines = output.stdout.splitlines()
    assert len(lines) == len(runs)
    for inputs, line in zip(runs, lines, strict=True):
        expected = [word for words in values.run(program, inputs).values() for word in words]
        assert [int(word) for word in line.split()][: len(expected)] == expected


def test_sums_are_narrow_where_they_fit():
    assert "Wide sum" not in native.emit(product_of(2**61 - 1, 17, channels=4))
    assert "Wide sum" in native.emit(product_of(2**89 - 1, 33))


def test_layout_in_order():
    program = words_to_residues()
    assert native.layout(program.inputs) == {"number": (0, 3)}
    assert native.layout(program.outputs) == {"residues": (0, 3)}


def test_refuses_wide_words():
    program = product_of(2**127 - 1, 64)
    assert not native.supports(program)
    with pytest.raises(SpecificationError, match="w = 64 needs 65"):
        native.emit(program)


def test_refuses_canonical_residues():
    program = product_of(2**61 - 1, 17, channels=4)
    program.representation = Canonical()
    with pytest.raises(SpecificationError, match="redundant residues, not canonical ones"):
        native.emit(program)


def test_refuses_bits():
    base = Base(tuple(Modulus(12, h) for h in (0, 1, 3)))
    program = Program("choice", Redundant(2))
    x, y = (program.input(name, base, [1] * 3, Interval.of(0, 1)) for name in "xy")
    program.output(program.reduce("z", program.select(program.bit("bit"), x, y)))
    assert not native.supports(program)
    with pytest.raises(SpecificationError, match="z: the native model has no bits"):
        native.emit(program)
