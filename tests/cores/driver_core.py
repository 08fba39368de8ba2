"""A coprocessor behind its registers, by plain integers: what a driver is tested on.

It follows the rules of common.rdl and ecc.rdl strictly: an access that the hardware would refuse
fails the test, unless the test says otherwise.
"""

from dataclasses import dataclass

from residua.cores.coprocessor.driver.curves import DriverCurve
from residua.hardware.bus.register_map import Capabilities, RegisterMap

P256 = DriverCurve(
    "P-256", "weierstrass",
    prime=2**256 - 2**224 + 2**192 + 2**96 - 1,
    order=0xFFFFFFFF00000000FFFFFFFFFFFFFFFFBCE6FAADA7179E84F3B9CAC2FC632551,
    cofactor=1,
    x=0x6B17D1F2E12C4247F8BCE6E563A440F277037D812DEB33A0F4A13945D898C296,
    y=0x4FE342E2FE1A7F9B8EE7EB4A7C0F9E162BCE33576B315ECECBB6406837BF51F5,
)  # fmt: skip
P521 = DriverCurve(
    "P-521", "weierstrass",
    prime=2**521 - 1,
    order=int(
        "1" + 65 * "F" + "A"
        "51868783BF2F966B7FCC0148F709A5D03BB5C9B8899C47AEBB6FB71E91386409", 16),
    cofactor=1,
    x=int(
        "00C6858E06B70404E9CD9E3ECB662395B4429C648139053FB521F828AF606B4D3D"
        "BAA14B5E77EFE75928FE1DC127A2FFA8DE3348B3C1856A429BF97E7E31C2E5BD66", 16),
    y=int(
        "011839296A789A3BC0045C8A5FB42C7D1BD998F54449579B446817AFBD17273E66"
        "2C97EE72995EF42640C550B9013FAD0761353C7086A272C24088BE94769FD16650", 16),
)  # fmt: skip
SECP160R1 = DriverCurve(
    "secp160r1", "weierstrass",
    prime=2**160 - 2**31 - 1,
    order=0x0100000000000000000001F4C8F927AED3CA752257,
    cofactor=1,
    x=0x4A96B5688EF573284664698968C38BB913CBFC82,
    y=0x23A628553168947D59DCC912042351377AC5FB32,
)  # fmt: skip
X25519 = DriverCurve(
    "Curve25519", "montgomery",
    prime=2**255 - 19,
    order=2**252 + 27742317777372353535851937790883648493,
    cofactor=8,
    x=9,
)  # fmt: skip
X448 = DriverCurve(
    "Curve448", "montgomery",
    prime=2**448 - 2**224 - 1,
    order=2**446 - 13818066809895115352007386748515426880336692474882178609894547503885,
    cofactor=4,
    x=5,
)  # fmt: skip

A24 = {"Curve25519": 121665, "Curve448": 39081}
"""(A - 2)/4 of a Montgomery curve."""

OPERANDS = {1: "sp", 2: "s", 3: "sp", 4: "sspp", 5: "p", 6: "ff", 7: "f", 8: "fff",
            9: "oo", 10: "o", 11: "ooo", 12: "ooop"}  # fmt: skip
"""Scalars, points, field elements, integers modulo the order; by operation."""

START, BUSY, DONE = 1 << 31, 1 << 8, 1 << 9
OPERAND_READY, RANDOM_READY, RESULT_VALID = 1 << 10, 1 << 11, 1 << 12


class StatusError(Exception):
    """Ends an operation with this status."""


