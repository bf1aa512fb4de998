"""Figures and rankings of several of everything, against plain code on the raw rows."""

from __future__ import annotations

import csv
import io

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from deepassay.results.figures.figure import Figure
from deepassay.results.figures.making import make_figures
from deepassay.run.showing.figures import material
from deepassay.runfile import RunFile
from deepassay.text import count_words
from tests.cli.several import (
    AGENTS,
    NO_REPORT,
    NO_SCORE,
    PROTOCOLS,
    RACE,
    REFERENCE,
    TASKS,
    make,
    raw,
)


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    return make(tmp_path_factory.mktemp("several") / "set", repeats=2)


@pytest.fixture(scope="module")
def reports(run):
    """The mean over judges, then over repeats, of each report that every judge scored."""
    said = pd.DataFrame(raw(run))
    own = said[said["item"] == ""]
    once = own.groupby(["protocol", "agent", "task", "repeat"])["score"].mean()
    return once.groupby(["protocol", "agent", "task"]).mean()


@pytest.fixture(scope="module")
def figures(run):
    made = make_figures(material([run]), ("ranking", "score-against-length", "differences"))
    return {each.name: each for each in made if isinstance(each, Figure)}


def named(figures, kind, protocol):
    """The figure of a protocol: its rows by their first cell."""
    begin = protocol.partition("(")[0]
    (found,) = [each for name, each in figures.items() if name.startswith(f"{kind}-{begin}")]
    return found


@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_a_ranking_shows_the_means_of_all_reports(figures, reports, protocol):
    table = named(figures, "ranking", protocol).table
    rows = {row[1]: dict(zip(table.head, row, strict=True)) for row in table.rows}
    for agent in AGENTS:
        own = reports[protocol, agent]
        mean, row = own.mean(), rows[agent]
        half = stats.t.ppf(0.975, len(own) - 1) * stats.sem(own)
        unit = 0.051 if protocol == "coverage" else 0.000051
        found = [float(row[name]) for name in ("mean", "low", "high")]
        assert found == pytest.approx([mean, mean - half, mean + half], abs=unit)


@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_scores_against_lengths_leave_out_the_reference_alone(run, figures, reports, protocol):
    with RunFile.read(run) as file:
        words = {(each.agent, each.task): count_words(each.text) for each in file.reports()}
    figure = named(figures, "score-against-length", protocol)
    rows = {row[0]: row for row in figure.table.rows}
    everyone = AGENTS if protocol == RACE else (*AGENTS, REFERENCE)
    assert sorted(rows) == sorted(everyone)
    assert (f"scored against it: {REFERENCE}" in figure.caption) == (protocol == RACE)
    for agent in everyone:
        own = reports[protocol, agent].round(9)  # equal scores are ties
        lengths = [words[agent, task] for task in own.index]
        rho = stats.spearmanr(lengths, own.to_numpy()).statistic
        assert int(rows[agent][1]) == len(own)
        assert float(rows[agent][2]) == pytest.approx(rho, abs=0.00051)


@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_what_is_withheld_is_named_in_every_figure(figures, protocol):
    for kind in ("ranking", "differences", "score-against-length"):
        caption = named(figures, kind, protocol).caption
        assert f"{NO_REPORT[0]} " in caption
        assert (f"{NO_SCORE[0]} " in caption.replace("magpie,", "")) == (protocol == "coverage")


@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_compare_counts_the_tasks_of_both(deepassay, run, reports, protocol):
    done = deepassay("compare", run, "--protocol", protocol, "--format", "csv")
    for row in csv.DictReader(io.StringIO(done.stdout)):
        ours, theirs = (reports[protocol, row[side]] for side in ("agent", "other"))
        both = ours.index.intersection(theirs.index)
        gaps = (ours[both] - theirs[both]).to_numpy()
        assert (int(row["tasks"]), int(row["tasks_expected"])) == (len(both), len(TASKS))
        assert float(row["difference"]) == pytest.approx(np.mean(gaps))
        if row["tips_at"]:
            assert float(row["p_scored_alone"]) < 0.05


def test_export_marks_the_reference_and_names_every_cause(deepassay, run, tmp_path):
    deepassay("export", run, "-o", tmp_path / "scores.csv", "--format", "csv", "--tables", "scores")
    rows = pd.read_csv(tmp_path / "scores.csv")
    marked = rows[rows["reference"]]
    assert set(marked["agent"]) == {REFERENCE}
    assert set(marked["protocol"]) == {RACE}
    lost = rows[rows["value"].isna()]
    assert set(zip(lost["agent"], lost["task"], strict=True)) == {NO_REPORT, NO_SCORE}
    assert not lost["cause"].isna().any()
