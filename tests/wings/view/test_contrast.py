"""The colours of the page: every text can be read on what it stands on (WCAG 2.2, 1.4.3)."""

from __future__ import annotations

import re
from importlib.resources import files

import pytest

ENOUGH = 4.5
STYLE = files("deepassay.wings.view").joinpath("style.css").read_text("utf-8")
LIGHT, DARK = (
    dict(re.findall(r"--([a-z0-9-]+): (#[0-9a-f]{3,6});", block))
    for block in re.findall(
        r":root \{(.*?)\}",
        STYLE,
        re.DOTALL,
    )
)

DARK = LIGHT | DARK  # what it does not change stays
GROUNDS = ("ground", "raised")
PAIRS = [
    *((ink, ground) for ink in ("ink", "faint", "link", "open-ink") for ground in GROUNDS),
    *((f"{tone}-ink", ground) for tone in ("good", "bad", "remark") for ground in GROUNDS),
    *(("ink", ground) for ground in ("good", "bad", "open", "remark", "quote", "select")),
    ("ground", "link"),
]
ON_MAPS = [(f"h{step}", "#fff" if step in (0, 10) else "#000") for step in range(11)]


def luminance(colour: str) -> float:
    """Relative luminance as WCAG 2.2 defines it."""
    digits = colour[1:] if len(colour) == 7 else "".join(digit * 2 for digit in colour[1:])
    shares = [int(digits[at : at + 2], 16) / 255 for at in (0, 2, 4)]
    red, green, blue = (
        share / 12.92 if share <= 0.04045 else ((share + 0.055) / 1.055) ** 2.4 for share in shares
    )
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def contrast(one: str, other: str) -> float:
    low, high = sorted((luminance(one), luminance(other)))
    return (high + 0.05) / (low + 0.05)


def test_black_on_white_is_the_most() -> None:
    assert contrast("#000", "#ffffff") == pytest.approx(21)


@pytest.mark.parametrize("colours", [LIGHT, DARK], ids=["light", "dark"])
@pytest.mark.parametrize(("ink", "ground"), PAIRS)
def test_text_stands_out(colours: dict[str, str], ink: str, ground: str) -> None:
    assert contrast(colours[ink], colours[ground]) >= ENOUGH


@pytest.mark.parametrize(("step", "ink"), ON_MAPS)
def test_numbers_on_a_map_stand_out(step: str, ink: str) -> None:
    rule = f".{step} {{ background: var(--{step}); color: {ink}; }}"
    assert rule in STYLE
    assert contrast(LIGHT[step], ink) >= ENOUGH
