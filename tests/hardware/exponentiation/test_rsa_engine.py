"""RSA on an engine: roots, cycles, the model, and that no fault lets anything wrong out."""

import random

import pytest
from gmpy2 import next_prime
from tests.hardware.exponentiation.answers import answer
from tests.hardware.exponentiation.open_guard import open_guards
from tests.hardware.exponentiation.rsa_bench import SMALL, Bench, key_of, of_depth, recorded, rsa
from tests.hardware.traffic import sender

from residua.errors import SpecificationError
from residua.hardware.exponentiation.rsa_engine_design import RsaEngineDesign
from residua.hardware.exponentiation.rsa_engine_model import private_operation
from residua.hardware.exponentiation.rsa_sequence import Source, Target
from residua.numbers.digits import join_digits
from residua.numbers.rsa import RsaKey


@pytest.mark.parametrize(
    "size",
    [
        SMALL,
        # Rows of two moduli, two rowers for four of them, two multipliers at the end, and windows
        # that do not divide the exponent.
        (44, 12, 4, 3, 3, 2, None, 2),
        (37, 17, 4, 1, 17, 1, 2),
    ],
)
def test_roots_and_cycles(size):
    """The number of cycles is the design's for every key and message; one core takes all edges."""
    design = rsa(*size)
    first = key_of(design)
    chooser = random.Random(1)
    # p < q, primes of different lengths.
    short = next(
        int(p)
        for p in map(next_prime, range(32768, 65536, 50))
        if p % design.exponent != 1 and p != first.q
    )
    second, most = RsaKey(short, first.q, first.e), first.modulus - 1
    keys = [(second, chooser.randrange(second.modulus))]
    if size == SMALL:
        keys = [(first, most, 0), (second, 2 * first.q)]

    async def script(ctx, bench):
        for key, *messages in keys:
            await bench.load(ctx, design.load_words(key))
            for message in messages:
                assert await bench.root(ctx, message) == (key.root(message), 0, design.latency)
            assert ctx.get(bench.core.modulus_error) == 0

    Bench(design).run(script)


@pytest.mark.parametrize(
    ("size", "wrongs"),
    [(SMALL, 3), ((64, 17, 3, 4, 65537), 1), ((44, 12, 4, 3, 3, 2), 1)],
)
def test_model(size, wrongs):
    """Of the engine, for adversarial messages and for wrong numbers of a key."""
    design = rsa(*size)
    key, chooser = key_of(design, 1), random.Random(1)
    numbers, n = design.numbers(key), key.modulus
    edges = [0, 1, n - 1, key.p, key.q, n - key.p, *(chooser.randrange(n) for _ in range(2))]
    for message in edges:
        assert private_operation(design, numbers, message) == (key.root(message), True)
    for message in (n, n + 1, (1 << design.bits) - 1):
        assert not private_operation(design, numbers, message)[1]
    for name, number in numbers.items():
        # 12345 is below both primes: so is what a coefficient of 0 makes of it.
        tried = ((0, 12345), (number ^ 4, edges[-1]), (number ^ 1, edges[-2]))
        for wrong, message in tried[:wrongs]:
            assert not private_operation(design, numbers | {name: wrong}, message)[1]


def test_wrong_messages_and_keys():
    """A message not below N, keys that are none, and good keys after them."""
    design = rsa(*SMALL)
    key = key_of(design)
    numbers = design.numbers(key)
    good = design.load_words(key)

    def with_numbers(**other):
        return design.words_of(
            numbers | {name.replace("_", ".", 1): n for name, n in other.items()}
        )

    withheld = [
        design.words_of(numbers | wrong)
        for wrong in (
            {"d_q": numbers["d_q"] ^ 4},
            {
                name: numbers[name.replace("q.", "p.")]
                for name in ("q.n", "q.n_inverse", "q.square")
            },
        )
    ]
    refused = [
        design.words_of(numbers | wrong)
        for wrong in ({"p.n": key.p - 1}, {"q.n": key.q - 1}, {"p.n": (1 << 15) - 1}, {"q.n": 3})
    ]

    async def script(ctx, bench):
        core = bench.core
        await bench.load(ctx, good)
        for message in (key.modulus, (1 << design.words * design.width) - 1):
            assert await bench.root(ctx, message) == (0, 1, design.latency)
        for words in withheld:
            await bench.load(ctx, words)
            assert await bench.root(ctx, 4711) == (0, 1, design.latency)
        for words in refused:
            await bench.load(ctx, words)
            ctx.set(core.operands.valid, 1)
            for _ in range(300):
                assert not ctx.get(core.operands.ready)
                await ctx.tick()
            assert ctx.get(core.modulus_error) == 1
            # A key goes before a message that waits.
            await bench.load(ctx, good)
            ctx.set(core.operands.valid, 0)
            assert ctx.get(core.modulus_error) == 0
        assert await bench.root(ctx, key.p) == (key.root(key.p), 0, design.latency)

    Bench(design).run(script)


