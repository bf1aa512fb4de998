from dataclasses import replace

import pytest

from deepassay.errors import BadInput
from deepassay.models.panel import combine
from deepassay.results.explain import explain
from deepassay.score import Cause, Score, Unscored

from .judgements import make

ITEMS = [
    {"key": "p3", "item": "every reference is cited", "score": 0, "justification": "Two are not.",
     "decided_by": "rule",
     "places": [{"line": 12, "column": 3, "code": "DA204", "message": "[7] is never cited"}]},
    {"key": "p1", "item": "clear structure", "score": 1, "justification": "Sections\nin order."},
    {"key": "p2", "item": "language", "score": 0.5, "justification": ""},
]  # fmt: skip


def test_every_verdict_is_shown_with_reason_and_place():
    record = make("heron", "t1", 50, tally=(1.0, 2.0), details={"items": ITEMS})
    assert explain([record], agent="heron", task="t1").splitlines() == [
        "coverage: heron on t1",
        "Score 50.0 on 0 to 100 (1 of 2 items met)",
        "  p3 not met (by rule): every reference is cited",
        "      Two are not.",
        "      line 12, column 3: [7] is never cited",
        "  p1 met: clear structure",
        "      Sections in order.",
        "  p2 scored 0.5: language",
        "recipe: protocol:coverage|judges:model=offline|repeats:1",
    ]


def test_of_a_set_that_pools_the_criteria_that_are_met_are_counted():
    items = [
        {"key": f"c{n}", "item": "x", "weight": 1.0, "verdict": "Yes", "score": float(n < 3)}
        for n in range(5)
    ]
    for value, high, told in ((60.0, 100.0, "60.0 on 0 to 100"), (0.6, 1.0, "0.6000 on 0 to 1")):
        score = Score(value, (0.0, high), tally=(3 * high, 5.0), details={"items": items})
        said = explain([make("heron", "t1", score)], agent="heron", task="t1")
        assert f"Score {told} (3 of 5 items met)" in said
    unknown = Score(60.0, None, tally=(300.0, 5.0), details={"items": items})
    assert "items met" not in explain([make("heron", "t1", unknown)], agent="heron", task="t1")


def test_a_panel_on_a_set_that_pools_counts_what_its_judges_met():
    def judged(met, high, weight=1.0):
        items = [{"key": f"c{n}", "item": "x", "score": float(n < met)} for n in range(4)]
        items = [item if weight is None else item | {"weight": weight} for item in items]
        unit = 1.0 if weight is None else high or 100.0
        bounds = (0.0, high) if high else None
        return Score(met / 4 * unit, bounds, tally=(met * unit, 4.0), details={"items": items})

    lost = Unscored(Cause.TIMEOUT, "no answer")
    for said, told in (
        ((judged(3, 100.0), judged(2, 100.0)), "Score 62.5 on 0 to 100 (2.5 of 4 items met)"),
        ((judged(3, 1.0), judged(1, 1.0), lost), "Score 0.5000 on 0 to 1 (2 of 4 items met)"),
        ((lost, judged(3, 100.0)), "Score 75.0 on 0 to 100 (3 of 4 items met)"),
        ((judged(3, 1.0, None), judged(2, 1.0, None)), "(2.5 of 4 items met)"),
        ((judged(3, None), judged(2, None)), "Score 62.5"),
    ):
        panel = combine({f"judge {at}": each for at, each in enumerate(said)})
        line = explain([make("heron", "t1", panel)], agent="heron", task="t1").splitlines()[1]
        assert line.endswith(told)


def test_a_search_that_found_nothing_says_so():
    listed = make("heron", "t1", 100, details={"items": []})
    assert "Nothing was found to list." in explain([listed], agent="heron", task="t1")
    plain = make("heron", "t1", 100)
    assert "Nothing was found" not in explain([plain], agent="heron", task="t1")


def test_what_pairs_lost_is_told_of_those_that_are_kept_and_of_no_other_items():
    pair = {"key": "s1", "item": "It grew.", "verdict": "supported", "url": "https://a.example/"}
    quoted, bare = (
        {**pair, "justification": f"https://a.example/{end}"} for end in (" · “It”", "")
    )
    source = {"key": "s1", "depth": 0, "item": "https://a.example/", "state": "reachable"}
    claim = {"key": "s1.1", "depth": 1, "item": "It grew.", "verdict": "supported"}
    tree = [source, {**claim, "justification": "It grew."}, {**claim, "justification": ""}]
    left = "statements or addresses not in the report, and left out"
    unshown = "supported without a quote that is on the page"
    for details, line in (
        ({"items": [quoted, bare, bare], "dropped": 0}, f"{unshown}: 2"),
        ({"items": [quoted], "dropped": 3, "summary": "cited pages: 1 ok"},
         f"cited pages: 1 ok; {left}: 3"),
        ({"items": tree, "dropped": 1, "summary": "No errors"},
         f"No errors; {left}: 1; {unshown}: 1"),
        ({"items": [quoted], "dropped": 0}, None),
        ({"items": [bare, bare]}, None),  # of edition `code`, and of a yardstick of one's own
    ):  # fmt: skip
        said = make("heron", "t1", 50, details=details)
        shown = explain([said], agent="heron", task="t1").splitlines()
        assert shown[2:3] == [f"  {line}"] if line else shown[2].startswith("  s1 ")


