"""Error patterns: which of the eight of LiveResearchBench's pilot study a report shows, and where.

Appendix G, Figures 14 to 21. The paper shows an example of each and gives no score; ours is the
share of the eight that a report is free of, 0 to 100. Code decides what code can see, over the
whole report; a judge is asked for the rest, with the words of the report for every place.
"""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated, Any, ClassVar, Final, Literal, NamedTuple

from pydantic import Field, StringConstraints

from deepassay.models.ask import Asker
from deepassay.models.operation import Inputs, Operation, Reply
from deepassay.protocols.checklist import BOUNDS, share_met
from deepassay.protocols.entries import (
    PLACES_KEPT,
    absent_quotes_note,
    ask_for_quotes,
    place_at,
    quote_span,
)
from deepassay.protocols.expected import ISSUE, for_each
from deepassay.protocols.overlap import readable
from deepassay.protocols.presentation.by_rule import DECIDING, findings_for_check, places_counted
from deepassay.protocols.protocol import PROMPTS, Case, Edition, Protocol, RoleAskers, Sources
from deepassay.protocols.windows import Window, overflowed, unjudged, windows_of
from deepassay.reports.finding import Finding
from deepassay.reports.lint import lint
from deepassay.reports.report import Report
from deepassay.reports.rules import RULES, rules_of_codes, versions
from deepassay.results.evidence import EvidenceItem, ReportPlace
from deepassay.score import Score, Unscored
from deepassay.text import excerpt

PATTERNS: Final = {
    "g14": "no citation that leads to no reference, or to several",
    "g15": "no reference without a complete address",
    "g16": "one citation format",
    "g17": "no reference that is never cited",
    "g18": "no broken or incomplete table",
    "g19": "references in the order of their numbers",
    "g20": "no citation that breaks the flow of the text",
    "g21": "no information that seems made up",
}
"""What a report without the pattern of Figures 14 to 21 is like; no lint rule sees what Figure 21
shows."""

RULES_SEEN: Final = rules_of_codes(code for key in PATTERNS for code in DECIDING[key])
"""The lint rules that decide patterns."""

Judged = Literal["citation_format", "text_flow", "made_up"]

KEY_OF: Final[dict[Judged, str]] = {
    "citation_format": "g16",
    "text_flow": "g20",
    "made_up": "g21",
}
"""The patterns that a judge is asked about; of the first two, code sees the plain cases."""


def item_of(
    key: str,
    findings: Sequence[Finding],
    judged: Sequence[ReportPlace],
    *,
    cut: bool = False,
    unplaced: int = 0,
) -> EvidenceItem:
    """Verdict and places of one pattern, as `explain` reads them.

    findings: of the rules in RULES_SEEN. judged: the places that the judge found for this pattern.
    cut: whether it may have found more of them than an answer takes. unplaced: how many more it
    named with words that do not stand in the report.
    """
    by_rule = [
        ReportPlace(line=each.line, column=each.column, message=f"{each.code} {each.message}")
        for each in findings_for_check(key, findings)
    ]
    places = [*by_rule, *judged]
    deciders = {"g21": "the judge"} | dict.fromkeys(("g16", "g20"), "rule and judge")
    return EvidenceItem(
        key=key,
        item=PATTERNS[key],
        score=0 if places or unplaced else 1,
        justification=places_counted(len(places), or_more=cut and bool(judged))
        + absent_quotes_note(unplaced),
        decided_by=deciders.get(key, "rule"),
        places=tuple(places[:PLACES_KEPT]),
    )


PLACEHOLDERS: Final = tuple(rule for rule in RULES if rule.name == "placeholder-text")
"""The lint rule that stands in for a judge."""

MOST_PLACES: Final = 100
"""Places in one answer."""

_Text = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1)]


class PartAndQuery(Inputs):
    """A report, or one of the overlapping parts of a long one, and the request it answers."""

    report: str
    number: int
    parts: int
    query: str


class FoundPlace(Reply):
    """One place that shows a pattern. quote: verbatim. reason: what is wrong, in a sentence."""

    pattern: Judged
    quote: _Text
    reason: _Text


class FoundPlaces(Reply):
    """All places; `[]` where there are none."""

    places: list[FoundPlace] = Field(max_length=MOST_PLACES)


