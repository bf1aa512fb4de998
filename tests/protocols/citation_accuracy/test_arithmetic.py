"""The rubric tree as a value: built by hand, walked, counted, drawn, kept and read again."""

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from deepassay.protocols.citation_accuracy.tree import (
    ClaimNode,
    ClaimPlace,
    SourceNode,
    Tree,
    end_of,
    items_of,
    rates_of,
    score_of,
    tree_of,
)
from deepassay.score import Cause, Score, Unscored, from_json, to_json


def claim(text, verdict="not_asked", **more):
    return ClaimNode(text, verdict, places=(ClaimPlace(3, 1),), **more)


def failed(text):
    return claim(text, "open", cause="judge_refused", evidence="it would not say")


TREE = Tree(
    (
        SourceNode(
            "https://a.example/", "E1", (claim("A."), claim("B.")), "blocked", "Status 403."
        ),
        SourceNode(
            "https://b.example/", "E2", (claim("A."),), "", "About phones.", "Phones", "New"
        ),
        SourceNode(
            "https://c.example/",
            "reachable",
            (claim("A.", "supported", evidence="a"), claim("C.", "unknown"), failed("D.")),
        ),
        SourceNode("https://d.example/", "open", (claim("C."), claim("E.")), "not_archived"),
        SourceNode("https://e.example/", "reachable", (claim("F.", "supported"),)),
    )
)
COUNTS = {
    "citing": 1, "sources": 5, "claims": 6, "pairs": 9,
    "E1": 1, "E2": 1, "E3": 1, "errors": 3, "blocked": 1, "timeout": 0, "unknown": 1,
    "supported": 2, "stopped": 3, "open_sources": 1, "open_pairs": 3,
    "whole": 1, "open_whole": 2, "backed": 2, "open_backed": 3,
}  # fmt: skip


def test_everything_is_counted():
    assert TREE.counts() == COUNTS


def test_rates_leave_out_what_is_open():
    assert rates_of(COUNTS) == {
        "E1": 100 * 1 / 4,
        "E2": 100 * 1 / 4,
        "E3": 100 * 1 / 3,
        "whole": 100 * 1 / 4,  # F of A, B, C, F
        "backed": 100 * 2 / 3,  # A and F of A, B, F
    }


def test_the_score_is_the_share_of_decided_pairs_without_an_error():
    score = score_of(TREE, {"dropped": 0})
    assert isinstance(score, Score)
    assert score.value == pytest.approx(100 * 2 / 6)
    assert score.tally == (2.0, 6.0)
    assert (score.details["low"], score.details["high"]) == pytest.approx((200 / 9, 500 / 9))
    assert score.details["open"] and score.details["again"]
    assert score.parts["E1 rate"] == 25.0
    assert score.details["summary"].startswith("3 errors: E1 1 (1 blocked, 0 timed out), E2 1")


def test_a_report_that_cites_nothing_has_no_errors_and_scores_nothing():
    score = score_of(Tree(()), {})
    assert isinstance(score, Score)
    assert (score.value, score.tally) == (0.0, (0.0, 0.0))
    assert not any(score.details["errors"].values())
    assert set(score.details["rates"].values()) == {None}
    assert not score.details["open"]


def test_if_every_pair_is_open_there_is_no_score():
    outcome = score_of(Tree(TREE.sources[3:4]), {})
    assert isinstance(outcome, Unscored)
    assert outcome.cause is Cause.NOT_ARCHIVED
    outcome = score_of(Tree((SourceNode("u", "reachable", (failed("A."),)),)), {})
    assert isinstance(outcome, Unscored)
    assert outcome.cause is Cause.JUDGE_REFUSED


def test_it_is_walked_source_by_source():
    kinds = "".join("s" if isinstance(node, SourceNode) else "c" for node in TREE.nodes())
    assert kinds == "sccscscccsccsc"
    assert len(list(TREE.pairs())) == 9
    assert TREE.ends_by_claim()["A."] == ["E1", "E2", "supported"]


