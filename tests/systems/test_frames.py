"""Frames on a serial line."""

import io

import pytest

from residua.systems.frames import LONGEST, FrameError, framed, receive, send


def test_a_known_frame():
    """CRC-16 with the polynomial 0x1021 from 0xFFFF on: of "123456789" it is 0x29B1."""
    body = b"3456789"
    assert framed(body)[:3] == b"\xa5\x07\x00"
    assert framed(body)[3:-2] == body
    counted = b"\x07\x00" + body
    crc = 0xFFFF
    for byte in counted:
        crc ^= byte << 8
        for _ in range(8):
            crc = (crc << 1 ^ (0x1021 if crc & 0x8000 else 0)) & 0xFFFF
    assert framed(body)[-2:] == crc.to_bytes(2, "little")


@pytest.mark.parametrize("body", [b"", b"\xa5", bytes(range(256)), bytes(LONGEST)])
def test_what_is_sent_is_received(body):
    line = io.BytesIO(b"noise\x00" + framed(body) + b"more")
    assert receive(line) == body
    assert line.read() == b"more"
    sent = io.BytesIO()
    send(sent, body)
    assert sent.getvalue() == framed(body)


def test_a_body_that_is_too_long():
    with pytest.raises(ValueError, match="65536 bytes: a frame holds at most 65535"):
        framed(bytes(LONGEST + 1))


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "no answer came"),
        (b"noise", "no answer came"),
        (framed(b"body")[:2], "1 of 2 bytes"),
        (framed(b"body")[:5], "2 of 4 bytes"),
        (framed(b"body")[:-1], "1 of 2 bytes"),
    ],
)
def test_what_does_not_come(content, message):
    with pytest.raises(FrameError, match=message):
        receive(io.BytesIO(content))


@pytest.mark.parametrize("place", range(1, 9))
def test_every_wrong_bit_is_seen(place):
    for bit in range(8):
        content = bytearray(framed(b"body"))
        content[place] ^= 1 << bit
        with pytest.raises(FrameError):
            receive(io.BytesIO(bytes(content)))
