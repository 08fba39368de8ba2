"""Drivers of cores for modular arithmetic on simulated buses, against OpenSSL and integers."""

import datetime as dt
import functools
import hashlib
import random
import subprocess

import pytest
from cryptography import x509
from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec, padding, rsa
from tests.cores.generated import BLINDED_RSA, INVERSE, LOADED, POINT, PUBLIC_KEYS, RSA
from tests.small_curves import TINY

from residua.cores.bus.driver.check import Call, check_driver
from residua.cores.bus.driver.client import CoreError, DriverError
from residua.cores.bus.driver.program import Simulation
from residua.cores.bus.simulator import directory_bus_model
from residua.cores.directory import build
from residua.cores.kinds import core_of
from residua.cores.modular_bus.driver import padding as own_padding
from residua.cores.modular_bus.driver.calls import HEADERS, calls
from residua.cores.modular_bus.driver.client import simulated_modular_client
from residua.cores.modular_bus.driver.files import LIBRARY, library
from residua.cores.modular_bus.driver.keys import (
    c_array,
    load_numbers,
    load_words,
    read_private_key,
    read_public_key,
)
from residua.cores.specification.reading import check_any
from residua.curves import affine
from residua.curves.parameters import curve_from_parameters
from residua.errors import SpecificationError
from residua.numbers.rsa import RsaKey, RsaPublicKey

pytestmark = pytest.mark.usefixtures("quick")

E = 65537
PEM = serialization.Encoding.PEM
MESSAGE = b"a message"
BITS = 640
"""Of keys that sign, and decrypt short messages."""
SMALL = {"algorithm": "modexp", "bits": 17, "digit": 5, "window": 2}
CORES = {
    "RSA": ("wishbone", RSA | {"bits": 32, "digit": 8}),
    "blinded": ("wishbone", BLINDED_RSA),
    "powers": ("axi", SMALL),
    "large": ("axi", {"algorithm": "rsa-crt", "bits": BITS, "digit": 32}),
    "public": ("wishbone", PUBLIC_KEYS),
    "verifier": ("axi", PUBLIC_KEYS | {"bits": BITS, "width": 60, "exponent_bits": 17}),
    "products": ("axi", LOADED | {"inverse": "supplied", "operand_check": "flag"}),
    "inverses": ("axi-lite", INVERSE),
    "multiples": ("axi", POINT),
    "sums": ("wishbone", POINT | {"operation": "add"}),
}  # fmt: skip
"""Bus and other keys."""


@pytest.fixture(scope="module")
def directories(tmp_path_factory):
    def make(name):
        bus, keys = CORES[name]
        return build(check_any(keys | {"bus": bus}), tmp_path_factory.mktemp(bus) / "core")

    return functools.cache(make)


@pytest.fixture(scope="module")
def clients(directories):
    return functools.cache(lambda name: simulated_modular_client(directories(name), pause=4))


@functools.cache
def key_pair(bits=1024):
    """A key here and in OpenSSL."""
    key = RsaKey.generate(bits, E, random.Random(1024))
    d = pow(E, -1, (key.p - 1) * (key.q - 1))
    numbers = rsa.RSAPrivateNumbers(
        key.p, key.q, d, *key.exponents, key.coefficient, rsa.RSAPublicNumbers(E, key.modulus)
    )
    return key, numbers.private_key()


def pem(key, password=None):
    encryption = (
        serialization.BestAvailableEncryption(password)
        if password
        else serialization.NoEncryption()
    )
    return key.private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, encryption
    )


@pytest.mark.parametrize("name", ["RSA", "blinded"])
def test_roots(clients, directories, name):
    client = clients(name)
    design = directories(name).made.design
    bits, exponent = design.bits, design.exponent
    client.zeroise()
    with pytest.raises(CoreError, match="not_loaded"):
        client.private(1)
    for seed in (3, 4):
        key = RsaKey.generate(bits, exponent, random.Random(seed))
        client.load(key)
        for x in (0, 1, 12345, key.p, key.modulus - 1):
            assert client.private(x) == key.root(x)
        with pytest.raises(CoreError, match="fault"):
            client.private(key.modulus)
        assert client.private(2) == key.root(2)


