"""RNS Montgomery multiplier: from a specification to bases, program, schedule and hardware."""

import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial
from pathlib import Path
from typing import Any

from amaranth.lib.wiring import Component

from residua.algorithms.montgomery import MontgomeryDomain, multiply, operand
from residua.algorithms.program import Program
from residua.algorithms.terms import Vector
from residua.cores.core import STREAM_PORTS
from residua.cores.engine.core import EngineCore
from residua.cores.modular_bus.surroundings import ModularBus, bus_around
from residua.cores.naming import default_name, modulus_part
from residua.cores.proofs.boundary import Boundary
from residua.cores.rns_montgomery.boundary import word_boundary
from residua.cores.rns_montgomery.specification import RnsMontgomerySpecification
from residua.cores.simulation.result import VerificationResult
from residua.cores.simulation.runs import Runs
from residua.cores.simulation.workload import Workload, montgomery_workload
from residua.cores.stream_interface import stream_interface
from residua.errors import SpecificationError
from residua.hardware.bus.commanded import CommandedDesign, Number
from residua.hardware.converters.word_core import WordCore, WordDesign
from residua.hardware.engine.engine_design import EngineDesign
from residua.machines.counts import count
from residua.numbers.bases import Base
from residua.numbers.catalogue import modulus_name
from residua.numbers.cox import Cox, Range, redundant_ranges
from residua.numbers.ranges import RangeCondition, centred_sigma0, montgomery_range
from residua.numbers.residues import Redundant
from residua.numbers.roots import orient_pairs
from residua.numbers.search import BasePair, Style, in_style, search_bases, user_bases

_WORD_PORTS = {
    **STREAM_PORTS,
    "enable": "runs may start while it is 1",
    "operands_payload": "one word of X or Y",
}
"""Purposes of the ports of a core with words."""


@dataclass(frozen=True)
class _Choice:
    """Bases, Cox and form that fit together."""

    domain: MontgomeryDomain
    condition: RangeCondition


