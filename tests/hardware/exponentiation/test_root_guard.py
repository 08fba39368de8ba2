"""The guard of a root alone: one operation is released, and none that differs from it anywhere."""

import pytest
from amaranth.sim import Simulator

from residua.algorithms.conversion import split_words
from residua.hardware.exponentiation.root_guard import RootGuard

WORDS, WIDTH = 3, 4

N, MESSAGE, ROOT = 0x9A5, 0x7E1, 0x123

RELEASED = [(word, 0) for word in split_words(ROOT, WORDS, WIDTH)]


def given(n=N, message=MESSAGE, root=ROOT, power=None, leaving=None):
    """The words of an operation, each with what it is."""
    numbers = {
        "loads": n,
        "takes": message,
        "keeps": root,
        "compares": message if power is None else power,
        "leaves": root if leaving is None else leaving,
    }
    return [(own, w) for own, x in numbers.items() for w in split_words(x, WORDS, WIDTH)]


def released(*operations, granted=1, lasts=(0, 0, 1), flips=()):
    """The words that leave, and whether they are withheld; registers flip before they leave."""
    guard, found = RootGuard(WORDS, WIDTH), []

    async def pulse(ctx, port):
        ctx.set(port, 1)
        await ctx.tick()
        ctx.set(port, 0)

    async def script(ctx):
        ctx.set(guard.granted, granted)
        for words in operations:
            await pulse(ctx, guard.clear)
            ends = iter(lasts)
            for place, (own, word) in enumerate(words):
                if own == "clear":
                    await pulse(ctx, guard.clear)
                    continue
                if own != words[place - 1][0]:
                    await ctx.tick()
                ctx.set(guard.word, word)
                if own == "leaves":
                    ctx.set(guard.last, next(ends, 1))
                    for name in flips if own != words[place - 1][0] else ():
                        register = getattr(guard, name)
                        ctx.set(register, 1 - ctx.get(register))
                    withholds = ctx.get(guard.withholds)
                    found.append((0 if withholds else ctx.get(guard.root), withholds))
                await pulse(ctx, getattr(guard, own))

    simulator = Simulator(guard)
    simulator.add_clock(1e-6)
    simulator.add_testbench(script)
    simulator.run()
    return found


def withheld(*operations, **other):
    return all(one == (0, 1) for one in released(*operations, **other)[-WORDS:])


def test_a_root_is_released():
    """N stays for several messages."""
    assert released(given()) == RELEASED
    assert released(given(), given()[WORDS:]) == 2 * RELEASED
    assert released(given(message=0, root=0)) == [(0, 0)] * WORDS


@pytest.mark.parametrize(
    "changed",
    [
        {"message": N},
        {"root": ROOT + N},
        {"power": MESSAGE ^ 1},
        {"power": MESSAGE ^ 1 << 2 * WIDTH},
        {"leaving": ROOT ^ 1},
    ],
    ids="-".join,
)
def test_other_numbers_are_withheld(changed):
    """Also s + N, of which the power is x as well."""
    assert withheld(given(**changed))
    assert released(given(**changed), given()[WORDS:])[-WORDS:] == RELEASED


def test_a_larger_modulus_would_let_a_larger_root_out():
    """What withholds s + N is the comparison with N."""
    larger = released(given(n=0xFFF, root=0xFFE))
    assert tuple(word for word, _ in larger) == split_words(0xFFE, WORDS, WIDTH)


@pytest.mark.parametrize("place", [1, 2])
def test_words_after_a_wrong_one_are_withheld(place):
    """The words before it were right."""
    found = released(given(leaving=ROOT ^ 4 << place * WIDTH))
    assert found == [*RELEASED[:place], *[(0, 1)] * (WORDS - place)]


@pytest.mark.parametrize("place", range(WORDS, 4 * WORDS))
def test_a_word_is_missing_or_comes_twice(place):
    """Of what is compared with the message, one word more does no harm after the last one."""
    words = given()
    assert withheld([*words[:place], *words[place + 1 :]])
    more = released([*words[:place], words[place], *words[place:]])
    assert more == (RELEASED if place == 4 * WORDS - 1 else [(0, 1)] * WORDS)


@pytest.mark.parametrize("left_out", ["takes", "keeps", "compares"])
def test_a_part_of_an_operation_is_missing(left_out):
    """Also where an operation before it has left its words."""
    without = [one for one in given() if one[0] != left_out]
    assert withheld(without)
    assert withheld(given(), without[WORDS:])


def test_a_root_leaves_once():
    words = given()
    assert released([*words, *words[-WORDS:]])[WORDS:] == [(0, 1)] * WORDS
    assert withheld([*words[:-WORDS], ("clear", 0), *words[-WORDS:]])


@pytest.mark.parametrize("lasts", [(0, 1, 1), (0, 0, 0)])
def test_the_last_word_is_the_highest(lasts):
    assert released(given(), lasts=lasts)[-1] == (0, 1)
    assert released(given(), lasts=lasts)[0] == RELEASED[0]


def test_all_else_has_to_be_granted():
    assert withheld(given(), granted=0)


@pytest.mark.parametrize("register", ["_is_root", "_differs"])
def test_one_flip_does_not_make_a_root(register):
    """Both together do."""
    wrong = given(power=MESSAGE ^ 2)
    assert withheld(wrong, flips=(register,))
    assert released(wrong, flips=("_is_root", "_differs")) == RELEASED
