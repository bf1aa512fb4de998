"""Rubrics written by three people: the whole line through commands and the annotation server."""

import asyncio
import json
from collections import Counter
from pathlib import Path

import pytest

from deepassay.runfile import Rating, RunFile
from deepassay.runfile.questions import read_asked_items
from deepassay.tasks.history import standing_texts
from deepassay.tasks.rubric import RUBRIC_FILE
from deepassay.wings.build.authoring.rubric_drafts import DRAFT_FILE, parts_of_draft
from deepassay.wings.people.annotate.book import StudyBook
from deepassay.wings.people.annotate.setting_up import StudyTerms, set_up_study
from tests.wings.build.authors import Authors, outcome
from tests.wings.people.annotate.studies import client, filled, served

PEOPLE = (
    *("--proposer", "ana", "--proposer", "bo"),
    *("--reviewer", "bo", "--reviewer", "ana", "--final", "cy"),
)
TASKS = {
    f"{language}-{number}": prompt.format(number)
    for number in range(10)
    for language, prompt in (
        ("en", "What is known of matter {}?"),
        ("zh", "第 {} 个问题有哪些研究？"),
    )
}


def task_file(prompts):
    rows = [{"id": name, "prompt": prompt} for name, prompt in prompts.items()]
    Path("tasks.jsonl").write_text("\n".join(map(json.dumps, rows)))


def drafts():
    return DRAFT_FILE.load(Path("rubrics.authoring/drafts.jsonl"))


def test_twenty_rubrics_from_the_first_proposal_to_scores(deepassay):
    task_file(TASKS)
    command = ("tasks", "author", "tasks.jsonl", "-o", "rubrics.jsonl", *PEOPLE)
    authors = Authors()
    done = deepassay(*command)
    assert done.returncode == 0, done.stderr
    number = 1
    while "annotate serve" in done.stderr and number < 30:
        round_ = Path(f"rubrics.authoring/round-{number}.jsonl")
        assert f"{round_} --raters" in done.stderr
        study = round_.with_suffix(".assay")
        items = read_asked_items(round_)
        if number == 2:  # half of it first; the command goes on from there
            asyncio.run(authors.answer(items, round_, study, most=4))
            done = deepassay(*command)
            assert "Answers taken: 8." in done.stderr and f"{round_} --raters" in done.stderr
            assert "ana (6)" in done.stderr or "bo (6)" in done.stderr, done.stderr
        asyncio.run(authors.answer(items, round_, study))
        done = deepassay(*command)
        assert done.returncode == 0, done.stderr
        number += 1
    assert "All of them are done." in done.stderr and number > 4
    row = next(line.split() for line in done.stdout.splitlines() if line.startswith("review 1"))
    first = [e for e in authors.entered if e.turn == 2 and e.value and e.item != "prompt"]
    kept = sum(e.value == "keep" for e in first)
    assert row[2:6] == ["20", str(len(first)), f"{100 * kept / len(first):.1f}", "%"]

    rubrics = RUBRIC_FILE.load("rubrics.jsonl")
    expected = outcome(authors.entered, TASKS)
    assert {
        name: (each.prompt, {c.id: (c.criterion, c.weight, c.axis) for c in each.rubric})
        for name, each in rubrics.items()
    } == expected
    for name, each in drafts().items():
        assert standing_texts(each.history) == parts_of_draft(each)
        assert each.history == rubrics[name].history
        own = [e for e in authors.entered if e.task == name]
        said = Counter((e.who, e.item, e.value, e.comment) for e in own if e.value)
        said += Counter((e.who, "", "add", "") for e in own if e.item == "missing" for _ in e.lines)
        told = Counter(
            (e.who, "" if e.said == "add" else e.of.removeprefix("open/"), e.said, e.note)
            for e in each.history
            if e.said
        )
        assert told == said
        typed = {e["text"] for one in own for e in one.lines}
        texts = " ".join(e.after or "" for e in each.history)
        assert all(text in texts for text in typed)

    for name, (prompt, _) in expected.items():
        folder = Path("reports/magpie")
        folder.mkdir(parents=True, exist_ok=True)
        (folder / f"{name}.md").write_text(f"# Answer\n\n{prompt} Fact 1 of the matter.\n")
    scored = deepassay(
        "evaluate", "rubrics.tasks.jsonl", "reports", "--protocol", "rubrics",
        "--rubric", "rubrics.jsonl", "--run", "run.assay",
    )  # fmt: skip
    assert scored.returncode == 0, scored.stderr
    assert "20" in scored.stdout
    again = deepassay(*command)
    assert "All of them are done." in again.stderr and "added" not in again.stderr


