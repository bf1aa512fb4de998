"""Samples of a log of Inspect: a report, its score, and the questions that the score rests on."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from datetime import date, datetime
from functools import partial
from typing import Literal

from inspect_ai.dataset import Sample
from inspect_ai.event import (
    Event,
    ModelEvent,
    SampleInitEvent,
    ScoreEvent,
    SpanBeginEvent,
    SpanEndEvent,
)
from inspect_ai.log import EvalError, EvalSample, EvalSampleLimit, condense_sample
from inspect_ai.model import (
    ChatCompletionChoice,
    ChatMessage,
    ChatMessageAssistant,
    ChatMessageSystem,
    ChatMessageUser,
    ContentText,
    GenerateConfig,
    ModelOutput,
    ModelUsage,
    StopReason,
)
from inspect_ai.scorer import Score

from deepassay.agents.agent import Stop
from deepassay.errors import BadRunFile
from deepassay.files import without_surrogates
from deepassay.models.ask import Answer, ReplayAsker, key_of
from deepassay.models.operation import In, Operation, Out
from deepassay.models.prompt import Prompt
from deepassay.protocols.protocol import Role
from deepassay.reports.report import Report
from deepassay.results.records import Judged
from deepassay.run.showing.contents import metrics_of
from deepassay.run.showing.replay import outcome_of
from deepassay.run.showing.yardsticks import about, agent_runs, protocol_for, with_run
from deepassay.runfile import AgentRun, RunFile, StoredAnswer, StoredScore
from deepassay.score import Json, Unscored, digest, report_key, to_json, without_options
from deepassay.wings.bridges.inspect.client import Memory
from deepassay.wings.bridges.inspect.outcomes import inspect_score_of
from deepassay.wings.bridges.inspect.reading import METADATA, REPORT

_STOPS: dict[str, StopReason] = {
    Stop.TRUNCATED: "max_tokens",
    Stop.REFUSED: "content_filter",
}
_LIMITS: dict[str, Literal["time", "operator", "custom"]] = {
    Stop.TIME: "time",
    Stop.CANCELLED: "operator",
    Stop.BUDGET: "custom",
}
_FINISHES: dict[str | None, StopReason] = {
    "stop": "stop",
    "length": "max_tokens",
    "refusal": "content_filter",
}


@dataclass(frozen=True)
class LoggedExchange:
    """A question as it was sent, and what came back. role: in which it was asked."""

    role: Role
    prompt: Prompt
    answer: StoredAnswer


class Witness(ReplayAsker):
    """A model as the run file remembers it; what it is asked is noted."""

    def __init__(
        self,
        seen: dict[str, LoggedExchange],
        run: RunFile,
        identity: Mapping[str, Json],
        role: Role,
    ) -> None:
        super().__init__(run, identity)
        self._seen = seen
        self._role = role

    async def __call__(
        self, operation: Operation[In, Out], inputs: In, *, repeat: int = 0, most: int | None = None
    ) -> Answer[Out] | Unscored:
        """What was answered. Raises BadRunFile if this was never asked."""
        key = key_of(operation, inputs, self.identity, repeat)
        if key not in self._seen and (stored := self._run.answer(key)) is not None:
            prompt = operation.render(inputs, self._run.salt)
            self._seen[key] = LoggedExchange(self._role, prompt, stored)
        return await super().__call__(operation, inputs, repeat=repeat)


class Samples:
    """The samples of one run. time: of all that they say, the day of the run."""

    def __init__(self, run: RunFile) -> None:
        self._run = run
        metrics = metrics_of(run)
        self._protocols = {name: protocol_for(metric) for name, metric in metrics.items()}
        self._whole = about(run, metrics)
        self._texts = {report_key(each): each.text for each in run.reports()}
        self._runs = agent_runs(run)
        self._unwritten = {
            report_key(each): each.run for each in run.answering.runs() if each.run.report is None
        }
        self._repeats = run.configuration.get("repeat", 1)
        self._day = date.fromisoformat(run.configuration["date"])
        self.time = f"{self._day.isoformat()}T00:00:00+00:00"

    def uid(self, *parts: object) -> str:
        """An identifier of something of this run: the same whenever it is asked for."""
        return digest(["inspect", self._run.salt, *map(str, parts)])[:22]

    def model_of(self, agent: str) -> str:
        """The agent as the model that a log is of; Inspect has one provider that never answers."""
        return f"none/{agent}"

    def sample(self, record: Judged) -> EvalSample:
        """One judgement. Its epoch counts answers of the agent and judgements of each."""
        place = report_key(record)
        report = with_run(Report(self._texts.get(place, ""), *place), self._runs)
        if place not in self._texts:
            report = report.but(run=self._unwritten.get(place))
        run = report.run
        exchanges = self._exchanges(record, report) if report.text else []
        stored = _stored(record)
        found = inspect_score_of(
            stored, without_options(record.protocol), bool(report.text.strip()), {}
        )
        output = self._output(record, report)
        prompt = ChatMessageUser(content=self._prompt(record), id=self._uid(record, "prompt"))
        used = self._used(record, report, exchanges)
        failed = run.detail if run and run.stop == Stop.FAILED else ""
        return condense_sample(
            EvalSample(
                id=record.task,
                epoch=(record.sample - 1) * self._repeats + record.repeat + 1,
                uuid=self._uid(record, "sample"),
                input=self._prompt(record),
                target="",
                messages=[prompt, *(each.message for each in output.choices)],
                output=output,
                scores={without_options(record.protocol): found},
                metadata=self._metadata(record, report),
                events=self._events(record, exchanges, found),
                error=EvalError(message=failed, traceback="", traceback_ansi="")
                if failed
                else None,
                limit=_limit(run) if run else None,
                started_at=self.time,
                completed_at=self.time,
                total_time=(run.seconds or None) if run else None,
                model_usage=used[0],
                role_usage=used[1],
            )
        )

    def _uid(self, record: Judged, *parts: object) -> str:
        place = (record.protocol, record.agent, record.task, record.sample, record.repeat)
        return self.uid(*parts, *place)

    def _prompt(self, record: Judged) -> str:
        return self._whole.tasks[record.task].on(self._day).prompt

    def _output(self, record: Judged, report: Report) -> ModelOutput:
        """The report; nothing where there is none."""
        if not report.text:
            return ModelOutput(model=self.model_of(record.agent))
        message = ChatMessageAssistant(
            content=without_surrogates(report.text), id=self._uid(record, "report")
        )
        stop = _STOPS.get(report.run.stop, "stop") if report.run else "stop"
        choice = ChatCompletionChoice(message=message, stop_reason=stop)
        return ModelOutput(model=self.model_of(record.agent), choices=[choice])

    def _metadata(self, record: Judged, report: Report) -> dict[str, Json]:
        """What is known of task and report; a task can be made of it, to score the log again."""
        task = self._whole.tasks[record.task]
        known = task.model_dump(mode="json", exclude={"id", "prompt", "reference"})
        reference = self._whole.references.get(record.task)
        own = known | ({"reference": reference.text} if reference else {})
        run = {"stop": str(report.run.stop), "detail": report.run.detail} if report.run else {}
        return {
            **{f"{METADATA}{name}": value for name, value in own.items() if value},
            "sample": record.sample,
            "repeat": record.repeat,
            REPORT: report.digest if report_key(record) in self._texts else None,
            **run,
        }

    def _exchanges(self, record: Judged, report: Report) -> list[LoggedExchange]:
        """What the score rests on; nothing where its protocol is gone, or asks otherwise today."""
        protocol = self._protocols[record.protocol]
        if protocol is None or "judges" not in record.signature.identity:
            return []
        for verdicts in (Memory(""), self._run.verdicts):
            seen: dict[str, LoggedExchange] = {}
            remembering = partial(Witness, seen)
            outcome = outcome_of(
                self._run,
                self._whole,
                protocol,
                _stored(record),
                report,
                self._day,
                remembering,
                verdicts,
            )
            # What another score had asked of a page before, this one did not ask again.
            with suppress(BadRunFile):
                asyncio.run(outcome)
                return list(seen.values())
        return []

    def _events(
        self, record: Judged, exchanges: Iterable[LoggedExchange], found: Score
    ) -> list[Event]:
        """The events of a scorer. Inspect's viewer shows none outside of this shape."""
        name = without_options(record.protocol)
        outer, inner = self._uid(record, "scorers"), self._uid(record, "scorer")

        def common(what: str, span: str | None = None) -> dict[str, Json]:
            uid = self._uid(record, "event", what)
            return {"uuid": uid, "timestamp": self.time, "working_start": 0.0, "span_id": span}

        return [
            SampleInitEvent(
                sample=Sample(input=self._prompt(record), id=record.task),
                state={},
                **common("init"),
            ),
            SpanBeginEvent(id=outer, name="scorers", type="scorers", **common("begin", outer)),
            SpanBeginEvent(
                id=inner, parent_id=outer, name=name, type="scorer", **common("scorer", inner)
            ),
            *(
                self._asked(each, common(f"asked {number}", inner))
                for number, each in enumerate(exchanges)
            ),
            ScoreEvent(score=found, scorer=name, **common("score", inner)),
            SpanEndEvent(id=inner, **common("end of scorer", inner)),
            SpanEndEvent(id=outer, **common("end", outer)),
        ]

    def _asked(self, exchange: LoggedExchange, common: dict[str, Json]) -> ModelEvent:
        """A question and its answer. The report is a block of its own, and kept once a sample."""
        prompt, answer = exchange.prompt, exchange.answer
        blocks = filter(None, (prompt.material, prompt.question))
        messages: list[ChatMessage] = [
            ChatMessageUser(
                content=[ContentText(text=without_surrogates(each)) for each in blocks],
                id=f"{common['uuid']}-q",
            )
        ]
        if prompt.system:
            system = ChatMessageSystem(content=prompt.system, id=f"{common['uuid']}-s")
            messages.insert(0, system)
        said = ChatMessageAssistant(
            content=without_surrogates(answer.raw), id=f"{common['uuid']}-a"
        )
        stop = _FINISHES.get(answer.finish_reason, "stop")
        output = ModelOutput(
            model=answer.served_model or answer.model,
            choices=[ChatCompletionChoice(message=said, stop_reason=stop)],
            usage=_usage(answer) if answer.usage else None,
        )
        return ModelEvent(
            model=answer.model,
            role=exchange.role,
            input=messages,
            tools=[],
            tool_choice="none",
            config=GenerateConfig(),
            output=output,
            retries=max(0, answer.attempts - 1) or None,
            error=f"{answer.cause}: {answer.detail}" if answer.cause else None,
            completed=datetime.fromisoformat(self.time),
            **common,
        )

    def _used(
        self, record: Judged, report: Report, exchanges: Iterable[LoggedExchange]
    ) -> tuple[dict[str, ModelUsage], dict[str, ModelUsage]]:
        """Tokens by model, the agent's among them, and by role."""
        models: dict[str, ModelUsage] = {}
        roles: dict[str, ModelUsage] = {}
        if report.run and (own := report.run.tokens):
            models[self.model_of(record.agent)] = _tokens(own, report.run.cost)
        for each in exchanges:
            if each.answer.usage:
                used = _usage(each.answer)
                models[each.answer.model] = models.get(each.answer.model, ModelUsage()) + used
                roles[each.role] = roles.get(each.role, ModelUsage()) + used
        return models, roles

    @staticmethod
    def usage_of(several: Iterable[Mapping[str, ModelUsage]]) -> dict[str, ModelUsage]:
        """The usage of each model, added up over several samples."""
        total: dict[str, ModelUsage] = {}
        for each in several:
            for name, used in each.items():
                total[name] = total.get(name, ModelUsage()) + used
        return total


