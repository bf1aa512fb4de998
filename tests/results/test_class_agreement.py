import pytest

from deepassay.results.class_agreement import agreement_by_class, cohens_kappa

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
    assert cohens_kappa([(YES, YES), (YES, NO), (NO, YES), (NO, NO)]) == 0
    assert cohens_kappa([(YES, YES), (NO, NO)]) == 1
    assert cohens_kappa([(YES, YES)] * 3) is None


def test_a_label_that_only_the_judge_gives_is_no_class_but_counts_as_disagreement():
    found = agreement_by_class([(YES, YES), (YES, "unknown")])
    assert [row.label for row in found.classes] == [YES] and found.overall.agreed == 1


def test_without_labels_there_is_no_agreement():
    with pytest.raises(ValueError, match="at least one"):
        agreement_by_class([])
