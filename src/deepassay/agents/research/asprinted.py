"""Edition `paper`: planner, researchers, reporter, and no more (LiveResearchBench, appendix D).

The context manager shortens what the researchers read, the oldest pages first; citations stand in
the text from the first stage on.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

from deepassay.agents.research.asking import ids_in, unfit
from deepassay.agents.research.checking import written
from deepassay.agents.research.context import Item
from deepassay.agents.research.evidence import host_of
from deepassay.agents.research.pages import Web
from deepassay.agents.research.paper import (
    FINDINGS,
    REPORT,
    STEPS,
    Reporting,
    Researching,
    Step,
    report_by_rule,
)
from deepassay.agents.research.planning import Task
from deepassay.agents.research.roles import Ask, Ended, Roles
from deepassay.agents.research.writing import title_of
from deepassay.models.prompt import Language
from deepassay.sources.page import Page

PAGES: Final = 4
"""Pages that are opened for a step; the paper gives no number."""

HEADS: Final = (12_000, 4_000, 1_000)
"""Characters of a page that are left of it, step by step."""


@dataclass
class AsPrinted:
    """One run. found: the findings of each step, below it. pages: by identifier."""

    prompt: str
    language: Language
    roles: Roles
    web: Web
    found: list[str] = field(default_factory=list)
    pages: dict[str, Page] = field(default_factory=dict)
    ending: str = ""

    async def gather(self) -> None:
        """The plan and the findings of its steps. Raises OutOfMoney."""
        self.roles.state = "PLAN"
        task = Task(language=self.language, prompt=self.prompt)
        try:
            plan = await self.roles.ask(Ask(STEPS, "planner", lambda texts: task))
            for turn, step in enumerate(plan.steps, start=1):
                await self._research(step, turn)
                if self.web.short is not None:
                    self.ending = str(self.web.short)
                    return
            self.ending = "every step of the plan"
        except Ended as ended:
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
            Item(name, _forms(name, page, self.web.title(page.url)), len(named) - at, turn)
            for at, (name, page) in enumerate(named.items())
        ]
        ask = Ask(FINDINGS, "researcher", make, items)
        text = written((await self.roles.ask(ask)).text, list(named))
        if amiss := unfit(text, named):
            by_rule = written(FINDINGS.offline(ask.whole()).text, list(named))
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
            Item(f"findings {at}", (text, text[:4_000], text[:1_000]), turn=at)
            for at, text in enumerate(self.found, start=1)
        ]
        ask = Ask(REPORT, "writer", make, items)
        used = [each for text in self.found for each in ids_in(text)]
        text = written((await self.roles.ask(ask, "writing")).text, used)
        if amiss := unfit(text, used):
            self.roles.note(REPORT.name, amiss, text)
            text = report_by_rule(ask.whole()).text
        if text.startswith("# "):
            return f"{text}\n"
        return f"# {title_of(self.prompt)}\n\n{text}\n"

    @property
    def sources(self) -> Mapping[str, str]:
        """The address of each page that may be cited."""
        return {name: page.url for name, page in self.pages.items()}


def _forms(name: str, page: Page, title: str) -> tuple[str, ...]:
    head = f"[{name}] {' '.join(title.split())} ({host_of(page.url)})\n"
    return (head + page.text, *(head + page.text[:size] for size in HEADS), "")
