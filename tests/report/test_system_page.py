"""Drawings, tables and reports of systems."""

import json
import re
from itertools import combinations
from xml.etree import ElementTree as ET

import pytest
from tests.report.made_up_system import BITSTREAM, BOARD, manifest
from tests.report.markup import check_balanced

from residua import cli
from residua.report import system_page
from residua.report.system_blocks import keys_of_cores, system_blocks
from residua.systems.boards.bitstream import RESULT
from residua.systems.soc_directory import MANIFEST, SocDirectory


def boxes(drawing, kinds):
    """The rectangles of these classes: left, top, right, bottom."""
    found = []
    for one in ET.fromstring(drawing).iter():
        if one.tag.endswith("rect") and one.get("class") in kinds:
            x, y, width, height = (float(one.get(key)) for key in ("x", "y", "width", "height"))
            found.append((x, y, x + width, y + height))
    return found


@pytest.mark.parametrize("crossed", [False, True])
@pytest.mark.parametrize("board", [None, BOARD])
@pytest.mark.parametrize("count", [1, 4, 5, 16])
def test_every_core_has_a_place_of_its_own(count, board, crossed):
    system = manifest(
        cores=[f"core{number}" for number in range(count)], board=board, crossed=crossed
    )
    drawing = system_blocks(system)
    for number, name in enumerate(system["cores"]):
        assert f">{name}</text>" in drawing
        assert f">{0x30000000 + 4096 * number:#010x}, interrupt {16 + number}</text>" in drawing
    assert drawing.count("crossing to 80 MHz") == (count if crossed else 0)
    parts = boxes(drawing, {"rower", "control", "stream", "edge"})
    # Cores, rows of the bus, devices, and what is around them.
    assert len(parts) == count * (1 + crossed) - (-count // 4) + 4 + 4 * (board is not None)
    for one, other in combinations(parts, 2):
        assert one[2] <= other[0] or other[2] <= one[0] or one[3] <= other[1] or other[3] <= one[1]
    ((left, top, right, bottom),) = boxes(drawing, {"frame"})
    width, height = map(float, ET.fromstring(drawing).get("viewBox").split()[2:])
    assert 0 <= left < right <= width
    assert bottom <= height
    assert all(left <= one[0] and one[2] <= right and one[3] <= bottom for one in parts)
    assert all(one[1] >= top or one[3] <= top for one in parts)


def test_what_cores_compute():
    curves = "P-256, P-384"
    assert keys_of_cores(manifest()) == [*[curves] * 4, "RSA to 2048 bits, private"]


def test_figures_have_their_own_colours():
    """Nothing that they use is to be looked for in the page around them."""
    system = manifest(board=BOARD, crossed=True)
    for figure in (
        system_page.blocks("", system, "a.svg"),
        system_page.plan("", system, BITSTREAM, "b.svg"),
    ):
        root = ET.fromstring(figure.svg)
        style = root.find("{http://www.w3.org/2000/svg}style").text
        used = {one.get("class") for one in root.iter()} - {None}
        assert used <= set(re.findall(r"\.([\w]+)", style))
        declared = set(re.findall(r"(--\w+):", style))
        assert set(re.findall(r"var\((--\w+)\)", style)) <= declared
        assert set(re.findall(r"url\(#(\w+)\)", figure.svg)) <= {
            one.get("id") for one in root.iter()
        }


def test_tables_name_the_cores():
    shown = {
        table.title: table.rows for table in system_page.tables(manifest(board=BOARD), BITSTREAM)
    }
    assert [row[:2] for row in shown["Modules"]] == [("system", "1 400"), ("signer", "777")]
    assert shown["ulx3s-85f: LFE5U-85F, speed 6"][2] == ("DSP", "3", "156", "1.9 %")
    assert shown["Clocks in MHz"][0] == ("system_clock", "50", "61.5", "58", "62")


@pytest.fixture
def directory(tmp_path):
    (tmp_path / MANIFEST).write_text(json.dumps(manifest(board=BOARD)))
    return tmp_path


def report(directory, monkeypatch):
    monkeypatch.setattr("sys.argv", ["residua", "report", str(directory)])
    with pytest.raises(SystemExit) as caught:
        cli.main()
    return caught.value.code


def test_the_report_of_a_directory(directory, monkeypatch):
    assert not report(directory, monkeypatch)
    first = (directory / system_page.FILE).read_text()
    check_balanced(first)
    assert "Floor plan" not in first
    (directory / RESULT).write_text(json.dumps(BITSTREAM))
    assert not report(directory, monkeypatch)
    text = (directory / system_page.FILE).read_text()
    check_balanced(text)
    for part in ("Floor plan", "signer, 3 tiles", "1.9 %", BITSTREAM["program"]):
        assert part in text
    assert not re.search(r"(?:src|href)=|@import|url\((?!#)", text)
    system_page.write(SocDirectory.open(directory))
    assert (directory / system_page.FILE).read_text() == text


@pytest.mark.parametrize("content", ["", "[]", "{}", json.dumps(BITSTREAM | {"schema": 0})])
def test_a_bitstream_of_another_version_is_refused(directory, monkeypatch, capsys, content):
    (directory / RESULT).write_text(content)
    assert report(directory, monkeypatch) == 2
    assert f"{directory / RESULT} is not of this version" in capsys.readouterr().err.replace(
        "\n", " "
    )
    assert not (directory / system_page.FILE).exists()
