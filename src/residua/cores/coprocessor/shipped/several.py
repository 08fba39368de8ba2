"""The top module of several coprocessors on their bus: requests in flight, through the driver.

Every operation ends once in each way that it can end, while others are under way, with and without
stalls; results have to come with their own tag, and a short operation does not wait for a long one.
Then some coprocessors are zeroised while others go on, all are, and all are reset, in their midst.
The registers are checked as those of one coprocessor are.
"""

import random
from collections.abc import Iterator, Mapping, Sequence
from itertools import cycle, islice

from residua.cores.bus.driver.client import DriverError
from residua.cores.bus.host import Fault, Host
from residua.cores.bus.operations import RESETS, STALLS, run_all
from residua.cores.bus.register_checks import check_registers, check_traffic
from residua.cores.bus.simulator import MOST_STALLS, BusModel, BusSimulator
from residua.cores.coprocessor.cases import Case
from residua.cores.coprocessor.driver.client import Client
from residua.cores.coprocessor.driver.curves import DriverCurve
from residua.cores.coprocessor.driver.requests import Completion
from residua.cores.coprocessor.driver.simulated import client
from residua.cores.coprocessor.shipped.bus import full, sample
from residua.curves.operations.codes import MULTIPLICATIONS, Operation, Status, point_operation
from residua.hardware.coprocessor.design import CurveDesign
from residua.hardware.coprocessor.durations import patience

_PACES = ((0, 0), (96, 0), (160, 5))
"""Cycles of 256 in which a channel pauses, and cycles between two accesses, for registers."""

_ABORTS = 6
"""Zeroisations of some coprocessors, zeroisations of all, and resets, of each."""

_ABORT_SHARE = 4
"""An operation that is aborted ends within this part of its loop."""

_CUTS = 8
"""Zeroisations while results leave."""

_ROUNDS = 3
"""Rounds of multiplications on all coprocessors in which their pace is measured."""

_TAGS = 251
"""Tags that are given one after another; a prime, so that those of rounds differ."""


def verify_several(model: BusModel, design: CurveDesign, seed: int) -> tuple[int, list[str]]:
    """Run requests through the bus; how many ran, and what went wrong.

    The first fault ends it: the state of the coprocessors is unknown after it.
    """
    runs = (_registers, _mixed, _overtaking, _refused, _some_zeroised, _cut_short, _all_aborted)
    return run_all(_told(run(model, design, seed)) for run in runs)


def cycles_in_flight(model: BusModel, design: CurveDesign, seed: int) -> int:
    """Cycles from one multiplication of a point to the next, with all coprocessors at work.

    The first curve's. A host makes a request whenever there is room, so that the bus is included.

    Raises:
        Fault: a result is wrong, or does not come.
    """
    requests = _Requests(model, design, seed)
    long, count = _long(design, seed, 0), requests.instances
    ends: list[int] = []
    made, most = 0, (1 + _ROUNDS) * count
    while len(ends) < most:
        if made < most and requests.submit(long) is not None:
            made += 1
        elif requests.flying:
            requests.collect()
            ends.append(requests.simulator.cycles)
    requests.silent()
    return round((ends[-1] - ends[count - 1]) / (_ROUNDS * count))


def _told(run: Iterator[None]) -> Iterator[None]:
    """A run whose driver's errors are faults."""
    try:
        yield from run
    except DriverError as error:
        raise Fault(f"the driver says: {error}") from error


