"""What the ledger of evidence answers, what it leaves open, and where it contradicts itself."""

from __future__ import annotations

import re
from typing import Annotated, Final

from pydantic import Field

from deepassay.models.form import Form
from deepassay.models.operation import Inputs, OffMenu, Operation, Reply
from deepassay.score import Json
from deepassay.wings.research.deerflow.asking import (
    evidence_id,
    on_menu,
    refuse_wordless,
    research_operation,
)
from deepassay.wings.research.deerflow.evidence import quotes_contradict


class LedgerInputs(Inputs):
    """The questions, with the hosts that they need, and the evidence, one line each.

    lines: `[e3] quote (host) questions: 1, 2`.
    """

    questions: list[str]
    needs: list[int]
    lines: list[str]


class Contradiction(Reply):
    """Two pieces of evidence that cannot both be true."""

    first: str
    second: str


class Gaps(Reply):
    """answered, unanswerable: numbers of questions. new: questions that came up."""

    answered: list[int]
    unanswerable: list[int]
    new: list[Annotated[str, Field(min_length=3, max_length=500)]]
    contradictions: list[Contradiction]


_OF_QUESTIONS: Final = re.compile(r"\(([^()\s]*)\) questions: ([\d, ]*)\Z")


def ledger_line(line: str, questions: list[int]) -> str:
    """A line of evidence with the numbers of the questions that it bears on."""
    return f"{line} questions: {', '.join(map(str, questions))}"


def _hosts_by_question(lines: list[str]) -> dict[int, set[str]]:
    found: dict[int, set[str]] = {}
    for line in lines:
        if (told := _OF_QUESTIONS.search(line)) is not None:
            for number in re.findall(r"\d+", told[2]):
                found.setdefault(int(number), set()).add(told[1])
    return found


def _told(inputs: LedgerInputs, answer: Gaps) -> None:
    for numbers in (answer.answered, answer.unanswerable):
        on_menu(numbers, inputs.questions, "question")
    if len(answer.new) > 2:
        raise OffMenu(f"{len(answer.new)} new questions; give 2 at most")
    refuse_wordless(answer.new)


def borne_out(inputs: LedgerInputs, answer: Gaps) -> Gaps:
    """What the evidence lets stand: answers that there is any for, and pairs of two of it."""
    hosts = _hosts_by_question(inputs.lines)
    menu = {evidence_id(line) for line in inputs.lines}
    pairs = [
        each
        for each in answer.contradictions
        if each.first != each.second and {each.first, each.second} <= menu
    ]
    answered = [number for number in answer.answered if hosts.get(number)]
    return answer.model_copy(update={"answered": answered, "contradictions": pairs})


def gaps_by_rule(inputs: LedgerInputs) -> Gaps:
    """Answered where enough hosts speak; two quotes of one unit and other numbers contradict."""
    hosts = _hosts_by_question(inputs.lines)
    answered = [
        number
        for number, needs in enumerate(inputs.needs, start=1)
        if len(hosts.get(number, ())) >= needs
    ]
    lines = [(evidence_id(line), _bare(line)) for line in inputs.lines]
    pairs = [
        Contradiction(first=one, second=other)
        for place, (one, quote) in enumerate(lines)
        for other, against in lines[place + 1 :]
        if quotes_contradict(quote, against)
    ]
    return Gaps(answered=answered, unanswerable=[], new=[], contradictions=pairs)


def _bare(line: str) -> str:
    """The quote that a line of evidence holds, without its number and source."""
    return _OF_QUESTIONS.sub("", line).partition("] ")[2]


def _of_ledger(inputs: LedgerInputs, form: Form) -> Form:
    ids: Json = {"enum": [evidence_id(line) for line in inputs.lines] or [""]}
    for name in ("answered", "unanswerable"):
        form.chosen(name, len(inputs.questions))
    pairs = max(0, len(inputs.lines) - 1)
    form.at_most("new", 2).at_most("contradictions", min(8, pairs))
    return form.override_field("first", ids).override_field("second", ids)


GAPS: Final[Operation[LedgerInputs, Gaps]] = research_operation(
    "research/gaps",
    takes=LedgerInputs,
    gives=Gaps,
    offline=gaps_by_rule,
    check=_told,
    version=2,
    shape=_of_ledger,
)
