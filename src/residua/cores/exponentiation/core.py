"""An exponentiator on an engine: from a specification to bases, design, figures and promises."""

import random
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from math import gcd
from pathlib import Path
from typing import Any

from amaranth.lib.wiring import Component
from gmpy2 import powmod

from residua.algorithms.fields.field_exponentiation import step_products
from residua.cores.core import STREAM_PORTS
from residua.cores.exponentiation.boundary import exponentiator_boundary
from residua.cores.exponentiation.list_core import ListCore, ListPromises, prime_above
from residua.cores.exponentiation.specification import LOADED, ExponentiationSpecification
from residua.cores.modular_bus import loads
from residua.cores.naming import default_name, modulus_part
from residua.cores.proofs.boundary import Boundary
from residua.cores.simulation.result import VerificationResult
from residua.cores.simulation.runs import Runs
from residua.cores.stream_interface import stream_interface
from residua.hardware.bus.commanded_design import CommandedDesign, Number
from residua.hardware.exponentiation.exponentiator import ExponentiatorDesign
from residua.hardware.exponentiation.loaded_exponentiator import LoadedExponentiatorDesign
from residua.machines.counts import count
from residua.numbers.catalogue import modulus_name
from residua.numbers.cox import Range
from residua.numbers.search import BasePair

LARGEST_DEFAULT_WINDOW = 5
"""Larger tables save little and take much memory."""


_PORTS = {
    **STREAM_PORTS,
    "operands_payload": "one word of X or Y",
    "modulus_payload": "one word of N, of -1 / N modulo M_a or of R^2 modulo N",
    "modulus_valid": "the payload is a word",
    "modulus_ready": "the word is taken in this cycle",
    "result_payload": "one word of the result in the low bits, the flag last in the top bit",
}
"""Purposes of its ports."""


@dataclass(frozen=True)
class Exponentiations(ListPromises):
    """Promises of an exponentiator for powers modulo one number (`WordDesign`)."""

    design: ExponentiatorDesign
    modulus: int

    @property
    def _list(self) -> ExponentiatorDesign:
        return self.design

    @property
    def operand_words(self) -> int:
        """Words of the operands together."""
        return self.design.operand_words

    @property
    def largest(self) -> int:
        """The largest exponent, 0 if there is only one."""
        return self.design.largest

    @property
    def largest_x(self) -> int:
        """The largest base."""
        return self.design.largest_x

    @property
    def error_flag(self) -> None:
        """What a flag beside a result tells: there is none."""
        return None

    def expected(self, x: int, y: int) -> int:
        """The power, by plain integers."""
        return int(powmod(x, self.design.exponent or y, self.modulus))

    def model(self, x: int, y: int) -> int:
        """The power by the model of the engine."""
        return self.design.model(x, y)

    @property
    def modulus_words(self) -> tuple[int, ...]:
        """The words that are loaded for this modulus; none if it is built in."""
        return ()

    @property
    def tested_words(self) -> tuple[int, ...]:
        """None: a core tests no modulus."""
        return ()


@dataclass(frozen=True)
class LoadedExponentiations(Exponentiations):
    """Promises for powers modulo a number that is loaded."""

    design: LoadedExponentiatorDesign

    def model(self, x: int, y: int) -> int:
        """The power by the model of the engine."""
        return self.design.power(x, y, self.modulus)

    @property
    def modulus_words(self) -> tuple[int, ...]:
        """The words that are loaded: N, -1 / N modulo M_a, R^2 modulo N."""
        return self.design.load_words(self.modulus)


def largest_modulus(design: LoadedExponentiatorDesign) -> int:
    """The largest odd number that can be loaded."""
    top = (1 << design.bits) - 1
    return next(n for n in range(top, 0, -2) if gcd(n, design.domain.montgomery_factor) == 1)


