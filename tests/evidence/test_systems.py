"""Rows of systems on boards: what they are measured on, and the page that is made of them."""

from dataclasses import replace

import pytest
from tests.report.made_up_system import BITSTREAM, BOARD, manifest
from tests.small_curves import TINY

from residua.evidence.campaign import Request
from residua.evidence.campaigns import systems
from residua.evidence.rows import Row
from residua.report import documents
from residua.report.documents import Figure


@pytest.fixture
def small(monkeypatch):
    """A system with one small core."""
    monkeypatch.setattr(systems, "CORES", {"tiny": {"curve": [TINY]}})
    return systems.System("ulx3s-25f", ("tiny",), 50.0, 75.0)


def test_a_system_is_known_by_its_hardware(small):
    assert small.digest() == replace(small).digest()
    others = [
        replace(small, board="ulx3s-85f"),
        replace(small, megahertz=25.0),
        replace(small, core_megahertz=80.0),
        replace(small, ram_bytes=32768),
    ]
    assert len({one.digest() for one in (small, *others)}) == len(others) + 1
    assert small.specification == {"tiny": {"curve": [TINY], "bus": "wishbone", "name": "tiny"}}


def test_a_core_that_changes_makes_another_system(small, monkeypatch):
    before = small.digest()
    monkeypatch.setattr(systems, "CORES", {"tiny": {"curve": [TINY], "blinding": 0}})
    assert replace(small).digest() != before


def row(**bitstream):
    figures = {
        "system": manifest(board=BOARD, crossed=True),
        "bitstream": BITSTREAM | bitstream,
        "known_answers": 5,
    }
    return Row(
        name="A system", specification=None, verilog="0", commit="abc", tools={"nextpnr": "1"},
        amount=5, seconds=1.0, failures=[], figures=figures,
    )  # fmt: skip


def test_a_page_of_systems():
    document = systems.document([row()])
    text = documents.markdown(document)
    assert "| 50: 61.5 (58 to 62) | 80: 83 (79 to 90.5) | 1,500 of 83,640 |" in text
    assert "| signer | 777 |" in text
    files = [part.file for part in document.parts if isinstance(part, Figure)]
    assert files == ["systems_a-system.svg", "systems_a-system_plan.svg"]
    assert all(f"]({file})" in text for file in files)


@pytest.mark.parametrize("met", [True, False])
def test_what_is_measured(small, tmp_path, monkeypatch, met):
    """The tools are replaced: what they find is kept, and a clock that is missed is a fault."""
    asked = []

    class Host:
        def __enter__(self):
            return self

        def __exit__(self, *_error):
            return None

        def self_test(self):
            return 5

    class Made:
        manifest = manifest(board=BOARD)

    monkeypatch.setattr(
        systems.soc_directory, "build", lambda request, _path: asked.append(request) or Made
    )
    monkeypatch.setattr(systems, "simulated_host", lambda _made, _seconds: Host())
    monkeypatch.setattr(
        systems, "make_bitstream", lambda _made, *, seeds: BITSTREAM | {"met": met, "seed": seeds}
    )
    found = systems.measure(Request("A system", 3, None, tmp_path, small))
    (request,) = asked
    assert [core.name for core in request.cores] == ["tiny"]
    assert (request.board, request.megahertz, request.core_megahertz) == ("ulx3s-25f", 50.0, 75.0)
    assert (found["known_answers"], found["bitstream"]["seed"]) == (5, 3)
    assert bool(found["failures"]) is not met
    assert "files" not in found["system"]
