"""A real cluster of two nodes: the rows of one process, whatever is killed or stops."""

from __future__ import annotations

import json
import os
import shlex
import signal
import socket
import subprocess
import sys
import threading
import time

import psutil
import pytest

from deepassay.errors import Notice
from deepassay.reports.report import Report
from deepassay.runfile import RunFile
from tests.docs.markdown import REPOSITORY, blocks
from tests.extras.ray.crew import at_request, local, rows
from tests.judging import verdicts
from tests.loopback import FakeJudge
from tests.run.kills import answers_in, exported, forking, rest, settings, within_a_minute
from tests.site import HTML, PAGE, Site, pdf

pytestmark = pytest.mark.ray
RATE = 6000.0


@pytest.fixture(scope="module")
def judge():
    with FakeJudge(verdicts, latency=0.01) as judge:
        yield judge


@pytest.fixture(scope="module")
def options(tmp_path_factory, judge):
    """A call costs a dollar, whatever comes of it."""
    folder = tmp_path_factory.mktemp("options")
    prices = folder / "prices.json"
    prices.write_text('{"openai:good": {"input": 0, "output": 10000}}', "utf-8")
    asked = {"base_url": judge.base_url, "prices": str(prices), "max_output": 100}
    return settings(folder, 2) | asked


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory, options, judge):
    """A run in one process, and how many calls it took."""
    path = tmp_path_factory.mktemp("local") / "run.assay"
    judge.requests.clear()
    local(options, path)
    return path, len(judge.requests)


@pytest.fixture
def there(cluster, judge):
    """What says where the cluster is; nothing has been asked, and no worker is left of before."""
    within_a_minute(lambda: not cluster.workers())
    judge.requests.clear()
    judge.peak = 0
    return {"engine": "ray", "address": cluster.address}


def test_a_cluster_leaves_the_rows_of_one_process_and_holds_the_rate(
    tmp_path, cluster, there, options, undisturbed, judge
):
    expected, calls = undisturbed
    path, began = tmp_path / "run.assay", time.monotonic()
    local(options, path, rate=RATE, **there)
    assert time.monotonic() - began >= (calls - 1) * 60 / RATE
    assert judge.peak <= options["max_connections"]
    assert rows(path) == rows(expected)
    assert exported(path) == exported(expected)
    assert not cluster.calls_outside
    socket.getaddrinfo("240.0.0.1", 9, flags=socket.AI_NUMERICHOST)  # which asks nobody
    assert {each.split()[-1] for each in cluster.calls_outside} == {"240.0.0.1"}


def test_pages_are_read_on_the_workers(tmp_path, there):
    """Text of HTML and of PDF, fetched from one site, where two workers want the same pages."""
    with Site() as site:
        site.pages["/html"] = (200, HTML, PAGE)
        site.pages["/pdf"] = (200, {"Content-Type": "application/pdf"}, pdf())
        claim = "The tide at Saint-Malo rises by up to twelve metres"
        text = f"{claim} [1]. {claim}, they say [2].\n\n## References\n\n" + "\n".join(
            f"[{number}] {site.url(each)}" for number, each in enumerate(("/html", "/pdf"), 1)
        )
        options = {
            "tasks": [{"id": each, "prompt": "How high is the tide?"} for each in "abcd"],
            "reports": [Report(text, "x", each) for each in "abcd"],
            "protocols": ["citation_accuracy"], "allow_host": [site.spec], "date": "2026-11-20",
        }  # fmt: skip
        local(options, tmp_path / "ray.assay", **there)
        assert site.hits == {"/html": 1, "/pdf": 1}
        local(options, tmp_path / "local.assay")
    found = rows(tmp_path / "ray.assay")
    assert found["captures"] == rows(tmp_path / "local.assay")["captures"]
    assert [json.loads(each)[2] for each in found["captures"]] == [None, None]


@pytest.mark.parametrize("loss", ["worker", "node"])
def test_what_is_lost_is_carried_out_by_others(
    tmp_path, cluster, there, options, undisturbed, judge, loss
):
    expected, calls = undisturbed

    def kill():
        judge.hold()  # calls are in flight until the workers of the node are gone
        gone = cluster.workers_of_node()
        cluster.kill_node() if loss == "node" else gone[0].kill()
        threading.Thread(target=release_without, args=[gone], daemon=True).start()

    def release_without(gone):
        # Those of a killed node may live on for a while; they can begin nothing.
        psutil.wait_procs(gone, timeout=8)
        judge.release()

    path = tmp_path / "run.assay"
    try:
        with at_request(judge, calls // 3, kill), pytest.warns(Notice, match="Lost on the way: w"):
            local(options, path, **there)
    finally:
        judge.release()
        cluster.mend()
    assert exported(path) == exported(expected)
    assert 0 <= len(judge.requests) - calls <= options["max_connections"]


def test_a_killed_driver_ends_its_workers_and_the_run_is_resumed(
    tmp_path, cluster, there, options, undisturbed, judge
):
    expected, calls = undisturbed
    path = tmp_path / "run.assay"
    with forking(options) as forker:
        child = forker.start(path, **there)
        assert forker.kill_at(lambda: len(judge.requests) >= calls // 3, child)
    within_a_minute(lambda: not cluster.workers())
    rest(judge)
    lost = len(judge.requests) - answers_in(path)
    assert 0 <= lost <= options["max_connections"]
    local(options, path)
    assert exported(path) == exported(expected)
    assert 0 <= len(judge.requests) - calls <= lost


def test_a_budget_ends_a_run_to_the_dollar_and_a_larger_one_goes_on(
    tmp_path, there, options, undisturbed, judge
):
    expected, _ = undisturbed
    path = tmp_path / "run.assay"
    summary = local(options, path, budget=20.0, **there)
    assert (summary.out_of_budget, summary.spent, len(judge.requests)) == (True, 20.0, 20)
    summary = local(options, path, budget=1000.0, **there)
    assert (summary.out_of_budget, summary.spent) == (False, len(judge.requests))
    assert len({each.raw for each in judge.requests}) == len(judge.requests)  # nothing twice
    assert exported(path) == exported(expected)


def test_the_commands_of_the_documents(tmp_path, cluster):
    """As a person types them; a signal to Ray is none to the shell, and its noise has a file."""
    (block,) = [
        each for each in blocks(REPOSITORY / "docs" / "scale.md") if "doctor --engine" in each.text
    ]
    (tmp_path / "examples").symlink_to(REPOSITORY / "examples")
    told = []
    for line in block.text.replace("auto", cluster.address).strip().splitlines():
        command = [sys.executable, "-m", *shlex.split(line)]
        done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr
        told.append(done)
    doctor, evaluated = told
    assert doctor.stdout.count("ray node") == 2
    assert "ask for a token" in doctor.stdout
    assert "Scored" in evaluated.stderr
    assert "ray" not in evaluated.stderr.replace("build/ray.assay", "").lower()


def test_the_signal_of_a_person_ends_it_in_good_order(tmp_path, cluster, there, options, judge):
    path = tmp_path / "run.assay"
    judge.hold()
    try:
        with forking(options) as forker:
            child = forker.start(path, **there)
            within_a_minute(lambda: judge.busy == options["max_connections"])
            os.kill(child, signal.SIGTERM)
            judge.release()
            assert forker.status() == 1  # not all is done
    finally:
        judge.release()
    with RunFile.read(path) as run:  # what was in flight has ended, and is kept
        assert sum(run.attempts().values()) == len(judge.requests)
