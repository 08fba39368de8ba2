"""An exponentiator on an engine: from a specification to bases, design, figures and promises."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial
from math import gcd
from pathlib import Path
from typing import Any

from amaranth.lib.wiring import Component
from gmpy2 import next_prime, powmod

from residua.algorithms.fields.field_exponentiation import step_products
from residua.cores.coprocessor.rns_montgomery import MOST_EXTRA_CHANNELS, montgomery_domains
from residua.cores.core import STREAM_PORTS, PlainCore
from residua.cores.exponentiation.boundary import exponentiator_boundary
from residua.cores.exponentiation.specification import ExponentiationSpecification
from residua.cores.naming import default_name, modulus_part
from residua.cores.proofs.boundary import Boundary
from residua.cores.simulation.result import VerificationResult
from residua.cores.simulation.runs import EXPONENTIATIONS, Runs
from residua.cores.stream_interface import stream_interface
from residua.errors import first_possible
from residua.hardware.engine.datapath_design import EngineOptions
from residua.hardware.exponentiation.exponentiator import ExponentiatorDesign
from residua.hardware.exponentiation.loaded_exponentiator import LoadedExponentiatorDesign
from residua.machines.counts import count
from residua.numbers.catalogue import modulus_name
from residua.numbers.cox import Range
from residua.numbers.search import BasePair, Style, in_style, search_bases, user_bases

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
class Exponentiations:
    """Promises of an exponentiator for powers modulo one number (`WordDesign`)."""

    design: ExponentiatorDesign
    modulus: int

    @property
    def domain(self) -> "Exponentiations":
        """The modulus of results; see ``montgomery_factor``."""
        return self

    @property
    def montgomery_factor(self) -> int:
        """R."""
        return self.design.domain.montgomery_factor

    @property
    def width(self) -> int:
        """Bits of a word."""
        return self.design.width

    @property
    def words(self) -> int:
        """Words of each operand and of the result."""
        return self.design.words

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
    def latency(self) -> int:
        """Cycles from the last operand word to the last result word."""
        return self.design.latency

    @property
    def interval(self) -> int:
        """Cycles between results."""
        return self.design.interval

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


class ExponentiationCore(PlainCore):
    """An exponentiator on an engine; its properties are calculated when they are asked for.

    Attributes:
        request: the specification as given.
        pair: the bases.
        design: its hardware, on bases that hold every sum.

    Raises:
        SpecificationError: the request cannot be met.
    """

    request: ExponentiationSpecification
    runs = "powers"
    default_runs = EXPONENTIATIONS
    port_meanings = _PORTS

    def __init__(self, request: ExponentiationSpecification) -> None:
        self.request = request
        self.pair, self.design = self._find()

    @cached_property
    def modulus(self) -> int:
        """The modulus; if it is loaded, a prime above all of them, for which bases are searched."""
        return self.request.modulus or int(next_prime(1 << self.request.length))

    def _find(self) -> tuple[BasePair, ExponentiatorDesign]:
        """The narrowest bases that hold every sum of every program."""

        def made(pair: BasePair) -> tuple[BasePair, ExponentiatorDesign]:
            design = self._design(pair)
            _ = design.domain, design.conversion
            return pair, design

        return first_possible(self._pairs(), made)

    def _pairs(self) -> Iterator[BasePair]:
        """The bases that are asked for; if that is open, the least that do, then larger ones."""
        request = self.request
        if request.base_a is not None and request.base_b is not None:
            width = request.width if "width" in request.model_fields_set else None
            yield user_bases(
                self.modulus,
                request.base_a,
                request.base_b,
                width=width,
                columns=request.row_length,
            )
            return
        first = self._search(request.channels)
        yield first
        if request.channels is None:
            step = request.rowers or request.row_length
            most = first.channels + max(MOST_EXTRA_CHANNELS, step)
            for channels in range(first.channels + step, most + 1, step):
                yield self._search(channels)

    def _search(self, channels: int | None) -> BasePair:
        request = self.request
        return in_style(request.bases, request.width, partial(self._searched, channels))

    def _searched(self, channels: int | None, style: Style, limit: int | None) -> BasePair:
        request = self.request
        return search_bases(
            self.modulus,
            request.width,
            channels,
            style=style,
            weight=request.weight,
            rowers=request.rowers,
            columns=request.row_length,
            largest=limit,
        )

    def _design(self, pair: BasePair) -> ExponentiatorDesign:
        request, options = self.request, self._options(pair)
        (domain,) = montgomery_domains(
            pair, [self.modulus], request.row_length, arranged=request.base_a is not None
        )
        exponent = self._exponent
        if request.bits is None:
            return ExponentiatorDesign(domain, options, *exponent)
        # What the quadratic form has for factors depends on the modulus.
        domain = replace(domain, form="reordered")
        return LoadedExponentiatorDesign(domain, options, request.bits, *exponent)

    @property
    def _exponent(self) -> tuple[int, int, int | None]:
        """Bits of exponents, the window, and the only exponent."""
        request = self.request
        if request.exponent is not None:
            return request.exponent.bit_length(), 1, request.exponent
        bits = request.exponent_bits or request.length
        windows = range(1, min(LARGEST_DEFAULT_WINDOW, bits) + 1)
        return bits, request.window or min(windows, key=lambda w: step_products(bits, w)), None

    def _options(self, pair: BasePair) -> EngineOptions:
        request, reduction = self.request, self.request.reduction
        if reduction == "auto":
            reduction = "shift" if self._style(pair) == "sparse" else "multiply"
        return EngineOptions(
            rowers=request.rowers or pair.channels,
            reduction=reduction,
            product_registers=request.product_registers,
            levels_per_register=request.levels_per_register,
        )

    def _style(self, pair: BasePair) -> Style:
        """Style that was asked for; if it was open, ``sparse`` if every h is within the weight."""
        if self.request.bases != "auto":
            return self.request.bases
        sparse = all(m.weight <= self.request.weight for m in (*pair.base_a, *pair.base_b))
        return "sparse" if sparse else "any"

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
    def subject(self) -> str:
        """Title and size in one line."""
        return f"{self.title}, {self.parameters['modulus_bits']} bits"

    @property
    def page(self) -> dict[str, Any]:
        """Values of the report's template: routines and channels."""
        # Drawings are only for reports.
        from residua.cores.drawing.routines import routine_row  # noqa: PLC0415
        from residua.cores.engine.page import channels  # noqa: PLC0415

        routines = self.design.processor.routines.values()
        return {
            **super().page,
            "routines": [routine_row(one) for one in routines],
            "channels": channels(self.parameters, ("base_a", "h_a", "base_b", "h_b")),
        }

    @property
    def ranges(self) -> dict[str, Range]:
        """Closed intervals of operands and results, and of what is in the engine."""
        design, word = self.design, 1 << self.design.width
        return {
            "x": (0, design.largest_x),
            **({"y": (0, design.largest)} if design.largest else {}),
            "results": (0, self.exponentiations().modulus - 1),
            "words": (0, word - 1),
            "residues": (-word, word - 1),
            "elements": (-design.domain.bound, design.domain.bound),
            "sums": design.processor.sum_range,
            "quotients": design.processor.quotient_range,
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
        design, options = self.design, self.design.options
        windowed = design.exponent is None
        values = self.request.model_dump() | {
            "window": design.window if windowed else None,
            "exponent_bits": design.exponent_bits if windowed else None,
            "width": design.width,
            "channels": self.pair.channels,
            "rowers": options.rowers,
            "bases": self._style(self.pair),
            "base_a": tuple(m.value for m in design.domain.base_a),
            "base_b": tuple(m.value for m in design.domain.base_b),
            "columns": self.request.row_length if self.request.row_length > 1 else None,
            "reduction": options.reduction,
            "name": self.name,
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
        request, design, domain = self.request, self.design, self.design.domain
        bases = domain.base_a, domain.base_b
        names = "base_a", "base_b", "h_a", "h_b"
        values = [[str(m.value) for m in base] for base in bases]
        offsets = [[m.offset for m in base] for base in bases]
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
            "n": self.pair.channels,
            "w": design.width,
            "bases": self._style(self.pair),
            "h_weight": max(m.weight for base in bases for m in base),
            **dict(zip(names, [*values, *offsets], strict=True)),
            "t": domain.second.truncation,
            "sigma0": str(domain.second.sigma0),
            "form": domain.form,
            "montgomery_factor": str(domain.montgomery_factor),
            "bound": str(domain.bound),
            "rowers": design.options.rowers,
            "extension": request.extension,
            "columns": request.row_length,
            "reduction": design.options.reduction,
            "folds": len(design.processor.folds),
            "product_registers": request.product_registers,
            "levels_per_register": request.levels_per_register,
            "control_words": design.processor.store.words,
            "registers": design.processor.shape.registers,
        }
