"""What `leaderboard` shows of run files and of scores that others published."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path
from types import MappingProxyType
from typing import Final, NamedTuple

from deepassay.errors import BadInput, BadSetting
from deepassay.intake.rows import InputRow as RowOfFile
from deepassay.protocols.fact.published import read_published
from deepassay.reports.naming import agent_of
from deepassay.results.agents import Agents, run_totals
from deepassay.results.beside import Beside
from deepassay.results.evidence import RELEASED_COUNTS
from deepassay.results.first_screen import first_screen
from deepassay.results.leaderboard import INTEGERS, flat_rows, write
from deepassay.results.lengths import flat_lengths, write_lengths
from deepassay.results.narrow import written_narrow
from deepassay.results.outlines import Extent
from deepassay.results.overview import Profile
from deepassay.results.ranking import rank
from deepassay.results.reading import Records, chosen
from deepassay.results.records import UNKNOWN, Judged
from deepassay.results.tables import Row, Table, columns_of, typed
from deepassay.run.showing.export import write_rows
from deepassay.run.showing.lengths import measured_reports
from deepassay.run.showing.output import write_output
from deepassay.run.showing.reading import RunRecords
from deepassay.run.showing.records import records_of
from deepassay.runfile import RunFile
from deepassay.runfile.schema import is_database
from deepassay.score import Cause, Json, Score, Signature, Unscored
from deepassay.tasks.rows import read_rows


class BoardSheet(NamedTuple):
    """Something that can be written in every format of `leaderboard`.

    written: as text, by the name of the format. rows: for Parquet, those of CSV. holds: whether
    anything stands in it.
    """

    written: Callable[[str], str]
    rows: Callable[[], Sequence[Row]]
    holds: bool = True

    def write(self, output: Path, runs: Sequence[Path], format: str, *, force: bool) -> None:
        """Write it into a file, whole or not at all. Raises BadSetting, or MissingExtra."""
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
    besides: Mapping[Beside, Path] = MappingProxyType({}),
    *,
    parts: bool = False,
    wide: bool = False,
    allow_mixed: bool = False,
    judged_by: Sequence[str] = (),
) -> BoardSheet:
    """The rankings of run files and published scores. wide, parts: see `leaderboard.write`.

    judged_by: see `scores_of`. besides: files on the judge.
    agents: a file that says of which family agents are.
    protocols: only these, as they were written or without their options; all if there are none.
    Raises BadSetting for one that nobody was judged by.
    """
    profiles = read_profiles(agents) if agents else None
    records = read_scores(runs, judged_by)
    records.only(protocols)
    boards = rank(records, by=by, allow_mixed=allow_mixed)
    for kind, file in besides.items():
        boards = kind.beside(boards, records, file)
    took = agents_of_runs(runs)
    below = [table for kind, file in besides.items() for table in kind.beneath(boards, file)]
    return BoardSheet(
        lambda format: (
            write(boards, format, parts, profiles, wide, took) + _written_beneath(below, format)
        ),
        lambda: flat_rows(boards, profiles, took),
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
    scored = [
        (each.outcome.value, each.task, each.agent)
        for each in records.for_ranks(boards[0].protocol)
        if isinstance(each.outcome, Score)
    ]
    command = f"deepassay leaderboard {typed(str(run))} --wide"
    if scored:
        _, task, agent = min(scored)
        command = f"deepassay explain {typed(str(run))} --agent {typed(agent)} --task {typed(task)}"
    return first_screen(boards, agents=agents_of_runs([run])), command


def only_judged_by(protocols: Sequence[str], records: Sequence[Judged]) -> Sequence[Judged]:
    """The records of these protocols, of all if none is named; options may be left out.

    Raises BadSetting for one that nobody was judged by.
    """
    asked = {*chosen(sorted({each.protocol for each in records}), protocols)}
    return [each for each in records if each.protocol in asked]


def table_of_lengths(runs: Sequence[Path], by: str | None = None) -> BoardSheet:
    """How long the reports of run files are, and whether longer ones score higher."""
    reports, records = measured_reports(runs), records_of(runs, Extent.FIGURES)
    return BoardSheet(
        lambda format: write_lengths(reports, records, format, by),
        lambda: flat_lengths(reports, records, by),
    )


PROFILE_FIELDS: Final = ("agent", "family", "collected")
EXAMPLE: Final = "Give every row an agent and a family, and a day (collected) if you like."


def read_profiles(path: Path) -> dict[str, Profile]:
    """The agents of a file in CSV, JSON Lines or YAML, in its order, by their names.

    Raises BadInput naming the line.
    """
    profiles: dict[str, Profile] = {}
    for row in read_rows(path):
        profile = _profile(row)
        if profile.agent in profiles:
            raise BadInput(
                f"{row.place}: the agent {profile.agent!r} stands there for the second time.",
                "An agent belongs to one family: remove one of the two.",
            )
        profiles[profile.agent] = profile
    if not profiles:
        raise BadInput(f"{path} names no agent.", EXAMPLE)
    return profiles


def _profile(row: RowOfFile) -> Profile:
    unknown = [name for name in row.fields if name not in PROFILE_FIELDS]
    if unknown:
        raise BadInput(
            f"{row.place}: there is no field {unknown[0]!r}.",
            f"Fields: {', '.join(PROFILE_FIELDS)}.",
        )
    values = row.cells  # YAML reads a day as a date
    for name in ("agent", "family"):
        if not values.get(name):
            raise BadInput(f"{row.place}: the field {name!r} is missing or empty.", EXAMPLE)
    return Profile(**values)


DIMENSIONS: Final = ("comprehensiveness", "insight", "instruction_following", "readability")
RACE_FIELDS: Final = f"Published RACE rows have: id, {', '.join(DIMENSIONS)}, overall_score."
VERDICTS: Final = "validated.jsonl"
_NAME = re.compile(r"(?P<agent>.+)\.run(?P<number>\d{1,6})")


class _Pass(NamedTuple):
    protocol: str
    agent: str
    number: int
    file: str
    scores: Mapping[str, Score | Unscored]
    judge: str = UNKNOWN


def scores_of(paths: Sequence[Path], judged_by: Sequence[str] = ()) -> list[Judged]:
    """The records of run files, and of what is published in files that end in `.jsonl`.

    judged_by: who judged what is published, NAME for all files or FILE=NAME for one. Raises
    BadSetting for other files, BadInput naming the line, and for two files of one pass of an agent.
    """
    runs, published = sorted_out(paths, judged_by)
    return [*records_of(runs, Extent.FIGURES), *published]


def read_scores(paths: Sequence[Path], judged_by: Sequence[str] = ()) -> Records:
    """The scored records of run files, of which one protocol at a time is in memory."""
    return RunRecords(*sorted_out(paths, judged_by))


def sorted_out(paths: Sequence[Path], judged_by: Sequence[str]) -> tuple[list[Path], list[Judged]]:
    """The run files, and what is published."""
    rows = [path for path in paths if path.suffix.lower() == ".jsonl" and not is_database(path)]
    runs = [path for path in paths if path not in rows]
    return runs, _published(rows, _judges(rows, judged_by))


def _judges(paths: Sequence[Path], judged_by: Sequence[str]) -> dict[Path, str]:
    """Who judged each of these published files. Raises BadSetting for other files, or two names."""
    said: dict[Path | None, str] = {}
    for each in judged_by:
        file, of_one, name = each.rpartition("=")
        path = Path(file) if of_one else None
        if not paths or (path is not None and path not in paths) or not name.strip():
            raise BadSetting(
                f"--judged-by {each} names no judge of a published file.",
                f"Write NAME for all, or FILE=NAME. Files: {', '.join(map(str, paths))}."
                if paths
                else "There is none, and run files say themselves who judged.",
            )
        if said.setdefault(path, name.strip()) != name.strip():
            raise BadSetting(f"--judged-by names two judges of {path or 'all files'}.", "Name one.")
    return {path: said.get(path, said.get(None, UNKNOWN)) for path in paths}


def _published(paths: Iterable[Path], judges: Mapping[Path, str]) -> list[Judged]:
    passes: dict[tuple[str, str, int], _Pass] = {}
    for path in paths:
        one = _read(path)._replace(judge=judges[path])
        other = passes.setdefault((one.protocol, one.agent, one.number), one)
        if other is not one:
            raise BadInput(
                f"{path} and {other.file} are both judgement {one.number} of {one.agent}.",
                "Name files AGENT.jsonl, or AGENT.run1.jsonl, AGENT.run2.jsonl and so on.",
            )
    ordered = [passes[key] for key in sorted(passes)]
    tasks: dict[str, set[str]] = {}
    for each in ordered:
        tasks.setdefault(each.protocol, set()).update(each.scores)
    return [_judged(each, task) for each in ordered for task in sorted(tasks[each.protocol])]


def _judged(one: _Pass, task: str) -> Judged:
    lacking = Unscored(Cause.MISSING_INPUT, f"{one.file} has no row for this task")
    outcome = one.scores.get(task, lacking)
    recipe = {"protocol": one.protocol, "edition": "published", "judges": [{"model": one.judge}]}
    return Judged(one.protocol, one.agent, task, 1, one.number, {}, outcome, Signature(recipe))


def _read(path: Path) -> _Pass:
    verdicts = path.name == VERDICTS or path.name.endswith("." + VERDICTS)
    stem = agent_of(path)
    name = _NAME.fullmatch(stem)
    agent, number = (name["agent"], int(name["number"])) if name else (stem, 0)
    if verdicts:
        reports = read_published(path)
        if not reports:
            raise BadInput(f"{path} holds no reports.", "A line for each report is expected.")
        released = _released_counts(path)
        scores = {
            each.task: replace(
                each.score,
                details={**each.score.details, RELEASED_COUNTS: released.get(each.task)},
            )
            for each in reports
        }
        return _Pass("fact", agent, number, str(path), scores)
    return _Pass("race", agent, number, str(path), _race_rows(path))


def _released_counts(path: Path) -> Mapping[str, Mapping[str, int] | None]:
    """The counts of the released program by task; none where it stops at the file."""
    try:
        return {each.task: each.counts for each in read_published(path, "code")}
    except BadInput:
        return {}


def _race_rows(path: Path) -> dict[str, Score]:
    """The scores of published RACE rows, by task."""
    scores: dict[str, Score] = {}
    for row in read_rows(path):
        task = row.fields.get("id")
        if not isinstance(task, str | int) or str(task) in scores:
            raise BadInput(f"{row.place}: id is missing, or there a second time.", RACE_FIELDS)
        parts = {name: _number(row, name) for name in DIMENSIONS}
        scores[str(task)] = Score(_number(row, "overall_score"), (0.0, 1.0), parts)
    if not scores:
        raise BadInput(f"{path} holds no rows.", RACE_FIELDS)
    return scores


def _number(row: RowOfFile, name: str) -> float:
    value: Json = row.fields.get(name)
    if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
        raise BadInput(f"{row.place}: {name} is not a number.", RACE_FIELDS)
    return float(value)
