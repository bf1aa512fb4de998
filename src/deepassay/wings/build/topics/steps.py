"""From a log of queries to their topics, and from these to the numbers of tasks of a set.

The file of queries grows by one after the other, in the order of the log; what it holds already is
neither asked nor changed. The numbers of tasks are written anew.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from deepassay.errors import BadSetting, BadTasks
from deepassay.models.ask import Asker
from deepassay.run.asking.first_tasks import first_tasks
from deepassay.run.asking.making import NOBODY, Listener, Made, MakingJob, make_all, maker_of
from deepassay.run.settings import Settings
from deepassay.score import Unscored
from deepassay.tasks.loaders import load_tasks
from deepassay.tasks.rows import read_rows
from deepassay.tasks.task import Task
from deepassay.tasks.topics import TOPICS, Topic, two_answers
from deepassay.wings.build.arena.steps import refuse_other_than_lines
from deepassay.wings.build.topics.allocation import Allocation, allocate
from deepassay.wings.build.topics.topic_tables import (
    TopicComparison,
    allocation_file,
    write_allocation,
)
from deepassay.wings.build.topics.topics import (
    Demands,
    SortedQuery,
    demands_of,
    read_sorted,
    sort_query,
    topics_recipe,
    write_sorted,
)


@dataclass
class TopicsFound(Made):
    """What came of it, by queries. demands: None if it was stopped before the end.

    allocation: None too if no query has a topic. compared: with another set, where asked.
    """

    demands: Demands | None = None
    allocation: Allocation[Topic] | None = None
    compared: TopicComparison | None = None


_LANGUAGE: Final = re.compile(r"[A-Za-z]{2,3}(-[A-Za-z0-9]{2,8})*")
"""A code as in BCP 47."""


@dataclass(frozen=True)
class TopicTerms:
    """What is asked for besides the settings. size: tasks of the set, in `languages`.

    seed: of menus and of what chance would make. compare: a set whose topics are compared.
    """

    size: int = 100
    languages: Sequence[str] = ("en", "zh")
    seed: int = 1
    compare: Path | None = None

    def __post_init__(self) -> None:
        for each in self.languages:
            if not _LANGUAGE.fullmatch(each):
                raise BadSetting(f"{each!r} is no language.", "Give a code: en, zh, pt-BR.")


def find_topics(
    queries: Path,
    output: Path,
    settings: Settings,
    terms: TopicTerms,
    *,
    listener: Listener = NOBODY,
    on_progress: Callable[[int, int], None] = lambda done, queries: None,
) -> TopicsFound:
    """Sort every query that the output lacks, and say how many tasks each topic gets.

    Stopped halfway it keeps what has been sorted, and leaves the numbers of tasks as they were. A
    failed query is left out of them, and asked again by the same command. `settings.limit` counts
    queries, the first ones. on_progress: called with how many of how many queries are done. Raises
    BadInput.
    """
    refuse_other_than_lines(output)
    theirs = None if terms.compare is None else demands_in(terms.compare)
    allocate(dict.fromkeys(TOPICS, 1.0), terms.size, terms.languages)  # refuses before asking
    given = first_tasks(queries, settings)
    recipe = topics_recipe(maker_of(settings), settings.temperature, terms.seed)
    known = {each.id: each for each in (read_sorted(output) if output.exists() else ())}
    _refuse_other(given, known, output, recipe)
    wanted = [task for task in given if task.id not in known]
    made = TopicsFound(len(given), kept=len(given) - len(wanted))

    done = made.kept

    async def make(task: Task, maker: Asker) -> SortedQuery | Unscored:
        nonlocal done
        outcome = await sort_query(task, maker, terms.seed, recipe)
        done += 1
        on_progress(done, len(given))
        return outcome

    def write(found: Sequence[tuple[Task, SortedQuery]]) -> None:
        write_sorted(output, [each for _, each in found])
        known.update((each.id, each) for _, each in found)

    make_all(MakingJob(make, write, calls=2), wanted, settings, made, listener)
    if not made.left and not made.out_of_budget:
        _reckon(made, [known[task.id] for task in given if task.id in known], output, terms)
        if theirs is not None and made.demands is not None and terms.compare is not None:
            made.compared = TopicComparison(made.demands, theirs, terms.compare.stem, terms.seed)
    return made


def _reckon(
    made: TopicsFound, queries: Sequence[SortedQuery], output: Path, terms: TopicTerms
) -> None:
    """The distribution of the queries, and the numbers of tasks, which are written."""
    made.demands = demands_of(queries)
    if made.demands.classified:
        made.allocation = allocate(made.demands.counts, terms.size, terms.languages)
        write_allocation(allocation_file(output), made.demands, made.allocation)


def demands_in(path: Path) -> Demands:
    """The distribution of another set: sorted queries, or tasks with a label `topic`.

    Topics may be spelled as WebOrganizer or as the paper does. Raises BadTasks.
    """
    rows = read_rows(path)
    if rows and {"deep_research", "topics"} <= rows[0].fields.keys():
        return demands_of(read_sorted(path))
    tasks = load_tasks(path)
    answers = [two_answers(task.labels) for task in tasks]
    votes = Counter(topic for own in answers for topic in own)
    counts = {topic: votes.pop(topic, 0) / 2 for topic in TOPICS}
    if not any(counts.values()):
        raise BadTasks(
            f"{path}: no task has a topic of the 22.",
            "Give what `tasks topics` wrote, or tasks with a label topic, such as Health.",
        )
    disputed = sum(len(set(own)) > 1 for own in answers)
    other = {name: count / 2 for name, count in votes.items()}
    return Demands(counts, len(tasks), len(tasks), disputed, other=other)


def _refuse_other(
    given: Sequence[Task], known: Mapping[str, SortedQuery], output: Path, recipe: str
) -> None:
    """Refuse to go on with answers to other queries, or by another recipe."""
    for task in given:
        if (there := known.get(task.id)) is None:
            continue
        if there.prompt != task.prompt:
            raise BadTasks(
                f"{output}: the query {task.id!r} has another text there than in the log.",
                "Give the log that it was made from, or another output file.",
            )
        if there.recipe != recipe:
            raise BadTasks(
                f"{output}: the query {task.id!r} was sorted by another recipe:\n  {there.recipe}\n"
                f"  {recipe}",
                "Go on with the same --maker and --seed, or give another output file.",
            )
