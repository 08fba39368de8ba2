"""The driver in Python: the calls of the C driver, on anything with 32-bit registers."""

from collections.abc import Callable, Sequence

from residua.cores.bus.driver.client import BusClient, RegisterPort, StreamPort
from residua.cores.coprocessor.driver.curves import DriverCurve
from residua.cores.coprocessor.driver.files import check_curves
from residua.errors import SpecificationError
from residua.hardware.bus.register_map import Capabilities, RegisterMap


class Client(BusClient):
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
        capabilities = registers.capabilities
        if not isinstance(capabilities, Capabilities):
            raise SpecificationError(f"{registers.title}: no elliptic-curve coprocessor")
        check_curves(capabilities, curves)
        super().__init__(port, registers, random=random, streams=streams, polls=polls)
        self.curves = tuple(curves)

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
        return self._operate(operation, operands, results, curve=curve)

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

    def validate(self, curve: int, point: bytes) -> None:
        """Raise `CoreError` unless the point is valid."""
        self.execute("validate", curve, self._point(curve, point), 0)

    def field(self, operation: str, curve: int, *numbers: bytes) -> bytes:
        """``multiply``, ``invert`` or ``multiply_add`` modulo the field's prime."""
        return self._arithmetic(f"field_{operation}", curve, numbers, self.curves[curve].field_size)

    def order(self, operation: str, curve: int, *numbers: bytes) -> bytes:
        """``multiply``, ``invert``, ``multiply_add`` or ``sign`` modulo the order of the group.

        ``sign`` takes k, d, r and z and gives (z + r d) / k, of cores that have it.
        """
        return self._arithmetic(f"order_{operation}", curve, numbers, self.curves[curve].order_size)

    def _check_supported(self, operation: str, curve: int) -> None:
        """Refuse what would leave its operands behind in a stream."""
        if not self.has(operation):
            raise SpecificationError(f"the core has no operation {operation!r}")
        if not 0 <= curve < len(self.curves):
            raise SpecificationError(f"curve {curve}: give 0 to {len(self.curves) - 1}")

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
