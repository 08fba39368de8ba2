"""Rows that the command line prints of a point multiplier."""

from collections.abc import Mapping
from typing import Any

from residua.cores.summary import Rows, timing_rows


def rows(manifest: Mapping[str, Any]) -> Rows:
    """Choices and cycles of the core with this manifest."""
    parameters = manifest["parameters"]
    held = f"values of {parameters['range_bits']} bits in a range of {parameters['product_bits']}"
    return [
        ("core", manifest["name"]),
        ("operation", f"{parameters['operation']}, {parameters['curve']}"),
        ("moduli", f"{parameters['n']} of {parameters['w']} bits, and {parameters['redundant']}"),
        ("range", f"{held}, and a sign"),
        ("control", parameters["control"]),
        *timing_rows(manifest),
    ]
