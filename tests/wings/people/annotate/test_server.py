"""A study over HTTP: entering, rating, taking back, leading, and what is refused."""

import asyncio
import csv
import io
import json
import re
from dataclasses import replace
from html import unescape

import pytest

from deepassay.errors import BadSetting, ConfigurationChanged
from deepassay.runfile import RunFile
from deepassay.runfile.questions import Item, Question, write_items
from deepassay.wings.people.agreement.people_files import read_decisions
from deepassay.wings.people.agreement.sampling import candidates
from deepassay.wings.people.annotate import questions
from deepassay.wings.people.annotate.book import LEADER, StudyBook
from deepassay.wings.people.annotate.exchange import as_decisions
from deepassay.wings.people.annotate.setting_up import StudyTerms, set_up_study
from tests.wings.people.annotate.studies import (
    AGENTS,
    TASKS,
    TERMS,
    checked,
    client,
    filled,
    scored,
    served,
)

pytestmark = pytest.mark.asyncio


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    return scored(tmp_path_factory.mktemp("run"))


async def test_a_study_from_the_first_page_to_the_file_that_agree_reads(run, tmp_path):
    async with served(run, tmp_path / "study.assay") as (_book, keys, address):
        for rater in ("ana", "bo"):
            async with client(address, keys[rater]) as own:
                pages = 0
                while 'type="radio"' in (await own.get())[1]:
                    status, _ = await own.rate("yes" if rater == "ana" else None)
                    assert status == 200
                    pages += 1
                assert pages == 4
                assert "Thank you" in (await own.get())[1]
        async with client(address, keys[LEADER]) as leader:
            _, page = await leader.get("/lead")
            _, text = await leader.get("/decisions.csv")
    assert "4 of 4" in page and re.search(r"<th scope=\"row\">coverage<td>4<td>1.00", page)
    rows = list(csv.DictReader(io.StringIO(text)))
    assert {(row["agent"], row["task"]) for row in rows} == {
        (agent, task["id"]) for agent in AGENTS for task in TASKS
    }
    (tmp_path / "people.csv").write_text(text)
    assert len(read_decisions(tmp_path / "people.csv").usable) == 8


async def test_a_rater_to_whom_nothing_is_assigned_is_told_so(run, tmp_path):
    terms = replace(TERMS, raters=("ana", "bo", "cy", "dee", "eli"), per_item=1)
    async with served(run, tmp_path / "study.assay", terms) as (book, keys, address):
        (idle,) = [each for each in terms.raters if not book.place(each).total]
        async with client(address, keys[idle]) as own:
            assert "Nothing is assigned to you" in (await own.get())[1]


SAVE = {"en": "Save and next", "zh": "保存并继续"}


async def test_a_page_speaks_the_language_of_its_rater_and_has_no_icon(run, tmp_path):
    """Not that of its item, in which its question is."""
    study = served(run, tmp_path / "study.assay")
    async with study as (book, keys, address), client(address, keys["ana"]) as own:
        for browser, language in (
            ("en", "en"),
            ("zh-CN", "zh"),
            ("fr, zh-TW;q=0.8, en;q=0.5", "zh"),
            ("en;q=0.2,zh;q=0.1", "en"),
            ("fr", "en"),
            ("", "en"),
        ):
            _, page = await own.get(headers={"Accept-Language": browser})
            assert f'<html lang="{language}">' in page
            assert SAVE[language] in page and SAVE["zh" if language == "en" else "en"] not in page
            item = book.shown(book.place("ana").number)
            assert f'<legend lang="{item.language}">{item.questions[0].text[:4]}' in page
        assert await own.get("/favicon.ico") == (204, "")


async def test_what_is_said_of_a_rater_or_of_the_study_goes_before_the_browser(run, tmp_path):
    study = tmp_path / "study.assay"
    with RunFile.create(study) as file:
        file.annotating.keep_languages({"ana": "en", "": "zh"})
    async with served(run, study) as (_book, keys, address):
        for rater, browser, language in (("ana", "zh", "en"), ("bo", "en", "zh")):
            async with client(address, keys[rater]) as own:
                _, page = await own.get(headers={"Accept-Language": browser})
                assert SAVE[language] in page
        async with client(address) as nobody:
            assert "您的密钥" in (await nobody.get("/enter", headers={"Accept-Language": "en"}))[1]


async def test_no_byte_that_a_rater_gets_tells_whose_report_it_is(run, tmp_path):
    async with (
        served(run, tmp_path / "study.assay") as (book, keys, address),
        client(address, keys["ana"]) as own,
    ):
        assert book.blind(f"{AGENTS[0]}, read offline") == "▇▇▇, read offline"
        seen = [await own.get(path) for path in ("/", "/lead", "/decisions.csv", "/keys.js")]
        for _ in range(4):
            seen.append(await own.rate())
            seen.append(await own.get())
    for _, page in seen:
        assert not [name for name in (*AGENTS, "offline") if name in page.lower()]
    whole = "".join(page for _, page in seen)
    assert "&lt;script&gt;alert(1)" in whole
    assert not re.search(r"<(script(?! defer)|img)|href=\"javascript|<[^>]*\son\w+=", whole)
    assert {*re.findall(r'src="([^"]*)"', whole)} == {"/keys.js", "/spans.js"}


