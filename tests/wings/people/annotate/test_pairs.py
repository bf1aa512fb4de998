"""Two reports side by side: nothing that is sent tells which of them is the baseline."""

import asyncio
import csv
import io
import itertools
import json
import re
from dataclasses import replace

import pytest

from deepassay.errors import BadInput, BadRunFile
from deepassay.runfile import Rating, RunFile
from deepassay.runfile.questions import Item, Opinion, Question, write_items
from deepassay.wings.people.annotate import questions
from deepassay.wings.people.annotate.book import StudyBook
from deepassay.wings.people.annotate.exchange import as_decisions, as_preferences
from deepassay.wings.people.annotate.label_studio import (
    CONFIGURATION,
    as_label_studio,
    read_label_studio,
)
from deepassay.wings.people.annotate.questions import DECLARED
from deepassay.wings.people.annotate.setting_up import StudyTerms, set_up_study
from tests.wings.people.annotate.studies import ANSWER, checked, client, filled, served

TERMS = StudyTerms((), ("ana", "bo"), per_item=2, seed=5)
MENU = DECLARED["depth"].menu
LEFT = {"en": "the first report", "zh": "第一份报告"}


def pair(task, language="en", *, turned=False, verdicts=("win", "loss"), first="", second=""):
    """A report and its baseline. turned: the baseline is the first of them."""
    judges = [Opinion(judge=f"openai:j{at}", verdict=said) for at, said in enumerate(verdicts)]
    question = Question(
        protocol="depth",
        text="Which report goes deeper?" if language == "en" else "哪份报告更深入？",
        menu=MENU,
        level="ordinal",
        opinions=judges,
    )
    return Item(
        task=task,
        agent="nightjar",
        language=language,
        prompt="Why does it rain?",
        report=first or f"# Left of {task}\n\nVapour rises.\n",
        rival=second or f"# Right of {task}\n\nClouds form.\n",
        questions=(questions.turned(question) if turned else question,),
    )


PAIRS = [("rain", "en"), ("feng", "zh"), ("snow", "en"), ("xue", "zh"), ("hail", "en")]


def written(folder, turned):
    """A file of the pairs. turned: of which the baseline comes first."""
    path = folder / f"{'-'.join(sorted(turned)) or 'none'}.jsonl"
    write_items(path, [pair(task, lang, turned=task in turned) for task, lang in PAIRS])
    return path


async def seen(folder, turned, second_look=False):
    """All that Ana's browser is sent, while she says that the left report goes deeper."""
    terms = replace(TERMS, second_look=second_look)
    sent: list[bytes] = []
    study = folder / f"study-{len(turned)}-{second_look}"
    async with (
        served(written(folder, turned), study, terms, sent) as (book, keys, address),
        client(address, keys["ana"]) as own,
    ):
        for _ in range(2 * len(PAIRS)):
            _, page = await own.get()
            if 'type="radio"' in page:
                words = next(each for each in LEFT.values() if each in page)
                await own.post("/save", filled(page, words))
            elif 'type="checkbox"' in page:
                form = re.findall(r'type="hidden" name="(\w+)" value="([^"]*)"', page)
                await own.post("/look", dict(form))
        said = {(book.items[n].task, own.answers["depth"]) for (_, n), own in book.latest().items()}
    # What is drawn anew at every start, whatever the study is.
    nonce = rb"assay-\d+=[\w-]+|(?:Host|host|Origin)[^\n]*|[0-9a-f]{64}|[0-9a-f]{32}"
    return re.sub(nonce, b"", b"\n".join(sent)), said


@pytest.mark.asyncio
@pytest.mark.parametrize("second_look", [False, True])
@pytest.mark.parametrize("turned", [{"rain"}, {"feng", "hail"}, {each for each, _ in PAIRS}])
async def test_no_byte_changes_where_the_baseline_is_the_other_report(
    tmp_path, turned, second_look
):
    """The order of items is drawn by their number and texts, so the same pages come."""
    straight, said = await seen(tmp_path, set(), second_look)
    swapped, said_then = await seen(tmp_path, turned, second_look)
    opinions = rb"(?m)^.*class=\"opinion\".*$"  # what judges said is turned with the reports
    assert straight.count(b'class="opinion"') == 4 * len(PAIRS) * second_look
    assert re.sub(opinions, b"", straight) == re.sub(opinions, b"", swapped)
    assert not re.search(rb"\b(win|loss|tie|baseline|rival|turned)\b", straight.lower())
    # And the same words mean the other thing.
    assert said == {(task, "win") for task, _ in PAIRS}
    assert said_then == {(task, "loss" if task in turned else "win") for task, _ in PAIRS}


@pytest.mark.asyncio
async def test_at_the_second_look_judges_speak_of_left_and_right(tmp_path):
    items = [pair("rain", verdicts=("win", "unsure"), turned=True)]
    write_items(tmp_path / "i.jsonl", items)
    terms = replace(TERMS, raters=("ana",), per_item=1, second_look=True)
    async with (
        served(tmp_path / "i.jsonl", tmp_path / "s", terms) as (_, keys, address),
        client(address, keys["ana"]) as own,
    ):
        _, page = await own.rate(LEFT["en"])
    assert "the second report" in page and "unsure" in page and "win" not in page


