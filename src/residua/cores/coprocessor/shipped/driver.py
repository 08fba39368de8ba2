"""The C driver of a directory, compiled as it lies there and run against the simulated bus."""

import random
from collections.abc import Iterator
from dataclasses import replace

from residua.cores.bus.driver.check import PAUSE, Call, check_driver
from residua.cores.bus.driver.program import Simulation
from residua.cores.coprocessor.driver.curves import DriverCurve
from residua.cores.coprocessor.driver.files import LIBRARY
from residua.cores.coprocessor.driver.simulated import directory_model
from residua.cores.directory import Directory
from residua.curves import affine
from residua.curves.operations.codes import Operation, Status
from residua.curves.parameters import Curve, MontgomeryCurve
from residua.hardware.coprocessor.design import CurveDesign
from residua.hardware.coprocessor.durations import patience
from residua.toolchain.process import ToolError

_VALID, _INVALID = "RESIDUA_ECC_VALID", "RESIDUA_ECC_INVALID"
_UNSUPPORTED = "RESIDUA_ECC_UNSUPPORTED"

_WORDS = 1000
"""Polls that all words of an operation may take, beside those of the operation itself."""


def verify_driver(directory: Directory, design: CurveDesign) -> list[str]:
    """Check the driver of a directory; return what goes wrong: it does not compile, or errs."""
    calls = [call for number in range(len(design.curves)) for call in _Calls(design, number).all()]
    try:
        model = directory_model(directory)
    except ToolError as error:
        return [f"driver: {error}"]
    return check_driver(
        Simulation(directory, model, LIBRARY),
        [replace(call, function=f"{LIBRARY}_{call.function}") for call in calls],
        (f"{LIBRARY}.h", f"{LIBRARY}_protocols.h"),
        patience(design) // PAUSE + _WORDS,
    )


