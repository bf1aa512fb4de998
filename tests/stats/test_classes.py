import numpy as np
import pytest

from deepassay.stats.classes import (
    agreement_by_class,
    class_figures,
    kappa,
    kappa_of_table,
    macro_f1,
)

YES, NO = "supported", "unsupported"
PAPER = [(YES, YES)] * 48 + [(YES, NO)] * 2 + [(NO, NO)] * 46 + [(NO, YES)] * 4


def test_each_class_of_the_peoples_labels_has_its_own_rate():
    """As in appendix D of DeepResearch Bench: 96 % of supported, 92 % of not supported."""
    found = agreement_by_class(PAPER)
    assert [(row.label, row.n, row.agreed, row.rate) for row in found.classes] == [
        (YES, 50, 48, 0.96),
        (NO, 50, 46, 0.92),
    ]
    assert (found.overall.n, found.overall.rate) == (100, 0.94)
    assert found.kappa == pytest.approx(0.88)


def test_kappa_is_zero_at_chance_and_one_in_full_agreement():
    assert kappa([(YES, YES), (YES, NO), (NO, YES), (NO, NO)]) == 0
    assert kappa([(YES, YES), (NO, NO)]) == 1
    assert kappa([(YES, YES)] * 3) is None


def test_a_label_that_only_the_judge_gives_is_no_class_but_counts_as_disagreement():
    found = agreement_by_class([(YES, YES), (YES, "unknown")])
    assert [row.label for row in found.classes] == [YES] and found.overall.agreed == 1


def test_without_labels_there_is_no_agreement():
    with pytest.raises(ValueError, match="at least one"):
        agreement_by_class([])


def test_kappa_is_that_of_cohen():
    assert kappa_of_table(np.array([[20.0, 5.0], [10.0, 15.0]])) == pytest.approx(0.4, abs=1e-12)
    assert kappa_of_table(np.array([[7.0, 0.0], [0.0, 0.0]])) is None
    assert kappa([]) is None


def test_kappa_is_scikit_learns():
    metrics = pytest.importorskip("sklearn.metrics")
    pairs = [(str(a), str(b)) for a, b in np.random.default_rng(5).integers(0, 4, (200, 2))]
    theirs = metrics.cohen_kappa_score(*zip(*pairs, strict=True))
    assert kappa(pairs) == pytest.approx(theirs, abs=1e-12)


def test_a_class_that_nobody_gives_is_left_out_or_counts_what_is_said():
    pairs = [("a", "a"), ("b", "a")]
    assert [each.f1 for each in class_figures(pairs, "abc")] == [pytest.approx(2 / 3), 0.0, None]
    assert macro_f1(pairs, "abc") == pytest.approx(1 / 3)
    assert macro_f1(pairs, "abc", absent=0.0) == pytest.approx(2 / 9)
    assert macro_f1([], "abc") is None
