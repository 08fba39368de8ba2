"""Components that are made for their figures alone."""

from typing import TypeVar

from amaranth.hdl import Elaboratable

Unit = TypeVar("Unit", bound=Elaboratable)


def unbuilt(unit: Unit) -> Unit:
    """The component, which is not to be elaborated: Amaranth warns of those that never are."""
    own = vars(unit)
    own["_MustUse__silence"] = True
    for part in own.values():
        if isinstance(part, Elaboratable):
            unbuilt(part)
    return unit
