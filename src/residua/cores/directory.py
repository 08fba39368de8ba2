"""The directory of a core: made in one piece, checked when it is opened again elsewhere."""

import hashlib
import json
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from residua import __version__
from residua.cores.kept_files import kept_files
from residua.cores.kind import Kind
from residua.cores.kinds import core_of, kind_asked
from residua.cores.manifest import MANIFEST, SCHEMA, SPECIFICATION, modules
from residua.cores.results import Results
from residua.cores.specification.base import CoreSpecification
from residua.cores.specification.reading import load_any
from residua.errors import SpecificationError
from residua.output import (
    Progress,
    check_directory,
    check_new_directory,
    new_directory,
    write_texts,
)
from residua.toolchain.targets import primitive_file

if TYPE_CHECKING:
    from residua.cores.core import Core

C = TypeVar("C", bound="Core")

_OUTPUTS = ("results", "synth", "build", "report.html", "sim/obj_dir", "sim/bench.vvp")
"""Outputs that may lie beside the files that were built, of residua, FuseSoC and make."""


def build(
    specification: CoreSpecification,
    path: Path,
    progress: Progress = lambda step: None,
    *,
    force: bool = False,
) -> "Directory":
    """Make the directory of a core; either all of it or nothing.

    Args:
        specification: what to build.
        path: a directory that does not exist or is empty.
        progress: called at each step.
        force: replace a directory of a core, see `check_output`. Its results go, unless it has
            the same files.

    Raises:
        SpecificationError: the directory is not free, or the request cannot be met.
    """
    check_output(path, force=force)
    progress("bases, schedule and microcode")
    files = kept_files(specification, progress)
    progress("files")
    if _is_made_of(path, files):
        return Directory(path, json.loads(files[MANIFEST]))
    with new_directory(path) as draft:
        write_texts(draft, files)
    return Directory(path, json.loads(files[MANIFEST]))


def check_output(path: Path, *, force: bool = False) -> None:
    """Refuse a directory that is not free; with ``force`` unless it is one of a core.

    That is a directory, of any version, whose files are as they were built, with nothing beside
    them but outputs of tools.

    Raises:
        SpecificationError: it is neither.
    """
    if path.is_symlink() or not (path / MANIFEST).is_file():
        check_new_directory(path)
    elif force:
        _check_replaceable(path)
        check_directory(path.parent)
    else:
        raise SpecificationError(
            f"the output directory {path} exists and is not empty: name another one, or give "
            "--force to replace the core in it"
        )


def _check_replaceable(path: Path) -> None:
    """Refuse a directory that is not as a core's was built."""
    try:
        files = json.loads((path / MANIFEST).read_bytes())["files"]
        checked = {str(name): str(digest) for name, digest in files.items()}
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
        raise SpecificationError(f"{path / MANIFEST} is not a manifest of Residua") from error
    for name, expected in checked.items():
        if not (path / name).is_file() or _digest(path / name) != expected:
            raise SpecificationError(
                f"{path / name} is not as it was built, and is not overwritten: name another "
                "directory or remove this one"
            )
    _check_no_more(path, {*checked, MANIFEST})


def _is_made_of(path: Path, files: dict[str, str]) -> bool:
    """Whether a directory that was checked has these files already."""
    manifest = path / MANIFEST
    return manifest.is_file() and manifest.read_bytes() == files[MANIFEST].encode()


