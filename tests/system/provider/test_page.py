"""The commands of the page about OpenSSL, as they stand there."""

import os
import re
import subprocess
import sys
from pathlib import Path

from tests.system.ports import PORT, free_port
from tests.system.provider.runs import TIMEOUT

PAGE = Path(__file__).parents[3] / "docs" / "openssl.md"


def test_the_commands(tmp_path):
    """Handshakes with either group, and with a certificate for RSA; a letter."""
    commands = "".join(re.findall(r"```sh\n(.*?)```", PAGE.read_text(), re.DOTALL))
    assert commands.count(PORT) == 5
    ended = subprocess.run(
        ["bash", "-euc", commands.replace(PORT, free_port())],
        cwd=tmp_path,
        env={
            **os.environ,
            "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}",
        },
        capture_output=True,
        timeout=10 * TIMEOUT,
        check=False,
    )
    output = ended.stdout.decode()
    assert ended.returncode == 0, ended.stderr.decode()
    assert "name: residua" in output
    assert output.count("Verify return code: 0 (ok)") >= 3
    assert "Peer signature type: RSA-PSS" in output
    assert "\nsecret\n" in output
    assert "Server Temp Key: X25519" in output
    assert "Server Temp Key: ECDH, prime256v1" in output
