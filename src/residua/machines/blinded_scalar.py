"""Blinded scalars: the number in place of a scalar k whose bits a point multiplication takes.

It is k' = k + r N for a random r, where N = 2^v F with an odd F leaves every point as it is. The
hardware that computes it is `residua.hardware.coprocessor.scalars.unit`, how many random bits r
needs is told in `residua.curves.blinding`.

**Low bits.** r N ends with v zeros, so that k' shows k modulo 2^v. Where the point is the base
point, whose order is odd, F alone is a multiple of it, and these bits are blinded, too.

**Fixed length.** A ladder that starts from P itself (`residua.curves.difference_ladder`) needs a
scalar of fixed length. For k < n with t bits of n = N, and r of b bits, k + r n has at most t + b
bits. Adding n 2^b once, or twice if once is not enough, gives a number of just t + b + 1 bits, of
which the highest is not served.

That ladder fails if a leading part of the number is 0 or -1 modulo n. With

    z_0 = k,  z_(i+1) = floor((z_i + r_i n) / 2),  r_i the bits of r, the lowest first,

the number without its i lowest bits is z_i modulo n, so that no z_i, i <= b + 1, may be 0 or n - 1
(where r_b = 1, or 0 before another 1, is what the fixed length adds). For 0 < k < n - 1 that
happens just after z_i = 1 with r_i = 0, and after z_i = n - 2 with r_i = 1. So

- where z_i is 1, r_i becomes 1, where it is n - 2, r_i becomes 0;
- the last bit of r is the complement of the one before it. As z_b = 1 takes a number r of zeros
  alone, and z_b = n - 2 one of ones alone, this keeps z_(b+1) right.

For n > 2^(b+2), z_i = 1 takes i zeros at the end of r and k < 2^(i+1), z_i = n - 2 takes i ones and
k >= n - 2^(i+1). So a scalar 2^j <= k < n - 2^j has a bit of r changed with probability 2^-j at
most: nothing is changed for scalars that are worth protecting. What is left of r is b - 1 random
bits, all numbers from 2^(b-2) to 3 2^(b-2) - 1.

**Two shares.** A scalar that comes as k0 and k1, whose sum is k modulo N, is k0 + r F + k1, so that
k1 meets nothing but what r already hides (`residua.curves.protections.masked_scalar`).
"""

from dataclasses import dataclass

from residua.errors import SpecificationError


@dataclass(frozen=True)
class ScalarForm:
    """Blinding and service of the scalars of a curve.

    Attributes:
        bits: that a scalar may have.
        multiple: N; 0 if scalars are neither blinded nor lengthened.
        random_bits: the number of random bits that blind a scalar.
        lengthened: whether numbers have a fixed length; scalars must be below N then, which is
            odd, and neither 0 nor 1, -1 or -2 modulo N.
        digit: bits that are served together; leading zeros complete the first ones.
        shared: whether a scalar is the sum of two shares, each of which may have ``bits``.

    Raises:
        SpecificationError: a scalar has no bits, the multiple does not serve, or there is nothing
            that hides the sum of two shares.
    """

    bits: int
    multiple: int = 0
    random_bits: int = 0
    lengthened: bool = False
    digit: int = 1
    shared: bool = False

    def __post_init__(self) -> None:
        if self.bits < 1 or self.random_bits < 0 or self.multiple < 0:
            raise SpecificationError(
                f"a scalar of {self.bits} bits, a multiple of {self.multiple} and "
                f"{self.random_bits} random bits are no blinding: 1, 0 and 0 are the least"
            )
        if self.random_bits and not self.multiple:
            raise SpecificationError("no multiple to blind scalars by: give what no point feels")
        if self.shared and (self.lengthened or not self.random_bits):
            raise SpecificationError(
                "two shares are added to what random bits make of the first one, with no fixed "
                "length: give random bits, and do not lengthen"
            )
        if self.lengthened and (
            self.multiple.bit_length() != self.bits or self.multiple % 2 == 0 or self.multiple < 9
        ):
            raise SpecificationError(
                f"scalars of {self.bits} bits cannot be lengthened by {self.multiple}: an odd order"
                f" of {self.bits} bits above 8 is needed"
            )

    @property
    def kept(self) -> int:
        """v, the low bits that blinding by multiples of N leaves as they are."""
        return (self.multiple & -self.multiple).bit_length() - 1 if self.random_bits else 0

    @property
    def factor(self) -> int:
        """F, what is added: the odd part of N; 0 if nothing is."""
        return self.multiple >> self.kept if self.random_bits or self.lengthened else 0

    @property
    def length(self) -> int:
        """b, the bits of r: random ones, v zeros, and one for a fixed length."""
        return self.random_bits and self.random_bits + self.kept + self.lengthened

    @property
    def served(self) -> int:
        """Bits that are served, leading zeros included."""
        if self.lengthened:
            most = self.bits + self.length
        else:
            largest = ((1 << self.bits) - 1) << self.shared
            most = (largest + ((1 << self.length) - 1) * self.factor).bit_length()
            most = most if self.random_bits else self.bits
        return -(-most // self.digit) * self.digit

    def number(self, k: int, random: int = 0, *, base: bool = False, share: int = 0) -> int:
        """The number that is served in place of k; bit-exact.

        Args:
            k: the scalar, or its first share, of `bits` bits.
            random: at least `length` random bits, of which the lowest are taken.
            base: whether the point to multiply is the base point.
            share: the second share, of as many bits; 0 if there is one number alone.
        """
        factor, kept, length = self.factor, self.kept, self.length
        z, low = k, 0
        previous = 0
        for index in range(length):
            bit = random >> index & 1
            if index < kept and not base:
                bit = 0
            if self.lengthened and index:
                if index == length - 1:
                    bit = 1 - previous
                elif z in (1, self.multiple - 2):
                    bit = int(z == 1)
            z += bit * factor
            low |= (z & 1) << index
            z >>= 1
            previous = bit
        if self.lengthened:
            z += self.multiple
            if not z >> self.bits:
                z += self.multiple
            z &= (1 << self.bits) - 1
        return (z << length | low) + share
