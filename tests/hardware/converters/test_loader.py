"""The operand loader: when it takes words, and when it asks for a run."""

from typing import Any

from amaranth.sim import Simulator

from residua.hardware.engine.loader import OperandLoader


def test_words_request_start_and_release():
    loader, log = OperandLoader(3), []

    async def step(ctx: Any, **inputs: int) -> None:
        for name in ("valid", "busy", "start", "release"):
            ctx.set(getattr(loader, name), inputs.get(name, 0))
        await ctx.delay(1e-9)
        names = ("ready", "load", "register", "request")
        log.append(tuple(ctx.get(getattr(loader, name)) for name in names))
        await ctx.tick()

    async def bench(ctx: Any) -> None:
        await step(ctx)
        await step(ctx, valid=1)
        await step(ctx, valid=1, busy=1)
        await step(ctx, valid=1)
        await step(ctx, valid=0)
        await step(ctx, valid=1)
        await step(ctx, valid=1)
        await step(ctx, valid=1, start=1)
        await step(ctx, valid=1, release=1)
        await step(ctx, valid=1)

    simulator = Simulator(loader)
    simulator.add_clock(1e-6)
    simulator.add_testbench(bench)
    simulator.run()
    assert log == [
        (1, 0, 1, 0),
        (1, 1, 1, 0),
        (0, 0, 2, 0),
        (1, 1, 2, 0),
        (1, 0, 3, 0),
        (1, 1, 3, 0),
        (0, 0, 1, 1),
        (0, 0, 1, 1),
        (0, 0, 1, 0),
        (1, 1, 1, 0),
    ]
