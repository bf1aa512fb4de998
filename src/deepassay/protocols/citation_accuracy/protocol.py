"""Citation accuracy: the rubric tree of a report (LiveResearchBench, 4.2 and appendix E).

Claims are grouped by the address that they cite, and each address is gone to once. Where it
cannot be reached (E1), or leads to something else (E2), that is where it ends; otherwise each
claim is held against the page (E3). The authors have released no program for it.

A coarse look at the beginning of a page saves the question about the claims where a link leads to
something else altogether.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Annotated, Any, ClassVar, Final, NamedTuple, cast

from pydantic import StringConstraints

from deepassay.errors import BadSetting
from deepassay.models.operation import Inputs, Operation, Reply
from deepassay.models.prompt import Language
from deepassay.models.usage import Range, estimate_tokens
from deepassay.protocols.citation_accuracy.tree import (
    BOUNDS,
    ClaimNode,
    ClaimPlace,
    SourceNode,
    Tree,
    TreeDetails,
    Verdict,
    score_of,
)
from deepassay.protocols.expected import FRAME, ONE_SENTENCE, chance, for_each
from deepassay.protocols.fact.extraction import EXTRACT
from deepassay.protocols.fact.pairs import CitedPair, by_url, merge_pairs
from deepassay.protocols.fact.protocol import STATEMENTS, asks_a_model, extracted, rules_of_pairs
from deepassay.protocols.overlap import words_of
from deepassay.protocols.page_check import CAUSES, JUDGE_PAGE, settled
from deepassay.protocols.protocol import (
    PROMPTS,
    Case,
    Edition,
    Protocol,
    Role,
    RoleAskers,
    Sources,
    gather_limited,
)
from deepassay.protocols.support import JUDGE_SUPPORT, verdicts_on
from deepassay.reports.report import Report
from deepassay.results.cited_pages import classes_of
from deepassay.runfile import StoredVerdict
from deepassay.score import Cause, Json, Score, Unscored
from deepassay.sources.page import HOLDS_NOTHING, Failure, Page, state_of
from deepassay.text import HAN_CHARACTER

OPENING: Final = 300
"""Tokens of a page that are looked at, as `estimate_tokens` counts them."""

MOST_PER_TOKEN: Final = 5
"""More characters than any script has in a token."""

SHARED: Final = 2
"""Words of the task that the beginning of a page must hold. Chosen."""

OF_SHORT_TASKS: Final = 3
"""Of a task that has few words, one in so many is enough."""

FEWEST: Final = 12
"""Different words that a beginning must have to tell what a page is about."""

_ADDRESS = re.compile(r"https?://\S+")


class PageAndTask(Inputs):
    """How a page begins, and the task of the report that cites it."""

    title: str
    opening: str
    query: str


class Relevance(Reply):
    """Whether the page has to do with the subject of the task, and why."""

    on_topic: bool
    reason: Annotated[str, StringConstraints(strip_whitespace=True, min_length=1)]


def first_tokens_of(text: str) -> str:
    """The first OPENING tokens of a page, cut at a blank where there is one near the end."""
    start = text[: MOST_PER_TOKEN * OPENING]
    while (tokens := estimate_tokens(start)) > OPENING:
        start = start[: len(start) * OPENING // tokens]
    if len(start) == len(text):
        return start
    blank = max(start.rfind(mark) for mark in " \n")
    return start[:blank] if blank > len(start) * 3 // 4 else start


def page_and_task(page: Page, query: str, language: Language) -> PageAndTask:
    """The question about a page; the same for every report and agent of a task."""
    return PageAndTask(
        language=language, title=page.title, opening=first_tokens_of(page.text), query=query
    )


def by_shared_words(inputs: PageAndTask) -> Relevance:
    """The floor: how many words of the task the beginning of the page holds.

    Where it cannot tell, because the page hardly says anything or is in another script than the
    task, it lets the page pass.
    """
    wanted = set(words_of(_ADDRESS.sub(" ", inputs.query)))
    said = set(words_of(_ADDRESS.sub(" ", f"{inputs.title} {inputs.opening}")))
    if len(said) < FEWEST:
        return Relevance(on_topic=True, reason="By rule: too little text to tell.")
    if _mostly_han(inputs.query) != _mostly_han(inputs.opening):
        return Relevance(on_topic=True, reason="By rule: in another script than the task.")
    shared, needed = len(said & wanted), min(SHARED, max(1, len(wanted) // OF_SHORT_TASKS))
    return Relevance(
        on_topic=shared >= needed,
        reason=f"By rule: {shared} words of the task stand in the beginning of the page; "
        f"{needed} are needed.",
    )


def _mostly_han(text: str) -> bool:
    """Whether a text is Chinese: a character is worth about three letters."""
    return 3 * len(HAN_CHARACTER.findall(text)) > sum(
        char.isascii() and char.isalpha() for char in text
    )


ON_TOPIC: Final = Range(0, 0.82, 1)
"""Of the pages that can be read, for estimates. LiveResearchBench (Table 7) counts 7.6 addresses
that cannot be reached and 7.0 on something else a report, over all rows; 40 of its reports that
were published with it cite 45 each."""


def _simulated(inputs: PageAndTask, rate: float) -> Json:
    """Of a page that is not on topic nothing else is asked."""
    on_topic = chance(f"{inputs.query} {inputs.title} {inputs.opening}") < rate
    return {"on_topic": on_topic, "reason": "supposed"}


JUDGE_RELEVANCE: Final = Operation(
    "citation_accuracy/judge_relevance",
    prompts=PROMPTS,
    takes=PageAndTask,
    gives=Relevance,
    offline=by_shared_words,
    rule=2,
    expected=for_each(
        FRAME + ONE_SENTENCE,
        simulated=_simulated,
        decides="which pages are on topic",
        rate=ON_TOPIC,
        told=lambda answer: (answer.on_topic, 1),
    ),
)


UNREACHABLE: Final = (*HOLDS_NOTHING, Failure.BLOCKED, Failure.TIMEOUT)
"""Failures that are E1. Of a page that is not kept, too large or no text, nobody knows that, nor
of a host where none is found."""

FIRST_WORDS: Final = 160
"""Characters of a page that its node keeps as evidence."""


@dataclass(frozen=True, repr=False)
class CitationAccuracy(Protocol):
    """Share of claim-source pairs without an error, 0 to 100 (LiveResearchBench, appendix E).

    statements: how claims and their sources are found: "mechanical", by a "model", or "auto",
    which is mechanical unless fewer than half of the report's citations lead from a statement to
    an address.
    """

    statements: str = "auto"

    name: ClassVar[str] = "citation_accuracy"
    title: ClassVar[str] = "Citation Accuracy"
    source: ClassVar[str] = "LiveResearchBench, section 4.2 and appendix E"
    needs: ClassVar[str] = "the cited pages"
    calls: ClassVar[str] = "2 a cited page, 1 more for one in doubt"
    importance: ClassVar[int] = 70
    bounds: ClassVar[tuple[float, float] | None] = BOUNDS
    editions: ClassVar[tuple[Edition, ...]] = ("paper",)
    roles: ClassVar[tuple[Role, ...]] = ("judge", "extractor", "verifier")
    reads_pages: ClassVar[bool] = True
    held_against: ClassVar[tuple[Failure, ...]] = UNREACHABLE

    @property
    def rules(self) -> dict[str, int]:
        """Those by which statements and their sources are told."""
        return rules_of_pairs(self.statements)

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.statements not in STATEMENTS:
            raise BadSetting(
                f"citation_accuracy(statements={self.statements!r}): there is no such way.",
                f"Write one of {', '.join(STATEMENTS)}.",
            )

    async def score(self, case: Case, ask: RoleAskers, sources: Sources) -> Score | Unscored:
        """Find the pairs, grow the tree, and count its errors."""
        found = await extracted(self.statements, case, ask)
        if isinstance(found, Unscored):
            return found
        groups = by_url(as_written(found.pairs)).items()
        grown = await gather_limited(
            _grown(url, pairs, case, ask, sources) for url, pairs in groups
        )
        tree = Tree(tuple(each.node for each in grown))
        for node in tree.nodes():
            if node.cause == Cause.BUDGET:  # no outcome yet: a larger budget goes on from here
                return Unscored(Cause.BUDGET, node.evidence)
        by_model = asks_a_model(self.statements, case.report)
        details = TreeDetails(
            statements_by="model" if by_model else "mechanical",
            dropped=found.dropped,
            page_classes=classes_of(each.page_class for each in grown if each.page_class),
        )
        return score_of(tree, details.to_json())

    def operations(self) -> tuple[Operation[Any, Any], ...]:
        """What this form of the protocol may ask."""
        asked = (JUDGE_PAGE, JUDGE_RELEVANCE, JUDGE_SUPPORT)
        return asked if self.statements == "mechanical" else (*asked, EXTRACT)


def as_written(pairs: Iterable[CitedPair]) -> tuple[CitedPair, ...]:
    """Each wording under one address once, with all its places, in the order of the report."""
    alike: dict[tuple[str, str], list[CitedPair]] = {}
    for pair in pairs:
        alike.setdefault((pair.url, pair.statement), []).append(pair)
    return tuple(map(merge_pairs, alike.values()))


class _Grown(NamedTuple):
    """A source with its claims. page_class: what came back, "" where nobody could tell."""

    node: SourceNode
    page_class: str


async def _grown(
    url: str, pairs: Sequence[CitedPair], case: Case, ask: RoleAskers, sources: Sources
) -> _Grown:
    """One source. Each stage is gone to only if the one before found no error."""
    claims = tuple(_claim(pair, case.report) for pair in pairs)
    page = await settled(await sources.pages.get(url), ask.judge, case.task.language)
    if isinstance(page, Unscored):
        return _Grown(SourceNode(url, "open", claims, str(page.cause), page.detail), "")
    if isinstance(page, Page):
        node = await _looked_at(page, claims, case, ask, sources)
    elif page.failure in UNREACHABLE and not page.is_unasked:
        node = SourceNode(url, "E1", claims, str(page.failure), page.detail)
    else:
        node = SourceNode(url, "open", claims, str(CAUSES[page.failure]), page.detail)
    return _Grown(node, state_of(page))


async def _looked_at(
    page: Page, claims: tuple[ClaimNode, ...], case: Case, ask: RoleAskers, sources: Sources
) -> SourceNode:
    """A source whose page came. Of one in doubt an error says nothing."""
    opening = " ".join(page.text[:FIRST_WORDS].split())
    node = SourceNode(page.url, "reachable", claims, title=page.title, opening=opening)
    about = page_and_task(page, case.task.prompt, case.task.language)
    relevance = await ask.judge(JUDGE_RELEVANCE, about, repeat=case.repeat)
    if isinstance(relevance, Unscored):
        return replace(node, state="open", cause=str(relevance.cause), evidence=relevance.detail)
    if not relevance.value.on_topic and page.doubt:
        return replace(node, state="open", cause=str(Cause.PAGE_DOUBTFUL), evidence=page.doubt)
    if not relevance.value.on_topic:
        return replace(node, state="E2", evidence=relevance.value.reason)
    judged = await _judged(page, claims, case, ask, sources)
    return replace(node, evidence=relevance.value.reason, claims=judged)


async def _judged(
    page: Page, claims: Sequence[ClaimNode], case: Case, ask: RoleAskers, sources: Sources
) -> tuple[ClaimNode, ...]:
    """The claims with what the page says of each; the same question as FACT asks."""
    verdicts = await verdicts_on(
        page,
        [each.text for each in claims],
        ask.verifier,
        sources.verdicts,
        language=case.task.language,
        repeat=case.repeat,
    )
    return tuple(_with_verdict(each, verdicts[each.text], page.doubt) for each in claims)


def _with_verdict(claim: ClaimNode, verdict: StoredVerdict | Unscored, doubt: str) -> ClaimNode:
    """The claim as judged. doubt: why the page may be none; then support alone decides."""
    if isinstance(verdict, StoredVerdict) and doubt and verdict.verdict != "supported":
        verdict = Unscored(Cause.PAGE_DOUBTFUL, doubt)
    if isinstance(verdict, Unscored):
        return replace(claim, verdict="open", cause=str(verdict.cause), evidence=verdict.detail)
    return replace(claim, verdict=cast(Verdict, verdict.verdict), evidence=verdict.quote)


def _claim(pair: CitedPair, report: Report) -> ClaimNode:
    """A claim that nobody has been asked about yet."""
    starts = (report.statements[place].span.start for place in pair.places)
    places = tuple(ClaimPlace(*report.lines.place(start)) for start in starts)
    return ClaimNode(pair.statement, places=places, by=pair.by)
