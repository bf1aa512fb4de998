"""All the data, or a word about it: every command against plain code on the raw rows.

8 tasks in two languages, 4 agents and a reference, 3 raters, 2 judges in a panel; once, and with
every report judged twice. A report and a score are withheld, and each command has to say so.
"""

from __future__ import annotations

import csv
import io
from collections import defaultdict
from itertools import combinations

import numpy as np
import pandas as pd
import pytest

from tests.draws import few_draws  # noqa: F401 - for all tests

from .several import (
    AGENTS,
    CRITERIA,
    GRADES,
    JUDGES,
    NO_REPORT,
    NO_SCORE,
    RACE,
    RATERS,
    REFERENCE,
    TASKS,
    Label,
    criteria,
    has_report,
    make,
    on_items,
    on_reports,
    raw,
    written,
)


@pytest.fixture(autouse=True)
def fewest_draws(few_draws, monkeypatch):  # noqa: F811
    """No interval is looked at here, and of F1 of each agent and scale it takes longest."""
    monkeypatch.setattr("deepassay.wings.people.agreement.labels.FEWER_DRAWS", 9)
    monkeypatch.setattr("deepassay.wings.people.agreement.rubric_labels.FEWER_DRAWS", 9)
    monkeypatch.setattr("deepassay.wings.people.calibration.calibrate.FEWER_DRAWS", 9)


@pytest.fixture(scope="module", params=[1, 2], ids=["once", "twice"])
def run(request, tmp_path_factory):
    return make(tmp_path_factory.mktemp("several") / "set", repeats=request.param)


@pytest.fixture(scope="module")
def said(run):
    return pd.DataFrame(raw(run))


def table(done):
    """CSV that a command printed."""
    return pd.DataFrame(csv.DictReader(io.StringIO(done.stdout)))


def value_of(rows, **where):
    """The only row of which this is true: its value and n."""
    for name, wanted in where.items():
        rows = rows[rows[name] == wanted]
    assert len(rows) == 1, (where, len(rows))
    row = rows.iloc[0]
    return float(row["value"]), int(row["n"])


def labels_frame(labels):
    frame = pd.DataFrame(labels)
    return frame.assign(number=(frame["verdict"] == "yes").astype(float))


# ------------------------------------------------------------------ people's verdicts on items


@pytest.fixture
def items(tmp_path):
    labels = on_items()
    return labels_frame(labels), written(tmp_path / "items.csv", Label._fields, labels)


def test_calibrate_takes_the_items_of_every_task(deepassay, run, said, items):
    people, file = items
    done = deepassay("calibrate", run, "--human", file, "--format", "csv")
    rows = table(done)
    assert (rows["part"] == "items").all()
    first = said[(said["protocol"] == "coverage") & (said["item"] != "") & (said["repeat"] == 0)]
    given = people.groupby(["agent", "task", "item"], as_index=False)["number"].mean()
    for judge in JUDGES:
        own = first[first["judge"] == judge]
        both = own.merge(given, on=["agent", "task", "item"])
        for agent in (*AGENTS, REFERENCE):
            mine, labelled = own[own["agent"] == agent], both[both["agent"] == agent]
            where = {"judge": judge, "agent": agent}
            found, n = value_of(rows, **where, figure="judge")
            assert (n, found) == (len(mine), pytest.approx(mine["score"].mean()))
            if agent != REFERENCE:
                found, n = value_of(rows, **where, figure="labels alone")
                assert (n, found) == (len(labelled), pytest.approx(labelled["number"].mean()))
        yes, no = both["number"], 1 - both["number"]
        share, n = value_of(rows, judge=judge, figure="sensitivity: yes where people say yes")
        assert n == len(both)
        assert share == pytest.approx((yes * both["score"]).sum() / yes.sum())
        share, _ = value_of(rows, judge=judge, figure="specificity: no where people say no")
        assert share == pytest.approx((no * (1 - both["score"])).sum() / no.sum())


def joins(people, said, protocol="coverage"):
    """How many labels there are, and how many of them a judge said something to."""
    judged = set(
        zip(
            *(said[said["protocol"] == protocol][n] for n in ("agent", "task", "item")), strict=True
        )
    )
    places = list(zip(people["agent"], people["task"], people["item"], strict=True))
    return len(places), sum(place in judged for place in places)


@pytest.mark.parametrize("withheld", [NO_REPORT, NO_SCORE])
@pytest.mark.parametrize("command", ["calibrate", "agree"])
def test_labels_on_what_is_withheld_are_counted_and_named(
    deepassay, run, said, tmp_path, command, withheld
):
    agent, task = withheld
    labels = [each for each in on_items() if each.agent == agent]
    file = written(tmp_path / "withheld.csv", Label._fields, labels)
    done = deepassay(command, run, "--human", file)
    came, used = joins(labels_frame(labels), said)
    assert 0 < used < came
    assert f"labels: {came} came in" in done.stderr
    assert f" {used} used." in done.stderr
    assert f"agent '{agent}', task '{task}'" in done.stderr
    assert done.returncode == 1


