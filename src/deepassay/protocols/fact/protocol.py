"""FACT: citation accuracy and effective citations (DeepResearch Bench, section 3.2, appendix E).

Edition `paper`: statements and their sources are read off the report, statements of one fact
under one address merged, each page fetched once and judged once for all its statements, and the
accuracy of the report is the share of its pairs that are supported. Edition `code` goes through
the stages of the released program, see `released`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Final, NamedTuple

from deepassay.errors import BadSetting
from deepassay.models.operation import Operation
from deepassay.protocols.fact.arithmetic import (
    BOUNDS,
    CitedClaims,
    FactDetails,
    Outcome,
    counts_of,
    paper_score,
)
from deepassay.protocols.fact.extraction import (
    EXTRACT,
    EXTRACTING,
    MERGE,
    ExtractedPairs,
    extracted_by_model,
    merged_by_model,
)
from deepassay.protocols.fact.pairs import (
    READING,
    CitedPair,
    by_url,
    is_claim,
    leads_somewhere,
    mechanical_pairs,
    merged_by_rule,
    names_a_source,
)
from deepassay.protocols.page_check import CAUSES, JUDGE_PAGE, settled
from deepassay.protocols.protocol import Case, Protocol, Role, RoleAskers, Sources, gather_limited
from deepassay.protocols.support import JUDGE_SUPPORT, verdicts_on
from deepassay.reports.report import Report
from deepassay.results.cited_pages import cited_pages_in_words, classes_of
from deepassay.runfile import StoredVerdict
from deepassay.score import Cause, Score, Unscored
from deepassay.sources.page import HOLDS_NOTHING, Failure, NoPage, state_of

MERGING = ("rules", "model", "none")


@dataclass(frozen=True, repr=False)
class Fact(Protocol):
    """Citation accuracy of a report, 0 to 1 (DeepResearch Bench, sections 3.2 and E).

    statements: how they and their sources are found: "mechanical", by a "model", or "auto",
    which is mechanical unless fewer than half of the report's citations lead from a statement to
    an address.
    merging: how statements of the same fact under one address are found: by "rules", by a
    "model", or "none". verified: ResearcherBench's faithfulness and groundedness; a page that was
    not read is no evidence against a statement. Edition `code` has none of these: its program asks
    a model for both.
    """

    statements: str = "auto"
    merging: str = "rules"
    verified: bool = False

    name: ClassVar[str] = "fact"
    title: ClassVar[str] = "Citation accuracy"
    source: ClassVar[str] = "DeepResearch Bench, section 3.2 and appendix E"
    needs: ClassVar[str] = "the cited pages"
    calls: ClassVar[str] = "1 a cited page, 1 more for one in doubt, 1 more to merge statements"
    importance: ClassVar[int] = 75
    bounds: ClassVar[tuple[float, float] | None] = BOUNDS
    roles: ClassVar[tuple[Role, ...]] = ("judge", "extractor", "verifier")
    reads_pages: ClassVar[bool] = True

    @property
    def pools(self) -> bool:
        """As the released program does: all pairs of an agent count alike."""
        return self.edition == "code"

    @property
    def held_against(self) -> tuple[Failure, ...]:
        """Pages that hold nothing; none by the formula of the program, nor among verified pairs."""
        return () if self.edition == "code" or self.verified else HOLDS_NOTHING

    @property
    def rules(self) -> dict[str, int]:
        """Those by which statements, claims and repeated facts are told."""
        return {} if self.edition == "code" else rules_of_pairs(self.statements)

    def __post_init__(self) -> None:
        super().__post_init__()
        for option, menu in (("statements", STATEMENTS), ("merging", MERGING)):
            if getattr(self, option) not in menu:
                raise BadSetting(
                    f"fact({option}={getattr(self, option)!r}): there is no such way.",
                    f"Write one of {', '.join(menu)}.",
                )
        plain = (self.statements, self.merging, self.verified) == ("auto", "rules", False)
        if self.edition == "code" and not plain:
            raise BadSetting(
                "fact in edition 'code' has no options: the released program has one way only.",
                "Leave out either the options or --edition code.",
            )

    async def score(self, case: Case, ask: RoleAskers, sources: Sources) -> Score | Unscored:
        """Find the pairs, see what their pages say, and count."""
        if self.edition == "code":
            from deepassay.protocols.fact import released

            return await released.score(case, ask, sources)
        found = await extracted(self.statements, case, ask)
        if isinstance(found, Unscored):
            return found
        pairs = await self._merged(found.pairs, case, ask)
        if isinstance(pairs, Unscored):
            return pairs
        judged = await gather_limited(
            _judged(url, group, case, ask, sources) for url, group in by_url(pairs).items()
        )
        ends = {pair: outcome for each in judged for pair, outcome in each.outcomes.items()}
        outcomes = {pair: ends[pair] for pair in pairs}
        for outcome in outcomes.values():
            if outcome.cause is Cause.BUDGET:  # no outcome yet: a larger budget goes on from here
                return Unscored(Cause.BUDGET, outcome.reason)
        claims = _cited_claims(case.report, found.pairs)
        counts = counts_of(outcomes, claims, len(found.pairs) - len(pairs))
        by_model = asks_a_model(self.statements, case.report)
        classes = classes_of(each.page_class for each in judged if each.page_class)
        unshown = sum(each.kind == "supported" and not each.reason for each in outcomes.values())
        details = FactDetails(
            statements_by="model" if by_model else "mechanical",
            dropped=found.dropped,
            page_classes=classes,
            summary=cited_pages_in_words(classes),
            supported_without_quote=unshown or None,
        )
        return paper_score(outcomes, counts, details.to_json(), self.verified)

    async def _merged(
        self, pairs: Sequence[CitedPair], case: Case, ask: RoleAskers
    ) -> tuple[CitedPair, ...] | Unscored:
        if self.merging == "none":
            return tuple(pairs)
        if self.merging == "rules":
            return merged_by_rule(pairs)
        language, repeat = case.task.language, case.repeat
        return await merged_by_model(pairs, ask.extractor, language=language, repeat=repeat)

    def operations(self) -> tuple[Operation[Any, Any], ...]:
        """What this form of the protocol may ask."""
        if self.edition == "code":
            from deepassay.protocols.fact import released

            return released.OPERATIONS
        asked: list[Operation[Any, Any]] = [JUDGE_SUPPORT, JUDGE_PAGE]
        if self.statements != "mechanical":
            asked.append(EXTRACT)
        if self.merging == "model":
            asked.append(MERGE)
        return tuple(asked)


class _JudgedGroup(NamedTuple):
    """The outcomes of the pairs of one address. page_class: what came back, "" if nobody knows."""

    outcomes: Mapping[CitedPair, Outcome]
    page_class: str


async def _judged(
    url: str, pairs: Sequence[CitedPair], case: Case, ask: RoleAskers, sources: Sources
) -> _JudgedGroup:
    """Go to one address, and see of each of its pairs whether the page supports it."""
    page = await settled(await sources.pages.get(url), ask.judge, case.task.language)
    if isinstance(page, Unscored):
        return _JudgedGroup(dict.fromkeys(pairs, _outcome(page)), "")
    if isinstance(page, NoPage):
        outcome = Outcome(str(page.failure), page.detail, CAUSES.get(page.failure))
        return _JudgedGroup(dict.fromkeys(pairs, outcome), state_of(page))
    verdicts = await verdicts_on(
        page,
        [pair.statement for pair in pairs],
        ask.verifier,
        sources.verdicts,
        language=case.task.language,
        repeat=case.repeat,
    )
    outcomes = {pair: _outcome(verdicts[pair.statement], page.doubt) for pair in pairs}
    return _JudgedGroup(outcomes, state_of(page))


def _outcome(verdict: StoredVerdict | Unscored, doubt: str = "") -> Outcome:
    """The outcome of a pair. doubt: why the page may be none; then support alone decides."""
    if isinstance(verdict, StoredVerdict):
        if doubt and verdict.verdict != "supported":
            reason = f"{verdict.verdict} by what may not be the page: {doubt}"
            return Outcome("doubtful", reason, Cause.PAGE_DOUBTFUL)
        return Outcome(verdict.verdict, f"“{verdict.quote}”" if verdict.quote else "")
    kind = "too_large" if verdict.cause is Cause.PAGE_TOO_LARGE else "failed"
    return Outcome(kind, f"{verdict.cause}: {verdict.detail}", verdict.cause)


def _cited_claims(report: Report, pairs: Sequence[CitedPair]) -> CitedClaims:
    """Claims of a report, and which of its statements carry a citation.

    A citation that leads to no address is one all the same: the claim is not without a source.
    """
    said = [
        (place, each)
        for place, each in enumerate(report.statements)
        if not names_a_source(report, each)
    ]
    marked = {place for place, each in said if each.citations}
    return CitedClaims(
        frozenset(place for place, each in said if is_claim(each)),
        frozenset(marked | {place for pair in pairs for place in pair.places}),
    )


STATEMENTS: Final = ("auto", "mechanical", "model")
"""Ways: by code, by a model, or by code unless too few citations lead to an address."""


def rules_of_pairs(statements: str) -> dict[str, int]:
    """Versions of the rules by which pairs are had; those on a model's only where one may be asked.

    statements: one of STATEMENTS.
    """
    return {"pairs": READING} | ({} if statements == "mechanical" else {"extracting": EXTRACTING})


def asks_a_model(statements: str, report: Report) -> bool:
    """Whether a model reads the statements of this report. statements: one of STATEMENTS.

    `auto` asks one if fewer than half of the citations lead from a statement to an address.
    """
    if statements == "auto":
        return not leads_somewhere(report)
    return statements == "model"


async def extracted(statements: str, case: Case, ask: RoleAskers) -> ExtractedPairs | Unscored:
    """The pairs of a report, found in one of the ways of STATEMENTS."""
    if not asks_a_model(statements, case.report):
        return ExtractedPairs(mechanical_pairs(case.report))
    return await extracted_by_model(
        case.report, ask.extractor, language=case.task.language, repeat=case.repeat
    )
