"""Schedules of points: a selection waits for the tests that it asks."""

from itertools import product

import pytest
from tests.small_curves import MIDDLE, TINY

from residua.hardware.ecpm.design import EcpmDesign
from residua.machines.point_schedule import CONDITIONS, Node, Timing, schedule

DESIGNS = [
    EcpmDesign(curve["prime"], curve["a"] % curve["prime"], channels, width, digit=digit)
    for (curve, channels), width, digit in product(
        ((TINY, 20), (MIDDLE, 20)), (10, 17, 24), range(1, 18)
    )
]


def test_selections_wait_for_their_tests():
    for design in DESIGNS:
        timing, segment = design.timing, design.segments["compute"]
        timed = list(zip(segment.nodes, segment.issue, strict=True))
        tested = {node.test: now + timing.write(node.unit) for node, now in timed if node.test}
        asked = [(now, test) for node, now in timed for test in CONDITIONS.get(node.condition, ())]
        assert len(asked) == 9
        assert all(now > tested[test] for now, test in asked)


@pytest.mark.parametrize("latency", [5, 40])
def test_a_selection_waits_for_a_test_alone(latency):
    """Its operands are there long before what says which of them it is."""
    nodes = [
        Node("R", "multiply", "a", "b", test="R"),
        Node("W", "add", "a", "b", test="W"),
        Node("chosen", "select", "a", "b", "equal"),
    ]
    made = schedule(nodes, Timing(3, latency, 1, 50, 1), {"a": 0, "b": 1}, {})
    assert made.issue == (0, 1, latency + 1)
