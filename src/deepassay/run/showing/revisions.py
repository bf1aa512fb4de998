"""Run files as an agent at several times: what decides whether their scores may be compared.

`rejudged` has the reports of two runs that two judges read in the same words.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Final

from deepassay.reports.report import Report
from deepassay.results.outlines import Extent
from deepassay.results.reading import chosen
from deepassay.results.records import Judged
from deepassay.results.revisions import Revision
from deepassay.run.showing.contents import metrics_of, tell_of_missing_shards
from deepassay.run.showing.records import Judgements, digests_of, each_run, judged
from deepassay.run.showing.yardsticks import about, protocol_for
from deepassay.runfile import RunFile
from deepassay.runfile.rows import same_run
from deepassay.score import ReportKey, Signature, digest, report_key
from deepassay.text import natural_order

MOVING: Final = frozenset({"date", "repeats"})
"""Keys of an identity in which runs at two times may differ: every run has its own day."""


def revisions_of(
    paths: Sequence[Path],
    protocols: Collection[str] = (),
    *,
    items: bool = True,
    states: bool = False,
) -> list[Revision]:
    """Runs at their times, in their order. protocols: only these, see `chosen`.

    items: with all that was said. states: one may be a copy of another that went on since. Raises
    BadRunFile for a file that cannot be read and for a copy of another one, BadSetting for a
    protocol that is in none of them.
    """
    found = []
    names = [name for run in each_run(paths, states=states) for name in run.protocols()]
    asked = {*chosen([*dict.fromkeys(names)], protocols)}
    for run in each_run(paths, states=states):
        read = Judgements(run).every(Extent.WORDS if items else Extent.RANKS)
        records = _cut([each for each in read if each.protocol in asked], run)
        day = str(run.configuration.get("date", ""))
        found.append(Revision(str(run.path), day, records, _yardsticks(run, records)))
    return found


def by_day(runs: Sequence[Revision]) -> list[Revision]:
    """Runs in the order of their days, those of one day by the names of their files."""
    return sorted(runs, key=lambda run: (run.day, natural_order(run.name)))


def _cut(records: list[Judged], run: RunFile) -> list[Judged]:
    """The records with recipes from which the tasks are taken: each has a yardstick of its own."""
    own = {name: identity.keys() - MOVING for name, identity in run.protocols().items()}
    made: dict[tuple[str, str], Signature] = {}
    found = []
    for each in records:
        key = each.protocol, each.signature.digest
        if key not in made:
            kept = own[each.protocol]
            identity = {k: v for k, v in each.signature.identity.items() if k in kept}
            made[key] = Signature(identity)
        signature = replace(made[key], record=each.signature.record)
        found.append(replace(each, signature=signature))
    return found


def _yardsticks(run: RunFile, records: list[Judged]) -> Mapping[tuple[str, str], str]:
    """What the reports for each task are judged by under each protocol, as a digest."""
    metrics = metrics_of(run)
    whole = about(run, metrics)
    made = {
        (each.protocol, each.task): kept
        for each in records
        if (kept := each.signature.record.get("made"))
    }
    found = {}
    for name in {each.protocol for each in records}:
        protocol = protocol_for(metrics[name])
        for task in whole.tasks.values():
            case = whole.case(protocol, task.id, Report("")) if protocol else None
            basis = (
                protocol.basis(case)
                if protocol and case
                else task.model_dump(mode="json", exclude={"labels"})
            )
            found[name, task.id] = digest([task.digest, basis, made.get((name, task.id))])
    return found


def with_other_text(runs: Iterable[RunFile]) -> ReportKey | None:
    """The first report that has another text in a later run; None where all are the same."""
    found: dict[ReportKey, str] = {}
    for run in runs:
        for agent, task, sample, own in run.report_digests():
            if found.setdefault((agent, task, sample), own) != own:
                return agent, task, sample
    return None


def rejudged(old: Path, new: Path) -> tuple[list[Judged], list[Judged], int]:
    """The records of both, without reports whose text differs, and how many of those there are.

    What neither has a report for could not be judged again. Raises BadRunFile if one is a copy of
    the other.
    """
    with RunFile.read(old) as before, RunFile.read(new) as after:
        if before.salt == after.salt:
            raise same_run(old, new, "Give the runs of two judges.")
        for run in (before, after):
            tell_of_missing_shards(run)
        texts, others = (digests_of(run) for run in (before, after))
        changed = {place for place in texts.keys() & others.keys() if texts[place] != others[place]}
        same = (texts.keys() | others.keys()) - changed
        sides = [
            [each for each in judged(run) if report_key(each) in same] for run in (before, after)
        ]
    return sides[0], sides[1], len(changed)