def test_it_is_drawn_as_indented_text():
    assert str(TREE).splitlines()[:6] == [
        "[E1 blocked] https://a.example/ · Status 403.",
        "  [not asked] line 3: A.",
        "  [not asked] line 3: B.",
        "[E2] https://b.example/ · About phones. · Phones",
        "  [not asked] line 3: A.",
        "[reachable] https://c.example/",
    ]
    assert "  [E3 unknown] line 3: C." in str(TREE)
    assert "  [supported] line 3: A. · a" in str(TREE)


def test_a_line_of_the_drawing_stays_short():
    long = SourceNode("u", "reachable", (claim("word " * 1000, "supported", evidence="x" * 9999),))
    assert max(map(len, str(Tree((long,))).splitlines())) < 300


TEXTS = st.sampled_from(["One.", "Two.", "Three.", "四。", "A \u202e\n claim"])
CLAIMS = st.builds(
    ClaimNode,
    TEXTS,
    st.sampled_from(["supported", "unsupported", "unknown", "open"]),
    st.text(max_size=5),
    st.just("judge_refused"),
    st.lists(st.builds(ClaimPlace, st.integers(1, 9), st.integers(1, 9)), max_size=2).map(tuple),
)
ENDS = st.sampled_from(
    [("reachable", ""), ("E1", "blocked"), ("E1", "gone"), ("E2", ""), ("open", "not_archived")]
)
SOURCES = st.builds(
    lambda url, end, claims, said: SourceNode(url, end[0], claims, end[1], *said),
    st.text(max_size=5),
    ENDS,
    st.lists(CLAIMS, min_size=1, max_size=6, unique_by=lambda each: each.text).map(tuple),
    st.tuples(st.text(max_size=5), st.text(max_size=5), st.text(max_size=5)),
)
TREES = st.lists(SOURCES, max_size=6).map(lambda sources: Tree(tuple(sources)))


@settings(deadline=None, max_examples=60)
@given(TREES)
def test_a_kept_tree_is_the_same_tree(tree):
    kept = {"items": [each.to_json() for each in items_of(tree)]}
    assert tree_of(json.loads(json.dumps(kept))) == tree


@settings(deadline=None, max_examples=60)
@given(TREES)
def test_counts_agree_with_one_another(tree):
    counts = tree.counts()
    reachable = sum(source.state == "reachable" for source in tree.sources)
    assert counts["errors"] == counts["E1"] + counts["E2"] + counts["E3"]
    assert counts["sources"] == counts["E1"] + counts["E2"] + counts["open_sources"] + reachable
    assert counts["pairs"] == (
        counts["supported"] + counts["E3"] + counts["stopped"] + counts["open_pairs"]
    )
    assert counts["blocked"] + counts["timeout"] <= counts["E1"]
    assert counts["unknown"] <= counts["E3"]
    assert counts["whole"] <= counts["backed"] <= counts["claims"] <= counts["pairs"]
    assert counts["claims"] == len({node.text for _, node in tree.pairs()})


@settings(deadline=None, max_examples=40)
@given(TREES)
def test_a_score_lies_between_its_bounds_and_comes_back_from_json(tree):
    outcome = score_of(tree, {})
    assert from_json(json.loads(json.dumps(to_json(outcome)))) == outcome
    if isinstance(outcome, Score):
        low, high = outcome.details["low"], outcome.details["high"]
        assert 0 <= low <= outcome.value + 1e-9 and outcome.value <= high + 1e-9 and high <= 100


@settings(deadline=None, max_examples=40)
@given(TREES)
def test_only_below_a_reachable_source_a_claim_can_be_an_error_of_its_own(tree):
    for source, node in tree.pairs():
        end = end_of(source, node)
        assert (end in ("supported", "E3")) <= (source.state == "reachable")
        assert source.state in ("reachable", end)
