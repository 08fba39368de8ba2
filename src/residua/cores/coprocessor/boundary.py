"""Boundary of a coprocessor for the proof of constant time: secrets and tests of its control."""

from collections.abc import Mapping

from residua.cores.proofs.boundary import Boundary, Uses
from residua.hardware.coprocessor.coprocessor import RESET_DELAY
from residua.hardware.coprocessor.design import CurveDesign
from residua.hardware.coprocessor.digit_design import DigitCoprocessorDesign
from residua.hardware.coprocessor.random_bases_design import RandomBasesDesign
from residua.hardware.coprocessor.scalars.window_recoder import NAMES
from residua.hardware.unbuilt import unbuilt

VERDICTS: Mapping[str, Uses] = {
    "controller.zero": (("controller.received", True), ("controller.test_only", True)),
    "controller.operand_in_range": (
        ("controller.operand_done", True),
        ("controller.read_random", False),
    ),
    "controller.scalar_in_range": (("controller.scalar_done", True),),
}
"""Verdicts that the controller of a coprocessor takes on secrets, and when it does."""

RANDOM_VERDICTS: Mapping[str, Uses] = {
    "controller.random_unfit": (),
    "controller.random_zero": (("controller.scalar_done", True),),
}
"""Verdicts of a `residua.hardware.random_monitor`."""

_PUBLIC: Uses = (("window_recoder.advance", True), ("controller.public", True))


def public_bits(windows: int) -> dict[str, Uses]:
    """Bits of public scalars, or of their halves, that so many windows go through.

    What steers takes them in the operations of `PUBLIC_OPERATIONS` alone.
    """
    return {f"window_recoder.{name}_bit": _PUBLIC for name in NAMES[:windows]}


def coprocessor_boundary(design: CurveDesign) -> Boundary:
    """Numbers and random words may differ; what the controller tests of them is equal.

    Where signatures are verified, so are the bits of the scalars of such an operation, which are
    public, but not those of any other one.

    A multiplier of digits tests each modulus that it is given: those of curves are odd.
    """
    verdicts = dict(VERDICTS)
    if isinstance(design, DigitCoprocessorDesign):
        verdicts["processor.multiplier.modulus_error"] = ()
    if design.checks_scalars:
        # Of two sums of 16 bits, which are equal at both ends of a loop unless there was a fault.
        verdicts["controller.scalar_sound"] = ()
    if design.checks_residues:
        # Of two words that are equal unless there was a fault.
        verdicts["controller.residues_sound"] = ()
    if design.watches_random:
        verdicts |= RANDOM_VERDICTS
    if recoder := design.scalars.window_recoder():
        verdicts |= public_bits(unbuilt(recoder).windows)
    inputs = ("operands_payload", "random_payload")
    outputs = {"result_payload": 32}
    return Boundary(
        "coprocessor",
        inputs,
        outputs,
        verdicts,
        chosen=chosen_memories(design),
        reset_delay=RESET_DELAY,
    )


def chosen_memories(design: CurveDesign) -> tuple[str, ...]:
    """The memories of constants that a choice of bases is in the addresses of, and no others.

    Each rower has the constants of both its moduli, the converter those of both in each place.
    """
    if not isinstance(design, RandomBasesDesign):
        return ()
    rowers = (f"processor.rower_{index}.constants" for index in range(design.options.rowers))
    columns = (f"converter.columns.constants_{i}" for i in range(design.conversion.multipliers))
    return (*rowers, *columns)
