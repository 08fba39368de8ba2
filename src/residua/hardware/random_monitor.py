"""Random monitor: tests the random words that a coprocessor takes, and how long they fail to come.

The tests are the two continuous ones of NIST SP 800-90B, 4.4: a repetition count and an adaptive
proportion. Samples are words folded to `SAMPLE` bits, which are of full entropy if the words are;
so little of a secret word is kept for the next one.
"""

from math import comb
from typing import Any

from amaranth.hdl import Module, Signal, Value
from amaranth.lib.wiring import Component, In, Out

WORD = 32
"""Bits of a random word."""

SAMPLE = 8
"""Bits of a sample, and of its entropy that the cut-offs assume."""

FALSE_ALARM = 40
"""A sound source fails either test with a chance of 2^-40: with a sample, and in a window."""

WINDOW = 512
"""Samples of a window of the adaptive proportion test, as SP 800-90B has it for words."""

VERDICT = 2
"""Cycles from a word to the verdict on it."""

PATIENCE_BITS = 24
"""A random word may fail to come for 2^24 cycles: 0.13 s at 125 MHz."""


def repetition_cutoff() -> int:
    """The equal samples in a row that are too many: 1 + ceil(-log2 alpha / H)."""
    return 1 + -(-FALSE_ALARM // SAMPLE)


def proportion_cutoff() -> int:
    """The samples of a window that are too many to be equal to its first one.

    1 + the least c such that at most c of `WINDOW` samples are as likely as 2^-H each with a chance
    of at least 1 - 2^-`FALSE_ALARM`.
    """
    others = (1 << SAMPLE) - 1
    whole = 1 << SAMPLE * WINDOW
    most, below = 0, others**WINDOW
    while (whole - below) << FALSE_ALARM > whole:
        most += 1
        below += comb(WINDOW, most) * others ** (WINDOW - most)
    return 1 + most


class RandomMonitor(Component):
    """Looks at random words as they are taken from a stream.

    ``word`` is taken in each cycle in which both ``valid`` and ``ready`` are set. ``unfit`` is set
    `VERDICT` cycles after the word with which the words fail a test, and stays. ``starved`` is set
    once ``ready`` has been for 2^``patience_bits`` cycles without a word, until there is one.
    ``zero`` tells `VERDICT` cycles after a word whether all words since ``begin`` were 0, of which
    there must be one.

    The tests go on over the ends of operations. ``clear`` begins them anew, as reset does.
    """

    def __init__(self, patience_bits: int = PATIENCE_BITS) -> None:
        self.patience_bits = patience_bits
        super().__init__(
            {
                "word": In(WORD),
                "valid": In(1),
                "ready": In(1),
                "begin": In(1),
                "clear": In(1),
                "unfit": Out(1),
                "starved": Out(1),
                "zero": Out(1),
            }
        )

    @property
    def thresholds(self) -> dict[str, int]:
        """What the tests assume, and what they refuse."""
        return {
            "sample": SAMPLE,
            "false_alarm": FALSE_ALARM,
            "repetitions": repetition_cutoff(),
            "window": WINDOW,
            "proportion": proportion_cutoff(),
            "patience": 1 << self.patience_bits,
        }

    def elaborate(self, platform: Any) -> Module:
        """A sample in a register, which both tests take a cycle later."""
        m = Module()
        sample, taken = Signal(SAMPLE, name="sample"), Signal(name="taken")
        folded: Value = self.word[:SAMPLE]
        for start in range(SAMPLE, WORD, SAMPLE):
            folded ^= self.word[start : start + SAMPLE]
        takes = self.valid & self.ready
        m.d.sync += taken.eq(takes & ~self.clear)
        with m.If(takes):
            m.d.sync += sample.eq(folded)
        self._repetitions(m, sample, taken)
        self._proportion(m, sample, taken)
        self._starving(m)
        self._zero(m, takes)
        with m.If(self.clear):
            m.d.sync += [self.unfit.eq(0), sample.eq(0)]
        return m

    def _repetitions(self, m: Module, sample: Signal, taken: Signal) -> None:
        """How often the last sample has come again."""
        most = repetition_cutoff() - 1
        last, again = Signal(SAMPLE, name="last_sample"), Signal(range(most + 1), name="again")
        any_before = Signal(name="any_before")
        with m.If(taken):
            m.d.sync += [last.eq(sample), any_before.eq(1), again.eq(0)]
            with m.If(any_before & (sample == last)):
                m.d.sync += again.eq(again + 1)
                with m.If(again == most - 1):
                    m.d.sync += [again.eq(again), self.unfit.eq(1)]
        with m.If(self.clear):
            m.d.sync += [last.eq(0), any_before.eq(0), again.eq(0)]

    def _proportion(self, m: Module, sample: Signal, taken: Signal) -> None:
        """How often the first sample of a window has come again in it."""
        most = proportion_cutoff() - 1
        first, place = Signal(SAMPLE, name="first_sample"), Signal(range(WINDOW), name="place")
        equal = Signal(range(most + 1), name="equal")
        with m.If(taken):
            m.d.sync += place.eq(place + 1)
            with m.If(place == 0):
                m.d.sync += [first.eq(sample), equal.eq(0)]
            with m.Elif(sample == first):
                m.d.sync += equal.eq(equal + 1)
                with m.If(equal == most - 1):
                    m.d.sync += [equal.eq(equal), self.unfit.eq(1)]
        with m.If(self.clear):
            m.d.sync += [first.eq(0), place.eq(0), equal.eq(0)]

    def _starving(self, m: Module) -> None:
        """How long a word has not come; whether one does not stands in a register."""
        waits = Signal(name="waits")
        waited = Signal(self.patience_bits + 1, name="waited")
        m.d.sync += waits.eq(self.ready & ~self.valid)
        m.d.comb += self.starved.eq(waited[-1])
        with m.If(~waits):
            m.d.sync += waited.eq(0)
        with m.Elif(~waited[-1]):
            m.d.sync += waited.eq(waited + 1)

    def _zero(self, m: Module, takes: Value) -> None:
        """Whether all words of a number are 0, in a register of its own before that."""
        nothing, given = Signal(name="nothing"), Signal(name="given")
        some, known = Signal(name="some"), Signal(name="known")
        m.d.sync += [nothing.eq(~self.word.any()), given.eq(takes)]
        with m.If(self.begin | self.clear):
            m.d.sync += [some.eq(0), known.eq(0)]
        with m.Elif(given):
            m.d.sync += [some.eq(some | ~nothing), known.eq(1)]
        m.d.comb += self.zero.eq(known & ~some)
