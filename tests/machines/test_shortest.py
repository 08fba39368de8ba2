"""Latencies that a solver finds, against the slots that a program has."""

import pytest

from algorithms.positions import product_program
from residua.algorithms.single_base import compressed_ranges, single_base
from residua.machines.placement import Placer, last_slot
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
def test_sbmm_leaves_no_slot_idle(width, channels, latency, reached):
    """Where the slots follow each other without a gap, the result comes L - 1 after the last."""
    program = sbmm(width, channels)
    machine = Machine(channels, latency, 3, 6, channels // 2, narrow=6)
    searched = schedule(program, machine)
    found = schedule(program, machine, exact=True)
    slots = len(list(found.slots()))
    assert found.latency == reached == slots - 1 + latency
    assert searched.latency > found.latency
    assert found.interval == slots
    times = sorted(time for time, _, _ in found.slots())
    assert times == list(range(slots))


def test_what_is_best_stays():
    """A placement that cannot be improved comes back as it is."""
    program = sbmm(17, 2)
    machine = Machine(2, 7, 3, 6, 1, narrow=6)
    first = schedule(program, machine, exact=True)
    again = schedule(program, machine, exact=True)
    assert first.placed == again.placed
    choices = [[placed.sequence] for placed in first.placed]
    assert Placer(choices, machine, first.interval).accepts(list(first.placed))
    assert not Placer(choices, machine, first.interval - 1).accepts(list(first.placed))
    assert last_slot(list(first.placed)) + machine.rower_latency == first.latency


def test_an_interval_that_is_asked_for_is_kept():
    program = sbmm(17, 2)
    machine = Machine(2, 7, 3, 6, 1, narrow=6)
    free = schedule(program, machine, exact=True)
    slow = schedule(program, machine, exact=True, shortest_interval=free.interval + 9)
    assert slow.latency == free.latency
    assert slow.interval >= free.interval + 9
