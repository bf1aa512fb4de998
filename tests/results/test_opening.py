"""The sentences that tables and the page open with: true for one agent and thirty, and how sure."""

import json
from dataclasses import replace
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from deepassay.results.comparing import compare, leading
from deepassay.results.comparison_tables import write_contests
from deepassay.results.differences import ComparisonTerms
from deepassay.results.first_screen import first_screen
from deepassay.results.known import KnownOfJudge
from deepassay.results.leads import lead_of, said_of
from deepassay.results.opening import opening, said_first
from deepassay.results.ranking import rank
from deepassay.results.records import UNKNOWN
from deepassay.results.tables import width
from deepassay.score import Cause, Metric, Signature, Unscored
from deepassay.stats.testing import ALPHA

from .judgements import RECIPE, make, unfolded

MODEL = Signature({**RECIPE.identity, "judges": [{"model": "openai:m"}]})
PANEL = Signature({**RECIPE.identity, "judges": [{"model": "openai:m"}, {"model": "offline"}]})

UNKNOWN_ERRORS = "How often this judge errs is not known here: `deepassay calibrate` measures it."


def judged(protocol="coverage", recipe=MODEL, **scores):
    """The scores of agents, a task after the other; None where there is none."""
    return [
        replace(
            make(agent, f"t{task:02}", Cause.TIMEOUT if score is None else score, recipe=recipe),
            protocol=protocol,
            metric=Metric(protocol),
        )
        for agent, own in scores.items()
        for task, score in enumerate(own)
    ]


def said(records):
    return said_of(*leading(records, ["coverage"]))


HIGH = (80, 82, 79, 81, 83, 80, 84, 78)
LOW = (60, 63, 58, 62, 61, 60, 66, 57)


def test_of_two_agents_it_says_who_is_ahead_by_how_much_and_how_sure():
    assert opening(leading(judged(heron=HIGH, magpie=LOW), ["coverage"])) == (
        f"Judged by openai:m: 2 agents on 8 tasks, by coverage. {UNKNOWN_ERRORS}",
        "heron (80.9) is ahead of magpie (60.9) by 20.0 (95 % interval 18.9 to 21.1) over 8 "
        "tasks, which is more than chance explains (p = 0.008).",
    )


def test_where_chance_may_do_as_much_it_says_how_many_tasks_would_tell():
    told = said(judged(heron=(90, 10, 60, 70, 20, 80), magpie=(40, 30, 50, 20, 60, 50)))
    assert "which may be chance (p = 0.469)" in told
    (contest,) = leading(
        judged(heron=(90, 10, 60, 70, 20, 80), magpie=(40, 30, 50, 20, 60, 50)), ["coverage"]
    )
    lead = lead_of(contest)
    assert f"About {lead.enough} tasks would show a difference of this size" in told
    assert lead.enough > 6


def test_few_tasks_are_never_called_enough_however_clear_they_are():
    told = said(judged(a=(90, 91, 92), b=(10, 12, 11), c=(1, 2, 4)))
    # Three pairs at .05: 2 ** (1 - 7) * 3 is the first below it.
    assert "which may be chance" in told and "About 7 tasks would show" in told


def test_of_one_agent_nothing_is_compared_and_it_says_what_would_help():
    told = said(judged(heron=HIGH))
    assert told.startswith("heron has 80.9 (95 % interval 79.2 to 82.6) over 8 tasks; there is")
    assert "deepassay compare NEW --since OLD" in told


def test_equal_agents_are_level():
    assert said(judged(a=HIGH, b=HIGH)) == "a (80.9) and b (80.9) are level over 8 tasks."


def test_all_who_are_level_at_the_top_are_named():
    told = said(judged(a=HIGH, b=HIGH, c=LOW, d=HIGH))
    assert told == "a (80.9), b (80.9) and d (80.9) are level over 8 tasks."


def test_one_task_cannot_tell():
    assert said(judged(a=(5,), b=(3,))).endswith("one task cannot tell skill from chance.")


def test_unscored_tasks_are_told_with_what_they_could_do():
    scored = {"heron": (*HIGH, *HIGH), "magpie": (*LOW, *LOW)}
    assert "unscored" not in said(judged(**scored))
    lacking = judged(heron=(*HIGH, *HIGH[:-1], None), magpie=(*LOW, *LOW))
    assert "over 15 tasks of both" in said(lacking)
    held = judged(heron=(*HIGH, *HIGH, *HIGH, None), magpie=(*LOW, *LOW, *LOW, 60))
    assert "That holds whatever the unscored task would have scored." in said(held)
    (contest,) = leading(lacking, ["coverage"])
    assert contest.differences[0].tipping.at is None or "until the unscored task differs" in said(
        lacking
    )


