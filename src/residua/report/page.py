"""The report of a core: one HTML page that holds everything it shows."""

from typing import Any

from markupsafe import Markup

from residua.cores.directory import Directory
from residua.cores.synthesis import device_totals
from residua.cores.templating import environment
from residua.output import write_whole
from residua.report.bars import bars, shares
from residua.report.floor_plan import floor_plan
from residua.report.parts import COLUMNS, parts

FILE = "report.html"

_RESOURCES = ("lut", "gates", "ff", "carry", "dsp", "bram")


def write(directory: Directory) -> dict[str, Any]:
    """Write the report into the directory; the same directory gives the same bytes.

    Raises:
        SpecificationError: the core is not the one that this version of Residua makes.
    """
    target = directory.path / FILE
    write_whole(target, render(directory))
    return {"name": directory.name, "report": str(target), "results": sorted(directory.results())}


def render(directory: Directory) -> str:
    """The page."""
    directory.check()
    core, results = directory.made, directory.results()
    templates = environment(core.template_package, "residua.report", html=True)
    return templates.get_template(core.page_template).render(
        directory.manifest,
        title=core.title,
        part_columns=COLUMNS,
        verifications=_beginning(results, "verify"),
        syntheses=[(found, _drawn(found)) for found in _beginning(results, "synth-")],
        **core.page,
    )


def _beginning(results: dict[str, dict[str, Any]], start: str) -> list[dict[str, Any]]:
    """The results whose names begin like this."""
    return [found for name, found in results.items() if name.startswith(start)]


def _drawn(found: dict[str, Any]) -> dict[str, Any]:
    """Bars of resources, what each part takes, and of a placement clock by seed and floor plan."""
    target, totals = found["target"], device_totals(found)
    used = {kind: int(count) for kind, count in found["resources"].items() if kind in _RESOURCES}
    label = f"Resources on {target}"
    rows = [(kind.upper(), float(count)) for kind, count in used.items()]
    seeds = [(f"seed {one['seed']}", float(one["mhz"])) for one in found.get("seeds", [])]
    plan = found.get("floor_plan")
    drawn = {
        "resources": shares(used, totals, label) if totals else bars(rows, "", label),
        "clocks": bars(seeds, "MHz", f"Clock on {target} by seed") if seeds else "",
        "floor_plan": floor_plan(plan["families"], plan["rows"], f"Floor plan on {target}")
        if plan
        else "",
    }
    # They are made here, texts escaped.
    return {name: Markup(svg) for name, svg in drawn.items()} | {"parts": parts(found)}  # noqa: S704
