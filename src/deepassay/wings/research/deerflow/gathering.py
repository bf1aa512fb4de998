"""Research, edition ours: FRAME, PLAN, and rounds of QUERY, SEARCH, CHOOSE, FETCH, READ and GAPS.

What is found is kept as it comes: whatever ends a round, the evidence of it is there.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from itertools import zip_longest
from typing import Final

from deepassay.agents.agent import Stop
from deepassay.agents.search_results import SearchHit
from deepassay.models.fence import place_of_quote
from deepassay.sources.page import Page
from deepassay.wings.research.deerflow.asking import at_length
from deepassay.wings.research.deerflow.budget import to_write
from deepassay.wings.research.deerflow.context import PromptPart
from deepassay.wings.research.deerflow.evidence import QuotedEvidence, ResearchQuestion
from deepassay.wings.research.deerflow.findings import Findings, Switches
from deepassay.wings.research.deerflow.gaps import GAPS, Gaps, LedgerInputs, borne_out
from deepassay.wings.research.deerflow.pages import Web
from deepassay.wings.research.deerflow.planning import (
    CHOOSE,
    FRAME,
    PLAN,
    QUERY,
    Covering,
    Frame,
    Menu,
    Searching,
    TaskPrompt,
    completed,
    covered,
    hit_line,
    without_service,
)
from deepassay.wings.research.deerflow.reading import (
    READ,
    SUMMARISE,
    PageWindow,
    Quotes,
    QuotesOfPage,
    quotes_on_page,
    windows_read,
)
from deepassay.wings.research.deerflow.roles import Ask, ResearchEnded, ResearchRoles, given

EVIDENCE: Final = 6_000  # tokens of the evidence of a section, before anything is known of it
PAGES_A_ROUND: Final = 8
FOR_READING: Final = 3  # of so many calls of research one is the reader's while nothing is read
DRY: Final = 2  # rounds without a new quote that end research


@dataclass
class Gathering:
    """One run of research, from questions to pages and quotes."""

    found: Findings
    roles: ResearchRoles
    web: Web
    switches: Switches
    rounds: int

    async def finish(self) -> None:
        """Search until there is nothing left to ask, to find or to spend. Raises OutOfMoney."""
        calls = self.roles.ledger.left("calls", "research") or 0
        self.roles.for_reading = int(calls) // FOR_READING
        await self._research()
        ended = self.roles.ended
        if not len(self.found.store) and ended and ended.stop in (Stop.BUDGET, Stop.TIME):
            await self._by_rule(ended)

    async def _research(self) -> None:
        found = self.found
        try:
            await self._frame()
            await self._plan()
            dry = 0
            for turn in range(1, self.rounds + 1):
                before = len(found.store)
                await self._round(turn)
                dry = dry + 1 if len(found.store) == before else 0
                if ending := self._ending(dry):
                    found.ending = ending
                    return
            found.ending = f"{self.rounds} rounds"
        except ResearchEnded as ended:
            found.ending = ended.detail

    async def _by_rule(self, why: ResearchEnded) -> None:
        """Nothing was read and nobody can be asked any more: rules search, choose and read."""
        found, web = self.found, self.web
        found.by_rule = True
        self.roles.note(READ.name, why.stop.value, why.detail)
        if not found.questions:
            self._add(at_length(found.prompt), None)
        wanted = found.questions
        if not web.hits:
            await self._search(wanted)
        pages = [*web.opened.values(), *await self._fetch_by_rule(wanted)]
        for page, start, inputs in self._windows(wanted, pages):
            self._keep(page, start, inputs, READ.offline(inputs), wanted, self.rounds)

    def _ending(self, dry: int) -> str:
        if self.roles.ended is not None:
            return self.roles.ended.detail
        if not self.found.open:
            return "every question is answered or cannot be"
        if self.web.short is not None:
            return str(self.web.short)
        return f"{DRY} rounds brought nothing new" if dry >= DRY else ""

    async def _frame(self) -> None:
        found = self.found
        if not self.switches.ledger:
            found.must_cover = [found.prompt]
            return
        self.roles.state = "FRAME"
        task = TaskPrompt(language=found.language, prompt=found.prompt)
        frame: Frame = await self.roles.ask(Ask(FRAME, "planner", partial(given, task)))
        found.must_cover = covered(task, frame)
        if lost := [each for each in frame.must_cover if each not in found.must_cover]:
            self.roles.note(FRAME.name, "not_verbatim", " / ".join(lost))

    async def _plan(self) -> None:
        found = self.found
        self.roles.state = "PLAN"
        inputs = Covering(language=found.language, prompt=found.prompt, must_cover=found.must_cover)
        plan = await self.roles.ask(Ask(PLAN, "planner", partial(given, inputs)))
        if left := without_service(inputs, plan):
            self.roles.note(PLAN.name, "spans_left_out", ", ".join(map(str, left)))
        for each in completed(inputs, plan):
            spans = [found.must_cover[number - 1] for number in each.covers]
            places = [place_of_quote(found.prompt, span) for span in spans]
            span = next((place for place in places if place), None)
            self._add(each.question, span, each.importance, each.needs)
        self.roles.ledger.set_aside(to_write([EVIDENCE] * len(found.questions)))

    def _add(
        self, text: str, span: tuple[int, int] | None, importance: int = 1, needs: int = 1
    ) -> None:
        name = f"q{len(self.found.questions) + 1}"
        self.found.questions.append(ResearchQuestion(name, text, span, importance, needs))

    async def _round(self, turn: int) -> None:
        wanted = self.found.open
        hits = await self._search(wanted)
        pages = await self._fetch(wanted, hits)
        await self._read(wanted, pages, turn)
        none = not len(self.found.store) and self.roles.ended is None
        if none and (pages := await self._fetch_by_rule(wanted)):
            self.roles.note(CHOOSE.name, "no_evidence", f"{len(hits)} hits")
            await self._read(wanted, pages, turn)
        if self.roles.ended is None and self.switches.ledger and len(self.found.store):
            await self._gaps()

    async def _search(self, wanted: Sequence[ResearchQuestion]) -> list[SearchHit]:
        web = self.web
        self.roles.state = "QUERY"
        titles = [hit.title for hit in web.hits.values()]
        items = [PromptPart(str(at), (title, ""), turn=at) for at, title in enumerate(titles)]
        left = self.roles.ledger.left("searches", "research")
        asks = [
            Ask(QUERY, "researcher", partial(self._searching, question), items)
            for question in wanted[: None if left is None else max(1, int(left))]
        ]
        answers = await self.roles.ask_all(asks)
        if not any(answers) and not web.hits:
            answers = [QUERY.offline(each.whole()) for each in asks]
        self.roles.state = "SEARCH"
        # The first of each question, then the second: few searches serve as many as they can.
        turns = zip_longest(*(each.queries for each in answers if each))
        return await web.find([query for turn in turns for query in turn if query])

    def _searching(self, question: ResearchQuestion, titles: Sequence[str]) -> Searching:
        return Searching(
            language=self.found.language,
            prompt=self.found.prompt,
            question=question.text,
            tried=list(self.web.queries),
            found=[title for title in titles if title],
            day=self.found.day,
        )

    async def _fetch(
        self, wanted: Sequence[ResearchQuestion], hits: Sequence[SearchHit]
    ) -> list[Page]:
        """Open the hits that are worth it."""
        found = self.found
        chosen: Sequence[SearchHit] = hits
        most = _most(wanted)
        if hits and self.roles.ended is None:
            self.roles.state = "CHOOSE"

            def make(texts: Sequence[str]) -> Menu:
                shown = [text for text in texts if text] or [""]
                asked = [each.text for each in wanted]
                return Menu(language=found.language, questions=asked, hits=shown, most=most)

            items = [
                PromptPart(hit.url, _forms(hit), len(hits) - place)
                for place, hit in enumerate(hits)
            ]
            answer = await self.roles.ask(Ask(CHOOSE, "researcher", make, items))
            chosen = [hits[number - 1] for number in dict.fromkeys(answer.pages)]
        self.roles.state = "FETCH"
        return await self.web.open(chosen[:most])

    async def _fetch_by_rule(self, wanted: Sequence[ResearchQuestion]) -> list[Page]:
        """Open what the rule chooses of the hits that nobody has tried to open."""
        tried = {*self.web.opened, *self.web.closed}
        hits = [hit for hit in self.web.hits.values() if hit.url not in tried]
        if not hits:
            return []
        menu = Menu(
            language=self.found.language,
            questions=[each.text for each in wanted],
            hits=[_forms(hit)[0] for hit in hits],
            most=_most(wanted),
        )
        return await self.web.open([hits[at - 1] for at in CHOOSE.offline(menu).pages])

    def _windows(
        self, wanted: Sequence[ResearchQuestion], pages: Sequence[Page]
    ) -> list[tuple[Page, int, PageWindow]]:
        """The parts of pages that are read, each short enough for the reader, with their places."""
        questions = [each.text for each in wanted]
        limit, language = self.roles.limit("reader"), self.found.language
        known = {each.page for each in self.found.store}
        found = []
        for page in pages:
            if page.digest in known:
                continue  # a copy of a page that was read
            known.add(page.digest)
            for start, end in windows_read(page.text, questions, limit):
                window = page.text[start:end]
                inputs = PageWindow(language=language, page=window, questions=questions)
                found.append((page, start, inputs))
        return found

    async def _read(
        self, wanted: Sequence[ResearchQuestion], pages: Sequence[Page], turn: int
    ) -> None:
        self.roles.state = "READ"
        windows = self._windows(wanted, pages)
        asks = [Ask(READ, "reader", partial(given, inputs)) for _, _, inputs in windows]
        answers = await self.roles.ask_all(asks)
        for (page, start, inputs), answer in zip(windows, answers, strict=True):
            if answer is not None:
                self._keep(page, start, inputs, self._usable(inputs, answer), wanted, turn)
        if len(self.found.store):
            self.roles.for_reading = 0
        if self.switches.summaries and self.roles.ended is None:
            await self._summarise()

    def _usable(self, inputs: PageWindow, answer: Quotes) -> Quotes:
        """What a model took from a page; what the rule takes, if not one of the quotes stands."""
        if not answer.quotes or quotes_on_page(inputs, answer):
            return answer
        self.found.lost += len(answer.quotes)
        self.roles.note(READ.name, "not_verbatim", answer.quotes[0].quote)
        return READ.offline(inputs)

    def _keep(
        self,
        page: Page,
        offset: int,
        inputs: PageWindow,
        answer: Quotes,
        wanted: Sequence[ResearchQuestion],
        turn: int,
    ) -> None:
        """Keep the quotes that stand on the page, in the words of the page."""
        stood = quotes_on_page(inputs, answer)
        self.found.lost += len(answer.quotes) - len(stood)
        for quote, start, end in stood:
            names = tuple(dict.fromkeys(wanted[number - 1].id for number in quote.questions))
            self.found.store.add(
                QuotedEvidence(
                    id="",
                    page=page.digest,
                    url=page.url,
                    title=self.web.title(page.url),
                    quote=page.text[offset + start : offset + end],
                    start=offset + start,
                    end=offset + end,
                    questions=names,
                    importance=quote.importance,
                    turn=turn,
                )
            )

    async def _summarise(self) -> None:
        """Have new quotes said in other words, those of one page at a time."""
        new: dict[str, list[QuotedEvidence]] = {}
        for each in self.found.store:
            if not each.summary:
                new.setdefault(each.page, []).append(each)
        asks = []
        for several in new.values():
            quotes = [each.quote for each in several]
            inputs = QuotesOfPage(language=self.found.language, quotes=quotes)
            asks.append(Ask(SUMMARISE, "reader", partial(given, inputs)))
        answers = await self.roles.ask_all(asks)
        for several, answer in zip(new.values(), answers, strict=True):
            for each, summary in zip(several, answer.summaries if answer else (), strict=False):
                self.found.store.summarise(each.id, summary)

    async def _gaps(self) -> None:
        self.roles.state = "GAPS"
        found = self.found
        evidence = list(found.store)

        def make(texts: Sequence[str]) -> LedgerInputs:
            return LedgerInputs(
                language=found.language,
                questions=[each.text for each in found.questions],
                needs=[each.needs for each in found.questions],
                lines=[text for text in texts if text],
            )

        items = found.items(evidence, self.switches.forms, asked=True)
        ask = Ask(GAPS, "planner", make, items)
        gaps: Gaps = borne_out(ask.whole(), await self.roles.ask(ask))
        ids = [each.id for each in found.questions]
        found.answered |= {ids[number - 1] for number in gaps.answered}
        found.unanswerable |= {ids[number - 1] for number in gaps.unanswerable}
        if self.switches.contradictions:
            pairs = [(each.first, each.second) for each in gaps.contradictions]
            found.contradictions = list(dict.fromkeys([*found.contradictions, *pairs]))
        for text in gaps.new:
            self._add(text, None)


def _most(wanted: Sequence[ResearchQuestion]) -> int:
    """Pages that are opened in one round."""
    return min(PAGES_A_ROUND, max(3, 2 * len(wanted)))


def _forms(hit: SearchHit) -> tuple[str, ...]:
    return hit_line(hit.title, hit.url, hit.snippet), hit_line(hit.title, hit.url, ""), ""
