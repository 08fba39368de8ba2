"""A provider on simulated cores, and keys."""

import shutil

import pytest
from tests.system.provider.runs import CURVES, Key, done

from residua.cores.directory import build
from residua.cores.specification.reading import check_any
from residua.systems.provider import provider_directory
from residua.systems.provider.provider_directory import ProviderRequest

CORES = {"p256": "P-256", "x25519": "Curve25519"}


@pytest.fixture(scope="session")
def cores(tmp_path_factory):
    folder = tmp_path_factory.mktemp("cores")
    return tuple(
        build(check_any({"curve": [curve], "bus": "wishbone", "name": name}), folder / name)
        for name, curve in CORES.items()
    )


@pytest.fixture(scope="session")
def made(cores, tmp_path_factory):
    """The provider's directory."""
    path = tmp_path_factory.mktemp("made") / "provider"
    provider_directory.build(ProviderRequest(cores, simulated=True), path)
    return path


@pytest.fixture
def copy(made, tmp_path):
    """A directory of the provider that a test may change."""
    return shutil.copytree(made, tmp_path / "provider")


@pytest.fixture(scope="session")
def keys(tmp_path_factory):
    """Two keys of each curve, and one of a curve that no core has."""
    folders = [tmp_path_factory.mktemp("own"), tmp_path_factory.mktemp("theirs")]
    return {curve: [Key(one, curve) for one in folders] for curve in (*CURVES, "P-384")}


@pytest.fixture(scope="session")
def message(tmp_path_factory):
    path = tmp_path_factory.mktemp("message") / "message"
    path.write_bytes(b"message")
    return path


@pytest.fixture(scope="session")
def certificate(keys, tmp_path_factory):
    path = tmp_path_factory.mktemp("certificate") / "certificate.pem"
    words = ["-x509", "-key", keys["P-256"][0].private, "-subj", "/CN=localhost", "-out", path]
    done(None, "req", "-config", "/dev/null", *words)
    return path