class _Calls:
    """Calls for one curve, judged by plain integers."""

    def __init__(self, design: CurveDesign, number: int) -> None:
        self.number, self.curve = number, design.curves[number]
        self.codes, self.shared = set(design.operations[number]), design.shares_scalars
        self.entry = DriverCurve.of(self.curve)
        self.draw = random.Random(f"driver {self.curve.name}")

    def all(self) -> Iterator[Call]:
        """Arithmetic, refusals, key agreement, signatures."""
        yield from self.arithmetic()
        if isinstance(self.curve, MontgomeryCurve):
            yield from self.montgomery(self.curve)
        else:
            yield from self.agreement(self.curve)
            yield from self.signatures(self.curve)
            yield from self.shares(self.curve)
        yield Call("zeroise", ())
        yield from self.arithmetic()

    def call(self, operation: Operation, *arguments: object, **options: object) -> Iterator[Call]:
        """A call, if the core has the operation that it runs."""
        if operation in self.codes:
            name, *rest = arguments
            yield Call(str(name), (self.number, *rest), **options)  # type: ignore[arg-type]

    def arithmetic(self) -> Iterator[Call]:
        """Products and inverses modulo the prime and the order."""
        p, n, size = self.curve.prime, self.curve.order, self.entry.field_size
        a, b, c = (self.draw.randrange(1, min(p, n)) for _ in range(3))
        x, y = (one.to_bytes(size, self.entry.byte_order) for one in (a, b))
        product = (a * b % p).to_bytes(size, self.entry.byte_order)
        yield from self.call(Operation.FIELD_MULTIPLY, "field_multiply", x, y, result=product)
        whole = p.to_bytes(size, self.entry.byte_order)
        yield from self.call(
            Operation.FIELD_MULTIPLY,
            "field_multiply",
            whole,
            y,
            code=int(Status.OPERAND_RANGE),
            result=bytes(size),
        )
        sums = [self.order(one) for one in (a, b, c, (a * b + c) % n)]
        yield from self.call(
            Operation.ORDER_MULTIPLY_ADD, "order_multiply_add", *sums[:3], result=sums[3]
        )
        s = self.order((a + c * b) * pow(a, -1, n) % n)
        numbers = (sums[0], sums[1], sums[2], sums[0])
        yield from self.call(Operation.ORDER_SIGN, "order_sign", *numbers, result=s)
        yield from self.call(
            Operation.ORDER_INVERT,
            "order_invert",
            self.order(0),
            code=int(Status.NO_INVERSE),
            result=self.order(0),
        )

    def agreement(self, curve: Curve) -> Iterator[Call]:
        """Key agreement, and a point off the curve."""
        n, size = curve.order, self.entry.field_size
        d, m = (self.draw.randrange(1, n) for _ in range(2))
        other = self.point(self.multiple(m))
        shared = self.multiple(d * m % n)
        options = {"sized": (2,)}
        yield from self.call(
            Operation.X_MULTIPLY,
            "ecdh",
            self.order(d),
            other,
            result=shared[0].to_bytes(size),
            **options,
        )
        off = other[:-1] + bytes([other[-1] ^ 1])
        code = int(Status.NOT_ON_CURVE)
        yield from self.call(Operation.VALIDATE, "validate", off, code=code, sized=(1,))
        yield from self.call(
            Operation.X_MULTIPLY,
            "ecdh",
            self.order(d),
            off,
            code=code,
            result=bytes(size),
            **options,
        )

    def signatures(self, curve: Curve) -> Iterator[Call]:
        """A signature, and a wrong one; a core that computes nothing modulo the order refuses."""
        n = curve.order
        d, k = (self.draw.randrange(1, n) for _ in range(2))
        digest = self.draw.randbytes(32)
        z = int.from_bytes(digest) >> max(0, 256 - n.bit_length())
        r = self.multiple(k)[0] % n
        s = pow(k, -1, n) * (z + r * d) % n
        signature = self.order(r) + self.order(s)
        signs = Operation.ORDER_MULTIPLY in self.codes
        numbers, made = (self.order(d), digest, self.order(k)), _given(signature, signs)
        yield from self.call(Operation.BASE_MULTIPLY, "ecdsa_sign", *numbers, sized=(2,), **made)
        public = self.point(self.multiple(d))
        for text, found in ((digest, _VALID), (bytes([digest[0] ^ 0x80]) + digest[1:], _INVALID)):
            yield from self.call(
                Operation.DOUBLE_MULTIPLY,
                "ecdsa_verify",
                public,
                text,
                signature,
                code=found if signs else _UNSUPPORTED,
                sized=(1, 2),
            )

    def shares(self, curve: Curve) -> Iterator[Call]:
        """Secrets that come as two shares; if the core does not take such, it is not asked."""
        n, size = curve.order, self.entry.field_size
        k, m, d, r, z = (self.draw.randrange(1, n) for _ in range(5))
        other, (x, y) = self.point(self.multiple(m)), self.multiple(k * m % n)
        k0, k1 = pair = self.pair(k)
        point, base = self.point((x, y)), self.point(self.multiple(k))
        s = self.order((z + r * d) * pow(k, -1, n) % n)
        for operation, name, arguments, result, sized in (
            (Operation.POINT_MULTIPLY, "point_multiply", (*pair, other), point, (3,)),
            (Operation.BASE_MULTIPLY, "base_multiply", pair, base, ()),
            (Operation.X_MULTIPLY, "x_multiply", (*pair, other), x.to_bytes(size), (3,)),
            (
                Operation.ORDER_SIGN,
                "order_sign",
                (*pair, *self.pair(d), self.order(r), self.order(z)),
                s,
                (),
            ),
        ):
            given = _given(result, self.shared)
            yield from self.call(operation, f"{name}_shares", *arguments, sized=sized, **given)
        most = (1 << 8 * self.entry.order_size) - 1
        if self.shared and most >> max(self.entry.order_bits, self.entry.field_bits):
            code, nothing, long = int(Status.SCALAR_RANGE), bytes(len(base)), self.order(most)
            for wrong in ((long, k1), (k0, long)):
                yield from self.call(
                    Operation.BASE_MULTIPLY,
                    "base_multiply_shares",
                    *wrong,
                    code=code,
                    result=nothing,
                )
            yield from self.call(
                Operation.BASE_MULTIPLY, "base_multiply", long, code=code, result=nothing
            )

    def pair(self, number: int) -> tuple[bytes, bytes]:
        """Two shares of a number."""
        first = self.draw.randrange(self.curve.order)
        return self.order(first), self.order((number - first) % self.curve.order)

    def montgomery(self, curve: MontgomeryCurve) -> Iterator[Call]:
        """Key agreement with a random and with a small-order point."""
        size, order = self.entry.field_size, self.entry.byte_order
        key, u = self.draw.randbytes(size), self.draw.randrange(2, 1 << 32)
        k = self.entry.clamped(int.from_bytes(key, order))
        for point in (curve.x, affine.multiply_x(curve, u, curve.x)):
            right = affine.multiply_x(curve, k, point).to_bytes(size, order)
            yield from self.call(
                Operation.X_MULTIPLY,
                "ecdh",
                key,
                point.to_bytes(size, order),
                result=right,
                sized=(2,),
            )
        yield from self.call(
            Operation.X_MULTIPLY,
            "ecdh",
            key,
            bytes(size),
            code=int(Status.NEUTRAL),
            result=bytes(size),
            sized=(2,),
        )

    def multiple(self, k: int) -> tuple[int, int]:
        """A multiple of the base point."""
        assert not isinstance(self.curve, MontgomeryCurve)
        found = affine.multiply(self.curve, k, self.curve.base_point)
        assert found is not None
        return found

    def point(self, point: tuple[int, int]) -> bytes:
        """A point as the driver takes it."""
        return b"\x04" + b"".join(part.to_bytes(self.entry.field_size) for part in point)

    def order(self, number: int) -> bytes:
        """A number modulo the order."""
        return number.to_bytes(self.entry.order_size, self.entry.byte_order)


def _given(result: bytes, able: bool) -> dict[str, object]:
    """What a call gives: its result, or zeros from a core that is not able to."""
    return {"result": result} if able else {"result": bytes(len(result)), "code": _UNSUPPORTED}
