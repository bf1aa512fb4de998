"""Transcripts as people have them: subtitles, plain text, JSON of speech recognizers."""

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from deepassay.errors import BadTasks
from deepassay.wings.build.arena.subtitles import read_transcript, transcripts_in
from deepassay.wings.build.arena.transcript import Segment, Transcript, write_transcripts
from tests.growth import assert_linear, repeated

SRT = """1
00:00:01,000 --> 00:00:03,500
<i>Good</i> morning,
{\\an8}everyone.

2
00:00:04,000 --> 01:00:05,250
Let us begin.
"""


@pytest.fixture
def read(tmp_path):
    def read(text, name="talk.vtt", **options):
        file = tmp_path / name
        file.write_bytes(text if isinstance(text, bytes) else text.encode())
        return read_transcript(file, **options)

    return read


def told(transcript):
    return [(each.start, each.end, each.speaker, each.text) for each in transcript.segments]


def vtt(*cues):
    return "WEBVTT\n\n" + "".join(f"{times}\n{text}\n\n" for times, text in cues)


def test_subrip_keeps_its_times_and_loses_its_tags(read):
    transcript = read(SRT, "day one.srt")
    assert transcript.name == "day one"
    assert transcript.language == "en"
    assert told(transcript) == [
        (1.0, 3.5, None, "Good morning, everyone."),
        (4.0, 3605.25, None, "Let us begin."),
    ]


def test_line_ends_of_windows_and_cues_without_blank_lines_between_are_read(read):
    packed = SRT.replace("\n\n", "\n").replace("\n", "\r\n")
    assert told(read(packed, "a.srt")) == told(read(SRT, "b.srt"))


def test_voices_are_speakers_and_notes_are_not_said(read):
    transcript = read(
        "WEBVTT - a seminar\nKind: captions\nLanguage: en\n\nSTYLE\n::cue { color: red }\n\n"
        "NOTE not said\nnor this\n\nintro\n00:01.000 --> 00:02.000 align:start\n"
        "<v.loud Mary Ann>R&amp;D &lt;today&gt;</v> <v Bob>Why?\n\n"
        "NOTE\nagain\n\n00:03.000 --> 00:04.000\n- One\n- Two\n"
    )
    assert told(transcript) == [
        (1.0, 2.0, "Mary Ann", "R&D <today>"),
        (1.0, 2.0, "Bob", "Why?"),
        (3.0, 4.0, None, "One"),
        (3.0, 4.0, None, "Two"),
    ]


def test_names_before_a_colon_are_speakers_where_they_are_names(read):
    transcript = read(
        "MODERATOR: Welcome.\nDr. Lin: We measured it.\nNote: this is new.\n"
        ">> Dr. Lin: Twice.\nSpeaker 2: Why?\n>> I see.\nthe point is: no.\nANN:\n",
        "a.txt",
    )
    assert [(each.speaker, each.text) for each in transcript.segments] == [
        ("MODERATOR", "Welcome."),
        ("Dr. Lin", "We measured it."),
        (None, "Note: this is new."),
        ("Dr. Lin", "Twice."),
        ("Speaker 2", "Why?"),
        (None, "I see."),
        (None, "the point is: no."),
        (None, "ANN:"),
    ]


def test_who_speaks_once_among_named_speakers_is_one_too(read):
    transcript = read("Ann: One.\nBob: Two.\nAnn: Three.\nBob: Four.\nPriya: Five.\n", "a.txt")
    assert transcript.segments[-1].speaker == "Priya"
    assert "Priya" not in transcript.text


def test_chinese_is_joined_without_blanks_and_told_by_its_characters(read):
    text = "主持人：今天讨论\nAI 的影响。\n主持人：请提问。\n"
    transcript = read(vtt(("00:01.000 --> 00:02.000", "今天讨论\n模型 AI 的影响。")))
    assert transcript.language == "zh"
    assert transcript.text == "今天讨论模型 AI 的影响。"
    assert read(text, "a.txt").segments[2].speaker == "主持人"
    assert read(SRT, "b.srt", language="zh").language == "zh"


