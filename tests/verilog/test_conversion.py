"""RTLIL of components is, byte for byte, what Amaranth writes."""

import pytest
from amaranth.back import rtlil
from amaranth.hdl import Module, Shape, signed, unsigned
from amaranth.lib.memory import Memory
from amaranth.lib.wiring import Component, In, Out
from tests.toolchain.toolchain_designs import Cell18, Engine

from residua.verilog.conversion import to_rtlil


class Table(Component):
    """Words behind a memory that can be written."""

    def __init__(self, shape: Shape, words: list[int]) -> None:
        self._words = words
        ports = {"address": In(8), "value": In(shape), "enable": In(1), "word": Out(shape)}
        super().__init__(ports)

    def elaborate(self, platform: object) -> Module:
        del platform
        m = Module()
        shape = self.value.shape()
        m.submodules.memory = memory = Memory(shape=shape, depth=len(self._words), init=self._words)
        read, write = memory.read_port(), memory.write_port()
        m.d.comb += [
            read.addr.eq(self.address),
            self.word.eq(read.data),
            write.addr.eq(self.address),
            write.data.eq(self.value),
            write.en.eq(self.enable),
        ]
        return m


@pytest.mark.parametrize(
    "make",
    [
        Engine,
        Cell18,
        lambda: Table(unsigned(5), [1, 0, 31, 7, 2]),
        lambda: Table(signed(4), [-8, 7, -1, 0]),
        lambda: Table(unsigned(0), [0, 0]),
        lambda: Table(unsigned(3), []),
    ],
)
def test_text(make: type[Component]) -> None:
    assert to_rtlil(make(), "top") == rtlil.convert(make(), name="top", emit_src=False)
