"""What FACT asks an extractor: statements with their addresses, and which say the same.

For reports whose citations cannot be resolved mechanically. What the model gives is held against
the report: a statement that does not stand in it, and an address that the report does not hold,
are dropped and counted.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from itertools import accumulate
from typing import Final

from rapidfuzz import fuzz

from deepassay.files import without_surrogates
from deepassay.models.ask import Asker
from deepassay.models.form import Form
from deepassay.models.operation import Expected, Inputs, Operation, Reply
from deepassay.models.prompt import Language
from deepassay.models.usage import Range
from deepassay.protocols.expected import for_each, times
from deepassay.protocols.fact.pairs import (
    CitedPair,
    by_url,
    check_numbers,
    mechanical_pairs,
    merge_pairs,
    merged_by_rule,
    repeated,
    united,
)
from deepassay.protocols.protocol import PROMPTS
from deepassay.reports.attribution import identifiers
from deepassay.reports.report import Report
from deepassay.reports.sentences import split_sentences
from deepassay.reports.spans import Span
from deepassay.reports.statements import words_at
from deepassay.score import Cause, Unscored
from deepassay.text import canonical, match_url

EXTRACTING: Final = 2
"""Version of how items of an answer are found in the report, and of what then counts. It is part
of the recipes of protocols that may ask a model."""

LIKENESS: Final = 90.0
"""Partial ratio, 0 to 100, from which on a statement stands in the report."""

MOST_CITED: Final = 200
"""Items of an answer under a schema."""

LONGEST_MENU: Final = 15_000
"""Characters of all addresses in a menu."""

MOST_SEARCHED: Final = 500
"""Items of an answer that are looked for by likeness; further ones must stand there as given."""

_ADDRESS = re.compile(r"https?://|(?<![A-Za-z0-9/.])www\.", re.IGNORECASE)


class ReportText(Inputs):
    """A report as it was written."""

    report: str


class Cited(Reply):
    """A statement and its source: an address, or the number of an entry in the reference list."""

    statement: str
    url: str = ""
    number: str = ""


class CitedStatements(Reply):
    """Every cited statement of a report, once for each of its sources."""

    statements: list[Cited]


@dataclass(frozen=True)
class _Searched:
    """A report in which statements and addresses are looked up."""

    report: Report

    @cached_property
    def addresses(self) -> frozenset[str]:
        """Canonical forms of all addresses that the report holds, also as an identifier."""
        text = self.report.text
        ends = [
            (at.start(), match_url(text, at.start(), len(text))) for at in _ADDRESS.finditer(text)
        ]
        written = [text[start:end] for start, end in ends if end is not None]
        listed = [url for entry in self.report.references for url in entry.urls]
        cited = [url for each in self.report.resolved for url in each.urls]
        named = identifiers(text)
        return frozenset(map(canonical, (*written, *listed, *cited, *named)))

    @cached_property
    def numbered(self) -> dict[str, tuple[str, ...]]:
        """Canonical addresses of the entries of the reference list, by their label.

        Of two lists one may give titles alone.
        """
        found: dict[str, tuple[str, ...]] = {}
        for each in sorted(self.report.references, key=lambda each: not each.urls):
            for key in each.keys:
                found.setdefault(key.strip("^"), tuple(map(canonical, each.urls)))
        return found

    @cached_property
    def _text(self) -> str:
        return "\n".join(_folded(each.text) for each in self.report.statements)

    @cached_property
    def _starts(self) -> list[int]:
        lengths = (len(_folded(each.text)) + 1 for each in self.report.statements)
        return [0, *accumulate(lengths)]

    def standing(self, statement: str, by_likeness: bool) -> tuple[str, tuple[int, ...]]:
        """What of a statement stands in the report, and which statements of it that covers.

        Citation marks are no part of what is said: copied with them it stands there without.
        Nothing and none if it does not stand there.
        """
        given = _folded(statement)
        if not any(map(str.isalnum, given)):
            return "", ()
        if places := self._exactly(given):
            return statement.strip(), places
        words = words_at(statement, Span(0, len(statement)), Report(statement).citations)
        unmarked = "\n".join(_folded(piece.of(words)) for piece in split_sentences(words))
        places = self._exactly(unmarked)
        if by_likeness and not places:
            places = self._nearly(given if _folded(words) == given else unmarked)
        return (words, places) if places else ("", ())

    def _exactly(self, wanted: str) -> tuple[int, ...]:
        at = self._text.find(wanted) if wanted else -1
        return self._covered(at, at + len(wanted)) if at >= 0 else ()

    def _nearly(self, wanted: str) -> tuple[int, ...]:
        if not wanted or len(wanted) > len(self._text):
            return ()
        found = fuzz.partial_ratio_alignment(wanted, self._text, score_cutoff=LIKENESS)
        return self._covered(found.dest_start, found.dest_end) if found else ()

    def _covered(self, start: int, end: int) -> tuple[int, ...]:
        """The statements that hold some of the text between two places."""
        first, last = (bisect_right(self._starts, place) - 1 for place in (start, end - 1))
        return tuple(range(first, last + 1))

    def urls(self, cited: Cited) -> tuple[str, ...]:
        """The report's addresses that an item names."""
        if cited.url and (url := canonical(cited.url)) in self.addresses:
            return (url,)
        return self.numbered.get(cited.number.strip().strip("[]^"), ())


