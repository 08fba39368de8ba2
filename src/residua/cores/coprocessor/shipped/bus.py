"""A coprocessor's top module on its bus: every operation through registers and streams.

The volume of operations runs on the core inside, which the bus instantiates. Here each operation
ends once in each way that it can end, with and without interrupts, with and without stalls; then
it is refused, zeroised and reset in its midst.
"""

import random
from collections.abc import Iterator, Sequence
from itertools import cycle

from residua.algorithms.conversion import split_words
from residua.cores.coprocessor.shipped.bus_simulator import BusError, BusModel, BusSimulator
from residua.cores.coprocessor.verification import Case, all_cases, point_operation
from residua.curves.operations import Operation, Status
from residua.hardware.coprocessor.design import CurveDesign

STALLS = 96
"""Cycles of 256 in which a channel pauses when stalls are asked for."""

RESETS = (1, 2, 3)
"""Cycles of the resets in mid-operation."""

_INSTANTS = 6
"""Zeroisations, and resets, of one operation."""

_PATIENCE = 200_000_000
"""Cycles after which an operation hangs."""

_SETTLED = 256
"""Cycles in which a result word that must not come would have come."""

_LONG = (
    Operation.POINT_MULTIPLY,
    Operation.BASE_MULTIPLY,
    Operation.X_MULTIPLY,
    Operation.DOUBLE_MULTIPLY,
)
"""Operations that run a ladder."""

Ended = tuple[int, tuple[int, ...]]
"""Status code and results."""


class _Fault(Exception):  # noqa: N818 - a finding, not an error of this program
    """The core did something else than its registers say."""


