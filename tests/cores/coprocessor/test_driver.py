"""C and Python driver on a core of plain integers, against OpenSSL and published vectors."""

import functools
import hashlib
import itertools
import random
import subprocess

import pytest
from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec, utils, x448, x25519
from tests.cores import skipped_instructions
from tests.cores.c_driver import (
    INVALID,
    VALID,
    CDriver,
    DriverFailureError,
    compile_driver,
    compile_files,
    write_driver,
)
from tests.cores.driver_core import P256, P521, SECP160R1, X448, X25519, ModelCore, Weierstrass

from residua.cores.bus.driver.client import CoreError, DriverError
from residua.cores.coprocessor.driver import protocols
from residua.cores.coprocessor.driver.client import Client
from residua.cores.coprocessor.driver.curves import DriverCurve
from residua.cores.coprocessor.driver.files import c_driver
from residua.errors import SpecificationError
from residua.hardware.bus.register_map import Capabilities, RegisterMap

CORES = {
    "small": ((P256, X25519), 8, True),
    "large": ((SECP160R1, P521, X448, P256, X25519), 17, True),
    "streams": ((P256, X25519), 8, False),
    "verifying": ((P256, X25519), 8, True),
}
OPENSSL = {"P-256": ec.SECP256R1(), "P-521": ec.SECP521R1()}
RFC7748 = {
    "Curve25519": (
        "a546e36bf0527c9d3b16154b82465edd62144c0ac1fc5a18506a2244ba449ac4",
        "e6db6867583030db3594c1a424b15f7c726624ec26b3353b10a903a6d0ab1c4c",
        "c3da55379de9c6908e94ea4df28d084f32eccf03491c71f754b4075577a28552",
    ),
    "Curve448": (
        (
            "3d262fddf9ec8e88495266fea19a34d28882acef045104d0d1aae121700a779c984c24f8cdd78fbff44943eb"
            "a368f54b29259a4f1c600ad3"
        ),
        (
            "06fce640fa3487bfda5f6cf2d5263f8aad88334cbd07437f020f08f9814dc031ddbdc38c19c6da2583fa5429"
            "db94ada18aa7a7fb4ef8a086"
        ),
        (
            "ce3e4ff95a60dc6697da1db1d85e6afbdf79b50a2412d7546d5f239fe14fbaadeb445fc66a01b0779d982239"
            "61111e21766282f73dd96b6f"
        ),
    ),
}


DEFAULT_POLLS, UNLIMITED = 1_000_000, 0xFFFFFFFF
"""As residua_ecc.h has them."""


class PythonDriver(Client):
    """The Python driver with the protocols as methods."""

    def __init__(self, core, random=None, polls=1000):
        streams = None if core.capabilities.data_registers else core
        super().__init__(core, core.map, core.curves, random=random, streams=streams, polls=polls)
        for name in ("public_key", "ecdh", "ecdsa_sign", "ecdsa_verify"):
            setattr(self, name, functools.partial(getattr(protocols, name), self))


@pytest.fixture(scope="module")
def libraries(tmp_path_factory):
    """The compiled C driver of each core."""

    @functools.cache
    def library(name):
        curves, words, data_registers = CORES[name]
        verifies = name == "verifying"
        core = ModelCore(curves, words, data_registers=data_registers, verifies=verifies)
        return compile_driver(core, tmp_path_factory.mktemp(name))

    return library


@pytest.fixture(params=list(itertools.product(("c", "python"), CORES)), ids="-".join)
def driver(request, libraries):
    language, name = request.param
    return make(language, name, libraries)


@pytest.fixture(params=["c", "python"])
def small(request, libraries):
    return make(request.param, "small", libraries)


def make(language, name, libraries):
    curves, words, data_registers = CORES[name]
    verifies = name == "verifying"
    core = ModelCore(curves, words, data_registers=data_registers, verifies=verifies)
    source = random.Random(9)

    def word():
        return source.randrange(2**32)

    if language == "python":
        made = PythonDriver(core, word)
    else:
        made = CDriver(core, libraries(name), word)
    made.core = core
    return made


def curves(driver, form):
    return [(i, curve) for i, curve in enumerate(driver.curves) if curve.form == form]


