"""Logs of Inspect as reports: each sample is a report, each epoch another answer to its task."""

from __future__ import annotations

from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import TYPE_CHECKING, Final
from zipfile import ZipFile

from pydantic_core import from_json

from deepassay.errors import BadReports, MissingExtra
from deepassay.reports.loaders import Loader
from deepassay.reports.report import Report
from deepassay.runfile import AgentRun
from deepassay.score import digest
from deepassay.text import brief

if TYPE_CHECKING:
    from inspect_ai.log import EvalLog, EvalSample
    from inspect_ai.model import ChatMessage

    from deepassay.agents.agent import Stop
    from deepassay.reports.traces.calls import Tools

AGENT: Final = "assay_agent"
"""Under which name the metadata of a log says which agent wrote its reports."""

METADATA: Final = "assay_"
"""What the names of those metadata of a sample begin with that describe its task."""

REPORT: Final = "report_sha256"
"""Under which name the metadata of a sample of ours say which report it is; None for none."""

_LEFT_OUT: Final = {"events", "store", "timelines"}
"""What is large in a sample and says nothing of its report."""

MOST_PART: Final = 64_000_000
MOST_WHOLE: Final = 1_000_000_000
"""Bytes of one part of a log, mostly a sample, and of all of it, once they are unpacked."""

LONGEST_NAME: Final = 200
"""Characters of the name of an agent or a task."""

_AT_A_TIME: Final = 500
"""Samples; Inspect reads the list of all of a log anew for each time."""


def load_log(path: Path, tools: Tools | None = None) -> Iterable[Report]:
    """The reports of a log, errors and limits as the stops of its agent.

    tools: what some of them do, where their calls do not tell.
    The agent is named after solver and model, or by AGENT in the metadata of the log. Raises
    MissingExtra, and BadReports for what is no log, has no samples, or was written by a later
    version.
    """
    with ThreadPoolExecutor(1) as pool:  # Inspect reads in an event loop, and one may run here
        return pool.submit(_loaded, path, tools).result()


def _loaded(path: Path, tools: Tools | None) -> list[Report]:
    try:
        from inspect_ai.log import (
            read_eval_log,
            read_eval_log_sample_summaries,
            read_eval_log_samples_by_id,
        )
    except ImportError:
        raise MissingExtra(f"{path}: a log of Inspect", "inspect") from None
    found: list[Report] = []
    try:
        _refuse_bombs(path)
        header = read_eval_log(path, header_only=True)
        there = [(each.id, each.epoch) for each in read_eval_log_sample_summaries(path)]
        for start in range(0, len(there), _AT_A_TIME):
            samples = read_eval_log_samples_by_id(
                path,
                there[start : start + _AT_A_TIME],
                resolve_attachments="core",
                exclude_fields=_LEFT_OUT,
            )
            found += [_report(path, header, each, tools) for each in samples if not _is_gap(each)]
    except BadReports:
        raise
    except Exception as error:  # whatever Inspect raises for a file that is none of its logs
        raise BadReports(
            f"{path}: Inspect cannot read this log ({type(error).__name__}: {brief(str(error))}).",
            "Give a log as Inspect wrote it, and install the version that wrote it or a later one.",
        ) from error
    if not found:
        raise BadReports(
            f"{path}: the log has no sample ({header.status}).", "Give one that has finished."
        )
    return found


def _is_gap(sample: EvalSample) -> bool:
    """Whether a log of ours has it for a task of which neither a report nor a run is known."""
    return sample.metadata.get(REPORT, "") is None and "stop" not in sample.metadata


def agent_of_log(header: EvalLog) -> str:
    """The agent that wrote the reports of a log."""
    spec = header.eval
    named = (spec.metadata or {}).get(AGENT)
    return _short(str(named) if named else "/".join(filter(None, [spec.solver, spec.model])))


def _short(name: str) -> str:
    """A name; of one that nobody could read, its beginning and what tells it from others."""
    return name if len(name) <= LONGEST_NAME else f"{name[:80]}-{digest(name)[:12]}"


