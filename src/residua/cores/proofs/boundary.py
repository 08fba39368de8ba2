"""Boundary of a core for the proof of constant time: secrets, and what may be seen of them."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field

Uses = tuple[tuple[str, bool], ...]
"""Wires with the values that they have when a verdict is tested; none if it always may be."""

ROOT_VERDICT: Mapping[str, Uses] = {"guard.withholds": (("result_valid", True),)}
"""Whether the guard of an RSA core lets a word of a root out, told while it is offered."""


@dataclass(frozen=True)
class Boundary:
    """Inputs and verdicts that may differ between two copies of a core.

    Attributes:
        core: what it is, for messages.
        inputs: names of inputs.
        outputs: names of outputs, with how many of their lowest bits.
        verdicts: wires that come of secrets and are equal all the same, and when they have to be.
        addresses: addresses of memories, `<memory>.RD_ADDR`.
        errors: outputs of which those lowest bits mean nothing while another of their bits is 1,
            with the number of that one.
        chosen: constant memories in whose addresses a secret has part, so that what is read is one.
        reset_delay: cycles after which a reset comes to the last part of the core. Until then that
            steers its own memories as before, but nothing that is seen from outside.
    """

    core: str
    inputs: tuple[str, ...]
    outputs: Mapping[str, int]
    verdicts: Mapping[str, Uses]
    addresses: tuple[str, ...] = ()
    errors: Mapping[str, int] = field(default_factory=dict)
    chosen: tuple[str, ...] = ()
    reset_delay: int = 0


def valid_outputs(outputs: Collection[str]) -> dict[str, str]:
    """The outputs that hold something only while another one says so, and that one.

    ``status`` is there with ``done``, all parts of a stream with its ``valid``.
    """
    found = {"status": "done"} if {"status", "done"} <= set(outputs) else {}
    for name in outputs:
        for stem in (name, name.rpartition("_")[0]):
            valid = f"{stem}_valid"
            if valid in outputs and name != valid:
                found[name] = valid
    return found


def stream_boundary(
    core: str,
    width: int,
    verdicts: Mapping[str, Uses],
    addresses: tuple[str, ...] = (),
    *,
    loads: bool,
) -> Boundary:
    """A core with streams of operands and results of ``width`` bits, and perhaps of a modulus."""
    inputs = ("operands_payload", "modulus_payload")[: 1 + loads]
    return Boundary(core, inputs, {"result_payload": width}, verdicts, addresses)
