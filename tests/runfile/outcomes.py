"""Outcomes of every shape that a protocol, ours or another's, may write."""

from hypothesis import strategies as st

from deepassay.score import MOST, Cause, Score, Unscored, to_json

IDENTITY = {
    "protocol": "rubrics",
    "edition": "paper",
    "judges": [{"model": "offline"}],
    "repeats": 1,
}

values = st.floats(-MOST, MOST)
texts = st.text(st.characters(), max_size=12)  # also halves of characters
counts = st.integers(0, 10**9)
items = st.fixed_dictionaries(
    {"key": texts, "score": st.none() | values | counts},
    optional={
        "item": texts,
        "justification": texts,
        "axis": st.none() | texts,
        "weight": st.sampled_from([-2.0, 4, 4.0, 0.0, -0.0]),
        "depth": st.integers(0, 2),
        "mandatory": st.booleans(),
        "verdict": st.sampled_from(["Satisfied", "Not Satisfied", 1, True, ["several"], None]),
        "cause": st.sampled_from(["judge_refused", None]),
        "places": st.just([{"line": 3, "column": 1, "message": "here"}]),
    },
)
panel = st.just([{"judges": ["a", "b"], "verdicts": 3, "agreed": 2}])
details = st.fixed_dictionaries(
    {},
    optional={
        "items": st.none() | st.lists(items, max_size=4),
        "counts": st.fixed_dictionaries({"pairs": counts, "dead": counts}),
        "statements_by": st.sampled_from(["model", "mechanical"]),
        "released_counts": st.none() | st.just({"pairs": 1}),
        "page_classes": st.dictionaries(texts, counts, max_size=2),
        "funnel": st.just({"pages": {"found": 3}, "unopened": ["https://a.example"]}),
        "errors": st.dictionaries(texts, counts, max_size=2),
        "agreement": panel,
        "baseline": texts,
        "winner": st.sampled_from(["own", "tie"]),
        "games": st.just(["own", "tie"]),
        "consistent": st.booleans(),
        "totals": st.just({"own": 20.0, "baseline": 18.5}),
        "low": st.none() | values,
        "high": values,
        "open": st.booleans(),
        "issues": counts,
        "quirks": st.just(["once"]),
        "not_asked": texts,
        "summary": texts,
        "pages": st.just([{"url": "https://a.example", "state": "read"}]),
        "of another package": texts,
    },
)
numbers = values | st.integers(-(2**62), 2**62)
pairs = st.none() | st.tuples(numbers, numbers)


def score_of(value, ends, parts, tally, details):
    """A score inside of its range, if it has one."""
    bounds = None if ends is None else (min(value, *ends), max(value, *ends))
    return Score(value, bounds, parts, tally, details)


scores = st.builds(
    score_of, numbers, pairs, st.dictionaries(texts, st.none() | values), pairs, details
)
outcomes = scores | st.builds(Unscored, st.sampled_from(Cause), texts, details)


def of_a_panel(own, judges):
    """The outcome with those of single judges in it."""
    kept = to_json(own)
    judged = {name: to_json(each) for name, each in judges.items()}
    return kept | {"details": {**kept["details"], "judges": judged}}
