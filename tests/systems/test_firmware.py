"""The program of a system, compiled for this machine: frames and commands that are wrong."""

import io
import random
import subprocess
from importlib.resources import files
from pathlib import Path

import pytest

from residua.cores.coprocessor.driver.files import library
from residua.cores.modular_bus.driver.files import library as rsa_library
from residua.systems.frames import framed, receive
from residua.toolchain.c_compiler import STRICT, compile_program

SANITIZED = ("-fsanitize=address,undefined", "-fno-sanitize-recover=all", "-D_DEFAULT_SOURCE")
NAMES = ("bytes", "commands", "frames", "rsa_commands")
OWN = ("main.c", "board.h", *(name + ending for name in NAMES for ending in (".c", ".h")))
BOARD = Path(__file__).with_name("board.c")

IDENTITY = (
    bytes([0, 0, 2, 1])
    + b"\x06absent\x01\x04none\x00\x01\x00\x01\x00"
    + b"\x01\x07private\x01\x04\x00"
)
BROKEN, TOO_LONG, CUT_OFF, LOST = -100, -101, -102, -103
UNKNOWN, NO_DEVICE, NO_CURVE, SIZE, NO_CORE = -110, -111, -112, -113, -1


KNOWN = """#include "commands.h"
#include "rsa_commands.h"
const struct commands_known commands_known[1];
const size_t commands_known_count = 0;
const struct rsa_commands_known rsa_commands_known[1];
const size_t rsa_commands_known_count = 0;
"""
"""No known answers: the board of these tests has no core to ask."""


def compiled(folder, old="", new=""):
    """The program with a text of its sources replaced, and all that a sanitizer sees."""
    firmware = Path(str(files("residua.systems"))) / "firmware"
    texts = {name: (firmware / name).read_text().replace(old, new) for name in OWN}
    texts |= library() | rsa_library() | {"known.c": KNOWN, "board.c": BOARD.read_text()}
    for name, text in texts.items():
        (folder / name).write_text(text)
    sizes = ["-DRESIDUA_ECC_MAX_WORDS=1", "-DRESIDUA_MODULAR_MAX_WORDS=1"]
    flags = [*STRICT, *SANITIZED, *sizes, "-Wno-missing-field-initializers"]
    sources = sorted(folder.glob("*.c"))
    return compile_program(sources, folder / "program", includes=[folder], flags=flags)


@pytest.fixture(scope="module")
def program(tmp_path_factory):
    """The program, which reads requests and writes answers."""
    return compiled(tmp_path_factory.mktemp("firmware"))


def answers(program, content):
    """What the program answers to bytes."""
    done = subprocess.run([program], input=content, capture_output=True, timeout=120, check=False)
    assert (done.returncode, done.stderr) == (0, b"")
    line, found = io.BytesIO(done.stdout), []
    while line.tell() < len(done.stdout):
        found.append(receive(line))
    return found


def code(answer):
    assert len(answer) == 2
    return int.from_bytes(answer, "little", signed=True)


def test_it_tells_its_cores(program):
    assert answers(program, framed(b"\x00") * 2) == [IDENTITY] * 2


@pytest.mark.parametrize(
    ("request_", "wrong"),
    [
        (b"", SIZE),
        (b"\x00\x00", SIZE),
        (b"\x01\x00", SIZE),
        (b"\x01", NO_CORE),
        (b"\x03", SIZE),
        (b"\x02\x00", SIZE),
        (b"\x02\x00\x00k", NO_DEVICE),
        (b"\x02\x01\x00k", NO_DEVICE),
        (b"\x07\x00", SIZE),
        (b"\x07\x00k", NO_DEVICE),
        (b"\x09\x01x", NO_DEVICE),
        (b"\x0a\xffx", NO_DEVICE),
        (b"\x0b\x00\x00", UNKNOWN),
        (b"\xff", UNKNOWN),
        (bytes(1000), TOO_LONG),
    ],
)
def test_requests_that_are_wrong(program, request_, wrong):
    first, second = answers(program, framed(request_) + framed(b"\x00"))
    assert code(first) == wrong
    assert second == IDENTITY


def test_noise_between_frames_is_skipped(program):
    noise = bytes(byte for byte in range(256) if byte not in (0xA5, 0xEE))
    assert answers(program, noise + framed(b"\x00") + noise + framed(b"\x00")) == [IDENTITY] * 2


@pytest.mark.parametrize("place", range(3, 6))
def test_a_wrong_bit_is_told(program, place):
    content = bytearray(framed(b"\x00"))
    content[place] ^= 16
    first, second = answers(program, bytes(content) + framed(b"\x00"))
    assert code(first) == BROKEN
    assert second == IDENTITY


@pytest.mark.parametrize("kept", range(1, 6))
def test_a_frame_that_is_cut_off_is_told(program, kept):
    (only,) = answers(program, framed(b"\x00")[:kept])
    assert code(only) == CUT_OFF


def test_lost_bytes_are_told(program):
    content = framed(b"\x02\x00\x00")
    first, second = answers(program, content[:4] + b"\xee" + framed(b"\x00"))
    assert code(first) == LOST
    assert second == IDENTITY


def test_any_bytes_at_all(program):
    """Whatever comes, each answer is whole, and a good request that follows is answered."""
    draw = random.Random(7)
    for _ in range(12):
        parts = []
        for _ in range(30):
            body = draw.randbytes(draw.choice([0, 1, 2, 3, 4, 9, 40]))
            frame = bytearray(framed(body))
            if draw.random() < 0.5:
                frame[draw.randrange(len(frame))] ^= 1 << draw.randrange(8)
            cut = draw.randrange(len(frame)) if draw.random() < 0.3 else len(frame)
            parts.append(bytes(frame[:cut]))
        # A frame that was cut off ends within the longest one.
        found = answers(program, b"".join(parts) + bytes(0x10000 + 5) + framed(b"\x00"))
        assert found[-1] == IDENTITY
        assert all(len(answer) == 2 or answer == IDENTITY for answer in found)


def test_a_reader_that_writes_beyond_its_room_is_found(program, tmp_path):
    long = framed(bytes(60000))
    assert code(answers(program, long)[0]) == TOO_LONG
    changed = compiled(tmp_path, "if ((size_t)i < room)", "if (room)")
    done = subprocess.run([changed], input=long, capture_output=True, timeout=120, check=False)
    assert b"AddressSanitizer" in done.stderr
