"""The controls of a Cox-Rower engine: what each does, and when after its slot."""

from dataclasses import dataclass
from typing import Literal, NamedTuple


@dataclass(frozen=True)
class Timing:
    """Cycles from the first control of a slot to all of them.

    ``constant`` and ``address`` to the addresses of constants and of registers, ``operand`` to the
    choice of the left operand, ``bus`` to what the bus carries, ``advance`` to the end of a gate,
    ``modulus`` to the select of the reducer, ``store`` to the residue. ``emit`` is when a result is
    at the reducer's output, ``emit_serial`` when the left operand of the slot is at the tap of
    rower 0. ``cox_weights`` and ``cox_first`` to the controls of the Cox, ``tap`` to the word of
    the ring that it waits with. ``row_first`` is when the sums over rows are added up,
    ``row_store`` when a super-residue is complete. What drives the ring of rows and the Cox that
    listens to it is ahead of its slot by the machine's ``row_lead``, and counted from there:
    ``row_launch`` and ``row_modulus``, which the reducers of super-residues want.
    """

    constant: int
    address: int
    operand: int
    bus: int
    advance: int
    modulus: int
    store: int
    emit: int
    emit_serial: int
    cox_weights: int
    cox_first: int
    tap: int
    row_first: int = 0
    row_store: int = 0
    row_launch: int = 0
    row_modulus: int = 0


class Control(NamedTuple):
    """A control: the event of `Timing` at which it acts, what it does, and where there is one.

    ``part`` is a part that not all machines have, or that is apart in their control words; ``only``
    says that engines of one program or processors have none of it.
    """

    when: str
    does: str
    part: str = ""
    only: Literal["", "engine", "processor"] = ""


CONTROLS = {
    "left": Control("operand", "where the left operand comes from"),
    "left_register": Control("address", "address of the left operand"),
    "right_register": Control("address", "address of the right operand"),
    "left_register_1": Control("address", "that of lane 1", "lanes", "engine"),
    "right_register_1": Control("address", "that of lane 1", "lanes", "engine"),
    "crosses": Control("address", "lanes take the words of each other's bus", "lanes", "engine"),
    "constant": Control("constant", "address of the constant"),
    "first": Control("operand", "begins a sum"),
    "subtract": Control("operand", "takes the product away"),
    "bus": Control("bus", "what the bus carries", only="processor"),
    "binary": Control("bus", "the bus carries a word of a binary operand", "binary", "engine"),
    "binary_word": Control("bus", "which word of it", "binary"),
    "modulus": Control("modulus", "the modulus that the sum is reduced by"),
    "write": Control("store", "keeps the residue"),
    "write_register": Control("store", "where"),
    "cox_first": Control("cox_first", "clears the Cox", "cox"),
    "emit": Control("emit_serial", "hands a residue out", "emit"),
    "advance": Control("advance", "the bit of the scalar has been used", only="processor"),
    "row": Control("operand", "the product is one of a super-residue", "rows"),
    "row_higher": Control("operand", "by a higher digit of the constant", "rows"),
    "row_first": Control("row_first", "begins a sum over a row", "rows"),
    "row_write": Control("row_store", "keeps a super-residue", "rows"),
    "row_write_register": Control("row_store", "where", "rows"),
    "row_launch": Control("row_launch", "what goes into the ring of rows", "rows"),
    "row_register": Control("row_launch", "address of the super-residue that does", "rows"),
    "row_modulus": Control("row_modulus", "the modulus that a super-residue is reduced by", "rows"),
    "listens": Control("operand", "the small rower hears the ring", "narrow"),
    "narrow_bus": Control("bus", "the bus carries the word of the small rower", "told", "engine"),
    "narrow_tap": Control("tap", "the Cox takes the word of the small rower", "told"),
    "keeps": Control("store", "keeps a check residue", "check", "processor"),
    "compares": Control("store", "compares it with the one that was kept", "check", "processor"),
    "kept_register": Control("store", "where that is", "check", "processor"),
}
"""Controls in their order in a control word; the weights of the Cox are apart."""


def controls_of(kind: Literal["engine", "processor"], *parts: str) -> list[str]:
    """The names of the controls of some parts."""
    return [
        name
        for name, control in CONTROLS.items()
        if control.part in parts and control.only in ("", kind)
    ]


def weight_controls(taps: int) -> list[str]:
    """The names of the controls of the Cox's weights."""
    return [f"{_WEIGHT}{tap}" for tap in range(taps)]


def delay(name: str, timing: Timing) -> int:
    """Cycles from the first control of a slot to this one."""
    if name.startswith(_WEIGHT):
        return timing.cox_weights
    return int(getattr(timing, CONTROLS[name].when))


_WEIGHT = "cox_weight_"
