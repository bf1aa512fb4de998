"""`merge`: shards of one run, which ran on several machines, as one run file."""

from __future__ import annotations

import warnings
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from deepassay.errors import BadSetting, Notice
from deepassay.results.tables import several
from deepassay.run.showing.contents import expected, metrics_of
from deepassay.run.showing.output import check_output
from deepassay.run.showing.yardsticks import keep_descriptions, protocol_for
from deepassay.runfile import RunFile
from deepassay.runfile.lock import writer_of
from deepassay.runfile.merging import merging


@dataclass(frozen=True)
class Merged:
    """What came of it.

    missing: shards that no file holds. places: of an agent and a task, how many there are, and
    those without a report. left: outcomes that are not there. anew: of these, how many rested on
    verdicts on pages that another shard has otherwise.
    """

    target: Path
    files: int
    reports: int
    scores: int
    runs: int
    missing: tuple[str, ...]
    places: int
    without: tuple[str, ...]
    left: int
    anew: int

    def lines(self) -> Iterator[str]:
        """The summary for a person."""
        held = [several(self.reports, "report"), several(self.scores, "outcome")]
        held = held if self.reports else []
        held += [f"{several(self.runs, 'run')} of agents"] if self.runs else []
        shards = several(self.files, "shard")
        yield f"Merged {shards} into {self.target}: {', '.join(held) or 'nothing yet'}"
        if self.missing:
            shown = ", ".join(self.missing[:8]) + (" …" if len(self.missing) > 8 else "")
            yield f"  not among them: {shown}"
        if self.without:
            shown = ", ".join(self.without[:8]) + (" …" if len(self.without) > 8 else "")
            yield f"  no report: {len(self.without)} of {self.places} ({shown})"
        if self.anew:
            yield (
                f"  to be computed again: {self.anew}; of shards that asked about the same "
                f"statement and page, the first verdict stays. All answers are there: the command "
                f"of the shards, with --run {self.target} and without --shard, asks nothing for it"
            )
        if self.left > self.anew:
            yield (
                f"  not yet asked: {self.left - self.anew}; the command of the shards goes on with "
                f"them, with --run {self.target} and without --shard"
            )


def merge(paths: Sequence[Path], target: Path) -> Merged:
    """Write a run file that holds what its shards hold.

    Raises BadRunFile as `runfile.merging.merging` does; BadSetting for a target that is there, and
    where no shard is given, or a protocol of the run is not installed.
    """
    if not paths:
        raise BadSetting("No run file is given to merge.", "Give the shards of a run.")
    check_output(target, paths, force=False)
    with RunFile.read(paths[0]) as run:
        unknown = [name for name, each in metrics_of(run).items() if protocol_for(each) is None]
    if unknown:
        raise BadSetting(
            f"{', '.join(unknown)}: not installed here, and what all tasks bring to it must be "
            "told anew.",
            "Install the package that it comes from, and merge again.",
        )
    for path in paths:
        if process := writer_of(path):
            warnings.warn(
                Notice(
                    f"{path}: its run is still going, in process {process}. What it writes from "
                    "now on is not in the merged file: merge again when it has ended, and ask "
                    "for nothing with this one until then."
                ),
                stacklevel=2,
            )
    with merging(paths, target) as (fresh, anew), RunFile.create(fresh) as run:
        # Before it has its name: with the descriptions of the first shard alone it could not be
        # read together with any other run.
        keep_descriptions(run, ())
        there = {each[:2]: each[-1] for each in run.score_counts()}
        written = {*run.report_places()}
        with_report = {(agent, task) for agent, task, _ in written}
        wanted: Counter[tuple[str, str]] = Counter()
        places: dict[tuple[str, str], None] = {}
        for protocol, agent, task, sample, _ in expected(run):
            places[agent, task] = None
            wanted[protocol, agent] += (agent, task, sample) in written
        # An audit judges originals twice and leaves out some copies, which only its command knows.
        is_audit = any(count > wanted[key] for key, count in there.items())
        return Merged(
            target=target,
            files=len(paths),
            reports=len(written),
            scores=sum(there.values()),
            runs=len(run.answering.stops()),
            missing=tuple(each for parts in run.parts().values() for each in parts.missing),
            places=len(places),
            without=()
            if is_audit
            else tuple(
                f"{agent} on {task}" for agent, task in places if (agent, task) not in with_report
            ),
            left=0 if is_audit else wanted.total() - sum(there.values()),
            anew=anew,
        )
