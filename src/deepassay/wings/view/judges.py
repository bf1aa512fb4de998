"""A judge against another, and judges against people."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import combinations
from pathlib import Path
from typing import Final, NamedTuple

from deepassay.results.judge_pairs import judge_tables
from deepassay.results.tables import Table
from deepassay.run.showing.reading import RunRecords
from deepassay.text import first_few
from deepassay.wings.people.agreement.runs import hold
from deepassay.wings.people.agreement.tables import table_of_sheet
from deepassay.wings.view.room import Place
from deepassay.wings.view.side import SideReader

ROWS: Final = 80
"""Items that are shown of those on which judges differ."""


class VerdictsApart(NamedTuple):
    """An item of which two judges say different things.

    name: its anchor. said: what each judge says, by its name. at: the report that is led to.
    """

    at: Place
    name: str
    protocol: str
    key: str
    text: str
    said: tuple[tuple[str, str, str], ...]


@dataclass(frozen=True)
class Differences:
    """Items on which judges of a panel differ, or of two runs of one text. count: of all."""

    shown: tuple[VerdictsApart, ...]
    count: int


_BY_NOBODY: Final = {"offline": "the offline baseline", "none": "rules, without a model"}


def judges_in_words(judges: Iterable[str]) -> str:
    """Judges in words, each once; those of a panel stand together with ` + ` between them.

    That some protocols ask nobody is said where nobody else judged.
    """
    known = dict.fromkeys(name for each in judges for name in each.split(" + ") if name)
    asked = [name for name in known if name != "none"] or [*known]
    return first_few([_BY_NOBODY.get(name, name) for name in asked], 3)


def panel_tables(paths: tuple[Path, ...]) -> list[Table]:
    """Every pair of judges of every panel, as `leaderboard` has them."""
    records = RunRecords(paths)
    return [
        table
        for protocol in records.protocols
        for table in judge_tables(records.for_figures(protocol).records, None)
    ]


def people_tables(paths: tuple[Path, ...], human: Path) -> tuple[list[Table], Sequence[str]]:
    """Judges against what people decided in a file, as `agree` has it, and what is left out.

    Raises BadInput and BadTasks as `agree` does.
    """
    held = hold([human], paths, 0)
    return [*map(table_of_sheet, held.sheets), *held.rubrics], held.remarks


def where_judges_differ(side: SideReader) -> Differences:
    """Where judges differ, that first which weighs most."""
    in_panels = side.rows(
        "SELECT i.id, r.run, r.agent, r.task, r.sample, i.name, s.protocol, i.key, x.text "
        "FROM items i JOIN scores s ON s.id=i.score JOIN reports r ON r.id=s.report "
        "JOIN texts x ON x.id=i.text WHERE i.differ ORDER BY i.share DESC LIMIT ?",
        ROWS,
    )
    found = [
        VerdictsApart(Place(*place), name, protocol, key, text, tuple(side.voices(item)))
        for item, *place, name, protocol, key, text in in_panels
    ]
    count = side.one("SELECT count(*) FROM items WHERE differ")
    runs = side.one("SELECT count(*) FROM runs")
    for pair in combinations(range(1, runs + 1), 2):
        count += side.one(f"SELECT count(*) {_BETWEEN}", *pair)
        for run, agent, task, sample, name, protocol, key, text, *said in side.rows(
            "SELECT a.run, a.agent, a.task, a.sample, i.name, s.protocol, i.key, x.text, "
            f"s.judge, i.verdict, i.tone, t.judge, j.verdict, j.tone {_BETWEEN} "
            "ORDER BY abs(i.share-j.share) DESC, i.id LIMIT ?",
            *pair,
            ROWS,
        ):
            at = Place(run, agent, task, sample)
            found.append(
                VerdictsApart(at, name, protocol, key, text, (tuple(said[:3]), tuple(said[3:])))
            )
    return Differences(tuple(found), count)


_BETWEEN: Final = (
    "FROM reports a CROSS JOIN reports b ON b.task=a.task AND b.agent=a.agent "
    "AND b.sample=a.sample AND b.digest=a.digest "
    "CROSS JOIN scores s ON s.report=a.id CROSS JOIN scores t ON t.report=b.id "
    "AND t.protocol=s.protocol AND t.repeat=s.repeat AND t.judge<>s.judge "
    "CROSS JOIN items i ON i.score=s.id CROSS JOIN items j ON j.score=t.id "
    "AND j.key=i.key AND j.text=i.text JOIN texts x ON x.id=i.text "
    "WHERE a.run=? AND b.run=? AND i.stance<>j.stance"
)
"""Items of one text that two runs have, judged by others. CROSS keeps the order of the joins."""
