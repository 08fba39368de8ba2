"""Random words out of noise."""

import random

from amaranth.sim import Simulator

from residua.hardware.soc.random_source import FOLD, RandomSource


def words(noise, count, wait=0):
    """The words that are read, when noise is these bits, and how long each takes."""
    source, found = RandomSource(), []

    async def bench(ctx):
        for bit in noise(0):
            ctx.set(source.noise, bit)
            await ctx.tick()
            if len(found) == count:
                break

    async def reader(ctx):
        for _ in range(count):
            ctx.set(source.port.valid, 1)
            cycles = 0
            while not ctx.get(source.port.ready):
                await ctx.tick()
                cycles += 1
            found.append((ctx.get(source.port.read_data), cycles))
            await ctx.tick()
            ctx.set(source.port.valid, 0)
            await ctx.tick().repeat(wait + 1)

    simulator = Simulator(source)
    simulator.add_clock(1e-6)
    simulator.add_testbench(reader)
    simulator.add_testbench(bench, background=True)
    simulator.run()
    assert source.cycles == 32 * FOLD
    return found


def endless(seed):
    draw = random.Random(seed)
    while True:
        yield draw.getrandbits(1)


def test_words_are_parities_of_noise():
    """Two registers are before the first sample; a cycle passes when a word is read."""
    noise = endless(5)
    kept = [next(noise) for _ in range(3000)]
    found = words(lambda _: iter(kept), 3)
    place = -2
    for number, (word, _) in enumerate(found):
        samples = [kept[i] if i >= 0 else 0 for i in range(place, place + 32 * FOLD)]
        parities = [sum(samples[i : i + FOLD]) % 2 for i in range(0, 32 * FOLD, FOLD)]
        assert word == sum(bit << i for i, bit in enumerate(parities)), number
        place += 32 * FOLD + 1


def test_no_word_is_read_twice():
    found = words(endless, 20, wait=7)
    assert len({word for word, _ in found}) == 20
    assert all(cycles >= 32 * FOLD - 10 for _, cycles in found[1:])


def test_a_write_does_not_wait():
    source = RandomSource()

    async def bench(ctx):
        ctx.set(source.port.valid, 1)
        ctx.set(source.port.strobe, 15)
        assert ctx.get(source.port.ready)
        await ctx.tick()

    simulator = Simulator(source)
    simulator.add_clock(1e-6)
    simulator.add_testbench(bench)
    simulator.run()
