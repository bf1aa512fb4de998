"""The sources that a report names, each once: entries of its lists, and links in its text."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Final

from deepassay.reports.papers import identifiers_in
from deepassay.reports.references import Reference, is_address
from deepassay.reports.report import Report
from deepassay.text import canonical

_WORD: Final = re.compile(r"[^\W\d_]{2}|[^\W\d_]\W+[^\W_]")
"""What a name of a source has, and a number or a letter in its place has not."""


@dataclass(frozen=True)
class CitedWork:
    """A source as a report names it.

    titles: what it is called: the words of an entry without label and addresses, or of links.
    written: all that stands there, as it stands. addresses: canonical. identifiers: its DOIs and
    arXiv numbers.
    """

    titles: tuple[str, ...]
    written: tuple[str, ...]
    addresses: tuple[str, ...] = ()
    identifiers: frozenset[str] = frozenset()

    @property
    def nameless(self) -> bool:
        """Whether neither a title nor an identifier says which work it is."""
        return not (self.titles or self.identifiers)


def cited_works(report: Report) -> tuple[CitedWork, ...]:
    """The sources of a report in the order in which it names them, lists first.

    Two entries are one where both name the same identifiers, or the same words and addresses. A
    link that leads to the address of another source is that one. Citations that lead to no entry
    and no address are sources without a name, one for each label.
    """
    found: dict[object, CitedWork] = {}
    at: dict[str, object] = {}
    for entry in report.references:
        if entry.omitted:
            continue
        work = _of_entry(entry, report)
        key: object = work.identifiers or (work.titles, work.addresses)
        found[key] = _both(found[key], work) if key in found else work
        for url in work.addresses:
            at.setdefault(url, key)
    for work in _of_links(report):
        (url,) = work.addresses
        key = at.setdefault(url, work.identifiers or url)
        found[key] = _both(found[key], work) if key in found else work
    lost = {
        key: None
        for each in report.resolved
        if not each.urls and not each.references
        for key, _ in each.missing
    }
    return (*found.values(), *(CitedWork((), (key,)) for key in lost))


def _of_entry(entry: Reference, report: Report) -> CitedWork:
    written = entry.span.of(report.text)
    addresses = tuple(dict.fromkeys(map(canonical, entry.urls)))
    titles = (entry.title,) if _WORD.search(entry.title) else ()
    return CitedWork(titles, (written,), addresses, identifiers_in(" ".join((written, *addresses))))


def _of_links(report: Report) -> Iterator[CitedWork]:
    for each in report.resolved:
        citation = each.citation
        if citation.url:
            url = canonical(citation.url)
            named = _WORD.search(citation.label) and not is_address(citation.label)
            written = citation.span.of(report.text)
            titles = (citation.label,) if named else ()
            yield CitedWork(titles, (written,), (url,), identifiers_in(url))


def _both(one: CitedWork, other: CitedWork) -> CitedWork:
    return replace(
        one,
        titles=tuple(dict.fromkeys((*one.titles, *other.titles))),
        written=tuple(dict.fromkeys((*one.written, *other.written))),
        addresses=tuple(dict.fromkeys((*one.addresses, *other.addresses))),
        identifiers=one.identifiers | other.identifiers,
    )
