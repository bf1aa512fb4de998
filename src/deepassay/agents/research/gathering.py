"""Research, edition ours: FRAME, PLAN, and rounds of QUERY, SEARCH, CHOOSE, FETCH, READ and GAPS.

What is found is kept as it comes: whatever ends a round, the evidence of it is there.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Final

from deepassay.agents.research.budget import to_write
from deepassay.agents.research.context import Item, estimate, truncated
from deepassay.agents.research.evidence import Evidence, Question, Store, content
from deepassay.agents.research.pages import Web
from deepassay.agents.research.planning import (
    CHOOSE,
    FRAME,
    GAPS,
    PLAN,
    QUERY,
    Covering,
    Frame,
    Gaps,
    LedgerInputs,
    Menu,
    Searching,
    Task,
    hit_line,
    ledger_line,
)
from deepassay.agents.research.reading import (
    READ,
    SUMMARISE,
    PageWindow,
    Passages,
    Quotes,
    standing,
)
from deepassay.agents.research.roles import Ask, Ended, Roles
from deepassay.agents.search.found import Hit
from deepassay.models.fence import place_of_quote
from deepassay.models.prompt import Language
from deepassay.sources.page import Page

EVIDENCE: Final = 6_000  # tokens of the evidence of a section, before anything is known of it
PAGES_A_ROUND: Final = 8
WINDOWS: Final = 4  # of a page that are read, those with most words of the questions
DRY: Final = 2  # rounds without a new quote that end research
_SHORT: Final = 80


@dataclass(frozen=True)
class Switches:
    """What edition ours has beyond the paper; each may be switched off."""

    ledger: bool = True
    outline: bool = True
    sections: bool = True
    check: bool = True
    summaries: bool = False
    patches: bool = True
    contradictions: bool = True
    forms: bool = True


@dataclass
class Findings:
    """What research has found. answered, unanswerable: identifiers of questions.

    lost: quotes of models that stand on no page. ending: why research ended.
    """

    prompt: str
    language: Language
    day: str
    must_cover: list[str] = field(default_factory=list)
    questions: list[Question] = field(default_factory=list)
    store: Store = field(default_factory=Store)
    answered: set[str] = field(default_factory=set)
    unanswerable: set[str] = field(default_factory=set)
    contradictions: list[tuple[str, str]] = field(default_factory=list)
    lost: int = 0
    ending: str = ""

    @property
    def open(self) -> list[Question]:
        """Questions that are still to be answered, the important ones first."""
        ended = self.answered | self.unanswerable
        left = [each for each in self.questions if each.id not in ended]
        return sorted(left, key=lambda each: -each.importance)

    def numbers(self, evidence: Evidence) -> list[int]:
        """The numbers, from 1, of the questions that a quote bears on."""
        asked = enumerate(self.questions, start=1)
        return [number for number, each in asked if each.id in evidence.questions]

    def items(self, evidence: Sequence[Evidence], forms: bool, *, asked: bool) -> list[Item]:
        """Quotes as items of a prompt: in full, then their beginning, then not at all.

        forms: False cuts them like any other text. asked: with the numbers of their questions.
        """
        found = []
        for each in evidence:
            lines = [each.line(), each.line(_SHORT)]
            if asked:
                lines = [ledger_line(line, self.numbers(each)) for line in lines]
            several = (*lines, "") if forms else truncated(lines[0], _SHORT)
            found.append(Item(each.id, several, each.importance, each.turn))
        return found


@dataclass
class Gathering:
    """One run of research."""

    found: Findings
    roles: Roles
    web: Web
    switches: Switches
    rounds: int

    async def finish(self) -> None:
        """Search until there is nothing left to ask, to find or to spend. Raises OutOfMoney."""
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
        except Ended as ended:
            found.ending = ended.detail

    def _ending(self, dry: int) -> str:
        if self.roles.ended is not None:
            return self.roles.ended.detail
        if not self.found.open:
            return "every question is answered or cannot be"
        if self.web.short is not None:
            return str(self.web.short)
        return f"{DRY} rounds brought nothing new" if dry >= DRY else ""

    # ------------------------------------------------------------------ what is asked

    async def _frame(self) -> None:
        found = self.found
        if not self.switches.ledger:
            found.must_cover = [found.prompt]
            return
        self.roles.state = "FRAME"
        task = Task(language=found.language, prompt=found.prompt)
        frame: Frame = await self.roles.ask(Ask(FRAME, "planner", lambda texts: task))
        found.must_cover = frame.must_cover

    async def _plan(self) -> None:
        found = self.found
        self.roles.state = "PLAN"
        inputs = Covering(language=found.language, prompt=found.prompt, must_cover=found.must_cover)
        plan = await self.roles.ask(Ask(PLAN, "planner", lambda texts: inputs))
        for each in plan.questions:
            covered = [found.must_cover[number - 1] for number in each.covers]
            places = [place_of_quote(found.prompt, span) for span in covered]
            span = next((place for place in places if place), None)
            self._add(each.question, span, each.importance, each.needs)
        self.roles.ledger.set_aside(to_write([EVIDENCE] * len(found.questions)))

    def _add(
        self, text: str, span: tuple[int, int] | None, importance: int = 1, needs: int = 1
    ) -> None:
        name = f"q{len(self.found.questions) + 1}"
        self.found.questions.append(Question(name, text, span, importance, needs))

    # ------------------------------------------------------------------ a round

    async def _round(self, turn: int) -> None:
        wanted = self.found.open
        hits = await self._search(wanted)
        pages = await self._fetch(wanted, hits)
        await self._read(wanted, pages, turn)
        if self.roles.ended is None and self.switches.ledger:
            await self._gaps()

    async def _search(self, wanted: Sequence[Question]) -> list[Hit]:
        found, web = self.found, self.web
        self.roles.state = "QUERY"
        tried = list(web.queries)
        titles = [hit.title for hit in web.hits.values()]
        asks = []
        for question in wanted:

            def make(texts: Sequence[str], question: Question = question) -> Searching:
                return Searching(
                    language=found.language,
                    prompt=found.prompt,
                    question=question.text,
                    tried=tried,
                    found=[text for text in texts if text],
                    day=found.day,
                )

            items = [Item(str(at), (title, ""), turn=at) for at, title in enumerate(titles)]
            asks.append(Ask(QUERY, "researcher", make, items))
        answers = await self.roles.ask_all(asks)
        self.roles.state = "SEARCH"
        return await web.find([query for each in answers if each for query in each.queries])

    async def _fetch(self, wanted: Sequence[Question], hits: Sequence[Hit]) -> list[Page]:
        """Open the hits that are worth it."""
        found = self.found
        chosen: Sequence[Hit] = hits
        most = min(PAGES_A_ROUND, max(3, 2 * len(wanted)))
        if hits and self.roles.ended is None:
            self.roles.state = "CHOOSE"

            def make(texts: Sequence[str]) -> Menu:
                shown = [text for text in texts if text] or [""]
                asked = [each.text for each in wanted]
                return Menu(language=found.language, questions=asked, hits=shown, most=most)

            items = [
                Item(hit.url, _forms(hit), len(hits) - place) for place, hit in enumerate(hits)
            ]
            answer = await self.roles.ask(Ask(CHOOSE, "researcher", make, items))
            chosen = [hits[number - 1] for number in dict.fromkeys(answer.pages)]
        self.roles.state = "FETCH"
        return await self.web.open(chosen[:most])

    async def _read(self, wanted: Sequence[Question], pages: Sequence[Page], turn: int) -> None:
        self.roles.state = "READ"
        found = self.found
        known = {each.page for each in found.store}
        asks, places = [], []
        for page in pages:
            if page.digest in known:
                continue  # a copy of a page that was read
            known.add(page.digest)
            for start, end in self._windows(page, wanted):
                inputs = PageWindow(
                    language=found.language,
                    page=page.text[start:end],
                    questions=[each.text for each in wanted],
                )

                def make(texts: Sequence[str], inputs: PageWindow = inputs) -> PageWindow:
                    return inputs

                asks.append(Ask(READ, "reader", make))
                places.append((page, start, inputs))
        answers = await self.roles.ask_all(asks)
        for (page, start, inputs), answer in zip(places, answers, strict=True):
            if answer is not None:
                self._keep(page, start, inputs, answer, wanted, turn)
        if self.switches.summaries and self.roles.ended is None:
            await self._summarise()

    def _keep(
        self,
        page: Page,
        offset: int,
        inputs: PageWindow,
        answer: Quotes,
        wanted: Sequence[Question],
        turn: int,
    ) -> None:
        """Keep the quotes that stand on the page, in the words of the page."""
        stood = standing(inputs, answer)
        self.found.lost += len(answer.quotes) - len(stood)
        for quote, start, end in stood:
            names = tuple(dict.fromkeys(wanted[number - 1].id for number in quote.questions))
            self.found.store.add(
                Evidence(
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
        new: dict[str, list[Evidence]] = {}
        for each in self.found.store:
            if not each.summary:
                new.setdefault(each.page, []).append(each)
        asks = []
        for several in new.values():
            quotes = [each.quote for each in several]
            inputs = Passages(language=self.found.language, quotes=quotes)

            def make(texts: Sequence[str], inputs: Passages = inputs) -> Passages:
                return inputs

            asks.append(Ask(SUMMARISE, "reader", make))
        answers = await self.roles.ask_all(asks)
        for several, answer in zip(new.values(), answers, strict=True):
            for each, summary in zip(several, answer.summaries if answer else (), strict=False):
                self.found.store.summarise(each.id, summary)

    def _windows(self, page: Page, wanted: Sequence[Question]) -> list[tuple[int, int]]:
        """The parts of a page that are read, each short enough for the reader."""
        asked = frozenset().union(*(content(each.text) for each in wanted))
        room = self.roles.limit("reader") - _frame_of_reading(wanted)
        windows = list(windows_of(page.text, room))
        if len(windows) <= WINDOWS:
            return windows
        shared = [len(content(page.text[start:end]) & asked) for start, end in windows]
        best = sorted(range(len(windows)), key=lambda place: (-shared[place], place))[:WINDOWS]
        return [windows[place] for place in sorted(best)]

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
        gaps: Gaps = await self.roles.ask(Ask(GAPS, "planner", make, items))
        ids = [each.id for each in found.questions]
        found.answered |= {ids[number - 1] for number in gaps.answered}
        found.unanswerable |= {ids[number - 1] for number in gaps.unanswerable}
        if self.switches.contradictions:
            pairs = [(each.first, each.second) for each in gaps.contradictions]
            found.contradictions = list(dict.fromkeys([*found.contradictions, *pairs]))
        for text in gaps.new:
            self._add(text, None)


def _forms(hit: Hit) -> tuple[str, ...]:
    return hit_line(hit.title, hit.url, hit.snippet), hit_line(hit.title, hit.url, ""), ""


def _frame_of_reading(wanted: Sequence[Question]) -> int:
    """Tokens of the prompt of the reader besides the page."""
    inputs = PageWindow(language="en", page="", questions=[each.text for each in wanted])
    prompt = READ.render(inputs, "0" * 16)
    return int(estimate(prompt.system + prompt.text)) + 40


def windows_of(text: str, room: int) -> Iterator[tuple[int, int]]:
    """A text in parts of at most so many estimated tokens, cut between lines where that goes."""
    size = max(200, min(room, 40_000))
    if estimate(text) <= size:
        yield 0, len(text)
        return
    start = 0
    while start < len(text):
        end = min(len(text), start + 4 * size)
        while estimate(text[start:end]) > size and end - start > 1:
            end = start + max(1, int((end - start) * 0.8))
        if end < len(text):
            cut = text.rfind("\n", start + (end - start) // 2, end)
            end = cut + 1 if cut >= 0 else end
        yield start, end
        start = end
