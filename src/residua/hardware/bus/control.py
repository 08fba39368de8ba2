"""The registers of a core, between a bus and the core itself."""

from typing import Any

from amaranth.hdl import Module, Signal
from amaranth.lib import data, stream
from amaranth.lib.wiring import Component, In, Out, Signature, connect, flipped

from residua.hardware.bus.register_file import RegisterFile, read_port, write_port
from residua.hardware.bus.register_map import CoreCapabilities, RegisterMap
from residua.hardware.bus.stream_buffer import StreamBuffer

COMMAND = data.StructLayout({"operation": 8, "curve": 8})
"""Command that starts an operation."""

RESULT = data.StructLayout({"word": 32, "last": 1})
"""A word of the result; ``last`` is 1 with its final one."""


STREAMS = ("operands", "random", "result")
"""Operands and random words in, results out, of a core without data registers."""


def raw_members(*, takes_random: bool = True) -> dict[str, Any]:
    """The core's own interface, as the core sees it; without curves that of a command is 0."""
    return {
        "command": In(stream.Signature(COMMAND)),
        "operands": In(stream.Signature(32)),
        **({"random": In(stream.Signature(32))} if takes_random else {}),
        "result": Out(stream.Signature(RESULT)),
        "status": Out(8),
        "done": Out(1),
        "busy": Out(1),
        "zeroise": In(1),
    }


