"""Cores that are missing or break: every operation fails, nothing hangs, nobody takes its place."""

import fcntl
import struct
import time

import pytest
from tests.system.provider.runs import (
    CURVES,
    TIMEOUT,
    Server,
    all_fail,
    broken,
    connect,
    derivation,
    done,
    openssl,
)

from residua.hardware.bus.register_map import RegisterMap
from residua.systems.provider.provider_directory import SETTINGS

HOW = ["ones", "zeros", "frozen", "noise", "bus"]
AFTER = [0, 2, 30, 1000]
"""Accesses before it breaks: at once, when it is looked at, when it takes numbers, in the midst."""


@pytest.mark.parametrize("after", AFTER)
@pytest.mark.parametrize("how", HOW)
def test_a_core_that_breaks(copy, keys, message, how, after):
    """Operations fail, with an error of this provider; none is done by another one."""
    variables = broken(copy, "P-256", how, after)
    begun = time.monotonic()
    all_fail(copy, keys, message, variables)
    assert time.monotonic() - begun < TIMEOUT
    # Another core is still there.
    assert len(done(copy, *derivation(*keys["X25519"]), **variables)) == 32


def test_a_core_that_breaks_makes_no_signature_valid(copy, keys, message, tmp_path):
    key, found = keys["P-256"][0], tmp_path / "signature"
    done(None, "dgst", "-sha256", "-sign", key.private, "-out", found, message)
    variables = broken(copy, "P-256", "ones", 1000)
    words = "dgst", "-sha256", "-verify", key.public, "-signature", found, message
    ended = openssl(copy, *words, **variables)
    assert ended.returncode == 1
    assert b"OK" not in ended.stdout


@pytest.mark.parametrize("group", CURVES)
@pytest.mark.parametrize("role", ["server", "client"])
def test_no_handshake_with_a_core_that_breaks(copy, keys, certificates, role, group):
    """Neither side falls back to another implementation, group or certificate, and none hangs."""
    variables, certificate = broken(copy, group, "zeros", 1000), certificates["P-256"]
    sides = {side: copy if role == side else None for side in ("server", "client")}
    with Server(sides["server"], certificate, keys["P-256"][0], "-groups", group, **variables) as (
        server
    ):
        ended = connect(sides["client"], server, certificate, **variables)
    assert ended.returncode == 1
    assert "New, TLSv1.3" not in ended.stdout.decode()
    told = server.output if role == "server" else ended.stderr
    assert ":residua:" in told.decode()


def changed(copy, old, new):
    """Replace a line of the settings."""
    path = copy / SETTINGS
    text = path.read_text()
    assert text.count(f"\n{old}\n") == 1
    path.write_text(text.replace(f"\n{old}\n", f"\n{new}\n"))


@pytest.mark.parametrize(
    ("new", "reason"),
    [
        ("p256 = /nowhere", "the device of the core cannot be opened"),
        ("p256 = /dev/null", "the device of the core cannot be opened"),
        ("p256 = uio0", "the provider's section in openssl.cnf names no such device"),
        ("# none", "the provider's section in openssl.cnf names no such device"),
    ],
)
def test_devices_that_are_none(copy, keys, new, reason):
    changed(copy, "p256 = simulation", new)
    ended = openssl(copy, *derivation(*keys["P-256"]))
    assert ended.returncode == 1
    assert ended.stdout == b""
    assert reason in ended.stderr.decode()


def test_wrong_settings_end_the_program(copy, keys):
    changed(copy, "default_properties = ?provider=residua", "default_properties = ?provider=")
    ended = openssl(copy, *derivation(*keys["P-256"]))
    assert ended.returncode != 0
    assert ended.stdout == b""


PAGE = 4096


def page(registers, content):
    """A page of registers, as Linux gives those of a device to programs."""
    words = bytearray(PAGE)
    for name, value in content.items():
        struct.pack_into("<I", words, registers[name].address, value)
    return bytes(words)


def test_a_mapped_device(copy, cores, keys):
    """A page that looks like the core, and always takes another word, but never ends.

    The driver's accesses reach it: the operation, its last operand word, and the zeroisation.
    """
    registers, device = RegisterMap(cores[0].made.capabilities), copy / "device"
    status = registers["STATUS"].fields["operand_ready"].mask
    same = {name: registers[name].reset for name in ("ID", "VERSION", "CAPABILITY", "OPERATIONS")}
    device.write_bytes(page(registers, same | {"STATUS": status}))
    changed(copy, "p256 = simulation", f"p256 = {device}")
    ended = openssl(copy, *derivation(*keys["P-256"]))
    assert ended.returncode == 1
    assert "the core makes no progress" in ended.stderr.decode()
    after = device.read_bytes()

    def word(name):
        return struct.unpack_from("<I", after, registers[name].address)[0]

    operation = registers["CONTROL"].fields["operation"]
    assert operation.extract(word("CONTROL")) == registers.operations["x_multiply"]
    assert word("OPERAND") != 0
    assert word("ZEROISE") == registers.zeroise_key


@pytest.mark.parametrize("content", [bytes(PAGE), b"\xff" * PAGE])
def test_a_mapped_device_that_is_another(copy, keys, content):
    device = copy / "device"
    device.write_bytes(content)
    changed(copy, "p256 = simulation", f"p256 = {device}")
    ended = openssl(copy, *derivation(*keys["P-256"]))
    assert ended.returncode == 1
    assert "the device holds no such core" in ended.stderr.decode()
    assert device.read_bytes() == content


def test_a_mapped_device_that_is_too_short(copy, keys):
    device = copy / "device"
    device.write_bytes(bytes(PAGE - 1))
    changed(copy, "p256 = simulation", f"p256 = {device}")
    ended = openssl(copy, *derivation(*keys["P-256"]))
    assert ended.returncode == 1
    assert "no page of registers" in ended.stderr.decode()


def test_a_mapped_device_that_is_taken(copy, keys):
    """Another process that does not give it back is waited for, but not for ever."""
    device = copy / "device"
    device.write_bytes(bytes(PAGE))
    changed(copy, "p256 = simulation", f"p256 = {device}")
    with device.open() as opened:
        fcntl.flock(opened, fcntl.LOCK_EX)
        ended = openssl(copy, *derivation(*keys["P-256"]))
    assert ended.returncode == 1
    assert "another process does not give the core back" in ended.stderr.decode()
