"""The ten presentation checks without a model: what marks on the page can show.

A floor, and no more. The lint rules decide what they can see; P1 and P2 are approached by what can
be counted: headings and empty sections, doubled words and stray blanks. Whether an order is logical
or a sentence correct, it cannot tell: a report passes where nothing is seen.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from itertools import pairwise
from typing import Final, NamedTuple

from deepassay.protocols.checklist import Verdict, Verdicts
from deepassay.protocols.mechanical import MECHANICAL, findings_of
from deepassay.reports.finding import Finding
from deepassay.reports.lint import lint
from deepassay.reports.report import Report
from deepassay.reports.rules import RULES
from deepassay.text import HAN

LONG_WITHOUT_HEADINGS: Final = 2000
"""Characters from which a report without two headings counts as unorganised."""

RULES_FOR: Final = {"p6": "DA104", "p7": "DA103"}
"""Codes of lint rules that stand for a check which they alone do not decide."""

_WORD = re.compile(r"\w+(?:['’-]\w+)*")
_STRAY_BLANK = re.compile(rf"[^\W\d_] [,;:?!](?=\s|$)|[{HAN}],[{HAN}]|，，|。。|,,")
_MAY_DOUBLE: Final = frozenset(("that", "had", "is", "in", "so", "very", "no"))


class Trait(NamedTuple):
    """A place that speaks against a check."""

    offset: int
    message: str


def structure(report: Report) -> Iterator[Trait]:
    """P1: hardly any headings in a long report, or sections with nothing in them."""
    headings = [block for block in report.blocks if block.kind == "heading"]
    if len(headings) < 2 and len(report.text) > LONG_WITHOUT_HEADINGS:
        yield Trait(0, "a long report with fewer than two headings")
    for block, following in pairwise([*report.blocks, None]):
        if block is None or block.kind != "heading":
            continue
        if following is None or (following.kind == "heading" and following.level <= block.level):
            yield Trait(block.span.start, "a section with nothing in it")


def language(report: Report) -> Iterator[Trait]:
    """P2: a word twice in a row, a blank before a mark, a half-width comma between Chinese."""
    bare = _without_citations(report)
    for statement in report.statements:
        words = [(w.group().casefold(), *w.span()) for w in _WORD.finditer(bare, *statement.span)]
        for (word, start, end), (following, next_start, _) in pairwise(words):
            doubled = word == following and bare[end:next_start] == " " and word not in _MAY_DOUBLE
            if doubled and word.isascii() and word.isalpha():
                yield Trait(start, f"'{word} {word}'")
        if found := _STRAY_BLANK.search(bare, *statement.span):
            yield Trait(found.start(), f"'{found.group()}'")


def _without_citations(report: Report) -> str:
    """The text, as long as before, each citation a run of marks neither letter nor blank."""
    pieces, at = [], 0
    for citation in report.citations:
        if not citation.in_sentence:
            pieces += [report.text[at : citation.span.start], "|" * len(citation.raw)]
            at = citation.span.end
    return "".join([*pieces, report.text[at:]])


TRAITS: Final[dict[str, Callable[[Report], Iterator[Trait]]]] = {
    "p1": structure,
    "p2": language,
}


def verdicts_by_rule(report: Report, keys: Sequence[str]) -> Verdicts:
    """Verdicts on the checks `keys`."""
    findings = lint(report, RULES)
    return Verdicts(evaluations={key: _verdict(key, report, findings) for key in keys})


def places_against(key: str, report: Report, findings: Sequence[Finding]) -> list[tuple[int, str]]:
    """Line and message of everything that speaks against a check; none if it is passed."""
    if key in MECHANICAL:
        found = findings_of(key, findings)
    else:
        found = [each for each in findings if each.code == RULES_FOR.get(key)]
    places = [(each.line, each.message) for each in found]
    if key in TRAITS and not places:
        traits = TRAITS[key](report)
        places = [(report.lines.place(trait.offset)[0], trait.message) for trait in traits]
    return places


def _verdict(key: str, report: Report, findings: Sequence[Finding]) -> Verdict:
    places = places_against(key, report, findings)
    if not places:
        return Verdict(score=1, justification="By rule: nothing speaks against it.")
    (line, message), more = places[0], len(places) - 1
    others = f", and {more} more" if more else ""
    return Verdict(score=0, justification=f"By rule: line {line}: {message}{others}.")
