"""Codes of the outcomes of operations: plain ones, and such as a few wrong bits do not exchange."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

from residua.curves.operations.codes import Status

BITS = 8
"""Bits of a code."""

_ROWS = (0b01010101, 0b00110011, 0b00001111, 0b11111111)
"""Generators of the Reed-Muller code RM(1, 3): its 16 words are at a distance of 4 or 8."""

_OFFSET = 0b00010111
"""To the coset in which no word is closer than 2 to all zeros and to all ones."""


@dataclass(frozen=True)
class StatusCodes:
    """Codes of statuses: their numbers, or ``sparse`` ones of `BITS` bits.

    Sparse ones differ in at least 4 bits, and from all zeros and all ones in at least 2.
    """

    sparse: bool = False

    def of(self, status: Status) -> int:
        """The code of a status."""
        if not self.sparse:
            return int(status)
        code = _OFFSET
        for place, row in enumerate(_ROWS):
            if status >> place & 1:
                code ^= row
        return code

    @cached_property
    def statuses(self) -> Mapping[int, Status]:
        """The statuses by their codes; other codes are none."""
        return {self.of(status): status for status in Status}


PLAIN = StatusCodes()
"""The numbers of the statuses."""
