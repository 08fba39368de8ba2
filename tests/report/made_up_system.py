"""What directories tell of systems that nobody has built."""

from residua.systems.boards.bitstream import RESULT_SCHEMA
from residua.systems.soc_directory import SCHEMA

BOARD = {
    "name": "ulx3s-85f",
    "clocks": {"system_clock": 50.0, "core_clock": 80.0},
    "pins": {"clock": False, "button": False},
    "rings": {"source.ring_0": 3, "source.ring_1": 5},
    "pll": {"input_mhz": 25.0},
}
DEVICES = ["ram", "uart", "random"]
NAMES = [f"curve_{number}" for number in range(4)] + ["signer"]
BITSTREAM = {
    "schema": RESULT_SCHEMA,
    "board": "ulx3s-85f",
    "device": {"device": "LFE5U-85F", "package": "CABGA381", "speed": 6},
    "met": True,
    "clocks": {
        "system_clock": {
            "wanted_mhz": 50.0, "mhz": 61.5, "lowest_mhz": 58.0, "highest_mhz": 62.0, "seeds": {},
        },
        "core_clock": {
            "wanted_mhz": 80.0, "mhz": 83.0, "lowest_mhz": 79.0, "highest_mhz": 90.5, "seeds": {},
        },
    },
    "crossings": [],
    "resources": {"lut": 1500, "ff": 900, "carry": 30, "dsp": 3, "bram": 32},
    "available": {"lut": 83640, "ff": 83640, "dsp": 156, "bram": 208},
    "modules": [
        {"name": "system", "instances": 1, "lut": 1400, "ff": 9, "carry": 9, "dsp": 3, "bram": 32},
        {"name": "system.core_4", "instances": 1, "lut": 777, "ff": 9, "carry": 9, "dsp": 3,
         "bram": 0},
        {"name": "system.core_4.rower_*", "instances": 4, "lut": 555, "ff": 9, "carry": 9,
         "dsp": 3, "bram": 0},
    ],
    "floor_plan": {"families": {"a": "core_4", "b": "cpu"}, "rows": ["aab", ".ab"]},
    "program": "openFPGALoader -b ulx3s soc.bit",
}  # fmt: skip


def manifest(*, cores=NAMES, board=None, crossed=False):
    """What a directory tells of a system, the last of its cores one for RSA."""
    devices = [*DEVICES, *(f"core_{number}" for number in range(len(cores)))]
    return {
        "schema": SCHEMA, "files": {}, "name": "soc", "cpu": "picorv32", "cpu_version": "1.0",
        "cores": cores, "ram_bytes": 65536, "program_bytes": 22828, "megahertz": 50.0,
        "core_megahertz": 80.0 if crossed else None, "baud": 115200, "board": board,
        "compiler": "gcc",
        "curves": [[{"name": "P-256"}, {"name": "P-384"}] for _ in cores[:-1]],
        "rsa": [{"name": cores[-1], "bits": 2048, "exponent": 65537}],
        "regions": {
            name: {"base": 0x30000000 + 4096 * (index - 3), "size": 4096}
            for index, name in enumerate(devices)
        },
    }  # fmt: skip
