"""A run against an earlier one, and several in a row: what got worse with its cause."""

import json
import re
from dataclasses import replace
from statistics import fmean

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from deepassay.errors import BadInput, BadSetting
from deepassay.results.differences import ComparisonTerms
from deepassay.results.gates import worse
from deepassay.results.losses import lost_points
from deepassay.results.revision_tables import LIMIT, flat_revisions, opening_of, write_revisions
from deepassay.results.revisions import Revision, revise
from deepassay.results.tables import in_markdown
from deepassay.results.trends import series, write_series
from deepassay.score import Cause, Metric, Score, Signature, Unscored

from .judgements import RECIPE, make, unfolded

MODEL = Signature({**RECIPE.identity, "judges": [{"model": "openai:m"}]})


def item(key, wording, score, why="", **more):
    return {"key": key, "item": wording, "score": score, "justification": why, **more}


def of_items(value, *items):
    return Score(value, (0.0, 100.0), details={"items": list(items)})


def revision(name, day, records, yardsticks=None, protocol="coverage", recipe=MODEL):
    judged = [
        replace(each, protocol=protocol, signature=recipe, metric=Metric(protocol))
        for each in records
    ]
    found = {(each.protocol, each.task): "same" for each in judged} | (yardsticks or {})
    return Revision(name, day, judged, found)


def scores(agent, *values):
    return [
        make(agent, f"t{at:02}", Cause.TIMEOUT if value is None else value)
        for at, value in enumerate(values)
    ]


HIGH = (80, 82, 79, 81, 83, 80, 84, 78)
LOW = (60, 63, 58, 62, 61, 60, 66, 57)
OLD = revision("old.assay", "2026-05-04", scores("heron", *HIGH))


def test_a_run_is_held_against_an_earlier_one_over_the_tasks_of_both():
    new = revision("new.assay", "2026-05-11", scores("heron", *LOW))
    (row,) = revise(OLD, new).rows
    assert (row.before, row.now) == (fmean(HIGH), fmean(LOW))
    assert row.gap.mean == pytest.approx(fmean(LOW) - fmean(HIGH))
    assert row.gap.adjusted == row.gap.permutation.p == 2 / 2**8
    assert (len(row.fallen), row.risen) == (8, 0)
    assert opening_of(revise(OLD, new)) == (
        "new.assay (2026-05-11) against old.assay (2026-05-04), judged by openai:m: 1 agent by 1 "
        "protocol.",
        "Worse, by more than chance explains: heron by coverage, 80.9 before and 60.9 now (95 % "
        "interval -21.1 to -18.9; p = 0.008).",
    )
    (better,) = revise(new, OLD).rows
    assert (better.gap.mean, better.risen, better.fallen) == (-row.gap.mean, 8, ())


def test_what_is_in_one_run_only_is_counted_and_named():
    new = revision(
        "new.assay",
        "2026-05-11",
        [*scores("heron", *LOW[:6]), make("heron", "t99", 5), *scores("owl", 1, 2)],
        {("coverage", "t01"): "another checklist"},
    )
    old = revision("old.assay", "2026-05-04", [*scores("heron", *HIGH), *scores("wren", 3)])
    found = revise(old, new)
    (row,) = found.rows
    assert row.gap.tasks == (5, 5)  # t00 and t02 to t05
    text = unfolded(write_revisions(found, "text"))
    assert (
        "Left out: only in the earlier run: 2 tasks (t06, t07); only in the new run: 1 task (t99); "
        "only in the earlier run: 1 agent (wren); only in the new run: 1 agent (owl); asked or "
        "judged otherwise by coverage: 1 task (t01)." in text
    )
    untold = "whether anything got worse there cannot be told."
    assert found.unknown == [
        f"wren is in old.assay alone: {untold}",
        f"Only old.assay has 2 tasks (t06, t07): {untold}",
        f"Asked or judged otherwise by coverage than before: 1 task (t01): {untold}",
    ]
    left = json.loads(write_revisions(found, "json"))["left_out"]
    assert (left["tasks"], left["agents"]) == ([["t06", "t07"], ["t99"]], [["wren"], ["owl"]])


