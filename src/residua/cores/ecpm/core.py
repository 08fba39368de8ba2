"""Point multipliers of 2006 (ECPM): from a specification to model and hardware."""

import random
from collections.abc import Sequence
from functools import cached_property
from pathlib import Path
from typing import Any, ClassVar

from amaranth.lib.wiring import Component

from residua.algorithms.conversion import split_words
from residua.algorithms.integer_program import run
from residua.cores.coprocessor.naming import curves_part
from residua.cores.core import PlainCore
from residua.cores.ecpm.boundary import point_boundary
from residua.cores.ecpm.bus_cases import PointCases, Points
from residua.cores.ecpm.specification import EcpmSpecification
from residua.cores.modular_bus.surroundings import ModularBus, bus_around
from residua.cores.naming import default_name
from residua.cores.proofs.boundary import Boundary
from residua.cores.simulation.result import VerificationResult
from residua.cores.simulation.runs import POINTS, PRODUCTS, Runs, runs_by_default
from residua.curves.jacobian import ADDITION, DOUBLING, multiply
from residua.curves.parameters import WeierstrassCurve
from residua.errors import SpecificationError
from residua.hardware.bus.commanded_design import CommandedDesign, Number
from residua.hardware.ecpm.design import EcpmDesign, widths
from residua.hardware.ecpm.processor import EcpmProcessor
from residua.machines.integers import Integers
from residua.numbers.cox import Range
from residua.numbers.selection.coprime import WIDTHS

CHANNELS = 20
"""Moduli by default, as published."""

Numbers = tuple[int, ...]

_TITLES = {
    "multiply": "Extended-RNS point multiplier",
    "add": "Extended-RNS point adder",
    "double": "Extended-RNS point doubler",
}
"""Titles by operation."""

OPERANDS = {
    "multiply": ("k", "X", "Y", "Z"),
    "add": ("X0", "Y0", "Z0", "X1", "Y1", "Z1"),
    "double": ("X1", "Y1", "Z1"),
}
"""Operands by operation, in their order."""

RESULTS = ("X2", "Y2", "Z2")
"""Numbers of a result, in their order."""


