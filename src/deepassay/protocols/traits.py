"""The ten presentation checks without a model: what marks on the page can show.

A baseline, and no more. The lint rules decide what they can see; P1, P2 and P7 are approached by
traits that can be counted: headings and empty sections, doubled words and stray blanks,
citations in the run of a sentence. Whether an order is logical or a sentence correct, it cannot
tell: a report passes where nothing is seen.
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
_BEFORE_CITATION = re.compile(r"[\s*_\"'”’)\]）】]*\Z")
_AFTER_CITATION = re.compile(r"[\s*_\"'”’)\]）】]{0,9}")
_CLAUSE_ENDS: Final = tuple(".!?;:,。！？；：，、|")
_GOES_ON = re.compile(
    r"(?:and|or|but|yet|nor|so|while|whereas|which|who|whose|where|when|because|since|although|"
    r"though|as|with|without|if|unless|until|after|before|to|for|against|compared|including|than|"
    r"versus|vs)\b",
    re.IGNORECASE,
)


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


def placement(report: Report) -> Iterator[Trait]:
    """P7: a citation after which the clause simply goes on, or which opens its line."""
    text = report.text
    ends = {c.span.start: c.span.end for c in report.citations if not c.in_sentence}
    rows: dict[int, int] = {}  # where the row of citations begins that a citation goes on
    for start, end in ends.items():
        after = _AFTER_CITATION.match(text, end)
        at = after.end() if after else end
        first = rows.get(start, start)
        if at >= len(text) or "\n" in text[end:at]:
            continue
        if at in ends:
            rows[at] = first
        if at in ends or not text[at].isalpha():
            continue
        before = _BEFORE_CITATION.sub("", text[max(0, first - 12) : first])
        if before.endswith(_CLAUSE_ENDS) or _GOES_ON.match(text, at):
            continue
        yield Trait(start, f"the sentence goes on after {text[start:end][:30]}")


TRAITS: Final[dict[str, Callable[[Report], Iterator[Trait]]]] = {
    "p1": structure,
    "p2": language,
    "p7": placement,
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
