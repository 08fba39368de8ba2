"""A directory whose core is another one: what checks are tried on."""

from pathlib import Path

from residua.cores.directory import Directory
from residua.cores.manifest import MANIFEST
from residua.hardware.rtl import TARGET_FORMS


def with_core(directory: Directory, verilog: str, path: Path) -> Directory:
    """A copy of a directory with flat Verilog in the place of the core's and its primitives'.

    Args:
        directory: stays as it is.
        verilog: the core's module with whatever it needs.
        path: of the copy, whose model is that of the directory.
    """
    changed = _copy(directory, path)
    (path / f"rtl/{directory.name}.v").write_text(verilog, encoding="utf-8")
    for form in TARGET_FORMS:
        (path / form).write_text("// In the flattened core.\n", encoding="utf-8")
    return changed


def with_top(directory: Directory, verilog: str, path: Path) -> Directory:
    """Copy a directory with flat Verilog in the place of the top module's: a bus with its core."""
    if directory.top == directory.name:
        return with_core(directory, verilog, path)
    changed = _copy(directory, path)
    (path / f"rtl/{directory.top}.v").write_text(verilog, encoding="utf-8")
    return changed


def _copy(directory: Directory, path: Path) -> Directory:
    for name in (MANIFEST, *directory.manifest["files"]):
        target = path / name
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes((directory.path / name).read_bytes())
    changed = Directory(path, directory.manifest)
    # Its files are not those of its specification.
    changed.__dict__["made"] = directory.made
    return changed
