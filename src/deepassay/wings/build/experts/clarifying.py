"""What models do in building a set with experts: ask back, refine a query, divide it into checks.

LiveResearchBench, section 3.3. The paper prints no prompts; these are our own. Numbers and forms
that it leaves open are set here and named in papers.yaml.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from deepassay.models.ask import Asker
from deepassay.models.operation import OffMenu, Operation, Reply
from deepassay.score import Unscored
from deepassay.tasks.fields import Text
from deepassay.tasks.task import PLACEHOLDER, detect_language, sentences_asked
from deepassay.wings.build.experts.query_drafts import QUERY, QueryDraft, lost_dates
from deepassay.wings.build.wording import PROMPTS, wordings
from deepassay.wings.build.yardsticks.criteria import Query

MOST_QUESTIONS: Final = 6
"""Of one model about one query."""

FEWEST_ITEMS: Final = 3
MOST_ITEMS: Final = 20
"""Of one checklist. The paper's example has nine."""

_NO_WORD: Final = re.compile(r"[\W_]+")


def _refuse_other_than_questions(texts: Sequence[str]) -> None:
    for number, text in enumerate(texts, start=1):
        if not text.rstrip().endswith(("?", "？")):
            raise OffMenu(f"entry {number} is no question; end it with a question mark")
        if any(_alike(text, each) for each in texts[: number - 1]):
            raise OffMenu(f"entry {number} asks what an earlier one asks; give each once")


def _alike(one: str, other: str) -> bool:
    """Whether two questions have the same words. One year apart, they are two questions."""
    return _NO_WORD.sub(" ", one.casefold()) == _NO_WORD.sub(" ", other.casefold())


class AskedBack(Reply):
    """Questions whose answers would make a query clearer; none where it is clear."""

    questions: list[Text]


def _check_questions(inputs: Query, answer: AskedBack) -> None:
    if (number := len(answer.questions)) > MOST_QUESTIONS:
        raise OffMenu(f"there are {number} questions; give at most {MOST_QUESTIONS}")
    _refuse_other_than_questions(answer.questions)


def _asked_by_rule(inputs: Query) -> AskedBack:
    """A question for each side of a request that no word of it speaks of."""
    sides = wordings("asking_back", inputs.language)["sides"]
    return AskedBack(
        questions=[
            side["question"]
            for side in sides
            if not re.search(side["words"], inputs.query, re.IGNORECASE)
        ]
    )


CLARIFY: Final = Operation(
    "building/clarify",
    prompts=PROMPTS,
    takes=Query,
    gives=AskedBack,
    offline=_asked_by_rule,
    check=_check_questions,
    shape=lambda inputs, form: form.entries("questions", 0, MOST_QUESTIONS),
)


async def ask_back(draft: QueryDraft, maker: Asker) -> list[str] | Unscored:
    """What one model would ask whoever wrote the query."""
    answer = await maker(CLARIFY, Query(language=draft.language, query=draft.query))
    return answer if isinstance(answer, Unscored) else list(answer.value.questions)


def with_questions(draft: QueryDraft, asked: Sequence[tuple[str, Sequence[str]]]) -> QueryDraft:
    """The draft with what several models asked, one after the other, each question once.

    asked: models with their questions.
    """
    for model, questions in asked:
        for question in questions:
            if not any(_alike(question, each.question) for each in draft.questions.values()):
                draft = draft.changed(model, "clarify", {draft.next_key("k"): question})
    return draft


class QueryAndAnswers(Query):
    """A query, and what its expert answered to questions about it."""

    answers: str


class Refined(Reply):
    """The query in its new words."""

    query: Text


def _check_refined(inputs: QueryAndAnswers, answer: Refined) -> None:
    if lost := lost_dates(inputs.query, answer.query):
        raise OffMenu(f"{lost[0]} is gone; it is filled in later and must stay as it is")
    if added := lost_dates(answer.query, f"{inputs.query}\n{inputs.answers}"):
        raise OffMenu(f"{added[0]} stood neither in the query nor in an answer; leave it out")
    if detect_language(answer.query) != detect_language(inputs.query):
        raise OffMenu("it is in another language; keep that of the query")