def test_powers(clients):
    client = clients("powers")
    for modulus in (0x1FFFF, 65537, 3):
        client.load(modulus)
        for x, y in ((2, 10), (modulus - 1, 3), (0, 0), (12345, 0x1FFFF)):
            assert client.power(x, y) == pow(x, y, modulus)
    with pytest.raises(CoreError, match="operand_range"):
        client.power(2, 1 << 17)
    assert client.power(2, 3) == 8 % 3


def test_products(clients):
    client = clients("products")
    with pytest.raises(CoreError, match="not_loaded"):
        client.multiply(1, 1)
    for modulus in (0x1FFFF, 65537, 3):
        client.load(modulus)
        for x, y in ((2, 1), (0, 0), (12345, modulus - 1), ((1 << 20) - 1, 1)):
            assert client.multiply(x, y) == x * y * pow(1 << 20, -1, modulus) % modulus
        for x, y in ((1, modulus), (1 << 20, 1)):
            with pytest.raises(CoreError, match="operand_range"):
                client.multiply(x, y)
    with pytest.raises(SpecificationError, match="no operation 'power'"):
        client.power(2, 3)
    with pytest.raises(SpecificationError, match="takes odd numbers"):
        client.load(6)


def test_inverses(clients):
    client = clients("inverses")
    for x in (1, 2, 12345, 65536):
        assert client.invert(x) == pow(x, -1, 65537)
    for x in (0, 65537):
        with pytest.raises(CoreError, match="no_inverse"):
            client.invert(x)
    with pytest.raises(CoreError, match="operand_range"):
        client.invert(1 << 24)
    with pytest.raises(SpecificationError, match="no operation 'multiply'"):
        client.multiply(2, 3)
    with pytest.raises(SpecificationError, match="built in, and loads none"):
        client.load(65537)


def test_points(clients):
    curve = curve_from_parameters(TINY)
    p, base = curve.prime, (curve.x, curve.y, 1)

    def affine_point(x, y, z):
        inverse = pow(z, -1, p)
        return x * inverse**2 % p, y * inverse**3 % p

    multiples, sums = clients("multiples"), clients("sums")
    triple = multiples.point_multiply(3, base)
    assert affine_point(*triple) == affine.multiply(curve, 3, curve.base_point)
    found = affine_point(*sums.point_add(triple, base))
    assert found == affine.multiply(curve, 4, curve.base_point)
    assert multiples.point_multiply(0, base)[2] == 0
    for wrong in ((p, curve.y, 1), (curve.x, curve.y, p)):
        with pytest.raises(CoreError, match="operand_range"):
            sums.point_add(wrong, base)
    with pytest.raises(SpecificationError, match="no operation 'point_double'"):
        sums.point_double(base)
    with pytest.raises(SpecificationError, match="built in, and loads none"):
        sums.load(p)


def test_public_operations(clients):
    client = clients("public")
    client.zeroise()
    with pytest.raises(CoreError, match="not_loaded"):
        client.public(1)
    for modulus, e in ((0xFFFFFF, 3), (65537, 65537), (0xB00C5, 0x10003)):
        client.load(RsaPublicKey(modulus, e))
        for x in (0, 1, 12345, modulus - 1):
            assert client.public(x) == pow(x, e, modulus)
        with pytest.raises(CoreError, match="operand_range"):
            client.public(modulus)
        assert client.public(2) == pow(2, e, modulus)
    with pytest.raises(SpecificationError, match="loads an RSA public key"):
        client.load(65537)
    with pytest.raises(SpecificationError, match="odd numbers from 3 to 2\\^24 - 1"):
        client.load(RsaPublicKey(65539, (1 << 24) + 1))
    with pytest.raises(SpecificationError, match="no operation 'power'"):
        client.power(2, 3)


