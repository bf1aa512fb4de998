"""From what an agent gave to what came of it: the report in Markdown, or why there is none.

Agents return failures as reports, with exit status 0 (an error in words, an empty text, a question
to the user). Such a text is never a report.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import Any, Final

from deepassay.agents.agent import Stop
from deepassay.files import strangers_json, without_surrogates
from deepassay.reports.answers import (
    AnswerPart,
    ProviderAnswer,
    Source,
    answer_as_markdown,
    answer_of,
)
from deepassay.reports.numbering import same_but_citations, standard
from deepassay.reports.report import Report
from deepassay.runfile import AgentRun
from deepassay.score import Json

SHORT: Final = 600
"""Characters below which a text without citation or heading that ends in a question asks back."""

FEW: Final = 400
"""Characters below which a report is said to be short."""

_TEXTS: Final = ("report", "final_report", "output", "answer", "text")
"""Where a mapping of no known interface has its report."""

_FAILURES: Final[Sequence[tuple[Stop, re.Pattern[str]]]] = (
    (
        Stop.FAILED,
        re.compile(
            r"error generating (?:the )?(?:final )?report\b|token limit exceeded|"
            r"maximum (?:number of )?retries exceeded|no answer found\b|"
            r"sorry, the number of llm calls exceeds|agent stopped due to|"
            r"reached max(?:imum)? (?:steps|iterations)|traceback \(most recent call last\)|"
            r"(?:internal server|api|rate ?limit|timeout|connection) error\b|error: |错误[:：]|"
            r"生成(?:最终)?报告(?:时)?(?:出错|出现错误|发生错误|失败)|(?:未|没有)找到(?:任何)?答案|"
            r"(?:已)?(?:超出|超过)(?:了)?(?:最大)?(?:令牌|上下文|token|重试|调用)|"
            r"(?:已)?达到最大(?:步数|迭代|重试)|(?:请求|调用)(?:失败|超时)",
            re.IGNORECASE,
        ),
    ),
    (
        Stop.REFUSED,
        re.compile(
            r"(?:i['’]m sorry|i am sorry|sorry),? (?:but )?i (?:can(?:no|['’])t|am unable|"
            r"am not able)|i can(?:no|['’])t (?:help|assist|comply)|i am unable to (?:help|assist)"
            r"|(?:很)?(?:抱歉|对不起)[，,]?我(?:无法|不能)",
            re.IGNORECASE,
        ),
    ),
)


def concluded(
    answer: str | ProviderAnswer,
    *,
    raw: str | None = None,
    addresses: Sequence[tuple[str, str]] = (),
    cut: bool = False,
    standard_form: bool = False,
    usage: Mapping[str, int] | None = None,
    cost: float | None = None,
    record: Mapping[str, Json] | None = None,
) -> AgentRun:
    """What came of an answer.

    answer: text, or an answer of a provider with its annotations (`reports.answers`). raw: as it
    came, by default the text. addresses: pairs of a beginning and what stands in its place, for
    agents that cite a sandbox or local files. cut: whether it was cut off. standard_form:
    set citations as DeepResearch Bench does, unless other words would change. The seconds are set
    by whoever measured them.
    """
    whole = (
        answer
        if isinstance(answer, ProviderAnswer)
        else ProviderAnswer("text", (AnswerPart(answer),))
    )
    text, steps = _normalised(whole, addresses, standard_form)
    stop, detail = _stop(text)
    if cut and stop is Stop.DONE:
        stop, detail = Stop.TRUNCATED, "The report was cut off."
    is_report = stop in (Stop.DONE, Stop.TRUNCATED)
    said = dict(record or {})
    if is_report and len(text.strip()) < FEW:
        said["short"] = len(text.strip())
    return AgentRun(
        report=text if is_report else None,
        stop=stop.value,
        detail=detail,
        raw=without_surrogates(whole.text if raw is None else raw),
        steps=steps,
        usage=usage,
        cost=cost,
        sources=sources_of(text) if is_report else (),
        record=said,
    )


def _normalised(
    answer: ProviderAnswer, addresses: Sequence[tuple[str, str]], standard_form: bool
) -> tuple[str, tuple[str, ...]]:
    """The answer as Markdown, and the steps to it."""
    text, steps = answer_as_markdown(answer)
    for beginning, instead in addresses:
        if beginning in text:
            text = text.replace(beginning, instead)
            steps = (*dict.fromkeys((*steps, "map")),)
    if standard_form:
        formed = standard(text).text
        if formed != text and same_but_citations(text, formed):
            text, steps = formed, (*steps, "standard")
    return without_surrogates(text), steps


def read_answer(text: str) -> str | ProviderAnswer:
    """The answer in what a program wrote: JSON that `answer_of_value` knows, or the text itself.

    Of JSON that says an error, or nothing where its report belongs, that is the text.
    """
    if text.lstrip()[:1] in ("{", "["):
        value = None
        with suppress(ValueError):
            value = strangers_json(text)
            return answer_of_value(value)
        if isinstance(value, Mapping) and value.get("error"):
            return f"Error: {value['error']}"
        if isinstance(value, Mapping) and any(name in value for name in _TEXTS):
            return ""
    return text


def answer_of_value(value: Any) -> str | ProviderAnswer:  # noqa: ANN401 - whatever a program returns
    """The answer in a value: a text, or a mapping of a known interface or with a text of ours.

    Raises ValueError where there is none.
    """
    if isinstance(value, str):
        return value
    if (found := answer_of(value)) is not None:
        return found
    if isinstance(value, Mapping):
        for name in _TEXTS:
            if isinstance(value.get(name), str):
                return ProviderAnswer(
                    "text", (AnswerPart(value[name]),), _sources(value.get("sources"))
                )
    raise ValueError(f"no answer in a {type(value).__name__}")


def _sources(given: object) -> tuple[Source, ...]:
    several = given if isinstance(given, list) else []
    return tuple(Source(each) for each in several if isinstance(each, str))


def sources_of(text: str) -> tuple[str, ...]:
    """The addresses that a report cites or lists, each once, in reading order."""
    report = Report(text)
    cited = [url for each in report.resolved for url in each.urls]
    listed = [url for each in report.references for url in each.urls]
    return tuple(dict.fromkeys([*cited, *listed]))


def _stop(text: str) -> tuple[Stop, str]:
    """How a run ended that gave this text."""
    bare = text.strip()
    if not bare:
        return Stop.FAILED, "It returned an empty text."
    first = bare[:300]
    for stop, pattern in _FAILURES:
        if pattern.match(first.lstrip("#*_ \n")) and len(bare) < 4 * SHORT:
            return stop, f"It returned: {' '.join(first.split())[:200]}"
    if _asks_back(bare):
        return Stop.ASKED_BACK, f"It asked: {' '.join(bare.split())[-200:]}"
    return Stop.DONE, ""


def _asks_back(text: str) -> bool:
    """Whether the text is a question to the user: short, ending so, without citation or heading."""
    if len(text) >= SHORT or not text.endswith(("?", "？")):
        return False
    report = Report(text)
    return not report.citations and not any(each.kind == "heading" for each in report.blocks)
