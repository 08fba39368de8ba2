"""Cores for modular arithmetic on a bus: through their registers, in their test bench."""

import functools
import json
import shutil
from types import SimpleNamespace

import pytest
from tests.cores.generated import (
    BLINDED_RSA,
    ENGINE,
    EXPONENTIATION,
    IDDMM,
    INVERSE,
    LOADED,
    POINT,
    PUBLIC_KEYS,
    RSA,
)
from tests.cores.planted import replaced

from residua.cores.bus.bench import verify_bench
from residua.cores.bus.host import Host
from residua.cores.bus.simulator import BusSimulator, directory_bus_model
from residua.cores.directory import build
from residua.cores.kinds import core_of
from residua.cores.modular_bus.verification import verify_bus
from residua.cores.specification.reading import check_any
from residua.cores.texts import verify_texts
from residua.cores.verification import verify_directory
from residua.errors import SpecificationError

pytestmark = pytest.mark.usefixtures("quick")

CORES = {
    "RSA": ("wishbone", RSA | {"bits": 32, "digit": 8}),
    "RSA, blinded, wide words": ("axi", BLINDED_RSA | {"width": 34}),
    "powers, loaded": ("axi", {"algorithm": "modexp", "bits": 17, "digit": 5, "window": 2}),
    "powers, 65537": ("wishbone", EXPONENTIATION | {"exponent": 65537, "unit": "iddmm"}),
    "powers on the engine": ("axi", {
        "algorithm": "modexp", "unit": "rns-montgomery", "bits": 24, "width": 12, "exponent": 3,
    }),
    "public keys": ("wishbone", PUBLIC_KEYS),
    "products": ("axi", ENGINE),
    "products on digits": ("axi-lite", IDDMM),
    "products on digits, loaded": (
        "axi", LOADED | {"inverse": "supplied", "operand_check": "flag"},
    ),
    "inverses": ("axi-lite", INVERSE),
    "inverses, composite": ("axi", INVERSE | {"modulus": 0x1000B * 3, "inversion": "plus-minus"}),
    "multiples": ("axi", POINT),
    "sums of points": ("wishbone", POINT | {"operation": "add"}),
}  # fmt: skip
"""Bus and other keys. On streams (AXI) and through registers there are numbers that are loaded and
none, words longer and shorter than those of a bus, each operation, and each way to withhold."""


@pytest.fixture(scope="module")
def directories(tmp_path_factory):
    """A core on a bus."""
    return functools.cache(
        lambda name: build(check_any(keys(name)), tmp_path_factory.mktemp("bus") / "core")
    )


def keys(name):
    bus, own = CORES[name]
    return own | {"bus": bus}


def surroundings(directory):
    return directory.made.surroundings


def faults(directory, sources=()):
    """Faults that operations through the bus find."""
    around = surroundings(directory)
    capabilities = around.registers.capabilities
    model = directory_bus_model(directory, capabilities, sources=sources)
    return verify_bus(around, model, 1)[1]


@pytest.mark.parametrize("name", [name for name in CORES if name != "powers, 65537"])
def test_operations_through_the_bus(directories, name):
    assert faults(directories(name)) == []


def test_a_long_result_is_waited_for():
    """Words of a stream that are not all there when they are asked for first."""
    answers = iter([[], [], [7, 8]])
    host = SimpleNamespace(simulator=SimpleNamespace(received=lambda _: next(answers, [])))
    assert Host.received(host, 2) == [7, 8]
    assert Host.received(host, 2) == []


@pytest.mark.parametrize(
    ("name", "operation"), [("powers, loaded", "power"), ("inverses", "invert")]
)
def test_bench(directories, name, operation):
    directory = directories(name)
    codes = surroundings(directory).registers.operations
    assert verify_bench(directory.path, codes[operation], setup=codes.get("load")) == []


def test_a_directory_is_verified_with_its_bus(directories):
    """Its operations, its test bench and its driver, on Wishbone."""
    directory = directories("powers, 65537")
    found = verify_directory(directory, vectors=3)
    assert (found["passed"], found["failures"]) == (True, [])
    assert found["bus_operations"] > 20
    assert verify_texts(directory.path, directory.manifest) == []


@pytest.mark.parametrize(
    "name",
    ["RSA", "powers on the engine", "products", "products on digits", "inverses", "sums of points"],
)
def test_core_is_as_without_a_bus(directories, name):
    """The same bytes, beside the bus."""
    bus, own = CORES[name]
    # On a bus there are no residues.
    words = {"interface": "words"} if name == "products" else {}
    plain, made = core_of(check_any(own | words)).files(), directories(name)
    module = f"rtl/{made.name}.v"
    body = plain[module].partition("\n\n")[2]
    assert (made.path / module).read_text().partition("\n\n")[2] == body
    assert made.top == f"{made.name}_{bus.replace('-', '_')}"
    assert "bus" not in json.loads(plain["manifest.json"])["parameters"]


def planted(made, path, monkeypatch, old, new):
    """A copy of a directory with a fault in the Verilog of its bus."""
    shutil.copytree(made.path, path)
    assert surroundings(made)
    return replaced(monkeypatch, path, f"rtl/{made.top}.v", old, new)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("excess <= 1'b1;", "excess <= 1'b0;"),  # numbers that are too long
        ("withheld <= 1'b1;", "withheld <= 1'b0;"),  # what the core withholds
        ("loaded <= 1'b0;", "loaded <= loaded;"),  # a zeroisation that leaves the key
        ("rst | core_reset", "rst"),  # an operation that goes on through a zeroisation
        ("modulus_error) begin", "modulus_error & 1'b0) begin"),  # an even modulus
    ],
)
def test_faults_of_the_bus_are_found(directories, tmp_path, monkeypatch, old, new):
    made = directories("products on digits, loaded")
    broken = planted(made, tmp_path / "core", monkeypatch, old, new)
    assert faults(made, broken.sources()) != []