def _refined_by_rule(inputs: QueryAndAnswers) -> Refined:
    """The query with the answers behind it."""
    answers = [line[2:].strip() for line in inputs.answers.splitlines() if line.startswith("A:")]
    words = wordings("asking_back", inputs.language)
    bare = [answer.rstrip(".。") for answer in answers]
    return Refined(query=words["refined"].format(inputs.query.strip(), words["and"].join(bare)))


REFINE: Final = Operation(
    "building/refine",
    prompts=PROMPTS,
    takes=QueryAndAnswers,
    gives=Refined,
    offline=_refined_by_rule,
    check=_check_refined,
)


async def refined(draft: QueryDraft, maker: Asker) -> QueryDraft | Unscored:
    """The draft with its query refined by what its expert answered; as it is without an answer."""
    said = [each for each in draft.questions.values() if is_answer(each.answer)]
    if not said:
        return draft
    lines = [
        f"{mark}: {' '.join(text.split())}"
        for each in said
        for mark, text in (("Q", each.question), ("A", each.answer))
    ]
    inputs = QueryAndAnswers(language=draft.language, query=draft.query, answers="\n".join(lines))
    answer = await maker(REFINE, inputs)
    if isinstance(answer, Unscored):
        return answer
    return draft.changed(_name(maker), "refine", {QUERY: answer.value.query.strip()})


PASSED_OVER: Final = "-"
"""What stands as the answer to a question that its expert does not take up."""


def is_answer(text: str) -> bool:
    """Whether an expert answered a question, and did not pass it over."""
    return text.strip() not in ("", PASSED_OVER)


class Divided(Reply):
    """What a query asks for, in questions about a report that yes or no answers."""

    items: list[Text]


def _check_items(inputs: Query, answer: Divided) -> None:
    number = len(answer.items)
    if not FEWEST_ITEMS <= number <= MOST_ITEMS:
        raise OffMenu(f"there are {number} items; give {FEWEST_ITEMS} to {MOST_ITEMS}")
    _refuse_other_than_questions(answer.items)
    open_dates = {found[0] for found in PLACEHOLDER.finditer(inputs.query)}
    for number, item in enumerate(answer.items, start=1):
        if strange := [f[0] for f in PLACEHOLDER.finditer(item) if f[0] not in open_dates]:
            raise OffMenu(f"item {number} has {strange[0]}, which the query does not have")


def _divided_by_rule(inputs: Query) -> Divided:
    """A question for each sentence of the query, and what any report needs."""
    words = wordings("asking_back", inputs.language)
    own: list[str] = []
    for part in sentences_asked(inputs.query):
        item = words["item"].format(part=part)
        if not any(_alike(item, each) for each in own):
            own.append(item)
    # Parts are cut to a length, and a place for a date may be cut in two: it is none then.
    return Divided(items=[*own, *words["always"]])


DIVIDE: Final = Operation(
    "building/checklist",
    prompts=PROMPTS,
    takes=Query,
    gives=Divided,
    offline=_divided_by_rule,
    check=_check_items,
    shape=lambda inputs, form: form.entries("items", FEWEST_ITEMS, MOST_ITEMS),
)


async def with_checklist(draft: QueryDraft, maker: Asker) -> QueryDraft | Unscored:
    """The draft with a checklist made of its query."""
    answer = await maker(DIVIDE, Query(language=draft.language, query=draft.query))
    if isinstance(answer, Unscored):
        return answer
    for item in answer.value.items:
        draft = draft.changed(_name(maker), "checklist", {draft.next_key("c"): item.strip()})
    return draft


def _name(maker: Asker) -> str:
    return str(maker.identity["model"])
