"""Exponentiators on a digit multiplier: from a specification to model and hardware."""

from functools import cached_property
from typing import Any

from residua.algorithms.exponentiation import binary, fixed_window, window_products
from residua.cores.digit.core import DigitCore
from residua.cores.digit.design import DigitDesign
from residua.cores.digit.products import DigitPowers, DigitProducts
from residua.cores.digit.specification import DigitSpecification
from residua.cores.modular_bus import loads
from residua.cores.simulation.runs import EXPONENTIATIONS, runs_by_default
from residua.hardware.bus.commanded_design import CommandedDesign, Number
from residua.hardware.exponentiation.digit_exponentiator import DigitExponentiatorDesign
from residua.machines.digits import DigitCounts

_DEFAULT_WINDOW = 5
"""Larger tables save little and take much memory."""


class DigitPowersCore(DigitCore):
    """What cores that raise to powers on a digit multiplier have in common."""

    @property
    def default_runs(self) -> int:
        """Number of powers that a verification compares by default."""
        return runs_by_default(EXPONENTIATIONS, self.cycles["interval"])

    @property
    def page(self) -> dict[str, Any]:
        """Values of the report's template beside the manifest."""
        return {**super().page, "runs": "powers"}

    @property
    def _exponent_bits(self) -> int:
        return self.request.exponent_bits or self.shape.bits

    @property
    def _window(self) -> int:
        bits = self._exponent_bits
        choices = range(1, min(_DEFAULT_WINDOW, bits) + 1)
        return self.request.window or min(choices, key=lambda w: window_products(bits, w))


class DigitExponentiationCore(DigitPowersCore):
    """A digit exponentiator; arguments and errors of `DigitCore`."""

    def _design(self) -> DigitDesign:
        exponent, multiplier = self.request.exponent, self._iddmm(self.shape)
        if exponent is not None:
            return DigitExponentiatorDesign(multiplier, exponent.bit_length(), exponent=exponent)
        return DigitExponentiatorDesign(multiplier, self._exponent_bits, self._window)

    @property
    def _exponentiator(self) -> DigitExponentiatorDesign:
        assert isinstance(self.design, DigitExponentiatorDesign)
        return self.design

    @cached_property
    def specification(self) -> DigitSpecification:
        """The request with every choice made; it leads to this core again."""
        made = super().specification
        if self.request.exponent is not None:
            return made
        return made.model_copy(
            update={"window": self._window, "exponent_bits": self._exponent_bits}
        )

    @property
    def commanded(self) -> CommandedDesign:
        """The numbers that it takes on a bus."""
        design, load = self._exponentiator, list[Number]()
        streams = design.streams
        if design.domain is None:
            load = loads.on_digits(design, "p", bits=self.shape.bits)
        operands = [Number("x", streams.words)]
        if design.exponent is None:
            operands.append(Number("y", streams.words, design.exponent_bits))
        return CommandedDesign(
            streams.width,
            tuple(load),
            tuple(operands),
            streams.words,
            "power",
            tests_modulus=design.domain is None,
            exponent=design.exponent,
        )

    def model(self, products: DigitProducts, x: int, y: int) -> int:
        """The power as the algorithm computes it."""
        domain, design = products.domain, self._exponentiator
        if design.exponent is not None:
            return binary(domain.product, x, domain.square, 1, design.exponent)
        return fixed_window(
            domain.product, x, domain.square, 1, y, design.exponent_bits, design.window
        )

    @cached_property
    def counts(self) -> DigitCounts:
        """The operations of all products of a power."""
        counts = DigitCounts()
        self.algorithm(counts)
        counts.scale(self._exponentiator.products)
        return counts

    def products(self, modulus: int | None = None) -> DigitProducts:
        """Promises modulo the number that is built in, or one that is loaded."""
        return DigitPowers(self.design, self._domain(modulus))

    @property
    def cycles(self) -> dict[str, int]:
        """Latency and interval of the core, and what a power is made of."""
        design = self._exponentiator
        own = {"products": design.products, "product_cycles": design.product_cycles}
        return {**super().cycles, **own}
