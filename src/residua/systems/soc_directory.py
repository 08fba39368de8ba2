"""Directory of a system on a chip: Verilog, program, description; made of directories of cores."""

import hashlib
import json
import math
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from fractions import Fraction
from functools import cached_property
from importlib.metadata import version as distribution_version
from importlib.resources import files
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from residua.cores.coprocessor.core import CoprocessorCore
from residua.cores.coprocessor.driver.curves import DriverCurve
from residua.cores.directory import Directory
from residua.cores.templating import environment
from residua.errors import SpecificationError
from residua.hardware.rtl import emit
from residua.hardware.soc.bus_masters import CORE_BUSES
from residua.hardware.soc.crossing import FarMaster
from residua.hardware.soc.random_source import DATA, STATUS, UNFIT
from residua.hardware.soc.soc import CoreModule, SocDesign
from residua.hardware.soc.uart import EMPTY, LOST
from residua.output import Progress, check_new_directory, new_directory, write_texts
from residua.systems import program
from residua.systems.boards.board import find_board
from residua.systems.boards.sources import BOARDS
from residua.systems.boards.top import BoardTop
from residua.systems.cores import RsaCore, RsaKeys, driver_texts, usable_core
from residua.toolchain import riscv

MANIFEST = "soc.json"
SCHEMA = 2

BOARD_TARGET = "ecp5"
"""The target of the boards' devices."""

FEWEST_BIT_CYCLES = 100
"""Cycles of a bit of the serial port, at least: the program takes a byte in ten of them."""

PROCESSORS = {"picorv32": "pythondata-cpu-picorv32"}
"""Processors, and the package that has each."""

_OWN_SOURCES = ("start.S", "board.c")
"""What the program has for this system alone."""

_MEANINGS = {
    "ram": "program and data",
    "uart": "serial port: a write sends a byte, a read takes one (bit 31: none, bit 30: some lost)",
    "random": "a read waits for a random word; at offset 4, bit 0: the words fail a test",
}


@dataclass(frozen=True)
class SocRequest:
    """What is asked for.

    Attributes:
        cores: directories of coprocessors and of cores for RSA, on one of `CORE_BUSES`.
        name: of the top module.
        cpu: one of `PROCESSORS`.
        ram_bytes: a power of two.
        megahertz: of the clock.
        baud: of the serial port.
        board: one of `BOARDS`, or None for a system without pins.
        core_megahertz: of the coprocessors' own clock, or None for that of the system.

    Raises:
        SpecificationError: it cannot be met.
    """

    cores: tuple[Directory, ...]
    name: str = "soc"
    cpu: str = "picorv32"
    ram_bytes: int = 65536
    megahertz: float = 50.0
    baud: int = 115200
    board: str | None = None
    core_megahertz: float | None = None

    def __post_init__(self) -> None:
        if not (self.name.isidentifier() and self.name.isascii()):
            raise SpecificationError(f"--name {self.name}: give a name of Verilog")
        if self.cpu not in PROCESSORS:
            raise SpecificationError(f"--cpu {self.cpu}: expected one of {', '.join(PROCESSORS)}")
        if self.ram_bytes.bit_count() != 1:
            raise SpecificationError(
                f"--ram {self.ram_bytes}: memory has to be a power of two of bytes"
            )
        self._check_rates()
        if self.divisor < FEWEST_BIT_CYCLES:
            most = int(self.megahertz * 1e6 / FEWEST_BIT_CYCLES)
            raise SpecificationError(
                f"--baud {self.baud}: the program keeps up with {most} at {self.megahertz:g} MHz"
            )
        names = [core.name for core in self.cores]
        for core, name in zip(self.cores, names, strict=True):
            _ = usable_core(core, "a system", CORE_BUSES)
            if names.count(name) > 1:
                raise SpecificationError(
                    f"two cores have the name {name}: build one with another `name`"
                )
        if self.name in {*names, *(core.top for core in self.cores)}:
            raise SpecificationError(f"--name {self.name} is that of a core: give another one")
        _ = self.design, self.board_top

    def _check_rates(self) -> None:
        rates = {"clock": self.megahertz, "core-clock": self.core_megahertz, "baud": self.baud}
        for option, rate in rates.items():
            if rate is not None and not 0 < rate < math.inf:
                raise SpecificationError(f"--{option} {rate:g}: expected a number above 0")

    @property
    def divisor(self) -> int:
        """Cycles of a bit of the serial port."""
        return round(self.megahertz * 1e6 / self.baud)

    @cached_property
    def design(self) -> SocDesign:
        """The hardware."""
        tops = tuple(
            CoreModule(core.top, str(made.request.bus))
            for core, made in zip(self.cores, self.made, strict=True)
        )
        own_clock = self.core_megahertz is not None
        return SocDesign(self.name, tops, self.ram_bytes, self.divisor, own_clock)

    @cached_property
    def board_top(self) -> BoardTop | None:
        """What is around the hardware on its board."""
        if self.board is None:
            return None
        clocks = (self.megahertz, self.core_megahertz)
        exact = [Fraction(str(clock)) for clock in clocks if clock is not None]
        return BoardTop(self.name, find_board(self.board), *exact)

    @cached_property
    def made(self) -> tuple[CoprocessorCore | RsaCore, ...]:
        """The cores."""
        return tuple(usable_core(core, "a system", CORE_BUSES) for core in self.cores)


