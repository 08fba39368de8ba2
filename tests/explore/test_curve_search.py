"""Curves over a prime of one's own: order and file, and refusals."""

import json
import sys
import tomllib
import types

import gmpy2
import pytest
import sympy

from residua.curves.affine import add, is_on_curve, multiply
from residua.curves.parameters import curve_from_parameters
from residua.errors import SpecificationError
from residua.explore import curve_search
from residua.explore.curve_search import make, prime_of

PRIME = 2**64 - 59
SMALL = 4294967291


def written(path):
    (table,) = tomllib.loads(path.read_text())["curve"]
    return table


@pytest.mark.parametrize("prime", [PRIME, 2**192 - 2**64 - 1, 2**256 - 189])
@pytest.mark.parametrize("seed", [0, 1])
def test_complex_multiplication(tmp_path, prime, seed):
    path = tmp_path / "curve.toml"
    found = make(prime, path, method="multiplication", cofactor=16, seed=seed, name="mine")
    curve = curve_from_parameters(written(path))
    assert (curve.name, curve.prime) == ("mine", prime)
    assert found["curve"] == written(path)
    assert sympy.isprime(curve.order)
    assert curve.cofactor <= 16
    assert abs(curve.order * curve.cofactor - prime - 1) <= 2 * sympy.integer_nthroot(prime, 2)[0]
    assert is_on_curve(curve, curve.base_point)
    assert multiply(curve, curve.order, curve.base_point) is None
    assert "not random" in path.read_text()
    again = tmp_path / "again.toml"
    make(prime, again, method="multiplication", cofactor=16, seed=seed, name="mine")
    assert again.read_bytes() == path.read_bytes()


def test_order_of_many_points(tmp_path):
    """Every point that is tried has an order that divides the number of points."""
    path = tmp_path / "curve.toml"
    make(SMALL, path, method="multiplication", cofactor=8)
    curve = curve_from_parameters(written(path))
    points = curve.order * curve.cofactor
    seen = 0
    for x in range(1, 200):
        square = (x**3 + curve.a * x + curve.b) % SMALL
        y = sympy.sqrt_mod(square, SMALL)
        if y:
            assert multiply(curve, points, (x, int(y))) is None
            seen += 1
    assert seen > 50


def test_no_order(tmp_path):
    path, other = tmp_path / "curve.toml", tmp_path / "other.toml"
    make(PRIME, path, method="none", seed=1)
    table = written(path)
    a, b, x, y = (int(table[key], 16) for key in "abxy")
    assert (y * y - x**3 - a * x - b) % PRIME == 0
    assert {"order", "cofactor"}.isdisjoint(table)
    with pytest.raises(SpecificationError, match="order is missing"):
        curve_from_parameters(table)
    make(PRIME, other, method="none", seed=2)
    assert written(other)["a"] != table["a"]


class Pari:
    """A stand-in for PARI that counts points over `SMALL`."""

    def __init__(self):
        self.calls = []

    def allocatemem(self, *_, **__):
        pass

    def __call__(self, text):
        self.calls.append(text)
        if not text.startswith("ellsea(ellinit(["):
            return 0
        a, b = (int(each) for each in text[len("ellsea(ellinit([") :].split("]")[0].split(","))
        return _points(a, b)


def _points(a, b):
    """The order of y^2 = x^3 + a x + b modulo `SMALL`, by baby steps and giant steps."""
    curve = types.SimpleNamespace(prime=SMALL, coefficients=(1, 0, a, b))
    root = sympy.integer_nthroot(SMALL, 4)[0] + 2
    low = SMALL + 1 - 2 * sympy.integer_nthroot(SMALL, 2)[0] - 2
    candidates = None
    for x in range(1, 60):
        y = sympy.sqrt_mod((x**3 + a * x + b) % SMALL, SMALL)
        if not y:
            continue
        point = (x, int(y))
        steps = {multiply(curve, k, point): k for k in range(2 * root)}
        found, giant = set(), multiply(curve, 2 * root, point)
        place = multiply(curve, low, point)
        for index in range(2 * root + 4):
            minus = None if place is None else (place[0], -place[1] % SMALL)
            if minus in steps:
                found.add(low + 2 * root * index + steps[minus])
            place = add(curve, place, giant)
        candidates = found if candidates is None else candidates & found
        if len(candidates) == 1:
            return candidates.pop()
    return 0


@pytest.mark.parametrize(("cofactor", "allowed"), [(1, 1), (4, 6)])
def test_counted(tmp_path, monkeypatch, cofactor, allowed):
    pari = Pari()
    monkeypatch.setitem(sys.modules, "cypari", types.SimpleNamespace(pari=pari))
    path, tried = tmp_path / "curve.toml", []
    make(SMALL, path, cofactor=cofactor, progress=lambda done, _: tried.append(done))
    curve = curve_from_parameters(written(path))
    assert curve.cofactor <= cofactor
    assert sympy.isprime(curve.order)
    assert pari.calls[-1].endswith(f"{SMALL}),{allowed})")
    assert tried == list(range(len(tried)))
    assert "counted by PARI" in path.read_text()


def test_without_pari(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "cypari", None)
    path = tmp_path / "curve.toml"
    with pytest.raises(SpecificationError, match=r"needs PARI: pip install 'residua\[points\]'"):
        make(PRIME, path)
    assert not path.exists()


@pytest.mark.parametrize(
    ("prime", "arguments", "text"),
    [
        (2**64 - 57, {}, "is composite"),
        (65537, {}, "too small, at least 32 bits"),
        (PRIME, {"name": "1"}, "name = '1'"),
        (PRIME, {"cofactor": 0}, "cofactor = 0"),
        (PRIME, {"cofactor": 1 << 20}, "small beside the prime"),
        (PRIME, {"path": "."}, "exists: name another one"),
    ],
)
def test_refusals(tmp_path, prime, arguments, text):
    path = tmp_path / arguments.pop("path", "curve.toml")
    with pytest.raises(SpecificationError, match=text):
        make(prime, path, method="multiplication", **arguments)


def test_no_curve_of_so_small_a_cofactor(tmp_path, monkeypatch):
    monkeypatch.setattr(curve_search, "discriminants", lambda *_: [(1, 3)])
    prime = next(
        p
        for p in map(int, sympy.primerange(2**32, 2**32 + 10**5))
        if p % 3 == 2 and gmpy2.is_prime(p)
    )
    with pytest.raises(SpecificationError, match="no curve of complex multiplication"):
        make(prime, tmp_path / "curve.toml", method="multiplication")


def test_prime_of(tmp_path):
    pick = tmp_path / "pick.json"
    pick.write_text(json.dumps({"p": "0x65"}))
    assert prime_of(str(pick)) == prime_of("101") == prime_of("0x65") == 101
    for text, words in (("hello", "prime = 'hello'"), (str(tmp_path / "x.json"), "prime = ")):
        with pytest.raises(SpecificationError, match=words):
            prime_of(text)
    pick.write_text("[]")
    with pytest.raises(SpecificationError, match="no pick"):
        prime_of(str(pick))
