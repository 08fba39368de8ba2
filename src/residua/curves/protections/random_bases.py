"""Bases that are chosen at random, before each operation of a coprocessor.

The moduli of each rower are given to both bases by a bit of a random choice, so that the residues
of a number differ from one operation to the next, as its Montgomery form does
(`residua.algorithms.fields.random_bases`). What depends on the choice is computed first.
"""

from collections.abc import Mapping, Sequence

from residua.curves.operations.codes import Operation
from residua.curves.operations.instructions import Instruction, Read, Run

PREPARE, COMPLETE, MAKE_CONSTANTS = BEGINNING = "prepare", "complete", "constants"
"""The routines that make what depends on the choice, and the constants that others use."""


def with_choices(
    operations: Mapping[Operation, Sequence[Instruction]],
) -> dict[Operation, list[Instruction]]:
    """The operations of a curve, each after a choice and what depends on it."""
    begin: list[Instruction] = [Read("choice"), *map(Run, BEGINNING)]
    return {operation: [*begin, *own] for operation, own in operations.items()}


def refusal(
    *, plain: bool, combs: bool = False, verifies: bool = False, residues: bool = False
) -> str:
    """Why a core cannot have it; nothing if it can.

    Args:
        plain: it computes by RNS Montgomery multiplication with extensions that have no rows.
        combs: base points are multiplied by combs.
        verifies: ECDSA signatures are verified by one operation.
        residues: elements are inverted by a unit that takes residues.
    """
    reasons = {
        "it is for algorithm = 'rns-montgomery' with extension = 'kawamura', whose matrices can be "
        "held": not plain,
        "fixed_base = 'comb' has tables of residues in bases that are known": combs,
        "ecdsa = 'verify' computes modulo two numbers in one operation": verifies,
        "inversion = 'plus-minus-ct' takes residues in a base that is known": residues,
    }
    return "; ".join(reason for reason, holds in reasons.items() if holds)