def test_refusals_of_the_python_driver(clients, directories):
    client = clients("powers")
    with pytest.raises(SpecificationError, match="no operation 'private'"):
        client.private(1)
    with pytest.raises(SpecificationError, match="odd numbers from 3 to"):
        client.load(10)
    with pytest.raises(SpecificationError, match="odd numbers from 3 to"):
        client.load((1 << 17) + 1)
    with pytest.raises(SpecificationError, match="the core takes 0 to 32 bits"):
        client.power(1 << 32, 1)
    key = RsaKey.generate(64, E, random.Random(3))
    with pytest.raises(SpecificationError, match="loads a modulus"):
        client.load(key)
    other = clients("RSA")
    with pytest.raises(SpecificationError, match="loads an RSA key"):
        other.load(key.modulus)
    with pytest.raises(SpecificationError, match="public exponent 3"):
        other.load(RsaKey.generate(32, 3, random.Random(3)))
    other.zeroise()
    with pytest.raises(DriverError, match="loaded no key"):
        other.sign_pkcs1(hashlib.sha256(MESSAGE).digest())
    core = core_of(check_any({"algorithm": "modexp", "modulus": 0x1000B, "digit": 5}))
    with pytest.raises(SpecificationError, match="built in, and loads none"):
        load_numbers(core, 7)
    with pytest.raises(SpecificationError, match="no core for modular arithmetic on a bus"):
        simulated_modular_client(build(check_any(SMALL), directories("RSA").path.parent / "no"))


def test_signatures_and_decryption(clients):
    """A key from a PEM file; OpenSSL verifies and encrypts."""
    client, (key, openssl) = clients("large"), key_pair(BITS)
    read = read_private_key(pem(openssl))
    assert (read.p * read.q, read.e) == (key.modulus, E)
    client.load(read)
    digest, public = hashlib.sha256(MESSAGE).digest(), openssl.public_key()
    signature = client.sign_pkcs1(digest)
    assert signature == openssl.sign(MESSAGE, padding.PKCS1v15(), hashes.SHA256())
    pss = padding.PSS(padding.MGF1(hashes.SHA256()), 32)
    public.verify(client.sign_pss(digest), MESSAGE, pss, hashes.SHA256())
    oaep = padding.OAEP(padding.MGF1(hashes.SHA256()), hashes.SHA256(), None)
    assert client.decrypt_oaep(public.encrypt(MESSAGE, oaep)) == MESSAGE


