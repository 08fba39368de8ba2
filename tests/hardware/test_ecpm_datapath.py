"""The extended-RNS datapath against plain integers, from the adder to whole multiplications."""

import random

import pytest
from amaranth.sim import Simulator
from tests.hardware.bench import pipelined

from residua.curves import affine, jacobian
from residua.curves.parameters import WeierstrassCurve
from residua.errors import SpecificationError
from residua.hardware.ecpm.converter import ConversionShape, Converter
from residua.hardware.ecpm.design import EcpmDesign
from residua.hardware.ecpm.horner import HornerMultiplier
from residua.hardware.ecpm.modular import ModularAdder, ModularSubtracter
from residua.hardware.ecpm.processor import EcpmProcessor
from residua.machines.integers import Integers
from residua.numbers.extended_base import extended_base
from residua.numbers.moduli import Modulus

P = 65543
A = 11
B = (A * A - 6 * A - 3) * pow(12, -1, P) % P
"""3 + 6 A + 12 B = A^2, so that x = 1 belongs to points of order 3."""

SMALL_Y = next(y for y in range(P) if (y * y - 1 - A - B) % P == 0)
CURVE = WeierstrassCurve("small", P, A, B, 0, 0, 1, 1)


@pytest.mark.parametrize("modulus", [5, 11, 16])
def test_adder_and_subtracter_exhaustively(modulus):
    pairs = [{"left": x, "right": y} for x in range(modulus) for y in range(modulus)]
    sums = pipelined(ModularAdder(modulus), pairs, "sum", 1)
    differences = pipelined(ModularSubtracter(modulus), pairs, "difference", 1)
    assert sums == [(pair["left"] + pair["right"]) % modulus for pair in pairs]
    assert differences == [(pair["left"] - pair["right"]) % modulus for pair in pairs]


