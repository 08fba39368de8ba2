"""One cycle of reset ends all that is under way, in a core of every kind; faults are found.

Of cores whose constant time is proved that is proved with it, in test_constant_time.
"""

import re

import pytest
from tests import kept_verilog
from tests.small_curves import EVEN, TINY

from residua.cores.base_extension.core import BaseExtensionCore
from residua.cores.coprocessor.boundary import coprocessor_boundary
from residua.cores.coprocessor.digits.curve_core import DigitEccCore
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
from residua.curves.parameters import curve_from_parameters
from residua.hardware.converters import residue_to_binary
from residua.hardware.coprocessor.coprocessor import Coprocessor
from residua.hardware.delay import delayed
from residua.hardware.digit import word_radix2
from residua.hardware.engine import engine

PRIME = 2**31 - 1

ENGINES = {
    "multiplier": (RnsMontgomeryCore, {"modulus": PRIME}),
    "interval": (RnsMontgomeryCore, {"modulus": PRIME, "schedule": "interval", "bases": "any"}),
    "one rower": (RnsMontgomeryCore, {"modulus": PRIME, "rowers": 1}),
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
    "words": (RnsMontgomeryCore, {"modulus": PRIME}),
    # Its control words are in block memory, whose register no reset clears.
    "words of one rower": (
        RnsMontgomeryCore,
        {"modulus": 2**96 - 17, "width": 13, "rowers": 1},
    ),
    "plain": (RnsMontgomeryCore, {"modulus": 0x1000B, "result": "plain"}),
    "sbmm": (SingleBaseCore, {"algorithm": "sbmm", "channels": 4}),
}

DIGITS = {"algorithm": "mwr2mm", "bits": 64, "digit": 8}


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


@pytest.mark.parametrize("heard", range(2), ids=["operands", "random words"])
def test_a_part_that_is_heard_before_the_reset_comes_to_it_is_found(heard, tmp_path):
    """A word would be lost that came in the cycle after that of the reset.

    Of the core as it is that is proved in test_constant_time.
    """
    curves = [curve_from_parameters(curve) for curve in (TINY, EVEN)]
    design = DigitEccCore(curves, digit=8, blinding=32).design
    sources, top = kept_verilog.write(Coprocessor, design, tmp_path)
    text = sources[0].read_text()
    masks = list(re.finditer(r"assign n\d+ = (~wiping_\d+);", text))
    assert len(masks) == 2
    start, end = masks[heard].span(1)
    sources[0].write_text(f"{text[:start]}1'b1{text[end:]}")
    netlist = read_netlist(sources, top, tmp_path, coprocessor_boundary(design))
    assert not prove_first_cycles(netlist, out_dir=tmp_path).passed


def test_a_point_multiplier(tmp_path):
    """Registers that shift nothing but zeros in have no secrets, and no reset: they are data."""
    core = EcpmCore(check_any({"algorithm": "ecpm-2006", "curve": TINY, "operation": "add"}))
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
        values = {"modulus": PRIME, "width": 12}
        if kind == "engine":
            core = RnsMontgomeryCore(check_any(values))
            return core.component(), engine_boundary(core.design)
        if kind == "words":
            core = RnsMontgomeryCore(check_any({**values, "interface": "words"}))
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
