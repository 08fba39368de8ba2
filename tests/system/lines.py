"""The serial lines of simulated systems."""

from contextlib import contextmanager

import serial

from residua.systems.simulation import simulated


@contextmanager
def opened_line(directory, timeout=60.0):
    """The line of a system that is simulated meanwhile; seconds that it waits for a byte."""
    with (
        simulated(directory) as terminal,
        serial.Serial(terminal, directory.manifest["baud"], timeout=timeout) as line,
    ):
        yield line
