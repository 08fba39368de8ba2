"""Elliptic-curve coprocessor: from curves to bases, domains and hardware."""

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from typing import Literal

from residua.algorithms.montgomery import MontgomeryDomain
from residua.cores.coprocessor.curve_core import EngineCurveCore, checked, fastest_formula
from residua.cores.coprocessor.naming import curves_part
from residua.curves.blinding import BlindingChoice
from residua.curves.formulas import Formula, check_formula
from residua.curves.inversion import Inversion
from residua.curves.parameters import Curve, WeierstrassCurve
from residua.curves.protections.protection import NONE, Protection, Protections
from residua.errors import SpecificationError, first_possible
from residua.hardware.coprocessor.engine_design import CoprocessorDesign
from residua.hardware.coprocessor.random_bases_design import RandomBasesDesign
from residua.hardware.engine.datapath_design import EngineOptions
from residua.hardware.engine.rower import RegisterMemory
from residua.hardware.inverters.residue_inverter import channels_of_a_rower
from residua.numbers.bases import Base
from residua.numbers.roots import orient_pairs
from residua.numbers.search import BasePair, StyleArguments, in_style, search_bases, user_bases
from residua.numbers.selection.coprime import Style

DEFAULT_WIDTH = 17
"""w if no other is asked for."""

MOST_EXTRA_CHANNELS = 4
"""Channels beyond the least that are tried for room that sums of products need."""