def _folded(text: str) -> str:
    return " ".join(text.casefold().split())


@lru_cache(maxsize=4)  # an answer is checked, and then used
def _searched(text: str) -> _Searched:
    return _Searched(Report(text))


def _found(text: str, answer: CitedStatements) -> list[tuple[CitedPair, ...]]:
    """The pairs that each item of an answer stands for; empty for one that is dropped."""
    searched = _searched(text)
    found = []
    for number, each in enumerate(answer.statements):
        words, places = searched.standing(each.statement, by_likeness=number < MOST_SEARCHED)
        urls = searched.urls(each) if places else ()
        found.append(tuple(CitedPair(words, url, places, "model") for url in urls))
    return found


def _mechanically(inputs: ReportText) -> CitedStatements:
    """The baseline: what can be read without a model."""
    report = Report(without_surrogates(inputs.report))
    texts = [each.text for each in report.statements]
    return CitedStatements(
        statements=[
            Cited(statement=texts[pair.places[0]], url=pair.url)
            for pair in mechanical_pairs(report)
        ]
    )


def _doubt(inputs: ReportText, answer: CitedStatements) -> str:
    """What is not in the report is dropped; if nothing is left, it is asked again.

    So it is where no statement is given and one has a citation that leads to an address. This may
    be right all the same, as of a link that supports nothing: the second answer counts.
    """
    if answer.statements:
        doubtful = not any(_found(inputs.report, answer))
    else:
        pairs = mechanical_pairs(_searched(inputs.report).report)
        doubtful = any(pair.by == "citation" for pair in pairs)
    if not doubtful:
        return ""
    told: Mapping[Language, tuple[str, str]] = {
        "en": (
            "no statement is given, but the report has citations that lead to addresses: give "
            "each statement that has one",
            "none of these items is in the report: copy each statement as it stands there, and "
            "give an address that stands there or the number of an entry in its list",
        ),
        "zh": (
            "没有给出任何陈述，但报告中有指向网址的引用：请给出每一条带有引用的陈述",
            "这些条目在报告中都找不到：请照抄报告中的陈述，并给出其中的网址或列表编号",
        ),
    }
    return told[inputs.language][bool(answer.statements)]


def _cited_form(inputs: ReportText, form: Form) -> None:
    """Statements of the report with its addresses, as far as a menu can hold them."""
    searched = _searched(inputs.report)
    urls = sorted({"", *searched.addresses})
    if sum(map(len, urls)) <= LONGEST_MENU:
        form.override_field("url", {"enum": urls})
    form.at_most("statements", MOST_CITED)


EXTRACTED: Final = Expected(
    lambda inputs: Range(30, 60, 110) * times(max(1, len(inputs.report.split("http")) - 1)),
    by_rule=True,
    decides="which statements a model reads off reports (taken as code reads them)",
)
"""A statement for every address that a report holds."""

