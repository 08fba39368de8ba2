"""Cache of simulators and runs of tools, by what each was made of.

Nothing needs the cache to be right. Every entry is a file whose name ends with the digest of its
content, which a process compares when it takes the entry, unless it has done so since the file was
last written; an entry that is damaged, foreign or half written is made anew. Where nothing can be
kept, a warning says so, and what was made lasts as long as the process.
"""

import atexit
import hashlib
import os
import shutil
import tempfile
import time
import warnings
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from threading import Lock

LIMIT = 4 << 30
"""Bytes; beyond them the entries that were not taken for longest go."""

_SHARE = 64
"""The part of the limit that a process keeps before it looks at the size of all again."""

_IN_USE = 3600.0
"""Seconds in which an entry that was taken stays, whatever the size of all."""

_PRECISION = 300.0
"""Seconds by which the time when an entry was taken may be wrong."""

_TICK = 1_000_000_000
"""Nanoseconds that the time of a change of a folder may be wrong by."""

_PART_DIGITS = 2
"""Digits of a key by which the entries of a kind are put into folders."""

_DIGITS = 20
"""Hexadecimal digits of a digest in a name."""


def folder() -> Path:
    """``residua`` in the user's cache directory: ``XDG_CACHE_HOME`` or ``~/.cache``."""
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "residua"


def key(parts: Iterable[str | bytes]) -> str:
    """The digest of everything that an entry is made of, in order."""
    digest = hashlib.sha256()
    for part in parts:
        data = part.encode() if isinstance(part, str) else part
        digest.update(len(data).to_bytes(8, "little") + data)
    return digest.hexdigest()[:_DIGITS]


def kept(kind: str, name: str, key: str, make: Callable[[Path], object]) -> Path:
    """A file that is made once for each key.

    Any number of processes may ask for the same one at once.

    Args:
        kind: folder of the entries of one kind.
        name: how the file's name begins, for who looks at the folder.
        key: what `key` made of everything that the content depends on.
        make: writes the file at the path that it is given; called if the file is not there.
    """
    if found := find(kind, name, key):
        return found
    with _alone(kind, name, key):
        return find(kind, name, key) or _made(_part(kind, key), f"{name}-{key}-", make)


def _part(kind: str, key: str) -> Path:
    """The folder of an entry, below that of all: one of many, so that each is read in no time."""
    return Path(kind) / key[:_PART_DIGITS]


def _made(part: Path, start: str, make: Callable[[Path], object]) -> Path:
    """A new entry whose name begins so."""
    place = folder() / part
    with tempfile.TemporaryDirectory(prefix="residua-") as work:
        made = Path(work) / "made"
        make(made)
        try:
            return _keep(made, place, start)
        except OSError as error:
            reason = f"nothing can be kept in {place}: {error.strerror or error}"
            warnings.warn(reason, stacklevel=3)
            return _keep(made, _own_folder() / part, start)


@contextmanager
def _alone(*entry: str) -> Iterator[None]:
    """Within it no other thread of this process makes an entry."""
    with _lock:
        lock, waiting = _makers.get(entry, (Lock(), 0))
        _makers[entry] = lock, waiting + 1
    try:
        with lock:
            yield
    finally:
        with _lock:
            lock, waiting = _makers[entry]
            _makers[entry] = lock, waiting - 1
            if waiting == 1:
                del _makers[entry]


def find(kind: str, name: str, key: str) -> Path | None:
    """The file of a key if it is kept; see `kept`."""
    if _anew:
        return None
    places = (place / _part(kind, key) for place in (folder(), *_own_folders))
    found = (_found(place, f"{name}-{key}-") for place in places)
    return next((path for path in found if path), None)


@contextmanager
def anew() -> Iterator[None]:
    """Within it nothing is taken that was kept; what is made is kept."""
    _anew.append(True)
    try:
        yield
    finally:
        _anew.pop()


def entries() -> dict[str, list[Path]]:
    """The files that are kept, by kind."""
    try:
        kinds = sorted(path for path in folder().iterdir() if path.is_dir())
    except OSError:
        return {}
    return {kind.name: sorted(path for path in kind.rglob("*") if path.is_file()) for kind in kinds}


def clear() -> None:
    """Removes everything that is kept."""
    shutil.rmtree(folder(), ignore_errors=True)


def _found(place: Path, start: str) -> Path | None:
    """The entry whose name begins so and whose content is what its name says; others go."""
    for name in _names(place, start):
        path = place / name
        with suppress(OSError):
            if _is_whole(path, start):
                return path
            path.unlink()
    return None


