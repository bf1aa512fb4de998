from deepassay.results.citations import counted_by_agent
from deepassay.results.leaderboard import write
from deepassay.results.ranking import rank
from deepassay.results.records import Judged
from deepassay.results.score_and_citations import citations_beside
from deepassay.score import Cause, Score, Signature, Unscored

from .rubrics import EXPLICIT, S, graded, rubric

RUBRICS = [
    graded("heron", "a", rubric((EXPLICIT, 5, S), value=0.8)),
    graded("heron", "b", rubric((EXPLICIT, 5, S), value=0.4)),
    graded("heron", "c", rubric((EXPLICIT, 5, S), value=0.1)),
    graded("cuckoo", "a", rubric((EXPLICIT, 5, S), value=0.2)),
]


def fact(agent, task, supported, unsupported, *, judge="m", protocol="fact"):
    pairs = supported + unsupported
    counts = {"pairs": pairs, "supported": supported, "unsupported": unsupported}
    outcome = Score(supported / max(1, pairs), (0.0, 1.0), details={"counts": counts})
    recipe = Signature({"protocol": protocol, "judges": [{"model": judge}]})
    return Judged(protocol, agent, task, 1, 0, {}, outcome, recipe)


FACT = [fact("heron", "a", 9, 3), fact("heron", "b", 2, 2), fact("heron", "z", 50, 0)]


def test_scores_and_citations_are_of_the_same_tasks():
    (table,) = citations_beside(RUBRICS, {"fact": counted_by_agent(FACT)})
    assert table.rows == (("heron", "fact", "2/3", "0.6000", "8.0", "0.6250", "5.5"),)


def test_a_report_that_cites_nothing_counts_0_and_an_unjudged_one_is_left_out():
    nothing = fact("heron", "b", 0, 0)
    late = Judged("fact", "heron", "a", 1, 0, {}, Unscored(Cause.TIMEOUT), nothing.signature)
    (table,) = citations_beside(RUBRICS, {"fact": counted_by_agent([nothing, late])})
    assert table.rows == (("heron", "fact", "1/3", "0.4000", "0.0", "0.0000", "0.0"),)


def test_without_both_there_is_no_table():
    assert not citations_beside(RUBRICS, {"rubrics": counted_by_agent(RUBRICS)})


def test_citations_of_several_recipes_stand_beside_no_score():
    two = [fact("heron", "a", 1, 1), fact("heron", "b", 1, 1, judge="n")]
    for citations, there in ((FACT, True), (two, False)):
        text = write(rank([*RUBRICS, *citations], allow_mixed=True), parts=True)
        assert ("score and citations" in text) is there


def test_it_stands_beneath_the_board_of_the_rubrics():
    text = write(rank([*RUBRICS, *FACT]), parts=True)
    assert "rubrics: score and citations" in text
