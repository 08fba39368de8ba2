"""The C compiler: programs of C sources and shared libraries."""

import os
import shutil
from collections.abc import Sequence
from pathlib import Path

from residua.toolchain.process import ToolError, run

STRICT = ("-std=c99", "-pedantic", "-Wall", "-Wextra", "-Wconversion", "-Wshadow", "-Werror")
"""Flags with which every doubtful construct is an error."""


def compile_program(
    sources: Sequence[Path],
    program: Path,
    *,
    includes: Sequence[Path] = (),
    libraries: Sequence[Path] = (),
    flags: Sequence[str] = STRICT,
) -> Path:
    """Compile and link a program; returns its path.

    The compiler is the variable ``CC`` of the environment, or ``cc``.

    Args:
        sources: C files.
        program: what to make.
        includes: folders of headers.
        libraries: shared libraries, which stay where they are.
        flags: of the compiler.

    Raises:
        ToolError: there is no compiler, or it refuses a file.
    """
    compiler = os.environ.get("CC", "cc")
    if shutil.which(compiler) is None:
        reason = f"there is no C compiler: no '{compiler}' on the PATH"
        raise ToolError(reason, [compiler], None, "")
    program.parent.mkdir(parents=True, exist_ok=True)
    folders = [f"-I{path.resolve()}" for path in includes]
    files = [path.resolve() for path in (*sources, *libraries)]
    command: list[str | Path] = [compiler, *flags, "-O1", *folders, "-o", program.resolve(), *files]
    log = program.with_name(f"{program.name}.log")
    run(command, tool="the C compiler", cwd=program.parent, log=log)
    log.unlink()
    return program
