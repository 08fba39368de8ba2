"""How long schedules of simulated cores are looked for."""

from collections.abc import Iterator
from contextlib import contextmanager

import pytest
from tests.made_anew import made_anew

from residua.cores import directory
from residua.machines import routine

_EFFORT = 1.0
"""Deterministic seconds of the solver for a routine, a twentieth of what delivered cores get."""


@contextmanager
def quick_schedules() -> Iterator[None]:
    """For cores that are right, and leak nothing, whatever slots their sequences have.

    The solver still places them, as it does those of delivered cores; how short its schedules are
    is tested elsewhere.
    """
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(routine, "SOLVER_EFFORT", _EFFORT)
        patch.setattr(directory, "kept_files", made_anew)
        yield
