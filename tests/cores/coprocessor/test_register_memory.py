"""Coprocessors with registers in block memory: no word is read in the cycle that writes it."""

import re

import pytest
from tests import kept_verilog
from tests.schedules import quick_schedules
from tests.small_curves import SQUARE, TINY

from residua.cores.coprocessor.cases import all_cases
from residua.cores.coprocessor.engine.core import EngineCoprocessorCore
from residua.cores.coprocessor.simulator import Request, build_coprocessor_simulator
from residua.cores.coprocessor.specification import CoprocessorSpecification
from residua.cores.specification.reading import check
from residua.hardware.coprocessor.coprocessor import Coprocessor
from residua.hardware.engine import rings

LADDER = {"curve": [TINY], "blinding": 0}

CORES = {
    "rows with a comb": {
        "curve": [TINY],
        "extension": "hierarchical",
        "channels": 4,
        "columns": 2,
        "inversion": "plus-minus-ct",
        "blinding": 0,
        "fixed_base": "comb",
        "comb_teeth": 2,
        "comb_tables": 2,
    },
    "SBMM": {"curve": [SQUARE], "algorithm": "sbmm", "blinding": 0},
}


def design(keys):
    asked = {"bus": "stream", "register_memory": "block"} | keys
    with quick_schedules():
        made = EngineCoprocessorCore(check(CoprocessorSpecification, asked)).core.design
        _ = made.blocks
    return made


def wrong(made, folder):
    """Operations with wrong answers, one of each kind; a read in the cycle of a write is wrong.

    Whatever the operands, each operation reads and writes its registers in the same cycles.
    """
    sources, top = kept_verilog.write(Coprocessor, made, folder)
    text = sources[0].read_text()
    read, word = (
        re.compile(r"<= ((?:left|right)_registers)\[((?:left|right)_register)\];"),
        made.processor.shape.width + 1,
    )
    spoilt = rf"<= \1[\2] ^ {{{word}{{enable && address == \2}}}};"
    text, count = read.subn(spoilt, text)
    assert (
        count == len(re.findall(r"no_rw_check = 1 \*\) reg \[\d+:0\] \w+_registers \[", text)) > 0
    )
    sources[0].write_text(text)
    kinds = {(case.operation, case.expected[0]): case for case in all_cases(made, 1, seed=1)}
    cases = list(kinds.values())
    assert {case.operation for case in cases} > made.operation_codes
    simulator = build_coprocessor_simulator(sources, top, made)
    answers = simulator.run(Request(case.operation, case.operands, case.curve) for case in cases)
    return [
        (case, answer)
        for case, answer in zip(cases, answers, strict=True)
        if (answer.status, answer.results) != case.expected
    ]


@pytest.mark.parametrize("name", list(CORES))
def test_no_word_is_read_while_it_is_written(name, tmp_path):
    assert not wrong(design(CORES[name]), tmp_path)


@pytest.mark.parametrize("slots", ["MEMORY_DELAY", "MEMORY_BLIND"])
def test_slots_of_distributed_memories_are_too_few(slots, tmp_path, monkeypatch):
    """A word is read before it is there, or in the cycle in which another takes its place."""
    known = getattr(rings, slots)
    monkeypatch.setattr(rings, slots, dict.fromkeys(known, known["distributed"]))
    assert wrong(design(LADDER), tmp_path)
