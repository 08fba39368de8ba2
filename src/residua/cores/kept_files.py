"""Files of directories, kept for each specification and state of the package."""

import hashlib
import importlib.metadata
import json
import platform
import re
import zlib
from pathlib import Path
from tempfile import TemporaryDirectory

from residua import cache
from residua.cores.manifest import SPECIFICATION
from residua.cores.specification.reading import AnySpecification, load_any
from residua.output import Progress

_PACKAGE = Path(__file__).parents[1]
_REQUIRED = re.compile(r"[\w.-]+")


def kept_files(
    specification: AnySpecification, progress: Progress = lambda step: None
) -> dict[str, str]:
    """What `files_of` gives for the core of a specification; made once.

    The specification that is among the files asks for the same files and finds them, too.

    Raises:
        SpecificationError: the request cannot be met.
    """
    made: dict[str, str] = {}

    def make(path: Path) -> None:
        if not made:
            # What makes cores takes long to load, and is not needed for files that are kept.
            from residua.cores.generation import core_of, files_of  # noqa: PLC0415

            made.update(files_of(core_of(specification), progress))
        path.write_bytes(zlib.compress(json.dumps(made).encode()))

    path = cache.kept("directories", "files", _key(specification), make)
    if made:
        cache.kept("directories", "files", _key(_specification_in(made)), make)
    return dict(json.loads(zlib.decompress(path.read_bytes())))


def _specification_in(files: dict[str, str]) -> AnySpecification:
    with TemporaryDirectory() as work:
        path = Path(work) / SPECIFICATION
        path.write_text(files[SPECIFICATION], encoding="utf-8")
        return load_any(path, {})


def _key(specification: AnySpecification) -> str:
    kind, values = type(specification).__name__, specification.model_dump()
    # Some keys mean another thing when they are given than when they have the same value unasked.
    given = sorted(specification.model_fields_set)
    return cache.key([STATE, kind, repr(sorted(values.items())), repr(given)])


def _state() -> str:
    """Of everything that makes files of a specification."""
    digest = hashlib.sha256(platform.python_version().encode())
    for requirement in importlib.metadata.requires("residua") or []:
        library = _REQUIRED.match(requirement)
        if library and "extra ==" not in requirement:
            digest.update(f"\n{library[0]} {importlib.metadata.version(library[0])}".encode())
    for path in sorted(_PACKAGE.rglob("*")):
        if path.is_file() and "__pycache__" not in path.parts:
            digest.update(f"\n{path.relative_to(_PACKAGE).as_posix()}\n".encode())
            digest.update(hashlib.sha256(path.read_bytes()).digest())
    return digest.hexdigest()


STATE = _state()
"""A digest of the package and of the libraries that it needs: what they give is a function of it.

Found as early as possible, in case that someone changes the package while it runs."""
