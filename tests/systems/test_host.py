"""The host, in front of a system that answers what a test says."""

import io
import re
from importlib.resources import files

import pytest

from residua.errors import SpecificationError
from residua.systems import host
from residua.systems.frames import FrameError, framed, receive
from residua.systems.host import Command, Host, HostError

CURVES = (
    bytes([2, 2])
    + b"\x03ecc\x02" + b"\x05P-256\x00\x20\x00\x20\x00" + b"\x02K1\x00\x20\x00\x21\x00"
    + b"\x01x\x01" + b"\x0aCurve25519\x01\x20\x00\x20\x00"
    + b"\x02\x03rsa\x01\x80\x00" + b"\x06public\x02\x00\x01"
)  # fmt: skip
OK = bytes(2)


class Line:
    """A line with these answers at its other end; it keeps the requests."""

    def __init__(self, *answers):
        self.answers, self.requests = list(answers), []
        self.content = io.BytesIO()

    def write(self, content):
        self.requests.append(receive(io.BytesIO(content)))
        self.content = io.BytesIO(framed(self.answers.pop(0)) if self.answers else b"")

    def read(self, size=1):
        return self.content.read(size)


def system(*answers):
    line = Line(OK + CURVES, *answers)
    return Host(line), line


def test_curves():
    found, _ = system()
    assert [(one.core, one.name) for one in found.curves] == [
        ("ecc", "P-256"), ("ecc", "K1"), ("x", "Curve25519"),
    ]  # fmt: skip
    last = found.find("Curve25519")
    assert (last.device, last.number, last.key_size, last.point_size) == (1, 0, 32, 32)
    second = found.find("K1", "ecc")
    assert (second.device, second.number, second.key_size, second.point_size) == (0, 1, 33, 65)


def test_rsa_cores():
    found, line = system(OK, OK + b"root", OK, OK + b"power", (12).to_bytes(2, "little"))
    own, public = found.find_rsa(private=True), found.find_rsa(private=False)
    assert (own.device, own.name, own.size) == (0, "rsa", 128)
    assert (public.device, public.name, public.size) == (1, "public", 256)
    found.load_rsa(own, b"key")
    assert found.rsa(own, b"x") == b"root"
    found.load_rsa(public, b"n e")
    assert found.rsa(public, b"x") == b"power"
    assert line.requests[1:] == [b"\x07\x00key", b"\x09\x00x", b"\x08\x01n e", b"\x0a\x01x"]
    with pytest.raises(HostError, match=r"NOT_LOADED \(12\)"):
        found.rsa(own, b"x")
    with pytest.raises(SpecificationError, match=r"no core for private RSA keys fits: .* rsa, pub"):
        found.find_rsa(private=True, core="public")


@pytest.mark.parametrize("asked", [(None, "ecc"), (None, None), ("P-384", None), ("K1", "x")])
def test_a_curve_has_to_be_named(asked):
    found, _ = system()
    with pytest.raises(SpecificationError, match=r"P-256 \(core ecc\), K1 .* give --curve"):
        found.find(*asked)


def test_requests():
    answers = [b"\x04\x00", b"key", b"secret", b"point", b"rs", b"\xa5\x3c", b"\x5a\x43"]
    found, line = system(*(OK + answer for answer in answers))
    curve = found.find("K1")
    assert found.self_test() == 4
    assert found.public_key(curve, b"k") == b"key"
    assert found.ecdh(curve, b"k", b"peer") == b"secret"
    assert found.multiply(curve, b"k", b"P") == b"point"
    assert found.sign(curve, b"k", b"digest") == b"rs"
    assert found.verify(curve, b"Q", b"rs", b"digest") is True
    assert found.verify(curve, b"Q", b"rs", b"digest") is False
    head = [bytes([command, 0, 1]) for command in range(7)]
    assert line.requests == [
        b"\x00", b"\x01", head[2] + b"k", head[3] + b"kpeer", head[6] + b"kP", head[4] + b"kdigest",
        head[5] + b"Qrsdigest", head[5] + b"Qrsdigest",
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("code", "message"),
    [(4, r"NOT_ON_CURVE \(4\)"), (-113, "not as many bytes"), (-1, "no such core"), (99, "99")],
)
def test_refusals(code, message):
    found, _ = system(code.to_bytes(2, "little", signed=True))
    with pytest.raises(HostError, match=message) as caught:
        found.public_key(found.curves[0], b"k")
    assert caught.value.code == code


@pytest.mark.parametrize("answer", [OK + b"\x00", OK + b"\x00\x00", OK + b"\xa5\x3c\x00"])
def test_a_verdict_is_one_of_two(answer):
    found, _ = system(answer)
    with pytest.raises(FrameError, match="a verification gave"):
        found.verify(found.curves[0], b"Q", b"rs", b"digest")


@pytest.mark.parametrize("answer", [b"", b"\x00"])
def test_an_answer_without_a_code(answer):
    found, _ = system(answer)
    with pytest.raises(FrameError, match="has no code"):
        found.self_test()


@pytest.mark.parametrize(
    "answer", [b"\x01", b"", CURVES[:-1], CURVES + b"\x00", CURVES.replace(b"K1", b"K\xff")]
)
def test_another_description(answer):
    with pytest.raises(FrameError, match=r"another form|version 1 of the commands, not 2"):
        Host(Line(OK + answer))


def test_a_port_that_is_none():
    with (
        pytest.raises(SpecificationError, match="--port /dev/none: "),
        host.opened("/dev/none", 9600, 1.0),
    ):
        pass


def constants(name):
    """The numbers of the firmware's header by name."""
    text = (files("residua.systems") / "firmware" / name).read_text()
    return {key: int(value) for key, value in re.findall(r"(\w+) = (-?\d+)\b", text)}


def test_numbers_are_those_of_the_program():
    own = constants("commands.h")
    commands = {k: v for k, v in own.items() if k.startswith("COMMAND_")}
    assert commands == {f"COMMAND_{command.name}": command.value for command in Command}
    errors = {v for k, v in (own | constants("frames.h")).items() if v < 0}
    assert errors == {code for code in host.CODES if code <= -100}
    text = (files("residua.systems") / "firmware" / "commands.h").read_text()
    assert f"#define COMMANDS_VERSION {host.VERSION}u" in text
