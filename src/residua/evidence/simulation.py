"""The verification that campaigns of several kinds of cores share."""

from collections.abc import Callable

from residua.cores.directory import Directory
from residua.cores.verification import verify_directory
from residua.evidence.campaign import Figures, Request

_COUNTS = ("vectors", "mismatches", "oracle_checks", "model_checks")

More = Callable[[Directory, int], Figures]
"""What else a page says of a core, and of so many vectors."""


def simulated(request: Request, seed: int, more: More = lambda directory, vectors: {}) -> Figures:
    """Verify a core with half of the vectors back to back, and half with stalls.

    Args:
        request: of the row, whose amount is the vectors.
        seed: of the operands; the half with stalls has the next one.
        more: adds to the figures.
    """
    directory = request.directory()
    half = -(-request.amount // 2)
    prompt, stalled = (
        verify_directory(directory, vectors=half, seed=seed + int(stalls), stalls=stalls)
        for stalls in (False, True)
    )
    return {
        **{count: prompt[count] + stalled[count] for count in _COUNTS},
        "failures": [*prompt["failures"], *stalled["failures"]],
        "cycles": {key: count or stalled["cycles"][key] for key, count in prompt["cycles"].items()},
        **more(directory, request.amount),
    }
