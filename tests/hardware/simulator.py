"""Amaranth's simulator with the same outcome in half of the time.

Its engine calls a function for each register in each cycle, and one for each signed operand. This
one writes both out in the Python code that it makes of a design, and wakes what is to run by sets.
Waveforms are left to Amaranth's own.
"""

from functools import partial

from amaranth import sim
from amaranth.hdl import Cat, Const, MemoryData, Signal, Value
from amaranth.hdl._ast import SignalSet, Slice, _StatementList
from amaranth.hdl._mem import MemoryInstance
from amaranth.hdl._xfrm import LHSMaskCollector
from amaranth.sim import _pyrtl, pysim
from amaranth.sim._pyeval import eval_value

_BINARY = {
    **{
        operator: f"({{}} {operator} {{}})"
        for operator in ("+", "-", "*", "&", "|", "^", "<<", ">>", "==", "!=", "<", "<=", ">", ">=")
    },
    "//": "zdiv({}, {})",
    "%": "zmod({}, {})",
}

_OFTEN = 20
"""Times after which it is worth while to compile an expression that testbenches sample."""


class _Signal(pysim._PySignalState):
    """A signal, and what runs when it changes."""

    __slots__ = ("changed", "falling", "rising")

    def __init__(self, signal, pending):
        super().__init__(signal, pending)
        self.changed, self.rising, self.falling = set(), set(), set()


class _Pending(list):
    """Signals and memories that may have changed; one that is there twice does no harm."""

    add = list.append


class _State(pysim._PyEngineState):
    """All signals and memories, and the processes that are to run."""

    def __init__(self):
        super().__init__()
        self.pending, self.runnable = _Pending(), set()
        self.names = {
            "pending": self.pending.add,
            **_pyrtl._ValueCompiler.helpers,
            **_pyrtl._StatementCompiler.helpers,
        }

    def get_signal(self, signal):
        try:
            return self.signals[signal]
        except KeyError:
            return self._new(self.signals, signal, _Signal(signal, self.pending))

    def get_memory(self, memory):
        try:
            return self.memories[memory]
        except KeyError:
            return self._new(self.memories, memory, pysim._PyMemoryState(memory, self.pending))

    def _new(self, known, thing, state):
        index = known[thing] = len(self.slots)
        self.slots.append(state)
        self.names[f"s{index}"] = state
        return index

    def commit(self, changed=None):
        assert changed is None
        converged, runnable = True, self.runnable
        for state in self.pending:
            if type(state) is not _Signal:
                if state.write_queue and state.commit():
                    converged = False
                continue
            before, after = state.curr, state.next
            if before == after:
                continue
            converged = False
            if state.wakers:
                pysim._run_wakers(state.wakers, before, after)
            runnable |= state.changed
            if state.rising or state.falling:
                runnable |= state.rising if after else state.falling
            state.curr = after
        self.pending.clear()
        return converged


def _extended(code, width):
    """Code of a word of so many bits as a signed number."""
    half = f"{1 << (width - 1):#x}"
    return f"(({code} ^ {half}) - {half})"


class _Rhs(_pyrtl._RHSValueCompiler):
    """Code of what is read; signals and constants are within their shapes as they are."""

    def sign(self, value):
        code = self(value)
        if isinstance(value, (Const, Signal)):
            return code
        shape = value.shape()
        if not isinstance(value, Slice):
            code = f"({(1 << shape.width) - 1:#x} & {code})"
        return _extended(code, shape.width) if shape.signed else code

    def on_Signal(self, value):  # noqa: N802
        if self.mode != "curr":
            return super().on_Signal(value)
        if self.inputs is not None:
            self.inputs.add(value)
        return f"s{self.state.get_signal(value)}.curr"

    def on_Operator(self, value):  # noqa: N802
        if len(value.operands) == 2:
            return _BINARY[value.operator].format(*map(self.sign, value.operands))
        if value.operator == "-":
            return f"(-{self.sign(value.operands[0])})"
        return super().on_Operator(value)


