"""A base extension alone: what it refuses, where it is exact, and its core end to end."""

import re
import tomllib
from fractions import Fraction

import pytest
from tests.cores.planted import emitted, replaced

from residua.cores.base_extension.core import BaseExtensionCore
from residua.cores.base_extension.specification import BaseExtensionSpecification
from residua.cores.base_extension.verification import (
    ExtensionOracle,
    decode,
    encode,
    extension_workload,
)
from residua.cores.directory import Directory, build
from residua.cores.rns_montgomery.specification import RnsMontgomerySpecification
from residua.cores.simulation.engine import build_simulator, verify
from residua.cores.specification.reading import check, check_any, load_any
from residua.cores.verification import verify_directory
from residua.errors import SpecificationError
from residua.machines.values import run
from residua.numbers.catalogue import find_modulus
from residua.numbers.cox import row_multipliers
from residua.report import page

P256 = find_modulus("P-256").value
SMALL = {"algorithm": "base-extension", "channels": 8, "width": 12}
HIERARCHICAL = {"extension": "hierarchical"}
E3 = {"width": 8, "base_a": [241, 243, 245, 247], "base_b": [251, 253, 255, 256]}
"""The counterexample of ERRATA E3."""


def core(**values):
    return BaseExtensionCore(check_any({"algorithm": "base-extension", **values}))


def refusal(**values):
    with pytest.raises(SpecificationError) as caught:
        core(**values)
    assert "\n" not in str(caught.value)
    return str(caught.value)


@pytest.mark.parametrize(
    ("values", "message"),
    [
        (
            {"channels": 15, **HIERARCHICAL},
            "n = 15 does not make rows of c = 2; n = 14 or 16 would",
        ),
        (
            {"channels": 16, "rowers": 4, **HIERARCHICAL, "columns": 8},
            "rowers = 4 does not make rows of c = 8; rowers = 8 would",
        ),
        (
            {"channels": 8, "columns": 2},
            (
                "columns = 2: extension = 'kawamura' has no rows; give "
                "extension = 'hierarchical' too"
            ),
        ),
        (
            {"width": 17},
            (
                "modulus or channels is missing: a modulus says which numbers are extended, "
                "channels and width how many moduli of which size there are"
            ),
        ),
        (
            {"channels": 8, "quotient": "none", "sigma0": "1/2"},
            (
                "sigma0 = 1/2: without a quotient there is no Cox; leave it out or give "
                "quotient = 'exact'"
            ),
        ),
        ({"channels": 8, "form": "quadratic"}, "form means nothing for a base extension: leave it"),
        ({"channels": 8, "curve": "P-256"}, "curve means nothing for a base extension: leave it"),
        (
            {"channels": 8, "quotient": "approximate"},
            "quotient = 'approximate': expected one of exact, none",
        ),
        ({"channels": 1}, "n = 1 moduli of w = 17 make bases of 17 bits; at least 24 are needed"),
        (
            {"modulus": "P-384", "width": 24, "channels": 16, **HIERARCHICAL},
            (
                "n = 16 moduli of w = 24 are 2 bits too narrow: the extension is exact up to "
                "0.5 M_a, and P is 1 M_a; n = 18 works"
            ),
        ),
        (
            {"channels": 16, "truncation": 3, "sigma0": "1/2", **HIERARCHICAL},
            (
                "with t = 3 the Cox's error is 1.02 M_a, 0.0168 M_a too much for any X to be "
                "exact; t = 4 instead of 3 would do"
            ),
        ),
        (
            {"modulus": "P-256", "channels": 16, "truncation": 4},
            "t = 5 instead of 4 would do",
        ),
        (
            {"modulus": 2**1300 + 1, "width": 10},
            "a modulus of 1301 bits needs more than n = 128 channels of w = 10; w = 18 works",
        ),
        ({"channels": 8, "truncation": 18}, "the truncation t is 1 to 17, not 18"),
        (
            {"channels": 8, "sigma0": "1/262144"},
            (
                "sigma0 = 1/262144 is no multiple of 2^-17, and the Cox adds no more than w = 17 "
                "bits of each residue"
            ),
        ),
        ({"modulus": "P-256", "sigma0": 0}, "so that X near zero come out as X + M_a"),
        (
            {**E3, **HIERARCHICAL, "columns": 4, "truncation": 4, "sigma0": "1/2"},
            "with t = 4 the Cox's error is 1.53 M_a, 0.527 M_a too much for any X to be exact",
        ),
        ({"base_a": [241, 1], "base_b": [251, 253], "width": 8}, "1 is no channel modulus"),
        ({"base_a": [255, 245], "base_b": [251, 253], "width": 8}, "share the factor 5"),
        (
            {"base_a": [65493, 65521], "base_b": [65519, 65537], "width": 16, "bases": "sparse",
             "weight": 2},
            "bases = 'sparse' allows h of 2 signed digits",
        ),
    ],
)  # fmt: skip
def test_refusals(values, message):
    assert message in refusal(**values)


