"""A system on a chip that boots its program, with OpenSSL at the other end of its line."""

import hashlib
import json
import subprocess
import sys

import pytest
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec, x25519
from cryptography.hazmat.primitives.asymmetric.utils import Prehashed, encode_dss_signature
from tests.system.lines import opened_line

from residua.cores.directory import build
from residua.cores.specification.reading import check_any
from residua.systems import soc_directory
from residua.systems.frames import FrameError, framed, receive
from residua.systems.host import Host, HostError
from residua.systems.soc_directory import SocDirectory, SocRequest
from residua.toolchain import verilator

CORES = {
    "p256": {"curve": ["P-256"]},
    "x25519": {"curve": ["Curve25519"], "bus": "axi-lite"},
}
TIMEOUT = 120.0
"""Seconds for an answer."""

BROKEN, CUT_OFF, LOST, SIZE = -100, -102, -103, -113
NOT_ON_CURVE, NEUTRAL = 4, 1


def request(folder):
    """The system of the cores in a folder, at the highest rate of its line."""
    cores = tuple(
        build(check_any({"bus": "wishbone", **keys, "name": name}), folder / name, force=True)
        for name, keys in CORES.items()
    )
    return SocRequest(cores, baud=500_000)


@pytest.fixture(scope="module")
def directory(tmp_path_factory):
    folder = tmp_path_factory.mktemp("system")
    return soc_directory.build(request(folder), folder / "soc")


@pytest.fixture(scope="module")
def line(directory):
    with opened_line(directory, TIMEOUT) as opened:
        yield opened


@pytest.fixture(scope="module", autouse=True)
def host(line):
    return Host(line)


def test_the_directory(directory):
    opened = SocDirectory.open(directory.path)
    assert opened.manifest == directory.manifest
    assert [region["base"] for region in opened.manifest["regions"].values()] == [
        0, 0x1000_0000, 0x2000_0000, 0x3000_0000, 0x3000_1000,
    ]  # fmt: skip
    warnings = verilator.lint(opened.sources, opened.name)
    # Those of the processor itself, and that it alone has a time scale.
    assert [one for one in warnings if "picorv32.v" not in one and "TIMESCALE" not in one] == []
    words = (directory.path / "firmware.hex").read_text().split()
    assert 4 * len(words) == directory.manifest["program_bytes"] < directory.manifest["ram_bytes"]


def test_the_same_request_gives_the_same_files(directory, tmp_path):
    again = soc_directory.build(request(directory.path.parent), tmp_path / "soc")
    assert again.manifest == directory.manifest


def test_the_self_test(host):
    assert [curve.name for curve in host.curves] == ["P-256", "Curve25519"]
    assert host.self_test() == 4 * len(CORES)


def test_key_agreement_with_openssl(host):
    curve = host.find("P-256")
    own, theirs = (0x1234 << 200) + 77, ec.generate_private_key(ec.SECP256R1())
    key = own.to_bytes(32)
    public = host.public_key(curve, key)
    numbers = theirs.public_key().public_numbers()
    peer = b"\x04" + numbers.x.to_bytes(32) + numbers.y.to_bytes(32)
    known = ec.EllipticCurvePublicKey.from_encoded_point(ec.SECP256R1(), public)
    assert host.ecdh(curve, key, peer) == theirs.exchange(ec.ECDH(), known)
    product = host.multiply(curve, (5).to_bytes(32), peer)
    assert product[1:33] == ec.derive_private_key(5, ec.SECP256R1()).exchange(
        ec.ECDH(), theirs.public_key()
    )


def test_x25519_with_openssl(host):
    curve, theirs = host.find("Curve25519"), x25519.X25519PrivateKey.generate()
    key = hashlib.sha256(b"own").digest()
    known = x25519.X25519PublicKey.from_public_bytes(host.public_key(curve, key))
    secret = host.ecdh(curve, key, theirs.public_key().public_bytes_raw())
    assert secret == theirs.exchange(known)


def test_signatures_with_openssl(host):
    curve, key = host.find("P-256"), (0xABCDEF << 100).to_bytes(32)
    digest = hashlib.sha256(b"message").digest()
    public = host.public_key(curve, key)
    first, second = host.sign(curve, key, digest), host.sign(curve, key, digest)
    assert first[:32] != second[:32], "the nonce came again"
    known = ec.EllipticCurvePublicKey.from_encoded_point(ec.SECP256R1(), public)
    for signature in (first, second):
        r, s = int.from_bytes(signature[:32]), int.from_bytes(signature[32:])
        known.verify(encode_dss_signature(r, s), digest, ec.ECDSA(Prehashed(hashes.SHA256())))
        assert host.verify(curve, public, signature, digest)
    assert not host.verify(curve, public, first, hashlib.sha256(b"another").digest())


def test_points_that_are_none(host):
    curve, key = host.find("P-256"), (1).to_bytes(32)
    with pytest.raises(HostError) as caught:
        host.ecdh(curve, key, b"\x04" + bytes(63) + b"\x01")
    assert caught.value.code == NOT_ON_CURVE
    with pytest.raises(HostError) as caught:
        host.ecdh(host.find("Curve25519"), bytes(32), bytes(32))
    assert caught.value.code == NEUTRAL


def code(line):
    return int.from_bytes(receive(line)[:2], "little", signed=True)


def test_noise_on_the_line(host, line):
    request_ = framed(bytes([2, 0, 0]) + bytes(32))
    damaged = bytearray(request_)
    damaged[20] ^= 1
    line.write(bytes(damaged))
    assert code(line) == BROKEN
    line.write(request_[:20])
    assert code(line) == CUT_OFF
    line.write(b"\x00\xff noise " + framed(bytes([2, 0, 0, 1])))
    assert code(line) == SIZE
    assert host.self_test() == 4 * len(CORES)


def test_a_long_request_at_the_highest_rate_loses_nothing(line):
    line.write(framed(bytes([5, 0, 0]) + bytes(65 + 64 + 64)))
    assert code(line) not in (LOST, BROKEN)


def asked(directory, verb, *options):
    """What `residua host` prints."""
    command = [sys.executable, "-m", "residua", "host", verb, str(directory.path), *options]
    done = subprocess.run([*command, "--json"], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def test_command_line(directory, tmp_path):
    own = tmp_path / "key"
    own.write_text((7).to_bytes(32).hex() + "\n")
    key = ["--curve", "P-256", "--key", f"@{own}"]
    digest = ["--digest", "00ff"]
    assert len(asked(directory, "identify")["curves"]) == len(CORES)
    public = asked(directory, "public-key", *key)["public_key"]
    secret = asked(directory, "ecdh", *key, "--public", public)["secret"]
    known = ec.derive_private_key(7, ec.SECP256R1())
    assert secret == known.exchange(ec.ECDH(), known.public_key()).hex()
    signature = asked(directory, "sign", *key, *digest)["signature"]
    words = ["--curve", "P-256", "--public", public, "--signature", signature, *digest]
    assert asked(directory, "verify", *words)["valid"] is True


def test_a_processor_that_stops_is_told(directory):
    """A program of instructions that do not exist: the host says that nothing comes."""
    program = directory.path / "firmware.hex"
    kept = program.read_text()
    program.write_text("00000000\n")
    try:
        with opened_line(directory, 2.0) as opened, pytest.raises((FrameError, OSError)):
            Host(opened)
    finally:
        program.write_text(kept)
