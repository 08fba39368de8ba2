"""What the page of traces does, on small cores: its commands, and then its code."""

import re
import shlex
import sys
from pathlib import Path

import matplotlib as mpl
import matplotlib.pyplot as plt
import pytest
from tests.evidence.attacks.attacked import LADDER
from tests.evidence.attacks.powers import CORES
from tests.schedules import quick_schedules

from residua import cli
from residua.cores.directory import build
from residua.cores.specification.reading import check_any

PAGE = (Path(__file__).parents[2] / "docs" / "traces.md").read_text(encoding="utf-8")

BLOCKS = re.compile(r"^```(sh|py)\n(.*?)^```\n", re.MULTILINE | re.DOTALL)


def commanded(monkeypatch, line):
    monkeypatch.setattr(sys, "argv", shlex.split(line.replace("--traces 200", "--traces 20")))
    with pytest.raises(SystemExit) as ended:
        cli.main()
    assert not ended.value.code


def test_from_a_core_to_a_plot(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(mpl, "rcParams", mpl.rcParams.copy())
    mpl.use("Agg")
    names = {}
    with quick_schedules():
        build(check_any(LADDER), tmp_path / "ecc")
        build(check_any(CORES["engine"]), tmp_path / "rsa")
        for language, text in BLOCKS.findall(PAGE):
            if language == "py":
                exec(compile(text, "traces.md", "exec"), names)
                continue
            for line in text.splitlines():
                if not line.startswith("residua build"):
                    commanded(monkeypatch, line.replace("0:5000", "0:500"))
    for name in ("run", "traces"):
        names[name].close()
    plt.close("all")
    capsys.readouterr()
    made = {path.name for path in tmp_path.iterdir()}
    assert made >= {"run.npz", "run.vcd", "product.npz", "traces.npz", "step.svg", "t.svg"}
    assert made >= {"root.npz", "root.vcd"}
