"""Devices that nextpnr places on, one for each family, and what each needs beside a netlist."""

import importlib.metadata
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from residua.errors import SpecificationError, library
from residua.toolchain.ecp5.parts import DEVICES as ECP5_DEVICES
from residua.toolchain.ecp5.parts import MULTIPLIER_LIMIT_MHZ, SPEED_GRADES
from residua.toolchain.ecp5.parts import TOTALS as ECP5_TOTALS

STATIC_PLACER = ("--placer", "static")
"""nextpnr's electrostatic placer: designs as large as a coprocessor are faster with it than with
its default on an ECP5, and their seeds closer to each other."""

_RUNNER = """
import sys
import {module}
sys.exit({module}.{function}(sys.argv[1:]))
"""

_NEXUS_OSCILLATOR = (
    'OSCA #(.HF_OSC_EN("ENABLED"), .HF_CLK_DIV("1")) oscillator '
    "(.HFOUTEN(1'b1), .HFSDSCEN(1'b0), .HFCLKOUT(clk));"
)


@dataclass(frozen=True)
class Device:
    """A device, and how nextpnr takes it.

    Attributes:
        name: of the device.
        speed: its speed grade, as its manufacturer calls it; "" if there is one alone.
        program: the nextpnr that knows it.
        extra: of Residua that installs it; "" if it always is.
        selection: arguments that name the device.
        totals: what nextpnr has of each resource.
        pins: arguments that say where pins are, or that this is left to nextpnr.
        files: that these arguments name, by name.
        methods: arguments that choose a placer or a router, if not the defaults.
        oscillator: Verilog that drives ``clk`` in a harness, where no pin does.
        multiplier: kind of nextpnr's sites whose registers limit the clock; "" if none is known.
        limit_mhz: of a clock with such sites.
    """

    name: str
    speed: str
    program: str
    extra: str
    selection: tuple[str, ...]
    totals: Mapping[str, int]
    pins: tuple[str, ...] = ()
    files: Mapping[str, str] = field(default_factory=dict)
    methods: tuple[str, ...] = ()
    oscillator: str = ""
    multiplier: str = ""
    limit_mhz: float | None = None

    @property
    def title(self) -> str:
        """Its name with its speed grade."""
        return f"{self.name} speed {self.speed}" if self.speed else self.name

    @property
    def version(self) -> tuple[str, ...]:
        """Package and version of an optional program, which `versions` does not know."""
        if not self.extra:
            return ()
        return (self._package, importlib.metadata.version(self._package))

    @property
    def runner(self) -> str:
        """Python source that runs the program with its arguments.

        Raises:
            SpecificationError: the program is not installed.
        """
        self.check()
        return _RUNNER.format(module=self._module, function=f"run_{self.program.replace('-', '_')}")

    def check(self) -> None:
        """Check that the program is there.

        Raises:
            SpecificationError: it is not installed.
        """
        if self.extra:
            library(self._module, self._package, f"placement on {self.name}", self.extra)

    @property
    def _package(self) -> str:
        return f"yowasp-{self.program}"

    @property
    def _module(self) -> str:
        return self._package.replace("-", "_")

    def limit(self, used: Mapping[str, Any]) -> float | None:
        """The limit in MHz of a design, by its used sites; None where none is known."""
        return self.limit_mhz if self.multiplier in used else None


def ecp5(device: str = "LFE5U-85F", speed: int = max(SPEED_GRADES)) -> Device:
    """A device of the ECP5 family.

    Raises:
        SpecificationError: unknown device or speed grade.
    """
    if device not in ECP5_DEVICES:
        raise SpecificationError(f"no device '{device}'; one of {', '.join(ECP5_DEVICES)}")
    if speed not in SPEED_GRADES:
        raise SpecificationError(f"no ECP5 speed grade {speed}; one of 6, 7, 8")
    switch, package = ECP5_DEVICES[device]
    return Device(
        name=device,
        speed=str(speed),
        program="nextpnr-ecp5",
        extra="",
        selection=(switch, "--package", package, "--speed", str(speed)),
        totals=ECP5_TOTALS[device],
        pins=("--lpf-allow-unconstrained",),
        methods=STATIC_PLACER,
        multiplier="MULT18X18D",
        limit_mhz=MULTIPLIER_LIMIT_MHZ[speed],
    )


def _lines(template: str, sites: Mapping[str, str]) -> str:
    return "".join(template.format(port=port, site=site) + "\n" for port, site in sites.items())


DEVICES: Mapping[str, Device] = {
    "ecp5": ecp5(),
    "ice40up5k": Device(
        name="iCE40UP5K",
        speed="",
        program="nextpnr-ice40",
        extra="ice40",
        selection=("--up5k", "--package", "sg48"),
        totals={"lut": 5280, "ff": 5280, "dsp": 8, "bram": 30},
        pins=("--pcf-allow-unconstrained",),
    ),
    "nexus": Device(
        name="LIFCL-40",
        speed="9",
        program="nextpnr-nexus",
        extra="nexus",
        selection=("--device", "LIFCL-40-9BG400C"),
        totals={"lut": 32256, "ff": 32256, "dsp": 56, "bram": 84},
        pins=("--pdc", "pins.pdc"),
        # All pins need a place. The clock would have to come from one of a few.
        files={
            "pins.pdc": _lines(
                "ldc_set_location -site {{{site}}} [get_ports {port}]",
                {"serial_in": "E17", "serial_out": "F13"},
            )
        },
        # The default finds no way from the oscillator to the clock's net in some designs.
        methods=("--router", "router1"),
        oscillator=_NEXUS_OSCILLATOR,
    ),
    "gowin": Device(
        name="GW2A-18",
        speed="C8/I7",
        program="nextpnr-himbaechel-gowin",
        extra="gowin",
        selection=("--device", "GW2A-LV18PG256C8/I7", "--vopt", "family=GW2A-18"),
        totals={"lut": 20736, "ff": 15552, "dsp": 48, "bram": 46},
        pins=("--vopt", "cst=pins.cst"),
        files={
            "pins.cst": _lines(
                'IO_LOC "{port}" {site};', {"clk": "H11", "serial_in": "T13", "serial_out": "M11"}
            )
        },
    ),
    "gatemate": Device(
        name="CCGM1A1",
        speed="",
        program="nextpnr-himbaechel-gatemate",
        extra="gatemate",
        selection=("--device", "CCGM1A1"),
        totals={"lut": 40960, "ff": 40960, "bram": 64},
        pins=("--vopt", "allow-unconstrained"),
    ),
    "machxo3": Device(
        name="LCMXO3LF-6900C",
        speed="6",
        program="nextpnr-machxo2",
        extra="machxo3",
        selection=("--device", "LCMXO3LF-6900C-6BG256C"),
        totals={"lut": 6864, "ff": 6864, "dsp": 0, "bram": 26},
        pins=("--lpf-allow-unconstrained",),
    ),
}
"""The device on which cores of each target are placed.

The harness has three pins, or two where an oscillator of the device is its clock.
"""

TOTALS: Mapping[str, Mapping[str, int]] = {
    **ECP5_TOTALS,
    **{device.name: device.totals for device in DEVICES.values()},
}
"""What nextpnr has of each resource, by device."""


def target_of(name: str) -> str:
    """The target that a device of `TOTALS` belongs to."""
    found = (target for target, device in DEVICES.items() if device.name == name)
    return next(found, "ecp5")
