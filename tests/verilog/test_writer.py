"""Verilog of components: readable, lint-clean, and equivalent to what Amaranth meant."""

import re
from pathlib import Path

import pytest
from amaranth.back import rtlil
from amaranth.hdl import Module
from amaranth.lib.wiring import Component, In, Out
from tests.toolchain.toolchain_designs import Cell18, Engine, RandomDesign

from residua.hardware.unbuilt import unbuilt
from residua.toolchain.verilator import lint
from residua.toolchain.yosys import run_script
from residua.verilog.names import legal_name
from residua.verilog.reserved import RESERVED_WORDS
from residua.verilog.writer import to_verilog


def test_engine_is_lint_clean(tmp_path: Path) -> None:
    source = tmp_path / "engine.v"
    source.write_text(to_verilog(Engine(), name="engine"))
    assert lint([source], "engine") == []


def test_same_input_gives_same_bytes() -> None:
    assert to_verilog(Engine(), name="engine") == to_verilog(Engine(), name="engine")


def test_equal_modules_are_written_once() -> None:
    text = to_verilog(Engine(channels=6), name="engine")
    modules = re.findall(r"^module (\w+)", text, re.MULTILINE)
    # One channel has constants of its own, and the last one an unused z.
    assert modules == [
        "engine",
        "engine_channel_2",
        "engine_channel",
        "engine_channel_5",
        "engine_multiply",
    ]
    assert text.count("  engine_channel channel_") == 4


def test_names_are_plain_and_not_reserved() -> None:
    text = to_verilog(Engine(), name="engine")
    assert "\\" not in text
    declared = set(re.findall(r"(?:wire|reg)(?: signed)?(?: \[\d+:0\])? (\w+)", text))
    assert {"in_payload", "reg_payload", "process_signal"} <= declared
    assert not {name.lower() for name in declared} & RESERVED_WORDS


@pytest.mark.parametrize(
    ("name", "legal"),
    [
        ("a__b", "a_b"),
        ("s[0]", "s_0"),
        ("_x_", "x"),
        ("3d", "n3d"),
        ("Signal", "Signal_signal"),
        ("$", "unnamed"),
    ],
)
def test_legal_name(name: str, legal: str) -> None:
    assert legal_name(name) == legal


def test_header_is_a_comment_at_the_top() -> None:
    text = to_verilog(Engine(), name="engine", header="first\n\nlast")
    assert text.startswith("// first\n//\n// last\n")


def test_memories_keep_their_contents() -> None:
    text = to_verilog(Engine(), name="engine")
    assert "constants[7] = 9'h007;" in text
    assert "constants[7] = 9'h00c;" in text


def test_black_boxes_keep_name_ports_and_parameters() -> None:
    text = to_verilog(Cell18(), name="cells")
    assert '.REG_OUTPUT_CLK("CLK0")' in text
    assert text.count("MULT18X18D ") == 2
    assert ".A17(left[17])" in text
    assert "module MULT18X18D" not in text


class Holding(Component):
    """A register whose last assignment takes an earlier one back."""

    def __init__(self) -> None:
        super().__init__({"hold": In(1), "count": Out(4)})

    def elaborate(self, _platform: object) -> Module:
        m = Module()
        m.d.sync += self.count.eq(self.count + 1)
        with m.If(self.hold):
            m.d.sync += self.count.eq(self.count)
        return m


def test_an_assignment_to_itself_takes_an_earlier_one_back() -> None:
    text = to_verilog(Holding(), name="holding")
    assert re.search(r"if \(hold\) begin\s+count <= count;", text)


def test_bad_top_name() -> None:
    engine = unbuilt(Engine())
    with pytest.raises(ValueError, match="'a__b' cannot name a Verilog module; 'a_b' can"):
        to_verilog(engine, name="a__b")


class Divider(Component):
    def __init__(self) -> None:
        super().__init__({"x": In(4), "y": Out(4)})

    def elaborate(self, _platform: object) -> Module:
        m = Module()
        m.d.comb += self.y.eq(self.x // 3)
        return m


def test_division_is_refused() -> None:
    with pytest.raises(ValueError, match="no Verilog is written for a divfloor cell"):
        to_verilog(Divider(), name="divider")


EQUIVALENCE = [
    "read_rtlil gold.il",
    "prep -flatten -top gold",
    "memory",
    "design -stash gold",
    "read_verilog gate.v",
    "prep -flatten -top gate",
    "memory",
    "design -stash gate",
    "design -copy-from gold -as gold gold",
    "design -copy-from gate -as gate gate",
    "miter -equiv -flatten -make_outputs gold gate miter",
    "hierarchy -top miter",
    "sat -verify -set-init-zero -prove trigger 0 -maxsteps 4 -tempinduct-baseonly -tempinduct",
]
"""Equal outputs for all inputs in the first four cycles."""


@pytest.mark.parametrize("seed", range(10))
def test_equivalent_to_the_rtlil(tmp_path: Path, seed: int) -> None:
    gold = rtlil.convert(RandomDesign(seed), name="gold", emit_src=False)
    (tmp_path / "gold.il").write_text(gold)
    gate = tmp_path / "gate.v"
    gate.write_text(to_verilog(RandomDesign(seed), name="gate"))
    run_script(EQUIVALENCE, reads=["gold.il", "gate.v"], writes=[], out_dir=tmp_path, timeout=60)
    # Random comparisons may be constant; nothing else may draw a warning.
    assert [line for line in lint([gate], "gate") if "Comparison is constant" not in line] == []
