"""Runs control words on integers, knowing nothing of the programs that they come from.

Models a processor as its control store drives it: rowers in a ring, an accumulator, a pipeline of
residues and a register memory each, one Cox, a bus; rows in a ring of their own, if there are any.
What nobody has written yet is garbage.
"""

import random

from residua.machines.control_store import Bus
from residua.machines.slots import ALWAYS, ROW_STORAGE_DELAY, Launch, Left

CHANGING = None
"""A bit that must not be read: between two rounds."""


class Interpreter:
    """``stored`` are the words of rowers by register, kept from one routine to the next."""

    def __init__(self, design, page, seed=0):
        self.store, self.machine = design.store, design.machine
        self.rowers, self.page = design.rowers, page
        representation = design.programs[0].representation
        self.reduce, self.reduce_row = representation.reduce, representation.reduce_row
        self.row_offset = representation.row_offset(design.width)
        self.estimate, self.width = design.estimate, design.width
        garbage, limit = random.Random(seed), 1 << design.width
        self.memory = [
            [garbage.randrange(-limit, limit) for _ in range(self.rowers)]
            for _ in range(self.store.registers)
        ]
        self.memory[0] = [0] * self.rowers
        self.now = 0
        self.residues: dict[int, tuple[int, list[int]]] = {}
        self.writes: dict[int, tuple[int, list[int]]] = {}
        self.quotients: dict[int, int] = {}
        self.total = garbage.randrange(1 << 20)
        self.sums = [garbage.randrange(1 << 40) for _ in range(self.rowers)]
        # How often the start value of the accumulators is in them.
        self.starts = 0
        self.operands = [0] * self.rowers
        self.emitted: list[int] = []
        self.supers, self.super_starts = [0] * self.machine.turns, 0
        # Super-residues, and how often the start value is in them, by when they can be launched.
        self.complete: dict[int, tuple[int, list[int]]] = {}
        self.row_writes: dict[int, tuple[int, tuple[int, list[int]]]] = {}
        self.row_memory: dict[int, tuple[int, list[int]]] = {}
        self.ring: tuple[int, list[int]] | None = None
        self.reduced: dict[int, tuple[int, list[int]]] = {}

    def run(self, name, *, rounds=1, bits=None, binary=()):
        """Run a routine until its results are settled; what it emits.

        ``bits(round)`` gives the bits by name.
        """
        self.emitted = []
        block = self.store.blocks[name]
        for number in range(rounds):
            now = {key: int(value) for key, value in (bits(number) if bits else {}).items()}
            for slot in range(block.length):
                word = {n: values[block.start + slot] for n, values in self.store.fields.items()}
                self._slot(word, now, binary)
                if word["advance"]:
                    now = dict.fromkeys(now, CHANGING)
        for _ in range(block.settled - block.length):
            self._slot({n: values[0] for n, values in self.store.fields.items()}, {}, ())
        return self.emitted

    def _slot(self, word, bits, binary):
        self._arrive()
        if self.machine.columns > 1:
            self._turn(word)
        left = self._left(word, bits, binary)
        constants = [column[self._address(word["constant"])] for column in self.store.constants]
        right = self.memory[word["right_register"]]
        assert not (word["right_register"] and word["constant"]), "two right operands"
        right = [r or c for r, c in zip(right, constants, strict=True)]
        kept = [0] * self.rowers if word["first"] else self.sums
        starts = 1 if word["first"] else self.starts
        sign = -1 if word["subtract"] else 1
        self.starts = sign * starts
        self.sums = [x * y + sign * k for x, y, k in zip(left, right, kept, strict=True)]
        self.operands = left
        if self.machine.columns > 1:
            self._add_rows(word)
        else:
            self._listen(word, self.operands, self.width)
        self._finish(word)
        if word["emit"]:
            self.emitted.append(left[0])
        self.now += 1

    def _address(self, constant):
        assert constant < self.store.page_size
        return self.page * self.store.page_size + constant

    def _left(self, word, bits, binary):
        match Left(word["left"]):
            case Left.REGISTER:
                return self.memory[word["left_register"]]
            case Left.NEIGHBOUR:
                return self.operands[1:] + self.operands[:1]
            case Left.RESULT:
                return self._residue(self.now)
            case Left.ROW:
                starts, words = self.reduced[self.now]
                assert starts == 1, "the start value of the accumulators is not in a sum once"
                return words
            case Left.BUS:
                return [self._bus(word, bits, binary)] * self.rowers

    def _bus(self, word, bits, binary):
        if word["bus"] == Bus.QUOTIENT:
            return self.quotients[self.now - self.machine.cox_latency]
        if word["bus"] == Bus.WORD:
            # A loader counts from 1 and wraps.
            return binary[(word["binary_word"] - 1) % (1 << (len(binary) - 1).bit_length())]
        index, inverted = divmod(word["bus"] - Bus.GATE, 2)
        name = self.store.gates[index]
        value = 1 if name == ALWAYS else bits[name]
        assert value is not CHANGING, f"{name} is read while it changes"
        return value ^ inverted

    def _turn(self, word):
        """The ring of rows turns or begins a pass, ahead of the slots that read it."""
        lead = self.machine.row_lead
        match Launch(word["row_launch"]):
            case Launch.TURN:
                if self.ring is not None:
                    starts, words = self.ring
                    self.ring = starts, words[1:] + words[:1]
            case Launch.RESULT:
                self.ring = self.complete.get(self.now)
            case Launch.STORED:
                self.ring = self.row_memory[word["row_register"]]
        self.quotients[self.now + lead] = self.total >> self.estimate.truncation
        if self.ring is None:
            assert not any(word[f"cox_weight_{tap}"] for tap in range(self.machine.taps))
            return
        starts, words = self.ring
        moduli = [column[word["row_modulus"]] for column in self.store.moduli]
        reduced = [
            self.reduce_row(modulus, words[rower // self.machine.columns])
            for rower, modulus in enumerate(moduli)
        ]
        self.reduced[self.now + lead] = starts, reduced
        seen = [super_residue + self.row_offset for super_residue in words]
        self._listen(word, seen, self.machine.columns * self.width, lead)

    def _add_rows(self, word):
        """The sums of each row, the next lower digit added to those before."""
        columns = self.machine.columns
        digits = [sum(self.sums[i : i + columns]) for i in range(0, self.rowers, columns)]
        begins = word["row_first"] or not word["row"]
        before = [0] * len(digits) if begins else self.supers
        kept = 0 if begins else self.super_starts << self.width
        self.supers = [(high << self.width) + low for high, low in zip(before, digits, strict=True)]
        # Without `row` every rower's sum has it.
        self.super_starts = kept + (int(not word["row_higher"]) if word["row"] else columns)
        ready = self.now + self.machine.row_latency - self.machine.row_lead
        self.complete[ready] = self.super_starts, self.supers
        if word["row_write"]:
            stored = word["row_write_register"], (self.super_starts, self.supers)
            self.row_writes[ready + ROW_STORAGE_DELAY] = stored

    def _listen(self, word, seen, width, lead=0):
        """The Cox takes the leading bits of the words at its taps."""
        if word["cox_first"]:
            self.total = self.estimate.start
        for tap in range(self.machine.taps):
            if word[f"cox_weight_{tap}"]:
                leading = seen[tap * self.machine.tap_slots] >> (width - self.estimate.truncation)
                self.total += leading
        self.quotients[self.now + lead] = self.total >> self.estimate.truncation

    def _finish(self, word):
        """Every slot has a residue later on; it is worth something after the last of a sum."""
        moduli = [column[word["modulus"]] for column in self.store.moduli]
        ready = self.now + self.machine.rower_latency
        pairs = zip(moduli, self.sums, strict=True)
        words = [self.reduce(modulus, total) for modulus, total in pairs]
        self.residues[ready] = self.starts, words
        if word["write"]:
            assert word["write_register"], "register 0 holds zero"
            visible = ready + self.machine.memory_delay
            self.writes[visible] = word["write_register"], self._residue(ready)

    def _residue(self, time):
        starts, words = self.residues[time]
        assert starts == 1, "the start value of the accumulators is left in a sum"
        return words

    def _arrive(self):
        if self.now in self.row_writes:
            register, words = self.row_writes.pop(self.now)
            self.row_memory[register] = words
        if self.now in self.writes:
            register, words = self.writes.pop(self.now)
            self.memory[register] = words