def test_unequal_recipes_are_not_compared_and_pass_no_gate():
    other = Signature({**MODEL.identity, "judges": [{"model": "openai:n"}]})
    new = revision("new.assay", "2026-05-11", scores("heron", *LOW), recipe=other)
    with pytest.raises(BadInput, match=r"coverage, which differs in judges"):
        revise(OLD, new)
    both = Revision(
        "old.assay",
        OLD.day,
        [*OLD.records, *revision("", "", scores("heron", *HIGH), protocol="race").records],
        {**OLD.yardsticks, **{("race", task): "same" for task in OLD.tasks}},
    )
    also = Revision(
        "new.assay",
        "2026-05-11",
        [*new.records, *revision("", "", scores("heron", *HIGH), protocol="race").records],
        both.yardsticks,
    )
    found = revise(both, also)
    assert [row.protocol for row in found.rows] == ["race"]
    assert worse(found.at_gate, found.unknown).failed == (
        "The recipes of coverage differ in judges: "
        "whether anything got worse there cannot be told.",
    )


def test_two_names_hold_one_agent_against_another():
    new = revision("new.assay", "2026-05-11", scores("heron2", *LOW))
    with pytest.raises(BadInput, match=r"no agent is in both|only in"):
        revise(OLD, new)
    (row,) = revise(OLD, new, ("heron2", "heron")).rows
    assert row.gap.mean == pytest.approx(-20.0)
    with pytest.raises(BadSetting, match=r"wren was not judged in new.assay"):
        revise(OLD, new, ("wren", "heron"))


def test_a_report_without_a_score_now_is_named_and_no_zero():
    new = revision("new.assay", "2026-05-11", scores("heron", *HIGH[:-1], None))
    found = revise(OLD, new)
    assert found.rows[0].gap.mean == 0.0
    assert "Scored before and not now: heron on t07 (timeout), by coverage." in write_revisions(
        found, "text"
    )


def test_reports_that_are_gone_pass_no_gate_and_judgements_that_failed_may():
    """Two agents by two protocols: of one, reports are missing; of the other, an answer."""
    agents = {"heron": HIGH * 3, "wren": LOW * 3}
    both = [revision("", "", scores(who, *v), protocol="race") for who, v in agents.items()]
    same = [revision("", "", scores(who, *v)) for who, v in agents.items()]
    old = joined("old.assay", "2026-05-04", both, same)
    new = joined("new.assay", "2026-05-11", both, same)
    assert not worse((found := revise(old, new)).at_gate, found.unknown).failed
    gone = {("wren", "t02"): Cause.MISSING_INPUT, ("wren", "t05"): Cause.MISSING_INPUT}
    gone["heron", "t07"] = Cause.TIMEOUT
    left = [
        replace(each, outcome=Unscored(why, ""))
        if (why := gone.get((each.agent, each.task)))
        else each
        for each in new.records
    ]
    found = revise(old, Revision(new.name, new.day, left, new.yardsticks))
    assert worse(found.at_gate, found.unknown).failed == tuple(
        f"wren has nothing to judge by {name} on 2 tasks (t02, t05) now: "
        "whether anything got worse there cannot be told."
        for name in ("coverage", "race")
    )


def joined(name, day, *parts):
    parts = [each for part in parts for each in part]
    rows = [row for each in parts for row in each.records]
    return Revision(name, day, rows, {k: v for each in parts for k, v in each.yardsticks.items()})


def test_lost_points_are_matched_by_their_wording_and_weighed():
    before = [
        make("a", "t", of_items(
            90,
            item("q1", "Is it there?", 1),
            item("s1", "Cats sleep.", 1, url="https://a.example"),
            item("r1", "Invents figures.", 0, axis="x", weight=-4, mandatory=False, verdict="no"),
            item("c1", "Depth", 8, dimension="insight"),
        ))
    ]  # fmt: skip
    now = [
        make("a", "t", of_items(
            40,
            item("q1", "Is it there?", 0, "it is not"),
            item("s9", "Dogs bark.", 0, "nothing of it", url="https://a.example"),
            item("r1", "Invents figures.", 1, axis="x", weight=-4, mandatory=False, verdict="yes"),
            item("c1", "Depth", 5.5, dimension="insight"),
        ))
    ]  # fmt: skip
    found = lost_points(before, now)
    assert [(each.key, each.before, each.now, each.size) for each in found] == [
        ("r1", "no", "yes", 4.0),
        ("c1", "8 of 10", "5.5 of 10", 2.5),
        ("q1", "met", "not met", 1.0),
        ("s1", "met", "", 1.0),
        ("s9", "", "not met", 1.0),
    ]
    assert lost_points(now, before) == []  # what was bad and is gone is no loss
    assert lost_points(before, before) == []