EXTRACT: Final = Operation(
    "fact/extract",
    prompts=PROMPTS,
    takes=ReportText,
    gives=CitedStatements,
    offline=_mechanically,
    soft_check=_doubt,
    shape=_cited_form,
    version=2,
    rule=2,
    expected=EXTRACTED,
)


@dataclass(frozen=True)
class ExtractedPairs:
    """Statement-URL pairs, and how many items of the answer were dropped."""

    pairs: tuple[CitedPair, ...]
    dropped: int = 0


async def extracted_by_model(
    report: Report, ask: Asker, *, language: Language, repeat: int
) -> ExtractedPairs | Unscored:
    """The pairs of a report in the same form as `mechanical_pairs` gives them."""
    inputs = ReportText(language=language, report=report.text)
    answer = await ask(EXTRACT, inputs, repeat=repeat)
    if isinstance(answer, Unscored):
        return answer
    found: Sequence[tuple[CitedPair, ...]] = _found(report.text, answer.value)
    if found and not any(found):  # which says nothing of what the report cites
        nothing = f"none of the {len(found)} statements and addresses given is in the report"
        return Unscored(Cause.ANSWER_UNREADABLE, nothing)
    pairs = dict.fromkeys(pair for each in found for pair in each)
    return ExtractedPairs(tuple(pairs), sum(not each for each in found))


MOST_STATEMENTS: Final = 100
"""Statements under one address that a model compares in one call; more are split."""


class Statements(Inputs):
    """What a report says with one source."""

    statements: tuple[str, ...]


class SameFacts(Reply):
    """Numbers of statements that state one fact, a list for each fact that is stated twice."""

    same: list[list[int]]


def _by_rule(inputs: Statements) -> SameFacts:
    pairs = [
        CitedPair(each, "", (number,)) for number, each in enumerate(inputs.statements, start=1)
    ]
    merged = merged_by_rule(pairs)
    return SameFacts(same=[list(each.places) for each in merged if len(each.places) > 1])


def _doubt_of_numbers(inputs: Statements, answer: SameFacts) -> str:
    twice = repeated(answer.same)
    told: Mapping[Language, str] = {
        "en": f"every statement is in one list at most; {twice[:20]} are not",
        "zh": f"每条陈述最多属于一个列表；{twice[:20]} 不是这样",
    }
    return told[inputs.language] if twice else ""


MERGE: Final = Operation(
    "fact/merge",
    prompts=PROMPTS,
    takes=Statements,
    gives=SameFacts,
    offline=_by_rule,
    check=lambda inputs, answer: check_numbers(answer.same, len(inputs.statements)),
    soft_check=_doubt_of_numbers,
    shape=lambda inputs, form: form.groups("same", len(inputs.statements)),
    version=2,
    rule=2,
    expected=for_each(
        Range(0, 1, 3),
        lambda inputs: len(inputs.statements),
        lambda inputs, rate: {"same": []},
    ),
)


async def merged_by_model(
    pairs: Sequence[CitedPair], ask: Asker, *, language: Language, repeat: int
) -> tuple[CitedPair, ...] | Unscored:
    """Pairs without repeated facts; a single statement under an address needs no question."""
    kept: list[CitedPair] = []
    for group in by_url(pairs).values():
        for start in range(0, len(group), MOST_STATEMENTS):
            batch = group[start : start + MOST_STATEMENTS]
            found = await _merged(batch, ask, language, repeat) if len(batch) > 1 else batch
            if isinstance(found, Unscored):
                return found
            kept += found
    return tuple(kept)


async def _merged(
    batch: Sequence[CitedPair], ask: Asker, language: Language, repeat: int
) -> Sequence[CitedPair] | Unscored:
    inputs = Statements(language=language, statements=tuple(pair.statement for pair in batch))
    answer = await ask(MERGE, inputs, repeat=repeat)
    if isinstance(answer, Unscored):
        return answer
    facts = united(answer.value.same, len(batch))
    return [merge_pairs([batch[number - 1] for number in fact]) for fact in facts]
