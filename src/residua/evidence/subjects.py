"""What a row is measured on, and the digest by which it is known again."""

import hashlib
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from amaranth.lib.wiring import Component

from residua.cores.directory import Directory
from residua.cores.kept_files import kept_files
from residua.cores.specification.reading import check_any
from residua.hardware.rtl import emit

Keys = Mapping[str, Any]
"""The keys of a specification."""

_PACKAGE = Path(__file__).parents[1]


class Subject(ABC):
    """What a row is measured on."""

    @abstractmethod
    def digest(self) -> str:
        """Find the digest of what the sources make of it now: rows of another one are stale."""

    @property
    def specification(self) -> dict[str, Any] | None:
        """The keys by which a user would get it, see `residua.evidence.rows.Row`."""
        return None


@dataclass(frozen=True)
class Cores(Subject):
    """Cores by the keys of their specifications.

    Attributes:
        parts: keys by the part that a core has in the measurement; "" for the only one.
    """

    parts: Mapping[str, Keys]

    def digest(self) -> str:
        """Find the digest of the Verilog of all cores."""
        found = {part: _core_digest(keys) for part, keys in self.parts.items()}
        return found[""] if list(found) == [""] else digest(found)

    @property
    def specification(self) -> dict[str, Any] | None:
        """The keys of the core, or of all of them by their parts."""
        found = {part: dict(keys) for part, keys in self.parts.items()}
        return found[""] if list(found) == [""] else found


def core(keys: Keys) -> Cores:
    """Make a subject of one core."""
    return Cores({"": keys})


@dataclass(frozen=True)
class Design(Subject):
    """A component that no specification asks for.

    Attributes:
        top: name of its module.
        component: makes it.
    """

    top: str
    component: Callable[[], Component]

    @cached_property
    def made(self) -> Component:
        """The component, made once."""
        return self.component()

    @cached_property
    def files(self) -> dict[str, str]:
        """Its Verilog by the paths of the files, emitted once."""
        return emit(self.made, self.top)

    def digest(self) -> str:
        """Find the digest of its Verilog."""
        return digest(self.files)


@dataclass(frozen=True)
class Sources(Subject):
    """What has no Verilog of its own: counts and proofs, which follow from modules.

    Attributes:
        paths: modules and folders of them, from the package on.
    """

    paths: tuple[str, ...]

    def digest(self) -> str:
        """Find the digest of the modules."""
        files = {
            path.relative_to(_PACKAGE).as_posix(): path.read_text(encoding="utf-8")
            for name in self.paths
            for path in (sorted((_PACKAGE / name).rglob("*.py")) or [_PACKAGE / name])
        }
        return digest(files)


def verilog(directory: Directory) -> str:
    """Find the `digest` of the hardware of a core."""
    names = [name for name in directory.manifest["files"] if name.startswith("rtl/")]
    return digest({name: (directory.path / name).read_text(encoding="utf-8") for name in names})


def digest(files: Mapping[str, str]) -> str:
    """Find the digest of Verilog texts by their paths: the same one, the same hardware.

    Comments do not count: the headers of the files name the specification.
    """
    found = hashlib.sha256()
    for name, text in sorted(files.items()):
        code = [line for line in text.splitlines() if not line.lstrip().startswith("//")]
        found.update("\n".join([name, *code, ""]).encode())
    return found.hexdigest()


def _core_digest(keys: Keys) -> str:
    files = kept_files(check_any(dict(keys)))
    return digest({name: text for name, text in files.items() if name.startswith("rtl/")})
