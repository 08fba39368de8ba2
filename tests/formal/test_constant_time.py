"""What is seen of a coprocessor does not depend on secrets; cores that leak are found out.

Where constant time is proved, one cycle of reset is, too, see test_reset.
"""

from copy import deepcopy
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path

import pytest
from tests import kept_verilog
from tests.schedules import quick_schedules
from tests.small_curves import EVEN, MIDDLE, TINY

from formal.tiny import tiny_core
from residua.cores.coprocessor.boundary import coprocessor_boundary
from residua.cores.coprocessor.digits.curve_core import DigitEccCore
from residua.cores.coprocessor.engine.rns_montgomery import EccCore
from residua.cores.digit.boundary import digit_boundary
from residua.cores.digit.core import DigitCore
from residua.cores.digit.specification import DigitSpecification
from residua.cores.exponentiation.boundary import exponentiator_boundary
from residua.cores.exponentiation.core import ExponentiationCore
from residua.cores.inversion.boundary import inverter_boundary
from residua.cores.inversion.core import InversionCore
from residua.cores.inversion.specification import InversionSpecification
from residua.cores.proofs.constant_time import prove_constant_time, prove_netlist
from residua.cores.proofs.netlist import Netlist, read_netlist, write_verilog
from residua.cores.proofs.reset import prove_first_cycles
from residua.cores.specification.reading import check, check_any
from residua.curves.inversion import Inversion
from residua.curves.parameters import curve_from_parameters
from residua.curves.protections.protection import Protection
from residua.errors import SpecificationError
from residua.hardware.coprocessor.coprocessor import Coprocessor
from residua.hardware.digit.iddmm import Iddmm
from residua.hardware.engine.processor import Processor


@dataclass
class Made:
    """A core's netlist, and a place for proofs."""

    netlist: Netlist
    folder: Path

    def without_mask(self, number):
        """The netlist in which a part is heard while memories are wiped: one of those told so."""
        module = deepcopy(self.netlist.module)
        wiping = self.netlist.wire("controller.wiping")
        inverters = [cell for cell in module["cells"].values() if cell["type"] == "$_NOT_"]
        masks = [cell for cell in inverters if cell["connections"]["A"] == [wiping]]
        assert len(masks) == 2
        masks[number]["connections"]["A"] = ["0"]
        return Netlist(module, self.netlist.boundary)

    def broken(self, victim, secret, gate):
        """The netlist in which everything that reads a net reads ``victim gate secret``."""
        module = deepcopy(self.netlist.module)
        victim, secret = self.netlist.wire(victim), self.netlist.wire(secret)
        nets = [bit for net in module["netnames"].values() for bit in net["bits"]]
        new = 1 + max(bit for bit in nets if isinstance(bit, int))
        places = [p for p in module["ports"].values() if p["direction"] == "output"]
        for place in places:
            place["bits"] = [new if bit == victim else bit for bit in place["bits"]]
        for cell in module["cells"].values():
            for pin, bits in cell["connections"].items():
                if cell["port_directions"][pin] == "input":
                    cell["connections"][pin] = [new if bit == victim else bit for bit in bits]
        module["cells"]["leak"] = {
            "hide_name": 0,
            "type": gate,
            "parameters": {},
            "attributes": {},
            "port_directions": {"A": "input", "B": "input", "Y": "output"},
            "connections": {"A": [victim], "B": [secret], "Y": [new]},
        }
        module["netnames"]["leaking"] = {"hide_name": 0, "bits": [new], "attributes": {}}
        return Netlist(module, self.netlist.boundary)


def coprocessor_netlist(design, folder):
    return read_netlist(
        *kept_verilog.write(Coprocessor, design, folder), folder, coprocessor_boundary(design)
    )


def netlist_of(component, boundary, folder):
    return read_netlist(*write_verilog(component, folder), folder, boundary)


def proved(netlist, folder):
    """That it has constant time, from a reset of one cycle on."""
    result = prove_netlist(netlist, out_dir=folder)
    assert result.passed, (result.leaks, result.proof.log.read_text())
    assert prove_first_cycles(netlist, out_dir=folder).passed
    return result


@pytest.fixture(scope="module", autouse=True)
def _quick():
    with quick_schedules():
        yield


on_residues = pytest.mark.parametrize(
    "core", [(1, Inversion.FERMAT)], ids=["residues"], indirect=True, scope="module"
)
"""For faults that do not depend on what kind of engine there is."""


@pytest.fixture(
    scope="module",
    params=[(1, Inversion.FERMAT), (2, Inversion.DIVISION_STEPS)],
    ids=["residues", "rows"],
)
def core(request):
    return tiny_core(*request.param)