class _Requests:
    """A program that has requests in flight, each with a case by its tag."""

    def __init__(
        self, model: BusModel, design: CurveDesign, seed: int, *, stalls: int = 0, pause: int = 4
    ) -> None:
        self.design = design
        self.simulator = BusSimulator(model, seed=seed, stalls=stalls, pause=pause)
        self.host = Host(self.simulator, patience(design))
        entries = [DriverCurve.of(curve) for curve in design.curves]
        self.client: Client = client(self.simulator, entries)
        self.names = {code: name for name, code in self.host.map.operations.items()}
        self.flying: dict[int, Case] = {}
        self.tags = cycle(range(_TAGS))

    @property
    def instances(self) -> int:
        """How many coprocessors there are."""
        return self.client.instances

    def submit(self, case: Case) -> int | None:
        """Make a request; its tag, if there was room."""
        tag = next(tag for tag in self.tags if tag not in self.flying)
        name = self.names[case.operation]
        # The driver refuses curves and operations that no core has before a core can.
        if not self.client.request(tag, name, case.operands, curve=case.curve):
            return None
        self.flying[tag] = case
        return tag

    def fill(self, case: Case, count: int) -> list[int]:
        """So many requests of one case, which have to find room."""
        return [self.placed(case) for _ in range(count)]

    def fill_soon(self, case: Case, cycles: int) -> list[int]:
        """A request of one case for each coprocessor, or for as many as take so many cycles."""
        first, tags = self.simulator.cycles, [self.placed(case)]
        while len(tags) < self.instances and self.simulator.cycles - first < cycles:
            tags.append(self.placed(case))
        return tags

    def placed(self, case: Case) -> int:
        """Make a request for which there has to be room before long."""
        for _ in range(self.host.patience):
            if (tag := self.submit(case)) is not None:
                return tag
        raise Fault("there is no room for a request")

    def let_run(self, cycles: int) -> None:
        """Let the clock run, with the random words that registers take."""
        if self.host.streams:
            self.simulator.run(cycles)
            return
        first = self.simulator.cycles
        while self.simulator.cycles - first < cycles:
            self._give_random()

    def _give_random(self) -> None:
        """Write a random word, if the register for them has room."""
        if self.host.status()["random_ready"]:
            self.host.write("RANDOM", self.simulator.random())

    def await_interrupt(self) -> None:
        """Let the clock run until an interrupt comes, or just after if random words are written."""
        host, first = self.host, self.simulator.cycles
        while not self.simulator.interrupted(host.patience if host.streams else 1):
            if self.simulator.cycles - first > host.patience:
                raise Fault("no interrupt tells of the end of a request")
            if not host.streams:
                self._give_random()

    def collect(self, *, zeroised: Sequence[int] = (), perhaps: Sequence[int] = ()) -> Completion:
        """The next result, held against its case; those of some tags are zeroised, or perhaps."""
        first = self.simulator.cycles
        while (found := self.client.collect()) is None:
            if self.simulator.cycles - first > self.host.patience:
                raise Fault(f"no result of the requests {sorted(self.flying)}")
        case = self.flying.pop(found.tag, None)
        if case is None:
            raise Fault(f"a result has the tag {found.tag}, which no request has")
        status, results = case.expected
        if found.tag in zeroised or (found.tag in perhaps and found.status == "zeroised"):
            status, results = Status.ZEROISED, ()
        words = tuple(results) + (0,) * (self.client.most_numbers - len(results))
        right = (self.host.code(status), words if status == Status.OK else ())
        if (self.host.map.statuses[found.status], found.results) != right:
            raise Fault(
                f"request {found.tag}, operation {case.operation} of {case.operands}, on "
                f"coprocessor {found.instance}: {found.status} {found.results} instead of "
                f"{status}, {right[1]}"
            )
        return found

    def drain(
        self, *, zeroised: Sequence[int] = (), perhaps: Sequence[int] = ()
    ) -> dict[int, Completion]:
        """All results that are due, by their tags, and none more."""
        found = {}
        while self.flying:
            one = self.collect(zeroised=zeroised, perhaps=perhaps)
            found[one.tag] = one
        self.silent()
        return found

    def soon(self, first: int, curve: int) -> None:
        """See that what was aborted in a cycle ended then, and did not go on to its own end."""
        if self.simulator.cycles - first > _ladder(self.design, curve) // _ABORT_SHARE:
            raise Fault("an operation goes on after a zeroisation or a reset")

    def silent(self) -> None:
        """See that nothing is under way, and nothing comes."""
        self.host.idle()
        if self.simulator.waiting or self.host.status()["result_valid"]:
            raise Fault("there are words of a result that no request has")
        if word := self.host.read("CORES"):
            raise Fault(f"CORES reads as {word:#x} when nothing is under way")