def alpha_of(units):
    """Krippendorff's alpha of nominal data, by its definition."""
    units = [own for own in units if len(own) > 1]
    n = sum(map(len, units))
    observed = sum(
        sum(a != b for a, b in combinations(own, 2)) * 2 / (len(own) - 1) for own in units
    )
    every = [value for own in units for value in own]
    expected = sum(a != b for a, b in combinations(every, 2)) * 2 / (n - 1)
    return 1 - observed / expected


def test_agree_counts_each_decision_of_people_once(deepassay, run, said, items):
    people, file = items
    rows = table(deepassay("agree", run, "--human", file, "--format", "csv"))
    own = said[(said["protocol"] == "coverage") & (said["item"] != "")]
    both = people.merge(own, on=["agent", "task", "item"])
    both["same"] = (both["number"] == both["score_y"]).astype(float)
    decision = ["rater", "agent", "task", "item"]
    for judge in JUDGES:
        mine = both[both["judge"] == judge]
        per_decision = mine.groupby(decision)["same"].mean()
        share, n = value_of(rows, figure=f"agreement with {judge}")
        assert (n, share) == (len(per_decision), pytest.approx(per_decision.mean()))
        weights = 1 / mine.groupby(decision)["same"].transform("size")
        joint = np.zeros((2, 2))
        cells = zip(mine["number"], mine["score_y"], weights, strict=True)
        for person, score, weight in cells:
            joint[int(person), int(score)] += weight
        joint /= joint.sum()
        chance = joint.sum(0) @ joint.sum(1)
        found, _ = value_of(rows, figure=f"Cohen's kappa, {judge}")
        assert found == pytest.approx((np.trace(joint) - chance) / (1 - chance))
    units = defaultdict(list)
    judged = both.drop_duplicates(decision)
    for agent, task, item, number in zip(
        *(judged[name] for name in ("agent", "task", "item", "number")), strict=True
    ):
        units[agent, task, item].append(number)
    pairs = [a == b for unit in units.values() for a, b in combinations(unit, 2)]
    share, n = value_of(rows, figure="agreement of people with each other")
    assert (n, share) == (len(pairs), pytest.approx(np.mean(pairs)))
    found, n = value_of(rows, figure="Krippendorff's alpha of people, nominal")
    assert n == sum(len(unit) > 1 for unit in units.values())
    assert found == pytest.approx(alpha_of(units.values()))


# ------------------------------------------------------------------ people's scores of reports


@pytest.fixture
def scores(tmp_path):
    labels = on_reports()
    return labels, written(tmp_path / "scores.csv", Label._fields, labels)


def race_of(said, judge):
    """The mean of a judge's repeats for each report that is not the reference."""
    own = said[(said["protocol"] == RACE) & (said["item"] == "") & (said["judge"] == judge)]
    own = own[own["agent"] != REFERENCE]
    return own.groupby(["task", "agent"])["score"].mean().to_dict()


def test_agree_holds_no_reference_against_people(deepassay, run, said, scores):
    labels, file = scores
    done = deepassay("agree", run, "--human", file, "--format", "csv")
    rows = table(done)
    given = defaultdict(list)
    for each in labels:
        given[each.task, each.agent].append(float(each.score))
    for judge in JUDGES:
        ours = race_of(said, judge)
        alike = [
            np.sign(round(ours[task, a] - ours[task, b], 12))
            == np.sign(round(np.mean(given[task, a]) - np.mean(given[task, b]), 12))
            for task in TASKS
            for a, b in combinations(sorted(AGENTS), 2)
            if all((task, agent) in ours and given[task, agent] for agent in (a, b))
        ]
        share, n = value_of(rows, judge=judge, figure="PAR against the mean of people")
        assert (n, share) == (len(alike), pytest.approx(np.mean(alike)))
    on_reference = [each for each in labels if each.agent == REFERENCE]
    lost = [each for each in labels if not has_report(each)]
    assert on_reference and lost
    used = len(labels) - len(on_reference) - len(lost)
    assert f"labels: {len(labels)} came in" in done.stderr
    assert f" {used} used." in done.stderr
    assert "scores the others against this report of 'ref'" in done.stderr


def test_calibrate_holds_no_reference_against_people(deepassay, run, said, scores):
    labels, file = scores
    done = deepassay("calibrate", run, "--human", file, "--format", "csv")
    rows = table(done)
    assert sorted(set(rows["agent"]) - {""}) == sorted(AGENTS)
    assert "scores the others against this report of 'ref'" in done.stderr
    for judge in JUDGES:
        ours = race_of(said, judge)
        for agent in AGENTS:
            mine = {task: value for (task, who), value in ours.items() if who == agent}
            found, n = value_of(rows, judge=judge, agent=agent, figure="judge")
            assert (n, found) == (len(mine), pytest.approx(np.mean(list(mine.values()))))
            by_task = {
                task: [
                    float(each.score) for each in labels if (each.agent, each.task) == (agent, task)
                ]
                for task in mine
            }
            means = [np.mean(own) for own in by_task.values() if own]
            found, n = value_of(rows, judge=judge, agent=agent, figure="labels alone")
            assert (n, found) == (len(means), pytest.approx(np.mean(means)))


