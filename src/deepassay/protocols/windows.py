"""A report that exceeds the judge's context: overlapping windows, each asked for evidence.

Evidence on the items of a list is gathered window by window, with the words of the report; then
one decision is made on all of it.
"""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Annotated, Any, Final, Generic, Literal, NamedTuple, TypeVar

from pydantic import BaseModel, ConfigDict, StringConstraints

from deepassay.models.ask import Asker
from deepassay.models.operation import In, Inputs, OffMenu, Operation, Reply
from deepassay.models.prompt import Language
from deepassay.models.usage import cuts_by_tokens
from deepassay.protocols.entries import (
    PLACES_KEPT,
    absent_quotes_note,
    ask_for_quotes,
    place_at,
    quote_span,
)
from deepassay.protocols.expected import ITEM_PASSAGE, for_each
from deepassay.protocols.overlap import report_words, words_of
from deepassay.protocols.protocol import PROMPTS, Case, ScoreDetails
from deepassay.reports.report import Report
from deepassay.results.evidence import EvidenceItem, ReportPlace
from deepassay.score import Cause, Json, Unscored
from deepassay.text import excerpt

WINDOW: Final = 24_000
"""Tokens of a window, as `models.usage.estimate_tokens` counts: three quarters of the smallest
context that judges commonly have. Another number makes other questions, under other keys."""

SHARE: Final = 0.75
"""Of a smaller context, if the user gives one: the rest is for the question and for the answer."""

SMALLEST: Final = 1_000
"""Tokens of a window at least, however small the context: it then overflows, which is said."""

OVERLAP: Final = 4_000
"""Characters that a window shares with the one before, so that no passage is cut in two."""


class Window(NamedTuple):
    """One window. number: from 1. start: its offset in the report."""

    number: int
    start: int
    text: str


