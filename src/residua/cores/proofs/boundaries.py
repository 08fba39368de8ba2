"""What is secret in a core, and what may be seen of it, for the proof of constant time."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass

from residua.cores.coprocessor.core import CurveBuild
from residua.cores.digit.core import DigitDesign, DigitMontgomeryCore
from residua.cores.exponentiation.core import ExponentiationCore
from residua.cores.extended_rns.core import ExtendedCore
from residua.cores.generation import AnyCore
from residua.cores.inversion.core import InversionCore, InverterDesign
from residua.hardware.converters.word_core import WordDesign
from residua.hardware.coprocessor.design import CurveDesign
from residua.hardware.coprocessor.digit_design import DigitCoprocessorDesign
from residua.hardware.digit.iddmm import IddmmDesign
from residua.hardware.engine.engine import EngineDesign
from residua.hardware.exponentiation.digit_exponentiator import ModexpDesign
from residua.hardware.exponentiation.exponentiator import ExponentiatorDesign
from residua.hardware.exponentiation.rsa_crt import RsaCrtDesign
from residua.hardware.extended.design import ExtendedDesign
from residua.hardware.inverters.plus_minus_inverter import PlusMinusDesign

Uses = tuple[tuple[str, bool], ...]
"""Wires with the values that they have when a verdict is tested; none if it always may be."""

VERDICTS: Mapping[str, Uses] = {
    "controller.zero": (("controller.received", True), ("controller.test_only", True)),
    "controller.operand_in_range": (
        ("controller.operand_done", True),
        ("controller.read_random", False),
    ),
    "controller.scalar_in_range": (("controller.scalar_done", True),),
}
"""What the controller of a coprocessor tests, and when it does."""

_MODULUS_ERROR = "modulus_error"
_TABLE = "numbers.RD_ADDR"
"""The reader of the powers among which a digit of a secret exponent chooses."""


@dataclass(frozen=True)
class Boundary:
    """What may differ in two copies of a core.

    Attributes:
        core: what it is, for messages.
        inputs: names of inputs.
        outputs: names of outputs, with how many of their lowest bits.
        verdicts: wires that come of secrets and are equal all the same, and when they have to be.
        addresses: addresses of memories, `<memory>.RD_ADDR`.
    """

    core: str
    inputs: tuple[str, ...]
    outputs: Mapping[str, int]
    verdicts: Mapping[str, Uses]
    addresses: tuple[str, ...] = ()


def boundary_of(core: AnyCore) -> Boundary:
    """That of any core."""
    if isinstance(core, CurveBuild):
        return coprocessor_boundary(core.core.design)
    if isinstance(core, DigitMontgomeryCore):
        return digit_boundary(core.design)
    if isinstance(core, ExponentiationCore):
        return exponentiator_boundary(core.design)
    if isinstance(core, InversionCore):
        return inverter_boundary(core.design)
    if isinstance(core, ExtendedCore):
        return point_boundary(core.design)
    return engine_boundary(core.design) if core.words is None else word_boundary(core.words)


def valid_outputs(outputs: Collection[str]) -> dict[str, str]:
    """The outputs that hold something only while another one says so, and that one.

    ``status`` is there with ``done``, all parts of a stream with its ``valid``.
    """
    found = {"status": "done"} if {"status", "done"} <= set(outputs) else {}
    for name in outputs:
        for stem in (name, name.rpartition("_")[0]):
            valid = f"{stem}_valid"
            if valid in outputs and name != valid:
                found[name] = valid
    return found


def coprocessor_boundary(design: CurveDesign) -> Boundary:
    """Numbers and random words may differ; what the controller tests of them is equal.

    A multiplier of digits tests each modulus that it is given: those of curves are odd.
    """
    verdicts = dict(VERDICTS)
    if isinstance(design, DigitCoprocessorDesign):
        verdicts[f"processor.multiplier.{_MODULUS_ERROR}"] = ()
    inputs = ("operands_payload", "random_payload")
    return Boundary("coprocessor", inputs, {"result_payload": 32}, verdicts)


def exponentiator_boundary(design: ExponentiatorDesign) -> Boundary:
    """The words of all streams may differ, but not when they come."""
    return _streams("exponentiator", design.width, {}, loads=bool(design.loads))


def inverter_boundary(design: InverterDesign) -> Boundary:
    """Operands may differ, but not whether one is refused.

    Plus-minus inversion is none of those of which constant time is proved: it ends early and waits.
    When it does is told by tests for the end, which have to be equal.
    """
    verdicts: dict[str, Uses] = {"refused": ()}
    if isinstance(design, PlusMinusDesign):
        verdicts |= {"cox.tests": (), "below": (), "some": ()}
    return _streams("inverter", design.width, verdicts, loads=False)


def engine_boundary(design: EngineDesign) -> Boundary:
    """Operands may differ; results are all residues that leave."""
    word = design.width + 1
    lanes = 1 if design.options.serial else design.machine.units * design.lanes
    return Boundary("engine", ("operands_payload",), {"result": word * lanes}, {})


def word_boundary(design: WordDesign) -> Boundary:
    """The words of both streams may differ."""
    return _streams("multiplier", design.width, {}, loads=False)


def point_boundary(design: ExtendedDesign) -> Boundary:
    """The words of both streams may differ: of points, and of scalars."""
    return _streams("point multiplier", design.width, {}, loads=False)


def digit_boundary(design: DigitDesign) -> Boundary:
    """The words of all streams, keys too, may differ, but not whether they are legal.

    The digits of a secret exponent choose powers in a table, by their address.
    """
    loads = design.domain is None
    verdicts: Mapping[str, Uses] = {}
    addresses: tuple[str, ...] = ()
    if isinstance(design, RsaCrtDesign):
        verdicts = {f"modulo_{unit}.{_MODULUS_ERROR}": () for unit in "pqn"} | {"differs": ()}
        addresses = tuple(f"modulo_{unit}.{_TABLE}" for unit in "pq")
    elif loads:
        verdicts = {_MODULUS_ERROR: ()}
    if isinstance(design, ModexpDesign) and design.exponent is None:
        addresses = (_TABLE,)
    if isinstance(design, IddmmDesign) and design.checked:
        verdicts = {**verdicts, "results.error": ()}
    return _streams("digit core", design.streams.width, verdicts, addresses, loads=loads)


def _streams(
    core: str,
    width: int,
    verdicts: Mapping[str, Uses],
    addresses: tuple[str, ...] = (),
    *,
    loads: bool,
) -> Boundary:
    """A core with streams of operands and results of ``width`` bits, and perhaps of a modulus."""
    inputs = ("operands_payload", "modulus_payload")[: 1 + loads]
    return Boundary(core, inputs, {"result_payload": width}, verdicts, addresses)
