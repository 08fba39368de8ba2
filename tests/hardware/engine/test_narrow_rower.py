"""Engines with an extra channel modulo 2^g, of one lane and of two, against the model."""

import random

import pytest
from amaranth.sim import Simulator

from residua.algorithms.program import Program
from residua.algorithms.single_base import product_program, single_base
from residua.algorithms.terms import Interval
from residua.cores.single_base.verification import single_base_workload
from residua.errors import SpecificationError
from residua.hardware.engine.datapath_design import EngineOptions
from residua.hardware.engine.engine import Engine
from residua.hardware.engine.engine_design import EngineDesign
from residua.machines.values import run
from residua.numbers.half_bases import sparse_half_bases
from residua.numbers.residues import Redundant

RUNS = 6


def design_of(channels, rowers, extra, *, compressed, interval="latency", lanes=1):
    bases = sparse_half_bases(12, channels, weight=3, rowers=rowers, quadratic=False)
    domain = single_base(*bases, extra, Redundant(1), form="short", multiplication="direct")
    radix = domain.split.base_a.product
    ranges = (Interval.of(-radix, radix),) * 2
    program = product_program(
        domain, Redundant(1), ranges, compressed=compressed, parallel=lanes > 1
    )
    options = EngineOptions(rowers=lanes * rowers, goal=interval, levels_per_register=2)
    design = EngineDesign(program, options)
    program.representation = design.bounds.representation
    return domain, design


def words_of(design, vector, words, group):
    """One transfer: the words of the rowers, then that of the extra channel or anything."""
    first = group * design.rowers
    own = list(words[first : first + design.rowers])
    return [*own, words[-1] if vector.base.narrow and group == 0 else 1]


def simulate(design, jobs):
    """Words of all results, by run and position."""
    engine = Engine(design)
    units, outputs = design.machine.units * design.lanes, len(design.schedule.outputs)
    found = [[None] * outputs for _ in jobs]

    async def drive(ctx):
        ctx.set(engine.enable, 1)
        for job in jobs:
            for source in design.program.inputs:
                for group in range(len(source.base.wide) // design.rowers):
                    words = words_of(design, source, job[source.name], group)
                    for index, word in enumerate(words):
                        ctx.set(engine.operands.payload[index], word)
                    ctx.set(engine.operands.valid, 1)
                    await ctx.tick().until(engine.operands.ready)
        ctx.set(engine.operands.valid, 0)

    async def watch(ctx):
        counts = [0] * outputs
        results = [engine.result[index] for index in range(units)]
        while sum(counts) < len(jobs) * outputs:
            _, _, valid, position, *words = await ctx.tick().sample(
                engine.result_valid, engine.result_word, *results
            )
            if valid:
                found[counts[position]][position] = words
                counts[position] += 1

    simulator = Simulator(engine)
    simulator.add_clock(1e-6)
    simulator.add_testbench(drive, background=True)
    simulator.add_testbench(watch)
    simulator.run()
    return found


@pytest.mark.parametrize(
    ("channels", "rowers", "extra", "compressed", "goal", "lanes"),
    [
        (3, 3, 5, False, "latency", 1),
        (3, 3, 5, True, "latency", 1),
        (2, 2, 9, True, "interval", 1),
        (4, 2, 5, True, "latency", 1),
        (3, 3, 5, False, "latency", 2),
        (3, 3, 5, True, "latency", 2),
        (2, 2, 9, True, "interval", 2),
        (4, 2, 5, True, "latency", 2),
    ],
)
def test_engine(channels, rowers, extra, compressed, goal, lanes):
    domain, design = design_of(
        channels, rowers, extra, compressed=compressed, interval=goal, lanes=lanes
    )
    program = design.program
    pool = single_base_workload(program, domain, 1).pools[0]
    generator = random.Random(2)
    jobs = []
    for _ in range(RUNS):
        words = [w for _ in "xy" for w in generator.choice(pool.fixed)]
        job = {}
        for source in program.inputs:
            job[source.name], words = words[: len(source.base)], words[len(source.base) :]
        jobs.append(job)
    for job, own in zip(jobs, simulate(design, jobs), strict=True):
        expected = run(program, job)
        for word, obtained in zip(design.schedule.outputs, own, strict=True):
            for lane, value in enumerate(design.schedule.held(word)):
                words = words_of(design, value, expected[value.name], word.group)
                first, extra_too = lane * (rowers + 1), value.base.narrow and word.group == 0
                count = rowers + extra_too
                assert obtained[first : first + count] == words[:count], value.name


def test_two_extra_moduli_are_refused():
    program = Program("two", Redundant(1))
    for extra in (4, 5):
        domain, _ = design_of(2, 2, extra, compressed=False)
        base = domain.split.base_b
        value = program.input(f"x{extra}", base, [1] * len(base), Interval.of(0, 1))
        program.reduce(f"y{extra}", program.scaled(value, 3))
    with pytest.raises(SpecificationError, match="one extra modulus"):
        _ = EngineDesign(program, EngineOptions(rowers=2)).narrow


def test_an_odd_number_of_rowers_makes_no_lanes():
    _, design = design_of(2, 2, 5, compressed=False, lanes=2)
    with pytest.raises(SpecificationError, match="3 rowers do not make two lanes"):
        EngineDesign(design.program, EngineOptions(rowers=3))
