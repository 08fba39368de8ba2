"""Cores of a module's `CORES`, each made once, with schedules that take little time."""

from functools import cache

import pytest
from tests.schedules import quick_schedules

from residua.cores.directory import build
from residua.cores.specification.reading import check_any


@pytest.fixture(scope="module", autouse=True)
def _quick():
    with quick_schedules():
        yield


@pytest.fixture(scope="module")
def made(request, tmp_path_factory):
    """Makes the directory of a core by its name."""
    folder, cores = tmp_path_factory.mktemp("protected"), request.module.CORES
    return cache(lambda name: build(check_any(cores[name]), folder / name.replace(" ", "_")))
