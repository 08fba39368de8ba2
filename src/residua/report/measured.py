"""What tables of papers measure with tools, and where they keep it between runs."""

import json
import tempfile
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from residua.cores.synthesis import place_in_harness
from residua.errors import SpecificationError
from residua.hardware.rtl import PRIMITIVE_FILE, TARGET_FORMS
from residua.toolchain import yosys

Row = dict[str, Any]
Progress = Callable[[str], None]

_RESOURCES = ("lut", "ff", "dsp", "bram", "carry")


def kept(directory: Path, name: str) -> dict[str, Row]:
    """The rows that an earlier run left in ``directory``, by their names.

    Raises:
        SpecificationError: the file is not of an earlier run.
    """
    path = directory / f"{name}.json"
    if not path.exists():
        return {}
    try:
        rows = json.loads(path.read_text(encoding="utf-8"))["rows"]
        return {row["name"]: row for row in rows}
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise SpecificationError(
            f"{path} is no data of an earlier run: remove it or name another directory"
        ) from error


def keep(directory: Path, name: str, data: Mapping[str, Any]) -> None:
    """Write the data of a page, its rows among them."""
    directory.mkdir(parents=True, exist_ok=True)
    text = json.dumps(data, indent=2, ensure_ascii=False)
    (directory / f"{name}.json").write_text(text + "\n", encoding="utf-8")


def mapped(files: Mapping[str, str], top: str, target: str, progress: Progress) -> Row:
    """Resources after synthesis of some Verilog, see `residua.hardware.rtl.emit`."""
    progress(f"synthesis for {target}")
    with tempfile.TemporaryDirectory() as work:
        sources = _write(files, top, Path(work), ecp5=target == "ecp5")
        found = yosys.synthesise(sources, top, target, out_dir=Path(work))
        return {kind: getattr(found, kind) for kind in _RESOURCES}


def placed(files: Mapping[str, str], top: str, seeds: int, progress: Progress) -> Row:
    """Resources and clock on an ECP5."""
    resources = mapped(files, top, "ecp5", progress)
    with tempfile.TemporaryDirectory() as work:
        sources = _write(files, top, Path(work), ecp5=True)
        found = place_in_harness(sources, top, Path(work), range(1, seeds + 1), progress)
    return {**resources, **found}


def _write(files: Mapping[str, str], top: str, work: Path, *, ecp5: bool) -> list[Path]:
    """The Verilog of one complete design."""
    primitives = next(name for name in TARGET_FORMS if ecp5 == (name != PRIMITIVE_FILE))
    paths = []
    for name in (f"rtl/{top}.v", primitives):
        paths.append(work / Path(name).name)
        paths[-1].write_text(files[name], encoding="utf-8")
    return paths
