"""The engine end to end against the values interpreter: every residue of every output."""

import random
from functools import cache
from itertools import pairwise
from typing import Any

import pytest
from amaranth.sim import Simulator

from algorithms.domains import P64, product_program, signed_domain, words_of
from residua.algorithms.base_extension import hierarchical
from residua.algorithms.program import Program
from residua.algorithms.terms import Interval
from residua.hardware.engine.datapath_design import EngineOptions
from residua.hardware.engine.engine import Engine
from residua.hardware.engine.engine_design import EngineDesign
from residua.machines.bounds import analyse
from residua.machines.scheduling.rows import row_product_range
from residua.machines.values import run
from residua.numbers.residues import Redundant
from residua.numbers.search import search_bases

RUNS = 5


@cache
def program_of(form: str, signs: tuple[int, ...] = (1,), columns: int = 1) -> Program:
    channels = 4 if columns in (1, 2, 4) else 2 * columns
    domain = signed_domain(P64, 17, channels, form, len(signs), columns)
    bounds = analyse(product_program(domain, Redundant(1), signs))
    return product_program(domain, bounds.representation, signs)


def jobs_of(program: Program, generator: random.Random) -> list[dict[str, tuple[int, ...]]]:
    bound = int(program.inputs[0].range.high)
    names = sorted({source.name[:-2] for source in program.inputs})
    jobs = [dict.fromkeys(names, edge) for edge in (bound, -bound, 0)]
    jobs += [{name: generator.randint(-bound, bound) for name in names} for _ in range(RUNS - 3)]
    return [words_of(program, job, generator) for job in jobs]


def operand_words(design: EngineDesign, jobs: list) -> list[tuple[int, ...]]:
    """What the operand stream carries, run after run."""
    return [
        job[source.name][start : start + design.rowers]
        for job in jobs
        for source in design.program.inputs
        for start in range(0, len(source.base), design.rowers)
    ]


def simulate(
    design: EngineDesign, jobs: list, stall: float
) -> list[tuple[int, int, tuple[int, ...]]]:
    """(cycle, position, words) of all results; ``stall`` is how often operands wait."""
    engine, found = Engine(design), []
    generator = random.Random(5)
    rowers, expected = design.rowers, len(jobs) * len(design.schedule.outputs)

    async def drive(ctx: Any) -> None:
        ctx.set(engine.enable, 1)
        for word in operand_words(design, jobs):
            while generator.random() < stall:
                ctx.set(engine.operands.valid, 0)
                await ctx.tick()
            for index, value in enumerate(word):
                ctx.set(engine.operands.payload[index], value)
            ctx.set(engine.operands.valid, 1)
            await ctx.tick().until(engine.operands.ready)
        ctx.set(engine.operands.valid, 0)

    async def watch(ctx: Any) -> None:
        results = [engine.result[index] for index in range(rowers)]
        edges = aiter(ctx.tick().sample(engine.result_valid, engine.result_word, *results))
        for cycle in range(4000):
            _, _, valid, position, *words = await anext(edges)
            if valid:
                found.append((cycle, position, tuple(words)))
            if len(found) == expected:
                break
        # Nothing follows the last result.
        for _ in range(60):
            _, _, valid, *_ = await anext(edges)
            assert not valid

    simulator = Simulator(engine)
    simulator.add_clock(1e-6)
    simulator.add_testbench(drive, background=True)
    simulator.add_testbench(watch)
    simulator.run()
    return found


