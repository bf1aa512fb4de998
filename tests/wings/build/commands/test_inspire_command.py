"""`tasks inspire`, as a person types it."""

import json

import pytest

from deepassay.wings.build.arena.inspiration import read_inspirations
from deepassay.wings.build.arena.transcript import read_transcripts, write_transcripts
from tests.loopback import SCENARIOS, FakeJudge
from tests.wings.build.seminars import MUSSELS, WEIRS, seminar

LEAD = {
    "type": "Limitation",
    "qualities": ["challenge", "explorability"],
    "text": "What heat sets the threshold of recovery is not known.",
    "quote": "we still do not know what heat sets the threshold",
}
RULES = {
    "eleven": [LEAD] * 11,
    "one quality": [LEAD | {"qualities": ["challenge"]}],
    "wrong qualities": [LEAD | {"type": "Methodology"}],
    "too long": [LEAD | {"text": "word " * 301}],
    "absent quote": [LEAD | {"quote": "nobody ever said these words here"}],
    "unknown type": [LEAD | {"type": "Idea"}],
}
SAID = {
    "eleven": "there are 11 inspirations; give at most 10",
    "one quality": "at least two different qualities",
    "wrong qualities": "Methodology requires the quality novelty",
    "too long": "301 words; the limit is 300",
    "absent quote": "the passage does not have the quote",
    "unknown type": "type",
}


class Breaker:
    """A model that breaks a rule at first, or at every attempt. rule: None for an honest one."""

    def __init__(self):
        self.rule = None
        self.stubborn = False

    def __call__(self, body):
        first = next(each["content"] for each in body["messages"] if each["role"] == "user")
        if '"verdict"' in first:
            return json.dumps({"reason": "it names its subject", "verdict": "usable"})
        again = len([each for each in body["messages"] if each["role"] == "user"]) > 1
        broken = self.rule is not None and (self.stubborn or not again)
        return json.dumps({"inspirations": RULES[self.rule] if broken else [LEAD]})


@pytest.fixture
def breaker():
    return Breaker()


@pytest.fixture
def maker(breaker):
    with FakeJudge(breaker) as server:
        yield server


@pytest.fixture
def talks():
    aside = "We do not know what it was that they had here."
    write_transcripts(
        "talks.jsonl", [seminar(f"{MUSSELS}\n{aside}"), seminar(WEIRS, "weirs", language="zh")]
    )
    return ("tasks", "inspire", "talks.jsonl", "-o", "i.jsonl")


def asking(maker):
    return ("--maker", "openai:good", "--base-url", maker.base_url, "--limit", "1")


def test_inspirations_are_found_by_rule_and_the_dropped_ones_say_why(deepassay, talks):
    done = deepassay(*talks)
    assert done.returncode == 0, done.stderr
    assert "Inspirations for 2 of 2 transcripts are in i.jsonl." in done.stderr
    assert "by rule, a baseline" in done.stderr
    found = read_inspirations("i.jsonl")
    dropped = [each for each in found if each.dropped]
    assert {each.transcript for each in found} == {"mussels", "weirs"}
    assert dropped[0].dropped.startswith("no academic content: ")
    said = f"Usable: {len(found) - len(dropped)} inspirations. Dropped: {len(dropped)},"
    assert said in done.stderr


def test_what_is_there_is_neither_asked_nor_changed(deepassay, talks, tmp_path):
    assert deepassay(*talks, "--limit", "1").returncode == 0
    before = (tmp_path / "i.jsonl").read_text()
    done = deepassay(*talks)
    assert done.returncode == 0, done.stderr
    assert "for 2 of 2 transcripts are in i.jsonl (1 had them already)" in done.stderr
    after = (tmp_path / "i.jsonl").read_text()
    assert after.startswith(before)
    (tmp_path / "i.jsonl").unlink()
    assert deepassay(*talks, "--run", "other.assay").returncode == 0
    assert (tmp_path / "i.jsonl").read_text() == after


@pytest.mark.parametrize("rule", RULES)
def test_a_broken_rule_is_named_asked_again_and_mended(deepassay, talks, maker, breaker, rule):
    breaker.rule = rule
    done = deepassay(*talks, *asking(maker))
    assert done.returncode == 0, done.stderr
    (one,) = read_inspirations("i.jsonl")
    assert (one.text, one.time) == (LEAD["text"], 20)
    asked = [request.text for request in maker.requests]
    assert len(asked) == 3  # the passage, again, the filter
    assert SAID[rule] in asked[1]