def encode(curve, point):
    return b"\x04" + b"".join(part.to_bytes(curve.field_size) for part in point)


def scalar_bytes(curve, k):
    return k.to_bytes(curve.order_size)


@pytest.mark.parametrize("curve", [P256, P521, SECP160R1])
def test_the_curves_are_what_they_should_be(curve):
    group, generator = Weierstrass(curve), (curve.x, curve.y)
    assert group.multiply(curve.order, generator) is None
    assert group.multiply(curve.order - 1, generator) == (curve.x, curve.prime - curve.y)


def test_multiplications(driver):
    generator = random.Random(1)
    for index, curve in curves(driver, "weierstrass"):
        group, base = Weierstrass(curve), (curve.x, curve.y)
        for k in (1, 2, curve.order - 1, generator.randrange(curve.order)):
            point = group.multiply(generator.randrange(1, curve.order), base)
            right = group.multiply(k, point)
            scalar, encoded = scalar_bytes(curve, k), encode(curve, point)
            assert driver.point_multiply(index, scalar, encoded) == encode(curve, right)
            assert driver.x_multiply(index, scalar, encoded) == right[0].to_bytes(curve.field_size)
            right = encode(curve, group.multiply(k, base))
            assert driver.base_multiply(index, scalar) == right
            assert driver.public_key(index, scalar) == right


def test_double_multiplication(driver):
    for index, curve in curves(driver, "weierstrass"):
        group, base = Weierstrass(curve), (curve.x, curve.y)
        other = group.multiply(77, base)
        right = encode(curve, group.multiply(5 + 77 * 6, base))
        scalars = scalar_bytes(curve, 5), scalar_bytes(curve, 6)
        points = encode(curve, base), encode(curve, other)
        assert driver.double_multiply(index, *scalars, *points) == right


def test_arithmetic(driver):
    generator = random.Random(4)
    for index, curve in enumerate(driver.curves):
        for operate, modulus, size in (
            (driver.field, curve.prime, curve.field_size),
            (driver.order, curve.order, curve.order_size),
        ):
            for a, b, c in ((1, 1, 0), (modulus - 1,) * 3, generator.choices(range(1, 2**62), k=3)):
                encoded = [x.to_bytes(size, curve.byte_order) for x in (a, b, c)]

                def decoded(*numbers, operate=operate, index=index, order=curve.byte_order):
                    return int.from_bytes(operate(numbers[0], index, *numbers[1:]), order)

                assert decoded("multiply", *encoded[:2]) == a * b % modulus
                assert decoded("multiply_add", *encoded) == (a * b + c) % modulus
                assert decoded("invert", encoded[0]) == pow(a, -1, modulus)


def test_ecdh_with_openssl(driver):
    for index, curve in curves(driver, "weierstrass"):
        if curve.name not in OPENSSL:
            continue
        for k in (1, curve.order - 1, 0x1234567890ABCDEF):
            other = ec.generate_private_key(OPENSSL[curve.name])
            own = ec.derive_private_key(k, OPENSSL[curve.name])
            private = scalar_bytes(curve, k)
            assert driver.public_key(index, private) == public_bytes(own)
            secret = own.exchange(ec.ECDH(), other.public_key())
            assert driver.ecdh(index, private, public_bytes(other)) == secret


def public_bytes(key):
    return key.public_key().public_bytes(
        serialization.Encoding.X962, serialization.PublicFormat.UncompressedPoint
    )


def test_ecdh_of_rfc7748_with_openssl(driver):
    generator = random.Random(6)
    for index, curve in curves(driver, "montgomery"):
        size = curve.field_size
        private_type, public_type = {
            "Curve25519": (x25519.X25519PrivateKey, x25519.X25519PublicKey),
            "Curve448": (x448.X448PrivateKey, x448.X448PublicKey),
        }[curve.name]
        own_keys = [bytes(size), b"\xff" * size, generator.randbytes(size)]
        # Not reduced, and with the bit that X25519 ignores.
        points = [
            b"\xff" * size,
            (curve.prime + 9).to_bytes(size, "little"),
            generator.randbytes(size),
        ]
        for key, point in itertools.product(own_keys, points):
            private = private_type.from_private_bytes(key)
            public = private.public_key().public_bytes_raw()
            assert driver.public_key(index, key) == public
            secret = private.exchange(public_type.from_public_bytes(point))
            assert driver.ecdh(index, key, point) == secret


