"""What is found out about a core, step by step: its model, its synthesis, its placements."""

import json
import math
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from residua.cores.directory import Directory, build
from residua.cores.kinds import core_of, kind_asked
from residua.cores.specification.reading import check_any
from residua.cores.synthesis import map_directory, synthesise_directory
from residua.errors import SpecificationError
from residua.evidence.subjects import verilog
from residua.explore.designs.figures import MAPPED, Step
from residua.explore.designs.space import Keys
from residua.toolchain.process import ToolError


@dataclass(frozen=True)
class Task:
    """What is to be found out of a core, as any process can be told of it.

    Attributes:
        keys: of its specification.
        step: what is done.
        target: the device family.
        seeds: placements.
    """

    keys: Keys
    step: Step
    target: str
    seeds: int


@dataclass(frozen=True)
class Found:
    """What was found out of a core in one step.

    Attributes:
        refusal: why there is no such core, or why a tool failed on it; "" if all went well.
        kind: of the core.
        name: of the core.
        operation: what its figures are of, see `residua.cores.core.Pace`.
        specification: with every choice made, but the name.
        traits: numbers and choices that estimates go by.
        verilog: digest of its hardware, once that was made.
        figures: see `residua.explore.designs.figures`.
        clocks: each placement's MHz.
    """

    refusal: str = ""
    kind: str = ""
    name: str = ""
    operation: str = ""
    specification: Keys = field(default_factory=dict)
    traits: Keys = field(default_factory=dict)
    verilog: str = ""
    figures: dict[str, float] = field(default_factory=dict)
    clocks: list[float] = field(default_factory=list)


def measure(task: Task) -> Found:
    """Do one step for a core; what a request or a device cannot meet is told, not raised."""
    try:
        if task.step is Step.MODEL:
            return _model(task.keys)
        with tempfile.TemporaryDirectory(prefix="residua-point-") as work:
            directory = build(check_any(task.keys), Path(work) / "core")
            return _MEASURES[task.step](directory, task)
    except (SpecificationError, ToolError) as error:
        return Found(refusal=str(error))


def _model(keys: Keys) -> Found:
    """Find what follows from the specification alone."""
    core = core_of(check_any(keys))
    pace = core.pace
    # As a file gives it back.
    chosen = json.loads(json.dumps(core.specification.items()))
    chosen.pop("name", None)
    traits = _traits(chosen) | _traits(json.loads(json.dumps(core.parameters)))
    return Found(
        kind=kind_asked(keys).name,
        name=core.name,
        operation=pace.operation,
        specification=chosen,
        traits=traits,
        figures={"cycles": pace.latency, "interval": pace.interval},
    )


def _traits(values: Mapping[str, Any]) -> Keys:
    """The numbers and words among some values; large numbers, which are texts, are none."""
    return {
        key: value
        for key, value in values.items()
        if isinstance(value, bool | int | float)
        or (isinstance(value, str) and not value.lstrip("-").isdecimal())
    }


def _mapped(directory: Directory, task: Task) -> Found:
    resources = map_directory(directory, task.target, directory.path / "synth")["resources"]
    return Found(verilog=verilog(directory), figures={name: resources[name] for name in MAPPED})


def _placed(directory: Directory, task: Task) -> Found:
    found = synthesise_directory(directory, task.target, seeds=task.seeds)
    limit = found["fmax_limit_mhz"] or math.inf  # without multipliers there is none
    return Found(
        verilog=verilog(directory),
        figures={name: found["resources"][name] for name in MAPPED} | {"mhz": found["fmax_mhz"]},
        clocks=[min(one["mhz"], limit) for one in found["seeds"]],
    )


_MEASURES = {Step.SYNTHESIS: _mapped, Step.PLACEMENT: _placed}
