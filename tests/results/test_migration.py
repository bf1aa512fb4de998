"""A change of judge, made up so that the answer is known."""

import json
from dataclasses import replace
from random import Random

import pytest
from scipy import stats

from deepassay.errors import BadInput
from deepassay.results.migration import Mixing, migrate
from deepassay.results.migration_tables import write_migrations
from deepassay.results.records import Judged
from deepassay.score import Cause, Score, Signature, Unscored
from tests.results.judgements import RECIPE, make, unfolded

OLD = RECIPE
NEW = Signature({**RECIPE.identity, "judges": [{"model": "openai:next"}]})
AGENTS = {"heron": 75.0, "magpie": 60.0, "cuckoo": 40.0, "stork": 55.0}


def judged(recipe, change, noise, seed, tasks=30):
    """Reports of one quality for all seeds, as a judge sees them."""
    true, judge = Random(0), Random(seed)
    return [
        make(agent, f"t{task}", change(agent, quality) + judge.gauss(0, noise), recipe=recipe)
        for agent, level in AGENTS.items()
        for task in range(tasks)
        for quality in [true.gauss(level, 8)]
    ]


def migration(change, noise=1.0, **terms):
    old = judged(OLD, lambda _, quality: quality, noise, seed=1)
    new = judged(NEW, change, noise, seed=2)
    (found,) = migrate(old, new, terms.get("difference", 5.0), 0)
    return found


def test_a_judge_that_sees_the_same_may_be_mixed_as_it_is():
    found = migration(lambda _, quality: quality)
    assert found.mixing is Mixing.AS_THEY_ARE
    assert found.swapped == 0
    assert "may be mixed where only differences of 5.0 matter" in write_migrations([found], "text")


def test_a_judge_with_another_scale_may_be_mixed_when_mapped():
    found = migration(lambda _, quality: 20 + 0.7 * quality)
    assert found.mixing is Mixing.MAPPED
    assert (found.linear.slope, found.linear.intercept) == pytest.approx((0.7, 20), abs=1.5)
    assert found.better == "linear"
    assert found.errors["linear"].square < found.errors["isotonic"].square
    assert found.errors["isotonic"].square < found.errors["none"].square
    assert "only after the old ones are mapped" in write_migrations([found], "text")


def test_a_judge_that_favours_an_agent_may_not_be_mixed():
    found = migration(lambda agent, quality: quality + (40 if agent == "cuckoo" else 0))
    assert found.mixing is Mixing.NOT
    cuckoo = next(each for each in found.agents if each.agent == "cuckoo")
    assert (cuckoo.old_rank, cuckoo.new_rank) == (4, 1)
    assert (found.swapped, found.pairs) == (3, 6)
    assert "Do not mix" in write_migrations([found], "text")


def test_a_mapping_that_ignores_the_old_scores_is_no_ground_for_mixing():
    found = migration(lambda *_: 50.0, noise=3.0)
    assert all(abs(each.left) < 5 for each in found.agents)
    assert found.mixing is Mixing.NOT


def test_the_difference_that_matters_may_be_given():
    assert migration(lambda _, quality: quality + 3, difference=10).mixing is Mixing.AS_THEY_ARE
    assert migration(lambda _, quality: quality + 3, difference=0.01).mixing is Mixing.NOT


def test_without_a_difference_that_matters_there_is_no_answer():
    found = migration(lambda _, quality: quality, difference=None)
    assert found.mixing is Mixing.UNKNOWN
    said = unfolded(write_migrations([found], "text"))
    assert "is not known: --difference D says" in said
    assert f"By the intervals below, an agent moves by up to {found.largest:.1f}." in said


def test_fewer_tasks_never_make_mixing_easier():
    """A shift like the difference that matters passed once: few tasks made the margin wide."""

    def moved(tasks):
        old = judged(OLD, lambda _, quality: quality, 3.0, seed=1, tasks=tasks)
        new = judged(NEW, lambda _, quality: quality + 4.9, 3.0, seed=2, tasks=tasks)
        return migrate(old, new, 5.0, 0)[0].mixing

    assert [moved(tasks) for tasks in (2, 5, 19)] == [Mixing.UNKNOWN] * 3
    assert Mixing.AS_THEY_ARE not in [moved(tasks) for tasks in (20, 40)]