def test_faults_let_nothing_out(monkeypatch):
    """A bit flips in a register of a rower or in the memory of words, in any phase.

    Registers are those of numbers of the key and of roots, while they are read: for p and q and in
    both bases by turns.
    """
    made = recorded(monkeypatch, "engine.rower")
    design = rsa(*SMALL)
    key, chooser = key_of(design), random.Random(7)
    message, places = 1234567 % key.modulus, design.sequence.places
    named = [
        (cycle, design.processor.places.registers[name][base][0])
        for cycle, name, base in (
            (600, "p.n", "b"),
            (1200, "q.n_inverse", "a"),
            (100, "p.square", "b"),
            (800, "q.r", "b"),
        )
    ]

    async def script(ctx, bench):
        registers = of_depth(made, design.processor.shape.registers)
        assert len(registers) == design.options.rowers
        faults = [
            (cycle, chooser.choice(registers), register, chooser.randrange(design.width))
            for cycle, register in named
        ]
        own, late = bench.core._words[0], design.latency - 300
        faults.append((10, own, places["message"], 3))
        # The root is there, and its check under way.
        faults.append((late, own, places["root"], 0))
        for fault in faults:
            await bench.load(ctx, design.load_words(key))
            assert await bench.root(ctx, message, fault) == (0, 1, design.latency)
        await bench.load(ctx, design.load_words(key))
        assert await bench.root(ctx, message) == (key.root(message), 0, design.latency)

    Bench(design).run(script)


@pytest.mark.parametrize("guarded", [True, False])
def test_an_exponent_is_not_taken_for_a_message(guarded, monkeypatch):
    """A flip in the step that takes one: without the guard the root of d_p leaves, and tells it."""
    if not guarded:
        open_guards(monkeypatch)
    made, design = recorded(monkeypatch, "exponentiation.rsa_engine"), rsa(*SMALL)
    key, released = key_of(design), []
    # The source is in the lowest bits.
    place, flip = design.first_of_message, Source.OPERANDS ^ Source.EXPONENTS
    assert flip.bit_count() == 1

    async def script(ctx, bench):
        instructions = made[0].data
        ctx.set(instructions[place], ctx.get(instructions[place]) ^ flip)
        await bench.load(ctx, design.load_words(key))
        # The highest words are taken as ever.
        await sender(bench.core.operands, [0] * design.parts[1])(ctx)
        found, flag, _ = await answer(ctx, bench.core, design.words, design.latency)
        released.extend((join_digits(found, design.width), flag))

    Bench(design).run(script)
    number, flag = released
    d_p = design.numbers(key)["d_p"]
    assert (number, flag) == (0, 1) if guarded else pow(number, key.e, key.modulus) == d_p


def test_keys_that_are_refused():
    design = rsa(*SMALL)
    for key, message in (
        (RsaKey(524287, 65537, 5), "the primes of the key have 19 and 17 bits"),
        (RsaKey(16363, 131063, 5), "the primes of the key have 14 and 17 bits"),
        (RsaKey(262139, 262133, 7), "the key has the public exponent 7, and the core 5"),
    ):
        with pytest.raises(SpecificationError, match=message):
            design.load_words(key)


@pytest.mark.parametrize(
    ("sizes", "message"),
    [
        ((36, 19, 5), "window = 19"),
        ((36, 2, 4), "exponent = 4: the public exponent of RSA is odd"),
        ((36, 2, 1), "exponent = 1: the public exponent of RSA is odd"),
        ((16, 2, 5), "bits = 16: a message has two words"),
    ],
)
def test_designs_that_are_refused(sizes, message):
    made = rsa(*SMALL)
    with pytest.raises(SpecificationError, match=message):
        RsaEngineDesign(made.domain, made.options, *sizes)


def test_nothing_leaves_without_a_check():
    """A list that skips the comparison, as after a fault, releases nothing."""
    made = rsa(*SMALL)
    design, key = RsaEngineDesign(made.domain, made.options, 36, 2, 5), key_of(made)
    design.processor = made.processor
    design.steps = tuple(step for step in made.steps if step.target != Target.VERDICT)

    async def script(ctx, bench):
        await bench.load(ctx, design.load_words(key))
        assert await bench.root(ctx, 4711) == (0, 1, design.latency)

    Bench(design).run(script)
