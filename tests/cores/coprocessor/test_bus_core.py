"""Whole coprocessors on their buses in simulation, driven by the Python and the C driver.

Judged by OpenSSL, plain integers and published vectors.
"""

import ctypes
import functools
import hashlib
import random
import subprocess

import pytest
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec, utils
from tests.cores.c_driver import CALLBACKS, FLAGS, CDriver, Device, DriverFailureError
from tests.cores.generated import MONTGOMERY
from tests.cores.simulations import ON_BUS, bus_model

from residua.cores.bus.driver.client import CoreError, DriverError
from residua.cores.bus.simulator import MOST_STALLS, BusError, BusSimulator
from residua.cores.coprocessor.driver import protocols
from residua.cores.coprocessor.driver.simulated import client, curves, simulated_client
from residua.cores.coprocessor.engine.core import EngineCoprocessorCore
from residua.cores.coprocessor.specification import CoprocessorSpecification
from residua.cores.directory import Directory
from residua.cores.specification.reading import check
from residua.curves import affine
from residua.curves.catalogue import find_curve
from residua.curves.operations.codes import Operation
from residua.curves.parameters import curve_from_parameters
from residua.errors import SpecificationError
from residua.evidence.published_vectors import wycheproof
from residua.hardware.coprocessor.durations import operation_cycles

P256, BASIC = find_curve("P-256"), ec.SECP256R1()
START, BUSY, DONE = 1 << 31, 1 << 8, 1 << 9
OPERAND_READY, RANDOM_READY, RESULT_VALID = 1 << 10, 1 << 11, 1 << 12
MODULUS = MONTGOMERY["prime"]
SMALL_ORDER = (0, 1, MODULUS - 1, MODULUS, MODULUS + 1)


@pytest.fixture(scope="module")
def models(tmp_path_factory):
    return functools.cache(lambda name: bus_model(name, tmp_path_factory))


@pytest.fixture
def p256(models):
    """The Python driver on AXI with streams, every channel with stalls."""
    made, model = models("p256")
    return client(BusSimulator(model, stalls=80), curves(made))


class NativeDriver(CDriver):
    """The C driver, its functions of access those of the simulation: no Python in between."""

    def __init__(self, simulator, entries, library, name, polls=0):
        self.simulator = self.core = simulator
        self.curves, self.failure = entries, None
        self.core.map = simulator.model.registers
        self.library = ctypes.CDLL(str(library))
        native = [
            function(ctypes.cast(simulator.model.functions[callback], ctypes.c_void_p).value)
            for callback, function in CALLBACKS
        ]
        self.device = Device(self.description(name), *native, simulator.context, polls)
        self.call("open")


@pytest.fixture(scope="module")
def libraries(models, tmp_path_factory):
    """The C driver that belongs to each core, compiled."""

    @functools.cache
    def library(name):
        target = tmp_path_factory.mktemp(name) / "driver.so"
        sources = sorted((models(name)[0].path / "driver").glob("*.c"))
        command = ["cc", *FLAGS, "-O1", "-shared", "-fPIC", "-o", target, *sources]
        subprocess.run(command, check=True)
        return target

    return library


def native(name, models, libraries, **options):
    made, model = models(name)
    simulator = BusSimulator(model, **options)
    return NativeDriver(simulator, curves(made), libraries(name), made.name)


def public_bytes(key):
    return key.public_key().public_bytes(
        serialization.Encoding.X962, serialization.PublicFormat.UncompressedPoint
    )


def private_bytes(key):
    return key.private_numbers().private_value.to_bytes(32)


def encode(point):
    return b"\x04" + b"".join(part.to_bytes(32) for part in point)


def test_agreement_with_openssl(p256):
    mine, other = (ec.generate_private_key(BASIC) for _ in range(2))
    agreed = protocols.ecdh(p256, 0, private_bytes(mine), public_bytes(other))
    assert agreed == mine.exchange(ec.ECDH(), other.public_key())


def test_agreement_by_the_c_driver(models, libraries):
    driver = native("p256", models, libraries, stalls=60)
    mine, other = (ec.generate_private_key(BASIC) for _ in range(2))
    assert driver.public_key(0, private_bytes(mine)) == public_bytes(mine)
    agreed = driver.ecdh(0, private_bytes(mine), public_bytes(other))
    assert agreed == mine.exchange(ec.ECDH(), other.public_key())
    assert not driver.simulator.waiting


