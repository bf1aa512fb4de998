"""What an estimate takes for granted, and how it lies beside the run that follows."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from benchmarks.estimating import compared

from deepassay.files import read_yaml
from deepassay.models.estimating import Scenario
from deepassay.models.operation import UNLISTED
from deepassay.protocols.registry import parse
from deepassay.run.asking.assumed import ExpectedPages
from deepassay.run.asking.estimate import estimate
from tests.asked import Asked, asked

pytestmark = pytest.mark.usefixtures("read_here")

FORMS = (
    "race", "race(cleaning='model')", "race(reference=False)", "race(vanilla=True)",
    "race(edition='code')", "fact(merging='model')", "fact(edition='code')", "rubrics",
    "rubrics(edition='code')", "presentation", "presentation(mechanical=True)",
    "presentation(edition='code')", "consistency", "consistency(edition='code')", "coverage",
    "coverage(edition='code')", "depth", "depth(edition='code')", "citation_association",
    "citation_association(edition='code')", "citation_accuracy", "direct_rating",
    "error_patterns", "kae",
    "ace", "ace(make=True)",
)  # fmt: skip


@pytest.fixture(scope="module")
def entries(repository: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The demo's criteria and rubrics as lines of JSON: YAML takes as long as an estimate."""
    folder = tmp_path_factory.mktemp("entries")
    for name in ("criteria", "rubrics"):
        found = read_yaml((repository / "examples/demo" / f"{name}.yaml").read_text("utf-8"))
        (folder / f"{name}.jsonl").write_text("\n".join(map(json.dumps, found)), "utf-8")
    return folder


@pytest.fixture
def demo(repository: Path, entries: Path, tmp_path: Path) -> Asked:
    folder = repository / "examples" / "demo"
    return asked(
        folder / "tasks.jsonl",
        [folder / "reports"],
        judge=["openai:gpt-5-mini"],
        reference="heron",
        baseline="heron",
        criteria=entries / "criteria.jsonl",
        rubric=entries / "rubrics.jsonl",
        date="2026-05-04",
        run=tmp_path / "r",
    )


@pytest.fixture
def small(demo: Asked) -> Asked:
    """One task of it, and the report of each agent."""
    return demo.but(limit=1)


def test_every_question_of_ours_says_what_its_answers_are_like(tmp_path):
    metric = tmp_path / "clear.yaml"
    metric.write_text("question: Is it clear?\n", "utf-8")
    forms = (*FORMS, "race_reward", str(metric))  # the one takes tasks of its own kind
    asked = {each.name: each for form in forms for each in parse(form)[0].operations()}
    assert len(asked) > 40
    assert [name for name, each in asked.items() if each.expected is UNLISTED] == []


@pytest.mark.parametrize("form", [each for each in FORMS if each != "ace"])
def test_what_is_supposed_of_an_answer_can_be_gone_on_with(small, form):
    (found,) = estimate(*small.but(protocols=(form,))).models.values()
    calls, fewest, most = found.of(lambda each: each.calls)
    assert 0 < fewest <= calls <= most
    for kind in ("input", "output"):
        typical, low, high = found.of(lambda each, kind=kind: getattr(each.usage, kind))
        assert 0 < low < typical < high


@pytest.mark.parametrize("form", ["coverage", "presentation", "rubrics", "ace(make=True)"])
def test_windows_are_gone_through_with_passages_of_the_report(small, form):
    wide = small.but(protocols=(form,), ace=None)
    (whole,) = estimate(*wide).models.values()
    (windows,) = estimate(*wide.but(context_window=1_500)).models.values()
    assert windows.typical.too_long > 0
    assert windows.typical.calls + windows.typical.too_long > whole.typical.calls


def test_with_offline_sources_no_page_is_assumed(small):
    pages = small.but(protocols=("kae",))
    assert estimate(*pages).assumed > 0
    offline = estimate(*pages.but(offline_sources=True))
    (found,) = offline.models.values()
    assert (offline.assumed, found.high.calls) == (0, 0)


@pytest.mark.parametrize("form", ["kae", "citation_accuracy", "fact"])
def test_no_rule_reads_a_page_that_is_made_up(small, form, monkeypatch):
    def refuse(inputs):
        raise AssertionError("a rule was run")

    (protocol,) = parse(form)
    for operation in protocol.operations():
        if operation.name != "fact/extract":  # of the report, which is there
            monkeypatch.setitem(vars(operation), "offline", refuse)
    (found,) = estimate(*small.but(protocols=(form,))).models.values()
    assert found.typical.calls > 0


def test_a_sample_stands_for_all_where_there_are_many_reports(demo, monkeypatch):
    pages = demo.but(protocols=("citation_accuracy",))
    (whole,) = estimate(*pages).models.values()
    monkeypatch.setattr("deepassay.run.asking.estimate.SAMPLE", 6)
    (sampled,) = estimate(*pages).models.values()
    assert sampled.typical == whole.typical
    assert sampled.low.calls == pytest.approx(whole.low.calls, rel=0.25)
    assert sampled.high.calls == pytest.approx(whole.high.calls, rel=0.25)


def test_what_a_count_of_questions_depends_on_is_said(small):
    told = list(estimate(*small.but(protocols=("kae",))).lines())
    assert "how many questions, answers decide: how many key points pages have" in told[-1]
    *_, second, third = estimate(*small.but(protocols=("coverage",))).lines()
    assert "questions; about $" in second and " tokens in: " in third


def test_progress_is_told_for_every_judgement(demo):
    steps = []
    few = demo.but(protocols=("coverage",))
    estimate(*few, lambda done, total: steps.append((done, total)))
    assert steps == [(done, len(steps)) for done in range(len(steps))]


def test_references_that_nobody_judges_are_not_counted_as_judgements(demo):
    """18 reports, 6 of them references, whose scores in RACE are settled."""
    assert estimate(*demo.but(protocols=("race",))).size == "12 judgements of reports"
    assert estimate(*demo.but(protocols=("race", "coverage"))).size == "30 judgements of reports"


@pytest.mark.slow
@pytest.mark.filterwarnings("default::deepassay.errors.Notice")
def test_calls_are_near_what_is_asked_and_calls_and_tokens_within_the_span():
    """`python -m benchmarks.estimating` does the same with 100 tasks."""
    for each in compared(2):
        told = "\n".join(each.lines())
        # How long pages are that nobody has seen, and how many are gone, is not known before.
        assert abs(each.off) <= (0.2 if each.name == "pages to be fetched" else 0.05), told
        assert "OUTSIDE" not in told, told


@pytest.mark.asyncio
async def test_an_assumed_page_is_made_once_for_all_protocols(demo):
    pages = ExpectedPages([], demo.settings)
    found = [await pages.get("https://a.example/1", Scenario.HIGH) for _ in range(3)]
    assert found[0] is found[1] is found[2]
    assert (await pages.get("https://a.example/1", Scenario.LOW)).text != found[0].text
    assert len(pages.assumed) == 1
