"""A real cluster of two nodes: the rows of one process, whatever is killed or stops."""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import time
from contextlib import contextmanager

import pytest

from deepassay.errors import BadReports, BadSetting, MissingExtra, Notice
from deepassay.reports.documents import convert
from deepassay.run.settings import Settings
from deepassay.runfile import RunFile
from deepassay.wings.bridges.ray.actor import RayLink
from deepassay.wings.bridges.ray.doctor import examine_cluster
from deepassay.wings.trials.auditing.audit_plan import AuditOrder, prepare
from deepassay.wings.trials.auditing.steps import audit
from tests import documents
from tests.loopback import FakeJudge
from tests.run.kills import (
    DEMO,
    calls_in,
    exported,
    forking,
    rest,
    settings,
    wait_until,
    wavering,
)
from tests.site import HTML, PAGE, Site, pdf
from tests.wings.bridges.ray.crew import at_request, local, rows

pytestmark = [pytest.mark.ray, pytest.mark.slow]
RATE = 6000.0


@pytest.fixture(scope="module")
def judge():
    with FakeJudge(wavering, latency=0.01) as judge:
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
def forker(options, cluster):
    with forking(options | {"engine": "ray", "address": cluster.address}) as forker:
        yield forker


@pytest.fixture
def there(cluster, judge):
    """What says where the cluster is; nothing has been asked, and no worker is left of before."""
    wait_until(lambda: not cluster.workers())
    judge.requests.clear()
    judge.peak = 0
    return {"engine": "ray", "address": cluster.address}


WRONG = {"RAY_AUTH_TOKEN": "0" * 64}
NONE = {"RAY_AUTH_MODE": "disabled"}
EMPTY = {"RAY_AUTH_TOKEN": ""}
EVALUATE = ["evaluate", str(DEMO / "tasks.jsonl"), str(DEMO / "reports"), "--date=2026-11-20"]


def test_what_is_wrong_with_a_token_is_said_and_nothing_is_lost(tmp_path, cluster, undisturbed):
    """The real commands, all at once, which Ray lets try once in place of twenty times."""
    cases = [
        (WRONG, EVALUATE, "deepassay: The cluster at {} refuses the token that it was given.", 2),
        (EMPTY, ["doctor"], "FAIL  ray: The cluster at {} lets nobody in without its token.", 1),
        (NONE, ["doctor"], "FAIL  ray: The cluster at {} refuses the token that it was given.", 1),
    ]
    runs = [tmp_path / f"{number}.assay" for number in range(len(cases))]
    children = []
    for run, (environment, command, _, _) in zip(runs, cases, strict=True):
        run.write_bytes(undisturbed[0].read_bytes())
        where = ["--engine=ray", f"--address={cluster.address}", f"--run={run}"]
        children.append(
            subprocess.Popen(
                ["deepassay", *command, *where],
                env=os.environ | {"RAY_NUM_REDIS_GET_RETRIES": "1"} | environment,
                stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
            )
        )  # fmt: skip
    ended = [(child.communicate(timeout=120)[0], child.returncode) for child in children]
    for (said, status), run, (environment, _, told, expected) in zip(
        ended, runs, cases, strict=True
    ):
        assert (told.format(cluster.address) in said, status) == (True, expected), said
        assert "Set RAY_AUTH_MODE=token and RAY_AUTH_TOKEN" in said
        assert "Traceback" not in said
        assert environment.get("RAY_AUTH_TOKEN") not in said.split()
        assert exported(run) == exported(undisturbed[0])


def test_doctor_tells_of_every_node(tmp_path, cluster):
    guarded, *nodes = examine_cluster(
        Settings(engine="ray", address=cluster.address, run=tmp_path / "run.assay")
    )
    assert "ask for a token" in guarded.says
    assert len(nodes) == 2
    assert all(each.fit for each in [guarded, *nodes])
    assert all("pypdfium2" in each.says for each in nodes)


