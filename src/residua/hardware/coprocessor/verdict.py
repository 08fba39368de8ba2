"""Verdict: how an operation of a coprocessor ends, and whether what it computed may leave."""

from collections.abc import Sequence
from enum import IntFlag, auto

from amaranth.hdl import Cat, Const, Module, Mux, Shape, Signal, Value

from residua.curves.operations.codes import Status
from residua.curves.protections.status_codes import BITS, StatusCodes


class Way(IntFlag):
    """Ways to end: what says which status it is.

    They are its last instruction, if the checks agree; an instruction without them; what was wrong
    with what has been read; random words that fail, or that do not come; a zeroisation.
    """

    LAST = auto()
    INSTRUCTION = auto()
    READ = auto()
    RANDOM_FAULT = auto()
    RANDOM_STARVED = auto()
    ZEROISED = auto()


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
        # The status comes a cycle after the end: what leads to that is long enough.
        self._ways = Signal(len(Way), name="ways")
        self._sound = Signal(len(self._checks), name="sound")

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

    def settle(self, m: Module, last: Value, status: Value) -> None:
        """Say how an operation ends, a cycle after it has.

        Args:
            m: the controller.
            last: whether its last instruction is there, which ends it; then the checks must hold.
            status: that of the instruction, which must stay for a cycle.
        """
        statuses = {
            Way.LAST: self._judged(status),
            Way.INSTRUCTION: status,
            Way.READ: self.fault,
            **{way: self.code(Status[str(way.name)]) for way in Way if way > Way.READ},
        }
        m.d.sync += self._ways.eq(0)
        for way, own in statuses.items():
            with m.If((self._ways & way).any()):
                self._keep(m, own)
        with m.If(last):
            m.d.sync += self._ways.eq(Way.LAST)
            if self._checks:
                m.d.sync += self._sound.eq(Cat(self._checks))

    def _judged(self, status: Value) -> Value:
        if not self._checks:
            return status
        return Mux(self._sound.all(), status, self.code(Status.FAULT))

    def end(self, m: Module, way: Way | Value) -> None:
        """End an operation in this cycle, whatever else would."""
        m.d.sync += self._ways.eq(way)

    def note(self, m: Module, status: Status) -> None:
        """Remember what is wrong with what has been read; of several in a cycle the last one."""
        m.d.sync += self.fault.eq(self.code(status))

    def _keep(self, m: Module, status: Value) -> None:
        m.d.sync += self.status.eq(status)
        if self.codes.sparse:
            m.d.sync += self._inverse.eq(~status)
