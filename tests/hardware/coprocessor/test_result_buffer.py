"""The result buffer against plain integers."""

import random

import pytest
from tests.hardware.traffic import (
    Opened,
    assert_refused,
    pulse,
    receiver,
    sender,
    simulate,
    ticks,
    ticks_until,
)

from residua.algorithms.conversion import split_words
from residua.hardware.converters.result_buffer import ResultBuffer

SHAPES = [
    # bits of a word, words, words of 32 bits, numbers held
    (17, 16, 8, 2),
    (33, 8, 9, 1),
    (24, 3, 2, 3),
    (32, 4, 4, 2),
    (17, 2, 2, 2),
    (64, 1, 2, 1),
]
PACES = [(1.0, 1.0), (0.4, 1.0), (1.0, 0.3), (0.5, 0.5)]


def numbers_of(buffer, count, seed=1):
    """Numbers with zeros and ones in all places, zero among them."""
    generator = random.Random(seed)
    bits = min(buffer.width * buffer.length, 32 * buffer.count)
    most = (1 << bits) - 1
    edges = [0, 1, most, 1 << bits - 1, 0, (1 << buffer.width) & most, most ^ 1, 0]
    numbers = [*edges, *(generator.getrandbits(bits) for _ in range(count))]
    return numbers[:count] if count < len(edges) else numbers


def payloads_of(buffer, numbers):
    return [
        {"word": word, "last": index == buffer.length - 1}
        for number in numbers
        for index, word in enumerate(split_words(number, buffer.length, buffer.width))
    ]


def joined(found, count):
    """The numbers that released words make."""
    words = [payload.word for payload in found]
    return [
        sum(word << 32 * i for i, word in enumerate(words[start : start + count]))
        for start in range(0, len(words), count)
    ]


def batches_of(buffer, numbers, seed=2):
    """Batches of (number, test_only): at most as many are stored as there is room for."""
    generator, batch, batches = random.Random(seed), [], []
    for number in numbers:
        room = sum(not tested for _, tested in batch) < buffer.capacity
        batch.append((number, not room or generator.random() < 0.4))
        if generator.random() < 0.4:
            batches.append(batch)
            batch = []
    return [*batches, batch] if batch else batches


@pytest.mark.parametrize("pace", PACES)
@pytest.mark.parametrize("shape", SHAPES)
def test_batches(shape, pace):
    buffer = ResultBuffer(*shape)
    batches = batches_of(buffer, numbers_of(buffer, 24))
    found, numbers = [], [number for batch in batches for number, _ in batch]

    async def main(ctx):
        await ticks_until(ctx, ~buffer.busy)
        for batch in batches:
            for index, (number, tested) in enumerate(batch):
                ctx.set(buffer.test_only, tested)
                await ticks_until(ctx, buffer.received)
                assert ctx.get(buffer.zero) == (number == 0)
                assert not found
                ctx.set(buffer.release, index == len(batch) - 1)
                await ctx.tick()
            ctx.set(buffer.release, 0)
            await ticks_until(ctx, ~buffer.busy)
            await ticks(ctx, 0)
            stored = [number for number, tested in batch if not tested]
            assert joined(found, buffer.count) == stored
            flags = [payload.last for payload in found]
            assert flags == [0] * (len(found) - 1) + [1] * bool(found)
            found.clear()

    simulate(
        buffer,
        main,
        sender(buffer.results, payloads_of(buffer, numbers), pace[0]),
        receiver(buffer.released, found, pace[1]),
    )


@pytest.mark.parametrize("shape", SHAPES)
def test_words_pass_by_before_the_end_of_their_number(shape):
    """Those of a number that is only looked at as well."""
    buffer, passed = ResultBuffer(*shape, passes=True), []
    numbers = numbers_of(buffer, 6)

    async def main(ctx):
        await ticks_until(ctx, ~buffer.busy)
        ctx.set(buffer.test_only, 1)
        for number in numbers:
            words = []
            while not ctx.get(buffer.received):
                if ctx.get(buffer.passing):
                    words.append(ctx.get(buffer.passed))
                await ctx.tick()
            assert not ctx.get(buffer.passing)
            assert tuple(words) == split_words(number, buffer.count, 32)
            passed.append(number)
            await ctx.tick()

    simulate(buffer, main, sender(buffer.results, payloads_of(buffer, numbers), 0.6))
    assert passed == numbers


