"""A processor's accesses on Wishbone, and on AXI4-Lite with a subordinate at any pace."""

import itertools
import random

import pytest
from amaranth.sim import Simulator

from residua.hardware.soc.bus_masters import AxiLiteMaster, WishboneMaster


@pytest.mark.parametrize("answer", ["ack_o", "err_o"])
def test_wishbone(answer):
    master = WishboneMaster()

    async def bench(ctx):
        assert not ctx.get(master.wb.cyc_i)
        ctx.set(master.port.address, 0x3000_0124)
        ctx.set(master.port.valid, 1)
        assert ctx.get(master.wb.cyc_i) == ctx.get(master.wb.stb_i) == 1
        assert (ctx.get(master.wb.adr_i), ctx.get(master.wb.sel_i)) == (0x124 // 4, 0xF)
        assert (ctx.get(master.wb.we_i), ctx.get(master.port.ready)) == (0, 0)
        ctx.set(master.port.strobe, 0b1000)
        assert (ctx.get(master.wb.we_i), ctx.get(master.wb.sel_i)) == (1, 0b1000)
        ctx.set(master.wb.dat_o, 77)
        ctx.set(getattr(master.wb, answer), 1)
        assert ctx.get(master.port.ready)
        assert ctx.get(master.port.read_data) == (77 if answer == "ack_o" else 0)
        ctx.set(master.port.valid, 0)
        assert not ctx.get(master.port.ready)
        await ctx.delay(1e-9)

    run(master, bench, clocked=False)


ORDERS = [*itertools.product(range(3), range(3), range(3))]
"""Cycles after which address and data are taken, and that an answer waits after both."""


class Subordinate:
    """A subordinate on AXI4-Lite that takes its time; it checks that offers stay as they are."""

    def __init__(self, ctx, axi):
        self.ctx, self.axi = ctx, axi

    async def taken(self, prefix, payloads, wait):
        """A transfer of a channel after some cycles; its payloads, which did not change."""
        valid, ready = (getattr(self.axi, prefix + name) for name in ("valid", "ready"))
        offer = [getattr(self.axi, name) for name in payloads]
        found = None
        while wait >= 0:
            self.ctx.set(ready, wait == 0)
            _, _, offered, *seen = await self.ctx.tick().sample(valid, *offer)
            assert found in (None, seen)
            if offered:
                found, wait = seen, wait - 1
        self.ctx.set(ready, 0)
        return found

    async def answered(self, prefix, wait, *, error, data=0):
        """An answer after some cycles, taken as it comes."""
        for _ in range(wait):
            await self.ctx.tick()
        names = {"valid": 1, "resp": 2 * error, **({"data": data} if prefix == "r" else {})}
        for name, value in names.items():
            self.ctx.set(getattr(self.axi, prefix + name), value)
        _, _, taken = await self.ctx.tick().sample(getattr(self.axi, f"{prefix}ready"))
        assert taken
        for name in names:
            self.ctx.set(getattr(self.axi, prefix + name), 0)


def simulate(master, *benches):
    simulator = Simulator(master)
    simulator.add_clock(1e-6)
    for number, bench in enumerate(benches):
        simulator.add_testbench(bench, background=number > 0)
    simulator.run()


async def access(ctx, port, address, word=None, strobe=0b1111):
    """An access of a processor, which keeps all of it until the answer."""
    ctx.set(port.address, address)
    ctx.set(port.strobe, 0 if word is None else strobe)
    ctx.set(port.write_data, word or 0)
    ctx.set(port.valid, 1)
    (found,) = await ctx.tick().sample(port.read_data).until(port.ready)
    ctx.set(port.valid, 0)
    return found


@pytest.mark.parametrize("error", [0, 1])
def test_axi_lite_writes(error):
    master = AxiLiteMaster()
    draw = random.Random(1)
    accesses = [
        (draw.randrange(1024) * 4, draw.getrandbits(32), draw.randint(1, 15)) for _ in ORDERS
    ]
    taken = {"aw": [], "w": []}

    def channel(prefix, payloads, place):
        async def bench(ctx):
            subordinate = Subordinate(ctx, master.s_axi)
            for order in ORDERS:
                taken[prefix].append(await subordinate.taken(prefix, payloads, order[place]))

        return bench

    async def answers(ctx):
        subordinate = Subordinate(ctx, master.s_axi)
        for number, order in enumerate(ORDERS):
            while min(map(len, taken.values())) <= number:
                await ctx.tick()
            await subordinate.answered("b", order[2], error=error)

    async def processor(ctx):
        for address, word, strobe in accesses:
            await access(ctx, master.port, 0x3000_0000 + address, word, strobe)
            assert not ctx.get(master.s_axi.awvalid | master.s_axi.wvalid | master.s_axi.arvalid)

    channels = channel("aw", ["awaddr"], 0), channel("w", ["wdata", "wstrb"], 1)
    simulate(master, processor, *channels, answers)
    assert taken["aw"] == [[address] for address, _, _ in accesses]
    assert taken["w"] == [[word, strobe] for _, word, strobe in accesses]


@pytest.mark.parametrize("error", [0, 1])
def test_axi_lite_reads(error):
    master = AxiLiteMaster()
    found = []

    async def memory(ctx):
        subordinate = Subordinate(ctx, master.s_axi)
        for order in ORDERS:
            ((address),) = await subordinate.taken("ar", ["araddr"], order[0])
            await subordinate.answered("r", order[2], error=error, data=address * 3 + 1)

    async def processor(ctx):
        for number, _ in enumerate(ORDERS):
            found.append(await access(ctx, master.port, 0x3000_0000 + 4 * number))

    simulate(master, processor, memory)
    wanted = [12 * number + 1 for number, _ in enumerate(ORDERS)]
    assert found == ([0] * len(ORDERS) if error else wanted)


def run(component, bench, *, clocked=True):
    simulator = Simulator(component)
    if clocked:
        simulator.add_clock(1e-6)
    simulator.add_testbench(bench)
    simulator.run()