@pytest.fixture(scope="module")
def made(core, tmp_path_factory):
    folder = tmp_path_factory.mktemp("tiny")
    verilog = kept_verilog.write(Coprocessor, core.design, folder)
    return Made(read_netlist(*verilog, folder, coprocessor_boundary(core.design)), folder)


def test_a_coprocessor(made):
    result = prove_netlist(made.netlist, out_dir=made.folder)
    assert result.passed, (result.leaks, result.proof.log.read_text())
    assert result.observed > 200
    assert result.registers > 400


@on_residues
def test_a_coprocessor_after_a_reset(made):
    assert prove_first_cycles(made.netlist, out_dir=made.folder).passed


@on_residues
@pytest.mark.parametrize("heard", range(2))
def test_a_part_that_is_heard_before_the_reset_comes_to_it_is_found(made, heard):
    """An operand or a random word would be lost that came in the cycle after that of the reset."""
    netlist = made.without_mask(heard)
    assert not prove_first_cycles(netlist, out_dir=made.folder).passed


def test_inversion_of_residues(tmp_path):
    """Within the unit much depends on the operand, outside nothing."""
    netlist = coprocessor_netlist(tiny_core(1, Inversion.PLUS_MINUS).design, tmp_path)
    result = prove_netlist(netlist, out_dir=tmp_path)
    assert result.passed, (result.leaks, result.proof.log.read_text())
    assert result.registers > 400


def test_everything_that_steers_a_memory_is_seen(made):
    kinds = {"RD_ADDR", "RD_EN", "WR_ADDR", "WR_EN"}
    seen = {tuple(name.rsplit(".", 1)) for name in made.netlist.observed if "." in name}
    steered = ("controller.instructions_0", "processor.sequencer.bank_0", "scalar_unit.words")
    for memory in steered:
        assert (memory, "RD_ADDR") in seen
    for rower in ("processor.rower_0", "processor.rower_1"):
        assert {(f"{rower}.registers", kind) for kind in ("RD_ADDR", "WR_ADDR", "WR_EN")} <= seen
        assert (f"{rower}.constants", "RD_ADDR") in seen
    for port in ("busy", "done", "status", "command_ready", "operands_ready", "result_valid"):
        assert port in made.netlist.observed
    assert {kind for _, kind in seen} <= kinds
    unseen = made.netlist.memories.keys() - {memory for memory, _ in seen}
    # A memory of one word has no address.
    assert all(made.netlist.memories[name]["connections"]["RD_ADDR"] == [] for name in unseen)


@on_residues
@pytest.mark.parametrize(
    ("victim", "secret", "gate"),
    [
        # The bit is part of an address.
        ("processor.rower_1.left_register", "scalar_unit.bit_signal", "$_XOR_"),
        # An operand's word decides whether the next one is taken.
        ("operands_ready", "operands_payload", "$_AND_"),
    ],
)
def test_a_leak_is_found_by_both_methods(made, victim, secret, gate):
    result = prove_netlist(made.broken(victim, secret, gate), out_dir=made.folder)
    assert result.leaks
    assert all(" -> leaking -> " in leak for leak in result.leaks), result.leaks
    assert not result.proof.passed


@on_residues
def test_a_verdict_that_is_used_untested_is_found(made):
    """The analysis takes verdicts for public; when they may be used, the induction knows."""
    netlist = made.broken("controller.ready", "controller.zero", "$_OR_")
    result = prove_netlist(netlist, out_dir=made.folder)
    assert not result.leaks
    assert not result.proof.passed


@on_residues
@pytest.mark.parametrize("verdict", ["controller.zero", "controller.scalar_in_range"])
def test_verdicts_have_to_be_equal(made, monkeypatch, verdict):
    """They change what is seen: without its assumption nothing is proved."""
    never = (("controller.busy", True), ("controller.busy", False))
    boundary = made.netlist.boundary
    monkeypatch.setattr(
        made.netlist, "boundary", replace(boundary, verdicts={**boundary.verdicts, verdict: never})
    )
    assert not prove_netlist(made.netlist, out_dir=made.folder).proof.passed


def exponentiator():
    """With a secret exponent, whose digits choose among powers in memories."""
    values = {"algorithm": "modexp", "unit": "rns-montgomery", "modulus": 2**31 - 1, "width": 12}
    return ExponentiationCore(check_any({**values, "window": 2, "exponent_bits": 9})).design


def test_an_exponentiator(tmp_path):
    design = exponentiator()
    boundary = exponentiator_boundary(design)
    result = proved(netlist_of(design.component(), boundary, tmp_path), tmp_path)
    assert result.observed > 150
    assert result.registers > 350


