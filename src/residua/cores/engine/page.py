"""Page of the report for a core that is one engine."""

from typing import TYPE_CHECKING, Any

from markupsafe import Markup

from residua.cores.drawing import gantt
from residua.cores.drawing.datapath import datapath
from residua.machines.schedule import Schedule

if TYPE_CHECKING:
    from residua.cores.engine.core import AnyEngineCore


def engine_page(core: "AnyEngineCore") -> dict[str, Any]:
    """The datapath, the schedule as charts and a table, and the channels."""
    schedule = core.design.schedule
    drawn = datapath(core.design, core.rowers, *core.stream_texts)
    return {
        "domain": core.domain,
        "datapath": Markup(drawn),  # noqa: S704 - made here, texts escaped
        "one_run": Markup(gantt.one_run(schedule)),  # noqa: S704
        "interleaved": Markup(gantt.interleaved(schedule)),  # noqa: S704
        "legend": gantt.legend(schedule),
        "sequences": _sequences(schedule),
        "channels": channels(core.parameters, core.channel_columns),
    }


def channels(parameters: dict[str, Any], names: tuple[str, ...]) -> list[tuple[Any, ...]]:
    """Values of these parameters for each channel."""
    return list(zip(*(parameters[name] for name in names), strict=True))


def _sequences(schedule: Schedule) -> list[dict[str, Any]]:
    return [
        {
            "name": gantt.name_of(placed),
            "start": placed.start,
            "slots": len(placed.sequence.slots),
            "last": placed.last,
            "ready": placed.last + schedule.machine.rower_latency,
        }
        for placed in schedule.placed
    ]
