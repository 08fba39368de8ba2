"""A processor's port spread over devices by address."""

import pytest
from amaranth.sim import Simulator

from residua.errors import SpecificationError
from residua.hardware.soc.memory_port import Decoder, Region, check_regions

REGIONS = {"low": Region(0, 256), "high": Region(0x8000_0000, 16), "next": Region(256, 16)}


@pytest.mark.parametrize(("base", "size"), [(0, 0), (0, 24), (8, 16)])
def test_regions_that_are_none(base, size):
    with pytest.raises(SpecificationError, match="a power of two that divides its address"):
        Region(base, size)


def test_regions_that_overlap():
    with pytest.raises(SpecificationError, match="low ends at 0xff, behind the beginning of inner"):
        check_regions({"low": Region(0, 256), "inner": Region(128, 16)})
    check_regions(REGIONS)


@pytest.mark.parametrize(
    ("address", "device"),
    [
        (0, "low"), (255, "low"), (256, "next"), (271, "next"), (272, None),
        (0x7FFF_FFFF, None), (0x8000_0000, "high"), (0x8000_000F, "high"), (0x8000_0010, None),
    ],
)  # fmt: skip
def test_one_device_is_asked(address, device):
    decoder = Decoder(REGIONS)

    async def bench(ctx):
        ctx.set(decoder.port.address, address)
        ctx.set(decoder.port.strobe, 0b0110)
        ctx.set(decoder.port.write_data, 0x1234_5678)
        for number, name in enumerate(REGIONS):
            ctx.set(getattr(decoder, name).read_data, number + 1)
        ctx.set(decoder.port.valid, 1)
        asked = [name for name in REGIONS if ctx.get(getattr(decoder, name).valid)]
        assert asked == ([device] if device else [])
        assert not ctx.get(decoder.port.ready)
        if device:
            meant = getattr(decoder, device)
            assert (ctx.get(meant.address), ctx.get(meant.strobe)) == (address, 0b0110)
            assert ctx.get(meant.write_data) == 0x1234_5678
            ctx.set(meant.ready, 1)
            assert ctx.get(decoder.port.read_data) == list(REGIONS).index(device) + 1
        else:
            await ctx.tick()
            assert ctx.get(decoder.port.read_data) == 0
            assert ctx.get(decoder.missed)
        assert ctx.get(decoder.port.ready)
        await ctx.tick()
        ctx.set(decoder.port.valid, 0)
        assert not ctx.get(decoder.missed)

    run(decoder, bench)


def test_what_nobody_has_is_answered_once_each_time():
    decoder = Decoder({"low": Region(0, 256)})

    async def bench(ctx):
        ctx.set(decoder.port.address, 0x1000)
        ctx.set(decoder.port.valid, 1)
        ready = []
        for _ in range(4):
            ready.append(ctx.get(decoder.port.ready))
            await ctx.tick()
        assert ready == [0, 1, 0, 1]

    run(decoder, bench)


def run(component, bench, *, clocked=True):
    simulator = Simulator(component)
    if clocked:
        simulator.add_clock(1e-6)
    simulator.add_testbench(bench)
    simulator.run()
