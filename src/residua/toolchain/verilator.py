"""Simulators compiled by Verilator, and its lint."""

import os
import re
import shlex
import shutil
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from residua import cache
from residua.toolchain import initial_values
from residua.toolchain.process import ToolError, log_of_failure, run
from residua.toolchain.verilator_runtime import (
    FLAGS,
    ROOT,
    SIMULATED,
    STEPPED,
    WAITING,
    compile_cpp,
    compiler,
    headers,
    require,
    runtime,
    version,
)

_BINARY = ROOT / "bin" / "verilator_bin"
_STEPPED, _WAITING = (*STEPPED, *SIMULATED), (*WAITING, *SIMULATED)
_WARNING = re.compile(r"^%(?:Warning|Error)[-:].*")
_WORD = r"\[\d+U\] = (?:0x[0-9a-f]+|\d+)U(?:LL)?;\n"
_WORDS = re.compile(rf"^ *(vlSelfRef\.\w+){_WORD}(?: *\1{_WORD}){{7,}}", re.MULTILINE)
_FILLED = re.compile(r"\[(\d+)U\] = (\w+);")
_AT_ONCE = '#pragma GCC push_options\n#pragma GCC optimize("O0")\n'
_AS_BEFORE = "#pragma GCC pop_options\n"


def build(
    sources: Sequence[Path],
    top: str,
    harness_cpp: Path,
    *,
    includes: Sequence[Path] = (),
    defines: Mapping[str, str] | None = None,
    library: bool = False,
    any_state: bool = False,
) -> Path:
    """Compiles a simulator and returns the executable, or a shared library.

    The result is kept by the content of everything that goes into it (`residua.cache`), so that the
    next call with the same input returns at once.

    Args:
        sources: Verilog files.
        top: name of the top module; the C++ class is ``V<top>`` in ``V<top>.h``.
        harness_cpp: C++ file with ``main``, or with a library's functions.
        includes: directories for Verilog's ``include``; what they hold is not part of the key, so
            they should belong to an installed package.
        defines: macros for the Verilog and the C++ sources alike.
        library: make a shared library, of the functions that the harness gives default visibility.
        any_state: registers of our Verilog, and memories that are written, begin with what the
            harness has its context choose (``randReset``), not with their initial values.

    Raises:
        ToolError: Verilator or the C++ compiler failed, or there is none.
    """
    options = [
        "--cc", "-Wno-lint", "-Wno-style", "-Wno-fatal", "-O3",
        "--x-assign", "fast", "--x-initial", "unique" if any_state else "fast",
        "--top-module", top, "--prefix", f"V{top}", "--output-split", "0",
    ]  # fmt: skip
    macros = [f"-D{name}={value}" for name, value in sorted((defines or {}).items())]
    # What is done to Verilog and C++ on the way is as much of the input as the Verilog.
    makers = [Path(__file__), *([Path(initial_values.__file__)] if any_state else [])]
    contents = [*options, *macros, *_contents([*sources, harness_cpp, *makers])]
    key = cache.key([version(), *FLAGS, *_STEPPED, str(library), *contents])

    def make(executable: Path) -> None:
        compiler()
        work = executable.parent
        verilog = _with_any_state(sources, work) if any_state else list(sources)
        folders = [f"-I{path.resolve()}" for path in includes]
        files = [path.resolve() for path in verilog]
        command: list[str | Path] = [_BINARY, *options, *macros, *folders, "--Mdir", ".", *files]
        with log_of_failure("verilator") as log:
            run(command, tool="verilator", cwd=work, log=log, environment=_ENVIRONMENT)
        text = harness_cpp.read_text(encoding="utf-8")
        compiled = _compiled(work, text, macros)
        flags = ["-shared"] if library else []
        command = [compiler(), *flags, "-o", executable, compiled, runtime(), "-pthread"]
        with log_of_failure("linker") as log:
            run(command, tool="the linker", cwd=work, log=log)

    return cache.kept("simulators", top, key, make)


