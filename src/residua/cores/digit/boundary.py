"""Boundary of a digit core for the proof of constant time: its secrets, and its public verdicts."""

from collections.abc import Mapping

from residua.cores.digit.design import DigitDesign
from residua.cores.proofs.boundary import ROOT_VERDICT, Boundary, Uses, stream_boundary
from residua.hardware.digit.iddmm import IddmmDesign
from residua.hardware.exponentiation.digit_exponentiator import DigitExponentiatorDesign
from residua.hardware.exponentiation.rsa_crt import RsaCrtDesign

_MODULUS_ERROR = "modulus_error"
_TABLE = "numbers.RD_ADDR"
"""The reader of the powers among which a digit of a secret exponent chooses."""


def digit_boundary(design: DigitDesign) -> Boundary:
    """The words of all streams, keys too, may differ, but not whether they are legal.

    The digits of a secret exponent choose powers in a table, by their address.
    """
    loads = design.domain is None
    verdicts: Mapping[str, Uses] = {}
    addresses: tuple[str, ...] = ()
    if isinstance(design, RsaCrtDesign):
        errors: Mapping[str, Uses] = {f"modulo_{unit}.{_MODULUS_ERROR}": () for unit in "pqn"}
        verdicts = {**errors, **ROOT_VERDICT}
        addresses = tuple(f"modulo_{unit}.{_TABLE}" for unit in "pq")
    elif loads:
        verdicts = {_MODULUS_ERROR: ()}
    if isinstance(design, DigitExponentiatorDesign) and design.exponent is None:
        addresses = (_TABLE,)
    if isinstance(design, IddmmDesign) and design.checked:
        verdicts = {**verdicts, "results.error": ()}
    return stream_boundary("digit core", design.streams.width, verdicts, addresses, loads=loads)