ASKED = {
    "coverage": ("met", "not met"),
    "rubrics": ("partly met", "met"),
    "presentation": ("no", "met"),
    "fact": ("unknown", "unsupported"),
    "kae": ("omits", "contradicts"),
}
"""By protocol, what two judges said, in words of studies of now and before."""


def decided(task, language):
    """A report with a question of every kind."""
    return Item(
        task=task,
        agent="nightjar",
        language=language,
        prompt="Why does it rain?",
        report=f"# Rain of {task}\n\nVapour rises.\n",
        questions=tuple(
            Question(
                protocol=protocol,
                item="c1",
                text=f"{protocol}?",
                menu=DECLARED[protocol].menu,
                opinions=[Opinion(judge=f"j{at}", verdict=each) for at, each in enumerate(said)],
            )
            for protocol, said in ASKED.items()
        ),
    )


@pytest.mark.asyncio
async def test_at_the_second_look_and_in_the_export_are_the_words_of_the_menus(tmp_path):
    items = [decided("rain", "en"), decided("feng", "zh"), decided("xue", "zh")]
    write_items(tmp_path / "i.jsonl", items)
    terms = replace(TERMS, second_look=True)
    async with served(tmp_path / "i.jsonl", tmp_path / "s", terms) as (book, keys, address):
        for rater, _ in itertools.product(("ana", "bo"), items):
            async with client(address, keys[rater]) as own:
                await own.rate()
                _, page = await own.get()
                number = int(filled(page)["item"])
                language = book.items[number].language
                shown = re.findall(r"(?:<kbd[^>]*>\d</kbd> [AB]|</b>)(?:: |：)([^<]*)<", page)
                words = {getattr(c, language) for each in ASKED for c in DECLARED[each].menu}
                assert len(shown) == 3 * len(ASKED) and {*map(str.strip, shown)} <= words
                form = re.findall(r'type="hidden" name="(\w+)" value="([^"]*)"', page)
                await own.post("/look", dict(form))
        rows = list(csv.DictReader(io.StringIO(as_preferences(book))))
    assert len(rows) == 2 * 3 * len(ASKED)
    for row in rows:
        values = {each.value for each in DECLARED[row["protocol"]].menu}
        assert {row["own verdict"], row["A"], row["B"]} <= values
    assert {row["A"] for row in rows if row["protocol"] == "fact"} <= {"unknown", "unsupported"}


@pytest.mark.asyncio
async def test_who_was_shown_the_judges_is_known_after_a_restart(tmp_path):
    """Seen, then stopped: the first answer taken back and given again is marked all the same."""
    write_items(tmp_path / "i.jsonl", [pair("rain"), pair("snow")])
    terms = replace(TERMS, second_look=True)
    study = tmp_path / "s"
    async with (
        served(tmp_path / "i.jsonl", study, terms) as (book, keys, address),
        client(address, keys["ana"]) as own,
    ):
        await own.rate(LEFT["en"])  # and is shown what the judges said
        (first,) = [number for _, number in book.latest()]
    async with (
        served(tmp_path / "i.jsonl", study, terms) as (book, keys, address),
        client(address, keys["ana"]) as own,
    ):
        assert book.saw_judge("ana", first) and not book.saw_judge("bo", first)
        assert book.looks() == {} and book.to_look_at("ana") == first
        _, page = await own.get()
        await own.post("/back", dict(re.findall(r'name="(key|form)" value="([^"]*)"', page)))
        assert checked((await own.get())[1]) == [LEFT["en"]]
        await own.rate("the second report")
        assert book.latest()["ana", first].saw_judge
        again = [each for each in book.ratings if each.form.startswith("shown/")]
        assert [(each.rater, each.item) for each in again] == [("ana", first)]
    with RunFile.read(study) as run:
        book = StudyBook(run)
        rows = list(csv.DictReader(io.StringIO(as_decisions(book))))
        assert [row["saw_judge"] for row in rows] == ["yes"] and not run.verify().damage


# ------------------------------------------------------------------ Label Studio


@pytest.fixture
def study(tmp_path):
    """Five pairs, two of them turned; Ana preferred the left report of each."""
    with RunFile.create(tmp_path / "study") as file:
        set_up_study(written(tmp_path, {"feng", "snow"}), file, TERMS)
        book = StudyBook(file)
        for number, item in enumerate(book.items):
            left = item.questions[0].menu[0].value
            asyncio.run(book.keep(Rating(f"a{number}", "ana", number, {"depth": left}, at="t")))
        yield book


