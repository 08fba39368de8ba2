"""Control words of the point processor of 2006."""

from amaranth.lib import data
from amaranth.utils import ceil_log2

from residua.machines.point_schedule import CONDITIONS, CONSTANTS

SOURCES = ("add", "subtract", "multiply", "select", "convert")
"""Units whose result may be written."""

TESTS = tuple(test for tests in CONDITIONS.values() for test in tests)
"""Values that are looked at for zero."""


def channel_fields(registers: int) -> dict[str, int]:
    """Bits of the fields that every channel sees.

    ``left`` and ``right`` address registers; two cycles later the operands are there, the right one
    instead from ``constant`` (in the cycle after the addresses) unless that is 0. ``start`` begins
    a product and ``first`` its first step. ``source`` is written to ``target`` if ``write`` is set.
    ``spread`` begins the conversion of a binary number, ``supplied`` says from the operands.
    """
    address = max(ceil_log2(registers), 1)
    return {
        "left": address,
        "right": address,
        "constant": ceil_log2(len(CONSTANTS) + 1),
        "start": 1,
        "first": 1,
        "write": 1,
        "target": address,
        "source": ceil_log2(len(SOURCES)),
    }


def control_layout(registers: int) -> data.StructLayout:
    """A word of the microcode.

    Beside what channels see: ``spread`` begins a conversion to residues, of the operand if
    ``supplied``. ``collect`` begins a conversion from residues, ``sum_first`` is its first sum,
    ``fold`` takes the last one, ``weigh`` adds what r stands for, ``subtract`` a multiple of p is
    subtracted if it fits, that of ``shift``. ``result`` takes the number as a result. ``condition``
    belongs to the selector, ``test`` keeps whether what was written in the cycle before is zero.
    ``next_bit`` goes on to the next bit of the scalar.
    """
    return data.StructLayout(
        channel_fields(registers)
        | {
            "condition": ceil_log2(len(CONDITIONS)),
            "test": ceil_log2(len(TESTS) + 1),
            "collect": 1,
            "sum_first": 1,
            "fold": 1,
            "weigh": 1,
            "subtract": 1,
            "shift": 4,
            "spread": 1,
            "supplied": 1,
            "result": 1,
            "next_bit": 1,
        }
    )