def test_vectors_of_rfc7748(driver):
    for index, curve in curves(driver, "montgomery"):
        k, u, right = (bytes.fromhex(text) for text in RFC7748[curve.name])
        assert driver.x_multiply(index, k, u) == right


def test_points_of_small_order_make_no_secret(driver):
    for index, curve in curves(driver, "montgomery"):
        size = curve.field_size
        for u in (0, 1, curve.prime - 1, curve.prime, curve.prime + 1):
            point = u.to_bytes(size, "little")
            with pytest.raises(CoreError, match="neutral"):
                driver.ecdh(index, b"\x55" * size, point)
            with pytest.raises(CoreError, match="small_order"):
                driver.validate(index, point)
        driver.validate(index, curve.x.to_bytes(size, "little"))


HASHES = {20: hashes.SHA1(), 32: hashes.SHA256(), 48: hashes.SHA384(), 64: hashes.SHA512()}


@pytest.mark.parametrize("hash_size", [20, 32, 64])
def test_ecdsa_with_openssl(driver, hash_size):
    algorithm = utils.Prehashed(HASHES[hash_size])
    for index, curve in curves(driver, "weierstrass"):
        if curve.name not in OPENSSL:
            continue
        key = ec.derive_private_key(0xC0FFEE, OPENSSL[curve.name])
        digest = hashlib.shake_256(curve.name.encode()).digest(hash_size)
        private, nonce = scalar_bytes(curve, 0xC0FFEE), scalar_bytes(curve, curve.order - 2)
        signature = driver.ecdsa_sign(index, private, digest, nonce)
        r, s = (int.from_bytes(part) for part in halves(curve, signature))
        key.public_key().verify(utils.encode_dss_signature(r, s), digest, ec.ECDSA(algorithm))

        made = utils.decode_dss_signature(key.sign(digest, ec.ECDSA(algorithm)))
        signature = b"".join(scalar_bytes(curve, part) for part in made)
        assert driver.ecdsa_verify(index, public_bytes(key), digest, signature)


def halves(curve, signature):
    return signature[: curve.order_size], signature[curve.order_size :]


@pytest.mark.parametrize("digest", [b"", b"\x01", b"\xff" * 20, b"\xff" * 32, b"\xff" * 100])
def test_ecdsa_by_definition(driver, digest):
    for index, curve in curves(driver, "weierstrass"):
        n, d, k = curve.order, 0xDEADBEEF, curve.order // 3
        group = Weierstrass(curve)
        z = int.from_bytes(digest) >> max(0, 8 * len(digest) - n.bit_length())
        r = group.multiply(k, (curve.x, curve.y))[0] % n
        s = pow(k, -1, n) * (z + r * d) % n
        signature = driver.ecdsa_sign(index, scalar_bytes(curve, d), digest, scalar_bytes(curve, k))
        assert signature == scalar_bytes(curve, r) + scalar_bytes(curve, s)
        public = driver.public_key(index, scalar_bytes(curve, d))
        assert driver.ecdsa_verify(index, public, digest, signature)


def test_signatures_that_are_not_valid(small):
    key = ec.derive_private_key(99, OPENSSL["P-256"])
    public, digest, n = public_bytes(key), bytes(range(32)), P256.order
    algorithm = ec.ECDSA(utils.Prehashed(hashes.SHA256()))
    r, s = utils.decode_dss_signature(key.sign(digest, algorithm))
    size = P256.order_size
    assert small.ecdsa_verify(0, public, digest, r.to_bytes(size) + s.to_bytes(size))
    wrong = [(r ^ 1, s), (r, s ^ 1), (s, r), (0, s), (r, 0), (n, s), (r, n), (2**256 - 1, s)]
    # Accepted by those who do not check the range of r or s.
    wrong += [(r + n, s)] if r + n < 2**256 else []
    for bad_r, bad_s in wrong:
        assert not small.ecdsa_verify(
            0, public, digest, bad_r.to_bytes(size) + bad_s.to_bytes(size)
        )
        with pytest.raises(InvalidSignature):
            key.public_key().verify(utils.encode_dss_signature(bad_r, bad_s), digest, algorithm)
    assert not small.ecdsa_verify(0, public, b"x" + digest, r.to_bytes(size) + s.to_bytes(size))
    # u G + v Q is the neutral element: z = -r d.
    z = (-r * 99 % n).to_bytes(size)
    assert not small.ecdsa_verify(0, public, z, r.to_bytes(size) + s.to_bytes(size))
    with pytest.raises(CoreError, match="not_on_curve"):
        small.ecdsa_verify(0, public[:-1] + bytes([public[-1] ^ 1]), digest, bytes(2 * size))


