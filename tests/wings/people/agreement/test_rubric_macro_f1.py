import json
from statistics import fmean

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from deepassay.wings.people.agreement.rubrics import (
    CLASSES,
    class_figures_of_rubrics,
    macro_f1_of_rubrics,
    released_macro_f1,
)
from tests.results.rubrics import N, P, S

SCALES = ("ternary", "binary")


@pytest.fixture(scope="module")
def golden(shared):
    return json.loads((shared / "golden/rubrics/macro_f1.json").read_text())


@pytest.mark.parametrize("scale", SCALES)
def test_golden_tasks_agree_with_edition_code(golden, scale):
    assert len(golden["per_task"]) == 34
    for vector in golden["per_task"]:
        wanted = vector["official"]
        if "error" in wanted:
            with pytest.raises(ValueError, match="at least one"):
                released_macro_f1(vector["true"], vector["pred"], scale)
        else:
            found = released_macro_f1(vector["true"], vector["pred"], scale)
            assert found == pytest.approx(wanted[scale], rel=0, abs=1e-12), vector["id"]


@pytest.mark.parametrize("scale", SCALES)
def test_golden_agents_agree_with_edition_code(golden, scale):
    for vector in golden["model_level"]:
        by_task, mean = vector["official"][scale]
        found = [
            released_macro_f1(people, judge, scale)
            # Tasks are paired by position too, and those of the longer side dropped.
            for people, judge in zip(vector["gt"], vector["pred"], strict=False)
        ]
        assert found == pytest.approx(by_task, rel=0, abs=1e-12)
        assert fmean(found) == pytest.approx(mean, rel=0, abs=1e-12)


def test_a_class_that_no_one_gives_is_left_out_here_and_counts_0_there():
    assert macro_f1_of_rubrics([(S, S)] * 2, "ternary") == 1
    assert released_macro_f1([S, S], [S, S], "ternary") == pytest.approx(1 / 3)
    assert macro_f1_of_rubrics([], "binary") is None


def test_precision_recall_and_f1_of_a_class():
    pairs = [(S, S), (S, S), (S, N), (N, S), (P, S)]
    satisfied, partial, _ = class_figures_of_rubrics(pairs, "ternary")
    assert (satisfied.tp, satisfied.fp, satisfied.fn) == (2, 2, 1)
    assert (satisfied.precision, satisfied.recall) == (1 / 2, 2 / 3)
    assert satisfied.f1 == pytest.approx(4 / 7)
    assert (partial.precision, partial.recall, partial.f1) == (None, 0, 0)


def test_binary_takes_partly_for_not_on_both_sides():
    assert macro_f1_of_rubrics([(P, N), (N, P), (S, S)], "binary") == 1


verdicts = st.lists(st.tuples(*[st.sampled_from([S, P, N, "Error"])] * 2), min_size=1, max_size=40)


@settings(deadline=None, max_examples=40)
@given(verdicts, st.sampled_from(SCALES))
def test_the_arithmetic_is_the_one_of_scikit_learn(pairs, scale):
    metrics = pytest.importorskip("sklearn.metrics")
    collapse = {P: N} if scale == "binary" else {}
    people, judge = (
        [collapse.get(each, each) for each in side] for side in zip(*pairs, strict=True)
    )
    labels = list(CLASSES[scale])
    wanted = metrics.f1_score(people, judge, labels=labels, average="macro", zero_division=0)
    assert released_macro_f1(*zip(*pairs, strict=True), scale) == pytest.approx(wanted)
    by_class = metrics.precision_recall_fscore_support(
        people, judge, labels=labels, average=None, zero_division=0
    )
    for figures, precision, recall, f1, support in zip(
        class_figures_of_rubrics(pairs, scale), *by_class, strict=True
    ):
        # Where scikit-learn puts 0 for what does not exist, ours is None.
        said, given_ = figures.tp + figures.fp, figures.tp + figures.fn
        assert given_ == support
        assert figures.precision == (pytest.approx(precision) if said else None)
        assert figures.recall == (pytest.approx(recall) if given_ else None)
        assert figures.f1 == (pytest.approx(f1) if said + given_ else None)


@settings(deadline=None, max_examples=40)
@given(verdicts, st.sampled_from(SCALES), st.randoms(use_true_random=False))
def test_full_agreement_is_1_and_order_does_not_matter(pairs, scale, shuffler):
    shuffled = pairs[:]
    shuffler.shuffle(shuffled)
    assert macro_f1_of_rubrics(shuffled, scale) == macro_f1_of_rubrics(pairs, scale)
    same = [(person, person) for person, _ in pairs if person != "Error"]
    assert macro_f1_of_rubrics(same, scale) == (1 if same else None)