def test_a_mean_of_other_tasks_than_the_gap_says_so():
    told = said(
        judged(heron=(50, None, 50, 50, 22, 50, 50, 74), magpie=(90, 25, 50, 50, 50, 50, 11, 50))
    )
    assert told.startswith(
        "magpie (47.0 over 8 tasks) is ahead of heron (49.4 over 7 of 8 tasks) by 0.7 (95 %"
    )
    assert "over 7 tasks of both" in told


def test_nobody_with_a_score_is_said_with_the_causes():
    told = said(judged(a=(None, None), b=(None, None)))
    assert told == "Nobody has a score (timeout 4), so nothing can be said of anybody."


def test_a_pair_is_told_from_whoever_is_ahead_in_either_order():
    records = judged(heron=HIGH, magpie=LOW, owl=(1,) * 8)
    texts = [
        said_of(*compare(records, pair, ComparisonTerms()))
        for pair in (("heron", "magpie"), ("magpie", "heron"))
    ]
    assert texts[0] == texts[1]
    assert texts[0].startswith("heron (80.9) is ahead of magpie (60.9) by 20.0 (95 % interval 18.9")


@pytest.mark.parametrize(
    ("recipe", "begins"),
    [
        (PANEL, "Judged by a panel of openai:m and the offline baseline: 2 agents"),
        (RECIPE, "Judged by the offline baseline: fixed rules without a model."),
        (
            Signature({**RECIPE.identity, "judges": [{"model": UNKNOWN}]}),
            "Judged by somebody whom the files do not name: 1 agent on 8 tasks, by coverage.",
        ),
        (Signature({"protocol": "coverage"}), "Judged by rules, without a model: 2 agents"),
    ],
)
def test_who_judged_is_said_first(recipe, begins):
    agents = {"heron": HIGH, "magpie": LOW}
    if "not name" in begins:  # of two agents nobody may say that
        del agents["magpie"]
    records = judged(recipe=recipe, **agents)
    assert opening(leading(records, ["coverage"]))[0].startswith(begins)


def test_that_nothing_is_known_of_a_judge_is_said_unless_a_file_says_what():
    fact, race = judged("fact", heron=HIGH, magpie=LOW), judged("race", PANEL, heron=HIGH)
    both, rules = [*fact, *race], judged("kae", Signature({"protocol": "kae"}), heron=HIGH)

    def told(records, *known):
        boards = [
            board.knowing(KnownOfJudge("calibrated")) if board.protocol in known else board
            for board in rank(records)
        ]
        return said_first(boards, records)[0]

    assert told(fact).endswith(UNKNOWN_ERRORS)
    assert told([*fact, *rules]).endswith(UNKNOWN_ERRORS)
    assert told(race).endswith(UNKNOWN_ERRORS.replace("judge errs", "panel errs"))
    assert told(both).endswith(UNKNOWN_ERRORS.replace("this judge errs", "these judges err"))
    assert told(both, "race").endswith(UNKNOWN_ERRORS.replace("errs", "errs by fact"))
    many = [each for name in "abcd" for each in judged(name, heron=HIGH)]
    short = "errs by 3 of 4 protocols (b, c, …) is not known here"
    assert short in told(many, "a")
    for text in (told(fact, "fact"), told(rules), told(judged(recipe=RECIPE, heron=HIGH))):
        assert "not known" not in text


def test_of_several_protocols_it_says_who_is_first_by_which_and_which_leads_are_sure():
    records = [
        *judged("fact", heron=HIGH, magpie=LOW),
        *judged(
            "race", heron=(50, 60, 40, 55, 45, 50, 52, 49), magpie=(52, 50, 51, 50, 49, 60, 42, 55)
        ),
        *judged("kae", heron=(None,) * 8, magpie=(None,) * 8),
    ]
    told = said_first(rank(records), records)
    assert told[0] == f"Judged by openai:m: 2 agents on 8 tasks, by 2 protocols. {UNKNOWN_ERRORS}"
    assert told[1] == "heron is first by fact; magpie is first by race."
    assert told[2] == (
        "More than chance explains, each protocol by itself: heron over magpie by fact, 20.0 "
        "(95 % interval 18.9 to 21.1; p = 0.008)."
    )
    assert told[3].startswith("The other 1 lead may be chance. About ")


