"""The part of a driver in Python that all kinds of cores share, on anything with registers."""

from collections.abc import Callable, Sequence
from typing import Protocol

from residua.algorithms.conversion import split_words
from residua.errors import SpecificationError
from residua.hardware.bus.register_map import RegisterMap


class RegisterPort(Protocol):
    """Access to the core's registers by byte offset: a simulation, a debugger, a mapped device."""

    def read32(self, offset: int) -> int:
        """The word at an offset."""

    def write32(self, offset: int, value: int) -> None:
        """Write the word at an offset."""


class StreamPort(Protocol):
    """The streams of a core without data registers."""

    def send(self, words: Sequence[int]) -> None:
        """Hand operand words to the core, without waiting until it takes them."""

    def received(self, count: int) -> list[int]:
        """The next ``count`` result words; none if they are not all there yet."""


class CoreError(RuntimeError):
    """The core refused an operation; ``status`` is the name of its status code."""

    def __init__(self, status: str, meaning: str) -> None:
        self.status = status
        super().__init__(status, meaning)

    def __str__(self) -> str:
        return ": ".join(self.args)


class DriverError(RuntimeError):
    """The core is not what it should be, or does not answer."""


class BusClient:
    """A core, by its registers.

    Args:
        port: the registers.
        registers: the core's map.
        random: gives fresh random words to a core with data registers that uses them.
        streams: those of a core without data registers.
        polls: reads of STATUS without progress before the driver gives up, whatever it waits for;
            at least 1. A new client waits until the core has cleared its memories after a reset.

    Raises:
        SpecificationError: the streams are missing, or ``polls`` is no limit.
        DriverError: there is no such core, or an operation was left alone in it.
    """

    def __init__(
        self,
        port: RegisterPort,
        registers: RegisterMap,
        *,
        random: Callable[[], int] | None = None,
        streams: StreamPort | None = None,
        polls: int = 1_000_000,
    ) -> None:
        if streams is None and not registers.capabilities.data_registers:
            raise SpecificationError("a core without data registers: give its streams")
        if polls < 1:
            raise SpecificationError(f"polls = {polls}: give at least 1")
        self._port, self._map, self._streams = port, registers, streams
        self._random, self._polls = random, polls
        self._check_identity()
        if not self._becomes_idle():
            raise DriverError(
                f"the core is busy after {polls} reads of STATUS: an operation was left alone; "
                "write the key to ZEROISE"
            )

    @property
    def words(self) -> int:
        """32-bit words of a number."""
        return self._map.capabilities.words

    def zeroise(self) -> None:
        """Abort what is running and clear all secrets in the core.

        Raises:
            DriverError: it does not come to an end.
        """
        self._write("ZEROISE", self._map.zeroise_key)
        if not self._becomes_idle():
            raise DriverError("the zeroisation does not end")

    def has(self, operation: str) -> bool:
        """Whether the core has an operation, on some curve."""
        return self._map.operations.get(operation) in self._map.capabilities.operations

    def _operate(
        self, operation: str, operands: Sequence[int], results: int, **control: int
    ) -> list[int]:
        """One operation on integers; ``control`` has the other fields of CONTROL.

        Raises:
            CoreError: the status is not ``ok``.
            DriverError: the core is busy, or makes no progress; it was zeroised then.
        """
        if self._field("STATUS", "busy"):
            raise DriverError("an operation is running")
        queue = self._begin(operation, operands, **control)
        return self._numbers(self._complete(queue, results * self.words))

    def _begin(self, operation: str, operands: Sequence[int], **control: int) -> list[int]:
        """Start an operation; the words that it is to get."""
        fields = self._map["CONTROL"].fields
        values = {"operation": self._map.operations[operation], "start": 1, **control}
        queue = [word for number in operands for word in split_words(number, self.words, 32)]
        self._write("CONTROL", sum(fields[name].place(value) for name, value in values.items()))
        return queue

    def _numbers(self, words: Sequence[int]) -> list[int]:
        """The numbers that have these words."""
        numbers = [words[i : i + self.words] for i in range(0, len(words), self.words)]
        return [sum(word << 32 * i for i, word in enumerate(number)) for number in numbers]

    def _becomes_idle(self) -> bool:
        """Wait until nothing is running and nothing is being cleared; whether that came."""
        return any(not self._field("STATUS", "busy") for _ in range(self._polls))

    def _complete(self, queue: list[int], expected: int) -> list[int]:
        """Feed the operation until its result is here."""
        fields = self._map["STATUS"].fields
        found: list[int] = []
        idle = 0
        while idle < self._polls:
            state = self._state()
            if state["done"] and state["code"] != self._map.statuses["ok"]:
                names = {code: name for name, code in self._map.statuses.items()}
                if (status := names.get(state["code"])) is None:
                    raise self._zeroised(f"no status has the code {state['code']}")
                raise CoreError(status, fields["code"].meanings[status])
            before = len(queue) - len(found)
            self._move(state, queue, found, expected)
            if state["done"] and len(found) == expected:
                return found
            # Random words are no progress: a core that fails might take them for ever.
            idle = 0 if before != len(queue) - len(found) else idle + 1
        raise self._zeroised("the core makes no progress")

    def _zeroised(self, reason: str) -> DriverError:
        """Zeroise the core; the error that says why."""
        self.zeroise()
        return DriverError(f"{reason}; it was zeroised")

    def _move(
        self, state: dict[str, int], queue: list[int], found: list[int], expected: int
    ) -> None:
        """Move the words that the core is ready for."""
        if self._streams is not None:
            if queue:
                self._streams.send(queue)
                queue.clear()
            elif state["done"]:
                found += self._streams.received(expected - len(found))
            return
        if state["operand_ready"] and queue:
            self._write("OPERAND", queue.pop(0))
        if state["result_valid"] and len(found) < expected:
            found.append(self._read("RESULT"))
        if state.get("random_ready") and self._random is not None:
            self._write("RANDOM", self._random())

    def _check_identity(self) -> None:
        for name in ("ID", "CAPABILITY", "OPERATIONS"):
            right, word = self._map[name].reset, self._read(name)
            if word != right:
                raise DriverError(f"{name} reads as 0x{word:08X} and should as 0x{right:08X}")
        major = self._map["VERSION"].fields["major"]
        if self._field("VERSION", "major") != major.reset:
            raise DriverError(f"VERSION.major is not {major.reset}")

    def _state(self) -> dict[str, int]:
        """The fields of STATUS."""
        word = self._read("STATUS")
        return {name: field.extract(word) for name, field in self._map["STATUS"].fields.items()}

    def _field(self, register: str, field: str) -> int:
        return self._map[register].fields[field].extract(self._read(register))

    def _read(self, register: str) -> int:
        return self._port.read32(self._map[register].address)

    def _write(self, register: str, value: int) -> None:
        self._port.write32(self._map[register].address, value)