def check(design: EngineDesign, stall: float = 0.0) -> None:
    """Every output of every run; runs start an interval apart if operands do not wait."""
    program, rowers = design.program, design.rowers
    assert isinstance(program.representation, Redundant)
    assert program.representation.folds == design.bounds.folds
    jobs = jobs_of(program, random.Random(6))
    found = simulate(design, jobs, stall)
    outputs = len(design.schedule.outputs)
    assert len(found) == len(jobs) * outputs
    # Runs overlap: each output comes run after run, but not all outputs of a run in a row.
    streams = [[words for _, at, words in found if at == position] for position in range(outputs)]
    for job, own in zip(jobs, zip(*streams, strict=True), strict=True):
        values = run(program, job)
        groups = [
            values[value.name][start : start + rowers]
            for value in program.outputs
            for start in range(0, len(value.base), rowers)
        ]
        assert list(own) == groups
    if not stall:
        # While operands keep coming, every run has its words when it is to start.
        lasts = [cycle for cycle, at, _ in found if at == outputs - 1]
        assert {later - sooner for sooner, later in pairwise(lasts)} == {design.schedule.interval}


@pytest.mark.parametrize("goal", ["latency", "interval"])
@pytest.mark.parametrize("rowers", [4, 2, 1])
@pytest.mark.parametrize("form", ["quadratic", "reordered"])
def test_products(form, rowers, goal):
    check(EngineDesign(program_of(form), EngineOptions(rowers=rowers, goal=goal)))


@pytest.mark.parametrize("stall", [0.3, 0.9])
@pytest.mark.parametrize("goal", ["latency", "interval"])
def test_operands_that_wait(goal, stall):
    check(EngineDesign(program_of("quadratic"), EngineOptions(rowers=4, goal=goal)), stall)


@pytest.mark.parametrize(
    "options",
    [
        {"reduction": "multiply"},
        {"product_registers": 1},
        {"levels_per_register": 2},
    ],
)
def test_options(options):
    check(EngineDesign(program_of("quadratic"), EngineOptions(rowers=2, **options)))


@pytest.mark.parametrize("rowers", [4, 2])
def test_differences_of_products(rowers):
    check(EngineDesign(program_of("quadratic", (1, -1)), EngineOptions(rowers=rowers)))


@pytest.mark.parametrize("goal", ["latency", "interval"])
@pytest.mark.parametrize(
    ("form", "columns", "rowers"),
    [("quadratic", *own) for own in ((2, 4), (2, 2), (3, 6), (3, 3), (4, 4))]
    + [("reordered", 2, 2), ("reordered", 3, 6)],
)
def test_hierarchical_extensions(form, columns, rowers, goal):
    program = program_of(form, (1, -1), columns)
    design = EngineDesign(program, EngineOptions(rowers=rowers, goal=goal))
    assert design.row_shape is not None
    assert design.row_shape.columns == columns
    check(design, 0.3 if (form, goal) == ("reordered", "interval") else 0.0)


@pytest.mark.parametrize(
    "options",
    [
        {"reduction": "multiply"},
        {"product_registers": 1},
        {"levels_per_register": 2},
        {"levels_per_register": 4},
    ],
)
def test_options_with_rows(options):
    program = program_of("quadratic", columns=2)
    check(EngineDesign(program, EngineOptions(rowers=4, **options)))


def test_few_rows():
    """Products of which super-residues are made may exceed every sum that is reduced."""
    pair = search_bases(P64, 12, 6, columns=3)
    program = Program("extension", Redundant(1))
    limits = Interval.of(0, pair.base_b.product)
    value = program.input("x_b", pair.base_b, [1] * 6, limits)
    program.output(hierarchical(program, value, pair.base_a, None, 3))
    program.representation = analyse(program).representation
    design = EngineDesign(program, EngineOptions(rowers=6))
    largest = max(abs(end) for own in design.ranges.values() for end in own)
    low, high = row_product_range(program)
    assert high > largest
    assert design.sum_range[0] <= low
    assert design.sum_range[1] >= high
    edges = (-(1 << 12), (1 << 12) - 1)
    jobs = [{"x_b": words} for words in ((edges[0],) * 6, (edges[1],) * 6, edges * 3)]
    for job, (_, _, words) in zip(jobs, simulate(design, jobs, 0.0), strict=True):
        assert words == run(program, job)[program.outputs[0].name]
