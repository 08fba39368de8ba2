"""Sequences: the steps of a program as slots for an engine of a given number of rowers."""

from collections.abc import Iterable
from dataclasses import replace

from residua.algorithms.program import Program
from residua.algorithms.terms import (
    Broadcast,
    Correction,
    Gated,
    HeldBroadcast,
    HeldCorrection,
    Product,
    Quotient,
    Reduction,
    Residues,
    Rotated,
    Rows,
    Scaled,
    Stored,
    Words,
)
from residua.errors import SpecificationError
from residua.machines.scheduling.lanes import Lanes, Scaling, joined, scaling_slots
from residua.machines.scheduling.rows import broadcast_rows, row_digits, signed_words
from residua.machines.slots import ALWAYS, Left, Machine, Sequence, Slot, Word
from residua.numbers.bases import Base


class SequenceBuilder:
    """Turns the steps of a program into sequences of slots.

    ``digits`` are the digits that the multipliers of `broadcast_rows` get at least, for programs
    that differ in constants alone. ``serial`` outputs are passed around the ring, all of them in
    one sequence.
    """

    def __init__(
        self,
        program: Program,
        machine: Machine,
        serial: bool,
        digits: tuple[int, ...] = (),
    ) -> None:
        self.program, self.machine, self.serial = program, machine, serial
        self.lanes = Lanes(program, machine.lanes)
        rows = broadcast_rows(program)
        counts = digits or row_digits(program)
        self.digits = {id(each): count for each, count in zip(rows, counts, strict=True)}
        self.rows: dict[int, int] = {}
        self.index: dict[int, int] = {}
        self.values: list[str] = []
        # Position of the first word of each binary operand.
        self.binary: dict[int, int] = {}
        self.binary_words = 0
        for source in program.inputs:
            if isinstance(source, Words):
                self.binary[id(source)] = self.binary_words
                self.binary_words += source.count
            else:
                self._number(source)
        for step in program.steps:
            self._number(step.result)
        for first, second in self.lanes.pairs.values():
            # Both lanes have their own in the same place.
            self.index[id(second.result)] = self.index[id(first.result)]
        for each in rows:
            self._number_rows(each)

    def _number(self, value: Residues) -> None:
        count, extra = len(value.base.wide), value.base.extra
        if count % self.machine.rowers:
            raise SpecificationError(
                f"{self.machine.rowers} rowers cannot share {count} moduli evenly; "
                f"the number of rowers must divide {count}"
            )
        if extra and extra.width != self.machine.narrow:
            raise SpecificationError(
                f"{value.name} has an extra modulus {extra}, for which the engine has no rower"
            )
        self.index[id(value)] = len(self.values)
        self.values.append(value.name)

    def _number_rows(self, rows: Rows) -> None:
        if rows.columns != self.machine.columns:
            raise SpecificationError(
                f"{rows.name} has rows of {rows.columns}, but the engine rows of "
                f"{self.machine.columns}"
            )
        self.rows[id(rows)] = len(self.values)
        self.values.append(rows.name)

    def _word(self, value: Residues, group: int) -> Word:
        stored, first = value.root()
        if not value.base.wide:
            return Word(self.index[id(stored)], 0)
        if first % self.machine.rowers:
            raise SpecificationError(f"{value.name} does not start at the first rower")
        return Word(self.index[id(stored)], first // self.machine.rowers + group)

    def _groups(self, value: Residues) -> int:
        """Words of a vector; the first has the residue of an extra modulus."""
        return max(len(value.base.wide) // self.machine.rowers, 1)

    def words(self, value: Residues) -> list[Word]:
        """The words of a vector, one for each group of channels."""
        return [self._word(value, group) for group in range(self._groups(value))]

    def held(self, word: Word) -> tuple[Residues, ...]:
        """The vectors that the lanes hold in a word of an output."""
        values = [*self.program.inputs, *(step.result for step in self.program.steps)]
        own = next(
            value
            for value in values
            if isinstance(value, Residues) and self.index[id(value)] == word.value
        )
        pair = self.lanes.pairs.get(id(own))
        return tuple(step.result for step in pair) if pair else (own,) * self.machine.lanes

    def choices(self) -> list[list[Sequence]]:
        """Orders of slots to choose from, for each sequence in program order."""
        choices: list[list[Sequence]] = []
        done: set[int] = set()
        for step in self.program.steps:
            done.add(id(step.result))
            if any(id(each.result) not in done for each in self.lanes.together(step)):
                continue
            choices += [[sequence] for sequence in self._row_sequences(step)]
            choices += [
                [self._sequence(step, group, late) for late in _orders(step)]
                for group in range(self._groups(step.result))
            ]
        if self.serial:
            choices.append([self._serial(*self.program.outputs)])
        return choices

    def _serial(self, *outputs: Residues) -> Sequence:
        """Passes the words of outputs around the ring; rower 0 has channel i in slot i.

        The word of an extra channel comes last, on the bus.
        """
        slots = []
        for output in outputs:
            for group in range(self._groups(output)):
                slots.append(Slot(Left.REGISTER, left_word=self._word(output, group)))
                slots += [Slot(Left.NEIGHBOUR)] * (self.machine.rowers - 1)
            if output.base.narrow:
                slots.append(Slot(Left.BUS, left_word=self._word(output, 0), narrow=True))
        slots[0] = replace(slots[0], first=True)
        slots[-1] = replace(slots[-1], last=True)
        return Sequence(outputs[0].name, None, (), tuple(slots))

    def _row_sequences(self, step: Reduction) -> list[Sequence]:
        """The products whose sums over rows are the super-residues that a step broadcasts."""
        return [
            self._row_sequence(term.source, chunk)
            for term in step.terms[step.resumed :]
            if isinstance(term, Broadcast) and isinstance(term.source, Rows)
            for chunk in range(self._groups(term.source.source))
        ]

    def _row_sequence(self, rows: Rows, chunk: int) -> Sequence:
        """One slot for each digit of the multipliers, the highest first."""
        source, count, rowers = rows.source, self.digits[id(rows)], self.machine.rowers
        own = rows.multipliers[chunk * rowers : (chunk + 1) * rowers]
        split = [signed_words(multiplier, source.base.width) for multiplier in own]
        slots = [
            Slot(
                Left.REGISTER,
                left_word=self._word(source, chunk),
                constants=self._padded(d[position] if position < len(d) else 0 for d in split),
                first=True,
                row_digit=position,
            )
            for position in reversed(range(count))
        ]
        slots[-1] = replace(slots[-1], last=True)
        word = Word(self.rows[id(rows)], chunk, row=True)
        return Sequence(rows.name, word, (), tuple(slots))

    def _sequence(self, step: Reduction, group: int, scaled_late: bool) -> Sequence:
        """The slots of one group: products, broadcasts, scaled terms before or after, quotients."""
        rowers, steps = self.machine.rowers, self.lanes.together(step)
        moduli = step.result.base.wide[group * rowers : (group + 1) * rowers]
        name = " | ".join(dict.fromkeys(each.result.name for each in steps))
        parts = [self._parts(each, group, lane) for lane, each in enumerate(steps)]
        products, broadcasts, quotients = (
            joined(lanes, name) for lanes in zip(*(own[:3] for own in parts), strict=True)
        )
        scaled = scaling_slots([own[3] for own in parts], self.machine.units)
        slots = products + (broadcasts + scaled if scaled_late else scaled + broadcasts)
        slots += self._quotient_slots(slots, quotients)
        slots[0] = replace(slots[0], first=not step.resumed)
        slots[-1] = replace(slots[-1], last=True)
        resumes = self._word(self._resumed(step), group) if step.resumed else None
        result = self._word(step.result, group)
        return Sequence(name, result, moduli, tuple(slots), resumes)

    def _resumed(self, step: Reduction) -> Residues:
        """The result of the step whose sum goes on."""
        position = next(i for i, each in enumerate(self.program.steps) if each is step)
        return self.program.steps[position - 1].result

    def _parts(
        self, step: Reduction, group: int, lane: int
    ) -> tuple[list[Slot], list[Slot], list[Slot], list[Scaling]]:
        """Products, broadcasts, quotients and scaled words of a step, as a lane has them."""
        terms = step.terms[step.resumed :]
        corrections = [term for term in terms if isinstance(term, Correction | HeldCorrection)]
        if len({term.quotient for term in corrections}) > 1:
            raise SpecificationError(f"{step.result.name} sums two base extensions; a Cox has one")
        base = step.result.base
        products = self._signed_products(step, group, lane)
        slots: list[Slot] = []
        quotients: list[Slot] = []
        scaled: list[Scaling] = []
        for term in terms:
            match term:
                case Scaled(value, constants, _):
                    constant = self._constants(constants, group, base)
                    scaled.append((self._word(value, group), constant, self._crosses(value, lane)))
                case Broadcast():
                    slots += self._broadcast(step, term, group, lane)
                case Correction(_, constants):
                    constant = self._constants(constants, group, base)
                    quotients.append(Slot(Left.BUS, constants=constant))
                case HeldCorrection(_, value):
                    quotients.append(Slot(Left.BUS, right_word=self._word(value, group)))
                case HeldBroadcast() | Rotated():
                    slots += self._held(step, term)
                case Stored(constants):
                    constant = self._constants(constants, group, base)
                    slots.append(Slot(Left.BUS, constants=constant, gate=(ALWAYS, False)))
                case Product() | Gated():
                    pass
        return products, slots, quotients, scaled

    def _broadcast(self, step: Reduction, term: Broadcast, group: int, lane: int) -> list[Slot]:
        """The slots in which all rowers get the words of a source."""
        base, matrix = step.result.base, term.matrix
        match term.source:
            case Words() as words:
                return self._binary(words, matrix, group, base)
            case Rows() as rows:
                return self._row_passes(rows, matrix, group, base, _quotient_of(step, rows))
            case Residues() as source:
                quotient = self._residue_quotient(step, source)
                passes = self._passes(source, matrix, group, base, quotient)
                return self._crossing(source, passes) if self._crosses(source, lane) else passes

    def _crosses(self, value: Residues, lane: int) -> bool:
        """Whether only the other lane has a value."""
        return self.lanes.lane(value.root()[0]) not in (None, lane)

    def _crossing(self, source: Residues, slots: list[Slot]) -> list[Slot]:
        """The word of an extra channel from the other lane."""
        if source.base.wide:
            raise SpecificationError(f"{source.name} is in the ring of the other lane")
        return [replace(slot, crosses=True) for slot in slots]

    def _residue_quotient(self, step: Reduction, source: Residues) -> Quotient | None:
        quotient = _quotient_of(step, source)
        if quotient and self.machine.columns > 1:
            raise SpecificationError(
                f"{step.result.name}: the Cox of an engine with rows takes super-residues, "
                "not residues"
            )
        return quotient

    def _quotient_slots(self, before: list[Slot], quotients: list[Slot]) -> list[Slot]:
        """Idle slots until the Cox has its quotient (the accumulator is kept), and those after."""
        if not quotients:
            return []
        ready = [
            i + latency
            for i, slot in enumerate(before)
            for tapped, latency in (
                (slot.tap_weights, self.machine.cox_latency),
                (slot.narrow_tap, self.machine.narrow_cox_latency),
            )
            if tapped
        ]
        return [Slot(Left.REGISTER)] * (max(ready) - len(before)) + quotients

    def _signed_products(self, step: Reduction, group: int, lane: int) -> list[Slot]:
        """Products to be subtracted first; the next slot then takes their sum from its own product.

        So that the start value of the accumulator comes out with its own sign, it is subtracted
        too.
        """
        terms = step.terms[step.resumed :]
        products = [term for term in terms if isinstance(term, Product | Gated)]
        for term in products:
            for value in (term.left, term.right) if isinstance(term, Product) else (term.value,):
                if self._crosses(value, lane):
                    raise SpecificationError(
                        f"{step.result.name} multiplies {value.name}, which the other lane has"
                    )
        negative = [self._product(term, group) for term in products if term.sign < 0]
        positive = [self._product(term, group) for term in products if term.sign > 0]
        if negative:
            positive = positive or [Slot(Left.REGISTER)]
            positive[0] = replace(positive[0], subtract=True)
            negative[0] = replace(negative[0], subtract=True)
        return negative + positive

    def _product(self, term: Product | Gated, group: int) -> Slot:
        if isinstance(term, Gated):
            gate = (term.bit.name, term.inverted)
            return Slot(Left.BUS, right_word=self._word(term.value, group), gate=gate)
        left, right = self._word(term.left, group), self._word(term.right, group)
        return Slot(Left.REGISTER, left_word=left, right_word=right)

    def _constants(self, row: tuple[int, ...], group: int, base: Base) -> tuple[int, ...]:
        """The constants of one group, that of the small rower last."""
        first = group * self.machine.rowers
        own = range(first, min(first + self.machine.rowers, len(base.wide)))
        extra = base.extra.centre(row[-1]) if base.extra and group == 0 else 0
        return self._padded([base.moduli[i].centre(row[i]) for i in own], extra)

    def _padded(self, constants: Iterable[int], extra: int = 0) -> tuple[int, ...]:
        """The constants of all rowers, 0 for those that have none, that of the small one last."""
        own = list(constants)
        own += [0] * (self.machine.units - len(own))
        if self.machine.narrow:
            own[-1] = extra
        return tuple(own)

    def _binary(
        self,
        words: Words,
        matrix: tuple[tuple[int, ...], ...],
        group: int,
        base: Base,
    ) -> list[Slot]:
        """One slot for each binary word, which all rowers take from the bus."""
        first = self.binary[id(words)]
        return [
            Slot(Left.BUS, constants=self._constants(row, group, base), binary_word=first + j)
            for j, row in enumerate(matrix)
        ]

    def _passes(
        self,
        source: Residues,
        matrix: tuple[tuple[int, ...], ...],
        group: int,
        base: Base,
        quotient: Quotient | None,
    ) -> list[Slot]:
        """One pass around the ring for each group of source channels.

        In slot i of a pass, rower r holds the word of rower r + i. The word of an extra channel
        comes last, on the bus.
        """
        rowers, slots = self.machine.rowers, []
        passes = len(source.base.wide) // rowers
        listens = base.extra is not None and group == 0
        for chunk in range(passes):
            for turn in range(rowers):
                row = [chunk * rowers + (rower + turn) % rowers for rower in range(rowers)]
                slot = Slot(
                    Left.NEIGHBOUR,
                    constants=self._pass_constants(matrix, row, group, base),
                    listens=listens,
                )
                if turn == 0:
                    slot = replace(slot, left=Left.REGISTER, left_word=self._word(source, chunk))
                if quotient is not None and turn < self.machine.tap_slots:
                    weights = self._tap_weights(quotient, chunk, turn)
                    slot = replace(slot, tap_weights=weights, cox_first=chunk == 0 and turn == 0)
                slots.append(slot)
        if source.base.narrow:
            slots = self._with_extra(source, matrix[-1], group, base, slots, quotient)
        return slots

    def _held(self, step: Reduction, term: HeldBroadcast | Rotated) -> list[Slot]:
        """A pass around the ring whose factors are in registers, those of a slot in one.

        Or the word of each rower, times zero, and that of its neighbour, which is there then.
        """
        if isinstance(term, Rotated):
            own = Slot(Left.REGISTER, left_word=self._word(term.value, 0))
            ones = self._padded([1] * self.machine.rowers)
            return [own, Slot(Left.NEIGHBOUR, constants=ones)]
        source, count = term.source, len(term.turns)
        if count != self.machine.rowers:
            text = f"{count} channels whose factors are held take {count} rowers"
            raise SpecificationError(f"{source.name}: {text}, not {self.machine.rowers}")
        none, quotient = ((0,) * count,) * count, self._residue_quotient(step, source)
        return [
            replace(slot, constants=None, right_word=self._word(turn, 0))
            for slot, turn in zip(
                self._passes(source, none, 0, step.result.base, quotient), term.turns, strict=True
            )
        ]

    def _pass_constants(
        self, matrix: tuple[tuple[int, ...], ...], row: list[int], group: int, base: Base
    ) -> tuple[int, ...]:
        """The constants of a slot in which rower r has source word ``row[r]``."""
        first = group * self.machine.rowers
        targets = base.wide[first : first + self.machine.rowers]
        own = [m.centre(matrix[row[r]][first + r]) for r, m in enumerate(targets)]
        # The small rower sees what rower 0 has.
        heard = matrix[row[0]][-1]
        return self._padded(own, base.extra.centre(heard) if base.extra and group == 0 else 0)

    def _with_extra(
        self,
        source: Residues,
        weights: tuple[int, ...],
        group: int,
        base: Base,
        slots: list[Slot],
        quotient: Quotient | None,
    ) -> list[Slot]:
        """The slots of a pass, and that of an extra channel's word; the Cox sees it in the first.

        There the small rower must not listen: extensions go to the other base.
        """
        if quotient is not None:
            self._check_extra(source, slots)
            slots[0] = replace(slots[0], narrow_tap=True)
        return [*slots, self._extra_slot(source, weights, group, base)]

    def _check_extra(self, source: Residues, slots: list[Slot]) -> None:
        if not slots or slots[0].listens:
            raise SpecificationError(
                f"an extension of {source.name} has its extra modulus in both bases"
            )

    def _extra_slot(
        self, source: Residues, weights: tuple[int, ...], group: int, base: Base
    ) -> Slot:
        """The slot in which the bus has the word of an extra channel."""
        word = Word(self._word(source, 0).value, 0)
        constants = self._constants(weights, group, base)
        return Slot(Left.BUS, left_word=word, constants=constants, narrow=True)

    def _row_passes(
        self,
        rows: Rows,
        matrix: tuple[tuple[int, ...], ...],
        group: int,
        base: Base,
        quotient: Quotient | None,
    ) -> list[Slot]:
        """One pass around the ring of rows for each group of source channels.

        In slot i of a pass, row r holds the super-residue of row r + i. The word of an extra
        channel comes first, on the bus, where the Cox sees it, too.
        """
        columns, turns, slots = self.machine.columns, self.machine.turns, []
        listens = base.extra is not None and group == 0
        for chunk in range(self._groups(rows.source)):
            for turn in range(turns):
                row = [
                    chunk * turns + (rower // columns + turn) % turns
                    for rower in range(self.machine.rowers)
                ]
                constants = self._pass_constants(matrix, row, group, base)
                slot = Slot(Left.ROW, constants=constants, listens=listens)
                if turn == 0:
                    slot = replace(slot, left_word=Word(self.rows[id(rows)], chunk, row=True))
                if quotient is not None and turn < self.machine.tap_slots:
                    weights = self._tap_weights(quotient, chunk, turn)
                    slot = replace(slot, tap_weights=weights, cox_first=chunk == 0 and turn == 0)
                slots.append(slot)
        if not rows.source.base.narrow:
            return slots
        if quotient is not None:
            self._check_extra(rows.source, slots)
        extra = self._extra_slot(rows.source, matrix[-1], group, base)
        return [replace(extra, narrow_tap=quotient is not None), *slots]

    def _tap_weights(self, quotient: Quotient, chunk: int, turn: int) -> tuple[int, ...]:
        """Weights of the words that the taps see in one slot; 0 for one that another tap takes."""
        turns, share = self.machine.turns, self.machine.tap_slots
        weights = []
        for tap in range(self.machine.taps):
            position = tap * share + turn
            seen = position < turns
            weights.append(quotient.weights[chunk * turns + position] if seen else 0)
        return tuple(weights)


def _quotient_of(step: Reduction, source: Residues | Rows) -> Quotient | None:
    for term in step.terms:
        if isinstance(term, Correction | HeldCorrection) and term.quotient.source is source:
            return term.quotient
    return None


def _orders(step: Reduction) -> list[bool]:
    """Whether scaled terms come after the broadcasts: both ways if the step has both."""
    kinds = {type(term) for term in step.terms}
    return [True, False] if {Scaled, Broadcast} <= kinds and not step.resumed else [True]
