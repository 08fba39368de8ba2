"""The dispatcher of several cores, with stand-ins, and faults in it that its checks find."""

import dataclasses
import random

import pytest
from amaranth.hdl import Module
from amaranth.lib.wiring import Component, In, Out, connect, flipped
from tests.hardware.stand_in import (
    BAD_OPERATION,
    OK,
    OPERAND_RANGE,
    OPERANDS,
    REFUSED,
    RESULTS,
    SLOW,
    SLOW_CYCLES,
    ZEROISED,
    StandIn,
)
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

from residua.hardware.bus.control import raw_members
from residua.hardware.bus.dispatcher import Dispatcher, Traffic, trailer_layout
from residua.hardware.bus.register_map import Capabilities, RegisterMap
from residua.hardware.bus.request_buffer import RequestBuffer

WORDS, COUNT, FAULT = 2, 3, 11
CAPABILITIES = Capabilities(curves=1, words=WORDS, operations=range(1, 8), instances=COUNT)
TRAILER = trailer_layout(RegisterMap(CAPABILITIES)["TRAILER"])
TRAFFIC = Traffic(
    operands={(code, 0): WORDS * OPERANDS[code] for code in CAPABILITIES.operations},
    results={(code, 0): WORDS * RESULTS[code] for code in CAPABILITIES.operations},
    ok=OK,
    zeroised=ZEROISED,
    fault=FAULT,
)
POINT, VALIDATE, INVERT, NONE = 1, 5, 7, 31


class Cluster(Component):
    """Stand-ins behind a dispatcher; ``stray`` is set when one sees words of another."""

    def __init__(self, dispatcher=Dispatcher, traffic=TRAFFIC):
        self.dispatcher = dispatcher(COUNT, traffic, TRAILER)
        self.parts = [StandIn(CAPABILITIES, ends_first=True) for _ in range(COUNT)]
        super().__init__(
            {
                "front": Out(self.dispatcher.front.signature),
                "zeroise_cores": In(COUNT),
                "working": Out(COUNT),
                "waiting": Out(1),
                "stray": Out(1),
            }
        )

    def elaborate(self, platform):  # noqa: ARG002
        m = Module()
        m.submodules.dispatcher = dispatcher = self.dispatcher
        connect(m, flipped(self.front), dispatcher.front)
        m.d.comb += [
            dispatcher.zeroise_cores.eq(self.zeroise_cores),
            self.working.eq(dispatcher.working),
            self.waiting.eq(dispatcher.waiting),
        ]
        for number, (part, outer) in enumerate(zip(self.parts, dispatcher.cores, strict=True)):
            m.submodules[f"core_{number}"] = part
            _join(m, part, outer)
            for words in (part.operands, part.random):
                with m.If(~words.valid & words.payload.any()):
                    m.d.sync += self.stray.eq(1)
        return m


def _join(m, part, outer):
    """A core's interface to the dispatcher's."""
    for name, member in raw_members().items():
        inner, other = getattr(part, name), getattr(outer, name)
        if member.is_signature:
            connect(m, inner, other)
        else:
            m.d.comb += inner.eq(other) if member.flow is In else other.eq(inner)


class Swapped(Dispatcher):
    """Gives the words that another core has out at the same time."""

    def elaborate(self, platform):
        m = super().elaborate(platform)
        first, second = (core.result.payload.word for core in self.cores[:2])
        for core, other in zip(self.cores[:2], (second, first), strict=True):
            with m.If(core.result.ready):
                m.d.comb += self.front.result.payload.word.eq(other)
        return m


class Untagged(Dispatcher):
    """Forgets the tag of core 0."""

    def elaborate(self, platform):
        m = super().elaborate(platform)
        m.d.sync += self._tags[0].eq(0)
        return m


class Neighbour(Dispatcher):
    """Zeroises core 1 along with core 0."""

    def elaborate(self, platform):
        m = super().elaborate(platform)
        m.d.comb += self.cores[1].zeroise.eq(self._zeroised[0] | self._zeroised[1])
        return m


class Silent(Dispatcher):
    """Does not tell of a result that a zeroisation cut short."""

    def elaborate(self, platform):
        m = super().elaborate(platform)
        m.d.sync += self._aborted.eq(0)
        return m


class Doubled(Dispatcher):
    """Gives two cores the same random words."""

    def elaborate(self, platform):
        m = super().elaborate(platform)
        first, second = self.cores[:2]
        m.d.comb += [
            second.random.valid.eq(first.random.valid),
            second.random.payload.eq(first.random.payload),
        ]
        return m


class Ungated(Dispatcher):
    """Shows the operands of one core to all."""

    def elaborate(self, platform):
        m = super().elaborate(platform)
        for core in self.cores:
            m.d.comb += core.operands.payload.eq(self.buffer.given.payload)
        return m