def test_a_tree_is_indented_below_its_summary_and_a_branch_needs_no_score():
    items = [
        {"key": "s1", "depth": 0, "item": "https://a.example/", "verdict": "reachable"},
        {"key": "s1.1", "depth": 1, "item": "It grew.", "verdict": "open", "score": None,
         "justification": "no answer", "places": [{"line": 7, "column": 1, "message": "here"}]},
    ]  # fmt: skip
    details = {"items": items, "summary": "No errors."}
    record = make("heron", "t1", 50, tally=(1.0, 2.0), details=details)
    assert explain([record], agent="heron", task="t1").splitlines()[1:7] == [
        "Score 50.0 on 0 to 100 (1 of 2 items met, 1 more unscored)",
        "  No errors.",
        "  s1 reachable: https://a.example/",
        "      s1.1 open: It grew.",
        "          no answer",
        "          line 7, column 1: here",
    ]


def test_what_was_not_scored_says_why():
    text = explain([make("heron", "t1", Cause.TIMEOUT)], agent="heron", task="t1")
    assert "Unscored (timeout): why" in text


def test_quirks_of_the_released_program_are_shown():
    record = make("heron", "t1", 50, details={"quirks": ["missing-item"]})
    assert "missing-item" in explain([record], agent="heron", task="t1")


def test_every_judge_of_a_panel_is_shown():
    said = {
        "one": Score(100.0, (0.0, 100.0), details={"items": ITEMS[1:2]}),
        "two": Unscored(Cause.TIMEOUT, "no answer within 120 s"),
    }
    text = explain([make("heron", "t1", combine(said))], agent="heron", task="t1")
    one, two = text.index("Judge one:"), text.index("Judge two:")
    assert one < text.index("p1 met: clear structure") < two
    assert "Unscored (timeout): no answer within 120 s" in text[two:]


def test_how_the_judges_of_a_panel_divided_is_said_pair_by_pair():
    met = {"one": (1.0, 0.0, 1.0), "two": (1.0, 1.0, 1.0), "three": (0.0, None, None)}
    said = {
        name: Score(50.0, (0.0, 100.0), parts=dict(zip("abc", parts, strict=True)))
        for name, parts in met.items()
    }
    text = explain([make("heron", "t1", combine(said))], agent="heron", task="t1")
    together = text[: text.index("Judge one:")].splitlines()
    assert together[-3:] == [
        "  one and two agree on 2 of 3 verdicts.",
        "  one and three agree on 0 of 1 verdict.",
        "  two and three agree on 0 of 1 verdict.",
    ]


def test_judges_agree_on_the_criteria_of_a_rubric_and_not_on_a_report_that_nobody_judged():
    def items(*merits):
        return [
            {"key": f"c{at}", "item": "?", "axis": "Depth", "weight": 1, "score": merit}
            for at, merit in enumerate(merits)
        ]

    met = {"one": (1, 0.5, 0), "two": (1, 0, 0), "three": (None, 0, 1)}
    said = {
        name: Score(0.5, (0.0, 1.0), parts={"Depth": 0.5}, details={"items": items(*merits)})
        for name, merits in met.items()
    }
    text = explain([make("heron", "t1", combine(said))], agent="heron", task="t1")
    assert [line.strip() for line in text.splitlines() if " agree on " in line] == [
        "one and two agree on 2 of 3 verdicts.",
        "one and three agree on 0 of 2 verdicts.",
        "two and three agree on 1 of 2 verdicts.",
    ]
    alike = {
        name: Score(0.5, (0.0, 1.0), parts={"a": 0.5, "b": 0.5}, details={"not_asked": "its own."})
        for name in met
    }
    reference = replace(make("heron", "t1", combine(alike)), is_reference=True)
    text = explain([reference], agent="heron", task="t1")
    assert "Nobody was asked: its own." in text
    assert "agree" not in text


def test_repeats_and_samples_are_told_apart():
    records = [make("heron", "t1", 50, repeat=1), make("heron", "t1", 60, sample=2)]
    text = explain(records, agent="heron", task="t1", protocol="coverage")
    assert "coverage: heron on t1, repeat 2" in text
    assert "coverage: heron (sample 2) on t1" in text


def test_an_unknown_report_is_answered_with_what_there_is():
    with pytest.raises(BadInput, match="no judgement of 'wren' on 't1'") as caught:
        explain([make("heron", "t1", 50)], agent="wren", task="t1")
    assert "heron" in caught.value.remedy


def test_evidence_cannot_command_the_terminal():
    items = [{"key": "q1", "item": "x\x1b[2J", "score": 1, "justification": "y\u202e"}]
    text = explain([make("h", "t", 1, details={"items": items})], agent="h", task="t")
    assert "\x1b" not in text
    assert "\u202e" not in text


def test_a_protocol_is_found_by_its_name_without_options_too():
    made, given = (
        replace(record, protocol=name)
        for name in ("ace(make=True)", "ace")
        if (record := make("heron", "t1", 50))
    )
    assert explain([made], "heron", "t1", "ace").startswith("ace(make=True): heron on t1")
    assert "make=True" not in explain([made, given], "heron", "t1", "ace")
    with pytest.raises(BadInput, match="under 'ac'"):
        explain([made, given], "heron", "t1", "ac")
