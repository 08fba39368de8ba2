"""Devices and standard cells whose programs are no part of the default installation."""

import json

import pytest

from residua.cores.directory import build
from residua.cores.simulation.runs import Runs
from residua.cores.specification.reading import check_any
from residua.cores.synthesis import synthesise_directory
from residua.explore.designs.figures import Step
from residua.explore.designs.measures import Task, measure
from residua.toolchain.placement.devices import DEVICES
from residua.toolchain.standard_cells.libraries import LIBRARIES
from residua.toolchain.standard_cells.mapping import cell_models, map_to_cells

KEYS = {"algorithm": "iddmm", "modulus": "P-256", "digit": 16}
OTHERS = [target for target in DEVICES if target != "ecp5"]


@pytest.fixture(scope="module")
def directory(tmp_path_factory):
    return build(check_any(KEYS), tmp_path_factory.mktemp("devices") / "core")


@pytest.mark.parametrize("target", OTHERS)
def test_a_core_is_placed(directory, target):
    found = synthesise_directory(directory, target, seeds=2)
    device = DEVICES[target]
    assert found["device"] == device.title
    assert [one["seed"] for one in found["seeds"]] == [1, 2]
    low, high = sorted(one["mhz"] for one in found["seeds"])
    assert 10 < low <= found["fmax_mhz"] <= high < 400
    assert found["latency_ns"] == pytest.approx(
        1000 * directory.manifest["cycles"]["latency"] / found["fmax_mhz"], rel=0.01
    )
    assert found["resources"]["dsp"] == (0 if target == "machxo3" else 2)
    assert found["resources"]["lut"] > 200
    parts = set(found["floor_plan"]["families"].values())
    assert ("cell_signal" in parts) == (target != "gatemate")
    assert synthesise_directory(directory, target, seeds=2)["kept"]


@pytest.mark.parametrize("target", OTHERS)
def test_totals_are_nextpnr_s(directory, target):
    """A device has as much as is noted of it."""
    synthesise_directory(directory, target, seeds=2)
    folder = directory.path / "synth" / target / "harness" / "seed1"
    report = json.loads((folder / "report.json").read_text())["utilization"]
    available = {site["available"] for site in report.values()}
    assert {count for count in DEVICES[target].totals.values() if count} <= available


@pytest.mark.parametrize("target", LIBRARIES)
def test_standard_cells(directory, target):
    found = synthesise_directory(directory, target)
    assert found["device"] == LIBRARIES[target].title
    whole = found["with_memories"]
    assert 10 < whole["fmax_mhz"] < 1000
    assert found["resources"]["memory_bits"] > 1000
    assert whole["resources"]["ff"] >= found["resources"]["ff"]
    assert found["latency_ns"] == pytest.approx(
        1000 * directory.manifest["cycles"]["latency"] / found["fmax_mhz"], rel=0.01
    )
    assert "gate us" in dict(directory.kind.timed(found))["area x time"]


@pytest.mark.parametrize("library", LIBRARIES.values(), ids=LIBRARIES)
def test_standard_cells_compute_what_the_model_does(library, tmp_path):
    small = build(check_any(KEYS | {"modulus": 0x1000B, "digit": 4}), tmp_path / "core")
    core = small.made
    mapped = map_to_cells(
        small.sources(), core.name, library, memories=True, out_dir=tmp_path / "netlist"
    )
    models = cell_models(library, out_dir=tmp_path / "models")
    found = core.simulate([mapped.netlist, models], Runs(100, resets=2))
    assert found.failures == ()
    assert (found.vectors, found.mismatches, found.resets) == (100, 0, 2)


def test_explorations_place_on_them():
    found = measure(Task(KEYS, Step.PLACEMENT, "gowin", 1))
    assert found.refusal == ""
    assert found.figures["mhz"] == found.clocks[0] > 50
