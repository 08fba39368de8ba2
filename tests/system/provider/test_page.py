"""The commands of the page about OpenSSL, as they stand there."""

import re
from pathlib import Path

from tests.system.provider.runs import TIMEOUT
from tests.system.shell import PORT, ran

PAGE = Path(__file__).parents[3] / "docs" / "openssl.md"


def test_the_commands(tmp_path):
    """Handshakes with either group, and with a certificate for RSA; a letter."""
    commands = "".join(re.findall(r"```sh\n(.*?)```", PAGE.read_text(), re.DOTALL))
    assert commands.count(PORT) == 5
    output = ran(commands, tmp_path, 10 * TIMEOUT)
    assert "name: residua" in output
    assert output.count("Verify return code: 0 (ok)") >= 3
    assert "Peer signature type: RSA-PSS" in output
    assert "\nsecret\n" in output
    assert "Server Temp Key: X25519" in output
    assert "Server Temp Key: ECDH, prime256v1" in output
