"""The controls of a Cox-Rower engine: what each does, and when after its slot."""

from dataclasses import dataclass
from typing import NamedTuple


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
    """A control: the event of `Timing` at which it acts, and what it does."""

    when: str
    does: str


CONTROLS = {
    "constant": Control("constant", "address of the constant"),
    "left_register": Control("address", "address of the left operand"),
    "right_register": Control("address", "address of the right operand"),
    "left_register_1": Control("address", "that of lane 1"),
    "right_register_1": Control("address", "that of lane 1"),
    "crosses": Control("address", "lanes take the words of each other's bus"),
    "left": Control("operand", "where the left operand comes from"),
    "first": Control("operand", "begins a sum"),
    "subtract": Control("operand", "takes the product away"),
    "bus": Control("bus", "what the bus carries"),
    "binary": Control("bus", "the bus carries a word of a binary operand"),
    "binary_word": Control("bus", "which word of it"),
    "modulus": Control("modulus", "the modulus that the sum is reduced by"),
    "write": Control("store", "keeps the residue"),
    "write_register": Control("store", "where"),
    "cox_first": Control("cox_first", "clears the Cox"),
    "emit": Control("emit_serial", "hands a residue out"),
    "advance": Control("advance", "the bit of the scalar has been used"),
    "row": Control("operand", "the product is one of a super-residue"),
    "row_higher": Control("operand", "by a higher digit of the constant"),
    "row_first": Control("row_first", "begins a sum over a row"),
    "row_write": Control("row_store", "keeps a super-residue"),
    "row_write_register": Control("row_store", "where"),
    "row_launch": Control("row_launch", "what goes into the ring of rows"),
    "row_register": Control("row_launch", "address of the super-residue that does"),
    "row_modulus": Control("row_modulus", "the modulus that a super-residue is reduced by"),
    "listens": Control("operand", "the small rower hears the ring"),
    "narrow_bus": Control("bus", "the bus carries the word of the small rower"),
    "narrow_tap": Control("tap", "the Cox takes the word of the small rower"),
}
"""In the order in which a processor delays them; ``cox_weight_<tap>`` come after them."""


def delay(name: str, timing: Timing) -> int:
    """Cycles from the first control of a slot to this one."""
    if name.startswith("cox_weight_"):
        return timing.cox_weights
    return int(getattr(timing, CONTROLS[name].when))