class RnsMontgomeryCore(EngineCore[RnsMontgomerySpecification]):
    """One RNS Montgomery multiplier.

    Raises:
        SpecificationError: no bases, no Cox or no form meets the request.
    """

    domain: MontgomeryDomain
    channel_columns = ("base_a", "h_a", "weights", "factor_a", "base_b", "h_b", "factor_b")

    def __init__(self, request: RnsMontgomerySpecification) -> None:
        super().__init__(request)
        self._pair = _find_pair(request)
        choice = _choose(request, self._pair)
        self.domain, self.condition = choice.domain, choice.condition

    @cached_property
    def name(self) -> str:
        """Name of the top module, rns_montgomery_<modulus>_<channels>x<width> by default.

        With words it ends in ``_words``; see `residua.cores.naming`.
        """
        request, size = self.request, f"{self.channels}x{self.width}"
        words = "words" if request.interface == "words" else ""
        parts = ("rns_montgomery", modulus_part(request.modulus), size, words)
        return request.name or default_name(parts, request, "channels", "interface")

    @property
    def wide_bases(self) -> tuple[Base, Base]:
        """Base a and base b."""
        return self.domain.base_a, self.domain.base_b

    @property
    def rowers(self) -> int:
        """Physical rowers."""
        return self.request.rowers or self.channels

    @cached_property
    def specification(self) -> RnsMontgomerySpecification:
        """The request with every choice made; it leads to this core again."""
        return RnsMontgomerySpecification(
            **self.common_choices,
            modulus=self.domain.modulus,
            extension=self.request.extension,
            columns=self.request.row_length if self.request.row_length > 1 else None,
            truncation=self.domain.first.truncation,
            sigma0=self.domain.first.sigma0,
            form="quadratic" if self.domain.form == "quadratic" else "reordered",
            interface=self.request.interface,
            result=self.words.result if self.words else None,
            output_multipliers=self.words.multipliers if self.words else None,
            bus=self.request.bus,
            name=self.name,
        )

    @cached_property
    def words(self) -> WordDesign | None:
        """The core with binary words, None if residues go in and out.

        Raises:
            SpecificationError: there are more output multipliers than channels.
        """
        if self.request.interface != "words":
            return None
        multipliers = self.request.output_multipliers or 1
        if multipliers > self.channels:
            raise SpecificationError(
                f"output_multipliers = {multipliers}: n = {self.channels} channels have use for "
                f"1 to {self.channels}"
            )
        return WordDesign(
            self.domain, self.request.result or "montgomery", self.options, multipliers
        )

    @cached_property
    def design(self) -> EngineDesign:
        """The engine with its bounds, schedule and microcode; the program's model is bit exact."""
        return self.words.engine if self.words else self._residue_design

    @cached_property
    def _residue_design(self) -> EngineDesign:
        """The engine of the product alone."""
        return self.engine_of(_program(self.domain))

    def component(self) -> Component:
        """A new component of the design."""
        return WordCore(self.words) if self.words else super().component()

    @property
    def title(self) -> str:
        """Title of the core."""
        return "RNS Montgomery multiplier"

    @property
    def subject(self) -> str:
        """Title and modulus in one line."""
        name, bits = (self.bases[key] for key in ("modulus_name", "modulus_bits"))
        return f"{self.title} modulo " + (
            f"the prime of {name}" if name else f"a number of {bits} bits"
        )

    @property
    def header(self) -> str:
        """Template of the header of the Verilog."""
        return "header_words.txt" if self.words else "header.txt"

    @property
    def readme(self) -> str:
        """Template of README.md."""
        return "README_words.md" if self.words else "README.md"

    @property
    def port_meanings(self) -> Mapping[str, str]:
        """Purpose of each port, by its name."""
        return _WORD_PORTS if self.words else super().port_meanings

    @property
    def stream_texts(self) -> tuple[str, str]:
        """Contents of the streams of operands and of results, in words."""
        if self.words is None:
            return super().stream_texts
        multipliers = self.words.multipliers
        plural = "s" * (multipliers > 1)
        return f"words of {self.width} bits", f"{multipliers} multiplier{plural}, to words"

    @property
    def page(self) -> dict[str, Any]:
        """Values of the report's template beside the manifest."""
        return {**super().page, "binary": self.words is not None}

    @property
    def boundary(self) -> Boundary:
        """Operands may differ."""
        return word_boundary(self.words) if self.words else super().boundary

    @property
    def program_ranges(self) -> dict[str, Range]:
        """Closed intervals of operands, results and words, with words those of residues too."""
        word, bound = 1 << self.width, self.domain.bound
        if self.words:
            return {
                "x": (0, self.words.largest_x),
                "y": (0, self.words.largest),
                "results": (0, self.domain.modulus - 1),
                "words": (0, word - 1),
                "residues": (-word, word - 1),
            }
        results = self.program.outputs[1].range.integers()
        return {
            "operands": (-bound, bound),
            "results": (int(results.low), int(results.high)),
            "words": (-word, word - 1),
        }

    @property
    def interface(self) -> dict[str, Any]:
        """The words of the interface in their order, or its streams and one transaction."""
        return _streams(self.words) if self.words else super().interface

    @cached_property
    def surroundings(self) -> ModularBus | None:
        """The bus around it; None if there is none."""
        return bus_around(self, self.request.bus) if self.words else None

    @property
    def commanded(self) -> CommandedDesign:
        """The numbers that it takes on a bus."""
        words = self._binary
        operands = (
            Number(name, words.words, largest=largest)
            for name, largest in (("x", words.largest_x), ("y", words.largest))
        )
        return CommandedDesign(
            words.width, (), tuple(operands), words.words, "multiply", turns=words.turns
        )

    @property
    def _binary(self) -> WordDesign:
        assert self.words
        return self.words

    def setting(self, value: int) -> WordDesign:
        """Refuse another modulus: its own one is built in."""
        raise SpecificationError(f"{self.name} has its modulus built in, and takes none: {value}")

    def settings(self, chooser: random.Random) -> Sequence[WordDesign]:  # noqa: ARG002 - there is one
        """Promises with the modulus that is built in."""
        return (self._binary,)

    def workload(self, seed: int) -> Workload:
        """The operands of its verification, and what judges their results."""
        return montgomery_workload(self.program, self.domain, seed)

    def simulate(self, sources: Sequence[Path], runs: Runs) -> VerificationResult:
        """Compare its Verilog in simulation with the program's model, or with plain integers."""
        if self.words is None:
            return super().simulate(sources, runs)
        # Simulations take long to load, and making a core does not need them.
        from residua.cores.simulation.words import verify_word_core  # noqa: PLC0415

        return verify_word_core([self.words], self.name, sources, runs)

    @property
    def cycles(self) -> dict[str, int]:
        """Latency and interval in cycles, see `Engine` and `WordCore`.

        With words also the parts of the latency, of the engine and of the conversion of the result,
        and both figures of the product alone, from residues to residues on the same bases.
        """
        cycles = super().cycles
        if not self.words:
            return cycles
        product = self._residue_design.schedule
        return cycles | {
            "latency": self.words.latency,
            "interval": self.words.interval,
            "engine_latency": self.design.serial_latency,
            "conversion_latency": self.words.conversion.latency,
            "residues_latency": product.latency,
            "residues_interval": product.interval,
        }

    @property
    def utilisation(self) -> float:
        """Counted products per rower and cycle of the steady state; at most 1.

        Conversions to residues are among the products, those of a result to words are not: they
        have multipliers of their own.
        """
        schedule = self.design.schedule
        return round(count(self.program).emm / (self.rowers * schedule.interval), 4)

    @cached_property
    def bases(self) -> dict[str, Any]:
        """Every number that was chosen before any hardware, big ones as decimal strings."""
        domain = self.domain
        return {
            "algorithm": self.request.algorithm,
            "modulus": str(domain.modulus),
            "modulus_name": modulus_name(domain.modulus),
            "modulus_bits": domain.modulus.bit_length(),
            **self.base_parameters,
            "t": domain.first.truncation,
            "sigma0": str(domain.first.sigma0),
            "form": domain.form,
            "weights": list(domain.weights),
            "factor_a": [str(factor) for factor in domain.factor_a],
            "factor_b": [str(factor) for factor in domain.factor_b],
            "montgomery_factor": str(domain.montgomery_factor),
            "bound": str(domain.bound),
            "slack_a": self.condition.slack_a,
            "slack_b": self.condition.slack_b,
        }

    @cached_property
    def parameters(self) -> dict[str, Any]:
        """Every chosen number, those of the engine after those of the bases."""
        words = self.words
        choices = (
            {
                "interface": self.request.interface,
                "result": words.result,
                "output_multipliers": words.multipliers,
            }
            if words
            else {}
        )
        return {
            **self.bases,
            **choices,
            "rowers": self.rowers,
            "extension": self.request.extension,
            "columns": self.request.row_length,
            **self.engine_parameters,
        }


