"""Commands of a page in a shell, as they stand there."""

import os
import socket
import subprocess
import sys
from pathlib import Path

PORT = "4433"
"""The port of the pages, in whose place is a free one."""


def free_port():
    with socket.socket() as found:
        found.bind(("localhost", 0))
        return str(found.getsockname()[1])


def ran(commands, folder, timeout):
    """What commands print in a folder; each of them has to succeed."""
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    ended = subprocess.run(
        ["bash", "-euxo", "pipefail", "-c", commands.replace(PORT, free_port())],
        cwd=folder,
        env={**os.environ, "PATH": path},
        capture_output=True,
        timeout=timeout,
        check=False,
    )
    assert ended.returncode == 0, ended.stderr.decode()
    return ended.stdout.decode()