def test_where_all_are_level_by_several_protocols_a_sentence_says_so():
    records = [each for name in ("fact", "race") for each in judged(name, a=HIGH, b=HIGH)]
    assert said_first(rank(records), records)[1] == "Nobody is first alone by fact and race."


NEAR = (81, 79, 82, 80, 84, 78, 85, 77)
"""Like HIGH within chance."""


def test_of_several_protocols_it_says_whom_the_first_is_surely_ahead_of_if_not_of_the_next():
    crowd = {
        "heron": (*HIGH, *HIGH),
        "magpie": (*NEAR, *NEAR),
        "owl": (*LOW, *LOW),
        "rook": (*LOW, *LOW),
    }
    clear = {"heron": (*HIGH, *HIGH), "magpie": (*LOW, *LOW)}
    close = {"heron": (*HIGH, *HIGH), "magpie": (*NEAR, *NEAR)}
    surely = "More than chance explains, each protocol by itself: "

    def told(*protocols):
        records = [
            each for name, agents in enumerate(protocols) for each in judged(f"p{name}", **agents)
        ]
        return said_first(rank(records), records)[2:]

    assert "surely ahead of owl and rook, of 3 others" in said(judged(**crowd))
    sure, unsure = told(crowd, close)
    assert sure == f"{surely}heron over owl and rook by p0."
    assert unsure.startswith(
        "Each lead over the next agent may be chance. The clearest lead is heron over magpie by p"
    )
    sure, unsure = told(crowd, clear)
    assert sure.startswith(f"{surely}heron over magpie by p1, 20.0 (")
    assert sure.endswith("; heron over owl and rook by p0.")
    assert unsure.startswith("The other 1 lead over the next agent may be chance.")
    sure, _ = told(crowd, clear, crowd, close)
    assert sure.endswith("; heron over owl and rook by p0; 1 more.")
    level = {"heron": HIGH, "magpie": HIGH}
    sure, unsure = told({name: own[:12] for name, own in crowd.items()}, level)
    assert sure == f"{surely}heron over owl and rook by p0."
    assert unsure.startswith("The lead over the next agent may be chance: heron over magpie by p0")
    (unsure,) = told(close, close)
    assert unsure.startswith("All of this may be chance. The clearest lead is heron over magpie")


def test_of_several_protocols_an_agent_without_a_rank_is_not_called_first():
    thin = {"heron": (*HIGH[:2], *[None] * 6), "magpie": LOW}
    records = [
        *judged("fact", **thin),
        *judged("race", **thin),
        *judged("kae", heron=HIGH, magpie=LOW),
        *judged("depth", heron=HIGH, magpie=(*LOW[:3], *[None] * 5)),
    ]
    ranks = {
        board.protocol: [row.agent for row in board.standings if row.rank == 1]
        for board in rank(records)
    }
    assert ranks == {"fact": ["magpie"], "race": ["magpie"], "kae": ["heron"], "depth": ["heron"]}
    few = "it is scored in fewer than 80% of the tasks."
    assert said_first(rank(records), records)[1] == (
        "heron is first by depth and kae. "
        "heron is ahead of magpie over the tasks of both by fact and race. "
        f"magpie has no rank by depth: {few} heron has no rank by fact and race: {few}"
    )
    alone = [each for name in ("fact", "race") for each in judged(name, **thin)]
    assert said_first(rank(alone), alone)[1].startswith("heron is ahead of magpie over the tasks")


def test_where_nobody_has_a_rank_the_reason_is_told_and_two_agents_can_be_compared():
    few = {"heron": (*HIGH[:6], None, None), "magpie": LOW[:5], "owl": LOW[:4]}
    few = {agent: (*own, *[None] * (8 - len(own))) for agent, own in few.items()}
    records = [each for name in ("fact", "race") for each in judged(name, **few)]
    told = (
        "Agents are not held against each other: fewer than two have a score in 80% of the tasks, "
        "as a rank needs.",
        "`deepassay compare RUN AGENT OTHER` holds two agents against each other over the tasks "
        "of both.",
    )
    assert said_first(rank(records), records)[1:3] == told
    pair = compare(records, ("heron", "magpie"), ComparisonTerms())
    assert opening(pair)[1].startswith("heron is ahead of magpie over the tasks of both")
    one = {"heron": HIGH, "magpie": few["magpie"], "owl": few["owl"]}
    ranked = [each for name in ("fact", "race") for each in judged(name, **one)]
    assert said_first(rank(ranked), ranked)[1:3] == told


