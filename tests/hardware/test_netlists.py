"""Synthesised netlists of a small engine, simulated with cell models, against the model."""

import pytest

from residua.cores.netlists import netlist_simulator
from residua.cores.rns_montgomery import RnsMontgomeryCore
from residua.cores.specification import Specification
from residua.cores.verification import verify
from residua.errors import SpecificationError

CELLS = {
    "xc7": {"DSP48E1", "CARRY4", "RAM32M", "LUT6", "FDRE"},
    "xc5v": {"DSP48E", "CARRY4", "RAM32M", "LUT6", "FDRE"},
    "ecp5": {"MULT18X18D", "CCU2C", "TRELLIS_FF", "TRELLIS_DPR16X4", "LUT4", "PFUMX", "L6MUX21"},
}


@pytest.fixture(scope="module")
def core():
    return RnsMontgomeryCore(Specification(modulus=2**64 - 59, width=17, channels=4))


@pytest.mark.slow
@pytest.mark.parametrize("target", CELLS)
def test_netlist_computes_what_the_model_does(core, target, tmp_path):
    netlist = netlist_simulator(core, target, out_dir=tmp_path, optimise=False)
    assert set(netlist.synthesis.cells) >= CELLS[target]
    assert netlist.synthesis.dsp == 4
    for stalls in (False, True):
        result = verify(netlist.simulator, vectors=500, seed=1, stalls=stalls)
        assert result.failures == ()
        assert result.vectors == 500
        assert result.mismatches == 0
        assert result.model_checks > 0
        assert result.oracle_checks > 0


def test_families_without_models_are_refused(core, tmp_path):
    with pytest.raises(SpecificationError, match="simulation models"):
        netlist_simulator(core, "xcup", out_dir=tmp_path)
