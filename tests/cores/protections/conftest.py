"""The cores of `tests.cores.protected`, each made once, with schedules that take little time."""

from functools import cache

import pytest
from tests.cores.protected import CORES

from residua.cores.directory import build
from residua.cores.specification.reading import check_any


@pytest.fixture(scope="module", autouse=True)
def _quick(quick):
    """For every module of the folder."""


@pytest.fixture(scope="session")
def made(tmp_path_factory):
    """Makes the directory of a core by its name."""
    folder = tmp_path_factory.mktemp("protected")
    return cache(lambda name: build(check_any(CORES[name]), folder / name.replace(" ", "_")))
