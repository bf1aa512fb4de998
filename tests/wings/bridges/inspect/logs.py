"""Logs of Inspect as an evaluation writes them, made without one, and their scores read back."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from inspect_ai.log import (
    EvalConfig,
    EvalDataset,
    EvalLog,
    EvalResults,
    EvalSample,
    EvalSpec,
    EvalStats,
    read_eval_log,
    write_eval_log,
)
from inspect_ai.model import (
    ChatCompletionChoice,
    ChatMessageAssistant,
    ChatMessageUser,
    Content,
    Model,
    ModelOutput,
    ModelUsage,
    StopReason,
    get_model,
)
from inspect_ai.scorer import Score

from tests.judging import verdicts

DAY = "2026-11-20T10:00:00+00:00"

REPORT = """# Heat pumps

<script>alert(1)</script>

Heat pumps save energy in most homes [1]. They cost more to install than boilers [1].

## References

[1] https://example.org/pumps
"""

CHECKLIST = ["Does the report say whether heat pumps save energy?", "Does it compare the costs?"]


def output(content: str | list[Content], stop: StopReason = "stop") -> ModelOutput:
    """What a model wrote."""
    message = ChatMessageAssistant(content=content)
    return ModelOutput(
        model="writer", choices=[ChatCompletionChoice(message=message, stop_reason=stop)]
    )


def sample(
    name: str | int,
    report: str | list[Content] = REPORT,
    *,
    epoch: int = 1,
    prompt: str = "Are heat pumps worth it?",
    stop: StopReason = "stop",
    metadata: Mapping[str, Any] | None = None,
    **more: Any,
) -> EvalSample:
    """One sample with its report."""
    written = output(report, stop)
    asked = ChatMessageUser(content=prompt)
    return EvalSample(
        id=name,
        epoch=epoch,
        uuid=f"sample-{name}-{epoch}",
        input=prompt,
        target="",
        messages=[asked, written.message],
        output=written,
        metadata=dict(metadata or {}),
        **more,
    )


def log_of(samples: Sequence[EvalSample], **spec: Any) -> EvalLog:
    """A finished evaluation of these samples, not scored yet."""
    given = {"model": "mockllm/writer"} | spec
    return EvalLog(
        version=2,
        status="success",
        eval=EvalSpec(
            eval_id="eval-1",
            run_id="run-1",
            task_id="task-1",
            created=DAY,
            task="pumps",
            dataset=EvalDataset(
                name="pumps",
                samples=len(samples),
                sample_ids=list(dict.fromkeys(each.id for each in samples)),
            ),
            config=EvalConfig(epochs=max((each.epoch for each in samples), default=1)),
            **given,
        ),
        results=EvalResults(total_samples=len(samples), completed_samples=len(samples)),
        stats=EvalStats(started_at=DAY, completed_at=DAY),
        samples=list(samples),
    )


def written(log: EvalLog, path: Path) -> Path:
    """The log as a file."""
    write_eval_log(log, str(path))
    return path


def scores_in(path: Path, name: str) -> dict[str, Score]:
    """The scores of one scorer, by sample."""
    samples = read_eval_log(str(path)).samples or []
    return {str(each.id): (each.scores or {})[name] for each in samples}


Answerer = Callable[[list[dict[str, str]]], ModelOutput | Exception]
"""What a model gives for the messages that it was sent."""


def right(messages: list[dict[str, str]]) -> ModelOutput:
    """An answer that fits the question."""
    return output(verdicts({"messages": messages}))


def model(name: str, answer: Answerer = right) -> Model:
    """A model of Inspect that answers without any network.

    It says what it used: else Inspect counts tokens with a library that downloads its tables.
    """

    def answered(messages: Any, *_: Any) -> ModelOutput:
        found = answer([{"role": each.role, "content": each.text} for each in messages])
        if isinstance(found, Exception):
            raise found
        found.usage = ModelUsage(input_tokens=900, output_tokens=90, total_tokens=990)
        return found

    return get_model(f"mockllm/{name}", custom_outputs=answered, memoize=False)