@pytest.mark.parametrize(("moved", "false"), [(5.0, True), (0.0, False)])
def test_a_shift_that_matters_is_rarely_passed_over(moved, false):
    answers = []
    for seed in range(200):
        chance = Random(seed)
        old = [make("heron", f"t{n}", 50 + chance.gauss(0, 8)) for n in range(30)]
        new = [
            make("heron", each.task, each.outcome.value + moved + chance.gauss(0, 6), recipe=NEW)
            for each in old
        ]
        answers.append(migrate(old, new, 5.0, 0)[0].mixing is Mixing.AS_THEY_ARE)
    assert sum(answers) <= 10 if false else sum(answers) > 150


def test_what_a_mixed_comparison_is_worth_is_said():
    none, some = (migration(lambda _, quality, by=by: quality + by, noise=3.0) for by in (0.0, 4.0))
    assert 0.05 < none.alarms < some.alarms < 1
    said = unfolded(write_migrations([some], "text"))
    assert "two equal agents, one by each judge, come out different" in said


def test_few_tasks_allow_no_answer():
    old = [make("heron", "a", 50, recipe=OLD), make("heron", "b", 60, recipe=OLD)]
    new = [make("heron", "a", 50, recipe=NEW), make("heron", "b", 62, recipe=NEW)]
    (found,) = migrate(old, new, 5.0, 0)
    assert found.mixing is Mixing.UNKNOWN
    assert found.largest is None
    assert "an agent has fewer than 20 tasks" in unfolded(write_migrations([found], "text"))
    (single,) = migrate(old[:1], new[:1], 5.0, 0)
    assert single.mixing is Mixing.UNKNOWN
    assert single.errors["linear"].square is None


def test_shifts_and_correlations_are_those_of_scipy():
    found = migration(lambda _, quality: 0.5 * quality)
    old = judged(OLD, lambda _, quality: quality, 1.0, seed=1)
    new = judged(NEW, lambda _, quality: 0.5 * quality, 1.0, seed=2)
    ours, theirs = ([each.outcome.value for each in side] for side in (old, new))
    assert found.pearson == pytest.approx(stats.pearsonr(ours, theirs).statistic, abs=1e-9)
    assert found.spearman == pytest.approx(stats.spearmanr(ours, theirs).statistic, abs=1e-9)
    heron = next(each for each in found.agents if each.agent == "heron")
    expected = stats.ttest_rel(theirs[:30], ours[:30]).confidence_interval()
    assert heron.shift == pytest.approx(sum(expected) / 2, abs=1e-9)
    assert heron.interval == pytest.approx(tuple(expected), rel=0.05)


def test_parts_on_which_judges_differ_most_come_first():
    def report(task, style, facts, recipe):
        score = Score(50.0, (0.0, 100.0), {"style": style, "facts": facts, "rare": None})
        return make("heron", task, score, recipe=recipe)

    old = [report("a", 100, 0, OLD), report("b", 0, 100, OLD), report("c", 0, 0, OLD)]
    new = [report("a", 100, 100, NEW), report("b", 100, 0, NEW), report("c", 0, 0, NEW)]
    (found,) = migrate(old, new, None, 0)
    facts, style = found.parts
    assert (facts.part, facts.shift, facts.absolute) == ("facts", 0, pytest.approx(200 / 3))
    assert (style.part, style.same, style.reports) == ("style", pytest.approx(2 / 3), 3)


def test_one_sided_reports_and_repeats():
    old = [make("heron", "a", 50), make("heron", "b", 60), make("heron", "c", Cause.TIMEOUT)]
    new = [make("heron", task, 50 + r, repeat=r, recipe=NEW) for task in "abc" for r in (0, 2)]
    (found,) = migrate(old, new, None, 2)
    assert (found.reports, found.one_sided) == (2, 1)
    assert found.noise == (None, pytest.approx(2**0.5))
    said = write_migrations([found], "text")
    assert "The new judge differs from itself on a report by 1.4." in said
    assert "Left out because the new run has another text: 2." in said


def test_more_than_the_judge_may_not_change():
    later = Signature({**NEW.identity, "date": "2027-01-01"})
    with pytest.raises(BadInput, match="More than the judge changed") as refused:
        migrate([make("heron", "a", 1)], [make("heron", "a", 1, recipe=later)], None, 0)
    assert "date = null, then" in str(refused.value)
    with pytest.raises(BadInput, match="No report has a score by both"):
        migrate([make("heron", "a", 1)], [make("heron", "b", 1, recipe=NEW)], None, 0)


def test_a_protocol_that_one_judge_never_scored_is_passed_over():
    lost = Judged("race", "heron", "a", 1, 0, {}, Unscored(Cause.TIMEOUT), OLD)
    old = [make("heron", "a", 1), lost]
    new = [make("heron", "a", 1, recipe=NEW), replace(lost, outcome=Score(0.5), signature=NEW)]
    assert [each.protocol for each in migrate(old, new, None, 0)] == ["coverage"]


