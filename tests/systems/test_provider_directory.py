"""What no provider is made of, and what stands in its settings."""

import shutil
from dataclasses import replace

import pytest
from tests.cores.generated import PUBLIC_KEYS, RSA
from tests.schedules import quick_schedules
from tests.small_curves import TINY

from residua.cores.directory import build
from residua.cores.specification.reading import check_any
from residua.curves.catalogue import find_curve
from residua.errors import SpecificationError
from residua.systems.cores import driver_texts
from residua.systems.provider import provider_directory
from residua.systems.provider.provider_directory import CURVES, ProviderRequest

P256 = {"curve": ["P-256"], "bus": "wishbone", "algorithm": "iddmm"}
OTHER = {**P256, "curve": [TINY]}


@pytest.fixture(scope="module")
def cores(tmp_path_factory):
    folder = tmp_path_factory.mktemp("cores")
    keys = {
        "p256": {**P256, "name": "p256"},
        "axi": {**OTHER, "bus": "axi"},
        "tiny": OTHER,
        "named": {**OTHER, "curve": [{**TINY, "name": "P-256"}]},
        "product": {"algorithm": "r2mm", "modulus": "0x1000b"},
        "private": {**RSA, "bus": "wishbone", "name": "private"},
        "public": {**PUBLIC_KEYS, "bus": "wishbone", "name": "public"},
        "streams": RSA,
    }
    with quick_schedules():
        made = {name: build(check_any(one), folder / name) for name, one in keys.items()}
        yield made | {
            "other": named(made["p256"], "other"),
            "identity": named(made["tiny"], "identity"),
        }


def named(core, name):
    """A core by another name, as far as a request looks at it."""
    path = core.path.parent / name
    shutil.copytree(core.path, path)
    return replace(core, path=path, manifest={**core.manifest, "name": name})


@pytest.mark.parametrize(
    ("names", "message"),
    [
        ([], "a provider has at least one core: give its directory"),
        (["axi"], "bus = 'axi', but a provider reaches cores by registers: build it"),
        (
            ["product"],
            "a provider has coprocessors and cores for RSA, and this is neither: Radix-2",
        ),
        (["streams"], "no bus, but a provider reaches cores by registers: build it with --bus"),
        (["tiny"], "the provider has no curve .*; it has P-256, P-384, Curve25519"),
        (["named"], "named: P-256 is not the curve of this name"),
        (["p256", "p256"], "two cores of one name"),
        (["p256", "other"], "p256 and .*other both have P-256: give one of them"),
        (["identity"], "OpenSSL reads identity in openssl.cnf itself: build the core with another"),
    ],
)
def test_refusals(cores, names, message):
    with pytest.raises(SpecificationError, match=message):
        ProviderRequest(tuple(cores[name] for name in names))


def test_without_headers_nothing_is_made(cores, tmp_path, monkeypatch):
    compiler = tmp_path / "compiler"
    compiler.write_text('#!/bin/sh\nexec cc -nostdinc "$@"\n')
    compiler.chmod(0o755)
    monkeypatch.setenv("CC", str(compiler))
    with pytest.raises(
        SpecificationError, match="no headers of OpenSSL 3 or later: install Debian"
    ):
        provider_directory.build(ProviderRequest((cores["p256"],)), tmp_path / "made")
    assert list(tmp_path.iterdir()) == [compiler]


def test_an_old_version_is_refused(monkeypatch):
    monkeypatch.setattr(provider_directory, "preprocessed", lambda text: 'X\n1 "1.1.1w"\n')
    with pytest.raises(SpecificationError, match="no headers of OpenSSL 3 or later"):
        provider_directory.openssl_version()


def test_a_directory_that_is_taken(cores, tmp_path):
    (tmp_path / "file").write_text("kept")
    with pytest.raises(SpecificationError, match="exists and is not empty"):
        provider_directory.build(ProviderRequest((cores["p256"],)), tmp_path)
    assert (tmp_path / "file").read_text() == "kept"


@pytest.mark.parametrize(("simulated", "device"), [(False, "/dev/uio0"), (True, "simulation")])
def test_texts(cores, simulated, device):
    """A device for each core, and enough polls for its longest operation."""
    request = ProviderRequest((cores["p256"],), simulated=simulated)
    facts = provider_directory._facts(request, "3")
    texts = provider_directory._texts(facts)
    assert f"\np256 = {device}\n" in texts["openssl.cnf"]
    assert "\nGroups = P-256\n" in texts["openssl.cnf"]
    assert '{"prime256v1", "P-256", "secp256r1", NULL}, .tls_group = 23}' in texts["source/cores.c"]
    assert f"| `p256` | P-256 | `{device}` |" in texts["README.md"]
    (core,) = facts["cores"]
    (cycles,) = cores["p256"].made.cycles["operations"]
    assert 64 * core["polls"] > 2 * max(cycles.values())


def test_texts_for_rsa_alone(cores):
    """Keys by length and exponent, no groups of TLS, and both drivers."""
    request = ProviderRequest((cores["private"], cores["public"]))
    facts = provider_directory._facts(request, "3")
    texts = provider_directory._texts(facts)
    assert "Groups" not in texts["openssl.cnf"]
    assert "\nprivate = /dev/uio0\npublic = /dev/uio1\n" in texts["openssl.cnf"]
    assert ".keys = {64, 65537u, 0}," in texts["source/cores.c"]
    assert ".keys = {24, 0u, 24}," in texts["source/cores.c"]
    assert "| `private` | RSA to 64 bits, private, with e = 65537 |" in texts["README.md"]
    assert "| `public` | RSA to 24 bits, public |" in texts["README.md"]
    drivers = driver_texts(request.cores)
    assert {"residua_ecc.h", "residua_modular.h", "private_core.c", "public_core.c"} <= set(drivers)
    for core, found in zip(request.used, facts["cores"], strict=True):
        assert 64 * found["polls"] > 2 * core.directory.manifest["cycles"]["interval"]


def test_every_source_is_in_the_directory(cores):
    """The list of sources is that of the package."""
    folder = provider_directory.files(provider_directory._PACKAGE) / "c"
    texts = provider_directory._texts(
        provider_directory._facts(ProviderRequest((cores["p256"],)), "3")
    )
    made = {name.removeprefix("source/") for name in texts if name.startswith("source/")}
    assert made == {file.name for file in folder.iterdir()} | {"cores.c"}


def test_the_names_of_curves_are_those_of_the_catalogue():
    assert [find_curve(name).name for name in CURVES] == list(CURVES)
