"""Components for VHDL, read by GHDL: alone, and in an entity that has the port map of the file."""

import re
import subprocess

import pytest
from tests.small_curves import TINY

from residua.cores.directory import build
from residua.cores.specification.reading import check_any

CORES = {
    "multiplier": {"modulus": "0x1000b", "width": 12},
    "coprocessor": {"curve": [TINY], "bus": "axi"},
    "RSA": {"algorithm": "rsa-crt", "bits": 64, "digit": 11, "bus": "wishbone"},
}


def analysed(folder, standard, *files):
    """What GHDL says against files, in order."""
    command = ["ghdl", "-a", f"--std={standard}", *map(str, files)]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False).stderr


def surrounded(text, top):
    """An entity with the ports of the component, around an instance as the comments have it."""
    ports = re.search(r"^    port \(\n.*?^    \);\n", text, re.MULTILINE | re.DOTALL)[0]
    (instance,) = re.findall(r"^--   instance : .*?^--     \);\n", text, re.MULTILINE | re.DOTALL)
    (use,) = re.findall(r"^--   (use work\..*;)$", text, re.MULTILINE)
    lines = [
        "library ieee;\nuse ieee.std_logic_1164.all;",
        use,
        f"entity around is\n{ports}end entity;",
        "architecture only of around is\nbegin",
        instance.replace("--", ""),
        "end architecture;\n",
    ]
    assert f"instance : {top}" in instance
    return "\n".join(lines)


@pytest.mark.parametrize("standard", ["93", "08"])
@pytest.mark.parametrize("name", CORES)
def test_a_design_in_vhdl_takes_the_component(name, standard, tmp_path):
    made = build(check_any(CORES[name]), tmp_path / "core")
    path = made.path / f"vhdl/{made.top}.vhd"
    text = path.read_text()
    around = tmp_path / "around.vhd"
    around.write_text(surrounded(text, made.top))
    assert analysed(tmp_path, standard, path, around) == ""
    wrong = tmp_path / "wrong.vhd"
    wrong.write_text(text.replace("rst : in std_logic;", "rst : in std_logic_vector(1 downto 0);"))
    assert "rst" in analysed(tmp_path, standard, wrong, around)
