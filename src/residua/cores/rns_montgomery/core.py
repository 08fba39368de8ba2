"""RNS Montgomery multiplier: from a specification to bases, program, schedule and hardware."""

from dataclasses import dataclass, replace
from functools import cached_property, partial
from typing import Any

from residua.algorithms.montgomery import MontgomeryDomain, multiply, operand
from residua.algorithms.program import Program
from residua.algorithms.terms import Vector
from residua.cores.engine.words import MultiplierCore
from residua.cores.naming import default_name, modulus_part
from residua.cores.rns_montgomery.specification import RnsMontgomerySpecification
from residua.cores.simulation.workload import Workload, montgomery_workload
from residua.errors import SpecificationError
from residua.hardware.converters.montgomery_words import MontgomeryWords, Result
from residua.hardware.converters.word_core import WordDesign
from residua.hardware.engine.engine_design import EngineDesign
from residua.machines.counts import count
from residua.numbers.bases import Base
from residua.numbers.catalogue import modulus_name
from residua.numbers.cox import Cox, Range, redundant_ranges
from residua.numbers.ranges import RangeCondition, centred_sigma0, montgomery_range
from residua.numbers.residues import Redundant
from residua.numbers.roots import orient_pairs
from residua.numbers.search import BasePair, StyleArguments, in_style, search_bases, user_bases


@dataclass(frozen=True)
class _Choice:
    """Bases, Cox and form that fit together."""

    domain: MontgomeryDomain
    condition: RangeCondition


class RnsMontgomeryCore(MultiplierCore[RnsMontgomerySpecification]):
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
        parts = ("rns_montgomery", modulus_part(request.modulus), size, self.interface_part)
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
            **self.word_choices,
            modulus=self.domain.modulus,
            extension=self.request.extension,
            columns=self.request.row_length if self.request.row_length > 1 else None,
            truncation=self.domain.first.truncation,
            sigma0=self.domain.first.sigma0,
            form="quadratic" if self.domain.form == "quadratic" else "reordered",
            result=self._result if self.words else None,
            name=self.name,
        )

    @property
    def _result(self) -> Result:
        """Which product a core with words gives."""
        return self.request.result or "montgomery"

    def word_design(self, multipliers: int) -> WordDesign:
        """The design with words; see `MultiplierCore.word_design`."""
        return MontgomeryWords(self.domain, self._result, self.options, multipliers)

    @cached_property
    def residue_design(self) -> EngineDesign:
        """The engine of the product alone."""
        return self.engine_of(_program(self.domain))

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
    def residue_ranges(self) -> dict[str, Range]:
        """Closed intervals of operands, results and words."""
        word, bound = 1 << self.width, self.domain.bound
        results = self.program.outputs[1].range.integers()
        return {
            "operands": (-bound, bound),
            "results": (int(results.low), int(results.high)),
            "words": (-word, word - 1),
        }

    def workload(self, seed: int) -> Workload:
        """The operands of its verification, and what judges their results."""
        return montgomery_workload(self.program, self.domain, seed)

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
        choices = {"interface": self.request.interface, "result": self._result}
        return {
            **self.bases,
            **(choices | self.word_parameters if self.words else {}),
            "rowers": self.rowers,
            "extension": self.request.extension,
            "columns": self.request.row_length,
            **self.engine_parameters,
        }


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


def _search(request: RnsMontgomerySpecification, chosen: StyleArguments) -> BasePair:
    return search_bases(
        request.modulus,
        request.width,
        request.channels,
        weight=request.weight,
        truncation=request.truncation,
        sigma0=request.sigma0,
        rowers=request.rowers,
        columns=request.row_length,
        **chosen,
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
