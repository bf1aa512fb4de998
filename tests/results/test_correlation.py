import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from deepassay.results.correlation import pearson, spearman

pairs = st.lists(st.tuples(st.integers(0, 20), st.sampled_from([0.0, 0.5, 1.0])), max_size=40)


@settings(deadline=None, max_examples=100)
@given(pairs)
def test_both_are_those_of_scipy_also_with_ties(points):
    ours, theirs = ([float(pair[side]) for pair in points] for side in (0, 1))
    if min(len(set(ours)), len(set(theirs))) < 2:
        assert pearson(ours, theirs, len(points)) is None
        assert spearman(ours, theirs, len(points)) is None
        return
    wanted = stats.pearsonr(ours, theirs).statistic, stats.spearmanr(ours, theirs).statistic
    found = pearson(ours, theirs, len(points)), spearman(ours, theirs, len(points))
    assert [each.value for each in found] == pytest.approx(wanted, abs=1e-9)


def test_the_interval_is_for_so_many_trials():
    ours, theirs = [1.0, 2, 3, 4, 5, 6], [1.0, 3, 2, 5, 4, 6]
    wide, narrow = (pearson(ours, theirs, trials).interval for trials in (4, 6))
    assert wide.low < narrow.low < narrow.high < wide.high
    assert pearson(ours, theirs, 3).interval is None