@pytest.mark.parametrize(
    ("modulus", "digit"),
    [(Modulus(4, 3), 1), (Modulus(4, 1), 3), (Modulus(4, 3), 4), (Modulus(33, 9), 1),
     (Modulus(33, 133), 4), (Modulus(33, 133), 17), (Modulus(7, 1), 4)],
)  # fmt: skip
def test_horner_multiplier(modulus, digit):
    steps = -(-modulus.width // digit)
    multiplier, generator = HornerMultiplier(modulus, digit, steps), random.Random(1)
    edges = [0, 1, 2, modulus.value // 2, modulus.value - 2, modulus.value - 1]
    if modulus.width < 6:
        edges = list(range(modulus.value))
    pairs = [(x, y) for x in edges for y in edges]
    pairs += [
        (generator.randrange(modulus.value), generator.randrange(modulus.value)) for _ in range(20)
    ]
    cycles = [
        {"start": int(cycle == 0), "first": 0, "left": x, "right": y}
        for x, y in pairs
        for cycle in range(steps)
    ]
    cycles += [{"start": 0, "first": 0, "left": 0, "right": 0} for _ in range(2)]
    for now, later in zip(cycles, cycles[2:], strict=False):
        later["first"] = now["start"]
    found = pipelined(multiplier, cycles, "product", multiplier.latency)
    assert found[::steps][: len(pairs)] == [x * y % modulus.value for x, y in pairs]


@pytest.mark.parametrize(
    ("channels", "width", "bits"), [(5, 12, 1), (6, 12, 2), (9, 17, 3), (4, 20, 4)]
)
def test_converter(channels, width, bits):
    base, generator = extended_base(channels, width), random.Random(2)
    for prime in (65537, 101):
        shape = ConversionShape(base, prime, bits)
        limit = base.largest
        numbers = [0, 1, -1, limit, -limit, prime, -prime, prime - 1, limit // 2]
        numbers += [generator.randint(-limit, limit) for _ in range(10)]
        assert _converted(shape, numbers) == [number % prime for number in numbers]


def _converted(shape, numbers):
    converter, found = Converter(shape), []

    async def bench(ctx):
        for number in numbers:
            scaled = shape.base.scaled(shape.base.residues(number))
            for index, xi in enumerate(scaled):
                ctx.set(getattr(converter, f"xi_{index}"), xi)
            for cycle in range(shape.done):
                last = shape.last_sum
                ctx.set(converter.collect, cycle == 0)
                ctx.set(converter.sum_first, cycle == shape.sum_delay)
                ctx.set(converter.fold, cycle == last)
                ctx.set(converter.weigh, cycle == last + 2)
                ctx.set(converter.subtract, cycle >= last + 3)
                ctx.set(converter.shift, max(shape.done - 1 - cycle, 0) if cycle >= last + 3 else 0)
                await ctx.tick()
            found.append(ctx.get(converter.number))

    simulator = Simulator(converter)
    simulator.add_clock(1e-6)
    simulator.add_testbench(bench)
    simulator.run()
    return found


def results(design, operations):
    """Results of the processor, with latency and interval checked."""
    processor, found = EcpmProcessor(design), []
    mask = (1 << design.width) - 1

    async def bench(ctx):
        now, finished = 0, None
        ctx.set(processor.result.ready, 1)
        for numbers in operations:
            words = []
            for place, number in enumerate(numbers):
                first = place == 0 and design.operation == "multiply"
                count = design.scalar_words if first else design.number_words
                words += [number >> (design.width * i) & mask for i in range(count)]
            got = []
            given = None
            while len(got) < design.result_words:
                ctx.set(processor.operands.valid, bool(words))
                ctx.set(processor.operands.payload, words[0] if words else 0)
                taken = words and ctx.get(processor.operands.ready)
                if ctx.get(processor.result.valid):
                    got.append(ctx.get(processor.result.payload.word))
                    assert ctx.get(processor.result.payload.last) == (
                        len(got) == design.result_words
                    )
                if taken:
                    words.pop(0)
                    given = now if not words else given
                await ctx.tick()
                now += 1
            assert now - 1 - given == processor.latency
            assert finished is None or now - finished == processor.interval
            finished = now
            count = design.number_words
            found.append(
                tuple(sum(w << design.width * i for i, w in enumerate(got[k : k + count]))
                      for k in range(0, 3 * count, count))
            )  # fmt: skip

    simulator = Simulator(processor)
    simulator.add_clock(1e-6)
    simulator.add_testbench(bench)
    simulator.run()
    return found


def design_of(operation, **options):
    sizes = {"channels": 6, "width": 12, "digit": 3, "conversion": 2, "scalar_bits": 5}
    return EcpmDesign(CURVE.prime, CURVE.a, operation=operation, **(sizes | options))


@pytest.mark.parametrize("operation", ["add", "double"])
def test_point_operations_are_the_formulas(operation):
    p, generator = CURVE.prime, random.Random(3)
    program = jacobian.ADDITION if operation == "add" else jacobian.DOUBLING
    count = 6 if operation == "add" else 3
    cases = [
        (p - 1,) * count,
        (0,) * count,
        (1,) * count,
        (p - 1, 0) * (count // 2) + (p - 1,) * (count % 2),
    ]
    cases += [tuple(generator.randrange(p) for _ in range(count)) for _ in range(3)]
    names = ("X0", "Y0", "Z0", "X1", "Y1", "Z1") if operation == "add" else ("X1", "Y1", "Z1")
    expected = []
    for case in cases:
        inputs = dict(zip(names, case, strict=True)) | {"a": CURVE.a}
        values = jacobian.run(program, Integers(p), inputs)
        expected.append(tuple(values[name] for name in program.outputs.values()))
    assert results(design_of(operation), cases) == expected


def test_multiples():
    """Points of order 3 pass every exception of (10): Q neutral, Q = P and Q = -P."""
    p, z = CURVE.prime, 12345
    chooser = random.Random(4)
    points = [(1, SMALL_Y), point_of(CURVE, chooser), None]
    assert affine.multiply(CURVE, 3, points[0]) is None
    chosen = [(0, points[0]), (3, points[0]), (5, points[0]), (6, points[1]), (7, points[2])]
    cases = []
    for k, point in chosen:
        x, y = point or (1, 1)
        cases.append((k, x * z * z % p, y * z**3 % p, z if point else 0))
    found = results(design_of("multiply", scalar_bits=3), cases)
    for (k, point), case, triple in zip(chosen, cases, found, strict=True):
        assert plain(triple) == affine.multiply(CURVE, k, point)
        model = jacobian.multiply(Integers(p), k, 3, case[1:], CURVE.a, (1, 1, 0))
        assert triple == tuple(model)


def point_of(curve, chooser):
    while True:
        x = chooser.randrange(curve.prime)
        square = affine.right_side(curve, x)
        if root := next((y for y in range(curve.prime) if y * y % curve.prime == square), None):
            return x, root


def plain(triple):
    x, y, z = triple
    if z == 0:
        return None
    inverse = pow(z, -1, CURVE.prime)
    return x * inverse**2 % CURVE.prime, y * inverse**3 % CURVE.prime


def test_too_narrow_a_range_says_what_is_missing():
    with pytest.raises(SpecificationError, match=r"is 9 bits too narrow: .* reach 68 bits"):
        _ = design_of("multiply", channels=5)
    with pytest.raises(SpecificationError, match="coprime odd moduli 2\\^8"):
        _ = design_of("multiply", channels=60, width=8)
