"""What the writer asks first: the outline of a report, and titles and headings by rule."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Annotated, Final

from pydantic import Field

from deepassay.models.operation import Inputs, OffMenu, Operation, Reply
from deepassay.wings.research.deerflow.asking import (
    evidence_id,
    on_menu,
    refuse_wordless,
    research_operation,
    sentences,
)
from deepassay.wings.research.deerflow.evidence import OF_QUESTIONS, share_of_words

MOST_SECTIONS: Final = 8
MOST_OF_TITLE: Final = 80
_CLAUSES: Final = re.compile(rf".{{20,{MOST_OF_TITLE}}}(?=[,;:] |[，；：、])")


class Outlining(Inputs):
    """Questions, and evidence in one line each."""

    prompt: str
    questions: list[str]
    lines: list[str]


class PlannedSection(Reply):
    """A section. questions: numbers. evidence: identifiers."""

    heading: Annotated[str, Field(min_length=1, max_length=120)]
    aim: Annotated[str, Field(max_length=500)]
    questions: list[int]
    evidence: list[str]


class Outline(Reply):
    """The title of the report, and its sections in their order."""

    title: Annotated[str, Field(min_length=1, max_length=120)]
    sections: list[PlannedSection]


def _bound(inputs: Outlining, answer: Outline) -> None:
    if not 1 <= len(answer.sections) <= MOST_SECTIONS:
        raise OffMenu(f"{len(answer.sections)} sections; give 1 to {MOST_SECTIONS}")
    menu = {evidence_id(line) for line in inputs.lines}
    for each in answer.sections:
        on_menu(each.questions, inputs.questions, "question")
        if unknown := [one for one in each.evidence if one not in menu]:
            raise OffMenu(f"there is no evidence {unknown[0]}")
    refuse_wordless([answer.title, *(each.heading for each in answer.sections)], inputs.prompt)


def outline_by_rule(inputs: Outlining) -> Outline:
    """A section a question; evidence goes where it shares most words."""
    headings = [heading_of(each) for each in inputs.questions][:MOST_SECTIONS]
    evidence: list[list[str]] = [[] for _ in headings]
    for line in inputs.lines:
        told = OF_QUESTIONS.search(line)
        asked = [int(each) for each in re.findall(r"\d+", told[1])] if told else []
        places = [each - 1 for each in asked if 0 < each <= len(headings)] or [0]
        best = max(places, key=lambda place: share_of_words(inputs.questions[place], [line]))
        evidence[best].append(evidence_id(line))
    return Outline(
        title=title_by_rule(inputs.prompt),
        sections=[
            PlannedSection(
                heading=heading,
                aim=inputs.questions[place][:500],
                questions=[place + 1],
                evidence=evidence[place],
            )
            for place, heading in enumerate(headings)
        ],
    )


def bound(inputs: Outlining, answer: Outline) -> list[PlannedSection]:
    """The sections, and by rule those of questions that they leave out.

    A section without evidence gets what bears on its questions and is in no other section.
    """
    rules = outline_by_rule(inputs).sections
    used = {name for each in answer.sections for name in each.evidence}
    told = {number for each in answer.sections for number in each.questions}

    def left(questions: Iterable[int]) -> list[str]:
        own = [rule.evidence for rule in rules if {*rule.questions} & {*questions}]
        names = [name for each in own for name in each if name not in used]
        used.update(names)
        return names

    sections = [
        each.model_copy(update={"evidence": each.evidence or left(each.questions)})
        for each in answer.sections
    ]
    for rule in rules:
        if not told & {*rule.questions} and (names := left(rule.questions)):
            sections.append(rule.model_copy(update={"evidence": names}))
    return [each for each in sections if each.evidence or each.questions][:MOST_SECTIONS] or rules


def heading_of(question: str, most: int = 60) -> str:
    """A question as a heading of so many characters."""
    bare = re.sub(r"!?\[[^\]]*\](?:\([^)]*\))?|https?://\S+|[`#|]+", " ", question)
    bare = " ".join(bare.split()).strip(" .?!。？！*-–")
    if len(bare) <= most:
        return bare or "?"
    cut = bare[:most]
    return (cut.rpartition(" ")[0] or cut).rstrip(" ,;:，；：") + " …"


def title_by_rule(prompt: str) -> str:
    """A title by rule: the first sentence of a task, of a long one the clauses that have room."""
    title = heading_of((sentences(prompt) or [prompt])[0], 500)
    if len(title) > MOST_OF_TITLE and (clauses := _CLAUSES.match(title)):
        return clauses[0].rstrip()
    return heading_of(title, MOST_OF_TITLE)


OUTLINE: Final[Operation[Outlining, Outline]] = research_operation(
    "research/outline",
    takes=Outlining,
    gives=Outline,
    offline=outline_by_rule,
    check=_bound,
    version=3,
    shape=lambda inputs, form: (
        form.entries("sections", 1, MOST_SECTIONS)
        .chosen("questions", len(inputs.questions))
        .chosen("evidence", [evidence_id(line) for line in inputs.lines])
    ),
)