@dataclass(frozen=True)
class SocDirectory:
    """The directory of a system, whose files are as they were made."""

    path: Path
    manifest: dict[str, Any]

    @staticmethod
    def is_at(path: Path) -> bool:
        """Whether there is the directory of a system, in whatever state."""
        return (path / MANIFEST).is_file()

    @classmethod
    def open(cls, path: Path) -> "SocDirectory":
        """The directory at ``path``.

        Raises:
            SpecificationError: `build` did not write it, or a file was changed since.
        """
        try:
            manifest = json.loads((path / MANIFEST).read_bytes())
            schema, digests = manifest["schema"], dict(manifest["files"])
        except OSError as error:
            raise SpecificationError(
                f"{path} is not a directory that residua soc wrote: cannot read its {MANIFEST} "
                f"({error.strerror})"
            ) from error
        except (ValueError, KeyError, TypeError) as error:
            raise SpecificationError(f"{path / MANIFEST} is not one of residua soc") from error
        if schema != SCHEMA:
            raise SpecificationError(
                f"{path / MANIFEST} has schema {schema}, and this version reads {SCHEMA}: make the "
                "system again"
            )
        for name, digest in digests.items():
            if not (path / name).is_file() or _digest((path / name).read_bytes()) != digest:
                raise SpecificationError(f"{path / name} is not as it was made: make it again")
        return cls(path, manifest)

    @property
    def name(self) -> str:
        """Name of the top module."""
        return str(self.manifest["name"])

    @property
    def sources(self) -> list[Path]:
        """The Verilog of the whole system, with primitives for any target."""
        return [self.path / name for name in self.manifest["verilog"]]

    @property
    def board(self) -> dict[str, Any]:
        """What the manifest tells of the board.

        Raises:
            SpecificationError: the system was made without one.
        """
        found: dict[str, Any] | None = self.manifest.get("board")
        if found is None:
            raise SpecificationError(
                f"{self.path} was made for no board: residua soc ... --board "
                f"{BOARDS[0]} makes one for a board"
            )
        return found

    @property
    def board_sources(self) -> list[Path]:
        """The Verilog of the system on its board, with primitives for the ECP5.

        Raises:
            SpecificationError: the system was made without a board.
        """
        return [self.path / name for name in self.board["verilog"]]


def build(request: SocRequest, path: Path, progress: Progress = lambda step: None) -> SocDirectory:
    """Make the directory of a system; either all of it or nothing.

    Raises:
        SpecificationError: the directory is not free, there is no RISC-V compiler or no package
            with the processor, or the program does not fit into memory.
        ToolError: the compiler failed.
    """
    check_new_directory(path)
    compiler = riscv.version()
    progress("hardware")
    texts = hardware(request) | _program_texts(request)
    with new_directory(path) as draft:
        write_texts(draft, texts)
        progress("program")
        words = _compiled(draft, request)
        (draft / "firmware.hex").write_text("".join(f"{word:08x}\n" for word in words))
        facts = _facts(request, compiler, 4 * len(words))
        readme = environment("residua.systems").get_template("README.md").render(facts)
        write_texts(draft, {"README.md": readme})
        manifest = _manifest(draft, facts, request)
        write_texts(draft, {MANIFEST: json.dumps(manifest, indent=2) + "\n"})
    return SocDirectory(path, manifest)


def _processor(cpu: str) -> str:
    """The Verilog of a processor.

    Raises:
        SpecificationError: its package is not installed.
    """
    package = PROCESSORS[cpu]
    module = package.replace("-", "_")
    if find_spec(module) is None:
        raise SpecificationError(
            f"--cpu {cpu} needs the Python package {package}: pip install 'residua[soc]'"
        )
    return (files(module) / "verilog" / f"{cpu}.v").read_text(encoding="utf-8")


def hardware(request: SocRequest) -> dict[str, str]:
    """The Verilog by path: the system's own, the processor, each core's, the board's with its pins.

    Raises:
        SpecificationError: there is no package with the processor.
    """
    processor = _processor(request.cpu)
    name, templates = request.name, environment("residua.systems")
    top = f"rtl/{name}.v"
    texts = {top: emit(request.design.component(), name)[top], f"rtl/{request.cpu}.v": processor}
    for part in ("cpu", "ram"):
        text = templates.get_template(f"{part}.v").render(name=name, ram_bytes=request.ram_bytes)
        texts[f"rtl/{name}_{part}.v"] = text
    for bus, far in request.design.far_modules.items():
        path = f"rtl/{far}.v"
        texts[path] = emit(FarMaster(bus), far)[path]
    for target in ("", BOARD_TARGET) if request.board else ("",):
        for path, source in _core_sources(request, target).items():
            texts[path] = source.read_text(encoding="utf-8")
    return texts | (request.board_top.files() if request.board_top else {})


