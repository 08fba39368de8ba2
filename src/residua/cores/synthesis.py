"""Synthesis of a core's directory, and placement where it is open."""

import os
import re
import shutil
from collections.abc import Mapping, Sequence
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
from residua.toolchain import vivado, yosys
from residua.toolchain.placement.devices import DEVICES, TOTALS, Device
from residua.toolchain.placement.harness import HARNESS, harness
from residua.toolchain.placement.nextpnr import PlacementResult, place_and_route
from residua.toolchain.standard_cells import opensta
from residua.toolchain.standard_cells.libraries import LIBRARIES, Library
from residua.toolchain.standard_cells.mapping import map_to_cells
from residua.toolchain.targets import TARGETS
from residua.toolchain.utilisation import families


class DoesNotFitError(SpecificationError):
    """A core takes more of a device than there is."""


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
        target: one of `TARGETS`. On those with one of `DEVICES` it is placed and routed too, in a
            harness that keeps pins from limiting it; for the others there are only resources;
            ``vivado`` needs Vivado. Standard cells have a clock without wires.
        seeds: placements, numbered from 1.
        force: run the tools whatever is there.
        progress: called at each step.

    Returns:
        Whether it was ``kept``; ``resources`` of the core alone, also of its ``modules`` where
        mapping keeps instances apart, and the ``floor_plan`` where it was placed, see `families`
        and `FloorPlan` in `residua.toolchain`; of standard cells all ``with_memories`` too;
        ``fmax_mhz`` (median, capped at the multiplier's own limit), ``latency_ns`` and
        ``area_time`` (LUTs or gates times latency in microseconds), None where nothing was timed.
        Of a coprocessor, with its bus: ``points``, for each curve the multiplication of a point
        with its measured ``cycles``, ``microseconds`` and ``area_time`` (LUTs or gates times
        milliseconds).

    Raises:
        SpecificationError: no such target, no seed, what places on it is not installed, or the
            directory is not what its specification gives.
        DoesNotFitError: the core is larger than the device on which it is to be placed.
        ToolError: a tool is missing or failed.
    """
    if target not in TARGETS:
        raise SpecificationError(f"target '{target}' is unknown: one of {', '.join(TARGETS)}")
    if seeds < 1:
        raise SpecificationError(f"seeds = {seeds}: place and route needs at least 1")
    progress("the core again")
    device = DEVICES.get(target)
    made_with = {"seeds": seeds if device else 0, "package": STATE}
    directory.check_files()
    kept = directory.results().get(f"synth-{target}", {})
    if kept.get("made_with") == made_with and not force and target != "vivado":
        return _told(directory, kept, kept=True)
    work = directory.path / "synth" / target
    with cache.anew() if force else nullcontext():
        if target == "vivado":
            found = _vivado(directory, work, progress)
        elif target in LIBRARIES:
            found = _standard_cells(directory, LIBRARIES[target], work, progress)
        elif device is None:
            found = map_directory(directory, target, work, progress)
        else:
            found = _placed(directory, target, device, work, range(1, seeds + 1), progress)
    times = directory.kind.core_class.times(directory, found)
    result = {"target": target, **found, **times, "made_with": made_with}
    directory.store(f"synth-{target}", result)
    return _told(directory, result, kept=False)


def device_totals(found: Mapping[str, Any]) -> Mapping[str, int]:
    """What the device of a result has of each resource; nothing where it is not known."""
    device = str(found.get("device", "")).partition(" ")[0]
    return {**TOTALS, **vivado.TOTALS}.get(device, {})


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
    directory: Directory,
    target: str,
    device: Device,
    work: Path,
    seeds: Sequence[int],
    progress: Progress,
) -> dict[str, Any]:
    """Resources of the core, clock frequency of the core in its harness."""
    device.check()
    found = map_directory(directory, target, work / "core", progress)
    _check_size(directory.top, found, device)
    sources = directory.sources(target)
    placed = place_in_harness(
        sources, directory.top, work / "harness", seeds, progress, target=target
    )
    return {**found, **clock_figures(placed), "floor_plan": asdict(placed.floor_plan)}


_TAKEN = {
    "lut": "look-up tables",
    "ff": "flip-flops",
    "dsp": "multipliers",
    "bram": "block memories",
}
"""What there is a number of on a device, in words."""


def _check_size(name: str, found: Mapping[str, Any], device: Device) -> None:
    """Refuse what cannot fit; what may is for nextpnr to find out.

    Raises:
        DoesNotFitError: the core takes more of one thing than there is.
    """
    # Two multipliers of 9 bits take the place of one of 18.
    small = any("9X9" in kind for kind in found["cells"])
    lacking = [
        f"{found['resources'][kind]} {_TAKEN[kind]}, of which it has {total}"
        for kind, total in device.totals.items()
        if found["resources"][kind] > total and not (kind == "dsp" and small)
    ]
    if lacking:
        raise DoesNotFitError(f"{name} does not fit {device.name}: it takes {'; '.join(lacking)}")


def place_in_harness(
    sources: Sequence[Path],
    top: str,
    bench: Path,
    seeds: Sequence[int],
    progress: Progress = lambda step: None,
    *,
    target: str = "ecp5",
) -> PlacementResult:
    """The clock frequency of module ``top`` on a device, its pins on a harness of registers.

    Args:
        sources: the Verilog of the module, with the primitives for the target.
        top: its name.
        bench: directory for what the tools read and write.
        seeds: of the placements.
        progress: called at each step.
        target: one with a device of `DEVICES`.

    Raises:
        SpecificationError: what places on it is not installed.
        ToolError: a tool is missing or failed.
    """
    device = DEVICES[target]
    device.check()
    progress("synthesis with harness")
    ports = yosys.read_ports(sources, top, out_dir=bench)
    wrapper = bench / "harness.v"
    wrapper.write_text(harness(ports, top, oscillator=device.oscillator), encoding="utf-8")
    mapped = yosys.synthesise([*sources, wrapper], HARNESS, target, out_dir=bench, pads=True)
    progress(f"place and route, {len(seeds)} seeds")
    placed = place_and_route(
        mapped.json,
        HARNESS,
        out_dir=bench,
        instances=mapped.instances,
        device=device,
        seeds=seeds,
        workers=min(len(seeds), os.cpu_count() or 1),
        progress=lambda one: progress(f"seed {one.seed}: {one.mhz:.1f} MHz"),
    )
    for copy in bench.glob("seed*/netlist.json"):
        copy.unlink()
    return placed


def clock_figures(placed: PlacementResult) -> dict[str, Any]:
    """``fmax_mhz`` (median, capped at the multiplier's own limit), and each of the ``seeds``."""
    return {
        "tool": f"yosys, {placed.device.program}",
        "device": placed.device.title,
        "fmax_mhz": round(placed.mhz_capped, 1),
        "fmax_timed_mhz": round(placed.mhz, 1),
        "fmax_best_mhz": round(placed.best_mhz, 1),
        "fmax_limit_mhz": placed.limit_mhz,
        "sites": {kind: list(sites) for kind, sites in placed.utilisation.items()},
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


def _standard_cells(
    directory: Directory, library: Library, work: Path, progress: Progress
) -> dict[str, Any]:
    """Gates and clock, with memories left out and, where there are any, with them as flip-flops."""
    library.check()
    opensta.check()

    def timed(*, memories: bool) -> dict[str, Any]:
        mapped = map_to_cells(
            directory.sources(),
            directory.top,
            library,
            memories=memories,
            out_dir=work / ("whole" if memories else "logic"),
        )
        timing = opensta.time_netlist(mapped.bits, directory.top, library)
        return {
            "resources": {
                "gates": mapped.gates,
                "ff": mapped.ff,
                "memory_bits": mapped.memory_bits,
            },
            "area": mapped.area,
            "cells": dict(mapped.cells),
            "fmax_mhz": round(timing.mhz, 1),
        }

    progress(f"cells of {library.target}")
    found = timed(memories=False)
    if found["resources"]["memory_bits"]:
        progress(f"cells of {library.target}, memories too")
        found["with_memories"] = timed(memories=True)
    return {"tool": "yosys, opensta", "device": library.title, **found}


def _vivado(directory: Directory, work: Path, progress: Progress) -> dict[str, Any]:
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
