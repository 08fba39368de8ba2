"""The file of the solver's answers that is part of the package."""

import json
import lzma

from tests.schedules import quick_schedules
from tests.small_curves import TINY

from residua.cores.kinds import core_of
from residua.cores.specification.reading import check_any
from residua.evidence.answers import add_answers, specifications, write_answers
from residua.numbers import solver


@quick_schedules()
def test_every_answer_of_a_core_is_written(tmp_path, monkeypatch):
    """With the file in the place of what is shipped, the core is made without a search."""
    asked, path = {"curve": [TINY], "blinding": 0}, tmp_path / "answers.json.xz"
    told = []
    count = write_answers(path, [asked], jobs=1, progress=told.append)
    found = json.loads(lzma.decompress(path.read_bytes()))
    assert len(found) == count > 0
    core = core_of(check_any(asked))
    assert told == [core.name]
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "empty"))
    monkeypatch.setattr(solver, "shipped", lambda: found)
    monkeypatch.setattr(solver, "_search", None)
    assert core.facts["parameters"]["microcode_words"]


def test_answers_that_are_known_are_written_too(tmp_path):
    known = tmp_path / "residua" / solver.KIND / "ke"
    known.mkdir(parents=True)
    (known / "schedule-key-digest").write_text('{"solution": [3], "time": 0.0}')
    path = tmp_path / "answers.json.xz"
    assert write_answers(path, [], known=tmp_path) == 1
    assert json.loads(lzma.decompress(path.read_bytes())) == {"key": {"solution": [3], "time": 0.0}}
    (known / "schedule-key-digest").rename(known / "solver-other-digest")
    assert add_answers(path, tmp_path) == 2
    assert list(json.loads(lzma.decompress(path.read_bytes()))) == ["key", "other"]


def test_the_catalogue_s_specifications_are_right():
    asked = [check_any(each).model_dump_json() for each in specifications()]
    assert len(set(asked)) == len(asked)
