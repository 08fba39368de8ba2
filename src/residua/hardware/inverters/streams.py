"""Common part of inverters on streams: ports, and the check of an operand."""

from abc import ABC, abstractmethod

from amaranth.hdl import Array, Cat, Const, Module, Signal, Value
from amaranth.lib import stream
from amaranth.lib.wiring import In, Member, Out

from residua.algorithms.conversion import split_words
from residua.hardware.digit.results import result_payload


def inverter_ports(width: int) -> dict[str, Member]:
    """The streams of an inverter: the words of x, those of 1 / x mod P, the lowest first."""
    return {
        "operands": In(stream.Signature(width)),
        "result": Out(stream.Signature(result_payload(width, flagged=True))),
    }


class ConstantTime(ABC):
    """A design whose inverter takes the same time for every operand."""

    @property
    @abstractmethod
    def longest(self) -> int:
        """Cycles from the last operand word to the last result word, of every operand."""

    @property
    @abstractmethod
    def words(self) -> int:
        """Words of an operand and of a result."""

    @property
    @abstractmethod
    def wake(self) -> int:
        """Cycles from the end of a reset to the first in which a word of an operand is taken."""

    @property
    def fewest(self) -> int:
        """Latency of the fastest inversion, which is that of all."""
        return self.longest

    @property
    def turns(self) -> int:
        """Places that results stand in by turns: there is one."""
        return 1

    @property
    def pause(self) -> int:
        """Cycles from the last word of a result to the last one of an operand right behind it.

        In the first one the unit within starts.
        """
        return 1 + self.words

    def cycles(self, x: int) -> int:
        """Latency of any operand."""
        del x
        return self.longest


class ModulusWords:
    """P word by word, for what compares with it and for what adds it."""

    def __init__(self, modulus: int, words: int, width: int, index: Value) -> None:
        digits = split_words(modulus, words, width)
        self.word = Array([Const(digit, width) for digit in digits])[index]


class OperandCheck:
    """Watches the words of an operand; ``refused`` tells, once they are taken, that x has no place.

    That is x = 0, and x of P or more.
    """

    def __init__(self, m: Module, word: Value, modulus: Value, taken: Value, first: Value) -> None:
        below, some = Signal(name="below"), Signal(name="some")
        difference = Signal(len(word) + 1, name="difference")
        m.d.comb += difference.eq(word - modulus - (below & ~first))
        with m.If(taken):
            m.d.sync += [below.eq(difference[-1]), some.eq((some & ~first) | word.any())]
        self.refused = Signal(name="refused")
        m.d.comb += self.refused.eq(~Cat(below, some).all())
