"""The state machine of Deerflow+: FRAME to DONE, or STOPPED with a cause.

    FRAME -> PLAN -> [QUERY SEARCH CHOOSE FETCH READ GAPS]* -> OUTLINE -> WRITE* -> SYNTHESISE
          -> CHECK -> LEDE -> CONTROL -> DONE

Whatever ends research early leads to OUTLINE if there is evidence, else to STOPPED; what cannot be
asked any more while writing is done by rule.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Literal

from deepassay.agents.agent import Stop
from deepassay.reports.numbering import Source, check_citations, number_citations
from deepassay.runfile import AgentRun
from deepassay.score import Json
from deepassay.tasks.task import Task
from deepassay.text import without_controls
from deepassay.wings.research.concluding import FEW, sources_of
from deepassay.wings.research.deerflow.asking import ids_in
from deepassay.wings.research.deerflow.checking import formed
from deepassay.wings.research.deerflow.composing import Composing, coverage
from deepassay.wings.research.deerflow.findings import Findings, Switches
from deepassay.wings.research.deerflow.gathering import Gathering
from deepassay.wings.research.deerflow.pages import Web
from deepassay.wings.research.deerflow.paper_edition import AsPrinted
from deepassay.wings.research.deerflow.roles import OutOfMoney, ResearchEnded, ResearchRoles
from deepassay.wings.research.deerflow.safe_markdown import tamed

Edition = Literal["ours", "paper"]


@dataclass
class Machine:
    """One run of the researcher on one task, from plan to report."""

    task: Task
    edition: Edition
    roles: ResearchRoles
    web: Web
    switches: Switches
    rounds: int

    async def run(self) -> AgentRun:
        """The report, or why there is none."""
        try:
            if self.edition == "paper":
                return await self._paper()
            return await self._ours()
        except OutOfMoney as problem:
            return self._ended(None, Stop.BUDGET, str(problem), {})

    async def _ours(self) -> AgentRun:
        day = self.task.day.isoformat() if self.task.day else ""
        found = Findings(self.task.prompt, self.task.language, day)
        await Gathering(found, self.roles, self.web, self.switches, self.rounds).finish()
        composing = Composing(found, self.roles, self.web, self.switches)
        record: dict[str, Json] = {"ending": found.ending, "lost_quotes": found.lost}
        if not len(found.store):
            return self._without(found.ending, record)
        draft = (await composing.draft()).whole(self.task.language)
        sources = {each.id: Source(each.url, self.web.title(each.url)) for each in found.store}
        record |= {
            "contradictions": [list(pair) for pair in found.contradictions],
            "coverage": coverage(found, draft),
            "evidence": {each.id: asdict(each) for each in found.store},
            "patches": [asdict(each) for each in composing.patches],
        }
        return self._controlled(draft, sources, record, self.roles.ended if found.by_rule else None)

    async def _paper(self) -> AgentRun:
        run = AsPrinted(self.task.prompt, self.task.language, self.roles, self.web)
        await run.gather()
        record: dict[str, Json] = {"ending": run.ending}
        if not run.found:
            return self._without(run.ending, record)
        sources = {name: Source(url, self.web.title(url)) for name, url in run.sources.items()}
        return self._controlled(await run.draft(), sources, record)

    def _controlled(
        self,
        draft: str,
        sources: Mapping[str, Source],
        record: dict[str, Json],
        unread: ResearchEnded | None = None,
    ) -> AgentRun:
        """CONTROL: numbers and the list by code, which a finding of the linter would contradict.

        unread: why no model read anything.
        """
        self.roles.state = "CONTROL"
        draft = tamed(
            formed(without_controls(draft))
        )  # its title is the task's, its headings the planner's
        titled = {
            name: Source(each.url, tamed(without_controls(each.title)))
            for name, each in sources.items()
        }
        done = number_citations(draft, titled, language=self.task.language)
        amiss = list(dict.fromkeys(each.rule.name for each in check_citations(done.text)))
        record |= {"removed": list(done.removed), "control": list(done.actions)}
        if not ids_in(draft) or amiss:
            told = f"what was written cannot be cited from: {', '.join(amiss) or 'no citation'}"
            return self._ended(None, Stop.FAILED, told, record)
        cut = self.roles.cut or unread or self._useless
        if cut is None:
            return self._ended(done.text, Stop.DONE, "", record)
        # A model that is gone leaves a report whose rest is by rule: it is kept as one cut off.
        stop = Stop.TRUNCATED if cut.stop is Stop.FAILED else cut.stop
        return self._ended(done.text, stop, f"{cut.detail}; the rest is by rule", record)

    @property
    def _useless(self) -> ResearchEnded | None:
        return next(iter(self.roles.useless.values()), None)

    def _without(self, ending: str, record: dict[str, Json]) -> AgentRun:
        """STOPPED: nothing to write from."""
        ended = self.roles.ended or self._useless
        if ended is not None:
            return self._ended(None, ended.stop, ended.detail, record)
        if self.web.short is not None:
            stop = Stop.TIME if self.web.short.what == "seconds" else Stop.BUDGET
            return self._ended(None, stop, ending, record)
        told = f"{len(self.web.hits)} pages were found and {len(self.web.opened)} opened"
        told = " ".join([f"{told}, and none bears on the task.", *self.web.notes[:1]])
        return self._ended(None, Stop.NO_SOURCES, told, record)

    def _ended(
        self, text: str | None, stop: Stop, detail: str, record: dict[str, Json]
    ) -> AgentRun:
        roles = self.roles
        record |= {
            "counted": True,
            "edition": self.edition,
            "state": "DONE" if text is not None else f"STOPPED in {roles.state}",
            "calls": roles.calls,
            "fallbacks": list(roles.fallbacks),
            "shortened": roles.shortened,
            **self.web.record(),
        }
        if text is not None and len(text) < FEW:
            record["short"] = len(text)
        return AgentRun(
            report=text,
            stop=stop.value,
            detail=detail,
            raw=text or "",
            usage=roles.usage,
            seconds=roles.clock.seconds,
            cost=roles.cost,
            sources=sources_of(text) if text is not None else (),
            found=tuple(self.web.hits),
            opened=tuple(self.web.opened),
            record=record,
        )