def test_nonces_and_keys_out_of_range(small):
    good, size = (5).to_bytes(32), 32
    errors = (CoreError, SpecificationError)
    for bad in (0, P256.order, 2**256 - 1):
        with pytest.raises(errors, match=r"scalar_range|not in \[1, n - 1\]"):
            small.ecdsa_sign(0, good, bytes(32), bad.to_bytes(size))
        with pytest.raises(errors, match=r"scalar_range|not in \[1, n - 1\]"):
            small.ecdsa_sign(0, bad.to_bytes(size), bytes(32), good)


def test_a_nonce_that_makes_no_signature(small):
    """s = 0 where z = -r d."""
    k, d = 1234567, 42
    r = Weierstrass(P256).multiply(k, (P256.x, P256.y))[0] % P256.order
    digest = (-r * d % P256.order).to_bytes(32)
    retries = (protocols.RetryError, DriverFailureError)
    with pytest.raises(retries, match=r"s = 0|-8"):
        small.ecdsa_sign(0, d.to_bytes(32), digest, k.to_bytes(32))


def test_statuses_are_handed_on(driver):
    index, curve = curves(driver, "weierstrass")[0]
    base = encode(curve, (curve.x, curve.y))
    off = base[:-1] + bytes([base[-1] ^ 1])
    p, n = curve.prime.to_bytes(curve.field_size), scalar_bytes(curve, curve.order)
    cases = [
        ("neutral", driver.base_multiply, [bytes(curve.order_size)]),
        ("neutral", driver.base_multiply, [n]),
        ("neutral", driver.point_multiply, [n, base]),
        ("not_on_curve", driver.point_multiply, [n, off]),
        ("not_on_curve", driver.ecdh, [scalar_bytes(curve, 3), off]),
        ("not_on_curve", driver.validate, [off]),
        ("operand_range", driver.validate, [b"\x04" + p + p]),
    ]
    for status, function, arguments in cases:
        with pytest.raises(CoreError, match=status):
            function(index, *arguments)
    with pytest.raises(CoreError, match="no_inverse"):
        driver.field("invert", index, bytes(curve.field_size))
    with pytest.raises(CoreError, match="operand_range"):
        driver.order("multiply", index, n, n)
    # After each of them the core is as it was.
    driver.validate(index, base)


def test_encodings_of_points(small):
    base = encode(P256, (P256.x, P256.y))
    refusals = (SpecificationError, DriverFailureError)
    for bad in (base[:-1], base + b"\0", b"\x02" + base[1:33], b"\x02" + base[1:], b"\0", b""):
        with pytest.raises(refusals, match=r"is 04 and 2 x 32 bytes|-4"):
            small.validate(0, bad)
    for bad in (bytes(31), bytes(33), b""):
        with pytest.raises(refusals, match=r"is 32 bytes u|-4"):
            small.validate(1, bad)
    assert small.core.log == []


def test_montgomery_curves_have_no_y(small):
    refusals = (SpecificationError, DriverFailureError)
    with pytest.raises(refusals, match=r"call x_multiply|-3"):
        small.point_multiply(1, bytes(32), bytes(32))
    assert small.core.log == []


def test_a_core_that_hangs_is_zeroised(small):
    small.core.stuck = True
    with pytest.raises((DriverError, DriverFailureError), match=r"no progress|-6"):
        small.base_multiply(0, bytes(31) + b"\x05")
    assert small.core.zeroised == 1
    small.core.stuck = False
    assert small.base_multiply(0, bytes(31) + b"\1") == encode(P256, (P256.x, P256.y))