def _streams(design: WordDesign) -> dict[str, Any]:
    """The streams of a core with words, and one transaction."""
    modulus = design.domain.modulus
    x, y = modulus // 3, modulus - 2
    product = design.expected(x, y)
    return stream_interface(design.width, design.words, {"x": x, "y": y}, product)


def search(request: RnsMontgomerySpecification) -> dict[str, Any]:
    """The bases that a request leads to, as ``residua bases`` shows them.

    Raises:
        SpecificationError: there are none.
    """
    return {"parameters": RnsMontgomeryCore(request).bases}


def _program(domain: MontgomeryDomain) -> Program:
    program = Program("rns-montgomery", Redundant(1))
    x, y = operand(program, domain, "x"), operand(program, domain, "y")
    product = multiply(program, domain, x, y)
    program.output(product.a, product.b)
    return program


def _find_pair(request: RnsMontgomerySpecification) -> BasePair:
    """The two bases, given or searched; which is a and which b may change later if searched."""
    if request.base_a is not None and request.base_b is not None:
        return _given_pair(request, request.base_a, request.base_b)
    return in_style(request.bases, request.width, partial(_search, request))


def _search(request: RnsMontgomerySpecification, style: Style, largest: int | None) -> BasePair:
    return search_bases(
        request.modulus,
        request.width,
        request.channels,
        style=style,
        weight=request.weight,
        truncation=request.truncation,
        sigma0=request.sigma0,
        rowers=request.rowers,
        columns=request.row_length,
        largest=largest,
    )


