"""The extended-RNS point multiplier from its specification to a verified directory."""

import json
import random
import shutil
import tomllib
from itertools import islice

import pytest
from tests.cores.planted import replaced
from tests.small_curves import TINY

from residua.cores.directory import Directory, build
from residua.cores.ecpm.core import EcpmCore
from residua.cores.ecpm.specification import EcpmSpecification
from residua.cores.ecpm.verification import negatives, operands, right
from residua.cores.specification.reading import check, check_any
from residua.cores.verification import verify_directory
from residua.curves import affine
from residua.curves.catalogue import find_curve
from residua.curves.parameters import parameters_of
from residua.errors import SpecificationError
from residua.report import page

SMALL = {
    "form": "weierstrass", "name": "small", "prime": 65543, "a": 65540, "b": 28, "x": 0, "y": 0,
    "order": 0, "cofactor": 1,
}  # fmt: skip


def small_curve():
    """A curve of prime order over a small prime, counted point by point."""
    p, a = SMALL["prime"], SMALL["a"]
    squares = [0] * p
    for y in range(p):
        squares[y * y % p] += 1
    for b in range(1, 200):
        order = 1 + sum(squares[(x * x * x + a * x + b) % p] for x in range(p))
        if order != p and all(order % d for d in range(2, 300)):
            x = next(x for x in range(1, p) if squares[(x**3 + a * x + b) % p])
            y = next(y for y in range(p) if (y * y - x**3 - a * x - b) % p == 0)
            return SMALL | {"b": b, "x": x, "y": y, "order": order}
    raise AssertionError


@pytest.fixture(scope="module")
def directory(tmp_path_factory):
    values = {"algorithm": "ecpm-2006", "curve": [small_curve()], "channels": 6, "product_digit": 5}
    return build(check_any(values), tmp_path_factory.mktemp("ecpm") / "core")


def test_verified_directory(directory):
    opened = Directory.open(directory.path)
    assert opened.kind.name == "ecpm"
    found = verify_directory(opened, vectors=80)
    assert found["passed"], found["failures"]
    assert found["vectors"] == found["oracle_checks"] == 80
    cycles = directory.manifest["cycles"]
    assert found["cycles"]["latency"] == cycles["latency"]
    assert "Extended-RNS" in page.render(opened)
    example = directory.manifest["interface"]["example"]
    k, x, y, _ = map(int, example["operands"])
    x2, y2, z2 = map(int, example["result"])
    p = opened.made.curve.prime
    inverse = pow(z2, -1, p)
    expected = affine.multiply(opened.made.curve, k, (x, y))
    assert (x2 * inverse**2 % p, y2 * inverse**3 % p) == expected


@pytest.mark.parametrize(("width", "product_digit"), [(None, 17), (17, 12), (24, 12)])
def test_wide_digits(width, product_digit, tmp_path):
    """Products take few cycles then, and points are known sooner than whether they are equal."""
    values = {"algorithm": "ecpm-2006", "curve": [TINY], "product_digit": product_digit}
    made = build(check_any(values | {"width": width}), tmp_path / "core")
    found = verify_directory(made, vectors=40)
    assert found["passed"], found["failures"]


def test_a_scalar_of_one_bit(tmp_path):
    values = {"algorithm": "ecpm-2006", "curve": [TINY], "scalar_bits": 1}
    found = verify_directory(build(check_any(values), tmp_path / "core"), vectors=40)
    assert found["passed"], found["failures"]


def test_same_specification_same_bytes(directory, tmp_path):
    text = (directory.path / "spec.toml").read_text()
    again = build(check_any(tomllib.loads(text)), tmp_path / "again")
    for name in (*directory.manifest["files"], "manifest.json"):
        assert (again.path / name).read_bytes() == (directory.path / name).read_bytes()


