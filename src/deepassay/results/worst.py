"""The reports of a run, worst first, each with the line that opens it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from statistics import fmean

from deepassay.errors import BadInput, meant
from deepassay.results.aggregate import task_means
from deepassay.results.ranges import widest_range
from deepassay.results.reading import Records, chosen
from deepassay.results.records import Judged, by_agent, without_references
from deepassay.results.surface import is_surface
from deepassay.results.tables import as_given, in_range, several, typed
from deepassay.score import Score, Unscored
from deepassay.text import first_few

SHOWN = 12
"""Reports that are listed of each kind."""


def worst_first(
    read: Records, run: str, agent: str | None, task: str | None, protocol: str | None
) -> str:
    """The reports by one protocol, those with the lowest score first; run: as it is typed.

    agent, task: only theirs. protocol: the most important one that says who is better, if none is
    named. Raises BadInput for an agent or a task that nothing was judged of, BadSetting for a
    protocol.
    """
    name = chosen(read.protocols, [protocol])[0] if protocol else _telling(read)
    records = without_references(read.for_ranks(name))
    for what, given, known in (
        ("agent", agent, {each.agent for each in records}),
        ("task", task, {each.task for each in records}),
    ):
        if given is not None and given not in known:
            raise unknown(what, given, known)
    own = [r for r in records if agent in (None, r.agent) and task in (None, r.task)]
    others = ", ".join(each for each in read.protocols if each != name)
    lines = [
        *_lines(own, run),
        *[f"--protocol NAME lists them by another: {others}."] * bool(others),
    ]
    return "\n".join([f"Reports by {name}, worst first:", "", *lines]) + "\n"


def _telling(read: Records) -> str:
    """The first protocol with a score that says who is better; else the first with any."""
    scored = [
        (name, next((e for e in read.one_by_one(name) if isinstance(e.outcome, Score)), None))
        for name in read.protocols
    ]
    known = [(name, each) for name, each in scored if each is not None]
    telling = [name for name, each in known if each.reads and not is_surface(name)]
    return (telling or [name for name, _ in known] or [*read.protocols])[0]


def _lines(records: Sequence[Judged], run: str) -> Iterator[str]:
    limits = widest_range(records)
    means: list[tuple[float, str, str]] = []
    silent: list[tuple[str, str, str]] = []
    for agent, own in by_agent(records).items():
        leaves = [
            ((e.task, e.sample), e.outcome.value) for e in own if isinstance(e.outcome, Score)
        ]
        scored = {str(task): mean for task, mean in task_means(leaves).items()}
        means += [(mean, agent, task) for task, mean in scored.items()]
        silent += [
            (agent, task, str(cause))
            for task, cause in {
                e.task: e.outcome.cause for e in own if isinstance(e.outcome, Unscored)
            }.items()
            if task not in scored
        ]
    shown = [(in_range(mean, limits), agent, task) for mean, agent, task in sorted(means)]
    wide = max((len(text) for text, _, _ in shown), default=0)
    for text, agent, task in shown[:SHOWN]:
        yield f"{text:>{wide}}  {_command(run, agent, task)}"
    if (more := len(shown) - SHOWN) > 0:
        highest = f", up to {in_range(max(means)[0], limits)}"
        yield f"and {several(more, 'more report')}{highest}; --agent or --task lists fewer."
    if means:
        yield f"The mean of all is {in_range(fmean(mean for mean, _, _ in means), limits)}."
    if silent:
        yield ""
        yield f"{several(len(silent), 'report')} without a score:"
        yield from (
            f"{cause}  {_command(run, agent, task)}" for agent, task, cause in silent[:SHOWN]
        )
        if (more := len(silent) - SHOWN) > 0:
            yield f"and {more} more."
    yield ""


def _command(run: str, agent: str, task: str) -> str:
    return f"deepassay explain {run} --agent {typed(agent)} --task {typed(task)}"


def unknown(what: str, given: str, known: set[str]) -> BadInput:
    """That nothing was judged of an agent or a task, with the nearest names that there are."""
    names = sorted(known)
    shown = first_few([*map(as_given, names)], SHOWN) or "none"
    return BadInput(
        f"Nothing was judged of {what} {given!r}.",
        f"{meant(given, names)}{what.capitalize()}s: {shown}.",
    )