def test_algorithms_of_other_kinds_are_refused():
    with pytest.raises(SpecificationError, match="no algorithm of this kind of core"):
        check(RnsMontgomerySpecification, {"algorithm": "base-extension", "modulus": "P-256"})
    with pytest.raises(SpecificationError, match="no algorithm of this kind of core"):
        check(BaseExtensionSpecification, {"algorithm": "rns-montgomery", "modulus": "P-256"})
    with pytest.raises(SpecificationError, match="quotient means nothing for a multiplier"):
        check(RnsMontgomerySpecification, {"modulus": "P-256", "quotient": "none"})


def test_specification_round_trip():
    made = core(modulus="P-256", extension="hierarchical", columns=4, sigma0="1/2")
    again = check_any(tomllib.loads(made.specification.toml()))
    assert again == made.specification
    assert BaseExtensionCore(again).domain == made.domain


@pytest.mark.parametrize(
    ("bits", "width", "channels"),
    [(256, 17, 16), (256, 20, 14), (256, 24, 12), (256, 28, 10), (384, 24, 18)],
)
def test_smallest_channels_hold_the_field(bits, width, channels):
    made = core(modulus=f"P-{bits}", width=width, **HIERARCHICAL)
    assert made.channels == channels
    low, high = made.domain.exact
    assert low <= 0
    assert high >= find_modulus(f"P-{bits}").value - 1


def test_a_small_modulus_has_the_channels_that_bases_need():
    assert core(modulus=0x1000B).channels == 2


CASES = {
    "Kawamura": {},
    "Kawamura, sigma0 = 0": {"sigma0": 0},
    "c = 2": HIERARCHICAL,
    "c = 2, sigma0 = 0": {**HIERARCHICAL, "sigma0": 0},
    "c = 2, sigma0 = 1/2": {**HIERARCHICAL, "sigma0": "1/2"},
    "c = 4, given": {**HIERARCHICAL, "columns": 4, "sigma0": "11/16", "truncation": 6},
    "c = 3": {**HIERARCHICAL, "columns": 3, "channels": 9},
    "no quotient": {"quotient": "none"},
    "c = 2, no quotient": {**HIERARCHICAL, "quotient": "none"},
}


@pytest.mark.parametrize("values", CASES.values(), ids=CASES)
def test_model_is_exact_up_to_the_ends(values):
    """The model on the adversarial operands, judged by plain integers."""
    made = core(**{**SMALL, **values})
    domain, workload = made.domain, extension_workload(made.program, made.domain, 5)
    (pool,) = workload.pools
    low, high = domain.exact
    numbers = set()
    for element in pool.fixed:
        inputs = {"x": element}
        outputs = run(made.program, inputs)
        assert workload.oracle(inputs, outputs) is None
        numbers.add(decode(domain, element))
        if low <= numbers_of(domain, element) <= high and domain.cox:
            expected = domain.base_b.residues(decode(domain, element))
            moduli = [m.value for m in domain.base_b]
            found = tuple(w % m for w, m in zip(outputs["x'"], moduli, strict=True))
            assert found == expected
    assert {low, low + 1, high - 1, high} <= numbers
    assert any(not low <= number <= high for number in numbers) == bool(domain.cox)


def numbers_of(domain, element):
    """What the words stand for, by the CRT and nothing else."""
    number, total = domain.base_a.integer(element), domain.base_a.product
    low, high = domain.exact
    return next((n for n in (number, number - total) if low <= n <= high), number)


@pytest.mark.parametrize("columns", [1, 2, 4])
def test_every_quotient_is_taken(columns):
    """Canonical residues have h from 0 to n - 1: the workload has them all (ERRATA pitfall 1)."""
    extension = {**HIERARCHICAL, "columns": columns} if columns > 1 else {}
    domain = core(**{**SMALL, **extension}).domain
    base = domain.base_a
    workload = extension_workload(core(**{**SMALL, **extension}).program, domain, 5)
    multipliers = row_multipliers(base, (1,) * len(base), columns)
    seen = set()
    for element in workload.pools[0].fixed:
        xi = [
            word * inverse % m.value
            for word, inverse, m in zip(element, base.cofactor_inverses, base, strict=True)
        ]
        rows = [
            Fraction(sum(x * k for x, k in zip(xi[i : i + columns], multipliers[i:], strict=False)))
            / product
            for i, product in zip(
                range(0, len(xi), columns), base.row_products(columns), strict=True
            )
        ]
        seen.add(int(sum(rows)))
    assert seen >= set(range(len(base)))


def test_small_numbers_err_with_sigma0_zero():
    """ERRATA E1: 1 comes out as 1 + M_a, which the oracle allows only outside the exact range."""
    made = core(**SMALL, sigma0=0)
    domain = made.domain
    assert not domain.exact[0] <= 1 <= domain.exact[1]
    outputs = run(made.program, {"x": encode(domain, 1)})
    shifted = 1 + domain.base_a.product
    assert [w % m.value for w, m in zip(outputs["x'"], domain.base_b, strict=True)] == list(
        domain.base_b.residues(shifted)
    )
    assert ExtensionOracle(domain, "x", "x'")({"x": encode(domain, 1)}, outputs) is None


