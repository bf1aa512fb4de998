"""Comparisons, and the noise of the judge in them: for people, as CSV and as JSON."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from statistics import stdev
from typing import Final

from deepassay.files import as_json
from deepassay.glossary import legend, meaning
from deepassay.results.comparing import Contest, Contestant
from deepassay.results.differences import Difference
from deepassay.results.opening import opening
from deepassay.results.overview import OFFLINE, notes_on, notices_on
from deepassay.results.records import NO_READING, REFERENCE
from deepassay.results.score_and_mean import MEAN, score_note, score_or_least
from deepassay.results.shortfalls import shortfalls
from deepassay.results.standings import RANKED_FROM
from deepassay.results.tables import (
    NONE,
    Table,
    as_csv,
    cause_counts,
    decimals,
    ends_of,
    in_range,
    low_and_high,
    of_label,
    p_value,
    percent,
    printable,
    scored_of,
    several,
    with_sign,
)
from deepassay.results.tipping import Tipping
from deepassay.results.wrapped_tables import each_note_once, written_narrow
from deepassay.score import Json
from deepassay.stats.intervals import Interval
from deepassay.stats.ranks import TIE
from deepassay.stats.resampling import DRAWS

REPEATS: Final = (1, 2, 5, 10)
ONCE: Final = (
    "Every answer was judged once, so what the judge adds cannot be told apart from the spread "
    "between tasks. Evaluate with --repeat 3 to see it."
)


def is_repeated(contest: Contest) -> bool:
    """Whether any answer was judged again, or any task answered again."""
    noises = (each.noise for each in contest.contestants)
    return any(noise.judge is not None or noise.answer is not None for noise in noises)


def noise_table(contest: Contest, heading: str) -> Table:
    """A row for each agent; below, the sentences that say what follows from it."""
    limits = contest.limits
    repeated = [each for each in contest.contestants if each.noise.judge is not None]
    head = ("agent", "judgements", "judge", "answers", "tasks", "judge's part, once")
    notes = [
        "Standard deviations: judge, of one answer judged again; answers, of an agent's answers to "
        "one task; tasks, between the means of tasks.",
        "judge's part, once: of the variance of the mean if every answer is judged once; "
        "± with n: half of the 95 % interval of the mean with n judgements an answer.",
    ]
    sentences = [line for each in repeated for line in _sentences(each, limits)]
    return Table.listed(
        f"{heading}: noise of the judge and spread between tasks",
        (*head, *(f"± with {count}" for count in REPEATS)),
        (_row(each, limits) for each in contest.contestants),
        (*notes, *(sentences or [ONCE])),
    )


def _row(row: Contestant, limits: Interval | None) -> tuple[str, ...]:
    noise = row.noise
    fewest, most = noise.judgements
    return (
        row.agent,
        str(most) if fewest == most else f"{fewest} to {most}",
        in_range(noise.judge, limits),
        in_range(noise.answer, limits),
        in_range(noise.observed, limits),
        percent(noise.share(1)),
        *(in_range(noise.half_width(count), limits) for count in REPEATS),
    )


def _sentences(row: Contestant, limits: Interval | None) -> list[str]:
    lines = []
    if len(row.passes) > 1:
        low, high = (in_range(end(row.passes), limits) for end in (min, max))
        spread = in_range(stdev(row.passes), limits)
        lines.append(
            f"{row.agent}: {len(row.passes)} passes of the judge gave means from {low} to {high} "
            f"(standard deviation {spread})."
        )
    once, twice = row.noise.spread(1), row.noise.spread(2)
    if once and twice:
        lines.append(
            f"{row.agent}: judging every answer twice instead of once would narrow the interval "
            f"by {100 * (1 - twice / once):.0f} %, as much as "
            f"{100 * ((once / twice) ** 2 - 1):.0f} % more tasks would."
        )
    elif once == 0:
        lines.append(f"{row.agent}: all judgements are the same; judging again buys nothing.")
    return lines


def flat_contests(contests: Sequence[Contest]) -> list[dict[str, Json]]:
    """One row per protocol, value of the label and pair of agents."""
    return [_place(each) | _pair(each, row) for each in contests for row in each.differences]


def to_csv(contests: Sequence[Contest]) -> str:
    """The rows of `flat_contests` as CSV, with `no reading` in place of p that says nothing."""
    rows = flat_contests(contests)
    unread = {"p": NO_READING, "p_holm": NO_READING}
    return as_csv([row if row["reading"] else row | unread for row in rows])


def to_json(contests: Sequence[Contest]) -> str:
    """A list with a record per protocol and value of the label."""
    found = [
        _place(each)
        | {
            "identity": dict(each.recipe.identity),
            "agents": [_agent(each, row) for row in each.contestants],
            "without_score": [printable(agent) for agent in each.silent],
            "differences": [_pair(each, row) for row in each.differences],
        }
        for each in contests
    ]
    return as_json(found)


def _place(contest: Contest) -> dict[str, Json]:
    label, value = contest.label or ("", "")
    terms = contest.terms
    return {
        "protocol": contest.protocol,
        "label": label,
        "value": printable(value),
        "recipe": contest.recipe.digest,
        "offline_baseline": contest.offline,
        "seed": terms.seed,
        "tie": terms.tie,
        "cluster": terms.cluster,
        "asked_difference": terms.difference,
    }


def _pair(contest: Contest, row: Difference) -> dict[str, Json]:
    return {
        "agent": printable(row.one),
        "other": printable(row.other),
        "difference": row.mean,
        **low_and_high("possible", row.possible),
        **low_and_high("t", row.interval),
        **low_and_high("bca", row.bootstrap),
        "p": row.permutation.p if contest.reads and row.permutation else None,
        "p_exact": row.permutation.exact if row.permutation else None,
        "p_scored_alone": row.tipping.p if contest.reads and row.tipping else None,
        "tips_at": row.tipping.at if contest.reads and row.tipping else None,
        "p_holm": row.adjusted if contest.reads else None,
        "deviation": row.deviation,
        "d_z": row.effect,
        "won": row.wins,
        "lost": row.losses,
        "tied": row.ties,
        "tasks": row.tasks.scored,
        "tasks_expected": row.tasks.expected,
        "units": row.units,
        "smallest_shown": row.can_show,
        "units_needed": row.needed,
        "judge_share": row.judge,
        "reading": contest.reads,
    }


def _agent(contest: Contest, row: Contestant) -> dict[str, Json]:
    noise = row.noise
    return {
        "agent": printable(row.agent),
        "reference": row.is_reference,
        "score": row.score,
        **low_and_high("score_interval", row.score_interval),
        "mean": row.mean,
        **low_and_high("interval", row.interval),
        "ranks": list(row.ranks) if row.ranks and contest.reads else None,
        "tasks": row.tasks.scored,
        "tasks_expected": row.tasks.expected,
        "judgements": list(noise.judgements),
        "judge_deviation": noise.judge,
        "answer_deviation": noise.answer,
        "task_deviation": noise.observed,
        "task_deviation_without_noise": noise.task,
        "judge_share_once": noise.share(1),
        "passes": list(row.passes),
        "unscored": dict(contest.unscored.get(row.agent, {})),
    }


FEW: Final = 20
"""Of fewer tasks or clusters, resampling shows too little spread."""

MIN_UNITS: Final = 2
"""Of fewer tasks or clusters, nothing can be tested."""

RANKS_NOTE: Final = (
    f"rank interval: {meaning('rank interval')}; "
    f"below {RANKED_FROM:.0%} of the tasks an agent has none."
)


def write_contests(contests: Sequence[Contest], format: str, ranked: bool) -> str:
    """In one of the formats of a leaderboard; CSV has the differences alone, JSON everything.

    ranked: with the agents and their rank intervals before the pairs. For people, tables without a
    reading are closed where others have one.
    """
    if format == "csv":
        return to_csv(contests)
    if format == "json":
        return to_json(contests)
    read = [each for each in contests if each.reads] or contests
    closed = ", ".join(dict.fromkeys(each.protocol for each in contests if each not in read))
    told = [f"--protocol NAME shows the tables of each: {closed}."] if closed else []
    tables = [table for each in read for table in contest_tables(each, ranked)]
    above = (*shortfalls(*contests), *opening(contests), *notices_on(*contests), *told)
    return written_narrow(each_note_once(tables), format, above)


def contest_tables(contest: Contest, ranked: bool) -> list[Table]:
    """A contest for people; ranked: with the agents before the pairs."""
    tables = [_agents_table(contest)] if ranked else []
    tables.append(_pairs_table(contest))
    if is_repeated(contest):
        tables.append(noise_table(contest, _heading(contest)))
    return tables


def _heading(contest: Contest) -> str:
    label = of_label(contest.label)
    return f"{contest.protocol}{f' ({OFFLINE})' if contest.offline else ''}{label}"


def _agents_table(contest: Contest) -> Table:
    silent = [f"Without any score: {', '.join(contest.silent)}."] if contest.silent else []
    limits = contest.limits

    def ranks(row: Contestant) -> str:
        if not contest.reads:
            return NO_READING
        return NONE if row.ranks is None else f"{row.ranks.low} to {row.ranks.high}"

    columns: list[tuple[str, Callable[[Contestant], str]]] = [
        ("agent", lambda row: row.name),
        ("score", lambda row: in_range(row.score, limits)),
        ("95 % interval", lambda row: ends_of(row.score_interval, limits)),
        *[(MEAN, lambda row: in_range(row.mean, limits))] * contest.is_apart,
        ("rank interval", ranks),
        ("tasks", lambda row: scored_of(row.tasks)),
    ]
    title = f"{_heading(contest)}: agents"
    notes = (*score_note(contest), RANKS_NOTE, *silent)
    rows = sorted(contest.contestants, key=score_or_least, reverse=True)
    return Table.of(title, columns, rows, notes)


Column = tuple[str, Callable[[Difference], str]]


def _columns(contest: Contest) -> list[Column]:
    limits, terms = contest.limits, contest.terms
    units = "clusters" if terms.cluster else "tasks"

    def p(value: float | None) -> str:
        return p_value(value) if contest.reads else NO_READING

    columns: list[Column] = [
        ("agent", lambda row: _named(contest, row.one)),
        ("other", lambda row: _named(contest, row.other)),
        ("difference", lambda row: with_sign(row.mean, limits)),
        ("95 % interval (t)", lambda row: ends_of(row.interval, limits)),
        ("p", lambda row: p(row.permutation.p if row.permutation else None)),
    ]
    if any(row.adjusted is not None for row in contest.differences):
        columns.append(("p (Holm)", lambda row: p(row.adjusted)))
    if contest.reads and any(row.tipping for row in contest.differences):
        columns.append(("tips at", lambda row: _tips(row.tipping, limits)))
    columns += [
        ("tasks", lambda row: scored_of(row.tasks)),
        ("95 % (BCa)", lambda row: ends_of(row.bootstrap, limits)),
        ("d_z", lambda row: decimals(row.effect, 2)),
        ("won", lambda row: _share(row.wins, row)),
        ("lost", lambda row: _share(row.losses, row)),
        ("tied", lambda row: _share(row.ties, row)),
    ]
    if terms.cluster:
        columns.append(("clusters", lambda row: str(row.units)))
    columns.append(("can show", lambda row: in_range(row.can_show, limits)))
    if terms.difference is not None:
        columns.append((f"{units} needed", lambda row: str(row.needed or NONE)))
    columns.append(("judge's part", lambda row: percent(row.judge)))
    return columns


def _pairs_table(contest: Contest) -> Table:
    columns = _columns(contest)[: None if contest.differences else 3]
    title = f"{_heading(contest)}: differences"
    table = Table.of(title, columns, contest.differences, _notes(contest), words=(0, 1))
    return replace(table, above=notes_on(contest))


def _notes(contest: Contest) -> tuple[str, ...]:
    terms, rows = contest.terms, contest.differences
    notes = []
    if not rows:
        return ("No two of these agents have a score for the same task.", *unscored_notes(contest))
    notes.append(
        "difference: the first agent less the second, mean over the tasks that have a score of "
        "both; tasks: those, of all that both were asked."
    )
    units = f"clusters by {terms.cluster}" if terms.cluster else "tasks"
    exact = {row.permutation.exact for row in rows if row.permutation}
    every = "every change of sign" if exact == {True} else f"{DRAWS} changes of sign"
    notes.append(
        f"Independent: {units}. BCa: bootstrap, {DRAWS} draws. p: of {every}, two-sided; seed "
        f"{terms.seed}."
    )
    if min(row.units for row in rows) < FEW:
        notes.append(f"Below {FEW} {units} BCa is too narrow: go by the interval by t.")
    notes += [*_without_p(contest), *score_note(contest)]
    size = "equal to nine decimals" if terms.tie <= TIE else f"no more than {terms.tie:g} apart"
    notes.append(f"tied: {size}. d_z: mean difference by its deviation between tasks.")
    notes.append(legend("can show"))
    if terms.difference is not None:
        notes.append(f"needed: to show a difference of {terms.difference:g} likewise.")
    if any(row.judge is not None for row in rows):
        notes.append(legend("judge's part"))
    if not is_repeated(contest):
        notes.append(ONCE)
    return (*notes, f"recipe: {contest.recipe}")


TIPPING: Final = (
    "tips at: by their scored tasks alone the two differ (p < .05); that holds until the unscored "
    "tasks differ by this on average. never: whatever they would have scored. –: the scored tasks "
    "show nothing, or none is unscored."
)


def unscored_notes(contest: Contest) -> list[str]:
    """Who lacks how many tasks and why, and what that does to p; nothing where nobody does."""
    lacking = ", ".join(
        f"{agent} {several(sum(why.values()), 'task')} ({cause_counts(why)})"
        for agent, why in contest.unscored.items()
    )
    if not lacking or not contest.differences:
        return [f"Unscored: {lacking}."] if lacking else []
    endless = any(row.possible is None for row in contest.differences)
    return [
        f"Unscored: {lacking}. p is the largest that any scores of these tasks could lead to; the "
        "other figures leave them out, and flatter who would have failed them."
        + " p –: the range of an unscored task is not known."
        * endless,
        *[TIPPING] * any(row.tipping for row in contest.differences),
    ]


def _without_p(contest: Contest) -> list[str]:
    """Why there is no p, no rank or no interval."""
    notes = []
    if contest.references:
        notes.append(
            f"{REFERENCE}: the others are scored against it, so its score is no result: no p, no "
            "rank."
        )
    if any(row.units < MIN_UNITS for row in contest.differences):
        notes.append("p –: of one task alone nothing can be tested; Holm does not count the pair.")
    if any(row.interval is None for row in contest.differences):
        notes.append("interval –: there is one task, or all tasks differ by the same.")
    return [*notes, *unscored_notes(contest)]


def _named(contest: Contest, agent: str) -> str:
    return f"{agent} {REFERENCE}" if agent in contest.references else agent


def _tips(tipping: Tipping | None, limits: Interval | None) -> str:
    if tipping is None:
        return NONE
    return "never" if tipping.at is None else with_sign(tipping.at, limits)


def _share(count: int, row: Difference) -> str:
    return f"{count} ({100 * count / row.tasks.scored:.0f} %)"
