"""Answers that carry text: what is required, what is kept, and what stands there the next time."""

import csv
import io
import json
import re

import pytest

from deepassay.errors import BadInput
from deepassay.runfile import RunFile
from deepassay.runfile.people_said import answered
from deepassay.runfile.questions import Question, read_asked_items, write_items
from deepassay.wings.people.annotate.exchange import as_decisions
from deepassay.wings.people.annotate.forms import typed_key
from deepassay.wings.people.annotate.setting_up import StudyTerms
from tests.wings.people.annotate.studies import checked, checklist_of, client, filled, served

TERMS = StudyTerms((), ("ana",), seed=0)
ORIGINAL = "Is vapour of rain named?"
WHOLE = {"q0": "0", "q2.0.text": "Why does it rain?"}


@pytest.fixture
def items(tmp_path):
    write_items(tmp_path / "items.jsonl", [checklist_of("rain")])
    return tmp_path / "items.jsonl"


@pytest.mark.asyncio
@pytest.mark.parametrize(
    ("title", "changes", "problem"),
    [
        ("nothing chosen", {"q0": ""}, "A question is open"),
        ("an answer off the menu", {"q0": "perhaps"}, "A question is open"),
        ("no version", {"q0": "2"}, "needs a modified version"),
        (
            "the original",
            {"q0": "2", "q0.0.text": f" {ORIGINAL} "},
            "needs a modified version",
        ),
        ("no comment", {"q0": "1", "q0.0.text": ORIGINAL}, "needs a comment"),
        ("a comment of blanks", {"q0": "1", "q0.comment": " "}, "needs a comment"),
        ("a line without its weight", {"q1.0.text": "Depth?"}, "A box is empty"),
        ("a weight that is none", {"q1.1.text": "D", "q1.1.weight": "heavy"}, "needs a number"),
        (
            "an axis that is none",
            {"q1.0.text": "D", "q1.0.weight": "1", "q1.0.axis": "up"},
            "A box is empty",
        ),
        ("no draft", {"q2.0.text": ""}, "More has to be written"),
    ],
    ids=lambda each: each if isinstance(each, str) else "",
)
async def test_what_is_missing_is_asked_for_and_what_was_typed_stays(
    items, tmp_path, title, changes, problem
):
    async with (
        served(items, tmp_path / "study", TERMS) as (book, keys, address),
        client(address, keys["ana"]) as own,
    ):
        _, page = await own.get()
        assert f">{ORIGINAL}</textarea>" in page and "&lt;script&gt;" in page
        sent = filled(page) | WHOLE | {"note": "so far"} | changes
        status, page = await own.post("/save", sent)
        assert status == 400 and problem in page
        assert not book.ratings
        shown = dict(re.findall(r'<textarea name="([\w.]+)"[^>]*>([^<]*)<', page))
        typed = {
            name: text.strip()
            for name, text in changes.items()
            if name.endswith(("text", "comment"))
        }
        assert {name: shown[name] for name in typed} == typed
        assert shown["note"] == "so far"
        assert ('value="heavy"' in page) is ("heavy" in changes.values())


@pytest.mark.asyncio
async def test_what_goes_with_the_answer_is_kept_and_comes_back_with_it(items, tmp_path):
    written = {
        "q0": "1",
        "q0.0.text": ORIGINAL,
        "q0.comment": "=said by c2",
        "q1.1.text": "Depth?",
        "q1.1.weight": "-2.5",
        "q1.1.axis": "depth",
    }
    async with (
        served(items, tmp_path / "study", TERMS) as (book, keys, address),
        client(address, keys["ana"]) as own,
    ):
        _, page = await own.get()
        assert (await own.post("/save", filled(page) | WHOLE | written))[0] == 200
        kept = book.ratings[-1]
        assert kept.answers == {"check/c1": "needless"} and kept.comments == {
            "check/c1": "=said by c2"
        }
        line = {"text": "Depth?", "weight": "-2.5", "axis": "depth"}
        assert kept.lines == {"add": [line], "draft": [{"text": "Why does it rain?"}]}
        _, done = await own.get()
        await own.post("/back", filled(done) | {"form": "f"})
        _, page = await own.get()
        assert checked(page) == ["valid but not necessary"] and "=said by c2" in page
        assert 'value="-2.5"' in page and "Depth?" in page
        changed = {"q0": "2", "q0.0.text": "汽化？\r\nyes"}
        assert (await own.post("/save", filled(page) | WHOLE | changed))[0] == 200
        rows = list(csv.DictReader(io.StringIO(as_decisions(book))))
    assert [row["written"] for row in rows] == ["汽化？\nyes", "", "Why does it rain?"]
    with RunFile.read(tmp_path / "study") as file:
        first, second = (each for each in answered(file, history=True) if each.question.item)
        assert not file.verify().damage
    assert (first.value, first.comment, first.counts) == ("needless", "=said by c2", False)
    assert first.taken_back_at and not second.taken_back_at
    assert (second.text, second.comment, second.counts) == ("汽化？\nyes", "", True)


@pytest.mark.parametrize(
    ("menu", "column", "keys"),
    [
        (("yes", "no"), "verdict", ["1", "2"]),
        ([str(each) for each in range(11)], "score", [*"0123456789", "x"]),
        ([str(each) for each in range(21)], "score", [str(each) for each in range(21)]),
        (list("abcdefghij"), "verdict", [*"123456789", "x"]),
        (list("abcdefghijkl"), "verdict", [str(each) for each in range(1, 13)]),
    ],
)
def test_every_answer_has_a_key_or_two(menu, column, keys):
    question = Question(protocol="p", text="t", menu=menu, column=column)
    assert [typed_key(question, at) for at in range(len(menu))] == keys


def test_a_file_of_items_says_where_it_is_wrong(tmp_path):
    path = tmp_path / "items.jsonl"
    good = json.dumps(
        {"task": "a", "questions": [{"protocol": "p", "text": "t", "menu": ["y", "n"]}]}
    )
    for bad, why in [
        ("{", "line 2"),
        ('{"task": "a"}', "line 2, questions: field required"),
        (
            good.replace('"n"', '"y"'),
            "line 2, questions.0: .*an answer, a box, or a label is",
        ),
        (good.replace('"menu": ["y", "n"]', '"labels": ["y", "y"]'), "a label is there twice"),
        (
            good.replace(
                '"menu"', '"labels": ["x"], "boxes": [{"name": "a", "en": "A", "zh": "A"}], "menu"'
            ),
            "boxes and labels are for two questions",
        ),
        (good.replace('["y", "n"]', '["y"]'), "line 2, questions.0: .*two answers or more"),
    ]:
        path.write_text(f"{good}\n{bad}\n")
        with pytest.raises(BadInput, match=why):
            read_asked_items(path)
    with pytest.raises(BadInput, match=r"none.jsonl: No such file"):
        read_asked_items(tmp_path / "none.jsonl")
    path.write_text("")
    with pytest.raises(BadInput, match="has no items"):
        read_asked_items(path)