def test_where_agents_have_scores_of_other_tasks_no_comparison_of_two_is_offered():
    halves = {"heron": (*HIGH[:4], *[None] * 4), "magpie": (*[None] * 4, *LOW[:4])}
    records = [each for name in ("fact", "race") for each in judged(name, **halves)]
    _, apart, *others = said_first(rank(records), records)
    assert apart.startswith("Nobody is ahead of anybody by fact and race: whoever has the highest")
    assert not any("compare RUN AGENT OTHER" in each for each in others)
    thin = {**halves, "owl": (*[None] * 7, 50)}
    records += judged("kae", **thin)
    text = " ".join(said_first(rank(records), records))
    assert "not held against each other by kae: fewer than two" in text
    assert "Nobody is ahead of anybody by fact and race" in text
    assert "compare RUN AGENT OTHER" in text  # magpie and owl share a task


def test_the_p_of_a_leaderboard_is_that_of_compare():
    draw = Random(7)
    records = judged(
        **{f"a{at}": [draw.gauss(50 + 3 * at, 8) for _ in range(14)] for at in range(6)}
    )
    (board,) = leading(records, ["coverage"])
    (contest,) = compare(records, None, ComparisonTerms())
    every = {(each.one, each.other): each for each in contest.differences}
    assert len(board.differences) == 5 < len(every) == contest.tested == board.tested
    for each in board.differences:
        assert each == replace(every[each.one, each.other], bootstrap=None, worst=None)
    assert said_of(board) == said_of(contest)


def test_two_open_tasks_may_turn_a_lead_round_and_more_tasks_would_tell():
    behind = judged(a=(None, 99, 50, 50, 50, 50), b=(99, 97, 52, 52, 52, None), c=(1,) * 6)
    told = said(behind)
    assert told == (
        "b (70.4) is ahead of a (59.8) by 1.0 (95 % interval -2.2 to 4.2) over 4 tasks of both, "
        "which may be chance (p = 1.000, adjusted for 3 pairs). It is surely ahead of nobody. The "
        "2 unscored tasks could turn it round: `deepassay evaluate --retry-unscored`. About 45 "
        "tasks would show a difference of this size; 4 show one from 4.3 on."
    )


def test_no_difference_is_named_that_the_scale_does_not_have():
    """Of one spread, 2 tasks show none as wide as the scale of 100, and 4 one that is on it."""
    spread = {"heron": (90, 50, 90, 50, 90, 50), "magpie": (50, 45, 50, 45, 50, 45)}
    few, more = (
        leading(judged(**{name: own[:n] for name, own in spread.items()}), ["coverage"])[0]
        for n in (2, 4)
    )
    narrow, wide = (each.differences[0] for each in (more, few))
    assert wide.shown > wide.reach.high == 100 and wide.can_show is None
    assert narrow.can_show == narrow.shown < 100
    assert said_of(few).endswith("a difference of this size; 2 show none that its scale has.")
    assert said_of(more).endswith(
        f"a difference of this size; 4 show one from {narrow.shown:.1f} on."
    )
    for n, least in ((2, None), (4, narrow.shown)):
        records = judged(**{name: own[:n] for name, own in spread.items()})
        found = compare(records, None, ComparisonTerms())
        (row,) = json.loads(write_contests(found, "json", ranked=True))[0]["differences"]
        assert row["smallest_shown"] == (least and pytest.approx(least))


RETRY = "`deepassay evaluate --retry-unscored`"
EXPLAIN = "`deepassay explain RUN` says what is missing"
LONGER = (
    "where answers were cut, a larger `--max-output` with another `--run` asks all anew, as "
    "another recipe"
)
GO_ON = "the same `deepassay evaluate` goes on with what was not asked"


