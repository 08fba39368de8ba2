"""Common part of digit multipliers and their users: streams, and the frame of a run."""

from abc import ABC, abstractmethod
from typing import Any, NamedTuple, Protocol

from amaranth.hdl import Module
from amaranth.lib import stream
from amaranth.lib.wiring import Component, In, Out, connect, flipped

from residua.hardware.digit.counter import Counter
from residua.hardware.digit.modulus import (
    FixedModulus,
    LoadedModulus,
    make_modulus,
)
from residua.hardware.digit.operands import Operands
from residua.hardware.digit.results import Results, result_payload
from residua.hardware.digit.shape import DigitStreams
from residua.numbers.digits import DigitDomain, DigitShape


class StreamDesign(Protocol):
    """Design of a component with these streams."""

    @property
    def streams(self) -> DigitStreams:
        """The numbers that go in and out."""

    @property
    def domain(self) -> DigitDomain | None:
        """The modulus, None if it is loaded."""

    @property
    def latency(self) -> int:
        """Cycles from the last operand word to the last result word, from idle, without waits."""

    @property
    def interval(self) -> int:
        """Cycles between results when neither stream waits."""


class DigitComponent(Component):
    """Streams of words, the lowest first: ``operands``, ``result``, and a loaded ``modulus``.

    ``latency`` and ``interval`` are those of ``design``. Results are ``flagged`` if they carry an
    error bit; ``ports`` are those that a component has beside the streams.
    """

    def __init__(self, design: StreamDesign, *, flagged: bool = False, **ports: Any) -> None:
        self.latency, self.interval = design.latency, design.interval
        width = design.streams.width
        own = {
            "operands": In(stream.Signature(width)),
            "result": Out(stream.Signature(result_payload(width, flagged=flagged))),
        }
        if design.domain is None:
            own |= {"modulus": In(stream.Signature(width)), "modulus_error": Out(1)}
        super().__init__({**own, **ports})


class RunDesign(ABC):
    """Design of a multiplier that makes its product in iterations of equal length.

    Attributes:
        shape: N, the digits and the variant of the algorithm.
        domain: the modulus, None if it is loaded at run time.
    """

    shape: DigitShape
    domain: DigitDomain | None

    @property
    @abstractmethod
    def streams(self) -> DigitStreams:
        """The numbers that go in and out, and how they are kept."""

    @property
    @abstractmethod
    def period(self) -> int:
        """Cycles of an iteration."""

    @property
    @abstractmethod
    def latency(self) -> int:
        """Cycles from the last operand word to the last result word, from idle, without waits."""

    @property
    def compute(self) -> int:
        """Cycles of all iterations."""
        return self.shape.iterations * self.period

    @property
    def interval(self) -> int:
        """Cycles between results when neither stream waits."""
        return self.streams.interval(self.compute)


class Frame(NamedTuple):
    """Signals between a multiplier's datapath and its streams."""

    operands: Operands
    modulus: FixedModulus | LoadedModulus
    results: Results
    counter: Counter


def add_frame(
    m: Module,
    core: DigitComponent,
    design: RunDesign,
    *,
    flagged: bool = False,
    second: bool = False,
) -> Frame:
    """The memories of ``core``, on its streams, and the counter of a run.

    A run starts when its operands are complete and its result is sure to have a place. With
    ``second`` the modulus has a second reader.
    """
    streams = design.streams
    m.submodules.operands = operands = Operands(streams)
    m.submodules.modulus = modulus = make_modulus(streams, second=second)
    m.submodules.results = results = Results(streams, flagged=flagged)
    connect(m, flipped(core.operands), operands.words)
    connect(m, results.words, flipped(core.result))
    count = Counter(m, design.period, design.shape.iterations)
    count.start_when(m, operands.available & modulus.loaded & results.room)
    m.d.comb += [operands.release.eq(count.end), results.reserve.eq(count.start)]
    return Frame(operands, modulus, results, count)
