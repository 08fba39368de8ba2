"""A simulated system on a chip, whose serial port is a pseudo-terminal."""

import os
import tty
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from fractions import Fraction
from pathlib import Path
from tempfile import TemporaryDirectory

from residua.systems.soc_directory import SocDirectory
from residua.toolchain import verilator
from residua.toolchain.process import started

PATIENCE = 20_000_000
"""Cycles in which nothing comes or goes on the serial port after which time stands still."""

KEY_CYCLES = 200_000
"""Cycles in which the driver derives what a core for RSA loads, at most, for each pair of words."""

_HARNESS = Path(__file__).with_name("simulator.cpp")


def build_simulator(directory: SocDirectory) -> Path:
    """Compile the Verilog of a system; returns the executable, see `simulator.cpp`.

    Raises:
        ToolError: Verilator or the C++ compiler failed, or there is none.
    """
    manifest = directory.manifest
    core = manifest.get("core_megahertz")
    ratio = None if core is None else Fraction(str(core)) / Fraction(str(manifest["megahertz"]))
    return compile_simulator(
        directory.sources,
        directory.name,
        manifest["divisor"],
        core_clock=ratio,
        patience=_patience(core["bits"] for core in manifest["rsa"]),
    )


def _patience(lengths: Iterable[int]) -> int:
    """The cycles in which a program derives keys of these lengths, and does all else."""
    return PATIENCE + KEY_CYCLES * sum((bits // 32 + 2) ** 2 for bits in lengths)


def compile_simulator(
    sources: Sequence[Path],
    top: str,
    divisor: int,
    *,
    includes: Sequence[Path] = (),
    ahead: int = 0,
    core_clock: Fraction | None = None,
    patience: int = PATIENCE,
) -> Path:
    """Compile the Verilog of a module with the ports of a system; see `build_simulator`.

    Args:
        sources: Verilog files.
        top: name of the module.
        divisor: cycles of a bit of its serial port.
        includes: directories of an installed package that the files include from.
        ahead: cycles that pass before the first byte comes.
        patience: see `PATIENCE`.
        core_clock: how much faster the coprocessors' own clock is, if they have one.

    Raises:
        ToolError: Verilator or the C++ compiler failed, or there is none.
    """
    own_clock = []
    if core_clock is not None:
        own_clock = [
            "#define CORE_CLOCK",
            f"constexpr std::int64_t core_ticks = {core_clock.numerator};",
            f"constexpr std::int64_t ticks = {core_clock.denominator};",
        ]
    tables = [
        f'#include "V{top}.h"',
        "#include <cstdint>",
        "#include <verilated.h>",
        "namespace tables {",
        f"using Core = V{top};",
        f"constexpr int divisor = {divisor};",
        f"constexpr int ahead = {ahead};",
        *own_clock,
        f"constexpr std::int64_t patience = {patience};",
        "}",
    ]
    with TemporaryDirectory() as name:
        harness = Path(name) / "simulator.cpp"
        harness.write_text("\n".join([*tables, _HARNESS.read_text(encoding="utf-8")]))
        return verilator.build(sources, top, harness, includes=includes)


@contextmanager
def simulated(directory: SocDirectory, executable: Path | None = None) -> Iterator[str]:
    """A running simulation; yields the path of the terminal that its serial port is.

    Its noise comes of the operating system: no nonce comes again.

    Args:
        directory: of the system, whose memory begins with the program there.
        executable: of `compile_simulator`, by default that of the directory's Verilog.

    Raises:
        ToolError: the simulator cannot be built or started.
    """
    with running(executable or build_simulator(directory), directory.path) as terminal:
        yield terminal


@contextmanager
def running(executable: Path, folder: Path) -> Iterator[str]:
    """A running simulator; yields the path of the terminal that its serial port is.

    Args:
        executable: of `compile_simulator`.
        folder: with the files that its memories begin with.

    Raises:
        ToolError: it cannot be started.
    """
    ours, theirs = os.openpty()
    try:
        tty.setraw(theirs)
        with started([executable], tool="the simulator", cwd=folder, line=ours):
            yield os.ttyname(theirs)
    finally:
        os.close(ours)
        os.close(theirs)