@pytest.mark.parametrize("rule", RULES)
def test_who_never_mends_it_is_a_recorded_failure(deepassay, talks, maker, breaker, rule):
    breaker.rule, breaker.stubborn = rule, True
    done = deepassay(*talks, *asking(maker))
    assert done.returncode == 1
    assert "transcript mussels: answer_unreadable: window 1 of 1: " in done.stderr
    assert SAID[rule] in done.stderr
    assert "Without inspirations: 1 transcripts." in done.stderr
    assert read_inspirations("i.jsonl") == []
    breaker.rule = None
    assert deepassay(*talks, *asking(maker)).returncode == 0
    assert len(read_inspirations("i.jsonl")) == 1


def test_answers_are_kept_when_the_file_is_lost(deepassay, talks, maker, tmp_path):
    assert deepassay(*talks, *asking(maker)).returncode == 0
    asked = len(maker.requests)
    (tmp_path / "i.jsonl").unlink()
    assert deepassay(*talks, *asking(maker)).returncode == 0
    assert len(maker.requests) == asked
    assert len(read_inspirations("i.jsonl")) == 1


def test_the_budget_is_not_passed(deepassay, talks, maker, tmp_path):
    (tmp_path / "prices.toml").write_text("good = {input = 1.0, output = 1.0}")
    done = deepassay(*talks, *asking(maker), "--budget", "0.00001", "--prices", "prices.toml")
    assert done.returncode == 3, done.stderr
    assert maker.requests == []


def test_inspirations_of_another_text_are_refused(deepassay, talks, tmp_path):
    assert deepassay(*talks).returncode == 0
    (tmp_path / "talks.jsonl").unlink()
    write_transcripts("talks.jsonl", [seminar("Well. " + MUSSELS)])
    done = deepassay(*talks)
    assert done.returncode == 2
    assert "is from another text of the transcript 'mussels'" in done.stderr


def test_two_files_with_a_transcript_of_one_name_are_refused(deepassay, talks, tmp_path):
    write_transcripts("more.jsonl", read_transcripts("talks.jsonl")[:1])
    done = deepassay("tasks", "inspire", "talks.jsonl", "more.jsonl", "-o", "i.jsonl")
    assert done.returncode == 2
    assert "there is a transcript 'mussels' already" in done.stderr


def test_without_a_transcript_the_input_is_named_and_not_the_output(deepassay, tmp_path):
    for name in ("empty.jsonl", "other.jsonl"):
        (tmp_path / name).write_text("")
    done = deepassay("tasks", "inspire", "empty.jsonl", "other.jsonl", "-o", "new.jsonl")
    assert done.returncode == 2
    assert "empty.jsonl, other.jsonl: there is no transcript in it." in done.stderr
    assert "new.jsonl" not in done.stderr and not (tmp_path / "new.jsonl").exists()


def test_where_nobody_answers_the_file_that_was_not_written_is_no_fault(deepassay, talks):
    with FakeJudge(scenarios={"good": SCENARIOS["unauthorized"]}) as nobody:
        asked = ("--maker", "openai:good", "--base-url", nobody.base_url)
        done = deepassay(*talks, *asked)
    assert done.returncode == 1, done.stderr
    assert "cannot be read" not in done.stderr and "Without inspirations: " in done.stderr


def test_a_talk_in_which_nothing_is_found_is_told(deepassay):
    write_transcripts("talks.jsonl", [seminar("Good afternoon, and welcome to the seminar.")])
    done = deepassay("tasks", "inspire", "talks.jsonl", "-o", "i.jsonl")
    assert done.returncode == 1
    assert "transcript mussels: no inspiration found" in done.stderr
    assert "Inspirations for 0 of 1 transcripts" in done.stderr
    assert "No inspiration was found. Give other transcripts" in done.stderr
    assert "says of each why" not in done.stderr and read_inspirations("i.jsonl") == []


def test_where_all_that_was_found_was_dropped_the_file_says_why(deepassay):
    aside = "We do not know what it was that they had here."
    write_transcripts("talks.jsonl", [seminar(aside), seminar(aside, "weirs")])
    done = deepassay("tasks", "inspire", "talks.jsonl", "-o", "i.jsonl")
    assert done.returncode == 1
    assert "Inspirations for 2 of 2 transcripts" in done.stderr
    assert "No inspiration is usable: i.jsonl says of each why." in done.stderr
    assert all(each.dropped for each in read_inspirations("i.jsonl"))


@pytest.mark.parametrize(
    "wrong", [("-o", "/dev/null/i.jsonl"), ("-o", "i.jsonl", "--maker", "nobody"), ()]
)
def test_what_is_wrong_is_told_without_a_traceback(deepassay, talks, wrong):
    done = deepassay("tasks", "inspire", "talks.jsonl", *wrong)
    assert done.returncode == 2
    assert "Traceback" not in done.stderr
