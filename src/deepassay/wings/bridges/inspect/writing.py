"""A run as logs of Inspect, which `inspect view` shows: one log for each protocol and agent.

A sample is a report with its score, and what the judges were asked are its model events. The same
run gives the same members, byte for byte; only the archive around them has the time of writing.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from pathlib import Path

from deepassay import __version__
from deepassay.errors import MissingExtra

try:
    import inspect_ai
    from inspect_ai.log import (
        EvalConfig,
        EvalDataset,
        EvalLog,
        EvalMetric,
        EvalResults,
        EvalSample,
        EvalScore,
        EvalSpec,
        EvalStats,
        write_eval_log,
    )
except ImportError:
    raise MissingExtra("A log of Inspect", "inspect") from None

from deepassay.results.aggregate import Aggregate, aggregate
from deepassay.results.ranges import ranges_of
from deepassay.results.records import Judged
from deepassay.run.showing.output import check_output, fresh_output
from deepassay.run.showing.records import each_run, judged
from deepassay.runfile import RunFile
from deepassay.score import Json, Metric, Score, without_options
from deepassay.wings.bridges.inspect.outcomes import OVERALL, PARTS
from deepassay.wings.bridges.inspect.reading import AGENT
from deepassay.wings.bridges.inspect.samples import Samples


def write_logs(paths: Sequence[Path], output: Path, *, force: bool = False) -> dict[str, int]:
    """Write the logs of runs into a folder; how many samples each has. All are written or none.

    Raises BadSetting for a file that is there (unless `force`), BadRunFile for a run that cannot be
    read or is given twice, MissingExtra without Inspect.
    """
    with ThreadPoolExecutor(1) as pool:  # Inspect writes in an event loop, and one may run here
        return pool.submit(_write, paths, output, force).result()


def _write(paths: Sequence[Path], output: Path, force: bool) -> dict[str, int]:
    written: dict[str, int] = {}
    with ExitStack() as replaced:
        for run in each_run(paths):
            records: defaultdict[tuple[str, str], list[Judged]] = defaultdict(list)
            for record in judged(run):
                records[record.protocol, record.agent].append(record)
            samples = Samples(run)
            for (protocol, agent), those in sorted(records.items()):
                file = output / _file_name(samples, protocol, agent)
                check_output(file, paths, force=force)
                fresh = replaced.enter_context(fresh_output(file))
                write_eval_log(_log(run, samples, those), str(fresh), format="eval")
                written[file.name] = len(those)
    return written


def _file_name(samples: Samples, protocol: str, agent: str) -> str:
    """As Inspect names logs: time, task and an identifier, with underscores between."""
    time = re.sub(r"[:+]", "-", samples.time)
    task = re.sub(r"[^\w.]+|_", "-", f"{protocol}-{agent}", flags=re.ASCII).strip("-")
    return f"{time}_{task[:80]}_{samples.uid('task', protocol, agent)}.eval"


def _log(run: RunFile, samples: Samples, records: Sequence[Judged]) -> EvalLog:
    first = records[0]
    metric = first.metric or Metric(first.protocol)
    name = without_options(first.protocol)
    made = [samples.sample(record) for record in records]
    return EvalLog(
        version=2,
        status="success",
        eval=_spec(run, samples, metric, first, made),
        results=EvalResults(
            total_samples=len(records),
            completed_samples=sum(bool(each.output.choices) for each in made),
            scores=_columns(name, records),
        ),
        stats=EvalStats(
            started_at=samples.time,
            completed_at=samples.time,
            model_usage=samples.usage_of(each.model_usage for each in made),
            role_usage=samples.usage_of(each.role_usage for each in made),
        ),
        samples=made,
    )


def _spec(
    run: RunFile, samples: Samples, metric: Metric, first: Judged, made: Sequence[EvalSample]
) -> EvalSpec:
    """The head of a log. The judges stand in the metadata: Inspect would connect to its own."""
    place = (first.protocol, first.agent)
    identity = first.signature.identity
    return EvalSpec(
        eval_id=samples.uid("eval", *place),
        run_id=samples.uid("run"),
        task_id=samples.uid("task", *place),
        created=samples.time,
        task=first.protocol,
        task_version=str(identity.get("edition", "paper")),
        task_display_name=metric.title or first.protocol,
        dataset=EvalDataset(
            name=first.labels.get("set") or run.path.name,
            samples=len({each.id for each in made}),
            sample_ids=list(dict.fromkeys(each.id for each in made)),
        ),
        model=samples.model_of(first.agent),
        config=EvalConfig(epochs=max(each.epoch for each in made)),
        packages={"deepassay": __version__, "inspect_ai": inspect_ai.__version__},
        tags=[first.protocol],
        metadata={
            AGENT: first.agent,
            "run": run.path.name,
            "protocol": first.protocol,
            "source": metric.source,
            "judges": [str(each["model"]) for each in identity.get("judges", ())],
            "signature": str(first.signature),
            "recipe": first.signature.digest,
        },
    )


def _columns(name: str, records: Sequence[Judged]) -> list[EvalScore]:
    """The mean of the value and of each part beside it, with what they rest on."""
    whole = aggregate(records, ranges_of(records))
    scored = sum(isinstance(each.outcome, Score) for each in records)
    value = OVERALL if name in PARTS else name
    columns = [_column(value, name, whole.mean, scored, len(records), _rests_on(whole))]
    ends = whole.interval
    if ends is not None:
        columns[0].metrics |= {
            end: EvalMetric(name=end, value=value, group="95 % interval")
            for end, value in (("low", ends.low), ("high", ends.high))
        }
    for part in PARTS.get(name, ()):
        found = whole.parts.get(part)
        there = sum(
            isinstance(each.outcome, Score) and each.outcome.parts.get(part) is not None
            for each in records
        )
        mean = found.mean if found else None
        columns.append(_column(part, name, mean, there, len(records), {}))
    return columns


def _column(
    name: str,
    scorer: str,
    mean: float | None,
    scored: int,
    expected: int,
    about: Mapping[str, Json],
) -> EvalScore:
    metrics = {} if mean is None else {"mean": EvalMetric(name="mean", value=mean)}
    return EvalScore(
        name=name,
        scorer=scorer,
        scored_samples=scored,
        unscored_samples=expected - scored,
        metrics=metrics,
        metadata=dict(about) or None,
    )


def _rests_on(whole: Aggregate) -> dict[str, Json]:
    """How many judgements there are of how many, and what the mean could be with the rest."""
    return {
        "coverage": whole.judgements._asdict(),
        "bounds": whole.bounds._asdict() if whole.bounds else None,
        "interval": whole.interval._asdict() if whole.interval else None,
        "causes": dict(whole.causes),
    }