def test_captions_that_roll_up_are_said_once_when_first_shown(read):
    transcript = read(
        vtt(
            (
                "00:00.160 --> 00:02.230 align:start position:0%",
                " \nhello<00:00:00.400><c> everyone</c>",
            ),
            ("00:02.230 --> 00:02.240", "hello everyone\n "),
            ("00:02.240 --> 00:04.000", "hello everyone\nand<00:00:02.500><c> welcome</c>"),
            ("00:04.000 --> 00:04.010", "and welcome\n "),
            ("00:04.010 --> 00:06.000", "and welcome\nto day two"),
        )
    )
    assert [(each.start, each.text) for each in transcript.segments] == [
        (0.16, "hello everyone"),
        (2.24, "and welcome"),
        (4.01, "to day two"),
    ]


def test_captions_that_grow_are_said_once_when_complete(read):
    transcript = read(
        vtt(
            ("00:01.000 --> 00:02.000", "we"),
            ("00:02.000 --> 00:03.000", "we have"),
            ("00:03.000 --> 00:04.000", "we have found"),
            ("00:04.000 --> 00:05.000", "weeks ago"),
        )
    )
    assert told(transcript) == [(1.0, 4.0, None, "we have found"), (4.0, 5.0, None, "weeks ago")]


def test_what_people_say_twice_stays_twice(read):
    cues = [(f"00:0{n}.000 --> 00:0{n}.500", text) for n, text in enumerate("abcccdef")]
    assert "".join(each.text for each in read(vtt(*cues)).segments) == "abcccdef"


def test_plain_text_keeps_the_times_that_it_has(read):
    transcript = read(
        "[00:01:02] ANN: Hello.\n(1:05) Yes.\n0:01:10\tNo.\n[01:20.500 --> 01:22.000]  Maybe.\n"
        "1:30\n\nAfter a while.\n10:30 is too late.\n",
        "a.txt",
    )
    assert told(transcript) == [
        (62.0, None, "ANN", "Hello."),
        (65.0, None, None, "Yes."),
        (70.0, None, None, "No."),
        (80.5, 82.0, None, "Maybe."),
        (90.0, None, None, "After a while."),
        (None, None, None, "10:30 is too late."),
    ]


def test_json_of_recognizers_is_read_with_its_times(read):
    segments = [
        {"id": 0, "start": 0, "end": 2.5, "text": " Hello.", "tokens": [1], "speaker": "A"},
        {"start": None, "text": "Yes."},
    ]
    expected = [(0.0, 2.5, "A", "Hello."), (None, None, None, "Yes.")]
    whisper = {"text": " Hello. Yes.", "language": "english", "segments": segments}
    assert told(read(json.dumps(whisper), "a.json")) == expected
    assert told(read(json.dumps(segments), "b.json")) == expected
    only = read(json.dumps({"text": "All of it."}), "c.json")
    assert told(only) == [(None, None, None, "All of it.")]


def test_our_own_json_and_json_lines_come_back_as_they_are(read, tmp_path):
    transcript = Transcript(
        name="Seminar 3", language="zh", segments=(Segment(text="hi", start=1.5, speaker="A"),)
    )
    assert read(transcript.model_dump_json(), "x.json") == transcript
    file = tmp_path / "x.jsonl"
    write_transcripts(file, [transcript])
    assert read_transcript(file) == transcript
    write_transcripts(file, [transcript.model_copy(update={"name": "4"})])
    assert [each.name for each in transcripts_in(file)] == ["Seminar 3", "4"]
    with pytest.raises(BadTasks, match="2 transcripts, not one"):
        read_transcript(file)


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16"])
def test_encodings_that_say_what_they_are_are_read(read, encoding):
    text = vtt(("00:01.000 --> 00:02.000", "Größe 大小"))
    assert read(text.encode(encoding)).text == "Größe 大小"