def test_a_busy_core_is_left_alone(small):
    small.core.write_control(1 << 31 | 2)
    with pytest.raises((DriverError, DriverFailureError), match=r"is running|-5"):
        small.base_multiply(0, bytes(32))
    assert small.core.log == [(2, 0)]
    small.zeroise()
    assert small.core.zeroised == 1
    small.base_multiply(0, bytes(31) + b"\5")


def test_slow_cores_and_cores_without_randomness(small):
    base = encode(P256, (P256.x, P256.y))
    for latency, randomness in ((1, 0), (900, 0), (900, 5), (1, 40)):
        small.core.latency, small.core.randomness = latency, randomness
        assert small.base_multiply(0, bytes(31) + b"\1") == base


def test_a_random_source_that_fails(libraries):
    driver = make("c", "small", libraries)
    driver.random = lambda: 1 // 0
    with pytest.raises(ZeroDivisionError):
        driver.base_multiply(0, bytes(32))
    assert driver.core.zeroised == 1


@pytest.mark.parametrize("register", ["ID", "VERSION", "CAPABILITY", "OPERATIONS"])
@pytest.mark.parametrize("language", ["c", "python"])
def test_another_core_is_refused(language, register, libraries):
    core = ModelCore(*CORES["small"][:2])
    read, bit = core.read32, 1 << 16
    address = core.map[register].address
    core.read32 = lambda offset: read(offset) ^ (bit if offset == address else 0)
    with pytest.raises((DriverError, DriverFailureError), match=rf"{register}|-1"):
        PythonDriver(core) if language == "python" else CDriver(core, libraries("small"))


def test_python_checks_lengths(libraries):
    driver = make("python", "small", libraries)
    with pytest.raises(SpecificationError, match="31 bytes for a number of 'P-256': give 32"):
        driver.base_multiply(0, bytes(31))


@pytest.mark.parametrize("name", CORES)
@pytest.mark.parametrize(
    "compiler",
    [
        ["cc", "-std=c99", "-O2", "-Wconversion", "-Wshadow"],
        ["cc", "-std=c11", "-ffreestanding"],
        ["c++", "-xc++", "-std=c++11"],
    ],
    ids=["c99", "freestanding", "c++"],
)
def test_compiles_without_a_warning(name, compiler, tmp_path):
    curves, words, data_registers = CORES[name]
    sources = write_driver(ModelCore(curves, words, data_registers=data_registers), tmp_path)
    if "-xc++" in compiler:
        sources = sorted(tmp_path.glob("*.h"))
    flags = ["-Wall", "-Wextra", "-Werror", "-pedantic", "-fsyntax-only"]
    subprocess.run([*compiler, *flags, *sources], check=True)


def test_no_dynamic_memory_and_no_global_state(libraries):
    library = libraries("large")
    listing = subprocess.run(["nm", library], check=True, capture_output=True, text=True).stdout
    symbols = [line.split()[-2:] for line in listing.splitlines()]
    assert not {name.split("@")[0] for _, name in symbols} & {"malloc", "calloc", "realloc", "free"}
    own = {name for kind, name in symbols if kind in "BbDdCc" and name.startswith("residua")}
    assert own == set()


def test_the_same_bytes_again():
    core = ModelCore(*CORES["large"][:2])
    files = c_driver("model", core.capabilities, core.curves)
    assert files == c_driver("model", core.capabilities, core.curves)
    assert all(text.endswith("\n") for text in files.values())


@pytest.mark.parametrize(
    ("curves", "words", "message"),
    [
        ([], 8, "0 curves for a core with 1"),
        ([P256], 7, "'P-256' has numbers of more than 224 bits"),
        ([SECP160R1], 5, "'secp160r1' has numbers of more than 160 bits"),
    ],
)
def test_curves_that_do_not_fit_the_core(curves, words, message):
    with pytest.raises(SpecificationError, match=message):
        c_driver("model", Capabilities(1, words, [2]), curves)


def test_names_of_curves():
    other = DriverCurve("p_256", "weierstrass", P256.prime, P256.order, 1, P256.x, P256.y)
    with pytest.raises(SpecificationError, match="names that differ"):
        c_driver("model", Capabilities(2, 8, [2]), [P256, other])
    for name in ("", "-", 'a"b', "a\\b", "a\nb", "ä"):
        with pytest.raises(SpecificationError, match="curve name"):
            DriverCurve(name, "weierstrass", 7, 5, 1, 1, 1)
    with pytest.raises(SpecificationError, match="cofactor = 3"):
        DriverCurve("m", "montgomery", 7, 5, 3, 1)


