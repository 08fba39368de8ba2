"""IDDMM hardware: both architectures, all pipelines, fixed and loaded moduli, cycle counts."""

import random

import pytest
from amaranth.sim import Simulator
from tests.hardware.bench import settled
from tests.hardware.digit_streams import check_products, edge_pairs, multiply

from residua.errors import SpecificationError
from residua.hardware.digit.iddmm import Iddmm, IddmmDesign
from residua.hardware.digit.product import Product, check_product
from residua.hardware.rtl import emit
from residua.numbers.digits import VARIANTS, DigitDomain, DigitShape, split_digits


def full_length(bits):
    """A modulus for which A outgrows its digits."""
    return (1 << bits) - random.Random(bits).choice((1, 3, 5))


@pytest.mark.parametrize("variant", VARIANTS)
@pytest.mark.parametrize("architecture", [1, 2])
@pytest.mark.parametrize("pipeline", [0, 1, 2])
@pytest.mark.parametrize(("bits", "k"), [(16, 16), (24, 8), (31, 8), (16, 2), (33, 16), (17, 40)])
def test_products_and_cycles(bits, k, pipeline, architecture, variant):
    domain = DigitDomain.of(full_length(bits), k, variant)
    design = IddmmDesign(domain.shape, domain, architecture, pipeline)
    check_products(Iddmm(design), design, domain, edge_pairs(domain, 1))


@pytest.mark.parametrize("variant", VARIANTS)
@pytest.mark.parametrize(("architecture", "pipeline"), [(1, 1), (2, 0), (2, 1), (2, 2)])
@pytest.mark.parametrize(("bits", "k"), [(31, 8), (50, 25), (128, 64)])
def test_tiles(bits, k, pipeline, architecture, variant):
    domain = DigitDomain.of(full_length(bits), k, variant)
    design = IddmmDesign(domain.shape, domain, architecture, pipeline, "tiles")
    check_products(Iddmm(design), design, domain, edge_pairs(domain, 1))


def test_cycles_are_those_of_the_report():
    """Table 3: n (n + 2), n (n + 3) and n (n + 4) cycles."""
    shape = DigitShape(1024, 64)
    for pipeline in (0, 1, 2):
        design = IddmmDesign(shape, None, 2, pipeline)
        assert design.compute == design.interval == 16 * (16 + 2 + pipeline)
    assert IddmmDesign(DigitShape(1024, 64, "closed"), None, 2, 1).compute == 17 * 19
    assert IddmmDesign(DigitShape(1022, 64, "closed"), None, 2, 1).compute == 16 * 19


def test_gaps_and_waits_change_nothing():
    domain = DigitDomain.of(2**24 - 3, 8)
    design = IddmmDesign(domain.shape, domain)
    pairs = edge_pairs(domain, 20)
    for pace in ((0.3, 1.0), (1.0, 0.05), (0.5, 0.5)):
        found = multiply(Iddmm(design), design.streams, pairs, pace=pace)
        assert found.results == [domain.product(x, y) for x, y in pairs]


@pytest.mark.parametrize("inverse", ["computed", "supplied"])
@pytest.mark.parametrize(
    ("bits", "k", "variant", "kind"),
    [
        (16, 8, "subtract", "schoolbook"),
        (20, 4, "closed", "karatsuba"),
        (33, 16, "closed", "inferred"),
    ],
)
def test_loaded_modulus(bits, k, variant, kind, inverse):
    """Any odd modulus that fits, from one component."""
    shape = DigitShape(bits, k, variant)
    design = IddmmDesign(shape, None, 2, 1, kind, inverse)
    for modulus in (full_length(bits), (1 << (bits - 1)) + 1, 3):
        domain = DigitDomain(modulus, shape)
        given = [domain.negative_inverse] if inverse == "supplied" else []
        words = [*split_digits(modulus, shape.digits, k), *given]
        check_products(Iddmm(design), design, domain, edge_pairs(domain), words)


def test_modulus_is_loaded_again_and_an_even_one_refused():
    shape = DigitShape(16, 8)
    design = IddmmDesign(shape, None)
    component, told = Iddmm(design), []

    async def load(ctx, modulus):
        for word in split_digits(modulus, 2, 8):
            ctx.set(component.modulus.payload, word)
            ctx.set(component.modulus.valid, 1)
            await ctx.tick().until(component.modulus.ready)
        ctx.set(component.modulus.valid, 0)

    async def product(ctx, x, y):
        for word in [*split_digits(x, 2, 8), *split_digits(y, 2, 8)]:
            ctx.set(component.operands.payload, word)
            ctx.set(component.operands.valid, 1)
            await ctx.tick().until(component.operands.ready)
        ctx.set(component.operands.valid, 0)

    async def result(ctx):
        total = 0
        for index in range(2):
            (word,) = (
                await ctx.tick().sample(component.result.payload.word).until(component.result.valid)
            )
            total |= word << 8 * index
        return total

    async def bench(ctx):
        ctx.set(component.result.ready, 1)
        for modulus in (65521, 40961):
            await load(ctx, modulus)
            await product(ctx, 1234, 567)
            expected = DigitDomain(modulus, shape).product(1234, 567)
            assert await result(ctx) == expected
            assert not ctx.get(component.modulus_error)
        await load(ctx, 65520)
        await product(ctx, 1234, 567)
        await ctx.tick().repeat(200)
        assert ctx.get(component.modulus_error)
        assert not ctx.get(component.result.valid)
        # The operands that wait are those of the next modulus.
        await load(ctx, 65521)
        assert await result(ctx) == DigitDomain(65521, shape).product(1234, 567)
        assert not ctx.get(component.modulus_error)
        told.append(True)

    simulator = Simulator(component)
    simulator.add_clock(1e-6)
    simulator.add_testbench(bench)
    simulator.run()
    assert told


