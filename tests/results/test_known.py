"""When the numbers of a ranking are trusted."""

import pytest

from deepassay.results.known import KnownOfJudge, why_not_trusted
from deepassay.score import NOBODY, Signature
from deepassay.stats.intervals import Interval

JUDGED = Signature({"judges": [{"model": "x"}]})
READ_OFF = Signature({"judges": [dict(NOBODY)]})
SURE = KnownOfJudge("sure", error=Interval(0.02, 0.2))


@pytest.mark.parametrize(
    "recipes, known, why",
    [
        ([READ_OFF], [], ""),
        ([JUDGED], [SURE], ""),
        ([JUDGED], [], "what is known of its judge is not how often it errs"),
        ([JUDGED], [KnownOfJudge("audit of today")], "not how often it errs"),
        ([JUDGED], [SURE, KnownOfJudge("audit", faults=True)], "an audit found faults"),
        ([JUDGED], [SURE, KnownOfJudge("audit", faults=True, stale=True)], ""),
        ([JUDGED], [KnownOfJudge("old", error=Interval(0, 0.1), stale=True)], "is stale"),
        ([JUDGED], [KnownOfJudge("few", error=Interval(0.02, 0.3))], "people in 30.0 %, and 25.0"),
        ([JUDGED, READ_OFF], [SURE], "several recipes are mixed"),
    ],
)
def test_trust_asks_for_a_shown_error_and_no_fault(recipes, known, why):
    found = why_not_trusted(recipes, known)
    assert why in found
    assert bool(found) == bool(why)


def test_more_may_be_tolerated_or_less():
    assert not why_not_trusted([JUDGED], [SURE], 0.2)
    assert why_not_trusted([JUDGED], [SURE], 0.19)
