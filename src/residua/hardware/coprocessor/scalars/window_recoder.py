"""Window recoder: what sliding windows over public scalars or halves ask for, step by step.

The digits are those of `residua.curves.signatures.sliding_windows`. Here control depends on the
scalars.
"""

from collections.abc import Sequence
from functools import reduce
from operator import or_
from typing import Any

from amaranth.hdl import Array, Cat, Const, Module, Mux, Signal, Value, signed
from amaranth.lib import enum
from amaranth.lib.wiring import Component, In, Out

from residua.curves.operations.instructions import Events
from residua.curves.signatures.sliding_windows import BASE_WIDTH, POINT_WIDTH
from residua.errors import SpecificationError
from residua.hardware.constant_table import selector
from residua.hardware.coprocessor.scalars.unit import BIT_LATENCY

WIDTHS = (BASE_WIDTH, POINT_WIDTH)
"""Digits of a window over each scalar."""

NAMES = ("first", "second", "third", "fourth")
"""Of the windows over both scalars, or over the first halves of both and then the second ones."""

_LONGEST = max(WIDTHS)


class _State(enum.Enum):
    """``CHECK`` is for windows that begin at a place, ``NORMALISE`` makes their digits odd."""

    IDLE = 0
    SHIFT = 1
    CHECK = 2
    NORMALISE = 3
    ADD = 4
    END = 5


class _Window:
    """The window over one scalar.

    ``bits`` are those of the scalar from the current place on, the highest one on top; ``length``
    counts the places of a window that is under way, ``wait`` those up to its digit.
    """

    def __init__(self, width: int, name: str) -> None:
        self.width = width
        self.bits = Signal(_LONGEST + 1, name=f"{name}_bits")
        self.digit = Signal(signed(width + 1), name=f"{name}_digit")
        self.pending = Signal(name=f"{name}_pending")
        self.wait = Signal(range(width), name=f"{name}_wait")
        self.length = Signal(range(width + 1), name=f"{name}_length")

    def check(self, m: Module) -> None:
        """Begin a window where two bits differ, unless one is under way."""
        with m.If((self.length == 0) & (self.bits[-1] != self.bits[-2])):
            own = self.bits[-self.width - 1 :]
            m.d.sync += [
                self.digit.eq(own[1:].as_signed() + own[0]),
                self.pending.eq(1),
                self.wait.eq(self.width - 1),
                self.length.eq(self.width),
            ]

    @property
    def is_even(self) -> Value:
        """Whether the digit is to be halved, and added a place earlier."""
        return self.pending & ~self.digit[0]

    def normalise(self, m: Module) -> None:
        """Halve an even digit."""
        with m.If(self.is_even):
            m.d.sync += [self.digit.eq(self.digit >> 1), self.wait.eq(self.wait - 1)]

    @property
    def due(self) -> Value:
        """Whether the digit is to be added at this place."""
        return self.pending & (self.wait == 0)

    def move(self, m: Module) -> None:
        """Go to the next place."""
        m.d.sync += [
            self.wait.eq(self.wait - self.pending),
            self.length.eq(self.length - (self.length != 0)),
        ]

    @property
    def index(self) -> Value:
        """That of the odd multiple: half of the digit's absolute value."""
        return (self.digit[1:-1] ^ self.digit[-1].replicate(self.width - 1))[: self.width - 2]

    @property
    def positive(self) -> Value:
        """Whether the digit is."""
        return ~self.digit[-1]