@pytest.mark.parametrize(
    ("kind", "width"),
    [
        *(("schoolbook", width) for width in (1, 2, 4, 8, 16, 32)),
        *(("karatsuba", width) for width in (1, 2, 4, 8, 16, 32)),
        *(("tiles", width) for width in (1, 17, 18, 24, 25, 34, 64, 100)),
    ],
)
def test_products_in_parts(kind, width):
    chooser = random.Random(width)
    numbers = [0, 1, (1 << width) - 1, 1 << (width - 1)]
    numbers += [chooser.getrandbits(width) for _ in range(6)]
    inputs = [{"left": a, "right": b} for a in numbers for b in numbers]
    expected = [one["left"] * one["right"] for one in inputs]
    assert settled(Product(width, kind), inputs, "product") == expected


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (
            lambda: check_product(24, "schoolbook"),
            (
                "multiplier = 'schoolbook' divides digits in two down to 2 bits, and digit = 24 is "
                "no power of two: 16 and 32 are, or give multiplier = 'inferred'"
            ),
        ),
        (
            lambda: check_product(16, "wallace"),
            "multiplier = 'wallace': one of inferred, tiles, schoolbook, karatsuba",
        ),
        (lambda: check_product(0, "inferred"), "a product of 0 bits: at least 1"),
        (
            lambda: IddmmDesign(DigitShape(64, 8), None, 3),
            (
                "architecture 3 with 1 pipeline levels: there are architectures 1 and 2, with 0, 1 "
                "or 2 levels"
            ),
        ),
        (
            lambda: IddmmDesign(DigitShape(64, 8), None).streams.modulus_rows,
            "the modulus is loaded at run time",
        ),
    ],
)
def test_refusals(make, message):
    with pytest.raises(SpecificationError) as caught:
        make()
    assert str(caught.value) == message


def test_memories_are_for_block_ram():
    text = emit(Iddmm(IddmmDesign(DigitShape(256, 16), None)), "core")["rtl/core.v"]
    asked = text.count('(* ram_style = "block", no_rw_check = 1 *) reg [')
    assert asked == 5


@pytest.mark.parametrize("variant", VARIANTS)
@pytest.mark.parametrize("pipeline", [0, 1, 2])
@pytest.mark.parametrize("bits", [24, 22, 17])
def test_operands_out_of_range_are_flagged(bits, pipeline, variant):
    """Y from p on, with a subtraction; X or Y from 2 p on, without one."""
    domain = DigitDomain.of((1 << bits) - 3, 8, variant)
    design = IddmmDesign(domain.shape, domain, 2, pipeline, checked=True)
    component, words = design.component(), design.streams.words
    most, limit = (1 << 8 * words) - 1, domain.largest_y + 1
    edges = [v for v in (0, 1, limit - 256, limit - 1, limit, limit + 256, most) if v <= most]
    pairs = [(x, y) for x in (0, limit - 1, min(limit, most), most) for y in edges]
    expected = [y >= limit or (variant == "closed" and x >= limit) for x, y in pairs]
    found = []

    async def bench(ctx):
        for x, y in pairs:
            for word in [*split_digits(x, words, 8), *split_digits(y, words, 8)]:
                ctx.set(component.operands.payload, word)
                ctx.set(component.operands.valid, 1)
                await ctx.tick().until(component.operands.ready)
        ctx.set(component.operands.valid, 0)

    async def watch(ctx):
        ctx.set(component.result.ready, 1)
        for _ in pairs:
            flags = set()
            last = False
            while not last:
                flag, last = (
                    await ctx.tick()
                    .sample(component.result.payload.error, component.result.payload.last)
                    .until(component.result.valid)
                )
                flags.add(flag)
            assert len(flags) == 1
            found.append(flags.pop() == 1)

    simulator = Simulator(component)
    simulator.add_clock(1e-6)
    simulator.add_testbench(bench)
    simulator.add_testbench(watch)
    simulator.run()
    assert found == expected
