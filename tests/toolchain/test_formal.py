"""Proofs of small components."""

from pathlib import Path

import pytest
from toolchain_designs import Engine, Fold

from residua.errors import SpecificationError
from residua.toolchain.formal import prove
from residua.toolchain.process import ToolError


def test_true_assertion_is_proved(tmp_path: Path) -> None:
    result = prove(Fold(124), "fold", out_dir=tmp_path)
    assert result.passed
    assert result.verdict == "PASS"
    assert result.trace is None


def test_false_assertion_gives_a_trace(tmp_path: Path) -> None:
    result = prove(Fold(123), "fold", out_dir=tmp_path)
    assert not result.passed
    assert result.verdict == "FAIL"
    assert result.trace is not None
    assert result.trace.exists()


def test_systemverilog(tmp_path: Path) -> None:
    source = tmp_path / "sum.sv"
    source.write_text(
        "module sum(input [7:0] a, b); wire [8:0] s = a + b; always @* assert (s <= 510); endmodule"
    )
    assert prove(source, "sum", out_dir=tmp_path / "out", depth=1).passed


def test_broken_source_is_quoted(tmp_path: Path) -> None:
    source = tmp_path / "broken.sv"
    source.write_text("module broken(; endmodule\n")
    with pytest.raises(ToolError, match="syntax error"):
        prove(source, "broken", out_dir=tmp_path / "out")


def test_unknown_engine(tmp_path: Path) -> None:
    with pytest.raises(SpecificationError, match="no proof engine 'magic'; one of smtbmc z3"):
        prove(tmp_path / "x.sv", "x", out_dir=tmp_path, engine="magic")


def test_missing_solver(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("shutil.which", lambda *_arguments, **_options: None)
    with pytest.raises(SpecificationError, match="needs the program 'z3'"):
        prove(tmp_path / "x.sv", "x", out_dir=tmp_path)


def test_design_without_assertions_passes(tmp_path: Path) -> None:
    assert prove(Engine(1), "engine", out_dir=tmp_path, depth=1, induction=False).passed
