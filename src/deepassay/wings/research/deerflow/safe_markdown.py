"""Text of a model, in which nothing runs, loads or hides: Markdown without HTML and odd addresses.

A writer may do what a page tells it to. Whatever CommonMark takes for HTML, a picture or a link
that does not lead to the web is found by a parser and taken out of the source; its words stay.
"""

from __future__ import annotations

import re
import unicodedata
from bisect import bisect_left
from collections.abc import Iterable, Mapping
from functools import lru_cache
from typing import Any, Final

from markdown_it import MarkdownIt
from markdown_it.helpers import parseLinkDestination
from markdown_it.token import Token
from resiliparse.extract.html2text import extract_plain_text

MOST_PASSES: Final = 6
"""What was taken out may join what stood around it to something new: `<scr<b>ipt>`."""

_AUTOLINK: Final = re.compile(r"<([A-Za-z][A-Za-z0-9+.\-]{1,31}):[^<>\x00-\x20]*>")
_EMAIL: Final = re.compile(r"<([\w.!#$%&'*+/=?^`{|}~\-]+@[\w.\-]+)>", re.ASCII)
_WEB: Final = re.compile(r"https?://", re.IGNORECASE)
_ANY_SCHEME: Final = re.compile(r"[^\W_][_+.\-]*:\s?[/\\\u2044\u2215\u29f8]{2}|\bwww\.")
_WORD: Final = re.compile(r"[^\s()\[\]<>|*`\"'，。；）】」]+")
_SQUARE: Final = re.compile(r"[\[\]]")
_CLOSING: Final = re.compile(r"\)")
_BLANK: Final = re.compile(r"\s*")
_UNSEEN: Final = frozenset({"Cf", "Mn", "Me", "Co", "Cn"})


def tamed(text: str) -> str:
    """A text of Markdown in which nothing runs, loads or hides. Code stays code."""
    for _ in range(MOST_PASSES):
        before, text = text, _without_links(_without_html(_without_odd_addresses(text)))
        if text == before:
            return text
    return text.replace("<", "&lt;").replace("![", "[").replace("](", "] (")


def cut_at_paragraph(text: str, most: int) -> str:
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


@lru_cache(maxsize=1)  # a text is mostly the same before and after its tags are taken out
def _parsed(text: str) -> tuple[list[Token], Mapping[str, Any]]:
    """The tokens of a text, and the targets that it defines apart from its links."""
    defined: dict[str, Any] = {}
    return _parser().parse(text, defined), defined.get("references", {})


def _without_html(text: str) -> str:
    lines = text.split("\n")
    for (first, last), tokens in _by_lines(_parsed(text)[0], len(lines)):
        for token in tokens:
            if token.type == "html_block":
                lines[first:last] = ["", *extract_plain_text(token.content).split("\n"), ""]
        children = [each for token in tokens for each in token.children or ()]
        if any(each.type == "html_inline" for each in children):
            lines[first:last] = _without_tags("\n".join(lines[first:last]), children).split("\n")
    return "\n".join(lines)


def _by_lines(tokens: Iterable[Token], count: int) -> list[tuple[tuple[int, int], list[Token]]]:
    """What is to be read of a text by its lines, the last ones first; the cells of a row share
    theirs.
    """
    found: dict[tuple[int, int], list[Token]] = {}
    for token in tokens:
        if token.type in ("html_block", "inline"):
            first, last = token.map or (0, count)
            found.setdefault((first, last), []).append(token)
    return [*reversed(found.items())]


def _without_tags(text: str, children: Iterable[Token]) -> str:
    """Lines without the tags that were found in them, in the order in which they stand there."""
    kept: list[str] = []
    done = 0  # so much is kept already
    at = 0
    for each in children:
        if each.type == "code_inline":
            opened = text.find(each.markup, at)
            closed = text.find(each.markup, opened + len(each.markup)) if opened >= 0 else -1
            at = closed + len(each.markup) if closed >= 0 else at
        elif each.type == "html_inline":
            if (found := text.find(each.content, at)) < 0:
                break  # it goes on over lines of a quote; the last resort is for such
            kept += [text[done:found], " " if each.content[:3].lower() == "<br" else ""]
            at = done = found + len(each.content)
    return "".join([*kept, text[done:]])


def _without_links(text: str) -> str:
    """A text without pictures, and without links to anything but the web."""
    lines = text.split("\n")
    tokens, defined = _parsed(text)
    for each in defined.values():
        if not _WEB.match(each["href"]):
            first, last = each["map"]
            lines[first:last] = [""] * (last - first)
    for (first, last), own in _by_lines(tokens, len(lines)):
        if any(_is_odd(each) for token in own for each in token.children or ()):
            source = _AUTOLINK.sub(_autolink, "\n".join(lines[first:last]))
            source = _EMAIL.sub(r"\1", source)
            lines[first:last] = _bare(source.replace("![", "[")).split("\n")
    return "\n".join(lines)


def _is_odd(token: Token) -> bool:
    href = str(token.attrGet("href") or "")
    return token.type == "image" or (token.type == "link_open" and not _WEB.match(href))


def _autolink(found: re.Match[str]) -> str:
    return found[0] if found[1].lower() in ("http", "https") else ""


def _bare(text: str) -> str:
    """A text in which links to anything but the web are their words alone, the last one first.

    A link within the words of another is left for the next time.
    """
    openings, closings = _openings(text), [each.start() for each in _CLOSING.finditer(text)]
    kept: list[str] = []
    end = len(text)  # what comes after is kept already
    for place, opening in reversed(openings.items()):
        if place >= end or not text.startswith("](", place):
            continue
        start = _BLANK.match(text, place + 2).end()  # type: ignore[union-attr]
        target = parseLinkDestination(text, start, len(text))
        if target.ok and _WEB.match(target.str):
            continue
        after = bisect_left(closings, max(start, target.pos if target.ok else 0))
        if after == len(closings) or closings[after] >= end:
            continue
        kept += [text[closings[after] + 1 : end], text[opening + 1 : place]]
        end = opening
    return "".join([text[:end], *reversed(kept)])


def _openings(text: str) -> dict[int, int]:
    """By the place of each closing bracket that of the one that it closes, or the nearest before
    it; none where there is no such bracket.
    """
    found: dict[int, int] = {}
    opened: list[int] = []
    nearest: int | None = None
    for each in _SQUARE.finditer(text):
        if each[0] == "[":
            nearest = each.start()
            opened.append(nearest)
        elif nearest is not None:
            found[each.start()] = opened.pop() if opened else nearest
    return found


def _without_odd_addresses(text: str) -> str:
    """A text without addresses that are none to a reader of ASCII and are to a reader's eye."""
    return _WORD.sub(lambda found: "" if _is_disguised(found[0]) else found[0], text)


def _is_disguised(word: str) -> bool:
    """Whether a word is an address once its letters are plain, but none that code finds.

    Citation control takes out those that it finds, unless they lead to a page that was opened.
    """
    folded = word
    if not word.isascii():
        letters = unicodedata.normalize("NFKC", word)
        folded = "".join(each for each in letters if unicodedata.category(each) not in _UNSEEN)
    return _ANY_SCHEME.search(folded) is not None and not _WEB.match(word)
