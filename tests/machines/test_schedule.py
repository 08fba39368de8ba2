"""Schedules: their figures, and a replay of interleaved runs that does not trust the scheduler."""

import random
from dataclasses import replace
from functools import cache

import pytest

from algorithms.domains import P64, P192, product_program, signed_domain, words_of
from machines.replay import Replay
from residua.algorithms.conversion import split_words, to_montgomery
from residua.algorithms.montgomery import multiply, operand, sum_of_products
from residua.algorithms.program import Program
from residua.errors import SpecificationError
from residua.machines.bounds import analyse
from residua.machines.schedule import Schedule, schedule
from residua.machines.scheduling.rows import row_digits
from residua.machines.slots import Machine
from residua.numbers.residues import Redundant


@cache
def product_of(channels: int, form: str = "quadratic", signs: tuple[int, ...] = (1,)) -> Program:
    modulus, width = {4: (P64, 17), 12: (P192, 17), 6: (P64, 17)}[channels]
    domain = signed_domain(modulus, width, channels, form, len(signs))
    folds = analyse(product_program(domain, Redundant(1), signs)).folds
    return product_program(domain, Redundant(folds), signs)


def replayed(program: Program, result: Schedule, runs: int = 6) -> None:
    generator = random.Random(1)
    bound = int(program.inputs[0].range.high)
    names = sorted({source.name[:-2] for source in program.inputs})
    jobs = [
        words_of(program, {name: generator.randint(-bound, bound) for name in names}, generator)
        for _ in range(runs)
    ]
    Replay(result, jobs).replay()


@pytest.mark.parametrize("latency", [5, 7, 10])
@pytest.mark.parametrize("channels", [6, 12])
def test_latency_of_the_quadratic_form(channels, latency):
    program = product_of(channels)
    machine = Machine(channels, latency, 1, 6, channels)
    result = schedule(program, machine, "latency")
    assert result.latency == 3 * latency + 2 * channels + 1
    replayed(program, result)


def test_published_size():
    result = schedule(product_of(12), Machine(12, 7, 1, 6, 2), "latency")
    assert result.latency == 46


@pytest.mark.parametrize("memory_delay", [1, 2, 3])
@pytest.mark.parametrize("channels", [6, 12])
def test_interval_of_the_quadratic_form(channels, memory_delay):
    program = product_of(channels)
    result = schedule(program, Machine(channels, 7, memory_delay, 6, channels), "interval")
    assert result.interval == 2 * channels + 5
    replayed(program, result)


@pytest.mark.parametrize("goal", ["latency", "interval"])
@pytest.mark.parametrize(
    ("channels", "rowers"), [(12, 6), (12, 4), (12, 3), (12, 1), (6, 2), (4, 2)]
)
def test_shared_rowers(channels, rowers, goal):
    program = product_of(channels)
    result = schedule(program, Machine(rowers, 7, 1, 6, min(rowers, 2)), goal)
    groups = channels // rowers
    slots = sum(len(p.sequence.slots) for p in result.placed)
    # Products and constants need a slot in each group, extensions n and a quotient; the rest idles.
    assert slots >= groups * (2 * channels + 5)
    assert result.interval >= slots
    assert len(result.placed) == 4 * groups
    replayed(program, result)


@pytest.mark.parametrize("form", ["plain", "reordered", "quadratic"])
@pytest.mark.parametrize("signs", [(1,), (-1, -1), (1, 1, -1)])
@pytest.mark.parametrize("rowers", [2, 4])
def test_forms_and_sums_of_products(form, signs, rowers):
    program = product_of(4, form, signs)
    for goal in ("latency", "interval"):
        result = schedule(program, Machine(rowers, 9, 2, 6, 2), goal)
        assert len({p.sequence.result for p in result.placed}) == len(result.placed)
        replayed(program, result)


