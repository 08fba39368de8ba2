"""The serial port: bytes in both directions, noise, bytes that are lost."""

import random

import pytest
from amaranth.sim import Simulator

from residua.hardware.soc.uart import (
    EMPTY,
    FEWEST_CYCLES,
    LOST,
    RECEIVED,
    Receiver,
    Transmitter,
    Uart,
)

BYTES = [0x00, 0xFF, 0xA5, 0x5A, 0x01, 0x80]


def simulate(component, *benches):
    simulator = Simulator(component)
    simulator.add_clock(1e-6)
    for bench in benches:
        simulator.add_testbench(bench)
    simulator.run()


def bits(byte):
    """The levels of a line: start, the lowest bit first, stop."""
    return [0, *(byte >> i & 1 for i in range(8)), 1]


@pytest.mark.parametrize("divisor", [FEWEST_CYCLES, 7, 100])
def test_bits_of_a_byte_last_as_long_as_they_should(divisor):
    transmitter = Transmitter(divisor)

    async def bench(ctx):
        assert ctx.get(transmitter.line) == 1
        for byte in BYTES:
            ctx.set(transmitter.data.payload, byte)
            ctx.set(transmitter.data.valid, 1)
            while not ctx.get(transmitter.data.ready):
                await ctx.tick()
            await ctx.tick()
            ctx.set(transmitter.data.valid, 0)
            levels = []
            for _ in range(transmitter.cycles):
                assert not ctx.get(transmitter.data.ready)
                levels.append(ctx.get(transmitter.line))
                await ctx.tick()
            assert levels == [level for level in bits(byte) for _ in range(divisor)]
        assert ctx.get(transmitter.data.ready)

    simulate(transmitter, bench)


@pytest.mark.parametrize(("divisor", "sent"), [(16, 16), (32, 31), (32, 33), (100, 104), (4, 4)])
def test_a_receiver_bears_a_clock_that_is_a_little_off(divisor, sent):
    receiver, found = Receiver(divisor), []

    async def line(ctx):
        for byte in BYTES:
            for level in bits(byte):
                ctx.set(receiver.line, level)
                await ctx.tick().repeat(sent)
        await ctx.tick().repeat(2 * divisor)

    async def watch(ctx):
        async for _, _, valid, byte, broken in ctx.tick().sample(
            receiver.valid, receiver.byte, receiver.broken
        ):
            assert not broken
            if valid:
                found.append(byte)

    simulator = Simulator(receiver)
    simulator.add_clock(1e-6)
    simulator.add_testbench(line)
    simulator.add_process(watch)
    simulator.run()
    assert found == BYTES


def test_noise_is_no_byte():
    receiver, seen = Receiver(16), []

    async def line(ctx):
        for length in (1, 3, 6):
            ctx.set(receiver.line, 0)
            await ctx.tick().repeat(length)
            ctx.set(receiver.line, 1)
            for _ in range(400):
                seen.append(ctx.get(receiver.valid) | ctx.get(receiver.broken))
                await ctx.tick()

    simulate(receiver, line)
    assert not any(seen)


class Processor:
    """Accesses of a processor to a serial port."""

    def __init__(self, uart):
        self.uart = uart

    async def access(self, ctx, strobe, data=0):
        port = self.uart.port
        ctx.set(port.valid, 1)
        ctx.set(port.strobe, strobe)
        ctx.set(port.write_data, data)
        while not ctx.get(port.ready):
            await ctx.tick()
        read = ctx.get(port.read_data)
        await ctx.tick()
        ctx.set(port.valid, 0)
        return read

    async def send(self, ctx, byte):
        await self.access(ctx, 1, byte)

    async def take(self, ctx):
        """The byte that is read, and whether some were lost before it; None for no byte."""
        word = await self.access(ctx, 0)
        return None if word >> EMPTY & 1 else word & 0xFF, word >> LOST & 1


def test_what_is_sent_is_received():
    uart = Uart(5)
    processor, draw = Processor(uart), random.Random(1)
    content = [draw.randrange(256) for _ in range(40)]

    async def loop(ctx):
        async for _, _, level in ctx.tick().sample(uart.send):
            ctx.set(uart.receive, level)

    async def bench(ctx):
        found = []
        for byte in content:
            await processor.send(ctx, byte)
            found.append(await processor.take(ctx))
        for _ in range(4):
            await ctx.tick().repeat(60)
            found.append(await processor.take(ctx))
        assert [byte for byte, _ in found if byte is not None] == content
        assert not any(lost for _, lost in found)

    simulator = Simulator(uart)
    simulator.add_clock(1e-6)
    simulator.add_testbench(bench)
    simulator.add_testbench(loop, background=True)
    simulator.run()


@pytest.mark.parametrize("broken", [False, True])
def test_lost_bytes_are_told_once(broken):
    uart = Uart(4)
    processor = Processor(uart)

    async def bench(ctx):
        for number in range(3 if broken else RECEIVED + 1 + 2):
            levels = bits(number)
            levels[-1] = 0 if broken and number == 1 else 1
            for level in (*levels, 1, 1):
                ctx.set(uart.receive, level)
                await ctx.tick().repeat(4)
        await ctx.tick().repeat(20)
        found = [await processor.take(ctx) for _ in range(RECEIVED + 4)]
        assert [lost for _, lost in found] == [1] + [0] * (RECEIVED + 3)
        bytes_ = [byte for byte, _ in found if byte is not None]
        assert bytes_ == ([0, 2] if broken else list(range(len(bytes_))))

    simulate(uart, bench)
