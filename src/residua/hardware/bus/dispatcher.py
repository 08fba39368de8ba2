"""Dispatcher: requests to free ones of several cores, results back in the order of completion."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from amaranth.hdl import Cat, Const, Module, Mux, Signal, Value
from amaranth.lib import data, stream
from amaranth.lib.wiring import Component, In, Out, Signature

from residua.errors import SpecificationError
from residua.hardware.bus.control import raw_members
from residua.hardware.bus.register_map import Register
from residua.hardware.bus.request_buffer import REQUEST, RequestBuffer

_WORD = 32
"""Bits of a word of a stream."""


def trailer_layout(register: Register) -> data.FlexibleLayout:
    """The last word of a result: how the request ended, its tag, and the core that had it."""
    fields = {name: data.Field(one.width, one.low) for name, one in register.fields.items()}
    return data.FlexibleLayout(_WORD, fields)


@dataclass(frozen=True)
class Traffic:
    """What the operations of a core take and give, and how they end.

    Attributes:
        operands: words that an operation takes, by its code and the number of the curve.
        results: words that it gives out if it ends well.
        ok: code of the status of an operation that ends well.
        zeroised: that of one that a zeroisation aborts.
        fault: that of one whose result is not whole.
    """

    operands: Mapping[tuple[int, int], int]
    results: Mapping[tuple[int, int], int]
    ok: int
    zeroised: int
    fault: int

    @property
    def most_results(self) -> int:
        """Words of the longest result."""
        return max(self.results.values())

    @property
    def packet(self) -> int:
        """Words of each result that the dispatcher gives out."""
        return self.most_results + 1


class Dispatcher(Component):
    """Gives each request to a free one of ``count`` cores; gives results back.

    ``front`` has the members of one core's interface (`raw_members`), but its ``command`` has a
    tag, too. A request is taken with all of its operands (`RequestBuffer`); the free core of the
    lowest number gets it. One request can wait while all cores work. A core is free again when its
    result has left.

    ``front.result`` gives one packet for each request, in the order in which requests end, which
    is that of numbers for those that end in one cycle. A packet has `Traffic.packet` words: those
    of the result, then zeros, then one of the layout ``trailer``, with ``last``. If the status is
    not ``Traffic.ok`` all words but that one are worth nothing; where a zeroisation cuts a result
    short, some of them may have left.

    ``front.done`` is set for a cycle in which a core ends an operation, ``front.status`` then
    tells how. ``front.busy`` is set while there is a request or a result, or a core is cleared.
    ``front.zeroise`` zeroises all cores and forgets all requests and results; ``zeroise_cores``, a
    bit for each core, only those cores, whose requests end as `Traffic.zeroised`.

    Words of ``front.random`` are offered to the cores in turn, a cycle each, so that each word goes
    to one core. The payloads of a core are 0 but while they are meant for it.

    ``working`` has a bit for each core, set while it has a request or is cleared; ``waiting`` is
    set while a request waits and no core is free. Which core gets what, and when, follows from
    operations, curves, statuses and the streams' pace alone.

    ``cores`` are the interfaces of the cores. A core gives its result after ``done``, takes a
    command only when its result has left, and after a zeroisation in an operation ends that.

    Raises:
        SpecificationError: there are no two cores, or more than a trailer can name.
    """

    def __init__(self, count: int, traffic: Traffic, trailer: data.FlexibleLayout) -> None:
        most = 1 << trailer["instance"].width
        if not 2 <= count <= most:
            raise SpecificationError(f"{count} cores: a dispatcher has 2 to {most}")
        self.count, self.traffic, self._trailer = count, traffic, trailer
        self.buffer = RequestBuffer(traffic.operands)
        front = raw_members() | {"command": In(stream.Signature(REQUEST))}
        super().__init__(
            {
                "front": Out(Signature(front)),
                "zeroise_cores": In(count),
                "working": Out(count),
                "waiting": Out(1),
                "cores": Out(Signature(raw_members()).flip()).array(count),
            }
        )

    def elaborate(self, platform: Any) -> Module:
        """The way in, the way out, and what is known of each core."""
        m = Module()
        m.submodules.buffer = self.buffer
        self._assigned = Signal(self.count, name="assigned")
        self._ended = Signal(self.count, name="ended")
        self._aborted = Signal(self.count, name="aborted")
        # Of the core that has, or had last, what is in the buffer.
        self._target = Signal(self.count, name="target")
        # Of the core whose result leaves.
        self._chosen = Signal(self.count, name="chosen")
        self._left = Signal(name="left")
        self._zeroised = self.zeroise_cores | self.front.zeroise.replicate(self.count)
        self._free = Cat(core.command.ready for core in self.cores)
        self._done = Cat(core.done for core in self.cores)
        taken = self._requests(m)
        self._random(m)
        self._keep(m, taken)
        self._results(m)
        m.d.comb += [
            *(core.zeroise.eq(self._zeroised[i]) for i, core in enumerate(self.cores)),
            self.working.eq(self._assigned | Cat(core.busy for core in self.cores)),
            self.front.busy.eq(self.working.any() | self.buffer.waiting),
            self.front.done.eq(self._done.any()),
            self.front.status.eq(
                _first(self._done, [core.status for core in self.cores]),
            ),
        ]
        return m

    def _requests(self, m: Module) -> Value:
        """Requests to the buffer, and from there to a core.

        Returns:
            The core that takes one in this cycle.
        """
        buffer, offered = self.buffer, Signal(name="offered")
        free = self._free & ~self._assigned
        taken = self._target & self._free & offered.replicate(self.count)
        m.d.comb += [
            buffer.request.payload.eq(self.front.command.payload),
            buffer.request.valid.eq(self.front.command.valid),
            self.front.command.ready.eq(buffer.request.ready),
            buffer.operands.payload.eq(self.front.operands.payload),
            buffer.operands.valid.eq(self.front.operands.valid),
            self.front.operands.ready.eq(buffer.operands.ready),
            buffer.clear.eq(self.front.zeroise),
            buffer.take.eq(taken.any()),
            self.waiting.eq(buffer.whole & ~offered & ~free.any()),
            # What an operation did not take is no other's, nor is what comes after its end.
            buffer.drop.eq((self._target & (self._done | self._zeroised)).any()),
            buffer.given.ready.eq(
                Cat(
                    core.operands.ready & mine
                    for core, mine in zip(self.cores, self._target, strict=True)
                ).any()
            ),
        ]
        # An offer of one cycle: a core that is not free any more does not keep the others waiting.
        m.d.sync += offered.eq(buffer.whole & ~offered & free.any() & ~self.front.zeroise)
        with m.If(buffer.whole & ~offered):
            m.d.sync += self._target.eq(free & -free)
        for i, core in enumerate(self.cores):
            mine = self._target[i]
            m.d.comb += [
                core.command.payload.operation.eq(buffer.held.operation),
                core.command.payload.curve.eq(buffer.held.curve),
                core.command.valid.eq(offered & mine),
                core.operands.valid.eq(buffer.given.valid & mine),
                core.operands.payload.eq(Mux(mine, buffer.given.payload, 0)),
            ]
        return taken

    def _random(self, m: Module) -> None:
        """Random words to each core in its turn."""
        turn = Signal(self.count, name="turn", init=1)
        m.d.sync += turn.eq(turn.rotate_left(1))
        random = self.front.random
        for i, core in enumerate(self.cores):
            m.d.comb += [
                core.random.valid.eq(random.valid & turn[i]),
                core.random.payload.eq(Mux(core.random.valid, random.payload, 0)),
            ]
        m.d.comb += random.ready.eq((turn & Cat(core.random.ready for core in self.cores)).any())

    def _keep(self, m: Module, taken: Value) -> None:
        """What is known of each core: its request, its end, and those that ended before."""
        held, traffic = self.buffer.held, self.traffic
        due = Signal(range(traffic.most_results + 1), name="due_of_request")
        for (operation, curve), count in traffic.results.items():
            with m.If((held.operation == operation) & (held.curve == curve)):
                m.d.comb += due.eq(count)
        ends = self._done & self._assigned
        leaves = self._chosen & self._left.replicate(self.count)
        self._tags, self._codes, self._due, self._before = [], [], [], []
        for i, core in enumerate(self.cores):
            tag, code = Signal(8, name=f"tag_{i}"), Signal(8, name=f"code_{i}")
            own, before = Signal.like(due, name=f"due_{i}"), Signal(self.count, name=f"before_{i}")
            with m.If(taken[i]):
                m.d.sync += [tag.eq(held.tag), own.eq(due), self._assigned[i].eq(1)]
            m.d.sync += before.eq(before & ~leaves)
            with m.If(ends[i] & ~self._ended[i]):
                lower = ends & ~self._ended & Const((1 << i) - 1, self.count)
                m.d.sync += [
                    code.eq(core.status),
                    self._ended[i].eq(1),
                    before.eq((self._ended & ~leaves) | lower),
                ]
            with m.If(self._zeroised[i] & (self._assigned[i] | taken[i])):
                m.d.sync += self._aborted[i].eq(1)
            with m.If(leaves[i] | self.front.zeroise):
                m.d.sync += [self._assigned[i].eq(0), self._ended[i].eq(0), self._aborted[i].eq(0)]
            with m.If(self.front.zeroise):
                m.d.sync += [before.eq(0), tag.eq(0), code.eq(0), own.eq(0)]
            self._tags.append(tag)
            self._codes.append(code)
            self._due.append(own)
            self._before.append(before)

    def _results(self, m: Module) -> None:
        """One packet after another."""
        traffic, result = self.traffic, self.front.result
        first = Cat(
            ended & ~before.any() for ended, before in zip(self._ended, self._before, strict=True)
        )
        count = Signal(range(traffic.packet), name="count")
        came = Signal(range(traffic.packet), name="came")
        active, drained = self._chosen.any(), (self._chosen & self._free).any()
        valid = _chosen(self._chosen, [core.result.valid for core in self.cores])
        word = _chosen(self._chosen, [core.result.payload.word for core in self.cores])
        full = count == traffic.most_results
        trailer, own = Signal(self._trailer, name="trailer"), Signal(name="own")
        m.d.comb += [
            # Of the core's own words none leaves in the place of the last word.
            own.eq(valid & ~drained & ~full),
            trailer.code.eq(self._code(came)),
            trailer.tag.eq(_chosen(self._chosen, self._tags)),
            trailer.instance.eq(_chosen(self._chosen, [Const(i) for i in range(self.count)])),
            result.valid.eq(own | drained),
            result.payload.word.eq(Mux(own, word, Mux(drained & full, trailer.as_value(), 0))),
            result.payload.last.eq(drained & full),
            self._left.eq(result.ready & drained & full),
        ]
        for i, core in enumerate(self.cores):
            m.d.comb += core.result.ready.eq(self._chosen[i] & result.ready & own)
        with m.If(~active):
            m.d.sync += [self._chosen.eq(first), count.eq(0), came.eq(0)]
        with m.Elif(result.valid & result.ready):
            m.d.sync += [count.eq(count + 1), came.eq(came + own)]
        with m.If(self._left | self.front.zeroise):
            m.d.sync += self._chosen.eq(0)

    def _code(self, came: Value) -> Value:
        """How the request ended whose result leaves: well only if all of its words have."""
        traffic = self.traffic
        code = _chosen(self._chosen, self._codes)
        short = (code == traffic.ok) & (_chosen(self._chosen, self._due) != came)
        aborted = (self._chosen & self._aborted).any()
        found: Value = Mux(aborted, traffic.zeroised, Mux(short, traffic.fault, code))
        return found


def _chosen(select: Value, values: list[Any]) -> Value:
    """The value of which the bit is set in ``select``, in which at most one is; else 0."""
    found: Value = Const(0)
    for bit, value in zip(select, values, strict=True):
        found |= Mux(bit, value, 0)
    return found


def _first(select: Value, values: list[Any]) -> Value:
    """The first value of which the bit is set in ``select``; else 0."""
    found: Value = Const(0)
    for bit, value in zip(reversed(list(select)), reversed(values), strict=True):
        found = Mux(bit, value, found)
    return found