class BusControl(Component):
    """Registers, buffers and the rules of access.

    ``core`` goes to the core. ``write`` and ``read`` are the ports of the register file.
    ``operands``, ``random`` and ``result`` are there if ``capabilities.data_registers`` is not set;
    else the registers OPERAND, RANDOM and RESULT take their place. ``irq`` is the interrupt, a
    level. A core that takes no random words has none of them.

    An operation starts in the cycle after the write to CONTROL at the earliest. Buffers hold two
    words of each stream; a zeroisation clears them, also where that cuts a result short.
    """

    def __init__(self, capabilities: CoreCapabilities, address_width: int = 12) -> None:
        self.capabilities = capabilities
        self.map = RegisterMap(capabilities)
        self.address_width = address_width
        self._raw = raw_members(takes_random=capabilities.takes_random)
        members: dict[str, Any] = {
            "write": In(write_port(address_width)),
            "read": In(read_port(address_width)),
            "irq": Out(1),
            "core": Out(Signature(self._raw).flip()),
        }
        if not capabilities.data_registers:
            members |= {name: self._raw[name] for name in STREAMS if name in self._raw}
        super().__init__(members)

    def elaborate(self, platform: Any) -> Module:
        """The register file, the command, the status, the streams."""
        m = Module()
        m.submodules.registers = registers = RegisterFile(self.map, self.address_width)
        connect(m, flipped(self.write), registers.write)
        connect(m, flipped(self.read), registers.read)
        busy, ended = self._command(m, registers)
        self._interrupts(m, registers)
        # In a register: the key has many bits, and what is cleared lies all over the core.
        zeroise = Signal(name="zeroise_written")
        m.d.sync += zeroise.eq(registers.zeroise.access)
        # The word is there a cycle before the access.
        matches = Signal(name="key_matches")
        m.d.sync += matches.eq(registers.zeroise.key == self.map.zeroise_key)
        m.d.comb += [
            registers.zeroise.accept.eq(matches),
            self.core.zeroise.eq(zeroise),
        ]
        if self.capabilities.data_registers:
            self._data_registers(m, registers, busy, ended)
        else:
            self._streams(m)
            m.d.comb += registers.control.accept.eq(~busy)
        return m

    def _command(self, m: Module, registers: Any) -> tuple[Signal, Signal]:
        """Offers the command until it is taken, keeps how it ended.

        Returns:
            Whether the core is busy, and whether it has just ended an operation.
        """
        pending, active, busy = Signal(), Signal(), Signal()
        done, code = Signal(), Signal(8)
        # What the core says, in registers: whether a write is accepted waits for it.
        occupied, ended = Signal(name="occupied", init=1), Signal(name="ended")
        m.d.sync += [
            occupied.eq(self.core.busy | self.core.zeroise),
            ended.eq(self.core.done & ~self.core.zeroise),
        ]
        m.d.comb += [
            self.core.command.payload.operation.eq(registers.control.operation),
            *(
                [self.core.command.payload.curve.eq(registers.control.curve)]
                if "curve" in self.map["CONTROL"].fields
                else []
            ),
            self.core.command.valid.eq(pending),
            busy.eq(registers.control.start | active | occupied | self.core.zeroise),
            registers.status.busy.eq(busy),
            registers.status.done.eq(done),
            registers.status.code.eq(code),
        ]
        with m.If(self.core.command.ready):
            m.d.sync += pending.eq(0)
        with m.If(ended):
            m.d.sync += [active.eq(0), done.eq(1), code.eq(self.core.status)]
        with m.If(registers.control.start):
            m.d.sync += [pending.eq(1), active.eq(1), done.eq(0), code.eq(0)]
        with m.If(self.core.zeroise):
            m.d.sync += [pending.eq(0), active.eq(0), done.eq(0), code.eq(0)]
        m.d.comb += registers.interrupt_state.set_done.eq(ended)
        return busy, ended

    def _interrupts(self, m: Module, registers: Any) -> None:
        state, enable = registers.interrupt_state, registers.interrupt_enable
        refused = Signal(name="refused")
        m.d.sync += refused.eq(registers.refused)
        m.d.comb += [
            state.set_refused.eq(refused),
            self.irq.eq((state.done & enable.done) | (state.refused & enable.refused)),
        ]

    def _data_registers(self, m: Module, registers: Any, busy: Signal, ended: Signal) -> None:
        """OPERAND, RANDOM and RESULT in front of the buffers."""
        operands, random, result = self._buffers(m)
        taken = [(registers.operand, operands)]
        # Else a result that the host left could be taken for that of the next operation.
        m.d.comb += registers.control.accept.eq(~busy & ~result.output.valid)
        # What an operation did not take must not become an operand of the next one. It may still
        # be on its way when the operation ends, so a start clears, too.
        stale = ended | registers.control.start
        m.d.comb += operands.clear.eq(self.core.zeroise | stale)
        m.d.comb += registers.status.operand_ready.eq(busy & operands.input.ready)
        if random:
            m.d.comb += registers.status.random_ready.eq(random.input.ready)
            taken.append((registers.random, random))
        for register, buffer in taken:
            m.d.comb += [
                register.accept.eq(buffer.input.ready),
                buffer.input.payload.eq(register.word),
                buffer.input.valid.eq(register.access),
            ]
        there = result.output.valid & ~self.core.zeroise
        m.d.comb += [
            registers.status.result_valid.eq(there),
            registers.result.accept.eq(there),
            registers.result.word.eq(result.output.payload.word),
            result.output.ready.eq(registers.result.access),
        ]

    def _streams(self, m: Module) -> None:
        operands, random, result = self._buffers(m)
        m.d.comb += operands.clear.eq(self.core.zeroise)
        connect(m, flipped(self.operands), operands.input)
        if random:
            connect(m, flipped(self.random), random.input)
        # What has not left until a zeroisation stays.
        leaves = ~self.core.zeroise
        m.d.comb += [
            self.result.payload.eq(result.output.payload),
            self.result.valid.eq(result.output.valid & leaves),
            result.output.ready.eq(self.result.ready & leaves),
        ]

    def _buffers(self, m: Module) -> tuple[StreamBuffer, StreamBuffer | None, StreamBuffer]:
        """Buffers that face the core, for operands, random words if there are any, and results."""
        m.submodules.operand_buffer = operands = StreamBuffer(32)
        random = StreamBuffer(32) if self.capabilities.takes_random else None
        if random:
            m.submodules.random_buffer = random
        m.submodules.result_buffer = result = StreamBuffer(RESULT)
        connect(m, operands.output, flipped(self.core.operands))
        if random:
            connect(m, random.output, flipped(self.core.random))
            m.d.comb += random.clear.eq(self.core.zeroise)
        connect(m, flipped(self.core.result), result.input)
        m.d.comb += result.clear.eq(self.core.zeroise)
        return operands, random, result
