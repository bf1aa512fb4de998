"""What people are asked about reports of a run: a declaration for each protocol.

What a protocol decided on in a run (criteria, checks, statements, issues, pairs) becomes a question
with the menu that is declared for it here. What its judges said stays out.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from deepassay.errors import BadSetting
from deepassay.results.evidence import single_outcomes
from deepassay.results.records import Judged
from deepassay.run.showing.yardsticks import About
from deepassay.runfile.questions import (
    Choice,
    Item,
    Level,
    Opinion,
    Passage,
    Question,
)
from deepassay.score import ReportKey, digest, without_options
from deepassay.wings.people.agreement.decisions import word_of
from deepassay.wings.people.agreement.sampling import Candidate, candidates


def _menu(*choices: tuple[str, str, str]) -> tuple[Choice, ...]:
    return tuple(Choice(value=value, en=en, zh=zh) for value, en, zh in choices)


def scale_menu(most: int) -> tuple[Choice, ...]:
    """The answers of a scale, from 0 on."""
    return tuple(Choice(value=str(step), en=str(step), zh=str(step)) for step in range(most + 1))


YES_NO: Final = _menu(("yes", "yes", "是"), ("no", "no", "否"))


@dataclass(frozen=True)
class DecisionWording:
    """How the decisions of a protocol are put to people. ask: before the wording of an item."""

    menu: tuple[Choice, ...] = YES_NO
    ask: Mapping[str, str] | None = None
    level: Level = "nominal"
    quotes: bool = False


_SUPPORT: Final = DecisionWording(
    _menu(
        ("supported", "the page supports it", "页面支持"),
        ("unsupported", "the page does not support it", "页面不支持"),
        ("unknown", "cannot be told from the page", "无法判断"),
    ),
    {"en": "Does the cited page support this?", "zh": "所引页面是否支持这一陈述？"},
    quotes=True,
)
DECLARED: Final[Mapping[str, DecisionWording]] = {
    "rubrics": DecisionWording(
        _menu(
            ("satisfied", "satisfied", "满足"),
            ("partially satisfied", "partially satisfied", "部分满足"),
            ("not satisfied", "not satisfied", "不满足"),
        ),
        {"en": "Does the report satisfy this?", "zh": "报告是否满足该条？"},
        "ordinal",
    ),
    "fact": _SUPPORT,
    "citation_accuracy": _SUPPORT,
    "kae": DecisionWording(
        _menu(
            ("supports", "the report says it", "报告支持该要点"),
            ("omits", "the report leaves it out", "报告遗漏该要点"),
            ("contradicts", "the report contradicts it", "报告与该要点矛盾"),
        ),
        {"en": "What does the report say on this point?", "zh": "报告如何处理该要点？"},
    ),
    "depth": DecisionWording(
        _menu(
            ("win", "the first report", "第一份报告"),
            ("tie", "neither", "不分高下"),
            ("loss", "the second report", "第二份报告"),
        ),
        {"en": "Which report goes deeper?", "zh": "哪份报告更深入？"},
        "ordinal",
    ),
    "presentation": DecisionWording(
        ask={"en": "Is this so of the report?", "zh": "报告是否符合这一点？"}
    ),
    "coverage": DecisionWording(
        ask={"en": "Does the report cover this?", "zh": "报告是否涵盖这一点？"}
    ),
}
"""By the name of a protocol; what is not named is answered yes or no."""

RACE: Final[Mapping[str, Mapping[str, str]]] = {
    "comprehensiveness": {
        "en": "Comprehensiveness: how fully does it cover what was asked, 0 to 10?",
        "zh": "全面性：对所问内容覆盖得如何？（0 至 10）",
    },
    "insight": {
        "en": "Insight: how well does it analyse, explain and conclude, 0 to 10?",
        "zh": "洞察力：分析、解释和结论的质量如何？（0 至 10）",
    },
    "instruction_following": {
        "en": "Instruction following: how well does it do what was asked, 0 to 10?",
        "zh": "指令遵循：完成要求的程度如何？（0 至 10）",
    },
    "readability": {
        "en": "Readability: how clear are language and structure, 0 to 10?",
        "zh": "可读性：语言与结构是否清楚？（0 至 10）",
    },
}
"""The dimensions of RACE (DeepResearch Bench, section 3), in words of ours."""


MARK: Final = {"en": "How well is this met, 0 to 10?", "zh": "这一点达到的程度如何？（0 至 10）"}
CRITERIA: Final = "/criteria"
_MARKS: Final[Mapping[str, Any]] = {"menu": scale_menu(10), "level": "interval", "column": "score"}


@dataclass(frozen=True)
class AskableRun:
    """What a run has to ask about. page: what is shown of an address beside a statement.

    salt: of the study, by which pairs are turned; empty in studies of earlier versions. worded:
    whether what judges said is kept in the words of the menus, as it is since then.
    """

    about: About
    records: Sequence[Judged]
    texts: Mapping[ReportKey, str]
    baselines: Mapping[str, str]
    page: Callable[[str, str], Passage]
    salt: str = ""
    worded: bool = True


def items_of_run(asked: AskableRun, protocols: Sequence[str]) -> list[Item]:
    """Reports of a run with questions on what these protocols decided, in the order of the run.

    protocols: as the run names them, or without options for all of that name; behind the name of
    RACE, `/criteria` asks about each criterion in place of the dimensions. Raises BadSetting for a
    protocol that has nothing to decide on.
    """
    there = list(dict.fromkeys(each.protocol for each in asked.records))
    found: defaultdict[tuple[str, str, int, str], list[Question]] = defaultdict(list)
    for name in protocols:
        count = 0
        bare = name.removesuffix(CRITERIA)
        for own in there:
            if bare in (own, without_options(own)):
                found_in = _criteria if name != bare else _questions
                for place, question in found_in(own, asked):
                    count += 1
                    found[place].append(question)
        if not count:
            raise BadSetting(
                f"The run has nothing of {name} to decide on.",
                f"It has {', '.join(sorted(there))}; race asks for marks on every report.",
            )
    return [_item(asked, place, questions) for place, questions in found.items()]


Place = tuple[str, str, int, str]
"""Agent, task, sample, and the protocol where it compares pairs."""


def _questions(name: str, asked: AskableRun) -> Iterator[tuple[Place, Question]]:
    if without_options(name) == "race":
        for agent, task, sample in asked.texts:
            language = asked.about.tasks[task].language
            for dimension, words in RACE.items():
                yield (
                    (agent, task, sample, ""),
                    Question(
                        protocol=name,
                        item=dimension,
                        text=words[language],
                        **_MARKS,
                    ),
                )
        return
    declared = DECLARED.get(without_options(name), DecisionWording())
    records = [each for each in asked.records if each.protocol == name]
    for each in candidates(records):
        place = (each.agent, each.task, each.sample, "" if each.item else each.protocol)
        yield place, _question(each, declared, asked)


def _criteria(name: str, asked: AskableRun) -> Iterator[tuple[Place, Question]]:
    """A mark for each criterion; weighted, they come to the dimensions."""
    for record in asked.records:
        if record.protocol != name or record.repeat:
            continue
        for each in single_outcomes(record)[0].evidence.items:
            if each.dimension and each.weight is not None:
                lead = MARK[asked.about.tasks[record.task].language]
                yield (
                    (record.agent, record.task, record.sample, ""),
                    Question(
                        protocol=name,
                        item=each.key,
                        text=f"{lead}\n{each.item}",
                        part=each.dimension,
                        weight=float(each.weight),
                        **_MARKS,
                    ),
                )


def _question(each: Candidate, declared: DecisionWording, asked: AskableRun) -> Question:
    language = asked.about.tasks[each.task].language
    lead = declared.ask[language] if declared.ask else ""
    wording = "" if not each.item and lead else each.question
    return Question(
        protocol=each.protocol,
        item=each.item,
        judge=each.judge,
        text=f"{lead}\n{wording}".strip(),
        quote=each.question if declared.quotes else "",
        passage=asked.page(each.url, each.question) if each.url else None,
        menu=declared.menu,
        opinions=tuple(
            Opinion(
                judge=judge,
                verdict=on_menu(declared.menu, each.said.get(judge, ""), verdict)
                if asked.worded
                else verdict,
                reason=each.reasons.get(judge, ""),
            )
            for judge, verdict in sorted(each.verdicts.items())
        ),
        level=declared.level,
    )


def on_menu(menu: Sequence[Choice], *said: str) -> str:
    """The value of a menu for what a judge said, which may be given in several ways.

    One that is so called, else the only one that means the same; the last way itself where the
    menu has no such answer, or several.
    """
    values = [each.value for each in menu]
    for way in (each.strip().lower() for each in said):
        if way in values:
            return way
    meant = {word_of(each) for each in said if each}
    same = [value for value in values if word_of(value) in meant]
    return same[0] if len(same) == 1 else said[-1]


def _item(asked: AskableRun, place: Place, questions: Sequence[Question]) -> Item:
    agent, task, sample, pair = place
    rival = asked.about.rivals.get((asked.baselines.get(pair, ""), task)) if pair else None
    first, second = asked.texts[agent, task, sample], rival.text if rival else ""
    if rival and is_turned(place, asked.salt):  # the baseline is not always the second
        first, second = second, first
        questions = [turned(each) for each in questions]
    return Item(
        task=task,
        agent=agent,
        sample=sample,
        language=asked.about.tasks[task].language,
        prompt=asked.about.tasks[task].prompt,
        report=first,
        rival=second,
        questions=tuple(questions),
    )


def is_turned(place: Sequence[str | int], salt: str) -> bool:
    """Whether the second text of a pair is shown first. salt: of the study, as a seed."""
    return int(digest([*place, *filter(None, [salt])])[:8], 16) % 2 == 1


def turned(question: Question) -> Question:
    """A question with the values of its menu in the other order, for pairs that are turned."""
    values = [each.value for each in reversed(question.menu)]
    menu = tuple(
        each.model_copy(update={"value": value})
        for each, value in zip(question.menu, values, strict=True)
    )
    return question.model_copy(update={"menu": menu})
