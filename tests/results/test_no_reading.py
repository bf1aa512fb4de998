"""Where the offline judge cannot tell good from bad, nobody has a rank."""

from dataclasses import replace

from deepassay.results.leaderboard import write
from deepassay.results.ranking import rank
from deepassay.results.records import Judged
from deepassay.score import Metric, Score, Signature


def records(model, reads):
    metric = Metric("vision", "Vision", "nowhere", (0.0, 1.0), offline_reads=reads)
    recipe = Signature({"protocol": "vision", "judges": [{"model": model}]}, {})
    blank = Judged("vision", "heron", "a", 0, 0, {}, Score(0.2, (0.0, 1.0)), recipe)
    return [
        replace(blank, agent=agent, outcome=Score(value, (0.0, 1.0)), metric=metric)
        for agent, value in (("heron", 0.2), ("cuckoo", 0.1), ("magpie", 0.9))
    ]


def test_without_a_reading_means_stand_and_nobody_is_ranked():
    (board,) = rank(records("offline", reads=False))
    assert [(row.agent, row.rank) for row in board.standings] == [
        ("magpie", None),
        ("heron", None),
        ("cuckoo", None),
    ]
    told = write([board])
    assert told.count("no reading") == 3 and "0.9000" in told


def test_a_model_and_other_protocols_are_ranked():
    for judged in (records("openai:x", reads=False), records("offline", reads=True)):
        (board,) = rank(judged)
        assert [row.agent for row in board.standings] == ["magpie", "heron", "cuckoo"]
        assert "no reading" not in write([board])
