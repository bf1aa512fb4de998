"""Bibliography: recall and precision of an expert's references (ReportBench, DeepScholar-Bench).

What a report cites is what reading its lists and links gives; nobody is asked and no page is
fetched. A work is found by its DOI or arXiv number, else by its title.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Final

from deepassay.errors import BadSetting
from deepassay.models.operation import Operation
from deepassay.protocols.bibliography.matching import (
    BOUNDS,
    DOUBTS,
    ExpertWork,
    MatchedWork,
    expert_works,
    matched,
)
from deepassay.protocols.protocol import Case, Protocol, RoleAskers, ScoreDetails, Sources
from deepassay.reports.cited_works import CitedWork, cited_works
from deepassay.results.evidence import EvidenceItem
from deepassay.score import Cause, Score, Unscored
from deepassay.tasks.yardsticks import yardstick_digest

LONGEST: Final = 120
"""Characters of a reference by which a line of the evidence names it."""

NOT_GIVEN: Final = (
    "it is not known what an expert cites on this task. Give --bibliography FILE, or "
    "`bibliography` in the task file."
)


@dataclass(frozen=True, repr=False)
class BibliographyRecall(Protocol):
    """Share of an expert's references that a report cites, 0 to 1 (ReportBench, DeepScholar-Bench).

    set: whose released program counts in edition `code`, `reportbench` where none is named; edition
    `paper` counts in one way.
    """

    set: str = ""

    name: ClassVar[str] = "bibliography"
    title: ClassVar[str] = "Expert's references"
    source: ClassVar[str] = "ReportBench, DeepScholar-Bench"
    needs: ClassVar[str] = "a bibliography for each task"
    calls: ClassVar[str] = "none"
    importance: ClassVar[int] = 22
    bounds: ClassVar[tuple[float, float] | None] = BOUNDS

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.edition == "paper":
            object.__setattr__(self, "set", "")
            return
        from deepassay.protocols.bibliography.released import PROGRAMS

        if self.set == next(iter(PROGRAMS)):
            object.__setattr__(self, "set", "")
        elif self.set and self.set not in PROGRAMS:
            raise BadSetting(
                f"bibliography(set={self.set!r}): no program of that set counts references.",
                f"Write one of {', '.join(PROGRAMS)}.",
            )

    @property
    def rules(self) -> dict[str, int]:
        """That by which sources are told and held against works."""
        return {"bibliography": 1}

    async def score(self, case: Case, ask: RoleAskers, sources: Sources) -> Score | Unscored:
        """Count what stands in the report; nobody is asked."""
        if lacking := self.lacks(case):
            return Unscored(Cause.MISSING_INPUT, lacking)
        cited = cited_works(case.report)
        if self.edition == "code":
            from deepassay.protocols.bibliography.released import PROGRAMS

            counted_by = PROGRAMS[self.set or next(iter(PROGRAMS))]
            return counted_by(case.task.bibliography, cited)
        experts = expert_works(case.task.bibliography)
        return paper_score(experts, cited, matched(experts, cited))

    def operations(self) -> tuple[Operation[Any, Any], ...]:
        """Nothing: titles and numbers are compared, and nobody is asked."""
        return ()

    def lacks(self, case: Case) -> str:
        """The works of an expert; a released program counts 0 without them."""
        return "" if case.task.bibliography or self.edition == "code" else NOT_GIVEN

    def basis(self, case: Case) -> dict[str, str]:
        """The works by which references are told."""
        return {"bibliography": yardstick_digest(case.task.bibliography)[:12]}


def paper_score(
    experts: Sequence[ExpertWork], cited: Sequence[CitedWork], pairs: Sequence[MatchedWork]
) -> Score:
    """Recall; beside it precision over the references that say what they are, F1, and counts.

    experts: at least one. Where nothing is cited by a name there is no precision and no F1.
    """
    taken = [each for each in pairs if each.by not in DOUBTS]
    found = {each.expert for each in taken}
    nameless = sum(each.nameless for each in cited)
    named = len(cited) - nameless
    recall = len(found) / len(experts)
    precision = len({each.cited for each in taken}) / named if named else None
    f1 = None
    if precision is not None:
        f1 = 2 * precision * recall / (precision + recall) if precision + recall else 0.0
    parts = {
        "recall": recall,
        "precision": precision,
        "f1": f1,
        "works": float(len(experts)),
        "references": float(len(cited)),
        "found": float(len(found)),
        "nameless": float(nameless),
    }
    details = ScoreDetails(
        items=(*_of_works(experts, cited, pairs), *_of_others(cited, taken)),
        summary=_summary(len(experts), len(found), len(cited), nameless, pairs),
    )
    return Score(recall, BOUNDS, parts, (len(found), len(experts)), details.to_json())


def _of_works(
    experts: Sequence[ExpertWork], cited: Sequence[CitedWork], pairs: Sequence[MatchedWork]
) -> Iterator[EvidenceItem]:
    """Each work of the expert: by what it was found, and where it stands in the report."""
    best: dict[int, MatchedWork] = {}
    for pair in pairs:  # what was taken tells more than what was not
        if pair.expert not in best or best[pair.expert].by in DOUBTS:
            best[pair.expert] = pair
    for number, expert in enumerate(experts):
        met = best.get(number)
        yield EvidenceItem(
            key=f"b{number + 1}",
            item=expert.work.shown,
            score=int(met is not None and met.by not in DOUBTS),
            verdict=met.by if met else "missing",
            quotes=cited[met.cited].written[:1] if met else None,
        )


def _of_others(cited: Sequence[CitedWork], taken: Sequence[MatchedWork]) -> Iterator[EvidenceItem]:
    """The references of the report that are none of the expert's."""
    known = {each.cited for each in taken}
    for number, each in enumerate(cited):
        if number not in known:
            verdict = "no title or identifier" if each.nameless else "not the expert's"
            shown = each.titles[0] if each.titles else each.written[0]
            yield EvidenceItem(
                key=f"r{number + 1}",
                item=" ".join(shown.split())[:LONGEST],
                verdict=verdict,
                quotes=each.written[:1],
            )


def _summary(
    works: int, found: int, references: int, nameless: int, pairs: Sequence[MatchedWork]
) -> str:
    told = [f"Of {works} works of the expert {found} are cited, by {references} references."]
    if nameless:
        told.append(
            f"{nameless} of these have neither a title nor an identifier: which works they are is "
            "not known."
        )
    for doubt in DOUBTS:
        if count := sum(each.by == doubt for each in pairs):
            told.append(f"Not taken: {count} ({doubt}).")
    return " ".join(told)
