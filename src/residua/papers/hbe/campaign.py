"""HBE's base extensions and products over them, simulated in the sizes of Table III."""

from typing import Any

from residua.evidence.campaign import Campaign, Figures, Request
from residua.evidence.campaigns.multipliers import HOW, SEED, TABLE, VECTORS, sizes
from residua.evidence.pages import table_page
from residua.evidence.simulation import simulated
from residua.evidence.subjects import core
from residua.papers.hbe.synthesis import CHANNELS, specification

_FEWER = VECTORS // 10
"""Runs of products over rows of more than two moduli."""


def _product(bits: int, width: int, columns: int) -> tuple[str, dict[str, Any]]:
    """Products over hierarchical extensions, in the next size that makes rows of c moduli."""
    channels = -(-CHANNELS[bits, width] // columns) * columns
    keys = {"modulus": f"P-{bits}", "width": width, "channels": channels}
    name = f"{bits} ({channels}, {width}), HBE c = {columns}"
    return name, {**keys, "extension": "hierarchical", "columns": columns}


def _extension(bits: int, width: int) -> tuple[str, dict[str, Any]]:
    """The hierarchical base extension alone."""
    name = f"{bits} ({CHANNELS[bits, width]}, {width}), HBE alone"
    return name, specification(bits, width, "HBE").items()


CORES = dict(_product(*size, columns) for columns in (2, 3, 4) for size in CHANNELS)
CORES |= dict(_extension(*size) for size in CHANNELS)


def measure(request: Request) -> Figures:
    """Simulate the core of a row."""
    return simulated(request, SEED, sizes)


CAMPAIGN = Campaign(
    table_page(
        "hbe-campaign",
        "Hierarchical base extensions, simulated",
        f"RNS Montgomery products over hierarchical extensions with rows of c moduli, and the "
        f"extensions alone. {HOW} `make campaign-hbe` writes this page.",
        (TABLE,),
    ),
    {
        name: _FEWER if keys.get("columns", 2) > 2 and "alone" not in name else VECTORS
        for name, keys in CORES.items()
    },
    lambda name: core(CORES[name]),
    measure,
)
