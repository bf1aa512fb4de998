"""Judges of planted faults put on trial over HTTP, and what becomes of an audit that is stopped."""

from __future__ import annotations

import json
import math
import shutil
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from deepassay.errors import BadReports, BadSetting
from deepassay.models.batches import batchers
from deepassay.models.batches.interface import Pacing
from deepassay.run.settings import Settings
from deepassay.run.showing.merging import merge
from deepassay.run.showing.replay import replay
from deepassay.runfile import Capture, RunFile
from deepassay.wings.trials.auditing.audit_file import AuditFile, AuditRow, Bias, JudgeAudit
from deepassay.wings.trials.auditing.audit_plan import AuditOrder, Prepared, prepare
from deepassay.wings.trials.auditing.steps import audit, of_run
from tests.batching import FakeBatches
from tests.captured import keep
from tests.loopback import FakeJudge
from tests.marking import FINDING, MarkingJudge

TASKS = 12
AGENTS = ("heron", "magpie")
RACE = "race(dimension_weights=False, criteria='static')"
CHANGES = ("drop-section", "pad-100", "address-judge", "signed")


def text_of(agent: str, task: int) -> str:
    """Four findings, each with a claim that its page makes word for word."""
    sections = [
        f"## {FINDING} {at}\n\nIn part {at} of town {task} some {100 * at + task} storms were "
        f"counted by {agent} [{at}]. The archive is kept in the tower of the old town hall, where "
        "the clerk has noted the weather every morning since the bridge was built."
        for at in range(1, 5)
    ]
    links = [f"[{at}] https://town.example/{task}/{at}" for at in range(1, 5)]
    return "\n\n".join([f"# Storms of town {task}", *sections, "## Sources", *links]) + "\n"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two agents on twelve tasks, one the reference, and the pages that both cite."""
    folder = tmp_path_factory.mktemp("set")
    tasks = [{"id": f"t{at}", "prompt": f"How many storms in town {at}?"} for at in range(TASKS)]
    (folder / "tasks.jsonl").write_text("\n".join(map(json.dumps, tasks)))
    for agent in AGENTS:
        rows = [{"id": f"t{at}", "article": text_of(agent, at)} for at in range(TASKS)]
        (folder / f"{agent}.jsonl").write_text("\n".join(map(json.dumps, rows)))
    with RunFile.create(folder / "pages.assay") as pages:
        keep(
            pages,
            *(
                Capture(
                    f"https://town.example/{task}/{at}",
                    "2026-05-04T00:00:00Z",
                    "direct",
                    text=f"In part {at} of town {task} some {100 * at + task} storms were "
                    f"counted by heron.\n",
                )
                for task in range(TASKS)
                for at in range(1, 5)
            ),
        )
    return folder


def prepared(folder: Path, base_url: str, run: Path, **given: Any) -> Prepared:
    order = AuditOrder(**({"changes": CHANGES} | given.pop("order", {})))
    settings = {
        "judge": ["openai:marking"],
        "protocols": [RACE],
        "reference": str(folder / "magpie.jsonl"),
        "base_url": base_url,
        "allow_unpriced": True,
        "date": "2026-05-04",
        "offline_sources": True,
        "snapshots": folder / "pages.assay",
        "run": run,
    }
    return prepare(
        folder / "tasks.jsonl", [folder / "heron.jsonl"], Settings(**settings | given), order
    )


ONE = {"changes": CHANGES[:1]}
"""Where it matters only that there are copies."""


def tried(judge: MarkingJudge, folder: Path, run: Path, **given: Any) -> JudgeAudit:
    with FakeJudge(judge) as server:
        done = audit(prepared(folder, server.base_url, run, **given))
    assert done.kept is not None
    (found,) = done.kept.judges
    return found


def bias(audit: JudgeAudit, kind: str) -> Bias:
    return next(each for each in audit.biases if each.kind == kind)


def row(audit: JudgeAudit, change: str, metric: str = "score") -> AuditRow:
    return next(r for r in audit.rows if (r.perturbation, r.metric) == (change, metric))


@dataclass(frozen=True)
class Honest:
    """An audit of a judge without a fault, whose service still answers."""

    ready: Prepared
    kept: AuditFile
    server: FakeJudge
    asked: int


@pytest.fixture(scope="module")
def honest(folder: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Honest]:
    with FakeJudge(MarkingJudge()) as server:
        ready = prepared(folder, server.base_url, tmp_path_factory.mktemp("honest") / "a.assay")
        done = audit(ready)
        assert done.kept is not None
        yield Honest(ready, done.kept, server, len(server.requests))


def test_an_honest_judge_notices_and_nothing_else_moves_it(honest):
    (found,) = honest.kept.judges
    dropped = row(found, "drop-section")
    assert (dropped.judged, dropped.fell, dropped.verdict) == (TASKS, TASKS, "noticed")
    assert dropped.standout is not None and dropped.standout.share == 1.0
    assert not any(each.shown for each in found.biases)
    assert {each.verdict for each in found.rows if each.expects not in ("lower",)} <= {
        "equal",
        "no gain",
    }
    assert "noticed 100 % (95 % interval 76 to 100 %) of dropped sections" in found.sentence
    assert found.noise is not None and 0 < found.noise.deviation < 0.01


FAULTY = {
    # Beside a reference of 5, a fifth of a mark more than 5 is .0098 of the share.
    "nothing noticed": (
        MarkingJudge(notice=0),
        "drop-section",
        lambda audit: row(audit, "drop-section").verdict,
        "not shown",
    ),
    "length": (
        MarkingJudge(length=0.4), "pad-100", lambda audit: bias(audit, "length").value, 0.0190
    ),
    "first place": (
        MarkingJudge(first=0.2), "pad-100", lambda audit: bias(audit, "place").value, 0.0196
    ),
    "own name": (
        MarkingJudge(own=0.4), "signed", lambda audit: bias(audit, "author").value, 0.0192
    ),
    "plea": (
        MarkingJudge(plea=0.4), "address-judge",
        lambda audit: row(audit, "address-judge").mean, 0.0192,
    ),
}  # fmt: skip
"""A judge, the change that brings its fault to light, the figure of it, and its size."""


@pytest.mark.parametrize("fault", FAULTY)
def test_a_planted_fault_is_found_at_its_size(fault, folder, tmp_path):
    """Beside another change, for which its figure could be taken."""
    judge, change, figure, planted = FAULTY[fault]
    changes = dict.fromkeys([change, "address-judge" if fault == "nothing noticed" else CHANGES[0]])
    found = tried(judge, folder, tmp_path / "a.assay", order={"changes": tuple(changes)})
    value = figure(found)
    if isinstance(planted, str):
        assert value == planted
    else:
        assert value == pytest.approx(planted, abs=0.002)
        shown = {each.kind for each in found.biases if each.shown}
        gained = {each.perturbation for each in found.rows if each.verdict in ("gained", "moved")}
        kind = {"length": "length", "first place": "place", "own name": "author"}.get(fault)
        assert kind in shown if kind else "address-judge" in gained


@pytest.mark.parametrize("links", [0, 60])
def test_the_slope_is_of_the_text_that_the_judge_was_sent(links, folder, tmp_path):
    """Of a list that is longer than the text the judge sees nothing: doublings of the whole report
    would make the slope .058 in place of .018."""
    long = tmp_path / "set"
    shutil.copytree(folder, long)
    rows = [
        {"id": f"t{at}", "article": text_of("heron", at) + listed(at, links)} for at in range(TASKS)
    ]
    (long / "heron.jsonl").write_text("\n".join(map(json.dumps, rows)))
    judge = MarkingJudge(length=0.4)
    order = {"changes": ("pad-25", "pad-50", "pad-100")}
    found = tried(judge, long, tmp_path / "a.assay", order=order)
    length = bias(found, "length")
    assert length.shown and length.interval is not None
    low, high = length.interval
    assert low <= planted(judge) <= high, (length.value, planted(judge))
    assert high - low < 0.004


def listed(task: int, links: int) -> str:
    """More of the list of references, each with a title."""
    title = "Yearbook of the weather office, tables of storms by month and by district, volume"
    return "".join(
        f"[{at}] {title} {at}. https://office.example/{task}/{at}\n" for at in range(5, 5 + links)
    )


def planted(judge: MarkingJudge) -> float:
    """Points of RACE for a doubling, without noise, over the texts that the judge was sent.

    Those of magpie are the references, which are never padded.
    """
    lengths = {name: [len(each) for each in judge.seen if name in each] for name in AGENTS}
    reference = 5 + judge.length * math.log2(np.mean(lengths["magpie"]) / 1000)
    doublings = np.log2(np.array(lengths["heron"]) / 1000)
    marks = 5 + judge.length * doublings
    return float(np.polyfit(doublings, marks / (marks + reference), 1)[0])


def test_what_pages_say_reaches_the_judge_and_its_faults_point_to_the_place(folder, tmp_path):
    changes = ("negate-sentence", "change-number", "swap-citations", "swap-pages", "dead-url")
    given = {"protocols": ["fact"], "order": {"changes": changes}}
    found = tried(MarkingJudge(), folder, tmp_path / "a.assay", **given)
    for change in changes:
        own = row(found, change)
        assert own.judged == own.fell == TASKS, change
        assert own.verdict == "noticed"
    located = row(found, "change-number").located
    assert located is not None and (located.found, located.of, located.before) == (TASKS, TASKS, 0)
    dead = row(found, "dead-url").located
    assert dead is not None and dead.found == TASKS, "by the address, which stands in the list"
    assert row(found, "dead-url", "E.Cit").verdict == "noticed"
    given["order"] = {"changes": ("swap-pages", "dead-url")}
    blind = tried(MarkingJudge(blind=True), folder, tmp_path / "b.assay", **given)
    assert row(blind, "swap-pages").verdict == "not shown"
    assert row(blind, "dead-url").verdict == "noticed", "no judge is asked about a dead page"


def test_the_same_again_asks_nothing_and_says_the_same(honest):
    again = audit(honest.ready)
    assert len(honest.server.requests) == honest.asked > 0
    assert again.kept == honest.kept
    with RunFile.read(honest.ready.settings.run) as run:
        done = replay(run)
    assert done.proved and done.same == honest.ready.plan.size


def test_an_audit_that_ran_out_of_budget_goes_on(folder, tmp_path):
    prices = tmp_path / "prices.json"
    prices.write_text(json.dumps({"marking": {"input": 10, "output": 100}}))
    with FakeJudge(MarkingJudge()) as server:
        given = {"prices": prices, "allow_unpriced": False, "max_connections": 1, "order": ONE}
        cheap = prepared(folder, server.base_url, tmp_path / "a.assay", budget=2.0, **given)
        stopped = audit(cheap)
        assert stopped.kept is None and stopped.summary.exit_status == 3
        some = len(server.requests)
        whole = audit(replace(cheap, settings=cheap.settings.model_copy(update={"budget": 100.0})))
        assert whole.kept is not None
        assert 0 < some < len(server.requests) == sum(whole.summary.calls.values())


@pytest.mark.parametrize("protocol", [RACE, "fact"])
def test_the_estimate_is_what_is_asked(protocol, folder, tmp_path):
    with FakeJudge(MarkingJudge()) as server:
        given = {"protocols": [protocol], "order": {"changes": (), "reports": 3}}
        ready = prepared(folder, server.base_url, tmp_path / "a.assay", **given)
        (reckoned,) = ready.estimate(lambda done, total: None).models.values()
        audit(ready)
        assert reckoned.typical.calls == len(server.requests)
    if protocol == RACE:
        # Cleaned of citations, these copies are the originals: nobody is asked about them again.
        assert reckoned.typical.calls < ready.plan.size


@pytest.mark.filterwarnings("ignore:Questions in batches")
def test_an_audit_in_batches_says_what_a_live_one_says(folder, tmp_path, monkeypatch):
    monkeypatch.setattr(batchers, "PACING", Pacing(idle=0.05, first=0.01, longest=0.02))
    with FakeBatches(MarkingJudge(noise=0)) as service:
        live = audit(prepared(folder, service.base_url, tmp_path / "live.assay", order=ONE))
        asked = service.paid.total()
        given = {"batch": True, "order": ONE}
        batched = audit(prepared(folder, service.base_url, tmp_path / "batched.assay", **given))
        assert service.paid.total() == 2 * asked
        assert service.batches
    assert live.kept is not None and live.kept == batched.kept


def test_shards_that_are_merged_give_the_audit_of_one_run(folder, tmp_path):
    judge = MarkingJudge(noise=0)
    with FakeJudge(judge) as server:
        whole = audit(prepared(folder, server.base_url, tmp_path / "whole.assay", order=ONE))
        runs = []
        for number in (1, 2):
            run = tmp_path / f"{number}.assay"
            part = prepared(folder, server.base_url, run, shard=f"{number}/2", order=ONE)
            assert audit(part).kept is None
            runs.append(run)
        assert merge(runs, tmp_path / "merged.assay").left == 0
        again = prepared(folder, server.base_url, tmp_path / "merged.assay", order=ONE)
        assert of_run(again, tmp_path / "merged.assay") == whole.kept


def test_a_panel_is_audited_judge_by_judge_and_by_families(folder, tmp_path):
    families = tmp_path / "families.csv"
    families.write_text("agent,family\nheron,birds\nmagpie,crows\n")
    with FakeJudge(MarkingJudge()) as server:
        ready = prepared(
            folder,
            server.base_url,
            tmp_path / "a.assay",
            judge=["openai:marking", "openai:other"],
            order={
                "changes": ("drop-section",),
                "families": families,
                "family": ("openai:marking=birds", "openai:other=crows"),
            },
        )
        done = audit(ready)
    assert done.kept is not None
    names = [each.judge for each in done.kept.judges]
    assert names == ["openai:marking + openai:other", "openai:marking", "openai:other"]
    # One agent alone is audited here: there is nothing to hold its family against.
    assert not any(each.kind == "family" for own in done.kept.judges for each in own.biases)


def test_a_larger_audit_keeps_what_a_smaller_one_drew(folder, tmp_path):
    changes = (*CHANGES, "swap-pages", "swap-citations")
    few, more = (
        prepared(
            folder,
            "http://127.0.0.1:9/v1",
            tmp_path / "a.assay",
            protocols=[RACE, "fact"],
            order={"changes": changes, "reports": count},
        )
        for count in (5, 9)
    )
    assert "swap-pages" in {each.name for each in few.copies}
    assert more.originals[:5] == few.originals
    assert {each.report.digest for each in few.copies} <= {
        each.report.digest for each in more.copies
    }


def test_judges_whose_short_names_are_alike_have_copies_of_their_own(folder, tmp_path):
    judges = ["openai:small/marking", "openai:large/marking", "openai:other"]
    given = {"judge": judges, "order": {"changes": ("signed",), "reports": 3}}
    ready = prepared(folder, "http://127.0.0.1:9/v1", tmp_path / "a.assay", **given)
    assert ready.design.signed == {
        "openai:small/marking": "signed:openai:small/marking",
        "openai:large/marking": "signed:openai:large/marking",
        "openai:other": "signed:other",
    }
    assert set(ready.changes) == {*ready.design.signed.values(), "signed:Meridian Research"}


def test_more_reports_than_there_are_is_said(folder, tmp_path):
    whole, some = (
        prepared(folder, "http://127.0.0.1:9/v1", tmp_path / "a.assay", order={"reports": count})
        for count in (200, 5)
    )
    told = [*whole.lines()]
    assert told[1] == "There are fewer than the 200 reports that --reports asks for."
    assert "5 reports on 5 tasks" in [*some.lines()][1]


def test_a_quick_audit_takes_six_changes_those_that_must_be_seen_first(folder, tmp_path):
    order = {"quick": True, "changes": ()}
    ready = prepared(folder, "http://127.0.0.1:9/v1", tmp_path / "a.assay", order=order)
    assert list(ready.changes) == [
        "drop-section", "swap-citations", "shuffle-sections", "strip-style", "pad-100",
        "address-judge",
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"changes": ("pad",)}, "There is no change 'pad'"),
        ({"family": ("birds",)}, "nothing is known of agents"),
        ({"family": ("openai:makring=birds",)}, "there is no judge openai:makring"),
        ({"family": ("bees",)}, "No agent of .* is of the family 'bees'"),
    ],
)
def test_what_is_none_is_refused(given, said, folder, tmp_path):
    if "nothing" not in said:
        given = given | {"families": tmp_path / "families.csv"}
        given["families"].write_text("agent,family\nheron,birds\n")
    with pytest.raises(BadSetting, match=said):
        prepared(folder, "http://127.0.0.1:9/v1", tmp_path / "a.assay", order=given)


def test_a_change_of_which_nothing_is_expected_is_refused(folder, tmp_path):
    given = {"protocols": ["presentation"], "order": {"changes": ("pad-50", "drop-section")}}
    with pytest.raises(BadSetting, match="presentation: nothing is expected of drop-section"):
        prepared(folder, "http://127.0.0.1:9/v1", tmp_path / "a.assay", **given)


def test_copies_made_before_are_no_originals(folder, tmp_path):
    reports = [folder / "heron.jsonl", tmp_path / "heron+drop-section.jsonl"]
    reports[1].write_text(reports[0].read_text())
    settings = Settings(judge=["offline"], protocols=["coverage"], run=tmp_path / "a.assay")
    with pytest.raises(BadReports, match=r"'heron\+drop-section' has the name of changed copies"):
        prepare(folder / "tasks.jsonl", reports, settings, AuditOrder())


def test_one_task_is_too_few(folder, tmp_path):
    with pytest.raises(BadReports, match="two tasks at least"):
        prepared(folder, "http://127.0.0.1:9/v1", tmp_path / "a.assay", limit=1)


def test_the_file_is_read_as_it_was_written(honest):
    assert AuditFile.read(honest.kept.to_json(), "a file") == honest.kept
