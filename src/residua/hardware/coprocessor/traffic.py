"""What the operations of a coprocessor take and give, for a bus with several of them."""

from residua.curves.operations.codes import Status
from residua.curves.operations.instructions import given_numbers, taken_numbers
from residua.hardware.bus.dispatcher import Traffic
from residua.hardware.coprocessor.design import CurveDesign


def coprocessor_traffic(design: CurveDesign) -> Traffic:
    """Words that each operation takes and gives on each curve, and codes of some statuses."""
    flows = {
        (int(operation), curve): flow
        for curve, group in enumerate(design.operations)
        for operation, flow in group.items()
    }
    code = design.status_codes.of
    return Traffic(
        operands={key: design.words * taken_numbers(flow) for key, flow in flows.items()},
        results={key: design.words * given_numbers(flow) for key, flow in flows.items()},
        ok=code(Status.OK),
        zeroised=code(Status.ZEROISED),
        fault=code(Status.FAULT),
    )
