"""Random words out of noise."""

import random

from amaranth.sim import Simulator

from residua.hardware.random_monitor import VERDICT, repetition_cutoff
from residua.hardware.soc.random_source import FOLD, STATUS, UNFIT, RandomSource


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
        place += 32 * FOLD + VERDICT + 1


def test_no_word_is_read_twice():
    found = words(endless, 20, wait=7)
    assert len({word for word, _ in found}) == 20
    assert all(cycles == 32 * FOLD + VERDICT - 8 for _, cycles in found[1:])


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


async def access(ctx, source, offset):
    """A read, as a processor makes it."""
    ctx.set(source.port.address, offset)
    ctx.set(source.port.valid, 1)
    while not ctx.get(source.port.ready):
        await ctx.tick()
    word = ctx.get(source.port.read_data)
    await ctx.tick()
    ctx.set(source.port.valid, 0)
    return word


def test_words_that_fail_a_test_are_not_given():
    """Noise that stands still gives 0 always; the first such words are not yet too many."""
    source = RandomSource()

    async def bench(ctx):
        for number in range(1, repetition_cutoff() + 3):
            word = await access(ctx, source, 0)
            unfit = await access(ctx, source, STATUS) >> UNFIT & 1
            assert unfit == (number >= repetition_cutoff())
            assert word == 0
        draw = random.Random(3)
        for _ in range(2 * source.cycles):
            ctx.set(source.noise, draw.getrandbits(1))
            await ctx.tick()
        assert await access(ctx, source, 0) == 0
        assert await access(ctx, source, STATUS) == 1 << UNFIT

    simulator = Simulator(source)
    simulator.add_clock(1e-6)
    simulator.add_testbench(bench)
    simulator.run()


def test_the_status_does_not_wait_nor_take_a_word():
    source = RandomSource()

    async def bench(ctx):
        for _ in range(3):
            before = ctx.get(source.port.ready)
            assert not before
            assert await access(ctx, source, STATUS) == 0
        ctx.set(source.port.address, 0)
        ctx.set(source.port.valid, 1)
        waited = 0
        while not ctx.get(source.port.ready):
            await ctx.tick()
            waited += 1
        assert waited == source.cycles - 3

    simulator = Simulator(source)
    simulator.add_clock(1e-6)
    simulator.add_testbench(bench)
    simulator.run()
