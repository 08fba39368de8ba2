"""Exponentiators with a loaded modulus, and their final reduction, cycle by cycle."""

import random
from dataclasses import replace

import pytest
from amaranth.sim import Simulator
from gmpy2 import next_prime

from residua.algorithms.conversion import split_words
from residua.cores.coprocessor.engine.rns_montgomery import montgomery_domains
from residua.hardware.converters.final_reduction import FinalReduction
from residua.hardware.engine.datapath_design import EngineOptions
from residua.hardware.exponentiation.loaded_exponentiator import LoadedExponentiatorDesign
from residua.numbers.search import search_bases


def design(bits, width, channels, *exponent):
    prime = int(next_prime(1 << bits))
    pair = search_bases(prime, width, channels, style="any")
    (domain,) = montgomery_domains(pair, [prime])
    options = EngineOptions(rowers=pair.channels, reduction="multiply")
    return LoadedExponentiatorDesign(replace(domain, form="reordered"), options, bits, *exponent)


async def send(ctx, stream, words):
    """Offer words, each until it is taken; the cycles that pass."""
    cycles = 0
    for word in words:
        ctx.set(stream.payload, word)
        ctx.set(stream.valid, 1)
        taken = False
        while not taken:
            _, _, taken = await ctx.tick().sample(stream.ready)
            cycles += 1
    ctx.set(stream.valid, 0)
    return cycles


async def receive(ctx, stream, width):
    """The number that leaves, and the cycles until its last word."""
    words, cycles, last = [], 0, False
    ctx.set(stream.ready, 1)
    while not last:
        _, _, there, word, ends = await ctx.tick().sample(
            stream.valid, stream.payload.word, stream.payload.last
        )
        cycles += 1
        if there:
            words.append(word)
            last = bool(ends)
    ctx.set(stream.ready, 0)
    return sum(word << width * place for place, word in enumerate(words)), cycles


def simulate(unit, main):
    simulator = Simulator(unit)
    simulator.add_clock(1e-6)
    simulator.add_testbench(main)
    simulator.run()


@pytest.mark.parametrize(("bits", "exponent"), [(24, (3, 2)), (20, (2, 1, 3))])
def test_moduli_are_loaded_one_after_another(bits, exponent):
    made, chooser, done = design(bits, 12, 3, *exponent), random.Random(bits), []
    unit, largest, most = made.component(), made.largest_x, made.largest
    top = 1 << bits

    async def main(ctx):
        for modulus in (top - 1, 65537):
            await send(ctx, unit.modulus, made.load_words(modulus))
            pairs = [(0, 0), (modulus - 1, most), (largest, 1)]
            pairs.append((chooser.randint(0, largest), chooser.randint(0, most)))
            for x, y in pairs:
                words = split_words(x, made.words, 12)
                if made.exponent is None:
                    words += split_words(y, made.words, 12)
                await send(ctx, unit.operands, words)
                found, cycles = await receive(ctx, unit.result, 12)
                assert found == pow(x, made.exponent or y, modulus)
                assert found == made.power(x, y, modulus)
                assert cycles == made.latency
                done.append(found)

    simulate(unit, main)
    assert len(done) == 8


@pytest.mark.parametrize(("words", "width"), [(1, 6), (3, 5)])
def test_final_reduction(words, width):
    unit, size = FinalReduction(words, width), words * width
    chooser, done = random.Random(words), []

    async def main(ctx):
        for modulus in ((1 << size) - 1, 3, 1 << size - 1, chooser.randrange(3, 1 << size)):
            ctx.set(unit.load, 1)
            for word in split_words(modulus, words, width):
                ctx.set(unit.modulus, word)
                await ctx.tick()
            ctx.set(unit.load, 0)
            numbers = [0, 1, -1, modulus, -modulus, modulus - 1, 1 - modulus, modulus // 2]
            numbers += [chooser.randint(-modulus, modulus) for _ in range(9)]
            for number in numbers:
                complement = number % (1 << size + width)
                await send(ctx, unit.number, split_words(complement, words + 1, width))
                found, cycles = await receive(ctx, unit.result, width)
                assert found == number % modulus
                assert cycles == unit.latency
                done.append(found)

    simulate(unit, main)
    assert len(done) == 68
