"""Several coprocessors behind one bus: their directory, its verification, both drivers."""

import functools
import json
import re
import shutil

import pytest
from tests.cores.driver_core import SECP160R1, ModelCore
from tests.cores.generated import MONTGOMERY
from tests.cores.planted import replaced, switched
from tests.small_curves import MIDDLE, TINY

from residua.cores.bus.bench import verify_bench
from residua.cores.bus.driver.client import CoreError, DriverError
from residua.cores.bus.simulator import BusSimulator
from residua.cores.coprocessor.driver.client import Client
from residua.cores.coprocessor.driver.simulated import client, curves, directory_model
from residua.cores.coprocessor.shipped import requests, several
from residua.cores.coprocessor.shipped.driver import verify_driver
from residua.cores.coprocessor.shipped.requests import verify_requests
from residua.cores.coprocessor.shipped.several import cycles_in_flight, verify_several
from residua.cores.directory import Directory, build
from residua.cores.specification.reading import check_any
from residua.curves import affine
from residua.curves.operations.codes import Operation, point_operation
from residua.errors import SpecificationError
from residua.hardware.bus.limits import MOST_INSTANCES
from residua.hardware.coprocessor.durations import operation_cycles, patience
from residua.hardware.coprocessor.traffic import coprocessor_traffic
from residua.systems.cores import usable_core
from residua.toolchain.planted.mutation import VARIABLE

pytestmark = pytest.mark.usefixtures("quick")

SEVERAL = {
    "axi": {
        "algorithm": "iddmm", "digit": 20, "curve": MIDDLE, "blinding": 0, "bus": "axi",
        "instances": 2,
    },
    "wishbone": {
        "algorithm": "iddmm", "digit": 20, "curve": [TINY, MONTGOMERY], "blinding": 0,
        "bus": "wishbone", "instances": 3, "protections": ["status"],
    },
}  # fmt: skip


FAULTS = {
    "swapped results": [
        (f".cores_{own}_result_payload(@)", *(f"cores_{i}_result_payload" for i in (own, 1 - own)))
        for own in (0, 1)
    ],
    "a tag that is lost": [("tag_1 <= @;", "held[23:16]", "8'h00")],
    "a wipe of the neighbour": [(".zeroise(@)", "ZEROISE_1", "zeroise")],
    "no wipe": [(".zeroise(@)", "zeroise", "1'b0")],
    "no reset": [("core_1 (\n    .clk(clk),\n    .rst(@)", "rst", "1'b0")],
    "an abort that is forgotten": [("= @;", "chosen & aborted", "2'h0")],
}
"""Faults in the top module on AXI; ZEROISE_1 is the wire that zeroises the second coprocessor."""


def edits(text):
    """The faults in a text."""
    own = re.search(r"\.zeroise\((zeroise_\d+)\)", text)[1]
    return [
        [(place, right.replace("ZEROISE_1", own), wrong) for place, right, wrong in fault]
        for fault in FAULTS.values()
    ]


@pytest.fixture(scope="module")
def directories(tmp_path_factory):
    return functools.cache(
        lambda name: build(check_any(SEVERAL[name]), tmp_path_factory.mktemp(name) / "core")
    )


@pytest.fixture(scope="module")
def simulated(directories, tmp_path_factory):
    """Each directory; that on AXI with `FAULTS`, one of which `VARIABLE` switches on."""

    @functools.cache
    def made(name):
        found = directories(name)
        if name == "wishbone":
            return found
        path = shutil.copytree(found.path, tmp_path_factory.mktemp("faulty") / "core")
        top = path / f"rtl/{found.top}.v"
        top.write_text(switched(top.read_text(), edits(top.read_text())))
        return Directory(path, found.manifest)

    return made


@pytest.fixture(scope="module")
def models(simulated):
    return functools.cache(lambda name: directory_model(simulated(name)))


@pytest.fixture
def axi(directories, models):
    return client(BusSimulator(models("axi"), stalls=40, pause=4), curves(directories("axi")))


every_bus = pytest.mark.parametrize("name", SEVERAL)


