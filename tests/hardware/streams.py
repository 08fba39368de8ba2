"""Drives components with a stream at each end, with and without stalls, in Amaranth's simulator."""

import random
from dataclasses import dataclass, field

from tests.hardware.traffic import sender, simulate

from residua.numbers.digits import join_digits


@dataclass
class Transfers:
    """What was transferred, and in which cycles words were taken and results complete."""

    taken: list[int] = field(default_factory=list)
    results: list[int] = field(default_factory=list)
    lengths: list[int] = field(default_factory=list)
    finished: list[int] = field(default_factory=list)


def pass_through(component, source, sink, words, width, count, pace=(1.0, 1.0), prepare=None):
    """Send ``words`` into ``source``, collect ``count`` results of ``width``-bit words.

    ``pace`` is how likely each side is willing to transfer in a cycle; ``prepare`` comes first.
    """
    transfers, generator = Transfers(), random.Random(2)

    async def send(ctx):
        if prepare:
            await prepare(ctx)
        await sender(source, words, pace[0], taken=transfers.taken)(ctx)

    async def receive(ctx):
        found, cycle, ready = [], 0, sink.ready
        ctx.set(ready, generator.random() < pace[1])
        sampled = ctx.tick().sample(sink.valid & ready, sink.payload.word, sink.payload.last)
        async for _, _, there, word, last in sampled:
            ctx.set(ready, generator.random() < pace[1])
            if there:
                found.append(word)
            if there and last:
                transfers.results.append(join_digits(found, width))
                transfers.lengths.append(len(found))
                transfers.finished.append(cycle)
                found = []
            if len(transfers.results) == count:
                return
            cycle += 1

    simulate(component, receive, send)
    return transfers
