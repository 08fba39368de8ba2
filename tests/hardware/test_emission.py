"""The emitted Verilog of a small engine: lint-clean, with its names, the same bytes every time."""

import hashlib
import os
import re
import subprocess
import sys
from functools import cache

import pytest
from amaranth.hdl import Module, signed
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from residua.cores.rns_montgomery.core import RnsMontgomeryCore
from residua.cores.rns_montgomery.specification import RnsMontgomerySpecification
from residua.hardware.primitives import Multiplier
from residua.hardware.rtl import TARGET_FORMS, emit
from residua.toolchain.targets import PRIMITIVE_FILE
from residua.toolchain.verilator import lint
from residua.toolchain.yosys import cell_model_directories, cell_models

CONFIGURATIONS = {
    "sparse": {"width": 17, "channels": 4},
    "dense": {"width": 17, "channels": 4, "bases": "any", "reduction": "multiply"},
    "shared": {"width": 17, "channels": 4, "rowers": 2},
    "wide": {"width": 33, "channels": 3},
}

PRINT_DIGEST = """
import hashlib
from residua.cores.rns_montgomery.core import RnsMontgomeryCore
from residua.cores.rns_montgomery.specification import RnsMontgomerySpecification
from residua.hardware.primitives import Multiplier
from residua.hardware.rtl import emit
core = RnsMontgomeryCore(RnsMontgomerySpecification(modulus=2**64 - 59, width=17, channels=4))
print(hashlib.sha256(repr(emit(core.component(), core.name)).encode()).hexdigest())
"""


@cache
def make(configuration):
    core = RnsMontgomeryCore(
        RnsMontgomerySpecification(modulus=2**64 - 59, **CONFIGURATIONS[configuration])
    )
    return core, emit(core.component(), core.name)


def write(files, directory):
    for name, text in files.items():
        path = directory / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)


def modules(text):
    return re.findall(r"^module (\w+)", text, re.MULTILINE)


@pytest.mark.parametrize("configuration", CONFIGURATIONS)
def test_lint(configuration, tmp_path):
    core, files = make(configuration)
    write(files, tmp_path)
    sources = [tmp_path / f"rtl/{core.name}.v", tmp_path / PRIMITIVE_FILE]
    assert lint(sources, core.name) == []


def test_lint_of_the_ecp5_form(tmp_path):
    core, files = make("sparse")
    write(files, tmp_path)
    sources = [tmp_path / name for name in (f"rtl/{core.name}.v", "rtl/ecp5/primitives.v")]
    models = cell_models("ecp5")
    found = lint([*sources, *models], core.name, includes=cell_model_directories("ecp5"))
    own = [line for line in found if str(tmp_path) in line]
    # Cells have many more pins than a primitive uses.
    assert [line for line in own if not line.startswith("%Warning-PINMISSING")] == []


def test_names_survive():
    core, files = make("sparse")
    text = files[f"rtl/{core.name}.v"]
    names = set(re.findall(r"\b[A-Za-z_]\w*\b", text))
    ports = {"clk", "rst", "enable", "operands_payload", "operands_valid", "operands_ready"}
    results = {"result", "result_valid", "result_word"}
    inner = {"operand", "neighbour", "left_next", "left_word", "right_word", "residue", "stored"}
    inner |= {"registers", "constants", "left_register", "write_register", "load_register"}
    instances = {"sequencer", "cox", "loader", "mac", "reducer", *(f"rower_{i}" for i in range(4))}
    assert names >= ports | results | inner | instances
    assert "\\" not in text
    assert "$" not in text


def test_every_form_has_the_same_modules():
    core, files = make("wide")
    used = set(modules(files[PRIMITIVE_FILE]))
    assert used
    for form in TARGET_FORMS:
        assert set(modules(files[form])) == used
    instances = set(re.findall(r"^\s+(\w+) \w+ \($", files[f"rtl/{core.name}.v"], re.MULTILINE))
    assert used <= instances


@pytest.mark.parametrize("configuration", CONFIGURATIONS)
def test_every_module_is_the_cores_own(configuration):
    core, files = make(configuration)
    top, *others = (name for text in files.values() for name in modules(text))
    assert top == core.name
    assert others
    assert all(name.startswith(f"{core.name}_") for name in others)


class Squarer(wiring.Component):
    """A multiplier in a part that is called as the multiplier's module is."""

    x: In(signed(18))
    square: Out(signed(36))

    def elaborate(self, _platform):
        m, part = Module(), Module()
        multiplier = Multiplier(18, 18)
        part.submodules.multiplier = multiplier
        m.submodules.multiplier_18x18 = part
        m.d.comb += [multiplier.left.eq(self.x), multiplier.right.eq(self.x)]
        m.d.comb += self.square.eq(multiplier.product)
        return m


def test_a_part_is_not_called_as_a_primitive(tmp_path):
    files = emit(Squarer(), "core")
    assert modules(files["rtl/core.v"]) == ["core", "core_multiplier_18x18_2"]
    assert modules(files[PRIMITIVE_FILE]) == ["core_multiplier_18x18"]
    write(files, tmp_path)
    assert lint([tmp_path / "rtl/core.v", tmp_path / PRIMITIVE_FILE], "core") == []


def test_another_prefix():
    files = emit(Squarer(), "core_axi", prefix="core")
    assert modules(files[PRIMITIVE_FILE]) == ["core_multiplier_18x18"]


@pytest.mark.parametrize("configuration", CONFIGURATIONS)
def test_the_same_bytes_again(configuration):
    core, files = make(configuration)
    assert emit(core.component(), core.name) == files


def test_the_same_bytes_in_another_process():
    """Whatever the order of sets is there."""
    digest = subprocess.run(
        [sys.executable, "-c", PRINT_DIGEST],
        env={**os.environ, "PYTHONHASHSEED": "1"},
        check=True,
        capture_output=True,
        text=True,
    ).stdout.strip()
    files = make("sparse")[1]
    assert digest == hashlib.sha256(repr(files).encode()).hexdigest()
