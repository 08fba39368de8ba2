"""The entry keeper: the words of the entry that matches, and of no other."""

import random

import pytest
from tests.hardware.traffic import pulse, simulate

from residua.hardware.engine.entry_keeper import KEEP_DELAY, MATCH_DELAY, EntryKeeper

WIDTH, ENTRIES, WORDS = 18, 8, 3


def scanned(keeper, index, *, matching=None):
    """The words that a scan of one table keeps, oldest first."""
    found = []
    matching = matching or (lambda entry: entry == index)

    async def main(ctx):
        total = WORDS * ENTRIES
        for cycle in range(total + KEEP_DELAY + 1):
            ctx.set(keeper.address, min(cycle, total - 1))
            shown = cycle - MATCH_DELAY
            ctx.set(keeper.matches, 0 <= shown < total and matching(shown % ENTRIES))
            ctx.set(keeper.first, 0 <= shown < total and shown % ENTRIES == 0)
            ended = cycle - KEEP_DELAY
            ctx.set(keeper.keep, 0 <= ended < total and ended % ENTRIES == ENTRIES - 1)
            await ctx.tick()
        ctx.set(keeper.keep, 0)
        for _ in range(WORDS):
            found.append(ctx.get(keeper.word))
            await pulse(ctx, keeper.drop)

    simulate(keeper, main)
    return found


@pytest.mark.parametrize("index", range(ENTRIES))
def test_it_keeps_the_entry_that_matches(index):
    draw = random.Random(index)
    limit = 1 << WIDTH - 1
    memory = [draw.choice((-limit, limit - 1, 0, draw.randrange(-limit, limit)))
              for _ in range(WORDS * ENTRIES)]  # fmt: skip
    keeper = EntryKeeper(memory, WIDTH, WORDS)
    expected = [memory[word * ENTRIES + index] for word in range(WORDS)]
    assert scanned(keeper, index) == expected


def test_nothing_is_left_where_nothing_matches():
    keeper = EntryKeeper(range(1, WORDS * ENTRIES + 1), WIDTH, WORDS)
    assert scanned(keeper, None, matching=lambda entry: False) == [0] * WORDS
