"""Verilog of components that follow from designs, made once for each state of the package.

What is below a test may differ from the package: after a change by `monkeypatch` (`conftest.py`),
and for designs that a test has put something of its own into, Verilog is made anew.
"""

import io
import json
import pickle
from pathlib import Path
from typing import Any

from residua import cache
from residua.cores import kept_files
from residua.hardware import rtl
from residua.toolchain.targets import PRIMITIVE_FILE

changed = False
"""Whether a test has changed what Verilog is made by."""


def emit(kind: type, design: Any, name: str) -> dict[str, str]:
    """What `residua.hardware.rtl.emit` gives of ``kind(design)`` under a name.

    Args:
        kind: a component of the package, which is made of its design alone.
        design: equal designs are pickled to equal bytes, or made twice.
        name: of the top module.
    """
    data = None if changed else _pickled(kind, design)
    if data is None:
        return rtl.emit(kind(design), name)

    def make(path: Path) -> None:
        path.write_text(json.dumps(rtl.emit(kind(design), name)), encoding="utf-8")

    key = cache.key([kept_files.MAKERS_STATE, name, data])
    path = cache.kept("directories", "verilog", key, make)
    return dict(json.loads(path.read_text(encoding="utf-8")))


def write(kind: type, design: Any, folder: Path, name: str = "core") -> tuple[list[Path], str]:
    """The files for any target in a folder, and the name of the top module."""
    files, sources = emit(kind, design, name), []
    for path in (f"rtl/{name}.v", PRIMITIVE_FILE):
        sources.append(folder / Path(path).name)
        sources[-1].write_text(files[path], encoding="utf-8")
    return sources, name


class _Pickler(pickle.Pickler):
    """Refuses what a test defines: a state of the package does not tell what that is."""

    def reducer_override(self, thing: Any) -> Any:
        """Look where a thing, or its class, comes from."""
        module = getattr(thing, "__module__", None) or type(thing).__module__
        if module.startswith(("test", "conftest", "__main__")):
            raise pickle.PicklingError(f"{thing!r} is of {module}")
        return NotImplemented


def _pickled(kind: type, design: Any) -> bytes | None:
    """All that makes a component, as bytes; None if some of it is not the package's."""
    data = io.BytesIO()
    try:
        _Pickler(data).dump((kind, design))
    except (AttributeError, TypeError, pickle.PicklingError):
        return None
    return data.getvalue()
