"""Revision: what became of a report after feedback (ours; Mr Dre asks the first of three).

Was each remark followed: the judge is shown the revised report, and the earlier one with the
request. What broke: criteria of the task that the earlier version met and the revised one does not,
by the verdicts of `rubrics` on both. And which sources are not cited any more, by code.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar, Final, NamedTuple

from deepassay.models.ask import Asker
from deepassay.models.operation import Operation
from deepassay.models.prompt import Language
from deepassay.protocols.entries import JudgedEntry, Judgement, out_of_budget
from deepassay.protocols.protocol import Case, Edition, Protocol, RoleAskers, Sources
from deepassay.protocols.rubrics.protocol import asked_by, judged_criteria
from deepassay.protocols.rubrics.scoring import marked_of, paper_score
from deepassay.protocols.rubrics.setting import MenuWord, Setting, setting_of
from deepassay.reports.cited_works import CitedWork, cited_works
from deepassay.reports.report import Report
from deepassay.results.evidence import EvidenceItem
from deepassay.score import Cause, Json, Score, Unscored, digest
from deepassay.tasks.set_tables import own_table
from deepassay.tasks.yardsticks import ALL_AGENTS, Criterion, yardstick_digest

FEEDBACK: Final = Setting(
    menu={
        "followed": MenuWord(
            merit=1,
            en="the revised report does all that the remark asks for",
            zh="修改后的报告完全做到了这条意见所要求的",
        ),
        "partly": MenuWord(merit=0.5, en="it does a part of it", zh="只做到一部分"),
        "ignored": MenuWord(
            merit=0,
            en="it does none of it, or the earlier version is as it was in this",
            zh="没有做到，或在这一点上与早先的版本没有区别",
        ),
    },
    weights="equal",
    over="all",
    together=20,
)
"""Remarks are judged as criteria are, and counted alike; the words are ours."""

JUDGE_REMARKS, _, JUDGE_REMARKS_ON_EVIDENCE = asked_by(FEEDBACK)
"""The questions of `rubrics` with that menu, about a report and about what windows of it hold."""

_EARLIER: Final[Mapping[Language, str]] = {
    "en": "{request}\n\nAn earlier version of the report was given back to its author. The "
    "criteria below are what was then asked to be changed. The earlier version:\n\n{draft}",
    "zh": "{request}\n\n这份报告的一个早先版本曾被退回作者。下面的准则就是当时要求修改之处。"
    "早先的版本如下：\n\n{draft}",
}

NO_DRAFT: Final = (
    "no earlier version of the report is known. Give --previous REPORTS, in which agents and tasks "
    "have the names that they have here."
)
NO_FEEDBACK: Final = (
    "it is not known what was to be changed in the report. Give --feedback FILE, or `feedback` in "
    "the task file."
)
SHORT: Final = 120
"""Characters of a source by which a line of the evidence names it."""


@dataclass(frozen=True, repr=False)
class FollowedFeedback(Protocol):
    """Share of the remarks on an earlier version that a report follows, 0 to 1 (ours).

    set: a published set, or the file of one, by whose verdicts it is told which criteria broke.
    """

    set: str = ""

    name: ClassVar[str] = "revision"
    title: ClassVar[str] = "Feedback followed"
    source: ClassVar[str] = "ours; Mr Dre"
    needs: ClassVar[str] = "earlier versions of the reports, and feedback on them"
    calls: ClassVar[str] = "1 a report, 2 more for each criterion of a rubric"
    importance: ClassVar[int] = 25
    bounds: ClassVar[tuple[float, float] | None] = (0.0, 1.0)
    editions: ClassVar[tuple[Edition, ...]] = ("paper",)
    offline_reads: ClassVar[bool] = False
    table: ClassVar[str] = ""

    def __post_init__(self) -> None:
        super().__post_init__()
        object.__setattr__(self, "table", self.table or own_table(self.set))
        setting_of(self.set, self.table)  # which says what is wrong with the name of a set

    @property
    def definition(self) -> str:
        """The table of a set of one's own, which a run file keeps."""
        return self.table

    @property
    def setting(self) -> Setting:
        """How criteria are judged."""
        return setting_of(self.set, self.table)

    @property
    def rules(self) -> dict[str, int]:
        """That by which sources are told apart."""
        return {"sources": 1}

    async def score(self, case: Case, ask: RoleAskers, sources: Sources) -> Score | Unscored:
        """Judge every remark, then both versions by the rubric, and count the sources."""
        remarks, draft = changes_wanted(case), draft_of(case)
        if lacking := self.lacks(case) or _missing(remarks, draft):
            return Unscored(Cause.MISSING_INPUT, lacking)
        assert draft is not None
        told = await _judged_remarks(case, remarks, draft, ask.judge)
        rubric = case.task.rubric
        now = await self._of_version(case, case.report, ask.judge) if rubric else []
        before = await self._of_version(case, draft, ask.judge) if rubric else []
        judged = [line.judgement for line in (*told, *now, *before)]
        if (spent := out_of_budget(judged)) is not None:
            return spent
        followed = paper_score(told, FEEDBACK)
        kept = kept_criteria(before, now, self.setting)
        cited = kept_sources(cited_works(draft), cited_works(case.report))
        return _with(followed, kept, cited)

    async def _of_version(self, case: Case, report: Report, ask: Asker) -> list[_Line]:
        judgements = await judged_criteria(replace(case, report=report), ask, self.setting)
        return [*map(_Line, case.task.rubric, judgements)]

    def operations(self) -> tuple[Operation[Any, Any], ...]:
        """The questions about remarks, and those of `rubrics`."""
        own = (JUDGE_REMARKS, JUDGE_REMARKS_ON_EVIDENCE)
        return tuple(dict.fromkeys((*own, *asked_by(self.setting))))

    def lacks(self, case: Case) -> str:
        """Feedback on the task's reports, and an earlier version of any."""
        if not case.task.feedback:
            return NO_FEEDBACK
        return "" if case.task.drafts else NO_DRAFT

    def basis(self, case: Case) -> dict[str, str]:
        """The remarks, the earlier versions, and the rubric."""
        task = case.task
        found = {
            "feedback": digest({agent: list(own) for agent, own in task.feedback.items()})[:12],
            "drafts": digest([[each.agent, each.sample, each.text] for each in task.drafts])[:12],
        }
        if task.rubric:
            found["rubric"] = yardstick_digest(task.rubric)
        if self.set:
            found["setting"] = self.setting.digest
        return found