# ------------------------------------------------------------------ stopped, edited, resumed


ONE = ("tasks", "author", "tasks.jsonl", "-o", "rubrics.yaml")
THREE = ("--proposer", "ana", "--reviewer", "bo", "--final", "cy")
LINE = {"text": "Names a grant.", "weight": "4", "axis": "Explicit Criteria"}


def said(number, answers, task="hedges"):
    """Answers to an item of a round: value, lines and comment by key of question."""
    round_ = Path(f"rubrics.authoring/round-{number}.jsonl")
    items = read_asked_items(round_)
    raters = list(dict.fromkeys(rater for each in items for rater in each.raters))

    async def keep(run):
        set_up_study(round_, run, StudyTerms(questions=(), raters=raters, seed=0))
        book = StudyBook(run)
        place = next(at for at, each in enumerate(book.items) if each.task == task)
        item = book.items[place]
        rating = Rating(
            f"{number}/{task}",
            item.raters[0],
            place,
            {key: value for key, (value, *_) in answers.items() if value},
            at=f"2026-01-0{number}T00:00:00+00:00",
            lines={key: lines for key, (_, lines, _) in answers.items() if lines},
            comments={key: comment for key, (*_, comment) in answers.items() if comment},
        )
        await book.keep(rating)

    with RunFile.create(round_.with_suffix(".assay")) as run:
        asyncio.run(keep(run))


PROPOSED = {
    "propose/prompt": ("", [{"text": "How are hedges paid for?"}], ""),
    "propose/criteria": ("", [LINE, LINE | {"text": "Names a sum.", "weight": "-1"}], ""),
}


def proposed(deepassay, *more):
    task_file({"hedges": "How are hedges paid for?", **dict.fromkeys(more, "What else?")})
    assert deepassay(*ONE, *THREE).returncode == 0
    said(1, PROPOSED)


def draft():
    return DRAFT_FILE.load(Path("rubrics.authoring/drafts.yaml"))["hedges"]


def edited(before, after):
    file = Path("rubrics.authoring/drafts.yaml")
    text = file.read_text()
    head, history = text.split("  history:", 1)
    assert before in head
    file.write_text(head.replace(before, after) + "  history:" + history)


def test_an_edit_is_in_the_history_and_an_answer_about_what_stood_before_is_not_taken(deepassay):
    proposed(deepassay)
    deepassay(*ONE)
    edited("Names a grant.", "Names two grants.")
    review = {
        "review/prompt": ("keep", [], ""),
        "review/c1": ("drop", [], "too easy"),
        "review/c2": ("keep", [], ""),
    }
    said(2, review)
    done = deepassay(*ONE, "--by", "lee")
    assert "Edited in the drafts, and kept in their history: hedges." in done.stderr
    assert "what bo said of hedges" in done.stderr and "earlier state" in done.stderr
    assert [(e.who, e.step, e.of, e.after) for e in draft().history[-2:]] == [
        ("lee", "edited", "c1", "[4, Explicit Criteria] Names two grants."),
        ("bo", "passed over", "", None),
    ]
    assert draft().rubric[0].criterion == "Names two grants."
    assert "round-3.jsonl" in done.stderr
    said(3, review)
    assert "Answers taken: 1." in deepassay(*ONE).stderr
    again = deepassay(*ONE)
    assert "earlier state" not in again.stderr and "taken" not in again.stderr
    assert draft().stage == "revise" and draft().open[0].comment == "too easy"


