"""Markdown as HTML in which passages of the source are marked where they stand.

markdown-it-py says of a block on which lines it stands and of what is inside it nothing. Here its
inline state keeps of every character where in the block it came from, and the lines of a block
are found again in the source, so that a span of characters leads to the words that a reader sees.

What is written is a closed set of elements, without attributes but links to web addresses. Raw
HTML is shown as text, but for `<sup>`, `<sub>` and `<br>` in `inline.py`.
"""

from __future__ import annotations

import re
from array import array
from bisect import bisect_right
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import compress, repeat
from operator import not_
from typing import Final, NamedTuple
from urllib.parse import urlsplit

from markdown_it.token import Token
from markupsafe import Markup, escape

from deepassay.reports.rendered.inline import InlinePiece, markdown, placed_tokens
from deepassay.reports.rendered.source import MarkdownSource, SourceLink
from deepassay.text import visible_text, web_address

_NUMBERED: Final = re.compile(r"\[\^?\d+\]:?\s")
_ALIGNED: Final = {
    f"text-align:{side}": f' class="to-{side}"' for side in ("left", "center", "right")
}
_CLOSED: Final = ("p", "li", "ul", "ol", "tr", "blockquote", "h1", "h2", "h3", "h4", "h5", "h6")
_TABLE: Final = Markup('<div class="wide" role="group" tabindex="0" aria-label="{}"><table>')
TABLE: Final = "A table of the report"
_BLANKS: Final = str.maketrans("", "", " \t\n\f\r")
"""What HTML takes for blanks: how many of them there are is up to the elements, not to the text."""


class SpanMark(NamedTuple):
    """A passage that is to be marked. start, end: characters of the source.

    name: its anchor; empty for a passage that nothing leads to. tone: classes. href: where its
    words lead, unless they lead somewhere by themselves.
    """

    start: int
    end: int
    name: str
    tone: str
    href: str = ""


class PlacedBlock(NamedTuple):
    """A block of the text, or an item of a list. begins: names of the marks that begin in it.

    wide: whether it is a table.
    """

    html: Markup
    begins: tuple[str, ...]
    wide: bool


@dataclass
class PlacedText:
    """A text as HTML, with what became of the marks.

    words: what of each mark a reader sees, by its name. without: names of those of which no word
    is seen: they have no place.
    """

    blocks: list[PlacedBlock] = field(default_factory=list)
    words: dict[str, str] = field(default_factory=dict)
    without: list[str] = field(default_factory=list)

    @property
    def html(self) -> Markup:
        """All blocks, one after the other."""
        return Markup("").join(block.html for block in self.blocks)


class _Stretch(NamedTuple):
    """Words of the text. at: where each character stands in the source. linked: by themselves."""

    content: str
    at: Sequence[int]
    linked: bool


_Part = str | _Stretch


def marked_html(text: str, marks: Iterable[SpanMark], table: str = TABLE) -> PlacedText:
    """A text in Markdown as HTML, with these passages marked. table: how tables are announced."""
    source = MarkdownSource(text)
    rows = [*_rows(source, markdown().parse(source.text), _TABLE.format(table))]
    placing = _MarkSetting(source, [part for parts, _ in rows for part in parts], marks)
    for parts, wide in rows:
        html, begins = placing.written(parts)
        placing.placed.blocks.append(PlacedBlock(html, begins, wide))
    return placing.placed


class SeenText(NamedTuple):
    """What a reader sees of a text, blanks aside. signs: each character, in order.

    at: where each stands in the text that was given; -1 where that is not known.
    """

    signs: str
    at: Sequence[int]


def seen(text: str) -> SeenText:
    """The characters that `marked_html` shows of a text in Markdown, and where they come from."""
    source = MarkdownSource(text)
    signs: list[str] = []
    at = array("q")
    for parts, _ in _rows(source, markdown().parse(source.text), ""):
        for part in parts:
            if not isinstance(part, str):
                shown = visible_text(part.content)
                signs.append(shown.translate(_BLANKS))
                known = len(part.at) == len(shown)
                where = map(source.given, part.at) if known else repeat(-1, len(shown))
                at.extend(each for sign, each in zip(shown, where, strict=True) if _is_seen(sign))
    return SeenText("".join(signs), at)


def _is_seen(sign: str) -> bool:
    return ord(sign) not in _BLANKS


