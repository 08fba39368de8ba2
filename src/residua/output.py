"""Output of results: refused before the work if it cannot be written, and written whole."""

import shutil
import tempfile
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from residua.errors import SpecificationError

Progress = Callable[[str], None]
"""Told of the work on the way to a result: called with the name of each step as it begins."""


def check_new_directory(path: Path) -> None:
    """Refuse a directory to be made that holds anything, or that cannot be made.

    Raises:
        SpecificationError: it exists and is a file or not empty, or there is no way to write it.
    """
    _check_directory(path)
    if path.is_dir() and any(path.iterdir()):
        raise SpecificationError(
            f"the output directory {path} exists and is not empty: name another one or remove it"
        )
    _try(path.parent, path)


def check_directory(path: Path) -> None:
    """Refuse a directory to be made, or to be added to, that cannot be written.

    Raises:
        SpecificationError: it exists and is a file, or there is no way to write it.
    """
    _check_directory(path)
    _try(path, path)


def check_new_file(path: Path) -> None:
    """Refuse a file to be made that exists, or that cannot be made.

    Raises:
        SpecificationError: it exists, or there is no way to write it.
    """
    if path.exists() or path.is_symlink():
        raise SpecificationError(
            f"the output file {path} exists: name another one or remove the file"
        )
    _try(path.parent, path)


def write_whole(path: Path, text: str) -> None:
    """Write a file in one step, so that nothing ever sees half of it; its directory is made too.

    Raises:
        SpecificationError: it cannot be written.
    """
    with _draft(path.parent, path) as draft:
        whole = draft / "whole"
        whole.write_text(text, encoding="utf-8", newline="\n")
        whole.replace(path)


@contextmanager
def new_directory(path: Path) -> Iterator[Path]:
    """A draft beside ``path`` that takes its place at the end, or disappears.

    What is at ``path`` until then goes when all of the draft is there: check it before.

    Raises:
        SpecificationError: it cannot be written.
    """
    with _draft(path.parent, path) as draft:
        whole, before = draft / "whole", draft / "before"
        whole.mkdir()
        yield whole
        try:
            if path.is_dir() and any(path.iterdir()):
                path.replace(before)
            whole.replace(path)
        except BaseException:
            if before.is_dir() and not path.exists():
                before.replace(path)
            raise


def write_texts(folder: Path, texts: Mapping[str, str]) -> None:
    """Write files, by their paths within a folder, with the line ends of the texts."""
    for name, text in texts.items():
        target = folder / name
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(text, encoding="utf-8", newline="\n")


def _check_directory(path: Path) -> None:
    if (path.exists() or path.is_symlink()) and not path.is_dir():
        raise SpecificationError(f"the output directory {path} exists and is no directory")


def _try(directory: Path, path: Path) -> None:
    """Make what writing ``path`` needs, and take it away again: permissions do not tell all."""
    with _draft(directory, path, keep=False):
        pass


@contextmanager
def _draft(directory: Path, path: Path, *, keep: bool = True) -> Iterator[Path]:
    """An empty directory in another one, which is made if it is missing, to write ``path`` with.

    What was made of the outer directory stays if all goes well and it is to be kept.
    """
    made: list[Path] = []
    draft = None
    try:
        _make(directory, made)
        draft = Path(tempfile.mkdtemp(prefix=f".{path.name}-", dir=directory))
        yield draft
    except BaseException as error:
        keep = False
        if isinstance(error, OSError):
            raise SpecificationError(f"cannot write {path}: {error.strerror}") from error
        raise
    finally:
        if draft is not None:
            shutil.rmtree(draft, ignore_errors=True)
        if not keep:
            for parent in reversed(made):
                parent.rmdir()


def _make(path: Path, made: list[Path]) -> None:
    """Make a directory and what is missing above it, and note in ``made`` what was."""
    if not path.exists():
        _make(path.parent, made)
        path.mkdir()
        made.append(path)
