"""The same reports under two judges."""

from __future__ import annotations

from pathlib import Path

from deepassay.errors import BadRunFile
from deepassay.results.records import Judged
from deepassay.run.showing.contents import tell_of_missing_shards
from deepassay.run.showing.records import digests_of, judged
from deepassay.runfile import RunFile
from deepassay.score import report_key


def rejudged(old: Path, new: Path) -> tuple[list[Judged], list[Judged], int]:
    """The records of both, without reports whose text differs, and how many of those there are.

    Raises BadRunFile if one is a copy of the other.
    """
    with RunFile.read(old) as before, RunFile.read(new) as after:
        if before.salt == after.salt:
            raise BadRunFile(f"{old} and {new} are the same run.", "Give the runs of two judges.")
        for run in (before, after):
            tell_of_missing_shards(run)
        texts, others = (digests_of(run) for run in (before, after))
        changed = {place for place in texts.keys() & others.keys() if texts[place] != others[place]}
        sides = [
            [each for each in judged(run) if report_key(each) not in changed]
            for run in (before, after)
        ]
    return sides[0], sides[1], len(changed)
