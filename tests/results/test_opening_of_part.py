"""What a leaderboard says first of panels that are not whole, and of runs that were stopped."""

from dataclasses import replace

from deepassay.models.panel import combine
from deepassay.results.comparing import compare
from deepassay.results.comparison_tables import write_contests
from deepassay.results.differences import ComparisonTerms
from deepassay.results.first_screen import first_screen
from deepassay.results.leaderboard import write
from deepassay.results.opening import said_first
from deepassay.results.ranking import rank
from deepassay.score import Cause, Score, Signature, Unscored

from .judgements import RECIPE, unfolded
from .test_opening import GO_ON, HIGH, LOW, MODEL, RETRY, judged

THREE = Signature({**RECIPE.identity, "judges": [{"model": f"openai:{name}"} for name in "abc"]})


def by_panel(protocol, **agents):
    """The scores of agents by three judges: of each task what every judge gave, or why nothing."""

    def outcome(given):
        said = {f"openai:{name}": each for name, each in zip("abc", given, strict=True)}
        return combine(
            {
                n: Unscored(e) if isinstance(e, Cause) else Score(e, (0, 100))
                for n, e in said.items()
            }
        )

    return [
        replace(each, outcome=outcome(given))
        for agent, own in agents.items()
        for each, given in zip(
            judged(protocol, THREE, **{agent: [0.0] * len(own)}), own, strict=True
        )
    ]


def openings(records):
    """What leaderboards, in short and wide, and a comparison open with."""
    boards = rank(records)
    compared = write_contests(compare(records, None, ComparisonTerms()), "text", True)
    screens = [
        unfolded(first_screen(boards, said=said_first(boards, records))),
        unfolded(write(boards, wide=True, said=said_first(boards, records))),
        unfolded(compared),
    ]
    return [screen.split("rank agent")[0] for screen in screens]


NEVER, ONCE = Cause.JUDGE_REFUSED, Cause.TIMEOUT


def test_which_judges_of_a_panel_have_no_part_in_how_many_scores_is_said_first():
    records = [
        *by_panel("fact", heron=[(80, 81, NEVER), (70, ONCE, NEVER)], owl=[(9, 8, NEVER)] * 2),
        *by_panel("kae", heron=[(50, 51, NEVER), (40, 40, ONCE)], owl=[(1, 2, NEVER)] * 2),
    ]
    told = (
        "Not every score rests on the whole panel: openai:b has a part in 7 of 8 (timeout 1) and "
        "openai:c has a part in 0 of 8 (judge_refused 7, timeout 1). Judged by a panel of "
    )
    for opened in openings(records):
        assert opened.startswith(told)


def test_of_scores_by_several_recipes_it_is_said_too():
    other = Signature({**THREE.identity, "edition": "code"})
    records = by_panel("fact", heron=[(80, 81, NEVER)] * 2, owl=[(9, ONCE, 9)] * 2)
    mixed = [replace(each, signature=other) if each.agent == "owl" else each for each in records]
    told = "Not every score rests on the whole panel: openai:b has a part in 2 of 4 (timeout 2) and"
    assert said_first(rank(mixed, allow_mixed=True), mixed)[0].startswith(told)


def test_of_a_whole_panel_and_of_reports_without_any_score_it_says_nothing_of_the_kind():
    whole = by_panel("fact", heron=[(80, 81, 82)] * 3, owl=[(9, 8, 7)] * 3)
    nobody = by_panel("fact", heron=[(80, 81, 82)] * 3, owl=[(NEVER, NEVER, ONCE), (9, 8, 7)])
    for records in (whole, nobody, judged(heron=HIGH, owl=LOW)):
        assert all("whole panel" not in opened for opened in openings(records))


def stopped(protocol="coverage", recipe=MODEL, **agents):
    """The scores of a run that did not come to those that are None."""
    records = judged(protocol, recipe, **agents)
    return [
        replace(each, outcome=Unscored(Cause.NOT_ASKED)) if each.outcome == TIMED_OUT else each
        for each in records
    ]


(TIMED_OUT,) = (each.outcome for each in judged(a=[None]))
NONE_YET = [None] * 8


def test_what_a_run_has_not_come_to_is_said_first_and_how_to_go_on():
    begun, later = (*HIGH[:5], None, None, None), Signature({**MODEL.identity, "protocol": "kae"})
    records = [
        *stopped("fact", heron=HIGH, owl=begun, rook=NONE_YET),
        *stopped("kae", later, heron=NONE_YET, owl=NONE_YET, rook=NONE_YET),  # not begun
    ]
    first = f"Not finished: 35 of 48 judgements are still to come; {GO_ON}. Judged by openai:m: "
    for opened in openings(records):
        assert opened.startswith(first)
    one = stopped(heron=HIGH, owl=(*LOW[:7], None), rook=LOW)
    for opened in openings(one):
        assert opened.startswith("Not finished: 1 of 24 judgements is still to come; ")
    panel = [replace(each, signature=THREE) for each in stopped(heron=(None, 5), owl=(None, 6))]
    assert said_first(rank(panel), panel)[0].startswith("Not finished: 6 of 8 judgements are")
    for finished in (judged(heron=HIGH, owl=LOW), judged(heron=HIGH, owl=[None] * 8)):
        assert all("Not finished" not in opened for opened in openings(finished))


def test_an_agent_is_not_called_the_only_one_where_others_have_no_score_yet():
    alone = "there is nobody to hold it against"
    waiting = stopped(heron=HIGH, owl=NONE_YET, rook=NONE_YET)
    failed = judged(heron=HIGH, owl=[None] * 8)
    both = [*waiting, *(replace(each, protocol="fact") for each in waiting)]
    mixed = [*both, *judged("race", heron=HIGH, owl=[None] * 8)]
    for records, told in (
        (waiting, "over 8 tasks; owl and rook have none (not_asked 16)."),
        (failed, f"over 8 tasks; owl has none (timeout 8): {RETRY}."),
        (both, "heron is the only agent with a score: owl and rook have none (not_asked 32)."),
        (mixed, f"owl and rook have none (not_asked 32, timeout 8): {RETRY}."),
    ):
        assert all(told in opened and alone not in opened for opened in openings(records))
    for records in (judged(heron=HIGH), [*judged(heron=HIGH), *judged("fact", heron=HIGH)]):
        assert all(alone in opened for opened in openings(records))
