"""Page of the report for a coprocessor: its routines."""

from typing import TYPE_CHECKING, Any

from markupsafe import Markup

from residua.cores.drawing import gantt
from residua.cores.drawing.coprocessor import FieldUnit, coprocessor
from residua.cores.drawing.routines import routine_row
from residua.cores.engine.page import channels
from residua.machines.counts import count
from residua.machines.routine import Routine

if TYPE_CHECKING:
    from residua.cores.coprocessor.digits.core import DigitCoprocessorCore
    from residua.cores.coprocessor.engine.core import EngineCoprocessorCore

_STEP, _COPY = "ladder_step", "copy_"
"""Beginnings of the names of some routines."""


def engine_page(made: "EngineCoprocessorCore") -> dict[str, Any]:
    """The routines of a coprocessor on an engine, and its channels."""
    routines = list(made.core.design.processor.routines.values())
    steps = [one for one in routines if one.name.startswith(_STEP)]
    copies = [one for one in routines if one.name.startswith(_COPY)]
    return {
        "steps": [routine_row(one) | _step(one) for one in steps],
        "routines": [routine_row(one) for one in routines if one not in copies],
        "copies": {"count": len(copies), "cycles": max((one.length for one in copies), default=0)},
        "legend": gantt.legend(steps[0]),
        "datapath": _drawn(made.parameters, _engine(made.parameters)),
        "channels": channels(made.parameters, ("base_a", "h_a", "base_b", "h_b")),
    }


def _engine(parameters: dict[str, Any]) -> FieldUnit:
    size = f"{parameters['rowers']} rowers, {parameters['n']} channels of {parameters['w']} bits"
    return FieldUnit("Cox-Rower engine", size, "residues")


def _digits(parameters: dict[str, Any]) -> FieldUnit:
    size = f"{parameters['digits']} of {parameters['digit']} bits, multipliers: "
    return FieldUnit("digit unit", f"{size}{parameters['multipliers']}", "digits")


def digit_page(made: "DigitCoprocessorCore") -> dict[str, Any]:
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
    return {
        "routines": rows,
        "copies": {"count": len(copies), "cycles": longest},
        "datapath": _drawn(made.parameters, _digits(made.parameters)),
    }


def _drawn(parameters: dict[str, Any], unit: FieldUnit) -> Markup:
    return Markup(coprocessor(parameters, unit))  # noqa: S704 - made here, texts escaped


def _step(routine: Routine) -> dict[str, Any]:
    """Facts about a step of the ladder for the page."""
    return {
        "limit": -(-count(routine.program).emm // routine.machine.rowers),
        "chart": Markup(gantt.one_routine(routine)),  # noqa: S704 - made here, texts escaped
    }
