"""A real cluster of two nodes: the rows of one process, whatever is killed."""

from __future__ import annotations

import pytest

from tests.extras.ray.crew import local, rows
from tests.judging import verdicts
from tests.loopback import FakeJudge
from tests.run.kills import exported, settings

pytestmark = pytest.mark.ray


@pytest.fixture(scope="module")
def judge():
    with FakeJudge(verdicts) as judge:
        yield judge


@pytest.fixture(scope="module")
def options(tmp_path_factory, judge):
    folder = tmp_path_factory.mktemp("options")
    return settings(folder, 1) | {"base_url": judge.base_url}


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory, options, judge):
    """A run in one process, and how many calls it took."""
    path = tmp_path_factory.mktemp("local") / "run.assay"
    judge.requests.clear()
    local(options, path)
    return path, len(judge.requests)


def test_a_cluster_leaves_the_rows_of_one_process(tmp_path, cluster, options, undisturbed):
    path = tmp_path / "run.assay"
    local(options, path, engine="ray", address=cluster.address)
    assert rows(path) == rows(undisturbed[0])
    assert exported(path) == exported(undisturbed[0])
    assert cluster.calls_outside == set()