@dataclass(frozen=True)
class Directory:
    """A core's directory whose files are as they were built."""

    path: Path
    manifest: dict[str, Any]

    @classmethod
    def open(cls, path: Path, *, write: bool = False) -> "Directory":
        """The directory at ``path``, also to add results to it if ``write``.

        Raises:
            SpecificationError: ``residua build`` did not write it, a file was changed since or is
                not one of its own, a result is not as it was written, or it cannot be written.
        """
        try:
            content = (path / MANIFEST).read_bytes()
            manifest = json.loads(content)
            schema = manifest["schema"]
        except OSError as error:
            raise SpecificationError(
                f"{path} is not a directory that residua build wrote: cannot read its {MANIFEST} "
                f"({error.strerror})"
            ) from error
        except (ValueError, KeyError, TypeError) as error:
            raise SpecificationError(f"{path / MANIFEST} is not a manifest of Residua") from error
        if schema != SCHEMA:
            raise SpecificationError(
                f"{path / MANIFEST} has schema {schema}, and this version reads {SCHEMA}: "
                "build again"
            )
        files = manifest.get("files")
        if not isinstance(files, dict) or SPECIFICATION not in files:
            raise SpecificationError(f"{path / MANIFEST} does not list the files: build again")
        for name, expected in files.items():
            _check_file(path / name, expected)
        _check_no_more(path, {*files, MANIFEST})
        if write:
            check_directory(path)
        opened = cls(path, manifest)
        opened.results()
        return opened

    @property
    def name(self) -> str:
        """Name of the core, and of its top module if it has no bus."""
        return str(self.manifest["name"])

    @property
    def kind(self) -> Kind:
        """Kind of the core."""
        return kind_asked(self.manifest["specification"])

    @property
    def noun(self) -> str:
        """What messages call the core, with an article."""
        return self.kind.specification.called(self.manifest["specification"])

    @property
    def top(self) -> str:
        """Name of the top module; for a coprocessor on a bus, that of core and bus together."""
        return str(self.manifest["top"])

    def check(self) -> None:
        """Hold every file, the manifest among them, against what the specification gives.

        Raises:
            SpecificationError: see `made`.
        """
        assert self.made is not None

    def check_files(self) -> None:
        """Hold every file against the specification, as `check`, without making the core.

        Raises:
            SpecificationError: see `made`.
        """
        assert self._request is not None

    @cached_property
    def made(self) -> "Core":
        """The core, made again from the specification, which gives every file byte for byte.

        Whatever the directory's files or its manifest say is true of this core, or this fails: it
        does not rely on the hashes, which who changes a file can change, too.

        Raises:
            SpecificationError: this version of Residua makes other files of the specification.
        """
        return core_of(self._request)

    def core(self, kind: type[C]) -> C:
        """The core, which is of this kind; see `made`.

        Raises:
            SpecificationError: it is not.
        """
        if not isinstance(self.made, kind):
            raise SpecificationError(f"{self.path} is the directory of {self.noun}")
        return self.made

    @cached_property
    def _request(self) -> CoreSpecification:
        """The specification, which gives every file as it is."""
        specification = load_any(self.path / SPECIFICATION, {})
        self._compare(kept_files(specification))
        return specification

    def _compare(self, files: dict[str, str]) -> None:
        """Refuse any file that is not among ``files`` as it is."""
        differing = sorted(self.manifest["files"].keys() - files.keys())
        differing += [
            name
            for name, text in files.items()
            if not (self.path / name).is_file() or (self.path / name).read_bytes() != text.encode()
        ]
        if differing:
            made = json.loads(files[MANIFEST])
            keys = [key for key, value in made.items() if self.manifest.get(key) != value]
            told = [f"{MANIFEST} ({', '.join(keys)})" if n == MANIFEST else n for n in differing]
            raise SpecificationError(
                f"{self.path}: Residua {__version__} makes other files of its {SPECIFICATION}. "
                f"What differs: {', '.join(told)}. It was changed, or built by another version: "
                "build again"
            )

    def sources(self, target: str = "", *, top: str | None = None) -> list[Path]:
        """The Verilog files of one complete design, with the primitives for ``target``, or for any.

        ``top`` is a module to take instead of the top module: a coprocessor without its bus.
        """
        files = [f"rtl/{module}.v" for module in ([top] if top else modules(self.manifest))]
        files.append(primitive_file(target))
        return [self.path / name for name in files]

    @property
    def digest(self) -> str:
        """SHA-256 of the manifest, and through its hashes of every file."""
        return _digest(self.path / MANIFEST)

    def store(self, name: str, result: dict[str, Any]) -> None:
        """Keep a result as results/<name>.json, bound to the files that it was found on."""
        self._results.store(name, result)

    def results(self) -> dict[str, dict[str, Any]]:
        """Read the stored results, by name, in order.

        Raises:
            SpecificationError: a result was changed, or is one of other files.
        """
        return self._results.read()

    @property
    def _results(self) -> Results:
        return Results(self.path / "results", self.digest)


def summary(manifest: dict[str, Any]) -> dict[str, Any]:
    """Extract the part of a manifest that ``build`` reports."""
    names = (
        "kind",
        "name",
        "top",
        "configuration",
        "specification",
        "parameters",
        "blinding",
        "cycles",
        "utilisation",
        "files",
    )
    return {name: manifest[name] for name in names if name in manifest}


def _check_file(path: Path, expected: str) -> None:
    try:
        digest = _digest(path)
    except OSError as error:
        raise SpecificationError(f"cannot read {path}: {error.strerror}; build again") from error
    if digest != expected:
        raise SpecificationError(f"{path} is not as it was built: build again")


def _digest(path: Path) -> str:
    """SHA-256 of a file."""
    return hashlib.sha256(path.read_bytes()).hexdigest()


def _check_no_more(path: Path, names: set[str]) -> None:
    """Refuse what is not one of these files and no output of a tool."""
    for found in sorted(path.rglob("*")):
        name = found.relative_to(path).as_posix()
        known = name in names or any(f"{name}/".startswith(f"{own}/") for own in _OUTPUTS)
        if not known and (found.is_symlink() or not found.is_dir()):
            raise SpecificationError(f"{found} is not a file of this core: remove it")
