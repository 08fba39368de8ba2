"""A system on a chip: a processor, memory, a serial port, random words, coprocessors."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from amaranth.hdl import ClockSignal, Instance, Module, ResetSignal, Value
from amaranth.lib.wiring import Component, Flow, In, Out, Signature, connect

from residua.errors import SpecificationError
from residua.hardware.bus.tops import ADDRESS_WIDTH, BUSES
from residua.hardware.delay import delayed
from residua.hardware.soc.bus_masters import CORE_BUSES
from residua.hardware.soc.crossing import NearSide, kept_access
from residua.hardware.soc.memory_port import Decoder, Region, check_regions, memory_port
from residua.hardware.soc.random_source import RandomSource
from residua.hardware.soc.uart import FEWEST_CYCLES, Uart

UART_BASE, RANDOM_BASE, CORES_BASE = 0x1000_0000, 0x2000_0000, 0x3000_0000
DEVICE_BYTES = 1 << ADDRESS_WIDTH

MOST_CORES = 16

INTERRUPTS, FIRST_INTERRUPT = 32, 16
"""Interrupt lines of the processor, and that of the first coprocessor; it has the lowest itself."""


@dataclass(frozen=True)
class CoreModule:
    """A core of a system.

    Attributes:
        name: of its module.
        bus: one of `CORE_BUSES`.
    """

    name: str
    bus: str = "wishbone"


@dataclass(frozen=True)
class SocDesign:
    """What a system consists of.

    Attributes:
        name: of the top module; those of its own parts begin with it.
        cores: the coprocessors.
        ram_bytes: memory of program and data, a power of two.
        divisor: cycles of a bit of the serial port.
        core_clock: the coprocessors have a clock of their own.

    Raises:
        SpecificationError: no system of this.
    """

    name: str
    cores: tuple[CoreModule, ...]
    ram_bytes: int
    divisor: int
    core_clock: bool = False

    def __post_init__(self) -> None:
        if not 0 < len(self.cores) <= MOST_CORES:
            raise SpecificationError(f"{len(self.cores)} cores: a system has 1 to {MOST_CORES}")
        if self.divisor < FEWEST_CYCLES:
            raise SpecificationError(
                f"a bit of {self.divisor} cycles: the serial port needs at least {FEWEST_CYCLES}, "
                "so a faster clock or a lower rate"
            )
        check_regions(self.regions)

    @cached_property
    def regions(self) -> Mapping[str, Region]:
        """Addresses of all devices: ``ram``, ``uart``, ``random`` and ``core_0`` and so on."""
        regions = {
            "ram": Region(0, self.ram_bytes),
            "uart": Region(UART_BASE, DEVICE_BYTES),
            "random": Region(RANDOM_BASE, DEVICE_BYTES),
        }
        for number in range(len(self.cores)):
            base = CORES_BASE + number * DEVICE_BYTES
            regions[f"core_{number}"] = Region(base, DEVICE_BYTES)
        return regions

    @property
    def far_modules(self) -> dict[str, str]:
        """The modules between crossing and coprocessors that have another clock, by bus."""
        used = {core.bus for core in self.cores} if self.core_clock else set()
        return {bus: self.far_module(bus) for bus in CORE_BUSES if bus in used}

    def far_module(self, bus: str) -> str:
        """The module between the crossing and a coprocessor on a bus."""
        return f"{self.name}_far" + ("" if bus == "wishbone" else f"_{BUSES[bus].suffix}")

    def component(self) -> "Soc":
        """A new component of the design."""
        return Soc(self)


class Soc(Component):
    """A processor that runs the program in its memory, with devices at `SocDesign.regions`.

    Ports: ``uart_receive`` and ``uart_send`` (high at rest), ``noise`` (a bit of it in each cycle)
    and ``trap``, which stays once the processor met an instruction that it does not have. The
    cores' interrupts go to the processor, through two registers where they have another clock. With
    `SocDesign.core_clock` there are
    ``core_clk`` and ``core_rst`` for the coprocessors, each behind a crossing; both resets are set
    together, for a few cycles of either clock.
    """

    def __init__(self, design: SocDesign) -> None:
        self.design = design
        own = {"core_clk": In(1), "core_rst": In(1)} if design.core_clock else {}
        super().__init__(
            {
                "uart_receive": In(1, init=1),
                "uart_send": Out(1),
                "noise": In(1),
                "trap": Out(1),
                **own,
            }
        )

    def elaborate(self, platform: Any) -> Module:
        """The devices around a decoder; processor, memory and cores are modules of other files."""
        m = Module()
        design = self.design
        m.submodules.decoder = decoder = Decoder(design.regions)
        m.submodules.cpu = cpu = _Foreign(
            f"{design.name}_cpu",
            {"port": Out(memory_port()), "irq": In(INTERRUPTS), "trap": Out(1)},
        )
        m.submodules.ram = ram = _Foreign(f"{design.name}_ram", {"port": In(memory_port())})
        m.submodules.uart = uart = Uart(design.divisor)
        m.submodules.random = random = RandomSource()
        for device, name in ((ram, "ram"), (uart, "uart"), (random, "random")):
            connect(m, getattr(decoder, name), device.port)
        connect(m, cpu.port, decoder.port)
        for number, module in enumerate(design.cores):
            bus = CORE_BUSES[module.bus]
            core = _Foreign(module.name, {bus.port: bus.member, "irq": Out(1)}, self._core_clock)
            connect_core = self._cross if design.core_clock else self._attach
            connect_core(m, number, getattr(decoder, f"core_{number}"), core)
            m.submodules[f"core_{number}"] = core
            m.d.comb += cpu.irq[FIRST_INTERRUPT + number].eq(self._interrupt(m, number, core))
        m.d.comb += [
            uart.receive.eq(self.uart_receive),
            self.uart_send.eq(uart.send),
            random.noise.eq(self.noise),
            self.trap.eq(cpu.trap),
        ]
        return m

    @property
    def _core_clock(self) -> tuple[Value, Value] | None:
        """Clock and reset of the coprocessors, where they are not those of the rest."""
        return (self.core_clk, self.core_rst) if self.design.core_clock else None

    def _interrupt(self, m: Module, number: int, core: Any) -> Value:
        """The interrupt of a coprocessor, at the clock of the processor."""
        registers = 2 if self.design.core_clock else 0
        return delayed(m, core.irq, registers, f"interrupt_{number}")

    def _attach(self, m: Module, number: int, port: Any, core: Any) -> None:
        """A coprocessor with the clock of the rest."""
        bus = CORE_BUSES[self.design.cores[number].bus]
        m.submodules[f"master_{number}"] = master = bus.master()
        connect(m, port, master.port)
        connect(m, getattr(core, bus.port), getattr(master, bus.port))

    def _cross(self, m: Module, number: int, port: Any, core: Any) -> None:
        """A coprocessor with another clock."""
        m.submodules[f"near_{number}"] = near = NearSide()
        name = self.design.cores[number].bus
        bus = CORE_BUSES[name]
        members = {"kept": In(kept_access()), bus.port: bus.member.flip()}
        far = _Foreign(self.design.far_module(name), members, self._core_clock)
        m.submodules[f"far_{number}"] = far
        connect(m, port, near.port)
        connect(m, near.kept, far.kept)
        connect(m, getattr(core, bus.port), getattr(far, bus.port))


class _Foreign(Component):
    """An instance of a module of another file, with clock and reset beside its ports.

    Args:
        module: its name.
        members: its ports.
        clock: its clock and reset, by default those of what it is in.
    """

    def __init__(
        self, module: str, members: dict[str, Any], clock: tuple[Value, Value] | None = None
    ) -> None:
        self._module, self._clock = module, clock or (ClockSignal(), ResetSignal())
        super().__init__(Signature(members))

    def elaborate(self, platform: Any) -> Instance:
        """The instance, port by port."""
        ports: dict[str, Any] = {"i_clk": self._clock[0], "i_rst": self._clock[1]}
        for path, member, value in self.signature.flatten(self):
            direction = "i" if member.flow is Flow.In else "o"
            ports[f"{direction}_{'_'.join(map(str, path))}"] = Value.cast(value)
        return Instance(self._module, **ports)