async def test_half_a_form_is_asked_for_again_with_what_was_said(run, tmp_path):
    terms = StudyTerms(("race(reference=False)",), ("ana",), seed=1)
    async with (
        served(run, tmp_path / "study.assay", terms) as (book, keys, address),
        client(address, keys["ana"]) as own,
    ):
        status, page = await own.rate("7", q2="11", note="unsure")
        assert status == 400 and re.search("A question is open|尚有问题未回答", page)
        assert page.count("checked") == 3 and "unsure" in page
        assert not book.ratings


async def test_what_is_taken_back_is_history_and_stands_in_the_form(run, tmp_path):
    study = tmp_path / "study.assay"
    async with (
        served(run, study) as (book, keys, address),
        client(address, keys["ana"]) as own,
    ):
        await own.rate("no", note="hasty")
        _, page = await own.get()
        form = dict(re.findall(r'type="hidden" name="(key|form)" value="([^"]*)"', page))
        await own.post("/back", form)
        _, page = await own.get()
        assert checked(page)[0] in ("no", "否") and "hasty" in page
        assert book.place("ana").done == 0
        await own.rate("yes")
    with RunFile.read(study) as file:
        said = [each.answers and [*each.answers.values()] for each in file.annotating.ratings()]
        assert said == [["no"], None, ["yes"]]
        assert not file.verify().damage


async def test_a_form_that_is_sent_twice_is_kept_once(run, tmp_path):
    async with (
        served(run, tmp_path / "study.assay") as (book, keys, address),
        client(address, keys["ana"]) as own,
    ):
        _, page = await own.get()
        form = re.search(r'name="form" value="(\w+)"', page)[1]
        await asyncio.gather(*(own.rate("yes", form=form) for _ in range(5)))
        assert len(book.ratings) == 1
    with RunFile.read(tmp_path / "study.assay") as file:
        assert len([*file.annotating.ratings()]) == 1


async def test_a_restart_keeps_answers_and_addresses_until_new_ones_are_given(run, tmp_path):
    study = tmp_path / "study.assay"
    async with served(run, study) as (_, keys, address), client(address, keys["ana"]) as own:
        await own.rate("yes")
    with RunFile.create(study) as file:
        set_up_study(run, file, TERMS)
        book = StudyBook(file)
        assert book.place("ana").done == 1
        assert book.holder(keys["ana"]) == "ana"
        book.new_keys()
        assert book.holder(keys["ana"]) is None


async def test_a_page_that_was_open_when_the_server_stopped_can_still_be_sent(run, tmp_path):
    study = tmp_path / "study.assay"
    async with served(run, study) as (book, keys, address), client(address, keys["ana"]) as own:
        _, before = await own.get()
        kept = dict(book._keys)
    async with served(run, study) as (book, _, address):
        book._keys = kept
        async with client(address, keys["ana"]) as own:
            assert (await own.post("/save", filled(before)))[0] == 200
    assert len(book.ratings) == 1


async def test_a_rating_that_could_not_be_written_is_not_acknowledged(run, tmp_path, monkeypatch):
    async with (
        served(run, tmp_path / "study.assay") as (book, keys, address),
        client(address, keys["ana"]) as own,
    ):

        async def full(rating):
            raise OSError("No space left on device")

        _, page = await own.get()
        with monkeypatch.context() as patch:
            patch.setattr(book._run.annotating, "keep", full)
            assert (await own.post("/save", filled(page)))[0] == 500
        async with client(address, keys["ana"]) as again:  # the connection ended with the fault
            assert (await again.post("/save", filled(page)))[0] == 200
        assert len(book.ratings) == 1


async def test_a_run_is_no_study(run):
    with RunFile.create(run) as file, pytest.raises(BadSetting, match="holds a run"):
        set_up_study(run, file, TERMS)


async def test_an_address_of_before_says_so(run, tmp_path):
    async with served(run, tmp_path / "s") as (_, _, address), client(address) as own:
        status, page = await own.enter("an-old-key")
        assert status == 403 and "earlier start" in page


