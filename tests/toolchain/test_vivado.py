"""The Vivado script, and what happens without Vivado."""

from pathlib import Path

import pytest

from residua.errors import SpecificationError
from residua.toolchain.vivado import run_script, write_script


def test_script(tmp_path: Path) -> None:
    source = tmp_path / "rtl" / "core.v"
    script = write_script([source], "core", out_dir=tmp_path, part="xc7a35t", period_ns=5)
    text = script.read_text()
    assert "read_verilog {rtl/core.v}\n" in text
    assert "synth_design -top core -part xc7a35t -mode out_of_context" in text
    assert "create_clock -name clk -period 5 [get_ports clk]" in text
    assert str(tmp_path) not in text


def test_without_vivado(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "")
    script = write_script([tmp_path / "core.v"], "core", out_dir=tmp_path)
    with pytest.raises(
        SpecificationError, match=r"not on the PATH; the script .*vivado\.tcl is ready"
    ):
        run_script(script)


def test_reports(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    program = tmp_path / "bin" / "vivado"
    program.parent.mkdir()
    program.write_text('#!/bin/sh\necho "$@"\n')
    program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{program.parent}:/usr/bin:/bin")
    reports = run_script(write_script([tmp_path / "core.v"], "core", out_dir=tmp_path))
    assert reports.log.read_text() == "-mode batch -nojournal -source vivado.tcl\n"


def test_bad_period(tmp_path: Path) -> None:
    with pytest.raises(SpecificationError, match="give a positive one"):
        write_script([], "core", out_dir=tmp_path, period_ns=0)
