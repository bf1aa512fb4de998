"""Runs in the format of Every Eval Ever 0.3: for each agent a file of results and one of samples.

The schema is at https://github.com/evaleval/every_eval_ever. It has no place for what is unscored:
such a judgement has no row, is counted beside the mean, and is never a zero.
"""

from __future__ import annotations

import hashlib
import json
import re
import uuid
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from datetime import UTC, date, datetime
from functools import cached_property
from pathlib import Path, PurePosixPath
from typing import Final

from deepassay import __version__
from deepassay.errors import BadSetting
from deepassay.files import without_surrogates
from deepassay.protocols.protocol import Protocol
from deepassay.results.leads import some
from deepassay.results.outlines import Extent
from deepassay.results.ranking import Board, rank
from deepassay.results.records import Judged
from deepassay.results.standings import Standing
from deepassay.results.tables import several
from deepassay.run.showing.boards import read_scores
from deepassay.run.showing.contents import metrics_of
from deepassay.run.showing.output import check_output, fresh_output
from deepassay.run.showing.records import Judgements, each_run
from deepassay.run.showing.yardsticks import about, protocol_for
from deepassay.runfile import RunFile
from deepassay.score import Json, Metric, Score, digest

SCHEMA: Final = "0.3.0"
UNKNOWN: Final = "unknown"
NOT_SAID: Final = {"deployment_type": UNKNOWN, "model_availability": UNKNOWN}
NO_TEXT: Final = "sha256:"
"""What stands before the digest of a text that is not published."""

MOST_BYTES: Final = 120
"""Of a part of a path; some systems count all parts together."""

_UNFIT: Final = re.compile(r'[<>:"/\\|?*\x00-\x1f\x7f]')
_RESERVED: Final = re.compile(r"(con|prn|aux|nul|com\d|lpt\d)(\.|$)|data$|unknown$", re.IGNORECASE)


@dataclass(frozen=True)
class PublishedFiles:
    """What was written. samples: how many, by the file of results. unscored: judgements that have
    no sample. unnamed: agents whose model nobody named. without: agents that have no score.
    """

    samples: Mapping[str, int]
    unscored: int
    unnamed: Sequence[str]
    without: Sequence[str]

    def lines(self, output: Path) -> Iterator[str]:
        """What was written and what was left out, for a person."""
        rows = sum(self.samples.values())
        yield (
            f"Wrote {several(len(self.samples), 'file')} of results with {several(rows, 'sample')} "
            f"into {output}. Left out: {several(self.unscored, 'unscored judgement')}"
            + (f", and {some(self.without)}, of whom nothing is scored." if self.without else ".")
        )
        if self.unnamed:
            yield (
                f"Nobody said which models are behind {some(self.unnamed)}: the developer stands "
                "there as unknown. --model-of AGENT=DEVELOPER/MODEL says it."
            )


@dataclass(frozen=True)
class Publishing:
    """What a run file does not say of itself.

    organisation: who publishes. relationship: of whoever judged to whoever made the models, as the
    format has it. models: of each agent, `DEVELOPER/MODEL`. texts: with prompts and reports.
    """

    organisation: str = UNKNOWN
    relationship: str = "other"
    models: Mapping[str, str] | None = None
    texts: bool = False

    def model_of(self, agent: str) -> str:
        """The identifier of an agent's model. It is never invented."""
        return (self.models or {}).get(agent) or f"{UNKNOWN}/{as_part(agent)}"


def models_given(given: Sequence[str]) -> dict[str, str]:
    """What `--model-of AGENT=DEVELOPER/MODEL` says. Raises BadSetting for anything else."""
    found = {}
    for each in given:
        agent, _, model = each.rpartition("=")
        parts = model.split("/")
        if not agent or len(parts) < 2 or any(as_part(part) != part for part in parts):
            raise BadSetting(
                f"--model-of {each} is not AGENT=DEVELOPER/MODEL.",
                "For example: --model-of heron=qwen/qwen3-32b.",
            )
        found[agent] = model
    return found


def as_part(name: str) -> str:
    """A name as a part of a path on every system; what does not fit is replaced by `_`."""
    text = _UNFIT.sub("_", without_surrogates(name)).strip().rstrip(". ") or "_"
    if len(text.encode()) > MOST_BYTES:
        short = text.encode()[: MOST_BYTES - 13].decode(errors="ignore")
        text = f"{short}-{digest(name)[:12]}"
    return f"_{text}" if _RESERVED.match(text) else text


