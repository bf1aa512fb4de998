import json

import pytest

from deepassay.curate.arena.extraction import OVERLAP, inspirations_of
from deepassay.curate.arena.inspiration import KINDS
from deepassay.models.ask import OfflineAsker
from deepassay.runfile import RunFile
from deepassay.score import Cause, Unscored
from tests.curate.arena.seminars import WEIRS, Scripted, seminar

USABLE = '{"reason": "it names its subject", "verdict": "usable"}'
FILLING = "\n".join(f"We counted the shells of shore number {n} in the rain." for n in range(900))


def lead(quote, text):
    return {
        "type": "Limitation",
        "qualities": ["challenge", "explorability", "challenge"],
        "text": text,
        "quote": quote,
    }


def leads(*found):
    return json.dumps({"inspirations": found})


@pytest.mark.asyncio
async def test_an_inspiration_keeps_its_words_and_their_time():
    heat = lead("we still  do not know what heat", "What heat\nsets it is unknown.")
    maker = Scripted(inspire=lambda inputs: leads(heat), filter=lambda inputs: USABLE)
    transcript = seminar()
    (one,) = await inspirations_of(transcript, maker)
    assert one.id == "mussels-1"
    assert one.quote == transcript.text[one.start : one.end] == "we still do not know what heat"
    assert (one.time, one.transcript, one.language, one.dropped) == (20, "mussels", "en", None)
    assert one.qualities == ("challenge", "explorability")
    assert one.text == "What heat sets it is unknown."


@pytest.mark.asyncio
async def test_a_long_talk_is_read_in_overlapping_windows_and_duplicates_are_merged():
    transcript = seminar(FILLING)
    seen = []

    def inspire(inputs):
        seen.append(inputs.passage)
        first, *_, last = inputs.passage.splitlines()[1:-1]
        return leads(
            lead(first, f"How rain moves the shells near the start of part {len(seen)}."),
            lead(last, "Whether the sea sorts pebbles and shells by weight is not known at all."),
        )

    maker = Scripted(inspire=inspire, filter=lambda inputs: USABLE)
    found = await inspirations_of(transcript, maker)
    assert len(seen) >= 2
    assert seen[1][:OVERLAP] == seen[0][-OVERLAP:]
    assert transcript.text == seen[0] + "".join(each[OVERLAP:] for each in seen[1:])
    assert [each.start for each in found] == sorted(each.start for each in found)
    assert [each.id for each in found] == [f"mussels-{n}" for n in range(1, len(found) + 1)]
    pebbles = [each for each in found if "pebbles" in each.text]
    assert len(pebbles) == 1 and len(pebbles[0].also) == len(seen) - 1
    for each in pebbles[0].also:
        assert transcript.text[each.start : each.end] == each.quote
        assert each.time == transcript.time_at(each.start)


@pytest.mark.asyncio
async def test_what_the_filter_drops_stays_with_the_reason():
    maker = Scripted(
        inspire=lambda inputs: leads(lead("sorry, it fails to work when I walk", "A microphone.")),
        filter=lambda inputs: '{"reason": "about  the room", "verdict": "no_academic_content"}',
    )
    (one,) = await inspirations_of(seminar(), maker)
    assert one.dropped == "no academic content: about the room"


@pytest.mark.asyncio
async def test_a_window_without_an_answer_leaves_the_transcript_without_inspirations():
    def inspire(inputs):
        return leads() if "number 0 " in inputs.passage else leads(*[lead("x", "y")] * 11)

    maker = Scripted(inspire=inspire, filter=lambda inputs: USABLE)
    found = await inspirations_of(seminar(FILLING), maker)
    assert isinstance(found, Unscored)
    assert found.cause is Cause.ANSWER_UNREADABLE
    assert found.detail.startswith("window 2 of ")
    assert "11 inspirations" in found.detail


@pytest.mark.asyncio
async def test_a_filter_without_an_answer_is_a_failure_and_not_a_verdict():
    heat = lead("we still do not know what heat", "What heat sets it is unknown.")
    maker = Scripted(inspire=lambda inputs: leads(heat), filter=lambda inputs: "maybe")
    found = await inspirations_of(seminar(), maker)
    assert isinstance(found, Unscored)
    assert found.detail.startswith("filter of mussels-1: ")


@pytest.mark.asyncio
@pytest.mark.parametrize(
    "transcript", [seminar(), seminar(WEIRS, "weirs", language="zh")], ids=["en", "zh"]
)
async def test_offline_every_type_is_found_the_same_at_every_time(tmp_path, transcript):
    found = []
    for name in ("a", "b"):
        with RunFile.create(tmp_path / name) as run:
            found.append(await inspirations_of(transcript, OfflineAsker(run)))
    assert found[0] == found[1]
    usable = [each for each in found[0] if each.dropped is None]
    assert {each.type for each in usable} == set(KINDS)
    for each in found[0]:
        assert transcript.text[each.start : each.end] == each.quote


@pytest.mark.asyncio
async def test_offline_what_names_no_subject_is_dropped(tmp_path):
    empty = "We do not know what it was that they had here."
    with RunFile.create(tmp_path / "r") as run:
        found = await inspirations_of(seminar(f"{MUSSELS}\n{empty}"), OfflineAsker(run))
    assert [each.text for each in found if each.dropped] == [empty]
    assert len(found) > 1