def test_a_pair_goes_to_label_studio_in_two_fields_and_comes_back_by_its_place(study, tmp_path):
    text = as_label_studio(study)
    assert not re.search(r'"(win|loss|tie)"|nightjar', text)
    for task in json.loads(text):
        data, item = task["data"], study.items[task["data"]["item"]]
        assert data["report"].strip() == item.report.strip()
        assert data["rival"].strip() == item.rival.strip() and data["above"] != data["beside"]
        assert task["annotations"][0]["result"][0]["value"]["choices"] == [LEFT[item.language]]
        for field in ("prompt", "above", "report", "beside", "rival", "question", "menu"):
            assert field in data and f'"${field}"' in CONFIGURATION
    tasks = json.loads(text)
    for task in tasks:  # Bo answers there: right, of every pair
        right = task["data"]["menu"][2]["value"]
        part = {"from_name": "answer", "type": "choices", "value": {"choices": [right]}}
        task["annotations"] = [{"completed_by": "bo", "result": [part]}]
    (tmp_path / "ls.json").write_text(json.dumps(tasks))
    found = read_label_studio(tmp_path / "ls.json", study)
    said = {study.items[each.item].task: each.answers["depth"] for each in found.fresh}
    assert said == {task: "win" if task in ("feng", "snow") else "loss" for task, _ in PAIRS}


def test_the_meaning_of_an_answer_is_no_answer_there(study, tmp_path):
    tasks = json.loads(as_label_studio(study))
    tasks[0]["annotations"][0]["result"][0]["value"]["choices"] = ["win"]
    (tmp_path / "ls.json").write_text(json.dumps(tasks))
    with pytest.raises(BadInput, match="ana said 'win'") as refused:
        read_label_studio(tmp_path / "ls.json", study)
    assert "write the tasks anew" in refused.value.remedy


# ------------------------------------------------------------------ a full disk


def _full(monkeypatch):
    """Have the file of every study refuse what is written, as on a full disk."""

    async def full(self, rating):
        raise BadRunFile("The run file cannot be written (database or disk is full).", "Make room.")

    monkeypatch.setattr("deepassay.runfile.annotating.Annotating.keep", full)


@pytest.mark.asyncio
@pytest.mark.parametrize("at", ["save", "back", "look", "shown"])
@pytest.mark.parametrize("language", ["en", "zh"])
async def test_on_a_full_disk_a_rater_is_told_and_nothing_is_lost(
    tmp_path, monkeypatch, at, language
):
    write_items(tmp_path / "i.jsonl", [pair(each, language) for each in ("rain", "snow")])
    terms = replace(TERMS, raters=("ana",), per_item=1, second_look=at in ("look", "shown"))
    sentence = {"en": "disk where the study is kept is full", "zh": "磁盘已满"}[language]
    async with (
        served(tmp_path / "i.jsonl", tmp_path / "s", terms) as (book, keys, address),
        client(address, keys["ana"]) as own,
    ):
        own.session.headers["Accept-Language"] = language
        _, page = await own.get()
        form = filled(page, LEFT[language]) | {"note": "A long note."}
        if at != "save":
            with monkeypatch.context() as patch:
                if at == "shown":
                    patch.setattr(StudyBook, "shows_judges", _refusing)
                await own.post("/save", form)
        _, page = await own.get() if at == "look" else (0, page)
        hidden = dict(re.findall(r'type="hidden" name="(\w+)" value="([^"]*)"', page))
        kept = len(book.ratings)
        with monkeypatch.context() as patch:
            _full(patch)
            if at == "shown":
                status, told = await own.get()
            else:
                status, told = await own.post(f"/{at}", form if at == "save" else hidden)
        assert status == 507 and sentence in told and "Traceback" not in told
        assert len(book.ratings) == kept
        if at == "save":  # the form comes back as it was sent
            assert checked(told) == [LEFT[language]] and "A long note." in told
            assert (await own.post("/save", filled(told) | {"note": "A long note."}))[0] == 200
            assert [each.note for each in book.latest().values()] == ["A long note."]
        else:  # and it goes on once there is room
            path = hidden if at != "shown" else {}
            status, _ = await (own.get() if at == "shown" else own.post(f"/{at}", path))
            assert status == 200 and len(book.ratings) == kept + 1


async def _refusing(self, *given):
    raise BadRunFile("The run file cannot be written.", "Make room.")


HOSTILE_PLACES = ["-1", "3", "0.0", "win", "١", "0\n", "", "9" * 40, "0x0", "None"]


@pytest.mark.asyncio
@pytest.mark.parametrize("place", HOSTILE_PLACES)
async def test_a_place_that_no_answer_has_is_no_answer(tmp_path, place):
    write_items(tmp_path / "i.jsonl", [pair("rain")])
    async with (
        served(tmp_path / "i.jsonl", tmp_path / "s", TERMS) as (book, keys, address),
        client(address, keys["ana"]) as own,
    ):
        _, page = await own.get()
        assert len(re.findall(ANSWER, page)) == 3
        status, _ = await own.post("/save", filled(page) | {"q0": place})
        assert status == 400 and not book.ratings
