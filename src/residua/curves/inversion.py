"""Inversion as a list of instructions: by Fermat's theorem, or by a unit beside the engine."""

from collections.abc import Iterator, Sequence
from enum import StrEnum

from residua.algorithms.addition_chains import INPUT, AdditionChain, fermat_chain
from residua.algorithms.fields.field import FieldProgram
from residua.curves.operations.instructions import NUMBER, Admit, Instruction, Reciprocate, Run
from residua.curves.operations.routines import common_routines

CHAIN_ELEMENTS = ("m", "x0", "z0", "x1", "z1", "c0", "c1", "c2", "c3")
"""Registers of an inversion's chain, beside "l" for its operand."""

LONGEST_CHAIN = 1 + len(CHAIN_ELEMENTS)
"""Registers that an inversion's chain may have."""


class Inversion(StrEnum):
    """Methods of inversion in a coprocessor; all take constant time.

    ``FERMAT`` is x^(p - 2) on the engine. ``DIVISION_STEPS`` takes an element out of the engine as
    a binary number, to `residua.hardware.inverters.modular_inverter`, and back, ``PLUS_MINUS`` as
    residues, to `residua.hardware.inverters.residue_inverter`.
    """

    FERMAT = "fermat"
    DIVISION_STEPS = "division-steps"
    PLUS_MINUS = "plus-minus-ct"


def inversion(modulus: int, method: Inversion) -> list[Instruction]:
    """The instructions that make an `Invert`; none of them depends on the operand.

    The accumulator of Fermat's is "inverse"; a multiplier comes through "factor".
    """
    if method is Inversion.FERMAT:
        return list(_chain(fermat_chain(modulus, registers=LONGEST_CHAIN)))
    if method is Inversion.PLUS_MINUS:
        return [Admit(), Run("give_residues"), Reciprocate(), Run("take_residues")]
    return [
        Run(f"copy_{NUMBER}_d"),
        Run("unload"),
        Reciprocate(),
        Run("load"),
        Run(f"copy_inverse_{NUMBER}"),
    ]


def power_runs(chain: AdditionChain) -> list[Run]:
    """The routines that put the power of `NUMBER` by a chain of `LONGEST_CHAIN` in its place."""
    _, *steps = _chain(chain)
    return [Run(f"copy_l_{NUMBER}"), *steps, Run(f"copy_{NUMBER}_inverse")]


def power_programs(runs: Sequence[Run]) -> dict[str, FieldProgram]:
    """The field programs of the routines of `power_runs`, by name."""
    names = {run.routine for run in runs}
    parts = [name.split("_") for name in names if name.startswith("copy_")]
    common = common_routines({(target, source) for _, target, source in parts})
    return {name: program for name, program in common.items() if name in names}


def _chain(chain: AdditionChain) -> Iterator[Run]:
    others = [register for register in chain.registers if register != INPUT]
    elements = {INPUT: "l"} | dict(zip(others, CHAIN_ELEMENTS, strict=False))
    yield Run("copy_l_d")
    held = None
    for position, step in enumerate(chain.steps):
        if step.source != held:
            yield Run(f"copy_inverse_{elements[step.source]}")
        if step.squarings:
            yield Run("square", step.squarings)
        if step.multiplier is not None:
            yield Run(f"copy_factor_{elements[step.multiplier]}")
            yield Run("multiply")
        held = step.target
        if _needed(chain, position):
            yield Run(f"copy_{elements[held]}_inverse")
    if held != chain.result:
        yield Run(f"copy_inverse_{elements[chain.result]}")


def _needed(chain: AdditionChain, position: int) -> bool:
    """Whether the target of a step is read later other than from the accumulator."""
    target = chain.steps[position].target
    held: str | None = target
    for step in chain.steps[position + 1 :]:
        if step.multiplier == target or (step.source == target and held != target):
            return True
        held = step.target
        if step.target == target:
            return False
    return chain.result == target and held != target
