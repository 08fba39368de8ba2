"""What is recorded: an operation of a core with its operands, and what it says in the end."""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from residua.cores.coprocessor.core import CoprocessorCore
from residua.cores.coprocessor.simulator import Request, numbers_of
from residua.cores.directory import Directory
from residua.curves.operations.codes import point_operation
from residua.errors import SpecificationError
from residua.evidence.attacks.victims.choice import attacked_core
from residua.evidence.attacks.victims.coprocessor import (
    PointVictim,
    operand_names,
    operands_read,
    operation_named,
)
from residua.evidence.attacks.victims.powers import (
    Asked,
    PowerCore,
    PowerVictim,
    longest,
    status_of,
)
from residua.evidence.attacks.victims.victim import Answer, Bench
from residua.evidence.traces.names import CycleNames, cycle_names
from residua.evidence.traces.power_names import power_names
from residua.evidence.traces.recorder import Recorder
from residua.hardware.coprocessor.durations import patience
from residua.numbers.digits import join_digits


@dataclass(frozen=True)
class Operation:
    """An operation that is asked for.

    Attributes:
        name: of it; None for the multiplication of a point, or the only one that a core has.
        operands: in the order in which it reads them; None for random ones.
        curve: index of the curve; 0 for a core that has none.
        seed: of random words, of keys that are loaded, and of operands that are not given.
    """

    name: str | None = None
    operands: tuple[int, ...] | None = None
    curve: int = 0
    seed: int = 1


class Run(ABC):
    """An operation of a core that is recorded.

    Attributes:
        operation: its name.
        about: what a result tells of the numbers: a curve, or a size.
        operands: numbers that it reads.
        bench: C++ that runs it.
        line: the operation as the bench takes it.
        most: cycles after which it hangs.
    """

    operation: str
    about: dict[str, str]
    operands: tuple[int, ...]
    bench: Bench
    line: str
    most: int

    @abstractmethod
    def outcome(self, answer: Answer) -> dict[str, Any]:
        """The name of the ``status``, and the ``results``."""

    @abstractmethod
    def names(self, recorder: Recorder, answer: Answer) -> CycleNames:
        """What happens in each cycle of the operation, which ended so."""


class PointRun(Run):
    """An operation of a coprocessor.

    Raises:
        SpecificationError: it has no such operation or curve, or the operands do not go with it.
    """

    def __init__(self, core: CoprocessorCore, asked: Operation) -> None:
        self._design = design = core.core.design
        self._curve = asked.curve
        chosen = PointVictim(core, asked.curve, asked.seed, keys=1)
        self._code = code = operation_named(design, asked.curve, asked.name)
        told = ", ".join(operand_names(core, asked.curve, code))
        operands = asked.operands
        if operands is None:
            if code is not point_operation(design.curves[asked.curve]):
                raise SpecificationError(f"{code.name} takes {told}: give its operands")
            operands = chosen.given[0]
        _check_count(code.name, operands, operands_read(design, asked.curve, code), told)
        request = Request(code, operands, curve=asked.curve, seed=asked.seed)
        self.operation, self.about, self.operands = code.name, chosen.about, operands
        self.bench, self.line = chosen.bench, request.line(design.words)
        self.most = patience(design)

    def outcome(self, answer: Answer) -> dict[str, Any]:
        """The name of the ``status``, and the ``results``."""
        numbers = numbers_of(answer.words, self._design.words)
        status = self._design.status_codes.statuses[answer.status].name
        return {"status": status, "results": [hex(number) for number in numbers]}

    def names(self, _recorder: Recorder, answer: Answer) -> CycleNames:
        """What happens in each cycle, by the times of the parts."""
        return cycle_names(self._design, self._code, self._curve, answer.cycles)


class PowerRun(Run):
    """The operation of an RSA core or an exponentiator.

    Attributes:
        asked: its numbers.

    Raises:
        SpecificationError: it has no such operation or curve, or the operands do not go with it.
    """

    def __init__(self, core: PowerCore, asked: Operation) -> None:
        chosen = PowerVictim(core, asked.curve, asked.seed, keys=1)
        own = chosen.operation
        if asked.name is not None and asked.name.upper() != own:
            raise SpecificationError(f"{core.name} has no operation '{asked.name}': it has {own}")
        numbers = _with_operands(own, chosen.asked[0], asked.operands)
        self._core, self.asked = core, numbers
        self.operation, self.about = own, chosen.about
        self.operands = numbers.operands
        self.bench, self.line = chosen.bench, numbers.operation(asked.seed).line()
        self.most = longest(numbers)

    def outcome(self, answer: Answer) -> dict[str, Any]:
        """The name of the ``status``, and the ``results``."""
        status, given = status_of(self.asked, answer)
        number = join_digits([one.word for one in given], self.asked.design.width)
        return {"status": status, "results": [hex(number)] if status == "OK" else []}

    def names(self, recorder: Recorder, _answer: Answer | None = None) -> CycleNames:
        """What happens in each cycle, by registers that tell it."""
        return power_names(self._core, lambda name: recorder.held(self.line, self.most, name))


def run_of(directory: Directory, asked: Operation) -> Run:
    """The operation of a directory's core that is asked for.

    Raises:
        SpecificationError: the core is none that is recorded, or see `PointRun` and `PowerRun`.
    """
    core = attacked_core(directory)
    return PointRun(core, asked) if isinstance(core, CoprocessorCore) else PowerRun(core, asked)


def _with_operands(own: str, drawn: Asked, operands: Sequence[int] | None) -> Asked:
    """Random numbers, or those that are given in place of them."""
    if operands is None:
        return drawn
    design = drawn.design
    told = {"x": (1 << design.words * design.width) - 1}
    told |= {"y": design.largest} if design.largest else {}
    _check_count(own, operands, len(told), ", ".join(told))
    for (name, most), number in zip(told.items(), operands, strict=True):
        if not 0 <= number <= most:
            raise SpecificationError(f"{name} = {number}: {own} takes 0 to {most}")
    x, *exponents = operands
    return replace(drawn, x=x, y=exponents[0] if exponents else 0)


def _check_count(operation: str, operands: Sequence[int], wanted: int, told: str) -> None:
    if len(operands) != wanted:
        raise SpecificationError(
            f"{operation} takes {wanted} operands, {told}, not {len(operands)}"
        )
