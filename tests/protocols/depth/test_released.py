"""Answers of judges to the released program on depth, and what it made of them."""

import json

import pytest

from deepassay.models.reading import Unreadable, read_reply
from deepassay.protocols.depth.comparison import COMPARE, TwoReports
from deepassay.protocols.depth.protocol import Depth, Order, score_of
from deepassay.protocols.depth.released import COMPARE_AS_RELEASED, released_score
from deepassay.protocols.depth.released import DepthQuirk as Quirk
from deepassay.score import Score, Unscored
from tests.protocols.depth.marked import answer, sheet

INPUTS = TwoReports(language="en", report_a="a", report_b="b", query="q")
WORDS = {"own": "evaluated_model", "baseline": "reference_model", "tie": "tie"}


@pytest.fixture(scope="module")
def vectors(shared):
    every = json.loads((shared / "golden/live/single_report.json").read_text())
    return [each for each in every if each["criterion"] == "depth"]


def code_score(vector):
    """What edition `code` makes of the raw answers, None where one of them cannot be read_reply."""
    try:
        raws = [
            read_reply(COMPARE_AS_RELEASED, INPUTS, raw).value.root for raw in vector["judge_raw"]
        ]
    except Unreadable:
        return None
    return released_score(*raws)


def paper_score(vector):
    """What edition `paper` makes of the marks in them, None where they are off its menu."""
    try:
        answers = [
            read_reply(COMPARE, INPUTS, _without_verdict(raw)).value for raw in vector["judge_raw"]
        ]
    except (Unreadable, ValueError):
        return None
    return score_of([Order(True, answers[0]), Order(False, answers[1])])


def _without_verdict(raw):
    """The same answer as edition `paper` asks for it: without winner and totals."""
    said = json.loads(raw.removeprefix("```json").removesuffix("```"))
    if isinstance(said, dict):
        said.pop("winner", None)
        for marks in said.get("scores", {}).values():
            marks.pop("total", None)
    return json.dumps(said)


def test_all_vectors_are_there(vectors):
    assert len(vectors) == 21
    assert sum(each["official"]["graded"] for each in vectors) == 19


def test_edition_code_gives_the_released_games_and_rate_wherever_there_are_some(vectors):
    for vector in vectors:
        official, score = vector["official"], code_score(vector)
        if not official["graded"]:
            assert not isinstance(score, Score), vector["id"]
            continue
        result, summary = official["result"], official["summary_overall"]
        games = [WORDS[game] for game in score.details["games"]]
        assert games == [result["winner_comparison_1"], result["winner_comparison_2"]], vector["id"]
        assert score.value == summary["win_rate"], vector["id"]
        assert score.tally == (summary["wins"], summary["decisive_games"]), vector["id"]


def test_wherever_the_editions_differ_a_quirk_says_why(vectors):
    differing = set()
    for vector in vectors:
        code, paper = code_score(vector), paper_score(vector)
        if not isinstance(code, Score):
            continue
        if paper is None or (paper.value, paper.details["games"]) != (
            code.value,
            code.details["games"],
        ):
            differing.add(vector["id"])
            assert code.details["quirks"], vector["id"]
    assert {"d-A-B", "d-noscores", "d-winner-vs-totals", "d-tie-tie"} <= differing


def judged(word, a=(4,), b=(3,), totals=None, **more):
    said = answer(a, b, winner=word, **more)
    for side, marks, own in zip("AB", (a, b), totals or (None, None), strict=True):
        said["scores"][side]["total"] = sum(sheet(*marks).values()) if own is None else own
    return said


@pytest.mark.parametrize(
    ("first", "second", "quirks"),
    [
        (judged("A"), judged("B", (3,), (4,)), []),
        (judged("A"), judged("A"), []),
        ({k: v for k, v in judged("A").items() if k != "winner"}, judged("A"),
         ["winner-missing", "winner-against-marks"]),
        (judged("a"), judged("A"), ["winner-unknown", "winner-against-marks"]),
        (judged(["A"]), judged("A"), ["winner-unknown", "winner-against-marks"]),
        (judged("B"), judged("A"), ["winner-against-marks"]),
        (judged("A", (4, 4, 4, 4, 4), (4, 4, 4, 4, 3)), judged("A"), ["winner-against-marks"]),
        (judged("A", totals=(25, 15)), judged("A"), ["total-not-sum"]),
        ({"winner": "A"}, judged("A"), ["marks-missing"]),
        ({"winner": "A", "scores": [1]}, judged("A"), ["marks-missing"]),
        (judged("A", (float("nan"),), (9,)), judged("A"), ["marks-missing"]),
        (judged("tie", (3,), (3,)), judged("tie", (3,), (3,)), ["no-decisive-game"]),
    ],
)  # fmt: skip
def test_quirks_that_had_a_part_are_named(first, second, quirks):
    score = released_score(first, second)
    assert score.details["quirks"] == quirks


@pytest.mark.parametrize("odd", [[], "A", None, 3, True])
def test_an_answer_that_is_no_object_stops_the_program(odd):
    outcome = released_score({"winner": "A"}, odd)
    assert isinstance(outcome, Unscored)
    assert outcome.details["quirks"] == [str(Quirk.ANSWER_NO_OBJECT)]


def test_two_ties_are_0_for_the_program_and_no_decisive_game():
    score = released_score({"winner": "tie"}, {})
    assert (score.value, score.tally) == (0, (0, 0))
    assert score.details["consistent"]


@pytest.mark.parametrize(
    ("first", "second", "value", "wins", "decisive"),
    [
        ("A", "B", 100, 2, 2),
        ("A", "A", 50, 1, 2),
        ("B", "B", 50, 1, 2),
        ("B", "A", 0, 0, 2),
        ("A", "tie", 100, 1, 1),
        ("tie", "B", 100, 1, 1),
        ("B", "tie", 0, 0, 1),
        ("tie", "A", 0, 0, 1),
        ("a", "B", 100, 1, 1),
    ],
)
def test_the_rate_is_that_of_wins_among_decisive_games(first, second, value, wins, decisive):
    score = released_score({"winner": first}, {"winner": second})
    assert (score.value, score.tally) == (value, (wins, decisive))


def test_the_evidence_says_of_each_order_who_won_and_whom_the_judge_named():
    reasons = {"justification": " for reasons "}
    score = released_score({"winner": "A", **reasons}, {"winner": "tie"})
    kept = [
        (item["key"], item["verdict"], item["score"], item["justification"])
        for item in score.details["items"]
    ]
    assert kept == [("first", "won", 1, "for reasons"), ("second", "tied", 0.5, "")]
    lost = released_score({"winner": "B"}, {"winner": "A"}).details
    assert [(item["verdict"], item["score"]) for item in lost["items"]] == [("lost", 0)] * 2
    assert lost["items"][1]["item"] == "the report stood second, and the judge named 'A'"


def test_both_editions_exist():
    assert Depth.editions == ("paper", "code")
    assert Depth("code").operations() == (COMPARE_AS_RELEASED,)
    assert Depth().operations() == (COMPARE,)
