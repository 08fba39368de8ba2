"""Boundary of an exponentiator and of RSA on an engine for the proof of constant time."""

from dataclasses import replace

from residua.cores.proofs.boundary import ROOT_VERDICT, Boundary, Uses, stream_boundary
from residua.hardware.exponentiation.exponentiator import ExponentiatorDesign
from residua.hardware.exponentiation.public_exponentiator import PublicExponentiatorDesign
from residua.hardware.exponentiation.rsa_engine_design import RsaEngineDesign


def exponentiator_boundary(design: ExponentiatorDesign) -> Boundary:
    """The words of all streams may differ, but not when they come."""
    return stream_boundary("exponentiator", design.width, {}, loads=bool(design.loads))


def public_key_boundary(design: PublicExponentiatorDesign) -> Boundary:
    """The words of x and of results may differ, but not those of a key, which control follows.

    Whether x is below N is told.
    """
    return stream_boundary("public operation of RSA", design.width, {"above": ()}, loads=False)


def rsa_boundary(design: RsaEngineDesign) -> Boundary:
    """The words of all streams, keys too, may differ, but not whether they are legal."""
    verdicts: dict[str, Uses] = {"modulus_error": (), **ROOT_VERDICT}
    found = stream_boundary("RSA core", design.width, verdicts, loads=True)
    if not design.blinding:
        return found
    return replace(found, inputs=(*found.inputs, "random_payload"))
