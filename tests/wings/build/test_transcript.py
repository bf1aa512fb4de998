import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import ValidationError

from deepassay.errors import BadTasks
from deepassay.wings.build.arena.transcript import (
    Segment,
    Transcript,
    read_transcripts,
    write_transcripts,
)
from tests.wings.build.seminars import MUSSELS, seminar


def test_the_text_is_the_segments_each_on_its_line():
    assert seminar().text == MUSSELS


@settings(deadline=None, max_examples=30)
@given(st.lists(st.text(alphabet="ab \n。", min_size=1).filter(str.strip), min_size=1), st.data())
def test_every_character_has_the_time_of_its_segment(texts, data):
    segments = [Segment(text=text, start=float(n)) for n, text in enumerate(texts)]
    transcript = Transcript(name="a", segments=segments)
    number = data.draw(st.integers(0, len(texts) - 1))
    begin = len("\n".join([*texts[:number], ""]))
    inside = data.draw(st.integers(0, len(texts[number]) - 1))
    assert transcript.time_at(begin + inside) == number
    assert transcript.text[begin : begin + len(texts[number])] == texts[number]


def test_a_quote_is_found_across_segments_and_another_is_not():
    transcript = seminar()
    start, end = transcript.find("next slide. There is an idea") or (0, 0)
    assert transcript.text[start:end] == "next slide.\nThere is an idea"
    assert transcript.time_at(start) == 60
    assert transcript.find("whelks fly") is None


def test_no_time_is_known_where_none_is_given():
    assert Transcript(name="a", segments=[Segment(text="Hello")]).time_at(2) is None


def test_the_digest_is_of_the_text_alone():
    late = Transcript(
        name="late",
        segments=[each.model_copy(update={"start": 9.0}) for each in seminar().segments],
    )
    assert late.digest == seminar().digest
    assert seminar(MUSSELS + "!").digest != seminar().digest


def test_transcripts_come_back_from_their_file(tmp_path):
    first = seminar()
    second = Transcript(name="二", language="zh", segments=[Segment(text="你好", speaker="甲")])
    write_transcripts(tmp_path / "t.jsonl", [first])
    write_transcripts(tmp_path / "t.jsonl", [second])
    assert read_transcripts(tmp_path / "t.jsonl") == [first, second]


@pytest.mark.parametrize(
    ("line", "says"),
    [
        ('{"name": "a", "segments": []}', "segments: "),
        ('{"name": "a"}', "segments: is missing"),
        ('{"name": "a", "segments": [{"text": " "}]}', "segments[1].text: is empty"),
        ('{"name": "a", "segments": [{"text": "b", "start": -1}]}', "segments[1].start: "),
        ('{"name": "a", "segments": [{"text": "b"}], "x": 1}', "x: "),
        ('{"name": "a", "language": "fr", "segments": [{"text": "b"}]}', "language: "),
        ("[]", "a JSON list"),
    ],
)
def test_what_is_wrong_in_a_file_is_named(tmp_path, line, says):
    (tmp_path / "t.jsonl").write_text('{"name": "0", "segments": [{"text": "c"}]}\n' + line)
    with pytest.raises(BadTasks) as error:
        read_transcripts(tmp_path / "t.jsonl")
    assert error.value.problem.startswith(f"t.jsonl, line 2: {says}")


def test_two_transcripts_of_one_name_are_refused(tmp_path):
    write_transcripts(tmp_path / "t.jsonl", [seminar(), seminar("Another.")])
    with pytest.raises(BadTasks, match="a transcript 'mussels' already"):
        read_transcripts(tmp_path / "t.jsonl")


def test_half_a_character_is_refused():
    with pytest.raises(ValidationError, match="surrogate"):
        Segment(text="\ud800")
