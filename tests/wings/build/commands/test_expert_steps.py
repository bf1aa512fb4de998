"""The steps of a set with experts, run again, half-filled, and given what belongs elsewhere."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Mapping
from pathlib import Path

import pytest

from deepassay.runfile import Rating, RunFile
from deepassay.runfile.questions import read_asked_items
from deepassay.wings.build.experts.query_drafts import QueryDraft, add_drafts, read_drafts
from deepassay.wings.people.annotate.setting_up import StudyTerms, set_up_study
from tests.loopback import FakeJudge

QUERIES = {"towns": "Compare three towns as of {{date}}.", "rents": "Which rents rose, and why?"}


@pytest.fixture(autouse=True)
def key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "not-a-key")


def drafts(path: str = "drafts.jsonl", **more: object) -> str:
    """A file with two drafted queries."""
    add_drafts(
        Path(path),
        [
            QueryDraft(id=name, language="en", domain="Law", category="review", query=text, **more)
            for name, text in QUERIES.items()
        ],
    )
    return path


def study(items: str, path: str, answers: Mapping[str, str], who: str = "ana") -> None:
    """A study in which somebody gave these answers to every item, by question."""

    async def keep() -> None:
        for number in range(len(read_asked_items(Path(items)))):
            rating = Rating(f"f{number}", who, number, answers, at="2026-01-05")
            await run.annotating.keep(rating)

    with RunFile.create(Path(path)) as run:
        set_up_study(Path(items), run, StudyTerms((), (who,), seed=0))
        asyncio.run(keep())


def asking(models: FakeJudge) -> tuple[str, ...]:
    return ("--base-url", models.base_url, "--allow-unpriced", "--run", "run.assay")


def say_so(body: dict[str, object]) -> str:
    return json.dumps({"questions": [f"What would {body['model']} leave out?"]})


def test_a_step_run_again_pays_for_nothing_twice_and_asks_only_whom_it_lacks(deepassay):
    drafts()
    with FakeJudge(say_so) as models:
        clarify = ("tasks", "clarify", "drafts.jsonl", "-o", "clear.yaml", "--model", "openai:one")
        assert deepassay(*clarify, "--limit", 1, *asking(models)).returncode == 0
        assert len(models.requests) == 1
        both = ("--model", "openai:two", *asking(models))
        assert deepassay(*clarify, *both).returncode == 0
        assert len(models.requests) == 3
        before = Path("clear.yaml").read_bytes()
        again = deepassay(*clarify, *both)
        assert "(2 had them already)" in again.stderr
        assert len(models.requests) == 3
    assert Path("clear.yaml").read_bytes() == before


def test_where_one_model_fails_the_others_answers_are_kept_and_not_paid_for_again(deepassay):
    drafts()
    broken = [True]

    def answer(body: dict[str, object]) -> str:
        return "no" if broken[0] and body["model"] == "two" else say_so(body)

    with FakeJudge(answer) as models:
        clarify = ("tasks", "clarify", "drafts.jsonl", "-o", "clear.yaml", *asking(models))
        both = (*clarify, "--model", "openai:one", "--model", "openai:two")
        failed = deepassay(*both)
        assert failed.returncode == 1 and "draft towns: answer_unreadable" in failed.stderr
        assert not read_drafts(Path("clear.yaml"))
        broken[0] = False
        mended = deepassay(*both)
        assert mended.returncode == 0, mended.stderr
        assert models.count("one") == 2
    assert [len(each.questions) for each in read_drafts(Path("clear.yaml"))] == [2, 2]


def test_the_budget_ends_a_step_and_more_of_it_goes_on(deepassay):
    drafts()
    Path("prices.json").write_text(json.dumps({"one": {"input": 1000, "output": 1000}}))
    with FakeJudge(say_so) as models:
        clarify = ("tasks", "clarify", "drafts.jsonl", "-o", "clear.yaml", "--model", "openai:one")
        priced = ("--base-url", models.base_url, "--prices", "prices.json", "--run", "run.assay")
        refused = deepassay(*clarify, *priced, "--budget", "0.001", "--max-output", "50")
        assert refused.returncode == 3, refused.stderr
        assert not models.requests
        assert deepassay(*clarify, *priced, "--budget", "50").returncode == 0


def test_drafts_without_a_query_wait_and_are_named(deepassay):
    add_drafts(Path("d.yaml"), [QueryDraft(id="law-1", language="en", domain="Law", category="x")])
    done = deepassay("tasks", "clarify", "d.yaml", "-o", "c.yaml", "--run", "r")
    assert done.returncode == 1
    assert "Waiting for people: law-1 (no query yet)." in done.stderr
    assert not Path("c.yaml").exists()


def test_half_answered_questions_are_passed_over_and_told(deepassay):
    draft = QueryDraft(id="d", language="en", domain="Law", category="x", query="How do towns pay?")
    add_drafts(Path("d.yaml"), [draft])
    deepassay("tasks", "clarify", "d.yaml", "-o", "c.yaml", "--run", "r")
    waiting = deepassay("tasks", "refine", "c.yaml", "-o", "f.yaml", "--run", "r")
    assert "d (no question is answered)" in waiting.stderr
    text = Path("c.yaml").read_text("utf-8")
    Path("c.yaml").write_text(text.replace("answer: ''", "answer: The last ten years.", 1))
    done = deepassay("tasks", "refine", "c.yaml", "-o", "f.yaml", "--run", "r", "--by", "eva")
    assert "d: questions without an answer, passed over: 3." in done.stderr
    (found,) = read_drafts(Path("f.yaml"))
    assert "The last ten years." in found.query
    answered = next(each for each in found.history if each.of == "k1/answer")
    assert (answered.who, answered.step) == ("eva", "edited")


def test_a_date_that_somebody_filled_in_is_told(deepassay):
    draft = QueryDraft(id="d", language="en", domain="Law", category="x")
    draft = draft.changed("eva", "draft", {"query": "Towns as of {{date}}?"})
    add_drafts(Path("d.yaml"), [draft.changed("eva", "edited", {"query": "Towns in 2026?"})])
    done = deepassay("tasks", "checklist-from", "d.yaml", "-o", "c.yaml", "--run", "r")
    assert "d: {{date}} of the draft is no longer there." in done.stderr


# ------------------------------------------------------------------ foreign files


@pytest.fixture
def rated(deepassay) -> tuple[str, ...]:
    """Checklists, and what raters are asked about them."""
    drafts()
    make = ("tasks", "checklist-from", "drafts.jsonl", "-o", "checks.jsonl", "--ask", "ask.jsonl")
    assert deepassay(*make, "--run", "r").returncode == 0
    return ("tasks", "verify", "checks.jsonl", "-o", "seen.jsonl")


def all_appropriate() -> dict[str, str]:
    items = read_asked_items(Path("ask.jsonl"))
    return {each.key: "appropriate" for item in items for each in item.questions if each.menu}


def test_answers_of_another_step_name_the_command_that_takes_them(deepassay, rated):
    study("ask.jsonl", "s.assay", all_appropriate())
    done = deepassay("tasks", "quality", "checks.jsonl", "-o", "t.jsonl", "--answers", "s.assay")
    assert done.returncode == 2
    assert "s.assay holds answers of the step 'rate'." in done.stderr
    assert "`deepassay tasks verify` takes them." in done.stderr


@pytest.mark.parametrize(
    ("title", "file", "said"),
    [
        ("a run", "r", "r is no study."),
        ("drafts", "checks.jsonl", "checks.jsonl holds no answers of people."),
        ("nothing", "nowhere.assay", "nowhere.assay holds no answers of people."),
        ("an empty sheet", "empty.csv", "empty.csv"),
    ],
)
def test_what_is_no_study_is_refused_by_its_name(deepassay, rated, title, file, said):
    deepassay("evaluate", "none", "none", "--run", "r")
    Path("empty.csv").write_text("a,b\n1,2\n")
    done = deepassay(*rated, "--answers", file)
    assert done.returncode == 2 and said in done.stderr
    assert not Path("seen.jsonl").exists()


def test_a_study_of_other_drafts_is_refused(deepassay, rated):
    study("ask.jsonl", "s.assay", all_appropriate())
    lines = Path("checks.jsonl").read_text("utf-8").replace('"id": "', '"id": "other-')
    Path("checks.jsonl").write_text(lines, "utf-8")
    done = deepassay(*rated, "--answers", "s.assay")
    assert done.returncode == 2
    assert "s.assay has answers about drafts that are not there: rents, towns." in done.stderr


def test_ratings_of_a_text_that_was_changed_since_are_refused(deepassay, rated):
    study("ask.jsonl", "s.assay", all_appropriate())
    lines = Path("checks.jsonl").read_text("utf-8")
    Path("checks.jsonl").write_text(lines.replace('"query": "Which', '"query": "What', 1), "utf-8")
    done = deepassay(*rated, "--answers", "s.assay")
    assert done.returncode == 2
    assert "rents, query: ana decided on another text" in done.stderr


def test_questions_for_people_are_not_written_over_other_files(deepassay, rated):
    study("ask.jsonl", "s.assay", all_appropriate())
    before = Path("checks.jsonl").read_bytes()
    done = deepassay(*rated, "--answers", "s.assay", "--ask", "checks.jsonl")
    assert done.returncode == 2 and "holds something else than questions" in done.stderr
    assert Path("checks.jsonl").read_bytes() == before


def test_a_sheet_alone_leads_to_the_set_as_a_study_does(deepassay, rated):
    make = ("tasks", "checklist-from", "drafts.jsonl", "-o", "checks.jsonl", "--run", "r")
    assert deepassay(*make, "--table", "sheet.csv").returncode == 0
    rows = Path("sheet.csv").read_text("utf-8-sig").split("\n")
    filled = [
        row.removesuffix(",,,,,,,,") + ",appropriate,,,ana,agree,,bo,2026-01-05"
        for row in rows[1:-1]
    ]
    Path("sheet.csv").write_text("\n".join([rows[0], *filled]), "utf-8")
    done = deepassay(*rated, "--answers", "sheet.csv")
    assert "Seen by both groups: 2 of 2 drafts" in done.stderr, done.stderr
    quality = ("tasks", "quality", "seen.jsonl", "-o", "set.jsonl", "--ask", "look.jsonl")
    assert deepassay(*quality).returncode == 0 and not Path("set.jsonl").exists()
    items = read_asked_items(Path("look.jsonl"))
    answers = {each.key: "right" for item in items for each in item.questions}
    study("look.jsonl", "look.assay", answers, "fay")
    written = deepassay(*quality, "--answers", "look.assay")
    assert written.returncode == 0, written.stderr
    assert "2 tasks are in set.jsonl" in written.stderr
    histories = Path("set.history.yaml").read_bytes()
    assert "2 tasks are" in deepassay(*quality, "--answers", "look.assay").stderr
    assert Path("set.history.yaml").read_bytes() == histories
    edited = Path("set.jsonl").read_text("utf-8").replace("Law", "Lore")
    Path("set.jsonl").write_text(edited, "utf-8")
    again = deepassay(*quality, "--answers", "look.assay")
    assert again.returncode == 2 and "set.jsonl is there and holds something else" in again.stderr
    assert Path("set.jsonl").read_text("utf-8") == edited
