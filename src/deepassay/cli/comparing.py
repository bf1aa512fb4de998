"""`compare`, and results as gates of a pipeline."""

from __future__ import annotations

from collections.abc import Sequence
from math import isfinite
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from deepassay.cli.help import listed
from deepassay.cli.terminal import complain, end_with_nothing, hand_over, note
from deepassay.errors import BadSetting

if TYPE_CHECKING:
    from deepassay.results.comparing import Contest
    from deepassay.results.differences import ComparisonTerms
    from deepassay.results.gates import Floor, GateResult
    from deepassay.results.reading import Records

TableFormat = Literal["text", "markdown", "csv", "json"]

FailUnder = Annotated[
    list[str] | None,
    typer.Option(
        metavar="PROTOCOL=X", help="Exit with 1 if an agent has less, or no score; may be repeated."
    ),
]

JudgedBy = Annotated[
    list[str] | None,
    typer.Option(
        metavar="[FILE=]NAME",
        hidden=True,
        help="Who judged published scores, or those of FILE; repeatable.",
    ),
]


def floors_of(given: list[str] | None) -> list[Floor]:
    """What --fail-under asks for. Raises BadSetting."""
    if not given:
        return []
    from deepassay.results.gates import Floor

    return [Floor.read(each) for each in given]


def hold_to(floors: Sequence[Floor], runs: Sequence[Path]) -> None:
    """Exit with 1 if an agent of the runs does not reach what is asked for, and say which."""
    if floors:
        from deepassay.results.gates import too_low
        from deepassay.run.showing.boards import read_scores

        end_at_gate(too_low(read_scores(runs), floors))


def hold_scored(
    runs: Sequence[Path], judged_by: Sequence[str] = (), protocols: Sequence[str] = ()
) -> None:
    """Exit with 1 where nobody has a score, whatever was printed or written of that."""
    from deepassay.run.showing.boards import read_scores

    records = read_scores(runs, judged_by)
    records.only(protocols)
    end_unless(records.has_scores)


def end_unless(scored: bool) -> None:
    """Exit with 1 where nobody has a score. scored: whether anybody has one."""
    if not scored:
        end_with_nothing(
            "No report has a score here: `deepassay export RUN` says of each why. The same "
            "`evaluate` goes on with what was not asked; with --retry-unscored it asks again for "
            "what failed."
        )


def end_at_gate(result: GateResult) -> None:
    """Exit with 1 if anything failed, and list it; else say what passed."""
    fail(result.failed)
    note(result.passed)


def fail(problems: Sequence[str]) -> None:
    """Exit with 1 if anything is wrong, and say what."""
    for each in problems:
        complain(each)
    if problems:
        raise typer.Exit(1)


EQUAL = 1e-9
Compared = Annotated[
    list[str],
    typer.Argument(metavar="RUN... [A B]", help="Run files or published scores; then two agents."),
]
ProtocolOption = Annotated[
    list[str] | None, typer.Option(help="Only this protocol; may be repeated.")
]
FailIfWorse = Annotated[
    bool,
    typer.Option(
        "--fail-if-worse",
        help="Exit with 1 if A is worse than B, or than it was, or if nobody can tell.",
    ),
]


SinceOption = Annotated[
    Path | None,
    typer.Option(
        metavar="RUN_OLD",
        help="What got worse or better since this run, report by report: for a pull request.",
    ),
]
OverTime = Annotated[
    bool,
    typer.Option("--over-time", help="Each agent from run to run, in the order of their days."),
]


