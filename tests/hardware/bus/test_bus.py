"""Registers and buses around the stand-in coprocessor, in Amaranth's simulator."""

import gc
import random
import re
import warnings

import pytest
from amaranth.hdl import UnusedElaboratable
from amaranth.sim import Simulator
from tests.hardware.bus.bus_masters import AxiMaster, WishboneMaster
from tests.hardware.stand_in import (
    BAD_CURVE,
    BAD_OPERATION,
    OK,
    OPERAND_RANGE,
    OPERANDS,
    REFUSED,
    SLOW,
    SLOW_CYCLES,
    ZEROISED,
    StandIn,
    expected,
)

from residua.cores.specification.keys import ON_BUS
from residua.errors import SpecificationError
from residua.hardware.bus.register_file import RegisterFile
from residua.hardware.bus.register_map import Capabilities, RegisterMap
from residua.hardware.bus.stream_buffer import StreamBuffer
from residua.hardware.bus.tops import BUSES, AxiTop, WishboneTop
from residua.hardware.rtl import emit
from residua.toolchain.verilator import lint

CAPABILITIES = Capabilities(curves=2, words=2, operations=range(1, 11))
MAP = RegisterMap(CAPABILITIES)
ADDRESS = {name: register.address for name, register in MAP.registers.items()}
START = 1 << 31
DONE, REFUSAL = 1, 2

MASTERS = {
    "axi": lambda ctx, dut: AxiMaster(ctx, dut.s_axi),
    "axi-w-late": lambda ctx, dut: AxiMaster(ctx, dut.s_axi, lead=2, patience=3),
    "axi-aw-late": lambda ctx, dut: AxiMaster(ctx, dut.s_axi, lead=-1, patience=1),
    "wishbone": lambda ctx, dut: WishboneMaster(ctx, dut.wb),
    "wishbone-pipelined": lambda ctx, dut: WishboneMaster(ctx, dut.wb, pipelined=True),
}


class Host:
    """A program on a bus master, with the names of the register map."""

    def __init__(self, ctx, dut, master):
        self.ctx, self.dut, self.master = ctx, dut, MASTERS[master](ctx, dut)
        self.polls = 0

    async def write(self, name, value, strobe=0b1111):
        return await self.master.write(ADDRESS[name], value, strobe)

    async def read(self, name):
        return await self.master.read(ADDRESS[name])

    async def status(self):
        word = await self.read("STATUS")
        self.polls += 1
        assert self.polls < 3000
        return {name: field.extract(word) for name, field in MAP["STATUS"].fields.items()}

    async def start(self, operation, curve=0):
        return await self.write("CONTROL", START | curve << 8 | operation)

    async def feed(self, register, ready, words):
        for word in words:
            while not (await self.status())[ready]:
                pass
            assert not await self.write(register, word)

    async def wait(self):
        while not (status := await self.status())["done"]:
            pass
        assert not status["busy"]
        return status["code"]

    async def execute(self, operation, curve, operands, random_word):
        """Status and result words."""
        assert not await self.start(operation, curve)
        await self.feed("RANDOM", "random_ready", [random_word])
        await self.feed("OPERAND", "operand_ready", operands)
        results = []
        while not (status := await self.status())["done"] or status["result_valid"]:
            if status["result_valid"]:
                results.append(await self.read("RESULT"))
        return status["code"], results

    async def zeroise(self):
        assert not await self.write("ZEROISE", MAP.zeroise_key)
        while (await self.status())["busy"]:
            pass


def simulate(master, program, capabilities=CAPABILITIES):
    """Runs ``program(host)`` on the coprocessor's bus."""
    core = StandIn(capabilities)
    dut = BUSES[master.split("-")[0]].top(core, capabilities)
    completed = []

    async def bench(ctx):
        # The core is taken to be busy in the first cycle after a reset.
        await ctx.tick()
        await program(Host(ctx, dut, master))
        completed.append(True)

    simulator = Simulator(dut)
    simulator.add_clock(1e-6)
    simulator.add_testbench(bench)
    simulator.run()
    assert completed


every_master = pytest.mark.parametrize("master", MASTERS)


@every_master
def test_constants(master):
    async def program(host):
        assert await host.read("ID") == 0x5253_0001
        assert await host.read("VERSION") == 0x0001_0000
        assert await host.read("CAPABILITY") == 1 << 17 | 2 << 8 | 2
        assert await host.read("OPERATIONS") == 0b0111_1111_1110
        assert await host.read("STATUS") == MAP["STATUS"].fields["random_ready"].mask
        assert await host.read("CONTROL") == 0

    simulate(master, program)