def test_the_same_recipe_twice_is_said():
    (found,) = migrate([make("heron", "a", 1)], [make("heron", "a", 2)], None, 0)
    assert "the noise of one judge" in write_migrations([found], "markdown")


def test_json_holds_the_mapping_and_csv_an_agent_a_line():
    found = migration(lambda _, quality: quality)
    record = json.loads(write_migrations([found], "json"))[0]
    assert record["mixing"] == "as they are"
    assert len(record["isotonic"]["old"]) == len(record["isotonic"]["new"])
    assert len(write_migrations([found], "csv").splitlines()) == 5


def test_a_report_that_others_are_scored_against_is_no_judged_one():
    old = judged(OLD, lambda _, quality: quality, 1.0, seed=1)
    new = judged(NEW, lambda _, quality: 5 + quality, 1.0, seed=2)
    (without,) = migrate(old, new, None, 0)
    references = [
        [replace(make("ref", f"t{n}", 50.0, recipe=recipe), is_reference=True) for n in range(30)]
        for recipe in (OLD, NEW)
    ]
    (found,) = migrate([*old, *references[0]], [*new, *references[1]], None, 0)
    assert (found.reports, found.pearson, found.noise) == (120, without.pearson, without.noise)
    assert found.linear == without.linear
    assert [each.agent for each in found.agents] == [each.agent for each in without.agents]
    assert (found.joined.came, found.joined.matched, found.joined.used) == (150, 150, 120)
    assert "ref on t0: the others are scored against it." in write_migrations([found], "text")


def test_a_score_that_one_judge_withheld_is_named():
    old = judged(OLD, lambda _, quality: quality, 1.0, seed=1)
    new = judged(NEW, lambda _, quality: quality, 1.0, seed=2)
    gone = next(each for each in new if (each.agent, each.task) == ("magpie", "t7"))
    rest = [each for each in new if each is not gone]
    (found,) = migrate(old, rest, None, 0)
    assert (found.joined.came, found.joined.matched, found.one_sided) == (120, 119, 1)
    assert "magpie on t7, scored by the old judge only" in unfolded(
        write_migrations([found], "text")
    )


def test_each_reason_for_which_a_report_is_left_out_is_told_with_its_own_count():
    lost = {
        **{("heron", f"t{number}"): (True, False) for number in range(5)},
        **{("stork", f"t{number}"): (False, False) for number in range(4)},
        ("cuckoo", "t1"): (False, True),
    }
    sides = []
    for place, (recipe, seed) in enumerate([(OLD, 1), (NEW, 2)]):
        whole = judged(recipe, lambda _, quality: quality, 1.0, seed=seed)
        sides.append([
            each
            if lost.get((each.agent, each.task), (True, True))[place]
            else replace(each, outcome=Unscored(Cause.TIMEOUT))
            for each in whole
        ])  # fmt: skip

    (found,) = migrate(*sides, None, 0)

    said = [*found.joined.left_out()]
    assert found.one_sided == 6 and found.joined.came - found.joined.matched == 10
    assert said == [
        "left out: cuckoo on t1, scored by the new judge only.",
        *(f"left out: heron on t{n}, scored by the old judge only." for n in range(3)),
        "left out: 2 more reports of this kind",
        *(f"left out: stork on t{n}, scored by neither judge." for n in range(3)),
        "left out: 1 more reports of this kind",
    ]


@pytest.mark.parametrize("lowest", [0.0, -20.0])
def test_no_interval_goes_beyond_what_the_scale_of_the_scores_allows(lowest):
    bounds = (lowest, 100.0)
    new = {"heron": [0, 0, 0, 50], "magpie": [0, 0, 0, 0], "stork": [0, 100, 0, 0]}
    old = {agent: [100.0] * 4 for agent in new}
    sides = [
        [
            replace(record, outcome=replace(record.outcome, bounds=bounds))
            for agent, values in side.items()
            for task, value in enumerate(values)
            for record in [make(agent, f"t{task}", value, recipe=recipe)]
        ]
        for side, recipe in ((old, OLD), (new, NEW))
    ]

    (found,) = migrate(*sides, None, 0)

    most = 100.0 - lowest
    ends = [end for each in found.agents for end in (*each.interval, *each.left_interval)]
    assert max(map(abs, ends)) == most and found.largest == most
    assert all(each.interval.low <= each.shift <= each.interval.high for each in found.agents)
