"""Fixtures for cores of all kinds."""

import pytest
from tests.schedules import quick_schedules


@pytest.fixture(scope="module")
def quick():
    """All cores of a module have schedules that take little time."""
    with quick_schedules():
        yield