@every_bus
def test_verification_passes(name, directories, simulated, models):
    made, model = directories(name), models(name)
    design = made.made.core.design
    count, faults = verify_several(model, design, 3)
    assert faults == []
    assert count > 40
    assert verify_requests(simulated(name), design, model) == []
    assert verify_driver(simulated(name), design) == []
    assert verify_bench(made.path, Operation.FIELD_MULTIPLY) == []


def test_as_many_as_there_may_be(tmp_path):
    """The last one begins when the first one is far; on a small curve it might have ended."""
    values = {"curve": [MONTGOMERY], "width": 12, "instances": MOST_INSTANCES}
    made = build(check_any(values | {"protections": "none"}), tmp_path / "core")
    design = made.made.core.design
    assert len(list(several._some_zeroised(directory_model(made), design, 1))) > 1
    assert verify_bench(made.path, Operation.FIELD_MULTIPLY) == []


@every_bus
def test_pace(name, directories, models):
    """With all at work the pace is that of the coprocessors: the bus takes nothing of it."""
    made = directories(name).made
    design = made.core.design
    cycles = operation_cycles(design, point_operation(design.curves[0]), 0)
    found = cycles_in_flight(models(name), design, 3)
    assert found == pytest.approx(cycles / made.instances, rel=0.03)


@every_bus
def test_what_a_directory_tells(name, directories):
    made = directories(name)
    manifest = json.loads((made.path / "manifest.json").read_text())
    count = SEVERAL[name]["instances"]
    assert made.top == f"{made.name}_{name}_x{count}"
    assert manifest["parameters"]["instances"] == count
    assert manifest["interface"]["several"] == {
        "result_words": 2 * made.made.core.design.words + 1,
        "last_word": {"code": [0, 7], "tag": [8, 15], "instance": [16, 20]},
    }
    rtl = (made.path / f"rtl/{made.top}.v").read_text()
    assert len(re.findall(rf"^  {made.name} core_\d \($", rtl, re.MULTILINE)) == count
    readme = (made.path / "README.md").read_text()
    assert f"`{made.top}` has {count} coprocessors" in readme
    assert "ZEROISE_CORES" in (made.path / "registers.html").read_text()
    assert "instances" in (made.path / "spec.toml").read_text()


def test_operands_and_results_are_counted_right(directories):
    """The dispatcher has to know how many words an operation takes and gives."""
    design = directories("axi").made.core.design
    traffic, words = coprocessor_traffic(design), design.words
    assert words == 2
    assert traffic.operands == {
        (code, 0): words * count
        for code, count in {
            1: 3, 2: 1, 3: 3, 4: 6, 5: 2, 6: 2, 7: 1, 8: 3, 9: 2, 10: 1, 11: 3,
        }.items()
    }  # fmt: skip
    assert traffic.results == {
        (code, 0): words * count
        for code, count in {
            1: 2, 2: 2, 3: 1, 4: 2, 5: 0, 6: 1, 7: 1, 8: 1, 9: 1, 10: 1, 11: 1,
        }.items()
    }  # fmt: skip


@pytest.mark.parametrize("name", FAULTS)
def test_fault_in_the_top_module_is_found(name, directories, models, monkeypatch):
    monkeypatch.setenv(VARIABLE, str(1 + list(FAULTS).index(name)))
    _, faults = verify_several(models("axi"), directories("axi").made.core.design, 3)
    assert len(faults) == 1


DRIVER_FAULTS = {
    "a base point that there is none of": (
        "prepare_weierstrass(&p, device, curve);\n    add_scalar(&p, k);\n    return submit(",
        "prepare(&p, device, curve);\n    add_scalar(&p, k);\n    return submit(",
        "base_multiply",
    ),
    "x as a point": (
        "return submit(&p, tag, RESIDUA_ECC_OPERATION_X_MULTIPLY)",
        "return submit(&p, tag, RESIDUA_ECC_OPERATION_POINT_MULTIPLY)",
        "x_multiply",
    ),
}
"""Faults in requests of byte strings, and the request that goes wrong."""