def _rows(
    source: MarkdownSource, tokens: Sequence[Token], table: str
) -> Iterator[tuple[list[_Part], bool]]:
    """The parts of every block and of every item of an outer list, and whether it is a table.

    table: the element that one begins with.
    """
    own: list[Token] = []
    outer: Token | None = None
    number = 1
    for token in tokens:
        if token.level == 0 and token.type in ("bullet_list_open", "ordered_list_open"):
            outer, number = token, int(token.attrs.get("start", 1))
            continue
        if token.level == 0 and outer is not None:
            outer = None
            continue
        own.append(token)
        if token.level == (0 if outer is None else 1) and token.nesting < 1:
            parts = [*_parts(source, own, table)]
            if outer is not None:
                start = "" if outer.tag == "ul" else f' start="{number}"'
                parts = [f"<{outer.tag}{start}>", *parts, f"</{outer.tag}>"]
                number += 1
            yield parts, own[0].tag == "table"
            own = []


def _parts(source: MarkdownSource, tokens: Sequence[Token], table: str) -> Iterator[_Part]:
    """Elements and words of some blocks."""
    heading = 0
    row: list[list[int]] = []
    for token in tokens:
        if token.type == "inline":
            first = token.map[0] if token.map else 0
            if token.meta.get("cell"):
                at = row.pop(0) if row else []
            elif heading:
                at = source.heading(token.content, first, heading)
            else:
                at = source.offsets(token.content, first)
            at = at if len(at) == len(token.content) else []
            yield from _inline(source, placed_tokens(token), at)
        elif token.type in ("fence", "code_block"):
            content = token.content.rstrip("\n")
            first = (token.map or [0])[0] + (token.type == "fence")
            yield '<pre tabindex="0"><code>'
            yield _Stretch(content, source.offsets(content, first) if content else [], False)
            yield "</code></pre>\n"
        elif token.tag == "table":
            yield table if token.nesting > 0 else "</table></div>\n"
        elif token.type == "hr":
            yield "<hr>\n"
        elif not token.hidden:
            yield _element(token)
        if token.type == "tr_open" and token.map:
            row = source.cells(token.meta["begin"], token.map[0])
        if token.type == "heading_open":
            heading = len(token.markup) if token.markup.startswith("#") else 0
        elif token.type == "heading_close":
            heading = 0


def _element(token: Token) -> str:
    """The beginning or the end of a block."""
    if token.nesting < 0:
        return f"</{token.tag}>" + "\n" * (token.tag in _CLOSED)
    start = f' start="{int(token.attrs["start"])}"' if "start" in token.attrs else ""
    return f"<{token.tag}{start}{_ALIGNED.get(str(token.attrs.get('style')), '')}>"


def _inline(
    source: MarkdownSource, tokens: Sequence[InlinePiece], at: Sequence[int]
) -> Iterator[_Part]:
    """What is in a block. at: of every character of its content, where it stands, if known."""
    link: list[int] = []
    for number, (token, where, start) in enumerate(tokens):
        begin = at[min(start, len(at) - 1)] if at else 0
        if token.type == "link_open":
            link = [begin]
            href = escape(visible_text(str(token.attrs["href"])))
            yield f'<a href="{href}" rel="noreferrer noopener nofollow">'
        elif token.type == "link_close":
            after = tokens[number + 1].start if number + 1 < len(tokens) else len(at)
            if at and link:
                end = at[after - 1] + 1 if 0 < after <= len(at) else begin
                source.links.append(SourceLink(link[0] - 1, max(end, begin), (link[0], begin)))
                if begin == link[0]:  # a link without words is seen by its host
                    host = urlsplit(str(tokens[number - 1].token.attrs.get("href"))).netloc
                    yield _Stretch(host, [begin - 1] * len(host), True)
            link = []
            yield "</a>"
        elif token.type == "code_inline":
            yield "<code>"
            yield _Stretch(token.content, [at[each] for each in where] if at else [], bool(link))
            yield "</code>"
        elif token.type == "softbreak":
            # Entries of a list of references stand below each other; Markdown would join them.
            ahead = tokens[number + 1].token.content if number + 1 < len(tokens) else ""
            rest = "".join(each.token.content for each in tokens[number + 1 : number + 5])
            yield "<br>\n" if ahead[:1] == "[" and _NUMBERED.match(rest) else "\n"
        elif token.type == "hardbreak":
            yield "<br>\n"
        elif token.nesting:
            yield f"<{'/' * (token.nesting < 0)}{token.tag}>"
        elif token.content:
            yield _Stretch(token.content, [at[each] for each in where] if at else [], bool(link))


