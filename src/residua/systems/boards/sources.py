"""Where boards are described, and what a system takes of them.

Pins, their electrical standards, clocks and devices are those of the package ``amaranth-boards``.
They were compared with the boards' other published descriptions: ``doc/constraints/ulx3s_v20.lpf``
of github.com/emard/ulx3s, and ``gsd_orangecrab.py`` and ``lambdaconcept_ecpix5.py`` of
github.com/litex-hub/litex-boards. All agree but for the reset button of the ECPIX-5 (AB1 in one, N5
in the other): that board has none here. The loaders' names are openFPGALoader's.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True)
class Source:
    """Where a board is described.

    Attributes:
        module: of the package.
        platform: its class.
        pins: resource, number and signal of each port; on a connector its name and number, and the
            connector's own name for the pin.
        loader: see `residua.systems.boards.board.Board`.
        packing: see there.
        standards: attributes of pins on connectors.
    """

    module: str
    platform: str
    pins: Mapping[str, tuple[str, int, str]]
    loader: str
    packing: tuple[str, ...] = ("--compress",)
    standards: Mapping[str, Mapping[str, str]] = field(default_factory=dict)


_ULX3S = {
    "clock": ("clk25", 0, ""),
    "button": ("button_fire", 0, ""),
    "uart_receive": ("uart", 0, "rx"),
    "uart_send": ("uart", 0, "tx"),
    "alive": ("led", 0, ""),
    "error": ("led", 1, ""),
    # The ESP32 restarts the board if it is low.
    "esp32_gpio0": ("esp32", 0, "gpio0"),
}

# A Feather receives on its pin 0 and sends on its pin 1.
_ORANGECRAB = {
    "clock": ("clk", 0, ""),
    "button": ("button", 0, ""),
    "uart_receive": ("io", 0, "0"),
    "uart_send": ("io", 0, "1"),
    "alive": ("rgb_led", 0, "g"),
    "error": ("rgb_led", 0, "r"),
}

_ECPIX5 = {
    "clock": ("clk100", 0, ""),
    "uart_receive": ("uart", 0, "rx"),
    "uart_send": ("uart", 0, "tx"),
    "alive": ("rgb_led", 0, "g"),
    "error": ("rgb_led", 0, "r"),
}

SOURCES = {
    "ulx3s-85f": Source("ulx3s", "ULX3S_85F_Platform", _ULX3S, "ulx3s"),
    "ulx3s-25f": Source("ulx3s", "ULX3S_25F_Platform", _ULX3S, "ulx3s"),
    "orangecrab-25f": Source(
        "orangecrab_r0_2",
        "OrangeCrabR0_2_25FPlatform",
        _ORANGECRAB,
        "orangeCrab",
        # As its platform packs; the flash takes that clock.
        ("--compress", "--freq", "38.8"),
        {
            "uart_receive": {"IO_TYPE": "LVCMOS33", "PULLMODE": "UP"},
            "uart_send": {"IO_TYPE": "LVCMOS33"},
        },
    ),
    "ecpix-5": Source("ecpix5", "ECPIX585Platform", _ECPIX5, "ecpix5"),
}

BOARDS = tuple(SOURCES)
"""Names of the boards."""
