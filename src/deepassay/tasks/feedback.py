"""What readers said of earlier versions of reports, and those versions; its files.

A file of ours has for each task `id` and `feedback`, a list of texts, or such a list by the name of
each agent; or a row for each, with `id`, `agent` and `feedback`.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Annotated, Final

from pydantic import Field

from deepassay.errors import BadTasks
from deepassay.intake.rows import InputRow
from deepassay.results.joined import Joined
from deepassay.score import Json
from deepassay.tasks.entries import EntryFile
from deepassay.tasks.fields import Record, brief_text
from deepassay.tasks.yardsticks import ALL_AGENTS, Feedback


class TaskFeedback(Record):
    """What was said of the reports for one task, and its prompt where the file says it."""

    feedback: Annotated[Feedback, Field(min_length=1)]
    prompt: str | None = None


def _rows_by_agent(rows: Sequence[InputRow]) -> Sequence[InputRow] | None:
    """An entry for each task of a file with a row for each remark; None for one of another kind."""
    if not rows or not {"id", "agent", "feedback"} <= rows[0].fields.keys():
        return None
    said: dict[str, dict[str, list[Json]]] = {}
    first: dict[str, InputRow] = {}
    for row in rows:
        id, agent, remark = (row.fields.get(name) for name in ("id", "agent", "feedback"))
        if isinstance(id, bool) or not isinstance(id, str | int) or not isinstance(agent, str):
            raise BadTasks(
                f"{row.place}: it does not say of which task and agent it is.",
                "Give every row an `id`, that of the task, and an `agent`.",
            )
        first.setdefault(str(id), row)
        remarks = remark if isinstance(remark, list) else [remark]
        said.setdefault(str(id), {}).setdefault(agent, []).extend(remarks)
    return [
        InputRow(first[id].place, {"id": id, "feedback": by_agent}) for id, by_agent in said.items()
    ]


def _remarks(feedback: Feedback) -> list[tuple[str, str]]:
    """Each remark, with the agent of whose report it was said."""
    return [(agent, remark) for agent, own in feedback.items() for remark in own]


def _named(agent: str, remark: str) -> str:
    """What tells a remark from the others on its task: its first words, behind the agent."""
    return ", ".join(filter(None, (agent, repr(brief_text(remark)))))


def remarks_joined(feedback: Mapping[str, Feedback], there: Collection[tuple[str, str]]) -> Joined:
    """What became of remarks on known tasks. there: agent and task of each report."""
    agents = {agent for agent, _ in there}
    places = {*there, *((ALL_AGENTS, task) for _, task in there)}
    came = [(task, *remark) for task, own in feedback.items() for remark in _remarks(own)]
    strays, kinds = [], {}
    for task, agent, remark in came:
        if (agent, task) not in places:
            known = agent in agents or agent == ALL_AGENTS
            why = "no such report" if known else "no report is of this agent"
            strays.append(f"{brief_text(task)}, {_named(agent, remark)}: {why}.")
            kinds[strays[-1]] = why
    return Joined("remarks on these tasks", "reports", len(came), strays, kinds=kinds)


def _remedy(way: tuple[str | int, ...], mistake: str) -> str:
    if mistake == "extra_forbidden":
        return f"There are: id, {', '.join(TaskFeedback.model_fields)}."
    return "Feedback is a list of texts, or by the name of each agent a list of texts."


FEEDBACK_FILE: Final = EntryFile(
    field="feedback",
    one="feedback",
    many="remarks",
    header="",
    read=TaskFeedback.model_validate,
    write=lambda entry: entry.model_dump(mode="json", exclude_none=True),
    value=lambda entry: entry.feedback,
    remedy=_remedy,
    published=_rows_by_agent,
    parts=lambda entry: [_named(*each) for each in _remarks(entry.feedback)],
)