def test_a_core_with_streams_needs_them():
    capabilities = Capabilities(1, 8, [2], data_registers=False)
    with pytest.raises(SpecificationError, match="give its streams"):
        Client(None, RegisterMap(capabilities), [P256])


def stream_driver(libraries, **options):
    """The C driver on a core with streams."""
    curves, words, data_registers = CORES["streams"]
    core = ModelCore(curves, words, data_registers=data_registers)
    return CDriver(core, libraries("streams"), **options)


def test_streams_that_take_their_time(libraries):
    driver = stream_driver(libraries, lag=40)
    assert driver.base_multiply(0, bytes(31) + b"\1") == encode(P256, (P256.x, P256.y))


def test_streams_are_within_the_limit(libraries):
    driver = stream_driver(libraries, polls=30)
    driver.lag = 100
    with pytest.raises(DriverFailureError, match="-6"):
        driver.base_multiply(0, bytes(31) + b"\1")
    assert (driver.core.zeroised, driver.armed) == (1, None)


def test_a_refused_operation_takes_its_buffer_back(libraries):
    driver = stream_driver(libraries)
    with pytest.raises(CoreError, match="neutral"):
        driver.base_multiply(0, bytes(32))
    assert driver.armed is None
    assert driver.base_multiply(0, bytes(31) + b"\1") == encode(P256, (P256.x, P256.y))


def test_a_stream_that_fails(libraries):
    driver = stream_driver(libraries)
    driver.core.send = lambda words: 1 // 0
    with pytest.raises(ZeroDivisionError):
        driver.base_multiply(0, bytes(31) + b"\1")
    assert (driver.core.zeroised, driver.armed) == (1, None)


@pytest.mark.parametrize("language", ["c", "python"])
def test_opening_waits_while_the_core_wipes_its_memories(language, libraries):
    core = ModelCore(*CORES["small"][:2])
    core.wiping = 999
    driver = open_driver(language, core, libraries, polls=1000)
    assert driver.base_multiply(0, bytes(31) + b"\1") == encode(P256, (P256.x, P256.y))


@pytest.mark.parametrize("language", ["c", "python"])
def test_opening_has_a_limit(language, libraries):
    core = ModelCore(*CORES["small"][:2])
    core.wiping = 1000
    with pytest.raises((DriverError, DriverFailureError), match=r"busy after 1000 reads|-5"):
        open_driver(language, core, libraries, polls=1000)
    assert core.zeroised == 0


@pytest.mark.parametrize("language", ["c", "python"])
def test_random_words_are_no_progress(language, libraries):
    """A core that takes them for ever is given up as soon as one that takes none."""
    core = ModelCore(*CORES["small"][:2], randomness=1 << 30)
    driver = open_driver(language, core, libraries, polls=1000)
    with pytest.raises((DriverError, DriverFailureError), match=r"no progress|-6"):
        driver.base_multiply(0, bytes(31) + b"\1")
    assert core.zeroised == 1


def open_driver(language, core, libraries, polls):
    if language == "python":
        return PythonDriver(core, lambda: 7, polls=polls)
    return CDriver(core, libraries("small"), lambda: 7, polls=polls)


@pytest.mark.slow
def test_no_limit_has_to_be_asked_for(libraries):
    core = ModelCore(*CORES["small"][:2])
    core.wiping = DEFAULT_POLLS
    with pytest.raises(DriverFailureError, match="-5"):
        CDriver(core, libraries("small"), polls=0)
    core.wiping = DEFAULT_POLLS
    CDriver(core, libraries("small"), polls=UNLIMITED)
    with pytest.raises(SpecificationError, match="polls = 0: give at least 1"):
        PythonDriver(core, polls=0)


def test_the_answers_of_a_verification_are_far_apart():
    assert (VALID ^ INVALID).bit_count() == 15
    core = ModelCore(*CORES["small"][:2])
    for other in (0, *core.map.statuses.values(), *range(-9, 0)):
        assert min((answer ^ other & 0x7FFF).bit_count() for answer in (VALID, INVALID)) > 1


