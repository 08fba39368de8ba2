"""RSA's public operation with keys that are loaded, cycle by cycle."""

import random
from dataclasses import replace

import pytest
from amaranth.sim import Simulator
from gmpy2 import next_prime
from tests.hardware.exponentiation.test_loaded_exponentiator import send

from residua.algorithms.conversion import split_words
from residua.cores.coprocessor.engine.rns_montgomery import montgomery_domains
from residua.errors import SpecificationError
from residua.hardware.engine.datapath_design import EngineOptions
from residua.hardware.exponentiation.public_exponent import PublicExponent, exponent_runs
from residua.hardware.exponentiation.public_exponentiator import PublicExponentiatorDesign
from residua.numbers.search import search_bases

BITS, WIDTH = 24, 12


def design(exponent_bits=20, multipliers=1):
    prime = int(next_prime(1 << BITS))
    pair = search_bases(prime, WIDTH, 3, style="any")
    (domain,) = montgomery_domains(pair, [prime])
    options = EngineOptions(rowers=pair.channels, reduction="multiply")
    domain = replace(domain, form="reordered")
    return PublicExponentiatorDesign(domain, options, BITS, exponent_bits, multipliers)


def simulate(unit, main):
    simulator = Simulator(unit)
    simulator.add_clock(1e-6)
    simulator.add_testbench(main)
    simulator.run()


async def receive(ctx, stream):
    """The number that leaves, its flags of errors, and the cycles until its last word."""
    words, errors, cycles, last = [], set(), 0, False
    ctx.set(stream.ready, 1)
    while not last:
        _, _, there, word, ends, error = await ctx.tick().sample(
            stream.valid, stream.payload.word, stream.payload.last, stream.payload.error
        )
        cycles += 1
        if there:
            words.append(word)
            errors.add(error)
            last = bool(ends)
    ctx.set(stream.ready, 0)
    return sum(word << WIDTH * place for place, word in enumerate(words)), errors, cycles


def edges(modulus, chooser):
    """The ends of what is taken and of what is refused, and a number in between."""
    return 0, 1, modulus - 1, chooser.randrange(modulus), modulus, (1 << BITS) - 1


@pytest.mark.parametrize("multipliers", [1, 3])
def test_powers_with_keys_one_after_another(multipliers):
    """All edges with the shortest exponent, some of them with each of the others."""
    made, chooser, done = design(multipliers=multipliers), random.Random(multipliers), []
    unit, top = made.component(), 1 << BITS
    last = (chooser.randrange(top // 2, top) | 1, chooser.getrandbits(20) | 3)
    keys = [((12345679, 3), slice(6)), ((65537, 65537), slice(3, 5))]
    keys += [((32769, 0xFFFFF), slice(3, 6, 2)), ((top - 1, 0x80001), slice(2, 4))]
    keys += [(last, slice(3, 4))]
    if multipliers > 1:
        del keys[2:]

    async def main(ctx):
        for (modulus, exponent), tried in keys:
            await send(ctx, unit.modulus, made.key_words(modulus, exponent))
            for x in edges(modulus, chooser)[tried]:
                await send(ctx, unit.operands, split_words(x, made.words, WIDTH))
                found, errors, cycles = await receive(ctx, unit.result)
                assert cycles == made.latency_of(exponent)
                refused = x >= modulus
                assert errors == {refused}
                assert found == (0 if refused else pow(x, exponent, modulus))
                if not refused:
                    assert found == made.power(x, exponent, modulus)
                done.append(found)

    simulate(unit, main)
    assert len(done) == (13 if multipliers == 1 else 8)


def test_keys_that_are_refused():
    """No x is taken; after the next key all is well."""
    made, done = design(), []
    unit = made.component()
    right = made.key_words(65537, 17)
    for_word = list(right)

    async def main(ctx):
        for place, word in ((0, 0), (-2, 0x010), (-2, 1), (-2, 0)):
            # An even N, and an even exponent, 1 and 0.
            wrong = [*for_word]
            wrong[place] = word
            if word in (0, 1) and place == -2:
                wrong[-1] = 0
            await send(ctx, unit.modulus, wrong)
            ctx.set(unit.operands.valid, 1)
            for _ in range(400):
                assert ctx.get(unit.modulus_error)
                assert not ctx.get(unit.operands.ready)
                await ctx.tick()
            ctx.set(unit.operands.valid, 0)
            await send(ctx, unit.modulus, right)
            assert not ctx.get(unit.modulus_error)
            await send(ctx, unit.operands, split_words(2, made.words, WIDTH))
            found, errors, _ = await receive(ctx, unit.result)
            assert (found, errors) == (pow(2, 17, 65537), {0})
            done.append(found)
        small = [*right]
        small[0], small[1] = 0x7FF, 7
        await send(ctx, unit.modulus, small)
        assert ctx.get(unit.modulus_error)

    simulate(unit, main)
    assert len(done) == 4


@pytest.mark.parametrize("words", [1, 3, 22])
def test_runs_of_an_exponent(words):
    """As many squarings before each product as there are, in time."""
    unit, chooser, done = PublicExponent(WIDTH, words), random.Random(words), []
    bits = WIDTH * words
    exponents = [3, 5, 17, (1 << bits) - 1, (1 << bits - 1) + 1, chooser.getrandbits(bits) | 3]

    async def main(ctx):
        for exponent in exponents:
            ctx.set(unit.write, 1)
            for word in split_words(exponent, words, WIDTH):
                ctx.set(unit.word, word)
                await ctx.tick()
            ctx.set(unit.write, 0)
            assert ctx.get(unit.sound)
            # Twice, as it is there for the next x.
            for _ in range(2):
                runs, begins, ends = [], unit.start, 0
                while not ends:
                    ctx.set(begins, 1)
                    await ctx.tick()
                    ctx.set(begins, 0)
                    await ctx.tick().repeat(unit.longest_wait - 1)
                    runs.append(ctx.get(unit.squarings) + 1)
                    begins, ends = unit.advance, ctx.get(unit.last)
                assert runs == exponent_runs(exponent)
            done.append(exponent)

    simulate(unit, main)
    assert done == exponents
    power = 0
    for exponent in exponents:
        power = 1
        for squarings in exponent_runs(exponent):
            power = (power << squarings) + 1
        assert power == exponent


def test_no_run_is_waited_for():
    """The engine takes longer over a power's first routines, or a squaring and a product."""
    for made in (design(), design(24)):
        unit = PublicExponent(WIDTH, made.exponent_words)
        unit._MustUse__silence = True
        routines = made.processor.routines
        assert unit.longest_wait < routines["load"].length
        assert unit.longest_wait < routines["square"].length + routines["multiply"].length


def test_refusals():
    made = design()
    for exponent in (0, 1, 2, 4, (1 << 20) + 1):
        with pytest.raises(SpecificationError, match="odd numbers from 3 to 2\\^20 - 1"):
            made.check_exponent(exponent)
    with pytest.raises(SpecificationError, match="a modulus of 25 bits"):
        made.key_words(1 << BITS | 1, 3)
    with pytest.raises(SpecificationError, match="has 2 bits or more"):
        design(1)
    with pytest.raises(SpecificationError, match="1 to 4 multipliers, not 9"):
        _ = design(multipliers=9).conversion