async def check_refused(host, access, refused=True):
    """Checks the answer to an access and the interrupt that tells of it."""
    assert (await access in (True, None)) == refused
    assert await host.read("INTERRUPT_STATE") == (REFUSAL if refused else 0)
    assert not await host.write("INTERRUPT_STATE", REFUSAL)


@every_master
def test_what_the_map_does_not_have_is_refused(master):
    async def program(host):
        for address in (0x30, 0x34, 0x3C, 0x40, 0x80, 0x800, 0xFFC):
            await check_refused(host, host.master.read(address))
            await check_refused(host, host.master.write(address, 0))
        for name, register in MAP.registers.items():
            if not register.readable:
                await check_refused(host, host.read(name))
            if not register.writable:
                await check_refused(host, host.write(name, 0))

    simulate(master, program)


@every_master
def test_words_that_the_core_does_not_take_are_refused(master):
    async def program(host):
        for name in ("OPERAND", "RANDOM"):
            await check_refused(host, host.write(name, 1, 0b0111))
            for refused in (False, False, True):
                await check_refused(host, host.write(name, 1), refused)
        await check_refused(host, host.read("RESULT"))
        for key in (0, 1, MAP.zeroise_key ^ 1, MAP.zeroise_key ^ 1 << 31):
            await check_refused(host, host.write("ZEROISE", key))
        for strobe in (0b0001, 0b1110, 0b0111):
            await check_refused(host, host.write("ZEROISE", MAP.zeroise_key, strobe))
        await check_refused(host, host.write("ZEROISE", 0, 0), refused=False)
        assert not (await host.status())["busy"]

    simulate(master, program)


@every_master
def test_bytes_of_a_stored_value(master):
    async def program(host):
        assert not await host.write("CONTROL", 0x7FFF_2211)
        assert await host.read("CONTROL") == 0x2211
        assert not await host.write("CONTROL", 0x7FFF_4433, 0b1110)
        assert await host.read("CONTROL") == 0x4411
        assert not await host.write("CONTROL", 0xFFFF_6655, 0b0101)
        assert await host.read("CONTROL") == 0x4455
        assert not await host.write("CONTROL", 0xFFFF_FFFF, 0)
        assert await host.read("CONTROL") == 0x4455
        assert not (await host.status())["busy"]
        assert not await host.write("INTERRUPT_ENABLE", 0xFFFF_FFFF)
        assert await host.read("INTERRUPT_ENABLE") == 0b11

    simulate(master, program)


@every_master
def test_start_alone_uses_the_stored_operation(master):
    async def program(host):
        await host.write("CONTROL", 1 << 8 | 10)
        await host.write("CONTROL", START, 0b1000)
        await host.feed("OPERAND", "operand_ready", [5, 6])
        await host.feed("RANDOM", "random_ready", [0])
        assert await host.wait() == OK
        assert await host.read("RESULT") == 6 ^ 10 << 8 ^ 1

    simulate(master, program)


@every_master
def test_operations(master):
    generator = random.Random(3)

    async def program(host):
        for operation in (*CAPABILITIES.operations, 5, 5):
            for curve in range(2):
                count = OPERANDS[operation] * CAPABILITIES.words
                operands = [generator.randrange(2**32) for _ in range(count)]
                word = generator.randrange(2**32)
                found = await host.execute(operation, curve, operands, word)
                assert found == expected(CAPABILITIES, operation, curve, operands, word)
                assert await host.read("RESULT") is None

    simulate(master, program)


@pytest.mark.parametrize("master", ["axi", "wishbone"])
def test_statuses(master):
    async def program(host):
        for operation, curve, code in (
            (0, 0, 6),
            (11, 0, 6),
            (255, 255, 6),
            (1, 2, 7),
            (1, 255, 7),
        ):
            assert not await host.start(operation, curve)
            assert await host.wait() == code
            assert {6: BAD_OPERATION, 7: BAD_CURVE}[code] == code
        # Words too many are dropped with the operation, and do not get into the next one.
        found = await host.execute(10, 0, [REFUSED, 1], 0)
        assert found == (OPERAND_RANGE, [])
        assert await host.execute(10, 0, [3, 4], 5) == expected(CAPABILITIES, 10, 0, [3, 4], 5)

    simulate(master, program)


