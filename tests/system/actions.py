"""What happens on the page of an exploration: checks, each of which lists the faults it finds."""


def rows(seen):
    """The flags of the cores that the table shows, in its order."""
    return seen.page.locator("#cores td:first-child >> visible=true").all_inner_texts()


def points(seen, plot):
    """The flags of the cores that a plot does not fade, in the order of the table."""
    return seen.page.evaluate(
        """(plot) => {
          const { data: [trace] } = document.getElementById(plot);
          const opacity = (point) => Number(getComputedStyle(point).opacity);
          return [...document.querySelectorAll(`#${plot} path.point`)]
            .map((point, place) => [opacity(point), trace.customdata[place], trace.text[place]])
            .filter(([seen]) => seen > 0.5)
            .sort(([, one], [, other]) => one - other)
            .map(([, , text]) => text);
        }""",
        plot,
    )


def brushed_wrongly(seen, key, flag, plots):
    """Drag along the upper end of an axis: only cores with a flag may stay, until a click there."""
    every, mouse = rows(seen), seen.page.mouse
    wanted = [one for one in every if flag in one]
    axis = seen.page.locator("#axes .y-axis", has_text=key).locator(".background")
    axis.scroll_into_view_if_needed()
    box = axis.bounding_box()
    middle = box["x"] + box["width"] / 2
    mouse.move(middle, box["y"] + 0.25 * box["height"])
    mouse.down()
    # A range of words or of few numbers has to reach a tick.
    mouse.move(middle, box["y"] - 0.03 * box["height"], steps=5)
    mouse.up()
    seen.settle()
    faults = [] if 0 < len(wanted) < len(every) else [f"{flag} chooses {wanted} of {every}"]
    shown = {"the table": rows(seen), **{plot: points(seen, plot) for plot in plots}}
    mouse.click(middle, box["y"] + 1)
    seen.settle()
    again = {"the table": rows(seen), **{plot: points(seen, plot) for plot in plots}}
    return [
        *faults,
        *(f"{place} has {found}" for place, found in shown.items() if found != wanted),
        *(f"{place} has {found} again" for place, found in again.items() if found != every),
    ]


def copied_wrongly(seen, plot, core):
    """Click on a core in a plot, and on the button beside it: its command has to be copied."""
    wanted = seen.page.locator("button.copy").nth(core).get_attribute("data-command")
    place = seen.page.evaluate(
        """([plot, core]) => document.getElementById(plot).data[0].customdata.indexOf(core)""",
        [plot, core],
    )
    faults = []
    for name, target in (
        ("point", seen.page.locator(f"#{plot} path.point").nth(place)),
        ("button", seen.page.locator("button.copy").nth(core)),
    ):
        seen.page.evaluate("navigator.clipboard.writeText('')")
        target.scroll_into_view_if_needed()
        box = target.bounding_box()
        at = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
        if seen.is_phone:
            seen.page.touchscreen.tap(*at)
        else:
            seen.page.mouse.move(*at)
            seen.page.mouse.click(*at)
        seen.settle()
        copied = seen.page.evaluate("navigator.clipboard.readText()")
        if copied != wanted:
            faults.append(f"a click on the {name} copies '{copied}'")
        if seen.page.locator("#said").inner_text() != f"Copied: {wanted}":
            faults.append(f"after the {name}: {seen.page.locator('#said').inner_text()}")
    return faults
