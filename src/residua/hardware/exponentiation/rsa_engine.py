"""RSA with a private key by the Chinese remainder theorem on one Cox-Rower engine, checked.

A list of steps moves words between the streams, a memory, the engine and the converter, and runs
the engine's routines (`residua.hardware.exponentiation.rsa_sequence`).
"""

from enum import IntEnum
from typing import Any

from amaranth.hdl import C, Cat, Module, Mux, Signal, Value
from amaranth.lib import data, stream
from amaranth.lib.memory import Memory
from amaranth.lib.wiring import Component, In, Out
from amaranth.utils import ceil_log2

from residua.algorithms.fields.crt_field import HALVES
from residua.hardware import signature_register
from residua.hardware.converters.final_reduction import FinalReduction
from residua.hardware.converters.residue_to_binary import ResidueToBinary
from residua.hardware.digit.results import result_payload
from residua.hardware.engine.processor import Processor
from residua.hardware.exponentiation.exponent_blinding import ExponentBlinding
from residua.hardware.exponentiation.exponentiator import ExponentDigits
from residua.hardware.exponentiation.number_check import check_numbers
from residua.hardware.exponentiation.root_guard import RootGuard
from residua.hardware.exponentiation.rsa_engine_design import RsaEngineDesign
from residua.hardware.exponentiation.rsa_sequence import Source, Target
from residua.hardware.signature_register import folded, record


class _State(IntEnum):
    """States of the list: an instruction, its words, its routine."""

    FETCH = 0
    LATCH = 1
    DECODE = 2
    WORDS = 3
    START = 4
    RUN = 5
    PAUSE = 6


