"""The walk through one product on the engine's page is what the scheduler makes of it."""

from pathlib import Path

from residua.cores.rns_montgomery.core import RnsMontgomeryCore
from residua.cores.rns_montgomery.specification import RnsMontgomerySpecification
from residua.cores.specification.reading import check
from residua.machines.controls import CONTROLS
from residua.machines.schedule import Schedule
from residua.machines.slots import Left, Placed, Slot

PAGE = Path(__file__).parents[2] / "docs" / "engine.md"
SPECIFICATION = {"modulus": 2**61 - 1, "width": 17, "channels": 4}


def walk(schedule: Schedule) -> str:
    """The table of all slots of one run."""
    lines = [
        "| slot | sum | left operand | right operand | at the same time |",
        "|---|---|---|---|---|",
    ]
    for time, placed, slot in schedule.slots():
        cells = [
            str(time),
            placed.sequence.name,
            _left(schedule, time, placed, slot),
            _right(schedule, slot),
            _remark(schedule, placed, slot),
        ]
        lines.append(f"| {' | '.join(cells)} |")
    return "\n".join(lines)


def _left(schedule: Schedule, time: int, placed: Placed, slot: Slot) -> str:
    if slot.left is Left.BUS:
        return f"bus: q({_source(schedule, placed)})"
    if slot.left is Left.NEIGHBOUR:
        return f"neighbour: {_source(schedule, placed)} of rower r + {time - placed.start}"
    if slot.left_word is None:
        return "zero: waits for the Cox"
    name = schedule.values[slot.left_word.value]
    if schedule.operand(time, slot.left_word) is Left.RESULT:
        return f"result: {name}"
    return f"register {schedule.registers[slot.left_word]}: {name}"


def _source(schedule: Schedule, placed: Placed) -> str:
    """The vector that an extension starts from."""
    first = placed.sequence.slots[0].left_word
    return schedule.values[first.value]


def _right(schedule: Schedule, slot: Slot) -> str:
    if slot.right_word is not None:
        name = schedule.values[slot.right_word.value]
        return f"register {schedule.registers[slot.right_word]}: {name}"
    return "constant" if slot.constants else "zero"


def _remark(schedule: Schedule, placed: Placed, slot: Slot) -> str:
    remarks = []
    if slot.tap_weights:
        weights = ", ".join(map(str, slot.tap_weights))
        remarks.append(f"Cox sees all rowers, weights {weights}")
    if slot.last:
        ready = schedule.ready(placed.sequence.result)
        remarks.append(f"last: {placed.sequence.name} is ready for slot {ready}")
    return "; ".join(remarks)


def test_walk_through_one_product():
    core = RnsMontgomeryCore(check(RnsMontgomerySpecification, SPECIFICATION))
    assert walk(core.design.schedule) in PAGE.read_text(encoding="utf-8")


def test_figure_shows_this_rower():
    """The rower of the figure: its cycles, and what the page says of them."""
    design = RnsMontgomeryCore(check(RnsMontgomerySpecification, SPECIFICATION)).design
    assert design.mac_latency == 3
    assert [fold.latency for fold in design.folds] == [2, 2]
    assert design.rower_latency == 7
    figure = (PAGE.parent / "figures" / "rower.svg").read_text(encoding="utf-8")
    assert "7 = L" in figure
    assert f"L + {design.machine.memory_delay}" in figure


def test_the_table_of_controls():
    page = PAGE.read_text(encoding="utf-8")
    table = page[page.index("| control | acts at | does |") :].partition("\n\n")[0]
    rows = [line.strip("| ").split(" | ") for line in table.splitlines()[2:]]
    assert rows == [[f"`{name}`", f"`{one.when}`", one.does] for name, one in CONTROLS.items()]
