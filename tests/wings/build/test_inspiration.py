import json

import pytest

from deepassay.errors import BadTasks
from deepassay.wings.build.arena.inspiration import (
    Inspiration,
    TranscriptPassage,
    merged_inspirations,
    read_inspirations,
    write_inspirations,
)

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
            "also": (TranscriptPassage(quote="q", start=1, end=2),),
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


def test_the_same_lead_read_from_two_windows_is_one():
    early, late = lead(HEAT, 10, 90), lead(HEAT.upper(), 30, 95, time=300.0)
    for order in ([early, late], [late, early]):
        (one,) = merged_inspirations(order)
        assert (one.text, one.start, one.quote) == (HEAT, 10, "words from 10")
        assert [(each.start, each.time) for each in one.also] == [(30, 300.0)]
        assert one.merged == (HEAT.upper(),)


def test_likeness_is_not_sameness_nor_is_another_place():
    assert len(merged_inspirations([lead(HEAT, 10, 90), lead(REWORDED, 10, 90)])) == 2
    assert len(merged_inspirations([lead(HEAT, 10, 90), lead(HEAT, 5000, 5080)])) == 2


def test_other_ideas_stay_apart_in_the_order_of_the_talk():
    both = merged_inspirations([lead(WHELKS, 500, 580), lead(HEAT, 10, 90)])
    assert [each.text for each in both] == [HEAT, WHELKS]
    assert not any(each.also for each in both)


def test_the_one_that_says_more_stays():
    longer = f"{HEAT} The loggers measure air only, and in sunshine a mussel is far warmer."
    (one,) = merged_inspirations([lead(HEAT, 10, 90), lead(longer, 20, 160)])
    assert (one.text, one.merged, one.also[0].start) == (longer, (HEAT,), 10)
    assert len(merged_inspirations([lead(HEAT, 10, 90), lead(longer, 900, 1050)])) == 2


CLAIMS = [
    f"Warm nights {verb} the mortality of {who} by {figure} % in the years of {when}."
    for verb in ("raise", "lower", "do not raise")
    for who in ("elderly people", "young people")
    for figure in ("3.5", "35", "-3.5")
    for when in ("drought",)
]
CLAIMS_ZH = [
    f"夜间高温{verb}{who}死亡率{figure}%，这在干旱年份尤其明显。"
    for verb in ("提高", "降低", "不会提高")
    for who in ("老年人", "年轻人")
    for figure in ("3.5", "35", "-3.5")
]


@pytest.mark.parametrize("claims", [CLAIMS, CLAIMS_ZH])
@pytest.mark.parametrize("far", [0, 400])
def test_claims_that_differ_in_verb_figure_or_subject_stay_apart(claims, far):
    """Read from the same words or from others: 18 leads are 18, each read twice or not."""
    leads = [lead(text, 10 + far * at, 90 + far * at) for at, text in enumerate(claims)]
    assert {each.text for each in merged_inspirations(leads)} == {*claims}
    found = merged_inspirations([*leads, *leads[::-1]])
    assert len(found) == len(claims)
    assert all(each.merged == (each.text,) for each in found)


def test_the_same_passage_twice_is_noted_once():
    (one,) = merged_inspirations([lead(HEAT, 10, 90)] * 3 + [lead(HEAT, 50, 130)] * 2)
    assert [each.start for each in one.also] == [50]


def test_two_types_drawn_from_one_sentence_are_two_leads():
    method = {"type": "Methodology", "qualities": ("novelty", "explorability")}
    found = merged_inspirations([lead(HEAT, 10, 90), lead(HEAT, 10, 90, **method)])
    assert [each.type for each in found] == ["Limitation", "Methodology"]