def vectors():
    """The vectors that are not valid, and two of the others."""
    tests = wycheproof()
    valid = [test for test in tests if test["result"] == "valid"]
    rest = [test for test in tests if test["result"] != "valid"]
    assert len(rest) > 20
    return rest + valid[:: len(valid) // 2 + 1]


def check_vector(driver, test):
    """A point that the driver or the core refuses, or the shared secret."""
    point, k = bytes.fromhex(test["public"]), int(test["private"], 16).to_bytes(32)
    refusals = (CoreError, SpecificationError, DriverFailureError)
    if test["result"] == "valid":
        assert driver.x_multiply(0, k, point) == bytes.fromhex(test["shared"])
    else:
        with pytest.raises(refusals, match=r"not_on_curve|operand_range|a point of|-4"):
            driver.x_multiply(0, k, point)


def test_wycheproof(p256):
    for test in vectors():
        check_vector(p256, test)


def test_wycheproof_by_the_c_driver(models, libraries):
    driver = native("p256", models, libraries)
    for test in vectors()[::3]:
        check_vector(driver, test)


def test_signatures_by_the_c_driver(models, libraries):
    """All arithmetic of a signature is the core's."""
    driver = native("p256", models, libraries)
    algorithm = ec.ECDSA(utils.Prehashed(hashes.SHA256()))
    chooser = random.Random(1)
    for message in (b"", b"one"):
        key, digest = ec.generate_private_key(BASIC), hashlib.sha256(message).digest()
        nonce = chooser.randrange(1, P256.order).to_bytes(32)
        signature = driver.ecdsa_sign(0, private_bytes(key), digest, nonce)
        r, s = (int.from_bytes(part) for part in (signature[:32], signature[32:]))
        key.public_key().verify(utils.encode_dss_signature(r, s), digest, algorithm)
        made = utils.decode_dss_signature(key.sign(digest, algorithm))
        signature = b"".join(part.to_bytes(32) for part in made)
        assert driver.ecdsa_verify(0, public_bytes(key), digest, signature)
        wrong = bytes([digest[0] ^ 1]) + digest[1:]
        assert not driver.ecdsa_verify(0, public_bytes(key), wrong, signature)


def test_statuses_leave_the_core_and_its_streams_as_they_were(p256):
    base, zero = encode(P256.base_point), bytes(32)
    off = base[:-1] + bytes([base[-1] ^ 1])
    p, n = P256.prime.to_bytes(32), P256.order.to_bytes(32)
    one = (1).to_bytes(32)
    cases = [
        ("neutral", p256.base_multiply, [zero]),
        ("neutral", p256.point_multiply, [n, base]),
        ("not_on_curve", p256.point_multiply, [n, off]),
        ("not_on_curve", p256.validate, [off]),
        ("not_on_curve", p256.double_multiply, [one, one, off, base]),
        ("not_on_curve", p256.double_multiply, [one, one, base, off]),
        ("operand_range", p256.x_multiply, [n, b"\x04" + p + p]),
        ("operand_range", functools.partial(p256.order, "multiply"), [n, n]),
        ("no_inverse", functools.partial(p256.field, "invert"), [zero]),
    ]
    for status, function, arguments in cases:
        with pytest.raises(CoreError, match=status):
            function(0, *arguments)
        assert p256.field("multiply_add", 0, *([(3).to_bytes(32)] * 3)) == (12).to_bytes(32)
    assert p256.base_multiply(0, one) == base


def test_what_the_core_does_not_have_is_never_started(p256):
    cycles = p256._port.cycles
    with pytest.raises(SpecificationError, match="no operation 'cube'"):
        p256.execute("cube", 0, [1], 1)
    with pytest.raises(SpecificationError, match="curve 1: give 0 to 0"):
        p256.execute("field_multiply", 1, [3, 5], 1)
    assert p256._port.cycles == cycles


@pytest.mark.parametrize("name", ON_BUS)
def test_zeroise_in_mid_operation(name, models):
    made, model = models(name)
    chooser = random.Random(name)
    curve = made.made.core.design.curves[0]
    bits, size = curve.prime.bit_length(), model.registers.capabilities.words
    cycles_of_all = operation_cycles(made.made.core.design, Operation.X_MULTIPLY, 0)
    simulator = BusSimulator(model, stalls=30, pause=4)
    driver, registers = client(simulator, curves(made)), model.registers
    control, status = registers["CONTROL"].address, registers["STATUS"].address
    operands = [5, curve.x] if name == "montgomery" else [5, *P256.base_point]
    words = [number >> 32 * i & 0xFFFFFFFF for number in operands for i in range(size)]
    assert not simulator.read32(status) & BUSY  # opening waited for the end of the reset
    for cycles in (0, 1, 10, 1000, *(chooser.randrange(cycles_of_all // 2) for _ in range(2))):
        simulator.write32(control, START | registers.operations["x_multiply"])
        if name == "montgomery":
            for word in words:
                while not (word_of_status := simulator.read32(status)) & OPERAND_READY:
                    if word_of_status & RANDOM_READY:
                        simulator.write32(registers["RANDOM"].address, simulator.random())
                simulator.write32(registers["OPERAND"].address, word)
        else:
            simulator.send(words)
        simulator.run(cycles)
        assert simulator.read32(status) & BUSY
        driver.zeroise()
        word = simulator.read32(status)
        assert not word & (BUSY | RESULT_VALID)
        assert (word & DONE, word & 0xFF) == (DONE, registers.statuses["zeroised"])
        assert not simulator.waiting
        a, b = (chooser.randrange(1 << bits - 6) for _ in range(2))
        assert driver.execute("field_multiply", 0, [a, b], 1) == [a * b % driver.curves[0].prime]


def test_refused_accesses(p256):
    port, registers = p256._port, p256._map
    with pytest.raises(BusError, match="read of 0x24: the core refused the access"):
        port.read32(0x24)
    with pytest.raises(BusError, match="write of 0x00000001 to 0x20: the core refused"):
        port.write32(registers["ZEROISE"].address, 1)
    port.write32(registers["CONTROL"].address, START | registers.operations["field_multiply"])
    with pytest.raises(BusError, match="refused"):
        port.write32(registers["CONTROL"].address, START | 1)
    with pytest.raises(DriverError, match="is running"):
        p256.base_multiply(0, bytes(32))
    p256.zeroise()
    assert p256.base_multiply(0, (1).to_bytes(32)) == encode(P256.base_point)


@pytest.mark.parametrize("language", ["python", "c"])
def test_a_montgomery_curve_on_wishbone(language, models, libraries):
    """As X25519, which the campaign of key agreements has at full size."""
    curve, chooser = curve_from_parameters(MONTGOMERY), random.Random(2)
    if language == "c":
        driver = native("montgomery", models, libraries, stalls=90)
    else:
        made, model = models("montgomery")
        driver = client(BusSimulator(model, stalls=90), curves(made))
        driver.ecdh = functools.partial(protocols.ecdh, driver)
    (entry,) = driver.curves
    size = entry.field_size
    for private in (bytes(size), b"\xff" * size, chooser.randbytes(size)):
        k = entry.clamped(int.from_bytes(private, "little"))
        # Not reduced, and with the bits that the curve ignores.
        for point in (b"\xff" * size, chooser.randbytes(size), curve.x.to_bytes(size, "little")):
            u = (int.from_bytes(point, "little") & (1 << entry.field_bits) - 1) % curve.prime
            right = affine.multiply_x(curve, k, u).to_bytes(size, "little")
            assert driver.ecdh(0, private, point) == right
    points = [u.to_bytes(size, "little") for u in SMALL_ORDER]
    for point in points:
        with pytest.raises(CoreError, match="neutral"):
            driver.ecdh(0, private, point)
        with pytest.raises(CoreError, match="small_order"):
            driver.validate(0, point)
    driver.validate(0, curve.x.to_bytes(size, "little"))
    numbers = [chooser.randrange(curve.order).to_bytes(entry.order_size, "little") for _ in "ab"]
    a, b = (int.from_bytes(number, "little") for number in numbers)
    product = (a * b % curve.order).to_bytes(entry.order_size, "little")
    assert driver.order("multiply", 0, *numbers) == product


def test_points_outside_the_group_of_the_base_point(models):
    """On a Montgomery curve and on its twist, with and without a part of small order.

    Scalars are blinded by a multiple of the numbers of points of curve and twist.
    """
    made, model = models("montgomery")
    driver = client(BusSimulator(model), curves(made))
    curve, chooser = curve_from_parameters(MONTGOMERY), random.Random(6)
    on_curve = set()
    for u in range(2, 18):
        on_curve.add(pow(affine.right_side(curve, u), curve.prime // 2, curve.prime) == 1)
        k = chooser.randrange(1 << curve.prime.bit_length())
        assert driver.execute("x_multiply", 0, [k, u], 1) == [affine.multiply_x(curve, k, u)]
    assert on_curve == {False, True}


def test_blinded_scalars_of_curve25519():
    core = EngineCoprocessorCore(check(CoprocessorSpecification, {"curve": "Curve25519"})).core
    assert core.design.scalars.rounds == (589,)
    assert operation_cycles(core.design, Operation.X_MULTIPLY, 0) <= 250_000


def test_the_same_seed_gives_the_same_cycles(models):
    made, model = models("p256")
    k = 0xC0FFEE
    found = []
    for seed in (1, 1, 2):
        simulator = BusSimulator(model, seed=seed, stalls=100)
        results = client(simulator, curves(made)).execute("base_multiply", 0, [k], 2)
        assert tuple(results) == affine.multiply(P256, k, P256.base_point)
        found.append(simulator.cycles)
    assert found[0] == found[1] != found[2]


def test_what_cannot_be_simulated(models):
    made, model = models("p256")
    with pytest.raises(SpecificationError, match=f"stalls = 256: give 0 to {MOST_STALLS}"):
        BusSimulator(model, stalls=256)
    with pytest.raises(SpecificationError, match="pause = -1"):
        BusSimulator(model, pause=-1)
    plain = made.manifest | {"parameters": made.manifest["parameters"] | {"bus": "stream"}}
    with pytest.raises(SpecificationError, match="no coprocessor on a bus"):
        simulated_client(Directory(made.path, plain))


def test_a_directory_has_its_simulation(models):
    driver = simulated_client(models("p256")[0])
    assert driver.base_multiply(0, (1).to_bytes(32)) == encode(P256.base_point)
