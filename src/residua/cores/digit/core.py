"""Digit Montgomery multipliers: from a specification to algorithm, model and hardware."""

import random
from collections.abc import Callable, Sequence
from functools import cached_property
from pathlib import Path
from typing import Any

from amaranth.lib.wiring import Component

from residua.algorithms.digits.digit_montgomery import iddmm_1, iddmm_2, iddmm_lanes
from residua.algorithms.digits.digit_operations import DigitOperations, V
from residua.algorithms.digits.radix2_montgomery import mwr2mm, r2mm
from residua.cores.core import STREAM_PORTS, PlainCore
from residua.cores.digit.boundary import digit_boundary
from residua.cores.digit.design import DigitDesign
from residua.cores.digit.products import DigitProducts
from residua.cores.digit.specification import VERSIONS, CheckChoice, DigitSpecification
from residua.cores.modular_bus import loads
from residua.cores.modular_bus.surroundings import ModularBus, bus_around
from residua.cores.naming import default_name, modulus_part
from residua.cores.proofs.boundary import Boundary
from residua.cores.simulation.result import VerificationResult
from residua.cores.simulation.runs import PRODUCTS, Runs
from residua.cores.stream_interface import stream_interface
from residua.errors import SpecificationError
from residua.hardware.bus.commanded_design import CommandedDesign, Number
from residua.hardware.digit.iddmm import IddmmDesign
from residua.hardware.digit.lanes import LanesDesign
from residua.hardware.digit.radix2 import R2mmDesign
from residua.hardware.digit.shape import BANKS
from residua.hardware.digit.word_radix2 import Mwr2mmDesign
from residua.machines.digits import DigitBounds, DigitCounts, DigitValues
from residua.numbers.catalogue import modulus_name
from residua.numbers.cox import Range
from residua.numbers.digits import DigitDomain, DigitShape, join_digits

_PORTS = {
    **STREAM_PORTS,
    "operands_payload": "one word of X or Y",
    "result_payload": "one word of the result in the low bits, the flag last above it",
    "modulus_payload": "one word of p, p' or R^2 mod p, or of a key",
    "modulus_valid": "the payload is a word",
    "modulus_ready": "the word is taken in this cycle",
    "modulus_error": "the modulus is even; no product starts",
}
"""Purposes of its ports."""

_TITLES = {
    "iddmm": "Digit-digit Montgomery multiplier",
    "r2mm": "Radix-2 Montgomery multiplier",
    "modexp": "Modular exponentiator on a digit-digit Montgomery multiplier",
    "rsa-crt": "RSA with private keys by the Chinese remainder theorem, checked",
    "mwr2mm": "Multiple-word radix-2 Montgomery multiplier",
}
"""Titles by algorithm."""