class _Host:
    """A program on the bus: it starts operations, moves words, and looks at everything it can."""

    def __init__(self, simulator: BusSimulator) -> None:
        self.simulator, self.map = simulator, simulator.model.registers
        self.words = self.map.capabilities.words
        self.streams = not self.map.capabilities.data_registers

    def read(self, register: str) -> int:
        """The word of a register."""
        return self.simulator.read32(self.map[register].address)

    def write(self, register: str, value: int) -> None:
        """Write a register."""
        self.simulator.write32(self.map[register].address, value)

    def refused(self, register: str, value: int | None) -> None:
        """Write a register, or read it; the access is refused, which an interrupt tells."""
        mask = self._mask("INTERRUPT_STATE", "refused")
        self.write("INTERRUPT_ENABLE", self._mask("INTERRUPT_ENABLE", "refused"))
        if self.simulator.interrupted(1):
            raise _Fault("an interrupt tells of a refused access before there is one")
        try:
            if value is None:
                self.read(register)
            else:
                self.write(register, value)
        except BusError as error:
            if "refused" not in str(error):
                raise
        else:
            raise _Fault(f"an access to {register} is not refused")
        if not self.read("INTERRUPT_STATE") & mask or not self.simulator.interrupted(1):
            raise _Fault(f"no interrupt tells of a refused access to {register}")
        self.write("INTERRUPT_STATE", mask)
        if self.simulator.interrupted(1):
            raise _Fault(f"the interrupt of a refused access to {register} cannot be cleared")
        self.write("INTERRUPT_ENABLE", 0)

    def status(self) -> dict[str, int]:
        """The fields of STATUS."""
        word = self.read("STATUS")
        return {name: field.extract(word) for name, field in self.map["STATUS"].fields.items()}

    def idle(self) -> None:
        """Wait until the core is idle."""
        for _ in range(100_000):
            if not self.status()["busy"]:
                return
        raise _Fault("the core stays busy")

    def command(self, case: Case) -> int:
        """The word of CONTROL that starts an operation."""
        fields = self.map["CONTROL"].fields
        return (
            fields["operation"].place(case.operation)
            | fields["curve"].place(case.curve)
            | fields["start"].place(1)
        )

    def begin(self, case: Case) -> list[int]:
        """Start an operation; the words that it waits for, if registers take them."""
        words = [word for number in case.operands for word in split_words(number, self.words, 32)]
        self.write("CONTROL", self.command(case))
        if self.streams:
            self.simulator.send(words)
            return []
        return words

    def execute(self, case: Case, *, interrupts: bool) -> Ended:
        """One operation to its end."""
        done = self._mask("INTERRUPT_STATE", "done")
        self.write("INTERRUPT_STATE", done)
        self.write("INTERRUPT_ENABLE", done if interrupts else 0)
        waiting = self.begin(case)
        if interrupts and self.streams:
            if not self.simulator.interrupted(_PATIENCE):
                raise _Fault("no interrupt at the end of the operation")
            found: list[int] = []
        else:
            found = self.moved(waiting)
        code = self.ended(interrupts=interrupts)
        expected = len(case.expected[1]) * self.words if code == Status.OK else 0
        if self.streams and expected:
            found = self.simulator.received(expected)
        elif not self.streams:
            found += self.rest()
        self.simulator.run(_SETTLED)
        if self.simulator.waiting or self.status()["result_valid"]:
            raise _Fault("there are more result words than the operation has")
        numbers = [found[i : i + self.words] for i in range(0, len(found), self.words)]
        return code, tuple(sum(w << 32 * i for i, w in enumerate(n)) for n in numbers)

    def zeroise(self) -> None:
        """Zeroise, and see that the operation ended so."""
        self.write("ZEROISE", self.map.zeroise_key)
        self.idle()
        state = self.status()
        if (state["done"], state["code"], state["result_valid"]) != (1, Status.ZEROISED, 0):
            raise _Fault(f"a zeroisation leaves STATUS at {state}")

    def check_reset(self) -> None:
        """See the registers as they are after a reset, as soon as the core is idle."""
        self.idle()
        state = self.status()
        told = {name: state[name] for name in ("code", "done", "result_valid") if state[name]}
        for register in ("INTERRUPT_STATE", "INTERRUPT_ENABLE", "CONTROL"):
            if word := self.read(register):
                told[register] = word
        if told or self.simulator.interrupted(1):
            raise _Fault(f"after a reset there is left: {told or 'the interrupt'}")

    def ended(self, *, interrupts: bool) -> int:
        """The status code of an operation that ended; the interrupt comes and can be cleared."""
        state, done = self.status(), self._mask("INTERRUPT_STATE", "done")
        if not state["done"] or state["busy"]:
            raise _Fault(f"an operation ends with STATUS {state}")
        if not self.read("INTERRUPT_STATE") & done:
            raise _Fault("INTERRUPT_STATE does not tell of the end of an operation")
        if self.simulator.interrupted(1) != interrupts:
            raise _Fault(f"the interrupt is {int(not interrupts)}, enabled {int(interrupts)}")
        self.write("INTERRUPT_STATE", done)
        if self.simulator.interrupted(1):
            raise _Fault("the interrupt cannot be cleared")
        return state["code"]

    def moved(self, waiting: list[int], most: int = _PATIENCE) -> list[int]:
        """Poll until the operation is done, at most for some cycles, moving words; the result's."""
        found: list[int] = []
        first = self.simulator.cycles
        while self.simulator.cycles - first < most:
            state = self.status()
            if not self.streams:
                if state["result_valid"]:
                    found.append(self.read("RESULT"))
                if state["operand_ready"] and waiting:
                    self.write("OPERAND", waiting.pop(0))
                if state["busy"] and state["random_ready"]:
                    self.write("RANDOM", self.simulator.random())
            if state["done"]:
                return found
        return found

    def rest(self) -> list[int]:
        """Words that registers still hold."""
        found = []
        while self.status()["result_valid"]:
            found.append(self.read("RESULT"))
        return found

    def _mask(self, register: str, field: str) -> int:
        return self.map[register].fields[field].mask


def verify_bus(model: BusModel, design: CurveDesign, seed: int) -> tuple[int, list[str]]:
    """Run every operation through the bus; how many ran, and what went wrong.

    The first fault ends it: the state of the core is unknown after it.
    """
    count = 0
    for run in (_operations, _aborted):
        try:
            for _ in run(model, design, seed):
                count += 1
        except (_Fault, BusError) as error:
            return count, [f"through the bus, after {count} operations: {error}"]
    return count, []


