"""Digests by which rows know their hardware again."""

from amaranth.hdl import Module, Signal
from amaranth.lib.wiring import Component, In, Out

from residua.cores.directory import build
from residua.cores.specification.reading import check_any
from residua.evidence.subjects import Cores, Design, Sources, core, digest, verilog

SMALL = {"modulus": "0x1000b", "width": 12}


def test_comments_are_no_hardware():
    code = "module m;\nendmodule\n"
    assert digest({"rtl/m.v": f"// Made of this.\n{code}"}) == digest({"rtl/m.v": code})
    assert digest({"rtl/m.v": code}) != digest({"rtl/n.v": code})


def test_a_core_is_known_by_the_verilog_of_its_directory(tmp_path):
    directory = build(check_any(SMALL), tmp_path / "core")
    assert core(SMALL).digest() == verilog(directory)
    assert core(SMALL).specification == SMALL
    other = core(SMALL | {"rowers": 1})
    assert other.digest() != core(SMALL).digest()
    both = Cores({"small": SMALL, "smaller": other.parts[""]})
    assert len({both.digest(), core(SMALL).digest(), other.digest()}) == 3
    assert both.specification == {"small": SMALL, "smaller": SMALL | {"rowers": 1}}


def test_a_component_is_known_by_its_verilog():
    class Delay(Component):
        def __init__(self, cycles):
            self.cycles = cycles
            super().__init__({"d": In(1), "q": Out(1)})

        def elaborate(self, _platform):
            m, bit = Module(), self.d
            for index in range(self.cycles):
                following = Signal(name=f"q{index}")
                m.d.sync += following.eq(bit)
                bit = following
            m.d.comb += self.q.eq(bit)
            return m

    one, two = (Design("delay", lambda cycles=cycles: Delay(cycles)) for cycles in (1, 2))
    assert one.digest() == Design("delay", lambda: Delay(1)).digest() != two.digest()
    assert one.specification is None


def test_what_has_no_verilog_is_known_by_its_modules():
    one, folder = Sources(("errors.py",)), Sources(("numbers",))
    assert one.digest() == Sources(("errors.py",)).digest()
    assert len({one.digest(), folder.digest(), Sources(("numbers", "errors.py")).digest()}) == 3
