"""Reference lists: their headings, English and Chinese, and where lists begin and end."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import pairwise
from typing import NamedTuple

from deepassay.reports.citations import Citation
from deepassay.reports.markdown import Block
from deepassay.reports.references import (
    KEYED,
    EntryDraft,
    FoundList,
    ReferenceList,
    ReportLine,
    ReportLines,
    finish,
    has_address,
    indented,
    is_address,
    is_note,
    label_of,
    looks_cited,
)
from deepassay.reports.spans import LINE_END, Span

LONGEST_HEADING = 120
LONGEST_PLAIN_HEADING = 60

_QUALIFIER = (
    r"(?:(?:selected|key|main|primary|secondary|full|complete|all|additional|cited|core|major|"
    r"numbered|list of|official|annotated|consolidated|master|end) )"
)
_NOUN = (
    r"(?:references?(?: list| cited| used| materials?)?|sources?(?: list| cited| consulted| used)?|"
    r"reference sources|source references|bibliography|bibliographic references|"
    r"works (?:cited|consulted)|citations?(?: list)?|literature cited|endnotes|footnotes|"
    r"source (?:links|urls)|reference links|citation index)"
)
_CHINESE = (
    r"(?:主要|附录?[:：]?|完整|全部|核心)?(?:[参參]考(?:文[献獻]|[资資]料|[来來]源|[链鏈]接|[书書]目)?|"
    r"引用(?:文[献獻]|[来來]源|[资資]料|列表|[链鏈]接)?|(?:[资資]料|[数數][据據]|信息|文[献獻]|[内內]容)?[来來]源|"
    r"文[献獻](?:列表|[来來]源)?|[书書]目)(?:[链鏈]接)?(?:列表|清单|清單|目录|目錄)?"
    r"(?:[与與和及](?:引用|[来來]源|[参參]考文[献獻]|[资資]料[来來]源|[链鏈]接|注[释釋]|[数數][据據][来來]源))?"
)
_WEAK = (
    r"(?:notes|further reading|recommended reading|links|useful links|data sources|"
    r"notes and references|references and notes|sources and notes|"
    r"注[释釋]?|尾注|[脚腳]注|[备備]注|延伸[阅閱][读讀]|相[关關][链鏈]接)"
)
_REMARK = r"(?: ?[(（][^()（）\n]{1,60}[)）])?"
_STRONG_NAME = re.compile(
    rf"(?:{_QUALIFIER}{{0,2}}{_NOUN}"
    rf"(?:(?:,? (?:and|&) | ?/ ?)(?:notes|further reading|data sources|links|{_NOUN}))?"
    r"(?: (?:cited |used |consulted )?(?:in|for) (?:this|the) "
    r"(?:report|paper|article|analysis|study|review))?"
    rf"|{_CHINESE}(?: ?/? ?{_NOUN})?){_REMARK}",
    re.IGNORECASE,
)
_WEAK_NAME = re.compile(_WEAK + _REMARK, re.IGNORECASE)
# The class of first characters stands alone in front, which lets the engine skip to them; that of
# second ones lets it pass over most of those.
_KEYWORD = re.compile(
    r"[RrSsſBbCcLlNn文来來参參引链鏈书書注阅閱](?i:(?=[eoi献獻源考用接目])(?:"
    r"(?<=r)e(?:ference|ading)|(?<=s)ource|(?<=b)ibliograph|(?<=c)(?:it(?:ed|ation)|onsulted)|"
    r"(?<=l)(?:iterature|inks)|(?<=n)otes|(?<=文)[献獻]|(?<=[来來])源|(?<=[参參])考|(?<=引)用|"
    r"(?<=[链鏈])接|(?<=[书書])目)|(?<=[注阅閱]))"
)
_LINE = re.compile(r"[^\r\n]+")
_NUMBERING = re.compile(
    r"(?:(?:section|part|appendix|附录|第)? ?(?:\d{1,2}(?:\.\d{1,2})*|[IVX]{1,5}|[A-Z]|"
    r"[一二三四五六七八九十]{1,3})(?:章|部分|节)?[.)、．:：]\s?|[(（][\d一二三四五六七八九十]{1,3}[)）]\s?)",
    re.IGNORECASE,
)
_MARKUP = " \t#>*_:：=-—–　"
_TAG = re.compile(r"<[^<>]{1,100}>")
_SYMBOLS = re.compile(r"[\u2190-\u2bff\U0001f000-\U0001faff\ufe0f]+")


class Heading(NamedTuple):
    """A line that announces references. level: of a Markdown heading, else 0.

    sure: nothing else is called so; the entries of the others must have a label or address.
    """

    span: Span
    level: int
    sure: bool


def _names_references(line: str) -> bool | None:
    """True for a heading that can only be that of references, None for one that may be.

    `## Scope, sources, and method` and other headings that go on are False.
    """
    if len(line) > LONGEST_HEADING:
        return False
    name = _SYMBOLS.sub("", _TAG.sub("", line)).strip(_MARKUP)
    name = name.replace("**", "").strip(_MARKUP)
    numbered = _NUMBERING.match(name)
    for candidate in (name, name[numbered.end() :] if numbered else name):
        if _STRONG_NAME.fullmatch(candidate.strip(_MARKUP)):
            return True
        if _WEAK_NAME.fullmatch(candidate.strip(_MARKUP)):
            return None
    return False


def headings_of_references(text: str, blocks: Iterable[Block]) -> Iterator[Heading]:
    """Headings, and lines of paragraphs, that say that references follow."""
    returns = "\r" in text
    for block in blocks:
        kind = block.kind
        start, end = block.span
        if kind == "heading":
            if _KEYWORD.search(text, start, end):
                sure = _names_references(text[start:end].rstrip("-= \t\r\n"))
                if sure is not False:
                    yield Heading(block.span, block.level, sure is True)
        elif kind in ("paragraph", "html"):
            if end - start <= LONGEST_PLAIN_HEADING:
                worth = _KEYWORD.search(text, start, end) is not None
            else:
                worth = returns or text.find("\n", start, end) >= 0  # it has several lines
            if worth:
                yield from _lines(text, block.span)


def _lines(text: str, span: Span) -> Iterator[Heading]:
    """Lines of a paragraph that stand for a heading, in bold or plain."""
    for line in _LINE.finditer(text, *span):
        start, end = line.span()
        if end - start <= LONGEST_PLAIN_HEADING and _KEYWORD.search(text, start, end):
            sure = _names_references(line[0])
            if sure or (sure is None and "**" in line[0]):
                yield Heading(Span(start, end), 0, sure is True)


_DEFINITION = re.compile(
    r"[ \t>]{0,12}"
    r"(?:\[\^[^\]\[\s]{1,80}\]:|\[[^\]\[\n]{1,200}\]:[ \t]{0,4}<?(?:https?:|www\.|doi:))"
)
_LONGEST_LABEL = 220
_FEWEST = 2


def definitions(report: ReportLines, lists: Sequence[FoundList]) -> list[FoundList]:
    """Runs of `[key]: address` and `[^n]: note` lines outside the lists under headings."""
    taken = [each.span for each in lists]
    runs: list[list[EntryDraft]] = []
    starts = [*_definition_starts(report.text), len(report.text)]
    for at, following in pairwise(starts):
        block = report.block_at(at)
        if block is None or block.kind == "code" or _within(taken, at):
            continue
        stop = _definition_end(report.text, block, at, following)
        draft = label_of(report.text, at, stop)
        if draft is None or draft.key is None:
            continue
        draft.trim(report.text)
        if runs and not report.text[runs[-1][-1].end : draft.start].strip(" \t\r\n>"):
            runs[-1].append(draft)
        else:
            runs.append([draft])
    return [_without_heading(run) for run in runs]


def _definition_starts(text: str) -> Iterator[int]:
    at = text.find("]:")
    while at >= 0:
        low = max(0, at - _LONGEST_LABEL)
        start = max(text.rfind("\n", low, at), text.rfind("\r", low, at)) + 1
        if (start > low or low == 0) and _DEFINITION.match(text, start, at + 20):
            yield start
        at = text.find("]:", at + 2)


def _definition_end(text: str, block: Block, at: int, following: int) -> int:
    """The text of a footnote goes on until its block ends, an address until its line does."""
    end = min(block.span.end, following)
    if text[at : at + 14].lstrip(" \t>").startswith("[^"):
        return end
    line = LINE_END.search(text, at, end)
    return line.start() if line else end


def _within(spans: Sequence[Span], at: int) -> bool:
    index = bisect_right(spans, (at, len(spans) and spans[-1].end + 1)) - 1
    return index >= 0 and at < spans[index].end


def _without_heading(drafts: Sequence[EntryDraft]) -> FoundList:
    return FoundList(Span(drafts[0].start, drafts[-1].end), None, drafts)


def ending(report: ReportLines) -> list[FoundList]:
    """The run of entries that a report ends with, at least two of them."""
    cited = {key for each in report.citations for key in each.keys}
    drafts: list[EntryDraft] = []
    for line in _backwards(report):
        words = line.of(report.text)
        if not words.strip(" \t>"):
            continue
        draft = label_of(report.text, line.start, line.end)
        if draft is not None and draft.kind in KEYED:
            draft.end = drafts[-1].start if drafts else len(report.text)
            source = has_address(report.text, draft.body, draft.end)
            if not source and not looks_cited(report.text, draft.body, line.end):
                break
            alone = is_address(words.split()[-1].strip("<>")) and len(words.split()) == 2
            if draft.kind == "listed" and not (alone or (source and draft.key in cited)):
                break
            drafts.append(draft)
        elif not is_note(words) and not indented(words) and not is_address(words.lstrip(" \t>-<")):
            break
    drafts.reverse()
    if len(drafts) < _FEWEST:
        return []
    for draft in drafts:
        draft.trim(report.text)
    return [_without_heading(drafts)]


def _backwards(report: ReportLines) -> Iterator[ReportLine]:
    for block in reversed(report.blocks):
        if block.kind not in ("paragraph", "html"):
            return
        yield from reversed(list(report.lines_of(block, *block.span)))


_ITEM = re.compile(r"[ \t>]*<li(?:\s[^<>]{0,200})?>[ \t]*", re.IGNORECASE)
_LIST_TAG = re.compile(r"<([ou])l[\s>]", re.IGNORECASE)
_BOLD_LINE = re.compile(r"[ \t>]*(?:\*\*|__)[^\n]{1,100}?(?:\*\*|__)[:：]?[ \t]*\Z")
_SHORT_REMARK, _LAST_REMARK = 200, 600
_SHORT_TITLE = 100
_MOST_STRAY = 2


def find_reference_lists(
    text: str, blocks: Sequence[Block], citations: Sequence[Citation]
) -> tuple[FoundList, ...]:
    """Reference lists under their headings, also bold or missing ones, in reading order."""
    report = ReportLines(text, blocks, citations)
    lists = list(_under_headings(report))
    lists += definitions(report, lists)
    if not any(each.drafts for each in lists):
        lists += ending(report)
    return tuple(sorted(lists, key=lambda each: each.span))


def read_reference_lists(
    text: str, lists: Iterable[FoundList], citations: Sequence[Citation]
) -> Iterator[ReferenceList]:
    """The lists with their entries. citations: all of the text, in reading order."""
    report = ReportLines(text, (), citations)
    for span, heading, drafts in lists:
        yield ReferenceList(span, heading, tuple(finish(text, drafts, report.inside(span))))


def _under_headings(report: ReportLines) -> Iterator[FoundList]:
    headings = list(headings_of_references(report.text, report.blocks))
    levels = [(each.span.start, each.level) for each in report.blocks if each.kind == "heading"]
    after = 0
    for heading, following in pairwise([*headings, None]):
        if heading is None or heading.span.start < after:
            continue
        limit = _limit(report.text, heading, levels, following)
        last = limit == (following.span.start if following else len(report.text))
        made = _read(report, heading, limit, last)
        if made is not None:
            yield made
            after = made.span.end


def _limit(
    text: str, heading: Heading, levels: Sequence[tuple[int, int]], following: Heading | None
) -> int:
    """Where the section of a heading ends: at its equal, or at the heading of another list."""
    limit = len(text)
    for index in range(bisect_left(levels, (heading.span.end, 0)), len(levels)):
        at, level = levels[index]
        if not heading.level or level <= heading.level:
            limit = at
            break
    if following and following.sure and not following.level:
        return min(limit, following.span.start)
    return limit


def _read(report: ReportLines, heading: Heading, limit: int, last: bool) -> FoundList | None:
    """The list under a heading, empty if there is only a remark, None if it is no list."""
    start = heading.span.end
    drafts, end = _drafts(report, start, limit)
    if drafts:
        span = Span(heading.span.start, end)
        if not heading.sure and not all(each.kind in KEYED for each in drafts):
            return None
        mere_points = all(each.kind == "bullet" for each in drafts)
        if not heading.level and mere_points:
            entries = finish(report.text, drafts, report.inside(span))
            if not any(each.urls for each in entries):
                return None
        return FoundList(span, heading.span, drafts)
    if not (heading.level and heading.sure):
        return None
    rest = report.text[start:limit].rstrip()
    longest = _LAST_REMARK if last and "\n\n" not in rest.lstrip() else _SHORT_REMARK
    if len(rest) > longest:
        return None
    return FoundList(Span(heading.span.start, start + len(rest)), heading.span, ())


def _drafts(report: ReportLines, start: int, limit: int) -> tuple[list[EntryDraft], int]:
    """Entries between `start` and `limit`, and where the last of them, or a remark, ends.

    Titles of groups and one or two stray lines between entries are passed over.
    """
    drafts: list[EntryDraft] = []
    end = start
    strays_left = _MOST_STRAY
    for line in report.lines(start, limit):
        words = line.of(report.text)
        if not words.strip(" \t>"):
            continue
        draft = _row(report.text, line) if line.row else _draft(report.text, line, drafts)
        if draft is not None:
            drafts.append(draft)
            strays_left = _MOST_STRAY
        elif line.block.kind in ("heading", "rule") or _BOLD_LINE.match(words):
            strays_left -= line.block.kind == "rule"
        elif drafts and is_note(words):
            end = line.end
        elif drafts and not line.row and (not line.gap or indented(words)):
            drafts[-1].end = line.end
        else:
            strays_left -= 1 if len(words) <= _SHORT_TITLE else _MOST_STRAY + 1
        if drafts:
            end = max(end, drafts[-1].end)
        if strays_left < 0:
            break
    for each in drafts:
        each.trim(report.text)
    return drafts, end


def _draft(text: str, line: ReportLine, drafts: Sequence[EntryDraft]) -> EntryDraft | None:
    """The entry that begins on a line, given the entries before it."""
    if line.block.kind in ("heading", "rule"):
        return None
    if line.block.kind == "html" and (item := _ITEM.match(text, line.start, line.end)):
        return _item(text, line, item.end(), drafts[-1] if drafts else None)
    draft = label_of(text, line.start, line.end)
    last = drafts[-1] if drafts else None
    if draft is None:
        return _unlabelled(text, line, last)
    if last is None:
        return draft
    deeper = draft.indent(text) > last.indent(text) + 1
    follows = line.gap or last.kind in {draft.kind, "bullet"}
    if draft.kind == "bullet":
        follows = line.block.item and (line.gap or last.kind == "bullet")
    return draft if follows and not deeper else None


def _item(text: str, line: ReportLine, at: int, last: EntryDraft | None) -> EntryDraft:
    """An entry that is an item of HTML, under its own label or, in `<ol>`, its place."""
    labelled = label_of(text, at, line.end)
    if labelled is not None and labelled.key:
        return replace(labelled, start=line.start)
    if last is None:
        opened = _LIST_TAG.search(text, line.block.span.start, at)
        key = "1" if opened and opened[1] in "oO" else None
    else:
        key = str(int(last.key) + 1) if last.kind == "item" and last.key else None
    return EntryDraft(line.start, line.end, key, at, "item")


def _unlabelled(text: str, line: ReportLine, last: EntryDraft | None) -> EntryDraft | None:
    """An entry without a label, such as an APA reference in a paragraph of its own."""
    if last is not None and (last.kind != "plain" or not (line.gap or last.closed(text))):
        return None
    if is_note(line.of(text)) or _BOLD_LINE.match(line.of(text)):
        return None
    if has_address(text, line.start, line.end) or looks_cited(text, line.start, line.end):
        return EntryDraft(line.start, line.end, None, line.start, "plain")
    return None


def _row(text: str, line: ReportLine) -> EntryDraft | None:
    """An entry that is a row of a table: its number in the first cell, if there is one."""
    if not has_address(text, line.start, line.end):
        return None
    first = line.row[0].of(text).strip("[]() .*")
    key = first if first.isdecimal() else None
    body = line.row[1].start if key and len(line.row) > 1 else line.start
    return EntryDraft(line.start, line.end, key, body, "row")
