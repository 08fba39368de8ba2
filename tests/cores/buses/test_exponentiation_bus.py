"""Exponentiators and RSA cores on a bus: through their registers, in their test bench."""

import functools
import json
import shutil
from types import SimpleNamespace

import pytest
from tests.cores.generated import ENGINE_RSA, EXPONENTIATION, RSA
from tests.cores.planted import replaced

from residua.cores.bus.bench import verify_bench
from residua.cores.bus.host import Host
from residua.cores.bus.simulator import BusSimulator, directory_bus_model
from residua.cores.directory import build
from residua.cores.exponentiation.bus.verification import verify_bus
from residua.cores.kinds import core_of
from residua.cores.specification.reading import check_any
from residua.cores.texts import verify_texts
from residua.cores.verification import verify_directory
from residua.errors import SpecificationError

SMALL = {"algorithm": "modexp", "bits": 17, "digit": 5, "window": 2}
CORES = {
    "RSA": RSA,
    "RSA on the engine": ENGINE_RSA,
    "powers, loaded": SMALL,
    "powers, 65537": EXPONENTIATION | {"exponent": 65537},
    "powers, wide words": {"algorithm": "modexp", "bits": 80, "digit": 40, "window": 1},
    "powers on the engine": {
        "algorithm": "modexp", "unit": "rns-montgomery", "bits": 24, "width": 12, "exponent": 3,
    },
}  # fmt: skip


@pytest.fixture(scope="module")
def directories(tmp_path_factory):
    """A core on a bus."""
    return functools.cache(
        lambda name, bus: build(
            check_any({**CORES[name], "bus": bus}), tmp_path_factory.mktemp(bus) / "core"
        )
    )


def surroundings(directory):
    return directory.made.surroundings


def faults(directory, sources=()):
    """Faults that operations through the bus find."""
    around = surroundings(directory)
    capabilities = around.registers.capabilities
    model = directory_bus_model(directory, capabilities, sources=sources, optimise=False)
    return verify_bus(around, model, 1)[1]


@pytest.mark.parametrize(
    ("name", "bus"),
    [
        ("RSA", "axi"),
        ("RSA on the engine", "wishbone"),
        ("powers, loaded", "axi"),
        ("powers, 65537", "wishbone"),
        ("powers, wide words", "axi"),
        ("powers on the engine", "axi"),
    ],
)
def test_operations_through_the_bus(directories, name, bus):
    assert faults(directories(name, bus)) == []


def test_a_long_result_is_waited_for():
    """Words of a stream that are not all there when they are asked for first."""
    answers = iter([[], [], [7, 8]])
    host = SimpleNamespace(simulator=SimpleNamespace(received=lambda _: next(answers, [])))
    assert Host.received(host, 2) == [7, 8]
    assert Host.received(host, 2) == []


@pytest.mark.parametrize("bus", ["axi", "wishbone"])
def test_bench(directories, bus):
    directory = directories("powers, loaded", bus)
    around = surroundings(directory)
    codes = around.registers.operations
    assert verify_bench(directory.path, codes["power"], setup=codes["load"]) == []


def test_a_directory_is_verified_with_its_bus(directories):
    directory = directories("powers, 65537", "axi")
    found = verify_directory(directory, vectors=3)
    assert (found["passed"], found["failures"]) == (True, [])
    assert found["bus_operations"] > 20
    assert verify_texts(directory.path, directory.manifest) == []


@pytest.mark.parametrize("name", CORES)
def test_core_is_as_without_a_bus(directories, name):
    """The same bytes, beside the bus."""
    plain = core_of(check_any(CORES[name])).files()
    own = directories(name, "axi")
    module = f"rtl/{own.name}.v"
    body = plain[module].partition("\n\n")[2]
    assert (own.path / module).read_text().partition("\n\n")[2] == body
    assert own.top == f"{own.name}_axi"
    assert "bus" not in json.loads(plain["manifest.json"])["parameters"]


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
    made = directories("RSA", "wishbone")
    path = tmp_path / "core"
    shutil.copytree(made.path, path)
    assert surroundings(made)
    broken = replaced(monkeypatch, path, f"rtl/{made.top}.v", old, new)
    assert faults(made, broken.sources()) != []


def test_a_result_that_is_withheld_leaves_nothing(directories):
    """A message that is not below N: an error, and no word."""
    around = surroundings(directories("RSA", "wishbone"))
    model = directory_bus_model(
        directories("RSA", "wishbone"), around.registers.capabilities, optimise=False
    )
    simulator, registers = BusSimulator(model), around.registers
    cases = around.cases(1)
    withheld = next(case for case in cases.all() if case.expected[0] == 11)

    host = Host(simulator, around.patience)
    host.idle()
    assert host.execute(cases.load(cases.settings[0]), interrupts=False) == (0, ())
    assert host.execute(withheld, interrupts=True) == (registers.statuses["fault"], ())
    host.refused("RESULT", None)


def test_cases_cover_every_status():
    core = core_of(check_any({**RSA, "bus": "axi"}))
    around = core.surroundings
    ended = {case.expected[0] for case in around.cases(1).all()}
    assert ended == set(around.registers.statuses.values()) - {
        around.registers.statuses["zeroised"]
    }


def test_manifest_tells_the_numbers(directories):
    manifest = directories("RSA", "axi").manifest
    assert manifest["parameters"]["bus"] == "axi"
    assert manifest["bus"]["load"][0] == "p"
    assert [one["name"] for one in manifest["bus"]["operations"]] == ["load", "private"]
    cases = surroundings(directories("RSA", "axi")).cases(1)
    loaded = cases.loaded(cases.settings[0])
    assert len(loaded) == len(manifest["bus"]["load"])


@pytest.mark.parametrize(
    ("values", "message"),
    [
        (
            {"algorithm": "iddmm", "bits": 17, "bus": "axi"},
            "bus = 'axi': algorithm = 'iddmm' has no such choice",
        ),
        ({**RSA, "digit": 65, "bits": 200, "bus": "axi"}, "at most 64 bits, not 65"),
        ({**RSA, "bus": "ahb"}, "bus = 'ahb': expected one of"),
    ],
)
def test_refusals(values, message):
    with pytest.raises(SpecificationError, match=message):
        core_of(check_any(values)).files()
