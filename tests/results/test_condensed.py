"""What figures read of a score is the same with its words and without."""

import json
import tracemalloc

from hypothesis import given
from hypothesis import strategies as st

from deepassay.results.condensed import Condenser
from deepassay.results.evidence import EvidenceItem, reading_of
from deepassay.runfile import StoredScore
from deepassay.runfile.shapes import check_shape
from deepassay.score import Cause, Score, Unscored, canonical_json, from_json, to_json

IDENTITY = {
    "protocol": "rubrics",
    "edition": "paper",
    "judges": [{"model": "offline"}],
    "repeats": 1,
}
READ = (
    *("counts", "pairs_by_rule", "released_counts", "released_stops", "page_classes", "funnel"),
    *("errors", "agreement", "baseline", "winner", "games", "consistent", "totals", "limits"),
    *("is_open", "lists_issues", "quirks", "not_asked", "item_count", "found_nothing"),
)
"""Everything that `Evidence` has, but for words: items by themselves, summary and visits."""

values = st.floats(allow_nan=False, allow_infinity=False)
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
pairs = st.none() | st.tuples(values, values)
scores = st.builds(
    Score, values, pairs, st.dictionaries(texts, st.none() | values), pairs, details=details
)
outcomes = scores | st.builds(Unscored, st.sampled_from(Cause), texts, details)


def whole(content):
    kept = json.loads(content.decode("utf-8", "surrogatepass"))
    check_shape("score", kept)
    return StoredScore(**kept)


def of_a_panel(own, judges):
    """The outcome with those of single judges in it."""
    kept = to_json(own)
    judged = {name: to_json(each) for name, each in judges.items()}
    return kept | {"details": {**kept["details"], "judges": judged}}


def body(outcome, agent="heron", identity=IDENTITY):
    place = {"protocol": "rubrics", "agent": agent, "task": "1", "sample": 1, "repeat": 0}
    score = {**place, "key": "k", "identity": identity, "record": {}, "outcome": outcome}
    return canonical_json(score).encode("utf-8", "surrogatepass")


def figures(outcome):
    """What figures are made of, with its types."""
    found = reading_of(outcome)
    own = [getattr(found.evidence, name) for name in READ]
    lines = [
        (
            *(item.key, item.axis, item.weight, item.mandatory, item.verdict, item.cause),
            *(item.of_rubric, item.score, item.depth, item.has("score"), item.has("verdict")),
        )
        for item in found.evidence.items
    ]
    judges = {name: (each.value, each.cause) for name, each in found.evidence.judges.items()}
    kept = {**to_json(outcome), "details": None}
    return repr((kept, own, lines, judges, list(found.parts.items())))


@given(st.lists(outcomes, min_size=1, max_size=3), st.dictionaries(texts, outcomes, max_size=2))
def test_figures_find_the_same_in_a_condensed_score(given_, judges):
    kept = [*map(to_json, given_), *(of_a_panel(each, judges) for each in given_)]
    condenser = Condenser({"rubrics": IDENTITY}, whole)
    for outcome in kept * 2:  # the second time they are shared
        found = condenser.read(body(outcome))
        assert found.place == ("rubrics", "heron", "1", 1, 0)
        assert figures(found.outcome) == figures(from_json(json.loads(canonical_json(outcome))))


def ranked(outcome):
    """What a ranking, a test of differences and their notices are made of."""
    found = reading_of(outcome)
    own = found.evidence
    open_ends = own.limits if own.is_open or own.judges else None
    judges = {
        name: (each.value, each.cause, each.evidence.is_open and each.evidence.limits)
        for name, each in own.judges.items()
    }
    counts = [each.evidence.counts is None for each in (found, *own.judges.values())]
    about = (own.agreement, own.baseline, own.pairs_by_rule, own.not_asked, own.is_open, open_ends)
    kept = {**to_json(outcome), "details": None, "parts": None}
    return repr((kept, judges, counts, about))


@given(st.lists(outcomes, min_size=1, max_size=3), st.dictionaries(texts, outcomes, max_size=2))
def test_a_ranking_finds_the_same_in_a_bare_score(given_, judges):
    kept = [*map(to_json, given_), *(of_a_panel(each, judges) for each in given_)]
    condenser = Condenser({"rubrics": IDENTITY}, whole, bare=True)
    for outcome in kept * 2:  # the second time they are shared
        found = condenser.read(body(outcome)).outcome
        assert ranked(found) == ranked(from_json(json.loads(canonical_json(outcome))))


def test_a_bare_score_takes_little_memory_whatever_was_said():
    condenser = Condenser({"rubrics": IDENTITY}, whole, bare=True)
    bodies = [
        body(
            to_json(
                Score(
                    number / 7,
                    (0.0, 1000.0),
                    {f"part {number} {each}": 1.0 for each in range(9)},
                    details={
                        "items": [{**CRITERION, "item": f"{number} {each}"} for each in range(9)],
                        "counts": {"pairs": number, "dead": number},
                        "low": number / 7,
                        "high": number / 7,
                        "open": False,
                    },
                )
            )
        )
        for number in range(2_000)
    ]
    tracemalloc.start()
    try:
        kept = [condenser.read(each) for each in bodies]
        assert tracemalloc.get_traced_memory()[0] / len(kept) < 600
    finally:
        tracemalloc.stop()


CRITERION = {
    "key": "c1",
    "item": "Names the price.",
    "score": 1.0,
    "justification": "It stands in the second line.",
    "axis": "Explicit Criteria",
    "weight": 5.0,
    "mandatory": True,
    "verdict": "Satisfied",
}
GRADED = to_json(Score(1.0, (0.0, 1.0), {"Explicit Criteria": 1.0}, details={"items": [CRITERION]}))


def test_only_the_first_score_of_an_agent_keeps_its_words_and_equal_items_are_held_once():
    condenser = Condenser({"rubrics": IDENTITY}, whole)
    first, second, third = (
        reading_of(condenser.read(body(GRADED, agent)).outcome).evidence.items
        for agent in ("heron", "heron", "heron")
    )
    assert first == (EvidenceItem.read(CRITERION),)
    assert second[0].item == second[0].reason == ""
    assert second[0] is third[0]


def test_equal_counts_are_held_once():
    condenser = Condenser({"rubrics": IDENTITY}, whole)
    counted = to_json(Score(0.5, details={"counts": {"pairs": 2}, "page_classes": {"ok": 2}}))
    first, second = (condenser.read(body(counted)).outcome.details for _ in range(2))
    assert first == second
    assert first["counts"] is second["counts"]
    assert first["page_classes"] is second["page_classes"]


def test_a_recipe_of_its_own_is_told():
    condenser = Condenser({"rubrics": IDENTITY}, whole)
    other = {**IDENTITY, "judges": [{"model": "openai:other"}]}
    assert condenser.read(body(GRADED, "onyx", other)).identity == other
    condenser.read(body(GRADED))
    assert condenser.read(body(GRADED)).identity is None
