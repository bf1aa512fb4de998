"""What `leaderboard` shows: rankings or lengths, as text, as rows, or in a file."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import NamedTuple

from deepassay.errors import BadSetting
from deepassay.results.leaderboard import write
from deepassay.results.lengths import flat_lengths, write_lengths
from deepassay.results.ranking import rank
from deepassay.results.records import Judged
from deepassay.results.tables import Row, columns_of
from deepassay.results.unrounded import INTEGERS, flat_rows
from deepassay.run.export.exporting import write_rows
from deepassay.run.lengths import measured
from deepassay.run.output import write_file
from deepassay.run.profiles import read_profiles
from deepassay.run.published import scores_of
from deepassay.run.records import records_of


class Sheet(NamedTuple):
    """Something that can be written in every format of `leaderboard`.

    written: as text, by the name of the format. rows: for Parquet, those of CSV.
    """

    written: Callable[[str], str]
    rows: Callable[[], Sequence[Row]]

    def write(self, output: Path, runs: Sequence[Path], format: str, *, force: bool) -> None:
        """Write it into a file, whole or not at all. Raises BadSetting, or MissingExtra."""
        if format != "parquet":
            write_file(output, self.written(format), runs, force=force)
            return
        rows = self.rows()
        write_rows(rows, columns_of(rows, INTEGERS), output, runs, force=force)


def ranking_of(
    runs: Sequence[Path],
    by: str | None = None,
    agents: Path | None = None,
    protocols: Sequence[str] = (),
    *,
    parts: bool = False,
    allow_mixed: bool = False,
) -> Sheet:
    """The rankings of run files and published scores.

    agents: a file that says of which family agents are.
    protocols: only these, as they were written or without their options; all if there are none.
    Raises BadSetting for one that nobody was judged by.
    """
    profiles = read_profiles(agents) if agents else None
    boards = rank(only_judged_by(protocols, scores_of(runs)), by=by, allow_mixed=allow_mixed)
    return Sheet(
        lambda format: write(boards, format, parts=parts, profiles=profiles),
        lambda: flat_rows(boards, profiles),
    )


def only_judged_by(protocols: Sequence[str], records: Sequence[Judged]) -> Sequence[Judged]:
    """The records of these protocols, of all if none is named; options may be left out.

    Raises BadSetting for one that nobody was judged by.
    """
    known = {each.protocol: each.protocol.partition("(")[0] for each in records}
    for name in protocols:
        if name not in known and name not in known.values():
            raise BadSetting(
                f"Nobody was judged by {name!r}.", f"Protocols: {', '.join(sorted(known))}."
            )
    asked = set(protocols)
    return [each for each in records if not asked or {each.protocol, known[each.protocol]} & asked]


def table_of_lengths(runs: Sequence[Path], by: str | None = None) -> Sheet:
    """How long the reports of run files are, and whether longer ones score higher."""
    reports, records = measured(runs), records_of(runs)
    return Sheet(
        lambda format: write_lengths(reports, records, format, by),
        lambda: flat_lengths(reports, records, by),
    )
