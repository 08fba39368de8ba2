"""Keys, key agreements and signatures of the provider, compared with OpenSSL's own."""

import pytest
from tests.system.provider.runs import CURVES, OTHER, derivation, done, kind, openssl


@pytest.mark.parametrize("curve", CURVES)
def test_key_agreement(made, keys, curve):
    own, theirs = keys[curve]
    secrets = {
        done(provider, *derivation(*pair))
        for provider in (None, made)
        for pair in ((own, theirs), (theirs, own))
    }
    assert len(secrets) == 1
    assert len(secrets.pop()) == {"P-384": 48}.get(curve, 32)


@pytest.mark.parametrize(
    ("curve", "digest"),
    [("P-256", "sha1"), ("P-256", "sha256"), ("P-256", "sha512"), ("P-384", "sha384")],
)
@pytest.mark.parametrize("signs", [True, False])
@pytest.mark.parametrize("verifies", [True, False])
def test_signatures(made, keys, message, tmp_path, curve, digest, signs, verifies):
    """Each verifies what the other signed, and nothing else."""
    (key, other), found = keys[curve], tmp_path / "signature"
    words = f"-{digest}", "-sign", key.private, "-out", found, message
    done(made if signs else None, "dgst", *words)

    def verified(public):
        words = f"-{digest}", "-verify", public, "-signature", found, message
        return openssl(made if verifies else None, "dgst", *words).stdout

    assert verified(key.public) == b"Verified OK\n"
    assert verified(other.public) == b"Verification failure\n"
    changed = bytearray(found.read_bytes())
    changed[-1] ^= 1
    found.write_bytes(changed)
    assert verified(key.public) == b"Verification failure\n"


def test_a_nonce_does_not_come_again(made, keys, message):
    words = "dgst", "-sha256", "-sign", keys["P-256"][0].private, message
    assert done(made, *words) != done(made, *words)


@pytest.mark.parametrize("curve", CURVES)
def test_generated_keys(made, keys, tmp_path, curve):
    key = tmp_path / "key.pem"
    done(made, "genpkey", *kind(curve), "-out", key)
    assert b"is valid" in done(None, "pkey", "-in", key, "-check", "-noout")
    public = done(None, "pkey", "-in", key, "-pubout")
    (tmp_path / "key.pub").write_bytes(public)
    own = keys[curve][0]
    first = done(None, "pkeyutl", "-derive", "-inkey", key, "-peerkey", own.public)
    second = done(
        made, "pkeyutl", "-derive", "-inkey", own.private, "-peerkey", tmp_path / "key.pub"
    )
    assert first == second


def test_a_certificate(made, keys, tmp_path):
    path = tmp_path / "certificate.pem"
    words = ["-x509", "-key", keys["P-256"][0].private, "-subj", "/CN=localhost", "-out", path]
    done(made, "req", *words)
    for provider in (None, made):
        done(provider, "verify", "-check_ss_sig", "-CAfile", path, path)


def test_a_curve_without_a_core(made, keys, message, tmp_path):
    """The provider refuses it; a key that is there is taken by OpenSSL's own, as the query says."""
    ended = openssl(made, "genpkey", *kind(OTHER))
    assert ended.returncode == 1
    assert "no core has this curve" in ended.stderr.decode()
    key, found = keys[OTHER][0], tmp_path / "signature"
    done(made, "dgst", "-sha256", "-sign", key.private, "-out", found, message)
    done(made, "dgst", "-sha256", "-verify", key.public, "-signature", found, message)
    ended = openssl(made, "s_client", "-groups", OTHER)
    assert ended.returncode == 1
    assert f"group '{OTHER}' cannot be set" in ended.stderr.decode()


def test_points_that_are_none(made, keys, tmp_path):
    """A point beside the curve is refused, and a secret that is zero."""
    small = tmp_path / "small.pub"
    text = bytes.fromhex("302a300506032b656e032100") + bytes(32)
    (tmp_path / "small.der").write_bytes(text)
    done(None, "pkey", "-pubin", "-inform", "DER", "-in", tmp_path / "small.der", "-out", small)
    ended = openssl(
        made, "pkeyutl", "-derive", "-inkey", keys["X25519"][0].private, "-peerkey", small
    )
    assert ended.returncode == 1
    assert "the result is the neutral element" in ended.stderr.decode()
