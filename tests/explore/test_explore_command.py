"""`residua explore` from end to end: real cores, files, page, refusals."""

import json
import re
import shlex

import pytest
from tests.explore.test_commands import run  # noqa: F401 - a fixture

from residua.cores.directory import Directory
from residua.cores.specification.command import flags
from residua.cores.synthesis import map_directory
from residua.evidence.rows import Store
from residua.evidence.subjects import verilog
from residua.report import space_page

SPACE = """
objectives = ["cycles", "lut"]
target = "ecp5"
[keys]
modulus = "0x1000b"
width = 12
rowers = ["default", 1, 2]
levels_per_register = [1, 99]
"""


def test_explore(run, tmp_path):  # noqa: F811
    (tmp_path / "small.toml").write_text(SPACE)
    arguments = ("small.toml", "-o", "found", "--to", "synthesis", "--jobs", 2)
    code, out, err = run("explore", *arguments, "--report", "--export", "cores.csv", "--json")
    assert code == 0, err
    found = json.loads(out)
    assert (found["points"], found["cores"], found["synthesised"]) == (6, 2, 2)
    assert found["same"] == 1
    ((reason, count),) = found["refused"].items()
    assert (reason.split(":")[0], count) == ("levels_per_register = N", 3)
    rows = Store(tmp_path / "found").read("small")
    assert {row.name for row in rows.values() if row["front"]} == {
        core["name"] for core in found["front"]
    }
    assert len((tmp_path / "cores.csv").read_text().splitlines()) == 1 + len(rows)
    page = (tmp_path / "found" / "small.html").read_text()
    assert all(f"{row['lut']:.0f}" in page for row in rows.values())

    # What stands in a row is what its keys give.
    row = next(iter(rows.values()))
    assert run("build", *shlex.split(flags(row.specification)), "-o", "core")[0] == 0
    directory = Directory.open(tmp_path / "core")
    assert verilog(directory) == row.verilog
    assert directory.manifest["cycles"]["latency"] == row["cycles"]
    mapped = map_directory(directory, "ecp5", tmp_path / "mapped")
    assert mapped["resources"]["lut"] == row["lut"]

    code, out, _ = run("explore", *arguments)
    assert code == 0
    assert "6, 2 different cores" in out
    assert "--rowers 1" in out
    assert re.search(r"flags in common +--modulus 0x1000b --width 12", out)

    (tmp_path / "small.toml").write_text(SPACE.replace(', "lut"', ""))
    code, out, _ = run("explore", "small.toml", "-o", "found", "--to", "model")
    assert code == 0
    assert re.search(r"front +1 core\b", out)
    assert re.search(r"flags +--modulus 0x1000b --width 12", out)


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("missing.toml",), "cannot read the space missing.toml"),
        (("small.toml", "--export", "cores.xls"), "a table's name ends with"),
        (("small.toml", "--to", "model"), "'lut' needs lut"),
        (("small.toml", "--to", "synthesis", "--scheduler", "127.0.0.1:9"), "no Dask scheduler"),
    ],
)
def test_refusals_leave_nothing(run, tmp_path, monkeypatch, words, message):  # noqa: F811
    (tmp_path / "small.toml").write_text(SPACE)
    monkeypatch.setattr("residua.toolchain.executors._TIMEOUT", "1s")
    code, out, err = run("explore", *words, "-o", "found")
    assert (code, out) == (2, "")
    assert message in " ".join(err.split())
    assert not (tmp_path / "found").exists() or not list((tmp_path / "found").iterdir())


@pytest.mark.parametrize("library", ["duckdb", "plotly.offline"])
def test_libraries_that_are_not_there(run, tmp_path, monkeypatch, library):  # noqa: F811
    (tmp_path / "small.toml").write_text(SPACE)
    monkeypatch.setitem(__import__("sys").modules, library, None)
    code, _, err = run("explore", "small.toml", "-o", "found", "--to", "synthesis", "--report")
    assert code == 2
    assert "pip install 'residua[explore]'" in " ".join(err.split())


def core(width, lut, ms, *, front, rowers=None):
    keys = {"modulus": "0x1000b", "width": width} | ({"rowers": rowers} if rowers else {})
    figures = {"lut": lut, "ff": lut, "dsp": rowers or 2, "bram": 0, "mhz": 200.0, "ms": ms}
    return {"name": f"core_{width}", "keys": keys, "cycles": 90, **figures, "clocks": [199.0],
            "front": front}  # fmt: skip


SUMMARY = {
    "combinations": 3, "chosen_by": "", "excluded": 0,
    "space": {"objectives": ["ms", "lut"], "target": "ecp5",
              "keys": [{"width": [12, 13]}, {"width": [14]}], "where": [],
              "limits": ["lut < 900 & 1"], "seeds": 1},
    "points": 3, "cores": 3, "synthesised": 3, "placed": 3, "refused": {"<b>": 1}, "failed": {},
    "finished": True, "errors": {"lut": {"median": 0.01, "four_in_five": 0.03}}, "front": [{}],
}  # fmt: skip


def test_the_page_holds_all_that_it_shows():
    cores = [core(12, 500, 0.2, front=False), core(13, 400, 0.1, front=True, rowers=1)]
    page = space_page.render("a space", SUMMARY, cores)
    assert page == space_page.render("a space", SUMMARY, cores)
    table = page[page.index('<table id="cores">') :]
    assert table.index("--width 13") < table.index("--width 12"), "the front comes first"
    assert "residua build --modulus 0x1000b --width 13 --rowers 1 -o DIR" in page
    assert "<noscript><div" in page
    assert page.count("<svg") >= 2
    assert "against-lut" in page
    assert "against-bram" not in page, "all have the same"
    assert "&lt;b&gt;" in page
    assert "lut &lt; 900 &amp; 1" in page
    own = page.replace(space_page._plotly("offline").get_plotlyjs(), "")
    texts = re.search(r'"text":(\["[^]]*\])', own)[1]
    assert json.loads(texts) == ["--width 12", "--width 13 --rowers 1"], "it lies on top"
    assert 'src="http' not in own
    assert "href=" not in own.replace("xlink:href", "")


def test_a_page_without_cores():
    page = space_page.render("a space", SUMMARY | {"front": [], "finished": False}, [])
    assert "None was measured that meets the limits" in page
    assert "is not finished" in page
    assert "Plotly" not in page
