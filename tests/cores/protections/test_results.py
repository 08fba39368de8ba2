"""Cores with many protections at once give what plain integers give, in simulation."""

import pytest
from tests.cores.protected import MOST

from residua.cores.coprocessor.verification import verify_coprocessor


@pytest.mark.parametrize("name", MOST)
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
