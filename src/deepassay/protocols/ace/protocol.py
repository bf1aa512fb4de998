"""ACE: a report scored on the weighted checklist of its task (DeepResearch Arena).

Section "Adaptively-generated Checklist Evaluation" and appendix "Single criterion scoring prompt":
a model makes the checklist once for a task, and another one, which may be the same, scores each
item on its own, a whole number from 0 to 10. The judge is not told the weight. The score is the
weighted mean. On a report that exceeds the judge's context, passages are gathered first, which is
ours.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, Any, ClassVar, Final

from pydantic import Field, StringConstraints

from deepassay.models.ask import Asker
from deepassay.models.form import Form
from deepassay.models.operation import Operation, Reply, Whole
from deepassay.protocols.ace.checklists import MAKE_CHECKLIST, make_checklist
from deepassay.protocols.checklist import ReportAndQuery
from deepassay.protocols.entries import JudgedEntry, Judgement, out_of_budget
from deepassay.protocols.expected import MARK, for_each
from deepassay.protocols.overlap import mark, readable
from deepassay.protocols.protocol import (
    PROMPTS,
    Case,
    Edition,
    Protocol,
    Role,
    RoleAskers,
    ScoreDetails,
    Sources,
    gather_limited,
)
from deepassay.protocols.windows import (
    EvidenceAndQuery,
    WindowAndQuery,
    WindowedQuestion,
    ask_about_report,
    gathering,
)
from deepassay.reports.clean import clean
from deepassay.results.evidence import EvidenceItem
from deepassay.score import Cause, Json, Score, Unscored, commonest, digest
from deepassay.tasks.task import Task
from deepassay.tasks.yardsticks import AceItem, shares_of, yardstick_digest

HIGHEST: Final = 10
BOUNDS: Final = (0.0, 10.0)

LABELS: Final = ("category", "domain", "discipline", "phase", "family", "difficulty")
"""What a judge is told of a task besides its prompt, where its labels say it."""

KEY: Final = "a1"
"""Of the one item that is asked about."""


# ------------------------------------------------------------------ what is asked


class ItemOnReport(ReportAndQuery):
    """A report, the request that it answers, what is known of it, and one item."""

    context: str
    title: str
    description: str


class WindowAndItem(WindowAndQuery):
    """One window, the request, what is known of it, and one item."""

    context: str
    title: str
    description: str


class EvidenceOnItem(EvidenceAndQuery):
    """What was gathered from all windows, the request, what is known of it, and one item."""

    context: str
    title: str
    description: str


class ItemScore(Reply):
    """How well the report does on the item, and why."""

    justification: Annotated[str, StringConstraints(strip_whitespace=True, min_length=1)]
    rating: Annotated[Whole, Field(ge=0, le=HIGHEST)]


def score_by_rule(inputs: ItemOnReport | EvidenceOnItem) -> ItemScore:
    """The floor: how many words of the item the report holds, and how much it says at all."""
    if isinstance(inputs, ItemOnReport):
        shown = inputs.report
    else:
        shown = "\n\n".join(each.quote for each in inputs.evidence)
    rating = round(mark(clean(readable(shown)), f"{inputs.title} {inputs.description}"))
    return ItemScore(justification="By rule: shared words counted, no judgement.", rating=rating)


def rating_form(inputs: object, form: Form) -> None:
    """Put the scale into the form, which the schema of the type does not tell."""
    form.override_field("rating", {"enum": [*range(HIGHEST + 1)]})


SCORE_ITEM: Final = Operation(
    "ace/score_item",
    prompts=PROMPTS,
    takes=ItemOnReport,
    gives=ItemScore,
    offline=score_by_rule,
    shape=rating_form,
    rule=2,
    expected=for_each(MARK),
)

GATHER_EVIDENCE: Final = gathering(
    "ace", WindowAndItem, lambda inputs: {KEY: f"{inputs.title}: {inputs.description}"}
)

JUDGE_ON_EVIDENCE: Final = Operation(
    "ace/judge_on_evidence",
    prompts=PROMPTS,
    takes=EvidenceOnItem,
    gives=ItemScore,
    offline=score_by_rule,
    shape=rating_form,
    rule=2,
    expected=for_each(MARK),
)


# ------------------------------------------------------------------ the protocol


@dataclass(frozen=True, repr=False)
class Ace(Protocol):
    """Weighted mean over the items of a task's checklist, 0 to 10 (DeepResearch Arena).

    make: have the maker make every checklist, and use none that is given. The checklist of a task
    is then one answer of the run, the same for all reports, judges and repeats.
    """

    make: bool = False

    name: ClassVar[str] = "ace"
    title: ClassVar[str] = "Adaptive checklist"
    source: ClassVar[str] = "DeepResearch Arena, Adaptively-generated Checklist Evaluation"
    needs: ClassVar[str] = "a weighted checklist for each task, or a model that makes it"
    calls: ClassVar[str] = "1 an item of the checklist"
    importance: ClassVar[int] = 65
    bounds: ClassVar[tuple[float, float] | None] = BOUNDS
    editions: ClassVar[tuple[Edition, ...]] = ("paper",)

    @property
    def roles(self) -> tuple[Role, ...]:
        """The maker only where there is something to make."""
        return ("judge", "maker") if self.make else ("judge",)

    async def score(self, case: Case, ask: RoleAskers, sources: Sources) -> Score | Unscored:
        """Have the checklist made if need be, score its items, and weigh them."""
        if missing := self.lacks(case):
            return Unscored(Cause.MISSING_INPUT, missing)
        items: Sequence[AceItem] = case.task.ace or ()
        if self.make:
            made = await make_checklist(case.task, ask.maker)
            if isinstance(made, Unscored):
                return made
            items = made
        entries = await gather_limited(_scored(item, case, ask.judge) for item in items)
        if (spent := out_of_budget(each.judgement for each in entries)) is not None:
            return spent
        made_by = str(ask.maker.identity["model"]) if self.make else ""
        return ace_score(entries, f"{case.task.id}:", made_by)

    def lacks(self, case: Case) -> str:
        """The checklist, where the task has none and none is to be made."""
        if self.make or case.task.ace:
            return ""
        return (
            f"Task {case.task.id} has no ACE checklist: make one with `deepassay tasks checklist` "
            "and give it with --ace FILE, or name a --maker."
        )

    def operations(self) -> tuple[Operation[Any, Any], ...]:
        """What it asks the judge, and the maker if there is something to make."""
        asked = (SCORE_ITEM, GATHER_EVIDENCE, JUDGE_ON_EVIDENCE)
        return (*asked, MAKE_CHECKLIST) if self.make else asked

    def basis(self, case: Case) -> dict[str, str]:
        """The digest of the checklist that is given."""
        return {} if self.make else {"checklist": yardstick_digest(case.task.ace or ())}

    def made_basis(self, details: Mapping[str, Json]) -> dict[str, str]:
        """The checklist that was made: another maker's, or of another day, is another one."""
        if not self.make:
            return {}
        judges = (each["details"] for each in details.get("judges", {}).values())
        items: Json = next((each["items"] for each in (details, *judges) if each.get("items")), [])
        lines = [[item["dimension"], item["item"], item["weight"]] for item in items]
        return {"checklist": digest(lines)} if lines else {}


