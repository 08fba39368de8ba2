"""What a page has to look like: checks, each of which lists the faults that it finds."""

CONTRAST = 4.5
"""Of a text and what is behind it: level AA of the Web Content Accessibility Guidelines."""

LOWEST = 20
"""Pixels that a table or a picture is high, at least."""


def troubles(seen):
    """What the console said, at warnings and above, and what was loaded beside the page."""
    return seen.faults


def too_wide(seen):
    """The elements that make a page wider than its window."""
    return seen.page.evaluate(
        """(width) => document.documentElement.scrollWidth <= width ? [] :
          [...document.querySelectorAll("body *")]
            .filter((one) => one.getBoundingClientRect().right > width)
            .map((one) => `${one.tagName} ends at ${one.getBoundingClientRect().right}`)""",
        seen.width,
    )


_COLOURS = """
const lightness = (colour) => colour.match(/[\\d.]+/g).slice(0, 3)
  .map((one) => Number(one) / 255)
  .map((one) => one <= 0.04045 ? one / 12.92 : ((one + 0.055) / 1.055) ** 2.4)
  .reduce((sum, one, place) => sum + one * [0.2126, 0.7152, 0.0722][place], 0);
const ground = (element) => {
  for (let one = element; one; one = one.parentElement) {
    const colour = getComputedStyle(one).backgroundColor;
    if (!colour.endsWith(", 0)")) return colour;
  }
  return "rgb(255, 255, 255)";
};
"""
"""The relative luminance of a colour, from 0 to 1, and the colour behind an element."""

_LIGHT, _DARK = 0.8, 0.1
"""The least lightness of a light ground, and the most of a dark one."""


def wrong_ground(seen):
    """A page that is light where it should be dark, or the other way round."""
    body = "lightness(ground(document.body))"
    light = seen.page.evaluate(f"() => {{ {_COLOURS} return {body}; }}")
    is_right = light > _LIGHT if seen.scheme == "light" else light < _DARK
    return [] if is_right else [f"a {seen.scheme} page has a ground of lightness {light:.2f}"]


_CONTRASTS = """
  const own = (one) => [...one.childNodes]
    .filter((node) => node.nodeType === Node.TEXT_NODE)
    .map((node) => node.textContent.trim()).join(" ").trim();
  const silent = ["SCRIPT", "STYLE", "NOSCRIPT"];
  const contrast = (one) => {
    const style = getComputedStyle(one);
    const ink = one instanceof SVGElement ? style.fill : style.color;
    const [low, high] = [ink, ground(one)].map(lightness).sort((a, b) => a - b);
    return (high + 0.05) / (low + 0.05);
  };
  return [...document.querySelectorAll(`${root}, ${root} *`)]
    .filter((one) => own(one) && !silent.includes(one.tagName))
    .filter((one) => one.checkVisibility({ visibilityProperty: true }))
    .map((one) => [own(one), contrast(one)])
    .filter(([, found]) => found < least);
"""


def unreadable(seen, root="body"):
    """Texts that are hardly different from what is behind them, in the elements ``root``."""
    code = f"([least, root]) => {{ {_COLOURS} {_CONTRASTS} }}"
    found = seen.page.evaluate(code, [CONTRAST, root])
    return [f'"{text}" has a contrast of {contrast:.2f}' for text, contrast in found]


def not_shown(seen, drawings):
    """What a reader without scripts would have to see: all tables, pictures, nothing to operate."""
    found = seen.page.evaluate(
        """(lowest) => {
          const height = (one) => one.getBoundingClientRect().height;
          const visible = (one) => one.checkVisibility() && height(one) > lowest;
          const all = (selector) => [...document.querySelectorAll(selector)];
          return {
            tables: all("table").filter((one) => !visible(one)).length,
            seen: all("table").length,
            drawings: all("svg").filter(visible).length,
            scripted: all(".scripted, button").filter((one) => one.checkVisibility()).length,
          };
        }""",
        LOWEST,
    )
    return [
        *([f"{found['tables']} tables are hidden"] if found["tables"] else []),
        *([] if found["seen"] else ["there is no table"]),
        *([] if found["drawings"] >= drawings else [f"{found['drawings']} of {drawings} pictures"]),
        *([f"{found['scripted']} parts that need scripts"] if found["scripted"] else []),
    ]