class _Lhs(_pyrtl._LHSValueCompiler):
    """Code of what is written."""

    def on_Signal(self, value):  # noqa: N802
        shape = value.shape()

        def write(code):
            word = f"({(1 << shape.width) - 1:#x} & {code})"
            word = _extended(word, shape.width) if shape.signed else word
            self.emitter.append(f"next_{self.state.get_signal(value)} = {word}")

        return write


class _Statements(_pyrtl._StatementCompiler):
    """Code of statements."""

    def __init__(self, state, emitter, *, inputs=None):
        super().__init__(state, emitter)
        self.rhs = _Rhs(state, emitter, mode="curr", inputs=inputs)
        self.lhs = _Lhs(state, emitter, rhs=self.rhs)


class _Process:
    """What a fragment does in one domain, as a function without arguments."""

    def __init__(self, state, fragment, domain):
        self.state, self.fragment, self.domain = state, fragment, domain
        self.is_comb = domain == "comb"
        self.memory = fragment if isinstance(fragment, MemoryInstance) else None
        self.emitter = _pyrtl._PythonEmitter()
        self.inputs = SignalSet() if self.is_comb else None
        self.statements = _Statements(state, self.emitter, inputs=self.inputs)
        self.rhs, self.lhs = self.statements.rhs, self.statements.lhs

    def run(self):
        """Compile it, and have it run when it has to."""
        statements = self.fragment.statements.get(self.domain, _StatementList())
        collector = LHSMaskCollector()
        collector.visit_stmt(statements)
        for port in self._reads():
            collector.visit_value(port._data, ~0)
        driven = [(signal, self.state.get_signal(signal), m) for signal, m in collector.masks()]
        emit = self.emitter.append
        emit("def run():")
        with self.emitter.indent():
            for signal, index, _ in driven:
                emit(f"next_{index} = {signal.init if self.is_comb else f's{index}.next'}")
            self.statements(statements)
            self._reset(driven)
            written = self._write()
            for port in self._reads():
                self._read(port, written)
            for signal, index, mask in driven:
                self._update(signal, index, mask)
        exec(compile(self.emitter.flush(), "<string>", "exec"), self.state.names)
        run = self.state.names.pop("run")
        self._wake(run, driven)
        return run

    def _reads(self):
        ports = self.memory._read_ports if self.memory else ()
        return [port for port in ports if port._domain == self.domain]

    def _reset(self, driven):
        domain = None if self.is_comb else self.fragment.domains[self.domain]
        if domain is None or domain.rst is None:
            return
        kept = [(signal, index) for signal, index, _ in driven if not signal.reset_less]
        if kept:
            self.emitter.append(f"if {self.rhs.sign(domain.rst)}:")
            with self.emitter.indent():
                for signal, index in kept:
                    self.emitter.append(f"next_{index} = {signal.init}")

    def _value(self, name, value):
        """A variable with a value as an unsigned number."""
        return self.emitter.def_var(name, f"{(1 << len(value)) - 1:#x} & {self.rhs(value)}")

    def _write(self):
        """Writes of the memory; variables with address, data and mask, by the port's number."""
        written = {}
        for number, port in enumerate(self.memory._write_ports if self.memory else ()):
            if port._domain == self.domain:
                enabled = Cat(bit.replicate(port._granularity) for bit in port._en)
                parts = (port._addr, port._data, enabled)
                written[number] = address, data, mask = [self._value("write", p) for p in parts]
                slot = f"s{self.state.get_memory(self.memory._data)}"
                self.emitter.append(f"if {mask}: {slot}.write({address}, {data}, {mask})")
        return written

    def _read(self, port, written):
        slot = f"s{self.state.get_memory(self.memory._data)}"
        enabled = "True" if self.is_comb else self._value("enabled", port._en)
        self.emitter.append(f"if {enabled}:")
        with self.emitter.indent():
            address = self._value("read", port._addr)
            data = self.emitter.def_var("data", f"{slot}.read({address})")
            for number in port._transparent_for:
                other, value, mask = written[number]
                self.emitter.append(f"if {address} == {other}:")
                with self.emitter.indent():
                    self.emitter.append(f"{data} = {data} & ~{mask} | {value} & {mask}")
            self.lhs(port._data)(data)

    def _update(self, signal, index, mask):
        """Set the next value of a signal; bits that are not driven here stay."""
        whole = (1 << len(signal)) - 1
        if mask & whole != whole:
            if signal.shape().signed and mask & 1 << (len(signal) - 1):
                mask |= -1 << len(signal)
            self.emitter.append(f"s{index}.update(next_{index}, {mask})")
            return
        self.emitter.append(f"if next_{index} != s{index}.next:")
        with self.emitter.indent():
            self.emitter.append(f"s{index}.next = next_{index}")
            self.emitter.append(f"pending(s{index})")

    def _wake(self, run, driven):
        slots, get_signal = self.state.slots, self.state.get_signal
        if self.is_comb:
            for _, index, _ in driven:
                slots[index].is_comb = True
            for signal in self.inputs:
                slots[get_signal(signal)].changed.add(run)
            if self.memory:

                def wake():
                    self.state.runnable.add(run)
                    return True

                self.state.add_memory_waker(self.memory._data, wake)
            return
        domain = self.fragment.domains[self.domain]
        clock = slots[get_signal(domain.clk)]
        (clock.rising if domain.clk_edge == "pos" else clock.falling).add(run)
        if domain.async_reset and domain.rst is not None:
            slots[get_signal(domain.rst)].rising.add(run)


