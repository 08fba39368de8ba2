"""RSA in hardware: roots, cycles, and that no fault in one half lets anything out."""

import functools
import random

import pytest
from amaranth.sim import Simulator
from tests.hardware.exponentiation.answers import answer
from tests.hardware.exponentiation.open_guard import open_guards
from tests.hardware.traffic import sender

from residua.errors import SpecificationError
from residua.hardware.digit.iddmm import IddmmDesign
from residua.hardware.digit.lanes import LanesDesign
from residua.hardware.exponentiation.digit_exponentiator import DigitExponentiatorDesign
from residua.hardware.exponentiation.rsa_crt import RsaCrtDesign, half_bits
from residua.numbers.digits import DigitShape, join_digits, split_digits
from residua.numbers.rsa import RsaKey


def multiplier(bits, k, lanes):
    shape = DigitShape(bits, k)
    return LanesDesign(shape, None, lanes, "supplied") if lanes else IddmmDesign(shape, None)


def rsa(bits, k, e, lanes=None, window=2):
    half = multiplier(half_bits(bits, k), k, lanes)
    whole = multiplier(bits, k, lanes)
    return RsaCrtDesign(
        bits,
        DigitExponentiatorDesign(half, -(-bits // 2), window, plain=True),
        DigitExponentiatorDesign(whole, e.bit_length(), exponent=e, plain=True),
    )


def flat(loads):
    return [word for part in loads for word in part]


class Bench:
    """Feeds a core with keys and messages, one after the other, and counts cycles."""

    def __init__(self, design):
        self.design, self.core = design, design.component()

    def run(self, script):
        simulator = Simulator(self.core)
        simulator.add_clock(1e-6)
        simulator.add_testbench(functools.partial(script, bench=self))
        simulator.run()

    async def load(self, ctx, words):
        await sender(self.core.modulus, words)(ctx)
        # Until p' is there.
        await ctx.tick().repeat(4 * self.design.width)

    async def root(self, ctx, message, fault=None):
        """The result, its flag, and the cycles that it took; see `answer`."""
        design = self.design
        count = design.operand_words
        await sender(self.core.operands, split_digits(message, count, design.width))(ctx)
        found, flag, cycles = await answer(ctx, self.core, count, design.latency, fault)
        return join_digits(found, design.width), flag, cycles


@pytest.mark.parametrize(
    ("bits", "k", "e", "lanes"),
    [(24, 8, 5, None), (24, 7, 3, 2), (21, 5, 3, None), (20, 16, 3, 1)],
)
def test_roots_and_cycles(bits, k, e, lanes):
    """The number of cycles is the design's for every key and message."""
    design = rsa(bits, k, e, lanes)
    chooser = random.Random(bits)
    keys = [RsaKey.generate(bits, e, chooser), RsaKey.generate(bits - 3, e, chooser)]
    # p < q, primes of different lengths.
    keys[1] = RsaKey(keys[1].p, keys[0].q, e)

    async def script(ctx, bench):
        # The shortest run takes all edges, the others one and a random message.
        edges = ([0, -1, 2 * keys[0].q], [2 * keys[1].q]) if bits == 21 else ([-1], [])
        for key, own in zip(keys, edges, strict=True):
            await bench.load(ctx, flat(design.loads(key)))
            n = key.modulus
            for message in (*(edge % n for edge in own), chooser.randrange(n)):
                assert await bench.root(ctx, message) == (key.root(message), 0, design.latency)

    Bench(design).run(script)


def test_faults_let_nothing_out():
    """A bit flips in a memory of one half: zeros and a flag come, after as many cycles."""
    design, key = rsa(24, 8, 5), RsaKey.generate(24, 5, random.Random(3))
    message, spans = 1234567 % key.modulus, design.spans
    # In the middle of the powers.
    middle = 2 * design.half.product_cycles + design.half.latency // 2
    withheld = []

    async def script(ctx, bench):
        # Slots of two words: four entries of the table, the power so far (9 its upper word).
        faults = [
            (middle, unit._numbers.memory, place, bit)
            for unit in bench.core._units[:2]
            for place, bit in ((4, 7), (9, 2))
        ]
        own = bench.core._read.memory
        faults += [(0, own, spans[name].base, 0) for name in ("shift_p", "d_p", "d_q")]
        faults += [(middle, own, spans[name].base, 5) for name in ("coefficient", "q")]
        for fault in faults:
            await bench.load(ctx, flat(design.loads(key)))
            withheld.append(await bench.root(ctx, message, fault))
        await bench.load(ctx, flat(design.loads(key)))
        assert await bench.root(ctx, message) == (key.root(message), 0, design.latency)

    Bench(design).run(script)
    right, nothing = (key.root(message), 0, design.latency), (0, 1, design.latency)
    # An entry of the table may not be used any more; numbers of the key and the message are.
    assert set(withheld) <= {right, nothing}
    of_p, of_q, own = withheld[:2], withheld[2:4], withheld[4:]
    assert nothing in of_p
    assert nothing in of_q
    assert set(own) == {nothing}


@pytest.mark.parametrize("guarded", [True, False])
def test_words_that_wait_in_the_memory(guarded, monkeypatch):
    """A message before it is used, a root after its check: without the guard they are silent."""
    if not guarded:
        open_guards(monkeypatch)
    design, key = rsa(24, 8, 5), RsaKey.generate(24, 5, random.Random(3))
    message, spans, released = 1234567 % key.modulus, design.spans, []

    async def script(ctx, bench):
        memory = bench.core._read.memory
        await bench.load(ctx, flat(design.loads(key)))
        places = {0: spans["message"].base, design.latency - 10: spans["root"].base}
        released.extend(
            [await bench.root(ctx, message, (at, memory, own, 1)) for at, own in places.items()]
        )

    Bench(design).run(script)
    silent = [(key.root(message ^ 2), 0), (key.root(message) ^ 2, 0)]
    assert [one[:2] for one in released] == ([(0, 1)] * 2 if guarded else silent)


def test_wrong_messages_and_keys():
    """A message that is not below N, a key that is none, an even modulus, and a good key again."""
    design, key = rsa(24, 8, 5), RsaKey.generate(24, 5, random.Random(3))
    words = flat(design.loads(key))
    even = [words[0] & ~1, *words[1:]]
    other = list(words)
    other[sum(design.load_lengths[:3]) + design.spans["d_q"].base] ^= 4

    async def script(ctx, bench):
        await bench.load(ctx, words)
        assert await bench.root(ctx, key.modulus + 5) == (0, 1, design.latency)
        await bench.load(ctx, other)
        assert await bench.root(ctx, 4711) == (0, 1, design.latency)
        await bench.load(ctx, even)
        assert ctx.get(bench.core.modulus_error) == 1
        ctx.set(bench.core.operands.valid, 1)
        for _ in range(100):
            assert not ctx.get(bench.core.operands.ready)
            await ctx.tick()
        # A key goes before a message that waits.
        await bench.load(ctx, words)
        ctx.set(bench.core.operands.valid, 0)
        assert ctx.get(bench.core.modulus_error) == 0

    Bench(design).run(script)


def test_keys_that_are_refused():
    design = rsa(24, 8, 5)
    for key, message in (
        (RsaKey(65537, 4099, 5), "the primes of the key have 17 and 13 bits"),
        (RsaKey(4093, 4099, 5), "the primes of the key have 12 and 13 bits"),
        (RsaKey(4073, 4079, 7), "the key has the public exponent 7, and the core 5"),
    ):
        with pytest.raises(SpecificationError, match=f"^{message}"):
            design.loads(key)
    for p, q, e in ((4073, 4073, 5), (4073, 4078, 5), (4073, 4079, 2), (4073, 4079, 1)):
        with pytest.raises(SpecificationError):
            RsaKey(p, q, e)


def test_exponentiators_that_do_not_fit():
    design = rsa(24, 8, 5)
    with pytest.raises(SpecificationError, match=r"^exponentiators of 13 and 24 bits"):
        RsaCrtDesign(26, design.half, design.whole)
    with pytest.raises(SpecificationError, match=r"^the public exponent is that"):
        RsaCrtDesign(
            24, design.half, DigitExponentiatorDesign(design.whole.multiplier, 3, plain=True)
        )


@pytest.mark.parametrize("bits", [16, 17, 31, 64, 1024, 1023, 2048, 4096])
@pytest.mark.parametrize("k", [2, 5, 16, 17, 19, 34, 128])
def test_halves_have_room(bits, k):
    """For the high part of a message, and for a residue and the low part together."""
    words, half = -(-bits // k), -(-half_bits(bits, k) // k)
    longest = -(-bits // 2)
    assert words <= 2 * half - 1
    assert (1 << longest) + (1 << k * (half - 1)) <= 1 << k * half
