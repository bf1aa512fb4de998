"""The rows of every table, read from a run file one after the other."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Final

from deepassay.reports.report import Report
from deepassay.results.records import Judged
from deepassay.results.tables import Row
from deepassay.results.tidy import item_rows, judgement_rows, page_rows, part_rows, score_row
from deepassay.run.about import about
from deepassay.run.lengths import length_of, measure
from deepassay.runfile import RunFile
from deepassay.score import digest

Digests = Mapping[tuple[str, str, int], str]
"""The digest of each report, by agent, task and sample."""


def task_rows(run: RunFile) -> Iterator[Row]:
    """The tasks in their order, and how much there is to hold their reports against."""
    whole = about(run)
    for number, task in enumerate(whole.tasks.values(), start=1):
        yield {
            "task": task.id,
            "number": number,
            "language": task.language,
            "prompt": task.prompt,
            "checklist": len(task.checklist),
            "rubric": len(task.rubric),
            "ace": len(task.ace or ()),
            "criteria": task.criteria is not None,
            "reference": task.id in whole.references,
        }


def label_rows(run: RunFile) -> Iterator[Row]:
    """Every label of every task."""
    for identifier, task in about(run).tasks.items():
        for label, value in sorted(task.labels.items()):
            yield {"task": identifier, "label": label, "value": value}


def report_rows(run: RunFile) -> Iterator[Row]:
    """The reports with their lengths and their texts."""
    for stored in run.reports():
        report = Report(stored.text, stored.agent, stored.task, stored.sample)
        found = measure(report, {})
        (characters, words, tokens), bare = found.whole, found.bare
        yield {
            "agent": stored.agent,
            "task": stored.task,
            "sample": stored.sample,
            "report": report.digest,
            "characters": characters,
            "words": words,
            "tokens": tokens,
            "characters_without_urls": bare.characters,
            "words_without_urls": bare.words,
            "tokens_without_urls": bare.tokens,
            "citations": found.citations,
            "references": found.references,
            "text": stored.text,
        }


def answer_rows(run: RunFile) -> Iterator[Row]:
    """Every exchange with a model, or with the offline baseline."""
    for answer in run.exchanges():
        used = dict.fromkeys(("input", "output", "cached", "cache_write", "reasoning"), 0)
        yield {
            **vars(answer),
            **(used | answer.usage if answer.usage else {}),
            "answer": answer.key,
            "prompt": answer.prompt_digest,
            "text": answer.raw,
        }


def capture_rows(run: RunFile) -> Iterator[Row]:
    """Every snapshot of a page, and every failure to get one."""
    for capture in run.captures.rows():
        whole = run.captures.to_read(capture.id) or capture
        text = whole.text
        length = None if text is None else length_of(text)
        yield {
            **vars(capture),
            "page": capture.id,
            "kind": capture.failure or "ok",
            "digest": None if text is None else digest(text),
            "characters": length and length.characters,
            "words": length and length.words,
            "text": text,
        }


def digests_of(run: RunFile) -> Digests:
    """The digests of all reports of a run."""
    return {(each.agent, each.task, each.sample): digest(each.text) for each in run.reports()}


def outcome_rows(record: Judged, table: str, digests: Digests) -> Iterator[Row]:
    """The rows of a judgement in one of the tables about judgements."""
    if table == "scores":
        report = digests.get((record.agent, record.task, record.sample))
        yield {**score_row(record), "report": report}
    else:
        yield from OF_OUTCOMES[table](record)


OF_RUNS: Final[Mapping[str, Callable[[RunFile], Iterator[Row]]]] = {
    "tasks": task_rows,
    "labels": label_rows,
    "reports": report_rows,
    "answers": answer_rows,
    "pages": capture_rows,
}
"""Tables that are read from the run file as they stand there."""

OF_OUTCOMES: Final[Mapping[str, Callable[[Judged], Iterator[Row]]]] = {
    "judgements": judgement_rows,
    "parts": part_rows,
    "items": item_rows,
    "page_uses": page_rows,
}
"""Tables that, like `scores`, are made of judgements: all of them in one pass."""
