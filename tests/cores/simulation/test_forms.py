"""The primitives for the ECP5 against those for any target: equal as shipped, and every fault."""

import re

import pytest
from tests.cores.planted import replaced

from residua.cores.directory import Directory, build
from residua.cores.simulation import forms
from residua.cores.simulation.forms import compare_forms
from residua.cores.specification.reading import check_any
from residua.cores.verification import verify_directory
from residua.hardware.rtl import TARGET_FORMS
from residua.toolchain.targets import PRIMITIVE_FILE, primitive_file

MODULE = re.compile(r"^module .*?^endmodule\n", re.MULTILINE | re.DOTALL)

SMALL = {"modulus": "0x1000b", "width": 12}
DEVICE = primitive_file("ecp5")


@pytest.fixture(scope="module")
def texts(tmp_path_factory):
    """Both forms of the primitives of a small core."""
    made = build(check_any(SMALL), tmp_path_factory.mktemp("forms") / "core")
    return made.name, {file: (made.path / file).read_text() for file in TARGET_FORMS}


@pytest.fixture
def compared(texts, tmp_path):
    """Compare forms whose texts are changed."""
    name, shipped = texts

    def call(**changed):
        for file, text in (shipped | {DEVICE: changed.get("device", shipped[DEVICE])}).items():
            (tmp_path / file).parent.mkdir(parents=True, exist_ok=True)
            (tmp_path / file).write_text(text)
        return compare_forms(Directory(tmp_path, {"name": name}))

    return call


def test_what_ships_is_equal_and_compared_once(texts, compared, monkeypatch):
    name, shipped = texts
    assert shipped.keys() == {PRIMITIVE_FILE, DEVICE}, "a form that is not compared"
    modules = re.findall(r"^module (\w+)", shipped[DEVICE], re.MULTILINE)
    assert compared() == (len(modules), [])
    kinds = {module.removeprefix(f"{name}_").split("_")[0] for module in modules}
    assert kinds == {"accumulator", "add", "multiplier", "select"}
    monkeypatch.setattr(forms, "_simulated", None)
    assert compared() == (len(modules), [])


def test_other_cores_have_primitives_in_common(tmp_path, monkeypatch):
    """The name of the core plays no part in what is kept."""
    own = build(check_any(SMALL), tmp_path / "own")
    assert compare_forms(own)[1] == []
    monkeypatch.setattr(forms, "_simulated", None)
    other = build(check_any({**SMALL, "name": "other"}), tmp_path / "core")
    assert compare_forms(other) == compare_forms(own)


FAULTS = {
    "a table": (".INIT0(16'h", ".INIT0(~16'h", "accumulator"),
    "a carry": ('.INJECT1_0("NO")', '.INJECT1_0("YES")', "accumulator"),
    "a bit of a number": (".A0(product[6])", ".A0(product[5])", "accumulator"),
    "a register": ("always @(posedge clk)", "always @(negedge clk)", "accumulator"),
    "a stage": ('.REG_OUTPUT_CLK("CLK0")', '.REG_OUTPUT_CLK("NONE")', "multiplier"),
}


@pytest.mark.parametrize("fault", FAULTS)
def test_faults_are_found(texts, compared, fault):
    old, new, module = FAULTS[fault]
    name, shipped = texts
    assert old in shipped[DEVICE]
    count, found = compared(device=shipped[DEVICE].replace(old, new, 1))
    assert count
    (told,) = found
    assert told.startswith(f"{DEVICE}: {name}_{module}")
    assert told.endswith(f"it differs from {PRIMITIVE_FILE}")


def test_every_module_is_compared(texts, compared):
    """A wire of a cell is left out in each of them."""
    name, shipped = texts
    modules = MODULE.findall(shipped[DEVICE])
    broken = [re.sub(r"\.(S0|P0)\([^)]+\)", r".\1()", module, count=1) for module in modules]
    text = shipped[DEVICE]
    for own, wrong in zip(modules, broken, strict=True):
        assert own != wrong
        text = text.replace(own, wrong)
    assert len(compared(device=text)[1]) == len(modules) == compared()[0]
    (told,) = compared(device=shipped[DEVICE].replace(modules[1], broken[1]))[1]
    assert told.startswith(f"{DEVICE}: {name}_")
    assert told.split(": ")[1] in modules[1]


def test_texts_that_are_none(texts, compared):
    _, shipped = texts
    text = shipped[DEVICE]
    assert "other text around" in compared(device=f"{text}\nmodule m;\n")[1][0]
    first = MODULE.search(text)[0]
    assert compared(device=text.replace(first, ""))[1][0].endswith("not in both forms")
    port = re.search(r"  input wire (signed )?\[", text)[0]
    wider = text.replace(port, port.replace("[", "[1"), 1)
    assert f"other ports than in {PRIMITIVE_FILE}" in compared(device=wider)[1][0]
    assert "verilator" in compared(device=text.replace("assign", "asign", 1))[1][0]


def test_nothing_is_kept_of_what_differs(texts, compared):
    _, shipped = texts
    wrong = shipped[DEVICE].replace(".INIT0(16'h", ".INIT0(~16'h", 1)
    assert compared(device=wrong)[1] == compared(device=wrong)[1] != []


def test_a_verification_tells_what_differs(tmp_path, monkeypatch):
    made = build(check_any(SMALL), tmp_path / "core")
    broken = replaced(monkeypatch, made.path, DEVICE, ".INIT0(16'h", ".INIT0(~16'h")
    found = verify_directory(broken, vectors=60)
    assert not found["passed"]
    assert all(one.startswith(DEVICE) for one in found["failures"])
