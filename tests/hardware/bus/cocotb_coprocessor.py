"""What cocotb runs inside the simulator: a whole coprocessor on AXI, with stalls and aborts.

A curve of 40 bits keeps it short; RESIDUA_TEST_CORE names another one, for a run by hand.
"""

import os

import cocotb
from cocotb.handle import ArrayObject, HierarchyObject
from cocotb.triggers import ClockCycles, ReadOnly, RisingEdge, with_timeout
from cocotbext.axi import AxiStreamFrame
from tests.hardware.bus.cocotb_axi import MAP, START, Bench

from residua.cores.coprocessor.engine.core import EngineCoprocessorCore
from residua.cores.coprocessor.specification import CoprocessorSpecification
from residua.cores.specification.reading import check
from residua.curves import affine
from residua.curves.catalogue import find_curve
from residua.curves.operations.codes import Operation, Status
from residua.curves.parameters import curve_from_parameters
from residua.hardware.bus.tops import AxiTop

TINY = {
    "form": "weierstrass",
    "name": "tiny",
    "prime": 1099511627689,
    "a": -3,
    "b": 3,
    "x": 0,
    "y": 421851616093,
    "order": 1099511076667,
    "cofactor": 1,
}
NAME = os.environ.get("RESIDUA_TEST_CORE", "tiny")
FULL_SIZE = NAME != "tiny"
CURVE = find_curve(NAME) if FULL_SIZE else curve_from_parameters(TINY)
WORDS = -(-CURVE.order_bits // 32)
BLINDING = 8
SHORTEST = 100_000 if FULL_SIZE else 10_000
"""Cycles that a multiplication takes at least."""
EARLY = SHORTEST // 4
"""Cycles after which a ladder is under way."""
RANDOM_WORDS = 3 * WORDS + 8
"""More than any operation takes."""


def design():
    """What is simulated."""
    curve = NAME if FULL_SIZE else TINY
    keys = {"curve": curve, "bus": "axi", "protections": "none"}
    asked = check(CoprocessorSpecification, keys)
    # Fewer bits than are accepted, so that the tiny curve has the ladder on differences.
    made = EngineCoprocessorCore(asked.model_copy(update={"blinding": BLINDING}))
    return AxiTop(made.component(), made.capabilities)


def split(numbers):
    return [number >> 32 * i & 0xFFFFFFFF for number in numbers for i in range(WORDS)]


def state(scope):
    """The value of everything below a scope, by its path."""
    found = {}
    for handle in scope:
        if isinstance(handle, HierarchyObject):
            inner = state(handle)
            found |= {f"{handle._name}.{name}": value for name, value in inner.items()}
        elif isinstance(handle, ArrayObject):
            found[handle._name] = tuple(int(word.value) for word in handle)
        else:
            found[handle._name] = int(handle.value)
    return found


def memories(values):
    """The memories that hold secrets while an operation runs; others hold constants."""
    names = ("registers", "scalar_unit.words", "results.words", "binary_operand")
    return {name: words for name, words in values.items() if name.endswith(names)}


CLEARED = (
    "scalar_reducer",
    "scalar_unit",
    "second_scalar_unit",
    "operand_reader",
    "controller",
    "processor",
    "converter",
    "slack",
    "results",
)
"""The parts of the core: nothing in them may depend on what was secret."""


def differences(part, first, second):
    """Names of what differs in a part."""
    names = {name for name in first if name.startswith(f"{part}.")}
    assert names
    return {name for name in names if first[name] != second[name]}


class Host(Bench):
    """Operations on numbers, judged by plain integers."""

    async def ready(self):
        """Memories are cleared after a reset, too."""
        await self.reset()
        while (await self.status())["busy"]:
            pass

    async def begin(self, operation, operands):
        # Whether words come before the start or after it must not matter.
        early = self.random.random() < 0.5
        if early:
            await self.operand.send(AxiStreamFrame(split(operands)))
        await self.entropy.send(AxiStreamFrame(split_random(self.random)))
        assert await self.write("CONTROL", START | operation)
        if not early:
            await self.operand.send(AxiStreamFrame(split(operands)))

    async def execute(self, operation, operands, status, results=()):
        """One operation, its status and its results."""
        assert await self.write("INTERRUPT_ENABLE", 1)
        assert await self.write("INTERRUPT_STATE", 1)
        await self.begin(operation, operands)
        if not self.dut.irq.value:
            await with_timeout(RisingEdge(self.dut.irq), 20, "ms")
        assert await self.wait() == status
        if results:
            frame = await with_timeout(self.result.recv(), 1, "ms")
            assert list(frame.tdata) == split(results)
        await self.quiet()

    async def quiet(self):
        """Nothing more comes out, nothing is left over."""
        await ClockCycles(self.dut.clk, 20)
        assert self.result.empty()
        assert not self.dut.m_axis_result_tvalid.value

    async def multiply(self, k=None, point=None):
        """A multiple of a point."""
        n = CURVE.order
        k = self.random.randrange(n) if k is None else k
        point = point or affine.multiply(CURVE, self.random.randrange(1, n), CURVE.base_point)
        right = affine.multiply(CURVE, k, point)
        status = Status.NEUTRAL if right is None else Status.OK
        await self.execute(Operation.POINT_MULTIPLY, (k, *point), status, right or ())

    async def field(self):
        """A product modulo the prime."""
        a, b = (self.random.randrange(CURVE.prime) for _ in range(2))
        product = (a * b % CURVE.prime,)
        await self.execute(Operation.FIELD_MULTIPLY, (a, b), Status.OK, product)

    async def refusals(self):
        """Statuses without a result; the next operation is as if they had not been."""
        (x, y), p = CURVE.base_point, CURVE.prime
        for operation, operands, status in (
            (Operation.POINT_MULTIPLY, (5, x, y ^ 1), Status.NOT_ON_CURVE),
            (Operation.VALIDATE, (x, p), Status.OPERAND_RANGE),
            (Operation.VALIDATE, (x, y), Status.OK),
            (Operation.ORDER_INVERT, (0,), Status.NO_INVERSE),
        ):
            await self.execute(operation, operands, status)
            await self.field()

    async def abort(self, kind):
        """A reset or a zeroisation."""
        for end in (self.operand, self.entropy):
            end.clear()
        if kind == "reset":
            await self.reset()
            while (await self.status())["busy"]:
                pass
            assert await self.read("STATUS") == await self.read("CONTROL") == 0
        else:
            # The other sides of the streams must forget their words, too.
            for end in (self.operand, self.entropy, self.result):
                end.assert_reset(True)
            assert await self.write("ZEROISE", MAP.zeroise_key)
            while (status := await self.status())["busy"]:
                pass
            assert (status["done"], status["code"]) == (1, Status.ZEROISED)
            assert status["result_valid"] == 0
            for end in (self.operand, self.entropy, self.result):
                end.assert_reset(False)
        self.result.clear()
        await self.quiet()

    async def snapshot(self):
        await ReadOnly()
        values = state(self.dut.core)
        await RisingEdge(self.dut.clk)
        return values


def split_random(generator):
    return [generator.randrange(2**32) for _ in range(RANDOM_WORDS)]


@cocotb.test(skip=FULL_SIZE)
@cocotb.parametrize(stall=[0, 0.3])
async def operations(dut, stall):
    host = Host(dut, 1, stall)
    await host.ready()
    await host.multiply(None if stall else CURVE.order - 1)
    await host.refusals()


@cocotb.test(skip=FULL_SIZE)
@cocotb.parametrize(kind=["reset", "zeroise"], stall=[0, 0.3])
async def aborts(dut, kind, stall):
    """At any time: all memories are empty then, nothing comes out, and the core works."""
    host = Host(dut, 2, stall)
    await host.ready()
    for delay in (1, host.random.randrange(EARLY)) if stall else (0, 10, EARLY):
        point = affine.multiply(CURVE, host.random.randrange(1, CURVE.order), CURVE.base_point)
        await host.begin(Operation.POINT_MULTIPLY, (host.random.randrange(CURVE.order), *point))
        await ClockCycles(dut.clk, delay)
        assert (await host.status())["busy"]
        await host.abort(kind)
        found = memories(await host.snapshot())
        assert len(found) > 5
        assert not any(map(any, found.values())), delay
        await host.field()
    if stall and kind == "reset":
        await host.multiply()


@cocotb.test(skip=FULL_SIZE)
async def results_that_wait(dut):
    """A result that the host has not fetched leaves with a zeroisation."""
    host = Host(dut, 3, 0)
    await host.ready()
    for taken in range(3):
        host.result.pause = True
        await host.begin(Operation.FIELD_MULTIPLY, (3, 5))
        await with_timeout(RisingEdge(dut.m_axis_result_tvalid), 1, "ms")
        await ClockCycles(dut.clk, 10 * taken)
        for end in (host.operand, host.entropy):
            end.assert_reset(True)
        assert await host.write("ZEROISE", MAP.zeroise_key)
        assert not dut.m_axis_result_tvalid.value
        host.result.pause = False
        while (await host.status())["busy"]:
            pass
        for end in (host.operand, host.entropy):
            end.assert_reset(False)
        await host.quiet()
        assert not any(map(any, memories(await host.snapshot()).values()))
        await host.field()


@cocotb.test()
async def nothing_of_a_secret_remains(dut):
    """Two zeroisations at one time of an operation, with other secrets: all is equal afterwards."""
    host = Host(dut, 4, 0)
    await host.ready()
    for delay in (host.random.randrange(SHORTEST),) if FULL_SIZE else (700, EARLY):
        before, after = [], []
        for _ in range(2):
            k = host.random.randrange(CURVE.order)
            point = affine.multiply(CURVE, host.random.randrange(1, CURVE.order), CURVE.base_point)
            await host.operand.send(AxiStreamFrame(split((k, *point))))
            await host.entropy.send(AxiStreamFrame(split_random(host.random)))
            await ClockCycles(dut.clk, RANDOM_WORDS)
            assert await host.write("CONTROL", START | Operation.POINT_MULTIPLY)
            await ClockCycles(dut.clk, delay)
            before.append(await host.snapshot())
            await host.abort("zeroise")
            await ClockCycles(dut.clk, 200)
            after.append(await host.snapshot())
        for part in CLEARED:
            assert differences(part, *after) == set()
        assert any(differences(part, *before) for part in CLEARED)
        await host.field()
    if FULL_SIZE:
        await host.multiply()
