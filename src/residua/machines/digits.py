"""Interpreters of algorithms on digits: values, counts and bounds.

They are to `residua.algorithms.digits.digit_operations` what `values`, `counts` and `bounds` are to
RNS programs.
"""

from collections.abc import Mapping

from residua.algorithms.digits.digit_operations import DigitOperations
from residua.errors import SpecificationError
from residua.numbers.cox import Range
from residua.numbers.digits import DigitDomain, split_digits


class DigitValues(DigitOperations[int]):
    """Computes with integers: the model, digit for digit what hardware holds."""

    def __init__(self, numbers: Mapping[str, int]) -> None:
        self._numbers = numbers

    @classmethod
    def of(cls, domain: DigitDomain, x: int, y: int) -> "DigitValues":
        """Interpreter for the product of two operands."""
        inverse = domain.negative_inverse
        return cls({"x": x, "y": y, "p": domain.modulus, "inverse": inverse})

    def digits(self, name: str, count: int, bits: int) -> list[int]:
        """The digits of an input.

        Raises:
            SpecificationError: the input does not fit.
        """
        number = self._numbers[name]
        if not 0 <= number < 1 << count * bits:
            raise SpecificationError(
                f"{name} = {number:#x} does not fit into {count} digits of {bits} bits"
            )
        return list(split_digits(number, count, bits))

    def constant(self, value: int) -> int:
        """The integer."""
        return value

    def product(self, x: int, y: int, *, digits: int = 1) -> int:
        """X Y."""
        del digits
        return x * y

    def add(self, *terms: int) -> int:
        """The sum."""
        return sum(terms)

    def subtract(self, x: int, y: int) -> int:
        """The difference."""
        return x - y

    def low(self, value: int, bits: int) -> int:
        """The lowest bits."""
        return value & ((1 << bits) - 1)

    def high(self, value: int, bits: int) -> int:
        """The other bits, with sign."""
        return value >> bits

    def join(self, high: int, low: int, bits: int) -> int:
        """Join both parts."""
        return (high << bits) + low

    def choose(self, bit: int, yes: int, no: int) -> int:
        """One of two."""
        return yes if bit else no

    def keep(self, name: str, value: int, bits: int, *, signed: bool = False) -> int:
        """The value, if it fits."""
        _check_fits(name, (value, value), bits, signed=signed)
        return value

    def step(self) -> None:
        """Nothing."""


class DigitCounts(DigitOperations[None]):
    """Counts: ``steps`` passes through the innermost loop, ``products`` of digits, ``additions``.

    An addition of three terms counts as two; choices and wiring count nothing.
    """

    def __init__(self) -> None:
        self.steps = self.products = self.additions = 0

    def digits(self, name: str, count: int, bits: int) -> list[None]:
        """Count nothing for ``count`` digits."""
        del name, bits
        return [None] * count

    def constant(self, value: int) -> None:
        """A constant."""

    def product(self, x: None, y: None, *, digits: int = 1) -> None:
        """Products of k by k bits."""
        del x, y
        self.products += digits

    def add(self, *terms: None) -> None:
        """Additions."""
        self.additions += len(terms) - 1

    def subtract(self, x: None, y: None) -> None:
        """An addition."""
        del x, y
        self.additions += 1

    def low(self, value: None, bits: int) -> None:
        """Nothing."""

    def high(self, value: None, bits: int) -> None:
        """Nothing."""

    def join(self, high: None, low: None, bits: int) -> None:
        """Nothing."""

    def choose(self, bit: None, yes: None, no: None) -> None:
        """Nothing."""

    def keep(self, name: str, value: None, bits: int, *, signed: bool = False) -> None:
        """Nothing."""

    def step(self) -> None:
        """A pass."""
        self.steps += 1

    def scale(self, runs: int) -> None:
        """Count so many runs for one."""
        self.steps, self.products = self.steps * runs, self.products * runs
        self.additions *= runs

    def include(self, other: "DigitCounts") -> None:
        """Count what ``other`` has counted, too."""
        self.steps, self.products = self.steps + other.steps, self.products + other.products
        self.additions += other.additions


class DigitBounds(DigitOperations[Range]):
    """Follows closed ranges of integers through an algorithm.

    ``reached`` has the range of everything that was kept, by its name.
    """

    def __init__(self, ranges: Mapping[str, Range]) -> None:
        self._ranges = ranges
        self.reached: dict[str, Range] = {}

    @classmethod
    def of(cls, domain: DigitDomain) -> "DigitBounds":
        """Interpreter for all operands modulo one number."""
        inverse, modulus = domain.negative_inverse, domain.modulus
        return cls(
            {
                "x": (0, domain.largest_x),
                "y": (0, domain.largest_y),
                "p": (modulus, modulus),
                "inverse": (inverse, inverse),
            }
        )

    def digits(self, name: str, count: int, bits: int) -> list[Range]:
        """The ranges of the digits of an input."""
        low, high = self._ranges[name]
        if low == high:
            return [(digit, digit) for digit in split_digits(low, count, bits)]
        return [(0, min((1 << bits) - 1, high >> bits * index)) for index in range(count)]

    def constant(self, value: int) -> Range:
        """The integer alone."""
        return value, value

    def product(self, x: Range, y: Range, *, digits: int = 1) -> Range:
        """The range of all products."""
        del digits
        corners = [a * b for a in x for b in y]
        return min(corners), max(corners)

    def add(self, *terms: Range) -> Range:
        """The range of all sums."""
        return sum(low for low, _ in terms), sum(high for _, high in terms)

    def subtract(self, x: Range, y: Range) -> Range:
        """The range of all differences."""
        return x[0] - y[1], x[1] - y[0]

    def low(self, value: Range, bits: int) -> Range:
        """The value if it has no more bits, else anything of so many bits."""
        whole = 0, (1 << bits) - 1
        return value if whole[0] <= value[0] and value[1] <= whole[1] else whole

    def high(self, value: Range, bits: int) -> Range:
        """Range without the lowest bits."""
        return value[0] >> bits, value[1] >> bits

    def join(self, high: Range, low: Range, bits: int) -> Range:
        """The range of all of both parts."""
        return (high[0] << bits) + low[0], (high[1] << bits) + low[1]

    def choose(self, bit: Range, yes: Range, no: Range) -> Range:
        """Either."""
        del bit
        return min(yes[0], no[0]), max(yes[1], no[1])

    def keep(self, name: str, value: Range, bits: int, *, signed: bool = False) -> Range:
        """The range, if it fits; remembered."""
        _check_fits(name, value, bits, signed=signed)
        low, high = self.reached.get(name, value)
        self.reached[name] = min(low, value[0]), max(high, value[1])
        return value

    def step(self) -> None:
        """Nothing."""


def _check_fits(name: str, value: Range, bits: int, *, signed: bool) -> None:
    half = 1 << bits - 1 if signed else 0
    low, high = -half, (half or 1 << bits) - 1
    if not low <= value[0] <= value[1] <= high:
        kind = "signed bits" if signed else "bits"
        raise SpecificationError(
            f"{name} reaches [{value[0]}, {value[1]}], outside of {bits} {kind}"
        )
