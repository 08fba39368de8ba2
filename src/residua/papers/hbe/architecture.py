"""Figure 3 of HBE: the engine with hierarchical extensions, c = 2 and n = 4."""

from functools import cache

from residua.cores.base_extension.core import BaseExtensionCore
from residua.cores.base_extension.specification import BaseExtensionSpecification
from residua.cores.specification.reading import check
from residua.papers.engine_figure import drawn
from residua.report.documents import Figure

_KEYS = {
    "algorithm": "base-extension",
    "modulus": str(2**61 - 1),
    "width": 17,
    "channels": 4,
    "extension": "hierarchical",
    "columns": 2,
}
"""An extension of as many channels and columns as in the paper's figure."""


@cache
def figure() -> Figure:
    """Figure 3, of the design here."""
    core = BaseExtensionCore(check(BaseExtensionSpecification, _KEYS))
    notes = (
        (
            "The design that is measured here, for c = 2 and n = 4 as in the paper. There the sums "
            "are broadcast on a bus, w low bits and w + 1 high ones; here a ring hands each "
            "super-residue on, so that no wire leads to all rowers but those of the quotient and "
            "of control words, and each rower has a second reducer for it."
        ),
    )
    name = "Figure 3: the engine with rows of two moduli"
    return Figure(name, "hbe_figure_3.svg", drawn(core.design), notes)
