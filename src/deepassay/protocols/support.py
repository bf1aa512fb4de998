"""Whether a page supports statements: one judgement, shared by every protocol that needs it.

A page is judged once for all its statements, and a verdict is a row for each statement, page,
judge, prompt and repeat: who asks later, for another report or by another protocol, finds it.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Final, Literal, NamedTuple

from deepassay.models.ask import Asker, is_offline
from deepassay.models.fence import disarmed, find_quote
from deepassay.models.form import Form
from deepassay.models.operation import Inputs, OffMenu, Operation, Pairs, PairVerdict, Reply
from deepassay.models.prompt import Language
from deepassay.models.usage import Range, overlapping_parts
from deepassay.protocols.expected import FRAME, QUOTE, chance, for_each
from deepassay.protocols.overlap import LONGEST, sentences_of, share, words_of
from deepassay.protocols.protocol import PROMPTS, SupportStore
from deepassay.runfile import StoredVerdict
from deepassay.score import Cause, Json, Unscored, canonical_json, digest
from deepassay.sources.page import Page

PART: Final = 80_000
"""Characters of a page that are judged in one call: about 20,000 tokens of English."""

OVERLAP: Final = 2_000
"""Characters that a part shares with the one before, so that no passage is cut in two."""

MOST_PARTS: Final = 12
"""A page of more parts is too large to be judged."""

MOST_STATEMENTS: Final = 40
"""Statements in one call; further ones go into further calls."""

SUPPORTED: Final = 0.65
"""Share of a statement's words on the page by which the offline judge takes it for supported.

