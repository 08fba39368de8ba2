"""The parts of a core with what each of them takes of a device."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from residua.cores.summary import logic

_LEAST = 0.005
"""A part with less than this share of the look-up tables, and no block, is left out."""

_KEYS = ("instances", "lut", "ff", "carry", "dsp", "bram")

COLUMNS = ("instances", "LUT", "FF", "carry", "DSP", "BRAM")
"""Names of the counts of a part."""


@dataclass(frozen=True)
class Part:
    """A module in its place: how deep it lies in the hierarchy, its own name, its counts."""

    depth: int
    label: str
    counts: tuple[int, ...]


def parts(found: Mapping[str, Any]) -> list[Part]:
    """The parts of a synthesised core that are worth a line; none where they are not known.

    Args:
        found: a result of synthesis.
    """
    least = _LEAST * logic(found["resources"])[0]
    return [
        Part(one["name"].count("."), one["name"].rpartition(".")[2], tuple(one[k] for k in _KEYS))
        for one in found.get("modules", ())
        if one["lut"] >= least or one["dsp"] or one["bram"]
    ]