def test_what_is_left_waits_and_a_lost_file_of_drafts_comes_back_from_the_studies(deepassay):
    proposed(deepassay, "lawns")
    done = deepassay(*ONE)
    assert "Still to be answered: ana (1)." in done.stderr and "round-1.jsonl" in done.stderr
    before = draft()
    Path("rubrics.authoring/drafts.yaml").unlink()
    deepassay(*ONE, *THREE)
    assert parts_of_draft(draft()) == parts_of_draft(before)


def test_the_hand_of_a_leader_can_end_a_dispute(deepassay):
    proposed(deepassay)
    deepassay(*ONE)
    edited("stage: review", "stage: done")
    done = deepassay(*ONE)
    assert "Rubrics added to rubrics.yaml: 1." in done.stderr and "All of them" in done.stderr
    (entry,) = RUBRIC_FILE.load("rubrics.yaml").values()
    assert [each.criterion for each in entry.rubric] == ["Names a grant.", "Names a sum."]
    assert (entry.history[-1].step, entry.history[-1].after) == ("edited", "done")
    edited("Names a grant.", "Names two grants.")
    done = deepassay(*ONE)
    assert "rubrics.yaml keeps the rubric of hedges" in done.stderr
    Path("rubrics.yaml").unlink()
    deepassay(*ONE)
    (entry,) = RUBRIC_FILE.load("rubrics.yaml").values()
    assert entry.rubric[0].criterion == "Names two grants."


def test_what_is_settled_by_hand_is_in_no_round_that_people_are_sent_to(deepassay):
    proposed(deepassay, "lawns", "walls", "ponds")
    again = deepassay(*ONE)
    assert "round-1.jsonl" in again.stderr and "ana (3)" in again.stderr
    file = Path("rubrics.authoring/drafts.yaml")
    before, _, after = file.read_text().rpartition("stage: propose")
    file.write_text(f"{before}stage: done{after}")
    done = deepassay(*ONE)
    asked = read_asked_items(Path("rubrics.authoring/round-2.jsonl"))
    assert {each.task: each.raters for each in asked} == {
        "hedges": ("bo",),
        "lawns": ("ana",),
        "walls": ("ana",),
    }
    assert "ana (2)" in done.stderr and "bo (1)" in done.stderr and "round-2.jsonl" in done.stderr
    assert "of 1 task what has changed in the drafts" in done.stderr
    assert "changed in the drafts" not in deepassay(*ONE).stderr


def test_answers_that_were_given_once_need_not_be_given_again(deepassay):
    proposed(deepassay, "lawns")
    Path("rubrics.authoring/round-1.assay").rename("elsewhere.assay")
    done = deepassay(*ONE, "--answers", "elsewhere.assay")
    assert "ana (1)" in done.stderr and "round-1.jsonl" in done.stderr
    again = deepassay(*ONE)
    assert "ana (1)" in again.stderr and "round-1.jsonl" in again.stderr
    assert "changed in the drafts" not in again.stderr


def test_what_was_answered_before_an_edit_is_asked_anew_at_once(deepassay):
    proposed(deepassay, "lawns")
    edited("How are hedges paid for?", "How are all hedges paid for?")
    done = deepassay(*ONE, "--by", "lee")
    assert "earlier state" in done.stderr
    assert "ana (2)" in done.stderr and "round-2.jsonl" in done.stderr
    assert "changed in the drafts" not in deepassay(*ONE).stderr


WRONG = [
    pytest.param("weight: 4", "weight: 7", "rubric[1]: the weight is outside [-5, 5]", id="weight"),
    pytest.param(
        "axis: Explicit Criteria", "axis: Looks", "'Looks' is no axis", id="an axis nobody named"
    ),
    pytest.param("reviewer: bo", "reviewer: ana", "are three people", id="two roles"),
    pytest.param("stage: review", "stage: reviewed", "stage: is unknown", id="stage"),
    pytest.param("criterion: Names a grant.", "criterion:", "criterion", id="half-filled"),
    pytest.param("id: c1", "id: prompt", "cannot have the identifier", id="reserved"),
]


