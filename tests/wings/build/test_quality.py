"""The second round: how many outcomes are looked at, in which order, and when it is enough."""

from __future__ import annotations

import csv
import io
import json
import re

import numpy as np
import pytest

from deepassay.errors import BadTasks
from deepassay.stats.intervals import trials_for
from deepassay.wings.build.experts.quality import finished_tasks, quality_of, write_quality
from deepassay.wings.build.experts.query_drafts import add_drafts
from deepassay.wings.build.experts.survey import Planned, seats, write_plan
from deepassay.wings.build.experts.survey_answers import SurveyPeople
from deepassay.wings.build.experts.verification import settled_draft
from deepassay.wings.build.experts.verifying import control
from tests.wings.build.verified import SAMPLE, agreed, rated, said


@pytest.fixture(scope="module")
def drafts():
    """40 drafts of three outcomes each."""
    return [settled_draft(agreed(rated(f"d{number}"))) for number in range(40)]


def looked_at(drafts, seed, wrong):
    """Drafts after everything that is to be seen was seen, so many wrong, first ones first."""
    found = {each.id: each for each in drafts}
    quality = quality_of(drafts, seed)
    for draft, part in quality.to_see:
        value = "wrong" if wrong > quality_of(found.values(), seed).wrong else "right"
        found[draft.id] = said(found[draft.id], (SAMPLE, "fay", part.of, value, "", "so"))
    return [*found.values()]


@pytest.mark.parametrize(
    ("wrong", "seen"),
    [(0, [59]), (1, [59, 93]), (2, [59, 120])],
    ids=["none wrong", "one wrong", "two wrong: all"],
)
def test_the_sample_grows_until_the_bound_holds_or_all_were_seen(drafts, wrong, seen):
    sizes = []
    while not (quality := quality_of(drafts, 3)).done:
        drafts = looked_at(drafts, 3, wrong)
        sizes.append(len(quality_of(drafts, 3).seen))
    assert sizes == seen
    assert quality.wrong == wrong and quality.limit <= 0.05
    if len(quality.seen) == 120:
        assert quality.limit == wrong / 120


def test_seed_and_names_decide_what_is_drawn_and_a_larger_sample_holds_the_smaller(drafts):
    def drawn(seed, of=drafts):
        return [(draft.id, part.of) for draft, part in quality_of(of, seed).to_see]

    assert drawn(1) == drawn(1, drafts[::-1]) != drawn(2)
    after = looked_at(drafts, 1, 1)
    assert {*drawn(1)}.isdisjoint(drawn(1, after)) and len(drawn(1, after)) == 34


def test_the_table_shows_where_errors_gather(drafts):
    quality = quality_of(looked_at(drafts, 3, 3), 3)
    rows = json.loads(write_quality(quality, "json"))
    assert rows[0] == {
        "by": "all", "name": "", "looked_at": 59, "wrong": 3, "share": 3 / 59,
        "limit": pytest.approx(0.1264, abs=1e-3),
    }  # fmt: skip
    assert {(row["by"], row["name"]) for row in rows[1:]} == {
        ("rating", "item: appropriate"),
        ("rating", "query: appropriate"),
        ("annotator", "ana"),
        ("second", "bo"),
    }
    assert len([*csv.DictReader(io.StringIO(write_quality(quality, "csv")))]) == len(rows)
    assert "Outcomes: 120. Wrong of them: at most 12.6 %" in write_quality(quality, "text")


def test_what_is_in_dispute_is_no_outcome_yet():
    draft = settled_draft(agreed(rated(), c1="no"))
    assert [part.of for _, part in quality_of([draft], 1).order if part.of == "c1"] == []


def test_where_all_is_in_dispute_there_is_nothing_to_look_at():
    draft = agreed(rated(), query="no", c1="no", c2="no")
    quality = quality_of([draft], 1)
    assert quality.done and quality.limit is None


def test_the_set_keeps_dates_open_and_tells_domain_and_category(drafts):
    task = next(finished_tasks(drafts))
    assert "{{date}}" in task.prompt
    assert task.labels == {"domain": "Law", "category": "review", "language": "en"}
    assert task.checklist == ("Is a price given?", "Is a wage given?")


