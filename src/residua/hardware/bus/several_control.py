"""The registers of several cores, between a bus and their dispatcher."""

from typing import Any

from amaranth.hdl import Module, Mux, Signal
from amaranth.lib.wiring import Component, In, Out, Signature, connect, flipped

from residua.hardware.bus.control import RESULT, STREAMS, raw_members
from residua.hardware.bus.dispatcher import Dispatcher, Traffic, trailer_layout
from residua.hardware.bus.register_file import RegisterFile, read_port, write_port
from residua.hardware.bus.register_map import Capabilities, RegisterMap
from residua.hardware.bus.stream_buffer import StreamBuffer

_WORD = 32
"""Bits of a word of a stream."""


class SeveralControl(Component):
    """Registers, buffers and the rules of access, of several cores behind one bus.

    Ports are those of `residua.hardware.bus.control.BusControl`, with ``cores`` in place of
    ``core``.

    A request is made by a write to CONTROL, and its operands follow. Buffers hold two words of each
    stream; a zeroisation of all cores clears them, also where that cuts a result short.
    """

    def __init__(
        self, capabilities: Capabilities, traffic: Traffic, address_width: int = 12
    ) -> None:
        self.capabilities = capabilities
        self.map = RegisterMap(capabilities)
        self.address_width = address_width
        trailer = trailer_layout(self.map["TRAILER"])
        self.dispatcher = Dispatcher(capabilities.instances, traffic, trailer)
        raw = raw_members()
        members: dict[str, Any] = {
            "write": In(write_port(address_width)),
            "read": In(read_port(address_width)),
            "irq": Out(1),
            "cores": Out(Signature(raw).flip()).array(capabilities.instances),
        }
        if not capabilities.data_registers:
            members |= {name: raw[name] for name in STREAMS}
        super().__init__(members)

    def elaborate(self, platform: Any) -> Module:
        """The register file, the requests, the status, the streams, the dispatcher."""
        m = Module()
        m.submodules.registers = registers = RegisterFile(self.map, self.address_width)
        m.submodules.dispatcher = self.dispatcher
        connect(m, flipped(self.write), registers.write)
        connect(m, flipped(self.read), registers.read)
        for own, core in zip(self.dispatcher.cores, self.cores, strict=True):
            connect(m, own, flipped(core))
        zeroise = self._zeroise(m, registers)
        self._request(m, registers, zeroise)
        self._interrupts(m, registers)
        self._words(m, registers, zeroise)
        return m

    def _zeroise(self, m: Module, registers: Any) -> Signal:
        """The zeroisation of all cores, and that of some, each a cycle after the write."""
        everything = Signal(name="zeroise_written")
        some = Signal(self.capabilities.instances, name="zeroise_cores_written")
        keyed = registers.zeroise_cores
        key = self.map["ZEROISE_CORES"].fields["key"].codes["zeroise_cores"]
        m.d.sync += [
            everything.eq(registers.zeroise.access),
            some.eq(Mux(keyed.access, keyed.mask, 0)),
        ]
        m.d.comb += [
            registers.zeroise.accept.eq(registers.zeroise.key == self.map.zeroise_key),
            keyed.accept.eq(keyed.key == key),
            self.dispatcher.front.zeroise.eq(everything),
            self.dispatcher.zeroise_cores.eq(some),
        ]
        return everything

    def _request(self, m: Module, registers: Any, zeroise: Signal) -> None:
        """Offers a request until it is taken; tells what is under way and what ended last."""
        front, control, status = self.dispatcher.front, registers.control, registers.status
        pending, done, code = Signal(name="pending"), Signal(name="done"), Signal(8, name="code")
        ready = front.command.ready & ~pending & ~control.start & ~zeroise
        m.d.comb += [
            front.command.payload.operation.eq(control.operation),
            front.command.payload.curve.eq(control.curve),
            front.command.payload.tag.eq(control.tag),
            front.command.valid.eq(pending),
            control.accept.eq(ready),
            status.ready.eq(ready),
            status.busy.eq(control.start | pending | front.busy | zeroise),
            status.done.eq(done),
            status.code.eq(code),
            registers.cores.busy.eq(self.dispatcher.working),
            registers.cores.waiting.eq(self.dispatcher.waiting),
        ]
        with m.If(front.command.ready):
            m.d.sync += pending.eq(0)
        with m.If(control.start):
            m.d.sync += [pending.eq(1), done.eq(0), code.eq(0)]
        with m.If(front.done):
            m.d.sync += [done.eq(1), code.eq(front.status)]
        with m.If(zeroise):
            m.d.sync += [pending.eq(0), done.eq(0), code.eq(0)]

    def _interrupts(self, m: Module, registers: Any) -> None:
        state, enable = registers.interrupt_state, registers.interrupt_enable
        m.d.comb += [
            state.set_done.eq(self.dispatcher.front.done),
            state.set_refused.eq(registers.refused),
            self.irq.eq((state.done & enable.done) | (state.refused & enable.refused)),
        ]

    def _words(self, m: Module, registers: Any, zeroise: Signal) -> None:
        """Buffers of operands, random words and results, behind registers or streams."""
        front = self.dispatcher.front
        m.submodules.operand_buffer = operands = StreamBuffer(_WORD)
        m.submodules.random_buffer = random = StreamBuffer(_WORD)
        m.submodules.result_buffer = result = StreamBuffer(RESULT)
        connect(m, operands.output, front.operands)
        connect(m, random.output, front.random)
        connect(m, front.result, result.input)
        m.d.comb += [buffer.clear.eq(zeroise) for buffer in (operands, random, result)]
        # Words are for a request that has been made; one may be on its way to it.
        status, wanted = registers.status, front.operands.ready & operands.input.ready
        m.d.comb += status.operand_ready.eq(wanted)
        # What has not left until a zeroisation stays.
        there, leaves = result.output.valid & ~zeroise, ~zeroise
        if not self.capabilities.data_registers:
            connect(m, flipped(self.operands), operands.input)
            connect(m, flipped(self.random), random.input)
            m.d.comb += [
                self.result.payload.eq(result.output.payload),
                self.result.valid.eq(there),
                result.output.ready.eq(self.result.ready & leaves),
            ]
            return
        m.d.comb += [
            status.random_ready.eq(random.input.ready),
            status.result_valid.eq(there),
            registers.operand.accept.eq(wanted),
            registers.random.accept.eq(random.input.ready),
            operands.input.payload.eq(registers.operand.word),
            operands.input.valid.eq(registers.operand.access),
            random.input.payload.eq(registers.random.word),
            random.input.valid.eq(registers.random.access),
            registers.result.accept.eq(there),
            registers.result.word.eq(result.output.payload.word),
            result.output.ready.eq(registers.result.access),
        ]
