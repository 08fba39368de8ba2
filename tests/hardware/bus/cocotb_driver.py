"""What cocotb runs inside the simulator: the Python driver on the registers, bus by bus."""

import os
import random

import cocotb
import pytest
from cocotb.clock import Clock
from cocotb.task import bridge, resume
from cocotb.triggers import ClockCycles, ReadOnly, RisingEdge
from cocotbext.axi import AxiLiteBus, AxiLiteMaster, AxiResp
from tests.hardware.stand_in import OPERANDS, RESULTS, StandIn, expected

from residua.cores.bus.driver.client import CoreError
from residua.cores.coprocessor.driver.client import Client
from residua.cores.coprocessor.driver.curves import DriverCurve
from residua.hardware.bus.register_map import Capabilities, RegisterMap
from residua.hardware.bus.tops import BUSES

CAPABILITIES = Capabilities(2, 3, sorted(OPERANDS))
MAP = RegisterMap(CAPABILITIES)
CURVES = [DriverCurve(name, "weierstrass", 2**96 - 17, 2**96 - 19, 1, 1, 1) for name in ("a", "b")]
BUS = os.environ.get("RESIDUA_TEST_BUS", "axi")


def design():
    """What is simulated."""
    return BUSES[BUS].top(StandIn(CAPABILITIES), CAPABILITIES)


class AxiPort:
    """Accesses through AXI4-Lite with random stalls."""

    def __init__(self, dut, stall):
        self.master = AxiLiteMaster(AxiLiteBus.from_prefix(dut, "s_axi"), dut.clk, dut.rst)
        write, read = self.master.write_if, self.master.read_if
        for channel in (
            write.aw_channel, write.w_channel, write.b_channel, read.ar_channel, read.r_channel
        ):  # fmt: skip
            channel.set_pause_generator(stalls(stall))

    async def read(self, offset):
        answer = await self.master.read(offset, 4)
        return answer.resp == AxiResp.OKAY, int.from_bytes(answer.data, "little")

    async def write(self, offset, value):
        answer = await self.master.write(offset, value.to_bytes(4, "little"))
        return answer.resp == AxiResp.OKAY


class WishbonePort:
    """Accesses of a standard master, or of a pipelined one that goes on without a pause."""

    def __init__(self, dut, stall):
        self.dut, self.stalls = dut, stalls(stall)
        self.pipelined = stall == 0
        dut.wb_cyc_i.value = dut.wb_stb_i.value = 0

    async def access(self, offset, write, value):
        dut = self.dut
        while next(self.stalls):
            await RisingEdge(dut.clk)
        for name, signal in (
            ("cyc", 1), ("stb", 1), ("we", write), ("adr", offset // 4), ("dat", value), ("sel", 15)
        ):  # fmt: skip
            getattr(dut, f"wb_{name}_i").value = signal
        while True:
            await ReadOnly()
            stall, ack, err = (int(s.value) for s in (dut.wb_stall_o, dut.wb_ack_o, dut.wb_err_o))
            word = int(dut.wb_dat_o.value)
            await RisingEdge(dut.clk)
            if self.pipelined and not stall:
                dut.wb_stb_i.value = 0
            if ack or err:
                dut.wb_stb_i.value = 0
                dut.wb_cyc_i.value = 0
                return bool(ack), word

    async def read(self, offset):
        return await self.access(offset, 0, 0)

    async def write(self, offset, value):
        return (await self.access(offset, 1, value))[0]


class Registers:
    """The port of the driver: an access that the core refuses is an error."""

    def __init__(self, port):
        self.port = port

    @resume
    async def _read(self, offset):
        return await self.port.read(offset)

    @resume
    async def _write(self, offset, value):
        return await self.port.write(offset, value)

    def read32(self, offset):
        accepted, word = self._read(offset)
        assert accepted, f"read of 0x{offset:X} refused"
        return word

    def write32(self, offset, value):
        assert self._write(offset, value), f"write to 0x{offset:X} refused"


def stalls(likely):
    generator = random.Random(8)
    while True:
        yield generator.random() < likely


def split(number):
    return [number >> 32 * i & 0xFFFFFFFF for i in range(CAPABILITIES.words)]


@cocotb.test()
@cocotb.parametrize(stall=[0, 0.5])
async def driver(dut, stall):
    """Every operation, by its name, on numbers; then an abort."""
    cocotb.start_soon(Clock(dut.clk, 10, unit="ns").start())
    port = {"axi": AxiPort, "wishbone": WishbonePort}[BUS](dut, stall)
    dut.rst.value = 1
    await ClockCycles(dut.clk, 2)
    dut.rst.value = 0
    generator = random.Random(4)

    def program():
        client = Client(Registers(port), MAP, CURVES, random=lambda: 0x1234)
        for name, code in MAP.operations.items():
            operands = [generator.randrange(2**96) for _ in range(OPERANDS[code])]
            words = [word for number in operands for word in split(number)]
            # The two words that stand before it in the buffer do not matter: all are equal.
            _, right = expected(CAPABILITIES, code, 1, words, 0x1234)
            found = client.execute(name, 1, operands, RESULTS[code])
            assert [word for number in found for word in split(number)] == right
        with pytest.raises(CoreError, match="operand_range"):
            client.execute("field_invert", 0, [2**96 - 1], 1)
        client.zeroise()
        assert client.order("invert", 0, bytes(12))

    await bridge(program)()
