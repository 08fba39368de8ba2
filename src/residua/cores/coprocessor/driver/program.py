"""One C program with the shipped drivers of coprocessors, each core on its simulated bus.

For each directory there is a header ``<name>_simulated.h`` with a function that gives a complete
``residua_ecc_device`` of a new simulation::

    residua_ecc_device device = <name>_simulated(seed, stalls, pause);

``seed`` is that of random words and stalls, ``stalls`` says in how many of 256 cycles each channel
pauses, ``pause`` is how many cycles pass between two accesses; see
`residua.cores.bus.simulator`.
"""

from collections.abc import Sequence
from pathlib import Path

from residua.cores.coprocessor.driver.simulated import directory_model
from residua.cores.directory import Directory
from residua.cores.templating import environment
from residua.errors import SpecificationError
from residua.toolchain.c_compiler import compile_program
from residua.toolchain.process import run

_TEMPLATES = ("simulated.h", "simulated.c")


def build_driver_program(
    directories: Sequence[Directory], main: Path, out_dir: Path, *, optimise: bool = True
) -> Path:
    """Compile a program of the C file ``main`` and all that it needs; returns the executable.

    The library of the driver is taken from the first directory: it is the same in all that one
    version of Residua built. All warnings of the compiler are errors.

    Args:
        directories: of coprocessors on a bus.
        main: has ``main``, and includes ``<name>_simulated.h`` of each core.
        out_dir: where the program and the headers go.
        optimise: for long runs of the simulations.

    Raises:
        SpecificationError: no coprocessor on a bus, two of one name, or drivers of two versions.
        ToolError: a compiler fails.
    """
    sources, libraries = _driver_sources(directories), []
    includes = [directory.path / "driver" for directory in directories]
    out_dir.mkdir(parents=True, exist_ok=True)
    for directory in directories:
        libraries.append(directory_model(directory, optimise=optimise).library)
        for template in _TEMPLATES:
            target = out_dir / f"{directory.name}_{template}"
            target.write_text(_render(template, directory), encoding="utf-8")
            sources += [target] if target.suffix == ".c" else []
    return compile_program(
        [main, *sources], out_dir / "program", includes=[out_dir, *includes], libraries=libraries
    )


def run_driver_program(program: Path, *, timeout: float | None = None) -> str:
    """Run a program of `build_driver_program`, and return its output.

    Raises:
        ToolError: its exit code is not 0, or it takes more than ``timeout`` seconds.
    """
    log = program.with_name("output.txt")
    return run([program.resolve()], tool=program.name, cwd=program.parent, log=log, timeout=timeout)


def _driver_sources(directories: Sequence[Directory]) -> list[Path]:
    """All C files of the drivers; those that several directories have are taken once."""
    chosen: dict[str, Path] = {}
    if len({directory.name for directory in directories}) < len(directories):
        raise SpecificationError("two cores of one name: build one of them with another name")
    for directory in directories:
        for path in sorted((directory.path / "driver").glob("*.[ch]")):
            first = chosen.setdefault(path.name, path)
            if first.read_bytes() != path.read_bytes():
                raise SpecificationError(
                    f"{first} and {path} differ: build both directories with one version of Residua"
                )
    return [path for path in chosen.values() if path.suffix == ".c"]


def _render(template: str, directory: Directory) -> str:
    bus = directory.manifest["parameters"]["bus"]
    found = environment("residua.cores.coprocessor.driver").get_template(template)
    return found.render(name=directory.name, top=directory.top, streams=bus == "axi")
