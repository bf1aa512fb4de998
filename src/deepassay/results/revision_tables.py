"""A run against an earlier one, for people: what got worse, report by report with its cause.

As Markdown it is a comment on a pull request: names and reasons in it are data, and it is no
longer than GitHub takes.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import groupby
from typing import Final

from deepassay.files import as_json
from deepassay.glossary import legend
from deepassay.results.leads import p_told, some
from deepassay.results.losses import LostPoint
from deepassay.results.opening import judges_told
from deepassay.results.overview import notices_on
from deepassay.results.records import NO_READING
from deepassay.results.revisions import FallenReport, Revised, Revisions, told_left_out
from deepassay.results.score_and_mean import by_told, score_note
from deepassay.results.tables import (
    NONE,
    Table,
    as_csv,
    as_markdown,
    ends_of,
    in_markdown,
    in_range,
    low_and_high,
    p_value,
    printable,
    scored_of,
    several,
    with_sign,
)
from deepassay.results.wrapped_tables import COLUMNS, as_narrow, paragraphs, wrapped_lines
from deepassay.score import Json
from deepassay.stats.testing import ALPHA
from deepassay.text import one_line

LIMIT: Final = 65_000
"""Characters of a comment in Markdown; GitHub refuses one of more than 65,536."""

POINTS: Final = 8
"""Lost points of a report that are listed by a protocol."""

ROWS: Final = 60
"""Rows of the table that a comment has room for."""

CUT: Final = 300
"""Characters of a text of others that a line holds."""

Column = tuple[str, Callable[[Revised], str]]


def write_revisions(found: Revisions, format: str) -> str:
    """As text, Markdown, CSV or JSON."""
    if format == "csv":
        return as_csv(flat_revisions(found))
    if format == "json":
        return as_json(_record(found))
    if format == "markdown":
        return _comment(found)
    table = as_narrow(_table(found.rows), COLUMNS)
    texts = [paragraphs(opening_of(found), COLUMNS), table]
    if reports := [*_reports(found)]:
        lines = (line for title, own in reports for line in ("", title, *own))
        texts.append("What got worse\n" + "\n".join(_folded(lines)))
    texts.append(paragraphs(_aside(found), COLUMNS))
    return "\n\n".join(filter(None, texts)) + "\n"


def _folded(lines: Iterable[str]) -> Iterator[str]:
    """Lines of COLUMNS cells; what goes on from a mark of a list stands behind the mark."""
    for line in lines:
        text = line.lstrip(" ")
        margin = len(line) - len(text)
        behind = " " * (margin + 2 * text.startswith("- "))
        first, *more = wrapped_lines(text, COLUMNS - len(behind))
        yield " " * margin + first
        yield from (behind + each for each in more)


def opening_of(found: Revisions) -> tuple[str, ...]:
    """Who judged which runs, what is worse and what is better, and how sure that is."""
    rows = [row for row in found.rows if row.gap and row.contest.reads]
    agents = {row.agent for row in found.rows}
    who = judges_told([row.contest for row in found.rows])
    told = [
        f"{found.new} against {found.old}, judged by {who}: {several(len(agents), 'agent')} by "
        f"{several(len({row.protocol for row in found.rows}), 'protocol')}."
    ]
    for begins, sign, sure in (
        ("Worse, by more than chance explains", -1, True),
        ("Better, by more than chance explains", 1, True),
        ("Lower, which may be chance", -1, False),
        ("Higher, which may be chance", 1, False),
    ):
        own = [row for row in rows if _is_sure(row) == sure and _sign(row) == sign]
        if own:
            own.sort(key=lambda row: row.gap.adjusted or 1.0 if row.gap else 1.0)
            more = len(own) - 3
            pieces = [*map(_piece, own[:3]), *[f"{more} more"] * (more > 0)]
            told.append(f"{begins}: {'; '.join(pieces)}.")
    if level := [f"{row.agent} by {by_told(row.contest)}" for row in rows if not _sign(row)]:
        told.append(f"As before: {some(level)}.")
    if blind := dict.fromkeys(row.protocol for row in found.rows if not row.contest.reads):
        told.append(f"{NO_READING.capitalize()} by {some([*blind])}: the offline rule cannot tell.")
    if apart := [f"{row.agent} by {row.protocol}" for row in found.rows if not row.gap]:
        told.append(f"No task has a score of both runs: {some(apart)}.")
    return (*told, *_more_tasks(rows))


def _more_tasks(rows: Sequence[Revised]) -> Iterator[str]:
    """How many tasks would tell, where none of the changes is sure."""
    if any(map(_is_sure, rows)):
        return
    known = [
        (enough, row)
        for row in rows
        if row.gap and (enough := row.gap.enough(len(rows))) and enough > row.gap.units
    ]
    if known:
        enough, row = min(known, key=lambda each: each[0])
        yield (
            f"About {enough:,} tasks would show the change of {row.agent} by "
            f"{by_told(row.contest)}; there are {row.gap.units if row.gap else 0}."
        )


def _is_sure(row: Revised) -> bool:
    p = row.gap.adjusted if row.gap else None
    return p is not None and p < ALPHA


def _sign(row: Revised) -> int:
    mean = row.gap.mean if row.gap else 0.0
    return 0 if abs(mean) <= 1e-9 else 1 if mean > 0 else -1


def _piece(row: Revised) -> str:
    limits, gap = row.contest.limits, row.gap
    assert gap is not None
    ends = f"95 % interval {ends_of(gap.interval, limits)}" if gap.interval else ""
    p = f"p {p_told(gap.adjusted)}" if gap.adjusted is not None else ""
    sure = "; ".join(filter(None, (ends, p)))
    told = f"{row.agent} by {by_told(row.contest)}, {in_range(row.before, limits)} before and "
    told += f"{in_range(row.now, limits)} now"
    return f"{told} ({sure})" if sure else told


def _table(rows: Sequence[Revised]) -> Table:
    def p(row: Revised) -> str:
        if not row.contest.reads:
            return NO_READING
        return p_value(row.gap.adjusted if row.gap else None)

    columns: list[Column] = [
        ("agent", lambda row: row.agent),
        ("protocol", lambda row: row.protocol),
        ("before", lambda row: in_range(row.before, row.contest.limits)),
        ("now", lambda row: in_range(row.now, row.contest.limits)),
        ("change", lambda row: with_sign(row.gap.mean, row.contest.limits) if row.gap else NONE),
        (
            "95 % interval",
            lambda row: ends_of(row.gap.interval if row.gap else None, row.contest.limits),
        ),
        ("p (Holm)", p),
        ("tasks", lambda row: scored_of(row.gap.tasks) if row.gap else NONE),
        ("lower", lambda row: str(len(row.fallen))),
        ("higher", lambda row: str(row.risen)),
    ]
    notes = (
        f"{legend('before', 'lower', 'higher')} p is adjusted for all rows.",
        *_score_notes(rows),
        *notices_on(*(row.contest for row in rows)),
    )
    return Table.of("Change since the earlier run", columns, rows, notes, words=(0, 1))


def _score_notes(rows: Sequence[Revised]) -> Iterator[str]:
    """By which protocols the rows are of something else than the score, and of what."""
    notes: dict[str, list[str]] = {}
    for row in rows:
        for note in score_note(row.contest, "before, now, change and p"):
            notes.setdefault(note, []).append(row.protocol)
    for note, protocols in notes.items():
        yield f"By {some(dict.fromkeys(protocols))}, {note}"


def _reports(found: Revisions, bold: str = "") -> Iterator[tuple[str, list[str]]]:
    """Each report that got worse, with a line for what each protocol says of it.

    Reports by how much they lost by any protocol. bold: marks around the names in Markdown.
    """
    limits = {row.protocol: row.contest.limits for row in found.rows}
    fallen = found.fallen
    first = {(e.agent, e.task): at for at, e in reversed([*enumerate(fallen)])}
    fallen.sort(key=lambda e: first[e.agent, e.task])
    text = in_markdown if bold else printable
    for (agent, task), own in groupby(fallen, key=lambda e: (e.agent, e.task)):
        lines: list[str] = []
        for each in own:
            wide = limits[each.protocol]
            change = f"{in_range(each.before, wide)} before, {in_range(each.now, wide)} now"
            lines.append(f"- {text(each.protocol)}: {change}")
            lines += (f"  - {text(line)}" for line in _why(each))
        yield f"{bold}{text(one_line(f'{agent} on {task}', CUT))}{bold}", lines


def _why(report: FallenReport) -> Iterator[str]:
    for point in report.points[:POINTS]:
        yield _point(point)
    if (more := len(report.points) - POINTS) > 0:
        yield f"and {several(more, 'more point')} lost"
    for name, before, now in report.parts:
        yield f"{name}: {before:.4g} before, {now:.4g} now"
    if not report.points and not report.parts:
        yield "no item and no part lost anything: the judge's mark as a whole is lower"


def _point(point: LostPoint) -> str:
    """`q3 met before, not met now: does it name the cost? (It does not.)`, without a full stop."""
    if point.before and point.now:
        change = (
            f"{point.before} before, {point.now} now"
            if point.before != point.now
            else f"{point.now}, as before, with a lower mark"
        )
    else:
        absent = "not there"
        change = f"{point.before or absent} before, {point.now or absent} now"
    told = f"{point.key} {change}: {one_line(point.item, CUT)}"
    return f"{told} ({one_line(point.reason, CUT)})" if point.reason else told


def _aside(found: Revisions) -> list[str]:
    """Reports without a score now, and what could not be compared."""
    silent: dict[tuple[str, str], list[str]] = {}
    for row in found.rows:
        if row.silenced:
            tasks = some([f"{task} ({cause})" for task, cause in row.silenced.items()])
            silent.setdefault((row.agent, tasks), []).append(row.protocol)
    told = [
        f"Scored before and not now: {agent} on {tasks}, by {some(protocols)}."
        for (agent, tasks), protocols in silent.items()
    ]
    left = [*told_left_out(found.left_out)]
    return [*told, f"Left out: {'; '.join(left)}."] if left else told


def _comment(found: Revisions) -> str:
    """In Markdown, the reports that lost most as far as there is room."""
    table = as_markdown(_table(found.rows[:ROWS]))
    hidden = len(found.rows) - ROWS
    head = [*map(in_markdown, map(_long, opening_of(found))), table]
    head += [f"{several(hidden, 'more row')} of the table find no room here."] * (hidden > 0)
    aside = [in_markdown(_long(text)) for text in _aside(found)]
    reports = ["\n".join(("", title, "", *lines)) for title, lines in _reports(found, "**")]
    text = "\n\n".join([*head, *aside])
    if len(text) > LIMIT - CUT:
        whole_lines, _, _ = text[: LIMIT - CUT].rpartition("\n")
        text = f"{whole_lines}\n\nCut short: `--format text` has all."
    if not reports:
        return f"{text}\n"
    text += "\n\n### What got worse\n"
    room, kept = LIMIT - len(text) - CUT // 2, 0
    for report in reports:
        if len(report) + 1 > room:
            break
        room -= len(report) + 1
        text += f"{report}\n"
        kept += 1
    if left := len(reports) - kept:
        text += (
            f"\n{several(left, 'more report')} got worse and find{'s' * (left == 1)} no room here; "
            "`--format text` has all.\n"
        )
    return text


def _long(text: str) -> str:
    return text if len(text) <= 10 * CUT else f"{text[: 10 * CUT - 1]}…"


def flat_revisions(found: Revisions) -> list[dict[str, Json]]:
    """A row for each agent and protocol, numbers unrounded."""
    return [
        {
            "agent": printable(row.agent),
            "protocol": row.protocol,
            "before": row.before,
            "now": row.now,
            "change": row.gap.mean if row.gap else None,
            **low_and_high("t", row.gap.interval if row.gap else None),
            **low_and_high("possible", row.gap.possible if row.gap else None),
            "p": _p(row, adjusted=False),
            "p_holm": _p(row, adjusted=True),
            "tasks": row.gap.tasks.scored if row.gap else 0,
            "tasks_expected": row.gap.tasks.expected if row.gap else 0,
            "lower": len(row.fallen),
            "higher": row.risen,
            "unscored_now": len(row.silenced),
            "reading": row.contest.reads,
        }
        for row in found.rows
    ]


def _p(row: Revised, *, adjusted: bool) -> float | None:
    if not row.contest.reads or row.gap is None:
        return None
    return row.gap.adjusted if adjusted else row.gap.permutation and row.gap.permutation.p


def _record(found: Revisions) -> dict[str, Json]:
    left = found.left_out
    return {
        "new": {"run": found.new.name, "date": found.new.day},
        "old": {"run": found.old.name, "date": found.old.day},
        "said": [*map(printable, opening_of(found))],
        "rows": flat_revisions(found),
        "worse": [
            {
                "agent": printable(each.agent),
                "task": printable(each.task),
                "protocol": each.protocol,
                "before": each.before,
                "now": each.now,
                "points": [vars(point) for point in each.points],
                "parts": [list(part) for part in each.parts],
            }
            for each in found.fallen
        ],
        "left_out": {
            "tasks": [*map(list, left.tasks)],
            "agents": [*map(list, left.agents)],
            "protocols": [*map(list, left.protocols)],
            "changed": {name: list(tasks) for name, tasks in left.changed.items()},
            "unequal": {name: list(keys) for name, keys in left.unequal.items()},
        },
    }
