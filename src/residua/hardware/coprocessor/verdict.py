"""Verdict: how an operation of a coprocessor ends, and whether what it computed may leave."""

from collections.abc import Sequence

from amaranth.hdl import Cat, Const, Module, Mux, Shape, Signal, Value

from residua.curves.operations.codes import Status
from residua.curves.protections.status_codes import BITS, StatusCodes


class Verdict:
    """Registers of a controller for the status of its operation.

    ``status`` is a register of the controller's own; with sparse codes it is none during an
    operation, and kept twice, the other time inverted. ``fault`` is the first thing that was wrong
    with what has been read. ``checks`` say at the last instruction whether the operation did what
    it had to; each has a register, beside the status a condition of a release.
    """

    def __init__(self, codes: StatusCodes, status: Signal, checks: Sequence[Value]) -> None:
        self.codes, self.status, self._checks = codes, status, list(checks)
        good = self.code(Status.OK)
        self.fault = Signal(good.shape(), name="fault", init=good.value)
        self._inverse = Signal(BITS, name="status_inverse")
        self._judges, self._sound = Signal(name="judges"), Signal(len(self._checks), name="sound")

    def code(self, status: Status) -> Const:
        """The code of a status."""
        sparse = self.codes.sparse
        return Const(self.codes.of(status), BITS if sparse else Shape.cast(Status))

    @property
    def granted(self) -> Value:
        """Whether both registers of the status say that the operation ended well."""
        return (self.status == self.code(Status.OK)) & (self._inverse == ~self.status)

    @property
    def good(self) -> Value:
        """Whether what was computed may leave."""
        good = self.status == self.code(Status.OK)
        return good & self._sound.all() if self._checks else good

    def begin(self, m: Module) -> None:
        """With a new operation nothing of the last one holds."""
        m.d.sync += self.fault.eq(self.code(Status.OK))
        if self.codes.sparse:
            self._keep(m, Const(0, BITS))
        if self._checks:
            m.d.sync += self._sound.eq(0)

    def judge(self, m: Module, ends: Value, status: Value) -> None:
        """Have an operation ``ends`` with ``status``, or as a fault if a check fails.

        What the checks find stands in registers a cycle later, while ``status`` must still be
        there; then they say how it ends.
        """
        if not self._checks:
            with m.If(ends):
                self._keep(m, status)
            return
        m.d.sync += self._judges.eq(0)
        with m.If(ends):
            m.d.sync += [self._judges.eq(1), self._sound.eq(Cat(self._checks))]
        with m.If(self._judges):
            self._keep(m, Mux(self._sound.all(), status, self.code(Status.FAULT)))

    def end(self, m: Module, status: Value) -> None:
        """End an operation with ``status``, whatever the checks say."""
        self._keep(m, status)
        if self._checks:
            m.d.sync += self._judges.eq(0)

    def note(self, m: Module, status: Status) -> None:
        """Remember what is wrong with what has been read; of several in a cycle the last one."""
        m.d.sync += self.fault.eq(self.code(status))

    def _keep(self, m: Module, status: Value) -> None:
        m.d.sync += self.status.eq(status)
        if self.codes.sparse:
            m.d.sync += self._inverse.eq(~status)
