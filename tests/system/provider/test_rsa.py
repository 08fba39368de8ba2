"""RSA keys of the provider, compared with OpenSSL's own implementation."""

import shutil

import pytest
from tests.system.provider.runs import Server, broken, connect, done, openssl, rsa_kind

PSS = ("-sigopt", "rsa_padding_mode:pss")
PADDINGS = {
    "pkcs1": (),
    "salt of the digest": (*PSS, "-sigopt", "rsa_pss_saltlen:digest"),
    "longest salt": (*PSS, "-sigopt", "rsa_pss_saltlen:max"),
    "no salt": (*PSS, "-sigopt", "rsa_pss_saltlen:0"),
    "another mask": (*PSS, "-sigopt", "rsa_mgf1_md:sha512"),
}
LEVEL = ("-cipher", "DEFAULT@SECLEVEL=1")
"""TLS with keys of 1024 bits."""


def verified(provider, key, digest, padding, found, message):
    """Whether a signature is taken for a right one."""
    words = f"-{digest}", "-verify", key.public, "-signature", found, *PADDINGS[padding], message
    return openssl(provider, "dgst", *words).stdout == b"Verified OK\n"


@pytest.mark.parametrize("padding", PADDINGS)
@pytest.mark.parametrize("digest", ["sha1", "sha256", "sha384"])
@pytest.mark.parametrize("sides", [(True, False), (False, True), (True, True)])
def test_signatures(made_rsa, rsa_keys, message, tmp_path, padding, digest, sides):
    """Each side verifies what the other one signed, and nothing else."""
    signs, verifies = (made_rsa if side else None for side in sides)
    key, other, found = rsa_keys["own"], rsa_keys["theirs"], tmp_path / "signature"
    words = f"-{digest}", "-sign", key.private, *PADDINGS[padding], "-out", found, message
    done(signs, "dgst", *words)
    assert verified(verifies, key, digest, padding, found, message)
    assert not verified(verifies, other, digest, padding, found, message)
    assert not verified(verifies, key, "sha224", padding, found, message)
    changed = bytearray(found.read_bytes())
    changed[-1] ^= 1
    found.write_bytes(changed)
    assert not verified(verifies, key, digest, padding, found, message)


@pytest.mark.parametrize("options", [(), (*PSS, "-sigopt", "rsa_pss_saltlen:32")])
def test_certificates(made_rsa, rsa_keys, tmp_path, options):
    """Each side takes those of the other one."""
    for signs in (None, made_rsa):
        path = tmp_path / f"{signs is None}.pem"
        words = ["-x509", "-key", rsa_keys["own"].private, "-subj", "/CN=localhost", *options]
        done(signs, "req", "-config", "/dev/null", *words, "-out", path)
        for provider in (None, made_rsa):
            done(provider, "verify", "-auth_level", "0", "-check_ss_sig", "-CAfile", path, path)


@pytest.fixture(scope="module")
def certificate(rsa_keys, tmp_path_factory):
    path = tmp_path_factory.mktemp("certificate") / "certificate.pem"
    words = ["-x509", "-key", rsa_keys["own"].private, "-subj", "/CN=localhost", "-out", path]
    done(None, "req", "-config", "/dev/null", *words)
    return path


@pytest.mark.parametrize("role", ["server", "client", "both"])
def test_handshake(made_rsa, rsa_keys, certificate, role):
    sides = {side: made_rsa if role in (side, "both") else None for side in ("server", "client")}
    with Server(sides["server"], certificate, rsa_keys["own"], *LEVEL) as server:
        ended = connect(sides["client"], server, certificate, *LEVEL)
    output = ended.stdout.decode()
    assert ended.returncode == 0, ended.stderr.decode()
    assert "Verify return code: 0 (ok)" in output
    assert "Peer signature type: RSA-PSS" in output


def test_generated_keys(made_rsa, tmp_path):
    key = tmp_path / "key.pem"
    done(made_rsa, "genpkey", *rsa_kind(1024), "-out", key)
    assert b"is valid" in done(None, "pkey", "-in", key, "-check", "-noout")
    assert b"is valid" in done(made_rsa, "pkey", "-in", key, "-check", "-noout")
    assert done(made_rsa, "pkey", "-in", key, "-text") == done(None, "pkey", "-in", key, "-text")


def test_keys_that_no_core_takes(made_rsa, rsa_keys, message, tmp_path):
    """New ones are refused; those that are there are taken by OpenSSL's own, as the query says."""
    for words in (rsa_kind(2048), [*rsa_kind(1024), "-pkeyopt", "rsa_keygen_pubexp:3"]):
        ended = openssl(made_rsa, "genpkey", *words)
        assert ended.returncode == 1
        assert "no core takes RSA keys of this length" in ended.stderr.decode()
    key, found = rsa_keys["long"], tmp_path / "signature"
    done(made_rsa, "dgst", "-sha256", "-sign", key.private, "-out", found, message)
    assert verified(made_rsa, key, "sha256", "pkcs1", found, message)


def test_a_provider_for_private_keys_alone(made_private, rsa_keys, message, tmp_path):
    """Public keys are OpenSSL's own then; a private key verifies nothing."""
    key, found = rsa_keys["own"], tmp_path / "signature"
    done(made_private, "dgst", "-sha256", "-sign", key.private, "-out", found, message)
    assert verified(made_private, key, "sha256", "pkcs1", found, message)
    words = "-sha256", "-prverify", key.private, "-signature", found, message
    ended = openssl(made_private, "dgst", *words)
    assert ended.returncode == 1
    assert "no core takes RSA keys" in ended.stderr.decode()


@pytest.mark.parametrize("after", [0, 2, 300, 3000])
@pytest.mark.parametrize("how", ["ones", "zeros", "frozen", "noise", "bus"])
def test_a_core_that_breaks(made_rsa, rsa_keys, message, tmp_path, how, after):
    """It makes no signature and finds none right, and nobody takes its place."""
    key, found = rsa_keys["own"], tmp_path / "signature"
    copy = shutil.copytree(made_rsa, tmp_path / "provider")
    variables = broken(copy, "rsa", how, after)
    ended = openssl(copy, "dgst", "-sha256", "-sign", key.private, message, **variables)
    assert (ended.returncode, ended.stdout) == (1, b"")
    assert ":residua:" in ended.stderr.decode()
    done(None, "dgst", "-sha256", "-sign", key.private, "-out", found, message)
    assert verified(copy, key, "sha256", "pkcs1", found, message)
    variables = broken(copy, "public", how, min(after, 300))
    words = "-sha256", "-verify", key.public, "-signature", found, message
    assert openssl(copy, "dgst", *words, **variables).stdout != b"Verified OK\n"


def test_raw_numbers_are_refused(made_rsa, rsa_keys, message):
    words = "-sign", "-inkey", rsa_keys["own"].private, "-in", message
    ended = openssl(made_rsa, "pkeyutl", *words)
    assert ended.returncode == 1
    assert "none is named" in ended.stderr.decode()
    ended = openssl(made_rsa, "pkeyutl", *words, "-pkeyopt", "rsa_padding_mode:none")
    assert ended.returncode == 1
    assert "padding of signatures: pkcs1 or pss" in ended.stderr.decode()