def _processes(state, fragment):
    """Functions of a fragment and those in it; whether each is combinational."""
    domains = set(fragment.statements)
    if isinstance(fragment, MemoryInstance):
        domains |= {port._domain for port in (*fragment._read_ports, *fragment._write_ports)}
    for domain in sorted(domains):
        yield _Process(state, fragment, domain).run(), domain == "comb"
    for part, _, _ in fragment.subfragments:
        yield from _processes(state, part)


class Engine(pysim.PySimEngine):
    """An engine for `amaranth.sim.Simulator`."""

    def __init__(self, design):
        self._design = design
        self._state = _State()
        made = list(_processes(self._state, design.fragment))
        self._at_first = {run for run, is_comb in made if is_comb}
        self._state.runnable |= self._at_first
        self._processes, self._testbenches = set(), []
        self._delta_cycles, self._vcd_writers = 0, []
        self._active_triggers = set()
        self._sampled = {}

    def reset(self):
        """Begin again."""
        super().reset()
        self._state.runnable.clear()
        self._state.runnable |= self._at_first

    def get_value(self, expr):
        """The value of an expression."""
        # What has been sampled stays, so that its number is no other's.
        known = self._sampled.setdefault(id(expr), [0, expr, None])
        if known[2]:
            return known[2]()
        value = Value.cast(expr)
        known[0] += 1
        if known[0] == _OFTEN and not isinstance(value, MemoryData._Row):
            known[2] = self._compiled(value)
        return eval_value(self._state, value)

    def _compiled(self, value):
        """A function for the value of an expression."""
        emitter = _pyrtl._PythonEmitter()
        emitter.append("def result():")
        with emitter.indent():
            code = _Rhs(self._state, emitter, mode="curr").sign(value)
            emitter.append(f"return {code}")
        exec(compile(emitter.flush(), "<string>", "exec"), self._state.names)
        return self._state.names.pop("result")

    def step_design(self):
        """Run until nothing changes any more."""
        state = self._state
        converged = False
        while not converged:
            for trigger in self._active_triggers:
                trigger.run()
            self._active_triggers.clear()
            ready = list(state.runnable)
            state.runnable.clear()
            for run in ready:
                run()
            for process in self._processes:
                if process.runnable:
                    process.runnable = False
                    process.run()
            converged = state.commit()
            self._delta_cycles += 1

    def write_vcd(self, **_options):
        """Refuse."""
        raise NotImplementedError("waveforms are for amaranth.sim.Simulator's own engine")


Simulator = partial(sim.Simulator, engine=Engine)
"""Amaranth's simulator with this engine."""
