"""Surface: what can be read off a report by code, before anybody is asked (ours).

How long it is, how many citations it has and how many of them lead somewhere, which share of its
statements has a source, how many sources and hosts these are, and what lint finds. The pages that
are cited are read only where that is wanted: `surface(pages=True)` counts those that are gone.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Final

from deepassay.models.operation import Operation
from deepassay.protocols.entries import PLACES_KEPT
from deepassay.protocols.protocol import (
    Case,
    Edition,
    Protocol,
    RoleAskers,
    ScoreDetails,
    Sources,
    gather_limited,
)
from deepassay.reports.finding import Finding
from deepassay.reports.lint import definition, lint
from deepassay.reports.references import Resolved
from deepassay.reports.rules import RULES, versions
from deepassay.results.cited_pages import classes_of
from deepassay.results.evidence import EvidenceItem, PageVisit, ReportPlace
from deepassay.results.surface import SURFACE
from deepassay.score import Cause, Score, Unscored, percent_of
from deepassay.sources.address import host_of
from deepassay.sources.page import HOLDS_NOTHING, NoPage, Page, state_of
from deepassay.text import count_words

BOUNDS: Final = (0.0, 100.0)


@dataclass(frozen=True, repr=False)
class Surface(Protocol):
    """Share of the statements of a report that have a source, 0 to 100, with counts beside it.

    A source is an entry of the reference list, or an address. pages: whether each cited page is
    read, to count those that are gone.
    """

    pages: bool = False

    name: ClassVar[str] = SURFACE
    title: ClassVar[str] = "What code reads off a report"
    source: ClassVar[str] = "ours"
    calls: ClassVar[str] = "none; with pages=True reads each cited page"
    bounds: ClassVar[tuple[float, float] | None] = BOUNDS
    editions: ClassVar[tuple[Edition, ...]] = ("paper",)
    held_against: ClassVar[None] = None

    @property
    def reads_pages(self) -> bool:
        """Only where that is wanted."""
        return self.pages

    @property
    def rules(self) -> dict[str, int]:
        """That by which is counted, and the versions of all rules of lint together."""
        return {"surface": 1, "lint": sum(versions(RULES).values())}

    async def score(self, case: Case, ask: RoleAskers, sources: Sources) -> Score | Unscored:
        """Count what stands in the report; nobody is asked."""
        report = case.report
        findings = lint(report, RULES)
        cited = _addresses(report.resolved)
        kept = ScoreDetails(items=tuple(_items(findings)))
        parts: dict[str, float | None] = {
            "words": count_words(report.text),
            "statements": len(report.statements),
            "citations": len(report.resolved),
            "resolve": percent_of(sum(map(leads, report.resolved)), len(report.resolved)),
            "sources": len(cited) + len(_printed(report.resolved)),
            "hosts": len({host_of(url) for url in cited}),
            "findings": len(findings),
        }
        if self.pages:
            found = await gather_limited(sources.pages.get(url) for url in cited)
            parts["dead"] = sum(isinstance(p, NoPage) and p.failure in HOLDS_NOTHING for p in found)
            kept = _with_pages(kept, cited, found)
        sourced = sum(any(map(leads, each.citations)) for each in report.statements)
        share = percent_of(sourced, len(report.statements))
        if share is None:
            return Unscored(Cause.MISSING_INPUT, "the report makes no statement.", kept.to_json())
        return Score(share, BOUNDS, parts, (sourced, len(report.statements)), kept.to_json())

    def operations(self) -> tuple[Operation[Any, Any], ...]:
        """Nothing: code counts, and nobody is asked."""
        return ()


def leads(cited: Resolved) -> bool:
    """Whether a citation leads to an entry of the reference list, or to an address."""
    return bool(cited.urls) or not all(entry.omitted for entry in cited.references)


def _addresses(resolved: Iterable[Resolved]) -> list[str]:
    """The addresses that are cited, each once."""
    return list(dict.fromkeys(url for each in resolved for url in each.urls))


def _printed(resolved: Iterable[Resolved]) -> set[int]:
    """Where the cited entries stand that have no address, as of a book.

    Of two lists that give a source the same number, the one with its address is enough.
    """
    places = set()
    for each in resolved:
        named = {key for entry in each.references if entry.urls for key in entry.keys}
        places |= {
            entry.span.start
            for entry in each.references
            if not (entry.urls or entry.omitted or named & {*entry.keys})
        }
    return places


def _items(findings: Sequence[Finding]) -> Iterator[EvidenceItem]:
    """The findings by kind, with the first places of each."""
    for rule in RULES:
        if own := [each for each in findings if each.code == rule.code]:
            places = tuple(
                ReportPlace(line=f.line, column=f.column, code=f.code, message=f.message)
                for f in own[:PLACES_KEPT]
            )
            yield EvidenceItem(
                key=f"{rule.code} {rule.name}",
                item=definition(rule),
                verdict=len(own),
                places=places,
            )


def _with_pages(
    kept: ScoreDetails, cited: Sequence[str], found: Sequence[Page | NoPage]
) -> ScoreDetails:
    visits = tuple(
        PageVisit(url=url, state=state_of(page), detail=getattr(page, "detail", ""))
        for url, page in zip(cited, found, strict=True)
    )
    classes = classes_of(each.state for each in visits)
    return ScoreDetails(items=kept.items, pages=visits, page_classes=classes)
