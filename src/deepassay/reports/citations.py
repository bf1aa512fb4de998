"""The kinds of citation, one class each, and what reading them takes: numbers, links, labels.

`lexer.find_citations` finds the citations of a text.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import NamedTuple
from unicodedata import digit

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
    """A citation by a footnote of Markdown: `[^1]`, `[^note]`."""


class Superscript(Citation):
    """`¹²`, `<sup>3</sup>`, `<sup>[3](u)</sup>`, and `.12` where a program took the raising off."""


class InlineLink(Citation):
    """`[words](u)`, also `[3](u)`."""


class ReferenceLink(Citation):
    """`[words][key]` with a definition `[key]: u` elsewhere."""


class TaggedLink(Citation):
    """A citation by a link whose words say that it is one: `[citation:words](u)`."""


class NumberedLink(Citation):
    """`[words](u)[1]`: a link and a number for one source."""


class AuthorYear(Citation):
    """`(Author, 2024)`, `(Author & Other, 2024; Third, 2020)`."""


class BareUrl(Citation):
    """An address by itself: `https://…`, `<https://…>`, `<u>https://…</u>`."""


class HtmlLink(Citation):
    """`<a href="u">words</a>`."""


DASHES = "\\-–—‐‑‒−~～至"
_PIECE = re.compile(rf"(\d+)(?:\s?[{DASHES}]\s?(\d+))?")
LONGEST_RANGE = 100


@lru_cache(maxsize=4096)
def expand(written: str) -> tuple[int, ...] | None:
    """Every number, ranges written out in order; None if a range is too long to be one."""
    if written.isdecimal():
        return (int(written),)
    numbers: list[int] = []
    for piece in _PIECE.finditer(written):
        first, last = int(piece[1]), int(piece[2] or piece[1])
        if last - first >= LONGEST_RANGE:
            return None
        numbers.extend(range(first, last + 1) if first <= last else (first, last))
    return tuple(numbers)


@lru_cache(maxsize=4096)
def keys(numbers: tuple[int, ...]) -> tuple[str, ...]:
    """Numbers as the labels of entries."""
    return tuple(map(str, numbers))


def numbers_of(citation: Citation) -> tuple[int, ...]:
    """The numbers that a citation names, in order, ranges written out."""
    return tuple(int(key) for key in citation.keys if key.isdecimal() and len(key) < 7)


HALF_ESCAPED = re.compile(
    r"\[((?:[^\[\]\\\n]|\\.|\[[^\[\]\\\n]{1,300}+\\\]){1,1000}+)\](?=\()", re.DOTALL
)
"""A label in which a program escaped the closing one of two brackets: `[[2303\\] Title](u)`."""

LABEL = re.compile(r"\[((?:[^\[\]\\]|\\.|\[(?:[^\[\]\\]|\\.){0,200}+\]){1,1000}+)\]", re.DOTALL)
"""A label in brackets; brackets inside it are balanced, one level deep."""

_DESTINATION = re.compile(
    r"\([ \t]{0,4}\n?[ \t]{0,4}(?:<([^<>\n]{1,4000}+)>"
    r"|((?:[^\s()<>\\]|\\.|\((?:[^\s()<>\\]|\\.){0,1000}+\)){1,4000}+))"
    r"(?:\s{1,4}(?:\"[^\"\n]{0,500}\"|'[^'\n]{0,500}'|“[^”\n]{0,500}”|\([^()\n]{0,500}\)))?"
    r"\s{0,4}\)"
)
_FRAGMENT = re.compile(
    r"\(\s?(https?://[^\s()<>]{1,1000}#:~:text=(?:[^()<>\n]|\([^()<>\n]{0,200}\)){0,500}+)\)",
    re.IGNORECASE,
)
_BRACKET = re.compile(r"[()]")
_IN_BRACKETS = re.compile(
    r"\(\s?(https?://[^\s<>]{1,1000}?#:~:text=(?:(?!\]\()[^\n]){0,800}?)\)\)(\)*)",
    re.IGNORECASE,
)
_LOOSE = re.compile(r"\(\s?<?((?:https?://|www\.)[^()<>\n]{1,1000}+)>?\s?\)", re.IGNORECASE)
_UNCLOSED = re.compile(r"\(\s?((?:https?://|www\.)[^\s<>]{1,1000}?)\)(?![^\s<>]*\))", re.IGNORECASE)
_WEB = re.compile(r"https?:|//\w|www\.|doi:|(?:[\w-]+\.)+[a-z]{2,}/", re.IGNORECASE)


def destination(text: str, at: int, end: int, bracketed: bool = False) -> tuple[str, int] | None:
    """The address in the round brackets that open at `at`, as written, and where they end.

    bracketed: whether the link stands in round brackets of its own. Words that an address quotes
    from its page (`#:~:text=`) may hold any bracket, and then go on to the last two that close.
    """
    if bracketed and (found := _IN_BRACKETS.match(text, at, end)):
        opened = 0
        for bracket in _BRACKET.findall(found[1]):
            opened = opened + 1 if bracket == "(" else max(0, opened - 1)
        stop = found.end(1) + min(opened, len(found[2]))
        return text[found.start(1) : stop], stop + 1
    for form in (_DESTINATION, _FRAGMENT, _LOOSE, _UNCLOSED):
        if found := form.match(text, at, end):
            break
    if found is None:
        return None
    return found[1] or found[found.lastindex or 1], found.end()


def is_web(url: str) -> bool:
    """Whether a destination leads to the web and not to a heading or a file of the report."""
    return _WEB.match(url) is not None


_LINE = re.compile(
    r"[ \t>]{0,12}(?:[-*+•][ \t]+)?(?:\*\*)?"
    r"(?:\\?\[\^?([^\]\[\n\\]{1,60})\\?\](?!\()(.*)|[【［](\d{1,4})[】］]"
    r"|\[?(\d{1,3})(?:\\?[.)、:][ \t]|：)(.*)|([⁰¹²³⁴-⁹]{1,3})[ \t]+(.*))"
)
_DEFINITION = re.compile(
    r"^[ \t>]{0,12}\[([^\]\[\n^][^\]\[\n]{0,199})\]:[ \t]{0,4}(?:<[^>\n]+>|\S*[./:#]\S*)",
    re.MULTILINE,
)
# Several patterns in place of one: each begins with a literal, to which the engine skips at once.
_YEARS = (re.compile(r"20\d\d"), re.compile(r"19\d\d"), re.compile(r"n\.d\."))
_AUTHOR = re.compile(
    r"[ \t>]{0,12}(?:[-*+•][ \t]+|\\?\[\d{1,4}\\?\][ \t]*|\d{1,4}[.)][ \t]+)?[*_\[“\"]{0,3}"
    r"([^\W\d_][\w'’\-]*(?: [^\W\d_][\w'’\-]*){0,3})"
)
_SEVERAL = tuple(
    re.compile(names + r"[^()（）;；\n]{0,40}?\b(?:19|20)\d\d[a-z]?[)）;；]")
    for names in (
        r"et al\b(?<=\bet al)",
        r"& [A-Z](?<=[^\W\d_]{2} & .)\w++",
        r"and [A-Z](?<=[^\W\d_]{2} and .)[a-z]++",
        r"等人?[,，]",
    )
)
_ADDRESS = re.compile(r"https?://|www\.|\bdoi", re.IGNORECASE)


ANNOUNCING = (
    r"(?:(?:[^\W\d_]+[_ \-])?(?:sources?|cited?|citations?|refs?\.?|references?|urls?|links?)"
    r"(?:[_ \-](?:urls?|links?))?|(?:资料|数据|信息|参考)?来源|出处|参考|引用|引自|链接|网址)"
    r"[ \t]?[:：]"
)
"""What stands before a source in brackets: `cited_url:`, `Source:`, `来源：`."""


@dataclass(frozen=True)
class Labels:
    """What the lines of `text` that look like entries of a reference list are called.

    ids: the letters with which ids of sources begin (`e` of `[e12]`), in lower case; of a draft.
    """

    text: str
    ids: frozenset[str] = frozenset()

    @cached_property
    def entries(self) -> frozenset[str]:
        """Labels that begin an entry: any number in brackets, and whatever an address follows."""
        found: set[str] = set()
        for line in filter(None, map(_LINE.match, self.text.split("\n"))):
            bracketed, after, lenticular, listed, rest, raised, behind = line.groups()
            if bracketed is not None:
                if bracketed.isdecimal() or _ADDRESS.search(after):
                    found.add(bracketed)
            elif lenticular is not None:
                found.add(lenticular)
            elif raised is not None:
                if _ADDRESS.search(behind):
                    found.add("".join(str(digit(each)) for each in raised))
            elif _ADDRESS.search(rest):
                found.add(listed)
        return frozenset(found)

    @cached_property
    def definitions(self) -> frozenset[str]:
        """Labels of `[label]: address` lines, blanks and letter case folded."""
        if "]:" not in self.text:
            return frozenset()
        return frozenset(folded_label(line[1]) for line in _DEFINITION.finditer(self.text))

    @cached_property
    def authors(self) -> frozenset[str]:
        """First words of lines that hold a year: surnames, if it is a list of references."""
        names: set[str] = set()
        line_end = -1
        for year in sorted(x.start() for each in _YEARS for x in each.finditer(self.text)):
            if year < line_end:
                continue
            begin = self.text.rfind("\n", max(0, line_end), year) + 1
            line_end = self.text.find("\n", year)
            if found := _AUTHOR.match(self.text, begin, year):
                words = found[1].split(" ")
                names.update(" ".join(words[:count]) for count in range(1, len(words) + 1))
            if line_end < 0:
                break
        return frozenset(names)

    @cached_property
    def author_year(self) -> bool:
        """Whether two or more authors and a year stand in brackets anywhere."""
        return any(each.search(self.text) for each in _SEVERAL)

    @cached_property
    def numbered(self) -> bool:
        """Whether entries are numbered at all."""
        return any(label.isdecimal() for label in self.entries)


def folded_label(label: str) -> str:
    """A label as CommonMark compares it: case folded, runs of blanks as one."""
    return " ".join(label.split()).casefold()
