"""Writing, edition ours: OUTLINE, WRITE, SYNTHESISE, CHECK and LEDE, from the evidence alone."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Final

from deepassay.models.operation import Operation, Prose
from deepassay.score import Json
from deepassay.wings.research.deerflow.asking import ids_in, is_data, why_unfit_prose
from deepassay.wings.research.deerflow.budget import to_write
from deepassay.wings.research.deerflow.checking import Checker, Patch, as_in_drafts, cited
from deepassay.wings.research.deerflow.context import PromptPart, estimated_tokens
from deepassay.wings.research.deerflow.evidence import EvidencedSection, QuotedEvidence
from deepassay.wings.research.deerflow.findings import Findings, Switches
from deepassay.wings.research.deerflow.outlining import (
    OUTLINE,
    Outlining,
    bound,
    heading_of,
    outline_by_rule,
    title_by_rule,
)
from deepassay.wings.research.deerflow.pages import Web
from deepassay.wings.research.deerflow.roles import Ask, ResearchRoles
from deepassay.wings.research.deerflow.writing import (
    LEDE,
    SYNTHESISE,
    WRITE_SECTION,
    Leading,
    SectionInputs,
    Synthesising,
    section_by_rule,
    synthesis_by_rule,
)

HEADINGS: Final = {
    "en": ("Key points", "Comparison and limits"),
    "zh": ("要点", "比较与局限"),
}


@dataclass
class ReportDraft:
    """The report before citation control: it cites evidence by identifier."""

    title: str
    sections: list[EvidencedSection] = field(default_factory=list)
    texts: list[str] = field(default_factory=list)
    synthesis: str = ""
    lede: str = ""

    def whole(self, language: str) -> str:
        """The whole draft as Markdown, with headings in the language."""
        first, last = HEADINGS[language]
        parts = [(first, self.lede)]
        parts += [
            (section.heading, text) for section, text in zip(self.sections, self.texts, strict=True)
        ]
        parts.append((last, self.synthesis))
        told = [f"## {heading}\n\n{text.strip()}" for heading, text in parts if text.strip()]
        return "\n\n".join([f"# {self.title}", *told]) + "\n"


@dataclass
class Composing:
    """How one report is written from what was found, section by section."""

    found: Findings
    roles: ResearchRoles
    web: Web
    switches: Switches
    patches: list[Patch] = field(default_factory=list)

    async def draft(self) -> ReportDraft:
        """The report. Raises OutOfMoney."""
        title, sections = await self._outline()
        draft = ReportDraft(title, sections)
        sizes = [self._size(each) for each in draft.sections]
        self.roles.ledger.set_aside(to_write(sizes))
        self.roles.state = "WRITE"
        for section in draft.sections:
            done = zip(draft.sections, draft.texts, strict=False)
            draft.texts.append(await self._section(section, [_told(*each) for each in done]))
        self.roles.state = "SYNTHESISE"
        draft.synthesis = await self._synthesis(draft)
        if self.switches.check:
            await self._check(draft)
        draft.synthesis = self._with_contradictions(draft)
        self.roles.state = "LEDE"
        draft.lede = await self._lede(draft)
        return draft

    async def _outline(self) -> tuple[str, list[EvidencedSection]]:
        """The title and the sections."""
        self.roles.state = "OUTLINE"
        found = self.found
        evidence = list(found.store)
        if not self.switches.sections:
            names = tuple(each.id for each in evidence)
            questions = tuple(each.id for each in found.questions)
            title = title_by_rule(found.prompt)
            return title, [EvidencedSection(title, found.prompt[:500], questions, names)]

        def make(texts: Sequence[str]) -> Outlining:
            return Outlining(
                language=found.language,
                prompt=found.prompt,
                questions=[each.text for each in found.questions],
                lines=[text for text in texts if text],
            )

        items = found.items(evidence, self.switches.forms, asked=True)
        ask = Ask(OUTLINE, "planner", make, items, recent=0)
        outline = outline_by_rule(ask.whole())
        sections = outline.sections
        if self.switches.outline:
            outline = await self.roles.ask(ask, "writing")
            sections = bound(ask.whole(), outline)
        ids = [each.id for each in found.questions]
        return heading_of(outline.title, 120), [
            EvidencedSection(
                heading_of(each.heading, 120),
                each.aim,
                tuple(ids[number - 1] for number in each.questions),
                tuple(name for name in dict.fromkeys(each.evidence) if name in found.store),
            )
            for each in sections
        ]

    def _size(self, section: EvidencedSection) -> int:
        return int(
            sum(estimated_tokens(self.found.store[name].line()) for name in section.evidence)
        )

    async def _section(
        self, section: EvidencedSection, before: Sequence[str], repeat: int = 0
    ) -> str:
        found = self.found
        evidence = [found.store[name] for name in section.evidence]
        if not evidence:
            return section_by_rule(self._inputs(section)).text  # that nothing was found

        def make(texts: Sequence[str]) -> SectionInputs:
            kept = {"evidence": [text for text in texts if text], "written": list(before)}
            return self._inputs(section).model_copy(update=kept)

        items = [
            PromptPart(each.id, (each.line(), ""), each.importance, each.turn) for each in evidence
        ]
        ask = Ask(WRITE_SECTION, "writer", make, items, recent=0, repeat=repeat)
        text = (await self.roles.ask(ask, "writing")).text
        return self._citing(WRITE_SECTION, ask.whole(), text, section.evidence)

    def _citing(
        self,
        operation: Operation[SectionInputs, Prose] | Operation[Leading, Prose],
        inputs: SectionInputs | Leading,
        text: str,
        ids: Sequence[str],
    ) -> str:
        """A text that cites what it was given, else what the rule makes of it."""
        if not (amiss := why_unfit_prose(text, ids)):
            return as_in_drafts(text, ids)
        self.roles.note(operation.name, amiss, text)
        answer: Prose = operation.offline(inputs)  # type: ignore[arg-type]
        return as_in_drafts(answer.text, ids)

    def _synthesising(self, draft: ReportDraft) -> Synthesising:
        found = self.found
        return Synthesising(
            language=found.language,
            prompt=found.prompt,
            claims=[each for text in draft.texts for each in cited(text)],
            against=[self._pair(*each) for each in found.contradictions],
            open=[each.text for each in found.open],
        )

    def _pair(self, one: str, other: str) -> str:
        return f"{self.found.store[one].line()} / {self.found.store[other].line()}"

    async def _synthesis(self, draft: ReportDraft) -> str:
        whole = self._synthesising(draft)
        count = len(whole.claims)

        def make(texts: Sequence[str]) -> Synthesising:
            claims = [text for text in texts[:count] if text]
            pairs = [text for text in texts[count:] if text]
            return whole.model_copy(update={"claims": claims, "against": pairs})

        items = [PromptPart(f"claim {at}", (text, "")) for at, text in enumerate(whole.claims)]
        items += [PromptPart(f"pair {at}", (text, ""), 3) for at, text in enumerate(whole.against)]
        ask = Ask(SYNTHESISE, "writer", make, items, recent=0)
        text = (await self.roles.ask(ask, "writing")).text
        if is_data(text):
            self.roles.note(SYNTHESISE.name, "data", text)
            text = SYNTHESISE.offline(ask.whole()).text
        used = [each for claim in (*whole.claims, *whole.against) for each in ids_in(claim)]
        return as_in_drafts(text, used)

    def _with_contradictions(self, draft: ReportDraft) -> str:
        """The synthesis, with each pair that contradicts and does not stand together anywhere."""
        text = "\n\n".join([*draft.texts, draft.synthesis])
        paragraphs = [set(ids_in(each)) for each in re.split(r"\n[ \t]*\n", text)]
        missing = [
            pair
            for pair in self.found.contradictions
            if not any(set(pair) <= each for each in paragraphs)
        ]
        if not missing:
            return draft.synthesis
        whole = self._synthesising(draft)
        pairs = [self._pair(*each) for each in missing]
        update = {"claims": [], "open": [], "against": pairs}
        added = synthesis_by_rule(whole.model_copy(update=update)).text
        self.patches.append(Patch("contradiction", "", added))
        return f"{draft.synthesis.rstrip()}\n\n{added}"

    async def _check(self, draft: ReportDraft) -> None:
        self.roles.state = "CHECK"
        checker = self._checker()
        for place, section in enumerate(draft.sections):
            text = draft.texts[place]
            if not self.switches.patches and await checker.doubts(text):
                done = zip(draft.sections[:place], draft.texts[:place], strict=True)
                text = await self._section(section, [_told(*each) for each in done], repeat=1)
                self.patches.append(Patch("regenerated", draft.texts[place], text))
            text = await checker.mended(text, section.evidence)
            if section.evidence and not ids_in(text):
                self.patches.append(Patch("by rule", draft.texts[place], ""))
                text = section_by_rule(self._inputs(section)).text
            draft.texts[place] = text
        used = [each for text in draft.texts for each in dict.fromkeys(ids_in(text))]
        own = synthesis_by_rule(self._synthesising(draft)).text
        draft.synthesis = await checker.mended(draft.synthesis, used, own)

    def _checker(self) -> Checker:
        texts = [page.text for page in self.web.opened.values()]
        return Checker(self.found, self.roles, texts, self.patches)

    def _inputs(self, section: EvidencedSection) -> SectionInputs:
        found = self.found
        return SectionInputs(
            language=found.language,
            prompt=found.prompt,
            heading=section.heading,
            aim=section.aim,
            evidence=[found.store[name].line() for name in section.evidence],
            written=[],
        )

    async def _lede(self, draft: ReportDraft) -> str:
        found = self.found
        sections = [
            f"{section.heading}\n{text}"
            for section, text in zip(draft.sections, draft.texts, strict=True)
        ]

        def make(texts: Sequence[str]) -> Leading:
            return Leading(
                language=found.language,
                prompt=found.prompt,
                sections=[text for text in texts if text],
            )

        items = [
            PromptPart(f"section {at}", (text, text[:2_000], text[:500], ""))
            for at, text in enumerate(sections)
        ]
        ask = Ask(LEDE, "writer", make, items, recent=0)
        text = (await self.roles.ask(ask, "writing")).text
        used = [each for section in sections for each in ids_in(section)]
        text = self._citing(LEDE, ask.whole(), text, used)
        return self._checker().by_figures(text, used) if self.switches.check else text


def _told(section: EvidencedSection, text: str) -> str:
    """One line on a section that is written."""
    first = next(iter(cited(text)), "")
    return f"{section.heading}: {first}"


def coverage(found: Findings, draft: str) -> list[Json]:
    """What became of each question: its evidence that is cited, and what was left out."""
    used = set(ids_in(draft))
    rows: list[Json] = []
    for question in found.questions:
        evidence: Sequence[QuotedEvidence] = found.store.of(question.id)
        state = "open"
        if question.id in found.answered:
            state = "answered"
        elif question.id in found.unanswerable:
            state = "unanswerable"
        rows.append(
            {
                "question": question.text,
                "span": None if question.span is None else list(question.span),
                "state": state,
                "cited": [each.id for each in evidence if each.id in used],
                "left_out": [each.id for each in evidence if each.id not in used],
            }
        )
    return rows
