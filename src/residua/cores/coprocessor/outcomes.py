"""What operations of a coprocessor take and have to give, by plain integers.

Of a core that takes secrets as two shares, operands as they are *given* to it have these.
"""

import random
from collections.abc import Sequence

from residua.curves import affine
from residua.curves.operations.codes import ORDER_OPERATIONS, Operation, Status
from residua.curves.parameters import Curve, MontgomeryCurve, WeierstrassCurve
from residua.curves.protections import masked_scalar
from residua.hardware.coprocessor.design import CurveDesign

Outcome = tuple[Status, tuple[int, ...]]
"""A status and the results."""

_INVERT = {Operation.FIELD_INVERT, Operation.ORDER_INVERT, Operation.ORDER_SIGN}
"""Operations that divide by their first operand."""


def operand_point(curve: Curve, point: tuple[int, int]) -> tuple[int, ...]:
    """A point as the operands of an operation."""
    return point[:1] if isinstance(curve, MontgomeryCurve) else point


def signature(
    curve: Curve, draw: random.Random, secret: int, e: int
) -> tuple[tuple[int, int], int, int, int]:
    """The key of a secret, the number of a digest, and r and s of a signature by plain integers."""
    assert isinstance(curve, WeierstrassCurve)
    n, base = curve.order, curve.base_point
    key = affine.multiply(curve, secret, base)
    assert key is not None
    r = s = 0
    while not (r and s):
        k = draw.randrange(1, n)
        point = affine.multiply(curve, k, base)
        assert point is not None
        r = point[0] % n
        s = (e + r * secret) * pow(k, -1, n) % n
    return key, e, r, s


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
    limit = order if operation in ORDER_OPERATIONS else 1 << design.scalars.bits[curve]
    if any(k >= limit for k in operands[:count]):
        return *operands[:count], *(draw.randrange(order) for _ in range(count)), *operands[count:]
    return masked_scalar.split(operation, operands, order, draw)


def given_outcome(
    design: CurveDesign, curve: int, operation: Operation, given: Sequence[int]
) -> Outcome:
    """Compute the right outcome of an operation on operands as the core takes them."""
    own, bits = design.curves[curve], design.scalars.bits[curve]
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


def outcome(
    curve: Curve, scalar_bits: int, operation: Operation, operands: tuple[int, ...]
) -> Outcome:
    """Compute the right outcome of an operation by plain integers.

    On Montgomery curves points must be in the group of the base point.
    """
    if operation is Operation.ECDSA_VERIFY:
        assert isinstance(curve, WeierstrassCurve)
        return _verified(curve, operands)
    if operation >= Operation.FIELD_MULTIPLY:
        modulus = curve.order if operation in ORDER_OPERATIONS else curve.prime
        return _arithmetic(modulus, operation, operands)
    scalars = 2 if operation is Operation.DOUBLE_MULTIPLY else 1
    scalar, point = operands[:scalars], operands[scalars:]
    if operation is Operation.VALIDATE:
        scalar, point = (), operands
    if any(k >> scalar_bits for k in scalar):
        return Status.SCALAR_RANGE, ()
    if any(number >= curve.prime for number in point):
        return Status.OPERAND_RANGE, ()
    if isinstance(curve, MontgomeryCurve):
        return _montgomery(curve, operation, scalar, point)
    if operation is Operation.BASE_MULTIPLY:
        point = curve.base_point
    points = list(zip(point[::2], point[1::2], strict=True))
    return _weierstrass(curve, operation, scalar, points)


def _weierstrass(
    curve: WeierstrassCurve,
    operation: Operation,
    scalars: tuple[int, ...],
    points: list[tuple[int, int]],
) -> Outcome:
    if not all(affine.is_on_curve(curve, point) for point in points):
        return Status.NOT_ON_CURVE, ()
    if operation is Operation.VALIDATE:
        return Status.OK, ()
    result: affine.Point = None
    for scalar, point in zip(scalars, points, strict=True):
        result = affine.add(curve, result, affine.multiply(curve, scalar, point))
    if result is None:
        return Status.NEUTRAL, ()
    return Status.OK, result[:1] if operation is Operation.X_MULTIPLY else result


def _verified(curve: WeierstrassCurve, operands: tuple[int, ...]) -> Outcome:
    (e, r, s), key = operands[:3], (operands[3], operands[4])
    n = curve.order
    if max(e, r, s) >= n or max(key) >= curve.prime:
        return Status.OPERAND_RANGE, ()
    if r == 0 or s == 0:
        return Status.INVALID, ()
    if not affine.is_on_curve(curve, key):
        return Status.NOT_ON_CURVE, ()
    inverse = pow(s, -1, n)
    parts = ((e, curve.base_point), (r, key))
    multiples = (affine.multiply(curve, k * inverse % n, point) for k, point in parts)
    total = affine.add(curve, *multiples)
    valid = total is not None and total[0] % n == r
    return (Status.OK, (r,)) if valid else (Status.INVALID, ())


def _montgomery(
    curve: MontgomeryCurve, operation: Operation, scalar: tuple[int, ...], point: tuple[int, ...]
) -> Outcome:
    u = curve.x if operation is Operation.BASE_MULTIPLY else point[0]
    if operation is Operation.VALIDATE:
        small = curve.cofactor > 1 and affine.multiply_x(curve, curve.cofactor, u) == 0
        return (Status.SMALL_ORDER if small else Status.OK), ()
    if scalar[0] % curve.order == 0:
        return Status.NEUTRAL, ()
    return Status.OK, (affine.multiply_x(curve, scalar[0], u),)


def _arithmetic(modulus: int, operation: Operation, operands: tuple[int, ...]) -> Outcome:
    if any(number >= modulus for number in operands):
        return Status.OPERAND_RANGE, ()
    if operation in _INVERT and operands[0] == 0:
        return Status.NO_INVERSE, ()
    match operation:
        case Operation.FIELD_INVERT | Operation.ORDER_INVERT:
            return Status.OK, (pow(operands[0], -1, modulus),)
        case Operation.ORDER_SIGN:
            k, d, r, z = operands
            return Status.OK, ((z + r * d) * pow(k, -1, modulus) % modulus,)
        case Operation.FIELD_MULTIPLY_ADD | Operation.ORDER_MULTIPLY_ADD:
            a, b, addend = operands
            return Status.OK, ((a * b + addend) % modulus,)
        case _:
            return Status.OK, (operands[0] * operands[1] % modulus,)