@pytest.mark.parametrize("name", DRIVER_FAULTS)
def test_faults_in_requests_of_byte_strings_are_found(
    name, directories, models, tmp_path, monkeypatch
):
    old, new, told = DRIVER_FAULTS[name]
    path = shutil.copytree(directories("wishbone").path, tmp_path / "core")
    # Where a request of the other kind ends in another way, the driver waits as long as it may.
    monkeypatch.setattr(requests, "patience", lambda design: patience(design) // 32)
    broken = replaced(monkeypatch, path, "driver/residua_ecc.c", old, new)
    (fault,) = verify_requests(broken, broken.made.core.design, models("wishbone"))
    assert fault.startswith(f"driver: WRONG {told}: ")


def test_python_driver_keeps_all_at_work(axi):
    """Requests by the driver, with their tags; calls that wait have to wait for them."""
    curve = axi.curves[0]
    scalars = {tag: 5 + 1000 * tag for tag in range(6)}
    waiting = dict(scalars)
    found = {}
    while len(found) < len(scalars):
        if waiting:
            tag, k = next(iter(waiting.items()))
            if axi.submit(tag, "base_multiply", 0, [k]):
                del waiting[tag]
                with pytest.raises(DriverError, match="under way"):
                    axi.execute("field_multiply", 0, [2, 3], 1)
                continue
        one = axi.collect()
        found[one.tag] = one
    assert {one.instance for one in found.values()} == {0, 1}
    base = (curve.x, curve.y)
    parameters = check_any(SEVERAL["axi"]).curve[0]
    for tag, k in scalars.items():
        assert found[tag].results == affine.multiply(parameters, k, base)
    # A refusal has no numbers.
    assert axi.submit(254, "field_multiply", 0, [parameters.prime, 1])
    refused = axi.collect()
    assert (refused.tag, refused.status, refused.results) == (254, "operand_range", ())
    with pytest.raises(CoreError, match="operand_range"):
        axi.execute("field_multiply", 0, [parameters.prime, 1], 1)
    assert axi.execute("field_multiply", 0, [2, 3], 1) == [6]


def test_python_driver_refuses(axi):
    with pytest.raises(SpecificationError, match="give 0 to 254"):
        axi.submit(255, "base_multiply", 0, [1])
    with pytest.raises(SpecificationError, match="there are 2 coprocessors"):
        axi.zeroise_instances(4)


def test_operands_that_are_too_few_are_no_request(directories, models):
    """What waits for more words is zeroised with all else; then all is as before."""
    simulator = BusSimulator(models("axi"), pause=4)
    own = client(simulator, curves(directories("axi")))
    own._polls = 200
    with pytest.raises(DriverError, match="other operands than these; it was zeroised"):
        own.submit(1, "field_multiply", 0, [3])
    assert own.collect() is None
    assert own.execute("field_multiply", 0, [2, 3], 1) == [6]


def test_a_result_of_another_request_is_not_taken_for_ones_own(directories, models):
    """A call that waits finds a result that nobody has collected."""
    simulator = BusSimulator(models("axi"), pause=4)
    own = client(simulator, curves(directories("axi")))
    assert own.submit(0, "field_multiply", 0, [2, 3])
    simulator.run(20_000)
    with pytest.raises(DriverError, match="not collected before; it was zeroised"):
        own.execute("field_multiply", 0, [4, 5], 1)


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ({"bus": "stream"}, "plain streams have no place for tags"),
        ({"instances": 17}, "instances"),
        ({"instances": 0}, "instances"),
    ],
)
def test_refused_specifications(values, message):
    with pytest.raises(SpecificationError, match=message):
        check_any(SEVERAL["wishbone"] | values)


def test_other_kinds_are_refused():
    with pytest.raises(SpecificationError, match="instances"):
        check_any({"modulus": 0x1000B, "width": 12, "instances": 2})


def test_one_is_what_there_is_without_the_key():
    asked = check_any(SEVERAL["wishbone"] | {"instances": "1"})
    assert asked.instances is None
    assert "instances" not in asked.items()


def test_systems_take_several_on_wishbone(directories):
    assert usable_core(directories("wishbone"), "a system").instances == 3
    with pytest.raises(SpecificationError, match="bus = 'axi', but a system reaches"):
        usable_core(directories("axi"), "a system")


def test_requests_are_for_several():
    core = ModelCore([SECP160R1], 6)
    one = Client(core, core.map, core.curves)
    for call in (one.collect, lambda: one.submit(0, "base_multiply", 0, [1])):
        with pytest.raises(SpecificationError, match="several coprocessors"):
            call()
