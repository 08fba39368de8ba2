"""Delays: so many cycles, and never fewer than none."""

import pytest
from amaranth.hdl import ClockDomain, Fragment, Module, Signal
from amaranth.sim import Simulator

from residua.hardware.delay import delayed


@pytest.mark.parametrize("cycles", [0, 1, 3])
def test_a_value_comes_late(cycles):
    m, value = Module(), Signal(4)
    m.domains.sync = ClockDomain()
    late = delayed(m, value, cycles, "late", data=True)
    seen = []

    async def bench(context):
        for number in range(8):
            context.set(value, number)
            await context.delay(0)
            seen.append(context.get(late))
            await context.tick()

    simulator = Simulator(m)
    simulator.add_clock(1e-6)
    simulator.add_testbench(bench)
    simulator.run()
    assert seen == [max(number - cycles, 0) for number in range(8)]


def test_a_value_does_not_come_before_it_is_there():
    m = Module()
    with pytest.raises(ValueError, match="late would be 2 cycles ahead of what it is made of"):
        delayed(m, Signal(), -2, "late")
    Fragment.get(m, None)