async def _scored(item: AceItem, case: Case, ask: Asker) -> JudgedEntry[AceItem, int]:
    """The rating of one item, from the whole report or from its windows."""
    task = case.task
    about = about_item(item, task)
    judged = await ask_about_report(
        SCORE_ITEM,
        ItemOnReport(language=task.language, report=case.report.text, query=task.prompt, **about),
        lambda: WindowedQuestion(GATHER_EVIDENCE, JUDGE_ON_EVIDENCE, case, about),
        ask,
        case.repeat,
    )
    if isinstance(judged, Unscored):
        return JudgedEntry(item, Judgement.failed(judged))
    said, places = judged.verdicts, judged.places(KEY, case.report)
    return JudgedEntry(
        item, Judgement(said.rating, said.justification, places, windows=judged.windows)
    )


def about_item(item: AceItem, task: Task) -> dict[str, str]:
    """What the judge is told of one item, and of its task besides the prompt."""
    labels = task.labels
    context = "\n".join(f"{name}: {labels[name]}" for name in LABELS if labels.get(name))
    return {"context": context, "title": item.title, "description": item.description}


# ------------------------------------------------------------------ from ratings to a score


class AceDetails(ScoreDetails):
    """What is kept of a score. made_by: the model that made the checklist in this run."""

    made_by: str | None = None


def weighted_mean(shares: Sequence[float], ratings: Sequence[float | None]) -> float | None:
    """The mean of the ratings that are there, by their shares; None if there is none."""
    known = [(w, r) for w, r in zip(shares, ratings, strict=True) if r is not None]
    weight = sum(w for w, _ in known)
    return _inside(sum(w * r for w, r in known) / weight) if weight else None


def _inside(value: float) -> float:
    """The value without what rounding carried past the ends of the scale."""
    return min(max(value, BOUNDS[0]), BOUNDS[1])


def limits(shares: Sequence[float], ratings: Sequence[float | None]) -> tuple[float, float]:
    """The weighted mean if what is missing were all 0, and if it were all 10."""
    low, high = (
        _inside(sum(w * (end if r is None else r) for w, r in zip(shares, ratings, strict=True)))
        for end in BOUNDS
    )
    return low, high


def ace_score(
    entries: Sequence[JudgedEntry[AceItem, int]], prefix: str, made_by: str
) -> Score | Unscored:
    """The score of a report, 0 to 10; Unscored, with the commonest cause, if all items are open.

    prefix: of the names of parts, as the items of one task are not those of another. made_by:
    the model that made the checklist in this run, or "".
    """
    shares = shares_of([each.entry for each in entries])
    judgements = [each.judgement for each in entries]
    ratings = [each.verdict for each in judgements]
    low, high = limits(shares, ratings)
    windows = max(each.windows for each in judgements)
    said = [f"The checklist was made by {made_by}."] if made_by else []
    if windows:
        said.append(f"The report was read in {windows} overlapping windows.")
    items = tuple(
        each.judgement.item(
            EvidenceItem(
                key=f"a{number}",
                item=each.entry.description,
                dimension=each.entry.title,
                weight=share,
                score=each.judgement.verdict,
                justification=each.judgement.reason,
            )
        )
        for number, (each, share) in enumerate(zip(entries, shares, strict=True), start=1)
    )
    details = AceDetails(
        low=low,
        high=high,
        open=None in ratings,
        items=items,
        windows=windows or None,
        summary=" ".join(said) or None,
        made_by=made_by or None,
    ).to_json()
    value = weighted_mean(shares, ratings)
    if value is None:
        cause = commonest(each.cause for each in judgements)
        reason = next(each.reason for each in judgements if each.cause is cause)
        return Unscored(cause, f"All {len(entries)} items are open: {reason}", details)
    parts = {
        f"{prefix}{item.key.upper()}": None if rating is None else float(rating)
        for item, rating in zip(items, ratings, strict=True)
    }
    return Score(value, BOUNDS, parts=parts, details=details)
