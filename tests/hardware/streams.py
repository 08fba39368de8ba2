"""Drives components with a stream at each end, with and without stalls, in Amaranth's simulator."""

import random
from dataclasses import dataclass, field

from amaranth.sim import Simulator

CYCLES_PER_WORD = 400
"""A word that takes longer does not come any more."""


@dataclass
class Transfers:
    """What was transferred, and in which cycles."""

    taken: list[int] = field(default_factory=list)
    results: list[int] = field(default_factory=list)
    lengths: list[int] = field(default_factory=list)
    finished: list[int] = field(default_factory=list)


def pass_through(component, source, sink, words, width, count, pace=(1.0, 1.0), seed=1):
    """Send ``words`` into ``source``, collect ``count`` results of ``width``-bit words.

    ``pace`` is how likely each side is willing to transfer in a cycle.
    """
    transfers, generator = Transfers(), random.Random(seed)
    limit = CYCLES_PER_WORD * len(words)

    async def send(ctx):
        cycle, cycles = 0, aiter(ctx.tick().sample(source.ready & source.valid))
        for word in words:
            ready = False
            ctx.set(source.payload, word)
            while not ready and cycle < limit:
                ctx.set(source.valid, generator.random() < pace[0])
                _, _, ready = await anext(cycles)
                cycle += 1
            transfers.taken.append(cycle - 1)
        ctx.set(source.valid, 0)

    async def receive(ctx):
        result = length = 0
        cycles = aiter(
            ctx.tick().sample(sink.valid & sink.ready, sink.payload.word, sink.payload.last)
        )
        for cycle in range(limit):
            ctx.set(sink.ready, generator.random() < pace[1])
            _, _, there, word, last = await anext(cycles)
            if not there:
                continue
            result |= word << (width * length)
            length += 1
            if last:
                transfers.results.append(result)
                transfers.lengths.append(length)
                transfers.finished.append(cycle)
                result = length = 0
            if len(transfers.results) == count:
                return

    simulator = Simulator(component)
    simulator.add_clock(1e-6)
    simulator.add_testbench(send)
    simulator.add_testbench(receive)
    simulator.run()
    assert len(transfers.results) == count
    return transfers
