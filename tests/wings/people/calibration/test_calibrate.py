"""What labels say of a judge, and that too few say nothing."""

from __future__ import annotations

import numpy as np
import pytest

from deepassay.stats.mappings import Cut, Isotonic
from deepassay.wings.people.calibration.calibrate import FEWEST, calibrate
from deepassay.wings.people.calibration.calibration_file import CalibrationFile
from deepassay.wings.people.calibration.labelled import Labelled
from deepassay.wings.people.calibration.tables import write
from tests.results.judgements import unfolded


def labelled(ours, theirs, tasks, *, agents=None, kind="scores", part="") -> Labelled:
    return Labelled(
        protocol="race",
        name="race",
        recipe="0123",
        judge="gpt",
        shown=not part,
        part=part,
        kind=kind,
        agents=tuple(agents or ["heron"] * len(ours)),
        tasks=tuple(map(str, tasks)),
        ours=np.array(ours, dtype=float),
        theirs=np.array(theirs, dtype=float),
    )


def reports(shown, count=60, noise=0.5, **own) -> Labelled:
    """Scores of one agent, with labels of the first `shown` tasks."""
    chance = np.random.default_rng(11)
    theirs = 6 + chance.standard_normal(count)
    ours = 40 + 5 * (theirs + noise * chance.standard_normal(count))
    return labelled(ours, np.where(np.arange(count) < shown, theirs, np.nan), range(count), **own)


def said(found) -> str:
    return unfolded(write([found], CalibrationFile.of("people.csv", [found], {}), "text"))


def test_a_judge_that_predicts_people_beats_their_mean_on_the_other_half() -> None:
    found = calibrate(reports(40), seed=0)
    figures = {each.name: each for each in found.figures}
    explained = found.figures[-1]
    alone = figures["other half: error of the people's mean"]
    assert figures["other half: error of isotonic"].value < alone.value
    assert explained.interval.low > 0.3
    assert isinstance(found.mapping, Isotonic)
    assert "Isotonic, by all labels" in said(found)


def test_a_useless_judge_explains_nothing_on_the_other_half() -> None:
    found = calibrate(reports(40, noise=1e6), seed=0)
    assert found.figures[-1].value < 0.05


def test_on_the_labels_that_it_was_fitted_to_isotonic_would_look_better() -> None:
    """What the halves are for."""
    own = reports(40, noise=1.5)
    found = calibrate(own, seed=0)
    there = ~np.isnan(own.theirs)
    inside = float(np.sqrt(np.mean((found.mapping(own.ours[there]) - own.theirs[there]) ** 2)))
    assert inside < 0.9 * found.figures[2].value


@pytest.mark.parametrize("shown", [1, FEWEST - 1])
def test_with_too_few_labels_nothing_is_corrected_and_it_says_what_is_needed(shown) -> None:
    found = calibrate(reports(shown), seed=0)
    (agent,) = found.agents
    assert (agent.powered, agent.more, found.mapping, found.figures) == (None, None, None, ())
    assert f"{FEWEST} are needed" in agent.why
    assert f"people: none, labels on {shown} task" in said(found)


def test_a_run_with_too_few_tasks_is_told_so() -> None:
    found = calibrate(reports(6, count=6), seed=0)
    assert found.agents[0].why == "labels on 6 tasks; 20 are needed, and the run has 6"


def test_from_enough_labels_on_there_is_a_figure_between_its_ends() -> None:
    (agent,) = calibrate(reports(FEWEST), seed=0).agents
    low, high = agent.powered.interval
    assert low < agent.powered.value < high
    assert agent.powered.worth > FEWEST


def test_labels_that_are_all_the_same_correct_nothing() -> None:
    own = reports(30)
    same = labelled(own.ours, np.where(np.isnan(own.theirs), np.nan, 7.0), own.tasks)
    (agent,) = calibrate(same, seed=0).agents
    assert (agent.powered, agent.why) == (None, "all labels are the same")


def verdicts(sensitivity, specificity, agents=("heron", "magpie"), shown=30) -> Labelled:
    """Four items on each of 80 tasks for each agent, seven of ten met."""
    chance = np.random.default_rng(5)
    names = np.repeat(agents, 320)
    task = np.tile(np.repeat(np.arange(80), 4), len(agents))
    theirs = chance.random(len(task)) < 0.7
    right = np.where(names == agents[0], sensitivity, sensitivity / 2)
    ours = chance.random(len(task)) < np.where(theirs, right, 1 - specificity)
    shown_there = np.where(task < shown, theirs, np.nan)
    return labelled(ours, shown_there, task, agents=names.tolist(), kind="verdicts", part="items")


def test_rates_of_a_judge_that_errs_alike_are_those_of_people_by_both_ways() -> None:
    found = calibrate(verdicts(0.9, 0.6, agents=("heron",)), seed=0)
    (agent,) = found.agents
    assert [each.name.partition(":")[0] for each in found.figures] == ["sensitivity", "specificity"]
    for interval in (agent.powered.interval, agent.rate.interval):
        assert interval.low < 0.7 < interval.high
    assert not agent.powered.interval.low < agent.raw < agent.powered.interval.high


def test_where_the_judge_errs_otherwise_with_an_agent_it_is_said() -> None:
    found = calibrate(verdicts(0.95, 0.9), seed=0)
    assert "without errors: apart from people for" in said(found)
    assert "magpie" in said(found)


def test_verdicts_on_whole_reports_get_a_threshold() -> None:
    """Yes from a score of 70 on, so says everyone."""
    ours = np.arange(50, 90, 0.5)
    theirs = np.where(np.arange(80) % 2, (ours >= 70).astype(float), np.nan)
    found = calibrate(labelled(ours, theirs, range(80), kind="verdicts"), seed=0)
    assert isinstance(found.mapping, Cut)
    assert 69 < found.mapping.at <= 70.5
    agreed = {each.name: each.value for each in found.figures}
    assert agreed["other half: agreement of a threshold"] > 0.9
    assert agreed["other half: agreement of what most say"] < 0.65
    assert found.agents[0].rate is None


def test_rates_stay_rates() -> None:
    own = verdicts(0.99, 0.99, agents=("heron",))
    theirs = np.where(np.isnan(own.theirs), np.nan, own.ours)
    theirs[0] = 1 - theirs[0]
    most = labelled(
        np.ones_like(own.ours), theirs * 0 + 1, own.tasks, kind="verdicts", part="items"
    )
    most.theirs[0] = 0.0
    (agent,) = calibrate(most, seed=0).agents
    assert agent.powered.interval.high <= 1.0
    value, (low, high) = agent.alone
    assert low < value < high == 1.0


@pytest.mark.parametrize("format", ["text", "markdown", "csv", "json"])
def test_every_format_has_every_agent(format) -> None:
    found = calibrate(verdicts(0.9, 0.6), seed=0)
    kept = CalibrationFile.of("people.csv", [found], {("0123", "heron"): "abc"})
    written = write([found], kept, format)
    assert "heron" in written
    assert "magpie" in written
    if format == "json":
        again = CalibrationFile.read(written, "c.json")
        assert again == kept
        assert [each.scores for each in again.judges[0].agents] == ["abc", ""]
