"""What cocotb runs inside the simulator: AXI with streams, random stalls, resets, zeroisations."""

import itertools
import random

import cocotb
from cocotb.clock import Clock
from cocotb.triggers import ClockCycles, FallingEdge, ReadOnly, RisingEdge, with_timeout
from cocotbext.axi import (
    AxiLiteBus,
    AxiLiteMaster,
    AxiResp,
    AxiStreamBus,
    AxiStreamFrame,
    AxiStreamSink,
    AxiStreamSource,
)
from tests.hardware.stand_in import OK, OPERANDS, REFUSED, SLOW, StandIn, expected

from residua.hardware.bus.register_map import Capabilities, RegisterMap
from residua.hardware.bus.tops import AxiTop

CAPABILITIES = Capabilities(3, 2, range(1, 11), data_registers=False)
MAP = RegisterMap(CAPABILITIES)
START = 1 << 31


def design():
    """What is simulated."""
    return AxiTop(StandIn(CAPABILITIES), CAPABILITIES)


class Bench:
    """A host on AXI4-Lite and three streams, each with its own stalls."""

    def __init__(self, dut, seed, stall):
        self.dut, self.random = dut, random.Random(seed)
        cocotb.start_soon(Clock(dut.clk, 10, unit="ns").start())
        self.axi = AxiLiteMaster(AxiLiteBus.from_prefix(dut, "s_axi"), dut.clk, dut.rst)
        ends = (("s_axis_operand", AxiStreamSource), ("s_axis_random", AxiStreamSource))
        ends += (("m_axis_result", AxiStreamSink),)
        self.operand, self.entropy, self.result = (
            end(AxiStreamBus.from_prefix(dut, name), dut.clk, dut.rst, byte_lanes=1)
            for name, end in ends
        )
        write, read = self.axi.write_if, self.axi.read_if
        channels = (write.aw_channel, write.w_channel, write.b_channel, read.ar_channel)
        for end in (*channels, read.r_channel, self.operand, self.entropy, self.result):
            if stall:
                end.set_pause_generator(self.stalls(stall))
        self.watch = cocotb.start_soon(self.watch_handshakes())

    def stalls(self, likely):
        generator = random.Random(self.random.randrange(2**32))
        while True:
            yield generator.random() < likely

    async def reset(self):
        self.dut.rst.value = 1
        await ClockCycles(self.dut.clk, 3)
        self.dut.rst.value = 0
        await RisingEdge(self.dut.clk)

    async def watch_handshakes(self):
        """Once offered, a response or a word stays as it is until it is taken."""
        dut = self.dut
        ports = {
            "s_axi_b": [dut.s_axi_bresp],
            "s_axi_r": [dut.s_axi_rresp, dut.s_axi_rdata],
            "m_axis_result_t": [dut.m_axis_result_tdata, dut.m_axis_result_tlast],
        }
        offered = {}
        while True:
            await FallingEdge(dut.clk)
            await ReadOnly()
            for name, payload in ports.items():
                valid = getattr(dut, f"{name}valid").value
                values = [int(signal.value) for signal in payload]
                if int(dut.rst.value) or int(dut.core.zeroise.value):
                    offered.clear()
                    continue
                if name in offered:
                    assert valid, f"{name}valid fell before a handshake"
                    assert values == offered.pop(name)
                if valid and not getattr(dut, f"{name}ready").value:
                    offered[name] = values

    async def read(self, name):
        answer = await self.axi.read(MAP[name].address, 4)
        assert answer.resp == AxiResp.OKAY
        return int.from_bytes(answer.data, "little")

    async def write(self, name, value):
        answer = await self.axi.write(MAP[name].address, value.to_bytes(4, "little"))
        return answer.resp == AxiResp.OKAY

    async def status(self):
        word = await self.read("STATUS")
        return {name: field.extract(word) for name, field in MAP["STATUS"].fields.items()}

    async def wait(self):
        while not (status := await self.status())["done"]:
            pass
        return status["code"]

    async def execute(self, operation, curve, operands, word):
        """Checks one operation, its words before or after the start."""
        early = self.random.random() < 0.5
        if early:
            await self.operand.send(AxiStreamFrame(operands))
        await self.entropy.send(AxiStreamFrame([word]))
        assert await self.write("CONTROL", START | curve << 8 | operation)
        if not early:
            await self.operand.send(AxiStreamFrame(operands))
        code, results = expected(CAPABILITIES, operation, curve, operands, word)
        if results:
            frame = await with_timeout(self.result.recv(), 1, "ms")
            assert list(frame.tdata) == results
        assert await with_timeout(self.wait(), 1, "ms") == code
        assert self.result.empty()

    async def random_operation(self):
        operation = self.random.choice(list(CAPABILITIES.operations))
        count = OPERANDS[operation] * CAPABILITIES.words
        operands = [self.random.randrange(2**32 - 2) for _ in range(count)]
        if self.random.random() < 0.2:
            operands[0] = REFUSED
        curve = self.random.randrange(CAPABILITIES.curves)
        await self.execute(operation, curve, operands, self.random.randrange(2**32))


