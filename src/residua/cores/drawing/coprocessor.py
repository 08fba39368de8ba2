"""The datapath of a coprocessor: bus, controller, scalar, converters, field unit and inverter."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from residua.cores.drawing import svg

_BUSES = {
    "axi": ("AXI", "AXI4-Lite, AXI4-Stream"),
    "axi-lite": ("AXI4-Lite", "registers"),
    "wishbone": ("Wishbone", "registers"),
    "stream": ("streams", "operands, random, result"),
}
_INVERTERS = {
    "division-steps": ("inverter by division steps", "on binary words"),
    "plus-minus-ct": ("plus-minus inverter", "on residues"),
}


@dataclass(frozen=True)
class FieldUnit:
    """What a picture tells of a field unit.

    Attributes:
        name: what it is.
        size: its width and parts.
        words: what its elements consist of.
    """

    name: str
    size: str
    words: str


def coprocessor(parameters: Mapping[str, Any], unit: FieldUnit) -> str:
    """The blocks of a coprocessor and what flows between them.

    Args:
        parameters: those of its manifest.
        unit: its field unit.
    """
    bus, carried = _BUSES[parameters["bus"]]
    elements = [
        svg.box((8, 78), (170, 84), "stream", bus, carried),
        svg.box((230, 8), (190, 44), "control", "controller", _microcode(parameters)),
        svg.box((450, 8), (210, 44), "control", "scalar", _scalar(parameters)),
        svg.box((220, 98), (150, 44), "rower", "converter", f"words to {unit.words}"),
        svg.box((420, 78), (220, 84), "rower", unit.name, unit.size),
        svg.box((690, 98), (150, 44), "rower", "converter", f"{unit.words} to words"),
        svg.path([(178, 120), (216, 120)]),
        svg.path([(370, 120), (416, 120)]),
        svg.path([(640, 120), (686, 120)]),
        svg.path([(93, 78), (93, 30), (226, 30)]),
        svg.path([(325, 52), (325, 66), (470, 66), (470, 74)]),
        svg.path([(560, 52), (560, 74)]),
        svg.path([(765, 142), (765, 256), (93, 256), (93, 166)]),
        svg.text(765, 272, "result", "note", anchor="end"),
        *_inverter(parameters["inversion"], unit),
    ]
    return svg.drawing(850, 284, elements, "Datapath of the coprocessor")


def _microcode(parameters: Mapping[str, Any]) -> str:
    return f"{parameters['microcode_words']} words of microcode"


def _scalar(parameters: Mapping[str, Any]) -> str:
    blinding, halves = parameters["blinding"], "endomorphism" in parameters
    number = "k in halves" if halves else "k"
    if not any(blinding):
        return f"{number}, not blinded"
    bits = " or ".join(map(str, dict.fromkeys(blinding)))
    return f"{number}, {bits} random bits" if halves else f"k + r N, r of {bits} bits"


def _inverter(method: str, unit: FieldUnit) -> list[str]:
    """A unit for inversions, or what stands for it."""
    if method not in _INVERTERS:
        text = f"inversion by Fermat's theorem on the {unit.name}"
        return [svg.text(530, 184, text, "note", anchor="middle")]
    return [
        svg.box((420, 196), (220, 44), "edge", *_INVERTERS[method]),
        svg.path([(500, 162), (500, 192)]),
        svg.path([(560, 196), (560, 166)]),
    ]
