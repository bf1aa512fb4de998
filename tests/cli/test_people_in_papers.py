"""Tables of Bench and Arena that hold people, against pandas, numpy and scipy on the raw rows.

8 tasks in two languages, 4 agents and a reference, 3 raters, 2 judges in a panel, every report
judged twice. Of one report nothing is there, one report no judge scores, one rating is no number:
each table has to say so.
"""

from __future__ import annotations

import csv
import io
import json
from collections import defaultdict
from itertools import combinations

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from deepassay.run.archives import import_pages
from deepassay.run.asking.evaluate import evaluate
from deepassay.runfile import RunFile
from deepassay.tasks.yardsticks import DIMENSIONS
from deepassay.wings.papers.declared import TABLES
from tests.asked import asked
from tests.draws import few_draws  # noqa: F401 - for all tests
from tests.loopback import FakeJudge

from .several import (
    AGENTS,
    JUDGES,
    NO_SCORE,
    REFERENCE,
    TASKS,
    Label,
    answering,
    has_report,
    lay_out,
    on_reports,
    raw,
    written,
)

METHODS = {
    "Vanilla Prompt": "race(vanilla=True)",
    "RACE(Full)": "race",
    "- No Reference": "race(reference=False)",
    "Static Criteria": "race(criteria='static')",
}
AGAINST = ("race", "race(criteria='static')")
"""Those that hold a report against the reference, which is no judged one there."""

WITHOUT = ("Reverse Position", "- No Weights")
ARENA = {"KAE vs. Human": "kae", "ACE vs. Human": "ace(make=True)"}
WITH_PEOPLE = {"bench:table2", "bench:table3", "arena:table5"}
MARKS = ("<<<BEGIN article_1 ", "overall_score", '{"relations":', '"rating"')
PANEL = "panel"
PLACES = 5e-3 + 1e-9
"""Of a number with two decimals."""


def saying():
    """As `answering`, but of the report that is withheld neither RACE nor Arena is readable."""
    answer = answering()

    def say(body):
        text = "\n".join(each["content"] for each in body["messages"])
        withheld = all(word in text for word in (f"{NO_SCORE[0]} counted", NO_SCORE[1]))
        return "I would rather not." if withheld and any(m in text for m in MARKS) else answer(body)

    return say


def criteria_of(task):
    weights = (0.4, 0.3, 0.2, 0.1)
    one = {"criterion": f"As {task} asks", "explanation": "It does.", "weight": 0.5}
    other = {"criterion": "In all", "explanation": "As it should.", "weight": 0.5}
    return {
        "id": task,
        "dimension_weight": dict(zip(DIMENSIONS, weights, strict=True)),
        "criterions": {name: [one, other] for name in DIMENSIONS},
    }


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    folder = tmp_path_factory.mktemp("people") / "set"
    tasks = lay_out(folder)
    pages = [
        {
            "url": f"https://a.example/{task}",
            "text": " ".join(
                f"In year {year} the storms of {task} were counted by hand at {year} stations."
                for year in range(12)
            ),
        }
        for task in TASKS
    ]
    for name, rows in (("pages", pages), ("criteria", map(criteria_of, TASKS))):
        (folder / f"{name}.jsonl").write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    prices = {judge.partition(":")[2]: {"input": 10, "output": 100} for judge in JUDGES}
    (folder / "prices.json").write_text(json.dumps(prices))
    path = folder / "run.assay"
    import_pages([folder / "pages.jsonl"], path, None)
    with FakeJudge(saying()) as one:
        evaluate(
            *asked(
                tasks,
                [folder / agent for agent in (*AGENTS, REFERENCE)],
                protocols=[*METHODS.values(), *ARENA.values()],
                judge=list(JUDGES),
                extractor=JUDGES[0],
                cleaner="offline",
                base_url=one.base_url,
                reference=REFERENCE,
                criteria=folder / "criteria.jsonl",
                prices=folder / "prices.json",
                repeat=2,
                run=path,
                date="2026-11-20",
                offline_sources=True,
            )
        )
    return path