def test_a_rating_that_is_no_number_is_named_by_its_line(deepassay, run, tmp_path, scores):
    labels, _ = scores
    labels = [labels[0]._replace(score="good"), *labels[1:]]
    file = written(tmp_path / "odd.csv", Label._fields, labels)
    for command in ("calibrate", "agree"):
        done = deepassay(command, run, "--human", file)
        assert "odd.csv, line 2: score 'good' is no number." in done.stderr
        assert f"labels: {len(labels)} came in" in done.stderr


# ------------------------------------------------------------------ rubrics


@pytest.fixture
def verdicts(tmp_path):
    found = criteria()
    rows = [(*place, verdict) for place, verdict in found.items()]
    head = ("agent", "task", "criterion", "verdict")
    return found, written(tmp_path / "verdicts.csv", head, rows)


def graded(said, judge):
    own = said[(said["protocol"] == "rubrics") & (said["item"] != "") & (said["judge"] == judge)]
    words = {1.0: GRADES[0], 0.5: GRADES[1], 0.0: GRADES[2]}
    found = defaultdict(list)
    for agent, task, item, repeat, score in zip(
        *(own[n] for n in ("agent", "task", "item", "repeat", "score")), strict=True
    ):
        found[agent, task, item].append((repeat, words[score]))
    return found


def f1_of(pairs, classes, absent=None):
    """Macro-F1 of (person, judge, weight)."""
    found = []
    for name in classes:
        hit = sum(w for a, b, w in pairs if a == b == name)
        all_of_it = sum(w * ((a == name) + (b == name)) for a, b, w in pairs)
        found.append(2 * hit / all_of_it if all_of_it else absent)
    found = [each for each in found if each is not None]
    return np.mean(found)


def test_agree_rubrics_counts_each_verdict_of_people_once(deepassay, run, said, verdicts):
    people, file = verdicts
    done = deepassay("agree", "rubrics", file, run, "--format", "csv")
    rows = table(done)
    for judge in JUDGES:
        ours = graded(said, judge)
        both = [place for place in people if place in ours]
        assert 0 < len(both) < len(people)
        pairs = [
            (people[place], word, 1 / len(ours[place])) for place in both for _, word in ours[place]
        ]
        row = rows[
            (rows["judge"] == judge) & (rows["agent"] == "(all)") & (rows["scale"] == "ternary")
        ].iloc[0]
        assert (int(row["compared"]), int(row["labelled"])) == (len(both), len(people))
        assert float(row["macro_f1_pooled"]) == pytest.approx(f1_of(pairs, GRADES))
    assert done.returncode == 1
    shown = deepassay("agree", "rubrics", file, run).stdout
    assert f"{len(people)} came in, {len(both)} found their graded criteria" in " ".join(
        shown.split()
    )
    agent, task = NO_REPORT
    assert f"of {agent} on {task}: no graded criterion" in " ".join(shown.split())


def test_table_6_of_the_paper_has_the_same_figures(deepassay, run, said, verdicts):
    people, file = verdicts
    done = deepassay(
        "leaderboard", run, "--as", "rubrics:table6", "--human", file, "--format", "csv"
    )
    rows = table(done)
    for judge in JUDGES:
        ours = graded(said, judge)
        for agent in AGENTS:
            readings = defaultdict(list)
            for place, own in ours.items():
                for repeat, word in own:
                    if place in people and place[0] == agent:
                        readings[place[1], repeat].append((people[place], word, 1))
            by_task = defaultdict(list)
            for (task, _), pairs in readings.items():
                by_task[task].append(f1_of(pairs, GRADES, absent=0.0))
            expected = np.mean([np.mean(own) for own in by_task.values()])
            row = rows[(rows["Agent"] == agent) & (rows.iloc[:, 0] == "Ternary")].iloc[0]
            assert float(row[judge]) == pytest.approx(expected, abs=5e-4 + 1e-9)


def test_table_5_of_the_paper_is_of_all_graded_reports(deepassay, run, said):
    weights = dict(zip(CRITERIA, (5, 2, 3, -4), strict=True))
    done = deepassay("leaderboard", run, "--as", "rubrics:table5", "--format", "csv")
    rows = table(done).set_index("Model")
    own = said[(said["protocol"] == "rubrics") & (said["item"] != "")].copy()
    own["part"] = own["score"] * own["item"].map(weights)
    reading = own.groupby(["agent", "task", "repeat", "judge"])["part"].sum() / 10
    means = reading.groupby(["agent", "task"]).mean().groupby("agent").mean()
    for agent in (*AGENTS, REFERENCE):
        assert float(rows.loc[agent, "Ternary"]) == pytest.approx(means[agent], abs=5e-4 + 1e-9)


def test_raters_are_three_and_both_languages_are_there():
    assert {each.rater for each in on_items()} == set(RATERS)
    assert len({each.task for each in on_items()}) == len(TASKS)