@dataclass(frozen=True)
class Weierstrass:
    """Affine arithmetic on y^2 = x^3 + a x + b through the generator; None is the neutral one."""

    curve: DriverCurve

    @property
    def a(self):
        return self.curve.prime - 3

    def contains(self, point):
        p, (x, y), (gx, gy) = self.curve.prime, point, (self.curve.x, self.curve.y)
        b = gy * gy - gx**3 - self.a * gx
        return (y * y - x**3 - self.a * x - b) % p == 0

    def add(self, left, right):
        if left is None or right is None:
            return left or right
        p, (x1, y1), (x2, y2) = self.curve.prime, left, right
        if x1 == x2 and (y1 + y2) % p == 0:
            return None
        if left == right:
            slope = (3 * x1 * x1 + self.a) * pow(2 * y1, -1, p)
        else:
            slope = (y2 - y1) * pow(x2 - x1, -1, p)
        x = (slope * slope - x1 - x2) % p
        return x, (slope * (x1 - x) - y1) % p

    def multiply(self, k, point):
        total = None
        for bit in f"{k:b}":
            total = self.add(total, total)
            if bit == "1":
                total = self.add(total, point)
        return total


def ladder(curve, k, u):
    """x of k P on a Montgomery curve, as a fraction's (X, Z)."""
    p, a24 = curve.prime, A24[curve.name]
    x2, z2, x3, z3 = 1, 0, u, 1
    for bit in f"{k:b}":
        if bit == "1":
            x2, z2, x3, z3 = x3, z3, x2, z2
        a, b, c, d = x2 + z2, x2 - z2, x3 + z3, x3 - z3
        x3, z3 = (d * a + c * b) ** 2 % p, u * (d * a - c * b) ** 2 % p
        aa, bb = a * a % p, b * b % p
        x2, z2 = aa * bb % p, (aa - bb) * (aa + a24 * (aa - bb)) % p
        if bit == "1":
            x2, z2, x3, z3 = x3, z3, x2, z2
    return x2, z2


def compute(curve, operation, numbers):
    """The results of an operation.

    Raises:
        StatusError: with the name of its status.
    """
    queue, p, n = list(numbers), curve.prime, curve.order
    arguments = []
    for kind in OPERANDS[operation]:
        if kind == "p" and not curve.montgomery:
            arguments.append((queue.pop(0), queue.pop(0)))
        else:
            arguments.append(queue.pop(0))
        limit = {"s": 1 << max(curve.order_bits, curve.field_bits), "o": n}.get(kind, p)
        parts = arguments[-1] if isinstance(arguments[-1], tuple) else arguments[-1:]
        if any(part >= limit for part in parts):
            raise StatusError("scalar_range" if kind == "s" else "operand_range")
    if operation == 12:
        return [verified(curve, *arguments)]
    if operation >= 6:
        return [arithmetic(operation, arguments, n if operation >= 9 else p)]
    if curve.montgomery:
        return montgomery(curve, operation, arguments)
    return weierstrass(curve, operation, arguments)


def verified(curve, e, r, s, key):
    if curve.montgomery:
        raise StatusError("bad_operation")
    group, n = Weierstrass(curve), curve.order
    if r == 0 or s == 0:
        raise StatusError("invalid")
    if not group.contains(key):
        raise StatusError("not_on_curve")
    w = pow(s, -1, n)
    total = group.add(group.multiply(e * w % n, (curve.x, curve.y)), group.multiply(r * w % n, key))
    if total is None or total[0] % n != r:
        raise StatusError("invalid")
    return r


def arithmetic(operation, arguments, modulus):
    if operation in (7, 10):
        if arguments[0] == 0:
            raise StatusError("no_inverse")
        return pow(arguments[0], -1, modulus)
    return (arguments[0] * arguments[1] + sum(arguments[2:])) % modulus


def montgomery(curve, operation, arguments):
    if operation == 5:
        _, z = ladder(curve, curve.cofactor, arguments[0])
        if z == 0:
            raise StatusError("small_order")
        return []
    if operation != 3:
        raise StatusError("bad_operation")
    x, z = ladder(curve, *arguments)
    if z == 0:
        raise StatusError("neutral")
    return [x * pow(z, -1, curve.prime) % curve.prime]


def weierstrass(curve, operation, arguments):
    group = Weierstrass(curve)
    for point in arguments:
        if isinstance(point, tuple) and not group.contains(point):
            raise StatusError("not_on_curve")
    if operation == 5:
        return []
    if operation == 4:
        k, l, left, right = arguments  # noqa: E741
        result = group.add(group.multiply(k, left), group.multiply(l, right))
    elif operation == 2:
        result = group.multiply(arguments[0], (curve.x, curve.y))
    else:
        result = group.multiply(*arguments)
    if result is None:
        raise StatusError("neutral")
    return list(result[:1] if operation == 3 else result)


