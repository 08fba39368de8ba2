"""The browser, and real pages to be looked at, which are made once."""

import json
import sys
from pathlib import Path

import pytest
from playwright.sync_api import sync_playwright
from tests.report.made_up_system import BITSTREAM, BOARD, NAMES, manifest
from tests.small_curves import TINY

from residua import cli
from residua.systems.boards.bitstream import RESULT
from residua.systems.soc_directory import MANIFEST

CHROMIUM = "/usr/bin/chromium"

SPACE = """
objectives = ["ms", "lut", "dsp"]
seeds = 1
[keys]
modulus = "0x1000b"
width = [12, 13, 14]
rowers = ["default", 1]
schedule = ["latency", "interval"]
levels_per_register = [1, 99]
"""

CURVE = "\n".join(f"{key} = {value!r}" for key, value in TINY.items())

PAGES = {
    "exploration": "found/small.html",
    "report": "core/report.html",
    "registers": "core/registers.html",
    "system": "system/report.html",
}
"""Pages by what they show."""


@pytest.fixture(scope="session")
def browser():
    with sync_playwright() as playwright:
        # The sandbox does not start for root, and all pages are our own.
        launched = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        yield launched
        launched.close()


@pytest.fixture(scope="session")
def pages(tmp_path_factory):
    """The files of all pages."""
    path = tmp_path_factory.mktemp("pages")
    (path / "small.toml").write_text(SPACE)
    (path / "core.toml").write_text(f'bus = "axi"\n[[curve]]\n{CURVE}\n')
    (path / "system").mkdir()
    system = manifest(cores=NAMES, board=BOARD, crossed=True)
    (path / "system" / MANIFEST).write_text(json.dumps(system))
    (path / "system" / RESULT).write_text(json.dumps(BITSTREAM))
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(path)
        for words in (
            "explore small.toml -o found --jobs 1 --report",
            "build core.toml -o core",
            "verify core --vectors 20",
            "synth core --target ecp5 --seeds 1",
            "report core",
            "report system",
        ):
            patch.setattr(sys, "argv", ["residua", *words.split()])
            with pytest.raises(SystemExit) as ended:
                cli.main()
            assert not ended.value.code, words
    return {name: path / file for name, file in PAGES.items()}


@pytest.fixture(scope="session")
def pictures():
    """Where screenshots are left, for people."""
    path = Path(__file__).parents[2] / "build" / "system"
    path.mkdir(parents=True, exist_ok=True)
    return path