def write_every_eval_ever(
    paths: Sequence[Path], output: Path, publishing: Publishing, *, force: bool = False
) -> PublishedFiles:
    """Write what runs say into a folder that has the layout of the collection.

    All files are written or none, the same for the same run. Raises BadSetting for a file that is
    there (unless `force`) or a model of an agent that nobody has, BadRunFile for a run that cannot
    be read.
    """
    samples: dict[str, int] = {}
    agents: set[str] = set()
    scored: set[str] = set()
    unscored = 0
    with ExitStack() as replaced:
        for run in each_run(paths):
            boards = rank(read_scores([run.path]))
            for agent in sorted({row.agent for board in boards for row in board.standings}):
                agents.add(agent)
                published = PublishedRun(run, boards, agent, publishing)
                files = published.files()
                unscored += published.unscored
                if not published.results:
                    continue
                scored.add(agent)
                for name, text in files.items():
                    check_output(output / name, paths, force=force)
                    fresh = replaced.enter_context(fresh_output(output / name))
                    fresh.write_text(text, encoding="utf-8")
                samples[published.place] = published.rows
        models = publishing.models or {}
        if strange := sorted(models.keys() - agents):
            raise BadSetting(
                f"--model-of names {strange[0]}, and no report is of that agent.",
                f"Agents: {', '.join(sorted(agents))}.",
            )
    return PublishedFiles(
        samples, unscored, sorted(scored - models.keys()), sorted(agents - scored)
    )


