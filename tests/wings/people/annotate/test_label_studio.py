"""A study that goes to Label Studio and comes back."""

import asyncio
import json

import pytest

from deepassay.errors import BadInput
from deepassay.runfile import Rating, RunFile
from deepassay.runfile.questions import Item, Question, write_items
from deepassay.wings.people.annotate.book import StudyBook
from deepassay.wings.people.annotate.exchange import as_decisions
from deepassay.wings.people.annotate.label_studio import as_label_studio, read_label_studio
from deepassay.wings.people.annotate.setting_up import StudyTerms, set_up_study
from tests.wings.people.annotate.studies import checklist_of

ASKED = tuple(
    Question(protocol=name, text=f"Is it {name}?", menu=("yes", "no"))
    for name in ("clear", "whole")
)


def items(folder, count=4):
    own = [
        Item(task=f"t{n}", agent="nightjar", prompt="Why?", report="By nightjar.", questions=ASKED)
        for n in range(count)
    ]
    write_items(folder / f"{count}.jsonl", own)
    return folder / f"{count}.jsonl"


def begun(folder, name="a", count=4, per_item=2):
    file = RunFile.create(folder / name)
    set_up_study(
        items(folder, count), file, StudyTerms((), ("ana", "bo"), per_item, 0, ["nightjar"])
    )
    return file


def rate(book, rater, number, answer, note=""):
    answers = {question.key: answer for question in ASKED}
    form = f"{rater}{number}{answer}"
    asyncio.run(book.keep(Rating(form, rater, number, answers, note, seconds=3.0, at="t")))


def keep(book, found):
    for each in found.fresh:
        asyncio.run(book.keep(each))


@pytest.fixture
def study(tmp_path):
    """Ana has answered all, Bo one."""
    with begun(tmp_path) as file:
        book = StudyBook(file)
        for number in range(4):
            rate(book, "ana", number, "yes", note="hasty" * (number == 2))
        rate(book, "bo", 1, "no")
        yield book


def test_tasks_are_blind_and_their_answers_come_back_whole(study, tmp_path):
    text = as_label_studio(study)
    assert "nightjar" not in text
    (tmp_path / "ls.json").write_text(text)
    with begun(tmp_path, "b") as file:
        other = StudyBook(file)
        found = read_label_studio(tmp_path / "ls.json", other)
        assert (len(found.fresh), found.known, found.partial) == (5, 0, 0)
        keep(other, found)
        assert as_decisions(other) == as_decisions(study)


def test_our_own_export_brings_nothing_new_and_takes_no_note_away(study, tmp_path):
    before = as_decisions(study)
    tasks = json.loads(as_label_studio(study))
    for task in tasks:  # as Label Studio does with what its configuration does not name
        for each in task["annotations"]:
            each["result"] = each["result"][:1]
    for text in (as_label_studio(study), json.dumps(tasks)):
        (tmp_path / "ls.json").write_text(text)
        found = read_label_studio(tmp_path / "ls.json", study)
        assert (found.fresh, found.known) == ((), 5)
    assert as_decisions(study) == before


def test_an_answer_that_was_changed_there_counts_and_the_one_before_is_history(study, tmp_path):
    tasks = json.loads(as_label_studio(study))
    changed = next(t for t in tasks if (t["data"]["item"], t["data"]["place"]) == (2, 0))
    changed["annotations"][0]["result"][0]["value"]["choices"] = ["no"]
    (tmp_path / "ls.json").write_text(json.dumps(tasks))
    found = read_label_studio(tmp_path / "ls.json", study)
    keep(study, found)
    assert study.latest()["ana", 2].answers == {"clear": "no", "whole": "yes"}
    assert study.latest()["ana", 2].note == "hasty" and len(study.ratings) == 6
    asyncio.run(study.keep(Rating("back", "ana", 2, None)))
    assert not read_label_studio(tmp_path / "ls.json", study).fresh  # what was taken back stays so


def test_items_with_open_questions_are_counted_and_left_out(study, tmp_path):
    tasks = json.loads(as_label_studio(study))
    tasks[0]["annotations"][0]["result"] = []  # skipped
    tasks[2]["annotations"][0]["was_cancelled"] = True
    (tmp_path / "ls.json").write_text(json.dumps(tasks))
    assert read_label_studio(tmp_path / "ls.json", study).partial == 2


def test_users_of_label_studio_are_named_by_number_or_address(study, tmp_path):
    tasks = json.loads(as_label_studio(study))
    for task in tasks:
        for each in task["annotations"]:
            own = {"ana": 4, "bo": {"id": 7, "email": "bo@a.example"}}
            each["completed_by"] = own[each["completed_by"]]
    (tmp_path / "ls.json").write_text(json.dumps(tasks))
    with pytest.raises(BadInput, match="'4' is none of the raters") as refused:
        read_label_studio(tmp_path / "ls.json", study)
    assert "--rater 4=ana" in str(refused.value.remedy)
    who = {"4": "ana", "bo@a.example": "bo"}
    assert read_label_studio(tmp_path / "ls.json", study, who).known == 5


@pytest.mark.parametrize(
    ("title", "change", "why"),
    [
        ("off the menu", lambda t: _say(t, "perhaps"), "task 1: ana said 'perhaps'"),
        (
            "a stranger",
            lambda t: t["annotations"][0].update(completed_by="eve"),
            "'eve' is none of",
        ),
        ("another study", lambda t: t["data"].update(study="x"), "task 1: item 0 is not there"),
        ("no such item", lambda t: t["data"].update(item=9), "task 1: .*not of this study"),
        ("an item from the end", lambda t: t["data"].update(item=-1), "task 1: item -1 is not"),
        (
            "no answer",
            lambda t: t["annotations"][0]["result"][0].update(from_name="x"),
            "task 1: 'answer'",
        ),
    ],
    ids=lambda each: each if isinstance(each, str) else "",
)
def test_what_is_no_answer_of_this_study_is_named(study, tmp_path, title, change, why):
    tasks = json.loads(as_label_studio(study))
    change(tasks[0])
    (tmp_path / "ls.json").write_text(json.dumps(tasks))
    with pytest.raises(BadInput, match=why):
        read_label_studio(tmp_path / "ls.json", study)


def _say(task, answer):
    task["annotations"][0]["result"][0]["value"]["choices"] = [answer]


def test_an_answer_on_what_a_rater_was_not_given_is_refused_by_its_item(tmp_path):
    with begun(tmp_path, per_item=1) as file:
        book = StudyBook(file)
        theirs = next(number for number in range(4) if not book.is_duty("ana", number))
        tasks = json.loads(as_label_studio(book))
        task = next(each for each in tasks if each["data"]["item"] == theirs)
        part = {"from_name": "answer", "value": {"choices": ["yes"]}}
        task["annotations"] = [{"completed_by": "ana", "result": [part]}]
        (tmp_path / "ls.json").write_text(json.dumps(tasks))
        with pytest.raises(BadInput, match=f"item {theirs} was not given to ana"):
            read_label_studio(tmp_path / "ls.json", book)


def test_questions_that_take_text_stay_here(tmp_path):
    write_items(tmp_path / "items.jsonl", [checklist_of("rain")])
    with RunFile.create(tmp_path / "study") as file:
        set_up_study(tmp_path / "items.jsonl", file, StudyTerms((), ("ana",), seed=0))
        with pytest.raises(BadInput, match="rain: check/c1 takes more than an answer"):
            as_label_studio(StudyBook(file))