class ModelCore:
    """The registers of a core with these curves.

    ``randomness`` random words are taken by each operation; ``latency`` is how many reads of STATUS
    it takes; with ``stuck`` it never ends by itself. ``wiping`` is how many reads of STATUS find it
    busy after a reset. One that ``verifies`` has the verification of signatures as an operation.
    """

    def __init__(
        self, curves, words, *, data_registers=True, randomness=2, latency=3, verifies=False
    ):
        self.curves, self.words = curves, words
        operations = range(1, 13 if verifies else 12)
        self.capabilities = Capabilities(
            len(curves), words, operations, blinding=True, data_registers=data_registers
        )
        self.map = RegisterMap(self.capabilities)
        self.randomness, self.latency, self.stuck = randomness, latency, False
        self.names = {register.address: name for name, register in self.map.registers.items()}
        self.zeroised, self.log, self.wiping = 0, [], 0
        self.clear()

    def clear(self):
        self.operation, self.curve, self.code = None, None, 0
        self.done = False
        self.inputs, self.random, self.results, self.left = [], [], [], 0

    def read32(self, offset):
        name = self.names[offset]
        if name == "STATUS":
            return self.status()
        if name == "RESULT":
            assert self.results
            return self.results.pop(0)
        register = self.map[name]
        assert register.readable
        return sum(field.place(field.reset) for field in register.fields.values())

    def write32(self, offset, value):
        assert 0 <= value < 1 << 32
        getattr(self, f"write_{self.names[offset].lower()}")(value)

    def write_control(self, value):
        assert self.operation is None
        assert not self.results
        assert value & START
        self.clear()
        self.operation, self.curve = value & 0xFF, value >> 8 & 0xFF
        self.left = self.latency
        self.log.append((self.operation, self.curve))

    def write_zeroise(self, value):
        assert value == self.map.zeroise_key
        self.clear()
        self.zeroised += 1

    def write_operand(self, value):
        assert self.wants_operands
        self.inputs.append(value)

    def write_random(self, value):
        assert self.wants_random
        self.random.append(value)

    @property
    def operand_words(self):
        curve = self.curves[self.curve]
        size = {"p": 1 if curve.montgomery else 2}
        return self.words * sum(size.get(kind, 1) for kind in OPERANDS[self.operation])

    @property
    def wants_operands(self):
        return self.operation is not None and len(self.inputs) < self.operand_words

    @property
    def wants_random(self):
        return self.operation is not None and len(self.random) < self.randomness

    def status(self):
        if self.wiping:
            self.wiping -= 1
            return BUSY
        word = self.code | self.done * DONE | (self.operation is not None) * BUSY
        if self.capabilities.data_registers:
            word |= self.wants_operands * OPERAND_READY | self.wants_random * RANDOM_READY
            word |= bool(self.results) * RESULT_VALID
        self.advance()
        return word

    def advance(self):
        """Some time passes."""
        if self.operation is None or self.stuck or self.wants_operands:
            return
        if self.capabilities.data_registers and self.wants_random:
            return
        self.left -= 1
        if self.left <= 0:
            self.finish()

    def finish(self):
        numbers = [
            sum(word << 32 * i for i, word in enumerate(self.inputs[start : start + self.words]))
            for start in range(0, len(self.inputs), self.words)
        ]
        try:
            results = compute(self.curves[self.curve], self.operation, numbers)
        except StatusError as error:
            self.code, results = self.map.statuses[str(error)], []
        self.results = [
            number >> 32 * i & 0xFFFFFFFF for number in results for i in range(self.words)
        ]
        self.operation, self.done = None, True

    def send(self, words):
        """The operand stream."""
        for word in words:
            self.write_operand(word)

    def received(self, count):
        """The result stream."""
        assert len(self.results) == count
        taken, self.results = self.results, []
        return taken
