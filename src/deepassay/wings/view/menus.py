"""The verdicts that a judge might have given in place of its own: those of its protocol's menu."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final, NamedTuple, get_args

from deepassay.protocols.kae.relations import Relation
from deepassay.protocols.support import SupportVerdict
from deepassay.results.evidence import evidence_of
from deepassay.results.records import Judged
from deepassay.tasks.task import Task
from deepassay.wings.view.findings import ReadFinding, rubrics_of


class VerdictChoice(NamedTuple):
    """A verdict. word: as the judge writes it; means: what that says, where a menu tells it.

    read: the word by which `agree` holds it against the judge's.
    """

    word: str
    means: str
    read: str


CHECK: Final = (VerdictChoice("met", "", "met"), VerdictChoice("not met", "", "not met"))
ISSUE: Final = (
    VerdictChoice("there", "the report has this fault", "met"),
    VerdictChoice("not there", "it has not", "not met"),
)
SUPPORT: Final = tuple(VerdictChoice(word, "", word) for word in get_args(SupportVerdict))
RELATIONS: Final = tuple(
    VerdictChoice(word, "", "met" if word == "SUPPORTS" else "not met")
    for word in get_args(Relation)
)

_CHECKED: Final = {"met", "not met", "unscored"}


def menu(
    finding: ReadFinding | None, record: Judged | None, task: Task | None
) -> tuple[VerdictChoice, ...]:
    """The verdicts that may be given on an item; none where it is marked, counted or read off."""
    if finding is None or record is None or (evidence := evidence_of(record)).baseline:
        return ()
    if evidence.lists_issues:
        return ISSUE
    if rubrics_of(record.protocol):
        return tuple(_of_rubric(finding, record.protocol, task))
    stances = {voice.stance for voice in finding.voices}
    said = " ".join(stances).replace("(", " ").replace(")", " ").split()
    for known in (SUPPORT, RELATIONS):
        if any(choice.word in said for choice in known):
            return known
    return CHECK if {*finding.verdict.split(" / ")} <= _CHECKED else ()


def _of_rubric(finding: ReadFinding, name: str, task: Task | None) -> Iterator[VerdictChoice]:
    protocol = rubrics_of(name)
    assert protocol is not None
    setting = protocol.setting
    criteria = task.rubric if task else ()
    criterion = next((each for each in criteria if each.id == finding.key), None)
    own: Mapping[str, float] = criterion.grades if criterion else {}
    for word in own or setting.menu:
        if protocol.scale == "binary" and word == "Partially Satisfied":
            continue
        if criterion is not None and own:
            merit, means = setting.merit_of(criterion, word), ""
        else:
            merit, means = setting.menu[word].merit, setting.menu[word].en
        yield VerdictChoice(word, means, word if merit is None else f"{merit:g}")
