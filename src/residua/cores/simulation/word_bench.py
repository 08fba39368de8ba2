"""Single operations of a core with streams of words, for harnesses that look into them.

What calls the bench, and what it says, is as for coprocessors: `residua.cores.coprocessor`.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from residua.cores.simulation.streams import word_harness
from residua.cores.simulation.words import WordDesign

OPERATION_BENCH = Path(__file__).with_name("operation_bench.h").read_text(encoding="utf-8")
"""What benches of single operations have in common, after what all harnesses have."""

_BENCH = Path(__file__).with_suffix(".h")

FRESH = -1
"""The supply of random words that are fresh each time."""

_FLAGS = 2
"""Bits above a word of a result: the last one, an error."""


@dataclass(frozen=True)
class WordOperation:
    """An operation to run.

    Attributes:
        loaded: words of a modulus or key, which come first.
        operands: words of the operands.
        seed: of the random words.
        supply: `FRESH`, or what every random word is.
    """

    loaded: tuple[int, ...]
    operands: tuple[int, ...]
    seed: int = 1
    supply: int = FRESH

    def line(self) -> str:
        """The operation as a line for the bench."""
        words = (f"{word:x}" for word in (*self.loaded, *self.operands))
        return " ".join([str(self.seed), str(self.supply), *words])


@dataclass(frozen=True)
class ResultWord:
    """A word that a core gives out, and whether an error comes with it."""

    word: int
    error: bool


def result_words(texts: Sequence[str], width: int) -> Iterator[ResultWord]:
    """The words of a result, of ``width`` bits, by what the bench says of them."""
    parts = -(-(width + _FLAGS) // 32)
    for first in range(0, len(texts), parts):
        own = (int(text, 16) << 32 * i for i, text in enumerate(texts[first : first + parts]))
        payload = sum(own)
        yield ResultWord(payload & (1 << width) - 1, bool(payload >> width + 1 & 1))


def word_bench_source(design: WordDesign, top: str, *, takes_random: bool = False) -> str:
    """C++ that drives a core with words called ``top``; what calls it follows.

    A core that ``takes_random`` has a stream of random words, too.
    """
    parts = {
        "LOADS_MODULUS": design.modulus_words,
        "TESTS_MODULUS": design.tested_words,
        "TAKES_RANDOM": takes_random,
    }
    figures = {
        "modulus_words": len(design.modulus_words),
        "result_flags": 1 + (design.error_flag is not None),
    }
    flags = [name for name, there in parts.items() if there]
    text = f"using Top = tables::Core;\n{OPERATION_BENCH}{_BENCH.read_text(encoding='utf-8')}"
    return word_harness(text, top, design.width, figures, flags)