def test_a_cluster_leaves_the_rows_of_one_process_and_holds_the_rate(
    tmp_path, cluster, there, judge, monkeypatch
):
    """Reports in Markdown, PDF and DOCX, whose pages are on a site that two workers read from."""
    options = DEMANDED | {"base_url": judge.base_url}
    with Site() as site:
        site.pages["/html"] = (200, HTML, PAGE)
        site.pages["/pdf"] = (200, {"Content-Type": "application/pdf"}, pdf())
        options |= {"reports": reports(tmp_path, site), "allow_host": [site.spec]}
        local(options, tmp_path / "local.assay")
        calls = len(judge.requests)
        judge.requests.clear()
        judge.peak = 0
        site.hits.clear()
        with monkeypatch.context() as patch:
            patch.setattr(convert, "convert_document", None)  # not here
            began = time.monotonic()
            local(options, tmp_path / "ray.assay", rate=RATE, **there)
        assert time.monotonic() - began >= (calls - 1) * 60 / RATE
        assert site.hits == {"/html": 1, "/pdf": 1}
    assert judge.peak <= options["max_connections"]
    found, expected = rows(tmp_path / "ray.assay"), rows(tmp_path / "local.assay")
    assert found == expected
    assert [json.loads(each)[2] for each in found["captures"]] == [None, None]
    with RunFile.read(tmp_path / "ray.assay") as run:
        converters = {
            each.agent: each.record.get("converter", "-").split("-")[0] for each in run.scores()
        }
    assert converters == {"heron": "pdf", "magpie": "docx", "cuckoo": ""}
    assert not cluster.calls_outside
    socket.getaddrinfo("240.0.0.1", 9, flags=socket.AI_NUMERICHOST)  # which asks nobody
    assert {each.split()[-1] for each in cluster.calls_outside} == {"240.0.0.1"}


def test_an_audit_on_a_cluster_has_the_figures_of_one_process(tmp_path, options, there, judge):
    order = AuditOrder(changes=("drop-section", "pad-100", "signed"))

    def audited(name, **more):
        given = {**options, "protocols": ["race"], **more, "run": tmp_path / name}
        ready = prepare(given.pop("tasks"), given.pop("reports"), Settings(**given), order)
        judge.requests.clear()
        return audit(ready).kept, len(judge.requests)

    here, asked = audited("local.assay")
    assert all(row.judged for row in here.judges[0].rows)
    assert audited("ray.assay", workers=1, **there) == (here, asked)


CLAIM = "The tide at Saint-Malo rises by up to twelve metres"
DEMANDED = {
    "tasks": [{"id": each, "prompt": "How high is the tide?"} for each in "ab"],
    "protocols": ["citation_accuracy", "presentation"],
    "judges": ["openai:good"],
    "allow_unpriced": True,
    "max_connections": 5,
    "date": "2026-11-20",
}


def reports(folder, site):
    """Two answers of three agents each, one writing PDF, one DOCX and one Markdown."""
    urls = site.url("/html"), site.url("/pdf")
    page = documents.Page()
    across = page.text(page.text(72, 740, f"{CLAIM} "), 740, "[1]", url=urls[0])
    page.text(page.text(across, 740, " and "), 740, "[2]", url=urls[1])
    word = documents.docx(
        documents.paragraph(f"{CLAIM} ", documents.link("[1]", 1), " ", documents.link("[2]", 2)),
        links=urls,
    )
    text = f"{CLAIM} [1]({urls[0]}) [2]({urls[1]}).\n".encode()
    files = {
        "heron": (documents.pdf(page), "pdf"),
        "magpie": (word, "docx"),
        "cuckoo": (text, "md"),
    }
    for agent, (body, ending) in files.items():
        (folder / "reports" / agent).mkdir(parents=True)
        for task in "ab":
            (folder / "reports" / agent / f"{task}.{ending}").write_bytes(body)
    return str(folder / "reports")


def test_documents_that_cannot_be_converted_are_refused_in_the_words_of_one_process(
    tmp_path, there, monkeypatch
):
    files = {
        "no.pdf": b"no PDF", "locked.docx": b"\xd0\xcf\x11\xe0" + b"x" * 600,
        "large.pdf": b"%PDF" + b"x" * 2000, "blank.html": b"<p> </p>",
    }  # fmt: skip
    monkeypatch.setattr(convert, "MOST_BYTES", 1000)
    for name, body in files.items():
        (tmp_path / "x").mkdir(exist_ok=True)
        (tmp_path / "x" / name).write_bytes(body)

    def told(**more):
        with pytest.raises(BadReports) as error:
            local(DEMANDED | {"reports": str(tmp_path / "x")}, tmp_path / "run.assay", **more)
        return error.value.problem, error.value.remedy

    assert (found := told(**there)) == told()
    assert all(name in found[0] for name in files)


