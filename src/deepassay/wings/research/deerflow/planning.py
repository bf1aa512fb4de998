"""What the planner and the researcher ask: what must be covered, which questions, which pages.

Fences of prompts hold the task, hits and quotes; only hits of a menu can be chosen, by number.
"""

from __future__ import annotations

import re
from collections import Counter
from typing import Annotated, Final

from pydantic import Field
from rapidfuzz.fuzz import ratio

from deepassay.models.fence import place_of_quote
from deepassay.models.operation import Inputs, OffMenu, Operation, Reply, Trusted
from deepassay.wings.research.deerflow.asking import (
    at_length,
    folded_query,
    on_menu,
    refuse_wordless,
    research_operation,
    sentences,
)
from deepassay.wings.research.deerflow.evidence import (
    content,
    share_of_words,
    site_of,
)
from deepassay.wings.research.search.index import query_words

MOST_QUESTIONS: Final = 8
ALIKE: Final = 90
"""Of 100: questions that are more alike are one."""

MOST_COVERED: Final = 12
_LONGEST_QUERY: Final = 8  # words of one by rule
_MOST_CHARACTERS: Final = 300


class TaskPrompt(Inputs):
    """What the user asks for, as the planner is given it."""

    prompt: str


class Frame(Reply):
    """What a task wants. must_cover: spans of its prompt, letter for letter."""

    must_cover: list[str]


def _some(inputs: TaskPrompt, answer: Frame) -> None:
    if not answer.must_cover:
        raise OffMenu("nothing must be covered; copy at least one span of the task")
    refuse_wordless(answer.must_cover, inputs.prompt)


def _verbatim(inputs: TaskPrompt, answer: Frame) -> str:
    for span in answer.must_cover:
        if place_of_quote(inputs.prompt, span) is None:
            return f"{span[:80]!r} does not stand in the task; copy it letter for letter"
    return ""


def covered(inputs: TaskPrompt, answer: Frame) -> list[str]:
    """The spans that stand in the task; for others its sentences that no span touches."""
    prompt = inputs.prompt
    places = [place_of_quote(prompt, span) for span in answer.must_cover]
    spans = [span for span, place in zip(answer.must_cover, places, strict=True) if place]
    if len(spans) < len(places):
        for each in frame_by_rule(inputs).must_cover:
            start, end = place_of_quote(prompt, each) or (0, len(prompt))
            if not any(place and place[0] < end and start < place[1] for place in places):
                spans.append(each)
    return spans[:MOST_COVERED]


def frame_by_rule(inputs: TaskPrompt) -> Frame:
    """The sentences and list items of the prompt that have two words that count, or all of it."""
    found = [each for each in sentences(inputs.prompt) if len(content(each)) >= 2]
    spans = [each for each in found if place_of_quote(inputs.prompt, each) is not None]
    spans = spans[:MOST_COVERED] or [inputs.prompt.strip()[:300]]
    return Frame(must_cover=spans)


FRAME: Final[Operation[TaskPrompt, Frame]] = research_operation(
    "research/frame",
    takes=TaskPrompt,
    gives=Frame,
    offline=frame_by_rule,
    check=_some,
    soft_check=_verbatim,
    shape=lambda inputs, form: form.entries("must_cover", 1, MOST_COVERED),
)


class Covering(Inputs):
    """The task and the spans of it that must be covered."""

    prompt: str
    must_cover: list[str]


class PlannedQuestion(Reply):
    """covers: numbers of the spans that it serves. needs: hosts with evidence for an answer."""

    question: Annotated[str, Field(min_length=3, max_length=500)]
    covers: list[int]
    importance: Annotated[int, Field(ge=1, le=3)]
    needs: Annotated[int, Field(ge=1, le=3)]


class Questions(Reply):
    """The questions of the research."""

    questions: list[PlannedQuestion]


def _whole(inputs: Covering, answer: Questions) -> None:
    if not 1 <= len(answer.questions) <= MOST_QUESTIONS:
        raise OffMenu(f"{len(answer.questions)} questions; give 1 to {MOST_QUESTIONS}")
    for each in answer.questions:
        on_menu(each.covers, inputs.must_cover, "span")
    refuse_wordless((each.question for each in answer.questions), inputs.prompt)


def without_service(inputs: Covering, answer: Questions) -> list[int]:
    """The numbers of the spans that no question of a plan serves."""
    served = {number for each in answer.questions for number in each.covers}
    return [n for n in range(1, len(inputs.must_cover) + 1) if n not in served]


def completed(inputs: Covering, answer: Questions) -> list[PlannedQuestion]:
    """Each question once, and one for each span that none serves.

    Questions that are alike are one, and the last one has what there is no room for.
    """
    spans = [
        PlannedQuestion(
            question=at_length(inputs.must_cover[n - 1]), covers=[n], importance=2, needs=2
        )
        for n in without_service(inputs, answer)
    ]
    planned: list[PlannedQuestion] = []
    for new in [*answer.questions, *spans]:
        text = new.question.casefold()
        same = [
            place
            for place, each in enumerate(planned)
            if ratio(each.question.casefold(), text) > ALIKE
        ]
        if same or len(planned) == MOST_QUESTIONS:
            place = same[0] if same else len(planned) - 1
            covers = [*dict.fromkeys((*planned[place].covers, *new.covers))]
            planned[place] = planned[place].model_copy(update={"covers": covers})
        else:
            planned.append(new)
    return planned