@pytest.mark.parametrize("master", ["axi", "wishbone"])
def test_words_left_over_are_no_operands(master):
    async def program(host):
        await host.start(10)
        await host.feed("OPERAND", "operand_ready", [1, 2, 77, 78])
        assert not (await host.status())["operand_ready"]
        assert await host.write("OPERAND", 79)
        await host.feed("RANDOM", "random_ready", [0])
        assert await host.wait() == OK
        assert [await host.read("RESULT") for _ in range(2)] == [2 ^ 10 << 8, 1 ^ 10 << 8]
        assert [await host.write("OPERAND", 80 + i) for i in range(3)] == [False, False, True]
        assert await host.execute(10, 0, [3, 4], 5) == expected(CAPABILITIES, 10, 0, [3, 4], 5)

    simulate(master, program)


@every_master
def test_start_is_refused_while_busy_and_while_a_result_is_unread(master):
    async def program(host):
        await host.start(10, 1)
        await host.feed("OPERAND", "operand_ready", [1])
        assert await host.start(7, 0)
        assert await host.write("CONTROL", 0)
        assert await host.read("CONTROL") == 1 << 8 | 10
        await host.feed("OPERAND", "operand_ready", [2])
        await host.feed("RANDOM", "random_ready", [0])
        assert await host.wait() == OK
        assert await host.start(7, 0)
        assert await host.read("RESULT") == 2 ^ 10 << 8 ^ 1
        assert await host.start(7, 0)
        assert await host.read("RESULT") == 1 ^ 10 << 8 ^ 1
        assert await host.read("INTERRUPT_STATE") == DONE | REFUSAL
        assert not await host.start(7, 0)

    simulate(master, program)


@every_master
def test_interrupts(master):
    async def program(host):
        irq = host.dut.irq
        await host.start(0)
        await host.wait()
        assert not host.ctx.get(irq)
        await host.write("INTERRUPT_ENABLE", DONE)
        assert host.ctx.get(irq)
        await host.write("INTERRUPT_STATE", REFUSAL)
        assert host.ctx.get(irq)
        await host.write("INTERRUPT_STATE", DONE, 0b1110)
        assert host.ctx.get(irq)
        await host.write("INTERRUPT_STATE", DONE)
        assert not host.ctx.get(irq)
        await host.master.read(0x100)
        assert not host.ctx.get(irq)
        await host.write("INTERRUPT_ENABLE", REFUSAL)
        assert host.ctx.get(irq)

    simulate(master, program)


@every_master
def test_zeroise_aborts(master):
    async def program(host):
        await host.start(10)
        await host.feed("RANDOM", "random_ready", [3])
        await host.feed("OPERAND", "operand_ready", [SLOW, 1])
        assert (await host.status())["busy"]
        await host.zeroise()
        status = await host.status()
        assert (status["code"], status["result_valid"]) == (ZEROISED, 0)
        await host.ctx.tick().repeat(SLOW_CYCLES + 10)
        assert await host.read("RESULT") is None
        assert await host.execute(10, 1, [8, 9], 7) == expected(CAPABILITIES, 10, 1, [8, 9], 7)

    simulate(master, program)


@pytest.mark.parametrize("master", ["axi", "wishbone"])
def test_zeroise_drops_operands_and_results(master):
    async def program(host):
        await host.start(10)
        await host.feed("RANDOM", "random_ready", [3])
        await host.feed("OPERAND", "operand_ready", [1])
        await host.feed("RANDOM", "random_ready", [77])
        await host.zeroise()
        assert await host.execute(10, 0, [5, 6], 7) == expected(CAPABILITIES, 10, 0, [5, 6], 7)
        await host.start(10)
        await host.feed("OPERAND", "operand_ready", [5, 6])
        await host.feed("RANDOM", "random_ready", [4])
        await host.wait()
        await host.zeroise()
        assert not (await host.status())["result_valid"]
        assert await host.read("RESULT") is None
        assert not await host.start(10)

    simulate(master, program)


