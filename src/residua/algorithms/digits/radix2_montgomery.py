"""Montgomery multiplication bit by bit: R2MM and MWR2MM, which IDDMM is compared with.

Figures 1 and 2 of the report that `residua.algorithms.digits.digit_montgomery` names. One bit of Y
an iteration, so that shapes have digits of one bit; operands of the report are exchanged (its X is
Y here), for all algorithms to go through Y from one iteration to the next.
"""

from residua.algorithms.digits.digit_operations import DigitOperations, V, subtract_once
from residua.numbers.digits import DigitShape


def r2mm(ops: DigitOperations[V], shape: DigitShape) -> list[V]:
    """Radix-2 Montgomery multiplication on whole numbers (Figure 1).

    Inputs: ``x``, ``y`` and ``p``; the shape has digits of one bit.

    Returns:
        The result in one piece.
    """
    size = shape.operand_bits
    (x,), (p,) = (ops.digits(name, 1, size) for name in ("x", "p"))
    zero = total = ops.constant(0)
    for bit in _bits(ops, shape):
        ops.step()
        total = ops.add(total, ops.choose(bit, x, zero))
        odd = ops.low(total, 1)
        total = ops.high(ops.add(total, ops.choose(odd, p, zero)), 1)
        total = ops.keep("S", total, size + 1)
    return _finish(ops, shape, [total], [p], size)


def mwr2mm(ops: DigitOperations[V], shape: DigitShape, width: int) -> list[V]:
    """Multiple-word radix-2 Montgomery multiplication (Figure 2), words of ``width`` bits.

    Printed with e = ceil(n / w), which loses bit n of S where w divides n, and without the final
    subtraction (E25). Here S has a word for that bit, and the carries out of its highest word go
    into the bit above at once; the figure has a pass of its own for them.

    Inputs: ``y`` in bits, ``x`` and ``p`` in words.

    Returns:
        The words of the result.
    """
    words = -(-(shape.operand_bits + 1) // width)
    x, p = (ops.digits(name, words, width) for name in ("x", "p"))
    zero = ops.constant(0)
    s = [zero] * words
    for bit in _bits(ops, shape):
        carry_a = carry_b = odd = before = zero
        for j in range(words):
            ops.step()
            total = ops.add(carry_a, ops.choose(bit, x[j], zero), s[j])
            carry_a, total = ops.keep("C_a", ops.high(total, width), 1), ops.low(total, width)
            if j == 0:
                odd = ops.low(total, 1)
            total = ops.add(carry_b, ops.choose(odd, p[j], zero), total)
            carry_b, total = ops.keep("C_b", ops.high(total, width), 1), ops.low(total, width)
            if j > 0:
                s[j - 1] = ops.join(ops.low(total, 1), before, width - 1)
            before = ops.high(total, 1)
        # At most one of the carries is set: S + X + p has one bit more than S.
        top = ops.low(ops.add(carry_a, carry_b), 1)
        s[words - 1] = ops.join(top, before, width - 1)
    return _finish(ops, shape, s, p, width)


def _bits(ops: DigitOperations[V], shape: DigitShape) -> list[V]:
    y = ops.digits("y", shape.operand_bits, 1)
    return (y + [ops.constant(0)] * shape.iterations)[: shape.iterations]


def _finish(
    ops: DigitOperations[V], shape: DigitShape, words: list[V], p: list[V], bits: int
) -> list[V]:
    return words if shape.variant == "closed" else subtract_once(ops, words, p, bits)
