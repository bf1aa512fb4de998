"""A run proved: every row is what was written, and every score comes out the same again."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date
from typing import Final

from deepassay.errors import BadRunFile
from deepassay.models.ask import Asker, ReplayAsker
from deepassay.protocols.protocol import ROLES, Protocol, Role, RoleAskers, Sources, SupportStore
from deepassay.reports.report import Report
from deepassay.run.asking.execute import judge
from deepassay.run.showing.contents import metrics_of
from deepassay.run.showing.rereading import RereadVerdicts, reread
from deepassay.run.showing.yardsticks import (
    About,
    about,
    agent_runs,
    protocol_for,
    with_run,
)
from deepassay.runfile import RunFile, StoredScore, Verified
from deepassay.score import Json, Metric, Score, Unscored, canonical_json, report_key, to_json
from deepassay.sources.snapshots import Snapshots

_WORDS: Final = {
    "meta": "settings",
    "contents": "texts and bodies of pages",
    "yardsticks": "criteria, rubrics, checklists and references",
}
"""What people call tables."""


@dataclass(frozen=True)
class Replayed:
    """What was verified, how many outcomes came out the same to the byte, and which did not.

    absent: protocols that are not installed, with how many outcomes they have: these are not
    computed. Where anything is damaged no outcome is. reread: verdicts on pages, which outcomes
    take as they are kept, beside the answers that they were read from.
    """

    verified: Verified
    same: int = 0
    different: tuple[str, ...] = ()
    absent: tuple[tuple[Metric, int], ...] = ()
    reread: RereadVerdicts = field(default_factory=RereadVerdicts)

    @property
    def proved(self) -> bool:
        """Whether nothing is damaged, and every outcome came out the same."""
        return not (self.verified.damage or self.different or self.absent or self.reread.different)

    def lines(self) -> Iterator[str]:
        """What was proved, for a person."""
        counts = [
            f"{count:,} {_WORDS.get(table, table)}"
            for table, count in self.verified.rows.items()
            if count
        ]
        yield f"As written: {', '.join(counts)}"
        if not self.verified.damage:
            yield f"{self.same} outcomes are the same to the byte, {len(self.different)} are not."
        if self.reread.same:
            yield f"{self.reread.same} verdicts on pages are those of the answers."

    def problems(self) -> Iterator[str]:
        """What is wrong or was not verified, for a person, and what to do."""
        if not self.verified.sealed:
            yield (
                "An older version made this file: texts and answers were verified, names, dates "
                "and costs beside them were not. `deepassay evaluate` seals it from here on."
            )
        for damage in self.verified.damage:
            yield f"damaged: {damage}"
        for which in (*self.different, *self.reread.different):
            yield f"differs: {which}"
        if self.reread.unread:
            yield f"not read again: {self.reread.told_unread}"
        for metric, outcomes in self.absent:
            by = f" ({metric.code})" if metric.code else ""
            yield (
                f"not computed: {outcomes} outcomes of {metric.name}, a protocol that is not "
                f"installed{by}. Install its package, or name it with --protocol module:Class."
            )
        if self.verified.damage:
            yield (
                "No score was computed anew. Restore the file from a copy, "
                "or start anew with another --run FILE."
            )


def replay(run: RunFile, given: Sequence[Protocol] = ()) -> Replayed:
    """Verify every row, then recompute every outcome. Nothing is asked, nothing is fetched.

    given: protocols that no package registers, so that a run file alone loads no code.
    Raises BadRunFile if the run has not begun, or if the file cannot be read as far as that.
    """
    verified = run.verify()
    if verified.damage:
        return Replayed(verified)
    return asyncio.run(_recompute(run, verified, given))


async def _recompute(run: RunFile, verified: Verified, given: Sequence[Protocol]) -> Replayed:
    metrics = metrics_of(run)
    protocols = {name: protocol_for(metric) for name, metric in metrics.items()}
    protocols |= {str(each): each for each in given}
    whole = about(run, metrics)
    runs = agent_runs(run)
    if "date" not in run.configuration:
        raise BadRunFile(f"{run.path} holds no outcomes yet.", "Run `deepassay evaluate` first.")
    day = date.fromisoformat(run.configuration["date"])
    same = 0
    different: list[str] = []
    absent: Counter[str] = Counter()
    for score in run.scores():
        if (protocol := protocols[score.protocol]) is None:
            absent[score.protocol] += 1
            continue
        place = report_key(score)
        which = f"{score.protocol} of {score.agent} for task {score.task}, repeat {score.repeat}"
        stored = run.report(*place)
        if stored is None or score.task not in whole.tasks:
            different.append(f"{which}: its task or its report is not in the file")
            continue
        report = with_run(Report(stored.text, *place), runs)
        try:
            outcome = await outcome_of(run, whole, protocol, score, report, day)
        except BadRunFile as error:
            different.append(f"{which}: {error.problem}")
            continue
        if canonical_json(to_json(outcome)) == canonical_json(score.outcome):
            same += 1
        else:
            different.append(f"{which}: the outcome that was kept is another")
    unknown = tuple((metrics[name], count) for name, count in absent.items())
    return Replayed(verified, same, tuple(different), unknown, await reread(run))


Remembering = Callable[[RunFile, Mapping[str, Json], Role], Asker]
"""Who gives what somebody with this identity answered in a role."""


def _as_kept(run: RunFile, identity: Mapping[str, Json], role: Role) -> Asker:
    return ReplayAsker(run, identity)


async def outcome_of(
    run: RunFile,
    whole: About,
    protocol: Protocol,
    score: StoredScore,
    report: Report,
    day: date,
    remembering: Remembering = _as_kept,
    verdicts: SupportStore | None = None,
) -> Score | Unscored:
    """What a protocol makes of the answers and pages that a score rests on.

    score: its place, its identity and its record. verdicts: what is known of pages before anybody
    is asked, if not all that the run file has. Raises BadRunFile where something is missing.
    """
    case = whole.case(protocol, score.task, report, score.repeat)
    case = replace(case, task=case.task.on(day, protocol.edition))
    # The pages as they were when the score was made.
    pages = Snapshots(run.captures, pinned=score.record.get("pages", {}))
    sources = Sources(pages, run.verdicts if verdicts is None else verdicts)
    return await judge(protocol, case, _panel(run, score, remembering), sources)


def _panel(run: RunFile, score: StoredScore, remembering: Remembering) -> list[RoleAskers]:
    """The models that made a score, as the run file remembers its answers."""

    def played_by(role: Role, judge: Mapping[str, Json]) -> Asker:
        return remembering(run, score.identity.get(role) or judge, role)

    return [
        RoleAskers(*(played_by(role, judge) for role in ROLES))
        for judge in score.identity["judges"]
    ]
