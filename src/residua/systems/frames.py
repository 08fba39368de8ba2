"""Frames on a serial line, as `firmware/frames.h` describes them, seen from the host."""

from binascii import crc_hqx
from typing import Protocol

BEGIN = 0xA5
"""The first byte of a frame."""

LONGEST = 0xFFFF
"""Bytes of a body, at most."""

_FIRST_SUM = 0xFFFF


class Line(Protocol):
    """A serial line; `serial.Serial` is one."""

    def write(self, content: bytes, /) -> int | None:
        """Send bytes."""

    def read(self, size: int = 1, /) -> bytes:
        """Receive bytes: fewer, or none, if no more come in time."""


class FrameError(RuntimeError):
    """What came was no whole frame, or none came."""


def framed(body: bytes) -> bytes:
    """A body in its frame.

    Raises:
        ValueError: it is longer than `LONGEST`.
    """
    if len(body) > LONGEST:
        raise ValueError(f"a body of {len(body)} bytes: a frame holds at most {LONGEST}")
    counted = len(body).to_bytes(2, "little") + body
    return bytes([BEGIN]) + counted + crc_hqx(counted, _FIRST_SUM).to_bytes(2, "little")


def send(line: Line, body: bytes) -> None:
    """Send a body in its frame."""
    line.write(framed(body))


def receive(line: Line) -> bytes:
    """Receive the body of the next frame; what is before it is skipped.

    Raises:
        FrameError: none came in time, it was cut off, or its sum is another one.
    """
    while (begin := line.read(1)) != bytes([BEGIN]):
        if not begin:
            raise FrameError("no answer came: the system does not run, or the rate is another one")
    size = _read(line, 2)
    body = _read(line, int.from_bytes(size, "little"))
    found = int.from_bytes(_read(line, 2), "little")
    if found != crc_hqx(size + body, _FIRST_SUM):
        raise FrameError("an answer came broken: the sum of its bytes is another one")
    return body


def _read(line: Line, size: int) -> bytes:
    content = line.read(size)
    if len(content) < size:
        raise FrameError(f"an answer was cut off: {len(content)} of {size} bytes came")
    return content