@pytest.mark.parametrize("shape", SHAPES)
def test_cycles_do_not_depend_on_the_number(shape):
    buffer, spans, taken = ResultBuffer(*shape), [], []
    numbers = numbers_of(buffer, 12)

    async def main(ctx):
        ctx.set(buffer.test_only, 1)
        cycle = await ticks_until(ctx, ~buffer.busy)
        for index in range(len(numbers)):
            cycle += await ticks_until(ctx, buffer.received)
            spans.append(cycle - taken[buffer.length * index])
            cycle += 1
            await ctx.tick()

    simulate(buffer, main, sender(buffer.results, payloads_of(buffer, numbers), taken=taken))
    assert set(spans) == {buffer.latency}


def test_nothing_shows_before_release_and_a_full_buffer_waits():
    buffer = ResultBuffer(17, 4, 2)
    opened = Opened(buffer)
    taken, found = [], []
    numbers = [2**64 - 1, 2**63 + 1, 7]

    async def main(ctx):
        for _ in range(100):
            await ctx.tick()
            assert not ctx.get(buffer.released.valid)
            assert ctx.get(buffer.released.payload.word) == 0
        assert len(taken) == 2 * buffer.length
        assert any(ctx.get(row) for row in opened.rows)
        await pulse(ctx, buffer.release)
        await ticks_until(ctx, ~buffer.busy)
        await ticks(ctx, 0)
        assert joined(found, 2) == numbers[:2]
        assert not any(ctx.get(row) for row in opened.rows)
        await ticks_until(ctx, buffer.received)
        await pulse(ctx, buffer.release)
        await ticks_until(ctx, ~buffer.busy)
        await ticks(ctx, 0)
        assert joined(found, 2) == numbers

    simulate(
        opened.fragment,
        main,
        sender(buffer.results, payloads_of(buffer, numbers), taken=taken),
        receiver(buffer.released, found),
    )


@pytest.mark.parametrize("release", [False, True])
@pytest.mark.parametrize("after", [0, 1, 3, 5, 11, 12, 13, 18, 24, 25, 28])
def test_clear_wipes_everything(after, release):
    """Wherever it comes, while numbers come in or leave."""
    buffer, found = ResultBuffer(17, 4, 2), []
    opened = Opened(buffer)

    async def main(ctx):
        assert await ticks_until(ctx, ~buffer.clearing) == buffer.depth
        ctx.set(buffer.results.payload, {"word": 0x1FFFF, "last": 0})
        ctx.set(buffer.results.valid, 1)
        if release:
            await ticks(ctx, 30)
            await pulse(ctx, buffer.release)
            ctx.set(buffer.released.ready, 1)
            await ticks(ctx, after % 4)
        else:
            await ticks(ctx, after)
        ctx.set(buffer.results.valid, 0)
        ctx.set(buffer.released.ready, 0)
        await pulse(ctx, buffer.clear)
        assert await ticks_until(ctx, ~buffer.clearing) == buffer.depth
        assert not any(ctx.get(row) for row in opened.rows)
        assert not ctx.get(buffer.zero)
        assert not ctx.get(buffer.released.valid)
        ctx.set(buffer.released.ready, 1)
        for payload in payloads_of(buffer, [0, 5]):
            ctx.set(buffer.results.valid, 1)
            ctx.set(buffer.results.payload, payload)
            await ctx.tick().until(buffer.results.ready)
            ctx.set(buffer.results.valid, 0)
            if payload["last"]:
                await ticks_until(ctx, buffer.received)
                assert ctx.get(buffer.zero) == (not found)
                await pulse(ctx, buffer.release)
                for _ in range(buffer.count):
                    _, _, valid, word = await ctx.tick().sample(
                        buffer.released.valid, buffer.released.payload.word
                    )
                    assert valid
                    found.append(word)

    simulate(opened.fragment, main)
    assert found == [0, 0, 5, 0]


def test_a_buffer_without_room_is_refused():
    assert_refused(lambda: ResultBuffer(17, 4, 2, 0), "at least 1 number, not 0")
