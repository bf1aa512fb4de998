import asyncio
import json
import sqlite3
from contextlib import closing
from dataclasses import replace

import pytest

from deepassay.errors import BadRunFile, BadSetting, Notice
from deepassay.reports.report import Report
from deepassay.results.comparing import compare
from deepassay.results.comparison_tables import write_contests
from deepassay.results.differences import ComparisonTerms
from deepassay.results.leaderboard import write
from deepassay.results.outlines import Extent
from deepassay.results.ranking import rank
from deepassay.run.showing.contents import why_none
from deepassay.run.showing.lengths import lengths_of, measure, text_without_addresses
from deepassay.run.showing.reading import RunRecords
from deepassay.run.showing.records import records_of
from deepassay.runfile import RunFile, StoredReport, StoredScore
from deepassay.score import Cause, Score, Unscored, to_json
from tests.runfile.older import put_in_bodies

REPORT = """# Lifts

A lift saves power [1]. See [the maker](https://example.org/lifts?utm_source=x) too [2].

## References

1. A study. https://example.org/a-very-long-address/with/many/parts
2. Another. www.example.net/page
"""


def test_addresses_are_taken_out_and_everything_else_stays():
    bare = text_without_addresses(REPORT)
    assert "example" not in bare
    assert "[the maker]()" in bare
    assert "1. A study. \n" in bare
    assert len(REPORT) - len(bare) == sum(
        map(
            len,
            (
                "https://example.org/lifts?utm_source=x",
                "https://example.org/a-very-long-address/with/many/parts",
                "www.example.net/page",
            ),
        )
    )


def test_a_word_stands_between_blanks_and_each_chinese_character_is_one():
    assert lengths_of("two words").words == 2
    assert lengths_of("电梯 lift 节能").words == 5
    assert lengths_of("") == (0, 0, 0)


def test_a_report_is_measured_whole_and_bare_with_its_markers_and_references():
    found = measure(Report(REPORT, "heron", "1"), {"language": "en"})
    assert (found.citations, found.references) == (3, 2)
    assert found.whole.characters == len(REPORT)
    assert found.whole.words - found.bare.words == 2  # the third address was part of a link
    assert found.whole.tokens > found.bare.tokens


JUDGE = {"model": "offline"}
RUBRICS = {"protocol": "rubrics", "edition": "paper", "judges": [JUDGE, JUDGE], "repeats": 1}
COVERAGE = {"protocol": "coverage", "edition": "paper", "judges": [JUDGE], "repeats": 1}
TASKS = {name: {"id": name, "prompt": "Why?", "labels": {"domain": "law"}} for name in "abc"}


def graded(*verdicts):
    """A score of a rubric with a panel of two, who say the same."""
    items = [
        {
            "key": f"c{number}",
            "item": f"Names part {number}.",
            "axis": "Explicit Criteria",
            "weight": 4.0,
            "mandatory": number == 1,
            "score": float(verdict == "Satisfied"),
            "verdict": verdict,
            "justification": "So it stands there.",
        }
        for number, verdict in enumerate(verdicts, start=1)
    ]
    met = verdicts.count("Satisfied")
    alone = Score(met / len(verdicts), (0.0, 1.0), {"Explicit Criteria": 1.0}, (met, 2.0))
    kept = to_json(replace(alone, details={"items": items}))
    return to_json(replace(alone, details={"judges": {"one": kept, "other": kept}}))


def written(path, agents=("heron", "onyx"), rubrics=RUBRICS):
    """Two agents, three tasks: a report that was never written, a score that never came."""
    places = [(agents[0], "a"), (agents[0], "b"), *((agents[1], task) for task in "abc")]
    reports = [StoredReport(*place, 1, "# Because\n") for place in places]
    outcomes = [
        *(("rubrics", place, graded("Satisfied", "Not Satisfied")) for place in places[:3]),
        ("rubrics", places[3], to_json(Unscored(Cause.TIMEOUT, "too late"))),
        *(("coverage", place, to_json(Score(50.0, (0.0, 100.0)))) for place in places),
    ]
    identities = {"rubrics": rubrics, "coverage": COVERAGE}
    scores = [
        StoredScore(f"{name} {place}", name, *place, 1, 0, outcome, identities[name], {"v": "1"})
        for name, place, outcome in outcomes
    ]

    async def keep(file):
        await asyncio.gather(*map(file.keep_score, scores))

    with RunFile.create(path) as file:
        file.register({"date": "2026-05-04"}, identities, TASKS, reports)
        asyncio.run(keep(file))
    return path


@pytest.fixture
def run(tmp_path):
    return written(tmp_path / "run.assay")


@pytest.fixture
def two(tmp_path, run):
    """The run, and one of other agents in which another judge graded the rubrics."""
    judged = {**RUBRICS, "judges": [{"model": "openai:other"}]}
    return [run, written(tmp_path / "other.assay", ("avocet", "magpie"), judged)]


@pytest.mark.parametrize("by", [None, "domain", "axis"])
@pytest.mark.parametrize("format", ["json", "csv", "text"])
def test_rankings_are_the_same_in_memory_without_words_and_read_a_protocol_at_a_time(
    two, by, format
):
    whole, figures = (records_of(two, each) for each in (Extent.WORDS, Extent.FIGURES))
    assert len(whole) == len(figures) == 24
    first, *others = (
        write(rank(each, by, allow_mixed=True), format, parts=True)
        for each in (whole, figures, RunRecords(two))
    )
    assert others == [first] * 2
    assert "MIXED" in first or format == "csv"


