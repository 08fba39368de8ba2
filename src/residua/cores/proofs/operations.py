"""Whether a fault in a core changes any result, asked for every operand that there is.

A core and its copy with the fault stand side by side, under every handshake and reset. One
operation is followed at a time, with all operands at once, from every state in which one may begin:
what is left of others in registers and memories is unknown, unless it is always the same, and so
are the words of those that are under way at the same time. Its results are equal, and at all times
the handshakes. So they are whatever the core did before, and however it waits
(`residua.toolchain.exploration`).
"""

from collections.abc import Mapping
from typing import Any

from residua.cores.proofs.boundary import Boundary, valid_outputs
from residua.cores.proofs.netlist import RESET
from residua.cores.proofs.operands import word_bits
from residua.toolchain.aiger import Network
from residua.toolchain.exploration.explorer import Question, Stream, explore
from residua.toolchain.gates import reduced
from residua.toolchain.planted.mutation import Mutants, apart

MOST_BITS = 20
"""Of the operands of an operation, up to which they are counted through."""

_PORTS = {"clk", RESET} | {
    f"{name}_{part}" for name in ("operands", "result") for part in ("payload", "valid", "ready")
}

_CONTROL, _RESULTS = "control_differs", "results_differ"

_REDUCING = 30
"""CPU seconds to make registers one that are equal."""


def countable(mutants: Mutants, manifest: Mapping[str, Any]) -> bool:
    """Whether a core has one stream of operands that can be counted through, and one of results."""
    ports = {port.name for port in mutants.ports}
    return ports == _PORTS and 0 < sum(word_bits(manifest)) <= MOST_BITS


def difference(
    mutants: Mutants,
    number: int,
    boundary: Boundary,
    manifest: Mapping[str, Any],
    *,
    cpu_seconds: int = 900,
) -> str:
    """What keeps a mutant from being proved to have the results of the core, and its timing.

    The operands are those of the manifest's ranges and all others that have no more bits. Of a
    result that is an error the word is not asked for.

    Args:
        mutants: of a core that is `countable`.
        number: of one of them, from 1 on.
        boundary: of the core.
        manifest: of the core.
        cpu_seconds: of the processor's time, for each of two ways: operations that overlap, as
            those of some cores do, and operations that do not, of which more is known.

    Returns:
        Nothing if it is proved.

    Raises:
        ToolError: Yosys failed, or there is no C++ compiler.
    """
    gates = apart(mutants, number, claims=_claims(mutants, boundary))
    whole = Network.read(gates)
    less = reduced(gates, cpu_seconds=_REDUCING, way="lcorr")
    network = Network.read(less) if less else whole
    # A network that is reduced has no names.
    inputs = {name: i for i, name in enumerate(whole.inputs)}
    outputs = dict(zip(whole.output_names, network.outputs, strict=True))
    reasons = []
    for overlaps in (True, False):
        stream = _stream(inputs, outputs, manifest, overlaps=overlaps)
        question = Question(
            reset=inputs[RESET],
            choices=[stream.valid, stream.result_ready],
            claims=[outputs[_CONTROL]],
            stream=stream,
        )
        name = f"{gates.stem}-{'overlapping' if overlaps else 'single'}"
        out_dir = mutants.directory
        reasons.append(
            explore(network, question, out_dir=out_dir, name=name, cpu_seconds=cpu_seconds)
        )
        if not reasons[-1]:
            return ""
    return "; ".join(reasons)


def _claims(mutants: Mutants, boundary: Boundary) -> dict[str, list[str]]:
    """What is to be equal of both copies: handshakes, and results while they are valid."""
    widths = {port.name: port.width for port in mutants.ports if port.direction == "output"}
    valid = valid_outputs(widths)
    results = []
    for name, flag in valid.items():
        same = f"gold_{name} == gate_{name}"
        if name in boundary.errors:
            word, rest = (
                f"[{boundary.outputs[name] - 1}:0]",
                f"[{widths[name] - 1}:{boundary.outputs[name]}]",
            )
            error = f"gold_{name}[{boundary.errors[name]}]"
            same = f"gold_{name}{rest} == gate_{name}{rest}"
            same += f" && ({error} || gold_{name}{word} == gate_{name}{word})"
        results.append(f"(!gold_{flag} || {same})")
    control = [f"gold_{name} == gate_{name}" for name in widths if name not in valid]
    return {_CONTROL: control, _RESULTS: results}


def _stream(
    inputs: Mapping[str, int],
    outputs: Mapping[str, int],
    manifest: Mapping[str, Any],
    *,
    overlaps: bool,
) -> Stream:
    return Stream(
        overlaps=overlaps,
        valid=inputs["operands_valid"],
        ready=outputs["operands_ready"],
        bits=word_bits(manifest),
        payload=[i for name, i in inputs.items() if name.startswith("operands_payload")],
        result_valid=outputs["result_valid"],
        result_ready=inputs["result_ready"],
        result_words=len(manifest["interface"]["example"]["result_words"]),
        differs=outputs[_RESULTS],
    )
