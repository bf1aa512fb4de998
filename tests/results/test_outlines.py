"""What rankings and figures read of a score is the same with its words and without."""

import json
import tracemalloc

from hypothesis import example, given
from hypothesis import strategies as st

from deepassay.results.evidence import EvidenceItem, reading_of
from deepassay.results.outlines import READ, Extent, Outlines
from deepassay.runfile.columns import InColumns
from deepassay.runfile.rows import without_nan
from deepassay.score import Score, canonical_json, from_json, to_json
from tests.runfile.outcomes import IDENTITY, of_a_panel, outcomes, texts

READS = (
    *("counts", "pairs_by_rule", "released_counts", "released_stops", "page_classes", "funnel"),
    *("errors", "agreement", "baseline", "winner", "games", "consistent", "totals", "limits"),
    *("is_open", "lists_issues", "quirks", "not_asked", "item_count", "found_nothing"),
)
"""Everything that `Evidence` has, but for words: items by themselves, summary and visits."""


def as_kept(outcome):
    """Plain JSON, as a run file has it."""
    return json.loads(canonical_json(without_nan(outcome)))


class Read:
    """Outcomes put in columns and made of them again, as one file's are."""

    def __init__(self, extent):
        self._names = READ[extent]
        self._shared = {}
        self._outlines = Outlines(extent, self._shared)

    def __call__(self, outcome):
        """What is read of an outcome; that itself where it is kept whole."""
        kept = {"outcome": as_kept(outcome), "identity": IDENTITY, "record": {}}
        found = InColumns.of(kept, 0)
        if "recipe" not in found.columns:
            return from_json(kept["outcome"])
        self._shared.update({name: json.loads(text) for name, text in found.shared.items()})
        columns = [[found.columns.get(name)] * 2 for name in self._names]
        first, second = self._outlines.of(["rubrics"] * 2, ["heron"] * 2, columns)
        return first or second  # of the first that has items the words are quoted


def figures(outcome):
    """What figures are made of, with its types."""
    found = reading_of(outcome)
    own = [getattr(found.evidence, name) for name in READS]
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
def test_figures_find_the_same_without_words(given_, judges):
    kept = [*map(to_json, given_), *(of_a_panel(each, judges) for each in given_)]
    read = Read(Extent.FIGURES)
    for outcome in kept * 2:  # the second time they are shared
        assert figures(read(outcome)) == figures(from_json(as_kept(outcome)))


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


@example([Score(0.0, tally=(0.0, -0.0))], {})  # no column takes -0.0
@given(st.lists(outcomes, min_size=1, max_size=3), st.dictionaries(texts, outcomes, max_size=2))
def test_a_ranking_finds_the_same_in_numbers(given_, judges):
    kept = [*map(to_json, given_), *(of_a_panel(each, judges) for each in given_)]
    read = Read(Extent.RANKS)
    for outcome in kept * 2:  # the second time they are shared
        assert ranked(read(outcome)) == ranked(from_json(as_kept(outcome)))


def test_the_numbers_of_a_score_take_little_memory_whatever_was_said():
    kept = [
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
        for number in range(200)
    ]
    assert any(_taken(kept) < 600 for _ in range(3))  # threads of other tests allocate as well


def _taken(kept):
    """Bytes that what is read of an outcome for ranks takes."""
    read = Read(Extent.RANKS)
    read(kept[0])  # what is made once is not counted
    tracemalloc.start()
    try:
        found = [read(each) for each in kept]
        return tracemalloc.get_traced_memory()[0] / len(found)
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


def test_equal_items_are_held_once_and_have_no_words():
    read = Read(Extent.FIGURES)
    first, second = (reading_of(read(GRADED)).evidence.items for _ in range(2))
    assert first == (EvidenceItem.read({n: v for n, v in CRITERION.items() if n not in WORDS}),)
    assert first[0] is second[0]


WORDS = ("item", "justification")
