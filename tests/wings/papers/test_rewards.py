import pytest

from deepassay.errors import BadInput
from deepassay.results.records import Judged
from deepassay.score import Cause, Score, Signature, Unscored
from deepassay.wings.papers.material import Given, PaperMaterial
from deepassay.wings.papers.rewards import table11

RECIPE = {"judges": [{"model": "openai:r"}], "edition": "paper"}
UNREAD = Unscored(Cause.ANSWER_UNREADABLE)


def chosen(task, subset, outcome, repeat=0, protocol="race_reward", **identity):
    recipe = Signature({**RECIPE, "protocol": protocol, **identity})
    return Judged(protocol, "rb", task, 1, repeat, {"subset": subset}, outcome, recipe)


def rated(*ratings, correct=1):
    value = float(min(ratings[:correct]) > max(ratings[correct:]))
    return Score(value, (0, 1), details={"ratings": [*ratings], "correct": correct})


def of(*records):
    return PaperMaterial([Given("run", records)])


RECORDS = [
    chosen("1", "Factuality", rated(9, 1, 2, 3)),
    chosen("2", "Factuality", rated(1, 9, 2, 3)),
    chosen("3", "Precise IF", rated(9, 1, 2, 3)),
    chosen("4", "Math", rated(9, 1, 2, 3)),
    chosen("5", "Safety", rated(9, 1, 2, 3)),
    chosen("6", "Focus", rated(9, 1, 2, 3)),
    chosen("tied:1", "Ties", rated(9, 5, 4, 3, 2, correct=3)),
    chosen("ref:1", "Ties", rated(9, 4, 3)),
]


def test_table_11_prints_the_plain_mean_beside_what_the_paper_prints():
    first, own = table11(of(*RECORDS))
    rows = {row[0]: row[1:] for row in first.rows}
    assert rows["openai:r, together"][2:] == ("50.0", "100.0", "100.0", "100.0", "100.0", "59.3")
    assert rows["openai:r, together"][:2] == ("84.9", "–")  # (.5 + 4 + .59336) / 6
    assert rows["DeepSeek-R1 w/o RACE *"][:2] == ("47.3", "51.5")
    assert rows["DeepSeek-R1 w/ RACE *"][:2] == ("68.0", "74.4")
    assert rows["Gemini-2.5-pro *"][:2] == ("73.5", "74.8")
    assert rows["LMunit *"][:2] == ("82.1", "82.1")
    assert own.rows[1] == ("Factuality", "50.0", "9.5 to 90.5", "2 of 2", "–")


def test_what_is_unscored_is_left_out_and_bounds_say_what_it_could_be():
    _, own = table11(
        of(*RECORDS[:-1], chosen("ref:1", "Ties", UNREAD), chosen("7", "Math", UNREAD))
    )
    rows = {row[0]: row[1:] for row in own.rows}
    assert rows["Math"] == ("100.0", "20.7 to 100.0", "1 of 2", "50.0 to 100.0")
    assert rows["Ties"] == ("–", "–", "1 of 2", "29.0 to 81.0")
    assert rows["all six"][0] == "–"


def test_repeats_of_one_prompt_are_averaged_and_count_once():
    again = [chosen(r.task, r.labels["subset"], r.outcome, 1) for r in RECORDS[1:]]
    _, own = table11(of(*RECORDS, chosen("1", "Factuality", rated(1, 9, 2, 3), 1), *again))
    rows = {row[0]: row[1:] for row in own.rows}
    assert rows["Factuality"][0] == "25.0"
    assert rows["Factuality"][2] == "2 of 2"
    assert rows["Ties"][0] == "59.3"


def test_every_recipe_has_a_row_of_its_own():
    pairs = "race_reward(arrangement='pairs')"
    others = [
        chosen(r.task, r.labels["subset"], r.outcome, protocol=pairs, edition="code")
        for r in RECORDS
    ]
    criteria = [chosen(r.task, r.labels["subset"], r.outcome, criteria="others") for r in RECORDS]
    first, *own = table11(of(*RECORDS, *others, *criteria))
    names = [row[0] for row in first.rows[:3]]
    assert names[1] == "openai:r, pairs, code"
    assert names[0].startswith("openai:r, together [") and names[2] != names[0]
    assert len(own) == 3


PLAIN = "race_reward(arrangement='plain')"


def plainly(*outcomes, **identity):
    """The same prompts without RACE."""
    return [
        chosen(each.task, each.labels["subset"], outcome, protocol=PLAIN, **identity)
        for each, outcome in zip(RECORDS, outcomes, strict=True)
    ]


WRONG, RIGHT = rated(1, 9, 2, 3), rated(9, 1, 2, 3)
TIED = [each.outcome for each in RECORDS[-2:]]


def test_the_gain_over_the_plain_rating_is_of_the_prompts_that_both_have():
    lost = plainly(WRONG, UNREAD, RIGHT, WRONG, WRONG, RIGHT, *TIED)
    more = chosen("9", "Math", RIGHT, protocol=PLAIN)
    first, gain, *own = table11(of(*RECORDS, *lost, more))
    assert [row[0] for row in first.rows[:2]] == ["openai:r, together", "openai:r, plain"]
    assert gain.title == "What RACE gains: openai:r, together beside openai:r, plain"
    rows = {row[0]: row[1:] for row in gain.rows}
    assert rows["Factuality"] == ("100.0", "0.0", "100.0", "–", "1 of 2")
    assert rows["Precise IF"][2] == "0.0"
    assert rows["Math"] == ("100.0", "0.0", "100.0", "–", "1 of 2")
    assert rows["Ties"][:3] == ("59.3", "59.3", "0.0")
    assert rows["all six"][2] == "50.0"  # three of six by 100
    assert len(own) == 2 and not any("Without the plain" in each for each in first.notes)


def test_the_gain_has_an_interval_over_prompts():
    tasks = [str(at) for at in range(4)]
    race = [chosen(task, "Math", RIGHT) for task in tasks]
    plain = [chosen(t, "Math", WRONG if t < "2" else RIGHT, protocol=PLAIN) for t in tasks]
    _, gain, *_ = table11(of(*race, *plain))
    # Differences 1, 1, 0, 0: .5 +- 3.182 * .5774 / 2.
    assert gain.rows[2] == ("Math", "100.0", "50.0", "50.0", "-41.9 to 141.9", "4 of 4")


def test_the_plain_rating_of_another_judge_is_no_comparison():
    others = plainly(*[WRONG] * 6, *TIED, judges=[{"model": "openai:other"}])
    first, *own = table11(of(*RECORDS, *others))
    assert not any("gains" in each.title for each in own)
    assert any("arrangement='plain'" in each for each in first.notes)


def test_without_a_judgement_it_says_what_to_run():
    with pytest.raises(BadInput, match="nobody was judged by race_reward"):
        table11(of())


def test_prompts_of_no_published_subset_are_refused_with_what_would_be_one():
    others = [chosen(each.task, "Humour", each.outcome) for each in RECORDS]
    with pytest.raises(BadInput, match="no label `subset` that names one of RewardBench 2"):
        table11(of(*others))
