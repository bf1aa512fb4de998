"""What each citation leads to: the entries of its keys, and their canonical addresses."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain
from typing import NamedTuple

from deepassay.reports.citations import (
    AuthorYear,
    Citation,
    folded_label,
)
from deepassay.reports.references import Reference, ReferenceList, Resolved, Unresolved
from deepassay.text import canonical

MOST_UNDER_ONE_LABEL = 20
_YEAR = re.compile(r"(?:19|20)\d\d[a-z]?\b|n\.d\.")
_ET_AL = re.compile(r"(?:等人?)?\.*\Z")
_WORD = re.compile(r"[^\s,，、;；()（）\"“”*_]+")


class _ResolvedParts(NamedTuple):
    references: tuple[Reference, ...]
    urls: tuple[str, ...]
    missing: tuple[tuple[str, Unresolved], ...]


def resolve_citations(
    citations: Sequence[Citation], lists: Sequence[ReferenceList]
) -> tuple[Resolved, ...]:
    """Each citation with its entries and canonical URLs; unresolved ones say why.

    A number that several entries bear, with addresses of different works, leads to none:
    AMBIGUOUS. Of several addresses of one work, the last that is written out counts.
    """
    index = _Index(entry for each in lists for entry in each.entries)
    found: dict[tuple[str, ...], _ResolvedParts] = {}
    resolved = []
    for citation in citations:
        if citation.keys not in found:
            found[citation.keys] = index.look_up(citation)
        references, urls, missing = found[citation.keys]
        if citation.url:
            urls = tuple(dict.fromkeys((canonical(citation.url), *urls)))
            # the address is there: a number beside it needs no list, unless there is one
            missing = tuple(each for each in missing if each[1] is not Unresolved.NO_LIST)
        resolved.append(Resolved(citation, references, urls, missing))
    return tuple(_without_mentions(resolved))


def _without_mentions(resolved: Sequence[Resolved]) -> Iterator[Resolved]:
    """Names and years that no entry bears are words of a report that cites otherwise."""
    named = sum(isinstance(each.citation, AuthorYear) for each in resolved)
    for each in resolved:
        mere = isinstance(each.citation, AuthorYear) and not each.references
        if not mere or 2 * named >= len(resolved):
            yield each


class _Index:
    """Entries by label, and by author and year."""

    def __init__(self, entries: Iterable[Reference]) -> None:
        self._labelled: dict[str, list[Reference]] = {}
        self._entries: list[Reference] = []
        self._authors: dict[str, list[Reference]] | None = None
        for entry in entries:
            self._entries.append(entry)
            for key in dict.fromkeys(map(folded_label, entry.keys)):
                _keep(self._labelled, key, entry)

    def look_up(self, citation: Citation) -> _ResolvedParts:
        named = isinstance(citation, AuthorYear)
        found = [self._one(key, named) for key in dict.fromkeys(citation.keys)]
        return _ResolvedParts(
            tuple(chain.from_iterable(each.references for each in found)),
            tuple(dict.fromkeys(chain.from_iterable(each.urls for each in found))),
            tuple(chain.from_iterable(each.missing for each in found)),
        )

    def _one(self, key: str, named: bool) -> _ResolvedParts:
        entries = tuple(self._labelled.get(folded_label(key), ()))
        if not entries and named:
            entries = tuple(self._by_author().get(key.casefold(), ()))
        if not entries:
            why = Unresolved.NO_ENTRY if self._entries else Unresolved.NO_LIST
            return _ResolvedParts((), (), ((key, why),))
        with_address = [entry for entry in entries if entry.urls]
        written = [entry for entry in with_address if not entry.identified] or with_address
        addresses = [tuple(dict.fromkeys(map(canonical, entry.urls))) for entry in written]
        if len({frozenset(map(_work, each)) for each in addresses}) > 1:
            return _ResolvedParts(entries, (), ((key, Unresolved.AMBIGUOUS),))
        if addresses:
            return _ResolvedParts(entries, addresses[-1], ())
        omitted = all(entry.omitted for entry in entries)
        return _ResolvedParts(
            entries, (), ((key, Unresolved.OMITTED if omitted else Unresolved.NO_URL),)
        )

    def _by_author(self) -> dict[str, list[Reference]]:
        """Entries by each beginning of their title and the year they hold."""
        if self._authors is None:
            self._authors = {}
            for entry in self._entries:
                year = _YEAR.search(entry.title)
                found = _WORD.findall(entry.title[: year.start()]) if year else []
                words = [_ET_AL.sub("", word) for word in found[:10]]
                for count in range(1, len(words) + 1):
                    name = " ".join(words[:count]).casefold()
                    for written in dict.fromkeys((year[0], year[0][:4]) if year else ()):
                        _keep(self._authors, f"{name} {written}", entry)
        return self._authors


_ARXIV = re.compile(
    r"https?://(?:(?:www\.|export\.)?arxiv\.org/(?:abs|pdf|html)/|(?:www\.)?alphaxiv\.org/abs/"
    r"|ar5iv\.(?:labs\.arxiv\.)?org/(?:abs|html)/|(?:dx\.)?doi\.org/10\.48550/arxiv\.)"
    r"(\d{4}\.\d{4,5}|[a-z.\-]{2,20}/\d{7})(?:v\d+)?(?:\.pdf)?/?(?:\?.*)?",
    re.IGNORECASE,
)


def _work(url: str) -> str:
    """What addresses of one work share: abstract, PDF, HTML and versions on arXiv are one."""
    found = _ARXIV.fullmatch(url)
    return f"arXiv:{found[1].lower()}" if found else url


def _keep(entries: dict[str, list[Reference]], label: str, entry: Reference) -> None:
    """Add an entry under its label; a hostile list may repeat one label without end."""
    same = entries.setdefault(label, [])
    if len(same) < MOST_UNDER_ONE_LABEL:
        same.append(entry)