@pytest.fixture(scope="module")
def scores(run):
    """By protocol and judge, the mean of the repeats of each report; `panel` the mean of both."""
    said = pd.DataFrame(raw(run))
    own = said[said["item"] == ""]
    once = ["protocol", "agent", "task", "repeat"]
    panel = own.groupby(once, as_index=False)["score"].mean().assign(judge=PANEL)
    every = pd.concat([own, panel]).groupby(["protocol", "judge", "task", "agent"])["score"].mean()
    return lambda protocol, judge: every[protocol, judge].to_dict()


@pytest.fixture
def people(tmp_path):
    """People's labels, one of which is no number, and the file."""
    labels = [each._replace(protocol="") for each in on_reports()]
    odd = labels[4]._replace(score="good")
    file = written(tmp_path / "people.csv", Label._fields, [*labels[:4], odd, *labels[5:]])
    return [*labels[:4], *labels[5:]], file


def on(labels, ours):
    """By task and agent, what each rater gave, of the reports that a judge scored."""
    given = defaultdict(dict)
    for each in labels:
        if (each.task, each.agent) in ours:
            given[each.task, each.agent][each.rater] = float(each.score)
    return given


def lean(one, other):
    return np.sign(round(one - other, 12))


def icc(groups):
    """ICC(1,1) of ratings with gaps, by the two mean squares; None where one of them is not."""
    frame = pd.DataFrame([(g, v) for g, own in enumerate(groups) for v in own], columns=["g", "v"])
    sizes, total = frame.groupby("g").size(), len(frame)
    if len(sizes) < 2 or total == len(sizes):
        return None
    means = frame.groupby("g")["v"].transform("mean")
    between = ((means - frame["v"].mean()) ** 2).sum() / (len(sizes) - 1)
    within = ((frame["v"] - means) ** 2).sum() / (total - len(sizes))
    size = (total - (sizes**2).sum() / total) / (len(sizes) - 1)
    below = between + (size - 1) * within
    return (between - within) / below if below else None


def consistency_of(ours, given):
    """PAR, OPC, FAP, FAS and their mean, in per cent."""
    by_task = defaultdict(list)
    for task, agent in sorted(given):
        by_task[task].append(agent)
    alike, filtered = [], {stats.pearsonr: [], stats.spearmanr: []}
    for task, agents in by_task.items():
        for a, b in combinations(agents, 2):
            one, other = given[task, a], given[task, b]
            alike += [
                lean(ours[task, a], ours[task, b]) == lean(one[rater], other[rater])
                for rater in one.keys() & other.keys()
            ]
        agreed = icc([list(given[task, agent].values()) for agent in agents])
        if agreed is not None and agreed >= 0 and len(agents) >= 3:
            x = [round(ours[task, agent], 12) for agent in agents]
            y = [np.mean(list(given[task, agent].values())) for agent in agents]
            if len(set(x)) > 1 and len({round(each, 12) for each in y}) > 1:
                for coefficient, found in filtered.items():
                    found.append(coefficient(x, y).statistic)
    frame = pd.DataFrame(
        [(a, ours[t, a], np.mean(list(given[t, a].values()))) for t, a in given],
        columns=["agent", "ours", "theirs"],
    )
    means = frame.groupby("agent").mean()
    four = [
        np.mean(alike),
        stats.pearsonr(means["ours"], means["theirs"]).statistic,
        *(np.mean(found) for found in filtered.values()),
    ]
    return [100 * each for each in (*four, np.mean(four))]


def rows_of(done):
    rows = list(csv.reader(io.StringIO(done.stdout)))
    return {row[0].removeprefix("'"): row[1:] for row in rows[1:]}


def numbers(cells):
    return [float(cell.strip("* ")) for cell in cells]


def test_these_are_all_tables_of_bench_and_arena_that_hold_scores_of_people():
    needing = {name for name, table in TABLES.items() if "people" in table.needs}
    assert needing == WITH_PEOPLE