@pytest.mark.parametrize(
    ("causes", "helps"),
    [
        ((Cause.TIMEOUT, Cause.JUDGE_REFUSED), RETRY),
        ((Cause.MISSING_INPUT, Cause.MISSING_INPUT), EXPLAIN),
        ((Cause.NOT_ASKED, Cause.NOT_ASKED), GO_ON),
        ((Cause.NOT_ASKED, Cause.MISSING_INPUT), f"{EXPLAIN}; {GO_ON}"),
        ((Cause.TIMEOUT, Cause.NOT_ASKED), f"{GO_ON}; {RETRY}"),
        ((Cause.ANSWER_TRUNCATED, Cause.ANSWER_TRUNCATED), LONGER),
        ((Cause.ANSWER_TRUNCATED, Cause.TIMEOUT), f"{LONGER}; {RETRY}"),
        ((Cause.ANSWER_TRUNCATED, Cause.NOT_ASKED), f"{GO_ON}; {LONGER}"),
    ],
)
def test_asking_again_is_offered_only_where_something_was_asked_and_failed(causes, helps):
    first, second = causes
    records = judged(a=(50, 99, 50, 50, 50, 50), b=(99, 97, 52, 52, 52, 60), c=(None,) * 6)
    open_ = {("a", "t00"): first, ("b", "t05"): second}
    records = [
        replace(each, outcome=Unscored(open_[each.agent, each.task]))
        if (each.agent, each.task) in open_
        else each
        for each in records
    ]
    assert f"The 2 unscored tasks could turn it round: {helps}. About" in said(records)


def test_a_higher_mean_over_other_tasks_is_no_lead():
    told = said(
        judged(a=(99, 50, 50, 50, 50, None), b=(None, 52, 52, 52, 52, 60), c=(1, 1, 1, 1, 1, 1))
    )
    assert (
        told == "a (59.8) has the highest mean, yet over 4 tasks of both b (53.6) is ahead of "
        "it by 2.0."
    )
    two = said(judged(a=(99, 50, 50, 50, 50, None), b=(None, 52, 52, 52, 52, 60)))
    assert two.startswith(
        "b (53.6 over 5 of 6 tasks) is ahead of a (59.8 over 5 of 6 tasks) by 2.0 over 4 tasks"
    )


def test_mixed_recipes_put_nobody_ahead():
    records = [*judged(a=HIGH), *judged(recipe=PANEL, b=LOW)]
    (told,) = said_first(rank(records, allow_mixed=True), records)
    assert told == (
        "By coverage: these scores were not made by one recipe, so nobody is ahead of anybody."
    )


def test_comparisons_and_leaderboards_open_with_it():
    records = judged(heron=HIGH, magpie=LOW)
    told = said_first(rank(records), records)
    texts = [
        first_screen(rank(records), said=told),
        first_screen(rank(records), "markdown", said=told),
        write_contests(compare(records, None, ComparisonTerms()), "text", True),
        write_contests(compare(records, None, ComparisonTerms()), "markdown", True),
    ]
    for text in texts:
        assert unfolded(text).startswith("Judged by openai:m: 2 agents on 8 tasks, by coverage. ")
        assert "heron (80.9) is ahead of magpie (60.9) by 20.0" in unfolded(text)


SCORES = st.one_of(st.none(), st.integers(0, 100))


@settings(deadline=None, max_examples=40)
@given(
    st.integers(1, 9).flatmap(
        lambda tasks: st.dictionaries(
            st.sampled_from("abcdefg"),
            st.lists(SCORES, min_size=tasks, max_size=tasks),
            min_size=1,
        )
    ),
    st.integers(1, 3),
)
def test_whatever_was_scored_there_is_something_to_say_and_no_claim_without_p(scores, protocols):
    records = [
        each for number in range(protocols) for each in judged(f"p{number}", MODEL, **scores)
    ]
    told = said_first(rank(records), records)
    assert len(told) >= 2 and all(told)
    text = first_screen(rank(records), said=told)
    assert max(map(width, text.splitlines())) <= 80
    every = compare(records, None, ComparisonTerms())
    leads = leading(records, [f"p{number}" for number in range(protocols)])
    for contest, whole in zip(leads, every, strict=True):
        assert said_of(contest) == said_of(whole)
        lead = lead_of(contest)
        claims = "is more than chance explains" in said_of(contest)
        assert claims == (lead is not None and lead.is_sure)
        if claims:
            assert lead.p < ALPHA and lead.gap.mean > 0
            assert lead.gap.possible.low > 0  # whatever the unscored tasks would have scored