def test_oracle_judges():
    made = core(**SMALL)
    oracle = ExtensionOracle(made.domain, "x", "x'")
    inputs = {"x": encode(made.domain, 12345)}
    outputs = run(made.program, inputs)
    words = outputs["x'"]
    assert oracle(inputs, outputs) is None
    assert "comes out as" in oracle(inputs, {"x'": (words[0] + 1, *words[1:])})
    assert "more than 13 bits" in oracle(inputs, {"x'": (words[0] + 4096, *words[1:])})
    shifted = encode_in(made.domain.base_b, 12345 + made.domain.base_a.product)
    assert "comes out as" in oracle(inputs, {"x'": shifted})


def encode_in(base, number):
    return tuple(m.centre(number) for m in base)


def test_workload_is_the_same_for_the_same_seed():
    made = core(**SMALL, **HIERARCHICAL)
    one, two = (extension_workload(made.program, made.domain, 5) for _ in range(2))
    assert (one.pools, one.cases) == (two.pools, two.cases)
    limit = 1 << made.width
    words = {word for element in one.pools[0].elements for word in element}
    assert -limit <= min(words) < -limit + 64
    assert limit > max(words) >= limit - 64


@pytest.fixture(scope="module")
def built(tmp_path_factory):
    values = {**SMALL, **HIERARCHICAL, "name": "extension_unit"}
    return build(check_any(values), tmp_path_factory.mktemp("extension") / "core")


def test_directory(built, tmp_path):
    assert (built.kind.name, built.name, built.top) == (
        "extension",
        "extension_unit",
        "extension_unit",
    )
    manifest = built.manifest
    assert manifest["parameters"]["algorithm"] == "base-extension"
    assert [word["vector"] for word in manifest["interface"]["operands"]] == ["x"]
    low, high = (int(end) for end in manifest["ranges"]["operands"])
    assert low < 0 < high
    again = build(load_any(built.path / "spec.toml", {}), tmp_path / "again")
    for file in [*manifest["files"], "manifest.json"]:
        assert (again.path / file).read_bytes() == (built.path / file).read_bytes()
    readme = (built.path / "README.md").read_text()
    for part in (f"`{high:#x}`", "rows of c = 2 moduli", "`x`, channels 0 to 7"):
        assert part in readme
    header = (built.path / "rtl/extension_unit.v").read_text()
    assert "RNS base extension on a Cox-Rower engine" in header[: header.index("module ")]


def test_end_to_end(built):
    found = verify_directory(Directory.open(built.path), vectors=6000, seed=7)
    assert found["failures"] == []
    assert found["passed"]
    assert (found["vectors"], found["mismatches"]) == (6000, 0)
    assert found["cycles"]["latency"] == built.manifest["cycles"]["latency"]
    (edges,) = found["cox_edges"]
    assert edges["clear"] > 0
    assert edges["full"] > 0
    text = page.render(built)
    for part in ("RNS base extension", "in rows of c = 2 moduli", "6000", "Pipeline occupancy"):
        assert part in text


def quick(directory):
    """Verification as `verify_directory` does it, with a simulator that compiles quickly."""
    made = directory.made
    workload = extension_workload(made.program, made.domain, 7)
    sources = directory.sources()
    simulator = build_simulator(made.design, workload, sources, top=directory.name)
    return verify(simulator, vectors=3000, seed=7, stalls=False)


def test_no_quotient_end_to_end(tmp_path):
    values = {**SMALL, "quotient": "none", "rowers": 4, "schedule": "interval"}
    made = build(check_any(values), tmp_path / "core")
    found = quick(made)
    assert found.passed
    assert found.cox_edges == ()
    assert "quotients" not in made.manifest["ranges"]
    assert "no quotient" in (made.path / f"rtl/{made.name}.v").read_text()
    assert "there is no quotient" in page.render(made)


def test_wrong_constant_is_found(built, tmp_path, monkeypatch):
    text = (built.path / "rtl/extension_unit.v").read_text()
    # Word 0 is the zero of idle slots.
    chosen = re.search(r"(constants?\w*\[1\] = \d+'[bdh])([0-9a-f]+);", text)
    digit = "1" if chosen[2][-1] == "0" else "0"
    values = {**SMALL, **HIERARCHICAL, "name": "extension_unit"}
    broken = build(check_any(values), tmp_path / "core")
    changed = text[: chosen.end(2) - 1] + digit + text[chosen.end(2) :]
    (broken.path / "rtl/extension_unit.v").write_text(changed)
    emitted(monkeypatch, broken.path)
    found = quick(Directory.open(broken.path))
    assert not found.passed
    assert any(failure.startswith("oracle: ") for failure in found.failures)


def test_a_run_that_does_not_wait_for_enable_is_found(tmp_path, monkeypatch):
    made = build(check_any(SMALL), tmp_path / "core")
    file, (old, new) = f"rtl/{made.name}.v", ("request = enable & ", "request = 1'b1 & ")
    broken = replaced(monkeypatch, made.path, file, old, new)
    found = verify_directory(broken, vectors=100)
    assert not found["passed"]
    assert "a run starts while enable is 0" in found["failures"][0]