class PublishedRun:
    """What one run says of one agent.

    rows: how many samples `files` has. unscored: how many judgements have none.
    """

    def __init__(
        self, run: RunFile, boards: Sequence[Board], agent: str, publishing: Publishing
    ) -> None:
        self._run = run
        self._agent = agent
        self._publishing = publishing
        self._day = date.fromisoformat(run.configuration["date"])
        self._model = publishing.model_of(agent)
        self._metrics = metrics_of(run)
        self._whole = about(run, self._metrics)
        self._standings = [
            (board, row) for board in boards for row in board.standings if row.agent == agent
        ]
        self.rows = 0
        self.unscored = 0

    @cached_property
    def results(self) -> list[Json]:
        """A result for each protocol by which anything of the agent was scored."""
        return [
            self._result(board, row)
            for board, row in self._standings
            if row.summary.mean is not None
        ]

    @cached_property
    def place(self) -> str:
        """Where the file of results goes, by what it is of: the same run has the same name."""
        own = digest(["every eval ever", self._run.salt, self._agent, self._model])
        name = uuid.UUID(bytes=bytes.fromhex(own)[:16], version=4)
        developer, *model = self._model.split("/")
        run = as_part(self._run.path.stem)
        return str(PurePosixPath("data", run, developer, "_".join(model), f"{name}.json"))

    def files(self) -> dict[str, str]:
        """The text of each file by its path."""
        samples = self.place.removesuffix(".json") + "_samples.jsonl"
        # Escapes alone: U+2028 and its like end a line for some who read lines.
        lines = "".join(f"{json.dumps(each, allow_nan=False)}\n" for each in self._samples())
        whole = {
            "schema_version": SCHEMA,
            "evaluation_id": self._id,
            "evaluation_timestamp": self._day.isoformat(),
            "retrieved_timestamp": self._retrieved,
            "source_metadata": {
                "source_name": "DeepAssay",
                "source_type": "evaluation_run",
                "source_organization_name": self._publishing.organisation,
                "evaluator_relationship": self._publishing.relationship,
            },
            "eval_library": {"name": "deepassay", "version": __version__},
            "model_info": {
                "name": self._agent,
                "id": self._model,
                "additional_details": {**NOT_SAID, "agent_scaffold": self._agent},
            },
            "evaluation_results": self.results,
            "detailed_evaluation_results": {
                "format": "jsonl",
                "file_path": samples,
                "hash_algorithm": "sha256",
                "checksum": hashlib.sha256(lines.encode()).hexdigest(),
                "total_rows": self.rows,
            },
        }
        return {self.place: json.dumps(whole, indent=1, allow_nan=False) + "\n", samples: lines}

    @property
    def _retrieved(self) -> str:
        """The day of the run, in seconds: the clock would make another file every time."""
        day = datetime(self._day.year, self._day.month, self._day.day, tzinfo=UTC)
        return str(int(day.timestamp()))

    @property
    def _id(self) -> str:
        run = as_part(self._run.path.stem)
        return f"{run}/{self._model}/{self._retrieved}/{self._run.salt}"

    def _result(self, board: Board, row: Standing) -> Json:
        whole, (recipe,) = row.summary, board.recipes
        ends = whole.interval
        uncertainty: dict[str, Json] = {"num_samples": whole.tasks.scored}
        if ends is not None:
            uncertainty["confidence_interval"] = {
                "lower": ends.low,
                "upper": ends.high,
                "confidence_level": 0.95,
                "method": "Student's t over tasks",
            }
        details = {
            "judgements scored": whole.judgements.scored,
            "judgements expected": whole.judgements.expected,
            "tasks expected": whole.tasks.expected,
            "unscored": dict(whole.causes),
            "bounds": whole.bounds,
            "parts": {name: each.mean for name, each in whole.parts.items()},
            "agreement of judges": whole.judge_agreement,
            "reference": row.reference,
        }
        return {
            "evaluation_result_id": f"{board.protocol}/{recipe.digest}",
            "evaluation_name": board.protocol,
            "evaluation_timestamp": self._day.isoformat(),
            "source_data": {
                "dataset_name": as_part(self._run.path.stem),
                "source_type": "other",
                "samples_number": str(len(self._whole.tasks)),
            },
            "metric_config": self._metric(board, row),
            "score_details": {
                "score": whole.mean,
                "details": {key: json.dumps(each) for key, each in details.items()},
                "uncertainty": uncertainty,
            },
        }

    def _metric(self, board: Board, row: Standing) -> Json:
        metric = self._metrics.get(board.protocol) or Metric(board.protocol)
        (recipe,) = board.recipes
        limits, mean = board.limits, row.summary.mean or 0.0
        found: dict[str, Json] = {
            "metric_id": f"deepassay.{board.protocol}",
            "metric_name": metric.title or board.protocol,
            "evaluation_description": metric.source,
            "metric_unit": "proportion" if limits and limits[1] == 1 else "points",
            "lower_is_better": False,
            "score_type": "continuous",
            # A mean of floats may lie a bit beyond what each of them may be.
            "min_score": min(limits.low, mean) if limits else "-Infinity",
            "max_score": max(limits.high, mean) if limits else "Infinity",
            "additional_details": {
                "recipe": recipe.digest,
                "signature": str(recipe),
                "edition": recipe.edition,
            },
        }
        judges = [
            each
            for each in recipe.identity.get("judges", ())
            if each["model"] not in ("none", "offline")
        ]
        protocol = protocol_for(metric)
        averages = protocol is not None and type(protocol).combine is Protocol.combine
        if judges:
            found["llm_scoring"] = {
                "judges": [_judge(each) for each in judges],
                "input_prompt": f"prompts of DeepAssay, digest {recipe.identity.get('prompts')}",
                **({"aggregation_method": "average"} if len(judges) > 1 and averages else {}),
            }
        return found

    def _samples(self) -> Iterator[Json]:
        judgements = Judgements(self._run)
        self.rows = self.unscored = 0
        for board, _ in self._standings:
            result = f"{board.protocol}/{board.recipes[0].digest}"
            for each in judgements.every(Extent.WORDS, [board.protocol], [self._agent]):
                if isinstance(each.outcome, Score):
                    self.rows += 1
                    yield self._sample(each, each.outcome, result)
                else:
                    self.unscored += 1

    def _sample(self, record: Judged, score: Score, result: str) -> Json:
        task = self._whole.tasks[record.task].on(self._day)
        stored = self._run.report(record.agent, record.task, record.sample)
        asked, told = task.prompt, stored.text if stored else ""
        about_it = {
            "task": record.task,
            "recipe": record.signature.digest,
            "lowest": score.bounds[0] if score.bounds else None,
            "highest": score.bounds[1] if score.bounds else None,
            "parts": score.parts or None,
            "tally": score.tally,
            "open": score.details.get("open"),
            "judges": {
                name: each.get("value", {"unscored": each.get("cause")})
                for name, each in (score.details.get("judges") or {}).items()
            }
            or None,
        }
        return {
            "schema_version": SCHEMA,
            "evaluation_id": self._id,
            "model_id": self._model,
            "evaluation_name": record.protocol,
            "evaluation_result_id": result,
            "sample_id": f"{record.task}#{record.sample}.{record.repeat}",
            "sample_hash": digest(asked),
            "interaction_type": "single_turn",
            "input": {"raw": self._said(asked), "reference": []},
            "output": {"raw": [self._said(told)]},
            "answer_attribution": [],
            "evaluation": {
                "score": score.value,
                "is_correct": score.bounds is not None and score.value >= score.bounds[1],
            },
            "metadata": {
                key: json.dumps(each) for key, each in about_it.items() if each is not None
            },
        }

    def _said(self, text: str) -> str:
        return without_surrogates(text) if self._publishing.texts else NO_TEXT + digest(text)


def _judge(identity: Mapping[str, Json]) -> Json:
    name = str(identity["model"])
    found: dict[str, Json] = {
        "model_info": {"name": name, "id": name, "additional_details": dict(NOT_SAID)}
    }
    settings = identity.get("settings") or {}
    if isinstance(settings.get("temperature"), int | float):
        found["temperature"] = settings["temperature"]
    return found
