"""One cycle of reset ends all that is under way, in a core of every kind; faults are found.

Of cores whose constant time is proved that is proved with it, in test_constant_time.
"""

import pytest
from tests.small_curves import TINY

from residua.cores.base_extension.core import BaseExtensionCore
from residua.cores.digit.boundary import digit_boundary
from residua.cores.digit.core import DigitCore
from residua.cores.ecpm.boundary import point_boundary
from residua.cores.ecpm.core import EcpmCore
from residua.cores.engine.boundary import engine_boundary, word_boundary
from residua.cores.inversion.boundary import inverter_boundary
from residua.cores.inversion.core import InversionCore
from residua.cores.proofs.netlist import read_netlist, write_verilog
from residua.cores.proofs.reset import prove_first_cycles, prove_reset
from residua.cores.rns_montgomery.core import RnsMontgomeryCore
from residua.cores.single_base.core import SingleBaseCore
from residua.cores.specification.reading import check_any
from residua.hardware.converters import residue_to_binary
from residua.hardware.delay import delayed
from residua.hardware.digit import word_radix2
from residua.hardware.engine import engine

PRIME = 2**31 - 1

ENGINES = {
    "multiplier": (RnsMontgomeryCore, {"modulus": PRIME}),
    "interval": (RnsMontgomeryCore, {"modulus": PRIME, "schedule": "interval", "bases": "any"}),
    "rows": (
        RnsMontgomeryCore,
        {"modulus": PRIME, "channels": 4, "extension": "hierarchical", "columns": 2},
    ),
    "base extension": (BaseExtensionCore, {"algorithm": "base-extension", "modulus": PRIME}),
    "sbmm": (
        SingleBaseCore,
        {"algorithm": "sbmm", "channels": 4, "width": 13, "rowers": "full", "compress": True},
    ),
}

WORDS = {
    # Its control words are in block memory, whose register no reset clears.
    "words of one rower": (
        RnsMontgomeryCore,
        {"modulus": 2**96 - 17, "width": 13, "rowers": 1},
    ),
    # Its converter has a register that tells of a column of any multiplier.
    "plain": (RnsMontgomeryCore, {"modulus": 0x1000B, "result": "plain", "output_multipliers": 2}),
    "sbmm": (SingleBaseCore, {"algorithm": "sbmm", "channels": 4}),
}

DIGITS = {"algorithm": "mwr2mm", "bits": 24, "digit": 8}


def netlist_of(component, boundary, folder):
    return read_netlist(*write_verilog(component, folder), folder, boundary)


def whole(component, boundary, folder):
    """Both parts of the proof, of a core of which constant time is not proved."""
    return prove_reset(netlist_of(component, boundary, folder), out_dir=folder)


def first_cycles(component, boundary, folder):
    """The proof from a reset on."""
    return prove_first_cycles(netlist_of(component, boundary, folder), out_dir=folder)


@pytest.mark.parametrize("name", ENGINES)
def test_an_engine(name, tmp_path):
    kind, values = ENGINES[name]
    core = kind(check_any({"width": 12, **values}))
    result = whole(core.component(), engine_boundary(core.design), tmp_path)
    assert result.passed, (result.begin.log.read_text(), result.steady.log.read_text())
    assert result.observed > 40
    assert result.registers > 90


@pytest.mark.parametrize("name", WORDS)
def test_a_multiplier_with_words(name, tmp_path):
    kind, values = WORDS[name]
    core = kind(check_any({"width": 12, "interface": "words", **values}))
    result = whole(core.component(), word_boundary(core.words), tmp_path)
    assert result.passed, (result.begin.log.read_text(), result.steady.log.read_text())
    assert result.observed > 100
    assert result.registers > 150


@pytest.mark.parametrize("method", ["plus-minus", "plus-minus-ct"])
def test_plus_minus_inversion(method, tmp_path):
    """Its control depends on tests of the operand, which are the same for the same operand."""
    values = {"algorithm": "inversion", "modulus": PRIME, "width": 11, "inversion": method}
    core = InversionCore(check_any(values))
    result = whole(core.component(), inverter_boundary(core.design), tmp_path)
    assert result.passed, (result.begin.log.read_text(), result.steady.log.read_text())
    assert result.registers > 10


def test_a_point_multiplier(tmp_path):
    """Registers that shift nothing but zeros in have no secrets, and no reset: they are data."""
    core = EcpmCore(
        check_any({"algorithm": "ecpm-2006", "curve": TINY, "channels": 3, "operation": "add"})
    )
    result = whole(core.component(), point_boundary(core.design), tmp_path)
    assert result.passed, (result.begin.log.read_text(), result.steady.log.read_text())
    assert result.registers > 60


def unreset(m, value, cycles, name, *, data=False):
    """`delayed` as if all that it delays were data."""
    del data
    return delayed(m, value, cycles, name, data=True)


@pytest.fixture
def small():
    """A component and its boundary, of each kind in which faults are planted."""

    def make(kind):
        if kind == "engine":
            core = RnsMontgomeryCore(check_any({"modulus": PRIME, "width": 12}))
            return core.component(), engine_boundary(core.design)
        if kind == "words":
            _, values = WORDS["plain"]
            core = RnsMontgomeryCore(check_any({"width": 12, "interface": "words", **values}))
            return core.component(), word_boundary(core.words)
        design = DigitCore.of(check_any(DIGITS)).design
        return design.component(), digit_boundary(design)

    return make


@pytest.mark.parametrize(
    ("module", "kind"),
    [(engine, "engine"), (residue_to_binary, "words"), (word_radix2, "digits")],
    ids=["a write under way", "words of a result", "words of a digit multiplier"],
)
def test_a_valid_bit_without_a_reset_is_found(module, kind, small, monkeypatch, tmp_path):
    monkeypatch.setattr(module, "delayed", unreset)
    assert not first_cycles(*small(kind), tmp_path).passed