def test_writes_and_reads_are_independent_on_axi():
    dut = AxiTop(StandIn(CAPABILITIES), CAPABILITIES)

    async def bench(ctx):
        bus = dut.s_axi
        # A write response that nobody takes, and an address that waits for its data.
        ctx.set(bus.awaddr, ADDRESS["INTERRUPT_ENABLE"])
        ctx.set(bus.wdata, 1)
        ctx.set(bus.wstrb, 0b1111)
        ctx.set(bus.awvalid, 1)
        ctx.set(bus.wvalid, 1)
        await ctx.tick()
        ctx.set(bus.wvalid, 0)
        await ctx.tick().repeat(4)
        ctx.set(bus.awvalid, 0)
        assert ctx.get(bus.bvalid)
        master = AxiMaster(ctx, bus)
        for _ in range(3):
            assert await master.read(ADDRESS["ID"]) == 0x5253_0001
        assert await master.read(ADDRESS["INTERRUPT_ENABLE"]) == 1
        assert ctx.get(bus.bvalid)

        # The other way round: a read whose data nobody takes.
        ctx.set(bus.bready, 1)
        await ctx.tick()
        ctx.set(bus.wdata, 3)
        ctx.set(bus.wvalid, 1)
        await ctx.tick()
        ctx.set(bus.wvalid, 0)
        await ctx.tick().repeat(3)
        ctx.set(bus.bready, 0)
        ctx.set(bus.araddr, ADDRESS["INTERRUPT_ENABLE"])
        ctx.set(bus.arvalid, 1)
        await ctx.tick()
        ctx.set(bus.arvalid, 0)
        await ctx.tick().repeat(3)
        assert ctx.get(bus.rvalid)
        assert not await master.write(ADDRESS["INTERRUPT_ENABLE"], 0)
        assert (ctx.get(bus.rvalid), ctx.get(bus.rdata)) == (1, 3)

    simulator = Simulator(dut)
    simulator.add_clock(1e-6)
    simulator.add_testbench(bench)
    simulator.run()


def test_an_answer_on_axi_waits_until_it_is_taken():
    """The next transfer of its kind is only done then; a refused one must not change its answer."""
    dut = AxiTop(StandIn(CAPABILITIES), CAPABILITIES)

    async def bench(ctx):
        bus = dut.s_axi
        ctx.set(bus.wstrb, 0b1111)
        for address, data in ((ADDRESS["INTERRUPT_ENABLE"], 3), (0x100, 0)):
            ctx.set(bus.awaddr, address)
            ctx.set(bus.araddr, address)
            ctx.set(bus.wdata, data)
            for valids, ready in (
                ((bus.awvalid, bus.wvalid), bus.awready & bus.wready),
                ((bus.arvalid,), bus.arready),
            ):
                for valid in valids:
                    ctx.set(valid, 1)
                await ctx.tick().until(ready)
                for valid in valids:
                    ctx.set(valid, 0)
        for response in (0b00, 0b10):
            for _ in range(5):
                await ctx.tick()
                assert (ctx.get(bus.bvalid), ctx.get(bus.bresp)) == (1, response)
                assert (ctx.get(bus.rvalid), ctx.get(bus.rresp)) == (1, response)
            ctx.set(bus.bready, 1)
            ctx.set(bus.rready, 1)
            await ctx.tick()
            ctx.set(bus.bready, 0)
            ctx.set(bus.rready, 0)
        assert not ctx.get(bus.bvalid | bus.rvalid)

    simulator = Simulator(dut)
    simulator.add_clock(1e-6)
    simulator.add_testbench(bench)
    simulator.run()