class DigitCore(PlainCore):
    """A digit multiplier, and what all cores on one have in common.

    Attributes:
        request: the specification as given.

    Raises:
        SpecificationError: the request cannot be met.
    """

    request: DigitSpecification
    port_meanings = _PORTS

    @classmethod
    def of(cls, specification: DigitSpecification) -> "DigitCore":
        """The core that a specification asks for: powers and RSA have classes of their own."""
        # They have this as their base.
        from residua.cores.digit.exponentiation import DigitExponentiationCore  # noqa: PLC0415
        from residua.cores.digit.rsa_crt import RsaCrtCore  # noqa: PLC0415

        others = {"modexp": DigitExponentiationCore, "rsa-crt": RsaCrtCore}
        return others.get(specification.algorithm, DigitCore)(specification)

    def __init__(self, request: DigitSpecification) -> None:
        self.request = request
        self.design = self._design()

    @property
    def name(self) -> str:
        """Name of the top module, <algorithm>_<modulus>_<bits>x<digit> by default."""
        request = self.request
        kind, size = request.algorithm.replace("-", "_"), f"{request.length}x{request.digit}"
        lanes = f"lanes_{request.lanes}" if request.lanes else ""
        parts = (kind, modulus_part(request.modulus), size, lanes)
        return request.name or default_name(parts, request, "bits", "lanes")

    @property
    def title(self) -> str:
        """Title of the core."""
        return _TITLES[self.request.algorithm]

    @property
    def subject(self) -> str:
        """Title and size in one line."""
        return f"{self.title} of {self.shape.bits} bits"

    @property
    def default_runs(self) -> int:
        """Number of results that a verification compares by default."""
        return PRODUCTS

    @property
    def page(self) -> dict[str, Any]:
        """Values of the report's template beside the manifest."""
        return {**super().page, "runs": "products"}

    @property
    def names(self) -> dict[str, object]:
        """Values of the templates beside the manifest."""
        return {"domain": self.products().domain}

    @property
    def facts(self) -> dict[str, Any]:
        """The part of the manifest that the core determines; counts stand before the ranges."""
        found = super().facts
        last = {name: found.pop(name) for name in ("ranges", "interface")}
        names = ("steps", "products", "additions")
        return {**found, "counts": {name: getattr(self.counts, name) for name in names}, **last}

    @property
    def ranges(self) -> dict[str, Range]:
        """Closed intervals of operands, results, words and what is kept."""
        products = self.products()
        return {
            "x": (0, products.largest_x),
            **({"y": (0, products.largest)} if products.largest else {}),
            "results": (0, products.domain.largest_result),
            "words": (0, (1 << products.width) - 1),
            **self.kept,
        }

    @property
    def interface(self) -> dict[str, Any]:
        """The streams, and one transaction: of the largest modulus if it is loaded."""
        products = self.products()
        modulus = products.domain.modulus
        x, y = modulus // 3, min(modulus - 2, products.largest)
        two = products.operand_words > products.words
        return stream_interface(
            products.width,
            products.words,
            {"x": x, **({"y": y} if two else {})},
            products.expected(x, y),
            modulus=modulus if products.design.domain is None else None,
            modulus_words=products.modulus_words,
        )

    @property
    def boundary(self) -> Boundary:
        """Numbers may differ, but not whether they are legal."""
        return digit_boundary(self.design)

    @cached_property
    def surroundings(self) -> ModularBus | None:
        """The bus around it; None if there is none."""
        return bus_around(self, self.request.bus)

    @property
    def commanded(self) -> CommandedDesign:
        """The numbers that it takes on a bus."""
        streams, domain, load = self.design.streams, self.domain, list[Number]()
        if domain is None:
            load = loads.of_multiplier(streams, "p", bits=self.shape.bits)
        most = (domain.largest_x, domain.largest_y) if domain else (None, None)
        return CommandedDesign(
            streams.width,
            tuple(load),
            tuple(
                Number(name, streams.words, largest=largest)
                for name, largest in zip("xy", most, strict=True)
            ),
            streams.words,
            "multiply",
            tests_modulus=domain is None,
            flagged=self._operand_check == "flag",
            withheld="operand_range",
            turns=BANKS,
        )

    def setting(self, value: int) -> DigitProducts:
        """Promises with a modulus that is loaded.

        Raises:
            SpecificationError: it is even, or has too many bits.
        """
        if value % 2 == 0 or not 3 <= value < 1 << self.shape.bits:
            raise SpecificationError(
                f"modulus = {value}: this core takes odd numbers from 3 to 2^{self.shape.bits} - 1"
            )
        return self.products(value)

    def settings(self, chooser: random.Random) -> Sequence[DigitProducts]:
        """Promises with the modulus that is built in, or with the largest one and a random one."""
        bits = self.shape.bits
        top = 1 << bits - 1
        moduli = () if self.domain else (chooser.getrandbits(bits) | top | 1,)
        return [self.products(), *map(self.products, moduli)]

    def simulate(self, sources: Sequence[Path], runs: Runs) -> VerificationResult:
        """Compare its Verilog in simulation with plain integers; see `PlainCore.simulate`."""
        # Simulations take long to load, and making a core does not need them.
        from residua.cores.digit.verification import verify_digits  # noqa: PLC0415

        return verify_digits(self, sources, runs)

    @cached_property
    def shape(self) -> DigitShape:
        """N, the digits of the algorithm, and the variant."""
        digit = 1 if self.request.algorithm in ("r2mm", "mwr2mm") else self.request.digit
        return DigitShape(self.request.length, digit, self.request.variant)

    @cached_property
    def domain(self) -> DigitDomain | None:
        """The modulus that is built in."""
        modulus = self.request.modulus
        return None if modulus is None else DigitDomain(modulus, self.shape)

    def _design(self) -> DigitDesign:
        request, shape, domain = self.request, self.shape, self.domain
        if request.algorithm == "r2mm":
            return R2mmDesign(shape, domain, request.digit)
        if request.algorithm == "mwr2mm":
            return Mwr2mmDesign(shape, domain, request.digit)
        return self._iddmm(shape)

    def _iddmm(self, shape: DigitShape) -> IddmmDesign | LanesDesign:
        request, domain = self.request, self.domain
        inverse = request.inverse or "computed"
        if request.lanes is not None:
            return LanesDesign(shape, domain, request.lanes, inverse)
        multiplier, pipeline = self._version
        return IddmmDesign(
            shape,
            domain,
            1 if request.architecture == 1 else 2,
            pipeline,
            multiplier,
            inverse,
            checked=self._operand_check == "flag",
        )

    @property
    def _operand_check(self) -> CheckChoice:
        """What tells of an operand that is too large; on a bus something has to."""
        needed = self.request.on_bus and self.request.algorithm == "iddmm" and not self.domain
        return self.request.operand_check or ("flag" if needed else "none")

    @property
    def _version(self) -> tuple[Any, int]:
        """Multiplier and pipeline."""
        request = self.request
        multiplier, pipeline = VERSIONS[request.version or 4]
        return (
            request.multiplier or multiplier,
            pipeline if request.pipeline is None else request.pipeline,
        )

    @cached_property
    def specification(self) -> DigitSpecification:
        """The request with every choice made; it leads to this core again."""
        request = self.request
        values: dict[str, Any] = {}
        if request.algorithm not in ("r2mm", "mwr2mm"):
            loaded = request.modulus is None
            values["inverse"] = (request.inverse or "computed") if loaded else None
            if request.lanes is None:
                values["multiplier"], values["pipeline"] = self._version
                values["architecture"] = request.architecture or 2
                if request.algorithm == "iddmm":
                    values["operand_check"] = self._operand_check
        return request.model_copy(update={"name": self.name, "version": None, **values})

    def algorithm(self, ops: DigitOperations[V], shape: DigitShape | None = None) -> list[V]:
        """The multiplication, for any interpreter of `residua.machines.digits`."""
        request, shape = self.request, shape or self.shape
        if request.algorithm == "r2mm":
            return r2mm(ops, shape)
        if request.algorithm == "mwr2mm":
            return mwr2mm(ops, shape, request.digit)
        if request.lanes is not None:
            return iddmm_lanes(ops, shape, request.lanes)
        form: Callable[[DigitOperations[V], DigitShape], list[V]]
        form = iddmm_1 if request.architecture == 1 else iddmm_2
        return form(ops, shape)

    @property
    def digit_bits(self) -> int:
        """Bits of a digit of what ``algorithm`` returns."""
        request = self.request
        if request.algorithm == "r2mm":
            return self.shape.operand_bits
        return request.digit * (request.lanes or 1)

    def model(self, products: DigitProducts, x: int, y: int) -> int:
        """The product of two operands as the algorithm computes it."""
        digits = self.algorithm(DigitValues.of(products.domain, x, y))
        return join_digits(digits, self.digit_bits)

    @cached_property
    def counts(self) -> DigitCounts:
        """The operations of one product."""
        counts = DigitCounts()
        self.algorithm(counts)
        return counts

    @cached_property
    def kept(self) -> dict[str, Range]:
        """The ranges of what is kept from one step to the next, for a modulus of N bits."""
        widest = self.domain or DigitDomain((1 << self.shape.bits) - 1, self.shape)
        bounds = DigitBounds.of(widest)
        self.algorithm(bounds)
        return bounds.reached

    def products(self, modulus: int | None = None) -> DigitProducts:
        """Promises modulo the number that is built in, or one that is loaded."""
        return DigitProducts(self.design, self._domain(modulus))

    def _domain(self, modulus: int | None) -> DigitDomain:
        """Of the number that is built in, or of one that is loaded, the largest one by default."""
        largest = (1 << self.shape.bits) - 1
        return self.domain or DigitDomain(modulus or largest, self.shape)

    def component(self) -> Component:
        """A new component of the design."""
        return self.design.component()

    @property
    def cycles(self) -> dict[str, int]:
        """Latency and interval of the core, and ``compute``, the iterations alone."""
        design = self.design
        return {
            "latency": design.latency,
            "interval": design.interval,
            "compute": design.compute,
            "iterations": self.shape.iterations,
        }

    @property
    def utilisation(self) -> float:
        """Products of digits per multiplier and cycle; of R2MM and MWR2MM steps per cycle."""
        work = self.counts.products or self.counts.steps
        return round(work / (max(self.design.multipliers, 1) * self.design.interval), 4)

    @cached_property
    def parameters(self) -> dict[str, Any]:
        """Every chosen number, big ones as decimal strings."""
        request, shape, chosen = self.request, self.shape, self.specification
        modulus = request.modulus
        return {
            "algorithm": request.algorithm,
            "interface": "words",
            "modulus": None if modulus is None else str(modulus),
            "modulus_name": None if modulus is None else modulus_name(modulus),
            "modulus_bits": shape.bits,
            "digit": request.digit,
            "digits": -(-shape.bits // request.digit),
            "iterations": shape.iterations,
            "variant": request.variant,
            "architecture": chosen.architecture,
            "pipeline": chosen.pipeline,
            "multiplier": chosen.multiplier,
            "lanes": request.lanes,
            "inverse": chosen.inverse,
            "operand_check": chosen.operand_check,
            "window": chosen.window,
            "exponent_bits": chosen.exponent_bits,
            "exponent": None if chosen.exponent is None else str(chosen.exponent),
            "negative_inverse": None if self.domain is None else str(self.domain.negative_inverse),
            "montgomery_factor": str(shape.factor),
            "multipliers": self.design.multipliers,
        }