BROKEN = [
    (vtt(("00:00:0x.000 --> 00:00:02.000", "a")), "t.vtt", "t.vtt, line 3: not a time mark"),
    (vtt(("00:05.000 --> 00:02.000", "a")), "t.vtt", "t.vtt, line 3: the words end before"),
    ("Hello\n\n1\n00:00:01,000 --> 00:00:02,000\nx", "t.srt", "t.srt, line 1: words before"),
    ("1\n00:00:01,000 -->\nx", "t.srt", "t.srt, line 2: not a time mark"),
    ("WEBVTT\n", "t.vtt", "t.vtt: there are no words"),
    ("", "t.txt", "t.txt: there are no words"),
    ('{\n"segments": [}', "t.json", "t.json, line 2: not JSON"),
    ("[" * 100_000, "t.json", "t.json, line 1: JSON that is nested too deep"),
    ('{"a": 1}', "t.json", "t.json: no transcript"),
    ('[{"text": "a"}, {"start": 1}]', "t.json", r"t.json: segments\[2\]: it has no text"),
    ('[{"text": "a", "end": NaN}]', "t.json", r"segments\[1\].end: not a time: nan"),
    ('[{"text": "a", "start": -1}]', "t.json", r"segments\[1\].start: not a time: -1"),
    ('[{"text": "a", "start": 1' + "0" * 400 + "}]", "t.json", "start: not a time"),
    ('[{"text": "\\ud800"}]', "t.json", "t.json: a text holds half a character"),
    ("Größe".encode("latin-1"), "t.txt", "t.txt, line 1: not UTF-8"),
    (b"\xff\xfea", "t.txt", "t.txt, byte 3: not UTF-16"),
    ("x".encode("utf-32"), "t.txt", "UTF-16 or UTF-32"),
    ("a", "t.docx", "not a kind of file, not a transcript"),
    ('{"name": 1}\n', "t.jsonl", "t.jsonl, line 1"),
]


@pytest.mark.parametrize(("text", "name", "message"), BROKEN, ids=[each[2] for each in BROKEN])
def test_what_is_wrong_is_told_with_its_place_and_a_remedy(read, text, name, message):
    with pytest.raises(BadTasks, match=message) as error:
        read(text, name)
    assert error.value.remedy


def test_a_file_that_is_not_there_is_told(tmp_path):
    with pytest.raises(BadTasks, match="cannot be read"):
        read_transcript(tmp_path / "none.srt")


HOSTILE = {
    "tags of voices": repeated("<v a"),
    "open tags": repeated("<"),
    "a tag of blanks": lambda size: "<v " + " " * size,
    "open styles": repeated("{\\"),
    "a long entity": lambda size: "&#" + "9" * size + ";",
    "colons": repeated("a:"),
    "a long name": lambda size: "A" * size + ": b",
    "numbers": repeated("\n1 "),
    "turns": repeated("\n- a"),
    "cues": repeated("\n00:01.000 --> 00:02.000\na"),
    "open times": repeated("[00:00:"),
    "half of times": repeated("\n[00:01 -->"),
    "arrows": repeated("-->"),
    "blanks": lambda size: " " * size + "x",
}


@pytest.mark.parametrize("name", ["t.vtt", "t.txt"])
@pytest.mark.parametrize("body", HOSTILE.values(), ids=HOSTILE)
def test_hostile_files_are_read_in_linear_time(read, body, name):
    assert_linear(
        lambda text: read(text, name),
        lambda size: vtt(("00:01.000 --> 00:02.000", f"said{body(size)}")),
        60_000,
    )


PIECES = [
    *("", " ", "1", "00:01.000 --> 00:02.000", "00:02.000 --> 00:02.500", "NOTE", "WEBVTT"),
    *("a", "a b", "<v A>c", "</v>", "X: y", "- d", "-->", "[1:02]", "&amp;", "说话", ">>"),
]
LINES = st.lists(st.sampled_from(PIECES), max_size=25)


@settings(deadline=None, max_examples=80)
@given(lines=LINES, ending=st.sampled_from(["srt", "vtt", "txt", "json"]))
def test_any_lines_are_a_transcript_or_told(tmp_path_factory, lines, ending):
    file = tmp_path_factory.getbasetemp() / f"any.{ending}"
    file.write_text("\n".join(lines), encoding="utf-8")
    try:
        transcript = read_transcript(file)
    except BadTasks as error:
        assert error.remedy
    else:
        assert all(each.text.strip() and "\n" not in each.text for each in transcript.segments)