async def test_the_second_look_comes_after_the_own_answer_and_is_marked(run, tmp_path, monkeypatch):
    study = tmp_path / "study.assay"
    terms = StudyTerms(("coverage",), ("ana",), seed=3, second_look=True)
    with pytest.raises(BadSetting, match="decided by two judges"):
        async with served(run, study, terms):
            pass
    patched = lambda records: _with_a_second_judge(candidates(records))  # noqa: E731
    monkeypatch.setattr(questions, "candidates", patched)
    async with (
        served(run, study, terms) as (book, keys, address),
        client(address, keys["ana"]) as own,
    ):
        _, before = await own.get()
        assert "A judge said so" not in before
        await own.rate("yes")
        _, page = await own.get()
        assert "A judge said so" in page and "goshawk" not in page
        form = dict(re.findall(r'type="hidden" name="(\w+)" value="([^"]*)"', page))
        letter = re.search(r'name="p0(\w)"[^\n]* \w: (?:no|否) – A judge said so', page)[1]
        assert "Report of" in page  # what was judged stands beside it
        await own.post("/look", form | {f"p0{letter}": "on"})
        assert 'type="radio"' in (await own.get())[1]
        look = book.ratings[-1]
        assert look.second and look.saw_judge and [*look.answers.values()] == ["openai:goshawk"]
        _, page = await own.get()
        await own.post("/back", dict(re.findall(r'name="(key|form)" value="([^"]*)"', page)))
        await own.rate("no")
        assert book.latest()["ana", look.item].saw_judge
        assert ("ana", look.item) not in book.looks() and book.outdated_looks == 1
        _, page = await own.get()  # another answer is looked at anew, beside that one
        assert "A judge said so" in page and re.search(r"</b>: (?:no|否)</p>|</b>：否</p>", page)
        form = dict(re.findall(r'type="hidden" name="(\w+)" value="([^"]*)"', page))
        await own.post("/look", form)
        assert book.looks()["ana", look.item].answers == {**dict.fromkeys(look.answers, "none")}
        assert book.outdated_looks == 0
    assert "yes" in {row["saw_judge"] for row in csv.DictReader(io.StringIO(as_decisions(book)))}


def _with_a_second_judge(found):
    """The candidates with the verdict of a second judge."""
    return [
        replace(
            each,
            verdicts={**each.verdicts, "openai:goshawk": "not met"},
            reasons={**each.reasons, "openai:goshawk": "A judge said so"},
        )
        for each in found
    ]


@pytest.mark.parametrize(
    ("terms", "error", "why"),
    [
        (StudyTerms(("wind",), ("ana",)), BadSetting, "has nothing of wind to decide on"),
        (StudyTerms((), ("ana",)), BadSetting, "No question is named"),
        (StudyTerms(("coverage",), ("ana", "ana")), BadSetting, "ana: it is there 2 times"),
        (
            StudyTerms(("coverage",), ("ana",), seed=1),
            ConfigurationChanged,
            "set up otherwise: .*seed",
        ),
    ],
)
async def test_what_cannot_be_asked_is_refused(run, tmp_path, terms, error, why):
    with RunFile.create(tmp_path / "study") as file:
        if error is ConfigurationChanged:
            set_up_study(run, file, StudyTerms(("coverage",), ("ana",), seed=0))
        with pytest.raises(error, match=why):
            set_up_study(run, file, terms)


async def test_spans_come_back_with_a_form_that_lacks_something_and_with_one_taken_back(tmp_path):
    asked = [
        Question(protocol="marked", text="Mark it.", labels=("a", "b"), least=1),
        Question(protocol="useful", text="Useful?", menu=("yes", "no")),
    ]
    report = "# Rain\n\nMade by nightjar. Vapour **rises** [1].\n\n[1] https://a.example/1\n"
    item = Item(task="t", agent="nightjar", report=report, questions=asked)
    write_items(tmp_path / "i.jsonl", [item])
    terms = StudyTerms((), ("ana",), masked=("nightjar",), seed=0)

    def told(page):
        (value,) = re.findall(r'name="q0.spans" value="([^"]*)"', page)
        return json.loads(unescape(value))

    sent = [
        {
            "text": "first",
            "start": 4,
            "end": 13,
            "label": 1,
            "words": "Madeby▇▇▇",
            "comment": "Who?",
        },
        {
            "text": "first",
            "start": 14,
            "end": 25,
            "label": 0,
            "words": "Vapourrises",
            "comment": "",
        },
    ]
    async with (
        served(tmp_path / "i.jsonl", tmp_path / "s", terms) as (book, keys, address),
        client(address, keys["ana"]) as own,
    ):
        _, page = await own.get()
        assert told(page) == []
        status, page = await own.post("/save", filled(page) | {"q0.spans": "[]"})
        assert status == 400 and "More has to be marked here." in page
        lacking = {k: v for k, v in filled(page).items() if k != "q1"}
        status, page = await own.post("/save", lacking | {"q0.spans": json.dumps(sent)})
        assert status == 400 and told(page) == sent and not book.ratings
        wrong = [*sent, sent[0] | {"words": "other"}]
        status, page = await own.post("/save", filled(page) | {"q0.spans": json.dumps(wrong)})
        assert status == 400 and told(page) == sent and "was not found in the text" in page
        status, _ = await own.post("/save", filled(page) | {"q0.spans": json.dumps(sent)})
        assert status == 200
        spans = book.latest()["ana", 0].spans["marked"]
        assert [(report[e.start : e.end], e.label) for e in spans] == [
            ("Made by nightjar", "b"),
            ("Vapour **rises", "a"),
        ]
        _, page = await own.get()
        await own.post("/back", filled(page))
        _, page = await own.get()
        assert told(page) == sent and "nightjar" not in page