def _used(sample: EvalSample, model: str) -> tuple[dict[str, int] | None, float | None]:
    """Tokens and USD of the agent, None for what cannot be believed."""
    from deepassay.agents.reported_usage import usage_counts  # late, see `_stop_of`

    if (own := sample.model_usage.get(model)) is None:
        return None, None
    told = {"input_tokens": own.input_tokens, "output_tokens": own.output_tokens}
    counts, cost = usage_counts(told, own.total_cost)
    usage = {name.removesuffix("_tokens"): count for name, count in (counts or {}).items()}
    return usage or None, cost


def _refuse_bombs(path: Path) -> None:
    """Raise BadReports for a log that unpacks to too much, or is nested too deep to be read.

    Each part is unpacked piece by piece, and no further than it may. Raises whatever unpacking does
    for a part that cannot be looked at: Inspect, which minds less, would unpack the others whole.
    """
    with ZipFile(path) as log:
        whole = 0
        for entry in log.infolist():
            with log.open(entry) as part:
                content = part.read(MOST_PART + 1)
            whole += len(content)
            if len(content) > MOST_PART or whole > MOST_WHOLE:
                raise BadReports(
                    f"{path}: the log unpacks to more than is read: {MOST_PART:,} bytes of a "
                    f"part ({entry.filename:.80}), {MOST_WHOLE:,} of all.",
                    "Split it, or leave out what its samples hold besides their output.",
                )
            _refuse_deep(path, entry.filename, content)


def _refuse_deep(path: Path, name: str, content: bytes) -> None:
    try:
        from_json(content)
    except ValueError as error:
        if "recursion" in str(error):
            raise BadReports(
                f"{path}: {name:.80} is nested too deep.", "Give a log as Inspect wrote it."
            ) from None


def _report(path: Path, header: EvalLog, sample: EvalSample, tools: Tools | None = None) -> Report:
    from deepassay.agents.reported_usage import seconds_of  # late, see `_stop_of`
    from deepassay.reports.traces.recorded import watched_by_messages
    from deepassay.wings.bridges.inspect.outputs import report_of_output

    name = _short(str(sample.id))
    text, by = report_of_output(sample.output)
    stop, detail = _stop_of(sample, text)
    usage, cost = _used(sample, header.eval.model)
    reason = {"stop_reason": sample.output.stop_reason} if sample.output.choices else {}
    log = {"sample": sample.uuid, "log": header.eval.eval_id, "model": header.eval.model}
    run = AgentRun(
        text if text.strip() or sample.metadata.get(REPORT) else None,
        stop,
        detail,
        steps=tuple(by.split()),
        usage=usage,
        seconds=seconds_of(sample.total_time),
        cost=cost,
        record={**log, **reason},
    )
    run = watched_by_messages(run, [each.model_dump() for each in sample.messages], tools)
    return Report(
        text,
        agent_of_log(header),
        name,
        sample.epoch,
        f"{path}#{name}",
        prompt_of(sample.input),
        converter=by,
        run=run,
    )


def _stop_of(sample: EvalSample, text: str) -> tuple[Stop, str]:
    """How the agent ended, and a sentence on it."""
    from deepassay.agents.agent import Stop  # late: whoever reads reports loads this file

    limits = {
        "time": Stop.TIME,
        "working": Stop.TIME,
        "context": Stop.TRUNCATED,
        "operator": Stop.CANCELLED,
    }
    stops = {
        "max_tokens": Stop.TRUNCATED,
        "model_length": Stop.TRUNCATED,
        "content_filter": Stop.REFUSED,
    }
    if sample.error is not None:
        return Stop.FAILED, " ".join(sample.error.message.split())[:300]
    if sample.limit is not None:
        detail = sample.limit.reason or f"the limit of {sample.limit.type}: {sample.limit.limit:g}"
        return limits.get(sample.limit.type, Stop.BUDGET), detail
    reason = sample.output.stop_reason if sample.output.choices else ""
    if stop := stops.get(reason):
        return stop, f"the model stopped for {reason}"
    return (Stop.DONE, "") if text.strip() else (Stop.FAILED, "the sample has no output")


def prompt_of(given: str | list[ChatMessage]) -> str:
    """What a sample asks: its input, or the last thing that the user says there."""
    if isinstance(given, str):
        return given
    return next((each.text for each in reversed(given) if each.role == "user"), "")


LOADERS: Final = Loader("Logs of Inspect", frozenset({".eval"}), load_log, by_tools=True)
