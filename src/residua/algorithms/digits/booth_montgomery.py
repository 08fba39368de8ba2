"""Multiple-word high-radix Montgomery multiplication with Booth digits: MWR2^kMM.

Figure 3 of the report that `residua.algorithms.digits.digit_montgomery` names, corrected as ERRATA
E26 says: a Booth digit is made of k + 1 bits, the highest one must not be negative, which takes one
digit more, and words and carries of S are signed.
"""

from residua.algorithms.digits.digit_operations import DigitOperations, V, subtract_once
from residua.errors import SpecificationError
from residua.numbers.digits import DigitShape


def booth_shape(bits: int, digit: int) -> DigitShape:
    """The shape for a modulus of ``bits`` bits: a digit for a bit above the operands, too."""
    return DigitShape(digit * (bits // digit + 1), digit, "subtract")


def mwr2kmm(ops: DigitOperations[V], shape: DigitShape, width: int) -> list[V]:
    """MWR2^kMM (Figure 3), Y in Booth digits of k bits, X, p and S in words of ``width`` bits.

    Inputs: ``y`` in bits, ``x`` and ``p`` in words, and ``inverse``, p' = -1 / p modulo 2^k. The
    highest bit that the digits of ``shape`` hold is 0 in x, y and p, see `booth_shape`.

    Returns:
        The words of the result.

    Raises:
        SpecificationError: a word is shorter than a digit.
    """
    k, size = shape.digit, shape.digit * shape.digits
    if width < k:
        raise SpecificationError(f"words of {width} bits cannot be shifted by digits of {k}")
    words = -(-(size + 1) // width)
    x, p = (ops.digits(name, words, width) for name in ("x", "p"))
    (inverse,) = ops.digits("inverse", 1, k)
    y = [ops.constant(0), *ops.digits("y", size, 1)]
    s = [ops.constant(0)] * words
    for start in range(0, size, k):
        digit = _booth(ops, y[start : start + k + 1])
        carry_a = carry_b = q = before = ops.constant(0)
        for i in range(words):
            ops.step()
            total = ops.add(carry_a, s[i], ops.product(digit, x[i]))
            carry_a = ops.keep("C_a", ops.high(total, width), k + 1, signed=True)
            total = ops.low(total, width)
            if i == 0:
                q = ops.keep("q_p", ops.low(ops.product(ops.low(total, k), inverse), k), k)
            total = ops.add(carry_b, total, ops.product(q, p[i]))
            carry_b = ops.keep("C_b", ops.high(total, width), k + 1)
            total = ops.low(total, width)
            if i > 0:
                s[i - 1] = ops.join(ops.low(total, k), before, width - k)
            before = ops.high(total, k)
        top = ops.join(ops.add(carry_a, carry_b), before, width - k)
        s[words - 1] = ops.keep("S_top", top, width + 3, signed=True)
    return subtract_once(ops, s, p, width)


def _booth(ops: DigitOperations[V], bits: list[V]) -> V:
    """The digit in [-2^(k-1), 2^(k-1)] of bits j - 1 to j + k - 1."""
    carried, *own = bits
    value = carried
    for place, bit in enumerate(own[:-1]):
        value = ops.add(value, ops.join(bit, ops.constant(0), place))
    return ops.subtract(value, ops.join(own[-1], ops.constant(0), len(own) - 1))
