"""Names of what an RSA core or an exponentiator does in each cycle, by registers that tell it."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from residua.cores.digit.exponentiation import DigitPowersCore
from residua.cores.exponentiation.rsa_crt import RsaEngineCore
from residua.evidence.attacks.victims.powers import PowerCore
from residua.evidence.traces.names import CycleNames, NameTable, stretches
from residua.hardware.exponentiation.rsa_crt import OUTSIDE, RsaCrtDesign, Transfer
from residua.hardware.exponentiation.rsa_sequence import Source, Step, Target

Held = Callable[[str], NDArray[np.int64]]
"""What a register holds in each cycle, by a pattern of its name."""

_SEQUENCER = "processor.sequencer"

_ENDS = "pqn"
"""The moduli of the exponentiators of RSA on digits."""

_WORDS = {
    Source.KEY: ("read key", ""),
    Source.OPERANDS: ("read x", "root: "),
    Source.RANDOM: ("read random", "pair: "),
    Source.EXPONENTS: ("exponents", ""),
    Source.BLINDED: ("blind exponents", ""),
    Source.CONVERTER: ("convert", ""),
    Source.REDUCTION: ("convert", "check: "),
    Source.MEMORY: ("read memory", "verdict: "),
}
"""Words that move, by where they come from: their name, and the part of RSA on an engine that
begins with them, if a routine follows."""

_USED = {Target.RESULT: "give", Target.VERDICT: "compare"}
"""Names of words that move, by where they go to, which go before those."""


def power_names(core: PowerCore, held: Held) -> CycleNames:
    """The names of the cycles of an operation, loading included.

    On an engine words that come, go and move have names of their own, between the routines. On
    digits there are transfers of RSA, each with what it waits for, or a power and no more.
    """
    if not isinstance(core, DigitPowersCore):
        return _engine_names(core, held)
    if isinstance(core.design, RsaCrtDesign):
        names = [*_transfers(core.design.transfers), "read key"]
        loads = held("key_complete") == 0
        return _named(np.where(loads, len(names) - 1, held("transfer")), names)
    return _named(held("busy"), ["read", "power"])


def _named(places: NDArray[np.int64], names: Sequence[str]) -> CycleNames:
    """Names by the place that each cycle has in them."""
    table = NameTable(len(places))
    for first, end in stretches(places):
        table.fill(names[int(places[first])], first, end)
    return table.all()


def _transfers(transfers: Sequence[Transfer]) -> Iterator[str]:
    """Names of the transfers of RSA on digits."""
    plain = False
    for one in transfers:
        if one.kind == "send":
            plain = one.plain
            yield "give" if one.end == OUTSIDE else f"send to {_ENDS[one.end]}"
        elif one.end == OUTSIDE:
            yield "read x"
        else:
            yield f"{'product' if plain else 'power'} modulo {_ENDS[one.end]}"


def _engine_names(core: PowerCore, held: Held) -> CycleNames:
    """Routines by the addresses of their control words, and what is between them."""
    assert not isinstance(core, DigitPowersCore)
    processor = core.design.processor
    starts = {block.start: name for name, block in processor.store.blocks.items()}
    busy, address = held(f"{_SEQUENCER}.busy"), held(f"{_SEQUENCER}.*addr*")
    runs = [(first, end) for first, end in stretches(busy) if busy[first]]
    routines = [starts[int(address[first])] for first, _ in runs]
    if isinstance(core, RsaEngineCore):
        *parts, last = _parts(core.design.steps)
    else:
        parts, last = [_Part(routine, _read(routine)) for routine in routines], _Part("", "give")
    table, now = NameTable(len(busy)), 0
    for (first, end), routine, part in zip(runs, routines, parts, strict=True):
        table.fill(part.moved or part.name, now, first)
        table.fill(part.name, first, end)
        table.run(processor, routine, first, end - first)
        now = end
    table.fill(last.moved, now, len(busy))
    return table.all()


@dataclass(frozen=True)
class _Part:
    """A routine under the name that tells its runs apart, and the words that move before it."""

    name: str
    moved: str


def _parts(steps: Sequence[Step]) -> Iterator[_Part]:
    """The routines of RSA on an engine, and what moves after the last one.

    The same ones serve the power of a random number, the root, its check and the verdict.
    """
    moved, stage = dict[str, None](), ""
    for step in steps:
        if step.count:
            name, begun = _WORDS[step.source]
            moved[_USED.get(step.target, name)] = None
            stage = (step.routine and begun) or stage
        if step.routine:
            yield _Part(f"{stage}{step.routine}", ", ".join(moved))
            moved.clear()
    yield _Part("", ", ".join(moved))


def _read(routine: str) -> str:
    """What an exponentiator reads before a routine; "" if it is nothing."""
    if routine == "load":
        return "read operands"
    return "read modulus" if routine.startswith("load_") else ""