def _core_sources(request: SocRequest, target: str) -> dict[str, Path]:
    """The cores' Verilog with the primitives for a target, by the paths in the directory."""
    return {
        f"rtl/{core.name}/{source.relative_to(core.path / 'rtl').as_posix()}": source
        for core in request.cores
        for source in core.sources(target)
    }


def _verilog(request: SocRequest, target: str = "") -> list[str]:
    """Paths of the system's Verilog, with the cores' primitives for a target."""
    modules = [request.name, request.cpu, f"{request.name}_cpu", f"{request.name}_ram"]
    modules += request.design.far_modules.values()
    return [*(f"rtl/{module}.v" for module in modules), *_core_sources(request, target)]


def _program_texts(request: SocRequest) -> dict[str, str]:
    """The sources of the program by name, the driver's among them."""
    templates = environment("residua.systems")
    own = {name: program.source(name) for name in _OWN_SOURCES}
    own["system.h"] = templates.get_template("system.h").render(
        name=request.name,
        cores=[core.name for core in request.cores],
        rsa=[core.name for core in program.rsa_cores(request.made)],
        regions=request.design.regions,
        empty=EMPTY,
        lost=LOST,
        data=DATA,
        status=STATUS,
        unfit=UNFIT,
    )
    own["link.ld"] = templates.get_template("link.ld").render(
        ram_bytes=request.ram_bytes, stack_bytes=program.stack_bytes(request.made)
    )
    drivers = driver_texts(request.cores)
    return {
        **{f"firmware/{name}": text for name, text in (own | program.texts(request.made)).items()},
        **{f"driver/{name}": text for name, text in drivers.items()},
    }


def _compiled(draft: Path, request: SocRequest) -> list[int]:
    """The program as words of memory, after compiling it in the draft."""
    folder = draft / "firmware"
    sources = [folder / name for name in (*_OWN_SOURCES, *program.SOURCES, program.KNOWN)]
    sources += sorted((draft / "driver").glob("*.c"))
    image = riscv.compile_image(
        sources,
        folder / "link.ld",
        draft / "firmware.elf",
        includes=[folder, draft / "driver"],
        macros=program.macros(request.made),
    )
    return riscv.memory_words(image.read_bytes())


def _facts(request: SocRequest, compiler: str, program_bytes: int) -> dict[str, Any]:
    """What describes the system."""
    cores = [core.name for core in request.cores]
    meanings = dict(_MEANINGS) | {
        f"core_{number}": f"`{name}`" for number, name in enumerate(cores)
    }
    return {
        "name": request.name,
        "cpu": request.cpu,
        "cpu_version": distribution_version(PROCESSORS[request.cpu]),
        "cores": cores,
        "regions": request.design.regions,
        "meanings": meanings,
        "ram_bytes": request.ram_bytes,
        "program_bytes": program_bytes,
        "megahertz": request.megahertz,
        "core_megahertz": request.core_megahertz,
        "baud": request.baud,
        "divisor": request.design.divisor,
        "compiler": compiler,
        "macros": program.macros(request.made),
        "curves": [
            [_curve(curve) for curve in core.driver_curves]
            for core in program.coprocessors(request.made)
        ],
        "rsa": [
            asdict(RsaKeys.of(core)) | {"name": core.name}
            for core in program.rsa_cores(request.made)
        ],
        "board": _board(request),
    }


def _board(request: SocRequest) -> dict[str, Any] | None:
    """What describes the system on its board, and the Verilog of all of it."""
    top = request.board_top
    if top is None:
        return None
    own = [path for path in top.files() if path.endswith(".v")]
    return {
        **top.manifest(),
        "program": top.board.programming(f"{request.name}.bit"),
        "verilog": [*own, *_verilog(request, BOARD_TARGET)],
    }


def _curve(curve: DriverCurve) -> dict[str, Any]:
    return {"name": curve.name, "form": curve.form}


def _manifest(draft: Path, facts: Mapping[str, Any], request: SocRequest) -> dict[str, Any]:
    """The facts with the Verilog of the system, and the digest of every file."""
    regions = {name: asdict(region) for name, region in facts["regions"].items()}
    paths = sorted(path for path in draft.rglob("*") if path.is_file())
    digests = {path.relative_to(draft).as_posix(): _digest(path.read_bytes()) for path in paths}
    own = {key: value for key, value in facts.items() if key != "meanings"}
    return {
        "schema": SCHEMA,
        **own,
        "regions": regions,
        "verilog": _verilog(request),
        "files": digests,
    }


def _digest(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()
