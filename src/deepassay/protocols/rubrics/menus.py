"""Criteria that are judged by a menu of a set's own: what a judge is asked, and how it is read.

The questions are those of ResearchRubrics but for the menu and for what the judge is told; each
setting has its own, since its menu decides what may be answered.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from functools import lru_cache, partial
from typing import Annotated, Any, Final, NamedTuple

from pydantic import BeforeValidator, StringConstraints

from deepassay.files import strangers_json
from deepassay.models.form import Form
from deepassay.models.operation import Inputs, OffMenu, Operation, Reply, Trusted, Unchecked
from deepassay.models.prompt import Language
from deepassay.protocols.entries import ask_for_quotes, check_complete, quote_span
from deepassay.protocols.expected import FRAME, GRADE, VERDICT, for_each
from deepassay.protocols.overlap import DELIVERED, PARTLY, best_passage
from deepassay.protocols.protocol import PROMPTS, Case
from deepassay.protocols.rubrics.criteria import keys_of
from deepassay.protocols.rubrics.setting import Setting, Wanted
from deepassay.protocols.windows import LONGEST_QUOTE, MOST_QUOTES, EvidenceAndQuery
from deepassay.score import Json
from deepassay.tasks.task import Task
from deepassay.tasks.yardsticks import Criterion

_Text = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1)]


def _as_word(value: Json) -> Json:
    """A number or a boolean where a word of the menu is asked for, as the menu writes it."""
    if isinstance(value, bool):
        return str(value).lower()
    return f"{value:g}" if isinstance(value, int | float) else value


_Word = Annotated[_Text, BeforeValidator(_as_word)]


class BareChoice(Reply):
    """A word of the menu for one criterion."""

    verdict: _Word


class ReasonedChoice(Reply):
    """A word of the menu for one criterion, and why."""

    reason: _Text
    verdict: _Word


class QuotedChoice(Reply):
    """A word of the menu for one criterion, why, and the words that show it."""

    reason: _Text
    verdict: _Word
    quotes: list[_Text]


class BareChoices(Reply):
    """A choice for each criterion, by its key: `r1` and on."""

    verdicts: dict[str, BareChoice]


class ReasonedChoices(Reply):
    """A choice with its reason for each criterion, by its key."""

    verdicts: dict[str, ReasonedChoice]


class QuotedChoices(Reply):
    """A choice with reason and quotes for each criterion, by its key."""

    verdicts: dict[str, QuotedChoice]


AnyChoice = BareChoice | ReasonedChoice | QuotedChoice
AnyChoices = BareChoices | ReasonedChoices | QuotedChoices
_FORMS: Final[Mapping[Wanted, type[AnyChoices]]] = {
    "none": BareChoices,
    "reason": ReasonedChoices,
    "quote": QuotedChoices,
}


class CriteriaByMenu(Inputs):
    """A report, the criteria in words, the menu, and what the judge is told besides, or None.

    wanted: what is to be given with a verdict.
    """

    report: str
    query: str | None
    blocked: str | None
    criteria: tuple[str, ...]
    menu: Annotated[str, Trusted]
    wanted: Wanted


class EvidenceByMenu(EvidenceAndQuery):
    """What was gathered from all windows, the criteria in words, and the menu."""

    blocked: str | None
    criteria: tuple[str, ...]
    menu: Annotated[str, Trusted]
    wanted: Wanted


class RawBareChoices(Unchecked):
    """What a judge answered, asked for verdicts alone: any JSON, or its text under `text`."""

    form = BareChoices


class RawReasonedChoices(Unchecked):
    """What a judge answered, in any form, asked for reasons too."""

    form = ReasonedChoices


class RawQuotedChoices(Unchecked):
    """What a judge answered, in any form, asked for reasons and quotes."""

    form = QuotedChoices


_RAW_FORMS: Final[Mapping[Wanted, type[Unchecked]]] = {
    "none": RawBareChoices,
    "reason": RawReasonedChoices,
    "quote": RawQuotedChoices,
}


class MenuQuestions(NamedTuple):
    """The questions of one setting. released: the first as a released program reads its answer."""

    whole: Operation[CriteriaByMenu, Any]
    on_evidence: Operation[EvidenceByMenu, Any]
    released: Operation[CriteriaByMenu, Any]


_TOLD: Final[Mapping[Language, Mapping[str, str]]] = {
    "en": {
        "weight": "Weight: {:g}",
        "sign": "It describes a fault, which a good report does not have.",
        "examples": "Examples of what is meant: {}",
        "marks": "Verdicts for this one: {}",
    },
    "zh": {
        "weight": "权重：{:g}",
        "sign": "它描述的是缺陷，好的报告不应有。",
        "examples": "用来说明意思的例子：{}",
        "marks": "这一条可选的判断：{}",
    },
}


def in_words(criterion: Criterion, setting: Setting, language: Language) -> str:
    """A criterion as the judge is shown it, with what the setting shows of it."""
    told = _TOLD[language]
    lines = [criterion.criterion]
    if "weight" in setting.shows:
        lines.append(told["weight"].format(criterion.weight))
    if "sign" in setting.shows and criterion.weight < 0:
        lines.append(told["sign"])
    if "examples" in setting.shows and criterion.examples:
        lines.append(told["examples"].format("; ".join(criterion.examples)))
    if criterion.grades:
        lines.append(told["marks"].format(", ".join(criterion.grades)))
    return "\n".join(lines)


def given_beside(task: Task, setting: Setting) -> dict[str, Any]:
    """What every question about a report of a task is given besides criteria and report."""
    blocked = task.blocked.shown if task.blocked and "blocked" in setting.shows else ""
    return {
        "blocked": blocked or None,
        "menu": setting.menu_in(task.language),
        "wanted": setting.evidence,
    }


def question_by_menu(case: Case, criteria: tuple[str, ...], setting: Setting) -> CriteriaByMenu:
    """The question about a whole report and a few criteria in words."""
    task = case.task
    return CriteriaByMenu(
        language=task.language,
        report=case.report.text,
        query=(task.request or task.prompt) if "query" in setting.shows else None,
        criteria=criteria,
        **given_beside(task, setting),
    )


_AS_NUMBER: Final[Mapping[Language, str]] = {
    "en": "Give the verdict as a bare number, without the quotation marks.",
    "zh": "判断请写成数字本身，不加引号。",
}


def released_question(case: Case, criteria: tuple[str, ...], setting: Setting) -> CriteriaByMenu:
    """`question_by_menu` where a released program reads the answer.

    One that counts numbers alone has to be given numbers.
    """
    asked = question_by_menu(case, criteria, setting)
    if not setting.counts_numbers_only:
        return asked
    told = f"{asked.menu}\n\n{_AS_NUMBER[case.task.language]}"
    return asked.model_copy(update={"menu": told})


def questions_of(setting: Setting) -> MenuQuestions:
    """The questions of a setting; the same for settings that ask the same."""
    menu = tuple((word, each.merit) for word, each in setting.menu.items())
    return _questions(menu, setting.evidence, setting.counts_numbers_only)


_Menu = tuple[tuple[str, float | None], ...]
"""The words of a menu with their merits."""


@lru_cache(maxsize=64)
def _questions(menu: _Menu, wanted: Wanted, numbers: bool) -> MenuQuestions:
    """numbers: whether the released program counts no verdict that is a text."""
    words = [word for word, _ in menu]
    cost = {"none": FRAME, "reason": VERDICT, "quote": GRADE}[wanted]

    def shape(
        inputs: CriteriaByMenu | EvidenceByMenu, form: Form, verdicts: Sequence[Json] = words
    ) -> None:
        form.keys("verdicts", keys_of(inputs.criteria))
        form.override_field("verdict", {"enum": [*verdicts]})
        if wanted == "quote":
            form.at_most("quotes", MOST_QUOTES)

    common: dict[str, Any] = {
        "prompts": PROMPTS,
        "expected": for_each(cost, lambda inputs: len(inputs.criteria)),
    }
    strict: dict[str, Any] = {
        **common,
        "shape": shape,
        "gives": _FORMS[wanted],
        "offline": partial(_by_rule, menu, wanted),
        "check": partial(_check, words),
    }
    raw = _RAW_FORMS[wanted]
    said = {word: number_of(word) if numbers else word for word in words}

    def as_released(inputs: CriteriaByMenu) -> Unchecked:
        verdicts = _by_rule(menu, wanted, inputs).model_dump()["verdicts"]
        for each in verdicts.values():
            each["verdict"] = said[each["verdict"]]
        return raw({"verdicts": verdicts})

    return MenuQuestions(
        Operation("rubrics/judge_by_menu", takes=CriteriaByMenu, quotes=_doubts, **strict),
        Operation("rubrics/judge_by_menu_on_evidence", takes=EvidenceByMenu, **strict),
        Operation(
            "rubrics/judge_by_menu",
            takes=CriteriaByMenu,
            gives=raw,
            shape=partial(shape, verdicts=[*said.values()]),
            reading=read_raw,
            offline=as_released,
            # Where numbers are asked for, texts were, none of which was counted.
            version=2 if numbers else 1,
            **common,
        ),
    )


def number_of(word: str) -> float | str:
    """The number that a word of a menu spells, whole where it is; else the word."""
    try:
        number = float(word)
    except ValueError:
        return word
    if number.is_integer():
        return int(number)
    return number if math.isfinite(number) else word


def _check(
    words: Sequence[str], inputs: CriteriaByMenu | EvidenceByMenu, answer: AnyChoices
) -> None:
    texts = keys_of(inputs.criteria)
    check_complete(answer.verdicts, texts)
    for key, each in answer.verdicts.items():
        allowed = _marks_in(texts[key], inputs.language) or words
        if each.verdict not in allowed:
            raise OffMenu(f"{each.verdict!r} for {key}: give one of {', '.join(allowed)}")
        quotes = each.quotes if isinstance(each, QuotedChoice) else []
        if len(quotes) > MOST_QUOTES:
            raise OffMenu(f"more than {MOST_QUOTES} quotes for {key}: keep those that decide")
        if any(len(quote) > LONGEST_QUOTE for quote in quotes):
            raise OffMenu(f"a quote for {key} is longer than {LONGEST_QUOTE} characters")


def _marks_in(text: str, language: Language) -> list[str]:
    """The verdicts that a criterion has of its own, as `in_words` wrote them; else none."""
    said, beginning = text.rpartition("\n")[2], _TOLD[language]["marks"].format("")
    return said.removeprefix(beginning).split(", ") if said.startswith(beginning) else []


def _wording(text: str, language: Language) -> str:
    """A criterion without the lines that `in_words` wrote below it."""
    beginnings = tuple(told.partition("{")[0] for told in _TOLD[language].values())
    lines = text.split("\n")
    while len(lines) > 1 and lines[-1].startswith(beginnings):
        lines.pop()
    return "\n".join(lines)


def _doubts(inputs: CriteriaByMenu, answer: AnyChoices) -> str:
    absent = [
        quote
        for each in answer.verdicts.values()
        if isinstance(each, QuotedChoice)
        for quote in each.quotes
        if quote_span(inputs.report, quote) is None
    ]
    return ask_for_quotes(absent, "report", inputs.language)


def _by_rule(menu: _Menu, wanted: Wanted, inputs: CriteriaByMenu | EvidenceByMenu) -> AnyChoices:
    """The floor: by how many words of a criterion one passage holds, the verdict of that merit."""
    verdicts: dict[str, dict[str, Json]] = {}
    for key, text in keys_of(inputs.criteria).items():
        shown = inputs.report if isinstance(inputs, CriteriaByMenu) else inputs.quoted(key)
        best = best_passage(shown, _wording(text, inputs.language))
        met = 1.0 if best.share >= DELIVERED else 0.5 if best.share >= PARTLY else 0.0
        merit = met * max(worth for _, worth in menu if worth is not None)
        own = _marks_in(text, inputs.language)
        known = [
            (abs(worth - merit), worth, word)
            for word, worth in menu
            if worth is not None and (not own or word in own)
        ]
        least = min(known, key=lambda each: each[:2])
        verdicts[key] = {"reason": best.found, "verdict": least[2], "quotes": []}
        if wanted == "quote" and merit:
            verdicts[key]["quotes"] = best.quotes
    fields = {"none": ("verdict",), "reason": ("reason", "verdict")}.get(wanted)
    return _FORMS[wanted].model_validate(
        {
            "verdicts": {
                key: {name: each[name] for name in fields or each} for key, each in verdicts.items()
            }
        }
    )


def read_raw(raw: str) -> Json:
    """Any JSON in an answer, as it is, else its text; that of an empty answer is empty."""
    bare = raw.strip().removeprefix("```json").removeprefix("```").removesuffix("```")
    try:
        value = strangers_json(bare)
    except ValueError:
        value = None
    return value if isinstance(value, dict) else {"text": raw.strip()}
