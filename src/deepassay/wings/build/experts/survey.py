"""From answers to a survey to the cells of a set: how many tasks of which kind in which domain.

LiveResearchBench, section 3.3 and appendix I: what people would ask decides how tasks are spread
over domains and kinds. The paper leaves open how shares become whole numbers: see
`spread_over_cells`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, Final, get_args

from pydantic import Field

from deepassay.errors import BadSetting, BadTasks
from deepassay.files import as_json
from deepassay.intake.rows import InputRow
from deepassay.results.tables import (
    Table,
    as_csv,
    decimals,
    percent,
    several,
    tables_as_text,
    unguarded,
)
from deepassay.score import Json
from deepassay.stats.distributions import total_variation
from deepassay.tasks.entries import append
from deepassay.tasks.fields import Record, Text
from deepassay.tasks.rows import read_rows
from deepassay.tasks.task import Language
from deepassay.wings.build.arena.transcript import read_records
from deepassay.wings.build.experts.query_drafts import QueryDraft
from deepassay.wings.build.topics.allocation import Cell, spread_over_cells

HEADER: Final = """\
# The plan of a set: how many tasks of each category, in each domain and language, are drafted.
# answers: to the survey, one with two domains or categories counting half for each. Edit freely.

"""


class Planned(Record):
    """A cell of the plan. answers: that speak for it; None where a person added it."""

    language: Language
    domain: Text
    category: Text
    answers: float | None = None
    tasks: Annotated[int, Field(ge=0)]


@dataclass
class Survey:
    """What people said. weights: of cells, one answer counting 1 in all. groups: answers by the
    group of people, "" where none is named. left_out: places of answers without domain or category.
    """

    weights: dict[Cell, float] = field(default_factory=dict)
    groups: Counter[str] = field(default_factory=Counter)
    left_out: list[str] = field(default_factory=list)

    @property
    def answers(self) -> int:
        """How many answers the survey has, over all groups."""
        return sum(self.groups.values())


def read_survey(path: Path) -> Survey:
    """The answers of a CSV with `domain`, `category` and perhaps `group`, a row each.

    A cell may hold several, divided by semicolons. Spelling counts, capitals do not. Raises
    BadTasks.
    """
    rows = read_rows(path)
    for row in rows[:1]:
        if missing := [name for name in ("domain", "category") if name not in row.fields]:
            raise BadTasks(
                f"{path} has no column {missing[0]!r}; it has {', '.join(row.fields)}.",
                "Give a CSV with the columns domain and category, one answer a row.",
            )
    found, spelled = Survey(), dict[str, str]()
    for row in rows:
        domains, categories = (_named(row, name, spelled) for name in ("domain", "category"))
        if not domains or not categories:
            if any(row.cells.values()):
                found.left_out.append(row.place)
            continue
        found.groups[row.cells.get("group", "")] += 1
        for cell in ((one, other) for one in domains for other in categories):
            share = 1 / (len(domains) * len(categories))
            found.weights[cell] = found.weights.get(cell, 0.0) + share
    if not found.weights:
        raise BadTasks(
            f"{path} has no answer with both a domain and a category.",
            "Fill in both columns: one answer a row.",
        )
    return found


def _named(row: InputRow, column: str, spelled: dict[str, str]) -> list[str]:
    """The classes that a cell names, each as it was first spelled."""
    cell = unguarded(row.cells[column]).replace("；", ";")
    names = (" ".join(each.split()) for each in cell.split(";"))
    return list(dict.fromkeys(spelled.setdefault(each.casefold(), each) for each in names if each))


def survey_cells(survey: Survey, size: int, languages: Sequence[str]) -> list[Planned]:
    """The cells with tasks, the largest first; languages have as many each, the first the rest.

    Raises BadSetting for too few tasks, and for languages that no task has.
    """
    if not {*languages} <= {*get_args(Language)} or len({*languages}) < len(languages):
        raise BadSetting(
            f"--language {', '.join(languages)} is not possible.",
            f"There are {' and '.join(get_args(Language))}; name each once.",
        )
    each, over = divmod(size, len(languages))
    domains, kinds = (len({cell[side] for cell in survey.weights}) for side in (0, 1))
    if each < max(domains, kinds):
        raise BadSetting(
            f"{size} tasks are too few for {several(domains, 'domain')} and "
            f"{several(kinds, 'kind')} of task in {several(len(languages), 'language')}.",
            f"Give a --size of {max(domains, kinds) * len(languages)} or more.",
        )
    return [
        Planned.model_validate(
            {
                "language": language,
                "domain": cell[0],
                "category": cell[1],
                "answers": round(survey.weights.get(cell, 0.0), 4),
                "tasks": tasks,
            }
        )
        for place, language in enumerate(languages)
        for cell, tasks in sorted(
            spread_over_cells(survey.weights, each + (place < over)).items(),
            key=lambda pair: -pair[1],
        )
    ]


def read_plan(path: Path) -> list[Planned]:
    """The cells of a plan. Raises BadTasks."""
    cells = [cell for _, cell in read_records(path, Planned)]
    if not any(cell.tasks for cell in cells):
        raise BadTasks(f"{path} plans no task.", "Give the file that `tasks survey` wrote.")
    names = Counter((cell.language, cell.domain, cell.category) for cell in cells)
    if twice := next((name for name, times in names.items() if times > 1), None):
        raise BadTasks(
            f"{path} has the cell {', '.join(twice)} twice.", "Put its tasks into one entry."
        )
    return cells


def write_plan(path: Path, plan: Sequence[Planned]) -> None:
    """Write a plan, or leave the same one as it is. Raises BadTasks for another one."""
    if path.exists():
        if read_plan(path) == list(plan):
            return
        raise BadTasks(
            f"{path} holds another plan, which may have been edited.",
            "Give another --output, or move that file away.",
        )
    append(path, [cell.model_dump(mode="json", exclude_none=True) for cell in plan], HEADER)


def seats(plan: Sequence[Planned]) -> Iterator[QueryDraft]:
    """An empty draft for every task of a plan, numbered within its cell: `en-law-pros-cons-1`.

    The number of tasks of one cell can grow without new names for the others. Raises BadTasks where
    two cells have names of the same letters.
    """
    names: dict[str, Planned] = {}
    for cell in plan:
        name = "-".join(map(_slug, (cell.language, cell.domain, cell.category)))
        if (other := names.setdefault(name, cell)) is not cell:
            raise BadTasks(
                f"The plan has {other.domain}, {other.category} and {cell.domain}, "
                f"{cell.category}, which differ by marks only.",
                "Put their tasks into one entry.",
            )
        for number in range(1, cell.tasks + 1):
            yield QueryDraft(
                id=f"{name}-{number}",
                language=cell.language,
                domain=cell.domain,
                category=cell.category,
            )


def _slug(name: str) -> str:
    """Letters, digits and hyphens of a name, whatever its script."""
    parts = "".join(char if char.isalnum() else " " for char in name.casefold()).split()
    return "-".join(parts) or "x"


def survey_rows(survey: Survey, plan: Sequence[Planned]) -> list[dict[str, Json]]:
    """A record for each domain and each category: answers, their share, tasks and theirs."""
    rows: list[dict[str, Json]] = []
    for side, kind in enumerate(("domain", "category")):
        answers, tasks = Counter[str](), Counter[str]()
        for cell, weight in survey.weights.items():
            answers[cell[side]] += weight  # type: ignore[assignment]
        for planned in plan:
            tasks[(planned.domain, planned.category)[side]] += planned.tasks
        rows += [
            {
                "kind": kind,
                "name": name,
                "answers": round(count, 4),
                "share": count / survey.answers,
                "tasks": tasks[name],
                "share_of_tasks": tasks[name] / max(1, tasks.total()),
            }
            for name, count in answers.most_common()
        ]
    return rows


def write_survey(survey: Survey, plan: Sequence[Planned], format: str) -> str:
    """Domains and categories, with what they get: two tables, or records as CSV or JSON."""
    rows = survey_rows(survey, plan)
    if format == "json":
        return as_json(rows)
    return as_csv(rows) if format == "csv" else tables_as_text([*_tables(survey, rows)], format)


def _tables(survey: Survey, rows: Sequence[Mapping[str, Json]]) -> Iterator[Table]:
    for kind, title in (("domain", "Domains"), ("category", "Kinds of task")):
        own = [row for row in rows if row["kind"] == kind]
        apart = total_variation([row["answers"] for row in own], [row["tasks"] for row in own])
        notes = [f"Share of tasks that stand elsewhere than answers do: {percent(apart)}."]
        if kind == "domain":
            notes += [f"Answers: {survey.answers}{_groups(survey)}."]
        yield Table.listed(
            title,
            (kind, "answers", "share", "tasks", "share of tasks"),
            [
                (
                    str(row["name"]),
                    decimals(row["answers"], 1),
                    percent(row["share"]),
                    str(row["tasks"]),
                    percent(row["share_of_tasks"]),
                )
                for row in own
            ],
            notes,
        )


def _groups(survey: Survey) -> str:
    named = [
        f"{name} {percent(count / survey.answers)}"
        for name, count in survey.groups.most_common()
        if name
    ]
    return f" ({'; '.join(named)})" if named else ""


def told_uncounted(survey: Survey) -> str:
    """What to say of answers that do not count, or nothing."""
    if not survey.left_out:
        return ""
    some = ", ".join(survey.left_out[:5]) + (", …" if len(survey.left_out) > 5 else "")
    left_out = several(len(survey.left_out), "answer")
    return f"Without domain or category, and left out: {left_out} ({some})."
