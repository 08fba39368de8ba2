"""The page of all explored spaces: fronts of rows that are there, and what says so of none."""

from pathlib import Path

from tests.explore.test_commands import run  # noqa: F401 - a fixture
from tests.explore.test_pick import ROWS

from residua.evidence.rows import Row, Store
from residua.explore.designs import gallery
from residua.explore.designs.shipped import EXPLORED
from residua.report import documents
from residua.report.documents import Figure

ROOT = Path(__file__).parents[2]


def on_front(row: Row, *, front: bool) -> Row:
    return row.model_copy(update={"figures": row.figures | {"front": front}})


CORES = [on_front(row, front=front) for row, front in zip(ROWS, (True, False, True), strict=False)]


def store(path, **explored):
    for name, rows in explored.items():
        Store(path / EXPLORED).write(name, rows)
    return Store(path)


def test_the_page_is_made_of_the_rows():
    made = documents.files(gallery.document(Store(ROOT / "results")))
    pages = ROOT / "docs" / "results"
    for file, text in made.items():
        if not file.endswith(".html"):
            assert (pages / file).read_text(encoding="utf-8") == text, f"`make pages`: {file}"
    pictures = {path.name for path in pages.glob(f"{EXPLORED}*.svg")}
    assert pictures == {file for file in made if file.endswith(".svg")}


def test_a_front_as_table_and_pictures(tmp_path):
    made = gallery.document(store(tmp_path, small=CORES, empty=[]))
    text = documents.markdown(made)
    assert "## small\n" in text
    assert "## empty" not in text
    assert "`make explore-small`: 3 cores were placed, 2 are on the front." in text
    assert "All of these have `--modulus 0x1000b --width 12`." in text
    lines = [line for line in text.splitlines() if line.startswith("| `--")]
    assert [line.split("|")[1].strip() for line in lines] == ["`--rowers 2`", "`--rowers 1`"]
    assert "| 600 |" in lines[0]
    assert "200 MHz (199 to 201, 3 placements) | `commit` |" in lines[0]
    pictures = [part for part in made.parts if isinstance(part, Figure)]
    assert [one.file for one in pictures] == ["explored_small_lut.svg", "explored_small_dsp.svg"]
    assert all("![explored_small" in text and one.svg.count("<use") >= 3 for one in pictures)


def test_no_explorations(tmp_path):
    text = documents.markdown(gallery.document(Store(tmp_path)))
    assert "No space was explored yet: `make explore-NAME`" in text
    assert documents.html(gallery.document(store(tmp_path, small=[])))


def test_the_verb_writes_it(run, tmp_path):  # noqa: F811
    (tmp_path / "docs").mkdir()
    store(tmp_path / "results", small=CORES)
    code, out, _ = run("results", "--pages")
    assert code == 0
    assert "docs/results/explored.md" in out
    written = {path.name for path in (tmp_path / "docs" / "results").iterdir()}
    assert {"explored.md", "explored_small_lut.svg", "explored_small_dsp.svg"} <= written
    code, out, _ = run("results", "--pages", "resets")
    assert "explored" not in out


def test_a_faulty_file_changes_nothing(run, tmp_path):  # noqa: F811
    (tmp_path / "docs").mkdir()
    store(tmp_path / "results", small=CORES).path(f"{EXPLORED}/small").write_text("{}")
    code, out, err = run("results", "--pages")
    assert (code, out) == (2, "")
    assert "small.json has no rows of a store" in " ".join(err.split())
    assert not list((tmp_path / "docs").iterdir())
