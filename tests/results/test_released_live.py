"""The released program's sums, against what it gave for the same results."""

import json
from dataclasses import replace

import pytest

from deepassay.results.board_details import BoardDetails
from deepassay.results.leaderboard import write
from deepassay.results.ranking import rank
from deepassay.results.released_live import (
    Games,
    Graded,
    Issues,
    MarkSummary,
    Results,
    average,
    average_reports,
    summarise,
)
from deepassay.score import Cause, Score, Signature, to_json
from tests.results.judgements import make

WINNERS = {"evaluated_model": "own", "reference_model": "baseline", "tie": "tie"}


def exactly(value):
    return pytest.approx(value, rel=1e-12, abs=1e-12)


def grade_in(criterion, found):
    """The grade that a record of the program holds, or None."""
    if criterion == "depth":
        winners = (found.get(f"winner_comparison_{n}", "tie") for n in (1, 2))
        return tuple(WINNERS[winner] for winner in winners)
    summary = found.get("summary", {})
    return {
        "presentation": summary.get("average_pass_rate"),
        "coverage": summary.get("percentage_addressed"),
    }.get(criterion, found.get("score"))


def grades_of(vector):
    for report in vector["reports"]:
        for criterion in vector["criteria"]:
            found = report.get(f"{criterion}_grading_results")
            if found is not None and (grade := grade_in(criterion, found)) is not None:
                yield Graded(report.get("model_name", "unknown"), criterion, grade)


def marks(entry):
    return entry["mean"], entry["count"], entry["min"], entry["max"]


def games(entry):
    return tuple(
        entry[key] for key in ("wins", "losses", "ties", "total", "decisive_games", "win_rate")
    )


def summaries(entries):
    return {
        name: Games(*games(each)) if "win_rate" in each else MarkSummary(*marks(each))
        for name, each in entries.items()
    }


def results(written):
    return Results(
        {model: summaries(each) for model, each in written["results_by_model"].items()},
        summaries(written["overall_results"]),
    )


def numbers(summaries):
    return {name: tuple(vars(each).values()) for name, each in summaries.items()}


def check(ours, official):
    theirs = results(official)
    assert numbers(ours.overall) == {
        name: exactly(each) for name, each in numbers(theirs.overall).items()
    }
    assert ours.by_model.keys() == theirs.by_model.keys()
    for model, each in theirs.by_model.items():
        assert numbers(ours.by_model[model]) == {
            name: exactly(values) for name, values in numbers(each).items()
        }


def test_summaries_are_those_of_the_program(shared):
    vectors = json.loads((shared / "golden/live/aggregation.json").read_text())
    assert len(vectors) == 8
    for vector in vectors:
        check(summarise(grades_of(vector)), vector["official"])


def test_averages_of_two_judges_are_those_of_the_program(shared):
    vectors = json.loads((shared / "golden/live/averaging.json").read_text())
    summed = [each for each in vectors if "results_by_model" in each["official"]]
    assert (len(vectors), len(summed)) == (7, 6)
    for vector in summed:
        check(average(results(vector["a"]), results(vector["b"])), vector["official"])
        for model, criteria in vector["official"]["results_by_model"].items():
            for name, entry in criteria.items():
                if "mean_a" in entry:
                    one, other = (vector[side]["results_by_model"][model][name] for side in "ab")
                    assert (one["mean"], other["mean"]) == (entry["mean_a"], entry["mean_b"])


def test_averages_of_single_reports_mix_models_as_those_of_the_program(shared):
    vectors = json.loads((shared / "golden/live/averaging.json").read_text())
    (vector,) = [each for each in vectors if "reports" in each["official"]]

    def issues(side):
        for report in vector[side]["reports"]:
            found = report["consistency_grading_results"]
            query, model = report["query_id"], report["model_name"]
            yield Issues(query, model, found["score"], found["total_issues"])

    (ours,) = average_reports(issues("a"), issues("b"))
    (theirs,) = vector["official"]["reports"]
    found = theirs["consistency_grading_results"]
    assert (ours.query, ours.model) == (theirs["query_id"], theirs["model_name"])
    assert (ours.score, ours.issues) == exactly((found["score"], found["total_issues"]))


def test_overall_is_over_reports_and_no_mean_of_models():
    found = summarise(
        [Graded("heron", "coverage", grade) for grade in (90.0, 50.0)]
        + [Graded("wren", "coverage", 25.0)]
    )
    assert found.by_model["heron"] == {"coverage": MarkSummary(70, 2, 50, 90)}
    assert found.by_model["wren"] == {"coverage": MarkSummary(25, 1, 25, 25)}
    assert found.overall == {"coverage": MarkSummary(55, 3, 25, 90)}


def test_the_rate_of_games_is_percent_of_the_decisive_ones():
    games = [("own", "own"), ("baseline", "tie"), ("own", "tie")]
    found = summarise([Graded("heron", "depth", each) for each in games])
    assert found.overall == {"depth": Games(3, 1, 2, 6, 4, 75)}
    ties = summarise([Graded("heron", "depth", ("tie", "tie"))])
    assert ties.overall == {"depth": Games(0, 0, 2, 2, 0, 0)}


