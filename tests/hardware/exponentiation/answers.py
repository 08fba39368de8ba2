"""What cores for RSA release in Amaranth's simulator, whatever flips in their memories."""

from amaranth.hdl import Value


async def answer(ctx, core, words, latency, fault=None):
    """A result's words, its flag, and the cycles that it took, `latency` at most.

    The flag is that of the last word; after a word that is withheld there is no other.
    A ``fault`` is a cycle, a memory, and the place and the bit in it that flip.
    """
    result = core.result
    ctx.set(result.ready, 1)
    found, flags, cycles = [], [], 0
    payload = result.payload
    edges = aiter(ctx.tick().sample(result.valid, payload.word, payload.last, payload.error))
    while len(found) < words:
        if fault and fault[0] == cycles:
            _flip(ctx, *fault[1:])
        _, _, valid, word, last, error = await anext(edges)
        cycles += 1
        assert cycles <= latency
        if valid:
            found.append(word)
            flags.append(error)
            assert last == (len(found) == words)
    ctx.set(result.ready, 0)
    assert flags == sorted(flags)
    return found, flags[-1], cycles


def _flip(ctx, memory, place, bit):
    row = memory.data[place]
    # What is signed is read as a negative number.
    ctx.set(row, ctx.get(row) % (1 << len(Value.cast(row))) ^ 1 << bit)