@cocotb.test()
@cocotb.parametrize(stall=[0, 0.2, 0.7])
async def random_operations(dut, stall):
    bench = Bench(dut, 1, stall)
    await bench.reset()
    for _ in range(30):
        await bench.random_operation()


@cocotb.test()
@cocotb.parametrize(stall=[0, 0.5])
async def reads_and_writes_at_once(dut, stall):
    """Random accesses, mapped or not, some of them in part, against a model of the registers."""
    bench = Bench(dut, 5, stall)
    await bench.reset()
    constants = {"ID": 0x52530001, "VERSION": 0x10000, "CAPABILITY": 0x203, "OPERATIONS": 0x7FE}
    model = {MAP[name].address: value for name, value in constants.items()}
    model |= {MAP["INTERRUPT_ENABLE"].address: 0, MAP["STATUS"].address: 0}
    changed = MAP["INTERRUPT_ENABLE"].address

    async def read():
        for _ in range(60):
            address = bench.random.choice([*model, 0x30, 0x24, 0x2C, 0x100, 0xFFC])
            answer = await bench.axi.read(address, 4)
            if address in model:
                assert answer.resp == AxiResp.OKAY
                if address != changed:
                    assert int.from_bytes(answer.data, "little") == model[address]
            else:
                assert (answer.resp, answer.data) == (AxiResp.SLVERR, bytes(4))

    async def write():
        for _ in range(60):
            address = bench.random.choice([*model, 0x30, 0x24, 0x28, 0x20, 0x100, 0xFFC])
            offset = bench.random.randrange(4)
            word = bench.random.randbytes(bench.random.randrange(1, 5 - offset))
            answer = await bench.axi.write(address + offset, word)
            right = AxiResp.OKAY if address == changed else AxiResp.SLVERR
            assert answer.resp == right
            if address == changed and offset == 0:
                model[changed] = word[0] & 3

    writer, reader = cocotb.start_soon(write()), cocotb.start_soon(read())
    await with_timeout(writer, 1, "ms")
    await with_timeout(reader, 1, "ms")
    assert await bench.read("INTERRUPT_ENABLE") == model[changed]


@cocotb.test()
@cocotb.parametrize(kind=["reset", "zeroise"], stall=[0, 0.4])
async def aborted_operations(dut, kind, stall):
    """After an abort at any time the core works, and nothing of the old operation comes out."""
    bench = Bench(dut, 9, stall)
    await bench.reset()
    for delay in itertools.chain(range(12), (20, 80)) if stall else (0, 5, 11, 20, 40, 160):
        words = [SLOW if delay % 2 else 1, *range(2, 7)]
        await bench.operand.send(AxiStreamFrame(words))
        await bench.entropy.send(AxiStreamFrame([7]))
        assert await bench.write("CONTROL", START | 1)
        await ClockCycles(dut.clk, delay)
        if kind == "reset":
            await bench.reset()
        else:
            # The other sides of the streams must forget their words, too.
            for end in (bench.operand, bench.entropy, bench.result):
                end.assert_reset(True)
            assert await bench.write("ZEROISE", MAP.zeroise_key)
            while (await bench.status())["busy"]:
                pass
            for end in (bench.operand, bench.entropy, bench.result):
                end.assert_reset(False)
        bench.result.clear()
        await ClockCycles(dut.clk, 30)
        assert bench.result.empty()
        assert (await bench.status())["result_valid"] == 0
        if kind == "reset":
            assert await bench.read("STATUS") == await bench.read("CONTROL") == 0
        await bench.execute(10, 1, [8, 9], 3)


@cocotb.test()
async def interrupt_line(dut):
    bench = Bench(dut, 3, 0.3)
    await bench.reset()
    assert await bench.write("INTERRUPT_ENABLE", 1)
    assert not dut.irq.value
    await bench.operand.send(AxiStreamFrame([1, 2]))
    await bench.entropy.send(AxiStreamFrame([0]))
    assert await bench.write("CONTROL", START | 10)
    await with_timeout(RisingEdge(dut.irq), 1, "ms")
    assert (await bench.status())["code"] == OK
    assert await bench.write("INTERRUPT_STATE", 1)
    assert not dut.irq.value
