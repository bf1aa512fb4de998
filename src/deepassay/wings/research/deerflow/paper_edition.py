"""Edition `paper`: planner, researchers, reporter, and no more (LiveResearchBench, appendix D).

The paper names coordinator, planner, researchers and reporter of DeerFlow, and inline citations
from the first stage on. The context manager shortens what the researchers read, the oldest pages
first.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Annotated, Final

from pydantic import Field

from deepassay.models.operation import Inputs, OffMenu, Operation, Prose, Reply
from deepassay.models.prompt import Language
from deepassay.sources.page import Page
from deepassay.wings.research.deerflow.asking import (
    at_length,
    evidence_id,
    ids_cited,
    ids_in,
    ids_of,
    prose_operation,
    refuse_wordless,
    research_operation,
    sentences,
    why_unfit_prose,
    with_ids,
)
from deepassay.wings.research.deerflow.checking import as_in_drafts
from deepassay.wings.research.deerflow.context import PromptPart
from deepassay.wings.research.deerflow.evidence import content, site_of
from deepassay.wings.research.deerflow.outlining import heading_of, title_by_rule
from deepassay.wings.research.deerflow.pages import Web
from deepassay.wings.research.deerflow.planning import TaskPrompt, frame_by_rule
from deepassay.wings.research.deerflow.reading import is_aside
from deepassay.wings.research.deerflow.roles import Ask, ResearchEnded, ResearchRoles
from deepassay.wings.research.search.index import query_words

MOST_STEPS: Final = 4
_BY_RULE: Final = 6  # sentences that the rule takes from the pages of a step


class Step(Reply):
    """A step of the plan, and what to search for."""

    step: Annotated[str, Field(min_length=3, max_length=500)]
    queries: list[Annotated[str, Field(min_length=1, max_length=300)]]


class Steps(Reply):
    """A plan as the paper prints it: its steps in order."""

    steps: list[Step]


def _enough(inputs: TaskPrompt, answer: Steps) -> None:
    if not 1 <= len(answer.steps) <= MOST_STEPS:
        raise OffMenu(f"{len(answer.steps)} steps; give 1 to {MOST_STEPS}")
    if any(not 1 <= len(each.queries) <= 3 for each in answer.steps):
        raise OffMenu("give 1 to 3 queries for each step")
    told = [text for each in answer.steps for text in (each.step, *each.queries)]
    refuse_wordless(told, inputs.prompt)


def steps_by_rule(inputs: TaskPrompt) -> Steps:
    """The spans of the task that have most words, each searched for by its words."""
    spans = frame_by_rule(inputs).must_cover
    best = sorted(spans, key=lambda each: -len(content(each)))[:MOST_STEPS]
    return Steps(
        steps=[
            Step(step=at_length(each), queries=[(" ".join(query_words(each)[:12]) or each)[:300]])
            for each in spans
            if each in best
        ]
    )


STEPS: Final[Operation[TaskPrompt, Steps]] = research_operation(
    "research/plan_steps",
    takes=TaskPrompt,
    gives=Steps,
    offline=steps_by_rule,
    check=_enough,
    version=2,
    shape=lambda inputs, form: form.entries("steps", 1, MOST_STEPS).entries("queries", 1, 3),
)


class Researching(Inputs):
    """A step, and the pages that were opened for it: `[e3] title (host)` and the text below."""

    prompt: str
    step: str
    pages: list[str]


def _cites_pages(inputs: Researching, text: str) -> None:
    if inputs.pages and not ids_in(text):
        raise OffMenu("cite the pages inline, as [e1]")


def findings_by_rule(inputs: Researching) -> Prose:
    """The sentences of the pages that share most words with the step, each with its page."""
    wanted = content(inputs.step) | content(inputs.prompt)
    found = [
        (-len(content(each) & wanted), place, with_ids(each.lstrip("#>*- "), [evidence_id(page)]))
        for place, page in enumerate(inputs.pages)
        for each in sentences(page.partition("\n")[2])
        if len(content(each) & wanted) >= 2 and len(each) < 600 and not is_aside(each)
    ]
    best = sorted(found)[:_BY_RULE]
    return Prose(text="\n\n".join(text for _, _, text in best) or "—")


FINDINGS: Final = prose_operation(
    "research/findings",
    Researching,
    findings_by_rule,
    lambda inputs: ids_of(inputs.pages),
    _cites_pages,
)


class Reporting(Inputs):
    """The findings of all steps, each below its step."""

    prompt: str
    findings: list[str]


def _cites_findings(inputs: Reporting, text: str) -> None:
    if ids_cited(inputs.findings) and not ids_in(text):
        raise OffMenu("cite inline, as [e1]")


def report_by_rule(inputs: Reporting) -> Prose:
    """The steps as headings, and their findings below."""
    parts = []
    for each in inputs.findings:
        step, _, text = each.partition("\n")
        parts.append(f"## {heading_of(step)}\n\n{text.strip()}")
    return Prose(text="\n\n".join(parts) or "—")


REPORT: Final = prose_operation(
    "research/report",
    Reporting,
    report_by_rule,
    lambda inputs: ids_cited(inputs.findings),
    _cites_findings,
)


PAGES: Final = 4
"""Pages that are opened for a step; the paper gives no number."""

HEADS: Final = (12_000, 4_000, 1_000)
"""Characters of a page that are left of it, step by step."""


@dataclass
class AsPrinted:
    """One run. found: the findings of each step, below it. pages: by identifier."""

    prompt: str
    language: Language
    roles: ResearchRoles
    web: Web
    found: list[str] = field(default_factory=list)
    pages: dict[str, Page] = field(default_factory=dict)
    ending: str = ""

    async def gather(self) -> None:
        """The plan and the findings of its steps. Raises OutOfMoney."""
        self.roles.state = "PLAN"
        task = TaskPrompt(language=self.language, prompt=self.prompt)
        try:
            plan = await self.roles.ask(Ask(STEPS, "planner", lambda texts: task))
            for turn, step in enumerate(plan.steps, start=1):
                await self._research(step, turn)
                if self.web.short is not None:
                    self.ending = str(self.web.short)
                    return
            self.ending = "every step of the plan"
        except ResearchEnded as ended:
            self.ending = ended.detail

    async def _research(self, step: Step, turn: int) -> None:
        self.roles.state = f"RESEARCH {turn}"
        hits = await self.web.find(step.queries)
        opened = await self.web.open(hits[:PAGES])
        named = {f"e{len(self.pages) + at}": page for at, page in enumerate(opened, start=1)}
        if not named:
            return
        self.pages |= named

        def make(texts: Sequence[str]) -> Researching:
            return Researching(
                language=self.language,
                prompt=self.prompt,
                step=step.step,
                pages=[text for text in texts if text],
            )

        items = [
            PromptPart(name, _forms(name, page, self.web.title(page.url)), len(named) - at, turn)
            for at, (name, page) in enumerate(named.items())
        ]
        ask = Ask(FINDINGS, "researcher", make, items)
        text = as_in_drafts((await self.roles.ask(ask)).text, list(named))
        if amiss := why_unfit_prose(text, named):
            by_rule = as_in_drafts(FINDINGS.offline(ask.whole()).text, list(named))
            if ids_in(by_rule):
                self.roles.note(FINDINGS.name, amiss, text)
            text = by_rule
        if ids_in(text):
            self.found.append(f"{step.step}\n{text}")

    async def draft(self) -> str:
        """The report, before citation control. Raises OutOfMoney."""
        self.roles.state = "REPORT"

        def make(texts: Sequence[str]) -> Reporting:
            findings = [text for text in texts if text]
            return Reporting(language=self.language, prompt=self.prompt, findings=findings)

        items = [
            PromptPart(f"findings {at}", (text, text[:4_000], text[:1_000]), turn=at)
            for at, text in enumerate(self.found, start=1)
        ]
        ask = Ask(REPORT, "writer", make, items)
        used = ids_cited(self.found)
        text = as_in_drafts((await self.roles.ask(ask, "writing")).text, used)
        if amiss := why_unfit_prose(text, used):
            self.roles.note(REPORT.name, amiss, text)
            text = report_by_rule(ask.whole()).text
        if text.startswith("# "):
            return f"{text}\n"
        return f"# {title_by_rule(self.prompt)}\n\n{text}\n"

    @property
    def sources(self) -> Mapping[str, str]:
        """The address of each page that may be cited."""
        return {name: page.url for name, page in self.pages.items()}


def _forms(name: str, page: Page, title: str) -> tuple[str, ...]:
    head = f"[{name}] {' '.join(title.split())} ({site_of(page.url)})\n"
    return (head + page.text, *(head + page.text[:size] for size in HEADS), "")