class RsaEngine(Component):
    """The e-th root of a message modulo N on streams of words, the lowest first.

    ``operands`` takes the words of a message below N. ``result`` hands out those of the root, as
    many, ``last`` with the highest. A root is compared before: where its e-th power is not the
    message, all words are 0 and ``error`` is set with them. That is so, too, from the first word on
    that is not what was checked (`RootGuard`), and if other steps were executed than those of the
    list.

    ``modulus`` takes the words of a key, `RsaEngineDesign.load_words`, before the first word of a
    message and then whenever another key is offered between messages: it goes before a message.
    ``modulus_error`` is set until the next key if a prime is even or below 2^15; then no message is
    taken. The number of cycles is the same for all keys and messages.

    If exponents and messages are blinded, ``random`` takes uniformly distributed words, fresh ones
    for each key, after its last word, and for each message, before its first one.
    """

    def __init__(self, design: RsaEngineDesign) -> None:
        self.design = design
        width = design.width
        super().__init__(
            {
                "operands": In(stream.Signature(width)),
                "result": Out(stream.Signature(result_payload(width, flagged=True))),
                "modulus": In(stream.Signature(width)),
                "modulus_error": Out(1),
                **({"random": In(stream.Signature(width))} if design.blinding else {}),
            }
        )

    def elaborate(self, platform: Any) -> Module:
        """Instructions, processor, converter, final reduction, exponents, memory."""
        m = Module()
        design = self.design
        most = max(step.rounds for step in design.steps if step.routine)
        m.submodules.processor = self._processor = Processor(design.processor, most)
        m.submodules.converter = self._converter = ResidueToBinary(design.conversion)
        m.submodules.reduction = self._reduction = FinalReduction(design.words, design.width)
        m.submodules.guard = self._guard = RootGuard(design.words, design.width)
        m.submodules.exponent_p = exponent_p = ExponentDigits(design.exponent_shape)
        m.submodules.exponent_q = exponent_q = ExponentDigits(design.exponent_shape)
        self._exponents = exponent_p, exponent_q
        self._state = Signal(_State, name="state")
        longest = max(step.count for step in design.steps)
        self._word = Signal(range(max(longest, 2)), name="word")
        self._moves, self._there = Signal(name="moves"), Signal(name="there")
        self._ends = Signal(name="step_ends")
        self._payload = Signal(design.width, name="word_taken")
        self._instructions(m)
        self._memory(m)
        self._blinding = self._blind(m) if design.blinding else None
        self._sources(m)
        self._targets(m)
        self._watch(m)
        self._execute(m)
        self._test_key(m)
        return m

    def _instructions(self, m: Module) -> None:
        """The list in a memory: the fields of each step."""
        design, words = self.design, list[dict[str, int]]()
        for step, pause in zip(design.steps, design.pauses, strict=True):
            block = design.processor.store.blocks[step.routine] if step.routine else None
            words.append(
                {
                    "source": step.source,
                    "target": step.target,
                    "moves": int(step.count > 0),
                    "count": max(step.count - 1, 0),
                    "read": step.read,
                    "keeps": int(step.kept is not None),
                    "kept": step.kept or 0,
                    "tests": int(step.tests),
                    "runs": int(block is not None),
                    "origin": block.start if block else 0,
                    "length": block.length - 1 if block else 0,
                    "rounds": step.rounds - 1,
                    "pause": pause,
                    **({"negates": int(step.negates)} if design.blinding else {}),
                    **({"highest": int(step.highest)} if design.blinding else {}),
                }
            )
        widths = {name: max(word[name] for word in words).bit_length() or 1 for name in words[0]}
        layout = data.StructLayout(widths)
        depth = 1 << ceil_log2(len(words))
        init = [layout.const(word).as_bits() for word in words]
        m.submodules.instructions = memory = Memory(shape=layout.size, depth=depth, init=init)
        read = memory.read_port(domain="sync")
        self._address = Signal(range(len(words)), name="address")
        self._step = Signal(layout, name="instruction")
        self._signed = 0
        # The last one gives out; what changes it is found by the guard.
        for word in init[design.first_of_operation : -1]:
            self._signed = signature_register.step(self._signed, folded(word))
        m.d.comb += read.addr.eq(self._address)
        with m.If(self._is(_State.LATCH)):
            m.d.sync += self._step.eq(read.data)

    def _is(self, state: _State) -> Value:
        return self._state == state

    def _comes(self, source: Source) -> Value:
        """Whether words of the current step come from ``source``."""
        return self._is(_State.WORDS) & (self._step.source == source)

    def _goes(self, target: Target) -> Value:
        """Whether words of the current step go to ``target``."""
        return self._is(_State.WORDS) & (self._step.target == target)

    def _memory(self, m: Module) -> None:
        """A message and its root in one memory, exponents, and primes, in another one."""
        design, secret = self.design, self._step.target == Target.EXPONENTS
        if design.blinding:
            secret |= self._step.target == Target.PRIME
        self._words = self._add(m, "words", design.sequence.places["depth"], ~secret)
        self._held = self._words[1]
        self._secret = self._add(m, "exponents", design.sequence.secret_words, secret)[1]

    def _blind(self, m: Module) -> ExponentBlinding:
        """What adds multiples of p - 1 and q - 1 to the exponents."""
        m.submodules.blinding = blinding = ExponentBlinding(self.design.blinding_shape)
        m.d.comb += [
            blinding.random.eq(self._payload),
            blinding.secret.eq(self._secret),
            blinding.index.eq(self._word),
            blinding.negative.eq(self._step.negates),
            blinding.take.eq(self._moves & self._goes(Target.MULTIPLE)),
            blinding.adds.eq(self._moves & self._goes(Target.PASS)),
            blinding.gives.eq(self._moves & self._comes(Source.BLINDED) & ~self._goes(Target.PASS)),
        ]
        return blinding

    def _add(self, m: Module, name: str, depth: int, chosen: Value) -> tuple[Memory, Value]:
        """A memory that keeps words of a step if it is ``chosen``, and the word that it reads."""
        step = self._step
        m.submodules[name] = memory = Memory(shape=self.design.width, depth=depth, init=[])
        write, read = memory.write_port(), memory.read_port(domain="comb")
        m.d.comb += [
            read.addr.eq((step.read + self._word)[: len(read.addr)]),
            write.addr.eq((step.kept + self._word)[: len(write.addr)]),
            write.data.eq(self._payload),
            write.en.eq(self._moves & step.keeps & chosen),
        ]
        return memory, read.data

    def _sources(self, m: Module) -> None:
        """The word of the current step that is next, and whether it is there."""
        converted, reduced = self._converter.result, self._reduction.result
        first = self._address == self.design.first_of_message
        self._idle = Signal(name="idle")
        m.d.comb += [
            self._idle.eq(self._comes(Source.OPERANDS) & (self._word == 0) & first),
            self.modulus.ready.eq(self._comes(Source.KEY)),
        ]
        refuses = self.modulus_error | (self._idle & self.modulus.valid)
        m.d.comb += [
            self.operands.ready.eq(self._comes(Source.OPERANDS) & ~refuses),
            converted.ready.eq(
                self._comes(Source.CONVERTER)
                | (self._comes(Source.REDUCTION) & self._reduction.number.ready)
            ),
            self._reduction.number.payload.eq(converted.payload.word),
            self._reduction.number.valid.eq(self._comes(Source.REDUCTION) & converted.valid),
            reduced.ready.eq(self._comes(Source.REDUCTION)),
        ]
        words = {
            Source.KEY: (self.modulus.payload, self.modulus.valid),
            Source.OPERANDS: (self.operands.payload, self.operands.valid & ~refuses),
            Source.MEMORY: (self._held, C(1, 1)),
            Source.EXPONENTS: (self._secret, C(1, 1)),
            Source.CONVERTER: (converted.payload.word, converted.valid),
            Source.REDUCTION: (reduced.payload.word, reduced.valid),
        }
        if self._blinding is not None:
            m.d.comb += self.random.ready.eq(self._comes(Source.RANDOM))
            words[Source.RANDOM] = self._random_word, self.random.valid
            words[Source.BLINDED] = self._blinding.blinded, C(1, 1)
        with m.Switch(self._step.source):
            for source, (word, there) in words.items():
                with m.Case(source):
                    m.d.comb += [self._payload.eq(word), self._there.eq(there)]

    @property
    def _random_word(self) -> Value:
        """A random word; the highest one of a message has no bits above those of N."""
        design, step = self.design, self._step
        bits = design.bits - (design.words - 1) * design.width
        highest = step.highest & (self._word == step.count)
        return Mux(highest, self.random.payload[:bits], self.random.payload)

    def _targets(self, m: Module) -> None:
        """Words to where they go."""
        processor, reduction = self._processor, self._reduction
        last = self._word == self._step.count
        moves, word = self._moves, self._payload
        gives, enters = self._goes(Target.RESULT), self._goes(Target.ENGINE)
        if self._blinding is not None:
            enters |= self._goes(Target.PRIME)
        m.d.comb += [
            moves.eq(self._is(_State.WORDS) & self._there & (~gives | self.result.ready)),
            processor.binary.payload.eq(word),
            processor.binary.valid.eq(moves & enters),
            processor.binary_start.eq(self._is(_State.DECODE)),
            reduction.modulus.eq(word),
            # The highest word of N is 0 and not one of those of a root.
            reduction.load.eq(moves & self._goes(Target.MODULUS) & ~last),
            self.result.valid.eq(gives & self._there),
            self.result.payload.word.eq(Mux(self._guard.withholds, 0, self._guard.root)),
            self.result.payload.last.eq(last),
            self.result.payload.error.eq(self.result.valid & self._guard.withholds),
        ]
        begins = self._is(_State.DECODE) & (self._step.target == Target.EXPONENT_P)
        targets = Target.EXPONENT_P, Target.EXPONENT_Q
        for exponent, target in zip(self._exponents, targets, strict=True):
            m.d.comb += [
                exponent.word.eq(word),
                exponent.write.eq(moves & self._goes(target)),
                exponent.start.eq(begins),
                exponent.advance.eq(processor.advance),
            ]
        chosen = dict(zip(HALVES, self._exponents, strict=True))
        flags = (name.split(".digit_") for name in self.design.processor.gates)
        m.d.comb += processor.gates.eq(
            Cat(chosen[f"{own}."].flags[int(digit)] for own, digit in flags)
        )
        m.d.comb += [
            self._converter.residues.payload.eq(processor.residue[0]),
            self._converter.residues.valid.eq(processor.residue_valid),
        ]

    def _watch(self, m: Module) -> None:
        """Show the guard what comes, is checked and leaves, and sum up the steps that end."""
        guard, moves = self._guard, self._moves
        clear = Signal(name="operation_begins")
        m.d.comb += [
            clear.eq(self._is(_State.FETCH) & (self._address == self.design.first_of_operation)),
            guard.clear.eq(clear),
            guard.word.eq(self._payload),
            guard.loads.eq(self._reduction.load),
            guard.takes.eq(moves & self._comes(Source.OPERANDS)),
            guard.keeps.eq(moves & self._comes(Source.REDUCTION) & self._goes(Target.ENGINE)),
            guard.compares.eq(moves & self._comes(Source.REDUCTION) & self._goes(Target.VERDICT)),
            guard.leaves.eq(moves & self._goes(Target.RESULT)),
            guard.last.eq(self.result.payload.last),
        ]
        signature = Signal(signature_register.WIDTH, name="signature")
        # At its end a step still has to be what it was all the while.
        record(m, signature, self._step.as_value(), self._ends, clear)
        m.d.comb += guard.granted.eq(signature == self._signed)

    def _execute(self, m: Module) -> None:
        """One step after the other; after the last one, those of an operation again."""
        design, step, state, processor = self.design, self._step, self._state, self._processor
        pause = Signal(len(step.pause), name="pause")
        end = self._address == len(design.steps) - 1
        m.d.comb += [
            processor.run.eq(self._is(_State.START)),
            processor.origin.eq(step.origin),
            processor.length.eq(step.length),
            processor.rounds.eq(step.rounds),
        ]

        def follow() -> None:
            m.d.comb += self._ends.eq(1)
            m.d.sync += [
                state.eq(_State.FETCH),
                self._address.eq(Mux(end, design.first_of_operation, self._address + 1)),
            ]

        def follow_words() -> None:
            """The words once more, if they go round."""
            if not design.blinding:
                follow()
                return
            done = Signal(range(design.blinding), name="pass_number")
            with m.If(self._goes(Target.PASS) & (done != design.blinding - 1)):
                m.d.sync += done.eq(done + 1)
            with m.Else():
                m.d.sync += done.eq(0)
                follow()

        with m.Switch(state):
            with m.Case(_State.FETCH):
                m.d.sync += state.eq(_State.LATCH)
            with m.Case(_State.LATCH):
                m.d.sync += state.eq(_State.DECODE)
            with m.Case(_State.DECODE), m.If(~processor.clearing):
                m.d.sync += [
                    pause.eq(step.pause),
                    state.eq(Mux(step.moves, _State.WORDS, _State.START)),
                ]
            with m.Case(_State.WORDS):
                with m.If(self._moves):
                    m.d.sync += self._word.eq(self._word + 1)
                    with m.If(self._word == step.count):
                        m.d.sync += self._word.eq(0)
                        with m.If(step.runs):
                            m.d.sync += state.eq(_State.START)
                        with m.Else():
                            follow_words()
                with m.If(self._idle & self.modulus.valid):
                    m.d.sync += [state.eq(_State.FETCH), self._address.eq(0)]
            with m.Case(_State.START):
                m.d.sync += state.eq(_State.RUN)
            with m.Case(_State.RUN), m.If(processor.ready):
                with m.If(pause != 0):
                    m.d.sync += state.eq(_State.PAUSE)
                with m.Else():
                    follow()
            with m.Case(_State.PAUSE):
                m.d.sync += pause.eq(pause - 1)
                with m.If(pause == 1):
                    follow()

    def _test_key(self, m: Module) -> None:
        """Whether a prime is odd and not below the smallest that is served."""
        check_numbers(
            m,
            self.modulus_error,
            self._payload,
            self._word,
            width=self.design.width,
            moves=self._moves & self._step.tests,
            last=self._word == self._step.count,
            begins=self._address == 0,
        )
