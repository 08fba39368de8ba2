"""Controller: the operations of a coprocessor, an instruction at a time."""

from enum import Enum
from typing import Any

from amaranth.hdl import Array, Cat, Const, Module, Mux, Signal, Value
from amaranth.lib.wiring import Component, In, Out

from residua.curves.operations.codes import PUBLIC_OPERATIONS, Status
from residua.curves.signatures.sliding_windows import BASE_ENTRIES
from residua.hardware import signature_register
from residua.hardware.coprocessor.control_program import Kind
from residua.hardware.coprocessor.controller_design import ControllerDesign
from residua.hardware.coprocessor.instruction_memory import entry_of, fetched
from residua.hardware.coprocessor.verdict import Verdict, Way
from residua.hardware.signature_register import TRACE_PORTS, record


class _State(Enum):
    IDLE = 0
    FETCH = 1
    LATCH = 2
    DECODE = 3
    START = 4
    RUN = 5
    PAUSE = 6
    OPERAND = 7
    SCALAR = 8
    RECEIVE = 9
    END = 10
    WIPE = 11
    DONE = 12
    RECIPROCATE = 13
    LOOK_UP = 14
    ENTER = 15


_NEXT = {
    _State.LOOK_UP: _State.ENTER,
    _State.FETCH: _State.LATCH,
    _State.LATCH: _State.DECODE,
    _State.END: _State.WIPE,
}
"""States of one cycle in which nothing but time passes."""

_TRACE_PORTS = {name: port.flip() for name, port in TRACE_PORTS.items()}
_INWARD_PORTS = {"deliver": Out(1), "delivers_operand": Out(1)}
_RANDOM_PORTS = {"random_unfit": In(1), "random_starved": In(1), "random_zero": In(1)}