class WindowRecoder(Component):
    """Takes the bits of two scalars, the highest first, and tells one of `Events` after another.

    ``windows`` is 2, or 4 for halves of scalars, which come as two scalars more. ``counts`` are the
    bits of each on each curve. ``follow`` asks for the next event, whose
    ``code`` is taken in the cycle in which ``ready`` is set as well. From the next one on
    ``count``, ``index`` and ``positive`` say more of it: the doublings but one, which odd multiple
    is added, and whether it is so as it is. After `Events.end` the recoder is at rest, and
    ``positive`` is set.

    The first ``follow`` takes the index of the curve from ``select`` (a port that is only there if
    there are several) and begins; all scalars have to be at their highest bits. ``advance`` takes
    ``first_bit``, ``second_bit``, and ``third_bit`` and ``fourth_bit`` if there are halves, and
    asks for the next ones, which have to be valid `BIT_LATENCY` cycles later. ``rewind`` asks for
    the highest bits again, at the end.

    Unless ``public`` is set, all bits are taken for 0: no secret comes to what steers.

    Raises:
        SpecificationError: a curve's scalars are shorter than a window.
    """

    def __init__(self, counts: Sequence[int], windows: int = len(WIDTHS)) -> None:
        if min(counts) < _LONGEST:
            raise SpecificationError(
                f"scalars of {min(counts)} bits are shorter than a window of {_LONGEST}"
            )
        self.counts, self.windows, self.events = tuple(counts), windows, Events(windows)
        super().__init__(
            {
                "public": In(1),
                "follow": In(1),
                **selector(len(self.counts)),
                "ready": Out(1),
                "code": Out(self.events.end.bit_length()),
                "count": Out(range(max(self.counts))),
                "index": Out(_LONGEST - 2),
                "positive": Out(1, init=1),
                **{f"{name}_bit": In(1) for name in NAMES[:windows]},
                "advance": Out(1),
                "rewind": Out(1),
            }
        )

    @property
    def bits(self) -> list[Value]:
        """The ports of the scalars' bits."""
        return [getattr(self, f"{name}_bit") for name in NAMES[: self.windows]]

    def elaborate(self, platform: Any) -> Module:
        """A window over each scalar, the place where they are, and the next event."""
        m = Module()
        self._state = Signal(_State, name="state")
        self._windows = [
            _Window(WIDTHS[number % len(WIDTHS)], name)
            for number, name in enumerate(NAMES[: self.windows])
        ]
        self._place = Signal(range(max(self.counts) + 1), name="place")
        self._filling = Signal(range(_LONGEST), name="filling")
        self._delay = Signal(range(BIT_LATENCY), name="delay")
        self._started = Signal(name="started")
        # Doublings since the last event.
        self._doublings = Signal(range(max(self.counts) + 1), name="doublings")
        self._found = {
            name: Signal.like(getattr(self, name), name=f"next_{name}", init=init)
            for name, init in (("code", 0), ("count", 0), ("index", 0), ("positive", 1))
        }
        self._waits = Signal(name="event_waits")
        self._hand_over(m)
        free = ~self._waits
        with m.Switch(self._state):
            with m.Case(_State.IDLE), m.If(self.follow & free):
                self._begin(m)
            with m.Case(_State.SHIFT):
                self._shift(m)
            with m.Case(_State.CHECK):
                for window in self._windows:
                    window.check(m)
                m.d.sync += self._state.eq(_State.NORMALISE)
            with m.Case(_State.NORMALISE):
                for window in self._windows:
                    window.normalise(m)
                with m.If(~Cat(window.is_even for window in self._windows).any()):
                    m.d.sync += self._state.eq(_State.ADD)
            with m.Case(_State.ADD), m.If(free):
                self._add(m)
            with m.Case(_State.END), m.If(free):
                self._end(m)
        return m

    def _hand_over(self, m: Module) -> None:
        """The event that waits, to whoever follows."""
        m.d.comb += [self.ready.eq(self._waits), self.code.eq(self._found["code"])]
        with m.If(self._waits & self.follow):
            m.d.sync += self._waits.eq(0)
            m.d.sync += [
                getattr(self, name).eq(self._found[name]) for name in ("count", "index", "positive")
            ]

    def _tell(self, m: Module, event: Value | int) -> None:
        m.d.sync += [self._waits.eq(1), self._found["code"].eq(event)]

    def _begin(self, m: Module) -> None:
        """Above the highest bit there is a 0."""
        place = Array(self.counts)[self.select] if len(self.counts) > 1 else Const(self.counts[0])
        m.d.sync += [
            self._state.eq(_State.SHIFT),
            self._place.eq(place),
            self._filling.eq(_LONGEST - 1),
            self._delay.eq(0),
            self._started.eq(0),
            self._doublings.eq(0),
        ]
        for window in self._windows:
            m.d.sync += [s.eq(0) for s in (window.bits, window.pending, window.length)]

    def _shift(self, m: Module) -> None:
        """One more bit of each scalar, zeros below the lowest; at first as many as a window has."""
        takes = self._delay == 0
        exists = (self._place >= _LONGEST) & self.public
        m.d.comb += self.advance.eq(takes)
        m.d.sync += self._delay.eq(Mux(takes, BIT_LATENCY - 1, self._delay - 1))
        with m.If(takes):
            for window, bit in zip(self._windows, self.bits, strict=True):
                m.d.sync += window.bits.eq(Cat(bit & exists, window.bits))
            m.d.sync += self._filling.eq(self._filling - (self._filling != 0))
            with m.If(self._filling == 0):
                m.d.sync += self._state.eq(_State.CHECK)

    def _add(self, m: Module) -> None:
        """An addition that is due, after doublings if there are any; else on to the next place."""
        due = [window.due for window in self._windows]
        with m.If(reduce(or_, due)):
            with m.If(self._doublings != 0):
                self._double(m)
            with m.Else():
                begins, adds = (
                    self._chosen([Const(code(n), len(self.code)) for n in range(self.windows)])
                    for code in (self.events.begin, self.events.add)
                )
                self._tell(m, Mux(self._started, adds, begins))
                m.d.sync += [
                    self._started.eq(1),
                    self._found["index"].eq(self._chosen([w.index for w in self._windows])),
                    self._found["positive"].eq(self._chosen([w.positive for w in self._windows])),
                    *self._take(due),
                ]
        with m.Elif(self._place == 0):
            m.d.sync += self._state.eq(_State.END)
        with m.Else():
            m.d.sync += [
                self._state.eq(_State.SHIFT),
                self._place.eq(self._place - 1),
                self._doublings.eq(self._doublings + self._started),
            ]
            for window in self._windows:
                window.move(m)

    def _chosen(self, values: Sequence[Value]) -> Value:
        """What belongs to the first window whose digit is due."""
        *others, chosen = values
        for window, value in reversed([*zip(self._windows, others, strict=False)]):
            chosen = Mux(window.due, value, chosen)
        return chosen

    def _take(self, due: Sequence[Value]) -> list[Any]:
        """Take the digit of the first window whose digit is due; one of them is."""
        taken: list[Any] = []
        for number, window in enumerate(self._windows):
            stays = due[:number]
            if number + 1 < self.windows:
                stays = [*stays, ~due[number]]
            taken.append(window.pending.eq(window.pending & reduce(or_, stays)))
        return taken

    def _double(self, m: Module) -> None:
        self._tell(m, self.events.DOUBLE)
        m.d.sync += [self._found["count"].eq(self._doublings - 1), self._doublings.eq(0)]

    def _end(self, m: Module) -> None:
        with m.If(self._doublings != 0):
            self._double(m)
        with m.Else():
            self._tell(m, self.events.end)
            m.d.comb += self.rewind.eq(1)
            m.d.sync += [self._state.eq(_State.IDLE), self._found["positive"].eq(1)]
