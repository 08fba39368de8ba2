"""One C program with the shipped drivers of cores, each of them on its simulated bus.

For each directory there is a header ``<name>_simulated.h`` with a function that gives a complete
device of a new simulation, of a coprocessor::

    residua_ecc_device device = <name>_simulated(seed, stalls, pause);

``seed`` is that of random words and stalls, ``stalls`` says in how many of 256 cycles each channel
pauses, ``pause`` is how many cycles pass between two accesses; see
`residua.cores.bus.simulator`.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from residua.cores.bus.driver.files import rendered
from residua.cores.bus.simulator import BusModel
from residua.cores.directory import Directory
from residua.errors import SpecificationError
from residua.toolchain.c_compiler import compile_program
from residua.toolchain.process import run

MOST_WAIT = 1024
"""Cycles that a simulated device waits for its interrupt at a time."""

_TEMPLATES = ("simulated.h", "simulated.c")


@dataclass(frozen=True)
class Simulation:
    """A core whose driver a program has.

    Attributes:
        directory: of the core.
        model: of its bus.
        library: name of the driver's library.
    """

    directory: Directory
    model: BusModel
    library: str

    def write(self, out_dir: Path) -> list[Path]:
        """Write what gives a device; returns the C sources."""
        name = self.directory.name
        names = {
            "name": name,
            "top": self.directory.top,
            "streams": not self.model.registers.capabilities.data_registers,
            "wait": MOST_WAIT,
        }
        targets = []
        for template in _TEMPLATES:
            targets.append(out_dir / f"{name}_{template}")
            text = rendered(template, self.library, self.model.registers, names)
            targets[-1].write_text(text, encoding="utf-8")
        return [target for target in targets if target.suffix == ".c"]


def build_simulated_program(simulations: Sequence[Simulation], main: Path, out_dir: Path) -> Path:
    """Compile a program of the C file ``main`` and all that it needs; returns the executable.

    The library of the driver is taken from the first directory: it is the same in all that one
    version of Residua built. All warnings of the compiler are errors.

    Args:
        simulations: of cores on a bus.
        main: has ``main``, and includes ``<name>_simulated.h`` of each core.
        out_dir: where the program and the headers go.

    Raises:
        SpecificationError: two cores of one name, or drivers of two versions.
        ToolError: a compiler fails.
    """
    directories = [one.directory for one in simulations]
    sources = [path for path in driver_files(directories) if path.suffix == ".c"]
    includes = [directory.path / "driver" for directory in directories]
    out_dir.mkdir(parents=True, exist_ok=True)
    for one in simulations:
        sources += one.write(out_dir)
    libraries = [one.model.library for one in simulations]
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


def driver_files(directories: Sequence[Directory]) -> list[Path]:
    """All files of the drivers; those that several directories have are taken once.

    Raises:
        SpecificationError: two cores of one name, or drivers of two versions.
    """
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
    return list(chosen.values())