class ExponentiationCore(ListCore[ExponentiatorDesign]):
    """An exponentiator; arguments, attributes and errors of `ListCore`."""

    port_meanings = _PORTS

    @classmethod
    def of(cls, specification: ExponentiationSpecification) -> ListCore[Any]:  # type: ignore[override]
        """The core that a specification asks for: RSA has classes of its own."""
        if specification.exponent == LOADED:
            from residua.cores.exponentiation.public_key import (  # noqa: PLC0415 - of its kind
                PublicKeyCore,
            )

            return PublicKeyCore(specification)
        if specification.algorithm != "rsa-crt":
            return ExponentiationCore(specification)
        from residua.cores.exponentiation.rsa_crt import RsaEngineCore  # noqa: PLC0415 - of its kind

        return RsaEngineCore(specification)

    @cached_property
    def modulus(self) -> int:
        """The modulus; if it is loaded, a prime above all of them, for which bases are searched."""
        return self.request.modulus or prime_above(self.request.length)

    def _design(self, pair: BasePair) -> ExponentiatorDesign:
        request, options = self.request, self._options(pair)
        domain = self._domain(pair, loaded=request.bits is not None)
        if request.bits is None:
            return ExponentiatorDesign(domain, options, *self._exponent)
        return LoadedExponentiatorDesign(domain, options, request.bits, *self._exponent)

    @property
    def _exponent(self) -> tuple[int, int, int | None]:
        """Bits of exponents, the window, and the only exponent."""
        request = self.request
        if (exponent := request.public_exponent) is not None:
            return exponent.bit_length(), 1, exponent
        bits = request.exponent_bits or request.length
        windows = range(1, min(LARGEST_DEFAULT_WINDOW, bits) + 1)
        return bits, request.window or min(windows, key=lambda w: step_products(bits, w)), None

    def exponentiations(self, modulus: int | None = None) -> Exponentiations:
        """Promises modulo the number that is built in, or one that is loaded.

        By default that is the largest one that can be loaded.
        """
        if isinstance(self.design, LoadedExponentiatorDesign):
            return LoadedExponentiations(self.design, modulus or largest_modulus(self.design))
        return Exponentiations(self.design, self.design.modulus)

    @property
    def name(self) -> str:
        """Name of the top module, modexp_rns_<modulus>_<channels>x<width> by default.

        In place of a modulus it has the bits of those that are loaded.
        """
        request, size = self.request, f"{self.pair.channels}x{self.design.width}"
        parts = ("modexp_rns", modulus_part(request.modulus, request.bits), size)
        return request.name or default_name(parts, request, "bits", "channels")

    @property
    def title(self) -> str:
        """Title of the core."""
        return "Modular exponentiator in a residue number system"

    @property
    def ranges(self) -> dict[str, Range]:
        """Closed intervals of operands and results, and of what is in the engine."""
        design = self.design
        return {
            "x": (0, design.largest_x),
            **({"y": (0, design.largest)} if design.largest else {}),
            "results": (0, self.exponentiations().modulus - 1),
            **self._engine_ranges,
        }

    @property
    def interface(self) -> dict[str, Any]:
        """The streams, and one transaction: of the largest modulus if it is loaded."""
        design, powers = self.design, self.exponentiations()
        x, y = powers.modulus // 3, min(powers.modulus - 2, design.largest)
        loaded = powers.modulus_words
        return stream_interface(
            design.width,
            design.words,
            {"x": x, **({} if design.exponent else {"y": y})},
            powers.expected(x, y),
            modulus=powers.modulus if loaded else None,
            modulus_words=loaded,
        )

    @property
    def commanded(self) -> CommandedDesign:
        """The numbers that it takes on a bus."""
        design, load, factor = self.design, list[Number](), None
        if isinstance(design, LoadedExponentiatorDesign):
            load = loads.on_engine("N", design.load_lengths, bits=design.bits)
            factor = design.domain.montgomery_factor
        operands = [Number("x", design.words)]
        if design.exponent is None:
            operands.append(Number("y", design.words, design.exponent_bits))
        return CommandedDesign(
            design.width,
            tuple(load),
            tuple(operands),
            design.words,
            "power",
            exponent=design.exponent,
            factor=factor,
            turns=design.conversion.result_pages,
        )

    def setting(self, value: int) -> Exponentiations:
        """Promises with a modulus that is loaded; see `LoadedExponentiatorDesign.check`."""
        return self.exponentiations(value)

    def settings(self, chooser: random.Random) -> Sequence[Exponentiations]:
        """Promises with the modulus that is built in, or with the largest one and a random one."""
        design, found = self.design, [self.exponentiations()]
        if isinstance(design, LoadedExponentiatorDesign):
            start = chooser.getrandbits(design.bits) | 1 << design.bits - 1 | 1
            factor = design.domain.montgomery_factor
            other = next(n for n in range(start, 0, -2) if gcd(n, factor) == 1)
            found.append(self.exponentiations(other))
        return found

    @property
    def boundary(self) -> Boundary:
        """The words of all streams may differ, but not when they come."""
        return exponentiator_boundary(self.design)

    def simulate(self, sources: Sequence[Path], runs: Runs) -> VerificationResult:
        """Compare its Verilog in simulation with plain integers; see `PlainCore.simulate`."""
        # Simulations take long to load, and making a core does not need them.
        from residua.cores.exponentiation.verification import verify_exponentiation  # noqa: PLC0415

        return verify_exponentiation(self, sources, runs)

    @cached_property
    def specification(self) -> ExponentiationSpecification:
        """The request with every choice made; it leads to this core again."""
        design = self.design
        windowed = design.exponent is None
        values = self.request.model_dump() | {
            "window": design.window if windowed else None,
            "exponent_bits": design.exponent_bits if windowed else None,
            **self._engine_values,
        }
        return ExponentiationSpecification(**values)

    def component(self) -> Component:
        """A new component of the design."""
        return self.design.component()

    @cached_property
    def cycles(self) -> dict[str, int]:
        """Latency, interval, and the cycles of a squaring step or of a squaring.

        ``step`` is a digit of the exponent, ``window`` squarings and a product; or, with a public
        exponent, a squaring.
        """
        routines = self.design.processor.routines
        own = {"step": "step", "square": "step", "table_step": "table_step"}
        return {
            "latency": self.design.latency,
            "interval": self.design.interval,
            "products": self.design.products,
            **{own[name]: routines[name].length for name in own if name in routines},
        }

    @cached_property
    def utilisation(self) -> float:
        """Counted products of residues per rower and cycle, from the first operand to the result.

        The conversion of the result has multipliers of its own, which are not counted.
        """
        design, routines = self.design, self.design.processor.routines
        work = sum(
            (run.rounds or 1) * count(routines[run.routine].program).emm for run in design.runs
        )
        return round(work / (design.options.rowers * design.interval), 4)

    @cached_property
    def parameters(self) -> dict[str, Any]:
        """Every chosen number, big ones as decimal strings."""
        request, design = self.request, self.design
        return {
            "algorithm": request.algorithm,
            "unit": request.unit,
            "interface": "words",
            "modulus": None if request.modulus is None else str(request.modulus),
            "modulus_name": request.modulus and modulus_name(request.modulus),
            "modulus_bits": request.length,
            "window": design.window if design.exponent is None else None,
            "exponent_bits": design.exponent_bits,
            "exponent": None if design.exponent is None else str(design.exponent),
            **self._engine_parameters,
        }
