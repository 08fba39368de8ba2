"""A C compiler for RISC-V without an operating system: programs as words of memory."""

import shutil
import sys
from collections.abc import Sequence
from importlib.util import find_spec
from pathlib import Path
from tempfile import TemporaryDirectory

from residua.errors import SpecificationError
from residua.toolchain.process import run

GCC = ("riscv64-unknown-elf-gcc", "riscv32-unknown-elf-gcc")

_ARCHITECTURE = ("-march=rv32i", "-mabi=ilp32")
_FREESTANDING = ("-ffreestanding", "-nostdlib", "-Os", "-ffunction-sections", "-fdata-sections")
_LIBRARY = "-lgcc"
"""Multiplication and division, which the processor does not have; Clang brings its own."""

_LINKED = ("-static", "-Wl,--gc-sections", "-Wl,--build-id=none", "-Wl,--strip-all")
"""Without symbols, among which are names of temporary files: the same sources, the same program."""

_PROGRAM_HEADER = 1
"""``p_type`` of what is loaded (ELF, figure 2-2)."""


def compiler() -> list[str]:
    """The command of a compiler: GCC, or Clang out of the package ziglang.

    Raises:
        SpecificationError: there is none; it says how to install one.
    """
    for name in GCC:
        if found := shutil.which(name):
            return [found, *_ARCHITECTURE]
    if find_spec("ziglang"):
        target = ("-target", "riscv32-freestanding-none", "-mcpu=generic_rv32-c-m-a-f-d")
        return [sys.executable, "-m", "ziglang", "cc", *target]
    raise SpecificationError(
        f"there is no compiler for RISC-V: install Debian's gcc-riscv64-unknown-elf "
        f"({GCC[0]} on the PATH), or the Python package ziglang (pip install ziglang)"
    )


def version() -> str:
    """The first line of what the compiler says of itself.

    Raises:
        SpecificationError: there is none.
        ToolError: it does not run.
    """
    command = [*compiler(), "--version"]
    with TemporaryDirectory() as name:
        log = Path(name) / "log"
        return run(command, tool="the RISC-V compiler", cwd=log.parent, log=log).splitlines()[0]


def compile_image(
    sources: Sequence[Path],
    script: Path,
    image: Path,
    *,
    includes: Sequence[Path] = (),
    macros: Sequence[str] = (),
) -> Path:
    """Compile and link C and assembler files; returns the path of the ELF file.

    Args:
        sources: files that end in ``.c`` or ``.S``.
        script: linker script.
        image: what to make.
        includes: folders of headers.
        macros: ``NAME=VALUE``.

    Raises:
        SpecificationError: there is no compiler.
        ToolError: it refuses a file, or the program does not fit into memory.
    """
    command: list[str | Path] = [
        *compiler(),
        *_FREESTANDING,
        *_LINKED,
        "-std=c99",
        "-Wall",
        "-Wextra",
        "-Werror",
        *(f"-D{macro}" for macro in macros),
        *(f"-I{path.resolve()}" for path in includes),
        "-T",
        script.resolve(),
        "-o",
        image.resolve(),
        *(path.resolve() for path in sources),
        _LIBRARY,
    ]
    run(command, tool="the RISC-V compiler", cwd=image.parent, log=image.with_suffix(".log"))
    image.with_suffix(".log").unlink()
    return image


def memory_words(image: bytes) -> list[int]:
    """What an ELF file of 32 bits loads, as words of memory from address 0 on.

    Raises:
        SpecificationError: it is no such file, or loads something below 0 or at no whole word.
    """
    if image[:6] != b"\x7fELF\x01\x01":
        raise SpecificationError("a program has to be an ELF file of 32 bits, little-endian")

    def number(offset: int, size: int) -> int:
        return int.from_bytes(image[offset : offset + size], "little")

    table, size, count = number(28, 4), number(42, 2), number(44, 2)
    memory = bytearray()
    for entry in range(table, table + size * count, size):
        kind, offset, _, address, length = (number(entry + 4 * i, 4) for i in range(5))
        if kind != _PROGRAM_HEADER or not length:
            continue
        memory.extend(bytes(max(address + length - len(memory), 0)))
        memory[address : address + length] = image[offset : offset + length]
    memory.extend(bytes(-len(memory) % 4))
    return [int.from_bytes(memory[i : i + 4], "little") for i in range(0, len(memory), 4)]