def test_signatures_are_verified_and_messages_encrypted(clients):
    """The public key of a PEM file; OpenSSL signs and decrypts."""
    client, (_, openssl) = clients("verifier"), key_pair(BITS)
    spki = serialization.PublicFormat.SubjectPublicKeyInfo
    client.load(read_public_key(openssl.public_key().public_bytes(PEM, spki)))
    digest, hashed = hashlib.sha256(MESSAGE).digest(), hashes.SHA256()
    signature = openssl.sign(MESSAGE, padding.PKCS1v15(), hashed)
    assert client.verify_pkcs1(signature, digest)
    assert not client.verify_pkcs1(signature, bytes(32))
    assert not client.verify_pkcs1(b"\xff" * (BITS // 8), digest)
    assert not client.verify_pkcs1(signature[1:], digest)
    pss = padding.PSS(padding.MGF1(hashed), 32)
    signature = openssl.sign(MESSAGE, pss, hashed)
    assert client.verify_pss(signature, digest)
    assert not client.verify_pss(signature[:-1] + bytes([signature[-1] ^ 1]), digest)
    oaep = padding.OAEP(padding.MGF1(hashed), hashed, b"label")
    encrypted = client.encrypt_oaep(MESSAGE, label=b"label")
    assert openssl.decrypt(encrypted, oaep) == MESSAGE


def test_c_driver_loads_public_keys(directories):
    """By N and e alone: the library makes the rest."""
    directory, (key, openssl) = directories("verifier"), key_pair(BITS)
    around = directory.made.surroundings
    block = own_padding.pkcs1_signature(hashlib.sha256(MESSAGE).digest(), "sha256", BITS // 8)
    signature = openssl.sign(MESSAGE, padding.PKCS1v15(), hashes.SHA256())
    model = directory_bus_model(directory, around.registers.capabilities)
    loads = (key.modulus.to_bytes(BITS // 8), E.to_bytes(3))
    found = check_driver(
        Simulation(directory, model, LIBRARY),
        [
            Call("residua_modular_load_public_key", loads, sized=(0, 1)),
            Call("residua_modular_public", (0, signature), 0, block, sized=(0, 1)),
        ],
        HEADERS,
        around.patience,
    )
    assert found == []


def test_c_driver_loads_private_keys(directories):
    """The signature that OpenSSL makes, by the numbers of its key."""
    directory, (key, openssl) = directories("large"), key_pair(BITS)
    around = directory.made.surroundings
    block = own_padding.pkcs1_signature(hashlib.sha256(MESSAGE).digest(), "sha256", BITS // 8)
    signature = openssl.sign(MESSAGE, padding.PKCS1v15(), hashes.SHA256())
    usual = (key.p, key.q, *key.exponents, key.coefficient)
    model = directory_bus_model(directory, around.registers.capabilities)
    found = check_driver(
        Simulation(directory, model, LIBRARY),
        [
            Call(
                "residua_modular_load_private_key",
                tuple(number.to_bytes(BITS // 16) for number in usual),
                sized=(4,),
            ),
            Call("residua_modular_private", (block,), 0, signature, sized=(0,)),
        ],
        HEADERS,
        around.patience,
    )
    assert found == []


@pytest.mark.parametrize("name", ["RSA", "blinded", "powers", "public", "sums"])
def test_c_driver(directories, name):
    directory = directories(name)
    around = directory.made.surroundings
    model = directory_bus_model(directory, around.registers.capabilities)
    simulation = Simulation(directory, model, LIBRARY)
    made = calls(around)
    assert check_driver(simulation, made, HEADERS, around.patience) == []
    # A result that is expected wrongly is told.
    place = next(i for i, call in enumerate(made) if call.result and any(call.result))
    wrong = Call(made[place].function, made[place].arguments, 0, b"\1" * 3, made[place].sized)
    found = check_driver(simulation, [*made[:place], wrong], HEADERS, around.patience)
    assert "WRONG" in found[0]


def test_the_library_has_no_memory_of_its_own(tmp_path):
    """No allocation, no global state."""
    text = "".join(library().values())
    assert "malloc" not in text
    assert "free(" not in text
    for name, content in library().items():
        (tmp_path / name).write_text(content)
    flags = ["-std=c99", "-pedantic", "-Wall", "-Wextra", "-Wconversion", "-Wshadow", "-Werror"]
    for source in tmp_path.glob("*.c"):
        made = source.with_suffix(".o")
        subprocess.run(["cc", *flags, "-c", "-o", made, source], check=True, cwd=tmp_path)
        symbols = subprocess.run(["nm", made], check=True, capture_output=True, text=True).stdout
        assert not [line for line in symbols.splitlines() if line.split()[-2] in "bBdDcC"]


def test_key_files():
    _, openssl = key_pair()
    assert read_private_key(pem(openssl, b"secret"), b"secret").e == E
    for content, password, message in (
        (b"nothing", None, "no private key in PEM"),
        (pem(openssl, b"secret"), None, "no private key in PEM"),
        (pem(ec.generate_private_key(ec.SECP256R1())), None, "none of RSA"),
    ):
        with pytest.raises(SpecificationError, match=message):
            read_private_key(content, password)


def test_public_key_files():
    _, openssl = key_pair()
    name = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, "test")])
    start = dt.datetime(2026, 1, 1, tzinfo=dt.UTC)
    certificate = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(openssl.public_key())
        .serial_number(1)
        .not_valid_before(start)
        .not_valid_after(start + dt.timedelta(days=1))
        .sign(openssl, hashes.SHA256())
    )
    assert read_public_key(certificate.public_bytes(PEM)).e == E
    spki = serialization.PublicFormat.SubjectPublicKeyInfo
    other = ec.generate_private_key(ec.SECP256R1()).public_key().public_bytes(PEM, spki)
    for content, message in (
        (b"nothing", "no public key in PEM"),
        (pem(openssl), "no public key in PEM"),
        (other, "none of RSA"),
    ):
        with pytest.raises(SpecificationError, match=message):
            read_public_key(content)


def test_key_as_an_array_of_c():
    core, key = core_of(check_any(RSA)), RsaKey.generate(64, E, random.Random(3))
    words = load_words(core, key)
    assert len(words) == len(load_numbers(core, key)) * core.commanded.words
    assert c_array("key", words).startswith(f"static const uint32_t key[{len(words)}] = {{\n")


@pytest.mark.parametrize("name", ["sha1", "sha224", "sha256", "sha384", "sha512"])
def test_paddings_of_signatures(name):
    key, openssl = key_pair()
    digest, public = hashlib.new(name, MESSAGE).digest(), openssl.public_key()
    hashed = getattr(hashes, name.upper())()

    def signed(block):
        return key.root(int.from_bytes(block)).to_bytes(128)

    block = own_padding.pkcs1_signature(digest, name, 128)
    public.verify(signed(block), MESSAGE, padding.PKCS1v15(), hashed)
    salt = bytes(range(20))
    pss = padding.PSS(padding.MGF1(hashed), len(salt))
    if len(digest) < 64:
        public.verify(
            signed(own_padding.pss_signature(digest, name, 1024, salt)), MESSAGE, pss, hashed
        )
        found = openssl.sign(MESSAGE, padding.PSS(padding.MGF1(hashed), 11), hashed)
        opened = pow(int.from_bytes(found), E, key.modulus).to_bytes(128)
        assert own_padding.pss_matches(opened, digest, name, 1024, 11)
        assert not own_padding.pss_matches(opened, digest, name, 1024, 12)
        assert not own_padding.pss_matches(opened[:-1] + b"\xbd", digest, name, 1024, 11)
        assert not own_padding.pss_matches(b"\xff" + opened[1:], digest, name, 1024, 11)
    wrong = own_padding.pkcs1_signature(bytes(len(digest)), name, 128)
    with pytest.raises(InvalidSignature):
        public.verify(signed(wrong), MESSAGE, padding.PKCS1v15(), hashed)


@pytest.mark.parametrize("text", [b"", MESSAGE, bytes(62)])
def test_paddings_of_messages(text):
    key, openssl = key_pair()
    public, hashed = openssl.public_key(), hashes.SHA256()

    def opened(encrypted):
        return key.root(int.from_bytes(encrypted)).to_bytes(128)

    oaep = padding.OAEP(padding.MGF1(hashed), hashed, b"label")
    made = own_padding.oaep_block(text, "sha256", 128, b"label")
    encrypted = pow(int.from_bytes(made), E, key.modulus).to_bytes(128)
    assert openssl.decrypt(encrypted, oaep) == text
    block = opened(public.encrypt(text, oaep))
    assert own_padding.oaep_message(block, "sha256", b"label") == text
    assert own_padding.pkcs1_message(opened(public.encrypt(text, padding.PKCS1v15()))) == text
    broken = [block[:40] + bytes([block[40] ^ 1]) + block[41:], b"\1" + block[1:], block[:60]]
    for one in broken:
        with pytest.raises(own_padding.DecryptionError, match=r"^decryption error$"):
            own_padding.oaep_message(one, "sha256", b"label")
    with pytest.raises(own_padding.DecryptionError):
        own_padding.oaep_message(block, "sha256", b"another")
    with pytest.raises(own_padding.DecryptionError):
        # The block of OAEP itself looks like one of PKCS #1 to two of a thousand of its seeds.
        own_padding.pkcs1_message(b"\0\1" + block[2:])


def test_refusals_of_paddings():
    for call, message in (
        (lambda: own_padding.pkcs1_signature(b"short", "sha256", 128), "sha256 has 32"),
        (lambda: own_padding.pkcs1_signature(bytes(32), "sha256", 61), "this padding needs 62"),
        (lambda: own_padding.pkcs1_signature(bytes(32), "sha3_256", 128), "takes one of sha1"),
        (lambda: own_padding.pss_signature(bytes(32), "sha256", 256), "this padding needs 66"),
        (lambda: own_padding.pss_signature(bytes(32), "md77", 1024), "no such function"),
        (lambda: own_padding.oaep_block(bytes(63), "sha256", 128), "this padding needs 129"),
        (lambda: own_padding.pss_matches(bytes(32), bytes(32), "sha256", 256), "padding needs 66"),
    ):
        with pytest.raises(SpecificationError, match=message):
            call()
