from dataclasses import replace

import pytest

from deepassay.results.citations import (
    CountedReport,
    accuracy_of,
    citation_tables,
    code_figures,
    counted_by_agent,
    notices_of,
    paper_figures,
)
from deepassay.results.explain import explain
from deepassay.results.leaderboard import write
from deepassay.results.ranking import rank
from deepassay.score import Cause, Score, Unscored, to_json
from tests.results.judgements import make

KINDS = ("supported", "unsupported", "unknown", "gone", "refused")
OPEN = ("blocked", "timeout", "too_large", "not_text", "not_archived", "failed")


def counts(**kinds):
    whole = dict.fromkeys((*KINDS, *OPEN), 0) | kinds
    return {"pairs": sum(kinds.values()), **whole}


def report(task, sample=1, **kinds):
    return CountedReport(task, sample, counts(**kinds))


def judged(agent, task, *, more=(), **kinds):
    counted = counts(**kinds) | dict(more)
    accuracy = accuracy_of(counted)
    if accuracy is None:
        details = {"counts": counted}
        made = make(agent, task, Cause.PAGE_BLOCKED)
        return replace(made, outcome=Unscored(Cause.PAGE_BLOCKED, "", details))
    return make(agent, task, Score(accuracy, (0.0, 1.0), details={"counts": counted}))


def first_row(records):
    figures, ends = citation_tables(records, counted_by_agent(records))
    return dict(zip((*figures.head, *ends.head), (*figures.rows[0], *ends.rows[0]), strict=True))


def test_the_paper_averages_over_all_tasks_and_the_program_pools_over_citing_ones():
    reports = [report("a", supported=1), report("b", supported=1, unsupported=9), report("c")]
    assert paper_figures(reports) == pytest.approx(((1 + 0.1 + 0) / 3, 2 / 3, 3))
    assert code_figures(reports) == pytest.approx((2 / 11, 11 / 2, 2 / 2))


@pytest.mark.parametrize("name", ["fact", "citation_accuracy"])
def test_pairs_read_by_rule_name_the_protocol_that_they_are_of(name):
    by_rule = Score(1.0, (0.0, 1.0), details={"statements_by": "mechanical"})
    (told,) = notices_of([replace(make("a", "t", by_rule), protocol=f"{name}(statements='auto')")])
    assert told.startswith(f"{name}(statements='auto'): pairs of statement and address")
    assert f"--protocol \"{name}(statements='model')\" --extractor PROVIDER:NAME." in told


def test_unknown_and_dead_count_for_the_paper_and_not_for_the_program():
    reports = [report("a", supported=1, unknown=1, gone=1, refused=1)]
    assert paper_figures(reports).accuracy == 0.25
    assert code_figures(reports).rate == 1.0


def test_what_could_not_be_judged_is_in_neither():
    reports = [report("a", supported=1, blocked=3), report("b", not_archived=2)]
    assert paper_figures(reports) == (1.0, 1.0, 1)
    assert code_figures(reports).rate == 1.0


def test_several_answers_to_one_task_are_one_task():
    reports = [report("a", 1, supported=4), report("a", 2, unsupported=4), report("b", supported=2)]
    assert paper_figures(reports) == (0.75, 2.0, 2)


def test_nothing_is_divided_by_zero():
    assert paper_figures([]) == (None, None, 0)
    assert code_figures([report("a")]) == (None, None, None)
    assert code_figures([report("a", unknown=2)]) == (None, 0.0, 0.0)


def test_both_formulas_stand_side_by_side_below_the_board():
    text = write(rank([judged("alpha", "1", supported=3, unsupported=1, blocked=2)]), wide=True)
    below = text[text.index("citations") :]
    assert "C.Acc (paper)" in below and "rate (code)" in below
    assert below.splitlines()[4].split() == [
        "alpha",
        "1/1",
        "0.7500",
        "3.00",
        "0.7500",
        "4.00",
        "3.00",
        "–",
        "–",
    ]
    ends = below[below.index("by outcome") :].splitlines()
    assert ends[2].split()[:5] == ["agent", "pairs", "supported", "unsupported", "unknown"]
    assert ends[4].split() == ["alpha", "6", "3", "1", "0", "0", "0", "0", "2", "0", "0"]


def test_the_bounds_of_a_board_count_open_pairs_too():
    open_pairs = {"open": True, "low": 0.3, "high": 0.9}
    records = [
        make("alpha", "1", Score(0.5, (0.0, 1.0), details=open_pairs)),
        make("alpha", "2", Score(0.5, (0.0, 1.0))),
    ]
    (board,) = rank(records)
    assert board.standings[0].summary.bounds == pytest.approx((0.4, 0.7))


def test_recall_and_uncited_are_pooled_over_the_reports():
    more = {"statements": 10, "recalled": 3, "open": 4, "claims": 8, "uncited": 2}
    row = first_row([judged("alpha", "1", supported=1, more=more)])
    assert (row["recall (pooled)"], row["uncited (pooled)"]) == ("0.5000", "0.2500")


def test_counts_of_unscored_reports_and_of_panels_are_shown_too():
    panel = {
        name: to_json(judged("alpha", "2", supported=1, dead=1).outcome) for name in ("one", "two")
    }
    records = [
        judged("alpha", "1", blocked=5),
        make("alpha", "2", Score(0.5, (0.0, 1.0), details={"judges": panel})),
    ]
    row = first_row(records)
    assert (row["blocked"], row["gone"], row["C.Acc (paper)"]) == ("5", "2", "0.5000")
    assert row["tasks"] == "1/2"


def test_a_protocol_without_citations_has_no_such_table():
    assert not counted_by_agent([make("alpha", "1", 50)])
    assert "citations" not in write(rank([make("alpha", "1", 50)]), wide=True)


def test_a_cut_of_the_board_has_its_own_table():
    records = [judged("alpha", str(n), supported=n, unsupported=1) for n in (1, 2)]
    records = [
        replace(each, labels={"language": language})
        for each, language in zip(records, ("en", "zh"), strict=True)
    ]
    text = write(rank(records, by="language"), "markdown", wide=True)
    assert "coverage, language: zh: citations" in text


@pytest.mark.parametrize(
    ("value", "bounds", "shown"), [(0.43219, (0, 1), "0.4322"), (43.219, (0, 100), "43.2")]
)
def test_numbers_have_the_digits_that_their_range_asks_for(value, bounds, shown):
    record = make("alpha", "1", Score(value, bounds, parts={"p": value}))
    assert shown in write(rank([record]), parts=True).split()
    assert f"Score {shown}" in explain([record], "alpha", "1")


def test_an_item_without_a_verdict_is_explained_as_unscored():
    item = {"key": "s1", "item": "It grew.", "score": None, "justification": "blocked · u"}
    record = make("alpha", "1", Score(0.5, (0.0, 1.0), details={"items": [item]}))
    assert "s1 unscored: It grew." in explain([record], "alpha", "1")


def test_counts_of_an_earlier_version_are_read_under_their_present_names():
    record = judged("alpha", "1", supported=1, unsupported=0)
    counted = dict(record.outcome.details["counts"])
    del counted["gone"]
    outcome = Score(0.5, (0.0, 1.0), details={"counts": counted | {"dead": 1, "pairs": 2}})
    row = first_row([replace(record, outcome=outcome)])
    assert (row["gone"], row["C.Acc (paper)"]) == ("1", "0.5000")
