"""How long schedules of simulated cores are looked for."""

from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from residua.cores import kept_files
from residua.machines import routine

EFFORT = 0.1
"""Deterministic seconds of the solver for a routine, two hundredths of what delivered cores get."""


@contextmanager
def quick_schedules(effort: float = EFFORT) -> Iterator[None]:
    """For cores that are right, and leak nothing, whatever slots their sequences have.

    The solver still places them, as it does those of delivered cores; how short its schedules are
    is tested elsewhere. Files are kept apart from those of delivered cores.
    """
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(routine, "SOLVER_EFFORT", effort)
        patch.setattr(kept_files, "MAKERS_STATE", f"{kept_files.MAKERS_STATE} {effort}")
        yield
