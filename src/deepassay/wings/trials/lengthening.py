"""The same report at greater length, paragraph by paragraph (DeepResearch Bench, appendix J.2).

A model says each paragraph with more words. What it wrote is taken only if code finds the same
numbers, citations and addresses in it, and a second question finds nothing that was added.
"""

from __future__ import annotations

import asyncio
import re
from collections import Counter
from dataclasses import dataclass, field
from importlib.resources import files
from itertools import pairwise
from typing import Final, NamedTuple

from deepassay.models.ask import Asker
from deepassay.models.fence import place_of_quote
from deepassay.models.operation import Inputs, OffMenu, Operation, Prose, Reply
from deepassay.reports.markdown import Block
from deepassay.reports.report import Report
from deepassay.reports.sentences import split_sentences
from deepassay.reports.spans import Edit, Span, apply
from deepassay.score import Cause, Unscored
from deepassay.tasks.task import detect_language
from deepassay.text import count_words, numbers_in

PROMPTS: Final = files(__package__) / "prompts"
SHORTEST: Final = 12
"""Words of a paragraph that is worth a question."""
LONGER: Final = 1.1
"""Times the words of the original that a paragraph must have to count as longer."""
ADDED: Final = "something was added"
"""Why a longer paragraph is not taken."""
_BULLET: Final = re.compile(r"[ \t]*(?:>[ \t]*)*(?:[-*+]|\d{1,3}[.)])[ \t]+")
_ADDRESS: Final = re.compile(r"https?://[^\s<>()\[\]\"'`，。；）】」]+", re.IGNORECASE)


class Paragraph(Inputs):
    """A paragraph between its neighbours; "" where there is none."""

    paragraph: str
    before: str
    after: str


class Rewriting(Inputs):
    """A paragraph and what was made of it."""

    paragraph: str
    rewritten: str


class Additions(Reply):
    """Words of the longer paragraph, as they stand there, that say what the original does not."""

    added: list[str]


def _same_matter(inputs: Paragraph, answer: Prose) -> None:
    """Raise OffMenu unless it is one longer paragraph with the same numbers and citations."""
    text = answer.text.strip()
    if [block.kind for block in Report(text).blocks] != ["paragraph"]:
        raise OffMenu("give one paragraph of running text: no heading, list, table or remark")
    for what, read in (("citation or address", _citations), ("number", numbers_in)):
        old, new = set(read(inputs.paragraph)), set(read(text))
        if strange := sorted(new - old):
            raise OffMenu(f"the {what} {strange[0]} does not stand in the paragraph: add none")
        if lost := sorted(old - new):
            raise OffMenu(f"the {what} {lost[0]} is missing: keep every one")
    if count_words(text) < LONGER * count_words(inputs.paragraph):
        raise OffMenu("it is hardly longer than the paragraph: say the same with more words")


def _citations(text: str) -> list[str]:
    return [each.raw for each in Report(text).citations] + _ADDRESS.findall(text)


def _said_again(inputs: Paragraph) -> Prose:
    """The floor: what was said is said again, sentence by sentence."""
    text = inputs.paragraph.strip()
    sentences = [each.of(text).strip() for each in split_sentences(text)]
    link = "也就是说，" if inputs.language == "zh" else "In other words: "
    between = "" if inputs.language == "zh" else " "
    return Prose(text=between.join(f"{each}{between}{link}{each}" for each in sentences))


REWRITE: Final = Operation(
    "lengthen/rewrite",
    prompts=PROMPTS,
    takes=Paragraph,
    gives=Prose,
    offline=_said_again,
    check=_same_matter,
)
FIND_ADDED: Final = Operation(
    "lengthen/find_added",
    prompts=PROMPTS,
    takes=Rewriting,
    gives=Additions,
    offline=lambda inputs: Additions(added=[]),
)


class ParagraphPlace(NamedTuple):
    """A paragraph of a report: where its words stand, without the mark of a list item."""

    span: Span
    text: str


def paragraphs_of(report: Report) -> list[ParagraphPlace]:
    """Paragraphs of the body that can be said at greater length, in reading order.

    Those of lists and quotations too, if they are of one line.
    """
    found = [_part(report.text, block) for block in report.body if block.kind == "paragraph"]
    return [each for each in found if each is not None and count_words(each.text) >= SHORTEST]


def _part(text: str, block: Block) -> ParagraphPlace | None:
    words = block.span.of(text)
    if not block.depth:
        return ParagraphPlace(block.span, words)
    if "\n" in words:
        return None
    mark = _BULLET.match(words)
    start = block.span.start + (mark.end() if mark else len(words) - len(words.lstrip(" \t>")))
    return ParagraphPlace(Span(start, block.span.end), text[start : block.span.end])


@dataclass
class Lengthened:
    """A report at greater length. kept: why paragraphs stayed as they were, and how many."""

    text: str
    paragraphs: int
    rewritten: int = 0
    kept: Counter[str] = field(default_factory=Counter)


async def lengthened(report: Report, asker: Asker) -> Lengthened | Unscored:
    """Every paragraph of a report at greater length, if that added nothing.

    A paragraph that no answer fits stays as it is. Unscored where an answer did not come.
    """
    parts = paragraphs_of(report)
    texts = ["", *(each.text for each in parts), ""]
    language = detect_language(report.text)
    answers = await asyncio.gather(
        *(
            _rewritten(
                Paragraph(language=language, paragraph=own, before=before, after=after), asker
            )
            for (before, own), (_, after) in pairwise(pairwise(texts))
        )
    )
    done = Lengthened(report.text, len(parts))
    edits = []
    for part, answer in zip(parts, answers, strict=True):
        if isinstance(answer, str):
            edits.append(Edit(part.span, answer))
        elif answer.cause is Cause.ANSWER_UNREADABLE:
            done.kept[ADDED if answer.detail == ADDED else "no answer fitted"] += 1
        else:
            return answer
    done.text, done.rewritten = apply(report.text, edits), len(edits)
    return done


async def _rewritten(inputs: Paragraph, asker: Asker) -> str | Unscored:
    """A paragraph at greater length, on one line where the original is."""
    answer = await asker(REWRITE, inputs)
    if isinstance(answer, Unscored):
        return answer
    text = answer.value.text.strip()
    asked = Rewriting(language=inputs.language, paragraph=inputs.paragraph, rewritten=text)
    found = await asker(FIND_ADDED, asked)
    if isinstance(found, Unscored):
        return found
    if any(place_of_quote(text, each) is not None for each in found.value.added if each.strip()):
        return Unscored(Cause.ANSWER_UNREADABLE, ADDED)
    return text if "\n" in inputs.paragraph else " ".join(text.splitlines())
