"""The results in a core's directory: what was found on which files, as it was found."""

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from residua.cores.manifest import digest, to_json
from residua.errors import SpecificationError
from residua.output import write_whole

_CORE, _DIGEST = "core", "digest"
"""Keys of a stored result: the digest of the core's manifest, and that of all but itself."""


@dataclass(frozen=True)
class Results:
    """The files <name>.json in ``folder`` of the core whose manifest has the digest ``core``.

    A result is derived data. Its digest tells that it is as it was written, not who wrote it:
    figures that matter are measured again (`residua verify`) or computed again (`residua synth
    --force`).
    """

    folder: Path
    core: str

    def store(self, name: str, result: dict[str, Any]) -> None:
        """Keep a result."""
        write_whole(self.folder / f"{name}.json", self._sealed(result))

    def read(self) -> dict[str, dict[str, Any]]:
        """Read the stored results, by name, in order.

        Raises:
            SpecificationError: a file there is no result, was changed, or is one of other files.
        """
        files = sorted(self.folder.rglob("*")) if self.folder.is_dir() else []
        return {file.stem: self._checked(file) for file in files}

    def _checked(self, file: Path) -> dict[str, Any]:
        try:
            text = file.read_text(encoding="utf-8")
            found = json.loads(text)
            core = found.pop(_CORE)
            found.pop(_DIGEST)
        except OSError as error:
            raise SpecificationError(f"cannot read {file}: {error.strerror}; remove it") from error
        except (ValueError, KeyError, TypeError, AttributeError) as error:
            raise SpecificationError(f"{file} is not a result of Residua: remove it") from error
        if core != self.core:
            raise SpecificationError(f"{file} was found on other files: remove it")
        if text != self._sealed(found):
            raise SpecificationError(f"{file} is not as it was written: remove it")
        return dict(found)

    def _sealed(self, result: dict[str, Any]) -> str:
        """The text of a result's file."""
        bound = {_CORE: self.core, **result}
        return to_json({**bound, _DIGEST: digest(to_json(bound))})
