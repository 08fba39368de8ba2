"""Results: rows of sums and of sums less p, of which one leaves in words."""

from typing import Any

from amaranth.hdl import Cat, Module, Mux, Signal
from amaranth.lib import data, stream
from amaranth.lib.wiring import Component, In, Out

from residua.hardware.delay import delayed
from residua.hardware.digit.memory import add_memory
from residua.hardware.digit.shape import BANKS, DigitStreams


def result_payload(width: int, *, flagged: bool = False) -> data.StructLayout:
    """Payload of the stream of results: a word, and whether it is the last one.

    With ``flagged`` also whether an operand was out of its range.
    """
    return data.StructLayout({"word": width, "last": 1, **({"error": 1} if flagged else {})})


class Results(Component):
    """Two banks of rows, written by a run and handed out after it.

    ``write`` stores ``row`` and ``difference`` at ``write_row``; ``finish``, with the last row or
    after it, ends a result, which is the difference unless ``keep`` is set then. (Without final
    subtraction there is no difference and no ``keep``.) The result leaves through ``words``, the
    lowest word first. ``reserve`` says that a run begins, of which there may be two whose results
    have not left: ``room`` is set while another one may begin, ``empty`` while there is none.
    ``flagged`` results are handed out with what ``error`` was when they were finished.
    """

    def __init__(self, streams: DigitStreams, *, flagged: bool = False) -> None:
        self.streams, self.flagged = streams, flagged
        width = streams.lanes * streams.width
        self.subtracts = streams.shape.variant == "subtract"
        ports = {
            "write": In(1),
            "write_row": In(range(streams.rows)),
            "row": In(width),
            "finish": In(1),
            "reserve": In(1),
            "room": Out(1),
            "empty": Out(1),
            "words": Out(stream.Signature(result_payload(streams.width, flagged=flagged))),
        }
        if flagged:
            ports["error"] = In(1)
        if self.subtracts:
            ports |= {"difference": In(width), "keep": In(1)}
        super().__init__(ports)

    def elaborate(self, platform: Any) -> Module:
        """A memory, two banks, and a position within the result that leaves."""
        m = Module()
        streams = self.streams
        width, row_bits = streams.lanes * streams.width, (streams.stride - 1).bit_length()
        stored = [self.row, self.difference] if self.subtracts else [self.row]
        write, read = add_memory(m, "rows", len(stored) * width, BANKS * streams.stride)
        writing, leaving = Signal(name="writing_bank"), Signal(name="leaving_bank")
        ready, keep = Signal(2, name="finished"), Signal(2, name="kept")
        reserved = Signal(range(3), name="reserved")
        row, there = Signal(range(streams.rows), name="leaving_row"), Signal(name="there")
        left, advance = Signal(range(streams.words + 1), name="words_left"), Signal(name="advance")
        leave, freed = Signal(name="leave"), Signal(name="freed")
        lanes = Signal(streams.lanes, name="lane")
        begin = ~there & ready.bit_select(leaving, 1)
        m.d.comb += [
            write.en.eq(self.write),
            write.addr.eq(Cat(self.write_row[:row_bits], writing)),
            write.data.eq(Cat(*stored)),
            read.addr.eq(Cat(row[:row_bits], leaving)),
            self.room.eq(reserved != 2),
            self.empty.eq(reserved == 0),
            leave.eq(self.words.valid & self.words.ready),
            self.words.valid.eq(there),
            self.words.payload.last.eq(left == 1),
            freed.eq(leave & (left == 1)),
            advance.eq(begin | (leave & lanes[-1])),
            read.en.eq(advance),
        ]
        self._select(m, read.data, keep.bit_select(leaving, 1), lanes)
        # A run takes long enough for its place to be counted a cycle later.
        m.d.sync += reserved.eq(reserved + delayed(m, self.reserve, 1, "reserves") - freed)
        with m.If(self.finish):
            m.d.sync += [writing.eq(~writing), ready.bit_select(writing, 1).eq(1)]
            if self.subtracts:
                m.d.sync += keep.bit_select(writing, 1).eq(self.keep)
        if self.flagged:
            errors = Signal(2, name="errors")
            m.d.comb += self.words.payload.error.eq(errors.bit_select(leaving, 1))
            with m.If(self.finish):
                m.d.sync += errors.bit_select(writing, 1).eq(self.error)
        with m.If(begin):
            m.d.sync += [there.eq(1), left.eq(streams.words), lanes.eq(1)]
        with m.If(leave):
            m.d.sync += [left.eq(left - 1), lanes.eq(lanes.rotate_left(1))]
        with m.If(freed):
            m.d.sync += [
                there.eq(0),
                leaving.eq(~leaving),
                ready.bit_select(leaving, 1).eq(0),
                row.eq(0),
            ]
        with m.Elif(advance):
            m.d.sync += row.eq(row + 1)
        return m

    def _select(self, m: Module, found: Any, keep: Any, lanes: Signal) -> None:
        """The word in the current lane of a row or of its difference."""
        width, count = self.streams.width, self.streams.lanes
        total = found[: width * count]
        chosen = Mux(keep, total, found[width * count :]) if self.subtracts else total
        if count == 1:
            m.d.comb += self.words.payload.word.eq(chosen)
            return
        row = Signal(width * count, name="row_chosen")
        m.d.comb += row.eq(chosen)
        parts = [Mux(lanes[i], row[width * i : width * (i + 1)], 0) for i in range(count)]
        word = parts[0]
        for part in parts[1:]:
            word = word | part
        m.d.comb += self.words.payload.word.eq(word)