def plan_by_rule(inputs: Covering) -> Questions:
    """A question for each span."""
    return Questions(questions=completed(inputs, Questions(questions=[])))


PLAN: Final[Operation[Covering, Questions]] = research_operation(
    "research/plan",
    takes=Covering,
    gives=Questions,
    offline=plan_by_rule,
    check=_whole,
    version=2,
    shape=lambda inputs, form: form.entries("questions", 1, MOST_QUESTIONS).chosen(
        "covers", len(inputs.must_cover)
    ),
)


class Searching(Inputs):
    """A question to search for. tried: queries that were sent. found: titles that they brought."""

    prompt: str
    question: str
    tried: list[str]
    found: list[str]
    day: Annotated[str, Trusted]


class Queries(Reply):
    """Queries for a search engine."""

    queries: list[Annotated[str, Field(min_length=1, max_length=_MOST_CHARACTERS)]]


def _new(inputs: Searching, answer: Queries) -> None:
    if not 1 <= len(answer.queries) <= 4:
        raise OffMenu(f"{len(answer.queries)} queries; give 1 to 4")
    refuse_wordless(answer.queries, inputs.prompt)
    tried = {folded_query(each) for each in inputs.tried}
    if again := [each for each in answer.queries if folded_query(each) in tried]:
        raise OffMenu(f"{again[0]!r} was tried already; word it otherwise")
    if addresses := [each for each in answer.queries if "://" in each]:
        raise OffMenu(f"{addresses[0][:80]!r} is an address; give words to search for")


def _two_languages(inputs: Searching, answer: Queries) -> str:
    chinese = [bool(re.search("[\u4e00-\u9fff]", each)) for each in answer.queries]
    if inputs.language == "zh" and len(set(chinese)) < 2:
        return "give at least one query in Chinese and one in English"
    return ""


def queries_by_rule(inputs: Searching) -> Queries:
    """The words of the question that are rarest in the task; then all, then with the year."""
    counts = Counter(query_words(inputs.prompt))
    wanted = query_words(inputs.question)
    rare = sorted(wanted, key=lambda word: (counts[word], -len(word)))[:_LONGEST_QUERY]
    short = " ".join(word for word in wanted if word in rare) or inputs.question[:200]
    every = " ".join(wanted) or short
    tried = {folded_query(each) for each in inputs.tried}
    year = inputs.day[:4]
    choices = [short, every, f"{short} {year}", f"{every} {year}", inputs.question]
    choices = [each[:_MOST_CHARACTERS] for each in choices]
    new = [each for each in dict.fromkeys(choices) if folded_query(each) not in tried]
    return Queries(queries=new[:2] or [f"{short[:200]} {len(tried)}"])


QUERY: Final[Operation[Searching, Queries]] = research_operation(
    "research/query",
    takes=Searching,
    gives=Queries,
    offline=queries_by_rule,
    check=_new,
    version=2,
    soft_check=_two_languages,
    shape=lambda inputs, form: form.entries("queries", 1, 4),
)


class Menu(Inputs):
    """Hits to choose from: one line each, `title (host) snippet`. most: pages to open."""

    questions: list[str]
    hits: list[str]
    most: int


class Chosen(Reply):
    """Numbers of the hits to open, the best first."""

    pages: list[int]


def _of_the_menu(inputs: Menu, answer: Chosen) -> None:
    on_menu(answer.pages, inputs.hits, "hit")
    if len(answer.pages) > inputs.most:
        raise OffMenu(f"{len(answer.pages)} pages; choose {inputs.most} at most")


def hit_line(title: str, url: str, snippet: str) -> str:
    """A hit as it stands on the menu."""
    return f"{' '.join(title.split())} ({site_of(url)}) {' '.join(snippet.split())}"


_HOST: Final = re.compile(r" \(([^()\s]+)\) ")


def choose_by_rule(inputs: Menu) -> Chosen:
    """Most words of the questions first, one of each host before a second, then by rank."""
    asked = " ".join(inputs.questions)
    left = [
        (round(share_of_words(asked, [hit]), 3), -number, (_HOST.search(hit) or [""])[0])
        for number, hit in enumerate(inputs.hits, start=1)
    ]
    left = sorted((each for each in left if each[0] > 0), reverse=True)
    seen: Counter[str] = Counter()
    ranked = []
    for share, number, host in left:
        ranked.append((seen[host], -share, -number))
        seen[host] += 1
    return Chosen(pages=[number for _, _, number in sorted(ranked)[: inputs.most]])


CHOOSE: Final[Operation[Menu, Chosen]] = research_operation(
    "research/choose",
    takes=Menu,
    gives=Chosen,
    offline=choose_by_rule,
    check=_of_the_menu,
    shape=lambda inputs, form: form.chosen("pages", len(inputs.hits), inputs.most),
)
