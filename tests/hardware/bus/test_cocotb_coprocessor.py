"""The emitted Verilog of a coprocessor on AXI, driven by cocotb and cocotbext-axi."""

from tests.hardware.bus import cocotb_runner


def test_coprocessor(tmp_path, monkeypatch):
    names = cocotb_runner.run("tests.hardware.bus.cocotb_coprocessor", tmp_path, monkeypatch)
    assert len(names) == 2 + 4 + 1 + 1
