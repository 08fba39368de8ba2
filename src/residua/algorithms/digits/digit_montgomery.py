"""Digit by digit Montgomery multiplication: IMM, IDDMM in two forms, and IDDMM in lanes.

"Novel algorithms and hardware architectures for Montgomery Multiplication over GF(p)" (Morales and
Diaz, 2015): Figure 4, Algorithms 1 and 2, corrected as ERRATA E22 and E23 say. X and p are taken
digit by digit within an iteration, Y digit by digit from one iteration to the next.
"""

from residua.algorithms.digits.digit_operations import DigitOperations, V, subtract_once
from residua.numbers.digits import DigitShape


def imm(ops: DigitOperations[V], shape: DigitShape) -> list[V]:
    """Iterative Montgomery multiplication, on whole numbers (Figure 4).

    The loop of the figure, i = 0 to n, belongs to R = 2^(k(n+1)), not to 2^(k n) (E23).

    Inputs: ``x``, ``y``, ``p`` and ``inverse``, which is p' = -1 / p modulo 2^k.

    Returns:
        The result in one piece.
    """
    k, n = shape.digit, shape.operand_digits
    (x,), (p,) = (ops.digits(name, 1, k * n) for name in ("x", "p"))
    (inverse,) = ops.digits("inverse", 1, k)
    total = ops.constant(0)
    for y in _column(ops, shape):
        ops.step()
        first = ops.add(ops.low(total, k), ops.product(ops.low(x, k), y))
        q = ops.keep("q", ops.low(ops.product(ops.low(first, k), inverse), k), k)
        rows = ops.product(x, y, digits=n), ops.product(q, p, digits=shape.digits)
        total = ops.high(ops.add(total, *rows), k)
        total = ops.keep("A", total, k * n + 1)
    if shape.variant == "closed":
        return [total]
    return subtract_once(ops, [total], [p], k * n)


def iddmm_1(ops: DigitOperations[V], shape: DigitShape) -> list[V]:
    """IDDMM, Algorithm 1: X Y_i, q p and their sum have a carry each.

    The algorithm as printed drops the carry out of digit n, line 15 for j = n (E22): here it is
    digit n of A in the next iteration. It prints R = 2^(k(n+1)) over n iterations, which compute
    R = 2^(k n) (E23).

    Inputs: those of `imm`, in digits.

    Returns:
        The digits of the result, as many as operands have.
    """
    k, n = shape.digit, shape.digits
    x, p, (inverse,) = _rows(ops, shape)
    a = [ops.constant(0)] * (n + 1)
    q = ops.constant(0)
    for y in _column(ops, shape):
        carry_s = carry_r = carry_u = ops.constant(0)
        for j in range(n + 1):
            ops.step()
            s = ops.add(a[j], *([ops.product(x[j], y)] if j < len(x) else []), carry_s)
            carry_s, s = ops.keep("C_S", ops.high(s, k), k), ops.low(s, k)
            if j == 0:
                q = ops.keep("q", ops.low(ops.product(s, inverse), k), k)
            r = ops.add(ops.product(q, p[j]), carry_r) if j < n else carry_r
            carry_r, r = ops.keep("C_R", ops.high(r, k), k), ops.low(r, k)
            u = ops.add(s, r, carry_u)
            carry_u, u = ops.keep("C_U", ops.high(u, k), 1), ops.low(u, k)
            if j > 0:
                a[j - 1] = u
        # Nothing is left of q p, which has n + 1 digits.
        a[n] = ops.keep("A_n", ops.add(carry_s, carry_u), 2)
    return _finish(ops, shape, a, p)


def iddmm_2(ops: DigitOperations[V], shape: DigitShape) -> list[V]:
    """IDDMM, Algorithm 2: one sum and one carry of k + 1 bits.

    Corrected like `iddmm_1`. Line 3 prints i = 0 to n for R = 2^(k n), and computes
    R = 2^(k(n+1)) (E23). Inputs and result are those of `iddmm_1`.
    """
    k, n = shape.digit, shape.digits
    x, p, (inverse,) = _rows(ops, shape)
    a = [ops.constant(0)] * (n + 1)
    q = ops.constant(0)
    for y in _column(ops, shape):
        carry = ops.constant(0)
        for j in range(n + 1):
            ops.step()
            s = ops.add(a[j], ops.product(x[j], y)) if j < len(x) else a[j]
            if j == 0:
                q = ops.keep("q", ops.low(ops.product(ops.low(s, k), inverse), k), k)
            total = ops.add(s, *([ops.product(q, p[j])] if j < n else []), carry)
            carry, u = ops.keep("C", ops.high(total, k), k + 1), ops.low(total, k)
            if j > 0:
                a[j - 1] = u
        a[n] = ops.keep("A_n", carry, 2)
    return _finish(ops, shape, a, p)


def iddmm_lanes(ops: DigitOperations[V], shape: DigitShape, lanes: int) -> list[V]:
    """IDDMM with ``lanes`` digits of X and p at a time, beyond the report.

    The carry out of the highest word is digit n of the sum already, so that an iteration has no
    pass of its own for it: t ceil(n / L) passes in all.

    Inputs: those of `imm`, X and p in words of k L bits.

    Returns:
        The words of the result.
    """
    k, wide = shape.digit, shape.digit * lanes
    words = -(-shape.operand_digits // lanes)
    x, p = (ops.digits(name, words, wide) for name in ("x", "p"))
    (inverse,) = ops.digits("inverse", 1, k)
    a, top = [ops.constant(0)] * words, ops.constant(0)
    q = ops.constant(0)
    for y in _column(ops, shape):
        carry, before = ops.constant(0), ops.constant(0)
        for w in range(words):
            ops.step()
            s = ops.add(a[w], ops.product(x[w], y, digits=lanes))
            if w == 0:
                q = ops.keep("q", ops.low(ops.product(ops.low(s, k), inverse), k), k)
            total = ops.add(s, ops.product(q, p[w], digits=lanes), carry)
            carry, u = ops.keep("C", ops.high(total, wide), k + 1), ops.low(total, wide)
            if w > 0:
                a[w - 1] = ops.join(ops.low(u, k), before, wide - k)
            before = ops.high(u, k)
        last = ops.add(carry, top)
        a[words - 1] = ops.join(ops.low(last, k), before, wide - k)
        top = ops.keep("top", ops.high(last, k), 2)
    if shape.variant == "closed":
        return a
    return subtract_once(ops, [*a[:-1], ops.join(top, a[-1], wide)], p, wide)


def _rows(ops: DigitOperations[V], shape: DigitShape) -> tuple[list[V], list[V], list[V]]:
    """The digits of x and p, and p'."""
    x = ops.digits("x", shape.operand_digits, shape.digit)
    return x, ops.digits("p", shape.digits, shape.digit), ops.digits("inverse", 1, shape.digit)


def _column(ops: DigitOperations[V], shape: DigitShape) -> list[V]:
    """A digit of y for each iteration; there may be more iterations than digits."""
    y = ops.digits("y", shape.operand_digits, shape.digit)
    return (y + [ops.constant(0)] * shape.iterations)[: shape.iterations]


def _finish(ops: DigitOperations[V], shape: DigitShape, a: list[V], p: list[V]) -> list[V]:
    """The digits of the result from those of A, A_n included."""
    if shape.variant == "closed":
        return a[: shape.operand_digits]
    return subtract_once(ops, a, p, shape.digit)
