"""Rubrics in a run: answers shared, kept, shown and computed anew."""

import json
from dataclasses import replace

import pytest

from deepassay.errors import ConfigurationChanged
from deepassay.protocols.registry import parse
from deepassay.results.explain import explain
from deepassay.run.asking.estimate import estimate
from deepassay.run.asking.evaluate import evaluate
from deepassay.run.showing.records import records_of
from deepassay.run.showing.replay import replay
from deepassay.runfile import RunFile
from tests.asked import asked as asking
from tests.judging import verdicts
from tests.loopback import FakeJudge

RUBRIC = [
    {"criterion": f"States fact {number}", "weight": weight, "axis": "Explicit Criteria"}
    for number, weight in enumerate((5, 4, 3, 2, 1, -4, -1), start=1)
]
TEXT = "# Ferries\n\nThe ferry Alma makes 61 decibels at ten metres.\n"


@pytest.fixture
def lab(tmp_path):
    """Makes a request about one report."""

    def made(protocols, language="en", **more):
        task = {"id": "t", "prompt": "How loud?", "language": language, "rubric": RUBRIC}
        (tmp_path / "tasks.jsonl").write_text(json.dumps(task))
        (tmp_path / "agent").mkdir(exist_ok=True)
        (tmp_path / "agent" / "t.md").write_text(TEXT)
        return asking(
            tasks=tmp_path / "tasks.jsonl",
            reports=[tmp_path / "agent"],
            protocols=protocols,
            date="2026-11-20",
            run=tmp_path / "r.assay",
            **more,
        )

    return made


@pytest.mark.parametrize("language", ["en", "zh"])
def test_both_scales_share_their_answers_and_replay_to_the_byte(lab, language):
    protocols = ["rubrics", "rubrics(scale='binary')", "rubrics(together=4)"]
    with FakeJudge(verdicts) as judge:
        request = lab(protocols, language, judge=["openai:good"], base_url=judge.base_url)
        assert evaluate(*request).tally.scored == 3
        assert judge.count("good") == len(RUBRIC) + 2
        evaluate(*request)
        assert judge.count("good") == len(RUBRIC) + 2
    with RunFile.read(request.run) as run:
        assert (replay(run).same, replay(run).different) == (3, ())


@pytest.mark.parametrize("language", ["en", "zh"])
def test_edition_code_replays_to_the_byte(lab, language):
    with FakeJudge(verdicts) as judge:
        request = lab(
            ["rubrics", "rubrics(scale='binary')"],
            language,
            edition="code",
            judge=["openai:good"],
            base_url=judge.base_url,
        )
        assert evaluate(*request).tally.scored == 2
        assert judge.count("good") == 2 * len(RUBRIC)
    with RunFile.read(request.run) as run:
        assert (replay(run).same, replay(run).different) == (2, ())


@pytest.mark.parametrize(("protocol", "calls"), [("rubrics", 7), ("rubrics(together=3)", 3)])
def test_the_estimate_counts_the_calls(lab, protocol, calls):
    (reckoning,) = estimate(*lab([protocol], judge=["openai:gpt-5-mini"])).models.values()
    assert {each.calls for each in (reckoning.low, reckoning.typical, reckoning.high)} == {calls}


def test_failed_criteria_are_asked_again_and_no_others(lab):
    trouble = ["States fact 3"]

    def faltering(body):
        return "no JSON" if any(map(str(body).count, trouble)) else verdicts(body)

    with FakeJudge(faltering) as judge:
        request = lab(["rubrics"], judge=["openai:good"], base_url=judge.base_url)
        evaluate(*request)
        (before,) = records_of([request.run])
        asked = judge.count("good")
        evaluate(*request)
        assert judge.count("good") == asked
        trouble.clear()
        evaluate(*request.but(retry_unscored=True))
        assert judge.count("good") == asked + 1
    (after,) = records_of([request.run])
    causes = [item.get("cause") for item in before.outcome.details["items"]]
    assert causes == [None, None, "answer_unreadable", None, None, None, None]
    low, high = (before.outcome.details[end] for end in ("low", "high"))
    assert low <= after.outcome.value <= high
    assert before.outcome.details["open"]
    assert not after.outcome.details["open"]


def test_explain_tells_verdict_weight_reason_and_place(lab):
    request = lab(["rubrics"])
    evaluate(*request)
    told = explain(records_of([request.run]), "agent", "t")
    assert "Score 0.0000 on -0.3333 to 1" in told
    assert "7 criteria: 1 of 3 mandatory ones passed" in told
    assert "c1 Not Satisfied (weight 5, mandatory, Explicit Criteria): States fact 1" in told
    assert "words stand close together from line" in told


@pytest.mark.parametrize("edition", ["paper", "code"])
@pytest.mark.parametrize("name", ["drb2", "researchqa", "finder", "mr-dre"])
def test_a_set_that_is_judged_by_rule_replays_to_the_byte(lab, name, edition):
    request = lab([f"rubrics(set={name!r})"], edition=edition)
    assert evaluate(*request).tally.scored == 1
    with RunFile.read(request.run) as run:
        assert (replay(run).same, replay(run).different) == (1, ())


@pytest.mark.parametrize("edition", ["paper", "code"])
def test_a_changed_offline_rule_of_a_set_is_another_recipe(lab, monkeypatch, edition):
    request = lab(["rubrics(set='drb2')"], edition=edition)
    evaluate(*request)
    evaluate(*request)
    (protocol,) = parse("rubrics(set='drb2')", edition)
    changed = tuple(replace(each, rule=each.rule + 1) for each in protocol.operations())
    monkeypatch.setattr(type(protocol), "operations", lambda protocol: changed)
    with pytest.raises(ConfigurationChanged, match="offline_rules"):
        evaluate(*request)
