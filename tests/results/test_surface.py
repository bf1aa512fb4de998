"""What code reads off reports as tables, and where a first look has them."""

from __future__ import annotations

from dataclasses import replace

import pytest

from deepassay.results.first_screen import first_screen
from deepassay.results.leaderboard import write
from deepassay.results.ranking import arranged, rank
from deepassay.results.surface import read_off, surface_tables
from deepassay.results.tables import width
from deepassay.results.wrapped_tables import as_narrow
from deepassay.score import Cause, Metric, Score, Signature
from tests.results.judgements import RECIPE, make, unfolded

NOBODY = Signature({"protocol": "surface", "judges": [{"model": "none"}], "repeats": 1})
MODEL = Signature({**RECIPE.identity, "judges": [{"model": "openai:x"}]})
BLIND = Metric("coverage", importance=80, offline_reads=False)


def counted(agent, task, sourced, kinds=(), *, sample=1, **parts):
    """A judgement by `surface`. kinds: findings by rule."""
    items = [
        {"key": key, "item": "It is so.", "verdict": count} for key, count in dict(kinds).items()
    ]
    parts = {
        "words": 100,
        "citations": 4,
        "resolve": 100.0,
        "findings": sum(dict(kinds).values()),
    } | parts
    score = Score(sourced, (0.0, 100.0), parts, (sourced, 100), {"items": items})
    made = make(agent, task, score, sample=sample, recipe=NOBODY)
    return replace(made, protocol="surface", metric=Metric("surface"))


READ = [
    counted("heron", "t1", 90.0, words=1000),
    counted("heron", "t2", 80.0, words=1200),
    counted("heron", "t3", 85.0, {"DA205 uncited-entry": 1}, words=1100),
    counted("cuckoo", "t1", 10.0, {"DA307 bold-title": 3, "DA401 placeholder-text": 2}, words=400),
    counted("cuckoo", "t2", 0.0, {"DA307 bold-title": 3}, words=900, resolve=None, citations=0),
    counted("cuckoo", "t3", 20.0, {"DA307 bold-title": 3}, words=800, resolve=50.0),
]
OFFLINE = [
    replace(make(agent, task, value), metric=BLIND)
    for agent, value in (("heron", 50), ("cuckoo", 60))
    for task in ("t1", "t2", "t3")
]
BY_MODEL = [replace(each, signature=MODEL) for each in OFFLINE]
CHECKED = [
    replace(each, protocol="presentation", metric=Metric("presentation", importance=50))
    for each in OFFLINE
]


def rows(table):
    return [dict(zip(table.head, row, strict=True)) for row in table.rows]


def test_means_stand_with_half_of_their_interval():
    cuckoo, heron = rows(read_off(READ)[0])
    assert (heron["agent"], heron["words"], heron["sourced"]) == ("heron", "1100 ±248", "85 ±12")
    assert (cuckoo["words"], cuckoo["cites"]) == ("700 ±657", "2.7 ±6")
    assert (heron["resolve"], cuckoo["resolve"]) == ("100", "75")  # two tasks give no interval
    assert "dead" not in heron


def test_an_interval_narrower_than_a_unit_does_not_look_like_its_mean():
    near = [
        replace(each, outcome=replace(each.outcome, value=value))
        for each, value in zip(READ, (90.0, 90.2, 90.4, 10.0, 10.0, 10.3), strict=True)
    ]
    means, _ = read_off(near)
    assert [each["sourced"] for each in rows(means)] == ["10.1 ±0.4", "90.2 ±0.5"]
    told = "  statements sourced, %: 90.2 (89.7 to 90.7) of heron, 10.1 (9.7 to 10.5) of cuckoo"
    assert told in means.notes


def test_answers_to_one_task_count_as_one():
    more = [*READ, counted("heron", "t3", 85.0, words=1100, sample=2)]
    assert rows(read_off(more)[0])[1]["words"] == "1100 ±248"


def test_what_agents_differ_in_beyond_their_intervals_is_told_with_these():
    notes = read_off(READ)[0].notes
    assert "  statements sourced, %: 85 (73 to 97) of heron, 10 (0 to 35) of cuckoo" in notes
    assert not any(note.startswith("  words") for note in notes)  # 43 to 1,357 holds 1,100


