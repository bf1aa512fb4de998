"""The construction rules of tasks, checked by code.

DeepResearch Arena, appendix "Task generator prompt", section 4. Where the paper leaves open what
meets a rule, the choice is ours and stands in papers.yaml.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Annotated, Final

from pydantic import BaseModel, ConfigDict, Field

from deepassay.curate.arena.inspiration import KINDS, Kind
from deepassay.curate.arena.key_words import key_words
from deepassay.curate.arena.menu import PHASE_OF, PHASES, Difficulty, Family, Phase
from deepassay.curate.arena.phrasing import DELIVERABLE, EMPHASIS, LEANING
from deepassay.models.operation import Reply
from deepassay.tasks.dates import Language
from deepassay.tasks.fields import Text
from deepassay.text import count_words

FEWEST: Final = 5
MOST: Final = 8
"""Tasks of a group of inspirations."""

MOST_OF_A_FAMILY: Final = 2

MOST_WORDS: Final[Mapping[Language, int]] = {"en": 100, "zh": 170}
"""Of one task. The paper counts words; 170 Chinese characters say about as much."""

MOST_HOURS: Final = 3.0
"""That a Basic task may take."""

_LONGEST_WORD: Final = 40
"""Characters; what is looked at of a text ends after so many for each word that it may have."""

FEWEST_SHARED: Final[Mapping[Language, int]] = {"en": 3, "zh": 4}
"""Key words, or pairs of Chinese characters, that a task takes from its inspiration."""


class Lead(BaseModel):
    """An inspiration as the weaver sees it. number: from 1, within its group."""

    model_config = ConfigDict(frozen=True)

    number: int
    type: Kind
    text: str


class Proposed(Reply):
    """One task of an answer.

    inspirations: numbers of those that it rests on. hours, public_data: what it takes, by which
    its difficulty is checked.
    """

    phase: Phase
    family: Family
    difficulty: Difficulty
    hours: Annotated[float, Field(gt=0, allow_inf_nan=False)]
    public_data: bool
    inspirations: list[int]
    task: Text


def broken_rules(
    proposed: Sequence[Proposed], leads: Sequence[Lead], language: Language
) -> list[str]:
    """Every rule that the tasks of a group break, in words for the model; none if all hold."""
    problems = [*_as_a_set(proposed)]
    for number, each in enumerate(proposed, start=1):
        flaws = [*_flaws(each, language), *_loose(each, leads, language)]
        problems += [f"task {number}: {flaw}" for flaw in flaws]
    return [*problems, *_unsteered(proposed, leads, language)]


def text_flaws(text: str, language: Language) -> Iterator[str]:
    """What is wrong with the words of a task, whoever wrote them."""
    most = MOST_WORDS[language]
    if (words := count_words(text)) > most:
        yield f"it has {words} words; the limit is {most}"
    beginning = text[: _LONGEST_WORD * most]
    if not DELIVERABLE[language].search(beginning):
        yield "it names no deliverable; say what is to be delivered, such as a table or a report"
    if found := LEANING[language].search(beginning):
        yield f"{found.group()!r} refers to something outside; the task must stand alone"


def ungrounded(text: str, inspiration: str, language: Language) -> str:
    """What is wrong with how a task takes up the wording of its inspiration, or nothing."""
    wording = key_words(inspiration, language)
    shared = wording.keys() & key_words(text, language).keys()
    wanted = max(1, min(FEWEST_SHARED[language], len(wording)))
    if len(shared) >= wanted:
        return ""
    unused = [form for key, form in wording.items() if key not in shared]
    return (
        f"it shares {len(shared)} key words with its inspiration, at least {wanted} are needed; "
        f"take up its wording, such as: {', '.join(unused[:8])}"
    )


def _as_a_set(proposed: Sequence[Proposed]) -> Iterator[str]:
    if not FEWEST <= len(proposed) <= MOST:
        yield f"there are {len(proposed)} tasks; give {FEWEST} to {MOST}"
    phases = {each.phase for each in proposed}
    for phase in PHASES:
        if phase not in phases:
            yield f"no task belongs to the phase {phase}"
    for family, times in Counter(each.family for each in proposed).items():
        if times > MOST_OF_A_FAMILY:
            yield f"the family {family!r} occurs {times} times; at most {MOST_OF_A_FAMILY}"


def _flaws(proposed: Proposed, language: Language) -> Iterator[str]:
    """What is wrong with a task by itself."""
    if proposed.phase != (phase := PHASE_OF[proposed.family]):
        yield f"the family {proposed.family!r} belongs to the phase {phase}"
    if proposed.difficulty == "Basic":
        if proposed.hours > MOST_HOURS:
            yield f"a Basic task takes at most {MOST_HOURS:g} hours, not {proposed.hours:g}"
        if not proposed.public_data:
            yield "a Basic task needs nothing but public data"
    yield from text_flaws(proposed.task, language)


def _loose(proposed: Proposed, leads: Sequence[Lead], language: Language) -> Iterator[str]:
    """What is wrong with the inspirations that a task rests on."""
    numbers = proposed.inspirations
    texts = {lead.number: lead.text for lead in leads}
    if not numbers:
        yield "it rests on no inspiration"
    if len(set(numbers)) < len(numbers):
        yield "it names an inspiration twice"
    for number in dict.fromkeys(numbers):
        if number not in texts:
            yield f"there is no inspiration {number}"
        elif problem := ungrounded(proposed.task, texts[number], language):
            yield f"inspiration {number}: {problem}"


def _unsteered(
    proposed: Sequence[Proposed], leads: Sequence[Lead], language: Language
) -> Iterator[str]:
    """Types of inspirations that none of their tasks shows the emphasis of."""
    types = {lead.number: lead.type for lead in leads}
    for kind in KINDS:
        own = [each for each in proposed if kind in map(types.get, each.inspirations)]
        if own and not any(EMPHASIS[language][kind].search(each.task) for each in own):
            yield f"no task that rests on a {kind} {_WANTED[kind]}"


_WANTED: Final[Mapping[Kind, str]] = {
    "Limitation": "looks for the gaps: what is missing, unsolved or unknown",
    "Methodology": "designs: a method, a protocol, a procedure",
    "Transdisciplinarity": "bridges fields: transfers, combines, adapts",
    "Hypothesis": "tests the assertion: whether it holds, how it could be refuted",
}
