import json

import pytest

from deepassay.curate.arena.inspiration import (
    Inspiration,
    Passage,
    read_inspirations,
    write_inspirations,
)
from deepassay.errors import BadTasks

LEAD = Inspiration(
    id="mussels-1",
    type="Hypothesis",
    text="Whelks slow recovery.",
    qualities=("verifiability", "explorability"),
    quote="I would expect whelks",
    start=4,
    end=25,
    time=0.0,
    transcript="mussels",
)


def test_inspirations_come_back_from_their_file(tmp_path):
    dropped = LEAD.model_copy(update={"id": "mussels-2", "dropped": "incoherent: it breaks off"})
    also = LEAD.model_copy(
        update={"id": "mussels-3", "time": None, "also": (Passage(quote="q", start=1, end=2),)}
    )
    write_inspirations(tmp_path / "i.jsonl", [LEAD])
    write_inspirations(tmp_path / "i.jsonl", [dropped, also])
    assert read_inspirations(tmp_path / "i.jsonl") == [LEAD, dropped, also]


def test_a_line_says_nothing_of_what_is_not_there(tmp_path):
    write_inspirations(tmp_path / "i.jsonl", [LEAD.model_copy(update={"time": None})])
    line = (tmp_path / "i.jsonl").read_text()
    assert not any(f'"{name}"' in line for name in ("time", "also", "dropped"))


@pytest.mark.parametrize(
    ("field", "value"),
    [("type", "Idea"), ("qualities", ["novelty"]), ("qualities", ["bold", "new"]), ("start", -1)],
)
def test_what_is_wrong_in_a_file_is_named(tmp_path, field, value):
    fields = LEAD.model_dump(mode="json") | {field: value}
    (tmp_path / "i.jsonl").write_text(json.dumps(fields))
    with pytest.raises(BadTasks, match=rf"i\.jsonl, line 1: {field}"):
        read_inspirations(tmp_path / "i.jsonl")


def test_two_of_one_identifier_are_refused(tmp_path):
    write_inspirations(tmp_path / "i.jsonl", [LEAD, LEAD])
    with pytest.raises(BadTasks, match="an inspiration 'mussels-1' already"):
        read_inspirations(tmp_path / "i.jsonl")
