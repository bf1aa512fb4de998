"""What each join counts, against plain dictionaries and sets, on data of several of everything."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from itertools import product

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from deepassay.models.panel import combine
from deepassay.results.joined import SHOWN, Joined
from deepassay.results.migration import migrate
from deepassay.score import Cause, Score, Signature
from deepassay.wings.people.agreement.decisions import Decision, excused
from deepassay.wings.people.agreement.matching import match
from deepassay.wings.people.agreement.rubrics import (
    CriterionPlace,
    agreement,
    compare_rubric_verdicts,
)
from deepassay.wings.people.agreement.verdicts import verdict_figures
from deepassay.wings.people.calibration.labelled import labels_on

from .judgements import RECIPE, make
from .rubrics import EXPLICIT, N, P, S, graded, rubric

TASKS = ("storm", "风暴", "tide", "潮汐")
AGENTS = ("heron", "杜鹃", "wren")
RATERS = ("ada", "陈")
ITEMS = ("q1", "q2", "q3")
JUDGES = ("x", "y")
several = settings(deadline=None, max_examples=30, suppress_health_check=[HealthCheck.too_slow])


def some(of, least=0):
    """A part of what there could be."""
    every = list(of)
    return st.lists(st.sampled_from(every), unique=True, min_size=least).map(sorted)


PLACES = some(product(AGENTS, TASKS, (1, 2), (0, 1)), 1)  # agent, task, sample, repeat
LABELS = some(product(AGENTS, (*TASKS, "moon"), (1, 2), RATERS, ITEMS))


def outcome(place):
    """A panel of two, of whom the second has no third item."""
    bits = sum(map(ord, repr(place)))
    scores = {}
    for n, judge in enumerate(JUDGES):
        items = [
            {"key": key, "item": "?", "score": bits >> (n + at) & 1}
            for at, key in enumerate(ITEMS[: 3 - n])
        ]
        scores[judge] = Score(float(bits % 100), (0.0, 100.0), details={"items": items})
    return combine(scores)


def decisions_of(labels):
    return [
        Decision(f"line {n}", agent, task, rater, sample, item=item, verdict="yes")
        for n, (agent, task, sample, rater, item) in enumerate(labels, 2)
    ]


@several
@given(PLACES, LABELS)
def test_labels_on_items_find_all_that_judges_said(places, labels):
    records = [make(a, t, outcome((a, t, s, r)), sample=s, repeat=r) for a, t, s, r in places]
    decisions = decisions_of(labels)
    found, used = labels_on(decisions, records, {})
    first = {(a, t, s) for a, t, s, r in places if r == 0}
    assert len(used) == sum((a, t, s) in first for a, t, s, _, _ in labels)
    for n, judge in enumerate(JUDGES):
        own = [each for each in found if each.judge == judge]
        there = {(a, t, s, i) for a, t, s, _, i in labels if (a, t, s) in first}
        there = {place for place in there if place[3] in ITEMS[: 3 - n]}
        assert sum((~(each.theirs != each.theirs)).sum() for each in own) == len(there)
        if own:
            assert len(own[0].ours) == len(first) * (3 - n)


@several
@given(PLACES, LABELS)
def test_agreement_counts_each_decision_once_however_often_it_was_judged(places, labels):
    records = [make(a, t, outcome((a, t, s, r)), sample=s, repeat=r) for a, t, s, r in places]
    judged = {(a, t, s) for a, t, s, _ in places}
    found = match(decisions_of(labels), records)
    expected = [each for each in labels if each[:3] in judged]
    assert sum(len(each.found) for each in found) == len(expected)
    if not found:
        assert not expected
        return
    (one,) = found
    assert one.used == one.found
    assert sum(line.weight for line in one.lines) == pytest.approx(len(expected))
    figures = {each.name: each for each in verdict_figures(one.lines, 0)}
    assert figures["agreement with x"].n == len(expected)
    raters = Counter((a, t, s, i) for a, t, s, _, i in expected)
    pairs = sum(n * (n - 1) // 2 for n in raters.values())
    between = figures.get("agreement of people with each other")
    assert (between.n if between else 0) == pairs
    twice = [replace(each, repeat=each.repeat + 10) for each in records]
    again = match(decisions_of(labels), [*records, *twice])[0].lines
    values = {each.name: (each.value, each.n) for each in verdict_figures(again, 0)}
    for name, each in figures.items():
        assert values[name] == (pytest.approx(each.value), each.n)


@several
@given(PLACES, st.lists(st.sampled_from([S, P, N]), min_size=1, max_size=3), LABELS)
def test_verdicts_on_rubrics_count_once_however_often_they_were_judged(places, said, labels):
    lines = rubric(*[(EXPLICIT, 5, word) for word in said])
    records = [graded(a, t, lines, sample=s, repeat=r) for a, t, s, r in places]
    people = {CriterionPlace(a, t, s, "c" + i[1]): S for a, t, s, _, i in labels}
    (found,) = compare_rubric_verdicts(people, records)
    there = {(a, t, s, f"c{n}") for a, t, s, _ in places for n in range(1, len(said) + 1)}
    both = {place for place in people if tuple(place) in there}
    assert (found.joined.came, found.joined.used) == (len(people), len(both))
    assert agreement(found, "ternary").verdicts == (len(both), len(people))
    for agent in {place.agent for place in people}:
        mine = sum(place.agent == agent for place in both)
        assert agreement(found, "ternary", agent).verdicts.scored == mine
    assert sum(each.weight for each in found.compared) == pytest.approx(len(both))


NEW = Signature({**RECIPE.identity, "judges": [{"model": "openai:next"}]})


@several
@given(PLACES, PLACES, some(AGENTS), st.booleans())
def test_a_change_of_judge_counts_every_report_of_both_runs(old, new, failed, has_reference):
    def side(places, recipe):
        return [
            replace(
                make(
                    a,
                    t,
                    Cause.TIMEOUT if a in failed and r else float(len(t) * s + r),
                    sample=s,
                    repeat=r,
                    recipe=recipe,
                ),
                is_reference=has_reference and a == "wren",
            )
            for a, t, s, r in places
        ]

    def scored(places):
        return {(a, t, s) for a, t, s, r in places if not (a in failed and r)}

    every = {place[:3] for place in (*old, *new)}
    references = {place for place in every if has_reference and place[0] == "wren"}
    both = (scored(old) & scored(new)) - references
    if not both:
        return
    (found,) = migrate(side(old, RECIPE), side(new, NEW), None, 0)
    assert (found.joined.came, found.reports, found.joined.used) == (
        len(every),
        len(both),
        len(both),
    )
    assert len(found.joined.by_rule) == len(references)
    assert len({each.agent for each in found.agents}) == len({agent for agent, *_ in both})


@several
@given(PLACES, LABELS, some(product(AGENTS, TASKS)))
def test_one_rule_for_what_others_are_scored_against(places, labels, references):
    records = [
        replace(
            make(a, t, outcome((a, t, s, r)), sample=s, repeat=r),
            is_reference=(a, t) in references,
        )
        for a, t, s, r in places
    ]
    decisions = decisions_of(labels)
    own = {(a, t, s) for a, t, s, _ in places}
    why = excused(records)
    for each, (agent, task, sample, *_) in zip(decisions, labels, strict=True):
        on_reference = (agent, task) in references and (agent, task, sample) in own
        assert bool(why(each)) == on_reference
    judged = [each for each in decisions if not why(each)]
    for among, alone in (
        (match(decisions, records), match(judged, records)),
        (labels_on(decisions, records, {}).used, labels_on(judged, records, {}).used),
    ):
        assert among == alone


NAMES = st.lists(st.text("ab风", min_size=1, max_size=3), max_size=7)


@given(st.integers(0, 9), NAMES, NAMES, NAMES)
def test_what_came_in_is_used_or_left_out(more, strays, unused, by_rule):
    came = more + len(strays) + len(unused) + len(by_rule)
    joined = Joined("labels", "scores", came, strays, unused, by_rule)
    assert joined.used == more
    assert joined.whole == (not strays and not unused)
    assert joined.mostly_lost == (len(strays) > came / 2)
    lines = list(joined.lines())
    assert lines[0] == (
        f"labels: {came} came in, {came - len(strays)} found their scores, {more} used."
    )
    for names, fate in ((strays, "left out"), (unused, "left out"), (by_rule, "not to count")):
        assert all(f"{fate}: {name}" in lines for name in names[:SHOWN])
        if len(names) > SHOWN:
            assert f"{fate}: {len(names) - SHOWN} more labels of this kind" in lines
    assert joined.whole != any(line.startswith("left out: ") for line in lines)
    if joined.mostly_lost:
        assert strays[0] in joined.problem("Look.")
    else:
        assert joined.problem("Look.") == ""


@given(st.lists(st.sampled_from(["twice", "agent", "task"]), max_size=30))
def test_every_kind_in_a_list_has_its_first_and_says_how_many_more(of):
    names = {f"line {at}: {kind}.": kind for at, kind in enumerate(of)}
    lines = [*Joined("labels", "scores", 40, [*names], kinds=names).left_out()]
    expected = []
    for kind in dict.fromkeys(of):
        own = [f"left out: {name}" for name in names if names[name] == kind]
        more = [f"left out: {len(own) - SHOWN} more labels of this kind"] * (len(own) > SHOWN)
        expected += [*own[:SHOWN], *more]
    assert lines == expected
