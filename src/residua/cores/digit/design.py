"""The designs of digit cores."""

from residua.hardware.digit.iddmm import IddmmDesign
from residua.hardware.digit.lanes import LanesDesign
from residua.hardware.digit.radix2 import R2mmDesign
from residua.hardware.digit.word_radix2 import Mwr2mmDesign
from residua.hardware.exponentiation.digit_exponentiator import DigitExponentiatorDesign
from residua.hardware.exponentiation.rsa_crt import RsaCrtDesign

DigitDesign = (
    IddmmDesign | LanesDesign | R2mmDesign | Mwr2mmDesign | DigitExponentiatorDesign | RsaCrtDesign
)
"""Designs with shape, domain, streams, latency, interval, compute and multipliers."""