def test_tables_beneath_a_ranking_are_read_when_they_are_asked_for(run):
    boards = rank(RunRecords([run]))
    run.rename(run.with_name("moved.assay"))
    assert "heron" in write(boards)  # which needs no more than was read
    with pytest.raises(BadRunFile):
        write(boards, wide=True)


def test_tasks_that_come_while_a_run_is_being_read_are_not_among_its_own(run):
    before = write(rank(RunRecords([run])), wide=True)
    records, task = RunRecords([run]), {"d": {**TASKS["a"], "id": "d"}}
    place, outcome = ("heron", "d", 1), to_json(Score(9.0, (0.0, 100.0)))
    with RunFile.create(run) as file:
        about = file.configuration, file.protocols(), TASKS | task, [StoredReport(*place, "# So\n")]
        file.register(*about).result()
        score = StoredScore("d", "coverage", *place, 0, outcome, COVERAGE, {"v": "1"})
        asyncio.run(file.keep_score(score))
    assert write(rank(records), wide=True) == before
    assert write(rank(RunRecords([run])), wide=True) != before


def test_comparisons_are_the_same_in_memory_and_read_a_protocol_at_a_time(run):
    terms = ComparisonTerms(by="domain", seed=3)
    for pair in (None, ("onyx", "heron")):
        known, read = (
            write_contests(compare(each, pair, terms), "json", ranked=not pair)
            for each in (records_of([run]), RunRecords([run]))
        )
        assert known == read
        assert len(json.loads(read)) == 4


def test_of_two_agents_no_others_are_read(run):
    found = RunRecords([run]).for_ranks("rubrics", ("onyx",))
    assert [(each.agent, each.task) for each in found] == [("onyx", task) for task in "abc"]
    assert RunRecords([run]).agents() == {"heron", "onyx"}


def test_protocols_are_chosen_by_name(two):
    read = RunRecords(two)
    assert read.protocols == ["rubrics", "coverage"]
    with pytest.raises(BadSetting, match="Nobody was judged by 'race'"):
        read.only(["race"])
    read.only(["rubrics"])
    assert {board.protocol for board in rank(read, allow_mixed=True)} == {"rubrics"}


def test_records_of_one_protocol_without_words_share_its_recipe(run):
    recipes = {id(each.signature) for each in records_of([run], Extent.FIGURES)}
    assert len(recipes) == 4  # also of what never came, of which there is no record
    assert [each.signature.record for each in records_of([run])][:2] == [{"v": "1"}] * 2


@pytest.mark.parametrize(
    "change",
    [
        "value=250 WHERE protocol='coverage' AND agent='heron' AND task='a'",
        "voices=replace(voices, '\"value\":0.5', '\"value\":5.0') WHERE agent='heron' AND task='a'",
    ],
)
def test_a_value_outside_of_its_range_is_left_out_and_named(tmp_path, change):
    path = written(tmp_path / "run.assay")
    with closing(sqlite3.connect(path)) as db, db:
        db.execute(f"UPDATE outcomes SET {change}")
    for extent in Extent:
        with pytest.warns(Notice, match=r"no score is (250|5.0), where scores .* is left out"):
            records = records_of([path], extent)
        lost = [each for each in records if each.outcome == why_none(has_report=True)]
        assert [(each.agent, each.task) for each in lost if each.agent == "heron"] == [
            ("heron", "a")
        ]


def test_a_number_that_nothing_can_be_reckoned_with_is_an_error_for_people(tmp_path):
    path = written(tmp_path / "run.assay")
    with closing(sqlite3.connect(path)) as db, db:
        db.execute("UPDATE outcomes SET value=1e300, highest=1e300 WHERE rowid=5")
    with pytest.raises(BadRunFile, match="outcomes, row 5: its value is nothing that a run"):
        rank(RunRecords([path]))


@pytest.mark.parametrize("is_older", [False, True])
def test_a_protocol_that_is_mostly_lost_is_refused_though_others_are_whole(tmp_path, is_older):
    path = written(tmp_path / "run.assay")
    change = "outcomes SET voices='{', said='{', body=x'00'"
    if is_older:
        put_in_bodies(path)
        change = "scores SET body=x'00'"
    with closing(sqlite3.connect(path)) as db, db:
        db.execute(f"UPDATE {change} WHERE protocol='rubrics'")
    for read in (lambda: rank(RunRecords([path])), lambda: records_of([path])):
        with (
            pytest.warns(Notice, match="is left out"),
            pytest.raises(BadRunFile, match="4 scores cannot be read, and 0 can"),
        ):
            read()


def test_a_row_that_cannot_be_read_takes_no_words_from_those_read_with_it(tmp_path):
    path = written(tmp_path / "run.assay")
    with closing(sqlite3.connect(path)) as db, db:
        db.execute("UPDATE outcomes SET body=x'00' WHERE protocol='rubrics' AND agent='heron'")
    with pytest.warns(Notice, match="is left out"):
        found = records_of([path], Extent.FIGURES)
    (other,) = (
        each.outcome
        for each in found
        if (each.protocol, each.agent, each.task) == ("rubrics", "onyx", "a")
    )
    assert other.details["judges"]["one"]["details"]["items"][0]["item"] == "Names part 1."
