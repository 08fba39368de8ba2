import re

import pytest

from residua.cores.drawing import gantt
from residua.cores.rns_montgomery.core import RnsMontgomeryCore
from residua.cores.rns_montgomery.specification import RnsMontgomerySpecification
from residua.cores.specification.reading import check


@pytest.fixture(
    scope="module",
    params=[{"modulus": "P-192"}, {"modulus": "P-192", "rowers": 4, "form": "reordered"}],
    ids=str,
)
def schedule(request):
    return RnsMontgomeryCore(check(RnsMontgomerySpecification, request.param)).design.schedule


def test_bars_cover_every_slot_once(schedule):
    for placed in schedule.placed:
        bars = gantt.slot_bars(placed)
        cycles = [cycle for bar in bars for cycle in range(bar.start, bar.start + bar.length)]
        assert cycles == list(range(placed.start, placed.last + 1))
        assert {bar.kind for bar in bars} <= set(gantt.KINDS)


def test_kinds_count_as_the_algorithm_does(schedule):
    rowers = schedule.machine.rowers
    groups = len(schedule.program.outputs[0].base) // rowers
    lengths = dict.fromkeys(gantt.KINDS, 0)
    for placed in schedule.placed:
        for bar in gantt.slot_bars(placed):
            lengths[bar.kind] += bar.length
    assert lengths["product"] == 2 * groups
    assert lengths["broadcast"] == 2 * groups * groups * rowers
    assert lengths["quotient"] == 2 * groups


def test_interleaved_runs_never_share_a_cycle(schedule):
    taken = {}
    for run in range(5):
        for placed in schedule.placed:
            for bar in gantt.slot_bars(placed):
                for cycle in range(bar.start, bar.start + bar.length):
                    assert taken.setdefault(cycle + run * schedule.interval, run) == run


def test_drawings_stay_within_their_frame(schedule):
    for drawing in (gantt.one_run(schedule), gantt.interleaved(schedule)):
        width = float(re.search(r'viewBox="0 0 ([\d.]+)', drawing)[1])
        for x, w in re.findall(r'x="([\d.]+)" y="[\d.]+" width="([\d.]+)"', drawing):
            assert float(x) + float(w) <= width