def windows_of(report: str, identity: Mapping[str, Json] | None = None) -> list[Window]:
    """The windows of a report, in its order; every character stands in one of them.

    identity: of the judge. A `context_window` in it makes windows fit that.
    """
    tokens = WINDOW
    if context := (identity or {}).get("context_window"):
        tokens = min(tokens, max(SMALLEST, int(context * SHARE)))
    cuts = cuts_by_tokens(report, tokens, min(OVERLAP, tokens // 4))
    return [
        Window(number, start, report[start:end])
        for number, (start, end) in enumerate(cuts, start=1)
    ]


MOST_QUOTES: Final = 6
"""Quotes for one item from one window: the decision has to hold those of all windows."""

FEWEST_SHARED: Final = 2
"""Words of an item that a passage must hold to be quoted by rule."""

LONGEST_QUOTE: Final = 800
"""Characters of one quote."""

Bearing = Literal["for", "against"]


class WindowAndQuery(Inputs):
    """One window of a report, which of how many it is, and the request that the report answers."""

    window: str
    number: int
    windows: int
    query: str


class Gathered(Reply):
    """Everything in one window that bears on any item; `[]` where nothing does."""

    class Passage(Reply):
        """Words of a window that bear on an item: in favour of it, or against it."""

        item: str
        bearing: Bearing
        quote: Annotated[str, StringConstraints(strip_whitespace=True, min_length=1)]

    evidence: list[Passage]


class WindowEvidence(BaseModel):
    """A passage with the number of its window, as the deciding judge is shown it."""

    model_config = ConfigDict(frozen=True)

    item: str
    window: int
    bearing: Bearing
    quote: str


class EvidenceAndQuery(Inputs):
    """What was gathered from so many windows, and the request that the report answers."""

    evidence: tuple[WindowEvidence, ...]
    windows: int
    query: str

    def quoted(self, item: str) -> str:
        """What was quoted on one item."""
        return "\n\n".join(each.quote for each in self.evidence if each.item == item)


def passages_by_rule(window: str, items: Mapping[str, str]) -> Gathered:
    """The floor: the statements of a window that hold most words of an item, all in favour."""
    statements = report_words(window).statements
    return Gathered(
        evidence=[
            Gathered.Passage(item=key, bearing="for", quote=quote)
            for key, item in items.items()
            for quote in statements.best(words_of(item), MOST_QUOTES, FEWEST_SHARED)
        ]
    )


def check_passages(answer: Gathered, keys: Sequence[str]) -> None:
    """Raise OffMenu unless the items are known and no quote is too long."""
    unknown = {each.item for each in answer.evidence if each.item not in keys}
    if unknown:
        listed = ", ".join(sorted(unknown)[:5])
        raise OffMenu(f"there is no item {listed}: the items are {', '.join(keys)}")
    if any(len(each.quote) > LONGEST_QUOTE for each in answer.evidence):
        raise OffMenu(f"a quote is longer than {LONGEST_QUOTE} characters: quote what decides")


def _none_stands(inputs: WindowAndQuery, answer: Gathered) -> str:
    """What is wrong where not one passage stands in the window: verdicts would rest on none."""
    quotes = [each.quote for each in answer.evidence if any(map(str.isalnum, each.quote))]
    if any(quote_span(inputs.window, quote) for quote in quotes):
        return ""
    return ask_for_quotes(quotes, "part", inputs.language)


def _flaws(inputs: WindowAndQuery, answer: Gathered, keys: Iterable[str]) -> str:
    """What is wrong with quotes that can be spared: too many for an item, or not in the window."""
    given = [each.item for each in answer.evidence]
    if crowded := [key for key in keys if given.count(key) > MOST_QUOTES]:
        named = ", ".join(crowded)
        told: Mapping[Language, str] = {
            "en": f"more than {MOST_QUOTES} quotes for {named}: keep those that weigh most",
            "zh": f"{named} 的引文超过 {MOST_QUOTES} 处：只留最要紧的",
        }
        return told[inputs.language]
    quotes = (each.quote for each in answer.evidence)
    absent = [quote for quote in quotes if quote_span(inputs.window, quote) is None]
    return ask_for_quotes(absent, "part", inputs.language)


Asked = TypeVar("Asked", bound=WindowAndQuery)


def gathering(
    protocol: str,
    takes: type[Asked],
    items: Callable[[Asked], Mapping[str, str]],
    offline: Callable[[Asked], Gathered] | None = None,
) -> Operation[Asked, Gathered]:
    """The question for evidence in one window: `PROTOCOL/gather_evidence`.

    items: what was asked about, by key. offline: the rule, where it is not shared words.
    """
    return Operation(
        f"{protocol}/gather_evidence",
        prompts=PROMPTS,
        takes=takes,
        gives=Gathered,
        offline=offline or (lambda inputs: passages_by_rule(inputs.window, items(inputs))),
        check=lambda inputs, answer: check_passages(answer, tuple(items(inputs))),
        soft_check=_none_stands,
        quotes=lambda inputs, answer: _flaws(inputs, answer, items(inputs)),
        shape=lambda inputs, form: form.override_field("item", {"enum": [*items(inputs)]}).at_most(
            "evidence", MOST_QUOTES * len(items(inputs))
        ),
        version=2,
        rule=2,
        expected=for_each(
            ITEM_PASSAGE,
            lambda inputs: len(items(inputs)),
            lambda inputs, rate: _simulated_passages(inputs.window, items(inputs)),
        ),
    )


def _simulated_passages(window: str, keys: Iterable[str]) -> Json:
    """One passage for each item, from any place: how long they are is what counts."""
    quote = window[:200].strip()
    given = keys if quote else ()
    return {"evidence": [{"item": key, "bearing": "for", "quote": quote} for key in given]}


Decided = TypeVar("Decided", bound=EvidenceAndQuery)
Given = TypeVar("Given", bound=BaseModel)


class PlacedEvidence(NamedTuple):
    """A piece of evidence, and its offset in the report."""

    offset: int
    evidence: WindowEvidence


class ReportVerdicts(NamedTuple, Generic[Given]):
    """The verdicts on a report: on the whole of it, or on the evidence from so many windows.

    windows: 0 where the judge was shown the whole. absent: quotes that do not stand in the report
    and were left out.
    """

    verdicts: Given
    found: Sequence[PlacedEvidence] = ()
    windows: int = 0
    absent: int = 0

    @property
    def details(self) -> ScoreDetails:
        """How a report in windows was read; nothing of one that was seen as a whole."""
        if not self.windows:
            return ScoreDetails()
        summary = (
            f"The report is longer than the judge can take: {len(self.found)} passages were "
            f"gathered from {self.windows} overlapping windows, and the verdicts rest on them."
            f"{absent_quotes_note(self.absent)}"
        )
        absent = self.absent or None
        return ScoreDetails(windows=self.windows, summary=summary, quotes_not_found=absent)

    def places(self, key: str, report: Report) -> tuple[ReportPlace, ...]:
        """Where the evidence on an item stands in the report."""
        about = [each for each in self.found if each.evidence.item == key]
        return tuple(
            place_at(
                report, each.offset, f"{each.evidence.bearing}: {excerpt(each.evidence.quote)}"
            )
            for each in about[:PLACES_KEPT]
        )

    def with_places(self, items: Sequence[EvidenceItem], report: Report) -> list[EvidenceItem]:
        """The items with the places of what was gathered on each, behind those that they have."""
        if not self.windows:
            return list(items)
        return [
            each.model_copy(
                update={"places": (*(each.places or ()), *self.places(each.key, report))}
            )
            for each in items
        ]


@dataclass(frozen=True)
class WindowedQuestion(Generic[Asked, Decided, Given]):
    """The two questions by which a list of items is held against a report in windows.

    about: what both are given besides the window or the evidence, by its fields. shown: what only
    `decide` is given.
    """

    gather: Operation[Asked, Gathered]
    decide: Operation[Decided, Given]
    case: Case
    about: Mapping[str, Any]
    shown: Mapping[str, Any] = field(default_factory=dict)

    async def ask(self, ask: Asker) -> ReportVerdicts[Given] | Unscored:
        """Ask everything. If a window is not answered, nothing is decided without it."""
        task, repeat = self.case.task, self.case.repeat
        windows = windows_of(self.case.report.text, ask.identity)
        common = {
            "language": task.language,
            "windows": len(windows),
            "query": task.prompt,
            **self.about,
        }
        questions = (
            self.gather.takes(window=each.text, number=each.number, **common) for each in windows
        )
        answers = await asyncio.gather(
            *(ask(self.gather, each, repeat=repeat) for each in questions)
        )
        gathered: list[tuple[Window, Gathered]] = []
        for window, answer in zip(windows, answers, strict=True):
            if isinstance(answer, Unscored):
                return unjudged(answer, window, len(windows))
            gathered.append((window, answer.value))
        found = _in_order(gathered)
        evidence = tuple(each.evidence for each in found)
        question = self.decide.takes(evidence=evidence, **common, **self.shown)
        decision = await ask(self.decide, question, repeat=repeat)
        if isinstance(decision, Unscored):
            detail = f"no decision on the evidence from {len(windows)} windows: {decision.detail}"
            return Unscored(decision.cause, detail)
        absent = sum(
            quote_span(window.text, each.quote) is None
            for window, answered in gathered
            for each in answered.evidence
        )
        return ReportVerdicts(decision.value, found, len(windows), absent)


async def ask_about_report(
    whole: Operation[In, Given],
    inputs: In,
    in_windows: Callable[[], WindowedQuestion[Any, Any, Given]],
    ask: Asker,
    repeat: int,
) -> ReportVerdicts[Given] | Unscored:
    """The verdicts on a whole report; in windows, where it is too long for the judge.

    inputs: of `whole`. in_windows: makes the questions for the other case.
    """
    answer = await ask(whole, inputs, repeat=repeat)
    if overflowed(answer):
        return await in_windows().ask(ask)
    return answer if isinstance(answer, Unscored) else ReportVerdicts(answer.value)


def _in_order(gathered: Sequence[tuple[Window, Gathered]]) -> list[PlacedEvidence]:
    """The evidence of all windows in the order of the report, each passage once."""
    found: dict[tuple[str, int, str], PlacedEvidence] = {}
    for window, answer in gathered:
        given: Counter[str] = Counter()
        for each in answer.evidence:
            span = quote_span(window.text, each.quote)
            given[each.item] += span is not None
            if span is None or given[each.item] > MOST_QUOTES:
                continue
            evidence = WindowEvidence(
                item=each.item,
                window=window.number,
                bearing=each.bearing,
                quote=window.text[slice(*span)],
            )
            offset = window.start + span[0]
            found.setdefault((each.item, offset, evidence.quote), PlacedEvidence(offset, evidence))
    return sorted(found.values(), key=lambda each: each.offset)


def overflowed(answer: object) -> bool:
    """Whether a question came to nothing because the report was too long for the judge."""
    return isinstance(answer, Unscored) and answer.cause is Cause.CONTEXT_OVERFLOW


def unjudged(failure: Unscored, window: Window, windows: int) -> Unscored:
    """Why there is no score: nothing is decided without one of the windows."""
    which = f"window {window.number} of {windows} of the report"
    return Unscored(failure.cause, f"{which} was not judged: {failure.detail}")
