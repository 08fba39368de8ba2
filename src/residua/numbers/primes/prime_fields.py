"""Arithmetic modulo many small primes at once, an element of an array for each.

A residue is the integer of least absolute value, in a float64: products of two are exact, and
divisions of floating-point numbers, unlike those of integers, go several at a time.
"""

import numpy as np
from numpy.typing import NDArray

Integers = NDArray[np.int64]

Residues = NDArray[np.float64]
"""Integers from -(p - 1) / 2 to (p - 1) / 2, one for each prime p."""

LARGEST_PRIME = 1 << 25
"""Primes are below this, so that the sum of four products of residues can be reduced."""

_EXACT = 50
"""Bits of the absolute value of what can be reduced."""

_TINY = 1e-300
"""Changes no integer but 0."""


class PrimeFields:
    """The fields modulo some ``primes``, odd ones below `LARGEST_PRIME`."""

    def __init__(self, primes: Integers) -> None:
        self.primes = primes
        self._moduli = primes.astype(np.float64)
        self._reciprocals = 1 / self._moduli

    def reduced(self, values: Residues) -> Residues:
        """The residues of integers up to 2^50 in absolute value, in their place."""
        # The quotient is 1 / 2p or more from where its rounding changes, and computed to 1 / 4p.
        quotients = values * self._reciprocals
        np.rint(quotients, out=quotients)
        quotients *= self._moduli
        values -= quotients
        return values

    def non_negative(self, values: Residues) -> Residues:
        """The remainders from 0 to p - 1 of integers above -p and below p."""
        return values - np.floor(values * self._reciprocals) * self._moduli

    def residues(self, number: int) -> Residues:
        """The residues of any integer, by Horner's rule."""
        total = np.zeros(len(self.primes))
        width = _EXACT - (int(self.primes.max(initial=0)) // 2).bit_length()
        for shift in range(number.bit_length() // width * width, -1, -width):
            total *= 1 << width
            total += (abs(number) >> shift) & ((1 << width) - 1)
            total = self.reduced(total)
        return total if number >= 0 else -total

    def powers(self, bases: Residues, exponents: Integers) -> Residues:
        """Each base to an exponent >= 0 of its own."""
        result = np.ones(len(self.primes))
        for bit in reversed(range(int(exponents.max(initial=0)).bit_length())):
            result = self.reduced(result * result)
            result *= np.where(exponents & (1 << bit) != 0, bases, 1.0)
            result = self.reduced(result)
        return result

    def inverses(self, residues: Residues) -> Residues:
        """The inverse of each residue, 0 of 0, by Euclid's algorithm with signed remainders."""
        # The residue times u is a, times v it is b; one ends as +-1 and the other as 0.
        a, b = self._moduli.copy(), residues.copy()
        u, v = np.zeros_like(b), np.ones_like(b)
        while np.any(a * b):
            _subtract_multiple(a, b, u, v)
            _subtract_multiple(b, a, v, u)
        return self.reduced(u * a + v * b)

    def square_roots(self, squares: Residues) -> tuple["PrimeFields", Residues]:
        """The fields in which ``squares`` are squares, and a root in each."""
        kept = self.powers(squares, (self.primes - 1) // 2) != -1
        fields, squares = PrimeFields(self.primes[kept]), squares[kept]
        # A root if p = 3 modulo 4.
        roots = fields.powers(squares, (fields.primes + 1) // 4)
        left = np.flatnonzero(fields.reduced(roots * roots) != squares)
        roots[left] = _cipolla(PrimeFields(fields.primes[left]), squares[left])
        return fields, roots


def _cipolla(fields: PrimeFields, squares: Residues) -> Residues:
    """Roots of nonzero squares: (t + r)^((p + 1) / 2), r^2 = t^2 - square being no square."""
    t = np.zeros_like(squares)
    left = np.arange(len(squares))
    while len(left):
        those = PrimeFields(fields.primes[left])
        plain = those.reduced(t[left] * t[left] - squares[left])
        left = left[those.powers(plain, (those.primes - 1) // 2) != -1]
        t[left] += 1
    plain = fields.reduced(t * t - squares)
    exponents = (fields.primes + 1) // 2
    # x + y r.
    x, y = np.ones_like(squares), np.zeros_like(squares)
    for bit in reversed(range(int(exponents.max(initial=0)).bit_length())):
        mixed = fields.reduced(y * y)
        x, y = fields.reduced(x * x + mixed * plain), fields.reduced(2 * x * y)
        odd = exponents & (1 << bit) != 0
        x, y = (
            np.where(odd, fields.reduced(x * t + y * plain), x),
            np.where(odd, fields.reduced(x + y * t), y),
        )
    return x


def _subtract_multiple(a: Residues, b: Residues, u: Residues, v: Residues) -> None:
    """Make a the least remainder modulo b, unless b is 0, and subtract the same v from u."""
    quotients = b * b
    quotients += _TINY
    np.divide(b, quotients, out=quotients)
    quotients *= a
    np.rint(quotients, out=quotients)
    a -= quotients * b
    u -= quotients * v
