"""Control program of a coprocessor: its operations as words of an instruction memory."""

from collections.abc import Mapping, Sequence
from enum import IntEnum

from amaranth.lib import data

from residua.curves.operations.codes import ORDER_OPERATIONS, PUBLIC_OPERATIONS, Operation, Status
from residua.curves.operations.instructions import (
    PLAIN,
    Admit,
    Check,
    Deliver,
    Events,
    Follow,
    Instruction,
    Invert,
    Modulus,
    Read,
    Receive,
    Reciprocate,
    Run,
    Source,
    When,
    every,
)
from residua.curves.protections.status_codes import PLAIN as PLAIN_CODES
from residua.curves.protections.status_codes import StatusCodes
from residua.errors import SpecificationError
from residua.hardware import signature_register
from residua.hardware.engine.microsequencer import GAP, pause_after
from residua.hardware.signature_register import folded, repeated, step
from residua.machines.control_store import Block


class Kind(IntEnum):
    """Kinds of instructions."""

    RUN = 0
    OPERAND = 1
    RANDOM = 2
    SCALAR = 3
    RECEIVE = 4
    CHECK = 5
    CALL = 6
    RETURN = 7
    END = 8
    RECIPROCATE = 9
    ADMIT = 10
    DELIVER = 11
    FOLLOW = 12


FULL = (1 << signature_register.WIDTH) - 1
"""The largest signature."""


