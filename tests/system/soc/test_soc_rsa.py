"""A system with cores for RSA, with OpenSSL at the other end of its line."""

import hashlib
import json
import random
import subprocess
import sys

import pytest
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import padding, rsa
from cryptography.hazmat.primitives.asymmetric.utils import Prehashed
from tests.system.lines import opened_line

from residua.cores.directory import build
from residua.cores.specification.reading import check_any
from residua.numbers.rsa import RsaKey
from residua.systems import soc_directory
from residua.systems.host import Host, HostError
from residua.systems.known_answers import private_key, public_key
from residua.systems.soc_directory import SocRequest

BITS = 384
CORES = {
    "x25519": {"curve": ["Curve25519"]},
    "rsa": {"algorithm": "rsa-crt", "bits": BITS, "digit": 32},
    "public": {
        "algorithm": "modexp", "unit": "rns-montgomery", "exponent": "loaded", "bits": BITS,
        "width": 17,
    },
}  # fmt: skip
TIMEOUT = 300.0
NOT_LOADED, FAULT, BAD_MODULUS, UNSUPPORTED, SIZE = 12, 11, 13, -3, -113
DIGEST = hashlib.sha1(b"message").digest()


@pytest.fixture(scope="module")
def directory(tmp_path_factory):
    folder = tmp_path_factory.mktemp("system")
    cores = tuple(
        build(check_any({**keys, "bus": "wishbone", "name": name}), folder / name)
        for name, keys in CORES.items()
    )
    return soc_directory.build(SocRequest(cores, baud=500_000), folder / "soc")


@pytest.fixture(scope="module")
def host(directory):
    with opened_line(directory, TIMEOUT) as opened:
        yield Host(opened)


@pytest.fixture(scope="module")
def key():
    """A key, here and in OpenSSL, which makes none so short."""
    chosen = RsaKey.generate(BITS, 65537, random.Random(5))
    d = pow(65537, -1, (chosen.p - 1) * (chosen.q - 1))
    public = rsa.RSAPublicNumbers(65537, chosen.modulus)
    numbers = rsa.RSAPrivateNumbers(
        chosen.p, chosen.q, d, *chosen.exponents, chosen.coefficient, public
    )
    return chosen, numbers.private_key()


def test_the_self_test(host):
    assert [core.name for core in host.rsa_cores] == ["rsa", "public"]
    assert host.self_test() == 4 + 2


def test_roots_and_powers(host, key):
    chosen, _ = key
    own, public = host.find_rsa(private=True), host.find_rsa(private=False)
    number, size = chosen.modulus // 7, BITS // 8
    for core in (own, public):
        with pytest.raises(HostError) as caught:
            host.rsa(core, b"\x05")
        assert caught.value.code == NOT_LOADED
    host.load_rsa(own, private_key(chosen))
    root = host.rsa(own, number.to_bytes(size))
    assert int.from_bytes(root) == chosen.root(number)
    host.load_rsa(public, public_key(chosen.modulus, chosen.e))
    assert int.from_bytes(host.rsa(public, root)) == number
    # A key with a wrong number gives no root; keys that are none are refused.
    wrong = bytearray(private_key(chosen))
    wrong[-1] ^= 2
    host.load_rsa(own, bytes(wrong))
    for core, request, code in (
        (own, lambda: host.rsa(own, number.to_bytes(size)), FAULT),
        (public, lambda: host.load_rsa(public, public_key(chosen.modulus - 1, 3)), BAD_MODULUS),
        (own, lambda: host.load_rsa(own, bytes(5 * 32 + 1)), SIZE),
    ):
        with pytest.raises(HostError) as caught:
            request()
        assert caught.value.code == code, core


def asked(directory, verb, *options, code=0):
    """What `residua host` prints."""
    command = [sys.executable, "-m", "residua", "host", verb, str(directory.path), *options]
    done = subprocess.run([*command, "--json"], capture_output=True, text=True, check=False)
    assert done.returncode == code, done.stderr
    return json.loads(done.stdout)


@pytest.mark.parametrize("kind", ["pss", "pkcs1"])
def test_command_line(directory, key, tmp_path, kind):
    _, openssl = key
    own, public = tmp_path / "key.pem", tmp_path / "public.pem"
    encoding, plain = serialization.Encoding.PEM, serialization.NoEncryption()
    own.write_bytes(openssl.private_bytes(encoding, serialization.PrivateFormat.PKCS8, plain))
    spki = serialization.PublicFormat.SubjectPublicKeyInfo
    public.write_bytes(openssl.public_key().public_bytes(encoding, spki))
    words = ["--digest", DIGEST.hex(), "--hash", "sha1", "--padding", kind]
    signature = asked(directory, "rsa-sign", "--key", str(own), *words)["signature"]
    wanted = padding.PKCS1v15()
    if kind == "pss":
        wanted = padding.PSS(padding.MGF1(hashes.SHA1()), len(DIGEST))
    hashed = Prehashed(hashes.SHA1())
    openssl.public_key().verify(bytes.fromhex(signature), DIGEST, wanted, hashed)
    words = ["--key", str(public), "--signature", signature, *words]
    assert asked(directory, "rsa-verify", *words)["valid"] is True
    words[3] = "00" + signature[2:]
    assert asked(directory, "rsa-verify", *words, code=1)["valid"] is False
