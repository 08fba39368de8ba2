"""Inversion by division steps, constant time (Bernstein and Yang, TCHES 2019(3), section 11).

A step maps (delta, f, g), f odd, to

    (1 - delta, g, (g - f) / 2)              if delta > 0 and g is odd,
    (1 + delta, f, (g + (g mod 2) f) / 2)    otherwise.

After enough of them, whatever the operands, g is 0 and f is their greatest common divisor or its
negative. What k steps do depends on the k lowest bits of f and g alone: it is a matrix (u v; q r)
of small integers, which then acts on f and g, and modulo P on the pair (d, e) that accompanies
them: d x = f and e x = g modulo P throughout. This is a batch. d and e stay in (-2P, P): before
their multiple of P is chosen P is added to those that are negative.

Delta begins with 1/2, not with 1 as in the paper, so that a fifth fewer steps are enough
(P. Wuille, safegcd-bounds, 2021); what is kept of it is the integer delta - 1/2.
"""

from dataclasses import dataclass

from residua.errors import SpecificationError


@dataclass(frozen=True)
class Transition:
    """The matrix of a batch: 2^k (f', g') = (u f + v g, q f + r g); |u| + |v| <= 2^k, as q, r."""

    u: int
    v: int
    q: int
    r: int


def sufficient_steps(bits: int) -> int:
    """Steps after which g is 0 if 0 <= g <= f < 2^bits (safegcd-bounds, genproofhd.md).

    `residua.algorithms.step_bounds.division_steps` proves it in a way of its own.
    """
    return (45907 * bits + 26313) // 19929


def transition(steps: int, above: int, f: int, g: int) -> tuple[int, Transition]:
    """(above', matrix) of ``steps`` steps; f and g are needed modulo 2^steps.

    ``above`` is delta - 1/2, which is 0 in the beginning.
    """
    u, v, q, r = 1, 0, 0, 1
    for _ in range(steps):
        odd = g & 1
        if odd and above >= 0:
            above, f, g = -above, g, (g - f) >> 1
            u, v, q, r = 2 * q, 2 * r, q - u, r - v
        else:
            above, g = above + 1, (g + odd * f) >> 1
            u, v, q, r = 2 * u, 2 * v, q + odd * u, r + odd * v
    return above, Transition(u, v, q, r)


@dataclass(frozen=True)
class Inversion:
    """Inversion modulo an odd P in batches of ``steps`` steps, as many for every operand.

    Raises:
        SpecificationError: the modulus is even or below 3, or a batch has no steps.
    """

    modulus: int
    steps: int
    bits: int

    def __post_init__(self) -> None:
        if self.modulus < 3 or self.modulus % 2 == 0:
            raise SpecificationError(f"division steps need an odd modulus, not {self.modulus}")
        if self.steps < 1:
            raise SpecificationError(f"a batch has at least 1 step, not {self.steps}")
        if self.modulus.bit_length() > self.bits:
            raise SpecificationError(
                f"a modulus of {self.modulus.bit_length()} bits is too long for steps that are "
                f"enough for {self.bits} bits"
            )

    @property
    def batches(self) -> int:
        """Batches of every inversion."""
        return -(-sufficient_steps(self.bits) // self.steps)

    @property
    def inverse(self) -> int:
        """1 / P modulo 2^steps."""
        return pow(self.modulus, -1, 1 << self.steps)

    def multiple(self, low: int, correction: int) -> int:
        """t for which low + t P is divisible by 2^steps; P was added ``correction`` times."""
        return correction - (low * self.inverse + correction) % (1 << self.steps)

    def invert(self, x: int) -> int:
        """1 / x modulo P, in [0, P); a multiple of P has 0 or P.

        Raises:
            SpecificationError: x is outside [0, P), or shares a factor with P.
        """
        if not 0 <= x < self.modulus:
            raise SpecificationError(f"{x} is not in [0, P)")
        above, f, g, d, e = 0, self.modulus, x, 0, 1
        for _ in range(self.batches):
            above, matrix = transition(self.steps, above, f, g)
            d, e = self._advance(matrix, d, e)
            f, g = (
                (matrix.u * f + matrix.v * g) >> self.steps,
                (matrix.q * f + matrix.r * g) >> self.steps,
            )
        if x and abs(f) != 1:
            raise SpecificationError(f"{x} has no inverse: it shares the factor {abs(f)} with P")
        lifted = d + self.modulus * (d < 0)
        negative = (lifted < 0) != (f < 0)
        return (-lifted if f < 0 else lifted) + self.modulus * negative

    def _advance(self, matrix: Transition, d: int, e: int) -> tuple[int, int]:
        rows = ((matrix.u, matrix.v), (matrix.q, matrix.r))
        first, second = (
            (a * d + b * e + self.multiple(a * d + b * e, a * (d < 0) + b * (e < 0)) * self.modulus)
            >> self.steps
            for a, b in rows
        )
        return first, second