def _limit(run: AgentRun) -> EvalSampleLimit | None:
    """Of a run that a limit ended, which. What it was is known of time alone, near enough; of the
    others stands 1, as Inspect has it of a sample that somebody stopped.
    """
    kind = _LIMITS.get(run.stop)
    most = run.seconds if kind == "time" else 1
    return EvalSampleLimit(type=kind, limit=most, reason=run.detail) if kind else None


def _stored(record: Judged) -> StoredScore:
    """A judgement as the run file keeps it, with the whole of its recipe."""
    place = (record.protocol, record.agent, record.task, record.sample, record.repeat)
    outcome, signature = to_json(record.outcome), record.signature
    return StoredScore("", *place, outcome, dict(signature.identity), dict(signature.record))


def _usage(answer: StoredAnswer) -> ModelUsage:
    return _tokens(answer.usage, answer.cost)


def _tokens(used: Mapping[str, int], cost: float | None) -> ModelUsage:
    """Tokens in Inspect's way, whose input leaves the cached ones out."""
    cached, written = used.get("cached", 0), used.get("cache_write", 0)
    sent, output = used.get("input", 0), used.get("output", 0)
    return ModelUsage(
        input_tokens=max(0, sent - cached - written),
        output_tokens=output,
        total_tokens=sent + output,
        input_tokens_cache_read=cached or None,
        input_tokens_cache_write=written or None,
        reasoning_tokens=used.get("reasoning"),
        total_cost=cost,
    )
