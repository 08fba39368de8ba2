"""The driver in Python: the calls of the C driver, on anything with 32-bit registers."""

from collections.abc import Callable, Sequence

from residua.cores.bus.driver.client import DriverError, RegisterPort, StreamPort
from residua.cores.coprocessor.driver.curves import DriverCurve
from residua.cores.coprocessor.driver.files import check_curves
from residua.cores.coprocessor.driver.requests import RequestClient
from residua.errors import SpecificationError
from residua.hardware.bus.register_map import Capabilities, RegisterMap

Secret = bytes | tuple[bytes, bytes]
"""A secret number, or two shares of it."""

_DRAWS = 64
"""Numbers that are drawn for one below a limit: each is with a chance of a half, at least."""


class Client(RequestClient):
    """A coprocessor, by its registers.

    Operations take and give byte strings as the C driver does: big-endian numbers and points
    04 || x || y on Weierstrass curves, little-endian numbers and u on Montgomery curves. ``curve``
    is the number of a curve.

    Where a core takes secrets as two shares (`residua.curves.protections.masked_scalar`), a scalar,
    or k and d of a signature, may be a pair of byte strings: numbers whose sum is the secret modulo
    the order. Of one byte string the driver makes shares by ``random``.

    Args:
        port: the registers.
        registers: the core's map.
        curves: the core's curves, in their order.
        random: gives fresh random words to a core with data registers that uses them, and for
            shares of secrets.
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
        self.most_numbers = max(1 if curve.montgomery else 2 for curve in curves)
        self._takes_shares = capabilities.shared_scalars

    def execute(
        self, operation: str, curve: int, operands: Sequence[int], results: int
    ) -> list[int]:
        """One operation on integers; ``results`` is how many come out.

        Raises:
            SpecificationError: the core has no such operation or curve.
            CoreError: the status is not ``ok``.
            DriverError: the core is busy, or makes no progress; it was zeroised then.
        """
        self.check_supported(operation, curve)
        return self._operate(operation, operands, results, curve=curve)

    def submit(self, tag: int, operation: str, curve: int, operands: Sequence[int]) -> bool:
        """A request of several coprocessors, on integers, that `collect` gives the result of.

        ``tag``, 0 to 254, comes back with it. While requests are under way, call `collect`: a core
        with data registers gets its random words then.

        Returns:
            Whether there was room for it. If not, collect a result, and try again.

        Raises:
            SpecificationError: the core has no such operation or curve, the tag is too large, or
                there is one coprocessor alone.
            DriverError: the core wants other operands than these; it was zeroised.
        """
        self.check_supported(operation, curve)
        return self.request(tag, operation, operands, curve=curve)

    def point_multiply(self, curve: int, k: Secret, point: bytes) -> bytes:
        """K P, of a point that the core validates."""
        operands = [*self._secrets(curve, k), *self._point(curve, point)]
        return self._point_result("point_multiply", curve, operands)

    def base_multiply(self, curve: int, k: Secret) -> bytes:
        """K G."""
        return self._point_result("base_multiply", curve, self._secrets(curve, k))

    def x_multiply(self, curve: int, k: Secret, point: bytes) -> bytes:
        """X of k P; on Montgomery curves the function of RFC 7748 (X25519, X448)."""
        if self.curves[curve].montgomery and isinstance(k, bytes):
            operands = [self._clamped(curve, k), *self._point(curve, point)]
        else:
            operands = [*self._secrets(curve, k), *self._point(curve, point)]
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
        """``multiply``, ``invert`` or ``multiply_add`` modulo the order of the group."""
        return self._arithmetic(f"order_{operation}", curve, numbers, self.curves[curve].order_size)

    def sign_numbers(self, curve: int, k: Secret, d: Secret, r: bytes, z: bytes) -> bytes:
        """``(z + r d) / k`` modulo the order, by a core that has the operation."""
        secrets = self._secrets(curve, k, d, limit=self.curves[curve].order)
        operands = [*secrets, *(self._order_number(curve, number) for number in (r, z))]
        (result,) = self.execute("order_sign", curve, operands, 1)
        return self._bytes(curve, result, self.curves[curve].order_size)

    def _secrets(self, curve: int, *secrets: Secret, limit: int | None = None) -> list[int]:
        """Secrets as the core takes them: first shares of all, then second ones, if it takes such.

        They are scalars, or numbers below a ``limit``.

        Raises:
            SpecificationError: there are shares for a core that takes none, or no random words.
        """
        if not self._takes_shares:
            numbers = [secret for secret in secrets if isinstance(secret, bytes)]
            if len(numbers) < len(secrets):
                raise SpecificationError("the core takes no shares of a secret: give one number")
            return [self._order_number(curve, number) for number in numbers]
        entry = self.curves[curve]
        most = limit or 1 << max(entry.order_bits, entry.field_bits)
        pairs = [self._shares(curve, secret, most) for secret in secrets]
        return [pair[share] for share in range(2) for pair in pairs]

    def _shares(self, curve: int, secret: Secret, limit: int) -> tuple[int, int]:
        """Two numbers whose sum is the secret modulo the order; what exceeds the limit, and 0."""
        if not isinstance(secret, bytes):
            first, second = (self._order_number(curve, share) for share in secret)
            return first, second
        order, number = self.curves[curve].order, self._order_number(curve, secret)
        if number >= limit:
            return number, 0
        first = self._below(order)
        return first, (number - first) % order

    def _below(self, limit: int) -> int:
        """A random number below a limit."""
        if self._random is None:
            raise SpecificationError(
                "the core takes secrets as two shares: give random to make them, or pairs of them"
            )
        bits = limit.bit_length()
        for _ in range(_DRAWS):
            words = [self._random() for _ in range(-(-bits // 32))]
            number = sum(word << 32 * i for i, word in enumerate(words)) % (1 << bits)
            if number < limit:
                return number
        raise DriverError(f"{_DRAWS} random numbers of {bits} bits were all too large")

    def check_supported(self, operation: str, curve: int) -> None:
        """Refuse what would leave its operands behind in a stream.

        Raises:
            SpecificationError: the core has no such operation or curve.
        """
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
