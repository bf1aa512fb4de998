"""Every numbered table and figure of the four papers: how each result is made, or why none is."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final, Literal, NamedTuple

from deepassay.errors import BadSetting
from deepassay.results.tables import Table
from deepassay.wings.papers import (
    arena,
    bench,
    live,
    rewards,
    robustness,
    rubric_people,
    rubrics,
    sets,
)
from deepassay.wings.papers.material import PaperMaterial

Need = Literal["scores", "reports", "tasks", "people", "criteria", "leakage"]


class PaperTable(NamedTuple):
    """A numbered result. title: what it shows. needs: what must be given to make it.

    people: their scores of reports. criteria: their verdicts on criteria of rubrics. scores:
    those that others published will do; reports and tasks are in run files.
    """

    title: str
    make: Callable[[PaperMaterial], tuple[Table, ...]]
    needs: frozenset[Need]


def _of(title: str, make: Callable[[PaperMaterial], tuple[Table, ...]], *needs: Need) -> PaperTable:
    return PaperTable(title, make, frozenset(needs))


TABLES: Final[dict[str, PaperTable]] = {
    "bench:table1": _of("overall results", bench.table1, "scores"),
    "bench:table2": _of("human consistency by method", bench.table2, "scores", "people"),
    "bench:table3": _of("human consistency by judge", bench.table3, "scores", "people"),
    "bench:table4": _of("topics of two sets", sets.bench_table4, "tasks"),
    "bench:table7": _of("RACE, another reference", robustness.other_reference(7), "scores"),
    "bench:table8": _of("RACE, another reference", robustness.other_reference(8), "scores"),
    "bench:table9": _of("RACE under growing length", robustness.table9, "scores", "reports"),
    "bench:table10": _of("RACE by judge", robustness.table10, "scores"),
    "bench:table11": _of("RACE as a reward model", rewards.table11, "scores"),
    "bench:figure1": _of("quality and citations", bench.figure1, "scores"),
    "bench:figure3": _of(
        "topics of tasks",
        sets.distribution("DeepResearch Bench, figure 3: tasks", "topic"),
        "tasks",
    ),
    "live:table1": _of("four dimensions", live.table1, "scores"),
    "live:table7": _of("citation errors", live.table7, "scores"),
    "live:figure2": _of(
        "domains and categories of tasks",
        sets.distribution("LiveResearchBench, figure 2: tasks", "domain", "category"),
        "tasks",
    ),
    "live:figure5": _of("lengths of reports", live.figure5, "reports"),
    "live:figure6": _of("win rates in depth", live.figure6, "scores"),
    "live:figure22": _of("pass rates of checks", live.figure22, "scores"),
    "rubrics:table5": _of("compliance", rubrics.table5, "scores"),
    "rubrics:table6": _of(
        "agreement with people by judge", rubric_people.table6, "scores", "criteria"
    ),
    "rubrics:table7": _of(
        "agreement by wording of rubrics", rubric_people.table7, "scores", "criteria", "tasks"
    ),
    "rubrics:table8": _of("words of prompts", sets.table8, "tasks"),
    "rubrics:table9": _of("lengths of responses", rubrics.table9, "reports"),
    "rubrics:figure3": _of(
        "domains of tasks", sets.distribution("ResearchRubrics, figure 3: tasks", "domain"), "tasks"
    ),
    "rubrics:figure5": _of("failures by axis", rubrics.figure5, "scores"),
    "rubrics:figure6": _of(
        "compliance by complexity", rubrics.strata("figure 6", "binary", "ternary"), "scores"
    ),
    "rubrics:figure7": _of(
        "compliance and length", rubrics.length_correlation("figure 7"), "scores", "reports"
    ),
    "rubrics:figure8": _of("mandatory and optional failures", rubrics.figure8, "scores"),
    "rubrics:figure9": _of("axes of a task", sets.figure9, "tasks"),
    "rubrics:figure10": _of("criteria of a task", sets.figure10, "tasks"),
    "rubrics:figure11": _of("axes by domain", sets.figure11, "tasks"),
    "rubrics:figure12": _of(
        "binary compliance by complexity", rubrics.strata("figure 12", "binary"), "scores"
    ),
    "rubrics:figure13": _of(
        "ternary compliance by complexity", rubrics.strata("figure 13", "ternary"), "scores"
    ),
    "rubrics:figure14": _of("failures by domain and axis", rubrics.figure14, "scores"),
    "rubrics:figure15": _of("mismatches with people", rubric_people.figure15, "scores", "criteria"),
    "rubrics:figure16": _of("words of prompts", sets.figure16, "tasks"),
    "rubrics:figure17": _of("words of prompts by complexity", sets.figure17, "tasks"),
    "rubrics:figure18": _of(
        "compliance and length", rubrics.length_correlation("figure 18"), "scores", "reports"
    ),
    "arena:table3": _of("KAE, ACE, tokens, references", arena.table3, "scores", "reports"),
    "arena:table4": _of("leakage test", arena.table4, "leakage"),
    "arena:table5": _of("agreement with people", arena.table5, "scores", "people"),
    "arena:figure1": _of("tasks by discipline and family", arena.figure1, "tasks"),
    "arena:figure3": _of("ACE by discipline and family", arena.figure3, "scores"),
    "arena:figure4": _of("key points and cost", arena.figure4, "scores", "reports"),
}
"""By the name that `leaderboard --as` takes."""

NO_RESULTS: Final[dict[str, str]] = {
    "bench:figure2": "diagram",
    "bench:figure4": "examples",
    "bench:table5": "definitions",
    "bench:table6": "dates",
    "live:figure1": "examples",
    "live:figure3": "diagram",
    "live:figure4": "diagram",
    "live:table2": "checklist",
    "live:table3": "definitions",
    "live:table4": "examples",
    "live:table5": "definitions",
    "live:table6": "literature",
    **{f"live:figure{number}": "prompt" for number in range(7, 12)},
    "live:figure12": "examples",
    "live:figure13": "diagram",
    **{f"live:table{number}": "examples" for number in range(8, 11)},
    **{f"live:figure{number}": "examples" for number in range(14, 22)},
    "live:table11": "layout",
    "live:table12": "definitions",
    "live:table13": "definitions",
    "rubrics:figure1": "diagram",
    "rubrics:figure2": "diagram",
    "rubrics:figure4": "unmentioned",
    "rubrics:table1": "literature",
    "rubrics:table2": "definitions",
    "rubrics:table3": "definitions",
    "rubrics:table4": "definitions",
    "rubrics:table10": "definitions",
    "rubrics:figure19": "prompt",
    "arena:table1": "literature",
    "arena:table2": "definitions",
    "arena:table6": "examples",
    "arena:figure2": "diagram",
}
"""The other numbered tables and figures, and what they are in a word."""


def declared_table(name: str) -> PaperTable:
    """The declaration under a name. Raises BadSetting, with all names of that paper."""
    wanted = name.strip().lower()
    if (found := TABLES.get(wanted)) is not None:
        return found
    paper = wanted.partition(":")[0]
    names = [each for each in TABLES if each.startswith(f"{paper}:")] or list(TABLES)
    if word := NO_RESULTS.get(wanted):
        what = f"{wanted} holds no results ({word})."
    else:
        what = f"There is no table {name!r}."
    raise BadSetting(what, f"Tables: {', '.join(names)}.")
