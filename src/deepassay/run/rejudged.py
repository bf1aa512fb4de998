"""Two run files in which different judges scored the same reports."""

from __future__ import annotations

from pathlib import Path

from deepassay.errors import BadRunFile
from deepassay.results.records import Judged
from deepassay.run.records import judged
from deepassay.runfile import RunFile
from deepassay.score import digest


def rejudged(old: Path, new: Path) -> tuple[list[Judged], list[Judged], int]:
    """The records of both, without reports whose text differs, and how many of those there are.

    Raises BadRunFile if one is a copy of the other.
    """
    with RunFile.read(old) as before, RunFile.read(new) as after:
        if before.salt == after.salt:
            raise BadRunFile(f"{old} and {new} are the same run.", "Give the runs of two judges.")
        texts, others = (_texts(run) for run in (before, after))
        changed = {place for place in texts.keys() & others.keys() if texts[place] != others[place]}
        sides = [
            [each for each in judged(run) if (each.agent, each.task, each.sample) not in changed]
            for run in (before, after)
        ]
    return sides[0], sides[1], len(changed)


def _texts(run: RunFile) -> dict[tuple[str, str, int], str]:
    return {(each.agent, each.task, each.sample): digest(each.text) for each in run.reports()}