def _given_pair(
    request: RnsMontgomerySpecification, base_a: tuple[int, ...], base_b: tuple[int, ...]
) -> BasePair:
    pair = user_bases(
        request.modulus,
        base_a,
        base_b,
        width=request.width if "width" in request.model_fields_set else None,
        truncation=request.truncation,
        sigma0=request.sigma0,
        columns=request.row_length,
    )
    heavy = [m for m in (*pair.base_a, *pair.base_b) if m.weight > request.weight]
    if request.bases == "sparse" and heavy:
        raise SpecificationError(
            f"bases = 'sparse' allows h of {request.weight} signed digits, but the modulus "
            f"{heavy[0]} has {heavy[0].weight}: give weight = {heavy[0].weight} or bases = 'any'"
        )
    return pair


def _choose(request: RnsMontgomerySpecification, pair: BasePair) -> _Choice:
    """The first form that the bases allow."""
    if request.form == "reordered":
        return _reordered(request, pair)
    try:
        return _quadratic(request, pair)
    except SpecificationError as error:
        if request.form == "quadratic":
            raise SpecificationError(f"form = 'quadratic': {error}") from None
    return _reordered(request, pair)


def _reordered(request: RnsMontgomerySpecification, pair: BasePair) -> _Choice:
    domain = MontgomeryDomain(
        request.modulus,
        pair.base_a,
        pair.base_b,
        pair.cox,
        pair.cox,
        pair.bound,
        "reordered",
        columns=request.row_length,
    )
    return _Choice(_roomy(domain), pair.condition)


def _quadratic(request: RnsMontgomerySpecification, pair: BasePair) -> _Choice:
    """The quadratic form; of a searched pair each modulus goes where the weights get least."""
    base_a, base_b = pair.base_a, pair.base_b
    if request.base_a is None:
        pairs = tuple(zip(base_a, base_b, strict=True))
        moduli_a, moduli_b = orient_pairs(pairs, request.modulus, below=request.row_length > 1)
        base_a, base_b = Base(moduli_a), Base(moduli_b)
    draft = MontgomeryDomain(
        request.modulus,
        base_a,
        base_b,
        pair.cox,
        pair.cox,
        pair.bound,
        "quadratic",
        columns=request.row_length,
    )
    cox, condition = _weighted_cox(request, base_a, base_b, draft.weights)
    domain = replace(draft, first=cox, second=cox, bound=condition.bound)
    return _Choice(_roomy(domain), condition)


def _roomy(domain: MontgomeryDomain) -> MontgomeryDomain:
    """The domain with operands up to P, so that any reduced number is one, if there is room."""
    wider = replace(domain, bound=max(domain.bound, domain.modulus))
    try:
        product = _program(wider).outputs[1]
    except SpecificationError:
        return domain
    return wider if product.range.integers().within(wider.range) else domain


def _weighted_cox(
    request: RnsMontgomerySpecification, base_a: Base, base_b: Base, weights: Vector
) -> tuple[Cox, RangeCondition]:
    """The Cox with the fewest bits that leave a slack of 1 bit, else with the fewest that work.

    The weights of the first extension change its error, so that the Cox of unweighted bases need
    not do.
    """
    ranges_a, ranges_b = redundant_ranges(base_a), redundant_ranges(base_b)

    def condition(cox: Cox) -> RangeCondition:
        return montgomery_range(
            request.modulus,
            base_a,
            base_b,
            cox,
            cox,
            ranges_a,
            ranges_b,
            weights_a=weights,
            columns=request.row_length,
        )

    narrow: tuple[Cox, RangeCondition] | None = None
    failure = SpecificationError(f"sigma0 = {request.sigma0} needs more than t = {base_b.width}")
    for kept in _truncations(request, base_b):
        sigma0 = request.sigma0
        if sigma0 is None:
            sigma0 = centred_sigma0(base_b, kept, ranges_b, columns=request.row_length)
        cox = Cox(kept, sigma0)
        try:
            found = condition(cox)
        except SpecificationError as error:
            failure = error
            continue
        if min(found.slack_a, found.slack_b) >= 1:
            return cox, found
        narrow = narrow or (cox, found)
    if narrow is None:
        raise failure
    return narrow


def _truncations(request: RnsMontgomerySpecification, base: Base) -> range:
    """The numbers of bits to try."""
    if request.truncation is not None:
        return range(request.truncation, request.truncation + 1)
    # Fewer lose a whole unit by truncation alone, or cannot express sigma0.
    start = max(len(base).bit_length() - 1, 1)
    if request.sigma0 is not None:
        start = max(start, request.sigma0.denominator.bit_length() - 1)
    return range(start, base.width + 1)