class ControlProgram:
    """The operations of all curves as words of an instruction memory.

    Attributes:
        words: values of the fields of every instruction.
        entries: the address of each operation by code and curve.
        stride: slots of a routine of an indexed family.
        events: the events of two scalars or of their halves.
        event_words: words that the instructions of an event have room for.
        signed: whether the ends of operations have their signatures.
        codes: of statuses.

    Raises:
        SpecificationError: an operation follows what is not public, or the routines of a family do
            not lie side by side.
    """

    def __init__(
        self,
        operations: Sequence[Mapping[Operation, Sequence[Instruction]]],
        inversions: Sequence[Sequence[Instruction]],
        blocks: Mapping[str, tuple[Block, ...]],
        signed_rounds: Sequence[int] | None = None,
        codes: StatusCodes = PLAIN_CODES,
    ) -> None:
        """Assemble.

        Args:
            operations: those of each curve.
            inversions: the instructions of `Invert` for each page: for the prime and the order of
                each curve, or for the primes alone.
            blocks: where each routine lies, for each curve.
            signed_rounds: of the loops over the scalar of each curve, for signatures; None: there
                are none. Operations on public data, which do what these say, have none either.
            codes: of statuses.
        """
        self.codes = codes
        self.signed = signed_rounds is not None
        self.blocks = blocks
        self.stride = 0
        self.event_words = 0
        follows = [
            i
            for group in operations
            for own in group.values()
            for i in every(own)
            if isinstance(i, Follow)
        ]
        if follows:
            self.events = Events((len(follows[0].events) - 1) // 2)
            self.event_words = max(len(event) for own in follows for event in own.events)
        self.words: list[dict[str, int]] = []
        self.entries: dict[tuple[int, int], int] = {}
        self.bad_operation = self._end(Status.BAD_OPERATION)
        self.bad_curve = self._end(Status.BAD_CURVE)
        self.curve_pages = len(inversions) // len(operations)
        ends: dict[tuple[int, int], int] = {}
        for curve, group in enumerate(operations):
            calls: list[int] = []
            for order in range(self.curve_pages):
                calls.append(call := len(self.words))
                for instruction in inversions[self.curve_pages * curve + order]:
                    self._instruction(instruction, curve, order, call)
                self._add(Kind.RETURN)
            for operation, instructions in group.items():
                order = int(operation in ORDER_OPERATIONS)
                self._events = self._followed(operation, instructions, curve)
                self.entries[operation, curve] = len(self.words)
                self._list(instructions, curve, order, calls)
                ends[operation, curve] = self._end(Status.OK)
        if signed_rounds is not None:
            self._sign(ends, signed_rounds)

    def _followed(
        self, operation: Operation, instructions: Sequence[Instruction], curve: int
    ) -> int:
        """The address of the instructions of events, if the operation follows any."""
        found = [i for i in every(instructions) if isinstance(i, Follow)]
        start = len(self.words)
        for events in (follow.events for follow in found):
            if operation not in PUBLIC_OPERATIONS:
                raise SpecificationError(
                    f"{operation.name} follows the digits of its scalars, which are secret: only "
                    f"{', '.join(one.name for one in PUBLIC_OPERATIONS)} may"
                )
            for event in events:
                end = len(self.words) + self.event_words
                for instruction in event:
                    self._instruction(instruction, curve, 0, 0)
                # What comes next, an event and its routine, takes a gap of its own.
                last = self.words[-1]
                last |= {"returns": 1, "pause": max(last["pause"] - GAP, 0)}
                while len(self.words) < end:
                    self._add(Kind.RETURN)
        return start

    def _list(
        self, instructions: Sequence[Instruction], curve: int, order: int, calls: Sequence[int]
    ) -> None:
        """Instructions one after another, which begin modulo the order or not."""
        for instruction in instructions:
            match instruction:
                case Modulus(own):
                    order = int(own)
                case When(number, own):
                    # Where it goes on is known when those instructions are there.
                    skips = {"stop_nonzero" if number == "zero" else "stop_zero": 1}
                    self._add(Kind.RECEIVE, order=order, branch=1, **skips)
                    branch = self.words[-1]
                    self._list(own, curve, order, calls)
                    branch["target"] = len(self.words)
                case _:
                    self._instruction(instruction, curve, order, calls[order])

    def _instruction(self, instruction: Instruction, curve: int, order: int, call: int) -> None:
        match instruction:
            case Run():
                self._run(instruction, curve, order)
            case Read(source):
                self._read(source, order)
            case Receive():
                self._receive(instruction, order)
            case Check():
                self._add(Kind.CHECK)
            case Invert():
                self._add(Kind.CALL, target=call)
            case Reciprocate():
                self._add(Kind.RECIPROCATE, order=order)
            case Admit():
                self._add(Kind.ADMIT, order=order)
            case _:
                self._follower(instruction, order)

    def _follower(self, instruction: Instruction, order: int) -> None:
        """What only operations on public scalars have."""
        match instruction:
            case Deliver(target):
                second, inward = target.startswith("second"), target == "operand"
                marks = {"halved": 1} if "split" in target else {}
                self._add(
                    Kind.DELIVER, order=order, second=int(second), inward=int(inward), **marks
                )
            case Follow():
                self._add(Kind.FOLLOW, order=order, target=self._events)

    def _receive(self, receive: Receive, order: int) -> None:
        marks = {"stop_zero": receive.stop == "zero", "stop_nonzero": receive.stop == "nonzero"}
        values = {name: int(mark) for name, mark in marks.items()}
        if not receive.kept:
            values["dropped"] = 1
        self._add(Kind.RECEIVE, order=order, status=self.codes.of(receive.status), **values)

    def _read(self, source: Source, order: int) -> None:
        match source:
            case "operand":
                self._add(Kind.OPERAND, order=order)
            case "random":
                self._add(Kind.RANDOM, order=order)
            case "choice":
                self._add(Kind.RANDOM, order=order, chooses=1)
            case _:
                marks = {
                    "plain": source in PLAIN,
                    "second": source in PLAIN and source.startswith("second"),
                    "base": source in ("base scalar", "comb scalar"),
                }
                if source == "comb scalar":
                    marks["combed"] = True
                if "split" in source:
                    marks["halved"] = True
                values = {name: int(mark) for name, mark in marks.items()}
                self._add(Kind.SCALAR, **values)

    def _run(self, run: Run, curve: int, order: int) -> None:
        block = self.blocks[run.routine][curve]
        marks = {"counted": run.counted, "indexed": run.indexed}
        if run.indexed:
            self.stride = block.length
        self._add(
            Kind.RUN,
            order=order,
            target=block.start,
            length=block.length - 1,
            pause=pause_after(block),
            rounds=(run.rounds or 1) - 1,
            scalar=int(run.rounds is None),
            **{name: 1 for name, mark in marks.items() if mark},
        )

    def _end(self, status: Status) -> int:
        self._add(Kind.END, status=self.codes.of(status))
        return len(self.words) - 1

    def _sign(self, ends: Mapping[tuple[int, int], int], rounds: Sequence[int]) -> None:
        """Put the signatures of operations into their last instructions."""
        signed = {key: end for key, end in ends.items() if key[0] not in PUBLIC_OPERATIONS}
        for end in signed.values():
            # Of full width, which the layout follows from.
            self.words[end] |= {"signed": 1, "signature": FULL, "flow": FULL}
        layout = self.layout
        bits = [folded(layout.const(word).as_bits()) for word in self.words]
        for (operation, curve), end in signed.items():
            signature, flow = self._signatures(operation, curve, bits, rounds[curve])
            self.words[end] |= {"signature": signature, "flow": flow}

    def _signatures(
        self, operation: int, curve: int, bits: Sequence[int], rounds: int
    ) -> tuple[int, int]:
        """The signatures of the instructions of an operation, and of the slots that they run."""
        address, page, returns = self.entries[operation, curve], 0, 0
        signature = flow = 0
        while (word := self.words[address])["kind"] != Kind.END:
            signature = step(signature, bits[address] ^ page)
            page = word.get("order", 0) + 2 * curve if self.curve_pages == 2 else curve
            following = address + 1
            match word["kind"]:
                case Kind.RUN:
                    slots = range(word["target"], word["target"] + word["length"] + 1)
                    times = rounds if word["scalar"] else word["rounds"] + 1
                    flow = repeated(flow, list(map(folded, slots)), times)
                    for _ in range(word.get("pause", 0)):
                        signature = step(signature, bits[address] ^ page)
                case Kind.CALL:
                    following, returns = word["target"], address + 1
                case Kind.RETURN:
                    following = returns
            address = following
        return signature, flow

    def _add(self, kind: Kind, **values: int) -> None:
        self.words.append({"kind": int(kind), **values})

    @property
    def layout(self) -> data.StructLayout:
        """The fields of an instruction."""
        names = ["kind", "target", "length", "pause", "rounds", "scalar", "order", "status"]
        names += ["stop_zero", "stop_nonzero", "plain", "second", "base"]
        others = (
            "combed",
            "halved",
            "dropped",
            "branch",
            "inward",
            "counted",
            "indexed",
            "returns",
            "chooses",
            "signed",
            "signature",
            "flow",
        )
        names += [name for name in others if any(name in word for word in self.words)]
        widths = {n: max(word.get(n, 0) for word in self.words).bit_length() or 1 for n in names}
        call = (len(self.words) - 1).bit_length()
        return data.StructLayout(widths | {"target": max(widths["target"], call)})

    @property
    def delivers(self) -> bool:
        """Whether numbers that are given out are used as if they came in."""
        return any(word["kind"] == Kind.DELIVER for word in self.words)

    @property
    def chooses(self) -> bool:
        """Whether random words choose bases."""
        return any("chooses" in word for word in self.words)

    @property
    def follows(self) -> bool:
        """Whether an operation does what the digits of public scalars say."""
        return any(word["kind"] == Kind.FOLLOW for word in self.words)
