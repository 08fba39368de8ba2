"""Synthesis of a core's directory, and placement where it is open."""

import os
import re
import shutil
from collections.abc import Callable, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import asdict
from pathlib import Path
from typing import Any

from residua import cache
from residua.cores.directory import Directory
from residua.cores.kept_files import STATE
from residua.cores.simulation.runs import SEEDS
from residua.errors import SpecificationError
from residua.output import Progress
from residua.toolchain import nextpnr, vivado, yosys
from residua.toolchain.targets import TARGETS
from residua.toolchain.utilisation import families

Runner = Callable[[Directory, Path, Sequence[int], Progress], dict[str, Any]]


def synthesise_directory(
    directory: Directory,
    target: str,
    *,
    seeds: int = SEEDS,
    force: bool = False,
    progress: Progress = lambda step: None,
) -> dict[str, Any]:
    """Map the Verilog of a directory to a device, and keep the outcome in its results.

    What the same tools found before on the same files is taken from there, except by Vivado, of
    which no version is known here.

    Args:
        directory: what ``residua build`` wrote.
        target: one of `TARGETS`. ``ecp5`` is placed and routed too, in a harness that keeps pins
            from limiting it; for the others there are only resources; ``vivado`` needs Vivado.
        seeds: placements for ``ecp5``, numbered from 1.
        force: run the tools whatever is there.
        progress: called at each step.

    Returns:
        Whether it was ``kept``; ``resources`` of the core alone, on ECP5 also of its ``modules``
        and the ``floor_plan``, see `families` and `FloorPlan` in `residua.toolchain`; ``fmax_mhz``
        (median, capped at the multiplier's own limit), ``latency_ns`` and ``area_time`` (LUTs times
        latency in microseconds), None where nothing was timed. Of a coprocessor, with its bus:
        ``points``, for each curve the multiplication of a point with its measured ``cycles``,
        ``microseconds`` and ``area_time`` (LUTs times milliseconds).

    Raises:
        SpecificationError: no such target, no seed, or the directory is not what its specification
            gives.
        ToolError: a tool is missing or failed.
    """
    if target not in TARGETS:
        raise SpecificationError(f"target '{target}' is unknown: one of {', '.join(TARGETS)}")
    if seeds < 1:
        raise SpecificationError(f"seeds = {seeds}: place and route needs at least 1")
    progress("the core again")
    made_with = {"seeds": seeds if target == "ecp5" else 0, "package": STATE}
    directory.check_files()
    kept = directory.results().get(f"synth-{target}", {})
    if kept.get("made_with") == made_with and not force and target != "vivado":
        return _told(directory, kept, kept=True)
    work = directory.path / "synth" / target
    runner = _RUNNERS.get(target)
    with cache.anew() if force else nullcontext():
        if runner is None:
            found = map_directory(directory, target, work, progress)
        else:
            found = runner(directory, work, range(1, seeds + 1), progress)
    times = directory.kind.core_class.times(directory, found)
    result = {"target": target, **found, **times, "made_with": made_with}
    directory.store(f"synth-{target}", result)
    return _told(directory, result, kept=False)


def device_totals(found: Mapping[str, Any]) -> Mapping[str, int]:
    """What the device of a result has of each resource; nothing where it is not known."""
    device = str(found.get("device", "")).partition(" ")[0]
    return {**nextpnr.TOTALS, **vivado.TOTALS}.get(device, {})


def _told(directory: Directory, result: dict[str, Any], *, kept: bool) -> dict[str, Any]:
    parameters = directory.manifest["parameters"]
    return {"name": directory.top, "kept": kept, **result, "parameters": parameters}


def map_directory(
    directory: Directory, target: str, work: Path, progress: Progress = lambda step: None
) -> dict[str, Any]:
    """Find the resources of a directory's core after synthesis with Yosys.

    Args:
        directory: what ``residua build`` wrote; no result is kept in it.
        target: one of `YOSYS_TARGETS`.
        work: directory for what the tool reads and writes.
        progress: called at each step.

    Raises:
        ToolError: Yosys failed.
    """
    progress(f"synthesis for {target}")
    sources = directory.sources(target)
    result = yosys.synthesise(sources, directory.top, target, out_dir=work)
    return {
        "tool": "yosys",
        "resources": asdict(result.used),
        "modules": [one.figures for one in families(result.by_instance)],
        "cells": result.cells,
    }


