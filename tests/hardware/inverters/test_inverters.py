"""Inverters on streams, cycle by cycle, against Python's inverses and the model of the loop."""

import random

import pytest
from amaranth.hdl import ResetInserter, Signal
from tests.hardware.traffic import assert_refused, simulate, ticks_until

from residua.algorithms.conversion import split_words
from residua.cores.inversion.core import InversionCore
from residua.cores.inversion.specification import InversionSpecification
from residua.cores.specification.reading import check
from residua.errors import SpecificationError
from residua.hardware.inverters.division_steps_inverter import DivisionStepsDesign
from residua.hardware.inverters.plus_minus_cox import PlusMinusCox
from residua.hardware.inverters.plus_minus_inverter import PlusMinusDesign
from residua.numbers.hats import hat_form

COMPOSITE = 7 * 13


def plus_minus(modulus, width, *, padded=False, registers=0):
    return PlusMinusDesign(hat_form(modulus, width), padded, registers)


def fermat(modulus, width, channels):
    values = {"modulus": modulus, "width": width, "channels": channels, "inversion": "fermat"}
    return InversionCore(check(InversionSpecification, values)).design


FERMAT = fermat(2**31 - 1, 12, 3)
QUOTIENTS = fermat(2**31 - 1, 17, 2)
DESIGNS = [
    plus_minus(101, 8),
    plus_minus(COMPOSITE, 8),
    plus_minus(COMPOSITE, 8, padded=True, registers=1),
    plus_minus(65537, 8, registers=1),
    plus_minus(65537, 9, padded=True),
    plus_minus(2**31 - 1, 11, registers=3),
    plus_minus(2**61 - 1, 17, registers=2),
    plus_minus(65537, 33),
    DivisionStepsDesign(65537, 9),
    DivisionStepsDesign(2**31 - 1, 17),
    FERMAT,
    QUOTIENTS,
]


def name(design):
    kind = "padded" if getattr(design, "padded", False) else type(design).__name__
    registers = getattr(design, "cox_registers", "")
    return f"{kind}-{design.modulus}-{design.width}-{registers}"


def operands(design, count):
    p, chooser = design.modulus, random.Random(6)
    edges = [p - 1, 0, p - 2, p, 1, 2, 3, 1, p + 1, 7, 13, p // 2, p // 3]
    most = 1 << design.width * design.words
    return [x for x in edges if x < most] + [chooser.randrange(1, p) for _ in range(count)]


def inverse(x, modulus):
    try:
        return pow(x, -1, modulus) if 0 < x < modulus else None
    except ValueError:
        return None


def invert(design, xs, pace=1.0):
    """(result, None if refused; cycles after the last operand word) of each operand."""
    unit, results = design.component(), []

    async def main(ctx):
        chooser = random.Random(7)
        for x in xs:
            for word in split_words(x, design.words, design.width):
                while chooser.random() > pace:
                    await ctx.tick()
                ctx.set(unit.operands.payload, word)
                ctx.set(unit.operands.valid, 1)
                await ticks_until(ctx, unit.operands.ready)
                await ctx.tick()
                ctx.set(unit.operands.valid, 0)
            words, cycles, errors = [], 0, set()
            edges = aiter(ctx.tick())
            while len(words) < design.words:
                ctx.set(unit.result.ready, chooser.random() <= pace)
                assert not ctx.get(unit.operands.ready)
                if ctx.get(unit.result.valid & unit.result.ready):
                    payload = ctx.get(unit.result.payload)
                    words.append(payload.word)
                    errors.add(payload.error)
                    assert payload.last == (len(words) == design.words)
                await anext(edges)
                cycles += 1
                assert cycles <= design.longest / pace**2
            ctx.set(unit.result.ready, 0)
            number = sum(word << design.width * i for i, word in enumerate(words))
            (error,) = errors
            results.append((None if error else number, cycles))

    simulate(unit, main)
    return results


@pytest.mark.parametrize("design", DESIGNS, ids=name)
def test_inverses_and_their_cycles(design):
    # An engine takes long to simulate, and so does a long number.
    xs = operands(design, 2)[: 4 if design in (FERMAT, QUOTIENTS) else None]
    if design.modulus.bit_length() > 30:
        xs = [*xs[:5], *xs[-1:]]
    for x, (found, cycles) in zip(xs, invert(design, xs), strict=True):
        assert found == inverse(x, design.modulus)
        assert design.cycles(x) in (None, cycles)
        assert cycles <= design.longest


@pytest.mark.parametrize("design", [DESIGNS[1], DESIGNS[8]], ids=name)
def test_words_that_wait(design):
    xs = operands(design, 4)
    for x, (found, _) in zip(xs, invert(design, xs, pace=0.4), strict=True):
        assert found == inverse(x, design.modulus)


def test_products_with_quotients():
    assert FERMAT.domain.skips_quotient
    assert not QUOTIENTS.domain.skips_quotient


def test_constant_cycles():
    for design in DESIGNS:
        if getattr(design, "padded", True):
            assert {design.cycles(x) for x in operands(design, 20)} == {design.longest}


def test_a_failing_operand_takes_no_longer_than_any():
    design = DESIGNS[1]
    failing = [x for x in range(1, COMPOSITE) if inverse(x, COMPOSITE) is None]
    assert all(design.cycles(x) is None for x in failing)
    for found, cycles in invert(design, failing):
        assert found is None
        assert cycles <= design.longest


def test_a_reset_forgets_the_operand():
    design = DESIGNS[0]
    unit, found = design.component(), []

    reset = Signal()
    wrapped = ResetInserter(reset)(unit)

    async def main(ctx):
        for delay in (1, 2, 9, 25, 40):
            ctx.set(unit.operands.payload, 77)
            ctx.set(unit.operands.valid, 1)
            await ctx.tick()
            ctx.set(unit.operands.valid, 0)
            for _ in range(delay):
                await ctx.tick()
            ctx.set(reset, 1)
            await ctx.tick()
            ctx.set(reset, 0)
            ctx.set(unit.operands.payload, 5)
            ctx.set(unit.operands.valid, 1)
            assert ctx.get(unit.operands.ready)
            await ctx.tick()
            ctx.set(unit.operands.valid, 0)
            ctx.set(unit.result.ready, 1)
            await ticks_until(ctx, unit.result.valid)
            found.append(ctx.get(unit.result.payload).word)
            await ctx.tick()

    simulate(wrapped, main)
    assert found == [pow(5, -1, 101)] * 5


def test_registers_are_counted():
    form = hat_form(101, 8)
    assert_refused(lambda: PlusMinusCox(form, -1), "0 registers or more, not -1")
    with pytest.raises(SpecificationError, match="0 registers or more, not -1"):
        PlusMinusDesign(form, False, -1)