class Program:
    """Requests and their packets, with a stream of random words that are all different."""

    def __init__(self, cluster, seed, pace):
        self.cluster, self.front = cluster, cluster.front
        self.draw, self.pace = random.Random(seed), pace
        self.found, self.used = [], set()
        self.pool = self.draw.sample(range(1 << 32), 400)
        self.asked, self.cut_short = {}, 0

    def run(self, main):
        """Simulate ``main(ctx, program)``."""

        async def bench(ctx):
            await main(ctx, self)
            assert not ctx.get(self.cluster.stray), "a core sees words that are not its own"

        random_words = sender(self.front.random, self.pool, self.pace, 3)
        results = receiver(self.front.result, self.found, self.pace, 4)
        simulate(self.cluster, bench, random_words, results)

    async def submit(self, ctx, operation, operands=None):
        """Make a request; its tag."""
        front = self.front
        tag = next(tag for tag in self.draw.sample(range(256), 256) if tag not in self.asked)
        if operands is None:
            operands = [self.draw.getrandbits(31) for _ in range(WORDS * OPERANDS[operation])]
        self.asked[tag] = operation, operands
        ctx.set(front.command.payload, {"operation": operation, "curve": 0, "tag": tag})
        ctx.set(front.command.valid, 1)
        await ticks_until(ctx, front.command.ready)
        await ctx.tick()
        ctx.set(front.command.valid, 0)
        for word in operands:
            while self.draw.random() > self.pace:
                await ctx.tick()
            ctx.set(front.operands.payload, word)
            ctx.set(front.operands.valid, 1)
            await ticks_until(ctx, front.operands.ready)
            await ctx.tick()
            ctx.set(front.operands.valid, 0)
        return tag

    async def packets(self, ctx, zeroised=()):
        """All packets that are due, each of them right; (tag, instance) in their order.

        Requests of some tags may be zeroised.
        """
        size, order = TRAFFIC.packet, []
        for _ in range(len(self.asked)):
            for _ in range(6000):
                if len(self.found) >= size:
                    break
                await ctx.tick()
            assert len(self.found) >= size, "a result does not come"
            packet, self.found[:size] = self.found[:size], []
            order.append(self.check(packet, zeroised))
        while ctx.get(self.front.busy):
            await ctx.tick()
        await ticks(ctx, 3 * COUNT)
        assert not self.found
        return order

    def check(self, packet, zeroised):
        assert [word.last for word in packet] == [0] * (len(packet) - 1) + [1]
        *words, trailer = [word.word for word in packet]
        told = TRAILER.from_bits(trailer)
        operation, operands = self.asked.pop(told.tag)
        if told.tag in zeroised and told.code == ZEROISED:
            assert told.instance == 0
            self.cut_short += 1
        elif operation == NONE:
            assert (told.code, any(words)) == (BAD_OPERATION, False)
        elif operands[0] == REFUSED:
            assert (told.code, any(words)) == (OPERAND_RANGE, False)
        else:
            assert told.code == OK
            self.check_words(operation, operands, words)
        return told.tag, told.instance

    def check_words(self, operation, operands, words):
        count = RESULTS[operation] * WORDS
        right = (operands[::-1] + operands[:1] * count)[:count]
        found = {word ^ own ^ operation << 8 for word, own in zip(words, right, strict=False)}
        assert not any(words[count:])
        assert len(found) == (1 if count else 0)
        assert found <= set(self.pool)
        assert not found & self.used, "a random word serves two requests"
        self.used |= found


async def mixed(ctx, program):
    """Requests of all kinds, as many as find room."""
    kinds = [POINT, INVERT, VALIDATE, NONE, 4, 6]
    for number in range(24):
        operation = kinds[number % len(kinds)]
        operands = [] if operation == NONE else None
        if operation == INVERT and number % 4 == 1:
            operands = [REFUSED, 0]
        await program.submit(ctx, operation, operands)
    await program.packets(ctx)


async def zeroised(ctx, program):
    """Core 0 is zeroised while it works, or while its result leaves; others go on."""
    for wait in (0, 3, 5, 8, 11, 14, 17, 20, 24, 30, 60):
        tags = [await program.submit(ctx, POINT) for _ in range(COUNT)]
        await ticks(ctx, wait)
        ctx.set(program.cluster.zeroise_cores, 0b001)
        await ctx.tick()
        ctx.set(program.cluster.zeroise_cores, 0)
        before = program.cut_short
        await program.packets(ctx, zeroised=tags)
        assert program.cut_short - before <= 1


@pytest.mark.parametrize("pace", [1.0, 0.4])
def test_requests_in_flight(pace):
    Program(Cluster(), "mixed", pace).run(mixed)