def test_an_event_in_the_cycle_of_its_clearing_is_not_lost():
    registers = RegisterFile(MAP)

    async def bench(ctx):
        state, write = registers.interrupt_state, registers.write
        ctx.set(write.address, ADDRESS["INTERRUPT_STATE"] // 4)
        ctx.set(write.data, DONE)
        ctx.set(write.strobe, 0b1111)
        await ctx.tick()
        ctx.set(write.valid, 1)
        ctx.set(state.set_done, 1)
        await ctx.tick()
        assert ctx.get(state.done)
        ctx.set(state.set_done, 0)
        await ctx.tick()
        assert not ctx.get(state.done)

    simulator = Simulator(registers)
    simulator.add_clock(1e-6)
    simulator.add_testbench(bench)
    simulator.run()


def test_no_input_of_axi_reaches_an_output_without_a_register():
    capabilities = Capabilities(2, 2, range(1, 11), data_registers=False)
    dut = AxiTop(StandIn(capabilities), capabilities)
    bus, generator = dut.s_axi, random.Random(5)
    streams = [dut.s_axis_operand, dut.s_axis_random]
    inputs = [bus.awvalid, bus.wvalid, bus.bready, bus.arvalid, bus.rready, bus.awaddr]
    inputs += [bus.araddr, bus.wdata, bus.wstrb, dut.m_axis_result.tready]
    inputs += [signal for port in streams for signal in (port.tvalid, port.tdata)]
    outputs = [bus.awready, bus.wready, bus.bvalid, bus.bresp, bus.arready, bus.rvalid]
    outputs += [bus.rresp, bus.rdata, dut.irq, *(port.tready for port in streams)]
    outputs += [dut.m_axis_result.tvalid, dut.m_axis_result.tdata, dut.m_axis_result.tlast]

    async def bench(ctx):
        for cycle in range(400):
            before = [ctx.get(output) for output in outputs]
            for signal in inputs:
                ctx.set(signal, generator.randrange(1 << len(signal)))
            ctx.set(bus.araddr, generator.choice(list(ADDRESS.values())))
            ctx.set(bus.awaddr, ADDRESS["CONTROL"] if cycle < 200 else 0)
            await ctx.delay(1e-8)
            assert [ctx.get(output) for output in outputs] == before
            await ctx.tick()

    simulator = Simulator(dut)
    simulator.add_clock(1e-6)
    simulator.add_testbench(bench)
    simulator.run()


@pytest.mark.parametrize("pace", [(1.0, 1.0), (0.5, 1.0), (1.0, 0.5), (0.4, 0.4)])
def test_stream_buffer(pace):
    buffer, generator = StreamBuffer(8), random.Random(2)
    sent, received, cycles = list(range(1, 200)), [], []

    async def send(ctx):
        for word in sent:
            while generator.random() >= pace[0]:
                await ctx.tick()
            ctx.set(buffer.input.payload, word)
            ctx.set(buffer.input.valid, 1)
            await ctx.tick().until(buffer.input.ready)
            ctx.set(buffer.input.valid, 0)

    async def receive(ctx):
        for cycle in range(5000):
            ctx.set(buffer.output.ready, generator.random() < pace[1])
            _, _, moved, word, valid = await ctx.tick().sample(
                buffer.output.valid & buffer.output.ready,
                buffer.output.payload,
                buffer.output.valid,
            )
            assert valid or word == 0
            if moved:
                received.append(word)
                cycles.append(cycle)
            if len(received) == len(sent):
                return

    simulator = Simulator(buffer)
    simulator.add_clock(1e-6)
    simulator.add_testbench(send)
    simulator.add_testbench(receive)
    simulator.run()
    assert received == sent
    if pace == (1.0, 1.0):
        assert cycles == list(range(1, len(sent) + 1))


def test_a_cleared_stream_buffer_is_empty():
    buffer = StreamBuffer(8)

    async def bench(ctx):
        ctx.set(buffer.input.valid, 1)
        ctx.set(buffer.input.payload, 0xA5)
        await ctx.tick().repeat(4)
        assert not ctx.get(buffer.input.ready)
        ctx.set(buffer.input.valid, 0)
        ctx.set(buffer.clear, 1)
        await ctx.tick()
        ctx.set(buffer.clear, 0)
        for _ in range(3):
            assert (ctx.get(buffer.output.valid), ctx.get(buffer.output.payload)) == (0, 0)
            assert ctx.get(buffer.input.ready)
            ctx.set(buffer.output.ready, 1)
            await ctx.tick()

    simulator = Simulator(buffer)
    simulator.add_clock(1e-6)
    simulator.add_testbench(bench)
    simulator.run()


def test_every_choice_of_a_bus_is_there():
    assert set(BUSES) == set(ON_BUS)


@pytest.mark.parametrize(("bus", "data_registers"), [("axi", 0), ("axi", 1), ("wishbone", 1)])
def test_emission(bus, data_registers, tmp_path):
    capabilities = Capabilities(2, 2, range(1, 11), data_registers=bool(data_registers))
    files = emit(BUSES[bus].top(StandIn(capabilities), capabilities), "coprocessor")
    assert files == emit(BUSES[bus].top(StandIn(capabilities), capabilities), "coprocessor")
    path = tmp_path / "coprocessor.v"
    path.write_text(files["rtl/coprocessor.v"])
    assert lint([path], "coprocessor") == []
    text = path.read_text()
    header = text[text.index("module coprocessor (") :]
    ports = set(re.findall(r"(?:input|output) .*?(\w+)[,\n]", header[: header.index(");")]))
    streams = {"s_axis_operand_tdata", "s_axis_random_tready", "m_axis_result_tlast"}
    named = {
        "axi": {"s_axi_awaddr", "s_axi_wstrb", "s_axi_bresp", "s_axi_arprot", "s_axi_rdata"},
        "wishbone": {"wb_cyc_i", "wb_stall_o", "wb_err_o", "wb_dat_o", "wb_sel_i"},
    }[bus]
    assert ports >= named | {"clk", "rst", "irq"}
    assert ports >= streams if bus == "axi" and not data_registers else not ports & streams


def test_wishbone_has_no_streams():
    capabilities = Capabilities(1, 8, range(1, 12), data_registers=False)
    with pytest.raises(SpecificationError, match="'wishbone' has no streams"):
        WishboneTop(None, capabilities)
    # Amaranth complains of components that were made and not used, as this one was in part.
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UnusedElaboratable)
        gc.collect()
