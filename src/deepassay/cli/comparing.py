"""`compare`: agents, or two judges, over the same tasks."""

from __future__ import annotations

from math import isfinite
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from deepassay.cli.findings import TableFormat
from deepassay.cli.terminal import hand_over
from deepassay.errors import BadSetting

if TYPE_CHECKING:
    from deepassay.results.comparing import ComparisonTerms
    from deepassay.results.records import Judged

EQUAL = 1e-9


def compare(
    given: Annotated[
        list[str],
        typer.Argument(
            metavar="RUN... [A B]", help="Run files or published scores; then two agents."
        ),
    ],
    protocol: Annotated[
        list[str] | None, typer.Option(help="Only this protocol; may be repeated.")
    ] = None,
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
    format: Annotated[TableFormat, typer.Option()] = TableFormat.TEXT,
) -> None:
    """Compare agents over the same tasks, or two judges of the same reports."""
    from deepassay.results.comparing import ComparisonTerms

    if difference is not None and not (isfinite(difference) and difference > 0):
        raise BadSetting(f"--difference is {difference:g}.", "Give a number above zero.")
    if not isfinite(tie):
        raise BadSetting(f"--tie is {tie:g}.", "Give a number from zero on.")
    terms = ComparisonTerms(tie=tie, by=by, cluster=cluster, difference=difference, seed=seed)
    runs = [Path(each) for each in given if Path(each).is_file()]
    agents = [each for each in given if not Path(each).is_file()]
    if judges:
        hand_over(_judges(runs, agents, protocol, terms, format.value))
        return
    hand_over(_agents(runs, agents, protocol, terms, format.value))


def _agents(
    runs: list[Path],
    agents: list[str],
    protocols: list[str] | None,
    terms: ComparisonTerms,
    format: str,
) -> str:
    from deepassay.results.comparing import compare
    from deepassay.results.comparison_tables import write_contests
    from deepassay.run.published import scores_of

    if not runs:
        raise BadSetting(f"None of these is a file: {', '.join(agents)}.", "Name a run file first.")
    if len(agents) not in (0, 2):
        raise BadSetting(
            f"These are not files, so they are taken for agents: {', '.join(agents)}.",
            f"Name two agents, or none to compare all pairs. Files: {', '.join(map(str, runs))}.",
        )
    pair = (agents[0], agents[1]) if agents else None
    records = _only(scores_of(runs), protocols)
    return write_contests(compare(records, pair, terms), format, ranked=not agents)


def _judges(
    runs: list[Path],
    others: list[str],
    protocols: list[str] | None,
    terms: ComparisonTerms,
    format: str,
) -> str:
    from deepassay.results.migration import migrate
    from deepassay.results.migration_tables import write_migrations
    from deepassay.run.rejudged import rejudged

    if len(runs) != 2 or others:
        raise BadSetting(
            "--judges takes two run files and nothing else.",
            f"Files found: {', '.join(map(str, runs)) or 'none'}; not found: "
            f"{', '.join(others) or 'none'}.",
        )
    if terms.by or terms.cluster or terms.tie != EQUAL or terms.seed:
        raise BadSetting(
            "--by, --cluster, --tie and --seed do nothing with --judges.", "Leave them out."
        )
    old, new, changed = rejudged(runs[0], runs[1])
    found = migrate(_only(old, protocols), _only(new, protocols), terms.difference, changed)
    return write_migrations(found, format)


def _only(records: list[Judged], protocols: list[str] | None) -> list[Judged]:
    """Raises BadSetting for a protocol that was not judged."""
    known = dict.fromkeys(each.protocol for each in records)
    for name in protocols or []:
        if name not in known:
            raise BadSetting(
                f"Nothing was judged by {name!r}.", f"Protocols: {', '.join(sorted(known))}."
            )
    return [each for each in records if not protocols or each.protocol in protocols]
