"""Files that take a core into a design: for FuseSoC and for VHDL, constraints for two families."""

import re
from typing import Any

from residua import __version__
from residua.cores.manifest import modules, render
from residua.toolchain import vivado
from residua.toolchain.ecp5.parts import DEVICES, SPEED_GRADES

_SPEED = max(SPEED_GRADES)
_SWITCH, _PACKAGE = DEVICES["LFE5U-85F"]

_PINS = 365
"""User pins of the package."""

_ECP5 = {
    "speed": _SPEED,
    "options": [
        _SWITCH,
        "--package",
        _PACKAGE,
        "--speed",
        f"'{_SPEED}'",
        "--lpf-allow-unconstrained",
    ],
}

_VIVADO = {"period_ns": 5.0, "part": vivado.DEFAULT_PART, "outside": 0.3}
"""``outside`` is the part of a period that what surrounds a core needs."""


def integration_files(
    manifest: dict[str, Any],
    description: str,
    ecp5_mhz: float,
    *,
    bench: str | None = None,
    vectors: str | None = None,
) -> dict[str, str]:
    """The files for a core, by name.

    Args:
        manifest: of the core.
        description: one line for the FuseSoC core file.
        ecp5_mhz: the clock to ask for on an ECP5.
        bench: a test bench among its files, if there is one.
        vectors: what it reads.
    """
    top = manifest["top"]
    names: dict[str, object] = {
        "description": description,
        "vlnv": vlnv(top),
        "modules": modules(manifest),
        "bench": bench,
        "vectors": vectors,
        "ecp5": _ECP5 | {"mhz": ecp5_mhz, "fits": _pins(manifest) <= _PINS},
        "vivado": _VIVADO,
        "directions": {"input": "in", "output": "out"},
    }
    rendered = {
        f"{top}.core": "fusesoc.core",
        f"vhdl/{top}.vhd": "component.vhd",
        f"constraints/{top}.lpf": "constraints.lpf",
        f"constraints/{top}.xdc": "constraints.xdc",
        "constraints/out_of_context.tcl": "out_of_context.tcl",
    }
    return {
        name: render(f"integration/{template}", manifest, "", **names)
        for name, template in rendered.items()
    }


def _pins(manifest: dict[str, Any]) -> int:
    """Pins that the ports take."""
    return sum(int(port["width"]) for port in manifest["ports"])


def vlnv(top: str) -> str:
    """Vendor, library, name and version of a core, this one without letters, as FuseSoC asks."""
    found = re.match(r"\d+(\.\d+)*", __version__)
    return f"residua:cores:{top}:{found.group() if found else '0'}"
