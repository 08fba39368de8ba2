"""Reset after power-on and on a button, and the lights."""

from amaranth.sim import Simulator

from residua.hardware.soc.board_control import BoardControl

CYCLES, HALF = 6, 10
BEFORE, BEHIND = 2, 1
"""Registers before the counter, and behind it."""


def run(bench):
    control = BoardControl(HALF, CYCLES)
    simulator = Simulator(control)
    simulator.add_clock(1e-6)

    async def wrapped(ctx):
        await bench(ctx, control)

    simulator.add_testbench(wrapped)
    simulator.run()


async def cycles_of_reset(ctx, control):
    count = 0
    while ctx.get(control.reset):
        await ctx.tick()
        count += 1
        assert count < 1000
    return count


def test_reset_until_the_clock_is_there_and_no_button_is_pressed():
    async def bench(ctx, control):
        for _ in range(50):
            assert ctx.get(control.reset), "before the clock is there"
            await ctx.tick()
        ctx.set(control.locked, 1)
        assert await cycles_of_reset(ctx, control) == BEFORE + CYCLES + BEHIND
        ctx.set(control.button, 1)
        await ctx.tick().repeat(BEFORE + BEHIND)
        for _ in range(3 * CYCLES):
            assert ctx.get(control.reset), "while the button is pressed"
            await ctx.tick()
        ctx.set(control.button, 0)
        assert await cycles_of_reset(ctx, control) == BEFORE + CYCLES + BEHIND
        ctx.set(control.locked, 0)
        await ctx.tick().repeat(BEFORE + BEHIND)
        assert ctx.get(control.reset), "the clock is lost"

    run(bench)


def test_a_button_that_bounces_begins_the_reset_anew():
    async def bench(ctx, control):
        ctx.set(control.locked, 1)
        for _ in range(5):
            await ctx.tick().repeat(CYCLES)
            ctx.set(control.button, 1)
            await ctx.tick()
            ctx.set(control.button, 0)
            assert ctx.get(control.reset)
        assert await cycles_of_reset(ctx, control) == BEFORE + CYCLES + BEHIND

    run(bench)


def test_lights():
    async def bench(ctx, control):
        assert not ctx.get(control.alive)
        ctx.set(control.locked, 1)
        await cycles_of_reset(ctx, control)
        seen = []
        for _ in range(4 * HALF):
            seen.append(ctx.get(control.alive))
            assert not ctx.get(control.error)
            await ctx.tick()
        assert seen == ([0] * HALF + [1] * HALF) * 2
        ctx.set(control.trap, 1)
        await ctx.tick()
        ctx.set(control.trap, 0)
        await ctx.tick()
        assert ctx.get(control.error), "it stays"
        ctx.set(control.button, 1)
        await ctx.tick().repeat(BEFORE + BEHIND + 1)
        assert not ctx.get(control.error)

    run(bench)
