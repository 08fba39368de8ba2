"""Operations of a coprocessor with a fixed operand and with random ones."""

import random
from dataclasses import replace

from residua.cores.coprocessor.core import CoprocessorCore
from residua.cores.coprocessor.outcomes import given_operands
from residua.cores.coprocessor.simulator import Request
from residua.curves.operations.codes import ORDER_OPERATIONS, PUBLIC_OPERATIONS, Operation
from residua.curves.operations.instructions import Instruction, Read, Receive, Run
from residua.curves.protections import masked_scalar
from residua.evidence.attacks.groups import Compared, Groups, check_operand, public, tossed
from residua.evidence.attacks.victims.coprocessor import (
    PointVictim,
    operand_names,
    operation_named,
    supply_of,
)
from residua.hardware.coprocessor.design import CurveDesign
from residua.hardware.coprocessor.durations import operation_cycles, timeline

_MULTIPLICATIONS = (Operation.POINT_MULTIPLY, Operation.BASE_MULTIPLY, Operation.X_MULTIPLY)
"""Their scalar is fixed or random; their point is the same throughout."""

_OTHERS = {Operation.DOUBLE_MULTIPLY, Operation.VALIDATE, *PUBLIC_OPERATIONS}
"""Operations on public data."""


def point_groups(core: CoprocessorCore, asked: Compared) -> Groups:
    """The operations that are asked for.

    Raises:
        SpecificationError: there is no such operation or operand, all of it is public, or random
            words are stuck and tested.
    """
    victim = PointVictim(core, asked.curve, asked.seed, keys=1)
    design, curve = victim.design, victim.curve
    supply = supply_of(design, asked.random_word)
    operation = operation_named(design, asked.curve, asked.operation)
    name = _operand(core, asked, operation)
    draw = random.Random(f"traces {asked.seed}")
    multiplies = operation in _MULTIPLICATIONS
    own = curve.order if multiplies or operation in ORDER_OPERATIONS else curve.prime
    scalar, *point = victim.operands[0]
    fixed = scalar if multiplies else draw.randrange(1, own)
    sides, values = tossed(asked, draw, fixed, lambda: draw.randrange(1, own))
    count = len(_names(core, asked.curve, operation)) - 1
    request = Request(operation, (), curve=asked.curve, supply=supply)
    lines: list[str] = []
    shares = random.Random(f"shares {asked.seed}")
    for number, value in enumerate(values):
        others = point[:count] if multiplies else [draw.randrange(1, own) for _ in range(count)]
        operands = (*others[: asked.operand], value, *others[asked.operand :])
        given = given_operands(design, asked.curve, operation, operands, shares)
        one = replace(request, operands=given, seed=asked.seed + 1 + number)
        lines.append(one.line(design.words))
    return Groups(
        operation.name,
        name,
        victim.about,
        victim.bench,
        operation_cycles(design, operation, asked.curve),
        point_phases(design, operation, asked.curve),
        sides,
        values,
        lines,
    )


def _names(core: CoprocessorCore, curve: int, operation: Operation) -> list[str]:
    """The names of the operands, of secrets that come as two shares their own."""
    names = operand_names(core, curve, operation)
    return masked_scalar.whole_names(operation, names) if core.core.design.shares_scalars else names


def _operand(core: CoprocessorCore, asked: Compared, operation: Operation) -> str:
    """The name of the operand that is asked for, if it can be a secret."""
    names = _names(core, asked.curve, operation)
    if operation in _OTHERS:
        raise public(operation.name)
    if operation in _MULTIPLICATIONS:
        names = names[:1]
    return check_operand(asked, operation.name, names)


def point_phases(design: CurveDesign, operation: Operation, curve: int) -> list[tuple[int, str]]:
    """The first cycle and the name of each phase: one instruction, or some of the same kind."""
    found: list[tuple[int, str]] = []
    for cycle, instruction in timeline(design, operation, curve):
        name = _named(instruction)
        if name and (not found or found[-1][1] != name):
            found.append((cycle, name))
    return found


def _named(instruction: Instruction) -> str | None:
    match instruction:
        case Read(source):
            return f"read {source}"
        case Run(routine) if routine.startswith("copy_"):
            return None
        case Run(routine):
            return routine
        case Receive():
            return "receive"
        case _:
            return None
