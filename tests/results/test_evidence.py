"""Details of scores as types: what was given comes back, and nothing besides."""

import pytest

from deepassay.errors import BadInput
from deepassay.results.evidence import (
    EvidenceItem,
    OutcomeEvidence,
    ReportPlace,
    panel_then_judges,
    reading_of,
)
from deepassay.score import Cause, Score, Unscored, to_json
from tests.results.judgements import make


def test_an_item_is_written_with_the_fields_that_were_given():
    place = ReportPlace(line=3, column=1, message="here")
    item = EvidenceItem(key="p1", item="cites", score=1, cause=None, places=(place,))
    kept = item.to_json()
    assert kept == {
        "key": "p1",
        "item": "cites",
        "score": 1,
        "cause": None,
        "places": [{"line": 3, "column": 1, "message": "here"}],
    }
    assert isinstance(kept["score"], int)
    assert EvidenceItem.read(kept) == item
    assert (item.has("cause"), item.has("verdict")) == (True, False)


def test_fields_of_one_protocol_are_passed_over_and_missing_ones_have_defaults():
    item = EvidenceItem.read({"key": 7, "opening": "The page begins"})
    assert (item.key, item.item, item.depth, item.of_rubric) == ("7", "", 0, False)


def test_what_cannot_be_read_is_told_with_its_place():
    with pytest.raises(BadInput, match="score"):
        _ = OutcomeEvidence({"items": [{"key": "p1", "score": "high"}]}).items


def test_a_panel_is_read_judge_by_judge():
    one, other = Score(1.0, (0.0, 1.0), {"P1": 1.0}), Unscored(Cause.TIMEOUT, "late")
    panel = {"one": to_json(one), "other": to_json(other)}
    record = make("heron", "a", Score(1.0, details={"judges": panel}))
    found = dict(panel_then_judges(record))
    assert (found["one"].value, found["one"].parts) == (1.0, {"P1": 1.0})
    assert (found["other"].value, found["other"].cause) == (None, Cause.TIMEOUT)
    assert [*found] == ["", "one", "other"]


def test_details_without_an_entry_have_none():
    evidence = reading_of(Score(0.5)).evidence
    assert (evidence.items, evidence.found_nothing, evidence.limits) == ((), False, None)
    assert (evidence.counts, evidence.games, evidence.totals, evidence.winner) == (None,) * 4
    assert OutcomeEvidence({"totals": {"target": 1.0}}).totals is None
    assert OutcomeEvidence({"items": []}).found_nothing
