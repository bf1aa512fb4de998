import json

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from deepassay.models.operation import OffMenu
from deepassay.protocols.checklist import ChecklistAnswer, paper_score
from deepassay.protocols.entries import check_complete


def verdicts(**scores):
    entries = {key: {"score": score, "justification": "why"} for key, score in scores.items()}
    return ChecklistAnswer.model_validate_json(json.dumps({"evaluations": entries}))


def test_the_score_is_the_share_of_items_met():
    items = {"q1": "first", "q2": "second", "q3": "third"}
    score = paper_score(verdicts(q3=0, q1=1, q2=1), items)
    assert score.value == 2 / 3 * 100
    assert score.bounds == (0, 100)
    assert score.tally == (2, 3)
    assert score.parts == {"Q1": 100, "Q2": 100, "Q3": 0}
    assert [item["item"] for item in score.details["items"]] == ["first", "second", "third"]
    assert score.details["items"][0] == {
        "key": "q1",
        "item": "first",
        "score": 1,
        "justification": "why",
    }


@given(st.lists(st.sampled_from([0, 1]), min_size=1, max_size=30))
def test_a_score_stays_in_its_range_and_counts_what_is_met(scores):
    keys = [f"q{i}" for i in range(len(scores))]
    score = paper_score(verdicts(**dict(zip(keys, scores, strict=True))), {k: k for k in keys})
    assert 0 <= score.value <= 100
    assert score.tally == (sum(scores), len(scores))


def test_one_may_be_written_with_a_decimal_point():
    assert verdicts(q1=1.0).evaluations["q1"].score == 1


@pytest.mark.parametrize("score", [True, False, 0.5, 2, -1, "1", None, [1]])
def test_nothing_but_0_and_1_is_on_the_menu(score):
    with pytest.raises(ValidationError):
        verdicts(q1=score)


@pytest.mark.parametrize("reason", ["", "  \n", None, 3])
def test_a_verdict_without_a_reason_is_refused(reason):
    entry = {"score": 1, "justification": reason}
    with pytest.raises(ValidationError):
        ChecklistAnswer.model_validate({"evaluations": {"q1": entry}})


def test_missing_and_unasked_items_are_named_to_the_judge():
    with pytest.raises(OffMenu, match=r"no verdict for q2; nobody asked for q9: .* of q1, q2$"):
        check_complete(verdicts(q1=1, q9=0).evaluations, ["q1", "q2"])
    check_complete(verdicts(q2=1, q1=0).evaluations, ["q1", "q2"])
