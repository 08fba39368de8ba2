"""The channel reducer's RTL, proved for all inputs by SymbiYosys on bit vectors.

The integer proof says what the formula does, this one that the RTL computes it: a reducer beside
folds written as plain arithmetic, without trees, shared adders or registers inside, on its inputs.
Multi-operand additions make it a proof for small w; nothing in the RTL depends on w but widths.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

from amaranth.hdl import Array, Assert, Assume, Const, Fragment, Module, Signal, Value
from amaranth.lib.wiring import Component, In

from residua.hardware.delay import delayed
from residua.hardware.engine.reducer import ChannelReducer, FoldPlan
from residua.numbers.cox import Range
from residua.numbers.moduli import Modulus
from residua.toolchain.formal import ProofResult, prove


class ReducerClaims(Component):
    """A `ChannelReducer` and what has to hold of it, for all values within the ranges, all selects.

    Beside it the folds are computed by plain arithmetic, as many cycles later as each `FoldPlan`
    says. It is asserted that

    * the reducer's register after every fold equals the plain one;
    * so does the residue after the last one, without the centring constant: the residue is
      `Folding.reduce` of the value, ``latency`` cycles later;
    * with ``divides``, which takes longer: what all folds so far took off the value is the selected
      modulus times the sum of the high parts, so that the class is kept.
    """

    def __init__(
        self,
        moduli: Sequence[Modulus],
        ranges: Sequence[Range],
        plans: Sequence[FoldPlan],
        *,
        divides: bool = False,
    ) -> None:
        self.reducer = ChannelReducer(moduli, ranges, plans)
        self.ranges, self.divides = tuple(ranges), divides
        ports = self.reducer.signature.members
        super().__init__({"value": In(ports["value"].shape), "select": In(ports["select"].shape)})

    def elaborate(self, platform: Any) -> Module:  # noqa: ANN401 - Amaranth's
        """The reducer beside its specification."""
        m = Module()
        reducer = self.reducer
        fragment = Fragment.get(reducer, platform)
        m.submodules.reducer = fragment
        centring = 1 << (reducer.width - 1)
        sums = self.value - centring
        allowed = Array((sums >= low) & (sums <= high) for low, high in self.ranges)
        m.d.comb += [
            reducer.value.eq(self.value),
            reducer.select.eq(self.select),
            Assume((self.select < len(self.ranges)) & allowed[self.select]),
        ]
        state = _State(self.value, self.select, sums, Const(1, 1))
        for index, plan in enumerate(reducer.plans):
            state = self._fold(state).delayed(m, plan.latency, index)
            m.d.comb += _claim(state, _register(fragment, index), state.value)
            if self.divides:
                m.d.comb += _claim(state, state.kept, state.value - centring)
        m.d.comb += _claim(state, reducer.residue, state.value - centring)
        return m

    def _fold(self, state: "_State") -> "_State":
        """One fold as plain arithmetic, for the modulus that is selected."""
        width = self.reducer.width
        low, high = state.value[:width], state.value[width:].as_signed()
        moduli = self.reducer.moduli
        value = Array(high * modulus.offset + low for modulus in moduli)[state.select]
        kept = Array(state.kept - high * modulus.value for modulus in moduli)[state.select]
        return _State(value, state.select, kept, state.filled)


@dataclass(frozen=True)
class _State:
    """State of a value after the folds so far.

    ``kept`` is the value without centring constant and without the multiples of the modulus that
    folds took off. ``filled`` is 0 in the first cycles, in which registers hold no value yet.
    """

    value: Value
    select: Value
    kept: Value
    filled: Value

    def delayed(self, m: Module, cycles: int, index: int) -> "_State":
        """The state some cycles later."""
        parts = {name: getattr(self, name) for name in ("value", "select", "kept", "filled")}
        return _State(*(delayed(m, v, cycles, f"{name}_{index}") for name, v in parts.items()))


def _claim(state: _State, found: Value, expected: Value) -> Assert:
    return Assert(~state.filled | (found == expected))


def _register(fragment: Fragment, index: int) -> Signal:
    """The reducer's register after a fold: the last one that is called after it."""
    pattern = re.compile(rf"fold_{index}(_\d+)*")
    *_, register = [
        statement.lhs
        for statement in fragment.statements["sync"]
        if isinstance(statement.lhs, Signal) and pattern.fullmatch(statement.lhs.name)
    ]
    return cast(Signal, register)


def prove_reducer(
    moduli: Sequence[Modulus],
    ranges: Sequence[Range],
    plans: Sequence[FoldPlan],
    *,
    out_dir: Path,
    divides: bool = False,
    engine: str = "smtbmc z3",
    timeout: float | None = None,
) -> ProofResult:
    """Prove `ReducerClaims` for all time, by induction over the length of the pipeline."""
    claims = ReducerClaims(moduli, ranges, plans, divides=divides)
    depth = claims.reducer.latency + 1
    return prove(
        claims, "reducer_claims", out_dir=out_dir, depth=depth, engine=engine, timeout=timeout
    )
