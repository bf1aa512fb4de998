from dataclasses import replace

import pytest

from deepassay.results.citation_errors import average_errors, error_tables
from deepassay.results.leaderboard import write
from deepassay.results.ranking import rank
from deepassay.score import Cause, Score, Unscored, to_json
from tests.results.judgements import make

NAMES = (
    "citing", "sources", "pairs", "E1", "E2", "E3", "errors", "blocked", "timeout", "unknown",
    "open_pairs",
)  # fmt: skip


def errors(**kinds):
    total = sum(kinds.get(name, 0) for name in ("E1", "E2", "E3"))
    return dict.fromkeys(NAMES, 0) | {"citing": 1, "errors": total} | kinds


def judged(agent, task, *, repeat=0, sample=1, category="Market", **kinds):
    score = Score(50.0, (0.0, 100.0), details={"errors": errors(**kinds)})
    labels = {"category": category}
    return make(agent, task, score, repeat=repeat, sample=sample, labels=labels)


def row(records, agent="alpha"):
    (table,) = error_tables(records)
    (found,) = [cells for cells in table.rows if cells[0] == agent]
    return dict(zip(table.head, found, strict=True))


def test_errors_are_averaged_over_the_reports():
    cells = row(
        [judged("alpha", "1", E1=4, E2=2, E3=13, blocked=3), judged("alpha", "2", E1=5, E3=14)]
    )
    assert [cells[name] for name in ("E1", "E2", "E3", "Total")] == ["4.5", "1.0", "13.5", "19.0"]
    assert (cells["blocked (of E1)"], cells["reports"], cells["citing"]) == ("1.5", "2/2", "2")


def test_a_report_that_cites_nothing_counts_and_shows():
    cells = row([judged("alpha", "1", E3=4), judged("alpha", "2", citing=0)])
    assert (cells["E3"], cells["reports"], cells["citing"]) == ("2.0", "2/2", "1")


def test_a_report_that_is_unscored_is_in_no_average():
    open_ = make("alpha", "2", Cause.PAGE_BLOCKED)
    outcome = Unscored(Cause.NOT_ARCHIVED, "", {"errors": errors(open_pairs=9)})
    open_ = replace(open_, outcome=outcome)
    cells = row([judged("alpha", "1", E3=4, open_pairs=1), open_])
    assert (cells["E3"], cells["open pairs"], cells["reports"]) == ("4.0", "1.0", "1/2")
    assert not error_tables([open_])


def test_repeats_and_answers_to_one_task_weigh_together_as_one_task():
    records = [
        judged("alpha", "1", E1=1),
        judged("alpha", "1", E1=3, repeat=1),
        judged("alpha", "1", E1=6, sample=2),
        judged("alpha", "2", E1=0),
    ]
    assert average_errors(records, "E1") == pytest.approx(((1 + 3) / 2 + 6) / 2 / 2)
    assert row(records)["reports"] == "3/3"


def test_the_judges_of_a_panel_are_averaged_and_one_that_failed_is_left_out():
    panel = {
        "one": to_json(judged("alpha", "1", E3=2).outcome),
        "two": to_json(judged("alpha", "1", E3=4).outcome),
        "three": to_json(Unscored(Cause.NOT_ARCHIVED, "", {"errors": errors(open_pairs=9)})),
    }
    record = make("alpha", "1", Score(50.0, (0.0, 100.0), details={"judges": panel}))
    assert average_errors([record], "E3") == 3.0


def test_the_table_stands_below_the_board_for_each_category():
    records = [judged("alpha", "1", E1=4), judged("alpha", "2", E1=6, category="Wide info search")]
    text = write(rank(records, by="category"), "markdown", wide=True)
    assert "coverage, category: Wide info search: citation errors" in text
    assert "coverage, category: Market: citation errors" in text


def test_other_protocols_have_no_such_table():
    assert not error_tables([make("alpha", "1", 50)])