def _registers(model: BusModel, design: CurveDesign, seed: int) -> Iterator[None]:
    """The registers, as the map says."""
    for stalls, pause in _PACES:
        draw = random.Random(f"registers {seed} {stalls}")
        simulator = BusSimulator(model, seed=seed, stalls=stalls, pause=pause)
        host = Host(simulator, patience(design))
        check_registers(host, draw)
        check_traffic(host, draw)
        yield


def _mixed(model: BusModel, design: CurveDesign, seed: int) -> Iterator[None]:
    """Every way in which every operation ends, as many at a time as there is room for."""
    cases = [case for case in sample(design, seed) if case.operation in _known(design)]
    short = [case for case in cases if case.operation not in MULTIPLICATIONS or not full(case)]
    for stalls, chosen in ((0, cases), (STALLS, [*short, _long(design, seed, 0)])):
        draw = random.Random(f"several {seed} {stalls}")
        requests = _Requests(model, design, seed, stalls=stalls)
        requests.host.check_reset()
        waiting = draw.sample(chosen, len(chosen))
        # At least as many as keep all of them at work for a while.
        waiting += islice(cycle(short), 3 * requests.instances)
        _interrupted(requests, short[0])
        while waiting or requests.flying:
            if waiting and requests.submit(waiting[-1]) is not None:
                waiting.pop()
                yield
            elif requests.flying:
                requests.collect()
        requests.silent()


def _interrupted(requests: _Requests, case: Case) -> None:
    """An interrupt tells of the end of a request."""
    host, done = requests.host, requests.host.mask("INTERRUPT_STATE", "done")
    host.write("INTERRUPT_STATE", done)
    host.write("INTERRUPT_ENABLE", done)
    requests.placed(case)
    requests.drain()
    if not host.simulator.interrupted(1) or not host.read("INTERRUPT_STATE") & done:
        raise Fault("no interrupt tells of the end of a request")
    host.write("INTERRUPT_STATE", done)
    if host.simulator.interrupted(1):
        raise Fault("the interrupt cannot be cleared")
    host.write("INTERRUPT_ENABLE", 0)


def _known(design: CurveDesign) -> Mapping[Operation, object]:
    """The operations that some curve has: the driver asks for no others."""
    return {operation: None for group in design.operations for operation in group}


def _overtaking(model: BusModel, design: CurveDesign, seed: int) -> Iterator[None]:
    """Short operations beside a long one, which comes last; all coprocessors get something."""
    requests = _Requests(model, design, seed)
    long, short = _long(design, seed, 0), _short(design, seed, 0)
    (late,) = requests.fill(long, 1)
    order = []
    for _ in range(2 * requests.instances):
        requests.placed(short)
        order.append(requests.collect())
    if late in {one.tag for one in order}:
        raise Fault("a long operation ends before short ones")
    yield
    requests.drain()
    tags = requests.fill(long, requests.instances)
    found = requests.drain()
    if sorted(found[tag].instance for tag in tags) != list(range(requests.instances)):
        raise Fault("as many long requests as coprocessors do not go to one each")
    yield


def _refused(model: BusModel, design: CurveDesign, seed: int) -> Iterator[None]:
    """What is refused while all are at work changes nothing."""
    requests = _Requests(model, design, seed)
    host, long = requests.host, _long(design, seed, 0)
    tags = requests.fill(long, requests.instances + 1)
    host.refused("CONTROL", host.command(long))
    key = host.map["ZEROISE_CORES"].fields["key"]
    whole = (1 << requests.instances) - 1
    for bit in range(key.width):
        wrong = key.codes["zeroise_cores"] ^ 1 << bit
        host.refused("ZEROISE_CORES", whole | key.place(wrong))
    host.refused("ZEROISE", host.map.zeroise_key ^ 1)
    cores = host.read("CORES")
    waiting = host.map["CORES"].fields["waiting"].mask
    if cores != whole | waiting:
        raise Fault(f"CORES reads as {cores:#x} while all are at work and a request waits")
    if requests.submit(long) is not None or len(requests.drain()) != len(tags):
        raise Fault("there is room for more requests than there should be")
    yield