def test_of_one_agent_nothing_is_told_apart():
    assert not any("apart" in note for note in read_off(READ[:3])[0].notes)


def test_the_worst_reports_stand_first():
    worst = rows(read_off(READ)[1])
    assert [(each["agent"], each["task"], each["findings"]) for each in worst] == [
        ("cuckoo", "t1", "5"),
        ("cuckoo", "t2", "3"),  # no source at all
        ("cuckoo", "t3", "3"),
        ("heron", "t3", "1"),
    ]
    assert worst[0]["most of them"] == "bold-title ×3 and 2 others"
    assert worst[1]["most of them"] == "bold-title ×3"


def test_spread_and_kinds_are_tables_of_their_own():
    _, spread, kinds, _ = surface_tables(READ)
    (words,) = (
        each for each in rows(spread) if (each["of a report"], each["agent"]) == ("words", "cuckoo")
    )
    assert (words["median"], words["least to most"]) == ("800", "400 to 900")
    assert words["95 % interval"] == "43 to 1,357"
    by_rule = {each["rule"]: (each["cuckoo"], each["heron"]) for each in rows(kinds)}
    assert by_rule["DA307 bold-title"] == ("3", "0")
    assert by_rule["DA205 uncited-entry"] == ("0", "0.3")


def test_reports_that_could_not_be_counted_are_told():
    lost = replace(
        make("heron", "t4", Cause.MISSING_INPUT, recipe=NOBODY),
        protocol="surface",
        metric=Metric("surface"),
    )
    assert "Counted are 3 of 4 reports of heron." in read_off([*READ, lost])[0].notes


def test_reports_that_have_no_share_of_a_measure_are_told():
    assert "resolve leaves out 1 of 6 reports, where nothing is cited." in read_off(READ)[0].notes
    assert not any("leaves out" in note for note in read_off(READ[:4])[0].notes)


def test_of_other_protocols_there_is_no_such_table():
    assert surface_tables(OFFLINE) == ()


def test_without_a_model_what_was_read_stands_first_and_what_a_rule_cannot_read_is_closed():
    screen = first_screen(rank([*OFFLINE, *CHECKED, *READ]))
    assert screen.index("Read off the reports") < screen.index("presentation")
    assert "coverage (offline" not in screen and "no reading" not in screen
    assert "cannot tell good reports from bad ones there: coverage." in unfolded(screen)
    assert max(map(width, screen.splitlines())) <= 80


def test_nothing_is_closed_where_there_is_nothing_else():
    found = arranged(rank(OFFLINE))
    assert [board.protocol for board in found.opened] == ["coverage"] and not found.closed
    assert not found.why_closed
    assert "no reading" in first_screen(rank(OFFLINE))


def test_where_a_model_judged_its_ranking_stands_first():
    screen = first_screen(rank([*BY_MODEL, *READ]))
    assert screen.index("coverage") < screen.index("Read off the reports")
    assert "Closed" not in screen


@pytest.mark.parametrize("format", ["text", "markdown", "latex", "json", "csv"])
def test_every_format_has_the_counts(format):
    boards = rank([*OFFLINE, *READ])
    told = write(boards, format, wide=True, parts=True)
    assert "words" in told and ("1,100" in told or "1100" in told)


def test_the_counts_hold_for_a_label_too():
    labelled = [
        replace(each, labels={"topic": "sea" if each.task == "t1" else "land"}) for each in READ
    ]
    screen = first_screen(rank(labelled, by="topic"))
    assert "Read off the reports, topic: land" in screen


def test_a_difference_that_takes_two_lines_goes_on_further_in():
    named = [replace(each, agent=f"{each.agent}-with-a-model-of-a-long-name") for each in READ]
    lines = as_narrow(read_off(named)[0], 60).splitlines()
    at = lines.index("  statements sourced, %: 85 (73 to 97) of")
    assert lines[at + 1].startswith("    heron-with-a-model-of-a-long-name, 10 (0 to 35) of")
    assert max(map(len, lines)) <= 60
