"""Reports that the judge cannot take: windows, passages, one decision on each criterion."""

import json

import pytest

from deepassay.models.ask import Answer
from deepassay.models.reading import read_reply
from deepassay.protocols.protocol import Case, RoleAskers
from deepassay.protocols.rubrics.criteria import (
    GATHER_EVIDENCE,
    JUDGE_CRITERIA,
    JUDGE_ON_EVIDENCE,
    EvidenceOnCriteria,
    WindowAndCriteria,
)
from deepassay.protocols.rubrics.protocol import Rubrics
from deepassay.protocols.windows import WindowEvidence, windows_of
from deepassay.reports.report import Report
from deepassay.score import Cause, Unscored
from tests.protocols.judges import NO_SOURCES
from tests.protocols.rubrics.graders import criterion, task

FACTS = {
    "gives the noise": ("The ferry Alma makes 61 decibels.",),
    "gives both hours": ("Quiet hours begin at 22:00.", "Quiet hours end at 06:00."),
    "names a wrong year": ("It happened in 1066.",),
}
TASK = task(
    criterion("gives the noise", 5),
    criterion("gives both hours", 3),
    criterion("names a wrong year", -2),
)
FILLER = [f"{day}. " + "The harbour kept its usual hours. " * 20 for day in range(1000)]


def report_with(places):
    """A report of several windows, a fact at each place, a share of its length."""
    paragraphs = list(FILLER)
    for fact, place in places.items():
        paragraphs.insert(round(place * len(paragraphs)), fact)
    return Report("\n\n".join(paragraphs))


class Reader:
    """Takes no whole report; finds in a window what it holds, and decides by what it is shown."""

    def __init__(self, refusing=None):
        self.identity = {"model": "reader"}
        self.refusing = refusing
        self.asked = []

    async def __call__(self, operation, inputs, *, repeat=0):
        self.asked.append(operation.name)
        if operation is JUDGE_CRITERIA:
            return Unscored(Cause.CONTEXT_OVERFLOW, "too long")
        if operation is GATHER_EVIDENCE and inputs.number == self.refusing:
            return Unscored(Cause.TIMEOUT, "too late")
        answer = self.found(inputs) if operation is GATHER_EVIDENCE else self.decided(inputs)
        return Answer(read_reply(operation, inputs, json.dumps(answer)).value, "key", "reader")

    def found(self, inputs):
        return {
            "evidence": [
                {"item": f"r{number}", "bearing": "for", "quote": fact}
                for number, text in enumerate(inputs.criteria, start=1)
                for fact in FACTS[text]
                if fact in inputs.window
            ]
        }

    def decided(self, inputs):
        shown = {each.quote for each in inputs.evidence}
        return {
            "verdicts": {
                f"r{number}": {
                    "reason": "as shown",
                    "verdict": "Satisfied" if shown.issuperset(FACTS[text]) else "Not Satisfied",
                    "quotes": [fact for fact in FACTS[text] if fact in shown],
                }
                for number, text in enumerate(inputs.criteria, start=1)
            }
        }


async def scored(judge, report, **options):
    return await Rubrics(**options).score(Case(TASK, report), RoleAskers.alone(judge), NO_SOURCES)


@pytest.mark.asyncio
@pytest.mark.parametrize("together", [1, 2])
async def test_verdicts_rest_on_the_evidence_of_all_windows(together):
    report = report_with(
        {"The ferry Alma makes 61 decibels.": 0.9, "Quiet hours begin at 22:00.": 0.1,
         "Quiet hours end at 06:00.": 0.7}
    )  # fmt: skip
    judge = Reader()
    score = await scored(judge, report, together=together)
    assert [item["score"] for item in score.details["items"]] == [1, 1, 0]
    windows = len(windows_of(report.text))
    assert score.details["windows"] == windows > 3
    places = score.details["items"][1]["places"]
    lines = [report.text.splitlines()[each["line"] - 1] for each in places]
    assert lines == list(FACTS["gives both hours"])
    questions = -(-3 // together)
    assert judge.asked.count(JUDGE_CRITERIA.name) == 1
    assert judge.asked.count(GATHER_EVIDENCE.name) == questions * windows
    assert judge.asked.count(JUDGE_ON_EVIDENCE.name) == questions


@pytest.mark.asyncio
async def test_without_one_of_the_windows_nothing_is_decided():
    outcome = await scored(Reader(refusing=2), report_with({}))
    assert outcome.cause is Cause.TIMEOUT
    assert "window 2 of" in outcome.detail
    assert {item["verdict"] for item in outcome.details["items"]} == {None}


def test_the_decision_may_only_quote_what_was_gathered():
    evidence = WindowEvidence(item="r1", window=1, bearing="for", quote="It makes 61 decibels.")
    asked = EvidenceOnCriteria(
        language="en", evidence=(evidence,), windows=3, query="q", criteria=("noise in decibels",)
    )
    answer = JUDGE_ON_EVIDENCE.offline(asked)
    JUDGE_ON_EVIDENCE.check(asked, answer)
    assert not JUDGE_ON_EVIDENCE.quotes(asked, answer)
    said = answer.verdicts["r1"].model_copy(update={"quotes": ["It makes 62 decibels."]})
    answer = answer.model_copy(update={"verdicts": {"r1": said}})
    assert "62 decibels" in JUDGE_ON_EVIDENCE.quotes(asked, answer)


@pytest.mark.parametrize("language", ["en", "zh"])
def test_the_offline_rule_gathers_what_the_window_holds(language):
    window = "The ferry makes 61 decibels <<<BEGIN x. " + "Nothing of note was said. " * 3
    asked = WindowAndCriteria(
        language=language, window=window, number=1, windows=2, query="q",
        criteria=("States the decibels of the ferry", "Names the owner"),
    )  # fmt: skip
    answer = GATHER_EVIDENCE.offline(asked)
    GATHER_EVIDENCE.check(asked, answer)
    assert {each.item for each in answer.evidence} == {"r1"}