@listed(
    "deepassay compare run.assay",
    "deepassay compare run.assay heron magpie --protocol presentation",
    "deepassay compare later.assay --since first.assay",
    group="look",
)
def compare(
    given: Compared,
    protocol: ProtocolOption = None,
    by: Annotated[str | None, typer.Option(help="Cut by this label of tasks too.")] = None,
    cluster: Annotated[
        str | None, typer.Option(help="Count tasks with the same label value as one.")
    ] = None,
    tie: Annotated[
        float, typer.Option(min=0.0, help="Scores of a task that differ by no more are a tie.")
    ] = EQUAL,
    difference: Annotated[
        float | None,
        typer.Option(help="Say how many tasks this difference needs; with --judges: matters."),
    ] = None,
    since: SinceOption = None,
    over_time: OverTime = False,
    judges: Annotated[
        bool, typer.Option("--judges", help="RUN_OLD RUN_NEW: one set of reports, two judges.")
    ] = False,
    seed: Annotated[int, typer.Option(min=0, help="For everything drawn at random.")] = 0,
    fail_if_worse: FailIfWorse = False,
    judged_by: JudgedBy = None,
    format: Annotated[TableFormat, typer.Option()] = "text",
) -> None:
    """Compare agents over the same tasks, or two judges."""
    from deepassay.results.comparison_tables import write_contests
    from deepassay.results.differences import ComparisonTerms

    terms = ComparisonTerms(tie=tie, by=by, cluster=cluster, difference=difference, seed=seed)
    runs = [Path(each) for each in given if Path(each).is_file() or each.endswith(".assay")]
    agents = [each for each in given if Path(each) not in runs]
    _check(terms, fail_if_worse, pair=since is not None or (not judges and len(agents) == 2))
    if since is not None or over_time:
        _check_times(runs, agents, since, over_time, bool(judges or by or judged_by))
        if since is None:
            hand_over(_over_time(runs, agents, protocol or (), terms, format))
            hold_scored(runs, (), protocol or ())
        else:
            _since(runs[0], since, agents, protocol or (), terms, format, gate=fail_if_worse)
        return
    if judges:
        text, problems = _judges(runs, agents, protocol, terms, format, judged_by)
        hand_over(text)
        fail(problems)
        return
    contests, records = _agents(runs, agents, protocol, terms, judged_by or ())
    hand_over(write_contests(contests, format, ranked=not agents))
    hold_scored(runs, judged_by or (), protocol or ())
    if fail_if_worse:
        _hold_pair(contests, records, agents[0], agents[1])


def _hold_pair(contests: Sequence[Contest], records: Records, one: str, other: str) -> None:
    """Exit with 1 if the one is worse than the other; cuts by a label are left aside."""
    from deepassay.results.aggregate import means_of_tasks
    from deepassay.results.gates import PairAtGate, worse
    from deepassay.results.records import by_agent

    pairs = []
    for contest in contests:
        if contest.label is None:
            own = by_agent(records.for_ranks(contest.protocol, (one, other)))
            ours, theirs = (means_of_tasks(own.get(agent, ())) for agent in (one, other))
            scores = {task: (ours[task], theirs[task]) for task in ours if task in theirs}
            pairs.append(PairAtGate(contest, one, other, scores))
    end_at_gate(worse(pairs))


def _check_times(
    runs: Sequence[Path],
    agents: Sequence[str],
    since: Path | None,
    over_time: bool,
    others: bool,
) -> None:
    """Refuse what does not go with runs at several times."""
    which = "--since" if since else "--over-time"
    if others or (since and over_time):
        raise BadSetting(
            f"{which} goes with neither --judges, --by, --judged-by nor "
            f"{'--over-time' if since else '--since'}.",
            "Leave them out.",
        )
    if since and (len(runs) != 1 or len(agents) > 2):
        raise BadSetting(
            f"--since holds one run against an earlier one, and there are {len(runs)} run files"
            + (f" and, not found, {', '.join(agents)}." if agents else "."),
            "As in `deepassay compare new.assay --since old.assay`; of agents name one, or the "
            "new and the old one.",
        )
    if not since and len(runs) < 2:
        raise BadSetting(
            f"--over-time needs several run files, and there are {len(runs)}"
            + (f"; not found: {', '.join(agents)}." if agents else "."),
            "As in `deepassay compare *.assay --over-time`.",
        )


def _over_time(
    runs: Sequence[Path],
    agents: Sequence[str],
    protocols: Sequence[str],
    terms: ComparisonTerms,
    format: str,
) -> str:
    from deepassay.results.trends import series, write_series
    from deepassay.run.showing.revisions import by_day, revisions_of

    read = by_day(revisions_of(runs, protocols, items=False))
    return write_series(series(read, agents, terms), format)


