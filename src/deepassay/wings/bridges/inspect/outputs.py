"""What a model answered inside Inspect, as a report: its citations in the text and a list."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Final

from deepassay.reports.answers import (
    Annotation,
    AnswerPart,
    ProviderAnswer,
    Source,
    answer_as_markdown,
    answer_of,
)

if TYPE_CHECKING:
    from inspect_ai.model import ModelOutput

_LONGEST_TITLE: Final = 1000


def report_of_output(output: ModelOutput) -> tuple[str, str]:
    """The report as Markdown, its citations in the text and a list; and what was done to it.

    Inspect puts a line end between the blocks of an answer, which may part a sentence with
    citations: such an answer is put together anew.
    """
    content = output.message.content if output.choices else ""
    if isinstance(content, str):
        return output.completion, ""
    blocks = [each for each in content if each.type in ("text", "tool_use")]
    answer = _answer([each.model_dump() for each in blocks])
    if answer is None:
        return output.completion, ""
    report = answer_as_markdown(answer)
    return report.text, report.by


def _answer(blocks: Sequence[dict[str, Any]]) -> ProviderAnswer | None:
    """What cites addresses, in the shape of the interface that it came from; None if nothing does.

    A citation with a stretch of offsets stands in its block, one that quotes its source is of the
    whole block, and one with neither is an entry of a list.
    """
    cited = [each for block in blocks for each in _addresses(block)]
    if not cited:
        return None
    if any(isinstance(each["cited_text"], str) for each in cited):
        content = [{**block, "citations": _addresses(block)} for block in blocks]
        return answer_of({"type": "message", "role": "assistant", "content": content})
    texts = [block for block in blocks if block["type"] == "text"]
    if not any(each["cited_text"] for each in cited):
        parts = tuple(AnswerPart(block["text"]) for block in texts)
        return ProviderAnswer("text", parts, tuple(map(_source, cited)))
    return ProviderAnswer(
        "responses",
        tuple(
            AnswerPart(block["text"], tuple(map(_annotation, _addresses(block)))) for block in texts
        ),
    )


def _addresses(block: dict[str, Any]) -> list[dict[str, Any]]:
    cited = [each for each in block.get("citations") or () if each["type"] == "url"]
    return [each for each in cited if Source(each["url"]).url]


def _source(citation: dict[str, Any]) -> Source:
    return Source(citation["url"], " ".join((citation["title"] or "").split())[:_LONGEST_TITLE])


def _annotation(citation: dict[str, Any]) -> Annotation:
    start, end = citation["cited_text"] or (None, None)
    return Annotation((_source(citation),), start, end)
