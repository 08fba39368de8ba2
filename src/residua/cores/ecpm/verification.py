"""The RTL of an ECPM of 2006 against its formulas and affine arithmetic.

Every word of every result is compared with the formulas on integers. Every result is also judged
by the textbook group law, which knows nothing of the formulas.
"""

import random
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import chain, product
from math import gcd
from pathlib import Path

from residua.algorithms.integer_program import run
from residua.cores.ecpm.core import EcpmCore, Numbers
from residua.cores.simulation.result import VerificationResult
from residua.cores.simulation.runs import Runs
from residua.cores.simulation.streams import Case, Streams, verify_streams
from residua.curves import affine
from residua.curves.jacobian import ADDITION, DOUBLING
from residua.machines.integers import Integers
from residua.numbers.primes.square_root import square_root

_LEVEL = 4
"""Random scalars that begin with a sum of points of the same y."""

_RESIDUES, _TRIALS = 3, 1000
"""Residues above each modulus that products have, and points that are tried for each."""

_MOST_WRONG = 3
"""Failures of the formulas that are told."""


def verify_ecpm(core: EcpmCore, rtl_sources: Sequence[Path], runs: Runs) -> VerificationResult:
    """Run operands chosen by the seed, adversarial ones first; see `verify_streams`."""
    design, wrong = core.design, list[str]()
    streams = Streams(
        design.width, design.operand_words, design.result_words, design.latency, design.interval
    )
    cases = _cases(core, random.Random(runs.seed), wrong)
    found = verify_streams(streams, core.name, rtl_sources, cases, runs)
    return replace(
        found, model_checks=found.vectors, failures=(*wrong[:_MOST_WRONG], *found.failures)
    )


def _cases(core: EcpmCore, chooser: random.Random, wrong: list[str]) -> Iterator[Case]:
    """Operands and what the formulas make of them; where these are ``wrong``, it is told there."""
    for numbers in operands(core, chooser):
        found = core.model(numbers)
        if not right(core, numbers, found):
            wrong.append(f"the formulas are wrong for {numbers}")
        yield core.operand_words(numbers), core.result_words(found)


def operands(core: EcpmCore, chooser: random.Random) -> Iterator[Numbers]:
    """Adversarial operands, then random ones."""
    if core.design.operation == "multiply":
        special = (_exceptional, _level, _above_moduli)
        return chain(*(one(core, chooser) for one in special), _multiples(core, chooser))
    count = 6 if core.design.operation == "add" else 3
    return chain(_edges(core, count, chooser), _points(core, count, chooser))


def right(core: EcpmCore, numbers: Numbers, found: Numbers) -> bool:
    """Whether a result in Jacobian coordinates is that of the group law in affine coordinates.

    Sums are those of the chord through any two points with different x, doubles those of the
    tangent, on a curve or not; where (10) and (9) have no answer Z2 must be 0.
    """
    curve, p = core.curve, core.curve.prime
    got = _affine(found, p)
    if core.design.operation == "multiply":
        return got == affine.multiply(curve, numbers[0], _affine(numbers[1:], p))
    first = _affine(numbers[:3], p)
    second = first if core.design.operation == "double" else _affine(numbers[3:], p)
    if first is None or second is None:
        return got is None
    if core.design.operation == "add" and first[0] == second[0]:
        return got is None
    return got == affine.add(curve, first, second)


def negatives(core: EcpmCore, numbers: Numbers) -> int:
    """Count the values that are negative before they are reduced, in a sum or a double."""
    adds = core.design.operation == "add"
    names = ("X0", "Y0", "Z0", "X1", "Y1", "Z1") if adds else ("X1", "Y1", "Z1")
    inputs = dict(zip(names, numbers, strict=True)) | {"a": core.curve.a}
    program = ADDITION if adds else DOUBLING
    values = run(program, Integers(core.curve.prime), inputs)
    return sum(value < 0 for value in values.values())


def _affine(point: Numbers, prime: int) -> affine.Point:
    x, y, z = point
    if z % prime == 0:
        return None
    inverse = pow(z, -1, prime)
    return x * inverse**2 % prime, y * inverse**3 % prime