def test_two_judges_count_half_each_and_the_reports_of_the_first_are_counted():
    one = Results({}, {"depth": Games(3, 1, 2, 6, 4, 75), "coverage": MarkSummary(70, 2, 50, 90)})
    other = Results({}, {"depth": Games(0, 4, 0, 4, 4, 0), "coverage": MarkSummary(40, 3, 20, 60)})
    assert average(one, other).overall == {
        "depth": Games(1.5, 2.5, 1, 6, 4, 37.5),
        "coverage": MarkSummary(55, 2, 20, 90),
    }
    alone = Results({"heron": one.overall}, {})
    assert average(alone, other).by_model == {"heron": one.overall}
    assert average(alone, other).overall == other.overall


def test_reports_of_several_models_are_taken_for_one_by_their_query():
    one = [Issues("q", "heron", 80, 2), Issues("q", "wren", 60, 5), Issues("r", "wren", 10, 9)]
    assert average_reports(one, [Issues("q", "crane", 90, 2)]) == [Issues("q", "wren", 75, 3.5)]


def test_a_criterion_of_two_kinds_is_refused():
    one = summarise([Graded("a", "depth", 50.0)])
    with pytest.raises(ValueError, match="marks"):
        average(one, summarise([Graded("a", "depth", ("own", "tie"))]))


def coded(*judges):
    models = [{"model": judge} for judge in judges]
    return Signature({"protocol": "consistency", "edition": "code", "judges": models})


def as_coded(record, protocol="consistency(edition='code')"):
    return replace(record, protocol=protocol)


def panel(**said):
    outcomes = {
        name: to_json(each if isinstance(each, Score) else Score(float(each), (0.0, 100.0)))
        for name, each in said.items()
        if not isinstance(each, Cause)
    } | {
        name: {"cause": str(each), "detail": "", "details": {}}
        for name, each in said.items()
        if isinstance(each, Cause)
    }
    return Score(50.0, (0.0, 100.0), details={"judges": outcomes})


def test_a_board_of_edition_code_shows_what_the_program_would_and_what_it_hides():
    recipe = coded("x")
    records = [
        as_coded(make("heron", "1", 90, recipe=recipe)),
        as_coded(make("heron", "2", Cause.ANSWER_UNREADABLE, recipe=recipe)),
        as_coded(make("wren", "1", 50, recipe=recipe)),
    ]
    (table,) = BoardDetails.of(records).tables
    assert table.rows == (
        ("x", "heron", "90.0", "1", "90.0", "90.0"),
        ("x", "wren", "50.0", "1", "50.0", "50.0"),
        ("x", "(all)", "70.0", "2", "50.0", "90.0"),
    )
    assert any("x: 1 of 3 reports have no grade" in note for note in table.notes)
    assert "as the released program sums up" in write(rank(records), wide=True)


def test_two_judges_are_averaged_with_the_counts_of_the_first():
    recipe = coded("z", "a")  # the order of the panel, not of the names
    records = [
        as_coded(make("heron", "1", panel(z=100, a=0), recipe=recipe)),
        as_coded(make("heron", "2", panel(z=50, a=Cause.TIMEOUT), recipe=recipe)),
    ]
    table = next(each for each in BoardDetails.of(records).tables if "released" in each.title)
    both = [row for row in table.rows if row[0] == "both, averaged"]
    assert both[0] == ("both, averaged", "heron", "37.5", "2", "0.0", "100.0")
    assert any("those of z" in note for note in table.notes)
    assert any("a: 1 of 2 reports" in note for note in table.notes)


def test_three_judges_are_summed_up_but_not_averaged():
    records = [
        as_coded(make("heron", "1", panel(x=1, y=2, z=3), recipe=coded("x", "y", "z"))),
    ]
    table = next(each for each in BoardDetails.of(records).tables if "released" in each.title)
    assert {row[0] for row in table.rows} == {"x", "y", "z"}


def test_games_of_depth_are_counted_one_by_one():
    recipe = coded("x")
    records = [
        as_coded(
            make("heron", task, Score(0.0, details={"games": played}), recipe=recipe),
            "depth(edition='code')",
        )
        for task, played in (("1", ["own", "own"]), ("2", ["baseline", "tie"]))
    ]
    (table,) = BoardDetails.of(records).tables
    assert table.rows[0] == ("x", "heron", "2", "1", "1", "4", "3", "66.7 %")


def test_other_editions_and_other_papers_have_no_such_table():
    assert not BoardDetails.of([make("heron", "1", 90)]).tables
    coded_race = as_coded(make("heron", "1", 90, recipe=coded("x")), "race(edition='code')")
    assert not BoardDetails.of([coded_race]).tables


def test_a_mixed_ranking_has_no_such_table():
    records = [
        as_coded(make("heron", "1", 90, recipe=coded("x"))),
        as_coded(make("wren", "1", 50, recipe=coded("y"))),
    ]
    assert not BoardDetails.of(records).tables