class EcpmCore(PlainCore):
    """An ECA, ECD or ECPM.

    Attributes:
        request: the specification as given.
        curve: what it is for.
        design: of the hardware.

    Raises:
        SpecificationError: the request cannot be met.
    """

    request: EcpmSpecification
    runs = "operations"
    ecp5_mhz: ClassVar[float] = 60.0

    def __init__(self, request: EcpmSpecification) -> None:
        self.request = request
        curve = request.only_curve
        assert isinstance(curve, WeierstrassCurve)
        self.curve = curve
        self.design = self._design()

    def _design(self) -> EcpmDesign:
        if self.request.width is not None:
            return self._sized(self.request.width)
        for width in widths(self.curve.prime, self.request.channels or CHANNELS):
            try:
                return self._sized(width)
            except SpecificationError:
                continue
        return self._sized(WIDTHS[-1])

    def _sized(self, width: int) -> EcpmDesign:
        request = self.request
        bits = request.scalar_bits or self.curve.order_bits
        return EcpmDesign(
            self.curve.prime,
            self.curve.a,
            request.channels or CHANNELS,
            width,
            min(request.product_digit, width),
            request.conversion_digit,
            bits if request.operation == "multiply" else 1,
            request.operation,
        )

    @property
    def name(self) -> str:
        """Name of the top module, ecpm_<curve>_<n>x<w> (eca, ecd) by default."""
        kinds = {"multiply": "ecpm", "add": "eca", "double": "ecd"}
        size = f"{self.design.channels}x{self.design.width}"
        parts = (kinds[self.design.operation], curves_part(self.request.curve), size)
        return self.request.name or default_name(parts, self.request, "channels", "operation")

    @property
    def title(self) -> str:
        """Title of the core."""
        return _TITLES[self.design.operation]

    @property
    def subject(self) -> str:
        """Title and curve in one line."""
        return f"{self.title} on {self.curve.name}"

    @property
    def default_runs(self) -> int:
        """Number of results that a verification compares by default; multiples are fewer."""
        if self.design.operation == "multiply":
            return runs_by_default(POINTS, self.cycles["interval"])
        return PRODUCTS

    @property
    def facts(self) -> dict[str, Any]:
        """The part of the manifest that the core determines."""
        return {"kind": "ecpm", **super().facts}

    @property
    def ranges(self) -> dict[str, Range]:
        """Closed intervals of coordinates and scalars, and of what is held."""
        design = self.design
        return {
            "coordinates": (0, design.prime - 1),
            **({"scalars": (0, (1 << design.scalar_bits) - 1)} if design.scalar_words else {}),
            "values": (-design.largest, design.largest),
            "held": (-design.base.largest, design.base.largest),
            "words": (0, (1 << design.width) - 1),
        }

    def operand_words(self, numbers: Numbers) -> list[int]:
        """The words of operands in their order."""
        design = self.design
        words: list[int] = []
        for place, number in enumerate(numbers):
            scalar = place == 0 and bool(design.scalar_words)
            count = design.scalar_words if scalar else design.number_words
            words += split_words(number, count, design.width)
        return words

    def result_words(self, numbers: Numbers) -> list[int]:
        """The words of a result in their order."""
        design = self.design
        return [w for n in numbers for w in split_words(n, design.number_words, design.width)]

    @property
    def interface(self) -> dict[str, Any]:
        """The streams, and one transaction."""
        design, curve = self.design, self.curve
        point = (curve.x, curve.y, 1)
        doubled = (curve.x * 4 % curve.prime, curve.y * 8 % curve.prime, 2)
        values: Numbers = {
            "multiply": ((1 << design.scalar_bits) // 3, *point),
            "add": (*point, *doubled[:1], -doubled[1] % curve.prime, 2),
            "double": point,
        }[design.operation]
        result = self.model(values)
        return {
            "word_bits": design.width,
            "number_words": design.number_words,
            "scalar_words": design.scalar_words,
            "operands": list(OPERANDS[design.operation]),
            "results": list(RESULTS),
            "order": "lowest word first",
            "example": {
                "operands": [str(value) for value in values],
                "result": [str(value) for value in result],
                "operand_words": [str(word) for word in self.operand_words(values)],
                "result_words": [str(word) for word in self.result_words(result)],
            },
        }

    @property
    def surroundings(self) -> ModularBus | None:
        """The bus around it; None if there is none."""
        return bus_around(self, self.request.bus, PointCases)

    @property
    def commanded(self) -> CommandedDesign:
        """The numbers that it takes on a bus."""
        design = self.design
        largest = design.prime - 1

        def number(name: str) -> Number:
            if name == "k":
                return Number(name, design.scalar_words, bits=design.scalar_bits)
            return Number(name, design.number_words, largest=largest, filler=largest)

        return CommandedDesign(
            design.width,
            (),
            tuple(map(number, OPERANDS[design.operation])),
            design.number_words,
            f"point_{design.operation}",
            results=len(RESULTS),
        )

    def setting(self, value: int) -> Points:
        """Refuse a modulus: the curve is built in."""
        raise SpecificationError(f"{self.name} has its curve built in, and takes none: {value}")

    def settings(self, chooser: random.Random) -> Sequence[Points]:  # noqa: ARG002 - there is one
        """Promises on the curve that is built in."""
        return (Points(self),)

    @property
    def boundary(self) -> Boundary:
        """The words of both streams may differ: of points, and of scalars."""
        return point_boundary(self.design)

    def simulate(self, sources: Sequence[Path], runs: Runs) -> VerificationResult:
        """Compare its Verilog in simulation with its model; see `PlainCore.simulate`."""
        # Simulations take long to load, and making a core does not need them.
        from residua.cores.ecpm.verification import verify_ecpm  # noqa: PLC0415

        return verify_ecpm(self, sources, runs)

    @cached_property
    def specification(self) -> EcpmSpecification:
        """The request with every choice made; it leads to this core again."""
        design = self.design
        multiplies = design.operation == "multiply"
        return self.request.model_copy(
            update={
                "width": design.width,
                "channels": design.channels,
                "product_digit": design.digit,
                "scalar_bits": design.scalar_bits if multiplies else None,
                "name": self.name,
            }
        )

    def component(self) -> Component:
        """A new component of the design."""
        return EcpmProcessor(self.design)

    def model(self, operands: Numbers) -> Numbers:
        """The result of the hardware, number for number, by the formulas on integers."""
        arithmetic, a = Integers(self.curve.prime), self.curve.a
        if self.design.operation == "multiply":
            k, *point = operands
            bits = self.design.scalar_bits
            return tuple(multiply(arithmetic, k, bits, point, a, (1, 1, 0)))
        adds = self.design.operation == "add"
        program = ADDITION if adds else DOUBLING
        names = ("X0", "Y0", "Z0", "X1", "Y1", "Z1") if adds else ("X1", "Y1", "Z1", "a")
        given = operands if adds else (*operands, a)
        values = run(program, arithmetic, dict(zip(names, given, strict=True)))
        return tuple(values[name] for name in program.outputs.values())

    @property
    def cycles(self) -> dict[str, int]:
        """Latency and interval of the core, and its parts."""
        design = self.design
        segments = {name: len(words) for name, words in design.microcode.items()}
        parts = {"round": segments["compute"]} if design.operation == "multiply" else {}
        timing = design.timing
        return {
            "latency": design.latency,
            "interval": design.interval,
            "compute": design.compute,
            **parts,
            "product": timing.product + 1,
            "reduction": timing.reduction + 1,
        }

    @property
    def utilisation(self) -> float:
        """Cycles in which the multipliers work, of all."""
        design = self.design
        busy = 0
        for step in design.steps:
            segment = design.segments.get(step.segment)
            products = (
                sum(n.unit in ("multiply", "reduce") for n in segment.nodes) if segment else 0
            )
            busy += step.rounds * (products or int(step.gives)) * design.product_steps
        return round(busy / design.interval, 4)

    @cached_property
    def parameters(self) -> dict[str, Any]:
        """Every chosen number, big ones as decimal strings."""
        design, curve = self.design, self.curve
        return {
            "algorithm": self.request.algorithm,
            "operation": design.operation,
            "interface": "words",
            "curve": curve.name,
            "modulus": str(curve.prime),
            "modulus_bits": curve.prime.bit_length(),
            "a": str(curve.a),
            "n": design.channels,
            "w": design.width,
            "moduli": [m.value for m in design.base.base],
            "redundant": design.base.redundant.value,
            "range_bits": design.range_bits,
            "product_bits": design.base.base.product.bit_length(),
            "product_digit": design.digit,
            "conversion_digit": design.conversion,
            "scalar_bits": design.scalar_bits if design.operation == "multiply" else None,
            "registers": design.registers,
            "microcode_words": len(design.rom),
            "reductions": {"addition": ADDITION.reductions, "doubling": DOUBLING.reductions},
            "control": (
                "independent of scalar and points: an addition for every bit, chosen by selectors"
            ),
        }
