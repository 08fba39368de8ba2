"""Runs of OpenSSL's program, with the provider or with OpenSSL's own implementation alone."""

import os
import re
import subprocess
from pathlib import Path

from residua.evidence.handshakes.watched_core import HEADERS
from residua.systems.provider.provider_directory import SETTINGS
from residua.toolchain.c_compiler import STRICT, compile_library

CURVES = {"P-256": "p256", "P-384": "p384_x25519", "X25519": "p384_x25519"}
"""The core of each curve, by OpenSSL's name of it."""

RSA_BITS = 1024
"""Of the keys that the cores for RSA take."""

OTHER = "P-521"
"""A curve that no core has."""

BROKEN = Path(__file__).with_name("broken_core.c")

TIMEOUT = 60
"""Seconds in which every program ends, whatever the device does."""


def environment(provider, **variables):
    """Where OpenSSL finds the provider; without one it has its own implementation alone."""
    settings = {"OPENSSL_CONF": "/dev/null"}
    if provider:
        settings = {"OPENSSL_CONF": str(provider / SETTINGS), "OPENSSL_MODULES": str(provider)}
    return {**os.environ, **settings, **variables}


def openssl(provider, *words, **variables):
    """A run of the command openssl."""
    return subprocess.run(
        ["openssl", *map(str, words)],
        env=environment(provider, **variables),
        capture_output=True,
        timeout=TIMEOUT,
        check=False,
    )


def done(provider, *words, **variables):
    """The output of a run that has to succeed."""
    ended = openssl(provider, *words, **variables)
    assert ended.returncode == 0, ended.stderr.decode()
    return ended.stdout


def kind(curve):
    """Words for the generation of a key."""
    if curve == "X25519":
        return ["-algorithm", curve]
    return ["-algorithm", "EC", "-pkeyopt", f"ec_paramgen_curve:{curve}"]


def rsa_kind(bits):
    """The same for RSA."""
    return ["-algorithm", "RSA", "-pkeyopt", f"rsa_keygen_bits:{bits}"]


class Key:
    """A key pair in files, made by OpenSSL's own implementation."""

    def __init__(self, folder, name, words=None):
        self.private, self.public = folder / f"{name}.pem", folder / f"{name}.pub"
        done(None, "genpkey", *(words or kind(name)), "-out", self.private)
        done(None, "pkey", "-in", self.private, "-pubout", "-out", self.public)


def derivation(own, theirs):
    return "pkeyutl", "-derive", "-inkey", own.private, "-peerkey", theirs.public


class Server:
    """A server of TLS 1.3 for one client, on a port of its own."""

    def __init__(self, provider, certificate, key, *options, **variables):
        words = ["-accept", "0", "-naccept", "1", "-tls1_3", "-www"]
        self.process = subprocess.Popen(
            ["openssl", "s_server", *words, "-cert", certificate, "-key", key.private, *options],
            env=environment(provider, **variables),
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
        )

    def __enter__(self):
        for line in self.process.stdout:
            if found := re.match(rb"ACCEPT .*:(\d+)", line):
                self.port = found[1].decode()
                return self
        raise AssertionError("the server does not start")

    def __exit__(self, *_):
        try:
            self.output = self.process.communicate(timeout=TIMEOUT)[0]
        finally:
            self.process.kill()
            self.process.wait()


def connect(provider, server, certificate, *options, **variables):
    """A client's handshake; how it ended."""
    words = ["-connect", f"localhost:{server.port}", "-tls1_3", "-CAfile", certificate]
    return subprocess.run(
        ["openssl", "s_client", *words, "-verify_return_error", *options],
        env=environment(provider, **variables),
        input=b"",
        capture_output=True,
        timeout=TIMEOUT,
        check=False,
    )


def broken(copy, curve, how, after, registers=()):
    """Put a core that breaks in the place of a core; what its library has to know.

    The core is that of a curve, or one by its name. ``registers`` are flags that tell it where
    several coprocessors have requests and results.
    """
    name = CURVES.get(curve, curve)
    place = copy / f"{name}_simulation.so"
    real = place.rename(copy / f"{name}_real.so")
    top = registers or [f"-DTOP={name}_wishbone"]
    compile_library(
        [BROKEN],
        place,
        includes=[HEADERS],
        flags=(*STRICT, "-fPIC", "-shared", "-D_GNU_SOURCE", *top),
        needs=["dl"],
    )
    return {"BROKEN_REAL": str(real), "BROKEN_HOW": how, "BROKEN_AFTER": str(after)}


def all_fail(copy, keys, message, variables):
    """See that operations on P-256 end with an error of this provider, and give nothing."""
    own, theirs = keys["P-256"]
    for words in (
        derivation(own, theirs),
        ("dgst", "-sha256", "-sign", own.private, message),
        ("genpkey", *kind("P-256")),
    ):
        ended = openssl(copy, *words, **variables)
        assert ended.returncode == 1, ended.stderr
        assert ":residua:" in ended.stderr.decode()
        assert ended.stdout == b""
