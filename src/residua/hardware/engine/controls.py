"""Controls of rowers and rows: a unit's own copies of them, and what drives them."""

from collections.abc import Mapping
from typing import Any, Protocol

from amaranth.hdl import Module, Signal, Value

SELECTING = ("left", "first", "subtract", "plain", "modulus", "row_modulus", "listens", "row_first")
"""Controls that say what is done with data; the others steer memories or a ring."""


class Controlled(Protocol):
    """A component with control inputs: ``controls`` has their shapes by name."""

    controls: dict[str, Any]


def own_copies(m: Module, unit: Controlled) -> dict[str, Signal]:
    """A register of the unit for each of its controls: they keep the fan-out of these small.

    A reset clears those that steer memories: what only selects goes with the data.
    """
    copies = {}
    for name, shape in unit.controls.items():
        copies[name] = Signal(shape, name=f"{name}_copy", reset_less=name in SELECTING)
        m.d.sync += copies[name].eq(getattr(unit, name))
    return copies


def connect_controls(m: Module, unit: Controlled, control: Mapping[str, Value]) -> None:
    """Drive those controls of a unit that there are."""
    own = [name for name in unit.controls if name in control]
    m.d.comb += [getattr(unit, name).eq(control[name]) for name in own]
