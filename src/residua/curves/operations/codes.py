"""The operations that a host can ask for, and how they end."""

from enum import IntEnum

from residua.curves.parameters import Curve, MontgomeryCurve


class Operation(IntEnum):
    """Operations that a host can ask for; see the register description."""

    POINT_MULTIPLY = 1
    BASE_MULTIPLY = 2
    X_MULTIPLY = 3
    DOUBLE_MULTIPLY = 4
    VALIDATE = 5
    FIELD_MULTIPLY = 6
    FIELD_INVERT = 7
    FIELD_MULTIPLY_ADD = 8
    ORDER_MULTIPLY = 9
    ORDER_INVERT = 10
    ORDER_MULTIPLY_ADD = 11
    ECDSA_VERIFY = 12
    ORDER_SIGN = 13


class Status(IntEnum):
    """Outcomes of an operation; see the register description."""

    OK = 0
    NEUTRAL = 1
    OPERAND_RANGE = 2
    SCALAR_RANGE = 3
    NOT_ON_CURVE = 4
    SMALL_ORDER = 5
    BAD_OPERATION = 6
    BAD_CURVE = 7
    NO_INVERSE = 8
    ZEROISED = 9
    INVALID = 10
    FAULT = 11
    RANDOM_FAULT = 12
    RANDOM_STARVED = 13
    RANDOM_ZERO = 14


PUBLIC_OPERATIONS = {Operation.ECDSA_VERIFY}
"""Operations whose operands all are public: control may depend on them, and in `Follow` does."""

MULTIPLICATIONS = (
    Operation.POINT_MULTIPLY,
    Operation.BASE_MULTIPLY,
    Operation.X_MULTIPLY,
    Operation.DOUBLE_MULTIPLY,
    Operation.ECDSA_VERIFY,
)
"""The operations that multiply points, which takes nearly all of their cycles."""

ORDER_OPERATIONS = {
    Operation.ORDER_MULTIPLY,
    Operation.ORDER_INVERT,
    Operation.ORDER_MULTIPLY_ADD,
    Operation.ORDER_SIGN,
}
"""Operations modulo the order of the group; the others are modulo the field's prime."""


def point_operation(curve: Curve) -> Operation:
    """The operation that multiplies a point of the curve."""
    montgomery = isinstance(curve, MontgomeryCurve)
    return Operation.X_MULTIPLY if montgomery else Operation.POINT_MULTIPLY
