"""Citations written as HTML: `<sup>3</sup>`, `<a href="u">words</a>`, `<u>u</u>`, `<u>`."""

from __future__ import annotations

import re

from deepassay.reports.citations import BareUrl, Citation, HtmlLink, Superscript
from deepassay.reports.labels import Labels
from deepassay.reports.links import destination, is_web
from deepassay.reports.numbers import expand, keys
from deepassay.reports.spans import Span
from deepassay.reports.superscripts import is_power
from deepassay.text import match_url

_SUP = re.compile(r"<sup(?:\s[^<>]{0,200})?>((?:(?!</?sup)[^\n]){1,600}?)</sup\s?>", re.IGNORECASE)
_NUMBERS = re.compile(r"\\?\[?\^?(\d{1,3}(?:\s?[,，、;–\-]\s?\d{1,3}){0,30})\\?\]?")
_ANCHOR = re.compile(
    r"<a\s(?:[^<>]{0,300}?\s)?href\s?=\s?"
    r"(?:\"([^\"<>]{1,2000}+)\"|'([^'<>]{1,2000}+)'|([^\s'\"<>]{1,2000}+))"
    r"[^<>]{0,500}>((?:(?!</?a[\s>])[^\n]){0,600}?)</a\s?>",
    re.IGNORECASE,
)
_LINK = re.compile(r"\[{1,2}\^?([^\[\]]{1,200})\]{1,2}(?=\()")
_UNDERLINE = re.compile(r"<u>\s?(?=https?://|www\.)", re.IGNORECASE)
_UNDERLINE_END = re.compile(r"\s?</u>", re.IGNORECASE)
_TAG = re.compile(r"<[^<>]{1,300}>")


def read_tag(text: str, at: int, end: int, labels: Labels) -> Citation | None:
    """The citation that opens with the angle bracket at `at`, or None."""
    if found := _SUP.match(text, at, end):
        return _superscript(text, found, labels)
    if found := _ANCHOR.match(text, at, end):
        return _anchor(found)
    if found := _UNDERLINE.match(text, at, end):
        begin = found.end()
        stop = match_url(text, begin, end)
        closing = _UNDERLINE_END.match(text, stop, end) if stop else None
        after = closing.end() if closing else None
    else:
        begin = at + 1
        stop = match_url(text, begin, end)
        after = stop + 1 if stop and text[stop : stop + 1] == ">" else None
    if stop is None or after is None:
        return None
    return BareUrl(Span(at, after), text[at:after], (), text[begin:stop])


def _anchor(found: re.Match[str]) -> Citation | None:
    url = found[1] or found[2] or found[3]
    label = _TAG.sub("", found[4])
    number = label.strip("[] ")
    named = (number,) if number.isdecimal() else ()
    if is_web(url):
        return HtmlLink(Span(*found.span()), found[0], named, url, label=label)
    return HtmlLink(Span(*found.span()), found[0], named, label=label) if named else None


def _superscript(text: str, found: re.Match[str], labels: Labels) -> Citation | None:
    """`<sup>3</sup>`, `<sup>[3](u)</sup>`, `<sup><a href="u">3</a></sup>`."""
    inner = found[1].strip()
    url: str | None = None
    if link := _LINK.match(inner):
        target = destination(inner, link.end(), len(inner))
        if target is None or inner[target[1] :].strip("]"):
            return None
        url, inner = target[0], link[1]
    elif anchor := _ANCHOR.fullmatch(inner):
        url, inner = anchor[1] or anchor[2] or anchor[3], _TAG.sub("", anchor[4])
    address = url if url and is_web(url) else None
    written = _NUMBERS.fullmatch(inner.strip())
    numbers = expand(written[1]) if written else None
    span = Span(*found.span())
    if not numbers:
        return Superscript(span, found[0], (), address, label=inner) if address else None
    if url is None and "[" not in inner and is_power(text, found.start(), numbers, labels):
        return None
    return Superscript(span, found[0], keys(numbers), address, label=inner)
