"""Ports of this machine for what the pages have at one port."""

import socket

PORT = "4433"
"""That of the pages."""


def free_port():
    with socket.socket() as found:
        found.bind(("localhost", 0))
        return str(found.getsockname()[1])
