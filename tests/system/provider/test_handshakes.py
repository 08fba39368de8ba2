"""Handshakes of TLS 1.3, the provider at either end."""

import pytest
from tests.system.provider.runs import CURVES, Server, connect


@pytest.mark.parametrize("group", CURVES)
@pytest.mark.parametrize("role", ["server", "client", "both"])
def test_handshake(made, keys, certificate, role, group):
    sides = {side: made if role in (side, "both") else None for side in ("server", "client")}
    with Server(sides["server"], certificate, keys["P-256"][0], "-groups", group) as server:
        ended = connect(sides["client"], server, certificate)
    output = ended.stdout.decode()
    assert ended.returncode == 0, ended.stderr.decode()
    assert "Verify return code: 0 (ok)" in output
    assert "New, TLSv1.3" in output
    assert {"P-256": "prime256v1", "X25519": "X25519"}[group] in output
