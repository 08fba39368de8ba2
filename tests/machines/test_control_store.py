"""Control words, run one by one on integers, compute what the field programs say."""

import random
from dataclasses import replace

import pytest

from machines.control_words import Interpreter
from machines.examples import (
    CHANNELS,
    FIELD_PROGRAMS,
    MODULI,
    WIDTH,
    WORDS,
    all_constants,
    domains,
    processor,
)
from residua.algorithms.fields.field import evaluate
from residua.algorithms.fields.rns_field import lower
from residua.machines.control_store import Bus, assemble, control_widths
from residua.machines.controls import CONTROLS
from residua.machines.routine import Places, Routine, Source
from residua.machines.slots import ALWAYS
from residua.numbers.residues import Redundant

ENGINES = [(CHANNELS, 1), (CHANNELS // 2, 1), (CHANNELS, 2), (CHANNELS // 2, 2), (CHANNELS, 4)]
"""Rowers, and moduli in a row of hierarchical extensions."""


class Host:
    """Loads, runs and unloads numbers on one page, beside the same on plain integers."""

    def __init__(self, engine, page, seed=0):
        self.interpreter = Interpreter(processor(*engine), page, seed)
        self.page, self.modulus, self.domain = page, MODULI[page], domains(engine[1])[page]
        self.plain = {}

    def load(self, number):
        words = [number >> WIDTH * i & (1 << WIDTH) - 1 for i in range(WORDS)]
        self.interpreter.run("load", binary=words)
        self.plain["number"] = number % self.modulus

    def run(self, name, rounds=1, bits=None):
        self.interpreter.run(name, rounds=rounds, bits=bits)
        for number in range(rounds):
            flags = bits(number) if bits else {}
            self.plain |= evaluate(
                FIELD_PROGRAMS[name],
                self.modulus,
                {element: self.plain[element] for element in FIELD_PROGRAMS[name].inputs},
                constants=all_constants(self.page),
                flags=flags,
            )

    def unload(self):
        """The number given out, by the Chinese remainder theorem."""
        words = self.interpreter.run("unload")
        base = self.domain.base_b
        total = sum(word * cofactor for word, cofactor in zip(words, base.cofactors, strict=True))
        number = total % base.product
        if 2 * number > base.product:
            number -= base.product
        assert abs(number) <= self.modulus
        return number % self.modulus

    def element(self, name):
        self.run(f"from_{name}")
        assert self.plain["number"] == self.plain[name]
        return self.unload()


@pytest.mark.parametrize("page", range(len(MODULI)))
@pytest.mark.parametrize("engine", ENGINES)
def test_numbers_in_and_out(engine, page):
    host, modulus = Host(engine, page), MODULI[page]
    largest = (1 << WORDS * WIDTH) - 1
    for number in (0, 1, modulus - 1, modulus, modulus + 1, largest, 0x123456789ABCDEF):
        host.load(number)
        assert host.unload() == number % modulus


@pytest.mark.parametrize("flags", [(0, 0), (0, 1), (1, 0), (1, 1)])
@pytest.mark.parametrize("page", range(len(MODULI)))
@pytest.mark.parametrize("engine", ENGINES)
def test_straight_line_with_both_values_of_every_gate(engine, page, flags):
    host, modulus = Host(engine, page, seed=flags[0]), MODULI[page]
    chooser = random.Random(f"{engine} {page} {flags}")
    bits = dict(zip(("flag", "other"), map(bool, flags), strict=True))
    edges = [(0, 0), (1, modulus - 1), (modulus - 1, modulus - 1)]
    edge = edges[sum(flags)]
    for x, y in [edge, (chooser.randrange(modulus), chooser.randrange(modulus))]:
        for name, number in (("x", x), ("y", y)):
            host.load(number)
            host.run(f"to_{name}")
        host.run("mixed", bits=lambda _: bits)
        for name in ("x", "y", "z") if page == 0 else ("x", "y"):
            assert host.element(name) == host.plain[name]


@pytest.mark.parametrize("rounds", [1, 2, 9])
@pytest.mark.parametrize("page", range(len(MODULI)))
@pytest.mark.parametrize("engine", ENGINES)
def test_rounds_without_a_break(engine, page, rounds):
    """A bit is only read until the round says that it may change."""
    host, chooser = Host(engine, page, rounds), random.Random(f"{engine} {page} {rounds}")
    pattern = [chooser.random() < 0.5 for _ in range(rounds)]
    for name in ("x", "y"):
        host.load(chooser.randrange(MODULI[page]))
        host.run(f"to_{name}")
    host.run("body", rounds, lambda number: {"flag": pattern[number]})
    assert [host.element(name) for name in "xy"] == [host.plain[name] for name in "xy"]


@pytest.mark.parametrize("page", range(len(MODULI)))
@pytest.mark.parametrize("engine", ENGINES)
def test_a_ladder(engine, page):
    host, chooser = Host(engine, page), random.Random(page)
    state = ("x0", "z0", "x1", "z1")
    for name in ("x", *state):
        host.load(chooser.randrange(MODULI[page]))
        host.run(f"to_{name}")
    pattern = [chooser.random() < 0.5 for _ in range(9)]
    host.run("ladder_step", 9, lambda number: {"swap": pattern[number]})
    assert [host.element(name) for name in state] == [host.plain[name] for name in state]


FIELDS = ["constant", "left_register", "right_register", "write_register", "subtract", "modulus"]


ROWS = ["row", "row_higher", "row_first", "row_launch", "row_modulus"]


@pytest.mark.parametrize("field", [*FIELDS, "first", "left", "cox_first", "bus", *ROWS])
def test_wrong_control_words_are_noticed(field):
    """Some faults have no effect, such as another modulus for a small sum; most have one."""
    columns = 2 if CONTROLS[field].part == "rows" else 1
    design = processor(CHANNELS, columns)
    block = design.store.blocks["mixed"]
    values = design.store.fields[field]
    used = [i for i in range(block.start, block.start + block.length) if values[i]]
    # What runs between routines begins a quotient, too.
    used = used[field == "cox_first" :]
    assert used
    places = used[:: -(-len(used) // 6)]
    unnoticed = [place for place in places if not _is_noticed((CHANNELS, columns), field, place)]
    assert len(unnoticed) < len(places) / 2


def _is_noticed(engine, field, place):
    design = processor(*engine)
    column = list(design.store.fields[field])
    column[place] ^= 1
    host = Host(engine, 0)
    fields = design.store.fields | {field: tuple(column)}
    host.interpreter.store = replace(design.store, fields=fields)
    for name, number in (("x", 12345), ("y", 67890)):
        host.load(number)
        host.run(f"to_{name}")
    try:
        host.run("mixed", bits=lambda _: {"flag": True, "other": False})
        return [host.element(name) for name in "xyz"] != [host.plain[name] for name in "xyz"]
    except (AssertionError, LookupError):
        return True


@pytest.mark.parametrize("engine", ENGINES)
def test_layout(engine):
    design = processor(*engine)
    store = design.store
    begun = {"first", "cox_first"} | ({"row_first", "row_launch"} if engine[1] > 1 else set())
    assert {name for name, values in store.fields.items() if values[0]} == begun
    assert {len(values) for values in store.fields.values()} == {store.words}
    position = 1
    for name, routine in design.routines.items():
        block = store.blocks[name]
        assert (block.start, block.length) == (position, routine.length)
        assert block.settled >= block.length
        position += block.length
    assert position == store.words
    assert len(store.constants) == engine[0]
    assert {len(column) for column in store.constants} == {3 * store.page_size}
    for column in store.constants:
        assert column[0] == column[store.page_size] == 0
        # No routine runs on the last page.
        assert not any(column[2 * store.page_size :])
    assert set(store.gates) == {"flag", "other", "swap", ALWAYS}
    assert max(store.fields["bus"]) < Bus.GATE + 2 * len(store.gates)
    for name in store.gates:
        codes = [store.gate_code(name, inverted) for inverted in (False, True)]
        assert codes[1] == codes[0] + 1
        assert codes[0] >= Bus.GATE
    widths = control_widths(store.fields)
    assert all(max(v) < 1 << widths[n] for n, v in store.fields.items())
    assert all(width >= 1 for width in widths.values())


@pytest.mark.parametrize("engine", ENGINES)
def test_only_loops_ask_for_the_next_bit(engine):
    store = processor(*engine).store
    for name, block in store.blocks.items():
        asked = store.fields["advance"][block.start : block.start + block.length]
        assert sum(asked) == (name in ("body", "ladder_step"))


def test_every_result_of_unload_leaves_in_order():
    for engine in ENGINES:
        store = processor(*engine).store
        block = store.blocks["unload"]
        emitted = store.fields["emit"][block.start : block.start + block.length]
        assert sum(emitted) == CHANNELS
        assert sum(store.fields["emit"]) == CHANNELS


def test_weights_of_the_cox_are_numbered(monkeypatch):
    """A code chooses among those that the routines have."""
    machine = processor(CHANNELS).machine
    program = FIELD_PROGRAMS["to_x"]
    pages = (lower(program, domains()[0], all_constants(0), Redundant(1)),)
    source = Source("heavy", pages)
    routine = Routine(source, Places([source], machine.rowers), machine)
    slots = Routine.slots

    def heavy(self):
        for time, job, offset, slot in slots(self):
            weights = ((2, 3)[job % 2],)
            yield time, job, offset, replace(slot, tap_weights=weights)

    assert assemble([routine], machine, WORDS).weights == (1,)
    monkeypatch.setattr(Routine, "slots", heavy)
    store = assemble([routine], machine, WORDS)
    assert store.weights == (2, 3)
    for time, job, _, _ in routine.slots():
        assert store.fields["cox_weight_0"][1 + time] == (1, 2)[job % 2]