def _exceptional(core: EcpmCore, chooser: random.Random) -> Iterator[Numbers]:
    """Scalars around the order and its multiples, where the loop meets O, P and -P."""
    curve, bits = core.curve, core.design.scalar_bits
    n, top = curve.order, (1 << bits) - 1
    scalars = [0, 1, 2, 3, n - 2, n - 1, n, n + 1, n + 2, (n + 1) // 2, (n - 1) // 2]
    scalars += [2 * n - 1, 2 * n, 2 * n + 1, 2 * n + 2, top, top - 1, 1 << bits - 1, top // 3]
    chosen = [k for k in dict.fromkeys(scalars) if 0 <= k <= top]
    for k in chosen:
        yield (k, *_scaled(core, curve.base_point, chooser))
    for k in (0, 1, top):
        yield (k, *_scaled(core, None, chooser))


def _level(core: EcpmCore, chooser: random.Random) -> Iterator[Numbers]:
    """Scalars whose loop adds P to 2 P of the same y, which is equal in that alone.

    Such a P is on a curve of its own, which differs in b; the tangent there has the slope L, with
    L^4 - 3 x L^2 + 3 x^2 + a = 0. A scalar of one bit has no such addition.
    """
    p, a, top = core.curve.prime, core.curve.a, core.design.scalar_bits - 2
    if top < 0:
        return
    for scalar in (3, 3 << top, *(3 << top | chooser.getrandbits(top) for _ in range(_LEVEL))):
        root = None
        while root is None:
            slope = chooser.randrange(1, p)
            root = square_root(-3 * (slope**4 + 4 * a) % p, p)
        x = (3 * slope**2 + root) * pow(6, -1, p) % p
        y = (3 * x * x + a) * pow(2 * slope, -1, p) % p
        yield (scalar, *_scaled(core, (x, y), chooser))


def _above_moduli(core: EcpmCore, chooser: random.Random) -> Iterator[Numbers]:
    """Points whose double has a product Y Z that is little above a modulus 2^w - h, below 2^w.

    Its residue is below h then, and hardly ever that of other products; also of 2 Y Z.
    """
    p, bits = core.curve.prime, core.design.scalar_bits
    for modulus in core.design.base.base:
        most = min((1 << modulus.width) - modulus.value, _RESIDUES + 1)
        for residue, factor in product(range(1, most), (1, 2)):
            if found := _factors(p, modulus.value, residue, factor, chooser):
                yield chooser.randrange(min(2, bits), 1 << bits), chooser.randrange(p), *found


def _factors(
    p: int, m: int, residue: int, factor: int, chooser: random.Random
) -> tuple[int, int] | None:
    """Some Y and Z below p with ``factor`` Y Z = ``residue`` modulo m, if there are any."""
    # Of a field that is shorter than a modulus few numbers do.
    for _ in range(_TRIALS):
        z = chooser.randrange(1, p)
        if gcd(z, m) == 1 and (y := residue * pow(factor * z, -1, m) % m) < p:
            return y + m * chooser.randrange((p - 1 - y) // m + 1), z
    return None


def _multiples(core: EcpmCore, chooser: random.Random) -> Iterator[Numbers]:
    curve = core.curve
    while True:
        point = affine.multiply(curve, chooser.randrange(1, curve.order), curve.base_point)
        yield (chooser.getrandbits(core.design.scalar_bits), *_scaled(core, point, chooser))


def _scaled(core: EcpmCore, point: affine.Point, chooser: random.Random) -> Numbers:
    """Jacobian coordinates of a point with a random Z."""
    p = core.curve.prime
    z = chooser.randrange(1, p)
    if point is None:
        return z * z % p, z**3 % p, 0
    return point[0] * z * z % p, point[1] * z**3 % p, z


def _edges(core: EcpmCore, count: int, chooser: random.Random) -> Iterator[Numbers]:
    """Coordinates at the ends of their range, all of them with one another; then with others."""
    p = core.curve.prime
    yield from product((0, 1, p - 1), repeat=count)
    near = (0, 1, 2, p // 2, p // 2 + 1, p - 2, p - 1)
    for _ in range(500):
        yield tuple(chooser.choice(near) for _ in range(count))
    for _ in range(500):
        yield tuple(
            chooser.choice((chooser.choice(near), chooser.randrange(p))) for _ in range(count)
        )


def _points(core: EcpmCore, count: int, chooser: random.Random) -> Iterator[Numbers]:
    """Points of the curve, equal and opposite ones among them, and any coordinates."""
    curve, p = core.curve, core.curve.prime
    points = [
        affine.multiply(curve, chooser.randrange(1, curve.order), curve.base_point)
        for _ in range(64)
    ]
    points += [affine.negate(curve, point) for point in points[:16]]
    while True:
        if chooser.getrandbits(1):
            yield tuple(chooser.randrange(p) for _ in range(count))
        else:
            drawn = (_scaled(core, chooser.choice(points), chooser) for _ in range(count // 3))
            yield tuple(number for point in drawn for number in point)