@pytest.mark.parametrize("pace", [1.0, 0.5])
def test_zeroised_core(pace):
    program = Program(Cluster(), "zeroised", pace)
    program.run(zeroised)
    assert program.cut_short > 3


@pytest.mark.parametrize(
    "fault", [Swapped, Untagged, Doubled, Ungated], ids=lambda fault: fault.__name__
)
def test_fault_in_requests_is_found(fault):
    with pytest.raises((AssertionError, KeyError)):
        Program(Cluster(fault), "mixed", 1.0).run(mixed)


@pytest.mark.parametrize("fault", [Neighbour, Silent], ids=lambda fault: fault.__name__)
def test_fault_in_zeroisation_is_found(fault):
    with pytest.raises((AssertionError, KeyError)):
        Program(Cluster(fault), "zeroised", 1.0).run(zeroised)


def test_order_of_completion():
    """Short requests pass by a slow one, whose result comes when it ends."""

    async def main(ctx, program):
        slow = await program.submit(ctx, INVERT, [SLOW, 1])
        short = [await program.submit(ctx, INVERT) for _ in range(4)]
        await ticks(ctx, SLOW_CYCLES)
        order = await program.packets(ctx)
        assert [tag for tag, _ in order] == [*short, slow]
        assert order[-1][1] == 0
        assert 0 not in [instance for _, instance in order[:-1]]

    Program(Cluster(), "order", 1.0).run(main)


def test_one_request_waits_while_all_work():
    async def main(ctx, program):
        for _ in range(COUNT):
            await program.submit(ctx, INVERT, [SLOW, 1])
        await program.submit(ctx, INVERT)
        assert ctx.get(program.cluster.waiting)
        assert ctx.get(program.cluster.working) == (1 << COUNT) - 1
        assert not ctx.get(program.front.command.ready)
        await program.packets(ctx)

    Program(Cluster(), "waits", 1.0).run(main)


def test_zeroisation_of_all_forgets_everything():
    async def main(ctx, program):
        for wait in (0, 4, 9, 15, 22):
            for _ in range(COUNT + 1):
                await program.submit(ctx, POINT)
            await ticks(ctx, wait)
            ctx.set(program.front.zeroise, 1)
            await ctx.tick()
            ctx.set(program.front.zeroise, 0)
            await ticks(ctx, 1)
            program.found.clear()
            program.asked.clear()
            await ticks(ctx, 200)
            assert not program.found
            await program.submit(ctx, INVERT)
            await program.packets(ctx)

    Program(Cluster(), "all", 1.0).run(main)


def test_result_that_is_not_whole_is_a_fault():
    """A core that ends well and gives fewer words than it should."""
    more = {key: count + WORDS for key, count in TRAFFIC.results.items()}
    traffic = dataclasses.replace(TRAFFIC, results=more)

    async def main(ctx, program):
        await program.submit(ctx, INVERT)
        await ticks(ctx, 100)
        assert len(program.found) == traffic.packet
        assert TRAILER.from_bits(program.found[-1].word).code == FAULT

    Program(Cluster(traffic=traffic), "short", 1.0).run(main)


def test_counts_of_cores():
    for count in (1, 33):
        assert_refused(lambda count=count: Dispatcher(count, TRAFFIC, TRAILER), "dispatcher has 2")


@pytest.mark.parametrize("end", ["given", "drop", "clear", "clear early"])
def test_buffer_wipes_what_leaves_and_what_is_dropped(end):
    """No word stays in the memory, whatever becomes of a request."""
    buffer = RequestBuffer({(1, 0): 4, (2, 0): 5})
    opened = Opened(buffer)

    async def main(ctx):
        assert await ticks_until(ctx, buffer.request.ready) == buffer.depth == 5
        ctx.set(buffer.request.payload, {"operation": 1, "curve": 0, "tag": 7})
        await pulse(ctx, buffer.request.valid)
        ctx.set(buffer.operands.payload, 0xFFFFFFFF)
        ctx.set(buffer.operands.valid, 1)
        await ticks(ctx, 2 if end == "clear early" else 4)
        ctx.set(buffer.operands.valid, 0)
        assert any(ctx.get(row) for row in opened.rows)
        assert ctx.get(buffer.whole) == (end != "clear early")
        if end in ("given", "drop"):
            await pulse(ctx, buffer.take)
            ctx.set(buffer.given.ready, 1)
            await ticks(ctx, 2 if end == "drop" else 4)
            ctx.set(buffer.given.ready, 0)
        if end == "drop":
            await pulse(ctx, buffer.drop)
        elif end != "given":
            await pulse(ctx, buffer.clear)
        await ticks_until(ctx, buffer.request.ready)
        assert not any(ctx.get(row) for row in opened.rows)

    simulate(opened.fragment, main)