def test_an_exponentiator_that_skips_a_digit_is_found(monkeypatch, tmp_path):
    """Its processor is ready early when a bit of the exponent is set."""
    elaborate = Processor.elaborate

    def leaky(self, platform):
        m = elaborate(self, platform)
        m.d.comb += self.ready.eq(self.sequencer.ready | self.gates[0])
        return m

    monkeypatch.setattr(Processor, "elaborate", leaky)
    design = exponentiator()
    boundary = exponentiator_boundary(design)
    result = prove_constant_time(design.component(), boundary, out_dir=tmp_path)
    assert any(leak.endswith("instructions.RD_ADDR") for leak in result.leaks)
    assert not result.proof.passed


def rsa_netlist(blinding, folder):
    values = {"algorithm": "rsa-crt", "unit": "rns-montgomery", "bits": 36, "window": 2}
    core = ExponentiationCore.of(check_any({**values, "exponent": 5, "blinding": blinding}))
    return netlist_of(core.component(), core.boundary, folder)


@pytest.fixture(scope="module")
def rsa(tmp_path_factory):
    return rsa_netlist(64, tmp_path_factory.mktemp("rsa"))


def test_rsa_on_an_engine(tmp_path):
    assert proved(rsa_netlist(0, tmp_path), tmp_path).observed > 250


def test_rsa_on_an_engine_with_blinding(rsa, tmp_path):
    result = proved(rsa, tmp_path)
    assert result.observed > 250
    assert result.registers > 450


@pytest.fixture(scope="module")
def public_keys(tmp_path_factory):
    folder = tmp_path_factory.mktemp("public_keys")
    values = {"algorithm": "modexp", "unit": "rns-montgomery", "bits": 24, "width": 12}
    core = ExponentiationCore.of(check_any({**values, "exponent": "loaded"}))
    return netlist_of(core.component(), core.boundary, folder)


def test_public_keys(public_keys, tmp_path):
    """Control follows the key alone, which is public."""
    result = proved(public_keys, tmp_path)
    assert result.observed > 150
    assert result.registers > 350


@pytest.mark.parametrize(
    "change",
    [{"inputs": ("operands_payload", "modulus_payload")}, {"verdicts": {}}],
    ids=["secret key", "secret order"],
)
def test_public_keys_that_are_secret_are_found(public_keys, change, tmp_path):
    """A key may not differ, and it is told whether x is below N."""
    netlist = Netlist(public_keys.module, replace(public_keys.boundary, **change))
    assert not prove_netlist(netlist, out_dir=tmp_path).proof.passed


@pytest.mark.parametrize("verdict", ["guard.withholds", "modulus_error"])
def test_rsa_has_two_verdicts(rsa, verdict, tmp_path):
    verdicts = {name: uses for name, uses in rsa.boundary.verdicts.items() if name != verdict}
    assert len(verdicts) == len(rsa.boundary.verdicts) - 1
    netlist = Netlist(rsa.module, replace(rsa.boundary, verdicts=verdicts))
    assert not prove_netlist(netlist, out_dir=tmp_path).passed


def inverter_netlist(method, folder, *verdicts):
    """With those of the boundary, or with these verdicts alone."""
    values = {"algorithm": "inversion", "modulus": 2**31 - 1, "width": 11, "inversion": method}
    design = InversionCore(check(InversionSpecification, values)).design
    boundary = inverter_boundary(design)
    if verdicts:
        boundary = replace(boundary, verdicts={name: boundary.verdicts[name] for name in verdicts})
    return netlist_of(design.component(), boundary, folder)


@pytest.mark.parametrize("method", ["division-steps", "fermat"])
def test_an_inverter(method, tmp_path):
    result = proved(inverter_netlist(method, tmp_path), tmp_path)
    assert result.observed > 50
    assert result.registers > 150


def test_an_inverter_that_waits_is_none_of_those(tmp_path):
    """Its cycles are constant, but in which of them it works is not: its tests for the end tell."""
    netlist = inverter_netlist("plus-minus-ct", tmp_path, "refused")
    result = prove_netlist(netlist, out_dir=tmp_path)
    assert result.leaks
    assert not result.proof.passed


DIGIT_CORES = [
    {"algorithm": "r2mm", "modulus": 0x1000B},
    {"algorithm": "mwr2mm", "bits": 24, "digit": 8},
    {"algorithm": "iddmm", "bits": 24, "digit": 8, "inverse": "supplied"},
    {"algorithm": "iddmm", "modulus": 2**31 - 1, "digit": 8, "operand_check": "flag"},
    {"algorithm": "iddmm", "bits": 32, "digit": 8, "lanes": 2, "variant": "closed"},
    {"algorithm": "modexp", "bits": 32, "digit": 8, "window": 2},
    {"algorithm": "rsa-crt", "bits": 32, "digit": 8},
]


