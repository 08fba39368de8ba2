"""A core for RSA on an engine in Amaranth's simulator: keys and messages in, roots out."""

import functools
import random
from dataclasses import replace
from functools import cache

from amaranth.lib.memory import Memory
from amaranth.sim import Simulator
from gmpy2 import next_prime
from tests.hardware.exponentiation.answers import answer
from tests.hardware.traffic import sender

from residua.algorithms.conversion import split_words
from residua.cores.coprocessor.engine.rns_montgomery import montgomery_domains
from residua.hardware.engine.datapath_design import EngineOptions
from residua.hardware.exponentiation.rsa_engine import RsaEngine
from residua.hardware.exponentiation.rsa_engine_design import RsaEngineDesign
from residua.numbers.rsa import RsaKey
from residua.numbers.search import search_bases


@cache
def rsa(bits, width, channels, window, e, columns=1, rowers=None, multipliers=1, *, blinding=0):
    prime = int(next_prime(1 << -(-bits // 2)))
    pair = search_bases(prime, width, channels, style="any", columns=columns, rowers=rowers)
    (domain,) = montgomery_domains(pair, [prime], columns)
    options = EngineOptions(rowers=rowers or pair.channels, reduction="multiply")
    domain = replace(domain, form="reordered")
    return RsaEngineDesign(domain, options, bits, window, e, multipliers, blinding)


def recorded(monkeypatch, *modules):
    """The memories of the cores that are made from now on, those of these modules."""
    made = []

    class Recorded(Memory):
        def __init__(self, **options):
            super().__init__(**options)
            made.append(self)

    for module in modules:
        monkeypatch.setattr(f"residua.hardware.{module}.Memory", Recorded)
    return made


def of_depth(memories, depth):
    """Those of so many words."""
    return [memory for memory in memories if memory.data.depth == depth]


SMALL = (36, 17, 2, 2, 5)
"""A core that is quick to simulate."""


def key_of(design, seed=3):
    return RsaKey.generate(design.bits, design.exponent, random.Random(seed))


class Bench:
    """Feeds a core with keys and messages, one after the other, and counts cycles."""

    def __init__(self, design, chooser=None):
        self.design, self.core = design, RsaEngine(design)
        self._chooser = chooser or random.Random(5)
        self.given = []

    def run(self, script):
        simulator = Simulator(self.core)
        simulator.add_clock(1e-6)
        simulator.add_testbench(functools.partial(script, bench=self))
        if self.design.blinding:
            simulator.add_testbench(self._give_random, background=True)
        simulator.run()

    async def load(self, ctx, words):
        await sender(self.core.modulus, words)(ctx)

    async def _give_random(self, ctx):
        stream = self.core.random
        ctx.set(stream.valid, 1)
        taken = aiter(ctx.tick().sample(stream.ready))
        while True:
            word = self._chooser.getrandbits(self.design.width)
            ctx.set(stream.payload, word)
            while not (await anext(taken))[2]:
                pass
            self.given.append(word)

    async def root(self, ctx, message, fault=None):
        """The result, its flag, and the cycles that it took; see `answer`."""
        design = self.design
        await sender(self.core.operands, split_words(message, design.words, design.width))(ctx)
        found, flag, cycles = await answer(ctx, self.core, design.words, design.latency, fault)
        number = sum(word << design.width * place for place, word in enumerate(found))
        return number, flag, cycles
