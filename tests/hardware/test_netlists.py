"""Synthesised netlists of a small engine, simulated with cell models, against the model."""

import re
from pathlib import Path

import pytest

from residua.cores.digit.core import DigitCore
from residua.cores.digit.specification import DigitSpecification
from residua.cores.digit.verification import verify_digits
from residua.cores.rns_montgomery.core import RnsMontgomeryCore
from residua.cores.rns_montgomery.specification import RnsMontgomerySpecification
from residua.cores.simulation.netlists import map_core
from residua.cores.simulation.runs import Runs
from residua.cores.specification.reading import check
from residua.errors import SpecificationError
from residua.hardware.rtl import emit
from residua.toolchain.yosys import cell_models, synthesise

CELLS = {
    "xc7": {"DSP48E1", "CARRY4", "RAM32M", "LUT6", "FDRE"},
    "ecp5": {"MULT18X18D", "CCU2C", "TRELLIS_FF", "TRELLIS_DPR16X4", "LUT4", "PFUMX", "L6MUX21"},
    "ice40up5k": {"SB_MAC16", "SB_CARRY", "SB_DFFE", "SB_LUT4"},
    "gatemate": {"CC_MULT", "CC_ADDF", "CC_DFF", "CC_L2T4"},
}


@pytest.fixture(scope="module")
def core():
    return RnsMontgomeryCore(RnsMontgomerySpecification(modulus=0x1000B, width=12, channels=2))


@pytest.mark.slow
@pytest.mark.parametrize("target", CELLS)
def test_netlist_computes_what_the_model_does(core, target, tmp_path):
    netlist = map_core(core, target, out_dir=tmp_path)
    assert set(netlist.synthesis.cells) >= CELLS[target]
    assert netlist.synthesis.used.dsp == 2
    result = core.simulate(netlist.sources, Runs(200, resets=2))
    assert result.failures == ()
    assert (result.vectors, result.mismatches, result.resets) == (200, 0, 2)
    assert result.model_checks > 0
    assert result.oracle_checks > 0


def test_a_wrong_cell_is_found(core, tmp_path):
    """A look-up table of the netlist with another bit."""
    netlist = map_core(core, "ecp5", out_dir=tmp_path)
    text = netlist.synthesis.netlist.read_text()
    tables = list(re.finditer(r"\.INIT\(16'h([0-9a-f]{4})\)", text))
    middle = tables[len(tables) // 2]
    wrong = f"{int(middle[1], 16) ^ 0xFFFF:04x}"
    broken = text[: middle.start(1)] + wrong + text[middle.end(1) :]
    netlist.synthesis.netlist.write_text(broken)
    assert not core.simulate(netlist.sources, Runs(200, resets=2)).passed


def test_families_without_models_are_refused(core, tmp_path):
    with pytest.raises(SpecificationError, match="simulation models"):
        map_core(core, "xcup", out_dir=tmp_path)


@pytest.mark.slow
def test_tiles_take_blocks(tmp_path):
    """A digit of 34 bits: chains of 2 (2 + 2) tiles for the sum and of 2 + 1 for q."""
    core = DigitCore(
        check(
            DigitSpecification,
            {"bits": 68, "digit": 34, "multiplier": "tiles", "inverse": "supplied"},
        )
    )
    sources = []
    for name, text in emit(core.component(), core.name).items():
        if name.endswith(".v") and "ecp5" not in name:
            sources.append(tmp_path / Path(name).name)
            # Block memories have no models.
            distributed = text.replace('ram_style = "block"', 'ram_style = "distributed"')
            sources[-1].write_text(distributed, encoding="utf-8")
    mapped = synthesise(sources, core.name, "xc5v", out_dir=tmp_path)
    assert set(mapped.cells) >= {"DSP48E", "CARRY4", "RAM32M", "LUT6", "FDRE"}
    assert mapped.used.dsp == 2 * (2 + 2) + 2 + 1
    sources = [mapped.netlist, *cell_models("xc5v")]
    result = verify_digits(core, sources, Runs(60, stalls=False))
    assert result.failures == ()
    assert result.mismatches == 0
