"""Design of a field processor on digits: its passes, their stages, and the cycles of its routines.

The digits of a pass go through these stages: address, memory, its register, word, a multiplier
block with its registers, which makes the product with the coefficient, that added to or taken from
the sum so far, and the carry. The word goes to the multiplier instead where a pass feeds it.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

from amaranth.lib import data
from amaranth.utils import ceil_log2

from residua.algorithms.fields.digit_field import NEGATIVE, DigitField, DigitProgram
from residua.hardware.bus.stream_buffer import StreamBuffer
from residua.hardware.digit.iddmm import IddmmDesign
from residua.hardware.digit.lanes import LanesDesign
from residua.hardware.digit.pipelined_product import product_latency
from residua.machines.digit_passes import (
    WIPE,
    DigitStore,
    Pass,
    PassTiming,
    Source,
    assemble,
    coefficient_bits,
    duration,
)
from residua.numbers.digits import DigitShape

WORD_STAGE = 3
"""Cycles from the address of a digit to its word."""

FIRST_WORD = 7
"""Cycles before the first word of a number leaves: a controller wants to be ready for it."""

_BEGUN = 3
"""Cycles for the state before the first word of the modulus and for what begins the first pass."""

PAUSE = 2
"""Cycles at the end of a pass in which it is decided that the next one begins."""


@dataclass(frozen=True)
class DigitProcessorDesign:
    """Design of a field processor on digits.

    Attributes:
        field: moduli and digits.
        programs: with whether each is a loop.
        named: the integers of named constants, for each modulus.
        lanes: L, digits that the multiplier takes at a time.
        pipeline: levels of the datapath of the report, if it takes the place of lanes.

    Raises:
        SpecificationError: there is no such multiplier.
    """

    field: DigitField
    programs: tuple[tuple[DigitProgram, bool], ...]
    named: tuple[Mapping[str, int], ...]
    lanes: int = 1
    pipeline: int | None = None

    @cached_property
    def multiplier(self) -> IddmmDesign | LanesDesign:
        """The Montgomery multiplier; R has two bits more than what it takes for the modulus."""
        field = self.field
        shape = DigitShape(field.digit * field.digits - 2, field.digit, "closed")
        if self.pipeline is not None:
            return IddmmDesign(shape, None, pipeline=self.pipeline, inverse="supplied")
        return LanesDesign(shape, None, self.lanes, inverse="supplied")

    @property
    def multipliers(self) -> int:
        """Products of a digit that are made in a cycle."""
        return self.multiplier.multipliers + 1

    @cached_property
    def coefficient_bits(self) -> int:
        """Bits of the magnitude of a coefficient."""
        return coefficient_bits(self.programs)

    @property
    def carry_bits(self) -> int:
        """Bits of the carry of a sum, its sign included.

        A digit of a sum so far, below 2^k, and c times a digit make a carry from -c to c.
        """
        return self.coefficient_bits + 1

    @property
    def scaled_stage(self) -> int:
        """Cycles from the address of a digit to its product with the coefficient."""
        return WORD_STAGE + product_latency(self.field.digit, self.coefficient_bits)

    @property
    def store_stage(self) -> int:
        """Cycles from the address of a digit to the write of a digit of the sum."""
        return self.scaled_stage + 2

    @cached_property
    def timing(self) -> PassTiming:
        """Cycles of passes and products."""
        streams, digits = self.multiplier.streams, self.field.digits
        # The multiplier fills up rows of X with zeros, and its results pause as long as passes do.
        filled = max(streams.rows * streams.lanes - digits, PAUSE)
        length = max(digits + filled, self.store_stage + 1)
        fed = self.multiplier.latency + WORD_STAGE + PAUSE
        return PassTiming(length, fed, self.multiplier.compute)

    @cached_property
    def store(self) -> DigitStore:
        """The passes of all programs."""
        return assemble(self.programs, self.field, self.timing)

    @property
    def _modulus_cycles(self) -> int:
        """Cycles in which the multiplier takes the modulus and its inverse, before any pass."""
        return FIRST_WORD + 1 + self.field.digits * (WORD_STAGE + 1)

    def run_cycles(self, name: str, rounds: int) -> int:
        """Cycles from the start of a routine to the instruction after it.

        A number that the routine ends with leaves beside that instruction.
        """
        routine = self.store.routines[name]
        if routine.passes[-1].emits:
            return 1 + self._emission_start(name)
        return 1 + self._modulus_cycles + _BEGUN + rounds * routine.cycles + self.store_stage

    def _emission_start(self, name: str) -> int:
        """Cycles from the start of a routine to the pass that gives its number out."""
        made = duration(self.store.routines[name].passes[:-1], self.timing)
        return self._modulus_cycles + _BEGUN + made

    def emission_cycles(self, name: str) -> int:
        """Cycles from the start of a routine to the last digit of the number that it ends with.

        None of the digits waits.
        """
        leaving = FIRST_WORD + (self.field.digits - 1) * (WORD_STAGE + 1) + StreamBuffer.LATENCY
        return self._emission_start(name) + leaving

    @cached_property
    def clearing_cycles(self) -> int:
        """Cycles of a reset: registers, the modulus, then passes that wipe the multiplier."""
        block = self.store.blocks[WIPE]
        passes = self.store.passes[block.start : block.start + block.length]
        words: int = self.store.registers << ceil_log2(self.field.digits)
        wiped = duration(passes, self.timing) + self.store_stage
        return words + self._modulus_cycles + _BEGUN - 1 + wiped

    @property
    def gates(self) -> tuple[str, ...]:
        """The names of the bits that come from outside."""
        return self.store.gates

    @property
    def layout(self) -> data.StructLayout:
        """The fields of a pass."""
        store = self.store
        return data.StructLayout(
            {
                "source": len(Source).bit_length(),
                "place": (max(store.registers, len(store.constants)) - 1).bit_length(),
                "feeds": 1,
                "coefficient": self.coefficient_bits,
                "subtract": 1,
                "gate": (len(store.gates) + 1).bit_length(),
                "inverted": 1,
                "first": 1,
                "stores": 1,
                "target": (store.registers - 1).bit_length(),
                "tested": 1,
                "emits": 1,
                "advances": 1,
            }
        )

    def encoded(self, item: Pass) -> dict[str, int]:
        """The fields of a pass; gate 0 is always open, the last one is `NEGATIVE`."""
        gates = ["", *self.store.gates, NEGATIVE.name]
        flag, opens = item.gate or (None, True)
        return {
            "source": item.source,
            "place": item.place,
            "feeds": item.feeds,
            "coefficient": abs(item.coefficient),
            "subtract": item.coefficient < 0,
            "gate": gates.index(flag.name) if flag else 0,
            "inverted": not opens,
            "first": item.first,
            "stores": item.target is not None,
            "target": item.target or 0,
            "tested": item.tested,
            "emits": item.emits,
            "advances": item.advances,
        }
