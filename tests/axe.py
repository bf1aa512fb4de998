"""axe-core on the page that a browser has open: what keeps people out of it.

Its script comes with a package for Playwright, which is not used: the browser is ours.
"""

from __future__ import annotations

import os
from functools import cache
from importlib.resources import files
from importlib.util import find_spec

import pytest

from tests.browser import Browser

needs_axe = pytest.mark.skipif(
    find_spec("axe_playwright_python") is None and not os.environ.get("CI"), reason="needs axe-core"
)
"""Where CI is set, it must not vanish unseen."""

SCREENS = ((1440, False), (360, True))
"""On which pages are looked at: as wide as a desk and light, as wide as a telephone and dark."""

_LOOK = """\
window.axeFound = null;
(async () => {
  const seen = new Map(), unlike = [];
  const look = (element, behind) => {
    if (!element.checkVisibility()) return;
    const own = getComputedStyle(element);
    const plain = own.backgroundColor == 'rgba(0, 0, 0, 0)' && own.backgroundImage == 'none' &&
      own.opacity == '1' && own.filter == 'none' && own.position == 'static';
    const ground = plain ? behind : [behind, own.backgroundColor, own.backgroundImage,
      own.opacity, own.filter, own.position].join(' ');
    const words = [...element.childNodes].some((each) => each.nodeType == 3 && each.data.trim());
    if (words || element.matches('input, select, textarea')) {
      const key = [ground, own.color, own.fontSize, own.fontWeight, own.textShadow].join(' ');
      seen.set(key, (seen.get(key) || 0) + 1);
      if (seen.get(key) <= 2) unlike.push(element);
    }
    for (const each of element.children) look(each, ground);
  };
  look(document.documentElement, '');
  const contrast = 'color-contrast', resultTypes = ['violations'];
  return [
    await axe.run(document, {resultTypes, rules: {[contrast]: {enabled: false}}}),
    await axe.run({include: unlike}, {resultTypes, runOnly: [contrast]}),
  ].flatMap((each) => each.violations);
})().then((found) => {
  const grave = found.filter((each) => ['serious', 'critical'].includes(each.impact));
  window.axeFound = grave.map((each) =>
    [each.impact, each.id, ...each.nodes.map((node) => node.html.slice(0, 200))].join(' '));
}, (error) => { window.axeFound = [String(error)]; });
0"""
"""Contrast, which takes most of the time, is asked of the first two texts of each look: of one
size, weight and colour, on the same grounds. All else is asked of the whole page."""


@cache
def _axe() -> str:
    return files("axe_playwright_python").joinpath("axe.min.js").read_text(encoding="utf-8") + ";0"


def found_by_axe(browser: Browser) -> list[str]:
    """What axe finds on the page that is serious or worse, each with where it is."""
    if not browser.run("'axe' in window"):
        browser.run(_axe())
    browser.run(_LOOK)
    browser.until("window.axeFound !== null")
    return list(browser.run("window.axeFound"))


def found_on_screens(browser: Browser) -> list[str]:
    """The same on screens of every width and colour."""
    found = []
    for width, dark in SCREENS:
        browser.screen(width, 900, dark=dark)
        browser.settle(0.1)
        shown = f"{width} px, {'dark' if dark else 'light'}"
        found += [f"{shown}: {each}" for each in found_by_axe(browser)]
    return found