@pytest.fixture(scope="module")
def digit_netlist(tmp_path_factory):
    """Makes the netlist of one of the digit cores."""

    @cache
    def make(index):
        design = DigitCore.of(check(DigitSpecification, DIGIT_CORES[index])).design
        folder = tmp_path_factory.mktemp("digits")
        return netlist_of(design.component(), digit_boundary(design), folder)

    return make


@pytest.mark.parametrize(
    "index", range(len(DIGIT_CORES)), ids=[values["algorithm"] for values in DIGIT_CORES]
)
def test_a_digit_core(digit_netlist, index, tmp_path):
    result = proved(digit_netlist(index), tmp_path)
    assert result.observed > 2
    assert result.registers > 5


def test_a_digit_coprocessor(tmp_path):
    """Scalars of fixed length change r, multiples of the base point another factor than others."""
    curves = [curve_from_parameters(curve) for curve in (MIDDLE, EVEN)]
    core = DigitEccCore(curves, digit=8, blinding=32)
    assert [str(formula) for formula in core.design.formulas] == ["difference-ladder", "xz-ladder"]
    result = proved(coprocessor_netlist(core.design, tmp_path), tmp_path)
    assert result.registers > 400


@pytest.mark.parametrize(("index", "kept"), [(5, "addresses"), (3, "verdicts")])
def test_what_a_digit_core_lets_be_seen_is_all_that_is(digit_netlist, index, kept, tmp_path):
    """Powers are chosen by their address, and operands that are too large are told."""
    netlist = digit_netlist(index)
    assert getattr(netlist.boundary, kept)
    nothing = replace(netlist.boundary, **{kept: type(getattr(netlist.boundary, kept))()})
    result = prove_netlist(Netlist(netlist.module, nothing), out_dir=tmp_path)
    assert result.leaks
    assert not result.proof.passed


def test_a_multiplier_that_holds_its_result_back_is_found(monkeypatch, tmp_path):
    """A word of a result that comes only if a bit of it is set."""
    elaborate = Iddmm.elaborate

    def leaky(self, platform):
        m = elaborate(self, platform)
        m.d.comb += self.result.valid.eq(
            m.submodules.results.words.valid & self.result.payload.word[0]
        )
        return m

    monkeypatch.setattr(Iddmm, "elaborate", leaky)
    design = DigitCore.of(check(DigitSpecification, DIGIT_CORES[2])).design
    result = prove_constant_time(design.component(), digit_boundary(design), out_dir=tmp_path)
    assert any(leak.endswith("result_valid") for leak in result.leaks)
    assert not result.proof.passed


def test_constant_memories_are_read_at_the_same_addresses(digit_netlist):
    """What they hold is the same in both copies only as their addresses are."""
    netlist = digit_netlist(3)
    boundary = replace(netlist.boundary, addresses=("modulus.rows.RD_ADDR",))
    with pytest.raises(SpecificationError, match=r"has the wires modulus\.rows\.RD_ADDR"):
        Netlist(netlist.module, boundary)


def test_a_choice_of_bases_has_part_in_addresses_of_constants_alone(tmp_path):
    curve = curve_from_parameters(TINY)
    core = EccCore([curve], protections=frozenset({Protection.RANDOM_BASES}))
    netlist = coprocessor_netlist(core.design, tmp_path)
    proved(netlist, tmp_path)
    chosen = netlist.boundary.chosen
    assert len(chosen) == core.channels + 1
    plain = Netlist(netlist.module, replace(netlist.boundary, chosen=()))
    told = prove_netlist(plain, out_dir=tmp_path)
    assert not told.passed
    assert {leak.split(" -> ")[-1] for leak in told.leaks} == {f"{m}.RD_ADDR" for m in chosen}
    steering = Made(netlist, tmp_path).broken("controller.done", "chosen_bases", "$_XOR_")
    assert not prove_netlist(steering, out_dir=tmp_path).passed
    with pytest.raises(SpecificationError, match=r"has the wires processor\.registers"):
        Netlist(netlist.module, replace(netlist.boundary, chosen=("processor.registers",)))


def test_what_a_check_residue_finds_is_all_that_it_tells(tmp_path):
    core = EccCore([curve_from_parameters(TINY)], protections={Protection.REDUNDANT_RESIDUE})
    netlist = coprocessor_netlist(core.design, tmp_path)
    proved(netlist, tmp_path)
    verdicts = dict(netlist.boundary.verdicts)
    del verdicts["controller.residues_sound"]
    bare = Netlist(netlist.module, replace(netlist.boundary, verdicts=verdicts))
    assert not prove_netlist(bare, out_dir=tmp_path).passed


@on_residues
def test_only_coprocessors_are_asked(made):
    module = deepcopy(made.netlist.module)
    del module["netnames"]["controller.zero"]
    with pytest.raises(SpecificationError, match=r"has the wires controller\.zero"):
        Netlist(module, made.netlist.boundary)
