"""Cores in a system that LiteX makes: on its bus, with an interrupt, random words and the drivers.

In a script that makes a system, between the system and its builder, and after it::

    cores = add_cores(soc, ["p256", "x25519"], noise=platform.request("noise"))
    builder = Builder(soc)
    add_library(builder, cores)

``noise`` is a fresh bit in each cycle; see `residua.hardware.soc.random_source`.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from litex.build.generic_platform import GenericPlatform
from litex.gen import LiteXModule
from litex.soc.integration.builder import Builder
from litex.soc.integration.soc import SoCRegion
from litex.soc.integration.soc_core import SoCCore, get_mem_data
from litex.soc.interconnect import wishbone
from litex.soc.interconnect.csr_eventmanager import EventManager, EventSourceLevel
from migen import ClockSignal, If, Instance, ResetSignal, Signal

from residua.cores.coprocessor.core import CoprocessorCore
from residua.cores.directory import Directory
from residua.cores.templating import environment
from residua.errors import SpecificationError
from residua.hardware.bus.tops import ADDRESS_WIDTH
from residua.hardware.rtl import emit
from residua.hardware.soc.random_source import DATA, STATUS, UNFIT, RandomSource
from residua.output import write_texts
from residua.systems import program
from residua.systems.cores import RsaCore, driver_texts, size_macros, usable_core

RANDOM = "residua_random"
"""Region and module of the random words."""

LIBRARY, PROGRAM = "libresidua", "residua_program"
"""Packages of software: the drivers, and a program that answers ``residua host``."""

_ECP5 = "LFE5U"
"""How the names of devices begin for which cores have primitives of their own."""


class Core(LiteXModule):
    """A core: a slave of Wishbone, and its interrupt as an event.

    The event ``done`` is the level of the core's own interrupt; its registers enable and clear it.
    """

    def __init__(self, directory: Directory, target: str) -> None:
        self.sources = directory.sources(target)
        self.bus = bus = wishbone.Interface(data_width=32, addressing="word")
        self.ev = EventManager()
        self.ev.done = EventSourceLevel(description="The interrupt of the core's own registers.")
        self.ev.finalize()
        self.specials += Instance(
            directory.top,
            i_clk=ClockSignal(),
            i_rst=ResetSignal(),
            i_wb_cyc_i=bus.cyc,
            i_wb_stb_i=bus.stb,
            i_wb_we_i=bus.we,
            i_wb_adr_i=bus.adr[: ADDRESS_WIDTH - 2],
            i_wb_sel_i=bus.sel,
            i_wb_dat_i=bus.dat_w,
            o_wb_dat_o=bus.dat_r,
            o_wb_ack_o=bus.ack,
            o_wb_err_o=bus.err,
            o_wb_stall_o=Signal(),
            o_irq=self.ev.done.trigger,
        )


class RandomWords(LiteXModule):
    """Random words of a bit of noise, as a slave of Wishbone: `RandomSource`."""

    def __init__(self, platform: GenericPlatform, noise: Signal) -> None:
        self._platform = platform
        self.bus = bus = wishbone.Interface(data_width=32, addressing="word")
        valid, ready, waited = Signal(), Signal(), Signal()
        # The interconnect chooses whose data are read a cycle after the address is there.
        self.sync += waited.eq(bus.cyc & bus.stb & ~bus.ack)
        self.comb += [valid.eq(bus.cyc & bus.stb & waited), bus.ack.eq(valid & ready)]
        strobe, address = Signal(4), Signal(32)
        self.comb += [address.eq(bus.adr << 2), If(bus.we, strobe.eq(bus.sel))]
        self.specials += Instance(
            RANDOM,
            i_clk=ClockSignal(),
            i_rst=ResetSignal(),
            i_noise=noise,
            i_port_valid=valid,
            i_port_address=address,
            i_port_strobe=strobe,
            i_port_write_data=bus.dat_w,
            o_port_ready=ready,
            o_port_read_data=bus.dat_r,
        )

    def do_finalize(self) -> None:
        """Write the module where LiteX has its other files."""
        folder = Path(self._platform.output_dir) / "residua"
        path = f"rtl/{RANDOM}.v"
        write_texts(folder, {path: emit(RandomSource(), RANDOM)[path]})
        self._platform.add_source(str(folder / path))


@dataclass(frozen=True)
class Cores:
    """Cores that were added to a system, by their directories."""

    directories: tuple[Directory, ...]

    @property
    def made(self) -> list[CoprocessorCore | RsaCore]:
        """The cores."""
        return [usable_core(one, "a system of LiteX") for one in self.directories]


def add_cores(soc: SoCCore, paths: Sequence[str | Path], noise: Signal) -> Cores:
    """Add cores and a source of random words to a system, before its builder finalizes it.

    Each core is a module of its name, with an interrupt, and with a region of the same name, in
    which are its registers. The source of random words is the region `RANDOM`.

    Args:
        soc: the system; its bus has 32 bits of data.
        paths: directories of coprocessors and of cores for RSA, with ``bus = "wishbone"``.
        noise: a signal of one bit.

    Raises:
        SpecificationError: a directory is none of these, a name is there already, or the bus is
            another one.
    """
    cores = Cores(tuple(Directory.open(Path(path)) for path in paths))
    names = [core.name for core in cores.made]
    for name in (*names, RANDOM):
        if names.count(name) > 1 or hasattr(soc, name) or name in soc.bus.regions:
            raise SpecificationError(
                f"the system has a module or a region {name} already: build the core with another "
                "`name`"
            )
    if soc.bus.data_width != 32:
        raise SpecificationError(
            f"the bus has {soc.bus.data_width} bits of data: cores need bus_data_width = 32"
        )
    target = "ecp5" if str(soc.platform.device).upper().startswith(_ECP5) else ""
    for directory in cores.directories:
        module = Core(directory, target)
        for source in module.sources:
            soc.platform.add_source(str(source.resolve()))
        _add_slave(soc, directory.name, module)
        soc.irq.add(directory.name, use_loc_if_exists=True)
    _add_slave(soc, RANDOM, RandomWords(soc.platform, noise))
    return cores


def _add_slave(soc: SoCCore, name: str, module: Core | RandomWords) -> None:
    soc.add_module(name=name, module=module)
    soc.bus.add_slave(name, module.bus, SoCRegion(size=1 << ADDRESS_WIDTH, cached=False))


def add_library(builder: Builder, cores: Cores) -> Path:
    """Add the drivers of cores to the software, as the library `LIBRARY`; its folder.

    Its header ``residua_litex.h`` has a device of each core, such as ``P256_DEVICE``, and the
    drivers' own headers.
    """
    texts = driver_texts(cores.directories)
    facts = {
        "cores": [core.name for core in cores.made],
        "random": RANDOM,
        "data": DATA,
        "status": STATUS,
        "unfit": UNFIT,
        "macros": size_macros(cores.made),
    }
    texts |= _rendered("library", ("residua_litex.h", "residua_litex.c", "Makefile"), facts)
    builder.add_software_library(LIBRARY)
    return _add_package(builder, LIBRARY, texts)


def add_program(builder: Builder, cores: Cores) -> Path:
    """Have the ROM hold a program that answers ``residua host`` in place of the BIOS; its folder.

    `add_library` has to come before.
    """
    made = cores.made
    facts = {
        "ecc": [core.name for core in program.coprocessors(made)],
        "rsa": [core.name for core in program.rsa_cores(made)],
        "sources": [*program.SOURCES, program.KNOWN, "board.c"],
        "library": LIBRARY,
        "program": PROGRAM,
        "macros": program.macros(made),
        "stack_bytes": program.stack_bytes(made),
    }
    texts = program.texts(made) | _rendered("program", ("board.c", "link.ld", "Makefile"), facts)
    # The libraries of the BIOS, which nothing needs then.
    builder.software_packages = [one for one in builder.software_packages if one[0] == LIBRARY]
    folder = _add_package(builder, PROGRAM, texts)
    soc = builder.soc
    soc.integrated_rom_initialized = True
    image = Path(builder.software_dir) / PROGRAM / "program.bin"

    def fill(**_: object) -> None:
        data = get_mem_data(str(image), data_width=32, endianness=soc.cpu.endianness)
        soc.init_rom(name="rom", contents=data)

    soc.init_mems = fill
    return folder


def _rendered(part: str, names: Sequence[str], facts: dict[str, Any]) -> dict[str, str]:
    templates = environment("residua.systems.litex")
    return {name: templates.get_template(f"{part}/{name}").render(facts) for name in names}


def _add_package(builder: Builder, name: str, texts: dict[str, str]) -> Path:
    folder = Path(builder.output_dir) / "residua" / name
    write_texts(folder, texts)
    builder.add_software_package(name, str(folder))
    return folder