def test_points_are_means_over_judgements_and_judges():
    def judged(*marks):
        return [
            make("a", "t", of_items(50, item("q1", "Is it there?", mark)), repeat=at)
            for at, mark in enumerate(marks)
        ]

    (point,) = lost_points(judged(1, 1), judged(1, 0))
    assert (point.size, point.now) == (0.5, "met / not met")
    panel = {name: {"value": 1.0, "details": {"items": [item("q1", "?", mark)]}} for name, mark in
             (("x", 1), ("y", 0))}  # fmt: skip
    two = [make("a", "t", Score(1.0, (0.0, 1.0), details={"judges": panel}))]
    one = {**panel, "x": {"value": 0.0, "details": {"items": [item("q1", "?", 0)]}}}
    less = [make("a", "t", Score(0.5, (0.0, 1.0), details={"judges": one}))]
    assert [each.size for each in lost_points(two, less)] == [0.5]


HOSTILE = (
    "@octocat <img src=x onerror=alert(1)> | #12 https://evil.example www.evil.example `x` ~~y~~"
)


def comment(reports, why="so"):
    old = revision("old", "2026-05-04", [
        make(HOSTILE, f"t{at:03}", of_items(90, item("q", "Is it?", 1))) for at in range(reports)
    ])  # fmt: skip
    new = revision("new", "2026-05-11", [
        make(HOSTILE, f"t{at:03}", of_items(10, item("q", "Is it?", 0, why)))
        for at in range(reports)
    ])  # fmt: skip
    return write_revisions(revise(old, new), "markdown")


def test_names_and_reasons_are_data_in_markdown():
    text = comment(3, HOSTILE)
    assert "@octocat" not in text and "#12" not in text and not re.search(r"(?<!\\)<", text)
    assert not re.search(r"(?<!\\)(?:https?://|www\.)", text)
    assert re.sub(r"(?<=[@#])\u200b|\\(?=[^\w\s])", "", text).count(HOSTILE) > 3
    rows = [line for line in text.splitlines() if line.startswith("|")]
    assert {len(re.findall(r"(?<!\\)\|", row)) for row in rows} == {11}


def test_a_comment_is_no_longer_than_github_takes():
    text = comment(900, "why " * 200)
    assert len(text) <= LIMIT
    kept = text.count("**") // 2
    assert f"{900 - kept} more reports got worse and find no room here" in text
    assert 100 < kept < 900
    assert "find no room" not in comment(20)


def test_a_comment_fits_also_where_names_alone_would_fill_it():
    old, new = (
        revision(name, day, [make(f"{at}{'x' * 5_000}", "t", value) for at in range(30)])
        for name, day, value in (("old", "2026-05-04", 9), ("new", "2026-05-11", 3))
    )
    text = write_revisions(revise(old, new), "markdown")
    assert len(text) <= LIMIT and "Cut short: `--format text` has all." in text
    rows = [line for line in text.splitlines() if line.startswith("| ")]
    assert rows and all(line.endswith(" |") for line in rows)


@settings(deadline=None, max_examples=80)
@given(st.text(st.characters(codec="utf-8", exclude_categories=("Cs",)), max_size=60))
def test_no_text_mentions_links_or_breaks_a_table(text):
    safe = in_markdown(text)
    assert "\n" not in safe and not re.search(r"[@#]\w", safe)
    assert not re.search(r"(?<!\\)[|<>`*_\[\]]", re.sub(r"\\\\", "", safe))
    assert not re.search(r"(?i)https?://", safe)


@pytest.mark.parametrize(
    "begins", ["# ", "###### ", "#", "- ", "-", "+ ", "1. ", "12) ", "0.", "    ", "\t# ", "--- "]
)
def test_no_text_is_a_heading_or_an_item_of_a_list(begins):
    kinds = {each.type for each in MarkdownIt("commonmark").parse(in_markdown(f"{begins} "))}
    assert kinds <= {"paragraph_open", "inline", "paragraph_close"}
    nested = MarkdownIt("commonmark").parse(f"- a\n  - {in_markdown(f'{begins}q1 met before')}")
    assert sum(each.type == "list_item_open" for each in nested) == 2
    assert not {each.type for each in nested} & {"heading_open", "code_block"}


