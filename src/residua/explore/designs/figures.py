"""Figures by which cores are compared: what they mean, what finds them, what follows from them."""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum


class Step(StrEnum):
    """How much is found out of a core; each takes much longer than the one before."""

    MODEL = "model"
    SYNTHESIS = "synthesis"
    PLACEMENT = "placement"


@dataclass(frozen=True)
class Figure:
    """A figure of a core.

    Attributes:
        meaning: what it is, with its unit.
        needs: the figures that it follows from; none if it is found itself.
        rises: whether more of it is better.
    """

    meaning: str
    needs: tuple[str, ...] = ()
    rises: bool = False


FIGURES: Mapping[str, Figure] = {
    "cycles": Figure("cycles from the operands of an operation to its result"),
    "interval": Figure("cycles from one operation to the next"),
    "lut": Figure("look-up tables"),
    "ff": Figure("flip-flops"),
    "dsp": Figure("multiplier blocks"),
    "bram": Figure("block memories"),
    "mhz": Figure("clock in MHz: the median of the placements", rises=True),
    "ms": Figure("milliseconds of an operation", ("cycles", "mhz")),
    "per_second": Figure("operations a second", ("interval", "mhz"), rises=True),
    "lut_ms": Figure("look-up tables times milliseconds", ("lut", "cycles", "mhz")),
}
"""All figures by name. Those of an operation are of what the core is made for, see
`residua.cores.core.Pace`."""

COLUMNS = dict.fromkeys(FIGURES, "DOUBLE")
"""The SQL types of figures in conditions."""

MAPPED = ("lut", "ff", "dsp", "bram")
"""Figures that synthesis finds."""

PLACED = ("mhz",)
"""Figures that placement finds."""

Known = Mapping[str, float]
"""Figures by name."""


def derived(found: Known) -> dict[str, float]:
    """Add the figures that follow from those that are known."""
    figures = dict(found)
    if "mhz" in found and "cycles" in found:
        figures["ms"] = found["cycles"] / (1000 * found["mhz"])
        if "lut" in found:
            figures["lut_ms"] = found["lut"] * figures["ms"]
    if "mhz" in found and "interval" in found:
        figures["per_second"] = 1e6 * found["mhz"] / found["interval"]
    return figures


def cost(figure: str, value: float) -> float:
    """A number that is the lower, the better the figure is."""
    return -value if FIGURES[figure].rises else value
