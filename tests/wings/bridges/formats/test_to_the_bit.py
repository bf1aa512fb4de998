"""Random runs as JUnit and as logs of Inspect: every figure comes out to the bit.

The other formats have this test beside their own; `python -m benchmarks.formats` does it a hundred
times, with other people's readers.
"""

import math
from pathlib import Path
from xml.etree import ElementTree

import pytest

from deepassay.results.ranking import rank
from deepassay.run.showing.boards import read_scores
from deepassay.run.showing.records import records_of
from deepassay.score import Score
from tests.wings.bridges.formats.random_runs import random_run


@pytest.fixture(params=[5, 8])
def run(request, tmp_path):
    random_run(tmp_path / "r.assay", request.param)
    return tmp_path / "r.assay"


def values(run):
    return sorted(
        float(each.outcome.value).hex()
        for each in records_of([run])
        if isinstance(each.outcome, Score)
    )


def test_junit(deepassay, run):
    done = deepassay("export", run, "--format", "junit", "-o", "junit.xml")
    assert done.returncode == 0, done.stderr
    found = ElementTree.parse("junit.xml").iter("property")
    assert sorted(float(each.get("value")).hex() for each in found) == values(run)


def test_logs_of_inspect(deepassay, run):
    log = pytest.importorskip("inspect_ai.log")
    done = deepassay("export", run, "--format", "eval", "-o", "logs")
    assert done.returncode == 0, done.stderr
    means, scores = [], []
    for path in Path("logs").glob("*.eval"):
        read = log.read_eval_log(str(path))
        first = read.results.scores[0]
        means += [each.value.hex() for name, each in first.metrics.items() if name == "mean"]
        for sample in read.samples:
            (score,) = sample.scores.values()
            value = score.value["overall"] if isinstance(score.value, dict) else score.value
            if not math.isnan(value):
                scores.append(float(value).hex())
    assert sorted(scores) == values(run)
    assert sorted(means) == sorted(
        row.summary.mean.hex()
        for board in rank(read_scores([run]))
        for row in board.standings
        if row.summary.mean is not None
    )