def _operations(model: BusModel, design: CurveDesign, seed: int) -> Iterator[None]:
    """Every way in which every operation ends; those without a ladder with stalls, too."""
    cases = list(_sample(design, seed))
    short = [case for case in cases if case.operation not in _LONG or not _full(case)]
    long = next(case for case in cases if case.operation in _LONG and _full(case))
    for stalls, chosen in ((0, cases), (STALLS, [*short, long])):
        host = _Host(BusSimulator(model, seed=seed, stalls=stalls))
        host.check_reset()
        for case, interrupts in zip(chosen, cycle((False, True)), strict=False):
            _compare(host, case, interrupts=interrupts)
            yield
        _refusals(host, long)
        yield


def _full(case: Case) -> bool:
    """Whether an operation with a ladder runs it."""
    return case.expected[0] in (Status.OK, Status.NEUTRAL)


def _sample(design: CurveDesign, seed: int) -> Iterator[Case]:
    """The first case of each operation with each outcome, on each curve."""
    seen = set()
    for case in all_cases(design, 1, seed):
        key = (case.curve, case.operation, case.expected[0])
        if key not in seen:
            seen.add(key)
            yield case


def _compare(host: _Host, case: Case, *, interrupts: bool) -> None:
    ended = host.execute(case, interrupts=interrupts)
    if ended != case.expected:
        name = f"operation {case.operation} on curve {case.curve} of {_hexes(case.operands)}"
        status, results = case.expected
        raise _Fault(
            f"{name}: status {ended[0]}, {_hexes(ended[1])} instead of {status.value}, "
            f"{_hexes(results)}"
        )


def _hexes(numbers: Sequence[int]) -> str:
    return f"({', '.join(map(hex, numbers))})"


def _refusals(host: _Host, case: Case) -> None:
    """Check refusals of an idle and of a running core, which must leave its result alone."""
    host.refused("ZEROISE", host.map.zeroise_key ^ 1)
    if not host.streams:
        host.refused("RESULT", None)
    waiting = host.begin(case)
    host.refused("CONTROL", host.command(case))
    host.refused("ZEROISE", host.map.zeroise_key ^ 1 << 31)
    found = host.moved(waiting)
    code = host.ended(interrupts=False)
    if host.streams:
        found = host.simulator.received(len(case.expected[1]) * host.words)
    else:
        found += host.rest()
    numbers = [split_words(number, host.words, 32) for number in case.expected[1]]
    if code != case.expected[0] or found != [w for n in numbers for w in n]:
        raise _Fault("refused accesses change the operation that runs")


def _aborted(model: BusModel, design: CurveDesign, seed: int) -> Iterator[None]:
    """Multiplications that are zeroised or reset; what follows is as if they had not been."""
    draw = random.Random(f"bus {seed}")
    for number, curve in enumerate(design.curves):
        cases = [case for case in _sample(design, seed) if case.curve == number]
        long = next(
            case for case in cases if case.operation == point_operation(curve) and _full(case)
        )
        after = next(case for case in cases if case.operation >= Operation.FIELD_MULTIPLY)
        ladder = design.rounds[number] * design.step_cycles(number)
        host = _Host(BusSimulator(model, seed=seed, stalls=STALLS // 2, pause=4))
        host.idle()
        for index in range(2 * _INSTANTS):
            _start(host, long, min(draw.randrange(ladder), draw.randrange(ladder)))
            if index % 2:
                host.zeroise()
            else:
                host.simulator.reset(
                    host.map["CONTROL"].address,
                    host.command(long),
                    after=draw.randrange(4),
                    cycles=RESETS[index // 2 % len(RESETS)],
                )
                host.check_reset()
            _compare(host, after, interrupts=bool(index & 2))
            yield


def _start(host: _Host, case: Case, cycles: int) -> None:
    """An operation that runs for so many cycles."""
    waiting = host.begin(case)
    if host.streams:
        host.simulator.run(cycles)
    else:
        host.moved(waiting, cycles)