def _placed(
    directory: Directory, work: Path, seeds: Sequence[int], progress: Progress
) -> dict[str, Any]:
    """Resources of the core, clock frequency of the core in its harness."""
    found = map_directory(directory, "ecp5", work / "core", progress)
    sources = directory.sources("ecp5")
    placed = place_in_harness(sources, directory.top, work / "harness", seeds, progress)
    return {**found, **clock_figures(placed), "floor_plan": asdict(placed.floor_plan)}


def place_in_harness(
    sources: Sequence[Path],
    top: str,
    bench: Path,
    seeds: Sequence[int],
    progress: Progress = lambda step: None,
) -> nextpnr.PlacementResult:
    """The clock frequency of module ``top`` on an ECP5, its pins on a harness of registers.

    Args:
        sources: the Verilog of the module, with the primitives for ECP5.
        top: its name.
        bench: directory for what the tools read and write.
        seeds: of the placements.
        progress: called at each step.

    Raises:
        ToolError: a tool is missing or failed.
    """
    progress("synthesis with harness")
    ports = yosys.read_ports(sources, top, out_dir=bench)
    wrapper = bench / "harness.v"
    wrapper.write_text(nextpnr.harness(ports, top), encoding="utf-8")
    mapped = yosys.synthesise([*sources, wrapper], "harness", "ecp5", out_dir=bench)
    progress(f"place and route, {len(seeds)} seeds")
    placed = nextpnr.place_and_route(
        mapped.json,
        "harness",
        out_dir=bench,
        instances=mapped.instances,
        seeds=seeds,
        workers=min(len(seeds), os.cpu_count() or 1),
        progress=lambda one: progress(f"seed {one.seed}: {one.mhz:.1f} MHz"),
    )
    for copy in bench.glob("seed*/netlist.json"):
        copy.unlink()
    return placed


def clock_figures(placed: nextpnr.PlacementResult) -> dict[str, Any]:
    """``fmax_mhz`` (median, capped at the multiplier's own limit), and each of the ``seeds``."""
    return {
        "tool": "yosys, nextpnr-ecp5",
        "device": f"{placed.device} speed {placed.speed}",
        "fmax_mhz": round(placed.mhz_capped, 1),
        "fmax_timed_mhz": round(placed.mhz, 1),
        "fmax_best_mhz": round(placed.best_mhz, 1),
        "fmax_limit_mhz": placed.limit_mhz,
        "seeds": [
            {
                "seed": one.seed,
                "mhz": round(one.mhz, 1),
                "from": one.critical_path.start,
                "to": one.critical_path.end,
                "logic_ns": one.critical_path.logic_ns,
                "routing_ns": one.critical_path.routing_ns,
            }
            for one in placed.seeds
        ],
    }


def _vivado(
    directory: Directory, work: Path, _seeds: Sequence[int], progress: Progress
) -> dict[str, Any]:
    """Out-of-context implementation. The script and its sources stay, to be run where Vivado is."""
    work.mkdir(parents=True, exist_ok=True)
    sources = [Path(shutil.copy(source, work)) for source in directory.sources()]
    script = vivado.write_script(sources, directory.top, out_dir=work)
    progress("Vivado")
    reports = vivado.run_script(script)
    used = reports.utilisation.read_text(encoding="utf-8", errors="replace")
    timed = re.search(r"RESIDUA fmax_mhz ([0-9.]+)", reports.log.read_text(errors="replace"))
    return {
        "tool": "vivado",
        "device": vivado.DEFAULT_PART,
        "resources": {kind: _used(used, rows) for kind, rows in _VIVADO_ROWS.items()},
        "fmax_mhz": round(float(timed.group(1)), 1) if timed else None,
    }


_VIVADO_ROWS = {
    "lut": "(?:Slice|CLB) LUTs",
    "ff": "(?:Slice|CLB) Registers",
    "dsp": "DSPs",
    "bram": "Block RAM Tile",
    "carry": "CARRY[48]",
}
"""Rows of Vivado's utilisation report."""


def _used(report: str, rows: str) -> int:
    found = re.search(rf"^\|\s*{rows}\*?\s*\|\s*([0-9.]+)", report, re.MULTILINE)
    return int(float(found.group(1))) if found else 0


_RUNNERS: dict[str, Runner] = {"ecp5": _placed, "vivado": _vivado}
