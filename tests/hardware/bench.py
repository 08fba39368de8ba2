"""Drives a pipeline in Amaranth's simulator: one set of inputs a cycle, all outputs back."""

from collections.abc import Sequence
from typing import Any

from amaranth.sim import Simulator


def pipelined(
    component: Any, inputs: Sequence[dict[str, Any]], output: str, latency: int
) -> list[int]:
    """What ``output`` is ``latency`` clock edges after each of the inputs."""
    found: list[int] = []
    idle: dict[str, Any] = dict.fromkeys(inputs[0], 0)

    async def bench(ctx: Any) -> None:
        for values in [*inputs, *[idle] * (latency - 1)]:
            for name, value in values.items():
                if isinstance(value, int):
                    ctx.set(getattr(component, name), value)
                else:
                    for index, item in enumerate(value):
                        ctx.set(getattr(component, name)[index], item)
            await ctx.tick()
            found.append(ctx.get(getattr(component, output)))

    idle = {
        name: 0 if isinstance(value, int) else [0] * len(value) for name, value in inputs[0].items()
    }
    simulator = Simulator(component)
    simulator.add_clock(1e-6)
    simulator.add_testbench(bench)
    simulator.run()
    return found[latency - 1 :]


def settled(component: Any, inputs: Sequence[dict[str, int]], output: str) -> list[int]:
    """What a combinational ``output`` is for each of the inputs."""
    found: list[int] = []

    async def bench(ctx: Any) -> None:
        for values in inputs:
            for name, value in values.items():
                ctx.set(getattr(component, name), value)
            await ctx.delay(1e-9)
            found.append(ctx.get(getattr(component, output)))

    simulator = Simulator(component)
    simulator.add_testbench(bench)
    simulator.run()
    return found


def signed_edges(width: int) -> list[int]:
    """The ends and the middle of signed words."""
    top = 1 << (width - 1)
    return [-top, 1 - top, -1, 0, 1, top - 2, top - 1]


def wrapped(value: int, width: int) -> int:
    """``value`` modulo 2^width, as a signed word."""
    top = 1 << (width - 1)
    return (value + top) % (1 << width) - top
