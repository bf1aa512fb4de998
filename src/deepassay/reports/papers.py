"""Papers that entries name by a DOI or an arXiv number, and whether that is the paper they mean."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Final, NamedTuple
from urllib.parse import unquote

from deepassay.reports.finding import Hit, Rule
from deepassay.reports.report import Report
from deepassay.reports.spans import Span
from deepassay.text import IN_EVERY_TEXT, excerpt

_ARXIV: Final = re.compile(
    r"(?:arxiv\.org/(?:abs|pdf|html)/|\barxiv[:.]\s?|10\.48550/arxiv\.)(\d{4}\.\d{4,5})",
    re.IGNORECASE,
)
_DOI: Final = re.compile(
    r"(?:doi\.org/|\bdoi[:.\s]\s?)(10\.\d{4,9}/[^\s,;<>\"\]?#*`|。，；）]{1,200})",
    re.I,
)
_NUMBER: Final = re.compile(
    r"(?:\barxiv\.(?:labs\.arxiv\.)?org/(?:abs|pdf|html)/|\b(?:ar5iv|alphaxiv)\.[a-z.]{3,20}/"
    r"(?:abs|html)/|\barxiv[:.]\s?|10\.48550/arxiv\.)(\d{4}\.\d{4,5}|[a-z.\-]{2,20}/\d{7})",
    re.IGNORECASE,
)
_DOI_ANYWHERE: Final = re.compile(
    r"(?:https?://[^\s<>\"#?]{1,300}/|\bdoi[:.\s]\s?)(10\.\d{4,9}/[^\s,;<>\"\[\]?#*`|。，；）]{1,200})",
    re.IGNORECASE,
)
_TAIL: Final = re.compile(
    r"(?:/(?:full|pdf|epub|abstract|meta|html?)|\.pdf)?/?[.)]*\Z", re.IGNORECASE
)
_WORD: Final = re.compile(r"[^\W\d_]{3,40}")
_MARKUP: Final = re.compile(r"<[^<>]{0,100}>")
_ADDRESS: Final = re.compile(r"https?://\S{1,2000}|\bdoi[:.\s]\s?10\.\S{1,200}", re.IGNORECASE)

FEWEST: Final = 4
"""Words that an entry needs beside its identifier, for anything to be told of them."""

SHARED: Final = 1 / 3
"""Share of the words of a title below which an entry names another paper."""

_ALIKE: Final = 5
"""Letters by which two words are one: `measure` and `measuring`."""


class NamedPaper(NamedTuple):
    """An entry that names a paper. identifier: `10.1000/x`, in small letters, or `arxiv:2401.1`."""

    identifier: str
    span: Span
    words: str


def named_papers(report: Report) -> Iterator[NamedPaper]:
    """The entries of the reference lists that give an identifier, each with its words."""
    for entry in report.references:
        written = entry.span.of(report.text)
        if identifier := identifier_in(written):
            yield NamedPaper(identifier, entry.span, _ADDRESS.sub(" ", written))


def identifier_in(text: str) -> str:
    """The first DOI or arXiv number of a text in one spelling; empty where there is none."""
    if found := _ARXIV.search(text):
        return f"arxiv:{found[1]}"
    if found := _DOI.search(text):
        return found[1].rstrip(".)").lower()
    return ""


def identifiers_in(text: str) -> frozenset[str]:
    """All DOIs and arXiv numbers of a text, also in addresses of publishers, spelled as above."""
    found = {f"arxiv:{each.lower()}" for each in _NUMBER.findall(text)}
    dois = (_TAIL.sub("", unquote(each)).lower() for each in _DOI_ANYWHERE.findall(text))
    return frozenset(found | {each for each in dois if not each.startswith("10.48550/arxiv")})


def contradicts(words: str, title: str) -> bool:
    """Whether an entry of these words can hardly be about the paper of this title.

    Entries in another script than the title, or of few words, contradict nothing.
    """
    told, known = _content(words), _content(_MARKUP.sub(" ", title))
    if len(told) < FEWEST or len(known) < FEWEST:
        return False
    if all(map(str.isascii, known)) != all(map(str.isascii, told)):
        told = {word for word in told if word.isascii() == next(iter(known)).isascii()}
        if len(told) < FEWEST:
            return False
    return len(known & told) / len(known) < SHARED


def _content(text: str) -> set[str]:
    words = (found[0].lower() for found in _WORD.finditer(text))
    return {word[:_ALIKE] for word in words if word not in IN_EVERY_TEXT}


def contradicted_by(titles: Mapping[str, str]) -> Rule:
    """The rule that finds entries whose identifier is another paper's. titles: by identifier."""

    def check(report: Report) -> Iterator[Hit]:
        for paper in named_papers(report):
            title = titles.get(paper.identifier)
            if title and contradicts(paper.words, title):
                yield Hit(paper.span, f"{paper.identifier} is another paper: {excerpt(title, 60)}")

    return Rule(
        code="DA404",
        name="contradicted-identifier",
        reason="The paper that the entry describes is not the one that its identifier leads to.",
        sources=(),
        check=check,
    )
