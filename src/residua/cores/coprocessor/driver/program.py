"""One C program with the shipped drivers of coprocessors, each core on its simulated bus.

See `residua.cores.bus.driver.program`.
"""

from collections.abc import Sequence
from pathlib import Path

from residua.cores.bus.driver.program import (
    Simulation,
    build_simulated_program,
    run_driver_program,
)
from residua.cores.coprocessor.driver.files import LIBRARY
from residua.cores.coprocessor.driver.simulated import directory_model
from residua.cores.directory import Directory

__all__ = ["build_driver_program", "run_driver_program"]


def build_driver_program(directories: Sequence[Directory], main: Path, out_dir: Path) -> Path:
    """Compile a program of the C file ``main`` and all that it needs; returns the executable.

    Args:
        directories: of coprocessors on a bus.
        main: has ``main``, and includes ``<name>_simulated.h`` of each core.
        out_dir: where the program and the headers go.

    Raises:
        SpecificationError: no coprocessor on a bus, two of one name, or drivers of two versions.
        ToolError: a compiler fails.
    """
    simulations = [
        Simulation(directory, directory_model(directory), LIBRARY) for directory in directories
    ]
    return build_simulated_program(simulations, main, out_dir)
