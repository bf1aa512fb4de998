"""Where the offline rule cannot tell good from bad, means are shown and nothing is put in order."""

import json
from dataclasses import replace

from deepassay.results.comparing import compare
from deepassay.results.comparison_tables import write_contests
from deepassay.results.differences import ComparisonTerms
from deepassay.results.families import Profile
from deepassay.results.figures.figure import Material
from deepassay.results.figures.making import make_figures as figures
from deepassay.results.leaderboard import FORMATS, write
from deepassay.results.opening import said_first
from deepassay.results.ranking import rank
from deepassay.score import Cause, Metric, Signature

from .judgements import RECIPE, make

BLIND = Metric("coverage", offline_reads=False)
MODEL = Signature({**RECIPE.identity, "judges": [{"model": "openai:x"}]})


def records(metric=BLIND, recipe=RECIPE):
    scores = {"cuckoo": (90, 91, 92), "wren": (10, 12, 11)}
    return [
        replace(make(agent, f"t{task}", value, recipe=recipe), metric=metric)
        for agent, values in scores.items()
        for task, value in enumerate(values)
    ]


def test_no_format_of_a_leaderboard_gives_a_rank():
    boards = rank(list(reversed(records())))
    assert [(row.rank, row.agent) for row in boards[0].standings] == [
        (None, "cuckoo"),
        (None, "wren"),
    ]
    for format in FORMATS:
        text = write(boards, format)
        assert "91.0" in text
        if format != "json":
            assert text.count("no reading") >= 2
    first = json.loads(write(boards, "json"))[0]["standings"][0]
    assert (first["rank"], first["reading"], first["mean"]) == (None, False, 91.0)


def test_no_p_and_no_rank_interval_of_a_comparison():
    contests = compare(records(), None, ComparisonTerms())
    text = write_contests(contests, "text", ranked=True)
    assert text.count("no reading  no reading") == 1
    assert "+80.0" in text
    assert "1 to 1" not in text
    assert write_contests(contests, "csv", ranked=True).count("no reading") == 2
    (pair,) = json.loads(write_contests(contests, "json", ranked=True))[0]["differences"]
    assert (pair["p"], pair["p_holm"], pair["difference"]) == (None, None, 80.0)


def test_figures_say_so_in_caption_and_table_and_mark_no_difference():
    judged = records()
    made = figures(Material(judged, rank(judged)), ("ranking", "differences"))
    for figure in made:
        assert "no reading: the offline rule" in figure.caption
        assert any("no reading" in cell for row in figure.table.rows for cell in row)


def test_the_opening_names_nobody_first():
    judged = records()
    said = " ".join(said_first(rank(judged), judged))
    assert "No reading: the offline rule cannot tell" in said
    assert said.endswith("Means: 11.0 to 91.0.")
    assert "cuckoo" not in said


def test_in_a_table_of_families_nothing_is_best():
    profiles = {agent: Profile(agent, "birds") for agent in ("cuckoo", "wren")}
    table = write(rank(records()), "csv", profiles=profiles)
    assert "no reading" in table
    assert "91.0**" not in write(rank(records()), profiles=profiles)
    assert "91.0**" in write(rank(records(recipe=MODEL)), profiles=profiles)


def test_a_model_gives_a_reading_and_so_does_a_rule_that_can_tell():
    for judged in (records(recipe=MODEL), records(Metric("coverage")), records(None)):
        assert [row.rank for row in rank(judged)[0].standings] == [1, 2]
        assert "no reading" not in write(rank(judged))
        contests = compare(judged, None, ComparisonTerms())
        assert "no reading" not in write_contests(contests, "text", ranked=True)


def test_in_a_mixed_ranking_only_the_rows_of_the_offline_judge_go_without():
    judged = [*records(), *records(recipe=MODEL)]
    (board,) = rank(judged, allow_mixed=True)
    assert [row.place for row in board.standings] == ["1", "2", "no reading", "no reading"]


def test_where_nothing_is_scored_nothing_is_said_of_readings():
    judged = [replace(make("a", "t", Cause.TIMEOUT), metric=BLIND)]
    assert "no reading" not in write(rank(judged))


def test_rows_without_a_rank_stand_in_the_order_of_their_means():
    (board,) = rank([replace(make(a, "t", v), metric=BLIND) for a, v in (("a", 5), ("b", 9))])
    assert [row.agent for row in board.standings] == ["b", "a"]


def test_important_protocols_come_first_and_equal_ones_by_name():
    def named(protocol, importance):
        metric = Metric(protocol, importance=importance)
        return replace(make("a", "t", 1), protocol=protocol, metric=metric)

    judged = [named("ace", 0), named("race", 100), named("fact", 75), named("a", 0)]
    assert [board.protocol for board in rank(judged)] == ["race", "fact", "a", "ace"]
    assert [each.protocol for each in compare(judged, None, ComparisonTerms())] == [
        *("race", "fact", "a", "ace"),
    ]
