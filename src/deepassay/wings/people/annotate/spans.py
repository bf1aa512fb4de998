"""Texts as raters see them, and spans of them.

A page tells a place in a text by how many characters a reader sees before it, blanks aside: that is
the same whatever elements they stand in, in every browser. Here it becomes a place in the text that
the item has, which had names in it and its citations in another form.
"""

from __future__ import annotations

import json
import re
from bisect import bisect_left
from collections.abc import Iterable, Mapping
from functools import cached_property
from hashlib import sha256
from typing import Annotated, Final

from markupsafe import Markup
from pydantic import BaseModel, ConfigDict, Field, ValidationError
from pydantic_core import from_json

from deepassay.reports.rendered.placing import SeenText, marked_html, seen
from deepassay.reports.spans import Span
from deepassay.reports.traced import TracedText
from deepassay.runfile.annotating import MarkedSpan, TextName
from deepassay.runfile.questions import LONGEST_TEXT, MOST_SPANS, Item, Question

_UNSAID: Final = re.compile(r"\[\d+\]|[\s*_`#>|]")
"""What a sentence may have in a text that it has not by itself: citations, marks of Markdown."""


def text_digest(text: str) -> str:
    """What spans of a text are kept with, so that they are never looked for in another."""
    return sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


LONGEST_SENT: Final = 2_000_000
"""Characters of what a page tells of the spans of one question."""

EDGE: Final = 40
"""So many characters from each end of a span tell which words are meant."""


class ShownText:
    """A text of an item as its raters see it."""

    def __init__(self, traced: TracedText) -> None:
        self._traced = traced
        self._html: dict[str, Markup] = {}

    def html(self, table: str) -> Markup:
        """As the reading room shows it. table: how tables in it are announced."""
        if table not in self._html:
            self._html[table] = marked_html(self._traced.text, (), table).html
        return self._html[table]

    @cached_property
    def _seen(self) -> SeenText:
        return seen(self._traced.text)

    def words(self, start: int, end: int) -> str:
        """What is seen of a span that a page tells, without its blanks; of a long one its ends."""
        if end - start <= 2 * EDGE:
            return self._seen.signs[start:end]
        return self._seen.signs[start : start + EDGE] + self._seen.signs[end - EDGE : end]

    def source_span(self, start: int, end: int) -> Span | None:
        """Where a span that a page tells stands in the text of the item.

        None where there is no such span, or it begins or ends in what has no place, or reaches into
        a list of references and is no stretch of the item's own.
        """
        if not 0 <= start < end <= len(self._seen.signs):
            return None
        first, last = self._seen.at[start], self._seen.at[end - 1]
        return self._traced.source_span(first, last + 1) if 0 <= first <= last else None

    def told(self, span: Span, words: str) -> tuple[int, int]:
        """How a page tells a span of the item's text; empty where nothing of it is seen.

        words: as they were shown. What was only added where it begins or ends, as the number of
        a citation that stands elsewhere in the source, counts as far as they have it.
        """
        start, end = self._seen_in(self._traced.span_of(*span))
        if self._traced.is_listed(*span):  # there, all that is seen stands for something
            return start, end
        before, after = (self._traced.span_of(edge, edge) for edge in span)
        first, last = self._seen_in(Span(before.start, after.end))
        if start == end:  # which part of what was added it is, nobody kept
            return first, last
        head, tail = words[:EDGE], words[-EDGE:]
        begin = self._seen.signs.rfind(head, first, start + len(head))
        close = self._seen.signs.find(tail, max(first, end - len(tail)), last)
        return (begin if begin >= 0 else start), (close + len(tail) if close >= 0 else end)

    def _seen_in(self, shown: Span) -> tuple[int, int]:
        """The characters that are seen of a stretch of the text that is shown."""
        places, order = self._by_place
        inside = order[bisect_left(places, shown.start) : bisect_left(places, shown.end)]
        return (min(inside), max(inside) + 1) if inside else (0, 0)

    @cached_property
    def _by_place(self) -> tuple[list[int], list[int]]:
        """Where the characters that are seen stand, in order, and which of them stands there."""
        order = sorted(range(len(self._seen.at)), key=self._seen.at.__getitem__)
        return [self._seen.at[n] for n in order], order

    def told_quote(self, quote: str) -> tuple[int, int] | None:
        """How a page tells where a sentence stands first; None where it does not.

        Blanks, citations, marks of Markdown and the case of letters do not count.
        """
        wanted = _UNSAID.sub("", quote).lower()
        plain, kept = self._plain
        start = plain.find(wanted) if wanted else -1
        return (kept[start], kept[start + len(wanted) - 1] + 1) if start >= 0 else None

    @cached_property
    def _plain(self) -> tuple[str, list[int]]:
        """The characters that count when a sentence is looked for, and where each is seen."""
        signs, kept, end = self._seen.signs, list[int](), 0
        for found in [*_UNSAID.finditer(signs), None]:
            start, after = found.span() if found else (len(signs), len(signs))
            kept += range(end, start)
            end = after
        return "".join(signs[n].lower()[0] for n in kept), kept


