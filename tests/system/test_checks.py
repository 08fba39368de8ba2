"""Each check of a page refuses a page with the fault that it is there for."""

import pytest
from tests.system.actions import brushed_wrongly, copied_wrongly
from tests.system.looks import not_shown, too_wide, troubles, unreadable, wrong_ground
from tests.system.window import opened

END = "</body>"


@pytest.fixture
def faulty(browser, pages, tmp_path):
    """Opens a page in which something else takes the place of a text."""

    def faulty(name, old, new, **window):
        text = pages[name].read_text()
        assert old in text
        path = tmp_path / "faulty.html"
        path.write_text(text.replace(old, new))
        return opened(browser, path, **window)

    return faulty


@pytest.mark.parametrize(
    ("added", "said"),
    [
        ("<script>console.error('oh')</script>", "error: oh"),
        ("<script>console.warn('oh')</script>", "warning: oh"),
        ("<script>throw Error('oh')</script>", "uncaught: oh"),
        ("<script>Promise.reject(Error('oh'))</script>", "uncaught: oh"),
        ('<img src="nowhere.png">', "loads file:"),
        ('<link rel="stylesheet" href="http://localhost:9/none.css">', "loads http://localhost:9"),
    ],
)
def test_what_the_console_says(faulty, added, said):
    with faulty("registers", END, added + END) as seen:
        assert any(one.startswith(said) for one in troubles(seen))


@pytest.mark.parametrize("width", [1280, 390])
@pytest.mark.parametrize("name", ["exploration", "report", "registers"])
def test_wide_pages(faulty, name, width):
    added = f'<div style="width: {width}px">wide</div>'
    with faulty(name, END, added + END, width=width) as seen:
        assert any(one.startswith("DIV ends at ") for one in too_wide(seen))


@pytest.mark.parametrize("name", ["exploration", "report", "registers"])
def test_pages_that_do_not_know_the_dark(faulty, name):
    with faulty(name, "(prefers-color-scheme: dark)", "(min-width: 9999px)", scheme="dark") as seen:
        assert wrong_ground(seen) == ["a dark page has a ground of lightness 1.00"]


@pytest.mark.parametrize(
    ("old", "new", "text"),
    [
        ("--soft: #5b6675", "--soft: #d9dfe7", "placed for ecp5"),
        ('"font.color": ink', '"font.color": "#cccccc"', "look-up tables"),
    ],
)
def test_texts_in_pale_colours(faulty, old, new, text):
    with faulty("exploration", old, new) as seen:
        assert any(text in one for one in unreadable(seen))


def test_pictures_that_are_dark_in_the_dark(faulty):
    old = ".drawing svg text { fill: #1d2530; }"
    with faulty("exploration", old, "", scheme="dark", scripts=False) as seen:
        said = '"look-up tables" has a contrast of 1.'
        assert any(one.startswith(said) for one in unreadable(seen))


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ('<div class="drawing">', '<div class="drawing" hidden>', "0 of 2 pictures"),
        ('<table id="cores">', '<table id="cores" hidden>', "1 tables are hidden"),
        ("table", "article", "there is no table"),
        (".scripted { display: none !important; }", "", "parts that need scripts"),
    ],
)
def test_what_cannot_be_seen_without_scripts(faulty, old, new, said):
    with faulty("exploration", old, new, scripts=False) as seen:
        assert any(said in one for one in not_shown(seen, 2))


@pytest.mark.parametrize(
    ("old", "new", "place"),
    [
        ("row.hidden = !kept.includes(core);", "", "the table"),
        ("{ selectedpoints:", "{ points:", "against-dsp"),
        ("kept.includes(core) ? [place]", "kept.includes(core) ? [core]", "against-lut"),
        ('axes.on("plotly_restyle", choose)', "", "the table"),
    ],
)
def test_ranges_that_choose_wrongly(faulty, old, new, place):
    with faulty("exploration", old, new) as seen:
        faults = brushed_wrongly(seen, "width", "--width 14", ("against-lut", "against-dsp"))
        assert any(one.startswith(place) for one in faults)


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("copy(event.points[0].customdata)", "copy(event.points[0].pointNumber)", "the point"),
        ("Number(button.dataset.core)", "0", "the button"),
        ("await navigator.clipboard.writeText(command)", "throw command", "copies ''"),
    ],
)
def test_clicks_that_copy_wrongly(faulty, old, new, said):
    with faulty("exploration", old, new) as seen:
        assert any(said in one for one in copied_wrongly(seen, "against-lut", 4))