class _MarkSetting:
    """Marks while they are set. parts: all of the text, in order."""

    def __init__(
        self, source: MarkdownSource, parts: Iterable[_Part], marks: Iterable[SpanMark]
    ) -> None:
        self.placed = PlacedText()
        seen = bytearray(len(source.text) + 1)
        for part in parts:
            if isinstance(part, _Stretch):
                for offset in compress(part.at, map(not_, map(str.isspace, part.content))):
                    seen[offset] = 1
        kept = []
        for mark in marks:
            start, end = source.moved(mark.start), source.moved(mark.end)
            found = self._where_seen(source, seen, start, end)
            if found is not None:
                kept.append(mark._replace(start=found[0], end=found[1]))
            elif mark.name:
                self.placed.without.append(mark.name)
        self._bounds = sorted({bound for mark in kept for bound in mark[:2]})
        self._on = _between(self._bounds, kept)

    def _where_seen(
        self, source: MarkdownSource, seen: bytearray, start: int, end: int
    ) -> tuple[int, int] | None:
        """Where a mark has words: if it is empty, in the rest of its line.

        What is in the address of a link is at the words of the link.
        """
        if start == end:
            end = source.text.find("\n", start)
            end = len(source.text) if end < 0 else end
        if seen.find(1, start, end) >= 0:
            return start, end
        for link in source.links:
            if link.start <= start < link.end and end <= link.end:
                return link.label if seen.find(1, *link.label) >= 0 else None
        return None

    def written(self, parts: Sequence[_Part]) -> tuple[Markup, tuple[str, ...]]:
        """Parts as HTML, and the names of the marks that begin in them."""
        begins: list[str] = []
        html = "".join(
            part if isinstance(part, str) else "".join(self._run(part, begins)) for part in parts
        )
        return Markup(html), tuple(begins)

    def _run(self, run: _Stretch, begins: list[str]) -> Iterator[str]:
        """Words, cut where marks begin and end."""
        if not run.at or not self._bounds:
            yield str(escape(visible_text(run.content)))
            return
        first, last = (bisect_right(self._bounds, each) for each in (min(run.at), max(run.at)))
        if first == last:  # nothing begins or ends in it
            yield self._piece(run, 0, len(run.content), self._on.get(first, ()), begins)
            return
        start = 0
        segments = [bisect_right(self._bounds, offset) for offset in run.at]
        for stop in range(1, len(run.content) + 1):
            if stop == len(run.content) or segments[stop] != segments[start]:
                yield self._piece(run, start, stop, self._on.get(segments[start], ()), begins)
                start = stop

    def _piece(
        self, run: _Stretch, start: int, stop: int, on: Sequence[SpanMark], begins: list[str]
    ) -> str:
        content = run.content[start:stop]
        html = str(escape(visible_text(content)))
        if not on or not content.strip():
            return html
        fresh = [mark.name for mark in on if mark.name and mark.name not in self.placed.words]
        begins += fresh
        for mark in on:
            if mark.name:
                self.placed.words[mark.name] = self.placed.words.get(mark.name, "") + content
        href = next((mark.href for mark in on if web_address(mark.href)), "")
        if href and not run.linked:
            rel = "noreferrer noopener nofollow"
            html = f'<a href="{escape(visible_text(href))}" rel="{rel}">{html}</a>'
        anchors = "".join(f'<span id="{escape(name)}"></span>' for name in fresh)
        tones = " ".join(dict.fromkeys(word for mark in on for word in mark.tone.split()))
        named = [mark for mark in on if mark.name]
        nearest = min(named, key=lambda mark: mark.end - mark.start, default=None)
        if not tones and nearest is None:
            return anchors + html
        to = f' data-m="{escape(nearest.name)}"' if nearest else ""
        return f'{anchors}<mark class="{escape(tones)}"{to}>{html}</mark>'


def _between(bounds: Sequence[int], marks: Iterable[SpanMark]) -> dict[int, list[SpanMark]]:
    """The marks that lie on what is between two bounds, by how many bounds are before it."""
    number = {bound: place for place, bound in enumerate(bounds, start=1)}
    on: defaultdict[int, list[SpanMark]] = defaultdict(list)
    for mark in marks:
        for place_ in range(number[mark.start], number[mark.end]):
            on[place_].append(mark)
    return on