@pytest.mark.parametrize(
    ("needed", "other", "refusal", "told"),
    [
        ("NEEDED", {"pdf": "nothing"}, MissingExtra, "reading PDF needs an optional part"),
        ("REVISION", 0, BadSetting, "converted by pdf-1 .* on .*, and by pdf-0 .* here"),
    ],
)
def test_a_document_is_not_converted_by_another_library_than_here(
    tmp_path, there, monkeypatch, needed, other, refusal, told
):
    (tmp_path / "x").mkdir()
    page = documents.Page()
    page.text(72, 740, CLAIM)
    (tmp_path / "x" / "a.pdf").write_bytes(documents.pdf(page))
    monkeypatch.setattr(convert, needed, other)
    with pytest.raises(refusal, match=told):
        local(DEMANDED | {"reports": str(tmp_path / "x")}, tmp_path / "run.assay", **there)


def test_a_budget_ends_a_run_to_the_dollar_and_a_larger_one_goes_on_though_a_worker_is_killed(
    tmp_path, cluster, there, options, undisturbed, judge
):
    expected, calls = undisturbed
    path = tmp_path / "run.assay"
    summary = local(options, path, budget=20.0, **there)
    assert (summary.out_of_budget, summary.spent, len(judge.requests)) == (True, 20.0, 20)
    with killing(judge, calls // 3, cluster.kill_worker):
        summary = local(options, path, budget=1000.0, **there)
    assert not summary.out_of_budget
    # A call that a kill cut off counts, whether it had left or not.
    assert 0 <= summary.spent - 20 - len(judge.requests) <= options["max_connections"]
    assert exported(path) == exported(expected)
    assert 0 <= 20 + len(judge.requests) - calls <= options["max_connections"]


@contextmanager
def killing(judge, number, kill):
    """Kill when so many calls have come in; those in flight wait until the driver knows of it."""
    buried = RayLink.kill

    def act():
        judge.hold()
        kill()

    def noticed(link):
        buried(link)
        judge.release()

    with (
        pytest.MonkeyPatch.context() as patch,
        at_request(judge, number, act),
        pytest.warns(Notice, match="Lost on the way: w"),
    ):
        patch.setattr(RayLink, "kill", noticed)
        yield


def test_a_killed_driver_ends_its_workers_and_a_signal_ends_the_next_in_good_order(
    tmp_path, cluster, there, options, undisturbed, judge, forker
):
    expected, calls = undisturbed
    path = tmp_path / "run.assay"
    child = forker.start(path, workers=1)
    assert forker.kill_at(lambda: len(judge.requests) >= calls // 3, child)
    wait_until(lambda: not cluster.workers())
    rest(judge)
    lost = len(judge.requests) - calls_in(path)
    assert 0 <= lost <= options["max_connections"]

    judge.hold()
    try:
        child = forker.start(path, workers=1)
        wait_until(lambda: judge.busy == options["max_connections"])
        os.kill(child, signal.SIGTERM)
    finally:
        judge.release()
    assert forker.status() == 1  # not all is done
    assert calls_in(path) == len(judge.requests) - lost  # what was in flight has ended
    local(options, path)
    assert exported(path) == exported(expected)
    assert 0 <= len(judge.requests) - calls <= lost


def test_what_a_lost_node_had_is_carried_out_by_another(
    tmp_path, cluster, there, options, undisturbed, judge
):
    """The last of the module: the node stays lost."""
    expected, calls = undisturbed
    with killing(judge, calls // 3, cluster.kill_other):
        local(options, tmp_path / "run.assay", **there)
    assert exported(tmp_path / "run.assay") == exported(expected)
    assert 0 <= len(judge.requests) - calls <= options["max_connections"]
