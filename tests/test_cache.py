"""What is kept: made once, by any number of processes, and never needed."""

import json
import multiprocessing
import os
import shutil
import tempfile
import time
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path

import pytest

from residua import cache
from residua.cli import main


@pytest.fixture(autouse=True)
def own_cache(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setattr(cache, "_own_folders", [])
    # Folders of this process alone go at its end.
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    monkeypatch.setattr(cache, "_room", [0])
    return tmp_path / "cache" / "residua"


def kept(text: str = "content", name: str = "thing", key: str = "0123") -> tuple[Path, int]:
    """The entry, and how often it was made."""
    calls = []

    def make(path: Path) -> None:
        calls.append(path)
        path.write_text(text)

    return cache.kept("things", name, key, make), len(calls)


def test_folder_follows_the_environment(own_cache: Path) -> None:
    assert cache.folder() == own_cache


def test_made_once(own_cache: Path) -> None:
    path, made = kept()
    assert made == 1
    assert path.parent == own_cache / "things" / "01"
    assert path.read_text() == "content"
    assert kept() == (path, 0)
    assert cache.entries() == {"things": [path]}
    cache.clear()
    assert cache.entries() == {}
    assert kept() == (path, 1)


def test_made_once_by_threads_that_ask_at_once() -> None:
    calls = []

    def make(path: Path) -> None:
        calls.append(path)
        time.sleep(0.1)
        path.write_text("content")

    with ThreadPoolExecutor(4) as pool:
        asked = [pool.submit(cache.kept, "things", "thing", "0123", make) for _ in range(4)]
    assert len({each.result() for each in asked}) == 1
    assert len(calls) == 1
    assert not cache._makers


def test_keys_tell_parts_apart() -> None:
    keys = [cache.key(parts) for parts in ([], ["ab"], ["a", "b"], ["", "ab"], ["b", "a"])]
    assert len(set(keys)) == len(keys)
    assert cache.key(["a"]) == cache.key([b"a"])


def test_an_executable_stays_one() -> None:
    path = cache.kept(
        "things", "program", "1", lambda made: shutil.copy(shutil.which("true"), made)
    )
    assert os.access(path, os.X_OK)


@pytest.mark.parametrize("damage", [b"", b"foreign", b"contenT", b"content and more"])
def test_a_damaged_entry_is_made_anew(damage: bytes) -> None:
    path, _ = kept()
    path.write_bytes(damage)
    assert kept() == (path, 1)
    assert path.read_text() == "content"


def test_a_foreign_entry_is_made_anew() -> None:
    path, _ = kept()
    path.rename(path.with_name("thing-0123-foreign"))
    assert kept() == (path, 1)
    assert cache.entries() == {"things": [path]}


def test_what_fails_leaves_nothing() -> None:
    def fail(path: Path) -> None:
        path.write_text("half")
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        cache.kept("things", "thing", "0123", fail)
    assert cache.entries() == {}


@pytest.mark.parametrize(
    "error", [PermissionError(13, "Permission denied"), OSError(28, "No space left")]
)
def test_nothing_can_be_kept(error: OSError, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(source: Path, target: str) -> None:
        if "cache" in target:
            raise error
        copy(source, target)

    copy = shutil.copy
    monkeypatch.setattr(shutil, "copy", fail)
    with pytest.warns(UserWarning, match=f"nothing can be kept in .*: {error.strerror}"):
        path, made = kept()
    assert made == 1
    assert path.read_text() == "content"
    assert cache.entries() == {"things": []}
    assert kept() == (path, 0)


def test_the_folder_is_a_file(own_cache: Path) -> None:
    own_cache.parent.mkdir()
    own_cache.write_text("a file")
    with pytest.warns(UserWarning, match="nothing can be kept"):
        path, _ = kept()
    assert path.read_text() == "content"
    assert own_cache.read_text() == "a file"


def test_the_oldest_go_when_there_are_too_many(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cache, "LIMIT", 25)
    day = time.time() - 86400
    old, older, _ = paths = [
        kept("0123456789", name, "1")[0] for name in ("old", "older", "recent")
    ]
    os.utime(old, (day, day))
    os.utime(older, (day - 9, day - 9))
    new, _ = kept("0123456789", "new", "1")
    assert set(cache.entries()["things"]) == {new, paths[2]}


def test_the_size_of_all_is_looked_at_once_for_each_share(monkeypatch: pytest.MonkeyPatch) -> None:
    """Even so what processes keep in between stays within the limit."""
    looks, sizes = [], cache._sizes
    monkeypatch.setattr(cache, "LIMIT", 64 * 30)
    monkeypatch.setattr(cache, "_sizes", lambda: looks.append(1) or sizes())
    day = time.time() - 86400
    for number in range(7):
        path, _ = kept("0123456789", "old", f"{number}")
        os.utime(path, (day, day))
    assert len(looks) == 2
    monkeypatch.setattr(cache, "LIMIT", 64)
    monkeypatch.setattr(cache, "_room", [0])
    new, _ = kept("0123456789", "new", "1")
    total = sum(path.stat().st_size for path in cache.entries()["things"])
    assert new in cache.entries()["things"]
    assert total <= 64 - 1


def test_one_entry_of_a_key_stays_when_it_is_made_anew() -> None:
    """One that is in use lies beside it."""
    old, _ = kept("old")
    with cache.anew():
        new, _ = kept("new")
    assert set(cache.entries()["things"]) == {old, new}
    other, _ = kept("other key", key="01234")
    day = time.time() - 86400
    for path in (old, new, other):
        os.utime(path, (day, day))
    with cache.anew():
        newest, _ = kept("newest")
    assert set(cache.entries()["things"]) == {newest, other}


def test_what_was_taken_lately_stays(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cache, "LIMIT", 5)
    paths = {kept("0123456789", name, "1")[0] for name in ("one", "two", "three")}
    assert set(cache.entries()["things"]) == paths


def test_many_processes_ask_for_the_same() -> None:
    with ProcessPoolExecutor(4, multiprocessing.get_context("spawn")) as pool:
        found = set(pool.map(_same, range(16)))
    assert len(found) == 1
    assert Path(found.pop()).read_text() == "same" * 1000
    assert len(cache.entries()["things"]) == 1


def _same(_number: int) -> str:
    return str(cache.kept("things", "same", "1", lambda path: path.write_text("same" * 1000)))


@pytest.mark.usefixtures("own_cache")
def test_the_verb_tells_and_clears(monkeypatch, capsys):
    def told(*arguments: str) -> dict[str, object]:
        monkeypatch.setattr("sys.argv", ["residua", "cache", "--json", *arguments])
        with suppress(SystemExit):
            main()
        return json.loads(capsys.readouterr().out)

    kept("0123456789")
    kept("0123", "other", "1")
    before = told()
    assert before["kinds"] == {"things": {"entries": 2, "bytes": 14}}
    assert before["folder"] == str(cache.folder())
    assert told("--clear")["kinds"] == {}
    assert not cache.folder().exists()


def test_few_entries_are_looked_through_for_one(monkeypatch: pytest.MonkeyPatch) -> None:
    """However many there are: a folder is read again whenever some process has kept something."""
    for number in range(300):
        kept(name=f"thing{number}", key=cache.key([str(number)]))
    listed: list[int] = []
    listdir = os.listdir

    def counted(path: Path) -> list[str]:
        listed.append(len(listdir(path)))
        return listdir(path)

    monkeypatch.setattr(os, "listdir", counted)
    assert kept(name="thing7", key=cache.key(["7"]))[1] == 0
    assert max(listed) < 10
