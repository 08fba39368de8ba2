"""Handshakes of TLS 1.3, the provider at either end."""

import re

import pytest
from tests.system.provider.runs import Server, connect

NAMES = {"P-256": "prime256v1", "P-384": "secp384r1", "X25519": "X25519"}
"""What OpenSSL says of each group."""


@pytest.mark.parametrize(
    ("group", "signer"), [("P-256", "P-256"), ("X25519", "P-256"), ("P-384", "P-384")]
)
@pytest.mark.parametrize("role", ["server", "client", "both"])
def test_handshake(made, keys, certificates, role, group, signer):
    """With a key share of a group, and a certificate that is signed on a curve."""
    sides = {side: made if role in (side, "both") else None for side in ("server", "client")}
    certificate, key = certificates[signer], keys[signer][0]
    with Server(sides["server"], certificate, key, "-groups", group) as server:
        ended = connect(sides["client"], server, certificate)
    output = ended.stdout.decode()
    assert ended.returncode == 0, ended.stderr.decode()
    assert "Verify return code: 0 (ok)" in output
    assert "New, TLSv1.3" in output
    assert "Peer signature type: ECDSA" in output
    assert re.search(rf"Server Temp Key: .*\b{NAMES[group]}\b", output)
