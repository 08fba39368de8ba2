"""The C compiler: programs of C sources and shared libraries."""

import os
import shutil
from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

from residua.toolchain.process import ToolError, run

STRICT = ("-std=c99", "-pedantic", "-Wall", "-Wextra", "-Wconversion", "-Wshadow", "-Werror")
"""Flags with which every doubtful construct is an error."""

SHARED = ("-std=c99", "-fPIC", "-shared", "-fvisibility=hidden")
"""Flags of a shared library that shows what it says, and nothing else."""


def compile_program(
    sources: Sequence[Path],
    program: Path,
    *,
    includes: Sequence[Path] = (),
    libraries: Sequence[Path] = (),
    flags: Sequence[str] = STRICT,
    needs: Sequence[str] = (),
) -> Path:
    """Compile and link a program; returns its path.

    The compiler is the variable ``CC`` of the environment, or ``cc``.

    Args:
        sources: C files.
        program: what to make.
        includes: folders of headers.
        libraries: shared libraries, which stay where they are.
        flags: of the compiler.
        needs: names of libraries of the system.

    Raises:
        ToolError: there is no compiler, or it refuses a file.
    """
    return _compile([*flags, *_folders(includes)], [*sources, *libraries], program, needs)


def compile_library(
    sources: Sequence[Path],
    library: Path,
    *,
    includes: Sequence[Path] = (),
    flags: Sequence[str] = SHARED,
    needs: Sequence[str] = (),
) -> Path:
    """Compile and link a shared library; returns its path.

    Names of source files in it, as in its messages, are relative to its own folder.

    Args:
        sources: C files.
        library: what to make.
        includes: folders of headers.
        flags: of the compiler.
        needs: names of libraries of the system.

    Raises:
        ToolError: there is no compiler, or it refuses a file.
    """
    relative = f"-fmacro-prefix-map={library.parent.resolve()}/="
    return _compile([*flags, relative, *_folders(includes)], sources, library, needs)


def preprocessed(text: str) -> str:
    """What the preprocessor makes of a text.

    Raises:
        ToolError: there is no compiler, or a header is missing.
    """
    with TemporaryDirectory() as name:
        source = Path(name) / "text.c"
        source.write_text(text, encoding="utf-8")
        command: list[str | Path] = [_compiler(), "-E", "-P", source]
        return run(
            command, tool="the C compiler", cwd=source.parent, log=source.with_suffix(".log")
        )


def _compiler() -> str:
    compiler = os.environ.get("CC", "cc")
    if shutil.which(compiler) is None:
        reason = f"there is no C compiler: no '{compiler}' on the PATH"
        raise ToolError(reason, [compiler], None, "")
    return compiler


def _folders(paths: Sequence[Path]) -> list[str]:
    return [f"-I{path.resolve()}" for path in paths]


def _compile(
    flags: Sequence[str], files: Sequence[Path], target: Path, needs: Sequence[str]
) -> Path:
    compiler = _compiler()
    target.parent.mkdir(parents=True, exist_ok=True)
    sources = [path.resolve() for path in files]
    after = [f"-l{name}" for name in needs]
    command: list[str | Path] = [
        compiler, *flags, "-O1", "-o", target.resolve(), *sources, *after,
    ]  # fmt: skip
    log = target.with_name(f"{target.name}.log")
    run(command, tool="the C compiler", cwd=target.parent, log=log)
    log.unlink()
    return target
