"""Binary operands: the memory for the words of the next run, filled by a stream."""

from typing import Any

from amaranth.hdl import Module
from amaranth.lib import stream
from amaranth.lib.memory import Memory
from amaranth.lib.wiring import Component, In, Out

from residua.hardware.engine.loader import OperandLoader
from residua.machines.microcode import binary_depth


class BinaryOperands(Component):
    """Holds the ``count`` words of ``width`` bits that one run reads.

    ``words`` fills the memory from address 1 on (see `residua.machines.microcode.binary_address`).
    When it is full, ``request`` asks for a run until ``start`` grants it; words are taken again
    after ``release``. ``word`` is the content of ``address`` in the same cycle.
    """

    def __init__(self, width: int, count: int) -> None:
        self.width, self.count = width, count
        super().__init__(
            {
                "words": In(stream.Signature(width)),
                "request": Out(1),
                "start": In(1),
                "release": In(1),
                "address": In(range(binary_depth(count))),
                "word": Out(width),
            }
        )

    def elaborate(self, platform: Any) -> Module:
        """A loader and a memory."""
        m = Module()
        m.submodules.loader = loader = OperandLoader(self.count)
        m.submodules.memory = memory = Memory(
            shape=self.width, depth=binary_depth(self.count), init=[]
        )
        write, read = memory.write_port(), memory.read_port(domain="comb")
        m.d.comb += [
            loader.valid.eq(self.words.valid),
            self.words.ready.eq(loader.ready),
            loader.start.eq(self.start),
            loader.release.eq(self.release),
            self.request.eq(loader.request),
            write.addr.eq(loader.register),
            write.data.eq(self.words.payload),
            write.en.eq(loader.load),
            read.addr.eq(self.address),
            self.word.eq(read.data),
        ]
        return m
