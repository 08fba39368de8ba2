"""The RTL of an engine against its model: every residue of every output, in volume.

A C++ harness drives the Verilated engine with runs that the native model (`machines.native`)
computes beside it. Operands come from a pool of adversarial and random elements; results become
operands again, so that millions of different runs need no file. Two checks stand beside the
comparison: the values interpreter must give the very words that the RTL gave, for every element of
the pool, and an oracle on plain integers, which knows nothing of engines, must accept a sample of
inputs and outputs.
"""

import json
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

from residua.algorithms.program import Program
from residua.algorithms.terms import Residues, Words
from residua.cores.simulation.result import CoxEdges, VerificationResult
from residua.cores.simulation.runs import STEPS, Batch, Resets, Runs, Stalls, Steps
from residua.cores.simulation.workload import Workload
from residua.hardware.engine.engine_design import EngineDesign
from residua.hardware.engine.sequencer import control_latency
from residua.machines import native, values
from residua.toolchain import process, verilator
from residua.toolchain.executors import side_by_side_in_order

INTERPRETED_CASES = 256
"""Cases that are run, time and again, where the values interpreter has to supply the words."""

MODEL_CHECKS = 256
"""Runs of one verification whose words the values interpreter must confirm, at most."""

SAMPLES = 1024
"""Random runs of one verification that the oracle judges, besides the cases."""

_HARNESS = Path(__file__).with_suffix(".cpp")

COMMON_SOURCE = Path(__file__).with_name("harness.h").read_text()
"""Beginning of every harness, after the generated part."""

_LARGEST_NATIVE_WORD = 63

Run = tuple[dict[str, tuple[int, ...]], dict[str, tuple[int, ...]]]
"""Inputs and outputs of one run by name."""


@dataclass(frozen=True)
class Simulator:
    """A Verilated engine with its harness, ready to run a workload."""

    design: EngineDesign
    workload: Workload
    executable: Path
    build_seconds: float

    @property
    def program(self) -> Program:
        """The program that the engine runs."""
        return self.design.program

    @cached_property
    def has_model(self) -> bool:
        """Whether the native model supplies the expected words; else the values interpreter."""
        return native.supports(self.program)

    @property
    def word_bytes(self) -> int:
        """Size of a word in the harness and in its files."""
        return 8 if self.design.width + 1 <= _LARGEST_NATIVE_WORD else 16


def build_simulator(
    design: EngineDesign,
    workload: Workload,
    rtl_sources: Sequence[Path],
    *,
    top: str = "engine",
) -> Simulator:
    """Compile the RTL of an `Engine`, module ``top``, and the harness."""
    start = time.monotonic()
    text = harness_source(design, workload, top)
    executable = compile_harness(text, rtl_sources, top)
    return Simulator(design, workload, executable, time.monotonic() - start)


def compile_harness(
    text: str,
    rtl_sources: Sequence[Path],
    top: str,
    *,
    any_state: bool = True,
) -> Path:
    """The executable of a harness with module ``top``; see `residua.toolchain.verilator.build`."""
    with tempfile.TemporaryDirectory() as work:
        harness = Path(work) / "harness.cpp"
        harness.write_text(text)
        return verilator.build(rtl_sources, top, harness, any_state=any_state)