class Controller(Component):
    """Runs one operation after another.

    ``command`` starts an operation when ``idle``; ``done`` is set for one cycle at its end, when
    ``status`` tells how it ended. At every end, and on ``zeroise``, ``wipe`` resets and clears all
    that may hold a secret; ``wiping`` tells that this is under way.

    The processor is driven through ``run``, ``origin``, ``length``, ``rounds`` and ``page``. Reads
    are started by ``read_operand`` (from the random words if ``read_random`` is set) and
    ``read_scalar`` (not to be blinded if ``plain`` is set, the second one if ``second`` is, one for
    the base point if ``base`` is), and end with ``operand_done`` or ``scalar_done``, with which
    comes whether it is in range. Ports that are only there if an operation has such are set for
    random words that choose bases, ``chooses``, a scalar of a comb, ``combed``, and one to be
    halved, ``halved``. ``reciprocate`` starts the inversion of the next number given out, ``admit``
    that of the next residues; ``reciprocated`` is the end of either.
    ``received`` and ``zero`` come with a number given out, which ``test_only`` keeps from being
    stored; ``release`` gives out what is stored.

    Some ports are only there if the digits of scalars are followed. ``delivers`` is set while the
    next number given out is a scalar, which ``read_scalar`` has announced, ``delivers_operand``
    while it is an operand, which ``deliver`` announces. ``follow`` asks for an event, which is
    taken if ``event_ready`` is set; ``count`` and ``index`` say more of it. ``public`` is set
    during an operation whose operands all are public. While ``halving`` is set, a port that is only
    there if scalars are halved, too, halves are made: nothing is followed or announced. Where
    results are read again, there are ``deliver`` and ``delivers_operand`` in any case.

    With signatures, ``trace`` sums up the slots that were run since ``trace_clear``, see
    `residua.hardware.signature_register`; the controller sums up its instructions. An operation
    whose sums are not those of its last instruction ends with `Status.FAULT`, and ``release`` needs
    beside the status a register that is set when they are. The same holds for ``scalar_sound``, a
    port that is only there if scalars are checked, and for ``residues_sound``, one that is there if
    residues are; if that is not set, an operation ends at once.

    If random words are watched, ``random_unfit`` ends an operation with `Status.RANDOM_FAULT`, and
    ``random_starved`` with `Status.RANDOM_STARVED`, wherever it is; ``random_zero`` comes with
    ``scalar_done``, and tells that what was to blind the scalar is 0.
    With sparse codes of statuses ``status`` is none during an operation, and kept twice, the other
    time inverted; ``granted`` tells whether both say that the last operation ended well.
    """

    def __init__(self, design: ControllerDesign, words: int, longest: int) -> None:
        self.design = design
        most_rounds = max(*design.rounds, *(w.get("rounds", 0) + 1 for w in design.program.words))
        self.most_rounds = most_rounds
        super().__init__(
            {
                "start": In(1),
                "operation": In(8),
                "curve": In(8),
                "zeroise": In(1),
                "idle": Out(1),
                "busy": Out(1),
                "done": Out(1),
                "status": Out(8),
                "wipe": Out(1),
                "wiping": In(1),
                "run": Out(1),
                "ready": In(1),
                "origin": Out(range(words)),
                "length": Out(range(longest)),
                "rounds": Out(range(most_rounds)),
                "page": Out(range(max(design.program.curve_pages * design.curves, 2))),
                "chosen_curve": Out(range(max(design.curves, 2))),
                "read_operand": Out(1),
                "read_random": Out(1),
                "read_scalar": Out(1),
                "plain": Out(1),
                "second": Out(1),
                "base": Out(1),
                **{name: Out(1) for name in self._uses},
                "operand_done": In(1),
                "operand_in_range": In(1),
                "scalar_done": In(1),
                "scalar_in_range": In(1),
                "reciprocate": Out(1),
                "admit": Out(1),
                "reciprocated": In(1),
                "received": In(1),
                "zero": In(1),
                "test_only": Out(1),
                "release": Out(1),
                **self._follower_ports(most_rounds),
                **(_TRACE_PORTS if design.program.signed else {}),
                **({"scalar_sound": In(1)} if design.checks_scalars else {}),
                **({"residues_sound": In(1, init=1)} if design.checks_residues else {}),
                **(_RANDOM_PORTS if design.watches_random else {}),
                **({"granted": Out(1)} if design.program.codes.sparse else {}),
                **({"chooses": Out(1)} if design.program.chooses else {}),
            }
        )

    @property
    def _uses(self) -> list[str]:
        """What else than a ladder a curve's scalars may be for."""
        members = self.design.program.layout.members
        return [name for name in ("combed", "halved") if name in members]

    @property
    def _halves(self) -> bool:
        return "halved" in self._uses

    def _follower_ports(self, most_rounds: int) -> dict[str, Any]:
        """The ports that serve what follows digits, or numbers that come in again."""
        if not self.design.program.follows:
            return _INWARD_PORTS if self.design.program.delivers else {}
        return {
            "public": Out(1),
            "follow": Out(1),
            "event_ready": In(1),
            "event_code": In(range(self.design.program.events.end + 1)),
            "count": In(range(most_rounds)),
            "index": In(range(BASE_ENTRIES)),
            "delivers": Out(1),
            "deliver": Out(1),
            "delivers_operand": Out(1),
            **({"halving": In(1)} if self._halves else {}),
        }

    def elaborate(self, platform: Any) -> Module:
        """Instruction memory and state machine."""
        m = Module()
        program = self.design.program
        self._state = Signal(_State, name="state", init=_State.WIPE)
        self._address = Signal(range(len(program.words)), name="address")
        self._following = Signal.like(self._address, name="following")
        self._return = Signal.like(self._address, name="return_address")
        self._wanted_operation, self._wanted_curve = self._wanted()
        word = fetched(m, program, self._address)
        self._pause = Signal(program.layout["pause"].shape, name="pause")
        self._verdict = Verdict(program.codes, self.status, self._checks(m, word))
        ends = (self._state == _State.DECODE) & (word.kind == Kind.END)
        self._verdict.settle(m, ends, word.status)
        wanted = (self._wanted_operation, self._wanted_curve)
        operating, entry = Signal(), entry_of(m, program, *wanted, self.design.curves)
        following: Value = self._address + 1
        rounds: Value = word.rounds
        drops: Value = word.stop_zero | word.stop_nonzero
        if program.follows:
            following = Mux(word.returns, self._return, following)
            rounds, drops = Mux(word.counted, self.count, rounds), drops | word.dropped
        m.d.comb += [
            self._following.eq(following),
            self.busy.eq(~self.idle),
            self.idle.eq((self._state == _State.IDLE) & ~self.zeroise),
            self.done.eq((self._state == _State.DONE) & operating & ~self.zeroise),
            self.release.eq(self.done & self._verdict.good),
            self.wipe.eq(self._state == _State.END),
            self.test_only.eq(drops),
        ]
        if program.codes.sparse:
            m.d.comb += self.granted.eq(self._verdict.granted)
        self._drive(m, word, rounds)
        # In registers: they reach far.
        for pulse in (self.run, self.read_operand, self.read_scalar, self.reciprocate, self.admit):
            m.d.sync += pulse.eq(0)
        with m.Switch(self._state):
            with m.Case(_State.IDLE):
                self._begin(m, operating)
            with m.Case(_State.ENTER):
                m.d.sync += [self._state.eq(_State.FETCH), self._address.eq(entry)]
            for state, later in _NEXT.items():
                with m.Case(state):
                    m.d.sync += self._state.eq(later)
            with m.Case(_State.DECODE):
                self._decode(m, word)
            with m.Case(_State.START, _State.RUN, _State.PAUSE):
                self._run(m)
            with m.Case(_State.OPERAND, _State.SCALAR):
                self._read(m)
            with m.Case(_State.RECEIVE):
                self._receive(m, word)
            with m.Case(_State.RECIPROCATE), m.If(self.reciprocated):
                self._next(m)
            with m.Case(_State.WIPE):
                m.d.sync += self._state.eq(Mux(self.wiping, _State.WIPE, _State.DONE))
            with m.Case(_State.DONE):
                m.d.sync += [self._state.eq(_State.IDLE), operating.eq(0)]
        self._interrupt(m, operating)
        return m

    def _wanted(self) -> tuple[Signal, Signal]:
        """Registers for the operation and the curve of a command, whose entry is looked up next."""
        operation = Signal.like(self.operation, name="wanted_operation")
        return operation, Signal.like(self.curve, name="wanted_curve")

    def _drive(self, m: Module, word: Any, rounds: Value) -> None:
        """Say what the processor runs, in registers: an instruction is there before it starts."""
        m.d.sync += [
            self.length.eq(word.length),
            self.rounds.eq(Mux(word.scalar, self._digits(), rounds)),
        ]
        if self.design.program.follows:
            self._follows(m, word)
            return
        m.d.sync += self.origin.eq(word.target)
        if self.design.program.delivers:
            self._come_in(m)

    def _interrupt(self, m: Module, operating: Signal) -> None:
        """End whatever is under way."""
        if self.design.checks_residues:
            with m.If(~self.residues_sound & ~self._over):
                self._verdict.note(m, Status.FAULT)
                self._stop(m, Way.READ)
        if self.design.watches_random:
            self._watch(m)
        with m.If(self.zeroise):
            self._stop(m, Way.ZEROISED)
            m.d.sync += operating.eq(operating)

    @property
    def _over(self) -> Value:
        """Whether no operation is under way, or one that has come to its end."""
        return self._state.matches(_State.IDLE, _State.END, _State.WIPE, _State.DONE)

    def _watch(self, m: Module) -> None:
        """End an operation whose random words are not what they should be."""
        with m.If((self.random_unfit | self.random_starved) & ~self._over):
            self._stop(m, Mux(self.random_starved, Way.RANDOM_STARVED, Way.RANDOM_FAULT))

    def _sign(self, m: Module, word: Any) -> None:
        """Sum up the instructions, and the page that each of them finds, up to the last one.

        One that waits for results is summed up in each cycle of its pause, too.
        """
        self._signature = Signal(signature_register.WIDTH, name="signature")
        starts = (self._state == _State.IDLE) & self.start
        runs = (self._state == _State.DECODE) & (word.kind != Kind.END)
        waits = self._state == _State.PAUSE
        size = self.design.program.layout.size
        padded = Cat(word, Const(0, -size % signature_register.WIDTH))
        what = Cat(padded, self.page)
        record(m, self._signature, what, runs | waits, starts)
        m.d.comb += self.trace_clear.eq(starts)

    def _checks(self, m: Module, word: Any) -> list[Value]:
        """Whether an operation did what it had to, when its last instruction is there."""
        checks: list[Value] = []
        if self.design.program.signed:
            self._sign(m, word)
            sums = (self._signature == word.signature, self.trace == word.flow)
            checks += [~word.signed | same for same in sums]
        if self.design.checks_scalars:
            checks.append(self.scalar_sound)
        if self.design.checks_residues:
            checks.append(self.residues_sound)
        return checks

    def _follows(self, m: Module, word: Any) -> None:
        """The routine of an entry, and numbers that are given out to be used."""
        offset = Mux(word.indexed, self.index * self.design.program.stride, 0)
        m.d.sync += [self.origin.eq(word.target + offset), self.deliver.eq(0)]
        follows = (self._state == _State.DECODE) & (word.kind == Kind.FOLLOW)
        m.d.comb += self.follow.eq(follows & ~self.halving if self._halves else follows)
        with m.If(self.received | (self._state == _State.END)):
            m.d.sync += [self.delivers.eq(0), self.delivers_operand.eq(0)]

    def _come_in(self, m: Module) -> None:
        """Numbers that are given out come in again until they have been taken."""
        m.d.sync += self.deliver.eq(0)
        with m.If(self.received | (self._state == _State.END)):
            m.d.sync += self.delivers_operand.eq(0)

    def _deliver(self, m: Module, word: Any) -> None:
        """Announce what a number will be; a scalar as if it were read, without waiting for it."""
        if self._halves:
            with m.If(~self.halving):
                self._announce(m, word)
        else:
            self._announce(m, word)

    def _announce(self, m: Module, word: Any) -> None:
        self._next(m)
        m.d.sync += [
            self.deliver.eq(word.inward),
            self.delivers_operand.eq(word.inward),
            self.delivers.eq(~word.inward),
            self.read_scalar.eq(~word.inward),
            self.plain.eq(1),
            self.second.eq(word.second),
            self.base.eq(0),
        ]
        own = {"halved": word.halved} if self._halves else {}
        m.d.sync += [getattr(self, name).eq(own.get(name, 0)) for name in self._uses]

    def _dispatch(self, m: Module, word: Any) -> None:
        """On to the instructions of an event, which come back, or past the last one."""
        with m.If(self.event_ready):
            self._next(m)
            program = self.design.program
            with m.If(self.event_code != program.events.end):
                m.d.sync += [
                    self._address.eq(word.target + self.event_code * program.event_words),
                    self._return.eq(self._address),
                ]

    def _begin(self, m: Module, operating: Signal) -> None:
        with m.If(self.start):
            m.d.sync += [
                operating.eq(1),
                self._state.eq(_State.LOOK_UP),
                self._wanted_operation.eq(self.operation),
                self._wanted_curve.eq(self.curve),
                self.chosen_curve.eq(self.curve),
            ]
            self._verdict.begin(m)
            if self.design.program.signed:
                m.d.sync += self.page.eq(0)
            if self.design.program.follows:
                is_public = [self.operation == own for own in PUBLIC_OPERATIONS]
                m.d.sync += self.public.eq(Cat(is_public).any())

    def _next(self, m: Module) -> None:
        """Go on with the next instruction."""
        m.d.sync += [self._address.eq(self._following), self._state.eq(_State.FETCH)]

    def _stop(self, m: Module, way: Way | Value) -> None:
        """End the operation before its last instruction."""
        m.d.sync += [self._state.eq(_State.END), self.run.eq(0)]
        self._verdict.end(m, way)

    def _decode(self, m: Module, word: Any) -> None:
        m.d.sync += [
            self.page.eq(self._page(word)),
            self._pause.eq(word.pause),
        ]
        with m.Switch(word.kind):
            with m.Case(Kind.RUN):
                m.d.sync += [self._state.eq(_State.START), self.run.eq(1)]
            with m.Case(Kind.OPERAND, Kind.RANDOM):
                m.d.sync += [
                    self._state.eq(_State.OPERAND),
                    self.read_operand.eq(1),
                    self.read_random.eq(word.kind == Kind.RANDOM),
                    *([self.chooses.eq(word.chooses)] if self.design.program.chooses else []),
                ]
            with m.Case(Kind.SCALAR):
                m.d.sync += [
                    self._state.eq(_State.SCALAR),
                    self.read_scalar.eq(1),
                    self.plain.eq(word.plain),
                    self.second.eq(word.second),
                    self.base.eq(word.base),
                ]
                m.d.sync += [getattr(self, name).eq(word[name]) for name in self._uses]
            with m.Case(Kind.RECEIVE):
                m.d.sync += self._state.eq(_State.RECEIVE)
            with m.Case(Kind.RECIPROCATE):
                m.d.sync += [self._state.eq(_State.RECIPROCATE), self.reciprocate.eq(1)]
            with m.Case(Kind.ADMIT):
                self._next(m)
                m.d.sync += self.admit.eq(1)
            if self.design.program.follows:
                with m.Case(Kind.DELIVER):
                    self._deliver(m, word)
                with m.Case(Kind.FOLLOW):
                    self._dispatch(m, word)
            elif self.design.program.delivers:
                with m.Case(Kind.DELIVER):
                    self._next(m)
                    m.d.sync += [self.deliver.eq(1), self.delivers_operand.eq(1)]
            with m.Case(Kind.CHECK):
                self._next(m)
                with m.If(self._verdict.fault != self._verdict.code(Status.OK)):
                    self._stop(m, Way.READ)
            with m.Case(Kind.CALL):
                self._next(m)
                m.d.sync += [self._address.eq(word.target), self._return.eq(self._following)]
            with m.Case(Kind.RETURN):
                self._next(m)
                m.d.sync += self._address.eq(self._return)
            with m.Default():
                m.d.sync += self._state.eq(_State.END)

    def _run(self, m: Module) -> None:
        """Start a routine, wait for its end, then for its last results."""
        with m.If(self._state == _State.START):
            m.d.sync += self._state.eq(_State.RUN)
        with m.Elif(self._state == _State.RUN), m.If(self.ready):
            self._next(m)
            with m.If(self._pause != 0):
                m.d.sync += [
                    self._state.eq(_State.PAUSE),
                    self._address.eq(self._address),
                ]
        with m.Else():
            m.d.sync += self._pause.eq(self._pause - 1)
            with m.If(self._pause == 1):
                self._next(m)

    def _read(self, m: Module) -> None:
        """Wait for a number; remember the first that is out of range."""
        with m.If(self.operand_done | self.scalar_done):
            self._next(m)
            with m.If(self._verdict.fault == self._verdict.code(Status.OK)):
                if self.design.watches_random:
                    with m.If(self.scalar_done & self.random_zero):
                        self._verdict.note(m, Status.RANDOM_ZERO)
                with m.If(self.scalar_done & ~self.scalar_in_range):
                    self._verdict.note(m, Status.SCALAR_RANGE)
                with m.If(self.operand_done & ~self.operand_in_range & ~self.read_random):
                    self._verdict.note(m, Status.OPERAND_RANGE)

    def _receive(self, m: Module, word: Any) -> None:
        with m.If(self.received):
            self._next(m)
            stops = Mux(self.zero, word.stop_zero, word.stop_nonzero)
            if self.design.program.follows:
                with m.If(stops & word.branch):
                    m.d.sync += self._address.eq(word.target)
                stops = stops & ~word.branch
            with m.If(stops):
                self._stop(m, Way.INSTRUCTION)

    def _page(self, word: Any) -> Value:
        if self.design.program.curve_pages == 1:
            return self.chosen_curve
        return Cat(word.order, self.chosen_curve)

    def _digits(self) -> Value:
        counts = [count - 1 for count in self.design.rounds]
        width = max(count.bit_length() for count in counts)
        chosen: Value = Array([Const(count, width) for count in counts])[self.chosen_curve]
        return chosen