_Line = JudgedEntry[Criterion, str]


def changes_wanted(case: Case) -> tuple[str, ...]:
    """What was to be changed in a report: what was said to all, then what of this agent's."""
    said = case.task.feedback
    return tuple(dict.fromkeys((*said.get(ALL_AGENTS, ()), *said.get(case.report.agent, ()))))


def draft_of(case: Case) -> Report | None:
    """The earlier version of a report, if there is one."""
    own = case.report
    for each in case.task.drafts:
        if (each.agent, each.sample) == (own.agent, own.sample):
            return Report(each.text, own.agent, own.task, own.sample)
    return None


def _missing(remarks: Sequence[str], draft: Report | None) -> str:
    if draft is None:
        return NO_DRAFT
    return "" if remarks else NO_FEEDBACK


async def _judged_remarks(
    case: Case, remarks: Sequence[str], draft: Report, ask: Asker
) -> list[_Line]:
    """A verdict on every remark, with the revised report in view and the earlier one beside it."""
    task = case.task
    shown = _EARLIER[task.language].format(request=task.request or task.prompt, draft=draft.text)
    entries = tuple(
        Criterion(id=f"f{number}", criterion=text, weight=1)
        for number, text in enumerate(remarks, start=1)
    )
    asked = task.model_copy(update={"prompt": shown, "request": None, "rubric": entries})
    judgements: list[Judgement[str]] = await judged_criteria(
        replace(case, task=asked), ask, FEEDBACK
    )
    return [*map(_Line, entries, judgements)]