Chosen on the development halves of people's labels (docs/studies/offline-floor.md).
"""

SupportVerdict = Literal["supported", "unsupported", "unknown"]


class PageAndStatements(Inputs):
    """A page, or a part of a long one, and what is said to stand on it."""

    page: str
    statements: tuple[str, ...]


class Support(Reply):
    """The verdict on one statement, by its number, with the passage of the page that decides."""

    statement: int
    verdict: SupportVerdict
    quote: str = ""


class Supports(Reply):
    """A verdict for each statement."""

    verdicts: list[Support]


def by_overlap(inputs: PageAndStatements) -> Supports:
    """The floor: a page supports what it holds most words of; the nearest sentence is quoted."""
    page = sentences_of(inputs.page)
    verdicts = []
    for number, statement in enumerate(inputs.statements, start=1):
        wanted = words_of(statement)
        verdict: SupportVerdict = "unsupported"
        if not page.vocabulary:
            verdict = "unknown"
        elif share(wanted, page.vocabulary) >= SUPPORTED:
            verdict = "supported"
        quote = page.best(wanted)[0] if verdict == "supported" else ""
        verdicts.append(Support(statement=number, verdict=verdict, quote=quote))
    return Supports(verdicts=verdicts)


def by_classifier(inputs: PageAndStatements, found: Sequence[PairVerdict]) -> Supports:
    """What a classifier said, with the nearest sentence of the part that decides as quote."""
    page = disarmed(inputs.page)
    verdicts = []
    for number, (statement, each) in enumerate(zip(inputs.statements, found, strict=True), start=1):
        part = page[each.start : each.end].strip()
        nearest = sentences_of(part).best(words_of(statement)) or [part[:LONGEST]]
        quote = nearest[0] if each.verdict == "supported" else ""
        verdicts.append(Support(statement=number, verdict=each.verdict, quote=quote))
    return Supports(verdicts=verdicts)


GRADES: Final[Mapping[SupportVerdict, float]] = {
    "supported": 1.0,
    "unknown": 0.5,
    "unsupported": 0.0,
}
"""How sure a verdict is that the page supports the statement."""


def _together(verdicts: Sequence[Support]) -> Supports:
    """One answer from verdicts of several, numbered anew."""
    return Supports(
        verdicts=[
            Support(statement=number, verdict=each.verdict, quote=each.quote)
            for number, each in enumerate(verdicts, start=1)
        ]
    )


def _each_once(inputs: PageAndStatements, answer: Supports) -> None:
    given = sorted(each.statement for each in answer.verdicts)
    if given != list(range(1, len(inputs.statements) + 1)):
        raise OffMenu(
            f"give exactly one verdict for each statement, 1 to {len(inputs.statements)}; "
            f"the answer has verdicts for {given[:60]}"
        )


def _flaw_of_quotes(inputs: PageAndStatements, answer: Supports) -> str:
    """Support without a passage that stands on the page. The verdict stands all the same: FACT asks
    for none.
    """
    absent = [
        str(each.statement)
        for each in answer.verdicts
        if each.verdict == "supported" and find_quote(inputs.page, each.quote) is None
    ]
    told: Mapping[Language, str] = {
        "en": "the quotes for these statements do not stand on the page: {}; copy the passage "
        "word for word, without leaving anything out, or give another verdict if there is no "
        "such passage",
        "zh": "网页中找不到下列陈述的引文：{}；请逐字照抄，不要省略；若没有这样的段落，请换个结论",
    }
    return told[inputs.language].format(", ".join(absent)) if absent else ""


def support_form(inputs: PageAndStatements, form: Form) -> None:
    """A verdict for each statement, by its number."""
    numbers = range(1, len(inputs.statements) + 1)
    form.rows("verdicts", [{"statement": number} for number in numbers])


SUPPORTED_BY_PART: Final = Range(1, 0.5, 0)
"""Of the statements that a part of a long page is asked about, for estimates. Of all statements
DeepResearch Bench (Table 1) finds 69 % supported, over its deep research agents; where a page has
several parts, what supports one may stand in any of them."""


def _simulated(inputs: PageAndStatements, rate: float) -> Json:
    """What a part of a page supports is not asked of the next one."""
    beginning = f"{len(inputs.page)} {inputs.page[:200]}"
    supported = [chance(f"{beginning} {each}") < rate for each in inputs.statements]
    return {
        "verdicts": [
            {"statement": number, "verdict": "supported" if each else "unknown", "quote": ""}
            for number, each in enumerate(supported, start=1)
        ]
    }


JUDGE_SUPPORT: Final = Operation(
    "fact/judge_support",
    prompts=PROMPTS,
    takes=PageAndStatements,
    gives=Supports,
    offline=by_overlap,
    check=_each_once,
    quotes=_flaw_of_quotes,
    shape=support_form,
    version=2,
    pairs=Pairs(
        of=lambda inputs: (disarmed(inputs.page), inputs.statements),
        answer=by_classifier,
        some=lambda inputs, places: inputs.model_copy(
            update={"statements": tuple(inputs.statements[place] for place in places)}
        ),
        entries=lambda answer: sorted(answer.verdicts, key=lambda each: each.statement),
        together=_together,
        grade=lambda entry: GRADES[entry.verdict],
    ),
    rule=2,
    expected=for_each(
        FRAME + QUOTE * Range(0.2, 0.6, 1),
        lambda inputs: len(inputs.statements),
        _simulated,
        decides="what the first part of a long page supports",
        rate=SUPPORTED_BY_PART,
        told=lambda answer: (
            sum(each.verdict == "supported" for each in answer.verdicts),
            len(answer.verdicts),
        ),
    ),
)


class SupportSaid(NamedTuple):
    """What was answered about one statement: the verdict, its quote, the exchange."""

    verdict: SupportVerdict | Literal["failed"]
    quote: str
    answer: str


Said = SupportSaid | Unscored


async def verdicts_on(
    page: Page,
    statements: Sequence[str],
    ask: Asker,
    store: SupportStore,
    *,
    language: Language,
    repeat: int = 0,
) -> dict[str, StoredVerdict | Unscored]:
    """A verdict for each statement about a page, or why there is none.

    Those that are kept are looked up; the others are asked, all in one call where the page and
    their number allow it, and kept. What somebody else is asking about is waited for, once all else
    is asked.
    """
    if len([*overlapping_parts(page.text, PART, OVERLAP)]) > MOST_PARTS:
        large = f"The page has {len(page.text)} characters, more than {MOST_PARTS} parts."
        return dict.fromkeys(statements, Unscored(Cause.PAGE_TOO_LARGE, large))
    kept_verdicts = _KeptVerdicts(page, ask, store, language, repeat)
    found: dict[str, StoredVerdict | Unscored] = {}
    open_ones = {kept_verdicts.keys.of(each): each for each in statements}
    while open_ones:
        async with store.turn([*open_ones]) as free:
            own = [open_ones.pop(key) for key in free]
            for together in await kept_verdicts.to_ask(own):
                said = await said_together(
                    page.text, together, ask, language=language, repeat=repeat
                )
                await kept_verdicts.keep(together, said)
                found |= {each: one for each, one in said.items() if isinstance(one, Unscored)}
    return {each: kept_verdicts.known.get(each) or found[each] for each in statements}


@dataclass(frozen=True)
class VerdictKeys:
    """By which names verdicts on a page, by its digest, are kept. judge: its identity."""

    page: str
    judge: Mapping[str, Json]
    language: Language
    repeat: int

    @cached_property
    def digest(self) -> str:
        """Names page, judge, prompt and repeat, and how a page is divided."""
        prompt = JUDGE_SUPPORT.digest(self.language, offline=is_offline(self.judge))
        return digest([prompt, PART, OVERLAP, self.page, dict(self.judge), self.repeat])

    def of(self, statement: str) -> str:
        """The key of the verdict on a statement."""
        return digest(f"{self.digest} {statement}")

    def of_failed(self, statement: str) -> str:
        """The key of the row that tells that none came, and with which others it was asked."""
        return digest(f"{self.digest} failed {statement}")


@dataclass(frozen=True)
class _KeptVerdicts:
    """The rows of one page and one judge.

    A statement that failed is asked again in the same batch and no other, so that it is the same
    question: the asker knows whether it is settled, and a replay finds it. known: rows that
    were looked up or made. new: statements of which there was no row of any kind.
    """

    page: Page
    ask: Asker
    store: SupportStore
    language: Language
    repeat: int
    known: dict[str, StoredVerdict] = field(default_factory=dict)
    new: set[str] = field(default_factory=set)

    @cached_property
    def keys(self) -> VerdictKeys:
        """The names of these rows."""
        return VerdictKeys(self.page.digest, self.ask.identity, self.language, self.repeat)

    async def to_ask(self, statements: Sequence[str]) -> list[tuple[str, ...]]:
        """Statements without a verdict: those that are new together, others as they were."""
        verdicts = {each: self.keys.of(each) for each in statements}
        failures = {each: self.keys.of_failed(each) for each in statements}
        rows = await self.store.find_all([*verdicts.values(), *failures.values()])
        batches: dict[str, None] = {}
        new: dict[str, None] = {}
        for each in statements:
            if (row := rows.get(verdicts[each])) is not None:
                self.known[each] = row
            elif (failure := rows.get(failures[each])) is not None:
                batches[failure.quote] = None
            else:
                new[each] = None
        self.new.update(new)
        known = [tuple(json.loads(batch)) for batch in batches]
        return [*known, tuple(new)] if new else known

    async def keep(self, together: Sequence[str], said: Mapping[str, Said]) -> None:
        """Keep verdicts, and of failures the batch in which the statement was asked."""
        batch = canonical_json(list(together))
        judge = digest(dict(self.ask.identity))
        made: dict[str, StoredVerdict] = {}
        for each, one in said.items():
            if isinstance(one, Unscored) and one.cause is Cause.BUDGET:
                continue  # it was not asked
            if isinstance(one, Unscored):
                key, told = self.keys.of_failed(each), SupportSaid("failed", batch, "")
            else:
                key, told = self.keys.of(each), one
            made[key] = StoredVerdict(key, each, self.page.digest, judge, *told)
        # Others of a batch that failed before may have rows of their own, or get them elsewhere
        # meanwhile: what is on the disk is what counts.
        old = [key for key, row in made.items() if row.statement not in self.new]
        there = dict(await self.store.find_all(old)) if old else {}
        if rows := [row for key, row in made.items() if key not in there]:
            await self.store.keep(rows)  # a replay has none, and may not write
            there |= await self.store.find_all([row.key for row in rows])
        every = [there.get(key, row) for key, row in made.items()]
        self.known.update((row.statement, row) for row in every if row.verdict != "failed")


async def said_together(
    page: str, statements: Sequence[str], ask: Asker, *, language: Language, repeat: int
) -> dict[str, Said]:
    """What a judge says of each statement, after every part of a page that it needs to see.

    Supported by any part is supported; else unsupported if any part says so; else unknown. What
    one part supports is not asked of the next one.
    """
    said: dict[str, Said] = {}
    for part in overlapping_parts(page, PART, OVERLAP):
        supported = {
            each
            for each, found in said.items()
            if isinstance(found, SupportSaid) and found.verdict == "supported"
        }
        pending = [each for each in statements if each not in supported]
        for start in range(0, len(pending), MOST_STATEMENTS):
            batch = tuple(pending[start : start + MOST_STATEMENTS])
            inputs = PageAndStatements(language=language, page=part, statements=batch)
            answered = await _answered(inputs, ask, repeat)
            for each, new in zip(batch, answered, strict=True):
                said[each] = _weightier(said.get(each), new)
    return said


async def _answered(inputs: PageAndStatements, ask: Asker, repeat: int) -> Sequence[Said]:
    answer = await ask(JUDGE_SUPPORT, inputs, repeat=repeat)
    if isinstance(answer, Unscored):
        return [answer] * len(inputs.statements)
    return [
        SupportSaid(each.verdict, find_quote(inputs.page, each.quote) or "", answer.key)
        for each in sorted(answer.value.verdicts, key=lambda each: each.statement)
    ]


def _weightier(old: Said | None, new: Said) -> Said:
    """What two parts say together. A part that was not judged leaves open all but support."""
    order = ("unknown", "unsupported", "failed", "supported")

    def weight(said: Said) -> int:
        return order.index(said.verdict if isinstance(said, SupportSaid) else "failed")

    return new if old is None or weight(new) > weight(old) else old