def _by_rule(inputs: PartAndQuery) -> FoundPlaces:
    """The floor: text that stands in for what was never written. Of the rest, code sees enough."""
    report = readable(inputs.report)
    quotes = (each.span.of(report.text).strip() for each in lint(report, PLACEHOLDERS))
    return FoundPlaces(
        places=[
            FoundPlace(pattern="made_up", quote=quote, reason="By rule: a placeholder.")
            for quote in quotes
            if any(map(str.isalnum, quote))
        ][:MOST_PLACES]
    )


def _doubts(inputs: PartAndQuery, answer: FoundPlaces) -> str:
    absent = [each.quote for each in answer.places if quote_span(inputs.report, each.quote) is None]
    return ask_for_quotes(absent, "report", inputs.language)


FIND_PLACES: Final = Operation(
    "error_patterns/find_places",
    prompts=PROMPTS,
    takes=PartAndQuery,
    gives=FoundPlaces,
    offline=_by_rule,
    quotes=_doubts,
    version=3,
    rule=2,
    expected=for_each(ISSUE),
)


@dataclass(frozen=True, repr=False)
class ErrorPatterns(Protocol):
    """Share of eight error patterns that a report is free of (LiveResearchBench, appendix G)."""

    name: ClassVar[str] = "error_patterns"
    title: ClassVar[str] = "Error patterns"
    source: ClassVar[str] = "LiveResearchBench, appendix G"
    calls: ClassVar[str] = "1 a report"
    importance: ClassVar[int] = 10
    offline_reads: ClassVar[bool] = False
    bounds: ClassVar[tuple[float, float] | None] = BOUNDS
    editions: ClassVar[tuple[Edition, ...]] = ("paper",)
    beside: ClassVar[bool] = True

    @property
    def rules(self) -> dict[str, int]:
        """The lint rules that decide: code sees most patterns."""
        return versions(RULES_SEEN)

    async def score(self, case: Case, ask: RoleAskers, sources: Sources) -> Score | Unscored:
        """Look for all patterns and count those that do not show."""
        report = case.report
        windows = [Window(1, 0, report.text)]
        found = await _found(case, windows, ask.judge)
        if overflowed(found):
            windows = windows_of(report.text, ask.judge.identity)
            found = await _found(case, windows, ask.judge)
        if isinstance(found, Unscored):
            return found
        findings = lint(report, RULES_SEEN)
        return share_met(
            [
                item_of(
                    key,
                    findings,
                    found.places.get(key, []),
                    cut=found.cut,
                    unplaced=found.unplaced[key],
                )
                for key in PATTERNS
            ]
        )

    def operations(self) -> tuple[Operation[Any, Any], ...]:
        """The one question that it asks, of the whole report or of each of its windows."""
        return (FIND_PLACES,)


class PlacesFound(NamedTuple):
    """What the judge finds, by pattern, in the order of the report.

    cut: whether an answer holds as many places as it may, so that there may be more. unplaced:
    places whose words do not stand in the report, by pattern.
    """

    places: dict[str, list[ReportPlace]]
    cut: bool
    unplaced: Counter[str]


async def _found(case: Case, windows: Sequence[Window], ask: Asker) -> PlacesFound | Unscored:
    """What the judge finds in all windows."""
    questions = [
        PartAndQuery(
            language=case.task.language,
            report=window.text,
            number=window.number,
            parts=len(windows),
            query=case.task.prompt,
        )
        for window in windows
    ]
    answers = await asyncio.gather(
        *(ask(FIND_PLACES, each, repeat=case.repeat) for each in questions)
    )
    found: dict[tuple[str, int], str] = {}
    unplaced: Counter[str] = Counter()
    cut = False
    for window, answer in zip(windows, answers, strict=True):
        if isinstance(answer, Unscored):
            return answer if len(windows) == 1 else unjudged(answer, window, len(windows))
        cut = cut or len(answer.value.places) == MOST_PLACES
        for each in answer.value.places:
            if (span := quote_span(window.text, each.quote)) is None:
                unplaced[KEY_OF[each.pattern]] += 1
                continue
            place = KEY_OF[each.pattern], window.start + span[0]
            found.setdefault(place, f"{excerpt(each.quote)}: {each.reason}")
    return PlacesFound(_by_pattern(case.report, found), cut, unplaced)


def _by_pattern(report: Report, found: dict[tuple[str, int], str]) -> dict[str, list[ReportPlace]]:
    places: dict[str, list[ReportPlace]] = {}
    for key, offset in sorted(found):
        place = place_at(report, offset, found[key, offset])
        places.setdefault(key, []).append(place)
    return places
