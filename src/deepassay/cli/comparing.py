"""`compare`, and results as gates of a pipeline."""

from __future__ import annotations

from collections.abc import Sequence
from math import isfinite
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from deepassay.cli.help import listed
from deepassay.cli.terminal import complain, end_with_nothing, hand_over
from deepassay.errors import BadSetting

if TYPE_CHECKING:
    from deepassay.results.comparing import Contest
    from deepassay.results.differences import ComparisonTerms
    from deepassay.results.gates import Floor

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

        fail(list(too_low(read_scores(runs), floors)))


def hold_scored(
    runs: Sequence[Path], judged_by: Sequence[str] = (), protocols: Sequence[str] = ()
) -> None:
    """Exit with 1 where nobody has a score, whatever was printed or written of that."""
    from deepassay.run.showing.boards import read_scores

    records = read_scores(runs, judged_by)
    records.only(protocols)
    if not records.has_scores:
        end_with_nothing(
            "No report has a score here: `deepassay export RUN` says of each why. `evaluate` with "
            "--retry-unscored asks again."
        )


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
        "--fail-if-worse", help="Exit with 1 if A is worse than B, or if nobody can tell."
    ),
]


@listed(
    "deepassay compare run.assay",
    "deepassay compare run.assay heron magpie --protocol presentation",
    group="look",
)
def compare(
    given: Compared,
    protocol: ProtocolOption = None,
    by: Annotated[str | None, typer.Option(help="Cut by this label of tasks too.")] = None,
    cluster: Annotated[
        str | None, typer.Option(help="Take tasks of one value of this label for one.")
    ] = None,
    tie: Annotated[
        float, typer.Option(min=0.0, help="Scores of a task no further apart are a tie.")
    ] = EQUAL,
    difference: Annotated[
        float | None,
        typer.Option(help="Say how many tasks this difference needs; with --judges: matters."),
    ] = None,
    judges: Annotated[
        bool, typer.Option("--judges", help="RUN_OLD RUN_NEW: one set of reports, two judges.")
    ] = False,
    seed: Annotated[int, typer.Option(min=0, help="Of everything drawn by chance.")] = 0,
    fail_if_worse: FailIfWorse = False,
    judged_by: JudgedBy = None,
    format: Annotated[TableFormat, typer.Option()] = "text",
) -> None:
    """Compare agents over the same tasks, or two judges."""
    from deepassay.results.comparison_tables import write_contests
    from deepassay.results.differences import ComparisonTerms
    from deepassay.results.gates import worse

    terms = ComparisonTerms(tie=tie, by=by, cluster=cluster, difference=difference, seed=seed)
    runs = [Path(each) for each in given if Path(each).is_file()]
    agents = [each for each in given if not Path(each).is_file()]
    _check(terms, fail_if_worse, pair=not judges and len(agents) == 2)
    if judges:
        text, problems = _judges(runs, agents, protocol, terms, format, judged_by)
        hand_over(text)
        fail(problems)
        return
    contests = _agents(runs, agents, protocol, terms, judged_by or ())
    hand_over(write_contests(contests, format, ranked=not agents))
    hold_scored(runs, judged_by or (), protocol or ())
    if fail_if_worse:
        fail(list(worse(contests, agents[0], agents[1])))


def _check(terms: ComparisonTerms, fail_if_worse: bool, *, pair: bool) -> None:
    """Refuse options that are none. pair: whether two agents are compared."""
    difference = terms.difference
    if difference is not None and not (isfinite(difference) and difference > 0):
        raise BadSetting(f"--difference is {difference:g}.", "Give a number above zero.")
    if not isfinite(terms.tie):
        raise BadSetting(f"--tie is {terms.tie:g}.", "Give a number from zero on.")
    if fail_if_worse and not pair:
        raise BadSetting(
            "--fail-if-worse asks whether one agent is worse than another.",
            "Name two agents behind the run files: first the new one, then the old one.",
        )


def _agents(
    runs: list[Path],
    agents: list[str],
    protocols: list[str] | None,
    terms: ComparisonTerms,
    judged_by: Sequence[str],
) -> Sequence[Contest]:
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
    return compare(records, pair, terms)


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
    from deepassay.run.showing.records import rejudged

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