def test_table_2_has_the_figures_of_each_method(deepassay, run, scores, people):
    labels, file = people
    found = rows_of(
        deepassay("leaderboard", run, "--as", "bench:table2", "--human", file, "--format", "csv")
    )
    for name, protocol in METHODS.items():
        ours = scores(protocol, PANEL)
        if protocol in AGAINST:
            ours = {place: score for place, score in ours.items() if place[1] != REFERENCE}
        expected = consistency_of(ours, on(labels, ours))
        assert numbers(found[name]) == pytest.approx(expected, abs=PLACES), name
    for name in WITHOUT:
        assert set(found[name]) == {"–"}
    given = on(labels, scores("race(vanilla=True)", PANEL))
    pairs = [
        lean(given[task, a][r], given[task, b][r]) == lean(given[task, a][s], given[task, b][s])
        for task in TASKS
        for a, b in combinations((*AGENTS, REFERENCE), 2)
        if (task, a) in given and (task, b) in given
        for r, s in combinations(sorted(given[task, a].keys() & given[task, b].keys()), 2)
    ]
    between = numbers(found["Human Inter-Agreement"][:1])
    assert between == pytest.approx([100 * np.mean(pairs)], abs=PLACES)


def test_table_3_has_the_figures_of_each_judge_and_the_cost_of_a_comparison(
    deepassay, run, scores, people
):
    labels, file = people
    found = rows_of(
        deepassay("leaderboard", run, "--as", "bench:table3", "--human", file, "--format", "csv")
    )
    with RunFile.read(run) as kept:
        asked_for = pd.DataFrame(
            [(e.model, e.cost) for e in kept.exchanges() if e.operation == "race/compare"],
            columns=["judge", "cost"],
        )
    costs = asked_for.groupby("judge")["cost"].mean()
    assert sorted(found) == sorted([*JUDGES, PANEL])
    for judge, (_, *cells, cost) in found.items():
        ours = {k: v for k, v in scores("race", judge).items() if k[1] != REFERENCE}
        expected = consistency_of(ours, on(labels, ours))
        assert numbers(cells) == pytest.approx(expected, abs=PLACES), judge
        if judge != PANEL:
            assert float(cost) == pytest.approx(costs[judge], abs=PLACES)


def test_table_5_of_arena_has_the_coefficients_of_each_protocol(deepassay, run, scores, people):
    labels, file = people
    done = deepassay("leaderboard", run, "--as", "arena:table5", "--human", file, "--format", "csv")
    found = pd.DataFrame(rows_of(done), index=list(ARENA)).T
    for head, protocol in ARENA.items():
        ours = scores(protocol, PANEL)
        given = on(labels, ours)
        x = np.array([round(ours[place], 12) for place in given])
        y = np.array([round(np.mean(list(own.values())), 12) for own in given.values()])
        signs = [
            np.sign(x[i] - x[j]) * np.sign(y[i] - y[j]) for i, j in combinations(range(len(x)), 2)
        ]
        expected = {
            "Spearman's rho": stats.spearmanr(x, y).statistic,
            "Pearson's r": stats.pearsonr(x, y).statistic,
            "Kendall's tau": np.mean(signs),
        }
        for name, value in expected.items():
            assert float(found.loc[name, head]) == pytest.approx(value, abs=PLACES), (head, name)


@pytest.mark.parametrize("name", sorted(WITH_PEOPLE))
def test_each_says_what_came_in_and_names_what_is_withheld(deepassay, run, people, name):
    labels, file = people
    done = deepassay("leaderboard", run, "--as", name, "--human", file, "--format", "json")
    (table,) = json.loads(done.stdout)
    said = "\n".join(table["notes"])
    left = [each for each in labels if each.agent != REFERENCE]
    lost = [each for each in left if not has_report(each)]
    unscored = [each for each in left if (each.agent, each.task) == NO_SCORE]
    assert lost and unscored
    whole = left if name != "arena:table5" else labels
    assert f"labels: {len(labels) + 1} came in, " in said
    assert f" {len(whole) - len(lost) - len(unscored)} used." in said
    assert "people.csv, line 6: score 'good' is no number." in said
    assert f"wren on t07, labels: {len(lost)}; no score (missing_input)" in said
    assert f"magpie on t03, labels: {len(unscored)}; no score (answer_unreadable)" in said
    assert ("scores the others against this report of 'ref'" in said) == (whole is left)
