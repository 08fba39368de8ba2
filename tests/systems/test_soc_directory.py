"""What no system is made of, and directories that were changed."""

import json

import pytest
from tests.cores.generated import RSA
from tests.small_curves import TINY

from residua import cli
from residua.cores.directory import build
from residua.cores.specification.reading import check_any
from residua.curves.catalogue import find_curve
from residua.errors import SpecificationError
from residua.systems import host, program, soc_directory
from residua.systems.cores import RsaKeys
from residua.systems.frames import FrameError
from residua.systems.known_answers import known_answers, known_root
from residua.systems.soc_directory import MANIFEST, SocDirectory, SocRequest
from residua.toolchain import riscv

ON_DIGITS = {"curve": [TINY], "algorithm": "iddmm"}


@pytest.fixture(scope="module")
def cores(tmp_path_factory):
    folder = tmp_path_factory.mktemp("cores")
    keys = {
        "wishbone": {"curve": [TINY], "bus": "wishbone", "name": "tiny"},
        "axi-lite": ON_DIGITS | {"bus": "axi-lite", "name": "tiny_lite"},
        "axi": ON_DIGITS | {"bus": "axi", "name": "tiny_axi"},
        "streams": RSA,
        "rsa": {**RSA, "bus": "wishbone", "name": "rsa"},
        "product": {"algorithm": "r2mm", "modulus": "0x1000b"},
    }
    return {name: build(check_any(one), folder / name) for name, one in keys.items()}


@pytest.mark.parametrize(
    ("names", "options", "message"),
    [
        ([], {}, "0 cores: a system has 1 to 16"),
        (["axi"], {}, "bus = 'axi', but a system reaches cores by registers: build it"),
        (
            ["streams"],
            {},
            "no bus, but a system .* build it with --bus wishbone or axi-lite",
        ),
        (
            ["product"],
            {},
            "a system has coprocessors and cores for RSA, and this is neither: Radix-2",
        ),
        (["wishbone", "wishbone"], {}, "two cores have the name tiny: build one with another"),
        (["wishbone"], {"name": "tiny"}, "--name tiny is that of a core"),
        (["wishbone"], {"name": "a-b"}, "--name a-b: give a name of Verilog"),
        (["wishbone"], {"cpu": "z80"}, "--cpu z80: expected one of picorv32"),
        (["wishbone"], {"ram_bytes": 5000}, "--ram 5000: memory has to be a power of two"),
        (["wishbone"], {"ram_bytes": 0}, "--ram 0: memory has to be a power of two"),
        (["wishbone"], {"megahertz": 0.0}, "--clock 0: expected a number above 0"),
        (["wishbone"], {"megahertz": float("nan")}, "--clock nan: expected a number above 0"),
        (["wishbone"], {"megahertz": float("inf")}, "--clock inf: expected a number above 0"),
        (["wishbone"], {"baud": -1}, "--baud -1: expected a number above 0"),
        (["wishbone"], {"baud": 600_000}, "--baud 600000: the program keeps up with 500000 at 50"),
    ],
)
def test_refusals(cores, names, options, message):
    with pytest.raises(SpecificationError, match=message):
        SocRequest(tuple(cores[name] for name in names), **options)


def test_without_a_compiler_nothing_is_made(cores, tmp_path, monkeypatch):
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setattr(riscv, "find_spec", lambda _name: None)
    with pytest.raises(SpecificationError, match="install Debian's gcc-riscv64-unknown-elf"):
        soc_directory.build(SocRequest((cores["wishbone"],)), tmp_path / "soc")
    assert list(tmp_path.iterdir()) == []


def test_without_the_processor_nothing_is_made(cores, tmp_path, monkeypatch):
    monkeypatch.setattr(riscv, "version", lambda: "a compiler")
    monkeypatch.setattr(soc_directory, "find_spec", lambda _name: None)
    with pytest.raises(SpecificationError, match=r"pip install 'residua\[soc\]'"):
        soc_directory.build(SocRequest((cores["wishbone"],)), tmp_path / "soc")
    assert list(tmp_path.iterdir()) == []


def test_a_directory_that_is_taken(cores, tmp_path):
    (tmp_path / "file").write_text("kept")
    with pytest.raises(SpecificationError, match="exists and is not empty"):
        soc_directory.build(SocRequest((cores["wishbone"],)), tmp_path)
    assert (tmp_path / "file").read_text() == "kept"


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (None, "is not a directory that residua soc wrote"),
        ("{", "is not one of residua soc"),
        ("[]", "is not one of residua soc"),
        (json.dumps({"schema": 9, "files": {}}), "has schema 9, and this version reads 2"),
        (
            json.dumps({"schema": 2, "files": {"rtl/soc.v": "00"}}),
            "rtl/soc.v is not as it was made",
        ),
    ],
)
def test_directories_that_are_none(tmp_path, content, message):
    if content is not None:
        (tmp_path / MANIFEST).write_text(content)
    with pytest.raises(SpecificationError, match=message):
        SocDirectory.open(tmp_path)


def test_cores_on_two_buses(cores):
    """Far sides of both, and each core's own port."""
    request = SocRequest((cores["wishbone"], cores["axi-lite"]), core_megahertz=40.0)
    made = soc_directory.hardware(request)
    assert {"rtl/soc_far.v", "rtl/soc_far_axi_lite.v"} <= made.keys()
    modules = [(core.name, core.bus) for core in request.design.cores]
    assert modules == [("tiny_wishbone", "wishbone"), ("tiny_lite_axi_lite", "axi-lite")]