def _since(
    run: Path,
    since: Path,
    agents: Sequence[str],
    protocols: Sequence[str],
    terms: ComparisonTerms,
    format: str,
    *,
    gate: bool,
) -> None:
    from deepassay.results.gates import worse
    from deepassay.results.revision_tables import write_revisions
    from deepassay.results.revisions import revise
    from deepassay.run.showing.revisions import revisions_of

    old, new = revisions_of([since, run], protocols, states=True)
    found = revise(old, new, agents, terms)
    hand_over(write_revisions(found, format))
    hold_scored([run], (), protocols)
    if gate:
        end_at_gate(worse(found.at_gate, found.unknown))


def _check(terms: ComparisonTerms, fail_if_worse: bool, *, pair: bool) -> None:
    """Refuse options that are none. pair: whether two agents are compared."""
    difference = terms.difference
    if difference is not None and not (isfinite(difference) and difference > 0):
        raise BadSetting(f"--difference is {difference:g}.", "Give a number above zero.")
    if not isfinite(terms.tie):
        raise BadSetting(f"--tie is {terms.tie:g}.", "Give a number from zero on.")
    if fail_if_worse and not pair:
        raise BadSetting(
            "--fail-if-worse asks whether one agent is worse than another, or than it was.",
            "Name two agents behind the run files, first the new one; or an earlier run with "
            "--since.",
        )


def _agents(
    runs: list[Path],
    agents: list[str],
    protocols: list[str] | None,
    terms: ComparisonTerms,
    judged_by: Sequence[str],
) -> tuple[Sequence[Contest], Records]:
    from deepassay.results.comparing import compare
    from deepassay.run.showing.boards import read_scores

    if not runs:
        raise BadSetting(f"None of these is a file: {', '.join(agents)}.", "Name a run file first.")
    if len(agents) not in (0, 2):
        raise BadSetting(
            f"These are not files, so they are taken for agents: {', '.join(agents)}.",
            f"Name two agents, or none to compare all pairs. Files: {', '.join(map(str, runs))}.",
        )
    pair = (agents[0], agents[1]) if agents else None
    records = read_scores(runs, judged_by)
    records.only(protocols or ())
    _tell_of_other_texts(runs)
    return compare(records, pair, terms), records


def _tell_of_other_texts(runs: Sequence[Path]) -> None:
    """Say where runs hold several reports of an agent for a task: here they count as one answer."""
    from deepassay.run.showing.records import each_run
    from deepassay.run.showing.revisions import with_other_text
    from deepassay.runfile.schema import is_database

    files = [run for run in runs if is_database(run)]
    if len(files) > 1 and (key := with_other_text(each_run(files))):
        note(
            f"These runs hold different reports, as of {key[0]} for {key[1]}; here they count as "
            "one. To hold one run against the other: `deepassay compare NEW --since OLD`."
        )


def _judges(
    runs: list[Path],
    others: list[str],
    protocols: list[str] | None,
    terms: ComparisonTerms,
    format: str,
    judged_by: list[str] | None,
) -> tuple[str, list[str]]:
    """What a change of judge did, and what is wrong with it: most reports found no other score."""
    from deepassay.results.migration import migrate
    from deepassay.results.migration_tables import write_migrations
    from deepassay.run.showing.boards import only_judged_by
    from deepassay.run.showing.revisions import rejudged

    if len(runs) != 2 or others:
        raise BadSetting(
            "--judges takes two run files and nothing else.",
            f"Files found: {', '.join(map(str, runs)) or 'none'}; not found: "
            f"{', '.join(others) or 'none'}.",
        )
    if judged_by:
        raise BadSetting("Run files say who judged.", "Leave out --judged-by.")
    if terms.by or terms.cluster or terms.tie != EQUAL or terms.seed:
        raise BadSetting(
            "--by, --cluster, --tie and --seed do nothing with --judges.", "Leave them out."
        )
    old, new, changed = rejudged(runs[0], runs[1])
    before, after = (only_judged_by(protocols or (), side) for side in (old, new))
    found = migrate(before, after, terms.difference, changed)
    remedy = "Judge the same reports with both."
    problems = [each.joined.problem(remedy) for each in found if each.joined.mostly_lost]
    return write_migrations(found, format), problems
