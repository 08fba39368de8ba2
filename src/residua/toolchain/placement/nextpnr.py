"""Place and route with nextpnr, several seeds."""

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
from residua.toolchain.placement.devices import Device
from residua.toolchain.placement.harness import CORE
from residua.toolchain.process import ToolError, run_python, side_by_side
from residua.toolchain.utilisation import Instances

REPORT, FLOOR_PLAN = "report.json", "floor_plan.json"
"""What `run_with_plan` leaves of a placement."""

_PLACED = "placed.json"


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
        device: on which they were made.
        seeds: in the order asked for.
        mhz: median over the seeds, as nextpnr times it.
        mhz_capped: the same, no higher than the multiplier's own limit where the design has one.
        best_mhz: best seed, uncapped.
        limit_mhz: the limit that applied, or None without multipliers that have one.
        utilisation: used and available sites, by kind.
        floor_plan: of the seed whose clock is the median, or the next lower one.
    """

    device: Device
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
    device: Device,
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
        device: what it is placed on.
        seeds: at least one; their results spread by about a fifth.
        workers: how many to run at once; each takes up to 1 GB.
        timeout: seconds for one seed.
        progress: called with each seed's result as it comes.

    Raises:
        SpecificationError: no seed, or the device's program is not installed.
        ToolError: nextpnr failed, for example because the design does not fit.
    """
    if not seeds or len(set(seeds)) != len(seeds):
        raise SpecificationError("place and route needs at least one seed, and each only once")

    def place(seed: int) -> tuple[SeedResult, dict[str, Any]]:
        directory = out_dir / f"seed{seed}"
        directory.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(netlist, directory / "netlist.json")
        report = _run(directory, top, instances, device, seed, timeout)
        return _parse(report, seed, directory, device.program), report

    with side_by_side(workers) as pool:
        futures: list[Future[tuple[SeedResult, dict[str, Any]]]] = [
            submitted(pool, place, seed) for seed in seeds
        ]
        for future in as_completed(futures):
            progress(future.result()[0])
    results = tuple(future.result()[0] for future in futures)
    return _summary(device, results, futures[0].result()[1])


def run_nextpnr(
    device: Device, arguments: Sequence[str], directory: Path, log: Path, timeout: float | None
) -> None:
    """Run nextpnr, whose WebAssembly build sees its working directory and nothing else.

    Args:
        device: whose program it is.
        arguments: in which files are named from ``directory``.
        directory: where it runs.
        log: takes what it says.
        timeout: seconds.

    Raises:
        SpecificationError: the device's program is not installed.
        ToolError: it failed, or took too long.
    """
    run_python(
        device.runner, arguments, tool=device.program, cwd=directory, log=log, timeout=timeout
    )


def run_with_plan(
    device: Device,
    arguments: Sequence[str],
    directory: Path,
    log: Path,
    timeout: float | None,
    plan: Callable[[Path], FloorPlan],
) -> None:
    """Run nextpnr, and leave its report and the floor plan beside what the arguments ask for.

    Args:
        device: whose program it is.
        arguments: see `run_nextpnr`.
        directory: where it runs.
        log: takes what it says.
        timeout: seconds.
        plan: makes the floor plan of the placed netlist.

    Raises:
        SpecificationError: the device's program is not installed.
        ToolError: it failed, or took too long.
    """
    asked = [*arguments, "--report", REPORT, "--write", _PLACED]
    run_nextpnr(device, asked, directory, log, timeout)
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


def _run(
    directory: Path,
    top: str,
    instances: Instances,
    device: Device,
    seed: int,
    timeout: float | None,
) -> dict[str, Any]:
    arguments = [
        *device.selection, "--seed", str(seed), "--json", "netlist.json", "--top", top,
        *device.pins, "--timing-allow-fail", *device.methods,
    ]  # fmt: skip
    log = directory / "nextpnr.log"
    for name, text in device.files.items():
        (directory / name).write_text(text, encoding="utf-8")

    def plan(placed: Path) -> FloorPlan:
        return floor_plan(placed, instances, family_within(CORE))

    netlist = (directory / "netlist.json").read_bytes()
    own = [*device.version, *device.files.values()]
    parts: list[str | bytes] = [*arguments, *own, *instances.paths, netlist]
    keep_run(
        device.program,
        parts,
        [log.name, REPORT, FLOOR_PLAN],
        directory,
        lambda: run_with_plan(device, arguments, directory, log, timeout, plan),
    )
    report: dict[str, Any] = json.loads((directory / REPORT).read_text())
    return report


def _parse(report: dict[str, Any], seed: int, directory: Path, program: str) -> SeedResult:
    if not report["fmax"]:
        raise ToolError(
            f"{program} found no register-to-register path to time",
            [program],
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
    device: Device, results: tuple[SeedResult, ...], report: dict[str, Any]
) -> PlacementResult:
    used = used_sites(report)
    limit = device.limit(used)
    mhz = statistics.median(result.mhz for result in results)
    middle = sorted(results, key=lambda result: result.mhz)[(len(results) - 1) // 2]
    return PlacementResult(
        device=device,
        seeds=results,
        mhz=mhz,
        mhz_capped=mhz if limit is None else min(mhz, limit),
        best_mhz=max(result.mhz for result in results),
        limit_mhz=limit,
        utilisation=used,
        floor_plan=middle.floor_plan,
    )
