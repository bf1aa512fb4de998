"""Text of a model, in which nothing runs, loads or hides: Markdown without HTML and odd addresses.

A writer may do what a page tells it to. Whatever CommonMark takes for HTML, a picture or a link
that does not lead to the web is found by a parser and taken out of the source; its words stay.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping
from functools import lru_cache
from typing import Any, Final

from markdown_it import MarkdownIt
from markdown_it.helpers import parseLinkDestination
from markdown_it.token import Token
from resiliparse.extract.html2text import extract_plain_text

MOST_PASSES: Final = 6
"""What was taken out may join what stood around it to something new: `<scr<b>ipt>`."""

_AUTOLINK: Final = re.compile(r"<([A-Za-z][A-Za-z0-9+.\-]{1,31}):[^<>\x00-\x20]*>")
_WEB: Final = re.compile(r"https?://", re.IGNORECASE)
_ANY_SCHEME: Final = re.compile(r"[^\W_][\w+.\-]*:\s?[/\\\u2044\u2215\u29f8]{2}|\bwww\.")
_WORD: Final = re.compile(r"[^\s()\[\]<>|*`\"'，。；）】」]+")
_UNSEEN: Final = frozenset({"Cf", "Mn", "Me", "Co", "Cn"})


def tamed(text: str) -> str:
    """A text of Markdown in which nothing runs, loads or hides. Code stays code."""
    for _ in range(MOST_PASSES):
        before, text = text, _without_links(_without_html(_without_odd_addresses(text)))
        if text == before:
            return text
    return text.replace("<", "&lt;").replace("![", "[").replace("](", "] (")


def cut(text: str, most: int) -> str:
    """A text of so many characters at most, to the end of a paragraph where there is one."""
    if len(text) <= most:
        return text
    head = text[:most]
    return head.rpartition("\n\n")[0] or head


@lru_cache
def _parser() -> MarkdownIt:
    parser = MarkdownIt("commonmark").enable("table")
    parser.validateLink = lambda url: True  # type: ignore[method-assign]
    return parser


def _parsed(text: str) -> tuple[list[Token], Mapping[str, Any]]:
    """The tokens of a text, and the targets that it defines apart from its links."""
    defined: dict[str, Any] = {}
    return _parser().parse(text, defined), defined.get("references", {})


def _without_html(text: str) -> str:
    lines = text.split("\n")
    for token in reversed(_parsed(text)[0]):
        first, last = token.map or (0, len(lines))
        if token.type == "html_block":
            lines[first:last] = ["", *extract_plain_text(token.content).split("\n"), ""]
        elif token.type == "inline":
            tags = [each.content for each in token.children or () if each.type == "html_inline"]
            if tags:
                lines[first:last] = _without_tags("\n".join(lines[first:last]), tags).split("\n")
    return "\n".join(lines)


def _without_tags(text: str, tags: list[str]) -> str:
    for tag in tags:
        text = text.replace(tag, " " if tag[:3].lower() == "<br" else "")
    return text


def _without_links(text: str) -> str:
    """A text without pictures, and without links to anything but the web."""
    lines = text.split("\n")
    tokens, defined = _parsed(text)
    for each in defined.values():
        if not _WEB.match(each["href"]):
            first, last = each["map"]
            lines[first:last] = [""] * (last - first)
    for token in tokens:
        first, last = token.map or (0, len(lines))
        if token.type == "inline" and any(map(_is_odd, token.children or ())):
            source = _AUTOLINK.sub(_autolink, "\n".join(lines[first:last]))
            lines[first:last] = _bare(source.replace("![", "[")).split("\n")
    return "\n".join(lines)


def _is_odd(token: Token) -> bool:
    href = str(token.attrGet("href") or "")
    return token.type == "image" or (token.type == "link_open" and not _WEB.match(href))


def _autolink(found: re.Match[str]) -> str:
    return found[0] if found[1].lower() in ("http", "https") else ""


def _bare(text: str) -> str:
    """A text in which links to anything but the web are their words alone, the last one first."""
    end = len(text)
    while (place := text.rfind("](", 0, end)) >= 0:
        end = place
        start = len(text) - len(text[place + 2 :].lstrip())
        close = text.find(")", start)
        if close < 0:
            continue
        target = parseLinkDestination(text, start, len(text))
        if target.ok and _WEB.match(target.str):
            continue
        close = max(close, text.find(")", target.pos) if target.ok else close)
        opening = end = _opening(text, place)
        text = text[:opening] + text[opening + 1 : place] + text[close + 1 :]
    return text


def _opening(text: str, close: int) -> int:
    """Where the bracket is that one closes, or the nearest before it."""
    depth = 0
    for place in range(close - 1, -1, -1):
        if text[place] == "]":
            depth += 1
        elif text[place] == "[":
            if not depth:
                return place
            depth -= 1
    return max(0, text.rfind("[", 0, close))


def _without_odd_addresses(text: str) -> str:
    """A text without addresses that are none to a reader of ASCII and are to a reader's eye."""
    return _WORD.sub(lambda found: "" if _is_disguised(found[0]) else found[0], text)


def _is_disguised(word: str) -> bool:
    """Whether a word is an address once its letters are plain, but none that code finds.

    Citation control takes out those that it finds, unless they lead to a page that was opened.
    """
    folded = "".join(
        each
        for each in unicodedata.normalize("NFKC", word)
        if unicodedata.category(each) not in _UNSEEN
    )
    return _ANY_SCHEME.search(folded) is not None and not _WEB.match(word)
