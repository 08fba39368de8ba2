"""Position-residue programs, their inputs and results, for tests that compare with integers."""

import random
from collections.abc import Mapping, Sequence

from sympy.ntheory.modular import crt

from algorithms.domains import extreme_words
from residua.algorithms.conversion import encode
from residua.algorithms.montgomery import Element
from residua.algorithms.position_residue import PositionResidueDomain, multiply, normalise, operand
from residua.algorithms.program import Program
from residua.algorithms.terms import Interval, Residues, Vector
from residua.machines.values import run
from residua.numbers.residues import Redundant, Representation


def product_program(
    domain: PositionResidueDomain,
    representation: Representation,
    ranges: Sequence[Interval],
    *,
    normalised: bool = False,
) -> tuple[Program, tuple[Element, ...]]:
    """x * y, and its coefficients."""
    program = Program("product", representation)
    x, y = (operand(program, domain, name, ranges) for name in "xy")
    result = multiply(program, domain, x, y)
    if normalised:
        result = normalise(program, domain, result)
    for each in result:
        program.output(each.a, each.b)
    return program, result


def words_of(
    program: Program, values: Mapping[str, int], generator: random.Random | None = None
) -> dict[str, Vector]:
    """Inputs by the stem of their names, x0 for x0_a and x0_b; extreme words with a generator."""
    inputs = {}
    for source in program.inputs:
        assert isinstance(source, Residues)
        words = encode(source, values[source.name[:-2]], program.representation)
        if generator is not None and isinstance(program.representation, Redundant):
            words = extreme_words(source.base, words, generator)
        inputs[source.name] = words
    return inputs


def named(name: str, coefficients: Sequence[int]) -> dict[str, int]:
    """x0, x1, ... of an element."""
    return {f"{name}{i}": value for i, value in enumerate(coefficients)}


def read(value: Element, outputs: Mapping[str, Vector]) -> int:
    """The one integer within the range of ``value`` that has these residues in both bases."""
    moduli, residues = [], []
    for part in (value.a, value.b):
        for word, factor, modulus in zip(outputs[part.name], part.factor, part.base, strict=True):
            moduli.append(modulus.value)
            residues.append(word * pow(factor, -1, modulus.value) % modulus.value)
    number, product = crt(moduli, residues)
    low = int(value.b.range.low)
    number = low + (int(number) - low) % int(product)
    assert number <= value.b.range.high
    return number


def evaluate(
    program: Program,
    result: Sequence[Element],
    values: Mapping[str, int],
    generator: random.Random | None = None,
) -> list[int]:
    """The coefficients of a result for inputs by name."""
    outputs = run(program, words_of(program, values, generator))
    return [read(each, outputs) for each in result]


def ends(interval: Interval) -> list[int]:
    """The edges of a range and what lies in it around zero."""
    low, high = int(interval.low), int(interval.high)
    return [value for value in (low, low + 1, -1, 0, 1, high - 1, high) if low <= value <= high]
