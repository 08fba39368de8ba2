"""Latencies of single-base products, against the slots that their programs have."""

import pytest

from algorithms.positions import product_program
from residua.algorithms.single_base import compressed_ranges, single_base
from residua.machines.schedule import schedule
from residua.machines.slots import Machine
from residua.numbers.half_bases import sparse_half_bases
from residua.numbers.residues import Redundant


def sbmm(width, channels):
    bases = sparse_half_bases(width, channels, weight=3, rowers=channels, quadratic=True)
    domain = single_base(*bases, 6, Redundant(1), form="quadratic", multiplication="direct")
    ranges = compressed_ranges(domain, Redundant(1))
    return product_program(domain, Redundant(1), ranges)[0]


@pytest.mark.parametrize(
    ("width", "channels", "latency", "reached"), [(16, 6, 7, 56), (32, 6, 9, 58), (32, 8, 9, 66)]
)
def test_no_slot_is_idle(width, channels, latency, reached):
    """Where the slots follow each other without a gap, the result comes L - 1 after the last."""
    machine = Machine(channels, latency, 3, 6, channels // 2, narrow=6)
    found = schedule(sbmm(width, channels), machine)
    slots = len(list(found.slots()))
    assert found.latency == reached == slots - 1 + latency
    assert sorted(time for time, _, _ in found.slots()) == list(range(slots))


def test_an_interval_that_is_asked_for_is_kept():
    machine = Machine(2, 7, 3, 6, 1, narrow=6)
    free = schedule(sbmm(17, 2), machine)
    slow = schedule(sbmm(17, 2), machine, shortest_interval=free.interval + 9)
    assert slow.latency == free.latency
    assert slow.interval >= free.interval + 9
