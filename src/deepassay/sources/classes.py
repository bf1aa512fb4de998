"""What came under an address: the page, no page, or a text in doubt. Certain rules only.

Servers say status 200 of what is gone, behind a login, a wall of consent or of payment. Words do
not tell it: pages speak of such notices, and notices say it in words of their own, in any language.
So only what is certain is told here; a text that says little is kept in doubt, and a judge who
reads it is asked whether it is the page (`protocols.page_check`).
"""

from __future__ import annotations

import re
from dataclasses import replace
from http import HTTPStatus
from typing import Final

from deepassay.runfile import Capture
from deepassay.sources.address import is_home, same_site
from deepassay.sources.faults import failure_of
from deepassay.sources.page import ENOUGH, Failure, NoText
from deepassay.text import weight

LONGEST_LINE: Final = 200  # characters of a notice that is all there is

_STANDARD: Final = {
    **{each.phrase.lower(): failure_of(each) for each in HTTPStatus if each >= 400},
    "page not found": Failure.GONE,
    "access denied": Failure.BLOCKED,
    "just a moment": Failure.BLOCKED,
}
"""What servers say by themselves, on one line."""

_ASIDE: Final = re.compile(r"[\W\d_]+")


def classed(capture: Capture, said: int | None = None) -> Capture:
    """A capture with a text as what it is: a page, none, or one in doubt, which `detail` says.

    said: how much it says outside of menus, where that is known; else all of the text counts.
    """
    text = capture.text or ""
    if other := no_page(text, capture.url, capture.final_url):
        return replace(capture, text=None, failure=other.failure.value, detail=other.detail)
    amount = weight(text, ENOUGH) if said is None else min(said, weight(text, ENOUGH))
    little = f"It says little: {amount} letters and digits."
    return replace(capture, detail=little if amount < ENOUGH else "")


def no_page(text: str, asked: str, final: str) -> NoText | None:
    """Why a text is certainly not the page that was asked for, or None.

    asked, final: addresses, of the citation and where redirects led.
    """
    if final and is_home(final) and not is_home(asked) and same_site(asked, final):
        detail = "The address leads to the front page of its site."
        return NoText(Failure.REDIRECTED_HOME, detail)
    line = text.strip()
    if len(line) <= LONGEST_LINE and "\n" not in line:
        said = _ASIDE.sub(" ", line).strip().lower()
        if failure := _STANDARD.get(said.removeprefix("http ").removeprefix("error ")):
            return NoText(failure, f"Instead of the page there was a notice: {line}")
    return None