class SentSpan(BaseModel):
    """A span as a page tells it. label: its place among the labels. words: as `ShownText.words`."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    text: TextName
    start: Annotated[int, Field(strict=True, ge=0)]
    end: Annotated[int, Field(strict=True, ge=1)]
    label: Annotated[int, Field(strict=True, ge=0)]
    words: str
    comment: Annotated[str, Field(max_length=LONGEST_TEXT)] = ""


def spans_sent(
    sent: str, question: Question, item: Item, texts: Mapping[TextName, ShownText]
) -> tuple[list[MarkedSpan], bool]:
    """The spans that a page sent, as JSON, and whether some of it is none.

    item: whole, not as it was shown. A span whose words are others in our text is none.
    """
    try:
        entries = from_json(sent[:LONGEST_SENT] or "[]")
    except ValueError:
        return [], True
    if not isinstance(entries, list):
        return [], True
    found: dict[tuple[object, ...], MarkedSpan] = {}
    lost = len(entries) > MOST_SPANS
    for entry in entries[:MOST_SPANS]:
        try:
            span = _placed(SentSpan.model_validate(entry), question, item, texts)
        except ValidationError:
            span = None
        if span is None:
            lost = True
        else:
            place = (span.text, span.start, span.end, span.label, span.words)
            found[place] = span
    return [*found.values()], lost


def _placed(
    told: SentSpan, question: Question, item: Item, texts: Mapping[TextName, ShownText]
) -> MarkedSpan | None:
    """A span in the text that the item has; None for what is not there."""
    if told.text not in texts or told.label >= len(question.labels):
        return None
    text = texts[told.text]
    span = text.source_span(told.start, told.end)
    words = text.words(told.start, told.end)
    if span is None or words != told.words:
        return None
    comment = told.comment.replace("\r\n", "\n").replace("\0", "").strip()
    label = question.labels[told.label].value
    return MarkedSpan(told.text, *span, text_digest(item.texts[told.text]), label, words, comment)


def spans_told(
    spans: Iterable[MarkedSpan], question: Question, texts: Mapping[TextName, ShownText]
) -> str:
    """Passages as a page takes them, as JSON; those of which nothing is seen are left out."""
    labels = [each.value for each in question.labels]
    told: list[Mapping[str, object]] = []
    for each in spans:
        start, end = texts[each.text].told(Span(each.start, each.end), each.words)
        if start < end and each.label in labels:
            place = {"text": each.text, "start": start, "end": end}
            more = {"words": texts[each.text].words(start, end), "comment": each.comment}
            told.append({**place, "label": labels.index(each.label), **more})
    return json.dumps(told, ensure_ascii=False)