class KeptCriteria(NamedTuple):
    """Criteria that the earlier version met. broken: those that the revised one does not meet.

    met: how many there were, of which both versions have a verdict.
    """

    met: int
    broken: tuple[tuple[Criterion, str, str, str], ...]


def kept_criteria(
    before: Sequence[_Line], now: Sequence[_Line], setting: Setting
) -> KeptCriteria | None:
    """What became of criteria that were as they should be; None without a rubric.

    As it should be is a merit that is there in full, and a fault that is not there.
    """
    if not before:
        return None
    met, broken = 0, []
    for old, new in zip(before, now, strict=True):
        then, after = marked_of(old, setting).merit, marked_of(new, setting).merit
        if then is None or after is None or not setting.weight_of(old.entry):
            continue
        good = setting.weight_of(old.entry) > 0
        if then != (setting.best if good else 0):
            continue
        met += 1
        if after < then if good else after > then:
            said = str(old.judgement.verdict), str(new.judgement.verdict)
            broken.append((old.entry, *said, new.judgement.reason))
    return KeptCriteria(met, tuple(broken))


class KeptSources(NamedTuple):
    """Sources of the earlier version that say what they are. lost: those that are cited no more.

    new: how many the revised version has that the earlier one had not.
    """

    cited: int
    lost: tuple[CitedWork, ...]
    new: int


def kept_sources(before: Sequence[CitedWork], now: Sequence[CitedWork]) -> KeptSources:
    """Sources are one that share an identifier, an address, or a title."""
    old, new = ([each for each in works if _marks(each)] for works in (before, now))
    was, there = (frozenset().union(*map(_marks, works)) for works in (old, new))
    lost = tuple(each for each in old if not _marks(each) & there)
    return KeptSources(len(old), lost, sum(not _marks(each) & was for each in new))


def _marks(work: CitedWork) -> frozenset[str]:
    """By what a source is told from others."""
    titles = (" ".join(each.casefold().split()) for each in work.titles)
    # A title is a mark where nothing better is: links to several pages may have the same words.
    return work.identifiers | {*work.addresses} or frozenset(titles)


def _with(
    followed: Score | Unscored, kept: KeptCriteria | None, cited: KeptSources
) -> Score | Unscored:
    """The score of the remarks with what broke and what was lost."""
    items = [
        *followed.details.get("items", ()),
        *(
            EvidenceItem(
                key=f"broken {each.id}",
                item=each.criterion,
                score=0,
                verdict=f"{old}, now {new}",
                justification=why,
            ).to_json()
            for each, old, new, why in (kept.broken if kept else ())
        ),
        *(
            EvidenceItem(
                key=f"lost {number}",
                item=" ".join((each.titles or each.written)[0].split())[:SHORT],
                verdict="cited before, not now",
                url=each.addresses[0] if each.addresses else None,
            ).to_json()
            for number, each in enumerate(cited.lost, start=1)
        ),
    ]
    judged = str(followed.details.get("summary", "")).replace(" criteria", " remarks", 1)
    summary = f"{judged} {_in_words(kept, cited)}".strip()
    details: dict[str, Json] = {**followed.details, "items": items, "summary": summary}
    if isinstance(followed, Unscored):
        return replace(followed, details=details)
    broken = len(kept.broken) if kept else None
    parts = {
        "followed": followed.value,
        "broken": broken,
        "criteria kept": (kept.met - len(kept.broken)) / kept.met if kept and kept.met else None,
        "sources lost": float(len(cited.lost)),
        "sources kept": 1 - len(cited.lost) / cited.cited if cited.cited else None,
        "sources new": float(cited.new),
    }
    return replace(followed, parts=parts, details=details)


def _in_words(kept: KeptCriteria | None, cited: KeptSources) -> str:
    told = []
    if kept is not None:
        told.append(f"Of {kept.met} criteria that were met {len(kept.broken)} are not any more.")
    told.append(f"Of {cited.cited} sources {len(cited.lost)} are not cited any more.")
    return " ".join(told)