def test_numbers_stay_as_they_are_in_markdown():
    assert [*map(in_markdown, ("-43.5", "+1.2", "0.031", "-", "1.", "12 of 14"))] == [
        *("-43.5", "+1.2", "0.031", "\\-", "1\\.", "12 of 14")
    ]


def test_rows_are_unrounded_and_adjusted_for_all_of_them():
    old = revision("o", "2026-05-04", [*scores("a", *HIGH), *scores("b", *HIGH)])
    new = revision("n", "2026-05-05", [*scores("a", *LOW), *scores("b", *LOW)])
    rows = flat_revisions(revise(old, new))
    assert [(row["p"], row["p_holm"]) for row in rows] == [(2 / 2**8, 4 / 2**8)] * 2
    blind = [
        replace(each, metric=Metric("coverage", offline_reads=False), signature=RECIPE)
        for each in old.records
    ]
    unread = revise(replace(old, records=blind), replace(new, records=blind))
    assert {row["p_holm"] for row in flat_revisions(unread)} == {None}
    assert unread.fallen == [] and "No reading by coverage" in write_revisions(unread, "text")


def test_a_series_has_every_run_with_its_distance_to_the_first_and_the_last():
    runs = [
        OLD,
        revision("r2.assay", "2026-05-11", scores("heron", *LOW)),
        revision("r3.assay", "2026-05-18", scores("heron", *HIGH)),
    ]
    found = series(runs, (), ComparisonTerms())
    (trend,) = found.trends
    assert [point.summary.mean for point in trend.points] == [fmean(HIGH), fmean(LOW), fmean(HIGH)]
    changes = [
        (p.since_first and p.since_first.mean, p.since_last and p.since_last.mean)
        for p in trend.points
    ]
    assert changes == [(None, None), (-20.0, -20.0), (0.0, 20.0)]
    text = write_series(found, "text")
    assert text.startswith("3 runs from 2026-05-04 to 2026-05-18, judged by openai:m: 1 agent by 1")
    assert "-20.0 (-21.1 to -18.9)" in text and "As at first: heron by coverage." in text
    rows = json.loads(write_series(found, "json"))["rows"]
    assert [row["since_last_tasks"] for row in rows] == [0, 8, 8]


def test_runs_of_another_recipe_are_named_with_what_differs():
    other = Signature({**MODEL.identity, "prompts": "0"})
    runs = [
        revision("r1.assay", "2026-05-01", scores("heron", *LOW), recipe=other),
        OLD,
        revision("r3.assay", "2026-05-18", [*scores("heron", *LOW), *scores("owl", *LOW)]),
    ]
    found = series(runs, (), ComparisonTerms())
    assert [point.run.name for point in found.trends[0].points] == ["old.assay", "r3.assay"]
    assert found.aside == (
        "by another recipe of coverage (prompts): r1.assay",
        "in one such run alone by coverage: owl",
    )
    assert "Worse: heron by coverage -20.0 (95 % interval" in unfolded(write_series(found, "text"))
    with pytest.raises(BadInput, match=r"No agent was judged twice by one recipe"):
        series([runs[0], runs[1]], (), ComparisonTerms())
    with pytest.raises(BadSetting, match=r"kiwi is neither a file nor an agent"):
        series(runs, ("kiwi",), ComparisonTerms())


@settings(deadline=None, max_examples=30)
@given(st.lists(st.tuples(st.integers(0, 100), st.integers(0, 100)), min_size=1, max_size=12))
def test_every_task_is_lower_higher_or_equal(values):
    before, now = zip(*values, strict=True)
    old = revision("o", "2026-05-04", scores("a", *before))
    (row,) = revise(old, revision("n", "2026-05-05", scores("a", *now))).rows
    assert len(row.fallen) == sum(n < b for b, n in values)
    assert row.risen == sum(n > b for b, n in values)
    assert row.gap.mean == pytest.approx(fmean(now) - fmean(before))
