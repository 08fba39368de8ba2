"""A modular inverter: from a specification to its design, figures and promises."""

import random
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from amaranth.lib.wiring import Component
from gmpy2 import invert

from residua.algorithms.montgomery import MontgomeryDomain
from residua.cores.core import STREAM_PORTS, PlainCore
from residua.cores.inversion.boundary import inverter_boundary
from residua.cores.inversion.design import InverterDesign
from residua.cores.inversion.specification import InversionSpecification
from residua.cores.modular_bus.surroundings import ModularBus, bus_around
from residua.cores.naming import default_name, modulus_part
from residua.cores.proofs.boundary import Boundary
from residua.cores.simulation.result import VerificationResult
from residua.cores.simulation.runs import INVERSIONS, Runs, runs_by_default
from residua.cores.stream_interface import stream_interface
from residua.errors import SpecificationError, first_possible
from residua.hardware.bus.commanded_design import CommandedDesign, Number
from residua.hardware.engine.datapath_design import EngineOptions
from residua.hardware.inverters.division_steps_inverter import DivisionStepsDesign
from residua.hardware.inverters.fermat_inverter import FermatDesign
from residua.hardware.inverters.plus_minus_inverter import PlusMinusDesign
from residua.machines.plus_minus import PlainNumbers
from residua.numbers.bases import Base
from residua.numbers.catalogue import modulus_name
from residua.numbers.cox import Range
from residua.numbers.hats import hat_form
from residua.numbers.roots import orient_pairs
from residua.numbers.search import BasePair, StyleArguments, in_style, search_bases

_SPARSE_WEIGHT = 3
"""Most signed digits of an h in sparse bases."""

_MOST_EXTRA_CHANNELS = 4
"""Channels beyond the least that are tried for Fermat's programs."""

AVERAGED = 1000
"""Random operands over which the average cycles of a manifest are taken."""


_PORTS = {
    **STREAM_PORTS,
    "operands_payload": "one word of x",
    "result_payload": "one word of 1 / x mod P in the low bits, above it last, then error",
}
"""Purposes of its ports."""

_TITLES = {
    "plus-minus": "Plus-minus modular inverter in a residue number system",
    "plus-minus-ct": "Plus-minus modular inverter in a residue number system, padded",
    "division-steps": "Modular inverter by division steps",
    "fermat": "Modular inverter by Fermat's theorem on an RNS engine",
}
"""Titles by method."""