def test_room_for_the_identity(cores):
    """`identify` in `commands.c`: version, cores; names with their lengths; kind and sizes."""
    made = SocRequest((cores["wishbone"],)).made
    curve = (1 + len("tiny") + 1) + (1 + len("tiny") + 1 + 4)
    assert program.identity_bytes(made) == 2 + curve + 1
    both = SocRequest((cores["wishbone"], cores["rsa"])).made
    assert program.identity_bytes(both) == 2 + curve + 1 + (1 + len("rsa") + 1 + 2)
    assert [core.name for core in program.coprocessors(both)] == ["tiny"]
    assert [core.name for core in program.rsa_cores(both)] == ["rsa"]


def test_stack_for_keys(cores):
    """A long key takes more of it than a curve."""
    made = SocRequest((cores["rsa"],)).made
    assert program.stack_bytes(made) == program.STACK_BYTES
    words = program.rsa_cores(made)[0].commanded.words
    assert f"RESIDUA_MODULAR_MAX_WORDS={words}" in program.macros(made)


@pytest.mark.parametrize("keys", [RsaKeys(512, 65537, 0), RsaKeys(64, 0, 16), RsaKeys(96, 0, 64)])
def test_known_roots(keys):
    """The power of the root is the number, by the key that is loaded."""
    known = known_root("core", keys)
    number, result = int.from_bytes(known.number), int.from_bytes(known.result)
    if keys.exponent:
        size = len(known.key) // 5
        p, q, d_p, d_q, coefficient = (
            int.from_bytes(known.key[place : place + size]) for place in range(0, 5 * size, size)
        )
        assert (p * q).bit_length() == keys.bits
        assert pow(result, keys.exponent, p * q) == number
        assert (pow(number, d_p, p), pow(number, d_q, q)) == (result % p, result % q)
        assert coefficient * q % p == 1
    else:
        size = int.from_bytes(known.key[:2], "little")
        n, e = int.from_bytes(known.key[2 : 2 + size]), int.from_bytes(known.key[2 + size :])
        assert n.bit_length() == keys.bits
        assert e.bit_length() <= keys.exponent_bits
        assert pow(number, e, n) == result


@pytest.mark.parametrize("name", ["P-256", "secp256k1", "Curve25519"])
def test_known_answers_are_those_of_another_library(name):
    ec = pytest.importorskip("cryptography.hazmat.primitives.asymmetric.ec")
    x25519 = pytest.importorskip("cryptography.hazmat.primitives.asymmetric.x25519")
    known = known_answers(find_curve(name))
    if name == "Curve25519":
        own = x25519.X25519PrivateKey.from_private_bytes(known.own)
        peer = x25519.X25519PublicKey.from_public_bytes(known.other_public)
        assert own.public_key().public_bytes_raw() == known.own_public
        assert own.exchange(peer) == known.secret
        return
    curve = {"P-256": ec.SECP256R1(), "secp256k1": ec.SECP256K1()}[name]
    key = ec.derive_private_key(int.from_bytes(known.own), curve)
    peer = ec.EllipticCurvePublicKey.from_encoded_point(curve, known.other_public)
    assert key.exchange(ec.ECDH(), peer) == known.secret
    numbers = key.public_key().public_numbers()
    assert known.own_public == b"\x04" + numbers.x.to_bytes(32) + numbers.y.to_bytes(32)


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["soc", "nothing", "-o", "made"], "nothing is not a directory that residua build wrote"),
        (["host", "identify", "nothing"], "nothing is not a directory that residua soc wrote"),
        (["host", "public-key", "nothing", "--key", "xy"], "--key xy: give hexadecimal digits"),
        (["host", "public-key", "nothing", "--key", "@none"], "--key @none: cannot read it: "),
    ],
)
def test_command_line(words, message, capsys, monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("sys.argv", ["residua", *words])
    with pytest.raises(SystemExit) as caught:
        cli.main()
    assert caught.value.code == 2
    assert message in " ".join(capsys.readouterr().err.split())
    assert list(tmp_path.iterdir()) == []


def test_what_a_file_holds_is_not_told(capsys, monkeypatch, tmp_path):
    key = tmp_path / "key"
    key.write_text("0123456789abcdefg")
    words = ["host", "public-key", "nothing", "--key", f"@{key}"]
    monkeypatch.setattr("sys.argv", ["residua", *words])
    with pytest.raises(SystemExit) as caught:
        cli.main()
    assert caught.value.code == 2
    told = capsys.readouterr().err
    assert "give hexadecimal digits" in " ".join(told.split())
    assert "0123456789" not in told


@pytest.mark.parametrize("error", [FrameError("no answer came"), OSError("the line is gone")])
def test_a_simulated_system_that_does_not_answer(error, capsys, monkeypatch, tmp_path):
    (tmp_path / MANIFEST).write_text(json.dumps({"schema": 2, "files": {}}))

    def silent(_directory, _timeout):
        raise error

    monkeypatch.setattr(host, "simulated_host", silent)
    monkeypatch.setattr("sys.argv", ["residua", "host", "identify", str(tmp_path)])
    with pytest.raises(SystemExit) as caught:
        cli.main()
    assert caught.value.code == 2
    assert str(error) in " ".join(capsys.readouterr().err.split())
