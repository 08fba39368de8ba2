"""The report of a core: one HTML page that holds everything it shows."""

from collections.abc import Sequence
from typing import Any

from markupsafe import Markup

from residua.cores.coprocessor.core import CoprocessorBuild, DigitCoprocessorBuild
from residua.cores.directory import Directory
from residua.cores.templating import environment
from residua.machines.counts import count
from residua.machines.routine import Routine
from residua.machines.schedule import Schedule
from residua.machines.slots import Left
from residua.output import write_whole
from residua.report import figures, gantt

FILE = "report.html"

_STEP, _COPY = "ladder_step", "copy_"
"""How the names of some routines begin."""

_RESOURCES = ("lut", "ff", "carry", "dsp", "bram")


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
    shown = _SHOWN.get(directory.kind, _engine)(directory)
    results = directory.results()
    on_digits = directory.kind == "coprocessor" and "digits" in directory.manifest["parameters"]
    name = "digit_coprocessor" if on_digits else directory.kind
    template = environment("residua.report", html=True).get_template(f"{name}.html")
    return template.render(
        directory.manifest,
        verifications=_beginning(results, "verify"),
        syntheses=[(found, *_bars(found)) for found in _beginning(results, "synth-")],
        **shown,
    )


def _engine(directory: Directory) -> dict[str, Any]:
    """What there is to show of a multiplier or base extension."""
    core = directory.core
    schedule = core.design.schedule
    factors = ("base_a", "h_a", "weights", "factor_a", "base_b", "h_b", "factor_b")
    moduli = ("base_a", "h_a", "base_b", "h_b")
    pairs = ("base_a", "h_a", "weights", "factor_a", "base_b", "h_b")
    names = {"extension": moduli, "sbmm": pairs}.get(directory.kind, factors)
    return {
        "domain": core.domain,
        "binary": directory.interface == "words",
        "runs": "extensions" if directory.kind == "extension" else "products",
        "hex": hex,
        "datapath": Markup(figures.datapath(core)),  # noqa: S704 - made here, texts escaped
        "one_run": Markup(gantt.one_run(schedule)),  # noqa: S704
        "interleaved": Markup(gantt.interleaved(schedule)),  # noqa: S704
        "legend": gantt.legend(schedule),
        "sequences": _sequences(schedule),
        "channels": _channels(directory, names),
    }


def _coprocessor(directory: Directory) -> dict[str, Any]:
    made = directory.coprocessor
    if isinstance(made, DigitCoprocessorBuild):
        return _on_digits(made)
    assert isinstance(made, CoprocessorBuild)
    routines = list(made.core.design.processor.routines.values())
    steps = [one for one in routines if one.name.startswith(_STEP)]
    copies = [one for one in routines if one.name.startswith(_COPY)]
    return {
        "steps": [_row(one) | _step(one) for one in steps],
        "routines": [_row(one) for one in routines if one not in copies],
        "copies": {"count": len(copies), "cycles": max((one.length for one in copies), default=0)},
        "legend": gantt.legend(steps[0]),
        "channels": _channels(directory, ("base_a", "h_a", "base_b", "h_b")),
    }


def _on_digits(made: DigitCoprocessorBuild) -> dict[str, Any]:
    """The routines of a coprocessor on digits."""
    store = made.core.design.processor.store
    compute = made.core.design.processor.timing.compute
    copies = [one for name, one in store.routines.items() if name.startswith(_COPY)]
    shown = [one for one in store.routines.values() if one not in copies]
    rows = [
        {
            "name": one.name,
            "cycles": one.cycles,
            "passes": len(one.passes),
            "products": one.products,
            "utilisation": one.products * compute / one.cycles,
        }
        for one in shown
    ]
    longest = max((one.cycles for one in copies), default=0)
    return {"routines": rows, "copies": {"count": len(copies), "cycles": longest}}


def _digit(directory: Directory) -> dict[str, Any]:
    """What there is to show of a digit multiplier, whose manifest says it all."""
    return {"hex": hex, "cycles": directory.digits.cycles}


def _exponentiation(directory: Directory) -> dict[str, Any]:
    """What there is to show of an exponentiator on an engine."""
    core = directory.exponentiator
    routines = core.design.processor.routines.values()
    return {
        "hex": hex,
        "cycles": core.cycles,
        "routines": [_row(one) for one in routines],
        "channels": _channels(directory, ("base_a", "h_a", "base_b", "h_b")),
    }


def _ecpm(directory: Directory) -> dict[str, Any]:
    """What there is to show of an extended-RNS point multiplier."""
    return {"hex": hex, "cycles": directory.extended.cycles}


def _inversion(directory: Directory) -> dict[str, Any]:
    """What there is to show of a modular inverter, whose manifest says it all."""
    return {"hex": hex, "cycles": directory.inverter.cycles}


_SHOWN = {
    "coprocessor": _coprocessor,
    "digit": _digit,
    "exponentiation": _exponentiation,
    "inversion": _inversion,
    "ecpm": _ecpm,
}
"""By the kind of a directory; the others have an engine."""


def _row(routine: Routine) -> dict[str, Any]:
    """A routine in numbers."""
    emm, rowers = count(routine.program).emm, routine.machine.rowers
    return {
        "name": routine.name,
        "cycles": routine.length,
        "settled": routine.settled,
        "extensions": _extensions(routine),
        "emm": emm,
        "utilisation": emm / (rowers * routine.length),
    }


def _step(routine: Routine) -> dict[str, Any]:
    """What there is to tell of a step of the ladder besides."""
    return {
        "limit": -(-count(routine.program).emm // routine.machine.rowers),
        "chart": Markup(gantt.one_routine(routine)),  # noqa: S704 - made here, texts escaped
    }


def _extensions(routine: Routine) -> int:
    """Results for which the ring turns, however many words each of them has."""
    return len(
        {
            placed.sequence.result.value if placed.sequence.result else placed.sequence.name
            for placed in routine.placed
            if any(slot.left == Left.NEIGHBOUR for slot in placed.sequence.slots)
        }
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


def _channels(directory: Directory, names: Sequence[str]) -> list[tuple[Any, ...]]:
    """These parameters of each channel."""
    parameters = directory.manifest["parameters"]
    return list(zip(*(parameters[name] for name in names), strict=True))


def _bars(found: dict[str, Any]) -> tuple[Markup, Markup]:
    """Bars of resources and, where the design was placed, of the clock by seed."""
    target = found["target"]
    used = [(kind.upper(), float(found["resources"][kind])) for kind in _RESOURCES]
    seeds = [(f"seed {one['seed']}", float(one["mhz"])) for one in found.get("seeds", [])]
    resources = figures.bars(used, "", f"Resources on {target}")
    clocks = figures.bars(seeds, "MHz", f"Clock on {target} by seed") if seeds else ""
    return Markup(resources), Markup(clocks)  # noqa: S704 - made here, texts escaped
