"""Cores with many protections at once, in simulation: results, times, and all that is shipped."""

import pytest
from tests.cores.protected import CORES

from residua.cores.coprocessor.verification import verify_coprocessor
from residua.cores.verification import verify_directory
from residua.curves.operations.codes import Status
from residua.curves.protections.status_codes import StatusCodes


@pytest.mark.parametrize("name", [name for name in CORES if name != "ladders"])
def test_results_are_those_of_plain_integers(made, name):
    """With pauses of the streams and resets in the middle, in the times that are told.

    Of multiplications of random points there is one; exceptional scalars, points, numbers and
    shares are all there.
    """
    directory = made(name)
    design, sources = directory.made.core.design, directory.sources(top=directory.name)
    result = verify_coprocessor(
        design, sources, directory.name, vectors=1, seed=1, stalls=None, resets=4
    )
    assert result.passed, result.failures
    assert result.constant_time
    assert result.resets > 20


def test_all_that_is_shipped_knows_the_codes(made):
    """Core, bus, Verilog bench and drivers; the manifest tells them."""
    directory = made("ladders")
    result = verify_directory(directory, vectors=1, resets=4)
    assert result["passed"], result["failures"]
    assert result["resets"] > 60
    told = {one["name"]: one["code"] for one in directory.manifest["interface"]["statuses"]}
    assert told == {status.name: StatusCodes(sparse=True).of(status) for status in Status}