def test_how_often_a_set_with_five_in_a_hundred_wrong_passes_by_looking_on():
    """The figures of docs/building-with-experts.md, by the exact distribution."""
    enough = [trials_for(errors, 0.05) for errors in range(40)]
    states, passed, by_size = np.eye(1, 40)[0], 0.0, {}
    for n in range(1, 401):
        states = 0.95 * states + 0.05 * np.concatenate([[0.0], states[:-1]])
        done = np.array(enough) <= n
        passed += states[done].sum()
        states[done] = 0
        by_size[n] = round(100 * passed)
    assert [by_size[n] for n in (59, 93, 153, 400)] == [5, 7, 11, 17]


CELLS = [("en", "Law", "review", 3), ("en", "经济", "market", 2), ("zh", "Law", "review", 2)]


def plan_of(cells):
    return [
        Planned(language=language, domain=domain, category=category, tasks=tasks)
        for language, domain, category, tasks in cells
    ]


@pytest.fixture
def told_of_plan(tmp_path):
    """What is said of the plan, after all was seen of the drafts of these seats."""
    write_plan(tmp_path / "plan.yaml", plan_of(CELLS))

    def told_of_plan(cells, gone=(), given_up=(), plan="plan.yaml"):
        found = []
        for seat in seats(plan_of(cells)):
            if seat.id in gone:
                continue
            verdict = ("not appropriate",) if seat.id in given_up else ("appropriate",)
            place = {name: getattr(seat, name) for name in ("language", "domain", "category")}
            draft = rated(seat.id, query=verdict).model_copy(update=place)
            found.append(settled_draft(agreed(draft)))
        add_drafts(tmp_path / "seen.yaml", looked_at(found, 1, 0))
        plan = plan and tmp_path / plan
        made = control(
            tmp_path / "seen.yaml", tmp_path / "set.jsonl", SurveyPeople(), seed=1, plan=plan
        )
        return "\n".join(made.plan)

    return told_of_plan


def test_tasks_of_the_plan_that_came_not_this_far_are_counted_and_their_cells_named(told_of_plan):
    gone = {"en-经济-market-1", "en-经济-market-2", "en-law-review-2"}
    told = told_of_plan(CELLS, gone)
    assert "Of the plan: 4 of 7 tasks." in told
    assert "by domain: Law 4 of 5, 经济 0 of 2" in told
    assert "by category: review 4 of 5, market 0 of 2" in told
    assert "by language: en 2 of 5, zh 2 of 2" in told
    assert "Left behind, of the plan: 3." in told
    assert "\n  Law, review (en): 1\n  经济, market (en): 2" in told
    assert "anew" not in told


def test_what_was_given_up_is_told_apart_from_what_was_left_behind(told_of_plan):
    told = told_of_plan(CELLS, {"en-law-review-2"}, {"en-law-review-3", "zh-law-review-1"})
    assert "Of the plan: 4 of 7 tasks." in told and "Left behind, of the plan: 1." in told
    assert "draft 2 anew" in told
    raised = re.findall(r"^  (.*): (\d+) in place of (\d+)$", told, re.M)
    assert raised == [("Law, review (en)", "4", "3"), ("Law, review (zh)", "3", "2")]


def test_once_what_was_given_up_is_drafted_anew_the_plan_is_full(told_of_plan):
    told = told_of_plan([*CELLS[:2], ("zh", "Law", "review", 3)], (), {"zh-law-review-1"})
    assert "Of the plan: 7 of 7 tasks." in told and "by language: en 5 of 5, zh 2 of 2" in told
    assert "anew" not in told and "Left behind" not in told


def test_without_a_plan_the_drafts_that_came_this_far_are_not_called_it(told_of_plan):
    gone = {"en-经济-market-1", "en-经济-market-2"}
    told = told_of_plan(CELLS, gone, {"en-law-review-3"}, plan=None)
    assert "Of the drafts that came this far: 4 of 5 tasks. --plan PLAN" in told
    assert "Of the plan" not in told and "Left behind" not in told
    assert "Law, review (en): 4 in place of 3" in told


def test_a_plan_that_is_none_is_refused_before_the_set_is_written(told_of_plan, tmp_path):
    (tmp_path / "other.yaml").write_text("- language: en\n")
    with pytest.raises(BadTasks, match=r"other\.yaml"):
        told_of_plan(CELLS, plan="other.yaml")
    assert not (tmp_path / "set.jsonl").exists()
