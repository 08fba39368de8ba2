from pathlib import Path

import pytest
import yaml

from residua.cores.directory import build
from residua.cores.integration import integration_files
from residua.cores.rns_montgomery.specification import RnsMontgomerySpecification
from residua.cores.specification.reading import check

PORTS = [
    {"name": name, "direction": "input", "width": width}
    for name, width in (("clk", 1), ("data", 200))
]
COPROCESSOR = {"kind": "coprocessor", "name": "unit", "top": "unit_axi", "ports": PORTS}


@pytest.fixture(scope="module")
def multiplier(tmp_path_factory):
    """The directory of a small multiplier."""
    return build(
        check(RnsMontgomerySpecification, {"modulus": 0x1000B, "width": 12}),
        tmp_path_factory.mktemp("m") / "core",
    )


def core_file(text):
    head, _, body = text.partition("\n")
    assert head == "CAPI=2:"
    return yaml.safe_load(body)


def file_names(fileset):
    return [next(iter(one)) if isinstance(one, dict) else one for one in fileset["files"]]


def check_references(core):
    """Every fileset that a target names is there and used, every option is a string."""
    used = {name for target in core["targets"].values() for name in target["filesets"]}
    assert used <= core["filesets"].keys()
    for name, target in core["targets"].items():
        assert target["toplevel"]
        assert (name == "default") == ("flow" not in target)
        for value in target.get("flow_options", {}).values():
            assert all(
                isinstance(one, str) for one in (value if isinstance(value, list) else [value])
            )
    for fileset in core["filesets"].values():
        for one in fileset["files"]:
            options = next(iter(one.values())) if isinstance(one, dict) else fileset
            assert options["file_type"] in {"verilogSource", "user", "LPF", "xdc", "tclSource"}


def test_core_file_of_a_multiplier(multiplier):
    name = multiplier.name
    core = core_file((multiplier.path / f"{name}.core").read_text())
    assert core["name"].startswith(f"residua:cores:{name}:")
    check_references(core)
    assert list(core["targets"]) == ["default", "lint", "ecp5", "vivado"]
    for fileset in core["filesets"].values():
        for file in file_names(fileset):
            assert (multiplier.path / file).is_file(), file
    assert {target["toplevel"] for target in core["targets"].values()} == {name}
    assert f"module {name} (" in (multiplier.path / f"rtl/{name}.v").read_text()


def test_core_file_of_a_coprocessor():
    files = integration_files(
        COPROCESSOR, "what it is", 125.0, bench="sim/bench.v", vectors="sim/vectors.hex"
    )
    core = core_file(files["unit_axi.core"])
    check_references(core)
    assert list(core["targets"]) == ["default", "lint", "sim", "sim_icarus", "ecp5", "vivado"]
    for name in ("sim", "sim_icarus"):
        assert core["targets"][name]["toplevel"] == "bench"
        assert "bench" in core["targets"][name]["filesets"]
    assert core["targets"]["sim_icarus"]["flow_options"]["tool"] == "icarus"
    vectors = core["filesets"]["bench"]["files"][1]["sim/vectors.hex"]
    assert vectors == {"file_type": "user", "copyto": "vectors.hex"}
    made = {name for fileset in core["filesets"].values() for name in file_names(fileset)}
    assert set(files) - {"unit_axi.core", "vhdl/unit_axi.vhd"} < made


def test_more_ports_than_pins_leave_no_target_for_them():
    wide = COPROCESSOR | {"ports": [PORTS[1] | {"width": 366}]}
    assert (
        "ecp5" not in core_file(integration_files(wide, "wide", 125.0)["unit_axi.core"])["targets"]
    )


@pytest.mark.parametrize("mhz", [200.0, 125.0])
def test_constraints_have_the_clock(mhz):
    files = integration_files(COPROCESSOR, "any", mhz)
    assert f'FREQUENCY PORT "clk" {mhz} MHZ;' in files["constraints/unit_axi.lpf"]
    xdc = files["constraints/unit_axi.xdc"]
    assert "create_clock -name clk -period 5.000 [get_ports clk]" in xdc
    assert "set_input_delay -clock clk 1.500" in xdc


def test_files_are_hashed_in_the_manifest(multiplier):
    names = set(multiplier.manifest["files"])
    assert {f"constraints/{multiplier.name}.{end}" for end in ("lpf", "xdc")} <= names
    assert Path(multiplier.path / "constraints" / "out_of_context.tcl").is_file()


def test_component_for_vhdl(multiplier):
    """The ports in order, one vector each, and a port map of all of them."""
    text = (multiplier.path / f"vhdl/{multiplier.name}.vhd").read_text()
    ports = multiplier.manifest["ports"]
    declared = [line.strip().rstrip(";") for line in text.splitlines() if " : " in line][1:]
    assert declared == [
        f"{port['name']} : {port['direction'].removesuffix('put')} std_logic"
        + (f"_vector({port['width'] - 1} downto 0)" if port["width"] > 1 else "")
        for port in ports
    ]
    assert text.count(" => ") == len(ports)
    assert f"package {multiplier.name}_component is\n  component {multiplier.name} is\n" in text
