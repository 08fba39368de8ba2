"""Place and route on ECP5: harness, seeds, reports, the multiplier's cap; other devices."""

import json
import re
import sys
from pathlib import Path

import pytest
from toolchain_designs import Cell18

from residua.cores.synthesis import place_in_harness
from residua.errors import SpecificationError
from residua.toolchain.ecp5.parts import MULTIPLIER_LIMIT_MHZ
from residua.toolchain.placement.devices import DEVICES, TOTALS, ecp5, target_of
from residua.toolchain.placement.harness import harness
from residua.toolchain.placement.nextpnr import SeedResult, place_and_route, run_nextpnr
from residua.toolchain.targets import PLACED_TARGETS, YOSYS_TARGETS
from residua.toolchain.utilisation import Instances
from residua.toolchain.verilator import lint
from residua.toolchain.yosys import Port, read_ports, synthesise
from residua.verilog.writer import to_verilog


@pytest.fixture
def begun(tmp_path: Path) -> None:
    """It has run before, so that not both of two at a time translate its WebAssembly."""
    run_nextpnr(ecp5(), ["--version"], tmp_path, tmp_path / "version.log", None)


@pytest.mark.usefixtures("begun")
def test_place_and_route(tmp_path: Path) -> None:
    core, wrapper = tmp_path / "cells.v", tmp_path / "harness.v"
    core.write_text(to_verilog(Cell18(), name="cells"))
    wrapper.write_text(harness(read_ports([core], "cells", out_dir=tmp_path / "ports"), "cells"))
    synthesis = synthesise([core, wrapper], "harness", "ecp5", out_dir=tmp_path / "synthesis")
    seen: list[SeedResult] = []
    result = place_and_route(
        synthesis.json,
        "harness",
        out_dir=tmp_path / "place",
        instances=synthesis.instances,
        device=ecp5("LFE5U-12F"),
        seeds=(1, 2),
        workers=2,
        progress=seen.append,
    )
    assert sorted(seed.seed for seed in seen) == [1, 2]
    assert [seed.seed for seed in result.seeds] == [1, 2]
    low, high = sorted(seed.mhz for seed in result.seeds)
    assert (result.mhz, result.best_mhz) == ((low + high) / 2, high)
    assert 100 < low < 300  # one of the two multipliers has no registers inside
    assert result.limit_mhz == MULTIPLIER_LIMIT_MHZ[8]
    assert result.mhz_capped == min(result.mhz, MULTIPLIER_LIMIT_MHZ[8])
    assert result.utilisation["MULT18X18D"] == (2, 28)
    report = json.loads((tmp_path / "place" / "seed1" / "report.json").read_text())
    kinds = {"lut": "TRELLIS_COMB", "ff": "TRELLIS_FF", "dsp": "MULT18X18D", "bram": "DP16KD"}
    found = {name: report["utilization"][kind]["available"] for name, kind in kinds.items()}
    assert found == TOTALS["LFE5U-12F"]
    assert result.device.title == "LFE5U-12F speed 8"
    path = result.seeds[0].critical_path
    assert path.logic_ns + path.routing_ns == pytest.approx(1000 / result.seeds[0].mhz, abs=0.01)
    assert "core." in path.start
    # The plan is that of the lower seed, and all of it is the core.
    assert result.floor_plan == min(result.seeds, key=lambda seed: seed.mhz).floor_plan
    assert result.floor_plan.families == {"a": ""}
    assert set("".join(result.floor_plan.rows)) == {"a", "."}
    assert not list((tmp_path / "place").rglob("placed.json"))


def test_harness_registers_every_port(tmp_path: Path) -> None:
    ports = [Port("clk", "input", 1), Port("a", "input", 3), Port("y", "output", 9)]
    text = harness(ports, "core_module")
    assert ".a(chain[3:1])" in text
    assert ".y(result[8:0])" in text
    core = tmp_path / "core.v"
    core.write_text(
        "module core_module(input clk, input [2:0] a, output reg [8:0] y);\n"
        "always @(posedge clk) y <= {a, a, a};\nendmodule\n"
    )
    (tmp_path / "harness.v").write_text(text)
    warnings = lint([tmp_path / "harness.v", core], "harness")
    assert [line for line in warnings if "DECLFILENAME" not in line and "chain" not in line] == []


def test_harness_needs_a_clock() -> None:
    with pytest.raises(SpecificationError, match="a harness needs a clock input 'clk'"):
        harness([Port("a", "input", 1), Port("y", "output", 1)], "core")


def test_an_oscillator_takes_the_place_of_the_clock_s_pin() -> None:
    ports = [Port("clk", "input", 1), Port("a", "input", 3), Port("y", "output", 9)]
    oscillator = DEVICES["nexus"].oscillator
    text = harness(ports, "core_module", oscillator=oscillator)
    assert text.startswith("module harness (input wire serial_in, output wire serial_out);\n")
    assert f"  wire clk;\n  {oscillator}\n" in text
    assert text.replace(f"  wire clk;\n  {oscillator}\n", "").replace(
        "(input wire serial_in", "(input wire clk, input wire serial_in"
    ) == harness(ports, "core_module")


@pytest.mark.parametrize(
    ("device", "speed", "message"),
    [
        ("LFE5U-99F", 8, "no device 'LFE5U-99F'; one of LFE5U-12F"),
        ("LFE5U-85F", 9, "no ECP5 speed grade 9; one of 6, 7, 8"),
    ],
)
def test_bad_devices(device: str, speed: int, message: str) -> None:
    with pytest.raises(SpecificationError, match=re.escape(message)):
        ecp5(device, speed)


@pytest.mark.parametrize("seeds", [(), (1, 1)])
def test_bad_seeds(tmp_path: Path, seeds: tuple[int, ...]) -> None:
    with pytest.raises(SpecificationError, match="at least one seed, and each only once"):
        place_and_route(
            tmp_path / "x.json",
            "x",
            out_dir=tmp_path,
            instances=Instances([]),
            device=ecp5(),
            seeds=seeds,
        )


def test_devices_are_those_of_the_targets() -> None:
    assert tuple(DEVICES) == PLACED_TARGETS
    assert set(PLACED_TARGETS) <= set(YOSYS_TARGETS)
    assert {target_of(device.name) for device in DEVICES.values()} == set(PLACED_TARGETS)
    assert target_of("LFE5U-25F") == "ecp5"
    assert all({"lut", "ff", "bram"} <= totals.keys() for totals in TOTALS.values())


@pytest.mark.parametrize("target", [target for target in PLACED_TARGETS if target != "ecp5"])
def test_a_program_that_is_not_installed_is_named(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, target: str
) -> None:
    """Before anything is written or run."""
    monkeypatch.setitem(sys.modules, f"yowasp_{DEVICES[target].program.replace('-', '_')}", None)
    message = f"needs yowasp-{DEVICES[target].program}, which is not installed: pip install"
    with pytest.raises(SpecificationError, match=rf"{message} 'residua\[{DEVICES[target].extra}\]"):
        place_in_harness([], "core", tmp_path / "bench", (1,), target=target)
    assert not (tmp_path / "bench").exists()
