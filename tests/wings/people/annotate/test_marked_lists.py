"""Words marked in a list of references: two raters agree where they marked the same of it."""

import csv
import io
import json
import re

import pytest

from deepassay.runfile.questions import Item, Question, write_items
from deepassay.wings.people.agreement.marked import read_marked
from deepassay.wings.people.annotate.exchange import as_spans
from deepassay.wings.people.annotate.setting_up import StudyTerms
from deepassay.wings.people.annotate.spans import ShownText
from tests.reports.test_relisted import FORMS, A, B
from tests.wings.people.annotate.studies import client, filled, served

TERMS = StudyTerms((), ("ana", "bo"), per_item=2, seed=3)
QUESTION = Question(protocol="marked", text="Mark it.", labels=("a", "b"))
LOST = {"en": "In the list of references at the end", "zh": "在文末的参考文献中"}


def items(forms):
    return [
        Item(
            task=name,
            agent="nightjar",
            language="zh" if name == "Chinese" else "en",
            prompt="Why?",
            report=FORMS[name],
            questions=(QUESTION,),
        )
        for name in forms
    ]


def sent(book, number, words):
    """A form's spans, as a page tells those words."""
    shown = ShownText(book.text(number, "first"))
    signs = shown._seen.signs
    wanted = re.sub(r"\s", "", words)
    start = signs.rindex(wanted)
    end = start + len(wanted)
    told = {"text": "first", "start": start, "end": end, "label": 0}
    return json.dumps([told | {"words": shown.words(start, end), "comment": ""}])


async def mark(book, key, address, words, language="en"):
    """Have a rater mark words in each item; the pages that came back."""
    pages = []
    async with client(address, key) as own:
        own.session.headers["Accept-Language"] = language
        for _ in book.items:
            _, page = await own.get()
            form = filled(page)
            spans = sent(book, int(form["item"]), words)
            pages.append(await own.post("/save", form | {"q0.spans": spans}))
    return pages


@pytest.mark.asyncio
@pytest.mark.parametrize(
    ("ana", "bo", "agree"), [(A, A, True), (A, B, False), ("a.example", "b.example", False)]
)
async def test_raters_agree_on_the_list_where_they_marked_the_same(tmp_path, ana, bo, agree):
    write_items(tmp_path / "i.jsonl", items(FORMS))
    async with served(tmp_path / "i.jsonl", tmp_path / "s", TERMS) as (book, keys, address):
        await mark(book, keys["ana"], address, ana)
        await mark(book, keys["bo"], address, bo, "zh")
        text = as_spans(book)
    rows = list(csv.DictReader(io.StringIO(text)))
    assert len(rows) == 2 * len(FORMS)
    assert [row["words"] for row in rows] == [ana] * len(FORMS) + [bo] * len(FORMS)
    (tmp_path / "spans.csv").write_text(text, "utf-8")
    (sheet,) = read_marked(tmp_path / "spans.csv").sheets(0)
    told = {each.name: each.value for each in sheet.figures}
    if agree:
        assert set(told.values()) == {1.0}
    else:
        assert told["Krippendorff's alpha of characters"] < 0
        assert told["F1 of characters"] == 0


@pytest.mark.asyncio
@pytest.mark.parametrize("language", ["en", "zh"])
@pytest.mark.parametrize("words", ["References [1]", "参考文献 [1]"])
async def test_a_rater_is_told_of_what_has_no_place_in_the_list(tmp_path, language, words):
    forms = ["Chinese"] if "参" in words else ["numbers", "links", "footnotes"]
    write_items(tmp_path / "i.jsonl", items(forms))
    async with served(tmp_path / "i.jsonl", tmp_path / "s", TERMS) as (book, keys, address):
        pages = await mark(book, keys["ana"], address, words, language)
        assert all(status == 400 and LOST[language] in page for status, page in pages)
        assert not book.ratings