def test_differences_and_wrong_formulas_are_found(directory, monkeypatch):
    """A model that is wrong for one scalar differs from the Verilog and from affine arithmetic."""
    model = EcpmCore.model

    def wrong(core, numbers):
        x, y, z = model(core, numbers)
        return (x, y + (numbers[0] == 3), z)

    monkeypatch.setattr(EcpmCore, "model", wrong)
    opened = Directory.open(directory.path)
    found = verify_directory(opened, vectors=6)
    assert not found["passed"]
    assert found["mismatches"] == 2  # one with each form of the primitives
    assert "the formulas are wrong for (3, " in found["failures"][0]
    assert "expected" in found["failures"][1]


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("tested[0] & tested[1]", "tested[1] & tested[1]"),
        ("tested[0] & tested[1]", "tested[0] & tested[0]"),
    ],
)
def test_points_that_are_equal_in_one_coordinate(directory, tmp_path, monkeypatch, old, new):
    """They are not equal: a core that tests only the other one fails."""
    copied = shutil.copytree(
        directory.path, tmp_path / "core", ignore=shutil.ignore_patterns("results")
    )
    changed = replaced(monkeypatch, copied, f"rtl/{directory.name}.v", old, new)
    assert not verify_directory(changed, vectors=40)["passed"]


def test_sums_of_points_with_the_same_y(directory):
    """On curves with another b, of which the formulas know nothing."""
    core, p = directory.made, SMALL["prime"]
    level = 0
    for k, x, y, z in islice(operands(core, random.Random(1)), 60):
        point = (x * pow(z, -2, p) % p, y * pow(z, -3, p) % p) if z else None
        if point is not None and f"{k:b}".startswith("11"):
            level += affine.multiply(core.curve, 2, point)[1] == point[1]
        assert right(core, (k, x, y, z), core.model((k, x, y, z)))
    assert level >= 6


@pytest.mark.parametrize("width", [None, 26])
def test_products_little_above_a_modulus(width):
    """The last step of a product is to take the modulus away from a number of its own length."""
    values = {"algorithm": "ecpm-2006", "curve": [small_curve()], "channels": 3}
    core = EcpmCore(check_any(values | ({"width": width} if width else {})))
    sample = list(islice(operands(core, random.Random(1)), 70))
    for modulus in core.design.base.base:
        m = modulus.value
        if 1 << modulus.width > m + 1:
            assert (
                sum(1 <= factor * y * z % m < 4 for _, _, y, z in sample for factor in (1, 2)) > 1
            )
    assert all(right(core, numbers, core.model(numbers)) for numbers in sample)


@pytest.mark.parametrize("operation", ["add", "double"])
def test_operands_reach_the_ends(operation):
    values = {"algorithm": "ecpm-2006", "curve": "secp160r1", "operation": operation}
    core = EcpmCore(check(EcpmSpecification, values))
    sample = list(islice(operands(core, random.Random(1)), 1500))
    p = core.curve.prime
    assert {0, 1, p - 1} <= {number for numbers in sample for number in numbers}
    assert sum(negatives(core, numbers) > 0 for numbers in sample) > 500
    assert all(right(core, numbers, core.model(numbers)) for numbers in sample)
    wrong = (1, 2, 3)
    assert sum(right(core, numbers, wrong) for numbers in sample) == 0


def test_published_sizes():
    for name, short, width in (("secp160r1", "secp160r1", 33), ("P-192", "p192", 39)):
        core = EcpmCore(check(EcpmSpecification, {"curve": name}))
        assert (core.design.channels, core.design.width) == (20, width)
        assert core.name == f"ecpm_{short}_20x{width}"
        json.dumps(core.parameters)


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ({"width": 32}, "is 4 bits too narrow: .* 20 moduli of 33 bits would do"),
        ({"curve": "Curve25519"}, "is for short Weierstrass curves"),
        ({"curve": "P-192, P-256"}, "curve has 2 curves: algorithm = 'ecpm-2006' is for one"),
        ({"operation": "add", "scalar_bits": 160}, "has no scalar; leave it out"),
        ({"product_digit": 18}, "product_digit = 18: expected 1 to 17"),
        ({"channels": 1}, "1 moduli of 64 bits is .* too narrow: .* 11 moduli of 64 bits would do"),
    ],
)
def test_what_cannot_be_built(values, message):
    with pytest.raises(SpecificationError, match=message):
        EcpmCore(check(EcpmSpecification, {"curve": "secp160r1", **values}))


def test_parameters_of_ones_own_curve_come_back():
    curve = find_curve("secp160r1")
    table = parameters_of(curve) | {"name": "own"}
    request = check(EcpmSpecification, {"curve": [table]})
    assert check_any(tomllib.loads(request.toml())).items() == request.items()
