"""A program on the bus of a simulated core."""

from typing import Protocol

from residua.algorithms.conversion import split_words
from residua.cores.bus.simulator import REFUSED, BusError, BusSimulator
from residua.curves.operations.codes import Status

_MOST_WORDS = 1024
"""More than any result has."""

_SETTLED = 256
"""Cycles in which a result word that must not come would have come."""

Ended = tuple[int, tuple[int, ...]]
"""Status code and results."""


class Case(Protocol):
    """An operation, what it is given, and how it has to end."""

    @property
    def operation(self) -> int:
        """Its code."""

    @property
    def curve(self) -> int:
        """Number of the curve; 0 for a core without curves."""

    @property
    def operands(self) -> tuple[int, ...]:
        """The numbers that it is given."""

    @property
    def expected(self) -> Ended:
        """How it has to end."""


class Fault(Exception):  # noqa: N818 - a finding, not an error of this program
    """The core did something else than its registers say."""


class Host:
    """A program on the bus: it starts operations, moves words, and looks at everything it can.

    Attributes:
        patience: cycles after which an operation hangs.
        given: the random words that were written to a register.
    """

    def __init__(self, simulator: BusSimulator, patience: int) -> None:
        self.simulator, self.map = simulator, simulator.model.registers
        self.patience = patience
        self.words = self.map.capabilities.words
        self.streams = not self.map.capabilities.data_registers
        self.given: list[int] = []

    def read(self, register: str) -> int:
        """The word of a register."""
        return self.simulator.read32(self.map[register].address)

    def write(self, register: str, value: int) -> None:
        """Write a register."""
        self.simulator.write32(self.map[register].address, value)

    def check_refused(self, address: int, value: int | None, strobe: int = 0b1111) -> None:
        """Write a word, or read if it is None, and see that the core refuses it."""
        try:
            if value is None:
                self.simulator.read32(address)
            else:
                self.simulator.write32(address, value, strobe)
        except BusError as error:
            if not str(error).endswith(REFUSED):
                raise
        else:
            raise Fault(
                f"{'a read' if value is None else 'a write'} at {address:#x} is not refused"
            )

    def refused(self, register: str, value: int | None) -> None:
        """Write a register, or read it; the access is refused, which an interrupt tells."""
        mask = self.mask("INTERRUPT_STATE", "refused")
        self.write("INTERRUPT_ENABLE", self.mask("INTERRUPT_ENABLE", "refused"))
        if self.simulator.interrupted(1):
            raise Fault("an interrupt tells of a refused access before there is one")
        self.check_refused(self.map[register].address, value)
        if not self.read("INTERRUPT_STATE") & mask or not self.simulator.interrupted(1):
            raise Fault(f"no interrupt tells of a refused access to {register}")
        self.write("INTERRUPT_STATE", mask)
        if self.simulator.interrupted(1):
            raise Fault(f"the interrupt of a refused access to {register} cannot be cleared")
        self.write("INTERRUPT_ENABLE", 0)

    def status(self) -> dict[str, int]:
        """The fields of STATUS."""
        word = self.read("STATUS")
        return {name: field.extract(word) for name, field in self.map["STATUS"].fields.items()}

    def code(self, status: int) -> int:
        """The code of a status of coprocessors, by its name; any other number is a code."""
        return self.map.statuses[status.name.lower()] if isinstance(status, Status) else status

    def idle(self) -> None:
        """Wait until the core is idle."""
        for _ in range(100_000):
            if not self.status()["busy"]:
                return
        raise Fault("the core stays busy")

    def command(self, case: Case) -> int:
        """The word of CONTROL that starts an operation."""
        fields = self.map["CONTROL"].fields
        curve = fields["curve"].place(case.curve) if "curve" in fields else 0
        return fields["operation"].place(case.operation) | curve | fields["start"].place(1)

    def begin(self, case: Case) -> list[int]:
        """Start an operation; the words that it waits for, if registers take them."""
        self.order(case)
        return self.give(case)

    def order(self, case: Case) -> None:
        """Start an operation, without its operands."""
        self.write("CONTROL", self.command(case))

    def give(self, case: Case) -> list[int]:
        """Send the operands if there are streams; else the words that registers are to take."""
        words = [word for number in case.operands for word in split_words(number, self.words, 32)]
        if self.streams:
            self.simulator.send(words)
            return []
        return words

    def execute(self, case: Case, *, interrupts: bool) -> Ended:
        """One operation to its end."""
        done = self.mask("INTERRUPT_STATE", "done")
        self.write("INTERRUPT_STATE", done)
        self.write("INTERRUPT_ENABLE", done if interrupts else 0)
        waiting = self.begin(case)
        if interrupts and self.streams:
            if not self.simulator.interrupted(self.patience):
                raise Fault("no interrupt at the end of the operation")
            found: list[int] = []
        else:
            found = self.moved(waiting, self.patience)
        code = self.ended(interrupts=interrupts)
        expected = len(case.expected[1]) * self.words if code == self.map.statuses["ok"] else 0
        if self.streams and expected:
            found = self.received(expected)
        elif not self.streams:
            found += self.rest()
        self.simulator.run(_SETTLED)
        if self.simulator.waiting or self.status()["result_valid"]:
            raise Fault("there are more result words than the operation has")
        numbers = [found[i : i + self.words] for i in range(0, len(found), self.words)]
        return code, tuple(sum(w << 32 * i for i, w in enumerate(n)) for n in numbers)

    def zeroise(self) -> None:
        """Zeroise, and see that the operation ended so."""
        self.write("ZEROISE", self.map.zeroise_key)
        self.idle()
        state = self.status()
        if (state["done"], state["code"], state["result_valid"]) != (
            1,
            self.map.statuses["zeroised"],
            0,
        ):
            raise Fault(f"a zeroisation leaves STATUS at {state}")

    def check_reset(self) -> None:
        """See the registers as they are after a reset, as soon as the core is idle."""
        self.idle()
        state = self.status()
        told = {name: state[name] for name in ("code", "done", "result_valid") if state[name]}
        for register in ("INTERRUPT_STATE", "INTERRUPT_ENABLE", "CONTROL"):
            if word := self.read(register):
                told[register] = word
        if told or self.simulator.interrupted(1):
            raise Fault(f"after a reset there is left: {told or 'the interrupt'}")

    def ended(self, *, interrupts: bool) -> int:
        """The status code of an operation that ended; the interrupt comes and can be cleared."""
        state, done = self.status(), self.mask("INTERRUPT_STATE", "done")
        if not state["done"] or state["busy"]:
            raise Fault(f"an operation ends with STATUS {state}")
        if not self.read("INTERRUPT_STATE") & done:
            raise Fault("INTERRUPT_STATE does not tell of the end of an operation")
        if self.simulator.interrupted(1) != interrupts:
            raise Fault(f"the interrupt is {int(not interrupts)}, enabled {int(interrupts)}")
        self.write("INTERRUPT_STATE", done)
        if self.simulator.interrupted(1):
            raise Fault("the interrupt cannot be cleared")
        return state["code"]

    def moved(self, waiting: list[int], most: int) -> list[int]:
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
                if state["busy"] and state.get("random_ready"):
                    self.given.append(self.simulator.random())
                    self.write("RANDOM", self.given[-1])
            if state["done"]:
                return found
        return found

    def received(self, count: int) -> list[int]:
        """The next ``count`` words of the result stream; none if they do not come."""
        for _ in range(_SETTLED + count):
            if found := self.simulator.received(count):
                return found
        return []

    def rest(self) -> list[int]:
        """Words that registers still hold."""
        found: list[int] = []
        while self.status()["result_valid"]:
            if len(found) >= _MOST_WORDS:
                raise Fault("a result does not end")
            found.append(self.read("RESULT"))
        return found

    def mask(self, register: str, field: str) -> int:
        """The bits of a field in its register."""
        return self.map[register].fields[field].mask
