"""The driver in Python: the calls of the C driver, on anything with 32-bit registers."""

from collections.abc import Callable, Sequence
from typing import Protocol

from residua.algorithms.conversion import split_words
from residua.cores.coprocessor.driver.curves import DriverCurve
from residua.cores.coprocessor.driver.files import check_curves
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


class Client:
    """A coprocessor, by its registers.

    Operations take and give byte strings as the C driver does: big-endian numbers and points
    04 || x || y on Weierstrass curves, little-endian numbers and u on Montgomery curves. ``curve``
    is the number of a curve.

    Args:
        port: the registers.
        registers: the core's map.
        curves: the core's curves, in their order.
        random: gives fresh random words to a core with data registers that uses them.
        streams: those of a core without data registers.
        polls: reads of STATUS without progress before the driver gives up, whatever it waits for;
            at least 1. A new client waits until the core has cleared its memories after a reset.

    Raises:
        SpecificationError: the curves do not agree with the map, the streams are missing, or
            ``polls`` is no limit.
        DriverError: there is no such core, or an operation was left alone in it.
    """

    def __init__(
        self,
        port: RegisterPort,
        registers: RegisterMap,
        curves: Sequence[DriverCurve],
        *,
        random: Callable[[], int] | None = None,
        streams: StreamPort | None = None,
        polls: int = 1_000_000,
    ) -> None:
        check_curves(registers.capabilities, curves)
        if streams is None and not registers.capabilities.data_registers:
            raise SpecificationError("a core without data registers: give its streams")
        if polls < 1:
            raise SpecificationError(f"polls = {polls}: give at least 1")
        self._port, self._map, self._streams = port, registers, streams
        self._random, self._polls = random, polls
        self.curves = tuple(curves)
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

    def execute(
        self, operation: str, curve: int, operands: Sequence[int], results: int
    ) -> list[int]:
        """One operation on integers; ``results`` is how many come out.

        Raises:
            SpecificationError: the core has no such operation or curve.
            CoreError: the status is not ``ok``.
            DriverError: the core is busy, or makes no progress; it was zeroised then.
        """
        self._check_supported(operation, curve)
        if self._field("STATUS", "busy"):
            raise DriverError("an operation is running")
        queue = [word for number in operands for word in split_words(number, self.words, 32)]
        control = self._map["CONTROL"].fields
        self._write(
            "CONTROL",
            control["operation"].place(self._map.operations[operation])
            | control["curve"].place(curve)
            | control["start"].place(1),
        )
        words = self._complete(queue, results * self.words)
        numbers = [words[i : i + self.words] for i in range(0, len(words), self.words)]
        return [sum(word << 32 * i for i, word in enumerate(number)) for number in numbers]

    def zeroise(self) -> None:
        """Abort what is running and clear all secrets in the core.

        Raises:
            DriverError: it does not come to an end.
        """
        self._write("ZEROISE", self._map.zeroise_key)
        if not self._becomes_idle():
            raise DriverError("the zeroisation does not end")

    def point_multiply(self, curve: int, k: bytes, point: bytes) -> bytes:
        """K P, of a point that the core validates."""
        operands = [self._order_number(curve, k), *self._point(curve, point)]
        return self._point_result("point_multiply", curve, operands)

    def base_multiply(self, curve: int, k: bytes) -> bytes:
        """K G."""
        return self._point_result("base_multiply", curve, [self._order_number(curve, k)])

    def x_multiply(self, curve: int, k: bytes, point: bytes) -> bytes:
        """X of k P; on Montgomery curves the function of RFC 7748 (X25519, X448)."""
        scalar = self._clamped if self.curves[curve].montgomery else self._order_number
        operands = [scalar(curve, k), *self._point(curve, point)]
        (x,) = self.execute("x_multiply", curve, operands, 1)
        return self._bytes(curve, x, self.curves[curve].field_size)

    def double_multiply(self, curve: int, k: bytes, l: bytes, p: bytes, q: bytes) -> bytes:  # noqa: E741
        """K P + l Q, for public data only."""
        scalars = [self._order_number(curve, scalar) for scalar in (k, l)]
        points = [*self._point(curve, p), *self._point(curve, q)]
        return self._point_result("double_multiply", curve, [*scalars, *points])

    def verify_numbers(self, curve: int, e: bytes, r: bytes, s: bytes, key: bytes) -> bytes:
        """R, if (r, s) is a signature of the number e of a digest by the key, for public data only.

        Raises:
            SpecificationError: the core has no such operation, or a number is of another length.
            CoreError: ``invalid``, or what is wrong with the numbers.
        """
        numbers = [self._order_number(curve, number) for number in (e, r, s)]
        operands = [*numbers, *self._point(curve, key)]
        (found,) = self.execute("ecdsa_verify", curve, operands, 1)
        return self._bytes(curve, found, self.curves[curve].order_size)

    def has(self, operation: str) -> bool:
        """Whether the core has an operation, on some curve."""
        return self._map.operations.get(operation) in self._map.capabilities.operations

    def validate(self, curve: int, point: bytes) -> None:
        """Raise `CoreError` unless the point is valid."""
        self.execute("validate", curve, self._point(curve, point), 0)

    def field(self, operation: str, curve: int, *numbers: bytes) -> bytes:
        """``multiply``, ``invert`` or ``multiply_add`` modulo the field's prime."""
        return self._arithmetic(f"field_{operation}", curve, numbers, self.curves[curve].field_size)

    def order(self, operation: str, curve: int, *numbers: bytes) -> bytes:
        """``multiply``, ``invert`` or ``multiply_add`` modulo the order of the group."""
        return self._arithmetic(f"order_{operation}", curve, numbers, self.curves[curve].order_size)

    def _check_supported(self, operation: str, curve: int) -> None:
        """Refuse what would leave its operands behind in a stream."""
        if not self.has(operation):
            raise SpecificationError(f"the core has no operation {operation!r}")
        if not 0 <= curve < len(self.curves):
            raise SpecificationError(f"curve {curve}: give 0 to {len(self.curves) - 1}")

    def _becomes_idle(self) -> bool:
        """Wait until nothing is running and nothing is being cleared; whether that came."""
        return any(not self._field("STATUS", "busy") for _ in range(self._polls))

    def _complete(self, queue: list[int], expected: int) -> list[int]:
        """Feed the operation until its result is here."""
        fields = self._map["STATUS"].fields
        found: list[int] = []
        idle = 0
        while idle < self._polls:
            word = self._read("STATUS")
            state = {name: field.extract(word) for name, field in fields.items()}
            if state["done"] and state["code"]:
                status = {code: name for name, code in self._map.statuses.items()}[state["code"]]
                raise CoreError(status, fields["code"].meanings[status])
            before = len(queue) - len(found)
            self._move(state, queue, found, expected)
            if state["done"] and len(found) == expected:
                return found
            # Random words are no progress: a core that fails might take them for ever.
            idle = 0 if before != len(queue) - len(found) else idle + 1
        self.zeroise()
        raise DriverError("the core makes no progress; it was zeroised")

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
        if state["random_ready"] and self._random is not None:
            self._write("RANDOM", self._random())

    def _check_identity(self) -> None:
        for name in ("ID", "CAPABILITY", "OPERATIONS"):
            right, word = self._map[name].reset, self._read(name)
            if word != right:
                raise DriverError(f"{name} reads as 0x{word:08X} and should as 0x{right:08X}")
        major = self._map["VERSION"].fields["major"]
        if self._field("VERSION", "major") != major.reset:
            raise DriverError(f"VERSION.major is not {major.reset}")

    def _point_result(self, operation: str, curve: int, operands: Sequence[int]) -> bytes:
        if self.curves[curve].montgomery:
            raise SpecificationError(
                f"{operation} gives x and y, and '{self.curves[curve].name}' has u alone: "
                "call x_multiply"
            )
        x, y = self.execute(operation, curve, operands, 2)
        size = self.curves[curve].field_size
        return b"\x04" + self._bytes(curve, x, size) + self._bytes(curve, y, size)

    def _arithmetic(self, operation: str, curve: int, numbers: Sequence[bytes], size: int) -> bytes:
        operands = [self._number(curve, number, size) for number in numbers]
        (result,) = self.execute(operation, curve, operands, 1)
        return self._bytes(curve, result, size)

    def _point(self, curve: int, point: bytes) -> list[int]:
        entry = self.curves[curve]
        size = entry.field_size
        if len(point) != entry.point_size or (not entry.montgomery and point[0] != 4):
            kind = f"{size} bytes u" if entry.montgomery else f"04 and 2 x {size} bytes"
            raise SpecificationError(f"a point of '{entry.name}' is {kind}, not {point.hex()}")
        if entry.montgomery:
            masked = int.from_bytes(point, "little") % (1 << entry.field_bits)
            return [masked % entry.prime]
        return [
            self._number(curve, part, size) for part in (point[1 : size + 1], point[size + 1 :])
        ]

    def _clamped(self, curve: int, k: bytes) -> int:
        """A scalar of RFC 7748."""
        entry = self.curves[curve]
        return entry.clamped(self._number(curve, k, entry.field_size))

    def _order_number(self, curve: int, number: bytes) -> int:
        return self._number(curve, number, self.curves[curve].order_size)

    def _number(self, curve: int, number: bytes, size: int) -> int:
        entry = self.curves[curve]
        if len(number) != size:
            raise SpecificationError(
                f"{len(number)} bytes for a number of '{entry.name}': give {size}"
            )
        return int.from_bytes(number, entry.byte_order)

    def _bytes(self, curve: int, number: int, size: int) -> bytes:
        return number.to_bytes(size, self.curves[curve].byte_order)

    def _field(self, register: str, field: str) -> int:
        return self._map[register].fields[field].extract(self._read(register))

    def _read(self, register: str) -> int:
        return self._port.read32(self._map[register].address)

    def _write(self, register: str, value: int) -> None:
        self._port.write32(self._map[register].address, value)
