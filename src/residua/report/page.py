"""The report of a core: one HTML page that holds everything it shows."""

from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from residua.cores.directory import Directory
from residua.machines.schedule import Schedule
from residua.report import figures, gantt

FILE = "report.html"

_RESOURCES = ("lut", "ff", "carry", "dsp", "bram")


def write(directory: Directory) -> dict[str, Any]:
    """Write the report into the directory; the same directory gives the same bytes.

    Raises:
        SpecificationError: the core is not the one that this version of Residua makes.
    """
    target = directory.path / FILE
    target.write_text(render(directory), encoding="utf-8", newline="\n")
    return {"name": directory.name, "report": str(target), "results": sorted(directory.results())}


def render(directory: Directory) -> str:
    """The page."""
    page = _coprocessor if directory.kind == "coprocessor" else _multiplier
    return page(directory, _environment()) + "\n"


def _environment() -> Environment:
    return Environment(
        loader=PackageLoader("residua.report"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )


def _multiplier(directory: Directory, environment: Environment) -> str:
    core, results = directory.core, directory.results()
    syntheses = _beginning(results, "synth-")
    return environment.get_template("report.html").render(
        directory.manifest,
        domain=core.domain,
        binary=directory.interface == "words",
        hex=hex,
        datapath=Markup(figures.datapath(core)),  # noqa: S704 - made here, texts escaped
        one_run=Markup(gantt.one_run(core.design.schedule)),  # noqa: S704
        interleaved=Markup(gantt.interleaved(core.design.schedule)),  # noqa: S704
        legend=gantt.legend(core.design.schedule),
        sequences=_sequences(core.design.schedule),
        channels=_channels(directory.manifest["parameters"]),
        verifications=_beginning(results, "verify"),
        syntheses=[(found, *_bars(found)) for found in syntheses],
        timed=[found for found in syntheses if found["fmax_mhz"]],
    )


def _coprocessor(directory: Directory, environment: Environment) -> str:
    results, parameters = directory.results(), directory.manifest["parameters"]
    syntheses = _beginning(results, "synth-")
    names = ("base_a", "h_a", "base_b", "h_b")
    return environment.get_template("coprocessor.html").render(
        directory.manifest,
        channels=list(zip(*(parameters[name] for name in names), strict=True)),
        verifications=_beginning(results, "verify"),
        syntheses=syntheses,
        bars=[_bars(found) for found in syntheses],
    )


def _beginning(results: dict[str, dict[str, Any]], start: str) -> list[dict[str, Any]]:
    """The results whose names begin like this."""
    return [found for name, found in results.items() if name.startswith(start)]


def _sequences(schedule: Schedule) -> list[dict[str, Any]]:
    return [
        {
            "name": gantt.name_of(placed),
            "start": placed.start,
            "slots": len(placed.sequence.slots),
            "last": placed.last,
            "ready": placed.last + schedule.machine.rower_latency,
        }
        for placed in schedule.placed
    ]


def _channels(parameters: dict[str, Any]) -> list[tuple[Any, ...]]:
    names = ("base_a", "h_a", "weights", "factor_a", "base_b", "h_b", "factor_b")
    return list(zip(*(parameters[name] for name in names), strict=True))


def _bars(found: dict[str, Any]) -> tuple[Markup, Markup]:
    """Bars of resources and, where the design was placed, of the clock by seed."""
    target = found["target"]
    used = [(kind.upper(), float(found["resources"][kind])) for kind in _RESOURCES]
    seeds = [(f"seed {one['seed']}", float(one["mhz"])) for one in found.get("seeds", [])]
    resources = figures.bars(used, "", f"Resources on {target}")
    clocks = figures.bars(seeds, "MHz", f"Clock on {target} by seed") if seeds else ""
    return Markup(resources), Markup(clocks)  # noqa: S704 - made here, texts escaped
