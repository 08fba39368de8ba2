"""Layout of a scalar unit: where a scalar and what blinds it stand in its memory, and its times.

Names of numbers are those of `residua.machines.blinded_scalar`.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from amaranth.hdl import Mux, Value

from residua.errors import SpecificationError
from residua.hardware.constant_table import selected
from residua.machines.blinded_scalar import ScalarForm

WORD = 32
"""Bits of a word."""

WRITTEN = 3
"""Cycles from the one in which a pass reads a word to the one in which it writes it."""


@dataclass(frozen=True)
class ScalarLayout:
    """Memory map of a scalar unit, and its times.

    Attributes:
        forms: of the scalars of each curve.
        count: words of a scalar as it comes in.
        sought: bits from the lowest of k' on that can be asked for by their places, for each curve.
        checked: if all bits of k' are gone through once before they are served: how many bits below
            the lowest one are asked for in the end, for each curve.

    Raises:
        SpecificationError: the words cannot hold a scalar, or one comes in shares and another has a
            fixed length.
    """

    forms: tuple[ScalarForm, ...]
    count: int
    sought: tuple[int, ...] = ()
    checked: tuple[int, ...] = ()

    def __post_init__(self) -> None:
        if any(form.shared for form in self.forms) and any(form.lengthened for form in self.forms):
            raise SpecificationError(
                "scalars of fixed length are not for a unit that takes shares: leave either out"
            )
        for form in self.forms:
            if form.bits > self.count * WORD:
                raise SpecificationError(
                    f"{self.count * WORD} bits of words hold scalars of 1 to {self.count * WORD} "
                    f"bits, not {form.bits}"
                )

    @cached_property
    def random_words(self) -> tuple[int, ...]:
        """Words of r for each curve."""
        return tuple(-(-form.length // WORD) for form in self.forms)

    @cached_property
    def base(self) -> int:
        """R, the words below z."""
        return max(self.random_words)

    @cached_property
    def room(self) -> int:
        """Words of z."""
        return max(self.count, *(-(-form.factor.bit_length() // WORD) for form in self.forms))

    @property
    def length(self) -> int:
        """Words of r and z together."""
        return self.base + self.room

    @property
    def lowest(self) -> list[int]:
        """Position of the lowest bit of k', for each curve."""
        return [WORD * self.base - form.length for form in self.forms]

    @property
    def highest(self) -> list[int]:
        """Position of the first bit that is served, for each curve."""
        return [low + form.served - 1 for low, form in zip(self.lowest, self.forms, strict=True)]

    @property
    def depth(self) -> int:
        """Words of the memory. An even higher word of k' is always 0."""
        served = max(self.highest) // WORD + 1
        ends = [low + bits for low, bits in zip(self.lowest, self.sought, strict=False)]
        return max(self.length, served, *(-(-end // WORD) for end in ends))

    def fills(self, curve: int) -> bool:
        """Whether the scalars of a curve fill their words, so that their next bit is lost."""
        return self.forms[curve].bits == self.room * WORD

    @property
    def end(self) -> int:
        """Words that are written: of r and z, and those that the sum of two shares may reach."""
        shared = any(form.shared for form in self.forms)
        return max(self.length, max(self.highest) // WORD + 1) if shared else self.length

    @property
    def shifts(self) -> list[int]:
        """Places in a word by which a second share is as high as k', for each curve."""
        return [low % WORD for low in self.lowest]

    def kept(self, curve: int) -> int:
        """Bits of k' that the memory keeps: all but the highest one of a fixed length, if lost."""
        form = self.forms[curve]
        return form.served + (form.lengthened and not self.fills(curve))

    @property
    def plain_latency(self) -> int:
        """Cycles from the start to a plain scalar that is ready."""
        return self.end - self.base + 3

    @property
    def latencies(self) -> tuple[int, ...]:
        """Cycles from the start to a scalar that is ready, for each curve."""
        seen = [form.served + more for form, more in zip(self.forms, self.checked, strict=False)]
        return tuple(
            self.plain_latency
            + words
            + (form.length + 2 * form.lengthened) * (words + self.room + WRITTEN)
            + form.shared * (self.end - self.base + words + 2)
            + own
            for form, words, own in zip(
                self.forms, self.random_words, seen or [0] * len(self.forms), strict=True
            )
        )


def bits_above(place: Value, bits: Sequence[int], curve: Value, base: int = 0) -> Value:
    """The bits of the word at a place that are not among the lowest of a number.

    ``bits`` are those of the number for each curve, ``base`` is the place of its lowest word.
    """
    boundary = selected([base + count // WORD for count in bits], curve)
    top = selected([(1 << WORD) - (1 << count % WORD) for count in bits], curve)
    return Mux(place == boundary, top, (place > boundary).replicate(WORD))
