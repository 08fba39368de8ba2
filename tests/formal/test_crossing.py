"""The crossing between two clocks, proved for every order of their edges; planted faults."""

import pytest
from amaranth.hdl import Assert, Assume, EnableInserter, Module, Signal
from amaranth.lib.wiring import Component, In, Out, connect

from residua.hardware.soc.crossing import FarSide, NearSide
from residua.hardware.soc.memory_port import memory_port
from residua.toolchain import formal

FIELDS = ("address", "strobe", "write_data")


class Crossed(Component):
    """Both sides, each with a clock that ticks whenever it likes, and what is claimed of them.

    A step of the proof may be an edge of either clock, of both, or of none: an access of the far
    port is that of the near port, there is exactly one for each, and what it reads is what the
    near port gets. Assumed is what a processor does: it keeps its access until the port is ready.
    """

    def __init__(self, near=NearSide, far=FarSide):
        self.sides = near, far
        super().__init__({"near": In(memory_port()), "far": Out(memory_port()), "ticks": In(2)})

    def elaborate(self, _platform):
        m = Module()
        near, far = (side() for side in self.sides)
        near_tick, far_tick = self.ticks
        m.submodules.near = EnableInserter(near_tick)(near)
        m.submodules.far = EnableInserter(far_tick)(far)
        connect(m, near.kept, far.kept)
        for name in ("valid", *FIELDS):
            m.d.comb += getattr(near.port, name).eq(getattr(self.near, name))
            m.d.comb += getattr(self.far, name).eq(getattr(far.port, name))
        for name in ("ready", "read_data"):
            m.d.comb += getattr(self.near, name).eq(getattr(near.port, name))
            m.d.comb += getattr(far.port, name).eq(getattr(self.far, name))
        ended, made = Signal(), Signal()
        m.d.comb += [
            ended.eq(near_tick & self.near.valid & self.near.ready),
            made.eq(far_tick & self.far.valid & self.far.ready),
        ]
        self.assume_a_processor(m, near_tick, ended)
        done, read = Signal(), Signal(32)
        with m.If(made):
            m.d.sync += [done.eq(1), read.eq(self.far.read_data)]
        with m.If(ended):
            m.d.sync += done.eq(0)
        same = [getattr(self.far, name) == getattr(self.near, name) for name in FIELDS]
        with m.If(self.far.valid):
            m.d.comb += Assert(self.near.valid & ~done)
            m.d.comb += [Assert(each) for each in same]
        with m.If(ended):
            m.d.comb += Assert(done & ~made)
            m.d.comb += Assert(self.near.read_data == read)
        self.support(m, near, far, done, read)
        return m

    def assume_a_processor(self, m, near_tick, ended):
        """Nothing changes but at a tick, and an access not before it has ended."""
        held = Signal()
        kept = {name: Signal.like(getattr(self.near, name)) for name in ("valid", *FIELDS)}
        m.d.sync += held.eq(~near_tick | (self.near.valid & ~ended))
        for name, before in kept.items():
            m.d.sync += before.eq(getattr(self.near, name))
            with m.If(held):
                m.d.comb += Assume(getattr(self.near, name) == before)

    @staticmethod
    def support(m, near, far, done, read):
        """What holds in between, from which the claims follow in one step."""
        asked, answer = near.kept.announced, far.kept.answered
        with m.If(near.busy):
            m.d.comb += Assert(near.port.valid)
            m.d.comb += [
                Assert(getattr(near.port, name) == getattr(near.kept, name)) for name in FIELDS
            ]
        m.d.comb += Assert(done == (near.busy & (answer == asked)))
        with m.If(answer == asked):
            m.d.comb += [Assert(far.before == asked), Assert(far.announced == asked)]
            m.d.comb += Assert((near.answered != asked) | (near.before == asked))
            with m.If(~near.busy):
                m.d.comb += Assert(near.answered == asked)
        with m.Else():
            m.d.comb += Assert(near.busy)
            m.d.comb += [Assert(near.before == answer), Assert(near.answered == answer)]
            m.d.comb += Assert((far.announced != asked) | (far.before == asked))
        with m.If(done):
            m.d.comb += Assert(near.kept.read_data == read)


class Hasty(NearSide):
    """Ends an access when it is announced, and waits for no answer."""

    def elaborate(self, platform):
        m = super().elaborate(platform)
        m.d.comb += self.port.ready.eq(self.busy)
        return m


class Repeating(FarSide):
    """Makes an access for as long as the announcement is there, answered or not."""

    def elaborate(self, platform):
        m = super().elaborate(platform)
        m.d.comb += self.port.valid.eq(self.announced)
        return m


class Late(FarSide):
    """Keeps what is read a tick too late."""

    def elaborate(self, platform):
        m = super().elaborate(platform)
        taken, late = Signal(), Signal(32)
        m.d.sync += taken.eq(self.port.valid & self.port.ready)
        with m.If(taken):
            m.d.sync += late.eq(self.port.read_data)
        m.d.comb += self.kept.read_data.eq(late)
        return m


def test_every_access_crosses_once_whatever_the_clocks_do(tmp_path):
    result = formal.prove(Crossed(), "crossed", out_dir=tmp_path, depth=2)
    assert result.passed, result.log.read_text()[-2000:]


@pytest.mark.parametrize(
    ("near", "far"), [(Hasty, FarSide), (NearSide, Repeating), (NearSide, Late)]
)
def test_planted_faults_are_refused(near, far, tmp_path):
    """Each has a counterexample from the beginning, not only one of the induction."""
    result = formal.prove(
        Crossed(near, far), "crossed", out_dir=tmp_path, depth=14, induction=False
    )
    assert result.verdict == "FAIL"
    assert result.trace is not None
