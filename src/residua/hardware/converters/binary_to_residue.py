"""Binary to residues: an engine whose program only converts."""

from collections.abc import Sequence

from residua.algorithms.program import Program
from residua.algorithms.terms import Vector
from residua.errors import SpecificationError
from residua.hardware.engine.datapath_design import EngineOptions
from residua.hardware.engine.engine import Engine
from residua.hardware.engine.engine_design import EngineDesign
from residua.numbers.bases import Base
from residua.numbers.residues import Redundant


def binary_to_residue(
    bases: Sequence[Base],
    count: int,
    *,
    width: int | None = None,
    factors: Sequence[Vector] | None = None,
    options: EngineOptions | None = None,
) -> Engine:
    """A converter from a binary number to its residues in one or more bases of one size and width.

    The number is ``count`` words of ``width`` bits (by default w), which ``binary`` takes one a
    cycle, the lowest first; any value of the words is valid. Each rower multiplies every word by a
    constant of its own, sums up and reduces once, which costs ``count`` slots a base; see
    ``latency`` and ``interval``.

    ``result`` presents number * factor mod m in all channels of base ``result_word`` at once, as
    signed words of w + 1 bits, when ``result_valid`` is set; it must be taken then. With fewer
    rowers than moduli, ``result_word`` counts the groups of channels of one base after the other.
    ``factors`` has a vector of factors for each base (by default 1).

    Raises:
        SpecificationError: bases of different size or width, a word wider than a modulus, a number
            of rowers that does not divide that of the moduli.
    """
    sizes = {(len(base), base.width) for base in bases}
    if len(sizes) != 1:
        raise SpecificationError(
            f"a converter needs bases of one size and width, not {sorted(sizes)} (moduli, bits)"
        )
    width = bases[0].width if width is None else width
    if not 1 <= width <= bases[0].width:
        raise SpecificationError(
            f"a converter to moduli of {bases[0].width} bits takes words of 1 to "
            f"{bases[0].width} bits, not {width}"
        )
    program = _program(bases, count, width, factors)
    design = EngineDesign(program, options or EngineOptions(rowers=len(bases[0])))
    program.representation = design.bounds.representation
    _ = design.schedule  # raises before a component exists
    return Engine(design)


def _program(
    bases: Sequence[Base], count: int, width: int, factors: Sequence[Vector] | None
) -> Program:
    """Program from ``x`` to ``x_0``, ``x_1``, ..., one vector for each base."""
    program = Program("binary-to-residue", Redundant(1))
    words = program.words("x", count, width, (1 << (count * width)) - 1)
    weights = [1 << (width * index) for index in range(count)]
    for index, base in enumerate(bases):
        factor = factors[index] if factors else (1,) * len(base)
        summand = program.spread(words, base, weights, factor, words.range)
        program.output(program.reduce(f"x_{index}", summand))
    return program
