"""Operands as a coprocessor takes them: secrets as two shares, if it takes such."""

import random
from collections.abc import Sequence

from residua.cores.coprocessor.outcomes import Outcome, outcome
from residua.curves.operations import ORDER_OPERATIONS, Operation, Status
from residua.curves.protections import masked_scalar
from residua.hardware.coprocessor.design import CurveDesign


def given_operands(
    design: CurveDesign,
    curve: int,
    operation: Operation,
    operands: Sequence[int],
    draw: random.Random,
) -> tuple[int, ...]:
    """The operands of an operation, its secrets in fresh shares if the core takes such.

    A secret that is out of range has a share that is.
    """
    if not design.shares_scalars:
        return tuple(operands)
    count, order = masked_scalar.SECRETS.get(operation, 0), design.curves[curve].order
    limit = order if operation in ORDER_OPERATIONS else 1 << design.scalar_bits[curve]
    if any(k >= limit for k in operands[:count]):
        return *operands[:count], *(draw.randrange(order) for _ in range(count)), *operands[count:]
    return masked_scalar.split(operation, operands, order, draw)


def given_outcome(
    design: CurveDesign, curve: int, operation: Operation, given: Sequence[int]
) -> Outcome:
    """Compute the right outcome of an operation on operands as the core takes them."""
    own, bits = design.curves[curve], design.scalar_bits[curve]
    if not design.shares_scalars or operation not in masked_scalar.SECRETS:
        return outcome(own, bits, operation, tuple(given))
    shares = given[: 2 * masked_scalar.SECRETS[operation]]
    if operation in ORDER_OPERATIONS:
        if any(share >= own.order for share in shares):
            return Status.OPERAND_RANGE, ()
    elif any(share >> bits for share in shares):
        return Status.SCALAR_RANGE, ()
    secrets, others = _joined(operation, given, own.order)
    return outcome(own, bits, operation, (*secrets, *others))


def _joined(
    operation: Operation, given: Sequence[int], order: int
) -> tuple[list[int], tuple[int, ...]]:
    """The secrets modulo the order, and the other operands."""
    count = masked_scalar.SECRETS[operation]
    operands = masked_scalar.joined(operation, given)
    return [k % order for k in operands[:count]], operands[count:]
