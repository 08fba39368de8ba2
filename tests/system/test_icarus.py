"""The test benches of cores on a bus, by their makefiles, in Icarus Verilog."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
from tests.cores.generated import RSA

from residua.cores.directory import build
from residua.cores.specification.reading import check_any

CORES = {
    "axi": RSA | {"bits": 32, "digit": 8},
    "axi-lite": {"algorithm": "iddmm", "modulus": 0x1000B, "digit": 5},
    "wishbone": {"algorithm": "inversion", "modulus": 0x10001},
}


def make(*arguments):
    """Run make with cocotb's programs on the path."""
    path = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
    environment = {**os.environ, "PATH": path, "MAKEFLAGS": ""}
    return subprocess.run(
        ["make", *arguments], env=environment, capture_output=True, text=True, check=False
    )


@pytest.mark.parametrize("bus", CORES)
def test_benches(bus, tmp_path):
    sim = build(check_any({**CORES[bus], "bus": bus}), tmp_path / "core").path / "sim"
    verilog = make("-C", sim, "icarus")
    assert verilog.returncode == 0, verilog.stdout + verilog.stderr
    assert "PASS: " in verilog.stdout
    cocotb = make("-C", sim, "-f", "cocotb.mk", "SIM=icarus")
    assert cocotb.returncode == 0, cocotb.stdout + cocotb.stderr
    assert "TESTS=3 PASS=3 FAIL=0 SKIP=0" in cocotb.stdout + cocotb.stderr


def test_a_wrong_result_fails(tmp_path):
    sim = build(check_any({**CORES["wishbone"], "bus": "wishbone"}), tmp_path / "core").path / "sim"
    lines = (sim / "vectors.hex").read_text().splitlines()
    at = max(n for n, line in enumerate(lines) if " " in line and not line.startswith("//"))
    lines[at] = f"{lines[at][:-1]}{int(lines[at][-1], 16) ^ 1:x}"
    (sim / "vectors.hex").write_text("\n".join(lines) + "\n")
    assert make("-C", sim, "icarus").returncode != 0
    cocotb = make("-C", sim, "-f", "cocotb.mk", "SIM=icarus")
    assert "TESTS=3 PASS=1 FAIL=2 SKIP=0" in cocotb.stdout + cocotb.stderr
