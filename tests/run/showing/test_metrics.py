"""What a run file says of its protocols, so that it is read where they are not installed."""

import json
from dataclasses import replace

import pytest

from deepassay.protocols import registry
from deepassay.results.explain import explain
from deepassay.results.ranking import rank
from deepassay.run.asking.evaluate import evaluate
from deepassay.run.showing import records, yardsticks
from deepassay.run.showing import replay as replaying
from deepassay.runfile import RunFile
from deepassay.score import Metric
from deepassay.wings.view.writing import write_page
from tests.asked import asked as asking

REPORT = "# Sky\n\nAir scatters blue light, because its molecules are small; {agent} says so.\n"


@pytest.fixture
def run(tmp_path):
    """A run file of pairs and of a checklist, scored offline."""
    rows = [{"id": "a", "prompt": "Why is the sky blue?", "checklist": ["Is air named?"]}]
    (tmp_path / "tasks.jsonl").write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    for agent in ("heron", "cuckoo"):
        (tmp_path / "reports" / agent).mkdir(parents=True)
        (tmp_path / "reports" / agent / "a.md").write_text(REPORT.format(agent=agent))
    evaluate(
        *asking(
            tmp_path / "tasks.jsonl",
            [tmp_path / "reports"],
            protocols=["coverage", "depth(baseline='cuckoo')", "ace(make=True)"],
            run=tmp_path / "run.assay",
        )
    )
    return tmp_path / "run.assay"


@pytest.fixture
def nothing_installed(monkeypatch):
    """No protocol can be had any more."""

    def forget():
        for module in (registry, yardsticks):
            monkeypatch.setattr(module, "installed", lambda name: None)

    return forget


def forget_metrics(path):
    with RunFile.create(path) as run:
        run._store.write([("DELETE FROM meta WHERE key='metrics'", [])])


def everything(path):
    """All judgements with their recipes, and a ranking."""
    found = records.records_of([path])
    return [replace(each, metric=None) for each in found], [
        (board.protocol, board.standings, board.recipes) for board in rank(found)
    ]


def test_a_run_is_read_the_same_where_its_protocols_are_not_installed(
    run, nothing_installed, tmp_path
):
    before = everything(run)
    assert {each.metric.title for each in records.records_of([run])} == {
        "Coverage & Comprehensiveness",
        "Analysis Depth",
        "Adaptive checklist",
    }
    nothing_installed()
    assert everything(run) == before
    assert "Is air named?" in explain(before[0], "heron", "a", "coverage")
    assert write_page([run], tmp_path / "page.html").size > 1000


def test_an_older_run_file_is_read_with_the_protocols_that_are_installed(run):
    before = everything(run)
    forget_metrics(run)
    with RunFile.read(run) as file:
        assert file.metrics() == {}
    assert everything(run) == before


def test_of_what_neither_the_file_nor_we_know_there_is_the_name(run, nothing_installed):
    forget_metrics(run)
    nothing_installed()
    found = records.records_of([run])
    assert all(each.metric == Metric(each.protocol) for each in found)
    assert len(rank(found)) == 3


def test_replay_says_what_it_cannot_compute_and_computes_the_rest(run, monkeypatch):
    known = registry.installed
    monkeypatch.setattr(
        yardsticks, "installed", lambda name: None if name == "coverage" else known(name)
    )
    with RunFile.read(run) as file:
        done = replaying.replay(file)
    assert (done.same, done.different, done.proved) == (3, (), False)
    (said,) = done.problems()
    assert said == (
        "not computed: 2 outcomes of coverage, a protocol that is not installed "
        "(deepassay.protocols.coverage:Coverage). Install its package, or name it with "
        "--protocol module:Class."
    )


def test_a_description_comes_back_and_a_later_version_may_say_more():
    metric = Metric("toy", "A toy", bounds=(0.0, 1.0), roles=("judge", "maker"), basis={"x": "1"})
    kept = json.loads(json.dumps(metric.to_json()))
    assert Metric.from_json("toy", {**kept, "colour": "green"}) == metric
