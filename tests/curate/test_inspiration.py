import json

import pytest

from deepassay.curate.inspiration import (
    Inspiration,
    QuotedPassage,
    merged,
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
        update={
            "id": "mussels-3",
            "time": None,
            "also": (QuotedPassage(quote="q", start=1, end=2),),
            "merged": ("Whelks make recovery slow.",),
        }
    )
    write_inspirations(tmp_path / "i.jsonl", [LEAD])
    write_inspirations(tmp_path / "i.jsonl", [dropped, also])
    assert read_inspirations(tmp_path / "i.jsonl") == [LEAD, dropped, also]


def test_a_line_says_nothing_of_what_is_not_there(tmp_path):
    write_inspirations(tmp_path / "i.jsonl", [LEAD.model_copy(update={"time": None})])
    line = (tmp_path / "i.jsonl").read_text()
    assert not any(f'"{name}"' in line for name in ("time", "also", "merged", "dropped"))


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


# ------------------------------------------------------------------ merging


HEAT = "It is unknown which temperature inside the mussel sets the threshold of recovery."
REWORDED = "Which temperature inside the mussel sets the threshold of its recovery is unknown."
WHELKS = "Shores with more whelks may recover slowly, because whelks eat young settlers."


def lead(text, start, end, **changes):
    fields = {
        "id": "a", "type": "Limitation", "qualities": ("challenge", "explorability"),
        "text": text, "quote": f"words from {start}", "start": start, "end": end,
        "transcript": "mussels",
    }  # fmt: skip
    return Inspiration(**fields | changes)


def test_the_same_idea_elsewhere_is_noted_at_the_earlier_one():
    early, late = lead(HEAT, 10, 90), lead(REWORDED, 5000, 5080, time=300.0)
    for order in ([early, late], [late, early]):
        (one,) = merged(order)
        assert (one.text, one.start, one.quote) == (HEAT, 10, "words from 10")
        assert [(each.start, each.time) for each in one.also] == [(5000, 300.0)]


def test_other_ideas_stay_apart_in_the_order_of_the_talk():
    both = merged([lead(WHELKS, 500, 580), lead(HEAT, 10, 90)])
    assert [each.text for each in both] == [HEAT, WHELKS]
    assert not any(each.also for each in both)


def test_from_the_same_words_less_likeness_is_enough():
    longer = f"{HEAT} The loggers measure air only, and in sunshine a mussel is far warmer."
    assert len(merged([lead(HEAT, 10, 90), lead(longer, 20, 160)])) == 1
    assert len(merged([lead(HEAT, 10, 90), lead(longer, 900, 1050)])) == 2


def test_two_ideas_from_the_same_words_stay_apart():
    assert len(merged([lead(HEAT, 10, 90), lead(WHELKS, 10, 90)])) == 2


def test_the_same_passage_twice_is_noted_once():
    (one,) = merged([lead(HEAT, 10, 90)] * 3 + [lead(HEAT, 50, 130)] * 2)
    assert [each.start for each in one.also] == [50]


def test_what_was_merged_is_kept_in_words():
    (one,) = merged([lead(HEAT, 10, 90), lead(REWORDED, 10, 90), lead(REWORDED, 5000, 5080)])
    assert one.merged == (REWORDED, REWORDED)


def test_two_types_drawn_from_one_sentence_are_two_leads():
    method = {"type": "Methodology", "qualities": ("novelty", "explorability")}
    found = merged([lead(HEAT, 10, 90), lead(HEAT, 10, 90, **method)])
    assert [each.type for each in found] == ["Limitation", "Methodology"]


def test_chinese_ideas_are_compared_by_their_characters():
    first = "不清楚贻贝体内的温度达到多少度才会决定恢复的快慢。"
    again = "贻贝体内的温度达到多少度才会决定恢复的快慢，还不清楚。"
    other = "海螺多的岸段恢复得慢，可能是因为海螺吃掉了刚附着的幼体。"
    found = merged([lead(first, 1, 9), lead(again, 100, 109), lead(other, 200, 209)])
    assert [each.text for each in found] == [first, other]
