"""Tables of the papers from run files, published scores, task files and scores of people."""

from __future__ import annotations

import json
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from deepassay.errors import BadInput
from deepassay.results.tables import Row, Table
from deepassay.run.declared import file_given
from deepassay.run.showing.boards import BoardSheet, only_judged_by, scores_of
from deepassay.run.showing.contents import tell_of_missing_shards
from deepassay.run.showing.lengths import measured_runs
from deepassay.run.showing.paper_layouts import PrintedFrom
from deepassay.run.showing.profiles import read_profiles
from deepassay.run.showing.views import View
from deepassay.run.showing.yardsticks import about, steps_of
from deepassay.runfile import RunFile
from deepassay.runfile.schema import is_database
from deepassay.tasks.loaders import load_tasks
from deepassay.tasks.task import Task
from deepassay.tasks.topics import two_answers
from deepassay.text import count_words
from deepassay.wings.papers.declared import Need, PaperTable, declared_table
from deepassay.wings.papers.material import Given, PaperMaterial, TaskFacts
from deepassay.wings.papers.writing import write_tables
from deepassay.wings.people.agreement.decisions import Decisions
from deepassay.wings.people.agreement.people_files import read_decisions, read_rubric_verdicts
from deepassay.wings.people.agreement.rubrics import CriterionPlace


def paper_table(
    name: str,
    files: str | Path | Sequence[str | Path],
    *,
    agents: str | Path | None = None,
    human: str | Path | None = None,
    protocols: str | Sequence[str] = (),
    judged_by: str | Sequence[str] = (),
) -> View:
    """A numbered table or figure of a paper, as `leaderboard --as` has it: `bench:table1`.

    files: run files; for tables of scores alone also published ones, for those of tasks alone
    also task files, for the leakage test what it printed as JSON. agents: a file of families.
    human: what people said. protocols: only these. judged_by: who judged published scores, NAME
    for all files or FILE=NAME for one. The rows hold the cells as they are shown. Raises
    BadSetting for an unknown name, and BadInput where what the table needs is missing.
    """
    several = [files] if isinstance(files, str | Path) else files
    families, people = (None if each is None else file_given(each) for each in (agents, human))
    only, judges = ([each] if isinstance(each, str) else each for each in (protocols, judged_by))
    made = _made(name, PrintedFrom([*map(file_given, several)], families, people, only, judges))
    rows = [dict(zip(table.head, row, strict=True)) for table in made for row in table.rows]
    return View(rows, made, write_tables(made, "text"))


def paper_sheet(name: str, given: PrintedFrom) -> BoardSheet:
    """A table of a paper, to be written in every format. Raises as `paper_table` does."""
    made = _made(name, given)
    cells = (cell for table in made for row in table.rows for cell in row[1:])
    holds = any(sign.isdigit() for cell in cells for sign in cell)
    return BoardSheet(lambda format: write_tables(made, format), lambda: _rows(made), holds)


def _made(name: str, given: PrintedFrom) -> Sequence[Table]:
    table = declared_table(name)
    return table.make(_material(table, given))


def _rows(tables: Sequence[Table]) -> Sequence[Row]:
    raise BadInput("Tables of papers are not written as Parquet.", "Take --format csv.")


def _material(table: PaperTable, given: PrintedFrom) -> PaperMaterial:
    profiles = read_profiles(given.agents) if given.agents else {}
    if "leakage" in table.needs:
        return PaperMaterial((), leakage=[row for path in given.files for row in _leakage(path)])
    runs = [path for path in given.files if is_database(path)]
    decisions, labels = _people(table.needs, given.human)
    return PaperMaterial(
        _given(table.needs, given),
        measured_runs(runs).reports if "reports" in table.needs else (),
        profiles,
        decisions,
        labels,
    )


def _people(
    needs: frozenset[Need], human: Path | None
) -> tuple[Decisions, Mapping[CriterionPlace, str]]:
    if human is None:
        return Decisions(), {}
    return (
        read_decisions(human) if "people" in needs else Decisions(),
        read_rubric_verdicts(human) if "criteria" in needs else {},
    )


def _given(needs: frozenset[Need], given: PrintedFrom) -> list[Given]:
    """What each file holds, files in their order; published scores together, as one."""
    published = [path for path in given.files if "scores" in needs and not is_database(path)]
    whole = [_of_file(needs, path) for path in given.files if path not in published]
    if published or given.judged_by:
        whole.append(Given("published", scores_of(published, given.judged_by)))
    if given.protocols:
        every = [each for one in whole for each in one.records]
        names = {each.protocol for each in only_judged_by(given.protocols, every)}
        whole = [
            replace(one, records=[each for each in one.records if each.protocol in names])
            for one in whole
        ]
    return whole


def _of_file(needs: frozenset[Need], path: Path) -> Given:
    if not is_database(path):
        return Given(path.stem, tasks=[facts_of(task) for task in load_tasks(path)])
    records = scores_of([path]) if "scores" in needs else ()
    with RunFile.read(path) as run:
        if not records:
            tell_of_missing_shards(run)
        made = steps_of(run) if "tasks" in needs else {}
        whole = about(run).tasks.values() if "tasks" in needs else ()
        tasks = [replace(facts_of(task), steps=made.get(task.id, ())) for task in whole]
        references = list(dict.fromkeys(agent for _, agent, _ in run.judged_by("reference")))
        return Given(path.stem, records, tasks, references, prices_of(run) if records else {})


def facts_of(task: Task) -> TaskFacts:
    """What tables count of a task."""
    return TaskFacts(
        task.id,
        task.labels,
        count_words(task.prompt),
        Counter(each.axis for each in task.rubric),
        [count_words(each.criterion) for each in task.rubric],
        two_answers(task.labels),
    )


def prices_of(run: RunFile) -> dict[tuple[str, str], float | None]:
    """Mean USD of one question, by operation and model; None where one had no known price."""
    costs: defaultdict[tuple[str, str], list[float | None]] = defaultdict(list)
    for each in run.exchanges():
        costs[each.operation, each.model].append(each.cost)
    return {
        key: None if None in own else sum(filter(None, own)) / len(own)
        for key, own in costs.items()
    }


def _leakage(path: Path) -> list[Row]:
    """The averages of `tasks leakage --format json`. Raises BadInput for anything else."""
    try:
        averages = json.loads(path.read_text(encoding="utf-8"))["averages"]
        found: list[Row] = [dict(each) for each in averages]
    except (OSError, UnicodeError, ValueError, KeyError, TypeError):
        found = []
    needed = ("model", "share", "composite", "string", "tfidf", "overlap", "leaked", "tested")
    if not found or any(name not in each for each in found for name in needed):
        raise BadInput(
            f"{path} does not hold averages of the leakage test.",
            "Write it with `deepassay tasks leakage ... --format json > leakage.json`.",
        )
    return found
