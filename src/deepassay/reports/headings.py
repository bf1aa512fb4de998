"""Headings of reference lists, English and Chinese."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from deepassay.reports.markdown import Block
from deepassay.reports.spans import Span

LONGEST_HEADING = 120
LONGEST_PLAIN_HEADING = 60

_QUALIFIER = (
    r"(?:(?:selected|key|main|primary|secondary|full|complete|all|additional|cited|core|major|"
    r"numbered|list of|official|annotated|consolidated|master|end|formatted|web|online|"
    r"(?:ieee|apa|mla|acm|ama|chicago|harvard|vancouver)(?:[ -](?:style|format))?) )"
)
_NOUN = (
    r"(?:references?(?: list| cited| used| materials?)?|sources?(?: list| cited| consulted| used)?|"
    r"reference sources|source references|bibliography|bibliographic references|"
    r"works (?:cited|consulted)|citations?(?: list)?|literature cited|endnotes|footnotes|"
    r"source (?:links|urls)|reference links|citation index)"
)
_CHINESE = (
    r"(?:主要|附录?[:：]?|完整|全部|核心|[关關][键鍵]|重要)?"
    r"(?:[参參]考(?:文[献獻]|[资資]料|[来來]源|[链鏈]接|[书書]目)?|引文|"
    r"引用(?:文[献獻]|[来來]源|[资資]料|列表|[链鏈]接|的?著作|作品)?|"
    r"(?:[资資]料|[数數][据據]|信息|文[献獻]|[内內]容)?[来來]源|"
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
    r"[RrSsſBbCcLlNn文来來参參引链鏈书書注阅閱](?i:(?=[eoi文献獻源考用接目])(?:"
    r"(?<=r)e(?:ference|ading)|(?<=s)ource|(?<=b)ibliograph|(?<=c)(?:it(?:ed|ation)|onsulted)|"
    r"(?<=l)(?:iterature|inks)|(?<=n)otes|(?<=文)[献獻]|(?<=[来來])源|(?<=[参參])考|(?<=引)[用文]|"
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