class EccCore(EngineCurveCore):
    """Parameters of a coprocessor, each calculated when it is asked for.

    ``curves`` share one core. ``width`` is that of a modulus, w. ``bases`` are the moduli of both,
    None searches them: ``channels`` None takes the fewest moduli that work, ``style`` None moduli
    whose h have few digits (up to ``weight``) if there are enough of them, ``reduction`` None folds
    by shifts for those and by multipliers for any other. ``columns`` c > 1 makes extensions
    hierarchical, over rows of c moduli. ``blinding`` is the number of random bits
    that blind each scalar, taken as it is, or "auto" for as many as each curve needs;
    ``inversion`` says how elements are inverted, with ``inverter_rowers`` and ``fixed_base`` as in
    `CoprocessorDesign`. With ``verifies`` ECDSA signatures are verified by one operation.
    ``protections`` are those of multiples of points.
    ``formula`` is that of the Weierstrass curves;
    None takes for each curve the one with the fewest cycles.

    Raises:
        SpecificationError: a curve is wrong, or no bases serve all of them.
    """

    def __init__(
        self,
        curves: Sequence[Curve],
        *,
        width: int | None = None,
        channels: int | None = None,
        bases: tuple[Sequence[int], Sequence[int]] | None = None,
        style: Style | None = None,
        weight: int = 3,
        reduction: Literal["shift", "multiply"] | None = None,
        rowers: int | None = None,
        columns: int = 1,
        blinding: BlindingChoice = 0,
        inversion: Inversion = Inversion.FERMAT,
        inverter_rowers: int | None = None,
        formula: Formula | None = None,
        product_registers: int = 0,
        levels_per_register: int = 1,
        register_memory: RegisterMemory = "distributed",
        fixed_base: tuple[int, int] | None = None,
        verifies: bool = False,
        protections: Protections = NONE,
    ) -> None:
        self.curves, self._width = checked(curves), width or DEFAULT_WIDTH
        if formula and not any(isinstance(curve, WeierstrassCurve) for curve in curves):
            check_formula(curves[0], formula)
        self._style, self._weight, self._bases = style, weight, bases
        self._options = (reduction, rowers, product_registers, levels_per_register, register_memory)
        self._columns, self._blinding, self._formula = columns, blinding, formula
        self._inversion, self._inverter_rowers = inversion, inverter_rowers
        self._fixed_base, self._verifies = fixed_base, verifies
        self._protections = protections
        self._designs: dict[object, CoprocessorDesign] = {}
        self.pair, self.design = self._find(channels, width)
        if inverter_rowers is not None:
            channels_of_a_rower(self.channels, inverter_rowers)

    @property
    def name(self) -> str:
        """Kind, curves and size: ecc_<curves>_<channels>x<width>."""
        return f"ecc_{curves_part(self.curves)}_{self.channels}x{self.width}"

    @property
    def channels(self) -> int:
        """n, the moduli of each base."""
        return self.pair.channels

    @property
    def moduli(self) -> list[int]:
        """The prime and the order of each curve."""
        return _moduli(self.curves)

    def _find(self, channels: int | None, width: int | None) -> tuple[BasePair, CoprocessorDesign]:
        """The narrowest bases that hold every sum of every program."""
        if self._bases is not None:
            pair = user_bases(max(self.moduli), *self._bases, width=width, columns=self._columns)
            return pair, self._design(pair, self._formulas(pair))
        least = channels or -(-max(self.moduli).bit_length() // self._width)
        counts = [least]
        if channels is None:
            most = least + max(MOST_EXTRA_CHANNELS, 2 * self._columns)
            counts = [n for n in range(least, most + 1) if n % self._columns == 0]
        return first_possible(counts, self._on)

    def _on(self, channels: int) -> tuple[BasePair, CoprocessorDesign]:
        """The design on so many channels, with its bases."""
        pair = self._search(channels)
        design = self._design(pair, self._formulas(pair))
        _ = design.domains
        return pair, design

    def _search(self, channels: int) -> BasePair:
        return in_style(self._style or "auto", self._width, partial(self._searched, channels))

    def _searched(self, channels: int, chosen: StyleArguments) -> BasePair:
        return search_bases(
            max(self.moduli),
            self._width,
            channels,
            weight=self._weight,
            columns=self._columns,
            below=self._inversion is Inversion.PLUS_MINUS,
            powers_of_two=not self._redundant_residue,
            **chosen,
        )

    @property
    def _redundant_residue(self) -> bool:
        """Whether every reduction is checked by a residue modulo a power of two."""
        return Protection.REDUNDANT_RESIDUE in self._protections

    @property
    def _random_bases(self) -> bool:
        """Whether each operation has bases of its own."""
        return Protection.RANDOM_BASES in self._protections

    def _formulas(self, pair: BasePair) -> list[Formula]:
        """The formula of each curve."""
        return [self._chosen(pair, curve) for curve in self.curves]

    def _chosen(self, pair: BasePair, curve: Curve) -> Formula:
        """The formula asked for, or else, of those that fit the bases, that of fewest cycles."""
        return fastest_formula(
            curve,
            self._formula,
            self._blinding,
            lambda formula: self._design(pair, [formula], [curve]),
            # Signatures are verified by halves on all curves or on none.
            whole=self._verifies and len(self.curves) > 1,
        )

    def _design(
        self, pair: BasePair, formulas: Sequence[Formula], curves: Sequence[Curve] | None = None
    ) -> CoprocessorDesign:
        """The coprocessor of some curves, all by default; the same object if asked again."""
        curves = tuple(curves or self.curves)
        key = pair, tuple(formulas), curves
        if key not in self._designs:
            self._designs[key] = self._new_design(pair, formulas, curves)
        return self._designs[key]

    def _new_design(
        self, pair: BasePair, formulas: Sequence[Formula], curves: Sequence[Curve]
    ) -> CoprocessorDesign:
        reduction, rowers, product_registers, levels, memory = self._options
        domains = montgomery_domains(
            pair,
            _moduli(curves),
            self._columns,
            arranged=self._bases is not None or self._random_bases,
            below=self._inversion is Inversion.PLUS_MINUS,
        )
        sparse = all(m.weight <= self._weight for m in (*pair.base_a, *pair.base_b))
        options = EngineOptions(
            rowers=rowers or pair.channels,
            reduction=reduction or ("shift" if sparse else "multiply"),
            product_registers=product_registers,
            levels_per_register=levels,
            register_memory=memory,
        )
        kind = CoprocessorDesign
        if self._random_bases:
            if rowers not in (None, pair.channels):
                raise SpecificationError(
                    f"rowers = {rowers}: with protections = '{Protection.RANDOM_BASES}' every "
                    "channel has a rower of its own: leave either out"
                )
            kind = RandomBasesDesign
            domains = [replace(d, form="reordered") for d in domains]
        elif self._redundant_residue and self._columns == 1:
            domains = [domain.with_check() for domain in domains]
        return kind(
            curves,
            domains,
            options,
            formulas,
            self._blinding,
            self._inversion,
            self._inverter_rowers,
            self._fixed_base,
            verifies=self._verifies,
            protections=self._protections,
        )


def montgomery_domains(
    pair: BasePair,
    moduli: Sequence[int],
    columns: int = 1,
    *,
    arranged: bool = False,
    below: bool = False,
) -> list[MontgomeryDomain]:
    """The domain of each modulus on bases that suit the first; ``arranged`` leaves them as given.

    With ``below``, as with ``columns``, base b keeps moduli below 2^w only.

    Raises:
        SpecificationError: they do not allow the quadratic form.
    """
    moduli_a, moduli_b = tuple(pair.base_a), tuple(pair.base_b)
    if not arranged:
        pairs = tuple(zip(moduli_a, moduli_b, strict=True))
        moduli_a, moduli_b = orient_pairs(pairs, moduli[0], below=below or columns > 1)
    return [
        MontgomeryDomain(
            modulus,
            Base(moduli_a),
            Base(moduli_b),
            pair.cox,
            pair.cox,
            modulus,
            "quadratic",
            skips_quotient=True,
            columns=columns,
        )
        for modulus in moduli
    ]


def _moduli(curves: Sequence[Curve]) -> list[int]:
    return [modulus for curve in curves for modulus in (curve.prime, curve.order)]