def verify(
    simulator: Simulator,
    *,
    vectors: int,
    seed: int,
    stalls: Stalls,
    resets: Resets = None,
    progress: Steps = lambda done, total: None,
) -> VerificationResult:
    """Make ``vectors`` runs on operands chosen by ``seed`` and compare every word of every result.

    Back to back, or with `Stalls`: random gaps between operands and random values of ``enable``.
    One run has to wait for ``enable``, long after its last operand. The registers begin with random
    values, and one cycle of reset comes before the first run. After some runs come ``resets``
    (None: a default, see `Runs.reset_count`) of 1, 2 and 3 cycles in the middle of others, at
    instants spread over a whole run, and the runs after each are compared.
    Stops after the first few differences; a difference is a finding, not an error.

    Raises:
        SpecificationError: ``vectors`` is not positive.
        ToolError: the simulator does not run.
    """
    runs = Runs(vectors, seed, stalls, resets, progress)
    start = time.monotonic()
    findings = _Findings(simulator)
    step = max(-(-vectors // STEPS), min(vectors, 2 * len(simulator.workload.cases)))
    wanted = runs.reset_count(simulator.design.schedule.latency)

    def simulate(batch: Batch) -> tuple[dict[str, Any], list[Run]]:
        return _simulate(simulator, batch, seed, 0 if batch.done else wanted)

    with side_by_side_in_order(simulate, runs.batches(step)) as simulations:
        for batch, simulated in simulations:
            findings.add(*simulated)
            progress(batch.done + batch.count, vectors)
            if findings.failures:
                break
    return findings.result(time.monotonic() - start)


def harness_source(design: EngineDesign, workload: Workload, top: str) -> str:
    """The C++ source of the harness for one engine and workload."""
    program, schedule, units = design.program, design.schedule, design.machine.units
    inputs, outputs = native.layout(program.inputs), native.layout(program.outputs)
    names = [value.name for value in program.inputs]
    vectors = {value.name: value for value in program.inputs}
    loads = [
        _braces(_transfer(design, vectors[names[word.value]], inputs, word.group))
        for word in schedule.inputs
    ]
    results = [
        _braces(
            place
            for value in schedule.held(word)
            for place in _transfer(design, value, outputs, word.group)
        )
        for word in schedule.outputs
    ]
    word_bits = design.width + 1
    word = "std::int64_t" if word_bits <= _LARGEST_NATIVE_WORD else "Wide"
    has_model = native.supports(program)
    lines = [
        "// Generated: the engine's interface, then the model of its program, then the harness.",
        "#include <cstdint>",
        "#include <vector>",
        f'#include "V{top}.h"',
        "namespace tables {",
        "__extension__ typedef __int128 Wide;",
        f"using Engine = V{top};",
        f"using Word = {word};",
        f"constexpr int word_bits = {word_bits}, load_width = {units};",
        f"constexpr int result_width = {units * design.lanes};",
        f"constexpr int input_words = {_length(inputs)}, output_words = {_length(outputs)};",
        f"constexpr int latency = {schedule.latency}, interval = {schedule.interval};",
        f"constexpr int load_count = {len(loads)}, result_count = {len(results)};",
        f"constexpr int load_words[][{units}] = {_braces(loads)};",
        f"constexpr int result_words[][{units * design.lanes}] = {_braces(results)};",
        f"constexpr bool has_model = {str(has_model).lower()};",
        "struct Segment { int first, length; };",
        "struct Operand { int pool; std::vector<Segment> segments; };",
        f"const std::vector<Operand> operands = {_operands(workload.operands, inputs)};",
        f"const std::vector<Operand> results = {_operands(workload.results, outputs)};",
        "}  // namespace tables",
    ]
    model = ["#define HAS_MODEL", native.emit(program)] if has_model else []
    return "\n".join([*lines, *model, COMMON_SOURCE, _HARNESS.read_text()])


def _transfer(
    design: EngineDesign,
    vector: Residues | Words,
    places: Mapping[str, tuple[int, int]],
    group: int,
) -> list[int]:
    """Places of the words of one transfer, rower by rower, then the extra channel; -1 for none."""
    assert isinstance(vector, Residues)
    first, length = places[vector.name]
    words = [first + group * design.rowers + rower for rower in range(design.rowers)]
    if design.narrow:
        words.append(first + length - 1 if vector.base.narrow and group == 0 else -1)
    return words


def _operands(
    operands: Sequence[tuple[int, tuple[str, ...]]], places: Mapping[str, tuple[int, int]]
) -> str:
    """C++ initialiser for where the vectors of each operand are."""
    return _braces(
        f"{{{pool}, {_braces(_braces(places[name]) for name in names)}}}"
        for pool, names in operands
    )


def _braces(values: Sequence[object] | Iterator[object]) -> str:
    return "{" + ", ".join(str(value) for value in values) + "}"


def _length(places: Mapping[str, tuple[int, int]]) -> int:
    return sum(length for _, length in places.values())


def _simulate(
    simulator: Simulator, batch: Batch, seed: int, resets: Resets
) -> tuple[dict[str, Any], list[Run]]:
    """The harness's report and the runs that it dumped; the first simulation makes the cases."""
    done = batch.done
    cases = list(simulator.workload.cases) if done == 0 or not simulator.has_model else []
    if not simulator.has_model:
        cases = cases[:INTERPRETED_CASES]
    samples = -(-SAMPLES // STEPS)
    with tempfile.TemporaryDirectory() as name:
        directory = Path(name)
        (directory / "pool").write_bytes(_pool_file(simulator, cases))
        arguments = (batch.count, seed + done, int(batch.stalls), samples, resets)
        numbers = [str(number) for number in arguments]
        output = process.run(
            [simulator.executable.resolve(), "pool", "dump", *numbers],
            tool="the simulator",
            cwd=directory,
            log=directory / "log",
        )
        dump = (directory / "dump").read_bytes()
    return json.loads(output), list(_read_dump(simulator, dump))


def _pool_file(simulator: Simulator, cases: Sequence[tuple[int, ...]]) -> bytes:
    """Pools, cases and, without a native model, the expected outputs, as the harness reads them."""
    pools = simulator.workload.pools
    numbers = [len(pools)]
    for pool in pools:
        numbers += [len(pool.elements), len(pool.fixed), len(pool.elements[0])]
        numbers += [word for element in pool.elements for word in element]
    numbers += [len(cases), *(index for case in cases for index in case)]
    expected = [] if simulator.has_model else [_expected(simulator, case) for case in cases]
    numbers += [len(expected), *(word for outputs in expected for word in outputs)]
    size = simulator.word_bytes
    return b"".join(number.to_bytes(size, "little", signed=True) for number in numbers)


def _expected(simulator: Simulator, case: tuple[int, ...]) -> list[int]:
    """The outputs of one case by the values interpreter."""
    inputs = case_inputs(simulator.program, simulator.workload, case)
    outputs = values.run(simulator.program, inputs)
    return [word for value in simulator.program.outputs for word in outputs[value.name]]


def case_inputs(
    program: Program, workload: Workload, case: Sequence[int]
) -> dict[str, tuple[int, ...]]:
    """The inputs of ``program`` by name in one of the cases of its workload."""
    places = native.layout(program.inputs)
    inputs: dict[str, tuple[int, ...]] = {}
    for (pool, names), index in zip(workload.operands, case, strict=True):
        element, first = workload.pools[pool].elements[index], 0
        for name in names:
            length = places[name][1]
            inputs[name] = element[first : first + length]
            first += length
    return inputs


def _read_dump(simulator: Simulator, dump: bytes) -> Iterator[Run]:
    """Every run that the harness dumped."""
    program, size = simulator.program, simulator.word_bytes
    inputs, outputs = native.layout(program.inputs), native.layout(program.outputs)
    words = [
        int.from_bytes(dump[i : i + size], "little", signed=True) for i in range(0, len(dump), size)
    ]
    split = _length(inputs)
    for start in range(0, len(words), split + _length(outputs)):
        yield _split(words, start, inputs), _split(words, start + split, outputs)


def _split(
    words: Sequence[int], start: int, places: Mapping[str, tuple[int, int]]
) -> dict[str, tuple[int, ...]]:
    return {
        name: tuple(words[start + first : start + first + length])
        for name, (first, length) in places.items()
    }


@dataclass
class _Findings:
    """Findings of the simulations of one verification so far."""

    simulator: Simulator
    vectors: int = 0
    mismatches: int = 0
    oracle_checks: int = 0
    model_checks: int = 0
    resets: int = 0
    latencies: set[int] = field(default_factory=set)
    intervals: set[int] = field(default_factory=set)
    cox: list[CoxEdges] = field(default_factory=list)
    failures: list[str] = field(default_factory=list)
    seen: set[object] = field(default_factory=set)

    def add(self, report: dict[str, Any], runs: list[Run]) -> None:
        """Take in one simulation."""
        self.vectors += report["vectors"]
        self.mismatches += report["mismatches"]
        self.resets += report["resets"]
        before = control_cycles(self.simulator.design)
        self.latencies |= {cycles - before for cycles in report["latency"] if cycles >= 0}
        self.intervals |= {cycles for cycles in report["interval"] if cycles >= 0}
        cox = [CoxEdges(*numbers) for numbers in report["fractions"]]
        self.cox = [a.merged(b) for a, b in zip(self.cox, cox, strict=True)] if self.cox else cox
        if report["failure"]:
            self.failures.append(f"after {report['vectors']} runs: {report['failure']}")
        self.failures += [_describe(self.simulator, f) for f in report["failures"]]
        for inputs, outputs in runs:
            self._judge(inputs, outputs)

    def _judge(
        self, inputs: dict[str, tuple[int, ...]], outputs: dict[str, tuple[int, ...]]
    ) -> None:
        verdict = self.simulator.workload.oracle(inputs, outputs)
        self.oracle_checks += 1
        if verdict:
            self.failures.append(f"oracle: {verdict}")
        # The interpreter is slow: only runs that bring an operand it has not seen.
        fresh = set(inputs.items()) - self.seen
        if not fresh or self.model_checks >= MODEL_CHECKS:
            return
        self.seen |= fresh
        self.model_checks += 1
        expected = values.run(self.simulator.program, inputs)
        if expected != outputs:
            self.failures.append(
                f"values interpreter: {expected} for {inputs}, where the RTL has {outputs}"
            )

    def result(self, seconds: float) -> VerificationResult:
        """The verdict, with the measured latency held against the computed one."""
        latency = self.simulator.design.schedule.latency
        if self.latencies - {latency}:
            measured = ", ".join(str(cycles) for cycles in sorted(self.latencies))
            self.failures.append(f"latency: {measured} cycles measured, {latency} computed")
        if len(self.intervals) > 1:
            measured = " to ".join(str(f(self.intervals)) for f in (min, max))
            self.failures.append(f"interval: {measured} cycles back to back, not constant")
        return VerificationResult(
            self.vectors,
            self.mismatches,
            max(self.latencies, default=None),
            max(self.intervals, default=None),
            seconds,
            self.simulator.build_seconds,
            self.oracle_checks,
            self.model_checks,
            self.resets,
            tuple(self.cox),
            tuple(self.failures),
        )


def control_cycles(design: EngineDesign) -> int:
    """Cycles from taking the last operand word to the last result, beyond the engine's latency.

    In an idle engine: one in which the loader asks for a run, then those by which control words
    precede the slots that they control, through the registers of the sequencer and of the rowers.
    """
    fields, interval = design.microcode.fields, design.schedule.interval
    emitted = max(
        phase + interval * stage
        for phase, (emit, stage) in enumerate(
            zip(fields["emit"], fields["emit_stage"], strict=True)
        )
        if emit
    )
    return 1 + control_latency(interval) + emitted - design.schedule.latency


def _describe(simulator: Simulator, failure: dict[str, Any]) -> str:
    """One differing word: inputs, expected and obtained."""
    design = simulator.design
    word = design.schedule.outputs[failure["word"]]
    inputs = _split(failure["inputs"], 0, native.layout(simulator.program.inputs))
    return (
        f"{design.schedule.values[word.value]}, rowers' word {word.group}: "
        f"expected {failure['expected']}, obtained {failure['obtained']} for inputs {inputs}"
    )