def _compiled(work: Path, harness: str, macros: Sequence[str]) -> Path:
    """Compile the harness and what Verilator wrote, without optimising what runs once.

    One large file takes less time than many, each of which reads the same headers. The statements
    that fill memories, thousands of them, become loops over tables.
    """
    files = sorted(path.name for path in work.glob("*.cpp"))
    once = [name for name in files if name.endswith("__Slow.cpp")]
    often = [name for name in files if name not in once]
    for name in once:
        # Strings of the Verilog are any bytes.
        text = (work / name).read_text(encoding="latin-1")
        (work / name).write_text(_WORDS.sub(_filled_by_loop, text), encoding="latin-1")
    text = f"{_include(often)}{_AT_ONCE}{_include(once)}{_AS_BEFORE}{harness}"
    return compile_cpp(text, work / "all.o", [*_STEPPED, *headers(work), "-I.", *macros])


def _filled_by_loop(statements: re.Match[str]) -> str:
    """What fills a memory with constants, one place after the other."""
    places, words = zip(*_FILLED.findall(statements[0]), strict=True)
    first, count = int(places[0]), len(places)
    if list(map(int, places)) != list(range(first, first + count)):
        return statements[0]
    kind = "QData" if words[0].endswith("ULL") else "IData"
    return (
        f"{{ static const {kind} words[] = {{{', '.join(words)}}};\n"
        f"for (int i = 0; i < {count}; ++i) {statements[1]}[{first} + i] = words[i]; }}\n"
    )


def _include(names: Sequence[str]) -> str:
    return "".join(f'#include "{name}"\n' for name in names)


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
    contents = [*FLAGS, *_WAITING, *_contents([folder / "Makefile", *sources])]
    key = cache.key([version(), *contents])

    def make(executable: Path) -> None:
        compiler()
        require("make")
        names = " ".join(os.path.relpath(source, folder) for source in sources)
        settings = [
            f"JOBS={jobs}",
            f"SOURCES={names}",
            f"VERILATOR={bench_compiler(executable.parent)}",
        ]
        command: list[str | Path] = ["make", "-C", folder, *settings, "obj_dir/bench"]
        with log_of_failure("make") as log:
            run(command, tool="make", cwd=folder, log=log, environment=_ENVIRONMENT)
        shutil.copy(folder / "obj_dir" / "bench", executable)

    return cache.kept("simulators", "bench", key, make)


def bench_compiler(work: Path) -> str:
    """Command that a bench's makefile calls instead of ``verilator``, to share compiled objects.

    Args:
        work: a folder that stays as long as the makefile runs.

    Raises:
        ToolError: the compiler failed.
    """
    # Verilator's makefile calls Python by a name that Debian lacks.
    variables = [f"PYTHON3={sys.executable}", "VM_GLOBAL_FAST=", "OPT_GLOBAL=", "OPT_FAST="]
    flags = [*FLAGS, *_WAITING, *headers(work, WAITING)]
    options = ["--output-split", "0", "-CFLAGS", shlex.join(flags)]
    options += ["-MAKEFLAGS", shlex.join(variables), "-LDFLAGS", str(runtime())]
    return shlex.join([str(_BINARY), *options])


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
                environment=_ENVIRONMENT,
            )
        except ToolError:
            text = log.read_text(errors="replace") if log.exists() else ""
            if not text:
                raise
    return [line for line in text.splitlines() if _WARNING.match(line)]


def _with_any_state(sources: Sequence[Path], work: Path) -> list[Path]:
    """Copies of Verilog files without the initial values of what can change."""
    copies = []
    for index, source in enumerate(sources):
        copies.append(work / f"{index}_{source.name}")
        text = source.read_text(encoding="utf-8")
        copies[-1].write_text(initial_values.without_initial_values(text), encoding="utf-8")
    return copies


def _contents(files: Sequence[Path]) -> Iterator[str | bytes]:
    """Names and contents of files, for a key."""
    for file in files:
        yield file.name
        yield file.read_bytes()


_ENVIRONMENT = {"VERILATOR_ROOT": str(ROOT)}