def _some_zeroised(model: BusModel, design: CurveDesign, seed: int) -> Iterator[None]:
    """Some are zeroised while others go on, in any part of an operation and of its result."""
    draw = random.Random(f"some zeroised {seed}")
    for number in range(len(design.curves)):
        long, short = _long(design, seed, number), _short(design, seed, number)
        requests = _Requests(model, design, seed, stalls=STALLS // 2)
        ladder = _ladder(design, number)
        for index in range(_ABORTS):
            start = requests.simulator.cycles
            # None of them ends before some are zeroised.
            tags = requests.fill_soon(long, ladder // 2)
            mask = draw.randrange(1, (1 << requests.instances) - 1)
            left = ladder - (requests.simulator.cycles - start)
            requests.let_run(draw.randrange(max(left, 1)))
            requests.client.zeroise_instances(mask)
            aborted = [tag for place, tag in enumerate(tags) if mask >> place & 1]
            first, found = requests.simulator.cycles, {}
            while requests.flying.keys() & aborted:
                one = requests.collect(zeroised=aborted)
                found[one.tag] = one
            requests.soon(first, number)
            # Those that are free again take others before the rest is done.
            requests.placed(short)
            found |= requests.drain(zeroised=aborted)
            for place, tag in enumerate(tags):
                if found[tag].instance != place:
                    raise Fault(f"coprocessor {found[tag].instance} ends request {place}")
            yield
            if index % 2:
                # A zeroisation of those that have nothing to do leaves nothing behind.
                requests.client.zeroise_instances(mask)
                requests.silent()


def _cut_short(model: BusModel, design: CurveDesign, seed: int) -> Iterator[None]:
    """All are zeroised, by a mask, while a result leaves: it is whole then, or zeroised."""
    draw = random.Random(f"cut short {seed}")
    requests = _Requests(model, design, seed, stalls=MOST_STALLS, pause=0)
    # A point has more words than a number: time enough for the access that zeroises.
    host, long = requests.host, _long(design, seed, 0)
    done = host.mask("INTERRUPT_STATE", "done")
    host.write("INTERRUPT_ENABLE", done)
    for _ in range(_CUTS):
        host.write("INTERRUPT_STATE", done)
        tag = requests.placed(long)
        requests.await_interrupt()
        host.simulator.run(draw.randrange(2 * design.words))
        requests.client.zeroise_instances((1 << requests.instances) - 1)
        requests.drain(perhaps=[tag])
        yield


def _all_aborted(model: BusModel, design: CurveDesign, seed: int) -> Iterator[None]:
    """All are zeroised or reset while a request waits; what follows is as if nothing had been."""
    draw = random.Random(f"all aborted {seed}")
    for number in range(len(design.curves)):
        long, short = _long(design, seed, number), _short(design, seed, number)
        requests = _Requests(model, design, seed, stalls=STALLS // 2)
        for index in range(2 * _ABORTS):
            requests.fill(long, draw.randrange(1, requests.instances + 2))
            requests.let_run(draw.randrange(_ladder(design, number)))
            if index % 2:
                requests.host.write("ZEROISE", requests.host.map.zeroise_key)
            else:
                requests.simulator.reset(
                    requests.host.map["CONTROL"].address,
                    requests.host.command(long),
                    after=draw.randrange(4),
                    cycles=RESETS[index // 2 % len(RESETS)],
                )
                requests.host.check_reset()
            first = requests.simulator.cycles
            requests.flying.clear()
            requests.silent()
            requests.soon(first, number)
            requests.fill(short, requests.instances)
            requests.drain()
            yield


def _long(design: CurveDesign, seed: int, number: int) -> Case:
    """A multiplication of a point that ends well."""
    operation = point_operation(design.curves[number])
    return next(
        case
        for case in sample(design, seed)
        if case.curve == number and case.operation == operation and case.expected[0] == Status.OK
    )


def _short(design: CurveDesign, seed: int, number: int) -> Case:
    """Some arithmetic."""
    return next(
        case
        for case in sample(design, seed)
        if case.curve == number
        and case.operation >= Operation.FIELD_MULTIPLY
        and case.expected[0] == Status.OK
    )


def _ladder(design: CurveDesign, number: int) -> int:
    """Cycles of the loop of a multiplication, about as many as it has."""
    return design.scalars.rounds[number] * design.step_cycles(number)
