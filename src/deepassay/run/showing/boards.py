"""What `leaderboard` shows of run files and of scores that others published."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import ExitStack
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, NamedTuple

from deepassay.errors import BadSetting
from deepassay.results.agents import Agents, run_totals
from deepassay.results.first_screen import first_screen
from deepassay.results.leaderboard import INTEGERS, flat_rows, write
from deepassay.results.opening import said_first
from deepassay.results.outlines import Extent
from deepassay.results.ranking import Board, arranged, rank
from deepassay.results.reading import InMemoryRecords, chosen
from deepassay.results.records import Judged
from deepassay.results.surface import is_surface, most_found
from deepassay.results.tables import Row, Table, columns_of, typed
from deepassay.results.wrapped_tables import written_narrow
from deepassay.run.showing.reading import RunRecords
from deepassay.run.showing.records import records_of
from deepassay.runfile import RunFile
from deepassay.runfile.schema import is_database
from deepassay.score import Score

if TYPE_CHECKING:
    from deepassay.results.judge_evidence import OnJudge


class BoardSheet(NamedTuple):
    """Something that can be written in every format of `leaderboard`.

    written: as text, by the name of the format. rows: for Parquet, those of CSV. holds: whether
    anything stands in it. scored: whether any report has a score, see `Records.has_scores`. closed:
    a sentence on rankings that are not shown, as their judge is not trusted.
    """

    written: Callable[[str], str]
    rows: Callable[[], Sequence[Row]]
    holds: bool = True
    scored: bool = True
    closed: str = ""

    def write(self, output: Path, runs: Sequence[Path], format: str, *, force: bool) -> None:
        """Write it into a file, whole or not at all. Raises BadSetting, or MissingExtra."""
        from deepassay.run.showing.output import write_output, write_rows

        if format != "parquet":
            write_output(output, self.written(format), runs, force=force)
            return
        rows = self.rows()
        write_rows(rows, columns_of(rows, INTEGERS), output, runs, force=force)


def ranking_of(
    runs: Sequence[Path],
    by: str | None = None,
    agents: Path | None = None,
    protocols: Sequence[str] = (),
    on_judge: OnJudge = MappingProxyType({}),
    *,
    parts: bool = False,
    wide: bool = False,
    allow_mixed: bool = False,
    judged_by: Sequence[str] = (),
    tolerated: float | None = None,
) -> BoardSheet:
    """The rankings of run files and published scores. wide, parts: see `leaderboard.write`.

    judged_by: see `scores_of`. on_judge: files that say something of it. tolerated: only rankings
    whose judge is trusted, see `why_not_trusted`; None for all.
    agents: a file that says of which family agents are.
    protocols: only these, as they were written or without their options; all if there are none.
    Raises BadSetting for one that nobody was judged by.
    """
    profiles = None
    if agents:
        from deepassay.run.showing.profiles import read_profiles

        profiles = read_profiles(agents)
    records = read_scores(runs, judged_by)
    records.only(protocols)
    boards = rank(records, by=by, allow_mixed=allow_mixed)
    if on_judge:
        from deepassay.results.judge_evidence import with_evidence

        boards = with_evidence(boards, records, on_judge)
    boards, closed = _only_trusted(boards, tolerated)
    took = agents_of_runs(runs)
    below = [table for kind, file in on_judge.items() for table in kind.beneath(boards, file)]
    return BoardSheet(
        lambda format: (
            write(
                boards,
                format,
                parts,
                profiles,
                wide,
                took,
                said_first(boards, records) if format in ("text", "markdown") else (),
            )
            + _written_beneath(below, format)
        ),
        lambda: flat_rows(boards, profiles, took),
        holds=bool(boards),
        scored=records.has_scores,
        closed=closed,
    )


def _only_trusted(
    boards: tuple[Board, ...], tolerated: float | None
) -> tuple[tuple[Board, ...], str]:
    """Those whose judge is trusted, and why the others are closed."""
    if tolerated is None:
        return boards, ""
    from deepassay.results.known import why_not_trusted

    whys = [why_not_trusted(board.recipes, board.known, tolerated) for board in boards]
    told = dict.fromkeys(
        f"{board.protocol} ({why})" for board, why in zip(boards, whys, strict=True) if why
    )
    return (
        tuple(board for board, why in zip(boards, whys, strict=True) if not why),
        f"Closed, because the judge is not trusted: {'; '.join(told)}." if told else "",
    )


def _written_beneath(tables: Sequence[Table], format: str) -> str:
    """Tables on judges, written beneath rankings. Raises BadSetting where there is no room."""
    if not tables:
        return ""
    if format not in ("text", "markdown"):
        raise BadSetting(
            f"Tables beneath a ranking are not written as {format}.", "Take text or markdown."
        )
    return f"\n{written_narrow(tables, format)}"


def agents_of_runs(runs: Sequence[Path]) -> Agents:
    """What agents took that answered in these run files; files of published scores have none."""
    with ExitStack() as stack:
        opened = [stack.enter_context(RunFile.read(run)) for run in runs if is_database(run)]
        return run_totals(each for run in opened for each in run.answering.runs())


def first_look(run: Path) -> tuple[str, str]:
    """The first screen of a run, and the command that shows the evidence of its lowest score.

    Raises BadInput where its scores were not made by one recipe.
    """
    records = RunRecords([run])
    boards = rank(records)
    protocol = _telling(boards).protocol
    scored = [
        (each.outcome.value, each.task, each.agent)
        for each in records.for_ranks(protocol)
        if isinstance(each.outcome, Score)
    ]
    places = [(agent, task) for _, task, agent in sorted(scored)]
    if is_surface(protocol):  # the first of the table above
        found = most_found(records.for_figures(protocol).records)
        places = [(each.agent, each.task) for each in found] or places
    command = f"deepassay leaderboard {typed(str(run))} --wide"
    if places:
        agent, task = places[0]
        command = f"deepassay explain {typed(str(run))} --agent {typed(agent)} --task {typed(task)}"
    said = said_first(boards, records)
    return first_screen(boards, agents=agents_of_runs([run]), said=said), command


def _telling(boards: Sequence[Board]) -> Board:
    """The first ranking whose lowest score is worth a look."""
    found = arranged(boards)
    return next(iter(found.opened), boards[-1] if found.read_off else boards[0])


def only_judged_by(protocols: Sequence[str], records: Sequence[Judged]) -> Sequence[Judged]:
    """The records of these protocols, of all if none is named; options may be left out.

    Raises BadSetting for one that nobody was judged by.
    """
    asked = {*chosen(sorted({each.protocol for each in records}), protocols)}
    return [each for each in records if each.protocol in asked]


def table_of_lengths(runs: Sequence[Path], by: str | None = None) -> BoardSheet:
    """How long the reports of run files are, and whether longer ones score higher."""
    from deepassay.results.length_tables import flat_lengths, write_lengths
    from deepassay.run.showing.lengths import measured_runs

    (reports, empty), records = measured_runs(runs), records_of(runs, Extent.FIGURES)
    return BoardSheet(
        lambda format: write_lengths(reports, records, format, by, empty),
        lambda: flat_lengths(reports, records, by, empty),
        scored=InMemoryRecords(records).has_scores,
    )


def scores_of(paths: Sequence[Path], judged_by: Sequence[str] = ()) -> list[Judged]:
    """The records of run files, and of what is published in files that end in `.jsonl`.

    Words of items are those of the first report of an agent alone, see `Outlines`.
    judged_by: who judged what is published, NAME for all files or FILE=NAME for one. Raises
    BadSetting for other files, BadInput naming the line, and for two files of one pass of an agent.
    """
    runs, published = sorted_out(paths, judged_by)
    return [*records_of(runs, Extent.FIGURES), *published]


def read_scores(paths: Sequence[Path], judged_by: Sequence[str] = ()) -> RunRecords:
    """The scored records of run files, see `RunRecords`."""
    return RunRecords(*sorted_out(paths, judged_by))


def sorted_out(paths: Sequence[Path], judged_by: Sequence[str]) -> tuple[list[Path], list[Judged]]:
    """The run files, and what is published."""
    rows = [path for path in paths if path.suffix.lower() == ".jsonl" and not is_database(path)]
    runs = [path for path in paths if path not in rows]
    for run in runs if not rows else ():
        if not is_database(run):  # which its reader tells of, and not of who judged
            RunFile.read(run).close()
    if not rows and not judged_by:
        return runs, []
    from deepassay.run.showing.published import published_scores

    return runs, published_scores(rows, judged_by)