@pytest.mark.parametrize(("before", "after", "words"), WRONG)
def test_a_slip_in_the_drafts_is_named_and_nothing_is_written(deepassay, before, after, words):
    proposed(deepassay)
    deepassay(*ONE)
    edited(before, after)
    file = Path("rubrics.authoring/drafts.yaml")
    text = file.read_text()
    done = deepassay(*ONE)
    assert done.returncode == 2 and words in done.stderr and "drafts.yaml" in done.stderr
    assert file.read_text() == text
    edited(after, before)
    assert deepassay(*ONE).returncode == 0


def test_an_axis_of_ones_own_is_named_each_time(deepassay):
    proposed(deepassay)
    deepassay(*ONE)
    edited("axis: Explicit Criteria", "axis: Looks")
    done = deepassay(*ONE, "--axis", "Looks")
    assert done.returncode == 0 and "hedges" in done.stderr


def test_another_prompt_than_the_rubric_began_with_is_refused(deepassay):
    proposed(deepassay)
    edited("prompt: How are hedges paid for?", "prompt: Who pays for hedges?")
    assert deepassay(*ONE).returncode == 0
    task_file({"hedges": "Who pays for hedges?"})
    assert deepassay(*ONE).returncode == 0
    task_file({"hedges": "Who plants hedges?"})
    done = deepassay(*ONE)
    assert done.returncode == 2 and "has another prompt than in" in done.stderr


def test_half_a_line_is_asked_for_again_with_what_was_typed_and_nothing_is_taken(deepassay):
    task_file({"hedges": "How are hedges paid for?"})
    deepassay(*ONE, *THREE)
    round_ = Path("rubrics.authoring/round-1.jsonl")

    async def half(own, form):
        return await own.post("/save", filled((await own.get())[1]) | form)

    async def answer():
        terms = StudyTerms(questions=(), raters=("ana",), seed=0)
        async with (
            served(round_, round_.with_suffix(".assay"), terms) as (_, keys, address),
            client(address, keys["ana"]) as own,
        ):
            line = {"q0.0.text": "Why?", "q1.0.text": "Names a grant.", "q1.0.weight": "7"}
            return [await half(own, line), await half(own, line | {"q1.0.weight": "4"})]

    for status, page in asyncio.run(answer()):
        assert status == 400 and "Names a grant." in page
    assert "Still to be answered: ana (1)." in deepassay(*ONE).stderr


def test_foreign_studies_and_missing_people_are_refused(deepassay):
    task_file({"hedges": "How are hedges paid for?"})
    done = deepassay(*ONE, "--proposer", "ana", "--reviewer", "ana", "--final", "cy")
    assert done.returncode == 2 and "--reviewer" in done.stderr
    assert not Path("rubrics.authoring").exists()
    assert deepassay(*ONE[:-1], "rubrics.csv", *THREE).returncode == 2
    proposed(deepassay)
    Path("rubrics.authoring/round-1.assay").rename("other.assay")
    task_file({"lawns": "How are lawns paid for?"})
    other = (
        "tasks",
        "author",
        "tasks.jsonl",
        "-o",
        "other.yaml",
        *THREE,
        "--answers",
        "other.assay",
    )
    done = deepassay(*other)
    assert done.returncode == 2 and "hedges is none of these" in done.stderr
    assert not Path("other.authoring/drafts.yaml").exists()
    done = deepassay(*other[:-1], "missing.assay")
    assert done.returncode == 2 and "missing.assay" in done.stderr


def test_a_rubric_without_a_positive_weight_is_not_written_and_said(deepassay):
    proposed(deepassay)
    deepassay(*ONE)
    edited("weight: 4", "weight: -4")
    edited("stage: review", "stage: done")
    done = deepassay(*ONE)
    assert done.returncode == 1 and "no weight above 0" in done.stderr
    assert "no criterion has a weight above 0" in done.stdout
    assert not Path("rubrics.yaml").exists()
