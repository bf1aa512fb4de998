"""FACT as the released program computes it: edition `code`.

Accuracy is pooled over all judged facts, unknown ones left out, and a report without citations is
left out of every figure. The score of a report is its own share, and its tally makes the pooled
figure. Every stage asks anew what the program would have lost a report over at once.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from itertools import zip_longest
from typing import Any, Final, NamedTuple

from pydantic import RootModel

from deepassay.files import without_surrogates
from deepassay.models.operation import OffMenu, Operation, Reply
from deepassay.models.usage import Range
from deepassay.protocols.expected import for_each
from deepassay.protocols.fact.arithmetic import ALWAYS_COUNTED, BOUNDS, FactDetails
from deepassay.protocols.fact.extraction import EXTRACTED, ReportText, Statements
from deepassay.protocols.fact.pairs import CitedPair, mechanical_pairs, merged_by_rule
from deepassay.protocols.fact.released_stages import (
    EXTRACTION_FAILED,
    FactQuirk,
    JudgedAddress,
    KeptFacts,
    VerdictCounts,
    facts_by_address,
    failure_text,
    from_zero,
    kept_facts,
    page_text,
    read_citations,
    read_json,
    read_verdicts,
    tally,
    tally_quirks,
    unescaped,
    without_addresses,
    without_text_fragments,
)
from deepassay.protocols.protocol import PROMPTS, Case, RoleAskers, Sources, gather_limited
from deepassay.protocols.released import Ungraded, no_grade, quirks_kept
from deepassay.protocols.support import PageAndStatements, SupportVerdict, by_overlap
from deepassay.reports.report import Report
from deepassay.results.cited_pages import cited_pages_in_words, classes_of
from deepassay.results.evidence import EvidenceItem
from deepassay.score import Cause, Json, Score, Unscored
from deepassay.sources.page import NoPage, state_of
from deepassay.text import canonical


class Raw(RootModel[Json]):
    """Whatever JSON a model answered: the stages take it from there."""


class _ReleasedFact(Reply):
    """One entry of the list that the program asks an extractor for."""

    fact: str
    ref_idx: int
    url: str


class _ReleasedVerdict(Reply):
    """One entry of the list that the program asks a judge for."""

    idx: int
    result: SupportVerdict


def _cited_mechanically(inputs: ReportText) -> Raw:
    report = Report(without_surrogates(inputs.report))
    pairs = mechanical_pairs(report)
    facts = [without_addresses(unescaped(pair.statement)) for pair in pairs]
    return Raw(
        [
            {"fact": fact, "ref_idx": 0, "url": pair.url}
            for fact, pair in zip(facts, pairs, strict=True)
        ]
    )


def _kept_by_rule(inputs: Statements) -> Raw:
    pairs = [
        CitedPair(each, "", (number,)) for number, each in enumerate(inputs.statements, start=1)
    ]
    return Raw([pair.places[0] for pair in merged_by_rule(pairs)])


def _judged_by_overlap(inputs: PageAndStatements) -> Raw:
    verdicts = by_overlap(inputs).verdicts
    return Raw([{"idx": each.statement, "result": each.verdict} for each in verdicts])


def _as_many_as_facts(inputs: PageAndStatements, answer: Raw) -> None:
    if len(answer.root) != len(inputs.statements):
        raise OffMenu(f"give {len(inputs.statements)} verdicts, one for each statement")


CITE: Final = Operation(
    "fact/extract_as_released",
    prompts=PROMPTS,
    takes=ReportText,
    gives=Raw,
    offline=_cited_mechanically,
    shape=lambda inputs, form: form.list_of(_ReleasedFact, None),
    reading=read_citations,
    rule=2,
    expected=EXTRACTED,
)
KEEP: Final = Operation(
    "fact/merge_as_released",
    prompts=PROMPTS,
    takes=Statements,
    gives=Raw,
    offline=_kept_by_rule,
    shape=lambda inputs, form: form.numbers(len(inputs.statements)),
    reading=read_json,
    rule=2,
    expected=for_each(
        Range(2, 2, 4),
        lambda inputs: len(inputs.statements),
        lambda inputs, rate: list(range(1, len(inputs.statements) + 1)),
    ),
)
VALIDATE: Final = Operation(
    "fact/judge_support_as_released",
    prompts=PROMPTS,
    takes=PageAndStatements,
    gives=Raw,
    offline=_judged_by_overlap,
    check=_as_many_as_facts,
    shape=lambda inputs, form: form.list_of(
        _ReleasedVerdict, [{"idx": number} for number in range(1, len(inputs.statements) + 1)]
    ),
    reading=read_verdicts,
    rule=2,
    expected=for_each(Range(8, 14, 22), lambda inputs: len(inputs.statements)),
)
OPERATIONS: Final[tuple[Operation[Any, Any], ...]] = (CITE, KEEP, VALIDATE)


async def score(case: Case, ask: RoleAskers, sources: Sources) -> Score | Unscored:
    """Go through the stages and count."""
    article = case.report.text
    if "openai" in case.report.agent:
        article = without_text_fragments(article)
    inputs = ReportText(language=case.task.language, report=article)
    answer = await ask.extractor(CITE, inputs, repeat=case.repeat)
    if isinstance(answer, Unscored):
        return answer
    citations = answer.value.root
    if citations == EXTRACTION_FAILED:
        return Unscored(
            Cause.ANSWER_UNREADABLE,
            "No citations were extracted; the released program leaves the report out.",
            quirks_kept([FactQuirk.EXTRACTION_FAILED]),
        )
    try:
        if not citations:
            return Unscored(
                Cause.MISSING_INPUT,
                "The report cites nothing; the released program leaves it out.",
                quirks_kept([FactQuirk.NO_CITATIONS])
                | {"counts": code_counts(VerdictCounts(0, 0, 0, 0), False)},
            )
        return await _of_addresses(facts_by_address(citations), case, ask, sources)
    except Ungraded as stop:
        return no_grade(f"stops at this report: {stop}", quirks_kept([stop.quirk]))


async def _of_addresses(
    groups: Mapping[Json, Sequence[str]], case: Case, ask: RoleAskers, sources: Sources
) -> Score | Unscored:
    """The score of a report, from its facts under their addresses. Raises Ungraded."""
    quirks: set[FactQuirk] = set()
    if len({canonical(str(url)) for url in groups}) < len(groups):
        quirks.add(FactQuirk.RAW_ADDRESS)
    heard: dict[Json, JudgedAddress] = {}
    states: dict[str, str] = {}
    for url, found in zip(
        groups,
        await gather_limited(
            _judged(url, facts, case, ask, sources) for url, facts in groups.items()
        ),
        strict=True,
    ):
        if isinstance(found, Unscored):
            return found
        heard[url], states[str(url)] = found.judged, found.page_state
        quirks.update(found.quirks)
    classes = classes_of(states.values())
    outcome = released_score(heard, quirks)
    more = {"page_classes": classes, "summary": cited_pages_in_words(classes)}
    return replace(outcome, details={**outcome.details, **more})


class _Heard(NamedTuple):
    """What came of one address. page_state: what came back. quirks: those that fired on the way."""

    judged: JudgedAddress
    page_state: str
    quirks: tuple[FactQuirk, ...]


async def _judged(
    url: Json, facts: Sequence[str], case: Case, ask: RoleAskers, sources: Sources
) -> _Heard | Unscored:
    """One address: which of its facts are kept, and what the page says of them."""
    kept = await _kept(facts, case, ask)
    if isinstance(kept, Unscored):
        return kept
    page = await sources.pages.get(canonical(str(url)))
    quirks = kept.quirks
    if isinstance(page, NoPage):
        quirks = (*quirks, FactQuirk.FAILURE_JUDGED)
        text = failure_text(page.detail or str(page.failure))
    else:
        text = page_text(page.title, "", page.text)
    inputs = PageAndStatements(language=case.task.language, page=text, statements=kept.facts)
    answer = await ask.judge(VALIDATE, inputs, repeat=case.repeat)
    if not isinstance(answer, Unscored):
        judged = JudgedAddress(kept.facts, from_zero(answer.value.root))
    elif answer.cause is Cause.BUDGET:
        return answer
    else:
        judged = JudgedAddress(kept.facts, (), f"{answer.cause}: {answer.detail}")
    return _Heard(judged, state_of(page), quirks)


async def _kept(facts: Sequence[str], case: Case, ask: RoleAskers) -> KeptFacts | Unscored:
    """The facts that are not repetitions; all of them where no answer can be had."""
    if len(facts) == 1:
        return KeptFacts(tuple(facts))
    inputs = Statements(language=case.task.language, statements=tuple(facts))
    answer = await ask.extractor(KEEP, inputs, repeat=case.repeat)
    if not isinstance(answer, Unscored):
        return kept_facts(facts, answer.value.root)
    if answer.cause is Cause.BUDGET:
        return answer
    return KeptFacts(tuple(facts), (FactQuirk.KEPT_ALL,))


def released_score(
    groups: Mapping[Json, JudgedAddress], quirks: Collection[FactQuirk]
) -> Score | Unscored:
    """The score of edition `code`, the quirks that fired in its details. Raises Ungraded."""
    counted = tally(list(groups.values()))
    quirks = {*quirks, *tally_quirks(list(groups.values()), counted)}
    details = FactDetails(
        quirks=tuple(str(quirk) for quirk in FactQuirk if quirk in quirks),
        counts=code_counts(counted, citing=True),
        # A page that was not there may be by now: fetched again, or brought in by a person.
        open=counted.failed > 0 or FactQuirk.FAILURE_JUDGED in quirks,
        items=_items(groups),
    ).to_json()
    if not counted.judged:
        return Unscored(
            Cause.MISSING_INPUT, "There is no verdict but unknown, so there is no share.", details
        )
    share = counted.supported / counted.judged
    return Score(
        share,
        BOUNDS,
        parts={"valid_rate": share, "E.Cit": float(counted.supported)},
        tally=(float(counted.supported), float(counted.judged)),
        details=details,
    )


def code_counts(counted: VerdictCounts, citing: bool) -> dict[str, int]:
    """The counts of a report in the form that results read; pages count by what was judged."""
    return dict.fromkeys(ALWAYS_COUNTED, 0) | {
        "citing": int(citing),
        "pairs": counted.judged + counted.unknown + counted.failed,
        "supported": counted.supported,
        "unsupported": counted.judged - counted.supported,
        "unknown": counted.unknown,
        "failed": counted.failed,
    }


def _items(groups: Mapping[Json, JudgedAddress]) -> tuple[EvidenceItem, ...]:
    """The evidence as `explain` reads it."""
    lines = [
        (fact, url, verdict)
        for url, group in groups.items()
        for fact, verdict in zip_longest(
            group.facts,
            [each["result"] for each in group.verdicts],
            fillvalue=group.error or "(none)",
        )
    ]
    return tuple(
        EvidenceItem(
            key=f"s{number}",
            item=fact,
            score=int(verdict == "supported"),
            justification=f"{verdict} · {url}",
            url=None if url is None else str(url),
            verdict=verdict,
        )
        for number, (fact, url, verdict) in enumerate(lines, start=1)
    )
