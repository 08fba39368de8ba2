"""Requests of several coprocessors behind one bus, in Python: made and collected, without waiting.

`residua.cores.coprocessor.driver.client.Client` has these calls, and its other ones go through them
where there are several coprocessors.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from residua.cores.bus.driver.client import BusClient, CoreError, DriverError
from residua.cores.bus.driver.files import most_tag
from residua.errors import SpecificationError
from residua.hardware.bus.register_map import Capabilities


@dataclass(frozen=True)
class Completion:
    """How a request ended: its ``tag``, the number of the coprocessor, the status and the numbers.

    ``status`` is the name of a status code. Only if it is ``ok`` are there numbers: as many as the
    most that an operation gives, those that this one does not give being 0.
    """

    tag: int
    instance: int
    status: str
    results: tuple[int, ...]


class RequestClient(BusClient):
    """One coprocessor, or several with requests.

    Attributes:
        most_numbers: numbers that an operation gives at most.
    """

    most_numbers: int

    @property
    def instances(self) -> int:
        """How many coprocessors there are."""
        capabilities = self._map.capabilities
        assert isinstance(capabilities, Capabilities)
        return capabilities.instances

    def request(self, tag: int, operation: str, operands: Sequence[int], **control: int) -> bool:
        """Make a request, and hand over its operands, unless one waits already.

        Returns:
            Whether there was room. If not, all work: collect a result, and try again.

        Raises:
            SpecificationError: there is one coprocessor alone, or the tag is too large.
            DriverError: the core wants other operands than these; it was zeroised.
        """
        self._check_several()
        most = most_tag(self._map["CONTROL"].fields["tag"].width)
        if not 0 <= tag <= most:
            raise SpecificationError(f"tag = {tag}: give 0 to {most}")
        return self._request(tag, operation, operands, **control)

    def collect(self) -> Completion | None:
        """The next result, in the order in which requests end; None if none comes in time.

        Raises:
            SpecificationError: there is one coprocessor alone.
            DriverError: what comes is no result; the core was zeroised.
        """
        self._check_several()
        size = self.most_numbers * self.words + 1
        words: list[int] = []
        idle = 0
        while len(words) < size:
            before = len(words)
            self._collect_words(words, size)
            idle = 0 if len(words) > before else idle + 1
            if idle >= self._polls:
                if words:
                    raise self._zeroised("a result does not end")
                return None
        return self._completion(words)

    def zeroise_instances(self, mask: int) -> None:
        """Abort what some coprocessors do, bit i for number i, and clear all secrets in them.

        Requests that they had end with the status ``zeroised``; others go on.

        Raises:
            SpecificationError: there is one coprocessor alone, or the mask has a bit for none.
        """
        self._check_several()
        if not 0 <= mask < 1 << self.instances:
            raise SpecificationError(f"mask = {mask}: there are {self.instances} coprocessors")
        fields = self._map["ZEROISE_CORES"].fields
        key = fields["key"].codes["zeroise_cores"]
        self._write("ZEROISE_CORES", fields["mask"].place(mask) | fields["key"].place(key))

    def _operate(
        self, operation: str, operands: Sequence[int], results: int, **control: int
    ) -> list[int]:
        """One operation to its end; see `BusClient._operate`."""
        if self.instances == 1:
            return super()._operate(operation, operands, results, **control)
        state = self._state()
        if state["busy"] or state["result_valid"]:
            raise DriverError("a request is under way, or its result was not collected")
        own = most_tag(self._map["CONTROL"].fields["tag"].width) + 1
        self._request(own, operation, operands, **control)
        found = self.collect()
        if found is None:
            raise self._zeroised("the core makes no progress")
        if found.tag != own:
            raise self._zeroised("a result was not collected before")
        if found.status != "ok":
            raise CoreError(found.status, self._map["STATUS"].fields["code"].meanings[found.status])
        return list(found.results[:results])

    def _check_several(self) -> None:
        if self.instances == 1:
            raise SpecificationError(
                "requests are for several coprocessors behind one bus, and there is one: build it "
                "with instances"
            )

    def _request(self, tag: int, operation: str, operands: Sequence[int], **control: int) -> bool:
        if not self._becomes_ready():
            return False
        queue = self._begin(operation, operands, tag=tag, **control)
        if self._streams is not None:
            self._streams.send(queue)
            queue.clear()
        idle = 0
        while (state := self._state())["operand_ready"] or queue:
            moves = bool(self._streams is None and state["operand_ready"] and queue)
            if moves:
                self._write("OPERAND", queue.pop(0))
            self._give_random(state)
            idle = 0 if moves else idle + 1
            if idle >= self._polls:
                raise self._zeroised("the core wants other operands than these")
        return True

    def _becomes_ready(self) -> bool:
        """Wait while the last request is on its way; False if it waits for a coprocessor."""
        for _ in range(self._polls):
            if (state := self._state())["ready"]:
                return True
            # Without random words none of those that work might come to its end.
            self._give_random(state)
            if self._field("CORES", "waiting"):
                return False
        raise DriverError("a request is not taken")

    def _give_random(self, state: dict[str, int]) -> None:
        if self._streams is None and state["random_ready"] and self._random is not None:
            self._write("RANDOM", self._random())

    def _collect_words(self, words: list[int], size: int) -> None:
        """The words of the result that are there."""
        state = self._state()
        if self._streams is not None:
            words += self._streams.received(size)
            return
        self._give_random(state)
        if state["result_valid"]:
            words.append(self._read("RESULT"))

    def _completion(self, words: Sequence[int]) -> Completion:
        """What the words of a result say."""
        fields, trailer = self._map["TRAILER"].fields, words[-1]
        told = {name: field.extract(trailer) for name, field in fields.items()}
        status = {code: name for name, code in self._map.statuses.items()}.get(told["code"])
        if status is None or told["instance"] >= self.instances:
            raise self._zeroised(f"no result ends with 0x{trailer:08X}")
        results = tuple(self._numbers(words[:-1]))
        return Completion(told["tag"], told["instance"], status, results if status == "ok" else ())
