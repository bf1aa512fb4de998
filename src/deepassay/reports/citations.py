"""The kinds of citation: one class per kind. `lexer.find_citations` finds them in a text."""

from __future__ import annotations

from typing import NamedTuple

from deepassay.reports.spans import Span


class Citation(NamedTuple):
    """A marker in the text that points to a source.

    span, raw: where it stands and how it is written; `text[span.start:span.end] == raw`.
    keys: the labels of reference entries that it names (`"3"`, `"smith2024"`), in order.
    url: the address written in the citation itself, as written, if there is one.
    in_sentence: a link whose words belong to the sentence, so that cleaning keeps them.
    label: the words of a link.
    """

    span: Span
    raw: str
    keys: tuple[str, ...] = ()
    url: str | None = None
    in_sentence: bool = False
    label: str = ""


class Numbered(Citation):
    """`[3]`, `[1, 3-5]`, `[2–12]`, `[1]–[3]`: keys hold every number, ranges written out."""


class Lenticular(Citation):
    """`【1†L3-L9】`: the form of search tools; the place in the source is not a key."""


class Footnote(Citation):
    """`[^1]`, `[^note]`."""


class Superscript(Citation):
    """`¹²`, `<sup>3</sup>`, `<sup>[3](u)</sup>`."""


class InlineLink(Citation):
    """`[words](u)`, also `[3](u)`."""


class ReferenceLink(Citation):
    """`[words][key]` with a definition `[key]: u` elsewhere."""


class TaggedLink(Citation):
    """`[citation:words](u)`."""


class NumberedLink(Citation):
    """`[words](u)[1]`: a link and a number for one source."""


class AuthorYear(Citation):
    """`(Author, 2024)`, `(Author & Other, 2024; Third, 2020)`."""


class BareUrl(Citation):
    """An address by itself: `https://…`, `<https://…>`, `<u>https://…</u>`."""


class HtmlLink(Citation):
    """`<a href="u">words</a>`."""
