"""Files of directories, kept for each specification and state of the package."""

import functools
import hashlib
import importlib.metadata
import json
import platform
import re
import zlib
from collections.abc import Collection
from importlib.util import find_spec
from pathlib import Path
from tempfile import TemporaryDirectory

from residua import cache
from residua.cores.kinds import core_of
from residua.cores.manifest import SPECIFICATION
from residua.cores.specification.base import CoreSpecification
from residua.cores.specification.reading import load_any
from residua.output import Progress

ABOVE = frozenset({"cli", "systems", "papers", "evidence", "report", "explore"})
"""Packages that no core imports: what is changed in them changes no directory."""

_PACKAGE = Path(__file__).parents[1]
_REQUIRED = re.compile(r"[\w.-]+")

_Files = list[tuple[Path, bytes]]
"""Names of files, and digests of what is in them."""


def kept_files(
    specification: CoreSpecification, progress: Progress = lambda step: None
) -> dict[str, str]:
    """The files of the core of a specification; made once.

    The specification that is among the files asks for the same files and finds them, too.

    Raises:
        SpecificationError: the request cannot be met.
    """
    made: dict[str, str] = {}

    def make(path: Path) -> None:
        if not made:
            made.update(core_of(specification).files(progress))
        path.write_bytes(zlib.compress(json.dumps(made).encode()))

    path = cache.kept("directories", "files", _key(specification), make)
    if made:
        cache.kept("directories", "files", _key(_specification_in(made)), make)
    return dict(json.loads(zlib.decompress(path.read_bytes())))


def _specification_in(files: dict[str, str]) -> CoreSpecification:
    with TemporaryDirectory() as work:
        path = Path(work) / SPECIFICATION
        path.write_text(files[SPECIFICATION], encoding="utf-8")
        return load_any(path, {})


def _key(specification: CoreSpecification) -> str:
    kind, values = type(specification), specification.model_dump()
    # Some keys mean another thing when they are given than when they have the same value unasked.
    given = sorted(specification.model_fields_set)
    names = f"{kind.__module__}.{kind.__qualname__}"
    values_given = repr(sorted(values.items())), repr(given)
    return cache.key([MAKERS_STATE, _others_state(kind), names, *values_given])


def _state(files: _Files, without: Collection[str] = ()) -> str:
    """Digest of the package, but for some of its packages, and of the libraries it needs."""
    digest = hashlib.sha256(platform.python_version().encode() + _libraries())
    _take(digest, files, without)
    return digest.hexdigest()


@functools.cache
def _libraries() -> bytes:
    """The libraries that the package needs, with their versions."""
    required = importlib.metadata.requires("residua") or []
    found = [_REQUIRED.match(each) for each in required if "extra ==" not in each]
    names = [library[0] for library in found if library]
    return "".join(f"\n{name} {importlib.metadata.version(name)}" for name in names).encode()


@functools.cache
def _others_state(kind: type[CoreSpecification]) -> str:
    """Digest of the package of a kind that another package adds; empty for the others."""
    found = find_spec(kind.__module__.partition(".")[0])
    folders = [Path(name) for name in found.submodule_search_locations or []] if found else []
    digest = hashlib.sha256()
    for folder in folders:
        if folder != _PACKAGE:
            _take(digest, _files(folder))
    return digest.hexdigest()


def _take(digest: "hashlib._Hash", files: _Files, without: Collection[str] = ()) -> None:
    """Every file, with its name, but for those of some folders."""
    for name, own in files:
        if name.parts[0] not in without:
            digest.update(f"\n{name.as_posix()}\n".encode() + own)


def _files(folder: Path) -> _Files:
    """The name of every file below a folder, and the digest of what is in it."""
    names = [path.relative_to(folder) for path in sorted(folder.rglob("*")) if path.is_file()]
    return [
        (name, hashlib.sha256((folder / name).read_bytes()).digest())
        for name in names
        if "__pycache__" not in name.parts
    ]


_OWN = _files(_PACKAGE)

STATE = _state(_OWN)
"""A digest of the package and of the libraries that it needs: what they give is a function of it.

Found as early as possible, in case that someone changes the package while it runs."""

MAKERS_STATE = _state(_OWN, ABOVE)
"""The same of the part of it that makes the files of cores, by which they are kept."""
