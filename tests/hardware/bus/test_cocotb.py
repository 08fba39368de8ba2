"""The emitted Verilog of the buses in Verilator, driven by cocotb and cocotbext-axi."""

import pytest
from tests.hardware.bus import cocotb_runner


def test_axi_with_streams(tmp_path, monkeypatch):
    names = cocotb_runner.run("tests.hardware.bus.cocotb_axi", tmp_path, monkeypatch)
    assert len(names) == 3 + 2 + 4 + 1


@pytest.mark.parametrize("bus", ["axi", "wishbone"])
def test_python_driver(bus, tmp_path, monkeypatch):
    monkeypatch.setenv("RESIDUA_TEST_BUS", bus)
    monkeypatch.delitem(
        cocotb_runner.sys.modules, "tests.hardware.bus.cocotb_driver", raising=False
    )
    names = cocotb_runner.run("tests.hardware.bus.cocotb_driver", tmp_path, monkeypatch)
    assert len(names) == 2