class InversionCore(PlainCore):
    """A modular inverter.

    Attributes:
        request: the specification as given.

    Raises:
        SpecificationError: the request cannot be met.
    """

    request: InversionSpecification
    runs = "inversions"
    port_meanings = _PORTS

    def __init__(self, request: InversionSpecification) -> None:
        self.request = request
        self.design = self._design()

    def _design(self) -> InverterDesign:
        request = self.request
        if request.inversion == "fermat":
            return _fermat_design(request)
        if not request.plus_minus:
            return DivisionStepsDesign(request.modulus, request.width)
        form = hat_form(request.modulus, request.width, request.channels, request.truncation)
        padded = request.inversion == "plus-minus-ct"
        return PlusMinusDesign(form, padded, request.cox_registers or 0)

    @property
    def name(self) -> str:
        """Name of the top module, <method>_<modulus>_<bits>x<w> by default."""
        request = self.request
        size = f"{request.modulus.bit_length()}x{request.width}"
        parts = (request.inversion.replace("-", "_"), modulus_part(request.modulus), size)
        return request.name or default_name(parts, request, "inversion")

    @property
    def title(self) -> str:
        """Title of the core."""
        return _TITLES[self.request.inversion]

    @property
    def subject(self) -> str:
        """Title and size in one line."""
        return f"{self.title}, {self.parameters['modulus_bits']} bits"

    @property
    def ranges(self) -> dict[str, Range]:
        """Closed intervals of operands and results, and of what a plus-minus inverter holds."""
        design, modulus = self.design, self.design.modulus
        found = {
            "x": (1, modulus - 1),
            "results": (0, modulus - 1),
            "words": (0, (1 << design.width) - 1),
        }
        if isinstance(design, PlusMinusDesign):
            largest = max(m.value for m in design.form.base)
            found |= {"residues": (-largest, largest - 1), "v": (-modulus, modulus)}
        return found

    @property
    def interface(self) -> dict[str, Any]:
        """The streams, and one transaction."""
        design = self.design
        inverses = ((x, self.expected(x)) for x in range(design.modulus // 3, design.modulus))
        x, result = next((x, inverse) for x, inverse in inverses if inverse is not None)
        return stream_interface(design.width, design.words, {"x": x}, result)

    @property
    def boundary(self) -> Boundary:
        """Operands may differ, but not whether one is refused."""
        return inverter_boundary(self.design)

    @property
    def default_runs(self) -> int:
        """Number of inversions that a verification compares by default."""
        return runs_by_default(INVERSIONS, self.cycles["interval"])

    def simulate(self, sources: Sequence[Path], runs: Runs) -> VerificationResult:
        """Compare its Verilog in simulation with plain integers; see `PlainCore.simulate`."""
        # Simulations take long to load, and making a core does not need them.
        from residua.cores.inversion.verification import (  # noqa: PLC0415
            build_inverter_simulator,
            verify_inversions,
        )

        simulator = build_inverter_simulator(self, sources)
        return verify_inversions(simulator, **runs.choices).verdict

    @cached_property
    def specification(self) -> InversionSpecification:
        """The request with every choice made; it leads to this core again."""
        values: dict[str, Any] = {"name": self.name}
        if isinstance(self.design, PlusMinusDesign):
            values["channels"] = len(self.design.form.base)
            values["truncation"] = self.design.form.truncation
            values["cox_registers"] = self.design.cox_registers
        if isinstance(self.design, FermatDesign):
            values["channels"] = len(self.design.domain.base_a)
        return self.request.model_copy(update=values)

    @property
    def constant_time(self) -> bool:
        """Whether every operand takes as many cycles."""
        return self.design.fewest == self.design.longest or self.request.inversion.endswith("-ct")

    @cached_property
    def surroundings(self) -> ModularBus | None:
        """The bus around it; None if there is none."""
        return bus_around(self, self.request.bus)

    @property
    def commanded(self) -> CommandedDesign:
        """The number that it takes on a bus."""
        design = self.design
        return CommandedDesign(
            design.width,
            (),
            # What has no inverse is not computed with.
            (Number("x", design.words, filler=1),),
            design.words,
            "invert",
            flagged=True,
            withheld="no_inverse",
            turns=design.turns,
        )

    def setting(self, value: int) -> "Inversions":
        """Refuse another modulus: its own one is built in."""
        raise SpecificationError(f"{self.name} has its modulus built in, and takes none: {value}")

    def settings(self, chooser: random.Random) -> Sequence["Inversions"]:  # noqa: ARG002 - there is one
        """Promises with the modulus that is built in."""
        return (Inversions(self),)

    def component(self) -> Component:
        """A new component of the design."""
        return self.design.component()

    def expected(self, x: int) -> int | None:
        """1 / x modulo P by plain integers; None if the core must refuse x."""
        modulus = self.design.modulus
        if not 0 < x < modulus:
            return None
        try:
            return int(invert(x, modulus))
        except ZeroDivisionError:
            return None

    @cached_property
    def cycles(self) -> dict[str, Any]:
        """Cycles from the last operand word to the last result word, the longest and others.

        ``interval`` is what two of the longest are apart; ``average`` that of random operands.
        """
        design = self.design
        found: dict[str, Any] = {
            "latency": design.longest,
            "interval": design.longest + design.pause,
            "shortest": design.longest if self.constant_time else design.fewest,
            "average": self.average,
        }
        if isinstance(design, PlusMinusDesign):
            found |= {"period": design.period, "most_steps": design.most_steps}
            found["conversions"] = design.frame
        return found

    @cached_property
    def average(self) -> float:
        """Average latency of `AVERAGED` operands that a fixed seed chooses."""
        if self.constant_time:
            return float(self.design.longest)
        chooser, numbers = random.Random(1), PlainNumbers(self.design.modulus)
        found: list[int] = []
        while len(found) < AVERAGED:
            if (cycles := self.design.cycles(chooser.randrange(1, numbers.modulus))) is not None:
                found.append(cycles)
        return round(sum(found) / AVERAGED, 1)

    @cached_property
    def parameters(self) -> dict[str, Any]:
        """Every chosen number, big ones as decimal strings."""
        request, design = self.request, self.design
        parameters: dict[str, Any] = {
            "algorithm": request.algorithm,
            "interface": "words",
            "inversion": request.inversion,
            "timing": "constant" if self.constant_time else "variable",
            "modulus": str(request.modulus),
            "modulus_name": modulus_name(request.modulus),
            "modulus_bits": request.modulus.bit_length(),
            "w": request.width,
            "n": None,
            "t": None,
        }
        if isinstance(design, FermatDesign):
            domain = design.domain
            parameters |= {
                "n": len(domain.base_a),
                "base_a": [str(m.value) for m in domain.base_a],
                "base_b": [str(m.value) for m in domain.base_b],
                "h_a": [m.offset for m in domain.base_a],
                "h_b": [m.offset for m in domain.base_b],
                "cox_t": domain.second.truncation,
                "reduction": design.options.reduction,
                "levels_per_register": design.options.levels_per_register,
            }
        if isinstance(design, PlusMinusDesign):
            form = design.form
            parameters |= {
                "n": len(form.base),
                "base": [str(m.value) for m in form.base],
                "h": [m.offset for m in form.base],
                "t": form.truncation,
                "offset": str(form.offset),
                "cox_registers": design.cox_registers,
            }
        return parameters


@dataclass(frozen=True)
class Inversions:
    """Promises of an inverter on a bus (`residua.cores.modular_bus.cases.Setting`)."""

    core: InversionCore

    @property
    def interval(self) -> int:
        """Cycles between two of the longest."""
        return self.core.design.longest + self.core.design.pause

    @property
    def largest(self) -> int:
        """The largest y: 0, as there is none."""
        return 0

    @property
    def largest_x(self) -> int:
        """The largest x."""
        return self.core.design.modulus - 1

    @property
    def modulus_words(self) -> tuple[int, ...]:
        """The words that are loaded: none."""
        return ()

    def expected(self, x: int, y: int) -> int:  # noqa: ARG002 - there is no y
        """1 / x modulo P by plain integers; 0 if there is none."""
        return self.core.expected(x) or 0


def _fermat_design(request: InversionSpecification) -> FermatDesign:
    """Fermat's inversion on the narrowest bases that hold its programs."""
    least = request.channels or -(-request.modulus.bit_length() // request.width)
    most = least if request.channels else least + _MOST_EXTRA_CHANNELS
    return first_possible(
        range(least, most + 1), lambda channels: _fastest(request, _search(request, channels))
    )


def _search(request: InversionSpecification, channels: int) -> BasePair:
    """Sparse bases if there are any."""

    def search(chosen: StyleArguments) -> BasePair:
        return search_bases(
            request.modulus, request.width, channels, weight=_SPARSE_WEIGHT, **chosen
        )

    return in_style("auto", request.width, search)


def _fastest(request: InversionSpecification, pair: BasePair) -> FermatDesign:
    """Products are faster without quotients in first extensions, but larger."""
    return first_possible(
        (True, False), lambda skips: _fermat_on(request, pair, skips_quotient=skips)
    )


def _fermat_on(
    request: InversionSpecification, pair: BasePair, *, skips_quotient: bool
) -> FermatDesign:
    pairs = tuple(zip(pair.base_a, pair.base_b, strict=True))
    base_a, base_b = (Base(side) for side in orient_pairs(pairs, request.modulus))
    domain = MontgomeryDomain(
        request.modulus,
        base_a,
        base_b,
        pair.cox,
        pair.cox,
        request.modulus,
        "quadratic",
        skips_quotient=skips_quotient,
    )
    sparse = all(m.weight <= _SPARSE_WEIGHT for base in (base_a, base_b) for m in base)
    options = EngineOptions(
        rowers=pair.channels,
        reduction="shift" if sparse else "multiply",
        levels_per_register=request.levels_per_register,
    )
    design = FermatDesign(domain, options)
    _ = design.domain, design.conversion
    return design
