"""Runs of tools that are kept: the same files as the tool gave, and never those of another run."""

import json
from pathlib import Path

import pytest
from toolchain_designs import Fold

from residua import cache
from residua.toolchain import process
from residua.toolchain.formal import prove
from residua.toolchain.kept import runs as kept_runs
from residua.toolchain.kept.runs import keep_run
from residua.toolchain.process import ToolError
from residua.toolchain.yosys import gather, read_ports, run_script, synthesise

SOURCE = "module d(input [3:0] a, b, output [3:0] y); assign y = a * b; endmodule\n"


@pytest.fixture(autouse=True)
def runs(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> list[str]:
    """The tools that were run, in a cache of this test alone."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    found: list[str] = []
    ever = process.run

    def run(command, *, tool, **options):
        found.append(tool)
        return ever(command, tool=tool, **options)

    for module in ("process", "formal"):
        monkeypatch.setattr(f"residua.toolchain.{module}.run", run)
    return found


def written(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.glob("*") if path.is_file()}


def source(folder: Path, text: str = SOURCE) -> Path:
    folder.mkdir()
    path = folder / "d.v"
    path.write_text(text)
    return path


def test_the_same_files_wherever_they_lie(tmp_path: Path, runs: list[str]) -> None:
    results = [
        synthesise([source(tmp_path / name)], "d", "ecp5", out_dir=tmp_path / f"{name} made")
        for name in ("one", "other")
    ]
    assert runs == ["yosys"]
    made, taken = (written(result.json.parent) for result in results)
    assert made.keys() - taken.keys() == {"design.il"}
    assert taken.items() < made.items()
    assert {"netlist.json", "netlist.v", "yosys.log", "yosys.ys"} <= taken.keys()
    assert results[0].cells == results[1].cells
    assert b"sources/d.v" in taken["netlist.json"]


@pytest.mark.parametrize(
    ("text", "dsp"),
    [(SOURCE.replace("*", "-"), True), (SOURCE, False)],
    ids=["file", "script"],
)
def test_whatever_changes_is_run_again(
    tmp_path: Path, runs: list[str], text: str, dsp: bool
) -> None:
    first = synthesise([source(tmp_path / "first")], "d", "ecp5", out_dir=tmp_path / "a")
    second = synthesise(
        [source(tmp_path / "second", text)], "d", "ecp5", dsp=dsp, out_dir=tmp_path / "b"
    )
    assert runs == ["yosys", "yosys"]
    assert first.netlist.read_text() != second.netlist.read_text()


def test_other_versions_run_again(
    tmp_path: Path, runs: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    path = source(tmp_path / "d")
    read_ports([path], "d", out_dir=tmp_path / "a")
    monkeypatch.setattr(kept_runs, "versions", lambda: {"pyosys": "another"})
    read_ports([path], "d", out_dir=tmp_path / "b")
    assert runs == ["yosys", "yosys"]


def test_anew(tmp_path: Path, runs: list[str]) -> None:
    path = source(tmp_path / "d")
    for _ in range(2):
        with cache.anew():
            read_ports([path], "d", out_dir=tmp_path / "a")
    read_ports([path], "d", out_dir=tmp_path / "b")
    assert runs == ["yosys", "yosys"]


def test_a_damaged_entry_is_made_anew(tmp_path: Path, runs: list[str]) -> None:
    path = source(tmp_path / "d")
    read_ports([path], "d", out_dir=tmp_path / "a")
    (entry,) = cache.entries()["tools"]
    entry.write_bytes(entry.read_bytes()[:-1])
    ports = read_ports([path], "d", out_dir=tmp_path / "b")
    assert runs == ["yosys", "yosys"]
    assert [port.name for port in ports] == ["a", "b", "y"]


def test_verdicts_are_kept_with_their_trace(tmp_path: Path, runs: list[str]) -> None:
    """And another claim in the same folder leaves no trace of the one before."""
    for divisor, passed in ((123, False), (124, True)):
        found = [prove(Fold(divisor), "fold", out_dir=tmp_path / name) for name in "ab"]
        assert [result.passed for result in found] == [passed, passed]
        traces = [result.trace and result.trace.read_bytes() for result in found]
        assert traces[0] == traces[1]
        assert (traces[0] is None) is passed
    assert runs == ["SymbiYosys", "SymbiYosys"]


def test_a_failure_is_not_kept(tmp_path: Path) -> None:
    calls = []

    def fail() -> None:
        calls.append(1)
        raise ToolError("it failed", ["tool"], None, "")

    for _ in range(2):
        with pytest.raises(ToolError, match="it failed"):
            keep_run("tool", ["same"], ["output"], tmp_path, fail)
    assert len(calls) == 2
    assert "tools" not in cache.entries()


def test_what_a_tool_does_not_write_stays_away(tmp_path: Path) -> None:
    def run() -> None:
        (tmp_path / "written").write_text(json.dumps("here"))

    for _ in range(2):
        keep_run("tool", ["same"], ["written", "unwritten"], tmp_path, run)
        assert not (tmp_path / "unwritten").exists()
        (tmp_path / "written").unlink(missing_ok=False)


def test_files_of_one_name_stay_apart(tmp_path: Path) -> None:
    sources = [source(tmp_path / name, f"// {name}") for name in "abc"]
    names = gather(sources, tmp_path)
    assert names == ["sources/d.v", "sources/1/d.v", "sources/2/d.v"]
    assert [(tmp_path / name).read_text() for name in names] == ["// a", "// b", "// c"]


def test_nothing_is_written_for_a_script_without_files(tmp_path: Path, runs: list[str]) -> None:
    for _ in range(2):
        log = run_script(["log here"], reads=[], writes=[], out_dir=tmp_path / "empty")
        assert "here" in log.read_text()
    assert runs == ["yosys"]
