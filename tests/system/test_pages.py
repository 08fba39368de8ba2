"""Pages in a real browser: an exploration, reports of a coprocessor and a system, registers."""

import pytest
from tests.system.actions import brushed_wrongly, copied_wrongly
from tests.system.conftest import PAGES
from tests.system.looks import not_shown, too_wide, troubles, unreadable, wrong_ground
from tests.system.window import SCHEMES, WIDTHS, opened

DRAWINGS = {"exploration": 2, "report": 4, "registers": 0, "system": 2}
"""Pictures that a page has at least, without scripts."""

windows = pytest.mark.parametrize(
    ("width", "scheme"), [(width, scheme) for width in WIDTHS for scheme in SCHEMES]
)
every_page = pytest.mark.parametrize("name", PAGES)


@every_page
@windows
def test_a_page_as_it_opens(browser, pages, pictures, name, width, scheme):
    with opened(browser, pages[name], width=width, scheme=scheme) as seen:
        seen.page.screenshot(path=pictures / f"{name}-{width}-{scheme}.png", full_page=True)
        for check in (too_wide, wrong_ground, unreadable, troubles):
            assert check(seen) == []


@every_page
@windows
def test_a_page_without_scripts(browser, pages, pictures, name, width, scheme):
    with opened(browser, pages[name], width=width, scheme=scheme, scripts=False) as seen:
        path = pictures / f"{name}-{width}-{scheme}-without-scripts.png"
        seen.page.screenshot(path=path, full_page=True)
        assert not_shown(seen, DRAWINGS[name]) == []
        for check in (too_wide, wrong_ground, unreadable, troubles):
            assert check(seen) == []


def test_a_theme_that_changes(browser, pages):
    with opened(browser, pages["exploration"]) as seen:
        seen.page.emulate_media(color_scheme="dark")
        seen.scheme = "dark"
        seen.settle()
        for check in (wrong_ground, unreadable, troubles):
            assert check(seen) == []


PLOTS = ("against-lut", "against-dsp")


@pytest.mark.parametrize("width", WIDTHS)
def test_a_range_of_an_axis_chooses_cores(browser, pages, width):
    with opened(browser, pages["exploration"], width=width) as seen:
        assert brushed_wrongly(seen, "width", "--width 14", PLOTS) == []
        assert troubles(seen) == []


@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("core", [0, 5])
def test_a_click_copies_a_command(browser, pages, width, core):
    with opened(browser, pages["exploration"], width=width) as seen:
        assert copied_wrongly(seen, "against-lut", core) == []
        assert troubles(seen) == []
