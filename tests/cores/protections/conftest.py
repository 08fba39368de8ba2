"""Cores of a module's `CORES`, each made once, with schedules that take little time."""

import json
from functools import cache

import pytest

from residua.cores.coprocessor.verification import verify_coprocessor
from residua.cores.directory import build
from residua.cores.manifest import digest
from residua.cores.specification.reading import check_any
from residua.curves.operations.codes import Operation
from residua.hardware.coprocessor.durations import operation_cycles


@pytest.fixture(scope="module", autouse=True)
def _quick(quick):
    """For every module of the folder."""


@pytest.fixture(scope="session")
def _kept(tmp_path_factory):
    """Makes the directory of a core by its keys, the same one for all modules."""
    folder = tmp_path_factory.mktemp("protected")
    return cache(lambda text: build(check_any(json.loads(text)), folder / digest(text)))


@pytest.fixture(scope="module")
def made(request, _kept):
    """Makes the directory of a core by its name."""
    cores = request.module.CORES
    return lambda name: _kept(json.dumps(cores[name], sort_keys=True))


@pytest.fixture(scope="session")
def check_results():
    """Compares a directory's results with plain integers, around resets, too, and their times.

    Of multiplications of random points there is one; exceptional scalars and points are all there.
    """

    def check(directory):
        design, sources = directory.made.core.design, directory.sources(top=directory.name)
        result = verify_coprocessor(
            design, sources, directory.name, vectors=1, seed=1, stalls=None, resets=4
        )
        assert result.passed, result.failures[:3]
        assert result.resets > 20
        for curve, measured in enumerate(result.cycles):
            for operation in (Operation.BASE_MULTIPLY, Operation.X_MULTIPLY):
                told = operation_cycles(design, operation, curve)
                assert measured.get(operation.name, told) == told

    return check