@pytest.mark.parametrize("taps", [1, 2, 3, 6, 12])
def test_taps_share_the_words(taps):
    program = product_of(12)
    result = schedule(program, Machine(12, 7, 1, 6, taps), "latency")
    replayed(program, result, 3)
    idle = max(-(-12 // taps) - 1 + 6 - 12, 0)
    # The first extension adds u_b while it would wait, the second has nothing else to do.
    assert result.latency == 46 + idle + max(idle - 1, 0)


@cache
def hierarchical_product(columns: int, form: str, signs: tuple[int, ...] = (1,)) -> Program:
    domain = signed_domain(P192, 17, 12, form, len(signs), columns)
    bounds = analyse(product_program(domain, Redundant(1), signs))
    return product_program(domain, bounds.representation, signs)


def rows(rowers: int, columns: int, taps: int = 1, delay: int = 3) -> Machine:
    return Machine(rowers, 7, delay, 2, taps, columns=columns, row_latency=9 + columns, row_lead=5)


@pytest.mark.parametrize("form", ["plain", "reordered", "quadratic"])
@pytest.mark.parametrize("columns", [2, 3, 4])
def test_hierarchical_extensions(form, columns):
    program = hierarchical_product(columns, form)
    for goal in ("latency", "interval"):
        replayed(program, schedule(program, rows(12, columns), goal))


@pytest.mark.parametrize(("rowers", "columns"), [(6, 2), (6, 3), (4, 2), (4, 4), (2, 2)])
def test_rows_of_shared_rowers(rowers, columns):
    program = hierarchical_product(columns, "quadratic", (1, -1))
    for goal in ("latency", "interval"):
        result = schedule(program, rows(rowers, columns), goal)
        # Super-residues of several groups wait for the passes of others.
        assert result.row_registers
        replayed(program, result)


@pytest.mark.parametrize("taps", [1, 2, 3, 6])
def test_taps_share_the_super_residues(taps):
    program = hierarchical_product(2, "quadratic")
    replayed(program, schedule(program, rows(12, 2, taps), "interval"), 3)


def test_interval_of_hierarchical_extensions():
    """Products and constants take 3 slots, quotients 2, each extension r and its digits."""
    program = hierarchical_product(2, "quadratic")
    result = schedule(program, rows(12, 2, taps=2), "interval")
    assert result.interval == 3 + 2 + 12 + sum(row_digits(program))


@pytest.mark.parametrize(("rowers", "columns"), [(6, 2), (6, 3), (4, 2), (4, 4)])
def test_interval_of_shared_rows(rowers, columns):
    """Every slot of the interval is used, which no search in the order of the program finds."""
    program, machine = hierarchical_product(columns, "quadratic"), rows(rowers, columns)
    result = schedule(program, machine, "interval")
    assert result.interval == sum(len(p.sequence.slots) for p in result.placed)
    assert schedule(program, machine, "interval") == result
    replayed(program, result, 4)


def test_rows_of_another_length_are_refused():
    with pytest.raises(
        SpecificationError, match=r"rows\(u_a\) has rows of 2, but the engine rows of 3"
    ):
        schedule(hierarchical_product(2, "quadratic"), rows(12, 3))


def test_goals():
    program = product_of(12)
    machine = Machine(12, 7, 1, 6, 2)
    fast, dense = schedule(program, machine, "latency"), schedule(program, machine, "interval")
    assert fast.latency <= dense.latency
    assert dense.interval <= fast.interval
    assert schedule(program, machine, "latency") == fast


def test_rowers_that_do_not_divide_are_refused():
    with pytest.raises(
        SpecificationError,
        match="5 rowers cannot share 12 moduli evenly; the number of rowers must divide 12",
    ):
        schedule(product_of(12), Machine(5, 7, 1, 6, 2))


def chain(domain, representation) -> Program:
    """(x y)^2 - x y z: words that wait in the register memory for a long time."""
    program = Program("chain", representation)
    x, y, z = (operand(program, domain, name) for name in "xyz")
    first = multiply(program, domain, x, y)
    second = multiply(program, domain, first, z)
    third = sum_of_products(program, domain, [(first, first, 1), (second, z, -1)])
    program.output(third.a, third.b)
    return program


@pytest.mark.parametrize("rowers", [4, 2])
def test_chain_of_products(rowers):
    domain = signed_domain(P64, 17, 4, "quadratic", 2)
    program = chain(domain, Redundant(analyse(chain(domain, Redundant(1))).folds))
    for goal in ("latency", "interval"):
        result = schedule(program, Machine(rowers, 8, 2, 6, 1), goal)
        replayed(program, result, 4)


@pytest.mark.parametrize("rowers", [4, 2])
def test_binary_operands_and_serial_outputs(rowers):
    domain = signed_domain(P64, 17, 4)
    program = Program("enter", Redundant(2))
    result = to_montgomery(program, domain, program.words("x", 4, 17, (1 << 68) - 1))
    program.output(result.a, result.b)
    program.representation = Redundant(analyse(program).folds)
    placed = schedule(program, Machine(rowers, 7, 1, 6, 1), "interval", serial=True)
    generator = random.Random(2)
    jobs = [{"x": split_words(generator.getrandbits(68), 4, 17)} for _ in range(4)]
    Replay(placed, jobs).replay()


def test_shortest_interval_is_kept():
    machine = Machine(12, 7, 1, 6, 2)
    result = schedule(product_of(12), machine, "interval", shortest_interval=40)
    assert result.interval == 40
    replayed(product_of(12), result, 3)


def test_replay_finds_an_early_read():
    """The checker does check: one sequence moved by a slot makes it fail."""
    result = schedule(product_of(4), Machine(4, 7, 1, 6, 2), "latency")
    for index in range(2, len(result.placed)):
        moved = list(result.placed)
        moved[index] = replace(moved[index], start=moved[index].start - 1)
        with pytest.raises((AssertionError, KeyError)):
            replayed(product_of(4), replace(result, placed=tuple(moved)))
    shorter = replace(result, interval=result.interval - 1)
    with pytest.raises((AssertionError, KeyError)):
        replayed(product_of(4), shorter)


def test_two_extensions_in_one_sum_are_refused():
    """The Cox keeps one quotient at a time."""
    domain = signed_domain(P64, 17, 4, "reordered")
    base = domain.base_b
    program = Program("sum", Redundant(2))
    summands = []
    for name in "xy":
        xi = program.input(name, base, base.cofactor_inverses, domain.range)
        summands.append(program.extension(xi, domain.base_a, domain.second, exact=True))
    program.output(program.reduce("z", *summands))
    with pytest.raises(SpecificationError, match="z sums two base extensions"):
        schedule(program, Machine(4, 7, 1, 6, 2))
