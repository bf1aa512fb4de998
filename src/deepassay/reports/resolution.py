"""What each citation leads to: the entries of its keys, and their canonical addresses."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from itertools import chain
from typing import NamedTuple

from deepassay.reports.citations import AuthorYear, Citation
from deepassay.reports.labels import folded
from deepassay.reports.references import Reference, ReferenceList, Resolved, Unresolved
from deepassay.text import canonical

MOST_UNDER_ONE_LABEL = 20
_YEAR = re.compile(r"(?:19|20)\d\d[a-z]?\b|n\.d\.")
_WORD = re.compile(r"[^\s,，;；()（）\"“”*_]+")


class _Found(NamedTuple):
    """What the keys of a citation lead to."""

    references: tuple[Reference, ...]
    urls: tuple[str, ...]
    missing: tuple[tuple[str, Unresolved], ...]


def resolve(citations: Sequence[Citation], lists: Sequence[ReferenceList]) -> tuple[Resolved, ...]:
    """Each citation with its entries and canonical URLs; unresolved ones say why.

    A number that several entries bear, with different addresses, leads to none: AMBIGUOUS.
    """
    index = _Index(entry for each in lists for entry in each.entries)
    found: dict[tuple[str, ...], _Found] = {}
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
    return tuple(resolved)


class _Index:
    """Entries by label, and those without one by author and year."""

    def __init__(self, entries: Iterable[Reference]) -> None:
        self._labelled: dict[str, list[Reference]] = {}
        self._keyless: list[Reference] = []
        self._authors: dict[str, list[Reference]] | None = None
        for entry in entries:
            if entry.key is None:
                self._keyless.append(entry)
            else:
                _keep(self._labelled, folded(entry.key), entry)

    def look_up(self, citation: Citation) -> _Found:
        named = isinstance(citation, AuthorYear)
        found = [self._one(key, named) for key in dict.fromkeys(citation.keys)]
        return _Found(
            tuple(chain.from_iterable(each.references for each in found)),
            tuple(dict.fromkeys(chain.from_iterable(each.urls for each in found))),
            tuple(chain.from_iterable(each.missing for each in found)),
        )

    def _one(self, key: str, named: bool) -> _Found:
        entries = tuple(self._labelled.get(folded(key), ()))
        if not entries and named:
            entries = tuple(self._by_author().get(key.casefold(), ()))
        if not entries:
            listed = self._labelled or self._keyless
            return _Found((), (), ((key, Unresolved.NO_ENTRY if listed else Unresolved.NO_LIST),))
        addresses = {tuple(dict.fromkeys(map(canonical, entry.urls))) for entry in entries} - {()}
        if len({frozenset(each) for each in addresses}) > 1:
            return _Found(entries, (), ((key, Unresolved.AMBIGUOUS),))
        if addresses:
            return _Found(entries, min(addresses), ())
        omitted = all(entry.omitted for entry in entries)
        return _Found(entries, (), ((key, Unresolved.OMITTED if omitted else Unresolved.NO_URL),))

    def _by_author(self) -> dict[str, list[Reference]]:
        """Entries without a label by each beginning of their title and the year they hold."""
        if self._authors is None:
            self._authors = {}
            for entry in self._keyless:
                year = _YEAR.search(entry.title)
                found = _WORD.findall(entry.title[: year.start()]) if year else []
                words = [word.rstrip(".") for word in found[:10]]
                for count in range(1, len(words) + 1):
                    name = " ".join(words[:count]).casefold()
                    for written in dict.fromkeys((year[0], year[0][:4]) if year else ()):
                        _keep(self._authors, f"{name} {written}", entry)
        return self._authors


def _keep(entries: dict[str, list[Reference]], label: str, entry: Reference) -> None:
    """Add an entry under its label; a hostile list may repeat one label without end."""
    same = entries.setdefault(label, [])
    if len(same) < MOST_UNDER_ONE_LABEL:
        same.append(entry)
