"""Operations of two groups: of one an operand is fixed, of the other it is random."""

import random
from dataclasses import dataclass, replace

from residua.cores.coprocessor.core import CoprocessorCore
from residua.cores.coprocessor.outcomes import given_operands
from residua.cores.coprocessor.simulator import Request
from residua.curves.operations.codes import ORDER_OPERATIONS, PUBLIC_OPERATIONS, Operation
from residua.curves.protections import masked_scalar
from residua.errors import SpecificationError
from residua.evidence.attacks.victims.coprocessor import (
    PointVictim,
    operand_names,
    operation_named,
    supply_of,
)
from residua.hardware.coprocessor.durations import operation_cycles

_MULTIPLICATIONS = (Operation.POINT_MULTIPLY, Operation.BASE_MULTIPLY, Operation.X_MULTIPLY)
"""Their scalar is fixed or random; their point is the same throughout."""

_OTHERS = {Operation.DOUBLE_MULTIPLY, Operation.VALIDATE, *PUBLIC_OPERATIONS}
"""Operations on public data."""


@dataclass(frozen=True)
class Compared:
    """What is compared.

    Attributes:
        traces: half of them, about, with the fixed operand; at least 4.
        seed: chooses operands, random words and the order of the traces.
        where: pattern of the names of registers whose bits count.
        curve: index of the curve.
        control: both groups have random operands, so that nothing should be found.
        operation: by its name; None for the multiplication of a point.
        operand: index of the operand that is fixed or random; of arithmetic all others are random.
        random_word: what every random word is, as if the port were stuck; None for fresh ones.
    """

    traces: int = 500
    seed: int = 1
    where: str = "*"
    curve: int = 0
    control: bool = False
    operation: str | None = None
    operand: int = 0
    random_word: int | None = None


class Groups:
    """The operations in their order: of either group by the toss of a coin.

    Attributes:
        operation: what runs.
        name: of the operand.
        cycles: of the operation.
        fixed: whether a trace is of the fixed group.
        values: the operand, for each trace.
        requests: the operations.

    Raises:
        SpecificationError: there is no such operation or operand, all of it is public, or random
            words are stuck and tested.
    """

    def __init__(self, core: CoprocessorCore, asked: Compared) -> None:
        victim = PointVictim(core, asked.curve, asked.seed, keys=1)
        design, curve = victim.design, victim.curve
        supply = supply_of(design, asked.random_word)
        self.operation = operation_named(design, asked.curve, asked.operation)
        self.name = _operand(core, asked, self.operation)
        self.cycles = operation_cycles(design, self.operation, asked.curve)
        draw = random.Random(f"traces {asked.seed}")
        multiplies = self.operation in _MULTIPLICATIONS
        own = curve.order if multiplies or self.operation in ORDER_OPERATIONS else curve.prime
        scalar, *point = victim.operands[0]
        fixed = scalar if multiplies else draw.randrange(1, own)
        self.fixed = [draw.random() < 0.5 for _ in range(asked.traces)]
        self.values = [
            fixed if is_fixed and not asked.control else draw.randrange(1, own)
            for is_fixed in self.fixed
        ]
        count = len(_names(core, asked.curve, self.operation)) - 1
        request = Request(self.operation, (), curve=asked.curve, supply=supply)
        self.requests: list[Request] = []
        shares = random.Random(f"shares {asked.seed}")
        for number, value in enumerate(self.values):
            others = point[:count] if multiplies else [draw.randrange(1, own) for _ in range(count)]
            operands = (*others[: asked.operand], value, *others[asked.operand :])
            given = given_operands(design, asked.curve, self.operation, operands, shares)
            self.requests.append(replace(request, operands=given, seed=asked.seed + 1 + number))


def _names(core: CoprocessorCore, curve: int, operation: Operation) -> list[str]:
    """The names of the operands, of secrets that come as two shares their own."""
    names = operand_names(core, curve, operation)
    return masked_scalar.whole_names(operation, names) if core.core.design.shares_scalars else names


def _operand(core: CoprocessorCore, asked: Compared, operation: Operation) -> str:
    """The name of the operand that is asked for, if it can be a secret."""
    names = _names(core, asked.curve, operation)
    if operation in _OTHERS:
        raise SpecificationError(f"{operation.name} is for public data: nothing of it is secret")
    if operation in _MULTIPLICATIONS:
        names = names[:1]
    if not 0 <= asked.operand < len(names):
        told = ", ".join(f"{index} ({name})" for index, name in enumerate(names))
        raise SpecificationError(f"operand = {asked.operand}: of {operation.name} it is {told}")
    return names[asked.operand]