def _is_whole(path: Path, start: str) -> bool:
    """Whether an entry has the content that its name says; if so, it counts as taken now."""
    status = path.stat()
    if _checked.get(path) != _version(status) and path.name != start + _digest(path):
        return False
    if time.time() - status.st_mtime > _PRECISION:
        os.utime(path)
        status = path.stat()
    _checked[path] = _version(status)
    return True


def _version(status: os.stat_result) -> tuple[int, int, int]:
    """What is another one after a file has been written."""
    return status.st_ino, status.st_size, status.st_mtime_ns


def _names(place: Path, start: str) -> list[str]:
    """The names of the entries in a folder that begin so, before their own digest."""
    names, found = _all_names(place), []
    after = names.find(f"/{start}")
    while after >= 0:
        name = names[after + 1 : names.index("/", after + 1)]
        if name.rpartition("-")[0] == start[:-1]:
            found.append(name)
        after = names.find(f"/{start}", after + 1)
    return found


def _all_names(place: Path) -> str:
    """The names in a folder, between slashes: one string is made and searched in no time.

    A folder is read again when something in it was made, renamed or removed since.
    """
    try:
        changed = place.stat().st_mtime_ns
        if place in _read and _read[place][0] == changed:
            return _read[place][1]
        names = "/".join(["", *os.listdir(place), ""])  # noqa: PTH208 - it is faster by far
    except OSError:
        return ""
    # What changes within the same tick of the file system's clock has the same time.
    if time.time_ns() - changed > _TICK:
        _read[place] = changed, names
    return names


def _scanned(place: Path | str) -> list[os.DirEntry[str]]:
    """What is in a folder; nothing if it is none."""
    try:
        with os.scandir(place) as found:
            return list(found)
    except OSError:
        return []


def _keep(made: Path, place: Path, start: str) -> Path:
    """A copy of a file under the name of its content, renamed into place when it is whole."""
    place.mkdir(parents=True, exist_ok=True)
    _make_room(made.stat().st_size)
    handle, copy = tempfile.mkstemp(dir=place, prefix=".")
    try:
        os.close(handle)
        shutil.copy(made, copy)
        entry = Path(copy).rename(place / (start + _digest(made)))
    except BaseException:
        Path(copy).unlink(missing_ok=True)
        raise
    _drop_others(entry, start)
    return entry


def _drop_others(entry: Path, start: str) -> None:
    """Lets entries of the same key go: not all tools write the same bytes again."""
    for name in _names(entry.parent, start):
        other = entry.with_name(name)
        if other != entry:
            with suppress(OSError):
                if time.time() - other.stat().st_mtime >= _IN_USE:
                    other.unlink()


def _make_room(size: int) -> None:
    """Lets entries go until one of ``size`` bytes more is within the limit.

    To look at all of them takes time: a process does so at first, and again when it has kept a
    share of the limit, for which there is room then.
    """
    if size <= _room[0]:
        _room[0] -= size
        return
    _room[0] = LIMIT // _SHARE
    found = list(_sizes())
    total = size + _room[0] + sum(each for _, each, _ in found)
    for taken, each, path in sorted(found):
        if total <= LIMIT or time.time() - taken < _IN_USE:
            return
        Path(path).unlink(missing_ok=True)
        total -= each


def _sizes() -> Iterator[tuple[float, int, str]]:
    """When each entry was taken last, its bytes, and its path."""
    folders: list[Path | str] = [folder()]
    while folders:
        for entry in _scanned(folders.pop()):
            with suppress(OSError):
                if entry.is_dir():
                    folders.append(entry.path)
                else:
                    status = entry.stat()
                    yield status.st_mtime, status.st_size, entry.path


def _digest(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()[:_DIGITS]


def _own_folder() -> Path:
    """A folder for what this process cannot keep for others; removed when it ends."""
    if not _own_folders:
        _own_folders.append(Path(tempfile.mkdtemp(prefix="residua-")))
        atexit.register(shutil.rmtree, _own_folders[0], ignore_errors=True)
    return _own_folders[0]


_anew: list[bool] = []
"""One for each `anew` that runs, in any thread."""

_lock = Lock()
"""Held while `_makers` changes."""

_makers: dict[tuple[str, ...], tuple[Lock, int]] = {}
"""The lock of each entry that is being made, and how many threads hold it or wait for it."""

_checked: dict[Path, tuple[int, int, int]] = {}
"""The files that this process has compared with their names, as they were then."""

_read: dict[Path, tuple[int, str]] = {}
"""What this process read of folders, and when each had changed."""

_room = [0]
"""Bytes that this process may keep before it looks at the size of all."""

_own_folders: list[Path] = []
"""The folder of this process, if it has one."""
