"""Rules on titles, headings and figures, and on a report without text: DA306 to DA312."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import pairwise

from deepassay.reports.finding import Hit, Rule
from deepassay.reports.markdown import Block
from deepassay.reports.report import Report
from deepassay.reports.spans import Span
from deepassay.text import excerpt

NOT_TITLES = re.compile(
    r"(?:table|figure|fig\.|chart|source|note|date|author|by|updated|prepared|keywords|none|n/a)\b"
    r"|[图表]\s?\d",
    re.IGNORECASE,
)
NOT_A_TITLE = re.compile(
    r"[|=<>`\[\]{}【】［］⁰¹²³⁴⁵⁶⁷⁸⁹]|https?:|\*\*|__|[.,;:!?。，；：！？、…][\"'”’」』)）]*$|^[\W\d_]"
)


def plain_text_title(report: Report, *, longest: int = 110) -> Iterator[Hit]:
    """A section title written as plain text instead of a heading.

    One hit for each short line that stands alone and opens a list, text, table or code.

    longest: characters that it has at most.
    Silent for lines that cite, end like a sentence or with a colon, for captions, formulas, and the
    line below the title of the report.
    """
    above: Block | None = None
    for block, below in pairwise(report.body):
        if _stands_alone(block, above, longest) and below.kind in ("paragraph", "table", "code"):
            line = block.span.of(report.text).strip()
            if _reads_as_title(line):
                yield Hit(block.span, f"'{excerpt(line, 40)}' is a section title in plain text")
        above = block


def _stands_alone(block: Block, above: Block | None, longest: int) -> bool:
    under_title = above is not None and above.kind == "heading" and above.level == 1
    short = block.span.end - block.span.start <= longest
    return block.kind == "paragraph" and block.depth == 0 and short and not under_title


def _reads_as_title(line: str) -> bool:
    if "\n" in line or NOT_A_TITLE.search(line) or NOT_TITLES.match(line):
        return False
    return any(character.isalpha() for character in line) and not line[0].islower()


BOLD_LINE = re.compile(r"(?:\*\*(?!\*)([^*\n]{2,100})\*\*|__(?!_)([^_\n]{2,100})__)")
CAPTION = re.compile(r"(?:table|figure|fig\.|chart|source|note)\b|[图表]\s?\d", re.IGNORECASE)


def bold_title(report: Report, *, longest: int = 110) -> Iterator[Hit]:
    """A section title written as a bold line instead of a heading.

    One hit for each paragraph that is one bold line of so many characters at most.

    Silent for bold words that open a paragraph, bold sentences, lines that end with a colon
    and captions, and inside lists and quotations.
    """
    for block in report.body:
        if block.kind != "paragraph" or block.depth or block.span.end - block.span.start > longest:
            continue
        found = BOLD_LINE.fullmatch(block.span.of(report.text).strip())
        if not found:
            continue
        words = (found.group(1) or found.group(2)).strip()
        if words and words[-1] not in ".,;:!?。，；：！？" and not CAPTION.match(words):
            yield Hit(block.span, f"'{excerpt(words, 40)}' is a section title in bold")


def skipped_heading_level(report: Report) -> Iterator[Hit]:
    """A heading more than one level below the one before it.

    One hit for each such heading; rising by several levels is fine.
    """
    previous = 0
    for block in report.blocks:
        if block.kind != "heading":
            continue
        if previous and block.level > previous + 1:
            message = f"a heading of level {block.level} follows one of level {previous}"
            yield Hit(block.span, message)
        previous = block.level


def several_titles(report: Report) -> Iterator[Hit]:
    """A second heading of level 1: a report has one title.

    One hit for each heading of level 1 after the first.
    """
    titles = [b for b in report.blocks if b.kind == "heading" and b.level == 1]
    for title in titles[1:]:
        line, _ = report.lines.place(titles[0].span.start)
        yield Hit(title.span, f"the report already has a title, on line {line}")


SIGNS = re.compile(r"^ {0,3}(#{1,6})([^\s#][^\n\r]*)", re.MULTILINE)


def heading_without_space(report: Report) -> Iterator[Hit]:
    """Number signs without a blank after them: `##Results` is no heading.

    One hit for each line; a single sign only where the line is no hashtag, like `#1`.
    """
    for block in report.blocks:
        if block.kind != "paragraph" or "#" not in (raw := block.span.of(report.text)):
            continue
        for line in SIGNS.finditer(raw):
            signs, words = line.groups()
            if len(signs) == 1 and ("#" in words or not _several_words(words)):
                continue
            start = block.span.start + line.start(1)
            span = Span(start, block.span.start + line.end())
            yield Hit(span, f"no blank between {signs} and '{excerpt(words, 30)}'")


def _several_words(words: str) -> bool:
    return words[0].isalpha() and len(words.split()) > 1


_NOTHING = (
    r"(?:#|about:blank|todo|tbd|(?:image[-_ ]?)?(?:url|link|path)|(?:https?://)?(?:placeholder|"
    r"insert[-_ ]|path/to/|your[-_ ](?:image|chart|figure|url|link))[^()\n]{0,100})?"
)
_FIGURE = re.compile(
    rf"!\[([^\[\]\n]{{0,300}})\]\([ \t]{{0,9}}<?{_NOTHING}>?[ \t]{{0,9}}\)", re.IGNORECASE
)
_TAG = re.compile(r"<(?:img|IMG)\b[^<>]{0,1000}>")
_SOURCE = re.compile(r"\s(?:data-)?src(?:set)?\s?=\s?(?![\"']\s?[\"'])[^\s>]", re.IGNORECASE)


def figure_without_image(report: Report) -> Iterator[Hit]:
    """A figure that shows nothing: `![Chart]()`, an image whose address is empty or a placeholder.

    One hit for each image outside code.
    """
    text = report.text
    if "![" not in text and "<img" not in text and "<IMG" not in text:
        return
    for block in report.blocks:
        if block.kind == "code":
            continue
        for found in _FIGURE.finditer(text, *block.span):
            name = f" '{excerpt(found[1], 40)}'" if found[1].strip() else ""
            if text[found.start() - 1 : found.start()] != "`":
                yield Hit(Span(*found.span()), f"the figure{name} has no image")
        for found in _TAG.finditer(text, *block.span):
            if not _SOURCE.search(found[0]):
                yield Hit(Span(*found.span()), "the figure has no image")


def empty_report(report: Report) -> Iterator[Hit]:
    """A report without text.

    One hit for a report that is empty or blank.
    """
    if not report.text.strip():
        yield Hit(Span(0, 0), "the report is empty")


RULES = (
    Rule(
        code="DA306",
        name="plain-text-title",
        reason="Without headings the structure is invisible to readers and to tables of contents.",
        sources=("P9",),
        check=plain_text_title,
        version=2,
    ),
    Rule(
        code="DA307",
        name="bold-title",
        reason="Bold type looks like a heading and is none.",
        sources=("P9",),
        check=bold_title,
    ),
    Rule(
        code="DA308",
        name="skipped-heading-level",
        reason="A level is missing from the structure.",
        sources=("P9",),
        check=skipped_heading_level,
    ),
    Rule(
        code="DA309",
        name="several-titles",
        reason="Sections at the level of the title leave the report without a top.",
        sources=("P9",),
        check=several_titles,
    ),
    Rule(
        code="DA310",
        name="heading-without-space",
        reason="Markdown shows the line as text, number signs included.",
        sources=("P9",),
        check=heading_without_space,
    ),
    Rule(
        code="DA311",
        name="figure-without-image",
        reason="The figure that the text speaks of is missing.",
        sources=("P8",),
        check=figure_without_image,
    ),
    Rule(
        code="DA312",
        name="empty-report",
        reason="An empty file passes every other rule.",
        sources=(),
        check=empty_report,
    ),
)