FINAL_CHECK = "if (v.verdict != RESIDUA_ECC_VALID) {"
OPEN_END = "v.verdict = RESIDUA_ECC_VALID;\n    if (v.code != RESIDUA_ECC_STATUS_OK) {"
"""The end of a verification, and one that says valid unless a step said otherwise."""


@pytest.mark.parametrize("end", [FINAL_CHECK, OPEN_END], ids=["shipped", "planted"])
@pytest.mark.parametrize("verifies", [False, True], ids=["in steps", "at once"])
@pytest.mark.skipif(not skipped_instructions.available(), reason="x86-64 and arm64 alone")
def test_no_skipped_instruction_forges_a_signature(end, verifies, tmp_path):
    core = skipped_instructions.made_core(verifies)
    files = c_driver("model", core.capabilities, core.curves)
    text = files["residua_ecc_protocols.c"]
    assert text.count(FINAL_CHECK) == 1
    files["residua_ecc_protocols.c"] = text.replace(FINAL_CHECK, end)
    library = skipped_instructions.compile_verification(files, tmp_path)
    found = skipped_instructions.outcome(library, tmp_path, verifies=verifies)
    assert found.startswith("none of" if end == FINAL_CHECK else "forged without")


def test_outputs_are_cleared_where_nothing_was_run(libraries):
    driver = make("c", "small", libraries)
    size = X25519.field_size
    for name in ("point_multiply", "base_multiply", "double_multiply"):
        points = {"point_multiply": 1, "base_multiply": 0, "double_multiply": 2}[name]
        scalars = [bytes(32)] * (2 if points == 2 else 1)
        arguments = [*scalars, *[part for _ in range(points) for part in (bytes(32), 32)]]
        with pytest.raises(DriverFailureError, match="-3"):
            driver.output(size, name, 1, *arguments)
    with pytest.raises(DriverFailureError, match="-3"):
        driver.output(2 * size, "ecdsa_sign", 1, bytes(32), bytes(32), 32, bytes(32))
    with pytest.raises(DriverFailureError, match="-4"):
        driver.output(65, "point_multiply", 0, bytes(32), bytes(33), 33)
    driver.core.write_control(1 << 31 | 2)
    with pytest.raises(DriverFailureError, match="-5"):
        driver.output(65, "base_multiply", 0, bytes(32))
    assert driver.core.log == [(2, 0)]


def test_devices_that_are_not_complete(libraries):
    driver = stream_driver(libraries)
    driver.device.receive = type(driver.device.receive)()
    assert driver.code("open") == -2
    assert driver.code("zeroise") == -2
    assert driver.code("field_size", 0) == 0
    driver.device.core = None
    assert driver.code("open") == -2


def test_two_cores_in_one_program(tmp_path):
    """Of different sizes and curves, one with registers and one with streams, by turns."""
    cores = {
        "first": ModelCore(*CORES["large"][:2]),
        "second": ModelCore(CORES["streams"][0], 8, data_registers=False),
    }
    files = {}
    for name, core in cores.items():
        for file, text in c_driver(name, core.capabilities, core.curves).items():
            assert files.setdefault(file, text) == text
    library = compile_files(files, tmp_path)
    first, second = (CDriver(core, library, lambda: 7, name=n) for n, core in cores.items())
    for k in (1, 5):
        for driver, index in ((first, 1), (second, 0), (first, 3)):
            curve = driver.curves[index]
            right = Weierstrass(curve).multiply(k, (curve.x, curve.y))
            assert driver.base_multiply(index, scalar_bytes(curve, k)) == encode(curve, right)
    with pytest.raises(DriverFailureError, match="-1"):
        CDriver(cores["first"], library, name="second")


def test_a_core_that_is_too_large_for_the_library(tmp_path):
    core = ModelCore(*CORES["large"][:2])
    sources = write_driver(core, tmp_path)
    command = ["cc", "-std=c99", "-fsyntax-only", "-DRESIDUA_ECC_MAX_WORDS=16", *sources]
    done = subprocess.run(command, check=False, capture_output=True, text=True)
    assert done.returncode != 0
    assert "model has numbers of 17 words" in done.stderr
