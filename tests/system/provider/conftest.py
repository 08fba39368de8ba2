"""A provider on simulated cores, and keys."""

import shutil

import pytest
from tests.system.provider.runs import CURVES, OTHER, RSA_BITS, Key, done, rsa_kind

from residua.cores.directory import build
from residua.cores.specification.reading import check_any
from residua.systems.provider import provider_directory
from residua.systems.provider.provider_directory import ProviderRequest

CORES = {"p256": ["P-256"], "p384_x25519": ["P-384", "Curve25519"]}


INSTANCES = 4
"""Coprocessors behind one bus, where there are several."""


@pytest.fixture(scope="session")
def cores(tmp_path_factory):
    folder = tmp_path_factory.mktemp("cores")
    return tuple(
        build(check_any({"curve": curves, "bus": "wishbone", "name": name}), folder / name)
        for name, curves in CORES.items()
    )


@pytest.fixture(scope="session")
def made(cores, tmp_path_factory):
    """The provider's directory."""
    path = tmp_path_factory.mktemp("made") / "provider"
    provider_directory.build(ProviderRequest(cores, simulated=True), path)
    return path


@pytest.fixture(scope="session")
def several_cores(cores, tmp_path_factory):
    """The same, but for four coprocessors for P-256 behind one bus."""
    keys = {"curve": ["P-256"], "bus": "wishbone", "name": "p256", "instances": INSTANCES}
    return build(check_any(keys), tmp_path_factory.mktemp("several") / "p256"), cores[1]


@pytest.fixture(scope="session")
def made_several(several_cores, tmp_path_factory):
    """The directory of their provider."""
    path = tmp_path_factory.mktemp("made_several") / "provider"
    provider_directory.build(ProviderRequest(several_cores, simulated=True), path)
    return path


RSA = {
    "rsa": {"algorithm": "rsa-crt", "bits": RSA_BITS, "digit": 32},
    "public": {
        "algorithm": "modexp", "unit": "rns-montgomery", "exponent": "loaded", "bits": RSA_BITS,
        "width": 34,
    },
}  # fmt: skip


@pytest.fixture(scope="session")
def rsa_cores(tmp_path_factory):
    """One core for private keys, one for public ones."""
    folder = tmp_path_factory.mktemp("rsa_cores")
    return tuple(
        build(check_any({**keys, "bus": "wishbone", "name": name}), folder / name)
        for name, keys in RSA.items()
    )


@pytest.fixture(scope="session")
def made_rsa(rsa_cores, tmp_path_factory):
    """The directory of their provider."""
    path = tmp_path_factory.mktemp("made_rsa") / "provider"
    provider_directory.build(ProviderRequest(rsa_cores, simulated=True), path)
    return path


@pytest.fixture(scope="session")
def made_private(rsa_cores, tmp_path_factory):
    """The directory of a provider without the core for public keys."""
    path = tmp_path_factory.mktemp("made_private") / "provider"
    provider_directory.build(ProviderRequest(rsa_cores[:1], simulated=True), path)
    return path


@pytest.fixture(scope="session")
def rsa_keys(tmp_path_factory):
    """Two keys that the cores take, and one that is too long for them."""
    folder = tmp_path_factory.mktemp("rsa_keys")
    sizes = {"own": RSA_BITS, "theirs": RSA_BITS, "long": 2 * RSA_BITS}
    return {name: Key(folder, name, rsa_kind(bits)) for name, bits in sizes.items()}


@pytest.fixture
def copy(made, tmp_path):
    """A directory of the provider that a test may change."""
    return shutil.copytree(made, tmp_path / "provider")


@pytest.fixture(scope="session")
def keys(tmp_path_factory):
    """Two keys of each curve, and one of a curve that no core has."""
    folders = [tmp_path_factory.mktemp("own"), tmp_path_factory.mktemp("theirs")]
    return {curve: [Key(one, curve) for one in folders] for curve in (*CURVES, OTHER)}


@pytest.fixture(scope="session")
def message(tmp_path_factory):
    path = tmp_path_factory.mktemp("message") / "message"
    path.write_bytes(b"message")
    return path


@pytest.fixture(scope="session")
def certificates(keys, tmp_path_factory):
    """A certificate of each curve's own key."""
    folder, found = tmp_path_factory.mktemp("certificates"), {}
    for curve in ("P-256", "P-384"):
        found[curve] = folder / f"{curve}.pem"
        words = ["-x509", "-key", keys[curve][0].private, "-subj", "/CN=localhost"]
        done(None, "req", "-config", "/dev/null", *words, "-out", found[curve])
    return found
