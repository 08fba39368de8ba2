"""A system with several coprocessors behind one bus: its self-test and requests of a host."""

import re
from contextlib import contextmanager

import pytest
from tests.small_curves import TINY
from tests.system.lines import opened_line

from residua.cores.directory import build
from residua.cores.specification.reading import check_any
from residua.curves import affine
from residua.curves.parameters import curve_from_parameters
from residua.systems import soc_directory
from residua.systems.host import Host, HostError
from residua.systems.soc_directory import SocRequest

INSTANCES = 3
CURVE = curve_from_parameters(TINY)


@pytest.fixture(scope="module", params=[None, 73.0], ids=["one clock", "own clock"])
def system(request, tmp_path_factory):
    folder = tmp_path_factory.mktemp("system")
    keys = {"curve": [TINY], "bus": "wishbone", "name": "tiny", "instances": INSTANCES}
    core = build(check_any(keys), folder / "core")
    asked = SocRequest((core,), baud=500_000, core_megahertz=request.param)
    return soc_directory.build(asked, folder / "soc")


@contextmanager
def booted(directory):
    """The host of a simulation."""
    with opened_line(directory) as line:
        yield Host(line)


def encoded(point, size):
    return b"\x04" + b"".join(part.to_bytes(size) for part in point)


def test_it_answers(system):
    """The self-test has the secret of every coprocessor, beside the four answers of any core."""
    with booted(system) as host:
        (curve,) = host.curves
        assert host.self_test() == 4 + INSTANCES
        key, digest = (1234).to_bytes(curve.order_size), b"\x12\x34"
        public = host.public_key(curve, key)
        assert public == encoded(affine.multiply(CURVE, 1234, CURVE.base_point), curve.field_size)
        peer = affine.multiply(CURVE, 77, CURVE.base_point)
        secret = affine.multiply(CURVE, 1234, peer)[0].to_bytes(curve.field_size)
        assert host.ecdh(curve, key, encoded(peer, curve.field_size)) == secret
        signature = host.sign(curve, key, digest)
        assert host.verify(curve, public, signature, digest)
        assert not host.verify(curve, public, signature, b"\x12\x35")
        assert host.self_test() == 4 + INSTANCES


@pytest.mark.parametrize("number", range(INSTANCES))
def test_one_that_is_wrong_is_found(system, number):
    """Operands of one of them have a bit that is wrong: all others would answer well."""
    path = next(path for path in system.sources if path.name == "tiny_wishbone_x3.v")
    kept = path.read_text()
    changed, count = re.subn(
        rf"(core_{number} \((?:[^;]*?)\.operands_payload\()(\w+)\)", r"\1\2 ^ 32'd2)", kept
    )
    assert count == 1
    path.write_text(changed)
    try:
        with booted(system) as host, pytest.raises(HostError):
            host.self_test()
    finally:
        path.write_text(kept)
