"""The whole system as Verilog, and what no system is."""

import pytest

from residua.errors import SpecificationError
from residua.hardware.rtl import emit
from residua.hardware.soc.memory_port import Region
from residua.hardware.soc.soc import MOST_CORES, CoreModule, SocDesign

PAIR = CoreModule("first"), CoreModule("second")


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"cores": ()}, "0 cores: a system has 1 to 16"),
        ({"cores": (CoreModule("core"),) * (MOST_CORES + 1)}, "17 cores"),
        ({"divisor": 3}, "a bit of 3 cycles: the serial port needs at least 4"),
        ({"ram_bytes": 3000}, "a power of two that divides its address"),
        ({"ram_bytes": 1 << 30}, "ram ends at 0x3fffffff, behind the beginning of uart"),
    ],
)
def test_refusals(changes, message):
    values = {
        "name": "soc",
        "cores": (CoreModule("core"),),
        "ram_bytes": 4096,
        "divisor": 8,
    } | changes
    with pytest.raises(SpecificationError, match=message):
        SocDesign(**values)


def test_every_core_has_addresses_and_an_instance():
    design = SocDesign("pair", PAIR, 4096, 8)
    assert design.regions["core_0"] == Region(0x3000_0000, 4096)
    assert design.regions["core_1"] == Region(0x3000_1000, 4096)
    verilog = emit(design.component(), "pair")["rtl/pair.v"]
    for module in ("pair_cpu cpu (", "pair_ram ram (", "first core_0 (", "second core_1 ("):
        assert module in verilog


def test_cores_with_a_clock_of_their_own_are_behind_crossings():
    design = SocDesign("pair", PAIR, 4096, 8, core_clock=True)
    verilog = emit(design.component(), "pair")["rtl/pair.v"]
    top = verilog[: verilog.index("endmodule")]
    for module in ("pair_near near_0 (", "pair_far far_1 (", "first core_0 (", "second core_1 ("):
        assert module in top
    assert top.count(".clk(core_clk)") == top.count(".rst(core_rst)") == 4
    assert "pair_master" not in verilog


@pytest.mark.parametrize("core_clock", [False, True])
def test_cores_on_two_buses(core_clock):
    cores = CoreModule("first"), CoreModule("second", "axi-lite")
    design = SocDesign("pair", cores, 4096, 8, core_clock=core_clock)
    verilog = emit(design.component(), "pair")["rtl/pair.v"]
    top = verilog[: verilog.index("endmodule")]
    first, second = top[top.index("first core_0 (") :], top[top.index("second core_1 (") :]
    assert ".wb_stb_i(" in first.split(");")[0]
    assert ".s_axi_awvalid(" in second.split(");")[0]
    far = {"wishbone": "pair_far", "axi-lite": "pair_far_axi_lite"}
    assert design.far_modules == (far if core_clock else {})
    assert all((f"{module} far_" in top) == core_clock for module in far.values())
