"""What code sees of the form of a report: checks that it decides, and places for the others.

P3, P4, P5, P8, P9 and P10 are failed when a lint rule that decides them fires anywhere. Which
rules these are is said here, so that a rule that is added changes no recipe. Of the other checks
code names the places where one may fail.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from itertools import pairwise
from typing import Final, NamedTuple

from deepassay.protocols.checklist import ChecklistAnswer, Verdict
from deepassay.protocols.entries import PLACES_KEPT
from deepassay.reports.finding import Finding
from deepassay.reports.lint import lint
from deepassay.reports.report import Report
from deepassay.reports.rules import RULES, rules_of_codes
from deepassay.results.evidence import EvidenceItem, ReportPlace
from deepassay.text import HAN

MECHANICAL: Final = ("p3", "p4", "p5", "p8", "p9", "p10")

DECIDING: Final[dict[str, tuple[str, ...]]] = {
    "p3": ("DA205",),
    "p4": ("DA101", "DA102"),
    "p5": ("DA201", "DA202", "DA203", "DA204"),
    "p8": ("DA301", "DA302", "DA303", "DA304", "DA311"),
    "p9": ("DA305", "DA306", "DA307", "DA308", "DA309", "DA310"),
    "p10": ("DA206", "DA207", "DA208", "DA209", "DA210"),
    "g14": ("DA101", "DA202", "DA210"),
    "g15": ("DA212", "DA213"),
    "g16": ("DA104",),
    "g17": ("DA205",),
    "g18": ("DA301", "DA302", "DA303", "DA305"),
    "g19": ("DA204",),
    "g20": ("DA103",),
    "g21": (),
}
"""Codes of the rules that stand for a check of Table 2, `p3`, or a figure of appendix G, `g14`."""


def findings_for_check(key: str, findings: Sequence[Finding]) -> list[Finding]:
    """The findings of the rules that decide a check, e.g. `p3`."""
    return [each for each in findings if each.code in DECIDING[key]]


def places_counted(found: int, *, or_more: bool = False) -> str:
    """How many places were found, and how many of them are kept, in a sentence."""
    kept = f", of which the first {PLACES_KEPT} are listed" if found > PLACES_KEPT else ""
    return f"Places found: {found}{' or more' if or_more else ''}{kept}."


def item_by_rule(key: str, item: str, findings: Sequence[Finding]) -> EvidenceItem:
    """Verdict, reason and places of one check, as `explain` reads them."""
    found = findings_for_check(key, findings)
    return EvidenceItem(
        key=key,
        item=item,
        score=0 if found else 1,
        justification=places_counted(len(found)),
        decided_by="rule",
        places=tuple(
            ReportPlace(line=each.line, column=each.column, code=each.code, message=each.message)
            for each in found[:PLACES_KEPT]
        ),
    )


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


def verdicts_by_rule(report: Report, keys: Sequence[str]) -> ChecklistAnswer:
    """Verdicts on the checks `keys`."""
    findings = lint(report, RULES)
    return ChecklistAnswer(evaluations={key: _verdict(key, report, findings) for key in keys})


def places_against(key: str, report: Report, findings: Sequence[Finding]) -> list[tuple[int, str]]:
    """Line and message of everything that speaks against a check; none if it is passed."""
    if key in MECHANICAL:
        found = findings_for_check(key, findings)
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


HINTS_SHOWN: Final = 12
"""Places of one check; how many more there are is said."""

BEARING_ON: Final[dict[str, tuple[str, ...]]] = {
    "p1": ("DA306", "DA307", "DA308", "DA309", "DA401"),
    "p6": (RULES_FOR["p6"],),
    "p7": (RULES_FOR["p7"],),
}
"""Codes of lint rules that do not decide a check and yet show where it may fail."""

RULES_SHOWN: Final = rules_of_codes(
    code
    for codes in (*(DECIDING[key] for key in MECHANICAL), *BEARING_ON.values())
    for code in codes
)
"""The rules of which `presentation` takes note."""


def hints(report: Report, findings: Sequence[Finding], keys: Sequence[str]) -> str:
    """Lines `p7, line 12: …` for the checks `keys`, in their order and in that of the text."""
    return "\n".join(line for key in keys for line in _lines(key, report, findings)) or "nothing"


def _lines(key: str, report: Report, findings: Sequence[Finding]) -> list[str]:
    if key in MECHANICAL:
        found = findings_for_check(key, findings)
    else:
        found = [each for each in findings if each.code in BEARING_ON.get(key, ())]
    places = {(each.line, each.message) for each in found}
    if key in TRAITS:
        ruled = {line for line, _ in places}
        traits = [
            (report.lines.place(each.offset)[0], each.message) for each in TRAITS[key](report)
        ]
        places |= {(line, message) for line, message in traits if line not in ruled}
    lines = [f"{key}, line {line}: {message}" for line, message in sorted(places)]
    more = len(lines) - HINTS_SHOWN
    return lines[:HINTS_SHOWN] + ([f"{key}: and {more} more"] if more > 0 else [])
