"""Steps of an exploration, done by the tools."""

from residua.explore.designs.figures import Step
from residua.explore.designs.measures import Task, measure


def test_a_core_without_multipliers_is_placed():
    """Its clock has no limit but its own."""
    keys = {"algorithm": "r2mm", "modulus": "0x1000b"}
    found = measure(Task(keys, Step.PLACEMENT, "ecp5", 1))
    assert not found.refusal
    assert found.figures["dsp"] == 0
    assert found.clocks == [found.figures["mhz"]]
