"""Figure 1 of SBMM: the engine with the extra channel m_gamma."""

from functools import cache

from residua.cores.single_base.core import SingleBaseCore
from residua.cores.single_base.specification import SingleBaseSpecification
from residua.cores.specification.reading import check
from residua.papers.engine_figure import drawn
from residua.report.documents import Figure

_KEYS = {"algorithm": "sbmm", "channels": 8, "width": 12}
"""Four rowers, few enough to be drawn; larger ones have more of the same."""


@cache
def figure() -> Figure:
    """Figure 1, of the design here."""
    core = SingleBaseCore(check(SingleBaseSpecification, _KEYS))
    notes = (
        (
            "The design that is measured here, with n / 2 = 4 rowers. As in the paper the small "
            "rower is one modulus of base b and does Compress, and the Cox takes its word whole. "
            "There words are broadcast to all rowers; here a ring hands them on, and the small "
            "rower hears it at rower 0."
        ),
    )
    name = "Figure 1: the engine with a narrow rower"
    return Figure(name, "sbmm_figure_1.svg", drawn(core.design), notes)
