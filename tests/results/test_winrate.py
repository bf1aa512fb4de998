import pytest

from deepassay.results.explain import explain
from deepassay.results.leaderboard import write
from deepassay.results.ranking import rank
from deepassay.results.records import Judged
from deepassay.results.winrate import win_rate_table, win_record_of, win_records
from deepassay.score import Cause, Score, Signature, Unscored, to_json
from deepassay.stats.intervals import wilson_interval

VALUES = {"own": 100.0, "tie": 50.0, "baseline": 0.0}


def score(winner, games=None, totals=(12.0, 10.0), baseline="heron"):
    """A score of edition `paper`."""
    decisive = winner != "tie"
    own, other = totals
    return Score(
        VALUES[winner],
        (0.0, 100.0),
        tally=(float(winner == "own"), float(decisive)),
        details={
            "winner": winner,
            "games": games or [winner, winner],
            "totals": {"own": own, "baseline": other},
            "baseline": baseline,
        },
    )


def code_score(*games):
    wins, decisive = games.count("own"), 2 - games.count("tie")
    rate = 100 * wins / decisive if decisive else 0.0
    details = {"games": list(games), "baseline": "heron"}
    return Score(rate, (0.0, 100.0), tally=(wins, decisive), details=details)


def judged(task, outcome, *, agent="cuckoo", repeat=0, edition="paper"):
    baseline = outcome.details.get("baseline", "heron")
    protocol = f"depth(baseline='{baseline}')"
    recipe = Signature({"protocol": protocol, "edition": edition, "judges": [{"model": "m"}]})
    return Judged(protocol, agent, task, 1, repeat, {}, outcome, recipe)


def several(*winners, **more):
    return [judged(f"t{n}", score(winner), **more) for n, winner in enumerate(winners)]


# ------------------------------------------------------------------ counting


def test_ties_leave_the_rate():
    record = win_record_of(several("own", "own", "baseline", "tie", "tie"))
    assert (record.wins, record.losses, record.ties) == (2, 1, 2)
    assert record.rate == pytest.approx(2 / 3)
    assert (record.decided, record.tasks) == (3, 5)
    assert record.interval == wilson_interval(2 / 3, 3)


def test_the_rate_is_what_the_board_shows_as_pooled():
    records = several("own", "own", "baseline", "tie")
    (board,) = rank(records)
    assert board.standings[0].summary.pooled == win_record_of(records).rate
    assert board.standings[0].summary.mean == 62.5


def test_nothing_but_ties_has_no_rate():
    records = several("tie", "tie")
    assert win_record_of(records).rate is None
    assert win_record_of(records).interval is None
    (board,) = rank(records)
    assert board.standings[0].summary.pooled is None
    table = win_rate_table("depth", win_records(records))
    assert table.rows[0][:6] == ("cuckoo", "0", "0", "2", "–", "–")


def test_repeats_of_a_judgement_do_not_narrow_the_interval():
    once = several("own", "baseline")
    again = [*once, *several("own", "baseline", repeat=1)]
    assert win_record_of(again).wins == 2
    assert win_record_of(again).interval == win_record_of(once).interval


def test_judgements_whose_winner_turns_with_the_order_are_counted():
    records = [
        judged("t1", score("tie", ["own", "baseline"])),
        judged("t2", score("own", ["own", "tie"])),
        judged("t3", score("own")),
    ]
    record = win_record_of(records)
    assert (record.disagreeing, record.judgements) == (2, 3)


def test_of_a_panel_the_judges_orders_and_the_common_winner_count():
    judges = {
        "one": to_json(score("own")),
        "two": to_json(score("tie", ["own", "baseline"])),
        "three": to_json(Unscored(Cause.TIMEOUT)),
    }
    whole = score("own", totals=(14.0, 11.0))
    details = {k: v for k, v in whole.details.items() if k != "games"} | {"judges": judges}
    record = win_record_of([judged("t1", Score(100.0, (0.0, 100.0), details=details))])
    assert (record.wins, record.ties) == (1, 0)
    assert (record.disagreeing, record.judgements) == (1, 2)
    assert record.totals == (14.0, 11.0)


def test_in_edition_code_every_order_is_a_game():
    records = [
        judged("t1", code_score("own", "own"), edition="code"),
        judged("t2", code_score("baseline", "tie"), edition="code"),
    ]
    record = win_record_of(records)
    assert (record.wins, record.losses, record.ties) == (2, 1, 1)
    assert record.totals is None
    table = win_rate_table("depth", win_records(records))
    assert dict(zip(table.head, table.rows[0], strict=True))["mean total"] == "–"


def test_what_is_unscored_is_no_comparison():
    records = [*several("own"), judged("t9", Unscored(Cause.TIMEOUT, "", {"baseline": "heron"}))]
    record = win_record_of(records)
    assert (record.wins, record.losses, record.ties, record.tasks) == (1, 0, 0, 1)


# ------------------------------------------------------------------ tables


def test_the_table_stands_beneath_the_board_and_shows_mean_totals():
    records = several("own", "baseline") + several("own", "own", agent="magpie")
    text = write(rank(records), wide=True)
    assert "depth(baseline='heron'): win rate" in text
    row = next(line for line in text.splitlines() if "9.5 to 90.5 %" in line)
    assert row.split()[:5] == ["cuckoo", "1", "1", "0", "50.0"]
    assert row.split()[-3:] == ["0/2", "12.0", "10.0"]


def test_a_protocol_without_pairs_has_no_such_table():
    plain = judged("t1", Score(50.0, (0.0, 100.0)))
    assert "win rate" not in write(rank([plain]), wide=True)


def test_all_pairs_stand_in_one_table():
    def of(agent, baseline, *winners):
        return [
            judged(f"t{n}", score(winner, baseline=baseline), agent=agent)
            for n, winner in enumerate(winners)
        ]

    records = [
        *of("cuckoo", "heron", "own", "baseline", "baseline"),
        *of("heron", "cuckoo", "baseline", "own", "own"),
        *of("magpie", "heron", "tie", "tie", "tie"),
    ]
    text = write(rank(records), wide=True)
    table = text[text.index("depth: win rates of all pairs") :].splitlines()
    assert table[2].split() == ["agent", "cuckoo", "heron", "magpie"]
    assert table[4].split() == ["cuckoo", "–", "33.3", "%", "–"]
    assert table[5].split() == ["heron", "66.7", "%", "–", "–"]
    assert table[6].split() == ["magpie", "–", "–", "–"]


def test_one_baseline_makes_no_table_of_pairs():
    assert "all pairs" not in write(rank(several("own", "baseline")))


def test_a_win_is_explained_without_talk_of_items():
    record = judged("t1", score("own"))
    text = explain([record], "cuckoo", "t1")
    assert "Score 100.0 on 0 to 100\n" in text


def test_tables_of_several_recipes_say_so_and_pairs_are_not_mixed():
    pairs = [("cuckoo", "heron"), ("heron", "cuckoo")]
    games = [
        judged("t", score("own", baseline=other), agent=agent, edition=edition)
        for agent, other in pairs
        for edition in ("paper", "code")
    ]
    text = write(rank(games, allow_mixed=True), wide=True)
    assert "all pairs" not in text
    beneath = text[text.index("depth(baseline='heron'): win rate") :]
    assert "MIXED" in beneath.split("\n\n")[2]
    one_recipe = write(
        rank([each for each in games if each.signature == games[0].signature]), wide=True
    )
    assert "MIXED" not in one_recipe
