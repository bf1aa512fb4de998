"""Perturbations of citations."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from numpy.random import Generator

from deepassay.reports.citations import HtmlLink
from deepassay.reports.references import Resolved
from deepassay.reports.removal import removals
from deepassay.reports.report import Report
from deepassay.reports.spans import Edit, Span
from deepassay.wings.trials.perturb.perturbation import Perturbation


def _delete_citations(report: Report, random: Generator, share: float) -> Iterator[Edit]:
    """One edit for each place that loses its citations, all that stand side by side at once.

    Markers that adjoin go together: without one of two, a claim would still be cited. Words of
    links stay, addresses that stand in a sentence as words of it go.
    """
    citations = [
        each if each.label else each._replace(in_sentence=False) for each in report.citations
    ]
    places = list(removals(report.text, citations))
    count = max(1, round(share * len(places)))
    chosen = random.permutation(len(places))[:count]
    at = 0
    for index in sorted(chosen):
        span, words = places[index]
        if span.end > at:  # brackets around two places may be claimed by both
            yield Edit(Span(max(at, span.start), span.end), words)
            at = span.end


DELETE_CITATIONS = Perturbation(
    name="delete-citations",
    what="Takes citations out of the text, half of the places by default; the reference list "
    "stays.",
    edits=_delete_citations,
    needs="a citation in the text",
    found="deleted citations",
    share=0.5,
)


_TRIES = 16
_LONGEST_JOIN = 6


class _Marker(NamedTuple):
    """A citation as `head + words + tail`, where only the words belong to its sentence.

    sources: what it leads to. near: what it and the citations that adjoin it lead to. pool:
    those of one pool are written alike.
    """

    span: Span
    head: str
    words: str
    tail: str
    sources: frozenset[str]
    near: frozenset[str]
    pool: str


def _swap_citations(report: Report, random: Generator, _share: float) -> Iterator[Edit]:
    """One edit for each citation, in which the marker of another takes its place.

    The markers are permuted so that none comes to stand where its source, or any source that
    adjoins, was cited; where one source has most of the citations, some others are drawn more
    than once instead. Only citations of one kind are exchanged, so that each fits its place; one
    stays if the others of its kind have no other source.
    """
    pools: dict[str, list[_Marker]] = {}
    for marker in _markers(report):
        pools.setdefault(marker.pool, []).append(marker)
    for markers in pools.values():
        for marker, other in zip(markers, _exchanged(markers, random), strict=True):
            yield Edit(marker.span, other.head + marker.words + other.tail)


def _exchanged(markers: Sequence[_Marker], random: Generator) -> list[_Marker]:
    if len({marker.sources for marker in markers}) < 2:
        return list(markers)
    everything = frozenset().union(*(marker.sources for marker in markers))
    nowhere = {near for near in {marker.near for marker in markers} if near >= everything}
    given = [markers[index] for index in random.permutation(len(markers)).tolist()]
    for index, marker in enumerate(markers):
        if not _is_new(marker, given[index]) and marker.near not in nowhere:
            for other in random.integers(len(markers), size=_TRIES).tolist():
                if _is_new(marker, given[other]) and _is_new(markers[other], given[index]):
                    given[index], given[other] = given[other], given[index]
                    break
    same = [at for at, each in enumerate(markers) if _shared(each, given[at])]
    tries = random.integers(len(markers), size=(len(same), _TRIES)).tolist()
    for index, drawn in zip(same, tries, strict=True):
        others = (markers[at] for at in drawn if not _shared(markers[index], markers[at]))
        given[index] = next(others, markers[index])
    return given


def _is_new(marker: _Marker, other: _Marker) -> bool:
    """Whether nothing that `other` leads to was cited where `marker` stands."""
    return marker.near.isdisjoint(other.sources)


def _shared(marker: _Marker, other: _Marker) -> bool:
    return not marker.sources.isdisjoint(other.sources)


def _markers(report: Report) -> Iterator[_Marker]:
    known: dict[frozenset[str], frozenset[str]] = {}
    for group in _adjoining(report):
        sources = [_sources(each) for each in group]
        near: frozenset[str] = frozenset().union(*sources)
        near = known.setdefault(near, near)  # sets that are one and the same are compared at once
        for each, own in zip(group, sources, strict=True):
            citation = each.citation
            raw, words = citation.raw, citation.label if citation.in_sentence else ""
            at = raw.rfind(words) if isinstance(citation, HtmlLink) else raw.find(words)
            head, tail = (raw[:at], raw[at + len(words) :]) if words and at >= 0 else (raw, "")
            pool = f"{type(citation).__name__} {bool(tail)}"
            yield _Marker(citation.span, head, words if tail else "", tail, own, near, pool)


def _adjoining(report: Report) -> Iterator[list[Resolved]]:
    """Citations side by side, with no letter or digit between them."""
    group: list[Resolved] = []
    for each in report.resolved:
        if group:
            end, start = group[-1].citation.span.end, each.citation.span.start
            between = report.text[end:start] if start - end <= _LONGEST_JOIN else "x"
            if any(map(str.isalnum, between)):
                yield group
                group = []
        group.append(each)
    if group:
        yield group


def _sources(resolved: Resolved) -> frozenset[str]:
    """Canonical addresses, or where there are none the labels."""
    return frozenset(resolved.urls or resolved.citation.keys or (resolved.citation.raw,))


SWAP_CITATIONS = Perturbation(
    name="swap-citations",
    what="Gives every citation the source of another; words of links and the reference list stay.",
    edits=_swap_citations,
    needs="citations of two sources",
    found="swapped citations",
    of_sources=True,
)
