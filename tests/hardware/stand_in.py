"""A stand-in for the coprocessor: its raw interface, quick operations that a test can predict.

The result of an operation is its operand words in reverse order (then the first one, again and
again), each xor one random word and the numbers of the operation and of the curve. Two operand
words have a meaning: `REFUSED` as the first one ends the operation without a result, `SLOW` makes
it take `SLOW_CYCLES` more.
"""

from amaranth.hdl import Array, Module, Mux, Signal
from amaranth.lib.wiring import Component

from residua.hardware.bus.control import raw_members
from residua.hardware.bus.register_map import Capabilities

OPERANDS = {1: 3, 2: 1, 3: 3, 4: 6, 5: 2, 6: 2, 7: 1, 8: 3, 9: 2, 10: 1, 11: 3, 12: 5, 13: 4}
RESULTS = {1: 2, 2: 2, 3: 1, 4: 2, 5: 0, 6: 1, 7: 1, 8: 1, 9: 1, 10: 1, 11: 1, 12: 1, 13: 1}
"""Numbers that go in and come out, by operation."""

REFUSED, SLOW = 0xFFFFFFFF, 0xFFFFFFFE
SLOW_CYCLES = 1000
OK, OPERAND_RANGE, BAD_OPERATION, BAD_CURVE, ZEROISED = 0, 2, 6, 7, 9


def expected(capabilities, operation, curve, operands, random_word):
    """Status and result words of an operation."""
    if operation not in capabilities.operations:
        return BAD_OPERATION, []
    if curve >= capabilities.curves:
        return BAD_CURVE, []
    if operands[0] == REFUSED:
        return OPERAND_RANGE, []
    count = RESULTS[operation] * capabilities.words
    mask = operation << 8 | curve
    words = operands[::-1] + operands[:1] * count
    return OK, [word ^ random_word ^ mask for word in words[:count]]


class StandIn(Component):
    """Takes a command, the operands, one random word, some time; gives the result and is done.

    With ``ends_first`` it is done, as a coprocessor is, before it gives the result.
    """

    def __init__(self, capabilities: Capabilities, *, ends_first: bool = False) -> None:
        self._capabilities, self._ends_first = capabilities, ends_first
        super().__init__(raw_members())

    def elaborate(self, platform):  # noqa: ARG002, PLR0915 - a state machine in one piece
        m = Module()
        words = self._capabilities.words
        store = Array(Signal(32, name=f"store_{i}") for i in range(6 * words))
        index, taken, given = (
            Signal(range(6 * words + 1), name=n) for n in ("index", "taken", "given")
        )
        operation, curve, random = Signal(8), Signal(8), Signal(32)
        count, time = Signal(range(6 * words + 1)), Signal(16)
        with m.Switch(operation):
            for code in self._capabilities.operations:
                with m.Case(code):
                    m.d.comb += taken.eq(OPERANDS[code] * words), given.eq(RESULTS[code] * words)
        with m.FSM():
            with m.State("IDLE"):
                m.d.comb += self.command.ready.eq(1)
                m.d.sync += [index.eq(0), time.eq(0)]
                m.d.sync += [operation.eq(self.command.p.operation), curve.eq(self.command.p.curve)]
                with m.If(self.command.valid):
                    m.d.sync += self.busy.eq(1)
                    m.next = "CHECK"
                self.obey_zeroise(m, index)
            with m.State("CHECK"):
                m.next = "OPERANDS"
                with m.If(taken == 0):
                    self.end(m, BAD_OPERATION)
                with m.Elif(curve >= self._capabilities.curves):
                    self.end(m, BAD_CURVE)
                self.obey_zeroise(m, index)
            with m.State("OPERANDS"):
                m.d.comb += self.operands.ready.eq(1)
                with m.If(self.operands.valid):
                    m.d.sync += [store[index].eq(self.operands.payload), index.eq(index + 1)]
                    with m.If(index == taken - 1):
                        m.next = "RANDOM"
                self.obey_zeroise(m, index)
            with m.State("RANDOM"):
                m.d.comb += self.random.ready.eq(1)
                m.d.sync += [random.eq(self.random.payload), index.eq(0)]
                with m.If(self.random.valid):
                    m.next = "WORK"
                self.obey_zeroise(m, index)
            with m.State("WORK"):
                m.d.sync += time.eq(time + 1)
                with m.If((store[0] != SLOW) | (time == SLOW_CYCLES)):
                    m.d.sync += self.status.eq(OK)
                    m.next = "ENDED" if self._ends_first else "RESULT"
                with m.If(store[0] == REFUSED):
                    self.end(m, OPERAND_RANGE)
                self.obey_zeroise(m, index)
            with m.State("RESULT"):
                m.d.comb += count.eq(Mux(index < taken, taken - 1 - index, 0))
                m.d.comb += [
                    self.result.valid.eq(index != given),
                    self.result.p.word.eq(store[count] ^ random ^ curve ^ (operation << 8)),
                    self.result.p.last.eq(index == given - 1),
                ]
                with m.If(index == given):
                    if self._ends_first:
                        m.next = "IDLE"
                    else:
                        self.end(m, OK)
                with m.Elif(self.result.ready):
                    m.d.sync += index.eq(index + 1)
                self.obey_zeroise(m, index)
            with m.State("ENDED"):
                m.d.comb += self.done.eq(1)
                m.d.sync += self.busy.eq(0)
                m.next = "RESULT"
                self.obey_zeroise(m, index)
            with m.State("DONE"):
                m.d.comb += self.done.eq(1)
                m.d.sync += self.busy.eq(0)
                m.next = "IDLE"
                self.obey_zeroise(m, index)
            with m.State("CLEAR"):
                m.d.sync += [store[index].eq(0), index.eq(index + 1), self.busy.eq(1)]
                with m.If(index == 6 * words - 1):
                    self.end(m, ZEROISED)
                self.obey_zeroise(m, index)
        return m

    def obey_zeroise(self, m, index):
        """At the end of a state: a zeroisation goes before everything else."""
        with m.If(self.zeroise):
            m.d.sync += [index.eq(0), self.busy.eq(1)]
            m.next = "CLEAR"

    def end(self, m, status):
        """On to the end, with this status."""
        m.d.sync += self.status.eq(status)
        m.next = "DONE"
