"""The sequencer: phases, runs in flight, and fields that act for existing runs only."""

from typing import Any

import pytest
from amaranth.sim import Simulator

from residua.hardware.engine.sequencer import LARGEST_LOGIC_MEMORY, Sequencer


def replay(phases: int, stages: int, requests: list[int], emit_stage: int) -> list[tuple[int, ...]]:
    """(start, step, emit, write) cycle by cycle; step counts the phases, the last one emits."""
    fields = {
        "step": tuple(range(phases)),
        "write": (1,) * phases,
        "emit": (0,) * (phases - 1) + (1,),
        "emit_stage": (emit_stage,) * phases,
        "release": (0,) * phases,
        "release_stage": (0,) * phases,
    }
    dut, log = Sequencer(fields, stages), []

    async def bench(ctx: Any) -> None:
        for request in requests:
            ctx.set(dut.request, request)
            await ctx.delay(1e-9)
            started = ctx.get(dut.start)
            await ctx.tick()
            log.append((started, ctx.get(dut.step), ctx.get(dut.emit), ctx.get(dut.write)))

    simulator = Simulator(dut)
    simulator.add_clock(1e-6)
    simulator.add_testbench(bench)
    simulator.run()
    return log


@pytest.mark.parametrize("stages", [1, 2, 3])
@pytest.mark.parametrize("phases", [2, 5])
def test_one_run(phases, stages):
    log = replay(phases, stages, [0, 0, 1] + [0] * (phases * (stages + 2)), stages - 1)
    assert [started for started, *_ in log] == [0, 0, 1] + [0] * (len(log) - 3)
    emits = [index for index, (_, _, emit, _) in enumerate(log) if emit]
    # The last phase of the last interval in which the run exists, and no other time.
    assert emits == [2 + stages * phases - 1]
    writes = [index for index, (*_, write) in enumerate(log) if write]
    assert writes == list(range(2, 2 + stages * phases))
    assert [log[index][1] for index in writes] == list(range(phases)) * stages


def test_runs_back_to_back():
    phases = 4
    log = replay(phases, 2, [1] * 16 + [0] * 12, 1)
    assert [index for index, (started, *_) in enumerate(log) if started] == [0, 4, 8, 12]
    assert [index for index, (_, _, emit, _) in enumerate(log) if emit] == [7, 11, 15, 19]


def test_a_request_waits_for_phase_zero():
    log = replay(5, 2, [1, 0, 1, 1, 1, 1, 0, 0, 0, 0, *[0] * 12], 1)
    assert [index for index, (started, *_) in enumerate(log) if started] == [0, 5]


def test_long_microcode_is_in_block_memory_and_a_cycle_later():
    phases = LARGEST_LOGIC_MEMORY + 1
    log = replay(phases, 1, [1] + [0] * phases, 0)
    assert [index for index, (_, _, emit, _) in enumerate(log) if emit] == [phases]