@pytest.mark.parametrize(
    ("old", "new"),
    [
        # A result is there with the first of its numbers, or with one too many.
        ("results_received == 2'h2", "results_received == 2'h0"),
        ("results_received == 2'h2", "results_received == 2'h3"),
        # Those of an operation that was zeroised count for the next one.
        ("results_received <= 2'h0", "results_received <= results_received"),
    ],
)
def test_faults_of_a_bus_with_several_results_are_found(
    directories, tmp_path, monkeypatch, old, new
):
    made = directories("sums of points")
    broken = planted(made, tmp_path / "core", monkeypatch, old, new)
    assert faults(made, broken.sources()) != []


@pytest.mark.parametrize(("name", "status"), [("RSA", "fault"), ("public keys", "operand_range")])
def test_a_result_that_is_withheld_leaves_nothing(directories, name, status):
    """A message that is not below N: an error, and no word."""
    around = surroundings(directories(name))
    model = directory_bus_model(directories(name), around.registers.capabilities)
    simulator, registers = BusSimulator(model), around.registers
    cases = around.cases(1)
    withheld = next(case for case in cases.all() if case.note == "too large")

    host = Host(simulator, around.patience)
    host.idle()
    assert host.execute(cases.load(cases.settings[0]), interrupts=False) == (0, ())
    assert host.execute(withheld, interrupts=True) == (registers.statuses[status], ())
    host.refused("RESULT", None)


def test_cases_cover_every_status():
    core = core_of(check_any({**RSA, "bus": "axi"}))
    around = core.surroundings
    ended = {case.expected[0] for case in around.cases(1).all()}
    others = "zeroised", "random_fault", "random_starved", "no_inverse"
    assert ended == set(around.registers.statuses.values()) - {
        around.registers.statuses[name] for name in others
    }


def test_cases_of_public_keys():
    """Each status that there can be, and each exponent that is refused."""
    cases = core_of(check_any(PUBLIC_KEYS | {"bus": "axi"})).surroundings.cases(1)
    made = list(cases.all())
    names = "ok", "operand_range", "bad_operation", "not_loaded", "bad_modulus"
    wanted = {cases.case("", "", (), name).expected[0] for name in names}
    assert {case.expected[0] for case in made} == wanted
    notes = [case.note for case in made]
    assert {"the exponent 0", "the exponent 1", "an even modulus"} <= set(notes)
    assert notes.count("too large") == len(cases.settings)


@pytest.mark.parametrize(
    ("name", "statuses"),
    [
        ("products on digits", {"ok", "operand_range", "bad_operation"}),
        (
            "products on digits, loaded",
            {"ok", "operand_range", "bad_operation", "not_loaded", "bad_modulus"},
        ),
        ("inverses", {"ok", "operand_range", "bad_operation", "no_inverse"}),
        ("inverses, composite", {"ok", "operand_range", "bad_operation", "no_inverse"}),
    ],
)
def test_cases_of_products_and_inverses(name, statuses):
    around = core_of(check_any(keys(name))).surroundings
    cases = around.cases(1)
    wanted = {cases.case("", "", (), status).expected[0] for status in statuses}
    assert {case.expected[0] for case in cases.all()} == wanted
    assert cases.sample().expected[0] == 0


def test_a_product_of_operands_that_are_too_large_is_found(directories, tmp_path, monkeypatch):
    made = directories("products on digits")
    broken = planted(made, tmp_path / "core", monkeypatch, "above =", "above = 1'b0 &")
    assert "instead of 2" in str(faults(made, broken.sources()))


def test_manifest_tells_the_numbers(directories):
    manifest = directories("RSA").manifest
    assert manifest["parameters"]["bus"] == "wishbone"
    assert manifest["bus"]["load"][0] == "p"
    assert [one["name"] for one in manifest["bus"]["operations"]] == ["load", "private"]
    cases = surroundings(directories("RSA")).cases(1)
    loaded = cases.loaded(cases.settings[0])
    assert len(loaded) == len(manifest["bus"]["load"])


@pytest.mark.parametrize(
    ("values", "message"),
    [
        (
            {"algorithm": "mwr2mm", "bits": 17, "digit": 5, "bus": "axi"},
            "bus = 'axi': algorithm = 'mwr2mm' does not compare operands .* give modulus",
        ),
        (
            {"algorithm": "iddmm", "bits": 17, "lanes": 2, "bus": "axi"},
            "algorithm = 'iddmm' with lanes does not compare operands",
        ),
        (
            {"algorithm": "iddmm", "bits": 17, "operand_check": "none", "bus": "wishbone"},
            "operand_check = 'none': with bus = 'wishbone' operands are compared",
        ),
        (
            {"modulus": 0x1000B, "width": 12, "interface": "residues", "bus": "axi"},
            "bus = 'axi': binary words go through a bus; give interface = 'words'",
        ),
        (
            {"algorithm": "modexp", "digit": 65, "bits": 130, "bus": "axi"},
            "at most 64 bits, not 65",
        ),
        ({**RSA, "bus": "ahb"}, "bus = 'ahb': expected one of"),
    ],
)
def test_refusals(values, message):
    with pytest.raises(SpecificationError, match=message):
        core_of(check_any(values)).files()
