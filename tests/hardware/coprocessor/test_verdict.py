"""Verdict on an operation alone: what leaves has to be granted by both registers of its status."""

import pytest
from amaranth.hdl import Module, Signal
from amaranth.lib.wiring import Component, In, Out
from amaranth.sim import Simulator

from residua.curves.operations.codes import Status
from residua.curves.protections.status_codes import BITS, StatusCodes
from residua.hardware.coprocessor.verdict import Verdict


class Judge(Component):
    """Ends operations with a status, if a check holds; bits of both registers can be wrong."""

    last: In(1)
    asked: In(BITS)
    check: In(1)
    wrong: In(BITS)
    wrong_inverse: In(BITS)
    status: Out(BITS)
    granted: Out(1)

    def elaborate(self, platform):  # noqa: ARG002
        m = Module()
        kept = Signal(BITS)
        verdict = Verdict(StatusCodes(sparse=True), kept, [self.check])
        verdict.settle(m, self.last, self.asked)
        m.d.comb += [self.status.eq(verdict.status), self.granted.eq(verdict.granted)]
        with m.If(self.wrong.any() | self.wrong_inverse.any()):
            m.d.sync += kept.eq(kept ^ self.wrong)
            m.d.sync += verdict._inverse.eq(verdict._inverse ^ self.wrong_inverse)
        return m


def judged(status, wrong=0, wrong_inverse=0, *, check=1):
    """The status that an operation ends with, and whether its results leave, after a fault."""
    judge, found = Judge(), []
    simulator = Simulator(judge)
    simulator.add_clock(1e-6)

    async def bench(ctx):
        ctx.set(judge.asked, StatusCodes(sparse=True).of(status))
        ctx.set(judge.check, check)
        ctx.set(judge.last, 1)
        await ctx.tick()
        ctx.set(judge.last, 0)
        await ctx.tick()
        ctx.set(judge.wrong, wrong)
        ctx.set(judge.wrong_inverse, wrong_inverse)
        await ctx.tick()
        found.extend((ctx.get(judge.status), ctx.get(judge.granted)))

    simulator.add_testbench(bench)
    simulator.run()
    return tuple(found)


def test_the_end_of_an_operation():
    code = StatusCodes(sparse=True).of
    assert judged(Status.OK) == (code(Status.OK), 1)
    assert judged(Status.NEUTRAL) == (code(Status.NEUTRAL), 0)
    assert judged(Status.OK, check=0) == (code(Status.FAULT), 0)


@pytest.mark.parametrize("bit", range(BITS))
def test_a_wrong_bit_of_either_register_grants_nothing(bit):
    assert judged(Status.OK, 1 << bit)[1] == 0
    assert judged(Status.OK, 0, 1 << bit)[1] == 0


def test_a_status_that_one_register_has_alone_grants_nothing():
    """Also if the first has become that of a good operation, or the other has."""
    code = StatusCodes(sparse=True).of
    change = code(Status.OK) ^ code(Status.NEUTRAL)
    assert judged(Status.NEUTRAL, change) == (code(Status.OK), 0)
    assert judged(Status.NEUTRAL, 0, change)[1] == 0
    assert judged(Status.NEUTRAL, change, change) == (code(Status.OK), 1)
